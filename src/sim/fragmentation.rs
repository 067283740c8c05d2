//! How much of the free GPU no waiting kind of job could use, over time.
//!
//! The measure is that of [`crate::policy::needs`].

use crate::cluster::Cluster;
use crate::cluster::occupancy::Occupancy;
use crate::policy::ATTAINED_UNITS;
use crate::policy::needs::TypeNeeds;
use crate::units::{NodeId, SimTime, TypeId};
use crate::workload::BoundWorkload;

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

impl Fragmentation {
    pub(super) fn new(cluster: &Cluster, workload: &BoundWorkload) -> Self {
        let mut fragmentation = Self {
            types: TypeNeeds::of(cluster, workload),
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
        let unit = ATTAINED_UNITS as u64 / u64::from(needs.slots());
        let masks = occupancy.node_masks(node);
        // A slot that nobody holds and no slice can reach, such as the one beside a 3g in the left half, is wasted for all.
        let free = u64::from(occupancy.node_free(node).slots) * unit;
        let usable = needs.usable(masks);
        let wasted = (u128::from(free) * u128::from(needs.jobs())).saturating_sub(usable);
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
