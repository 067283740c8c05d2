//! The linear resources of a cluster, in which the program of a round counts what fits.
//!
//! A type whose slices form a divisor chain (whole devices, MPS, the A30), and any type whose packing is left to the placement,
//! is one resource: slots. An A100-class type with strict packing is four (compute slices, memory slices, places for a 2g
//! instance, left halves), also with double-memory 1g instances; see [`crate::cluster::capacity`] for why four numbers say exactly what packs.

use super::program::{MAX_TYPE_RESOURCES, ProgramJob, Usage};
use crate::cluster::{Cluster, Geometry, Slice, SliceMemory};

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

    /// What `slots` slots with this memory on each of `devices` devices take.
    #[must_use]
    pub fn usage(&self, slots: u32, memory: SliceMemory, devices: u32) -> Usage {
        let amounts = match self.packing {
            Packing::Slots => [slots.saturating_mul(devices), 0, 0, 0],
            Packing::MigA100 => {
                let slots = u8::try_from(slots).unwrap_or(u8::MAX);
                Geometry::MigA100.usage(Slice { slots, memory }, devices)
            }
        };
        Usage { first: self.first, len: self.len() as u8, amounts }
    }

    /// The resources inside `slots` slots: all of them on devices of its own, the last of which need not be filled.
    fn add_share(&self, slots: u32, share: &mut [u32]) {
        let devices = slots.div_ceil(self.slots_per_device.max(1));
        let amounts = match self.packing {
            Packing::Slots => [slots, 0, 0, 0],
            Packing::MigA100 => {
                let [_, memory, places, lefts] = Geometry::MigA100.capacity(devices);
                [slots, memory, places, lefts]
            }
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
            let packing = if t.resource_count() == 1 { Packing::Slots } else { Packing::MigA100 };
            (packing, t.devices, t.slots_per_device())
        }))
    }

    /// The same types with other numbers of devices.
    #[must_use]
    pub fn with_devices(&self, devices: &[u32]) -> Self {
        let types = self.types.iter().zip(devices);
        Self::new(types.map(|(of_type, &devices)| (of_type.packing, devices, of_type.slots_per_device)))
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

    /// The type whose resources a usage takes.
    #[must_use]
    pub fn type_of(&self, usage: &Usage) -> Option<usize> {
        self.types.iter().position(|of_type| of_type.first == usage.first)
    }

    /// Adds the slots that a job takes with an option to its type's count.
    pub fn count_slots(&self, job: &ProgramJob, option: Option<u16>, slots: &mut [u32]) {
        let Some(option) = option.and_then(|option| job.options.get(usize::from(option))) else { return };
        if let Some(slots) = self.type_of(&option.usage).and_then(|k| slots.get_mut(k)) {
            *slots += option.slots;
        }
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

    #[test]
    fn quotas_are_devices_where_packing_is_strict() {
        let resources = Resources::new([(Packing::Slots, 4, 4), (Packing::MigA100, 3, 7)]);
        assert_eq!(resources.capacity(), [16, 21, 24, 9, 3]);
        assert_eq!(resources.types().iter().map(TypeResources::units).collect::<Vec<_>>(), [16, 3]);
        let mut share = Vec::new();
        resources.share([5, 14], &mut share);
        assert_eq!(share, [5, 14, 16, 6, 2]);
        let gang = resources.types()[1].usage(7, SliceMemory::Plain, 3);
        assert!(gang.fits(resources.capacity()) && !gang.fits(&share));
    }
}
