//! First in, first out.

use super::list::{Chooser, LIST_PARAMS, Passing, waiting};
use super::registry::Knowledge;
use super::{Decision, Policy, PolicySpec, Refill, RefillReads, Repacking, View};
use crate::units::JobId;

/// First in, first out, without preemption.
///
/// * Rule: jobs start in the order of submission; nobody starts before a job ahead of it; nobody is preempted.
/// * Source: the default order of batch schedulers, as in the FIFO baseline of Narayanan et al., "Heterogeneity-Aware Cluster
///   Scheduling Policies for Deep Learning Workloads" (Gavel), OSDI 2020.
/// * Deviations: none.
/// * Complexity: O(running + started) a round.
pub const SPEC: PolicySpec = PolicySpec {
    name: "fifo",
    title: "FIFO",
    summary: "In order of arrival, no preemption; a job that does not fit holds up those behind it",
    citation: "the common default; baseline in Gavel, OSDI 2020",
    knowledge: Knowledge::None,
    params: LIST_PARAMS,
    refuses: None,
    build: Some(|params, seed| Box::new(Fifo(Chooser::new(params, seed)))),
};

struct Fifo(Chooser);

impl Policy for Fifo {
    fn decide(&mut self, view: &View<'_>, decision: &mut Decision) {
        self.0.keep_and_start(view, waiting(view), Passing::Never, decision);
    }

    fn refill_reads(&self) -> RefillReads {
        RefillReads::Waiting
    }

    fn refill(&mut self, view: &View<'_>, waiting: &[JobId], free: &mut dyn Refill) {
        self.0.refill(view, waiting.iter().copied(), Passing::Never, free);
    }

    fn repacking(&self) -> Repacking {
        Repacking::Never
    }
}
