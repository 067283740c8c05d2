//! Shortest remaining time first.

use super::list::{Chooser, LIST_PARAMS, Passing};
use super::registry::{Knowledge, serves_all};
use super::{Decision, Policy, PolicySpec, Refill, RefillReads, View};
use crate::units::JobId;

/// Shortest remaining time first, preemptive.
///
/// * Rule: each round jobs are served in ascending remaining time on their best type; whoever fits runs; the rest is preempted.
/// * Source: Schrage, "A Proof of the Optimality of the Shortest Remaining Processing Time Discipline", Operations Research 1968.
/// * Deviations: preempts at round boundaries only; knows remaining times exactly; ties go to the earlier submission.
/// * Complexity: O(n log n) a round for n active jobs.
pub const SPEC: PolicySpec = PolicySpec {
    name: "srtf",
    title: "SRTF",
    summary: "Least remaining time first, preemptive; knows run times exactly",
    citation: "Schrage, Operations Research 1968",
    knowledge: Knowledge::RemainingWork,
    params: LIST_PARAMS,
    refuses: serves_all,
    build: Some(|params, seed| Box::new(Srtf { chooser: Chooser::new(params, seed), order: Vec::new() })),
};

struct Srtf {
    chooser: Chooser,
    order: Vec<JobId>,
}

impl Srtf {
    fn sort(&mut self, view: &View<'_>, jobs: &[JobId]) {
        self.order.clear();
        self.order.extend_from_slice(jobs);
        self.order.sort_by_key(|&job| (view.state(job).remaining, job));
    }
}

impl Policy for Srtf {
    fn decide(&mut self, view: &View<'_>, decision: &mut Decision) {
        self.sort(view, view.active);
        self.chooser.serve(view, self.order.iter().copied(), Passing::Always, decision);
    }

    fn refill_reads(&self) -> RefillReads {
        RefillReads::Waiting
    }

    fn refill(&mut self, view: &View<'_>, waiting: &[JobId], free: &mut dyn Refill) {
        self.sort(view, waiting);
        self.chooser.refill(view, self.order.iter().copied(), Passing::Always, free);
    }
}
