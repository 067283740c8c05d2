//! How one device is cut: layouts, slice profiles, legal start positions.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::ClusterError;
use super::catalogue::{GpuModel, MigFamily};
use super::slice::Slice;

/// The layout a type of GPU has in a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Layout {
    /// One slot: the device is never shared.
    Whole,
    /// This many equal slots (MPS with a fixed share of the threads; 2, 4 or 8).
    Uniform(u8),
    /// The type's own MIG geometry.
    Mig(MigMode),
}

/// What an allocator may assume about packing MIG instances. Placement always respects the true geometry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum MigMode {
    /// Decisions only choose what can be placed.
    Strict,
    /// Decisions count slots; what then does not fit is placed smaller or waits, and is reported as a packing gap.
    Relaxed,
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => f.write_str("whole"),
            Self::Uniform(n) => write!(f, "uniform-{n}"),
            Self::Mig(_) => f.write_str("mig"),
        }
    }
}

/// A MIG instance profile of an A100-class device (A100, H100, H200, B200).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MigProfile {
    /// NVIDIA's name without the memory: `1g`, …, `7g`; `1g+mem` has the memory of two slices.
    pub name: &'static str,
    /// The kind of slice: its compute slices, and whether it has twice the memory that goes with them.
    pub slice: Slice,
    /// Memory slices.
    pub memory: u8,
    /// First memory slices at which it may lie.
    pub starts: &'static [u8],
}

/// The instance profiles of A100-class devices (NVIDIA MIG user guide, "Supported MIG profiles"). There is no 5g and no 6g.
pub const MIG_A100_PROFILES: [MigProfile; 6] = [
    MigProfile { name: "1g", slice: Slice::plain(1), memory: 1, starts: &[0, 1, 2, 3, 4, 5, 6] },
    MigProfile { name: "1g+mem", slice: Slice::DOUBLE_MEMORY_1G, memory: 2, starts: &[0, 2, 4, 6] },
    MigProfile { name: "2g", slice: Slice::plain(2), memory: 2, starts: &[0, 2, 4] },
    MigProfile { name: "3g", slice: Slice::plain(3), memory: 4, starts: &[0, 4] },
    MigProfile { name: "4g", slice: Slice::plain(4), memory: 4, starts: &[0] },
    MigProfile { name: "7g", slice: Slice::plain(7), memory: 8, starts: &[0] },
];

/// The geometry of one device.
///
/// Positions are slots of a buddy device, memory slices of an A100-class device. A slice of a buddy device starts at a multiple
/// of its size; A100-class slices start where the table of NVIDIA's MIG user guide allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Geometry {
    /// Slices of power-of-two sizes up to `slots`, each aligned to its size: whole devices (`slots` 1), MPS, and the A30.
    Buddy {
        /// Slots on the device: 1, 2, 4 or 8.
        slots: u8,
    },
    /// 7 compute and 8 memory slices: A100, H100, H200, B200.
    MigA100,
}

impl Geometry {
    /// The geometry `model` has under `layout`.
    ///
    /// # Errors
    /// [`ClusterError::Layout`] when the hardware cannot be cut that way.
    pub fn of(model: &GpuModel, layout: Layout) -> Result<Self, ClusterError> {
        let refuse = |reason: &str| ClusterError::Layout {
            gpu: model.id.clone(),
            layout: layout.to_string(),
            reason: reason.to_string(),
        };
        match layout {
            Layout::Whole => Ok(Self::Buddy { slots: 1 }),
            Layout::Uniform(n @ (2 | 4 | 8)) if model.mps => Ok(Self::Buddy { slots: n }),
            Layout::Uniform(2 | 4 | 8) => Err(refuse(
                "MPS limits a client's share of the threads only on Volta and later; use \"whole\"",
            )),
            Layout::Uniform(_) => Err(refuse("a device is cut into 2, 4 or 8 equal slots")),
            Layout::Mig(_) => match model.mig {
                Some(MigFamily::A30) => Ok(Self::Buddy { slots: 4 }),
                Some(MigFamily::A100 | MigFamily::Hopper | MigFamily::Blackwell) => Ok(Self::MigA100),
                None => {
                    Err(refuse("this GPU has no MIG; use \"whole\" or, on Volta and later, \"uniform-4\""))
                }
            },
        }
    }

