//! MIG layouts of devices over time.
//!
//! An instance stays on its device when its job leaves and is used again by the next job of its size; a device whose instances
//! have to be changed is reconfigured, which costs time and is counted.

use crate::cluster::{Cluster, Geometry, Layout, Placement, Slice};
use crate::units::DeviceId;

/// The instances on every MIG device: by first position, the instance that starts there.
pub(super) struct Layouts {
    instances: Vec<[Option<Slice>; 8]>,
    /// The geometry of MIG types; `None` for the others.
    geometry: Vec<Option<Geometry>>,
    changed: Vec<DeviceId>,
}

impl Layouts {
    pub(super) fn new(cluster: &Cluster) -> Self {
        let types = cluster.types();
        Self {
            instances: vec![[None; 8]; cluster.devices() as usize],
            geometry: types
                .iter()
                .map(|t| matches!(t.layout, Layout::Mig(_)).then_some(t.geometry))
                .collect(),
            changed: Vec::new(),
        }
    }

    /// Makes the instances of `placement` exist; whether any device had to be changed for it.
    pub(super) fn install(&mut self, placement: &Placement) -> bool {
        let Some(geometry) = self.geometry[placement.type_id.index()] else { return false };
        let mut any = false;
        for part in &placement.parts {
            let instances = &mut self.instances[part.device.index()];
            let first = usize::from(part.first_slot);
            if instances.get(first) == Some(&Some(placement.slice)) {
                continue;
            }
            let to = first + usize::from(geometry.memory_slices(placement.slice));
            for (start, instance) in instances.iter_mut().enumerate() {
                let end = instance.map_or(0, |slice| start + usize::from(geometry.memory_slices(slice)));
                if start < to && end > first {
                    *instance = None;
                }
            }
            if let Some(instance) = instances.get_mut(first) {
                *instance = Some(placement.slice);
            }
            self.changed.push(part.device);
            any = true;
        }
        any
    }

    /// Devices changed since the last call.
    pub(super) fn take_changed(&mut self) -> u64 {
        self.changed.sort_unstable();
        self.changed.dedup();
        let changed = self.changed.len() as u64;
        self.changed.clear();
        changed
    }
}
