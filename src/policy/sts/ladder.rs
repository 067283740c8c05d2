//! The steps by which a round's program is solved: the cheapest one that proves optimality, else what is left of the budget.
//!
//! 1. `uncontended`: every job's best option fits, which is optimal at once.
//! 2. [`loss-budget`](super::budget): the exact program at scale, first for every tenant's floor, then for the round. What it cannot
//!    prove within its limits it answers with a feasible decision and a proven bound; there always is one, because what the
//!    tenants can do inside their own shares fits together.
//!
//! [`Method::Dense`] puts the [textbook tables](super::dense) between the two, for small clusters and as a second opinion.
//!
//! The budget is a count of expansions (options tried in states), never a time, so that every machine takes the same step.

use super::budget::{Limits, Prices, Solver, Ties};
use super::dense::{self, Floors, Outcome};
use super::program::{Program, ProgramJob, ProgramOption, ProgramTenant, Solution, Status};

/// The name of the first step in proofs.
pub const UNCONTENDED: &str = "uncontended";

/// In proofs: the floors held are what solutions inside the quotas reach, not proven to be the most.
const FLOORS_FROM_BELOW: &str = "loss-budget, floors from below";

/// States kept in one run of the loss-budget program: about 100 MB at most.
const KEPT_STATES: usize = 3_000_000;

/// One part in this many of the expansions may go into one menu.
const MENU_SHARE: u64 = 2;

/// Expansions for a floor that cannot bind.
const SHOWN_FLOOR: u64 = 100_000;

/// Which exact program comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// The loss-budget program.
    #[default]
    LossBudget,
    /// Dense tables as far as the budget allows, then the loss-budget program.
    Dense,
}

/// The solver of rounds. Keeps buffers, and prices that are a good start for the next round.
#[derive(Debug, Default)]
pub struct Ladder {
    budget: u64,
    method: Method,
    solver: Solver,
    /// Prices of the last program with floors and without.
    prices: Option<Prices>,
    free_prices: Option<Prices>,
    /// Prices inside every tenant's share.
    own_prices: Vec<Option<Prices>>,
    /// The program of one tenant, and a choice for it.
    one: Program,
    choice: Vec<Option<u16>>,
    /// What all tenants can do inside their shares.
    known: Vec<Option<u16>>,
}

/// One tenant's floor.
struct Floor {
    value: i64,
    is_proven: bool,
    states: u64,
    spent: u64,
}

impl Ladder {
    /// A ladder that spends at most about `budget` expansions a round.
    #[must_use]
    pub fn new(budget: u64) -> Self {
        Self::with_method(budget, Method::default())
    }

    /// A ladder with a first exact program of choice.
    #[must_use]
    pub fn with_method(budget: u64, method: Method) -> Self {
        Self { budget, method, ..Self::default() }
    }

    /// Tells that values of the next program are `factor` times what they would have been in the last one's unit.
    pub fn rescale(&mut self, factor: f64) {
        let kept = [&mut self.prices, &mut self.free_prices].into_iter().chain(&mut self.own_prices);
        for prices in kept.flatten() {
            prices.rescale(factor);
        }
    }

    /// Solves a program without floors, or with floors of its own, by the steps that prove optimality; `None` if they would
    /// exceed the budget.
    pub fn solve_exactly(&mut self, program: &Program) -> Option<Solution> {
        if let Some(solution) = uncontended(program) {
            return Some(solution);
        }
        let limits = limits(self.budget);
        let solution = self.solver.solve_from(program, &limits, &mut self.free_prices, None)?;
        (solution.status != Status::Feasible).then_some(solution)
    }

    /// Solves a program with the floors it has; `None` if no feasible choice was found and none was proven not to exist, which
    /// can only happen with floors beyond what shares that fit together give.
    pub fn solve(&mut self, program: &Program) -> Option<Solution> {
        if let Some(solution) = uncontended(program) {
            return Some(solution);
        }
        if self.method == Method::Dense
            && let Outcome::Solved { solution, .. } = dense::solve(program, Floors::Given, self.budget)
        {
            return Some(solution);
        }
        self.known.clear();
        self.known.resize(program.jobs.len(), None);
        self.solver.solve_from(program, &limits(self.budget), &mut self.prices, Some(&self.known))
    }

    /// Sets every tenant's floor to what its jobs can be worth inside its share and solves the program. `shares` are amounts of
    /// every resource, tenant by tenant, that fit together.
    ///
    /// When every job's best option fits, floors cannot bind and are only searched for a little: they may then be less than what
    /// the share is worth.
    pub fn solve_round(&mut self, program: &mut Program, shares: &[Vec<u32>]) -> Option<Solution> {
        for tenant in &mut program.tenants {
            tenant.floor = 0;
        }
        if let Some(solution) = uncontended(program) {
            for tenant in 0..program.tenants.len() {
                program.tenants[tenant].floor =
                    self.floor(program, tenant, share_of(shares, tenant), SHOWN_FLOOR).value;
            }
            return Some(solution);
        }
        if self.method == Method::Dense
            && let Outcome::Solved { solution, floors } =
                dense::solve(program, Floors::OfShares(shares), self.budget)
        {
            for (tenant, floor) in program.tenants.iter_mut().zip(floors) {
                tenant.floor = floor;
            }
            return Some(solution);
        }
        let (mut states, mut left, mut proven) = (0, self.budget, true);
        self.known.clear();
        for tenant in 0..program.tenants.len() {
            // Half of the budget is for the floors; what one does not need is left to the others.
            let others = (program.tenants.len() - tenant) as u64;
            let for_floors = left.saturating_sub(self.budget / 2);
            let floor = self.floor(program, tenant, share_of(shares, tenant), for_floors / others);
            program.tenants[tenant].floor = floor.value;
            proven &= floor.is_proven;
            states += floor.states;
            left = left.saturating_sub(floor.spent);
            self.known.append(&mut self.choice);
        }
        let mut solution =
            self.solver.solve_from(program, &limits(left), &mut self.prices, Some(&self.known))?;
        solution.states += states;
        if !proven {
            solution.method = FLOORS_FROM_BELOW;
        }
        Some(solution)
    }