    /// Slots on one device, S_k.
    #[must_use]
    pub fn slots(self) -> u8 {
        match self {
            Self::Buddy { slots } => slots,
            Self::MigA100 => 7,
        }
    }

    /// Slice sizes in slots, ascending; the last is the whole device. Every size is that of a plain slice.
    #[must_use]
    pub fn sizes(self) -> &'static [u8] {
        match self {
            Self::Buddy { slots: 1 } => &[1],
            Self::Buddy { slots: 2 } => &[1, 2],
            Self::Buddy { slots: 4 } => &[1, 2, 4],
            Self::Buddy { .. } => &[1, 2, 4, 8],
            Self::MigA100 => &[1, 2, 3, 4, 7],
        }
    }

    /// Every kind of slice, ascending: the plain ones of [`Self::sizes`] and, on an A100-class device, the double-memory 1g.
    #[must_use]
    pub fn slices(self) -> &'static [Slice] {
        const fn plain<const N: usize>(sizes: [u8; N]) -> [Slice; N] {
            let mut slices = [Slice::plain(0); N];
            let mut i = 0;
            while i < N {
                slices[i] = Slice::plain(sizes[i]);
                i += 1;
            }
            slices
        }
        const BUDDY: [Slice; 4] = plain([1, 2, 4, 8]);
        const A100: [Slice; 6] = {
            let mut slices = plain([1, 1, 2, 3, 4, 7]);
            slices[1] = Slice::DOUBLE_MEMORY_1G;
            slices
        };
        match self {
            Self::Buddy { .. } => &BUDDY[..self.sizes().len()],
            Self::MigA100 => &A100,
        }
    }

    /// The smallest slice of at least `slots` slots, if there is one.
    #[must_use]
    pub fn size_at_least(self, slots: u8) -> Option<u8> {
        self.sizes().iter().copied().find(|&s| s >= slots)
    }

    /// Positions on the device: its slots, or memory slices on an A100-class device.
    #[must_use]
    pub fn positions(self) -> u8 {
        match self {
            Self::Buddy { slots } => slots,
            Self::MigA100 => 8,
        }
    }

    /// Positions that a slice covers; 0 if there is no such slice.
    #[must_use]
    pub fn memory_slices(self, slice: impl Into<Slice>) -> u8 {
        let slice = slice.into();
        match self {
            Self::Buddy { .. } if self.slices().contains(&slice) => slice.slots,
            Self::Buddy { .. } => 0,
            Self::MigA100 => mig_profile(slice).map_or(0, |profile| profile.memory),
        }
    }

    /// The positions at which a slice may start, ascending; none if there is no such slice.
    pub fn starts(self, slice: impl Into<Slice>) -> impl Iterator<Item = u8> + Clone {
        let slice = slice.into();
        let (buddy, table): (u8, &'static [u8]) = match self {
            Self::Buddy { slots: all } if self.slices().contains(&slice) => (all, &[]),
            Self::Buddy { .. } => (0, &[]),
            Self::MigA100 => (0, mig_profile(slice).map_or(&[], |profile| profile.starts)),
        };
        (0..buddy).step_by(usize::from(slice.slots.max(1))).chain(table.iter().copied())
    }

    /// The positions that a slice covers when it starts at `start`, one bit each; `None` where it may not start.
    #[must_use]
    pub fn mask(self, slice: impl Into<Slice>, start: u8) -> Option<u8> {
        let slice = slice.into();
        let covered = u32::from(self.memory_slices(slice));
        self.starts(slice).any(|s| s == start).then(|| (((1u32 << covered) - 1) << start) as u8)
    }

    /// Whether a slice has a legal start among the positions that are not `taken`.
    #[must_use]
    pub fn hosts(self, slice: impl Into<Slice>, taken: u8) -> bool {
        let slice = slice.into();
        self.starts(slice).any(|start| self.mask(slice, start).is_some_and(|mask| mask & taken == 0))
    }

    /// All positions of the device, one bit each.
    #[must_use]
    pub fn whole_mask(self) -> u8 {
        ((1u32 << self.positions()) - 1) as u8
    }

    /// Slots that single-slot slices could still take on a device with the positions `taken`.
    #[must_use]
    pub fn reachable_slots(self, taken: u8) -> u8 {
        let single = match self {
            Self::Buddy { .. } => self.whole_mask(),
            Self::MigA100 => 0x7f,
        };
        (single & !taken).count_ones() as u8
    }

    /// Memory of a slice in GB on a device that has `device_gb`: in eighths of the device for A100-class slices, rounded as NVIDIA
    /// names them (an H200's 1g is 18 GB of 141), in proportion to the slots otherwise.
    #[must_use]
    pub fn slice_memory_gb(self, device_gb: f64, slice: impl Into<Slice>) -> f64 {
        let share = f64::from(self.memory_slices(slice)) / f64::from(self.positions());
        match self {
            Self::MigA100 => (device_gb * share).round(),
            Self::Buddy { .. } => device_gb * share,
        }
    }
}

