//! Who holds what on which device.
//!
//! Whole devices go to few nodes: to the node that holds a gang with the least left over, else to the emptiest nodes first. A slice
//! goes to the fullest device in use that has a legal position for it ([`super::packing`]), else to a device of the node with the
//! fewest free ones; the slices of one job go to few nodes as whole devices do, to the fullest devices there. Every choice is deterministic; ties go to the lowest number. Devices are found by what they have free, not
//! by search: placing costs O(log devices) a part.

use std::collections::BTreeSet;

use super::packing::{Order, Rule};
use super::placement::{Part, Placement};
use super::{Cluster, Geometry, Node, Slice};
use crate::units::{DeviceId, NodeId, TypeId};

/// Which positions of which devices are taken. It owns all it needs of the cluster.
#[derive(Debug, Clone)]
pub struct Occupancy {
    /// Positions taken, by device.
    masks: Vec<u8>,
    /// By device.
    node_of: Vec<NodeId>,
    nodes: Vec<NodeState>,
    types: Vec<TypeState>,
    dirty: Vec<NodeId>,
}

#[derive(Debug, Clone)]
struct NodeState {
    node: Node,
    free_devices: u32,
    used_slots: u32,
    dirty: bool,
}

#[derive(Debug, Clone)]
struct TypeState {
    geometry: Geometry,
    first_device: u32,
    devices: u32,
    free_devices: u32,
    used_slots: u32,
    /// Devices on which at least one more slot can be taken.
    open_devices: u32,
    /// Nodes with free devices, as (free devices, node).
    nodes: BTreeSet<(u32, u32)>,
    /// Devices partly in use, as (mask, device).
    partial: BTreeSet<(u8, u32)>,
    /// How many of `partial` have each mask.
    partial_by_mask: Vec<u32>,
}

#[derive(Clone, Copy)]
enum Change {
    Take,
    Give,
}

/// What a node has free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeFree {
    /// Devices with nothing on them.
    pub devices: u32,
    /// Slots that nobody holds, whole devices included.
    pub slots: u32,
}

impl Occupancy {
    /// An empty cluster.
    #[must_use]
    pub fn new(cluster: &Cluster) -> Self {
        let mut types: Vec<TypeState> = cluster
            .types()
            .iter()
            .map(|t| TypeState {
                geometry: t.geometry,
                first_device: t.first_device.0,
                devices: t.devices,
                free_devices: t.devices,
                used_slots: 0,
                open_devices: t.devices,
                nodes: BTreeSet::new(),
                partial: BTreeSet::new(),
                partial_by_mask: vec![0; 256],
            })
            .collect();
        let mut node_of = Vec::with_capacity(cluster.devices() as usize);
        let mut nodes = Vec::with_capacity(cluster.nodes().len());
        for (id, &node) in (0u32..).zip(cluster.nodes()) {
            node_of.extend(std::iter::repeat_n(NodeId(id), node.devices as usize));
            nodes.push(NodeState { node, free_devices: node.devices, used_slots: 0, dirty: false });
            types[node.type_id.index()].nodes.insert((node.devices, id));
        }
        Self { masks: vec![0; node_of.len()], node_of, nodes, types, dirty: Vec::new() }
    }

    /// Takes a slice on each of `devices` distinct devices of a type; `None`, with nothing taken, if there are no positions.
    pub fn place(&mut self, type_id: TypeId, slice: impl Into<Slice>, devices: u32) -> Option<Placement> {
        self.place_by(Rule::BestFit, type_id, slice.into(), devices)
    }

    /// [`Self::place`] with slices where `rule` prefers them.
    pub(super) fn place_by(
        &mut self,
        rule: Rule,
        type_id: TypeId,
        slice: Slice,
        devices: u32,
    ) -> Option<Placement> {
        let state = self.types.get(type_id.index())?;
        if devices == 0 || devices > state.devices {
            return None;
        }
        let mut parts = if slice.slots == state.geometry.slots() {
            let free = self.free_in_few_nodes(type_id, devices)?;
            free.into_iter().map(|device| Part { device, first_slot: 0 }).collect()
        } else if devices > 1 && rule == Rule::BestFit {
            self.positions_in_few_nodes(type_id, slice, devices)?
        } else {
            self.best_positions(rule, type_id, slice, devices)?
        };
        parts.sort_unstable_by_key(|part| part.device);
        let placement = Placement { type_id, slice, parts };
        self.apply(&placement, Change::Take);
        Some(placement)
    }

