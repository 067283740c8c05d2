//! From time fractions to rounds.
//!
//! A job's priority on a type is X/f: the fraction X of its time that it should spend there over the fraction f that it has spent
//! there. Both are taken since the job arrived, X as the mean of the fractions that were in force, since the fractions change
//! whenever jobs come and go, and who fell behind under the last ones is still behind. As in Gavel a job is taken to have spent
//! half a round on every type to begin with. Each round all pairs of job and type are walked in descending priority (ties: who is
//! owed more time, then the greater fraction, then the earlier job), whoever fits runs, and what is left over goes to jobs that
//! were passed over, in the same order.

use crate::cluster::capacity::Capacity;
use crate::policy::list::{Chooser, Passing, fits, is_full, take};
use crate::policy::{Decision, Grant, Params, Refill, View};
use crate::units::JobId;

use super::groups::Groups;
use super::program::Fractions;

/// Fractions below this are taken for zero: they are what a solver leaves of it.
const NOTHING: f64 = 1e-6;

/// What a job is owed and has had of a type, in rounds.
#[derive(Debug, Clone, Copy, Default)]
struct Account {
    owed: f64,
    had: f64,
}

/// A job on a type.
#[derive(Debug, Clone, Copy)]
struct Claim {
    priority: f64,
    deficit: f64,
    fraction: f64,
    job: JobId,
    group: u32,
    choice: u16,
}

/// The mechanism, with its memory.
pub(super) struct Rounds {
    types: usize,
    /// By job and type.
    accounts: Vec<Account>,
    claims: Vec<Claim>,
    /// Jobs that have been met while a list is walked, by job; all false in between.
    is_met: Vec<bool>,
    /// The jobs that the walk over claims leaves without a grant, with their groups, in the order in which they are served.
    passed_over: Vec<(JobId, u32)>,
    granted: Vec<Grant>,
    /// The last job that had arrived at the round's boundary.
    newest: Option<JobId>,
    chooser: Chooser,
}

impl Rounds {
    pub(super) fn new(params: &Params, seed: u64) -> Self {
        Self {
            types: 0,
            accounts: Vec::new(),
            claims: Vec::new(),
            is_met: Vec::new(),
            passed_over: Vec::new(),
            granted: Vec::new(),
            newest: None,
            chooser: Chooser::new(params, seed),
        }
    }

    /// Decides a round.
    pub(super) fn decide(
        &mut self,
        view: &View<'_>,
        groups: &Groups,
        fractions: &Fractions,
        decision: &mut Decision,
    ) {
        self.types = view.cluster.types().len();
        self.accounts.resize(view.states.len() * self.types, Account::default());
        self.is_met.resize(view.states.len(), false);
        self.newest = view.active.last().copied();
        self.take_back(view);
        self.rank(groups, fractions);
        let mut room = view.capacity();
        self.serve(groups, &mut room, decision);
        self.pass_over(groups);
        self.fill_up(view, groups, &mut room, decision);
        self.enter(view, decision);
    }

    /// A grant of the last round that found no place on devices was not had.
    fn take_back(&mut self, view: &View<'_>) {
        for grant in &self.granted {
            let state = view.state(grant.job);
            if state.finish.is_none() && state.held.map(|held| held.option) != Some(grant.option) {
                let type_id = view.option(grant.job, grant.option).type_id;
                self.accounts[grant.job.index() * self.types + type_id.index()].had -= 1.0;
            }
        }
    }

    /// Owes every job its fractions of the coming round and ranks the claims.
    fn rank(&mut self, groups: &Groups, fractions: &Fractions) {
        self.claims.clear();
        for (at, (group, row)) in groups.list.iter().zip(fractions).enumerate() {
            for (choice, (taken, &fraction)) in group.choices.iter().zip(row).enumerate() {
                if fraction < NOTHING {
                    continue;
                }
                for &job in &group.jobs {
                    let account = &mut self.accounts[job.index() * self.types + taken.held.type_id.index()];
                    account.owed += fraction;
                    self.claims.push(Claim {
                        priority: account.owed / (account.had + 0.5),
                        deficit: account.owed - account.had,
                        fraction,
                        job,
                        group: at as u32,
                        choice: choice as u16,
                    });
                }
            }
        }
        self.claims.sort_unstable_by(|a, b| {
            b.priority
                .total_cmp(&a.priority)
                .then(b.deficit.total_cmp(&a.deficit))
                .then(b.fraction.total_cmp(&a.fraction))
                .then(a.job.cmp(&b.job))
                .then(a.choice.cmp(&b.choice))
        });
    }

    /// Walks the claims; whoever fits runs.
    fn serve(&mut self, groups: &Groups, room: &mut Capacity, decision: &mut Decision) {
        for claim in &self.claims {
            let choice = groups.list[claim.group as usize].choices[usize::from(claim.choice)];
            let is_met = &mut self.is_met[claim.job.index()];
            if !*is_met && fits(room, choice.held) {
                take(room, choice.held);
                decision.grants.push(Grant { job: claim.job, option: choice.option });
                *is_met = true;
            }
        }
    }

