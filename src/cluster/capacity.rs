//! What fits by counting.
//!
//! Jobs can be packed on M devices of a type exactly when linear inequalities hold, so that nobody has to know the devices to
//! know what fits, as long as running jobs may be moved:
//!
//! * slices of power-of-two sizes (whole devices, MPS, A30): the sum of slots is at most M·S;
//! * A100-class devices, with n1, n2, n3, n4, n7 plain instances of each size and d double-memory 1g:
//!   n1+d+2·n2+3·n3+4·n4+7·n7 ≤ 7M (compute slices), n1+2·d+2·n2+4·n3+4·n4+8·n7 ≤ 8M (memory slices),
//!   n2+n3+2·n4+3·n7 ≤ 3M (places for a 2g), n4+n7 ≤ M (left halves).
//!
//! Proof of the second: each device is a left half of four slots, where alone a 4g may lie, and a right half of three, the last of
//! which has two memory slices; nothing but a 7g straddles. With l = n7+n4 left halves and r = n7+n3 right halves taken, 3g going
//! left only where no right half is free, P places for a 2g are left and Q last slots of right halves: P = 3M−2l−r and Q = M−r for
//! r ≤ M, P = 4M−2l−2r and Q = 0 for r > M. A place holds a 2g, a double-memory 1g or two 1g; a last slot holds a 1g or, wasting
//! nothing, a double-memory 1g. With as many of those as possible in last slots, everything fits exactly when l ≤ M, n2 ≤ P,
//! n1+d+2·n2 ≤ 2P+Q (which decides for d ≤ Q) and n1+2·d+2·n2 ≤ 2P+2Q (which decides for d ≥ Q). For r ≤ M these are the fourth,
//! third, first and second row; for r > M the second row implies all of them, and for r ≥ M all rows.
//!
//! Slices of one job on several devices must lie on distinct devices. Counting does not see that; [`Capacity`] then packs them.

use super::packing::{Demand, packs_evenly};
use super::{Cluster, Geometry, GpuType, Layout, MigMode, Slice, SliceMemory};
use crate::units::TypeId;

/// The largest number of resources a type has.
pub const MAX_RESOURCES: usize = 4;

impl Geometry {
    /// Resources of `devices` devices: slots, or the right-hand sides of the four inequalities.
    #[must_use]
    pub fn capacity(self, devices: u32) -> [u32; MAX_RESOURCES] {
        match self {
            Self::Buddy { slots } => [devices.saturating_mul(u32::from(slots)), 0, 0, 0],
            Self::MigA100 => [7, 8, 3, 1].map(|each| devices.saturating_mul(each)),
        }
    }

    /// Resources that count; the others are zero.
    fn resource_count(self) -> usize {
        match self {
            Self::Buddy { .. } => 1,
            Self::MigA100 => MAX_RESOURCES,
        }
    }

    /// Resources taken by an allocation of a slice on each of `devices` devices.
    #[must_use]
    pub fn usage(self, slice: impl Into<Slice>, devices: u32) -> [u32; MAX_RESOURCES] {
        let Slice { slots, memory } = slice.into();
        let [a, b, c, d] = match (self, slots) {
            (Self::Buddy { .. }, _) => [u32::from(slots), 0, 0, 0],
            (Self::MigA100, 1) if memory == SliceMemory::Double => [1, 2, 0, 0],
            (Self::MigA100, 1) => [1, 1, 0, 0],
            (Self::MigA100, 2) => [2, 2, 1, 0],
            (Self::MigA100, 3) => [3, 4, 1, 0],
            (Self::MigA100, 4) => [4, 4, 2, 1],
            (Self::MigA100, _) => [7, 8, 3, 1],
        };
        let on_all = |each: u32| each.saturating_mul(devices);
        [on_all(a), on_all(b), on_all(c), on_all(d)]
    }
}

impl GpuType {
    /// Whether decisions on this type count slots only, although its slices have positions.
    fn counts_slots(&self) -> bool {
        self.geometry != Geometry::MigA100 || self.layout == Layout::Mig(MigMode::Relaxed)
    }

    /// How many resources an optimiser has to respect on this type: 1, or 4 for an A100-class type in strict mode. The others of
    /// [`Self::resource_capacity`] and [`Self::resource_usage`] are zero.
    #[must_use]
    pub fn resource_count(&self) -> usize {
        if self.counts_slots() { 1 } else { MAX_RESOURCES }
    }

