//! How much of the free GPU no waiting kind of job could use, over time.
//!
//! The measure of Weng et al., "Beware of Fragmentation" (FGD), USENIX ATC 2023, for GPUs alone: for each class of requests, a
//! node that cannot serve the class has all its free GPU wasted for it; a node that can has the free GPU of those devices wasted
//! that the class cannot use. Classes are the trace's request sizes, weighted by their number of jobs. A class asks for the
//! smallest slice it can run in, or for its gang of whole devices (as many as one node has, if the gang is larger).

use std::collections::BTreeMap;

use crate::cluster::occupancy::Occupancy;
use crate::cluster::{Cluster, Geometry, Slice};
use crate::policy::ATTAINED_UNITS;
use crate::units::{NodeId, SimTime, TypeId};
use crate::workload::BoundWorkload;

/// What a class of requests needs of one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Need {
    /// It cannot run there.
    Impossible,
    /// A slice on each of so many devices.
    Slices { slice: Slice, devices: u32 },
}

/// The measure, kept up to date node by node.
pub(super) struct Fragmentation {
    types: Vec<TypeNeeds>,
    type_of_node: Vec<TypeId>,
    /// Free GPU of each node and, summed over classes times their weight, what is wasted of it; in [`ATTAINED_UNITS`] a device.
    nodes: Vec<(u64, u128)>,
    free: u64,
    wasted: u128,
    weight: u64,
    share: f64,
    since: SimTime,
    integral: f64,
}

/// The free GPU of a node that a class can use: that of the devices that can each serve one of its parts (`able`, what is free on
/// each), or nothing when they are fewer than the devices it needs. What the node has free beyond that is wasted for the class.
pub fn usable(able: impl IntoIterator<Item = u64>, devices: u32) -> u64 {
    let (count, sum) = able.into_iter().fold((0u32, 0u64), |(count, sum), free| (count + 1, sum + free));
    if count < devices { 0 } else { sum }
}

struct TypeNeeds {
    slots: u8,
    /// By mask of positions taken on a device: free GPU that jobs of one slice can use there, summed over these jobs.
    usable_alone: Vec<u128>,
    /// Needs of more than one device.
    gangs: Vec<GangNeed>,
    /// Jobs of any need.
    jobs: u64,
}

/// A need of several devices of one node.
struct GangNeed {
    devices: u32,
    jobs: u64,
    /// By mask: free GPU it can use on a device, 0 where it cannot use the device.
    usable: Vec<u64>,
}

impl TypeNeeds {
    fn new(geometry: Geometry, needs: &BTreeMap<Need, u64>) -> Self {
        let unit = ATTAINED_UNITS as u64 / u64::from(geometry.slots());
        let usable = |slice: Slice, mask: u8| {
            if geometry.hosts(slice, mask) { u64::from(geometry.reachable_slots(mask)) * unit } else { 0 }
        };
        let mut all = Self {
            slots: geometry.slots(),
            usable_alone: vec![0; 256],
            gangs: Vec::new(),
            jobs: needs.values().sum(),
        };
        for (&need, &jobs) in needs.iter().filter(|&(_, &jobs)| jobs > 0) {
            match need {
                Need::Impossible => {}
                Need::Slices { slice, devices } if devices <= 1 => {
                    for mask in 0..=u8::MAX {
                        all.usable_alone[usize::from(mask)] +=
                            u128::from(usable(slice, mask)) * u128::from(jobs);
                    }
                }
                Need::Slices { slice, devices } => all.gangs.push(GangNeed {
                    devices,
                    jobs,
                    usable: (0..=u8::MAX).map(|mask| usable(slice, mask)).collect(),
                }),
            }
        }
        all
    }
}

impl Fragmentation {
    pub(super) fn new(cluster: &Cluster, workload: &BoundWorkload) -> Self {
        let mut jobs_of_class = vec![0u64; workload.classes.len()];
        for job in &workload.jobs {
            jobs_of_class[job.class.index()] += 1;
        }
        let types = cluster
            .type_ids()
            .map(|type_id| {
                let mut needs = BTreeMap::new();
                for (class, &jobs) in workload.classes.iter().zip(&jobs_of_class) {
                    // Options are sorted by type and then ascending slots: the first of the type is the smallest.
                    let need = class.options.iter().find(|option| option.type_id == type_id).map_or(
                        Need::Impossible,
                        |option| Need::Slices { slice: option.slice(), devices: option.devices },
                    );
                    *needs.entry(need).or_insert(0) += jobs;
                }
                TypeNeeds::new(cluster.gpu_type(type_id).geometry, &needs)
            })
            .collect();
        let mut fragmentation = Self {
            types,
            type_of_node: cluster.nodes().iter().map(|node| node.type_id).collect(),
            nodes: vec![(0, 0); cluster.nodes().len()],
            free: 0,
            wasted: 0,
            weight: workload.jobs.len() as u64,
            share: 0.0,
            since: SimTime::ZERO,
            integral: 0.0,
        };
        let empty = Occupancy::new(cluster);
        for node in 0..cluster.nodes().len() as u32 {
            fragmentation.measure(NodeId(node), &empty);
        }
        fragmentation.share = fragmentation.current();
        fragmentation
    }

