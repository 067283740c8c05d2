//! Round robin.

use super::list::{Chooser, LEASE, Passing, SHARING, TYPE_CHOICE};
use super::registry::Knowledge;
use super::{Decision, Policy, PolicySpec, Refill, RefillReads, SHARE_UNITS, Share, View};
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
    params: &[LEASE, TYPE_CHOICE, SHARING],
    refuses: None,
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

    /// Processor sharing: every job has an equal share of every type that it can use, less where it would have more than all of its
    /// time (as "isolated" in Gavel).
    fn shares(&mut self, view: &View<'_>, shares: &mut Vec<Share>) -> bool {
        let types = view.cluster.types().len();
        let mut sharers = vec![0u64; types];
        for &job in view.active {
            for (k, whole) in view.class(job).whole.iter().enumerate() {
                sharers[k] += u64::from(whole.is_some());
            }
        }
        for &job in view.active {
            let whole =
                view.class(job).whole.iter().enumerate().filter_map(|(k, whole)| whole.map(|o| (k, o)));
            let mine: Vec<(u16, u64)> = whole
                .map(|(k, option)| {
                    let devices = u64::from(view.option(job, option).devices).max(1) * sharers[k];
                    let of_time =
                        u128::from(SHARE_UNITS) * u128::from(view.in_service[k]) / u128::from(devices);
                    (option, of_time as u64)
                })
                .collect();
            let total: u128 = mine.iter().map(|&(_, of_time)| u128::from(of_time)).sum();
            let most = total.max(u128::from(SHARE_UNITS));
            shares.extend(mine.into_iter().map(|(option, of_time)| {
                let of_time = (u128::from(of_time) * u128::from(SHARE_UNITS) / most) as u64;
                Share { job, option, of_time }
            }));
        }
        true
    }

    fn refill_reads(&self) -> RefillReads {
        RefillReads::Waiting
    }

    fn refill(&mut self, view: &View<'_>, waiting: &[JobId], free: &mut dyn Refill) {
        self.sort(view, waiting);
        self.chooser.refill(view, self.order.iter().copied(), Passing::Always, free);
    }
}
