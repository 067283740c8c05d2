//! What policies share that serve tenants in turn: their queues, and the service each has had.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::list::{Chooser, is_full};
use super::{Decision, Params, Refill, View};
use crate::units::{JobId, TenantId, TypeId};
use crate::workload::JobOption;

/// Fractions of a unit of service that are kept when it is divided by a weight in millionths: 10^6 times the finest weight.
const FINE: i128 = 1_000_000_000_000;

/// Service over weight. A tenant without weight has had more than any other.
pub(super) fn per_weight(service: i128, weight_micro: u64) -> i128 {
    if weight_micro == 0 { i128::MAX } else { service.saturating_mul(FINE) / i128::from(weight_micro) }
}

/// A tenant's weight now, in millionths.
pub(super) fn weight(view: &View<'_>, tenant: TenantId) -> u64 {
    view.workload.tenants.get(tenant.index()).map_or(0, |tenant| tenant.weight_at(view.now))
}

/// The tenants' jobs, each tenant's in the order of submission. Memory is kept from round to round.
#[derive(Debug, Default)]
pub(super) struct Queues {
    /// The jobs, tenant after tenant.
    jobs: Vec<JobId>,
    /// For each tenant where its next job is in `jobs`, and where its jobs end.
    next: Vec<(u32, u32)>,
    /// Tenants with jobs left: what each has had, then its next job, so that ties go to who submitted first whatever the tenants
    /// are called.
    order: BinaryHeap<Reverse<(i128, JobId, TenantId)>>,
}

impl Queues {
    /// Serves tenants by progressive filling (Ghodsi et al., "Dominant Resource Fairness", NSDI 2011, Algorithm 1): over and over
    /// the tenant that has had least is given its next job that fits. `share` is what a tenant has had; `give` tries a job and
    /// says what its tenant has had with it, or `None` if the job does not fit, now or later.
    pub(super) fn fill(
        &mut self,
        jobs: impl Iterator<Item = (TenantId, JobId)> + Clone,
        share: impl Fn(TenantId) -> i128,
        mut give: impl FnMut(TenantId, JobId) -> Option<i128>,
    ) {
        self.load(jobs);
        for (tenant, &(next, end)) in (0u32..).map(TenantId).zip(&self.next) {
            if next < end {
                self.order.push(Reverse((share(tenant), self.jobs[next as usize], tenant)));
            }
        }
        while let Some(Reverse((_, _, tenant))) = self.order.pop() {
            let (next, end) = &mut self.next[tenant.index()];
            while next < end {
                let job = self.jobs[*next as usize];
                *next += 1;
                let Some(share) = give(tenant, job) else { continue };
                if next < end {
                    self.order.push(Reverse((share, self.jobs[*next as usize], tenant)));
                }
                break;
            }
        }
    }

    /// Sorts jobs by tenant, by counting.
    fn load(&mut self, jobs: impl Iterator<Item = (TenantId, JobId)> + Clone) {
        self.order.clear();
        self.next.clear();
        let mut count = 0;
        for (tenant, _) in jobs.clone() {
            if self.next.len() <= tenant.index() {
                self.next.resize(tenant.index() + 1, (0, 0));
            }
            self.next[tenant.index()].1 += 1;
            count += 1;
        }
        let mut from = 0;
        for (next, end) in &mut self.next {
            let jobs = *end;
            (*next, *end) = (from, from);
            from += jobs;
        }
        self.jobs.clear();
        self.jobs.resize(count, JobId(0));
        for (tenant, job) in jobs {
            let end = &mut self.next[tenant.index()].1;
            self.jobs[*end as usize] = job;
            *end += 1;
        }
    }
}

/// Serves tenants in turn, each its own jobs in the order of submission.
pub(super) struct InTurn {
    chooser: Chooser,
    queues: Queues,
    /// What each tenant has had, over its weight; set before tenants are served.
    pub(super) had: Vec<i128>,
}

impl InTurn {
    pub(super) fn new(params: &Params, seed: u64) -> Self {
        Self { chooser: Chooser::new(params, seed), queues: Queues::default(), had: Vec::new() }
    }

    /// Sets what each tenant has had.
    pub(super) fn set(&mut self, view: &View<'_>, had: impl Fn(TenantId) -> i128) {
        self.had.clear();
        self.had.extend((0..view.workload.tenants.len() as u32).map(|tenant| had(TenantId(tenant))));
    }

    /// Serves all active jobs from an empty cluster; `charge` is what an option counts for.
    pub(super) fn decide(
        &mut self,
        view: &View<'_>,
        decision: &mut Decision,
        charge: impl Fn(JobOption) -> i128,
    ) {
        let mut capacity = view.capacity();
        let Self { chooser, queues, had } = self;
        let jobs = view.active.iter().map(|&job| (view.job(job).tenant, job));
        let mut later = had.clone();
        queues.fill(
            jobs,
            |tenant| had[tenant.index()],
            |tenant, job| {
                if is_full(view, &capacity) {
                    return None;
                }
                let option = chooser.give(view, job, &mut capacity, decision)?;
                Some(charged(view, &mut later, tenant, charge(option)))
            },
        );
    }