    /// Accounts for the time since the last call, then measures the nodes that changed.
    pub(super) fn update(&mut self, now: SimTime, occupancy: &mut Occupancy) {
        self.integral += self.share * (now - self.since).as_secs();
        self.since = now;
        for node in occupancy.take_dirty_nodes() {
            self.measure(node, occupancy);
        }
        self.share = self.current();
    }

    /// Time mean up to `end`.
    pub(super) fn mean(&self, end: SimTime) -> f64 {
        let total = self.integral + self.share * (end - self.since).as_secs();
        if end.0 > 0 { total / end.as_secs() } else { 0.0 }
    }

    fn current(&self) -> f64 {
        let all = u128::from(self.free) * u128::from(self.weight);
        if all == 0 { 0.0 } else { self.wasted as f64 / all as f64 }
    }

    fn measure(&mut self, node: NodeId, occupancy: &Occupancy) {
        let needs = &self.types[self.type_of_node[node.index()].index()];
        let unit = ATTAINED_UNITS as u64 / u64::from(needs.slots);
        let masks = occupancy.node_masks(node);
        // A slot that nobody holds and no slice can reach, such as the one beside a 3g in the left half, is wasted for all.
        let free = u64::from(occupancy.node_free(node).slots) * unit;
        let mut used: u128 = masks.iter().map(|&mask| needs.usable_alone[usize::from(mask)]).sum();
        for gang in &needs.gangs {
            let able = masks.iter().map(|&mask| gang.usable[usize::from(mask)]).filter(|&free| free > 0);
            let sum = usable(able, gang.devices.min(masks.len() as u32));
            used += u128::from(sum) * u128::from(gang.jobs);
        }
        let wasted = (u128::from(free) * u128::from(needs.jobs)).saturating_sub(used);
        let (old_free, old_wasted) = std::mem::replace(&mut self.nodes[node.index()], (free, wasted));
        self.free = self.free - old_free + free;
        self.wasted = self.wasted - old_wasted + wasted;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::catalogue::model;
    use crate::cluster::{Layout, NodeGroup, SliceMemory};
    use crate::units::{ClassId, MilliGpus, Rate, SimSpan, TenantId, Work};
    use crate::workload::{BoundJob, JobClass, JobOption, Presence};

    fn cluster(layout: Layout, nodes: u32, gpus_per_node: u32) -> Cluster {
        let model = model("V100-16").unwrap();
        Cluster::new(&[NodeGroup { model, nodes, gpus_per_node, layout }]).unwrap()
    }

    /// One class a request, with so many jobs each.
    fn requests(list: &[(u8, u32, usize)]) -> BoundWorkload {
        let mut workload = BoundWorkload::default();
        for &(slots, devices, jobs) in list {
            let class = ClassId(workload.classes.len() as u32);
            let option =
                JobOption { type_id: TypeId(0), slots, memory: SliceMemory::Plain, devices, rate: Rate::ONE };
            workload.classes.push(JobClass {
                profile: String::new(),
                gpus: MilliGpus(devices * 1000),
                options: vec![option],
                whole: vec![None],
            });
            for _ in 0..jobs {
                workload.jobs.push(BoundJob {
                    record: 0,
                    submit: SimTime::ZERO,
                    tenant: TenantId(0),
                    class,
                    work: Work::ZERO,
                    recorded_start: None,
                    recorded_end: None,
                    limit: None,
                    presence: Presence::Arrives,
                });
            }
        }
        workload
    }

    #[test]
    fn free_devices_too_few_for_a_gang_are_wasted_for_it() {
        let cluster = cluster(Layout::Whole, 2, 4);
        // One job in four asks for a whole node.
        let mut fragmentation = Fragmentation::new(&cluster, &requests(&[(1, 1, 3), (1, 4, 1)]));
        assert!(fragmentation.current().abs() < 1e-12);
        let mut occupancy = Occupancy::new(&cluster);
        occupancy.place(TypeId(0), 1, 2).unwrap();
        fragmentation.update(SimTime::ZERO + SimSpan::from_secs(10.0), &mut occupancy);
        // 6 devices free, 2 of them on the node that cannot host the gang: 2/6 wasted for a quarter of the jobs.
        assert!((fragmentation.current() - 2.0 / 6.0 / 4.0).abs() < 1e-12);
        // Nothing was wasted in the first 10 s, this share in the next 10.
        let mean = fragmentation.mean(SimTime::ZERO + SimSpan::from_secs(20.0));
        assert!((mean - 1.0 / 24.0).abs() < 1e-12);
    }

    #[test]
    fn a_device_in_use_wastes_its_rest_for_jobs_that_need_it_whole() {
        let cluster = cluster(Layout::Uniform(4), 1, 2);
        let mut fragmentation = Fragmentation::new(&cluster, &requests(&[(4, 1, 1), (1, 1, 1)]));
        let mut occupancy = Occupancy::new(&cluster);
        occupancy.place(TypeId(0), 1, 1).unwrap();
        fragmentation.update(SimTime::ZERO, &mut occupancy);
        // 7 slots free; the 3 beside the slice are wasted for half of the jobs.
        assert!((fragmentation.current() - 3.0 / 7.0 / 2.0).abs() < 1e-12);
    }
}
