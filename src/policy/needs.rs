//! What free GPU the jobs of a workload could use: the measure of fragmentation.
//!
//! The measure of Weng et al., "Beware of Fragmentation" (FGD), USENIX ATC 2023, for GPUs alone: for each class of requests, a
//! node that cannot serve the class has all its free GPU wasted for it; a node that can has the free GPU of those devices wasted
//! that the class cannot use. Classes are the trace's request sizes, weighted by their number of jobs. A class asks for the
//! smallest slice it can run in, or for its gang of whole devices (as many as one node has, if the gang is larger).

use std::collections::BTreeMap;

use super::ATTAINED_UNITS;
use crate::cluster::{Cluster, Geometry, Slice};
use crate::workload::BoundWorkload;

/// The free GPU of a node that a class can use: that of the devices that can each serve one of its parts (`able`, what is free on
/// each), or nothing when they are fewer than the devices it needs. What the node has free beyond that is wasted for the class.
pub fn usable(able: impl IntoIterator<Item = u64>, devices: u32) -> u64 {
    let (count, sum) = able.into_iter().fold((0u32, 0u64), |(count, sum), free| (count + 1, sum + free));
    if count < devices { 0 } else { sum }
}

/// What a class of requests needs of one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Need {
    /// It cannot run there.
    Impossible,
    /// A slice on each of so many devices.
    Slices { slice: Slice, devices: u32 },
}

/// What all jobs need of one type.
#[derive(Debug, Clone)]
pub(crate) struct TypeNeeds {
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
#[derive(Debug, Clone)]
struct GangNeed {
    devices: u32,
    jobs: u64,
    /// By mask: free GPU it can use on a device, 0 where it cannot use the device.
    usable: Vec<u64>,
}

impl TypeNeeds {
    /// By type of the cluster.
    pub(crate) fn of(cluster: &Cluster, workload: &BoundWorkload) -> Vec<Self> {
        let mut jobs_of_class = vec![0u64; workload.classes.len()];
        for job in &workload.jobs {
            jobs_of_class[job.class.index()] += 1;
        }
        cluster
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
            .collect()
    }

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

    /// Slots of a device.
    pub(crate) fn slots(&self) -> u8 {
        self.slots
    }

    /// Jobs of any need.
    pub(crate) fn jobs(&self) -> u64 {
        self.jobs
    }

    /// The free GPU of a node that jobs can use there, summed over all jobs, in [`ATTAINED_UNITS`] a device; `masks` are the
    /// positions taken on each of its devices.
    pub(crate) fn usable(&self, masks: &[u8]) -> u128 {
        let mut sum: u128 = masks.iter().map(|&mask| self.usable_alone[usize::from(mask)]).sum();
        for gang in &self.gangs {
            sum += u128::from(gang.usable_on(masks)) * u128::from(gang.jobs);
        }
        sum
    }

    /// Jobs whose need a node can serve.
    pub(crate) fn served(&self, masks: &[u8]) -> u64 {
        let hosted = masks.iter().fold(0, |hosted, &mask| hosted | self.hosts_alone[usize::from(mask)]);
        let alone =
            self.alone.iter().enumerate().filter(|&(bit, _)| hosted >> bit & 1 == 1).map(|(_, jobs)| jobs);
        let gangs = self.gangs.iter().filter(|gang| gang.usable_on(masks) > 0).map(|gang| gang.jobs);
        alone.sum::<u64>() + gangs.sum::<u64>()
    }
}

impl GangNeed {
    /// The free GPU it can use on a node.
    fn usable_on(&self, masks: &[u8]) -> u64 {
        let able = masks.iter().map(|&mask| self.usable[usize::from(mask)]).filter(|&free| free > 0);
        usable(able, self.devices.min(masks.len() as u32))
    }
}
