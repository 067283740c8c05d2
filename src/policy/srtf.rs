//! Shortest remaining time first.

use super::estimate::{DURATION_ERROR, DURATIONS, Estimator};
use super::list::{ByRank, Chooser, LEASE, Passing, Rank, SHARING, TYPE_CHOICE};
use super::registry::Knowledge;
use super::{Decision, Policy, PolicySpec, Refill, RefillReads, View};
use crate::units::JobId;

/// Shortest remaining time first, preemptive.
///
/// * Rule: each round jobs are served in ascending remaining time on their best type; whoever fits runs; the rest is preempted.
/// * Source: Schrage, "A Proof of the Optimality of the Shortest Remaining Processing Time Discipline", Operations Research 1968.
/// * Deviations: preempts at round boundaries only; ties go to the earlier submission. Remaining times are exact unless
///   `durations` says otherwise.
/// * Complexity: O(n log n) a round for n active jobs.
pub const SPEC: PolicySpec = PolicySpec {
    name: "srtf",
    title: "SRTF",
    summary: "Least remaining time first, preemptive; goes by run times",
    citation: "Schrage, Operations Research 1968",
    knowledge: Knowledge::RemainingWork,
    params: &[DURATIONS, DURATION_ERROR, LEASE, TYPE_CHOICE, SHARING],
    refuses: None,
    build: Some(|params, seed| {
        Box::new(Srtf {
            chooser: Chooser::new(params, seed),
            estimator: Estimator::new(params, seed),
            order: ByRank::default(),
        })
    }),
};

struct Srtf {
    chooser: Chooser,
    estimator: Estimator,
    order: ByRank,
}

impl Policy for Srtf {
    fn decide(&mut self, view: &View<'_>, decision: &mut Decision) {
        let Self { chooser, estimator, order, .. } = self;
        let rank = |job| Rank::ascending(estimator.remaining(view, job).0);
        chooser.serve_by_rank(view, order, rank, decision);
    }

    fn refill(&mut self, view: &View<'_>, waiting: &[JobId], free: &mut dyn Refill) {
        let Self { chooser, estimator, order, .. } = self;
        let startable = chooser.startable(view, waiting, free);
        order.sort(startable, |job| Rank::ascending(estimator.remaining(view, job).0));
        chooser.refill(view, order.jobs(), Passing::Always, free);
    }

    fn refill_reads(&self) -> RefillReads {
        RefillReads::Waiting
    }
}
