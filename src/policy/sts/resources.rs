//! The linear resources of a cluster, in which the program of a round counts what fits.
//!
//! A type whose slices form a divisor chain (whole devices, MPS, the A30), and any type whose packing is left to the placement,
//! is one resource: slots. An A100-class type with strict packing is four (compute slices, memory slices, places for a 2g
//! instance, left halves): a multiset of instances can be placed on `M` devices exactly when it respects `M` times
//! (7, 8, 3, 1) in all four.

use super::program::{MAX_TYPE_RESOURCES, Usage};
use crate::cluster::{Cluster, Geometry, Layout, MigMode};

/// What one whole A100-class device offers, and what an instance of `slots` compute slices takes of it.
const A100_DEVICE: [u32; MAX_TYPE_RESOURCES] = [7, 8, 3, 1];

/// How instances of a type may be combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// Only the sum of slots counts.
    Slots,
    /// What the MIG geometry of the A100 class allows, exactly.
    MigA100,
}

/// The resources of one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TypeResources {
    /// How its instances may be combined.
    pub packing: Packing,
    /// Devices.
    pub devices: u32,
    /// Slots on each.
    pub slots_per_device: u32,
    /// Its first resource.
    first: u16,
}

/// The resources of all types of a cluster.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Resources {
    types: Vec<TypeResources>,
    capacity: Vec<u32>,
}

impl TypeResources {
    /// Slots in one unit of quota: quotas on a strict A100-class type are whole devices, so that what every tenant could do
    /// alone can be placed beside what the others could do; elsewhere they are single slots.
    #[must_use]
    pub fn slots_per_unit(&self) -> u32 {
        match self.packing {
            Packing::Slots => 1,
            Packing::MigA100 => self.slots_per_device,
        }
    }

    /// Units of quota of the whole type.
    #[must_use]
    pub fn units(&self) -> u32 {
        match self.packing {
            Packing::Slots => self.devices * self.slots_per_device,
            Packing::MigA100 => self.devices,
        }
    }

    /// What `slots` slots on each of `devices` devices take.
    #[must_use]
    pub fn usage(&self, slots: u32, devices: u32) -> Usage {
        let (len, of_one) = match (self.packing, slots) {
            (Packing::Slots, _) => (1, [slots, 0, 0, 0]),
            (Packing::MigA100, 0..=1) => (4, [slots, slots, 0, 0]),
            (Packing::MigA100, 2) => (4, [2, 2, 1, 0]),
            (Packing::MigA100, 3) => (4, [3, 4, 1, 0]),
            (Packing::MigA100, 4) => (4, [4, 4, 2, 1]),
            (Packing::MigA100, _) => (4, A100_DEVICE),
        };
        Usage { first: self.first, len, amounts: of_one.map(|amount| amount.saturating_mul(devices)) }
    }

    /// The resources inside `slots` slots: all of them on devices of its own, the last of which need not be filled.
    fn add_share(&self, slots: u32, share: &mut [u32]) {
        let devices = slots.div_ceil(self.slots_per_device.max(1));
        let amounts = match self.packing {
            Packing::Slots => [slots, 0, 0, 0],
            Packing::MigA100 => [slots, 8 * devices, 3 * devices, devices],
        };
        let first = usize::from(self.first);
        for (free, amount) in share.iter_mut().skip(first).zip(amounts).take(self.len()) {
            *free += amount;
        }
    }

    fn len(&self) -> usize {
        match self.packing {
            Packing::Slots => 1,
            Packing::MigA100 => MAX_TYPE_RESOURCES,
        }
    }
}

impl Resources {
    /// Resources of types given as (packing, devices, slots per device).
    #[must_use]
    pub fn new(types: impl IntoIterator<Item = (Packing, u32, u32)>) -> Self {
        let mut resources = Self::default();
        for (packing, devices, slots_per_device) in types {
            let first = u16::try_from(resources.capacity.len()).unwrap_or(u16::MAX);
            let of_type = TypeResources { packing, devices, slots_per_device, first };
            resources.capacity.resize(resources.capacity.len() + of_type.len(), 0);
            of_type.add_share(devices * slots_per_device, &mut resources.capacity);
            resources.types.push(of_type);
        }
        resources
    }

    /// The resources of a cluster's types.
    #[must_use]
    pub fn of(cluster: &Cluster) -> Self {
        Self::new(cluster.types().iter().map(|t| {
            let strict = t.geometry == Geometry::MigA100 && t.layout == Layout::Mig(MigMode::Strict);
            (if strict { Packing::MigA100 } else { Packing::Slots }, t.devices, t.slots_per_device())
        }))
    }

    /// The types.
    #[must_use]
    pub fn types(&self) -> &[TypeResources] {
        &self.types
    }

    /// Capacity of every resource.
    #[must_use]
    pub fn capacity(&self) -> &[u32] {
        &self.capacity
    }

    /// What a tenant with this many slots of each type has of every resource; replaces the content of `share`.
    pub fn share(&self, slots: impl IntoIterator<Item = u32>, share: &mut Vec<u32>) {
        share.clear();
        share.resize(self.capacity.len(), 0);
        for (of_type, slots) in self.types.iter().zip(slots) {
            of_type.add_share(slots, share);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether instance counts of 1, 2, 3, 4 and 7 slices fit `devices` A100-class devices: the closed form obtained by
    /// filling right halves with 3g first.
    fn closed_form(devices: i64, counts: [i64; 5]) -> bool {
        let [n1, n2, n3, n4, n7] = counts;
        let (l, r) = (n7 + n4, n7 + n3);
        let a = devices - l - (r - devices).max(0);
        let b = (devices - r).max(0);
        n7 <= devices && a >= 0 && n2 <= 2 * a + b && n1 + 2 * n2 <= 4 * a + 3 * b
    }

    #[test]
    fn four_resources_say_exactly_what_packs_on_a100_devices() {
        for devices in 1..=3u32 {
            let resources = Resources::new([(Packing::MigA100, devices, 7)]);
            let of_type = resources.types()[0];
            let most = |slots: u32| 7 * devices / slots + 1;
            let mut accepted = 0;
            for n1 in 0..=most(1) {
                for n2 in 0..=most(2) {
                    for n3 in 0..=most(3) {
                        for n4 in 0..=most(4) {
                            for n7 in 0..=most(7) {
                                let mut used = [0; 4];
                                for (slots, n) in [(1, n1), (2, n2), (3, n3), (4, n4), (7, n7)] {
                                    for (resource, amount) in of_type.usage(slots, 1).amounts() {
                                        used[resource] += amount * n;
                                    }
                                }
                                let fits = used.iter().zip(resources.capacity()).all(|(u, c)| u <= c);
                                let counts = [n1, n2, n3, n4, n7].map(i64::from);
                                assert_eq!(fits, closed_form(i64::from(devices), counts), "{counts:?}");
                                accepted += u32::from(fits);
                            }
                        }
                    }
                }
            }
            if devices == 1 {
                assert_eq!(accepted, 38);
            }
        }
    }

    #[test]
    fn quotas_are_devices_where_packing_is_strict() {
        let resources = Resources::new([(Packing::Slots, 4, 4), (Packing::MigA100, 3, 7)]);
        assert_eq!(resources.capacity(), [16, 21, 24, 9, 3]);
        assert_eq!(resources.types().iter().map(TypeResources::units).collect::<Vec<_>>(), [16, 3]);
        let mut share = Vec::new();
        resources.share([5, 14], &mut share);
        assert_eq!(share, [5, 14, 16, 6, 2]);
    }
}
