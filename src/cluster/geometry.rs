//! How one device is cut: layouts, slice profiles, legal start positions.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::ClusterError;
use super::catalogue::{GpuModel, MigFamily};

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
                Some(MigFamily::A100) => Ok(Self::MigA100),
                Some(MigFamily::A30) => Ok(Self::Buddy { slots: 4 }),
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

    /// Slice sizes in slots, ascending; the last is the whole device.
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

    /// The smallest slice of at least `slots` slots, if there is one.
    #[must_use]
    pub fn size_at_least(self, slots: u8) -> Option<u8> {
        self.sizes().iter().copied().find(|&s| s >= slots)
    }
}
