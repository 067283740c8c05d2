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
    /// By mask: which needs of one slice the device can host, a bit each.
    hosts_alone: Vec<u64>,
    /// Jobs of each of these needs.
    alone: Vec<u64>,
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
            hosts_alone: vec![0; 256],
            alone: Vec::new(),
            gangs: Vec::new(),
            jobs: needs.values().sum(),
        };
        for (&need, &jobs) in needs.iter().filter(|&(_, &jobs)| jobs > 0) {
            match need {
                Need::Impossible => {}
                Need::Slices { slice, devices } if devices <= 1 => {
                    // A type has fewer kinds of slices than a word has bits.
                    let bit = 1u64.checked_shl(all.alone.len() as u32).unwrap_or(0);
                    all.alone.push(jobs);
                    for mask in 0..=u8::MAX {
                        if geometry.hosts(slice, mask) {
                            all.hosts_alone[usize::from(mask)] |= bit;
                        }
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
        let unit = ATTAINED_UNITS as u64 / u64::from(needs.slots);
        let masks = occupancy.node_masks(node);
        // A slot that nobody holds and no slice can reach, such as the one beside a 3g in the left half, is wasted for all.
        let free = u64::from(occupancy.node_free(node).slots) * unit;
        let mut used: u128 = masks.iter().map(|&mask| needs.usable_alone[usize::from(mask)]).sum();
        let hosted = masks.iter().fold(0, |hosted, &mask| hosted | needs.hosts_alone[usize::from(mask)]);
        let mut served: u64 = needs
            .alone
            .iter()
            .enumerate()
            .filter(|&(bit, _)| hosted >> bit & 1 == 1)
            .map(|(_, jobs)| jobs)
            .sum();
        for gang in &needs.gangs {
            let able = masks.iter().map(|&mask| gang.usable[usize::from(mask)]).filter(|&free| free > 0);
            let sum = usable(able, gang.devices.min(masks.len() as u32));
            used += u128::from(sum) * u128::from(gang.jobs);
            served += if sum > 0 { gang.jobs } else { 0 };
        }
        let waste = Waste {
            free,
            wasted: (u128::from(free) * u128::from(needs.jobs)).saturating_sub(used),
            stranded: (u128::from(free) * u128::from(served)).saturating_sub(used),
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
