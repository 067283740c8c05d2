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
        let mut usable: u128 = masks.iter().map(|&mask| self.usable_alone[usize::from(mask)]).sum();
        for gang in &self.gangs {
            let on_device = masks.iter().map(|&mask| gang.usable[usize::from(mask)]);
            let (able, sum) = on_device
                .fold((0u32, 0u64), |(able, sum), usable| (able + u32::from(usable > 0), sum + usable));
            if able >= gang.devices.min(masks.len() as u32) {
                usable += u128::from(sum) * u128::from(gang.jobs);
            }
        }
        usable
    }
}