    /// The resources of `devices` devices, for an optimiser.
    #[must_use]
    pub fn resource_capacity(&self, devices: u32) -> [u32; MAX_RESOURCES] {
        if self.counts_slots() {
            [devices.saturating_mul(self.slots_per_device()), 0, 0, 0]
        } else {
            self.geometry.capacity(devices)
        }
    }

    /// The resources an allocation takes, for an optimiser.
    #[must_use]
    pub fn resource_usage(&self, slice: impl Into<Slice>, devices: u32) -> [u32; MAX_RESOURCES] {
        let slice = slice.into();
        if self.counts_slots() {
            [u32::from(slice.slots).saturating_mul(devices), 0, 0, 0]
        } else {
            self.geometry.usage(slice, devices)
        }
    }
}

/// What is still free in a cluster, by counting. It respects the true geometry whatever the mode of the layout, and is exact: what
/// it accepts can be placed if running slices may be moved ([`super::placement::settle`] does), and for jobs on one device or on
/// whole devices nothing else can.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capacity {
    types: Vec<Room>,
}

/// What is taken of one type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Room {
    geometry: Geometry,
    /// The slices that exist, as bits by [`Slice::index`].
    kinds: u32,
    devices: u32,
    capacity: [u32; MAX_RESOURCES],
    used: [u32; MAX_RESOURCES],
    /// Single slices, by [`Slice::index`].
    slices: [u32; Slice::KINDS],
    /// Slices of one job on several devices, by descending slice and then devices.
    sliced_gangs: Vec<Demand>,
}

impl Capacity {
    /// An empty cluster.
    #[must_use]
    pub fn full(cluster: &Cluster) -> Self {
        Self { types: cluster.types().iter().map(|t| Room::new(t.geometry, t.devices)).collect() }
    }

    /// A cluster of which only so many devices of each type are in service.
    #[must_use]
    pub fn of(cluster: &Cluster, in_service: &[u32]) -> Self {
        let types = cluster.types().iter().zip(in_service);
        Self { types: types.map(|(t, &devices)| Room::new(t.geometry, devices)).collect() }
    }

    /// Whether a slice on each of `devices` devices of a type still fits.
    #[must_use]
    pub fn fits(&self, type_id: TypeId, slice: impl Into<Slice>, devices: u32) -> bool {
        self.types.get(type_id.index()).is_some_and(|room| room.fits(slice.into(), devices))
    }

    /// Takes what [`Self::fits`]; `false`, with nothing taken, if it does not fit.
    pub fn take(&mut self, type_id: TypeId, slice: impl Into<Slice>, devices: u32) -> bool {
        let slice = slice.into();
        match self.types.get_mut(type_id.index()) {
            Some(room) if room.fits(slice, devices) => {
                room.add(slice, devices);
                true
            }
            _ => false,
        }
    }

    /// Takes what is held in the cluster already, which therefore fits.
    pub fn hold(&mut self, type_id: TypeId, slice: impl Into<Slice>, devices: u32) {
        if let Some(room) = self.types.get_mut(type_id.index()) {
            room.add(slice.into(), devices);
        }
    }

    /// Gives back what was taken.
    pub fn give(&mut self, type_id: TypeId, slice: impl Into<Slice>, devices: u32) {
        if let Some(room) = self.types.get_mut(type_id.index()) {
            room.remove(slice.into(), devices);
        }
    }

    /// Slots of a type that nobody has taken.
    #[must_use]
    pub fn free_slots(&self, type_id: TypeId) -> u32 {
        self.types.get(type_id.index()).map_or(0, |room| room.free(0))
    }

    /// Whole devices of a type that still fit.
    #[must_use]
    pub fn free_devices_upper(&self, type_id: TypeId) -> u32 {
        self.types.get(type_id.index()).map_or(0, Room::free_devices)
    }
}

impl Room {
    /// Nothing is taken of `devices` devices.
    pub(super) fn new(geometry: Geometry, devices: u32) -> Self {
        Self {
            geometry,
            kinds: geometry.slices().iter().fold(0, |kinds, slice| kinds | 1 << slice.index()),
            devices,
            capacity: geometry.capacity(devices),
            used: [0; MAX_RESOURCES],
            slices: [0; Slice::KINDS],
            sliced_gangs: Vec::new(),
        }
    }