    /// Lists who got nothing: in the order of claims, then those without a claim, by group.
    fn pass_over(&mut self, groups: &Groups) {
        self.passed_over.clear();
        let claiming = self.claims.iter().map(|claim| (claim.job, claim.group));
        let others = groups.list.iter().enumerate();
        let others = others.flat_map(|(at, group)| group.jobs.iter().map(move |&job| (job, at as u32)));
        for (job, group) in claiming.chain(others) {
            let is_met = &mut self.is_met[job.index()];
            if !*is_met {
                *is_met = true;
                self.passed_over.push((job, group));
            }
        }
        for group in &groups.list {
            for job in &group.jobs {
                self.is_met[job.index()] = false;
            }
        }
    }

    /// Gives what is left over to who was passed over, each on the fastest type that is free.
    fn fill_up(&self, view: &View<'_>, groups: &Groups, room: &mut Capacity, decision: &mut Decision) {
        for &(job, group) in &self.passed_over {
            if is_full(view, room) {
                return;
            }
            let free = groups.list[group as usize].choices.iter().filter(|choice| fits(room, choice.held));
            if let Some(best) = free.reduce(|a, b| if b.rate > a.rate { b } else { a }) {
                take(room, best.held);
                decision.grants.push(Grant { job, option: best.option });
            }
        }
    }

    /// Enters what the round gives.
    fn enter(&mut self, view: &View<'_>, decision: &Decision) {
        for grant in &decision.grants {
            let type_id = view.option(grant.job, grant.option).type_id;
            self.accounts[grant.job.index() * self.types + type_id.index()].had += 1.0;
        }
        self.granted.clear();
        self.granted.extend_from_slice(&decision.grants);
    }

    /// Starts waiting jobs inside a round: those passed over at its boundary in their order, then those whose grant found no place,
    /// then who arrived since.
    pub(super) fn refill(&mut self, view: &View<'_>, waiting: &[JobId], free: &mut dyn Refill) {
        let since = waiting.partition_point(|&job| Some(job) <= self.newest);
        let known = self.passed_over.iter().map(|&(job, _)| job);
        let known = known.chain(self.granted.iter().map(|grant| grant.job));
        let waits = |job: &JobId| view.state(*job).held.is_none() && view.state(*job).finish.is_none();
        let order = known.filter(waits).chain(waiting[since..].iter().copied());
        self.chooser.refill(view, order, Passing::Always, free);
    }
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::super::tests::World;
    use super::*;
    use crate::policy::Held;
    use crate::policy::list::Sharing;

    /// Rounds of each job on each type after every ten rounds.
    fn realise(fractions: &Fractions, tens: usize) -> Vec<Vec<Vec<f64>>> {
        let (jobs, types) = (fractions.len(), fractions[0].len());
        let job = (vec![1.0; types], 1, 1e9, 0.0);
        let mut world = World::new(&vec![1; types], &vec![job; jobs]);
        let mut rounds = Rounds::new(&Params::default(), 0);
        let mut had = vec![vec![0.0; types]; jobs];
        let mut after = Vec::new();
        for round in 0..10 * tens as u64 {
            let view = world.view(round);
            let mut groups = Groups::new(Sharing::Off);
            groups.fill(&view, |_| 0);
            let mut decision = Decision::default();
            rounds.decide(&view, &groups, fractions, &mut decision);
            let now = view.now;
            for state in &mut world.states {
                state.held = None;
            }
            let mut is_used = vec![false; types];
            for grant in &decision.grants {
                let job = grant.job.index();
                assert!(world.states[job].held.is_none(), "one device a job");
                assert!(
                    !std::mem::replace(&mut is_used[usize::from(grant.option)], true),
                    "one job a device"
                );
                let taken = world.view(round).option(grant.job, grant.option);
                world.states[job].held = Some(Held { option: grant.option, since: now, taken });
                had[job][usize::from(grant.option)] += 1.0;
            }
            if round % 10 == 9 {
                after.push(had.clone());
            }
        }
        after
    }

    #[test]
    fn gavels_example_gets_its_fractions_within_a_round() {
        let x = vec![vec![0.6, 0.4, 0.0], vec![0.2, 0.6, 0.2], vec![0.2, 0.0, 0.8]];
        let after = realise(&x, 20);
        for (tens, had) in after.iter().enumerate() {
            for (had, x) in had.iter().flatten().zip(x.iter().flatten()) {
                let due = x * 10.0 * (tens + 1) as f64;
                assert!((had - due).abs() <= 1.0 + 1e-9, "after {} rounds {had} of {due}", 10 * (tens + 1));
            }
        }
        assert_eq!(after[0], [[6.0, 4.0, 0.0], [2.0, 6.0, 2.0], [2.0, 0.0, 8.0]]);
    }

    #[test]
    fn fractions_that_leave_nothing_idle_are_realised_within_a_round() {
        let x = vec![vec![5.0 / 11.0, 0.0], vec![5.0 / 11.0, 1.0 / 11.0], vec![1.0 / 11.0, 10.0 / 11.0]];
        for (tens, had) in realise(&x, 30).iter().enumerate() {
            for (had, x) in had.iter().flatten().zip(x.iter().flatten()) {
                assert!((had - x * 10.0 * (tens + 1) as f64).abs() <= 1.0 + 1e-9, "{had} {x}");
            }
        }
    }
}