    /// Takes exactly `placement`; `false`, with nothing taken, unless all of it is legal and free.
    pub fn claim(&mut self, placement: &Placement) -> bool {
        let Some(state) = self.types.get(placement.type_id.index()) else { return false };
        let devices = state.first_device..state.first_device + state.devices;
        let mut last = None;
        let free = placement.parts.iter().all(|part| {
            let ascending = last.replace(part.device).is_none_or(|before| before < part.device);
            let mask = state.geometry.mask(placement.slice, part.first_slot);
            ascending
                && devices.contains(&part.device.0)
                && mask.is_some_and(|mask| self.masks[part.device.index()] & mask == 0)
        });
        if free && !placement.parts.is_empty() {
            self.apply(placement, Change::Take);
            return true;
        }
        false
    }

    /// Gives back `placement`, which must have come from [`Self::place`] or [`Self::claim`].
    pub fn release(&mut self, placement: &Placement) {
        self.apply(placement, Change::Give);
    }

    /// Slots of a type that nobody holds, in sum over its devices.
    #[must_use]
    pub fn free_slots(&self, type_id: TypeId) -> u32 {
        self.types
            .get(type_id.index())
            .map_or(0, |t| t.devices * u32::from(t.geometry.slots()) - t.used_slots)
    }

    /// Slots of a type that are held.
    #[must_use]
    pub fn used_slots(&self, type_id: TypeId) -> u32 {
        self.types.get(type_id.index()).map_or(0, |t| t.used_slots)
    }

    /// Devices of a type with nothing on them.
    #[must_use]
    pub fn free_devices(&self, type_id: TypeId) -> u32 {
        self.types.get(type_id.index()).map_or(0, |t| t.free_devices)
    }

