//! Shortest job first.

use super::estimate::Estimator;
use super::list::{ByRank, Chooser, KNOWING_LIST_PARAMS, Passing, Rank, waiting};
use super::registry::Knowledge;
use super::{Decision, Policy, PolicySpec, Refill, RefillReads, Repacking, View};
use crate::units::JobId;

/// Shortest job first, without preemption.
///
/// * Rule: whenever something is free, waiting jobs are tried in ascending run time on their best type; whoever fits starts;
///   nobody is preempted.
/// * Source: Smith, "Various Optimizers for Single-Stage Production", Naval Research Logistics Quarterly 1956, for one machine;
///   the SJF baselines of Weng et al., "MLaaS in the Wild", NSDI 2022, for clusters.
/// * Deviations: a gang that does not fit is passed by those behind it and can wait long. The size of a gang plays no part in the
///   order.
/// * Complexity: O(n log n) a round for n waiting jobs.
pub const SPEC: PolicySpec = PolicySpec {
    name: "sjf",
    title: "SJF",
    summary: "Shortest job first, no preemption; goes by run times",
    citation: "Smith, Naval Research Logistics 1956; baseline in Weng et al., NSDI 2022",
    knowledge: Knowledge::RemainingWork,
    params: KNOWING_LIST_PARAMS,
    refuses: None,
    build: Some(|params, seed| {
        Box::new(Sjf {
            chooser: Chooser::new(params, seed),
            estimator: Estimator::new(params, seed),
            order: ByRank::default(),
            waiting: Vec::new(),
        })
    }),
};

struct Sjf {
    chooser: Chooser,
    estimator: Estimator,
    order: ByRank,
    /// Scratch.
    waiting: Vec<JobId>,
}

impl Policy for Sjf {
    fn decide(&mut self, view: &View<'_>, decision: &mut Decision) {
        let Self { chooser, estimator, order, waiting: jobs } = self;
        jobs.clear();
        jobs.extend(waiting(view));
        order.sort(jobs, |job| Rank::ascending(estimator.remaining(view, job).0));
        chooser.keep_and_start(view, order.jobs(), Passing::Always, decision);
    }

    fn refill(&mut self, view: &View<'_>, waiting: &[JobId], free: &mut dyn Refill) {
        let Self { chooser, estimator, order, .. } = self;
        let startable = chooser.startable(view, waiting, free);
        order.sort(startable, |job| Rank::ascending(estimator.remaining(view, job).0));
        chooser.refill(view, order.jobs(), Passing::Always, free);
    }

    fn repacking(&self) -> Repacking {
        Repacking::Never
    }

    fn refill_reads(&self) -> RefillReads {
        RefillReads::Waiting
    }
}
