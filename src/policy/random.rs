//! Random order.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::list::{Chooser, LIST_PARAMS, Passing, waiting};
use super::registry::Knowledge;
use super::{Decision, Policy, PolicySpec, Refill, RefillReads, Repacking, View};
use crate::units::JobId;

/// Random order, without preemption.
///
/// * Rule: whenever something is free, waiting jobs are tried in an order drawn at random from the run's seed; whoever fits starts;
///   nobody is preempted.
/// * Source: the customary yardstick of what an order is worth; random service is the discipline of Palm, "Waiting Times with
///   Random Served Queue", Tele 1957.
/// * Deviations: none.
/// * Complexity: O(n) a round for n waiting jobs.
pub const SPEC: PolicySpec = PolicySpec {
    name: "random",
    title: "Random",
    summary: "Waiting jobs in random order, no preemption; what an order is worth shows against it",
    citation: "random service, Palm, Tele 1957",
    knowledge: Knowledge::None,
    params: LIST_PARAMS,
    refuses: None,
    build: Some(|params, seed| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        // Types drawn at random have the first stream.
        rng.set_stream(1);
        Box::new(Random { chooser: Chooser::new(params, seed), lottery: Lottery { rng, left: Vec::new() } })
    }),
};

struct Random {
    chooser: Chooser,
    lottery: Lottery,
}

/// Draws jobs one after the other, only as many as are asked for.
struct Lottery {
    rng: ChaCha8Rng,
    left: Vec<JobId>,
}

impl Iterator for Lottery {
    type Item = JobId;

    fn next(&mut self) -> Option<JobId> {
        let left = self.left.len() as u64;
        (left > 0).then(|| self.left.swap_remove((self.rng.next_u64() % left) as usize))
    }
}

impl Lottery {
    fn among(&mut self, jobs: impl Iterator<Item = JobId>) -> &mut Self {
        self.left.clear();
        self.left.extend(jobs);
        self
    }
}

impl Policy for Random {
    fn decide(&mut self, view: &View<'_>, decision: &mut Decision) {
        let order = self.lottery.among(waiting(view));
        self.chooser.keep_and_start(view, order, Passing::Always, decision);
    }

    fn refill(&mut self, view: &View<'_>, waiting: &[JobId], free: &mut dyn Refill) {
        let order = self.lottery.among(waiting.iter().copied());
        self.chooser.refill(view, order, Passing::Always, free);
    }

    fn repacking(&self) -> Repacking {
        Repacking::Never
    }

    fn refill_reads(&self) -> RefillReads {
        RefillReads::Waiting
    }
}