    /// Whether no device of any type has a position for even one slot.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.types.iter().all(|t| t.open_devices == 0)
    }

    /// The positions taken on a device, one bit each.
    #[must_use]
    pub fn device_mask(&self, device: DeviceId) -> u8 {
        self.masks.get(device.index()).copied().unwrap_or(0)
    }

    /// The positions taken on every device.
    #[must_use]
    pub fn masks(&self) -> &[u8] {
        &self.masks
    }

    /// The positions taken on each device of a node.
    #[must_use]
    pub fn node_masks(&self, node: NodeId) -> &[u8] {
        self.nodes.get(node.index()).map_or(&[], |state| {
            let first = state.node.first_device.index();
            &self.masks[first..first + state.node.devices as usize]
        })
    }

    /// What a node has free.
    #[must_use]
    pub fn node_free(&self, node: NodeId) -> NodeFree {
        self.nodes.get(node.index()).map_or(NodeFree { devices: 0, slots: 0 }, |state| {
            let slots = u32::from(self.types[state.node.type_id.index()].geometry.slots());
            NodeFree { devices: state.free_devices, slots: state.node.devices * slots - state.used_slots }
        })
    }

    /// Nodes on which something changed since the last call, each once, in the order of their first change.
    pub fn take_dirty_nodes(&mut self) -> Vec<NodeId> {
        for node in &self.dirty {
            self.nodes[node.index()].dirty = false;
        }
        std::mem::take(&mut self.dirty)
    }

    /// The geometry of a type.
    pub(super) fn geometry(&self, type_id: TypeId) -> Option<Geometry> {
        self.types.get(type_id.index()).map(|state| state.geometry)
    }

    /// `count` free devices in as few nodes as possible: whole nodes, the emptiest first, until one node can hold the rest; of
    /// those the one with the least left over.
    fn free_in_few_nodes(&self, type_id: TypeId, count: u32) -> Option<Vec<DeviceId>> {
        let state = &self.types[type_id.index()];
        if state.free_devices < count {
            return None;
        }
        let mut chosen: Vec<u32> = Vec::new();
        let mut rest = count;
        for (free, node) in emptiest_first(&state.nodes) {
            if free >= rest {
                let tightest = state.nodes.range((rest, 0)..).map(|&(_, node)| node);
                chosen.extend(tightest.into_iter().find(|node| !chosen.contains(node)));
                break;
            }
            chosen.push(node);
            rest -= free;
        }
        let devices = chosen.iter().flat_map(|&node| {
            let node = self.nodes[node as usize].node;
            (node.first_device.0..node.first_device.0 + node.devices).map(DeviceId)
        });
        let free = devices.filter(|device| self.masks[device.index()] == 0);
        Some(free.take(count as usize).collect())
    }

    /// Positions for a slice on each of `count` distinct devices.
    fn best_positions(&self, rule: Rule, type_id: TypeId, slice: Slice, count: u32) -> Option<Vec<Part>> {
        let state = &self.types[type_id.index()];
        let mut parts = Vec::with_capacity(count as usize);
        for choice in Order::of(state.geometry, rule).choices(slice) {
            let rest = count - parts.len() as u32;
            if rest == 0 {
                break;
            }
            let part = |device| Part { device, first_slot: choice.start };
            if choice.before == 0 {
                let free = self.free_in_few_nodes(type_id, rest.min(state.free_devices))?;
                parts.extend(free.into_iter().map(part));
            } else if state.partial_by_mask[usize::from(choice.before)] > 0 {
                let alike = state.partial.range((choice.before, 0)..=(choice.before, u32::MAX));
                parts.extend(alike.take(rest as usize).map(|&(_, device)| part(DeviceId(device))));
            }
        }
        (parts.len() as u32 == count).then_some(parts)
    }

    /// Positions for a slice on each of `count` distinct devices in as few nodes as possible: the nodes with most devices that can
    /// host it first, until one node can hold the rest; of those the one with the fewest such devices. Takes O(devices of the type)
    /// steps.
    fn positions_in_few_nodes(&self, type_id: TypeId, slice: Slice, count: u32) -> Option<Vec<Part>> {
        let state = &self.types[type_id.index()];
        let choices = Order::of(state.geometry, Rule::BestFit).choices(slice);
        // By mask: how much a device is preferred, and where the slice starts there.
        let mut rank = [None; 256];
        for (position, choice) in choices.iter().enumerate() {
            rank[usize::from(choice.before)] = Some((position, choice.start));
        }
        let devices = state.first_device..state.first_device + state.devices;
        let mut hosts: Vec<(NodeId, usize, Part)> = devices
            .filter_map(|device| {
                let (position, first_slot) = rank[usize::from(self.masks[device as usize])]?;
                let part = Part { device: DeviceId(device), first_slot };
                Some((self.node_of[device as usize], position, part))
            })
            .collect();
        let mut nodes: Vec<&mut [(NodeId, usize, Part)]> = hosts.chunk_by_mut(|a, b| a.0 == b.0).collect();
        nodes.sort_by_key(|node| std::cmp::Reverse(node.len()));
        let mut parts: Vec<Part> = Vec::with_capacity(count as usize);
        let mut next = 0;
        loop {
            let rest = (count as usize) - parts.len();
            let largest = nodes.get(next)?;
            // Of equally tight nodes the first: the order is stable.
            let tightest = nodes[next..].iter().rposition(|node| node.len() >= rest).map(|last| {
                let hosts = nodes[next + last].len();
                next + nodes[next..].partition_point(|node| node.len() > hosts)
            });
            let (node, take) = match tightest {
                Some(tightest) => (tightest, rest),
                None => (next, largest.len()),
            };
            nodes[node].sort_by_key(|&(_, position, _)| position);
            parts.extend(nodes[node].iter().take(take).map(|&(_, _, part)| part));
            if parts.len() == count as usize {
                return Some(parts);
            }
            next += 1;
        }
    }

    /// Takes or gives back a placement that is known to be free or held.
    fn apply(&mut self, placement: &Placement, change: Change) {
        let Some(geometry) = self.geometry(placement.type_id) else { return };
        for part in &placement.parts {
            let Some(slice) = geometry.mask(placement.slice, part.first_slot) else { continue };
            let Some(&taken) = self.masks.get(part.device.index()) else { continue };
            let slots = u32::from(placement.slice.slots);
            let node = &mut self.nodes[self.node_of[part.device.index()].index()];
            let state = &mut self.types[placement.type_id.index()];
            match change {
                Change::Take => {
                    node.used_slots += slots;
                    state.used_slots += slots;
                    self.set_mask(part.device, taken | slice);
                }
                Change::Give => {
                    debug_assert_eq!(taken & slice, slice, "only what is held is given back");
                    node.used_slots = node.used_slots.saturating_sub(slots);
                    state.used_slots = state.used_slots.saturating_sub(slots);
                    self.set_mask(part.device, taken & !slice);
                }
            }
        }
    }

    /// Changes what is taken on one device, and all that is counted from it.
    fn set_mask(&mut self, device: DeviceId, after: u8) {
        let before = std::mem::replace(&mut self.masks[device.index()], after);
        let node_id = self.node_of[device.index()];
        let node = &mut self.nodes[node_id.index()];
        let state = &mut self.types[node.node.type_id.index()];
        if !node.dirty {
            node.dirty = true;
            self.dirty.push(node_id);
        }
        if (before == 0) != (after == 0) {
            state.nodes.remove(&(node.free_devices, node_id.0));
            if after == 0 {
                node.free_devices += 1;
                state.free_devices += 1;
            } else {
                node.free_devices -= 1;
                state.free_devices -= 1;
            }
            if node.free_devices > 0 {
                state.nodes.insert((node.free_devices, node_id.0));
            }
        }
        let was_open = state.geometry.reachable_slots(before) > 0;
        let is_open = state.geometry.reachable_slots(after) > 0;
        match (was_open, is_open) {
            (false, true) => state.open_devices += 1,
            (true, false) => state.open_devices -= 1,
            _ => {}
        }
        if was_open && before != 0 {
            state.partial.remove(&(before, device.0));
            state.partial_by_mask[usize::from(before)] -= 1;
        }
        if is_open && after != 0 {
            state.partial.insert((after, device.0));
            state.partial_by_mask[usize::from(after)] += 1;
        }
    }
}

