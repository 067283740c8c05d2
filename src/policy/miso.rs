//! Partitions chosen for the jobs on each GPU (MISO).

use super::list::{Chooser, Sharing, TYPE_CHOICE};
use super::registry::Knowledge;
use super::{Cluster, Decision, Grant, Params, Policy, PolicySpec, Refill, RefillReads, View};
use crate::cluster::Layout;
use crate::cluster::capacity::MAX_RESOURCES;
use crate::units::{JobId, TypeId};
use crate::workload::{BoundWorkload, JobOption};

/// Per-GPU partitions: the jobs that share a GPU get the partition in which they run fastest in sum.
///
/// * Rule: jobs of one GPU are taken in the order of submission; each goes to the GPU with the fewest jobs on which every job still
///   finds a slice that holds it; on every GPU whose jobs changed, of all partitions into as many instances and all ways to deal them
///   out, the one with the largest sum of speeds is taken, of equals the one that changes fewest jobs. Jobs stay on their GPU.
/// * Source: Li et al., "MISO: Exploiting Multi-Instance GPU Capability on Multi-Tenant GPU Clusters", SoCC 2022, and its artifact.
/// * Deviations: speeds in slices are known, where MISO predicts them from MPS. Partitions change at round boundaries; inside a round
///   a job starts in what a GPU has left. Which device a GPU of this rule is, is left to placement. Gangs, which MISO does not
///   have, take whole GPUs.
///   When devices leave service or come back, jobs are dealt out anew at the next boundary.
/// * Complexity: O(waiting · GPUs) a round, and a search over at most some hundred ways to deal out a partition for each GPU whose
///   jobs changed.
pub const SPEC: PolicySpec = PolicySpec {
    name: "miso",
    title: "MISO",
    summary: "Each GPU cut as its jobs run fastest in sum, new jobs on the GPU with fewest; for clusters with MIG",
    citation: "Li et al., MISO, SoCC 2022",
    knowledge: Knowledge::None,
    params: &[TYPE_CHOICE],
    refuses: Some(refuses),
    build: Some(|params, seed| {
        Box::new(Miso {
            chooser: Chooser::sharing(params, seed, Sharing::Elastic),
            in_service: Vec::new(),
            gpus: Vec::new(),
            home: Vec::new(),
            placed: Vec::new(),
            refused: Vec::new(),
        })
    }),
};

fn refuses(cluster: &Cluster, _: &BoundWorkload, _: &Params) -> Option<String> {
    let has_mig = cluster.types().iter().any(|gpu| matches!(gpu.layout, Layout::Mig(_)));
    (!has_mig)
        .then(|| "a cluster with a GPU type of the layout \"mig\", which this policy partitions".to_owned())
}

/// A job on a GPU, and the option it has there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Guest {
    job: JobId,
    option: u16,
    /// Its smallest option there.
    least: u16,
}

#[derive(Debug, Clone)]
struct Gpu {
    type_id: TypeId,
    guests: Vec<Guest>,
    has_changed: bool,
}

struct Miso {
    chooser: Chooser,
    /// Devices of each type in service.
    in_service: Vec<u32>,
    /// Those devices, type after type.
    gpus: Vec<Gpu>,
    /// The GPUs that each job is on; several for a gang.
    home: Vec<Vec<u32>>,
    /// Jobs that are on a GPU, in the order in which they came.
    placed: Vec<JobId>,
    /// Classes that found no GPU in this decision.
    refused: Vec<bool>,
}

/// Resources of one device that options take.
fn usage(view: &View<'_>, option: JobOption) -> [u32; MAX_RESOURCES] {
    view.cluster.gpu_type(option.type_id).geometry.usage(option.slice(), 1)
}

/// Whether options fit on one device together.
fn fit_together(view: &View<'_>, type_id: TypeId, options: impl Iterator<Item = JobOption>) -> bool {
    let mut used = [0; MAX_RESOURCES];
    for option in options {
        used.iter_mut().zip(usage(view, option)).for_each(|(used, more)| *used += more);
    }
    let capacity = view.cluster.gpu_type(type_id).geometry.capacity(1);
    used.iter().zip(capacity).all(|(used, all)| *used <= all)
}