    fn free_devices(&self) -> u32 {
        let whole = self.geometry.usage(self.geometry.slots(), 1);
        let rows = whole.into_iter().enumerate().filter(|(_, each)| *each > 0);
        rows.map(|(row, each)| self.free(row) / each).min().unwrap_or(0)
    }

    /// What is left of a resource.
    fn free(&self, row: usize) -> u32 {
        self.capacity[row].saturating_sub(self.used[row])
    }

    /// See [`Capacity::fits`].
    pub(super) fn fits(&self, slice: Slice, devices: u32) -> bool {
        if devices == 0 || devices > self.devices || !self.exists(slice) {
            return false;
        }
        let more = self.geometry.usage(slice, devices);
        (0..self.geometry.resource_count()).all(|row| more[row] <= self.free(row))
            && self.is_distinct_with(slice, devices)
    }

    fn exists(&self, slice: Slice) -> bool {
        slice.index() < Slice::KINDS && self.kinds >> slice.index() & 1 == 1
    }

    /// Whether every sliced gang still finds distinct devices when this allocation is added.
    fn is_distinct_with(&self, slice: Slice, devices: u32) -> bool {
        let whole = slice.slots == self.geometry.slots();
        let sliced_gang = devices > 1 && !whole;
        if !sliced_gang && self.sliced_gangs.iter().all(|gang| gang.slice >= slice) {
            return true; // packed after all of them, or there is none
        }
        // A device that has no room for a slice holds at least this much of slices that are not smaller.
        let blocked_by = match self.geometry {
            Geometry::Buddy { slots } => u32::from(slots),
            Geometry::MigA100 => 4,
        };
        let load = self.used[0] + u32::from(slice.slots) * devices;
        let largest = self.sliced_gangs.iter().map(|gang| gang.devices).max().unwrap_or(0);
        let largest = if sliced_gang { largest.max(devices) } else { largest };
        if largest + load / blocked_by <= self.devices {
            return true;
        }
        let mut with = self.clone();
        with.add(slice, devices);
        with.packs()
    }

    /// Whether everything taken can be packed, sliced gangs on distinct devices.
    fn packs(&self) -> bool {
        let mut demands = self.sliced_gangs.clone();
        let singles = self.slices.iter().enumerate().filter(|(_, count)| **count > 0);
        demands.extend(singles.map(|(kind, &count)| Demand {
            slice: Slice::of_index(kind),
            devices: 1,
            count,
        }));
        demands.sort_unstable_by(|a, b| b.cmp(a));
        let left = self.devices.checked_sub(self.whole_devices());
        left.is_some_and(|devices| packs_evenly(self.geometry, devices, &demands))
    }

    /// Devices held whole: what slices do not account for.
    fn whole_devices(&self) -> u32 {
        let kinds = (0..Slice::KINDS).map(Slice::of_index);
        let singles: u32 =
            self.slices.iter().zip(kinds).map(|(count, kind)| count * u32::from(kind.slots)).sum();
        let gangs: u32 =
            self.sliced_gangs.iter().map(|g| u32::from(g.slice.slots) * g.devices * g.count).sum();
        self.used[0].saturating_sub(singles + gangs) / u32::from(self.geometry.slots())
    }

    /// Takes what fits.
    pub(super) fn add(&mut self, slice: Slice, devices: u32) {
        for (used, more) in self.used.iter_mut().zip(self.geometry.usage(slice, devices)) {
            *used += more;
        }
        if slice.slots == self.geometry.slots() {
            return;
        }
        if devices == 1 {
            if let Some(count) = self.slices.get_mut(slice.index()) {
                *count += 1;
            }
            return;
        }
        match self.sliced_gangs.binary_search_by(|g| (slice, devices).cmp(&(g.slice, g.devices))) {
            Ok(at) => self.sliced_gangs[at].count += 1,
            Err(at) => self.sliced_gangs.insert(at, Demand { slice, devices, count: 1 }),
        }
    }