/// Nodes in the order of most free devices; ties by number.
fn emptiest_first(nodes: &BTreeSet<(u32, u32)>) -> impl Iterator<Item = (u32, u32)> {
    let levels = std::iter::successors(nodes.last().map(|&(free, _)| free), |&free| {
        nodes.range(..(free, 0)).next_back().map(|&(less, _)| less)
    });
    levels.flat_map(|free| nodes.range((free, 0)..=(free, u32::MAX)).copied())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{Layout, MigMode, NodeGroup, catalogue};

    const FIRST: TypeId = TypeId(0);

    fn cluster(groups: &[(&str, u32, u32, Layout)]) -> Cluster {
        let groups: Vec<NodeGroup> = groups
            .iter()
            .map(|&(gpu, nodes, gpus_per_node, layout)| NodeGroup {
                model: catalogue::model(gpu).expect("in the catalogue"),
                nodes,
                gpus_per_node,
                layout,
            })
            .collect();
        Cluster::new(&groups).expect("a legal cluster")
    }

    fn devices(placement: &Option<Placement>) -> Vec<u32> {
        placement.iter().flat_map(|p| &p.parts).map(|part| part.device.0).collect()
    }

    #[test]
    fn gangs_take_the_tightest_node_and_else_the_emptiest() {
        let mut occupancy = Occupancy::new(&cluster(&[("V100-16", 3, 4, Layout::Whole)]));
        assert_eq!(devices(&occupancy.place(FIRST, 1, 1)), [0]);
        assert_eq!(devices(&occupancy.place(FIRST, 1, 3)), [1, 2, 3], "the node with three free");
        assert_eq!(devices(&occupancy.place(FIRST, 1, 1)), [4]);
        assert_eq!(
            devices(&occupancy.place(FIRST, 1, 6)),
            [5, 6, 8, 9, 10, 11],
            "an empty node and two more"
        );
        assert_eq!(occupancy.place(FIRST, 1, 2), None);
        assert_eq!(devices(&occupancy.place(FIRST, 1, 1)), [7]);
        assert!(occupancy.is_full());
    }

    #[test]
    fn a_gang_over_equal_nodes_does_not_use_one_twice() {
        let mut occupancy = Occupancy::new(&cluster(&[("V100-16", 3, 8, Layout::Whole)]));
        let gang = occupancy.place(FIRST, 1, 20);
        assert_eq!(devices(&gang), (0..20).collect::<Vec<_>>());
    }

    #[test]
    fn slices_fill_devices_in_use_before_they_open_others() {
        let mut occupancy = Occupancy::new(&cluster(&[("A100-40", 2, 2, Layout::Mig(MigMode::Strict))]));
        let mut place = |slots| {
            let placed = occupancy.place(FIRST, slots, 1).expect("fits");
            (placed.parts[0].device.0, placed.parts[0].first_slot)
        };
        assert_eq!(place(3), (0, 4), "the right half");
        assert_eq!(place(4), (0, 0));
        assert_eq!(place(4), (1, 0), "a device of the node in use");
        assert_eq!(place(2), (1, 4));
        assert_eq!(place(1), (1, 6));
        assert_eq!(place(7), (2, 0));
        assert_eq!(place(3), (3, 4));
        assert_eq!(place(3), (3, 0));
        assert_eq!(occupancy.free_slots(FIRST), 1, "beside two 3g one slot is left");
        assert!(occupancy.is_full(), "and nothing can take it");
        assert_eq!(occupancy.place(FIRST, 1, 1), None);
    }

    #[test]
    fn the_slices_of_one_job_lie_on_distinct_devices() {
        let mut occupancy = Occupancy::new(&cluster(&[("V100-16", 1, 3, Layout::Uniform(4))]));
        occupancy.place(FIRST, 2, 1).expect("fits");
        let gang = occupancy.place(FIRST, 2, 3).expect("fits");
        assert_eq!(gang.parts.iter().map(|p| p.device.0).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(occupancy.place(FIRST, 1, 3), None, "one device is full");
        assert_eq!(occupancy.used_slots(FIRST), 8);
        occupancy.release(&gang);
        assert_eq!((occupancy.used_slots(FIRST), occupancy.free_devices(FIRST)), (2, 2));
    }

    #[test]
    fn only_legal_and_free_positions_are_claimed() {
        let mut occupancy = Occupancy::new(&cluster(&[
            ("A100-40", 1, 2, Layout::Mig(MigMode::Strict)),
            ("T4", 1, 1, Layout::Whole),
        ]));
        let at = |type_id, slots: u8, parts: &[(u32, u8)]| Placement {
            type_id: TypeId(type_id),
            slice: slots.into(),
            parts: parts
                .iter()
                .map(|&(device, first_slot)| Part { device: DeviceId(device), first_slot })
                .collect(),
        };
        assert!(occupancy.claim(&at(0, 3, &[(0, 4)])));
        for refused in [
            at(0, 3, &[(0, 4)]),         // taken
            at(0, 3, &[(1, 2)]),         // not a start of a 3g
            at(0, 5, &[(1, 0)]),         // there is no 5g
            at(0, 7, &[(0, 0), (1, 0)]), // one of two is in use
            at(0, 7, &[(2, 0)]),         // of another type
            at(1, 1, &[(2, 0), (2, 0)]), // twice the same
            at(2, 1, &[(0, 0)]),         // no such type
            at(0, 1, &[]),
        ] {
            let before = occupancy.masks.clone();
            assert!(!occupancy.claim(&refused), "{refused:?}");
            assert_eq!(occupancy.masks, before);
        }
        assert!(occupancy.claim(&at(0, 4, &[(0, 0)])));
        assert!(occupancy.claim(&at(1, 1, &[(2, 0)])));
    }

    #[test]
    fn changed_nodes_are_reported_once() {
        let mut occupancy = Occupancy::new(&cluster(&[("V100-16", 3, 2, Layout::Uniform(2))]));
        assert_eq!(occupancy.take_dirty_nodes(), []);
        let one = occupancy.place(FIRST, 1, 1).expect("fits");
        occupancy.place(FIRST, 2, 2).expect("fits");
        assert_eq!(occupancy.take_dirty_nodes(), [NodeId(0), NodeId(1)]);
        assert_eq!(occupancy.node_free(NodeId(0)), NodeFree { devices: 1, slots: 3 });
        assert_eq!(occupancy.node_free(NodeId(1)), NodeFree { devices: 0, slots: 0 });
        assert_eq!(occupancy.node_masks(NodeId(0)), [1, 0]);
        occupancy.release(&one);
        assert_eq!(occupancy.take_dirty_nodes(), [NodeId(0)]);
        assert_eq!(occupancy.take_dirty_nodes(), []);
    }

    #[cfg(not(target_arch = "wasm32"))]
    mod properties {
        use proptest::prelude::*;

        use super::*;

        proptest! {
            #[test]
            fn placing_and_releasing_keeps_all_counts(
                steps in prop::collection::vec((0u16..3, 0usize..6, 1u32..4, any::<bool>(), any::<prop::sample::Index>()), 1..60)
            ) {
                let cluster = cluster(&[
                    ("A100-80", 2, 2, Layout::Mig(MigMode::Strict)),
                    ("V100-16", 2, 3, Layout::Uniform(4)),
                    ("K80", 3, 2, Layout::Whole),
                ]);
                let mut occupancy = Occupancy::new(&cluster);
                let mut held: Vec<Placement> = Vec::new();
                for (type_id, size, devices, release, pick) in steps {
                    if release && !held.is_empty() {
                        let placement = held.swap_remove(pick.index(held.len()));
                        occupancy.release(&placement);
                    } else {
                        let slices = cluster.gpu_type(TypeId(type_id)).geometry.slices();
                        let slice = slices[size % slices.len()];
                        let before = occupancy.masks.clone();
                        match occupancy.place(TypeId(type_id), slice, devices) {
                            Some(placement) => {
                                prop_assert_eq!(placement.parts.len() as u32, devices);
                                prop_assert!(placement.parts.windows(2).all(|p| p[0].device < p[1].device));
                                held.push(placement);
                            }
                            None => {
                                prop_assert_eq!(&before, &occupancy.masks);
                                let hosts = hosts(&occupancy, &cluster, TypeId(type_id), slice);
                                prop_assert!(hosts < devices, "refused only where too few devices have room");
                            }
                        }
                    }
                    check_counters(&occupancy, &cluster, &held);
                }
            }
        }

        /// What the counters say, counted again from the devices.
        fn check_counters(occupancy: &Occupancy, cluster: &Cluster, held: &[Placement]) {
            for (type_id, gpu) in cluster.type_ids().zip(cluster.types()) {
                let range = gpu.first_device.index()..(gpu.first_device.0 + gpu.devices) as usize;
                let masks = &occupancy.masks[range];
                let used: u32 = held
                    .iter()
                    .filter(|p| p.type_id == type_id)
                    .map(|p| u32::from(p.slice.slots) * p.parts.len() as u32)
                    .sum();
                assert_eq!(occupancy.used_slots(type_id), used);
                assert_eq!(occupancy.free_slots(type_id), gpu.total_slots() - used);
                assert_eq!(
                    occupancy.free_devices(type_id) as usize,
                    masks.iter().filter(|mask| **mask == 0).count()
                );
                let open = masks.iter().filter(|mask| gpu.geometry.reachable_slots(**mask) > 0);
                assert_eq!(occupancy.types[type_id.index()].open_devices as usize, open.count());
            }
            let mut masks = vec![0u8; occupancy.masks.len()];
            for placement in held {
                for part in &placement.parts {
                    let geometry = cluster.gpu_type(placement.type_id).geometry;
                    let slice = geometry.mask(placement.slice, part.first_slot).expect("a legal start");
                    assert_eq!(masks[part.device.index()] & slice, 0, "no overlap");
                    masks[part.device.index()] |= slice;
                }
            }
            assert_eq!(masks, occupancy.masks);
            for node in (0..occupancy.nodes.len() as u32).map(NodeId) {
                let free = occupancy.node_masks(node).iter().filter(|mask| **mask == 0).count();
                assert_eq!(occupancy.node_free(node).devices as usize, free);
            }
        }

        /// Devices of a type with a legal free position for a slice.
        fn hosts(occupancy: &Occupancy, cluster: &Cluster, type_id: TypeId, slice: Slice) -> u32 {
            let gpu = cluster.gpu_type(type_id);
            let has_room = |device: &u32| gpu.geometry.hosts(slice, occupancy.device_mask(DeviceId(*device)));
            (gpu.first_device.0..gpu.first_device.0 + gpu.devices).filter(has_room).count() as u32
        }
    }
}