    /// One tenant's floor; leaves a choice that reaches it in `choice`.
    fn floor(&mut self, program: &Program, tenant: usize, share: &[u32], budget: u64) -> Floor {
        let jobs = program.jobs_of(tenant);
        self.one.capacity.clear();
        self.one.capacity.extend_from_slice(share);
        if let Some(value) = self.whole_worth(jobs) {
            return Floor { value, is_proven: true, states: jobs.len() as u64, spent: 0 };
        }
        self.one.capacity.copy_from_slice(share);
        self.one.tenants.clear();
        self.one.tenants.push(ProgramTenant { weight: 1, floor: 0 });
        self.one.jobs.resize_with(jobs.len(), || ProgramJob { tenant: 0, options: Vec::new() });
        for (copy, job) in self.one.jobs.iter_mut().zip(jobs) {
            copy.options.clone_from(&job.options);
        }
        self.choice.clear();
        self.choice.resize(self.one.jobs.len(), None);
        self.own_prices.resize(program.tenants.len(), None);
        let prices = &mut self.own_prices[tenant];
        let known = std::mem::take(&mut self.choice);
        let limits = Limits { ties: Ties::Any, ..limits(budget) };
        match self.solver.solve_from(&self.one, &limits, prices, Some(&known)) {
            Some(solution) => {
                self.choice = solution.choice;
                Floor {
                    value: i64::try_from(solution.objective).unwrap_or(i64::MAX),
                    is_proven: solution.status == Status::Optimal,
                    states: solution.states,
                    spent: self.solver.spent(),
                }
            }
            // More resources than the solver takes: nothing is known but that idling is possible.
            None => {
                self.choice = known;
                Floor { value: 0, is_proven: false, states: 0, spent: 0 }
            }
        }
    }

    /// What the best options of some jobs are worth together, if they fit the capacity of `one`, which is used up. Leaves them in
    /// `choice`.
    fn whole_worth(&mut self, jobs: &[ProgramJob]) -> Option<i64> {
        let mut value = 0;
        self.choice.clear();
        for job in jobs {
            let best = best(&job.options);
            if let Some((_, option)) = &best {
                if !take(&mut self.one.capacity, option) {
                    return None;
                }
                value += option.value;
            }
            self.choice.push(best.map(|(i, _)| i as u16));
        }
        Some(value)
    }
}

/// Limits that spend at most `expansions`.
fn limits(expansions: u64) -> Limits {
    Limits {
        expansions,
        kept_states: KEPT_STATES,
        menu_expansions: expansions / MENU_SHARE,
        ties: Ties::PreferKept,
    }
}

fn share_of(shares: &[Vec<u32>], tenant: usize) -> &[u32] {
    shares.get(tenant).map_or(&[], Vec::as_slice)
}

/// Takes what an option uses from what is free; `false`, and nothing usable left, if it does not fit.
fn take(free: &mut [u32], option: &ProgramOption) -> bool {
    option.usage.amounts().all(|(resource, amount)| {
        let left = free.get(resource).and_then(|free| free.checked_sub(amount));
        if let (Some(free), Some(left)) = (free.get_mut(resource), left) {
            *free = left;
        }
        left.is_some()
    })
}

/// The option a job takes when nothing is scarce: the most valuable; of equals the one it holds, then the fewest slots, then the
/// first.
fn best(options: &[ProgramOption]) -> Option<(usize, ProgramOption)> {
    let better =
        |a: &ProgramOption, b: &ProgramOption| (a.value, a.keeps, b.slots) > (b.value, b.keeps, a.slots);
    let mut best: Option<(usize, &ProgramOption)> = None;
    for (i, option) in options.iter().enumerate().filter(|(_, option)| option.value > 0) {
        if best.is_none_or(|(_, other)| better(option, other)) {
            best = Some((i, option));
        }
    }
    best.map(|(i, option)| (i, *option))
}

/// The solution in which every job has its best option, if that fits. It is optimal, and meets every floor that can be met.
fn uncontended(program: &Program) -> Option<Solution> {
    let mut free = program.capacity.clone();
    let mut choice = Vec::with_capacity(program.jobs.len());
    for job in &program.jobs {
        let best = best(&job.options);
        if let Some((_, option)) = &best
            && !take(&mut free, option)
        {
            return None;
        }
        choice.push(best.map(|(i, _)| i as u16));
    }
    let states = program.jobs.len() as u64;
    let worth = program.tenant_values(&choice);
    if program.tenants.iter().zip(&worth).any(|(tenant, &worth)| worth < tenant.floor) {
        choice.clear();
        return Some(Solution {
            status: Status::Infeasible,
            choice,
            objective: 0,
            bound: 0,
            states,
            method: UNCONTENDED,
        });
    }
    let objective = program.objective(&choice);
    Some(Solution {
        status: Status::Optimal,
        choice,
        objective,
        bound: objective,
        states,
        method: UNCONTENDED,
    })
}