    fn remove(&mut self, slice: Slice, devices: u32) {
        for (used, less) in self.used.iter_mut().zip(self.geometry.usage(slice, devices)) {
            *used = used.saturating_sub(less);
        }
        if slice.slots == self.geometry.slots() {
            return;
        }
        if devices == 1 {
            if let Some(count) = self.slices.get_mut(slice.index()) {
                *count = count.saturating_sub(1);
            }
            return;
        }
        let found = self.sliced_gangs.binary_search_by(|g| (slice, devices).cmp(&(g.slice, g.devices)));
        if let Ok(at) = found {
            self.sliced_gangs[at].count -= 1;
            if self.sliced_gangs[at].count == 0 {
                self.sliced_gangs.remove(at);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::cluster::packing::{Order, Rule};

    const A100: Geometry = Geometry::MigA100;

    /// Counts of each slice of `geometry` that one device can host, by search over positions.
    fn on_one_device(geometry: Geometry) -> BTreeSet<Vec<u32>> {
        fn grow(geometry: Geometry, mask: u8, counts: &mut Vec<u32>, found: &mut BTreeSet<Vec<u32>>) {
            found.insert(counts.clone());
            for (index, &slice) in geometry.slices().iter().enumerate() {
                for covered in geometry.starts(slice).filter_map(|start| geometry.mask(slice, start)) {
                    if covered & mask == 0 {
                        counts[index] += 1;
                        grow(geometry, mask | covered, counts, found);
                        counts[index] -= 1;
                    }
                }
            }
        }
        let mut found = BTreeSet::new();
        grow(geometry, 0, &mut vec![0; geometry.slices().len()], &mut found);
        found
    }

    /// Counts of each slice that `devices` devices can host: sums of what one device can.
    fn packable(geometry: Geometry, devices: u32) -> BTreeSet<Vec<u32>> {
        let one = on_one_device(geometry);
        (1..devices).fold(one.clone(), |sums, _| {
            sums.iter()
                .flat_map(|a| one.iter().map(|b| a.iter().zip(b).map(|(x, y)| x + y).collect()))
                .collect()
        })
    }

    /// All count vectors whose slots alone would fit.
    fn candidates(geometry: Geometry, slots: u32) -> Vec<Vec<u32>> {
        geometry.slices().iter().fold(vec![Vec::new()], |vectors, slice| {
            vectors
                .iter()
                .flat_map(|v: &Vec<u32>| {
                    let used: u32 =
                        v.iter().zip(geometry.slices()).map(|(n, s)| n * u32::from(s.slots)).sum();
                    (0..=(slots - used) / u32::from(slice.slots))
                        .map(|n| v.iter().copied().chain([n]).collect())
                })
                .collect()
        })
    }

    fn fits(geometry: Geometry, devices: u32, counts: &[u32]) -> bool {
        let mut sum = [0; MAX_RESOURCES];
        for (&n, &slice) in counts.iter().zip(geometry.slices()) {
            for (total, each) in sum.iter_mut().zip(geometry.usage(slice, 1)) {
                *total += n * each;
            }
        }
        sum.iter().zip(geometry.capacity(devices)).all(|(used, all)| *used <= all)
    }

    /// Packs single slices one by one, largest first, under `rule`.
    fn packs(geometry: Geometry, devices: u32, counts: &[u32], rule: Rule) -> bool {
        let mut masks = vec![0u8; devices as usize];
        counts.iter().zip(geometry.slices()).rev().all(|(&n, &slice)| {
            (0..n).all(|_| {
                let choices = Order::of(geometry, rule).choices(slice);
                let found =
                    choices.iter().find_map(|c| Some((masks.iter().position(|&m| m == c.before)?, c.after)));
                found.map(|(device, after)| masks[device] = after).is_some()
            })
        })
    }

    #[test]
    fn the_four_inequalities_are_packability_on_a100_devices() {
        for devices in 1..=4 {
            let packable = packable(A100, devices);
            let mut accepted = 0;
            for counts in candidates(A100, devices * 7) {
                let fits = fits(A100, devices, &counts);
                assert_eq!(fits, packable.contains(&counts), "{counts:?} on {devices} devices");
                if fits {
                    for rule in [Rule::Compact, Rule::Even] {
                        assert!(packs(A100, devices, &counts, rule), "{counts:?} on {devices} devices");
                    }
                    accepted += 1;
                }
            }
            assert_eq!(accepted, packable.len());
            assert_eq!(accepted, [78, 778, 3964, 14_110][devices as usize - 1]);
        }
    }

    #[test]
    fn the_sum_of_slots_is_packability_on_buddy_devices() {
        for (slots, most) in [(1, 4), (2, 4), (4, 3), (8, 2)] {
            let geometry = Geometry::Buddy { slots };
            for devices in 1..=most {
                let packable = packable(geometry, devices);
                for counts in candidates(geometry, devices * u32::from(slots)) {
                    assert!(fits(geometry, devices, &counts) && packable.contains(&counts));
                    assert!(packs(geometry, devices, &counts, Rule::Compact));
                    assert!(packs(geometry, devices, &counts, Rule::Even));
                }
            }
        }
    }

    #[test]
    fn counting_slots_alone_accepts_more_than_fits_on_a100_devices() {
        let plain = |counts: &&Vec<u32>| counts[1] == 0;
        let by_slots = candidates(A100, 7).iter().filter(plain).count();
        let packable = packable(A100, 1).iter().filter(plain).count();
        assert_eq!((by_slots, packable), (39, 38), "3g+3g+1g");
    }

    #[test]
    fn whole_devices_left_are_what_a_gang_can_take() {
        for devices in 1..=3 {
            for counts in packable(A100, devices) {
                let mut room = Room::new(A100, devices);
                for (&n, &slice) in counts.iter().zip(A100.slices()) {
                    (0..n).for_each(|_| room.add(slice, 1));
                }
                let left = room.free_devices();
                assert!(left == 0 || room.fits(Slice::plain(7), left));
                assert!(!room.fits(Slice::plain(7), left + 1));
            }
        }
    }

    /// Whether the demands can be packed with the parts of each on distinct devices, by search.
    fn search(geometry: Geometry, masks: &mut [u8], jobs: &[(Slice, u32)], from: usize) -> bool {
        let Some((&(slice, parts), rest)) = jobs.split_first() else { return true };
        if parts == 0 {
            return search(geometry, masks, rest, 0);
        }
        for device in from..masks.len() {
            for covered in geometry.starts(slice).filter_map(|start| geometry.mask(slice, start)) {
                if masks[device] & covered == 0 {
                    masks[device] |= covered;
                    let mut left = jobs.to_vec();
                    left[0].1 = parts - 1;
                    let found = search(geometry, masks, &left, device + 1);
                    masks[device] &= !covered;
                    if found {
                        return true;
                    }
                }
            }
        }
        false
    }

    #[test]
    fn sliced_gangs_are_accepted_only_where_they_can_be_on_distinct_devices() {
        let (mut accepted, mut possible) = (0, 0);
        for geometry in [Geometry::Buddy { slots: 2 }, Geometry::Buddy { slots: 4 }, A100] {
            let kinds: Vec<(Slice, u32)> =
                geometry.slices().iter().flat_map(|&s| (1..=3).map(move |n| (s, n))).collect();
            for a in &kinds {
                for b in &kinds {
                    for c in &kinds {
                        let jobs = [*a, *b, *c];
                        let mut room = Room::new(geometry, 3);
                        let taken = jobs.iter().all(|&(slice, devices)| {
                            let fits = room.fits(slice, devices);
                            if fits {
                                room.add(slice, devices);
                            }
                            fits
                        });
                        let possible_here = search(geometry, &mut [0; 3], &jobs, 0);
                        assert!(!taken || possible_here, "{jobs:?}");
                        accepted += u32::from(taken);
                        possible += u32::from(possible_here);
                    }
                }
            }
        }
        assert_eq!(accepted, possible, "of three jobs none is refused that has a place");
    }

    #[test]
    fn giving_back_restores_what_was_there() {
        let mut room = Room::new(A100, 4);
        room.add(Slice::plain(2), 1);
        let before = room.clone();
        let double = Slice::DOUBLE_MEMORY_1G;
        let plain = |slots| Slice::plain(slots);
        for (slice, devices) in [(plain(1), 1), (plain(2), 3), (double, 2), (plain(7), 1), (double, 1)] {
            room.add(slice, devices);
        }
        assert_eq!(room.whole_devices(), 1);
        for (slice, devices) in [(double, 1), (plain(7), 1), (plain(1), 1), (double, 2), (plain(2), 3)] {
            room.remove(slice, devices);
        }
        assert_eq!(room, before);
    }
}
