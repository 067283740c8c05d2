//! AlloX: the least mean completion time by assigning jobs to places in the queues of workers.

mod queues;

use super::estimate::{DURATION_ERROR, DURATIONS, Estimator};
use super::param::{ParamKind, ParamSpec};
use super::registry::Knowledge;
use super::{Cluster, Decision, Grant, Params, Policy, PolicySpec, Refill, Repacking, View};
use crate::units::{JobId, TypeId};
use crate::workload::BoundWorkload;
pub use queues::{Place, queue};

/// The assignment of waiting jobs to free workers that makes the sum of completion times least.
///
/// * Rule: waiting jobs are assigned to (worker, position from the end of its queue) at cost position × run time on the worker's
///   type, at the least total cost; the first job of every worker's queue starts and keeps its worker until it ends, all others
///   are assigned anew.
/// * Source: Le et al., "AlloX: Compute Allocation in Hybrid Clusters", EuroSys 2020; `alpha` as in Gavel's version of it.
/// * Deviations: jobs of one GPU only; whole devices. Only free workers are assigned to, as in Gavel's version. Equal free workers
///   are one column a position, see [`queue`]; that is the same assignment.
/// * Complexity: O(n log n) when one type is free, else O(n · s · c · (n + c)) for n jobs, c columns and the s columns that the
///   search for a job's place settles, mostly one.
pub const SPEC: PolicySpec = PolicySpec {
    name: "allox",
    title: "AlloX",
    summary: "Least mean completion time by an assignment to places in queues; one-GPU jobs, no preemption",
    citation: "Le et al., AlloX, EuroSys 2020",
    knowledge: Knowledge::RemainingWork,
    params: &[
        ParamSpec {
            name: "alpha",
            title: "Part of jobs considered",
            unit: None,
            kind: ParamKind::Number { default: Some(1.0), min: 0.0, max: 1.0 },
            help: "The part of the waiting jobs, oldest first, that is assigned; at least as many as workers are free. Less than \
                   1 is fairer to the oldest.",
        },
        DURATIONS,
        DURATION_ERROR,
    ],
    refuses: Some(refuse_gangs),
    build: Some(|params, seed| Box::new(AlloX::new(params, seed))),
};

/// AlloX has no place for a job that needs several workers.
fn refuse_gangs(cluster: &Cluster, workload: &BoundWorkload, _: &Params) -> Option<String> {
    let gangs =
        workload.jobs.iter().filter(|job| workload.class_of(job).options.iter().all(|o| o.devices > 1));
    let sliced = workload
        .jobs
        .iter()
        .filter(|job| {
            let class = workload.class_of(job);
            cluster.type_ids().all(|k| class.whole[k.index()].is_none())
                && class.options.iter().any(|o| o.devices == 1)
        })
        .count();
    match (gangs.count(), sliced) {
        (0, 0) => None,
        (0, sliced) => {
            Some(format!("GPUs on which every job fits as a whole device ({sliced} jobs have none)"))
        }
        (gangs, _) => Some(format!(
            "jobs of one GPU each, since it assigns a job to one device ({gangs} ask for several)"
        )),
    }
}

struct AlloX {
    alpha: f64,
    estimator: Estimator,
    /// Scratch: run times in seconds, by job considered and type.
    times: Vec<Vec<f64>>,
}

impl AlloX {
    fn new(params: &Params, seed: u64) -> Self {
        Self { alpha: params.number("alpha"), estimator: Estimator::new(params, seed), times: Vec::new() }
    }

    /// The jobs that start, with their types, when `free` workers of each type are free.
    fn start(&mut self, view: &View<'_>, waiting: &[JobId], free: &[u32]) -> Vec<(JobId, TypeId)> {
        let workers: u32 = free.iter().sum();
        if workers == 0 {
            return Vec::new();
        }
        let considered = ((self.alpha * waiting.len() as f64).ceil() as usize).max(workers as usize);
        let jobs = &waiting[..considered.min(waiting.len())];
        self.times.clear();
        for &job in jobs {
            let remaining = self.estimator.remaining(view, job).as_reference_secs();
            let class = view.class(job);
            let time = |k: TypeId| {
                let rate =
                    class.whole[k.index()].map_or(0.0, |o| class.options[usize::from(o)].rate.as_f64());
                if rate > 0.0 { remaining / rate } else { f64::INFINITY }
            };
            self.times.push(view.cluster.type_ids().map(time).collect());
        }
        first_of_queues(&self.times, free).into_iter().map(|(row, k)| (jobs[row], TypeId(k as u16))).collect()
    }
}

/// Who is first in the queues of `free` workers of each type, with the type; by row.
fn first_of_queues(times: &[Vec<f64>], free: &[u32]) -> Vec<(usize, usize)> {
    let places = queue(times, free);
    let mut first = Vec::new();
    for (k, &free) in free.iter().enumerate() {
        // The last position is served first. Of the jobs at one position the shortest are those whose workers have no longer queue.
        let mut here: Vec<(usize, usize)> = places
            .iter()
            .enumerate()
            .filter_map(|(row, place)| place.filter(|place| place.type_index == k).map(|p| (row, p.position)))
            .collect();
        here.sort_by(|a, b| b.1.cmp(&a.1).then(times[a.0][k].total_cmp(&times[b.0][k])).then(a.0.cmp(&b.0)));
        first.extend(here.into_iter().take(free as usize).map(|(row, _)| (row, k)));
    }
    first.sort_unstable();
    first
}

impl Policy for AlloX {
    fn decide(&mut self, view: &View<'_>, decision: &mut Decision) {
        let mut room = view.capacity();
        let mut waiting = Vec::new();
        for &job in view.active {
            match view.state(job).held {
                Some(held) => {
                    let option = view.option(job, held.option);
                    room.take(option.type_id, option.slice(), option.devices);
                    decision.grants.push(Grant { job, option: held.option });
                }
                None => waiting.push(job),
            }
        }
        let free: Vec<u32> = view.cluster.type_ids().map(|k| room.free_devices_upper(k)).collect();
        for (job, type_id) in self.start(view, &waiting, &free) {
            if let Some(option) = view.class(job).whole[type_id.index()] {
                decision.grants.push(Grant { job, option });
            }
        }
    }

    fn refill(&mut self, view: &View<'_>, waiting: &[JobId], free: &mut dyn Refill) {
        let workers: Vec<u32> = view.cluster.type_ids().map(|k| free.free_devices(k)).collect();
        for (job, type_id) in self.start(view, waiting, &workers) {
            if let Some(option) = view.class(job).whole[type_id.index()] {
                free.try_start(job, option);
            }
        }
    }

    fn repacking(&self) -> Repacking {
        Repacking::Never
    }
}
