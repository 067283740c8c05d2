//! A kind of slice: how much of one device an allocation takes.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Memory of a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SliceMemory {
    /// What goes with its compute.
    #[default]
    Plain,
    /// Twice that; only a 1g of an A100-class device can have it.
    Double,
}

/// A kind of slice: slots (compute slices of a MIG device) and memory. Kinds are ordered by slots and then by memory; a number of
/// slots stands for the plain slice of that many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Slice {
    /// Slots.
    pub slots: u8,
    /// Memory.
    pub memory: SliceMemory,
}

impl Slice {
    /// The `1g+mem` of A100-class devices: one compute slice with the memory of two.
    pub const DOUBLE_MEMORY_1G: Self = Self { slots: 1, memory: SliceMemory::Double };

    /// One more than the largest [`Self::index`] of a slice that exists on any device.
    pub(crate) const KINDS: usize = 18;

    /// `slots` slots with the memory that goes with them.
    #[must_use]
    pub const fn plain(slots: u8) -> Self {
        Self { slots, memory: SliceMemory::Plain }
    }

    /// A number for tables, ascending as the order of slices; less than [`Self::KINDS`] for every slice that exists.
    #[must_use]
    pub(crate) fn index(self) -> usize {
        2 * usize::from(self.slots) + usize::from(self.memory == SliceMemory::Double)
    }

    /// The slice of an [`Self::index`].
    #[must_use]
    pub(crate) fn of_index(index: usize) -> Self {
        let memory = if index.is_multiple_of(2) { SliceMemory::Plain } else { SliceMemory::Double };
        Self { slots: u8::try_from(index / 2).unwrap_or(u8::MAX), memory }
    }
}

impl From<u8> for Slice {
    fn from(slots: u8) -> Self {
        Self::plain(slots)
    }
}

impl fmt::Display for Slice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let memory = if self.memory == SliceMemory::Double { "+mem" } else { "" };
        write!(f, "{}{memory}", self.slots)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_slices_ascend_as_they_do() {
        let slices = [Slice::plain(1), Slice::DOUBLE_MEMORY_1G, Slice::plain(2), Slice::plain(8)];
        assert!(slices.windows(2).all(|s| s[0] < s[1] && s[0].index() < s[1].index()));
        for slice in slices {
            assert!(slice.index() < Slice::KINDS);
            assert_eq!(Slice::of_index(slice.index()), slice);
        }
        assert_eq!(Slice::DOUBLE_MEMORY_1G.to_string(), "1+mem");
    }
}