    /// Starts waiting jobs inside a round.
    pub(super) fn refill(
        &mut self,
        view: &View<'_>,
        waiting: &[JobId],
        free: &mut dyn Refill,
        charge: impl Fn(JobOption) -> i128,
    ) {
        let Self { chooser, queues, had } = self;
        let jobs = waiting.iter().map(|&job| (view.job(job).tenant, job));
        let mut later = had.clone();
        queues.fill(
            jobs,
            |tenant| had[tenant.index()],
            |tenant, job| {
                if free.is_full() {
                    return None;
                }
                let option = chooser.try_start(view, job, free)?;
                Some(charged(view, &mut later, tenant, charge(option)))
            },
        );
    }
}

fn charged(view: &View<'_>, had: &mut [i128], tenant: TenantId, charge: i128) -> i128 {
    let had = &mut had[tenant.index()];
    *had = had.saturating_add(per_weight(charge, weight(view, tenant)));
    *had
}

/// What an option holds, in [`super::ATTAINED_UNITS`] a device: its service in a microsecond.
pub(super) fn held_units(view: &View<'_>, option: JobOption) -> i128 {
    super::held_units(view.cluster, option.type_id, option.slots, option.devices)
}

/// The service that tenants' jobs attain, counted as it accrues. It costs nothing for jobs that have finished.
#[derive(Debug, Default)]
pub(super) struct Service {
    /// Jobs that were active when it was counted last, with what they had attained.
    counted: Vec<(JobId, i128)>,
    /// Whether each tenant was active when [`Self::returned`] was asked last, and the time before.
    active: Vec<bool>,
    before: Vec<bool>,
}

impl Service {
    /// Counts what has accrued: `accrued` is told each job's tenant, the type it ran on, and what it attained there, in
    /// [`super::ATTAINED_UNITS`] a device-microsecond.
    pub(super) fn count(&mut self, view: &View<'_>, mut accrued: impl FnMut(TenantId, TypeId, i128)) {
        for &(job, before) in &self.counted {
            let state = view.state(job);
            let Some(option) = state.last_option.filter(|_| state.attained > before) else { continue };
            accrued(view.job(job).tenant, view.option(job, option).type_id, state.attained - before);
        }
        self.counted.clear();
        self.counted.extend(view.active.iter().map(|&job| (job, view.state(job).attained)));
    }

    /// Calls `returned` for every tenant that is active and was not when this was asked last.
    pub(super) fn returned(&mut self, view: &View<'_>, mut returned: impl FnMut(TenantId)) {
        let Self { active, before, .. } = self;
        std::mem::swap(active, before);
        active.clear();
        active.resize(view.workload.tenants.len(), false);
        for &job in view.active {
            let tenant = view.job(job).tenant;
            let was_active = before.get(tenant.index()).copied().unwrap_or(false);
            if !std::mem::replace(&mut active[tenant.index()], true) && !was_active {
                returned(tenant);
            }
        }
    }

    /// The tenants that are active and were when [`Self::returned`] was asked the time before.
    pub(super) fn stayed(&self) -> impl Iterator<Item = TenantId> + '_ {
        let both = self.active.iter().zip(&self.before).map(|(now, before)| *now && *before);
        (0u32..).map(TenantId).zip(both).filter(|&(_, stayed)| stayed).map(|(tenant, _)| tenant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K6, the example of §4.1 of the DRF paper: 9 CPUs and 18 GB, tasks of <1, 4> and <3, 1>. Shares are in eighteenths.
    #[test]
    fn progressive_filling_equalises_dominant_shares() {
        let needs = [[1u32, 4], [3, 1]];
        let mut free = [9u32, 18];
        let mut tasks = [0u32; 2];
        let jobs = (0..40).map(|task| (TenantId(task % 2), JobId(task)));
        let dominant = |tenant: usize, tasks: u32| {
            let [cpus, gigabytes] = needs[tenant].map(|need| need * tasks);
            i128::from((2 * cpus).max(gigabytes))
        };
        Queues::default().fill(
            jobs,
            |_| 0,
            |tenant, _| {
                let tenant = tenant.index();
                if free.iter().zip(needs[tenant]).any(|(free, need)| *free < need) {
                    return None;
                }
                free.iter_mut().zip(needs[tenant]).for_each(|(free, need)| *free -= need);
                tasks[tenant] += 1;
                Some(dominant(tenant, tasks[tenant]))
            },
        );
        assert_eq!(tasks, [3, 2]);
        assert_eq!([0, 1].map(|tenant| dominant(tenant, tasks[tenant])), [12, 12], "two thirds each");
        assert_eq!(free, [0, 4], "9 CPUs and 14 GB are used");
    }

    #[test]
    fn every_job_is_tried_once_and_ties_go_to_the_first_submission() {
        let mut tried = Vec::new();
        let jobs = [(2, 0), (0, 1), (2, 2), (1, 3), (0, 4)].map(|(t, j)| (TenantId(t), JobId(j)));
        Queues::default().fill(
            jobs.into_iter(),
            |_| 0,
            |tenant, job| {
                tried.push((tenant.0, job.0));
                (job.0 != 1).then_some(1)
            },
        );
        assert_eq!(tried, [(2, 0), (0, 1), (0, 4), (1, 3), (2, 2)]);
    }
}