impl Miso {
    /// Deals the GPUs out anew if there are others than before.
    fn recount(&mut self, view: &View<'_>) {
        if self.in_service == view.in_service {
            return;
        }
        self.in_service = view.in_service.to_vec();
        self.gpus.clear();
        for (type_id, &devices) in view.cluster.type_ids().zip(view.in_service) {
            let gpu = Gpu { type_id, guests: Vec::new(), has_changed: false };
            self.gpus.extend(std::iter::repeat_n(gpu, devices as usize));
        }
        self.home.clear();
        self.home.resize(view.states.len(), Vec::new());
        self.placed.clear();
    }

    /// Forgets the jobs that have finished.
    fn clean(&mut self, view: &View<'_>) {
        let Self { gpus, home, placed, .. } = self;
        placed.retain(|&job| {
            let stays = view.state(job).finish.is_none();
            if !stays {
                for gpu in std::mem::take(&mut home[job.index()]) {
                    let gpu = &mut gpus[gpu as usize];
                    gpu.guests.retain(|guest| guest.job != job);
                    gpu.has_changed = true;
                }
            }
            stays
        });
        self.refused.clear();
        self.refused.resize(view.workload.classes.len(), false);
    }

    /// The GPUs for a job: the one with the fewest jobs that `takes` its smallest option there, on the type first in the job's order;
    /// for several devices the first empty ones of a type.
    fn find(
        &mut self,
        view: &View<'_>,
        job: JobId,
        takes: impl Fn(&Gpu, Guest) -> Option<u16>,
    ) -> Option<(Guest, Vec<u32>)> {
        let Self { chooser, gpus, .. } = self;
        let mut best: Option<(usize, Guest, u32)> = None;
        for &least in chooser.ranked(view, job, |_| 0) {
            let option = view.option(job, least);
            let of_type = (0u32..).zip(&*gpus).filter(|(_, gpu)| gpu.type_id == option.type_id);
            let guest = Guest { job, option: least, least };
            if option.devices > 1 {
                let empty = of_type.filter(|(_, gpu)| gpu.guests.is_empty()).map(|(index, _)| index);
                let chosen: Vec<u32> = empty.take(option.devices as usize).collect();
                if chosen.len() == option.devices as usize {
                    return Some((guest, chosen));
                }
                continue;
            }
            for (index, gpu) in of_type {
                let load = gpu.guests.len();
                if best.as_ref().is_some_and(|&(fewest, _, _)| load >= fewest) {
                    continue;
                }
                if let Some(option) = takes(gpu, guest) {
                    best = Some((load, Guest { option, ..guest }, index));
                }
            }
        }
        best.map(|(_, guest, index)| (guest, vec![index]))
    }

    fn admit(&mut self, guest: Guest, gpus: Vec<u32>) {
        for &gpu in &gpus {
            self.gpus[gpu as usize].guests.push(guest);
            self.gpus[gpu as usize].has_changed = true;
        }
        self.home[guest.job.index()] = gpus;
        self.placed.push(guest.job);
    }
}

/// Whether a GPU is held by a gang, whose whole devices are not cut.
fn is_whole(view: &View<'_>, gpu: &Gpu) -> bool {
    gpu.guests.iter().any(|guest| view.option(guest.job, guest.least).devices > 1)
}

/// The guest's smallest option, if all guests fit with theirs.
fn smallest(view: &View<'_>, gpu: &Gpu, guest: Guest) -> Option<u16> {
    let least = |guest: &Guest| view.option(guest.job, guest.least);
    let all = gpu.guests.iter().chain([&guest]).map(least);
    (!is_whole(view, gpu) && fit_together(view, gpu.type_id, all)).then_some(guest.least)
}

