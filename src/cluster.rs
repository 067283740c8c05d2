//! The cluster: GPU types cut into slots, on nodes.
//!
//! A *type* is one GPU model with one layout. Every device of a type has the same number of slots; an allocation takes a [`Slice`]
//! of `slots` slots of each of `devices` devices, and takes whole devices when `slots` is all of them. What fits is asked at two levels:
//! [`capacity`] counts (exact as long as running jobs may be moved), [`occupancy`] knows every device.

pub mod capacity;
pub mod catalogue;
pub mod geometry;
pub mod occupancy;
pub mod packing;
pub mod placement;
pub mod slice;

use crate::units::{DeviceId, NodeId, TypeId};
pub use geometry::{Geometry, Layout, MigMode};
pub use placement::{Part, Placement, Repacking};
pub use slice::{Slice, SliceMemory};

/// One GPU type of a cluster: a model with a layout, and how many devices there are.
#[derive(Debug, Clone, PartialEq)]
pub struct GpuType {
    /// Unique in the cluster: the model's id, with the layout appended where one model appears with several layouts.
    pub name: String,
    /// The model's catalogue id, such as `A100-80`.
    pub gpu: String,
    /// Memory of one device in GB.
    pub memory_gb: f64,
    /// Its speed relative to a V100 of 16 GB where nothing is measured, see [`catalogue::GpuModel::assumed_speed`].
    pub assumed_speed: f64,
    /// How MIG can cut the model, whether or not this layout does.
    pub mig: Option<catalogue::MigFamily>,
    /// How each device is cut.
    pub layout: Layout,
    /// What may lie where on one device.
    pub geometry: Geometry,
    /// Devices of this type in the cluster.
    pub devices: u32,
    /// The first device; the others follow consecutively.
    pub first_device: DeviceId,
}

/// One node: a consecutive range of devices of one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    /// The type of all its devices.
    pub type_id: TypeId,
    /// Its first device.
    pub first_device: DeviceId,
    /// How many devices it has.
    pub devices: u32,
}

/// A heterogeneous cluster. Types, nodes and devices are numbered in the order of the description.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cluster {
    types: Vec<GpuType>,
    nodes: Vec<Node>,
}

/// Why a cluster cannot be built from its description.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClusterError {
    /// The model cannot be cut in the way asked for.
    #[error("{gpu} cannot have the layout {layout}: {reason}")]
    Layout {
        /// The model's id.
        gpu: String,
        /// The layout as written.
        layout: String,
        /// What the hardware lacks, and what to use instead.
        reason: String,
    },
    /// The cluster has no device, or more than the engine supports.
    #[error("the cluster has {found} GPUs, expected 1 to {max}")]
    Size {
        /// Devices asked for.
        found: u64,
        /// The largest supported number.
        max: u64,
    },
}

/// The largest cluster the engine takes, in devices.
pub const MAX_DEVICES: u64 = 1_000_000;

/// A row of a cluster description: equal nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeGroup {
    /// The GPU model.
    pub model: catalogue::GpuModel,
    /// How many nodes.
    pub nodes: u32,
    /// Devices in each node.
    pub gpus_per_node: u32,
    /// How each device is cut.
    pub layout: Layout,
}

impl Cluster {
    /// Builds a cluster. Groups of the same model and layout become one type, in the order of first appearance.
    ///
    /// # Errors
    /// [`ClusterError`] when a model cannot have its layout or the number of devices is out of range.
    pub fn new(groups: &[NodeGroup]) -> Result<Self, ClusterError> {
        let total: u64 = groups.iter().map(|g| u64::from(g.nodes) * u64::from(g.gpus_per_node)).sum();
        if total == 0 || total > MAX_DEVICES {
            return Err(ClusterError::Size { found: total, max: MAX_DEVICES });
        }
        let mut kinds: Vec<(&catalogue::GpuModel, Layout)> = Vec::new();
        for group in groups.iter().filter(|g| g.nodes > 0 && g.gpus_per_node > 0) {
            if !kinds.iter().any(|(m, l)| m.id == group.model.id && *l == group.layout) {
                kinds.push((&group.model, group.layout));
            }
        }
        let mut cluster = Self::default();
        let mut next_device = 0;
        for (index, &(model, layout)) in kinds.iter().enumerate() {
            let geometry = Geometry::of(model, layout)?;
            let repeated = kinds.iter().filter(|(m, _)| m.id == model.id).count() > 1;
            let first_device = DeviceId(next_device);
            for group in groups.iter().filter(|g| g.model.id == model.id && g.layout == layout) {
                for _ in 0..if group.gpus_per_node > 0 { group.nodes } else { 0 } {
                    cluster.nodes.push(Node {
                        type_id: TypeId(index as u16),
                        first_device: DeviceId(next_device),
                        devices: group.gpus_per_node,
                    });
                    next_device += group.gpus_per_node;
                }
            }
            cluster.types.push(GpuType {
                name: if repeated { format!("{} ({layout})", model.id) } else { model.id.clone() },
                gpu: model.id.clone(),
                memory_gb: model.memory_gb,
                assumed_speed: model.assumed_speed,
                mig: model.mig,
                layout,
                geometry,
                devices: next_device - first_device.0,
                first_device,
            });
        }
        Ok(cluster)
    }

    /// The GPU types.
    #[must_use]
    pub fn types(&self) -> &[GpuType] {
        &self.types
    }

    /// The nodes, ordered by type and then by device.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// All devices of all types.
    #[must_use]
    pub fn devices(&self) -> u32 {
        self.types.iter().map(|t| t.devices).sum()
    }

    /// Devices of each type.
    #[must_use]
    pub fn devices_by_type(&self) -> Vec<u32> {
        self.types.iter().map(|t| t.devices).collect()
    }

    /// The ids of all types, in order.
    pub fn type_ids(&self) -> impl ExactSizeIterator<Item = TypeId> + use<> {
        (0..self.types.len() as u16).map(TypeId)
    }

    /// The type with this id.
    #[must_use]
    pub fn gpu_type(&self, id: TypeId) -> &GpuType {
        &self.types[id.index()]
    }

    /// The type a device belongs to.
    #[must_use]
    pub fn type_of(&self, device: DeviceId) -> TypeId {
        let after = self.types.partition_point(|t| t.first_device <= device);
        TypeId(after.saturating_sub(1) as u16)
    }

    /// The node a device is in.
    #[must_use]
    pub fn node_of(&self, device: DeviceId) -> NodeId {
        let after = self.nodes.partition_point(|n| n.first_device <= device);
        NodeId(after.saturating_sub(1) as u32)
    }
}

impl GpuType {
    /// Slots on one device, S_k.
    #[must_use]
    pub fn slots_per_device(&self) -> u32 {
        u32::from(self.geometry.slots())
    }

    /// Slots of the whole type, C_k = M_k * S_k.
    #[must_use]
    pub fn total_slots(&self) -> u32 {
        self.devices * self.slots_per_device()
    }
}
