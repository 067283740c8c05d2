//! Round robin.

use super::list::{Chooser, LIST_PARAMS, Passing};
use super::registry::{Knowledge, serves_all};
use super::{Decision, Policy, PolicySpec, Refill, RefillReads, View};
use crate::units::JobId;

/// Round robin over jobs.
///
/// * Rule: each round waiting jobs come first, longest wait first, then running jobs, longest run first; whoever fits runs.
/// * Source: the classic time-sharing discipline; Gandiva (Xiao et al., OSDI 2018) time-slices jobs the same way.
/// * Deviations: preempts at round boundaries only, and only when somebody waits.
/// * Complexity: O(n log n) a round for n active jobs.
pub const SPEC: PolicySpec = PolicySpec {
    name: "round-robin",
    title: "Round robin",
    summary: "Everybody in turn, a round each; needs no run times",
    citation: "classic time sharing; compare Xiao et al., Gandiva, OSDI 2018",
    knowledge: Knowledge::None,
    params: LIST_PARAMS,
    refuses: serves_all,
    build: Some(|params, seed| {
        Box::new(RoundRobin { chooser: Chooser::new(params, seed), order: Vec::new() })
    }),
};

struct RoundRobin {
    chooser: Chooser,
    order: Vec<JobId>,
}

impl RoundRobin {
    fn sort(&mut self, view: &View<'_>, jobs: &[JobId]) {
        self.order.clear();
        self.order.extend_from_slice(jobs);
        self.order.sort_by_key(|&job| {
            let state = view.state(job);
            (state.held.is_some(), state.changed, job)
        });
    }
}

impl Policy for RoundRobin {
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
