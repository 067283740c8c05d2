//! First in, first out, with backfill.

use super::list::{Chooser, LIST_PARAMS, Passing, waiting};
use super::registry::Knowledge;
use super::{Decision, Policy, PolicySpec, Refill, RefillReads, Repacking, View};
use crate::units::JobId;

/// First in, first out, with aggressive backfill and without reservations.
///
/// * Rule: jobs are tried in the order of submission; whoever fits starts; nobody is preempted.
/// * Source: backfilling as in Mu'alem and Feitelson, "Utilization, Predictability, Workloads, and User Runtime Estimates in
///   Scheduling the IBM SP2 with Backfilling", IEEE TPDS 2001, without the reservation for the head of the queue.
/// * Deviations: large gangs have no reservation and can wait long.
/// * Complexity: O(active) a round.
pub const SPEC: PolicySpec = PolicySpec {
    name: "fifo-backfill",
    title: "FIFO + backfill",
    summary: "In order of arrival, no preemption; whoever fits passes those who do not",
    citation: "backfill without reservations; compare Mu'alem and Feitelson, TPDS 2001",
    knowledge: Knowledge::None,
    params: LIST_PARAMS,
    refuses: None,
    build: Some(|params, seed| Box::new(FifoBackfill(Chooser::new(params, seed)))),
};

struct FifoBackfill(Chooser);

impl Policy for FifoBackfill {
    fn decide(&mut self, view: &View<'_>, decision: &mut Decision) {
        self.0.keep_and_start(view, waiting(view), Passing::Always, decision);
    }

    fn refill_reads(&self) -> RefillReads {
        RefillReads::Waiting
    }

    fn refill(&mut self, view: &View<'_>, waiting: &[JobId], free: &mut dyn Refill) {
        self.0.refill(view, waiting.iter().copied(), Passing::Always, free);
    }

    fn repacking(&self) -> Repacking {
        Repacking::Never
    }
}