/// The guest's fastest option beside what the others have.
fn beside(view: &View<'_>, gpu: &Gpu, guest: Guest) -> Option<u16> {
    if is_whole(view, gpu) {
        return None;
    }
    let others = || gpu.guests.iter().map(|other| view.option(other.job, other.option));
    let options = view.class(guest.job).options.iter().zip(0u16..);
    let of_type = options.filter(|(option, _)| option.type_id == gpu.type_id && option.devices == 1);
    let fitting = of_type.filter(|(option, _)| fit_together(view, gpu.type_id, others().chain([**option])));
    fitting.max_by_key(|(option, _)| (option.rate, std::cmp::Reverse(option.slots))).map(|(_, index)| index)
}

/// The best partition of a GPU among its guests.
struct Search<'a> {
    view: &'a View<'a>,
    guests: &'a [Guest],
    type_id: TypeId,
    left: [u32; MAX_RESOURCES],
    chosen: Vec<u16>,
    /// Sum of speeds, guests that keep their option, and the options.
    best: Option<(u64, u32, Vec<u16>)>,
}

impl Search<'_> {
    fn deal(&mut self, speed: u64, kept: u32) {
        let Some(&guest) = self.guests.get(self.chosen.len()) else {
            if self.best.as_ref().is_none_or(|best| (speed, kept) > (best.0, best.1)) {
                self.best = Some((speed, kept, self.chosen.clone()));
            }
            return;
        };
        let held = self.view.state(guest.job).held.map(|held| held.option);
        for (option, index) in self.view.class(guest.job).options.iter().zip(0u16..) {
            if option.type_id != self.type_id || option.devices != 1 {
                continue;
            }
            let needs = usage(self.view, *option);
            if self.left.iter().zip(needs).any(|(left, need)| *left < need) {
                continue;
            }
            self.left.iter_mut().zip(needs).for_each(|(left, need)| *left -= need);
            self.chosen.push(index);
            self.deal(speed + u64::from(option.rate.0), kept + u32::from(held == Some(index)));
            self.chosen.pop();
            self.left.iter_mut().zip(needs).for_each(|(left, need)| *left += need);
        }
    }
}

impl Policy for Miso {
    fn decide(&mut self, view: &View<'_>, decision: &mut Decision) {
        self.recount(view);
        self.clean(view);
        for &job in view.active {
            let class = view.job(job).class.index();
            if self.refused[class] || !self.home[job.index()].is_empty() {
                continue;
            }
            match self.find(view, job, |gpu, guest| smallest(view, gpu, guest)) {
                Some((guest, gpus)) => self.admit(guest, gpus),
                None => self.refused[class] = true,
            }
        }
        for gpu in &mut self.gpus {
            if !std::mem::take(&mut gpu.has_changed) || is_whole(view, gpu) {
                continue;
            }
            let left = view.cluster.gpu_type(gpu.type_id).geometry.capacity(1);
            let (guests, type_id) = (&gpu.guests[..], gpu.type_id);
            let mut search = Search { view, guests, type_id, left, chosen: Vec::new(), best: None };
            search.deal(0, 0);
            if let Some((_, _, options)) = search.best {
                gpu.guests.iter_mut().zip(options).for_each(|(guest, option)| guest.option = option);
            }
        }
        for &job in &self.placed {
            let gpu = self.home[job.index()].first().and_then(|&gpu| self.gpus.get(gpu as usize));
            let guest = gpu.and_then(|gpu| gpu.guests.iter().find(|guest| guest.job == job));
            decision.grants.extend(guest.map(|guest| Grant { job, option: guest.option }));
        }
    }

    fn refill(&mut self, view: &View<'_>, waiting: &[JobId], free: &mut dyn Refill) {
        if self.in_service != view.in_service {
            return;
        }
        self.clean(view);
        for &job in waiting {
            let class = view.job(job).class.index();
            // A job that found no position on devices at the boundary is on a GPU of this rule already.
            if self.refused[class] || !self.home[job.index()].is_empty() {
                continue;
            }
            if free.is_full() {
                return;
            }
            match self.find(view, job, |gpu, guest| beside(view, gpu, guest)) {
                Some((guest, gpus)) if free.try_start(job, guest.option) => self.admit(guest, gpus),
                _ => self.refused[class] = true,
            }
        }
    }

    fn refill_reads(&self) -> RefillReads {
        RefillReads::Waiting
    }
}
