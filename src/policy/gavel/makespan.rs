//! Gavel: least makespan.

use super::groups::Groups;
use super::program::{Demand, Fractions, raise};
use super::remaining::{Marks, REFRESH_ROUNDS};
use super::{Gavel, Objective};
use crate::policy::estimate::{DURATION_ERROR, DURATIONS, Estimator};
use crate::policy::list::SHARING;
use crate::policy::registry::Knowledge;
use crate::policy::{Params, PolicySpec, View};

/// Least time until the last active job ends.
///
/// * Rule: the time fractions X make T least such that every job is done after T: thr_j(X) ≥ remaining_j / T; rounds follow X by
///   the priority X/f.
/// * Source: Narayanan et al., "Heterogeneity-Aware Cluster Scheduling Policies for Deep Learning Workloads", OSDI 2020, section 4.2.
/// * Deviations: Gavel bisects T to 5 %; 1/T is the variable of one linear program, which is exact. As long as jobs follow X it
///   stays optimal, so it is computed again only with other jobs, or after 10 rounds, since rounds follow X roughly. With more
///   than 64 jobs those of a class within a factor of 1.25 count as long as the longest of them. Otherwise as for `gavel-max-min`.
/// * Complexity: one linear program in groups × types variables when the jobs changed.
pub const SPEC: PolicySpec = PolicySpec {
    name: "gavel-makespan",
    title: "Gavel makespan",
    summary: "The least time until all active jobs are done: a linear program over time fractions",
    citation: "Narayanan et al., Gavel, OSDI 2020",
    knowledge: Knowledge::RemainingWork,
    params: &[DURATIONS, DURATION_ERROR, SHARING],
    refuses: None,
    build: Some(|params, seed| Box::new(Gavel::new(Makespan::new(params, seed), params, seed))),
};

pub(super) struct Makespan {
    estimator: Estimator,
    marks: Marks,
}

impl Makespan {
    pub(super) fn new(params: &Params, seed: u64) -> Self {
        Self { estimator: Estimator::new(params, seed), marks: Marks::default() }
    }
}

impl Objective for Makespan {
    fn group(&mut self, view: &View<'_>, groups: &mut Groups) {
        let estimator = &mut self.estimator;
        self.marks.update(view, |job| estimator.remaining(view, job).as_reference_secs());
        groups.fill(view, |job| self.marks.of(job));
    }

    fn is_stale(&self, rounds: u64) -> bool {
        rounds >= REFRESH_ROUNDS
    }

    fn fractions(&mut self, view: &View<'_>, groups: &mut Groups) -> Option<Fractions> {
        let mut demands = Vec::with_capacity(groups.list.len());
        for group in &groups.list {
            let mut longest: f64 = 1e-3;
            for &job in &group.jobs {
                longest = longest.max(self.estimator.remaining(view, job).as_reference_secs());
            }
            demands.push(Demand::Rises(longest));
        }
        raise(view.cluster, groups, &demands).map(|raised| raised.fractions)
    }
}
