//! EASY backfill.

use super::estimate::Estimator;
use super::list::{Chooser, KNOWING_LIST_PARAMS, fits, free_beside_running, is_full, take, waiting};
use super::registry::Knowledge;
use super::{Decision, Grant, Policy, PolicySpec, Refill, Repacking, View};
use crate::cluster::capacity::Capacity;
use crate::units::{JobId, SimSpan, SimTime, TypeId};
use crate::workload::JobOption;

/// First in, first out, with backfill that never delays the head of the queue.
///
/// * Rule: jobs start in the order of submission; the first that does not fit gets a reservation on the type where it can start
///   soonest, going by the estimated ends of the jobs there; those behind it start if they end before the reservation, or use
///   only what it leaves; nobody is preempted.
/// * Source: Lifka, "The ANL/IBM SP Scheduling System", JSSPP 1995; Mu'alem and Feitelson, "Utilization, Predictability,
///   Workloads, and User Runtime Estimates in Scheduling the IBM SP2 with Backfilling", IEEE TPDS 2001.
/// * Run times: the limit that a job asked for, where the trace has one; else its work as `durations` says it is known.
/// * Deviations: with several types the reservation is on one of them, and jobs on others are free to start. Slices are counted,
///   so that a reservation of a slice can be missed where no device has a position for it. With boundary `idle` a reservation is
///   kept at the boundary after it.
/// * Complexity: O(running · log running + waiting) a round and event.
pub const SPEC: PolicySpec = PolicySpec {
    name: "easy",
    title: "EASY backfill",
    summary: "In order of arrival, no preemption; others pass only if the first in the queue is not delayed by it",
    citation: "Lifka, JSSPP 1995; Mu'alem and Feitelson, TPDS 2001",
    knowledge: Knowledge::RemainingWork,
    params: KNOWING_LIST_PARAMS,
    refuses: None,
    build: Some(|params, seed| {
        Box::new(Easy {
            chooser: Chooser::new(params, seed),
            estimator: Estimator::new(params, seed),
            ends: Vec::new(),
        })
    }),
};

struct Easy {
    chooser: Chooser,
    estimator: Estimator,
    /// Jobs that run, by estimated end.
    ends: Vec<(SimTime, JobOption)>,
}

/// What the head of the queue is promised.
struct Reservation {
    type_id: TypeId,
    at: SimTime,
    /// What is free at that moment beside the head, jobs that started since counted.
    beside: Capacity,
}

impl Easy {
    /// Starts waiting jobs; `place` takes an option for a job and says whether it found a position.
    fn start(
        &mut self,
        view: &View<'_>,
        queue: impl Iterator<Item = JobId>,
        mut place: impl FnMut(JobId, u16) -> bool,
    ) {
        let mut free = free_beside_running(view);
        let mut head: Option<Reservation> = None;
        self.ends.clear();
        for job in queue {
            if is_full(view, &free) {
                return;
            }
            let ranked = self.chooser.ranked(view, job, |type_id| free.free_devices_upper(type_id));
            let mut candidates = ranked.iter().map(|&index| (index, view.option(job, index)));
            let started = candidates.find(|&(index, option)| {
                let delays_head = head.as_ref().is_some_and(|head| {
                    option.type_id == head.type_id
                        && end(view, &self.estimator, job, option) > head.at
                        && !fits(&head.beside, option)
                });
                fits(&free, option) && !delays_head && place(job, index)
            });
            match (started, &mut head) {
                (Some((_, option)), Some(head)) => {
                    take(&mut free, option);
                    if option.type_id == head.type_id && end(view, &self.estimator, job, option) > head.at {
                        take(&mut head.beside, option);
                    }
                }
                (Some((_, option)), None) => {
                    take(&mut free, option);
                    self.ends.push((end(view, &self.estimator, job, option), option));
                }
                (None, None) => head = self.reserve(view, job, &free),
                (None, Some(_)) => {}
            }
        }
    }

    /// Where and when a job that does not fit now will.
    fn reserve(&mut self, view: &View<'_>, job: JobId, free: &Capacity) -> Option<Reservation> {
        let Self { chooser, estimator, ends } = self;
        ends.extend(view.active.iter().filter_map(|&job| {
            let option = view.option(job, view.state(job).held?.option);
            Some((end(view, estimator, job, option), option))
        }));
        ends.sort_by_key(|&(end, _)| end);
        let mut best: Option<Reservation> = None;
        let ranked = chooser.ranked(view, job, |type_id| free.free_devices_upper(type_id));
        for option in ranked.iter().map(|&index| view.option(job, index)) {
            let mut beside = free.clone();
            let mut at = view.now;
            for &(end, ended) in ends.iter().filter(|(_, held)| held.type_id == option.type_id) {
                if end > at && fits(&beside, option) {
                    break;
                }
                at = at.max(end);
                beside.give(ended.type_id, ended.slice(), ended.devices);
            }
            if fits(&beside, option) && best.as_ref().is_none_or(|best| at < best.at) {
                take(&mut beside, option);
                best = Some(Reservation { type_id: option.type_id, at, beside });
            }
        }
        best
    }
}

/// When a job that runs with `option`, or starts with it now, is taken to end: at the limit it asked for where the trace has one
/// that it has not outrun, else by its estimated work.
fn end(view: &View<'_>, estimator: &Estimator, job: JobId, option: JobOption) -> SimTime {
    let state = view.state(job);
    let since = state.held.map_or(view.now, |held| held.since);
    let first = state.first_start.is_none_or(|first| first == since);
    let ready = since + if first { view.start_cost } else { view.restore_cost };
    match view.job(job).limit {
        Some(limit) if since + limit > view.now => since + limit,
        _ => {
            let remaining = estimator.remaining(view, job);
            ready.max(view.now) + remaining.time_at(option.rate).unwrap_or(SimSpan(i64::MAX))
        }
    }
}

impl Policy for Easy {
    fn decide(&mut self, view: &View<'_>, decision: &mut Decision) {
        for &job in view.active {
            decision.grants.extend(view.state(job).held.map(|held| Grant { job, option: held.option }));
        }
        self.start(view, waiting(view), |job, option| {
            decision.grants.push(Grant { job, option });
            true
        });
    }

    fn refill(&mut self, view: &View<'_>, waiting: &[JobId], free: &mut dyn Refill) {
        self.start(view, waiting.iter().copied(), |job, option| free.try_start(job, option));
    }

    fn repacking(&self) -> Repacking {
        Repacking::Never
    }
}
