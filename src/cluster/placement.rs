//! Where an allocation lies: devices and first slots; and how a round's allocations find their places ([`settle`]).

mod settle;

use serde::{Deserialize, Serialize};

use super::Slice;
use crate::units::{DeviceId, TypeId};
pub use settle::{Wanted, settle};

/// The part of an allocation on one device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Part {
    /// The device.
    pub device: DeviceId,
    /// The first position taken: a slot on a buddy device, a memory slice on an A100-class device.
    pub first_slot: u8,
}

/// Whether placing a round's grants may move running jobs to other devices of the same type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repacking {
    /// Jobs that keep their option stay where they are.
    Never,
    /// They may be moved where a grant has no position otherwise.
    WhereNeeded,
}

/// An allocation in place: the same kind of slice on each of its devices.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Placement {
    /// The type of all its devices.
    pub type_id: TypeId,
    /// What is taken of each device; all its slots when the device is held whole.
    pub slice: Slice,
    /// The devices in ascending order, at least one.
    pub parts: Vec<Part>,
}