/// The profile of a slice of an A100-class device.
fn mig_profile(slice: Slice) -> Option<&'static MigProfile> {
    MIG_A100_PROFILES.iter().find(|profile| profile.slice == slice)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::cluster::catalogue;

    /// A set of placed slices: (compute, memory, start), ascending.
    type Placed = Vec<(u8, u8, u8)>;

    /// Every set of slices that can be on one device together, by search over positions.
    fn placements(profiles: &[(u8, u8, Vec<u8>)]) -> Vec<(Placed, u8)> {
        let slices: Vec<(u8, u8, u8)> =
            profiles.iter().flat_map(|(c, m, starts)| starts.iter().map(|&s| (*c, *m, s))).collect();
        let mut found: Vec<(Placed, u8)> = vec![(Vec::new(), 0)];
        for slice in slices {
            let mask = (((1u32 << slice.1) - 1) << slice.2) as u8;
            let mut grown: Vec<_> = found
                .iter()
                .filter(|(_, used)| used & mask == 0)
                .map(|(placed, used)| (placed.iter().copied().chain([slice]).collect(), used | mask))
                .collect();
            found.append(&mut grown);
        }
        found
    }

    fn of(geometry: Geometry) -> Vec<(u8, u8, Vec<u8>)> {
        geometry
            .sizes()
            .iter()
            .map(|&s| (s, geometry.memory_slices(s), geometry.starts(s).collect()))
            .collect()
    }

    fn multiset(placed: &Placed) -> Vec<u8> {
        let mut sizes: Vec<u8> = placed.iter().map(|slice| slice.0).collect();
        sizes.sort_unstable();
        sizes
    }

    fn maximal(all: &[(Placed, u8)], profiles: &[(u8, u8, Vec<u8>)]) -> Vec<Placed> {
        let masks: Vec<u8> = profiles
            .iter()
            .flat_map(|(_, m, starts)| starts.iter().map(move |s| (((1u32 << m) - 1) << s) as u8))
            .collect();
        all.iter()
            .filter(|(_, used)| masks.iter().all(|mask| used & mask != 0))
            .map(|(placed, _)| placed.clone())
            .collect()
    }

    #[test]
    fn an_a100_has_298_placements_of_which_19_are_maximal() {
        let profiles = of(Geometry::MigA100);
        let all = placements(&profiles);
        assert_eq!(all.len(), 298);
        let maximal = maximal(&all, &profiles);
        assert_eq!(maximal.len(), 19);
        let kinds: BTreeSet<_> = maximal.iter().map(multiset).collect();
        assert_eq!(kinds.len(), 14);
        for kind in
            [vec![7], vec![3, 4], vec![3, 3], vec![2, 2, 3], vec![1, 2, 2, 2], vec![1; 7], vec![1, 1, 1, 3]]
        {
            assert!(kinds.contains(&kind), "{kind:?}");
        }
    }

    #[test]
    fn an_a100_multiset_is_legal_when_compute_and_memory_slices_suffice() {
        let legal: BTreeSet<_> =
            placements(&of(Geometry::MigA100)).iter().map(|(p, _)| multiset(p)).collect();
        assert_eq!(legal.len(), 38);
        assert!(!legal.contains(&vec![1, 3, 3]), "3g+3g+1g needs 9 memory slices");
        let mut by_sums = 0;
        for n in 0..8 * 8 * 3 * 2 * 2_u16 {
            let counts = [n % 8, n / 8 % 8, n / 64 % 3, n / 192 % 2, n / 384];
            let sizes: Vec<u8> = counts
                .iter()
                .zip([1u8, 2, 3, 4, 7])
                .flat_map(|(&count, size)| std::iter::repeat_n(size, usize::from(count)))
                .collect();
            let compute: u8 = sizes.iter().sum();
            let memory: u8 = sizes.iter().map(|&s| Geometry::MigA100.memory_slices(s)).sum();
            let fits = compute <= 7 && memory <= 8;
            assert_eq!(fits, legal.contains(&sizes), "{sizes:?}");
            by_sums += usize::from(fits);
        }
        assert_eq!(by_sums, 38);
    }

    #[test]
    fn the_double_memory_1g_adds_forty_multisets() {
        let profiles: Vec<_> =
            MIG_A100_PROFILES.iter().map(|p| (p.slice.slots, p.memory, p.starts.to_vec())).collect();
        let kinds: BTreeSet<Vec<(u8, u8)>> = placements(&profiles)
            .iter()
            .map(|(placed, _)| {
                let mut kind: Vec<_> = placed.iter().map(|&(c, m, _)| (c, m)).collect();
                kind.sort_unstable();
                kind
            })
            .collect();
        assert_eq!(kinds.len(), 78);
        assert_eq!(kinds.iter().map(|k| k.iter().filter(|&&slice| slice == (1, 2)).count()).max(), Some(4));
    }

    #[test]
    fn an_a30_has_five_maximal_layouts() {
        let a30 = Geometry::Buddy { slots: 4 };
        let all = placements(&of(a30));
        let maximal = maximal(&all, &of(a30));
        assert_eq!(maximal.len(), 5);
        let kinds: BTreeSet<_> = maximal.iter().map(multiset).collect();
        assert_eq!(kinds, BTreeSet::from([vec![4], vec![2, 2], vec![1, 1, 2], vec![1; 4]]));
        assert_eq!([1, 2, 4].map(|s| a30.slice_memory_gb(24.0, s) as u32), [6, 12, 24]);
    }

    #[test]
    fn slices_have_the_memory_that_nvidia_prints() {
        for (id, expected) in [
            ("A100-40", [5, 10, 10, 20, 20, 40]),
            ("A100-80", [10, 20, 20, 40, 40, 80]),
            ("H100-80", [10, 20, 20, 40, 40, 80]),
            ("H200-141", [18, 35, 35, 71, 71, 141]),
            ("B200-180", [23, 45, 45, 90, 90, 180]),
            ("A30", [6, 12, 24, 0, 0, 0]),
        ] {
            let model = catalogue::model(id).expect("in the catalogue");
            let geometry = Geometry::of(&model, Layout::Mig(MigMode::Strict)).expect("it has MIG");
            let mut found = [0; 6];
            for (gb, slice) in found.iter_mut().zip(geometry.slices()) {
                *gb = geometry.slice_memory_gb(model.memory_gb, *slice) as u32;
            }
            assert_eq!(found, expected, "{id}");
        }
    }

    #[test]
    fn masks_exist_exactly_at_legal_starts() {
        for geometry in
            [1, 2, 4, 8].map(|slots| Geometry::Buddy { slots }).into_iter().chain([Geometry::MigA100])
        {
            for slice in (0..Slice::KINDS + 2).map(Slice::of_index) {
                assert_eq!(geometry.slices().contains(&slice), geometry.starts(slice).next().is_some());
                for start in 0..8 {
                    let mask = geometry.mask(slice, start);
                    assert_eq!(mask.is_some(), geometry.starts(slice).any(|s| s == start));
                    if let Some(mask) = mask {
                        assert_eq!(mask.count_ones(), u32::from(geometry.memory_slices(slice)));
                        assert_eq!(mask & !geometry.whole_mask(), 0);
                    }
                }
            }
            assert_eq!(geometry.mask(geometry.slots(), 0), Some(geometry.whole_mask()));
            for taken in 0..=geometry.whole_mask() {
                let singles = geometry.starts(1).filter(|start| taken >> start & 1 == 0).count();
                assert_eq!(usize::from(geometry.reachable_slots(taken)), singles);
            }
            assert_eq!(geometry.size_at_least(geometry.slots() + 1), None);
        }
        assert_eq!(Geometry::MigA100.size_at_least(5), Some(7));
    }
}
