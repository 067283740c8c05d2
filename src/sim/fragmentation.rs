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
    /// What is free of each node and wasted of it.
    nodes: Vec<Waste>,
    all: Waste,
    weight: u64,
    share: Shares,
    since: SimTime,
    integral: Shares,
    /// The stretch of time that means are taken over.
    window: (SimTime, SimTime),
}

/// Free GPU, and what is wasted of it summed over classes times their weight; in [`ATTAINED_UNITS`] a device.
#[derive(Debug, Clone, Copy, Default)]
struct Waste {
    free: u64,
    wasted: u128,
    /// The part of it on nodes that can serve the class.
    stranded: u128,
}

/// Shares of the free GPU that are wasted, or their integrals over seconds.
#[derive(Debug, Clone, Copy, Default)]
struct Shares {
    wasted: f64,
    stranded: f64,
}

impl Fragmentation {
    pub(super) fn new(cluster: &Cluster, workload: &BoundWorkload) -> Self {
        let mut fragmentation = Self {
            types: TypeNeeds::of(cluster, workload),
            type_of_node: cluster.nodes().iter().map(|node| node.type_id).collect(),
            nodes: vec![Waste::default(); cluster.nodes().len()],
            all: Waste::default(),
            weight: workload.jobs.len() as u64,
            share: Shares::default(),
            since: SimTime::ZERO,
            integral: Shares::default(),
            window: (SimTime::ZERO, SimTime::NEVER),
        };
        let empty = Occupancy::new(cluster);
        for node in 0..cluster.nodes().len() as u32 {
            fragmentation.measure(NodeId(node), &empty);
        }
        fragmentation.share = fragmentation.current();
        fragmentation
    }

    /// Takes means over this stretch of time.
    pub(super) fn within(&mut self, window: (SimTime, SimTime)) {
        self.window = window;
    }

    /// Seconds from the last call to `now` that lie in the window.
    fn passed_s(&self, now: SimTime) -> f64 {
        let (from, to) = (self.since.max(self.window.0), now.min(self.window.1));
        if to > from { (to - from).as_secs() } else { 0.0 }
    }

    /// Accounts for the time since the last call, then measures the nodes that changed.
    pub(super) fn update(&mut self, now: SimTime, occupancy: &mut Occupancy) {
        let passed_s = self.passed_s(now);
        self.integral.wasted += self.share.wasted * passed_s;
        self.integral.stranded += self.share.stranded * passed_s;
        self.since = now;
        for node in occupancy.take_dirty_nodes() {
            self.measure(node, occupancy);
        }
        self.share = self.current();
    }

    /// Time means up to `end`: of all that is wasted, and of what is wasted on nodes that could serve.
    pub(super) fn means(&self, end: SimTime) -> (f64, f64) {
        let (from, to) = (self.window.0.max(SimTime::ZERO), self.window.1.min(end));
        if to <= from {
            return (0.0, 0.0);
        }
        let passed_s = self.passed_s(end);
        let mean = |integral: f64, share: f64| (integral + share * passed_s) / (to - from).as_secs();
        (mean(self.integral.wasted, self.share.wasted), mean(self.integral.stranded, self.share.stranded))
    }

    fn current(&self) -> Shares {
        let all = u128::from(self.all.free) * u128::from(self.weight);
        if all == 0 {
            return Shares::default();
        }
        let share = |part: u128| part as f64 / all as f64;
        Shares { wasted: share(self.all.wasted), stranded: share(self.all.stranded) }
    }

    fn measure(&mut self, node: NodeId, occupancy: &Occupancy) {
        let needs = &self.types[self.type_of_node[node.index()].index()];
        let unit = ATTAINED_UNITS as u64 / u64::from(needs.slots());
        let masks = occupancy.node_masks(node);
        // A slot that nobody holds and no slice can reach, such as the one beside a 3g in the left half, is wasted for all.
        let free = u64::from(occupancy.node_free(node).slots) * unit;
        let (usable, served) = (needs.usable(masks), needs.served(masks));
        let waste = Waste {
            free,
            wasted: (u128::from(free) * u128::from(needs.jobs())).saturating_sub(usable),
            stranded: (u128::from(free) * u128::from(served)).saturating_sub(usable),
        };
        let old = std::mem::replace(&mut self.nodes[node.index()], waste);
        self.all.free = self.all.free - old.free + waste.free;
        self.all.wasted = self.all.wasted - old.wasted + waste.wasted;
        self.all.stranded = self.all.stranded - old.stranded + waste.stranded;
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
        assert!(fragmentation.current().wasted.abs() < 1e-12);
        let mut occupancy = Occupancy::new(&cluster);
        occupancy.place(TypeId(0), 1, 2).unwrap();
        fragmentation.update(SimTime::ZERO + SimSpan::from_secs(10.0), &mut occupancy);
        // 6 devices free, 2 of them on the node that cannot host the gang: 2/6 wasted for a quarter of the jobs.
        assert!((fragmentation.current().wasted - 2.0 / 6.0 / 4.0).abs() < 1e-12);
        // Nothing was wasted in the first 10 s, this share in the next 10.
        let (mean, stranded) = fragmentation.means(SimTime::ZERO + SimSpan::from_secs(20.0));
        assert!((mean - 1.0 / 24.0).abs() < 1e-12);
        // All of it on a node that cannot serve the gang.
        assert!(stranded.abs() < 1e-12);
        // In the second half of that time alone the share is the later one.
        fragmentation.within((SimTime::ZERO + SimSpan::from_secs(10.0), SimTime::NEVER));
        let (mean, _) = fragmentation.means(SimTime::ZERO + SimSpan::from_secs(20.0));
        assert!((mean - 1.0 / 12.0).abs() < 1e-12);
    }

    #[test]
    fn a_device_in_use_wastes_its_rest_for_jobs_that_need_it_whole() {
        let cluster = cluster(Layout::Uniform(4), 1, 2);
        let mut fragmentation = Fragmentation::new(&cluster, &requests(&[(4, 1, 1), (1, 1, 1)]));
        let mut occupancy = Occupancy::new(&cluster);
        occupancy.place(TypeId(0), 1, 1).unwrap();
        fragmentation.update(SimTime::ZERO, &mut occupancy);
        // 7 slots free; the 3 beside the slice are wasted for half of the jobs.
        assert!((fragmentation.current().wasted - 3.0 / 7.0 / 2.0).abs() < 1e-12);
        // The other device of the node is free, so that these 3 are stranded.
        assert!((fragmentation.current().stranded - 3.0 / 7.0 / 2.0).abs() < 1e-12);
    }
}
