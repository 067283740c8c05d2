//! The steps by which a round's program is solved: the cheapest one that proves optimality, else a bounded one.
//!
//! 1. `uncontended`: every job's best option fits, which is optimal at once.
//! 2. `dynamic program`: the dense exact program, if its tables stay within the budget.
//! 3. `bounded`: a feasible decision and a proven bound.
//!
//! The budget is a count of table expansions, never a time, so that every machine takes the same step.

use std::ops::Range;

use super::bounded::{Bounded, Floor};
use super::dense::{self, Floors, Outcome};
use super::program::{Program, ProgramJob, ProgramOption, ProgramTenant, Solution, Status};

/// The name of the first step in proofs.
pub const UNCONTENDED: &str = "uncontended";

/// Appended knowledge: the floors held are what solutions inside the quotas reach, not proven to be the most.
const BOUNDED_FLOORS: &str = "bounded, floors from below";

/// One part in this many of the budget may be spent on exact floors when the round itself is too large for tables.
const FLOOR_SHARE: u64 = 16;

/// The solver of rounds. Keeps buffers, and prices that are a good start for the next round.
#[derive(Debug, Clone, Default)]
pub struct Ladder {
    budget: u64,
    bounded: Bounded,
    jobs: Vec<Range<usize>>,
    /// The program of one tenant, and a choice for it.
    one: Program,
    choice: Vec<Option<u16>>,
}

impl Ladder {
    /// A ladder that spends at most about `budget` expansions a round on tables.
    #[must_use]
    pub fn new(budget: u64) -> Self {
        Self { budget, ..Self::default() }
    }

    /// Tells that values of the next program are `factor` times what they would have been in the last one's unit.
    pub fn rescale(&mut self, factor: f64) {
        self.bounded.rescale(factor);
    }

    /// Solves a program with the floors it has by the steps that prove optimality; `None` if they would exceed the budget.
    pub fn solve_exactly(&mut self, program: &Program) -> Option<Solution> {
        if let Some(solution) = uncontended(program) {
            return Some(solution);
        }
        match dense::solve(program, Floors::Given, self.budget) {
            Outcome::Solved { solution, .. } => Some(solution),
            Outcome::OverBudget { .. } => None,
        }
    }

    /// Solves a program with the floors it has; `None` if no feasible choice was found and none was proven not to exist, which
    /// can only happen with floors beyond what shares that fit together give.
    pub fn solve(&mut self, program: &Program) -> Option<Solution> {
        if let Some(solution) = uncontended(program) {
            return Some(solution);
        }
        let states = match dense::solve(program, Floors::Given, self.budget) {
            Outcome::Solved { solution, .. } => return Some(solution),
            Outcome::OverBudget { states } => states,
        };
        self.bounded.load(program);
        let mut solution = self.bounded.solve(program)?;
        solution.states += states;
        Some(solution)
    }

    /// Sets every tenant's floor to what its jobs can be worth inside its share and solves the program. `shares` are amounts of
    /// every resource, tenant by tenant, that fit together.
    ///
    /// When every job's best option fits, floors that would need a search are left at a value reached inside the share: they
    /// cannot bind.
    pub fn solve_round(&mut self, program: &mut Program, shares: &[Vec<u32>]) -> Option<Solution> {
        self.find_jobs(program);
        for tenant in &mut program.tenants {
            tenant.floor = 0;
        }
        if let Some(solution) = uncontended(program) {
            self.floors_from_below(program, shares);
            return Some(solution);
        }
        let mut states = match dense::solve(program, Floors::OfShares(shares), self.budget) {
            Outcome::Solved { solution, floors } => {
                for (tenant, floor) in program.tenants.iter_mut().zip(floors) {
                    tenant.floor = floor;
                }
                return Some(solution);
            }
            Outcome::OverBudget { states } => states,
        };
        self.bounded.load(program);
        let mut proven = true;
        let served = self.jobs.iter().filter(|jobs| !jobs.is_empty()).count() as u64;
        let budget = self.budget / FLOOR_SHARE / served.max(1);
        for tenant in 0..program.tenants.len() {
            if self.jobs[tenant].is_empty() {
                continue;
            }
            let floor = self.floor(program, tenant, share_of(shares, tenant), budget);
            program.tenants[tenant].floor = floor.value;
            proven &= floor.value >= floor.bound;
            states += floor.states;
        }
        let mut solution = self.bounded.solve(program)?;
        solution.states += states;
        if !proven {
            solution.method = BOUNDED_FLOORS;
        }
        Some(solution)
    }

    /// One tenant's floor: exactly if its best options fit the share or small tables do, else bounded.
    fn floor(&mut self, program: &Program, tenant: usize, share: &[u32], budget: u64) -> Floor {
        let jobs = self.jobs[tenant].clone();
        self.one.capacity.clear();
        self.one.capacity.extend_from_slice(share);
        if let Some(value) = self.whole_worth(program, &jobs) {
            self.bounded.keep(program, &jobs, &self.choice);
            return Floor { value, bound: value, states: jobs.len() as u64 };
        }
        self.one.capacity.copy_from_slice(share);
        let mut states = 0;
        if dense::expansions(share, &program.jobs[jobs.clone()]) <= budget {
            self.one.tenants.clear();
            self.one.tenants.push(ProgramTenant { weight: 1, floor: 0 });
            self.one.jobs.resize_with(jobs.len(), || ProgramJob { tenant: 0, options: Vec::new() });
            for (copy, job) in self.one.jobs.iter_mut().zip(&program.jobs[jobs.clone()]) {
                copy.options.clone_from(&job.options);
            }
            match dense::solve(&self.one, Floors::Given, budget) {
                Outcome::Solved { solution, .. } => {
                    let value = i64::try_from(solution.objective).unwrap_or(i64::MAX);
                    self.bounded.keep(program, &jobs, &solution.choice);
                    return Floor { value, bound: value, states: solution.states };
                }
                Outcome::OverBudget { states: spent } => states = spent,
            }
        }
        let mut floor = self.bounded.floor(tenant, &jobs, share);
        floor.states += states;
        floor
    }

    /// Floors of a round in which they cannot bind, as values reached inside the shares.
    fn floors_from_below(&mut self, program: &mut Program, shares: &[Vec<u32>]) {
        let mut loaded = false;
        for tenant in 0..program.tenants.len() {
            let jobs = self.jobs[tenant].clone();
            let share = share_of(shares, tenant);
            self.one.capacity.clear();
            self.one.capacity.extend_from_slice(share);
            let floor = match self.whole_worth(program, &jobs) {
                Some(value) => value,
                None => {
                    if !loaded {
                        self.bounded.load(program);
                        loaded = true;
                    }
                    self.bounded.floor_from_below(tenant, &jobs, share)
                }
            };
            program.tenants[tenant].floor = floor;
        }
    }

    /// What the best options of some jobs are worth together, if they fit the capacity of `one`, which is used up. Leaves them in
    /// `choice`.
    fn whole_worth(&mut self, program: &Program, jobs: &Range<usize>) -> Option<i64> {
        let mut value = 0;
        self.choice.clear();
        for job in &program.jobs[jobs.clone()] {
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

    /// The jobs of every tenant: jobs are ordered by tenant.
    fn find_jobs(&mut self, program: &Program) {
        self.jobs.clear();
        let mut start = 0;
        for tenant in 0..program.tenants.len() {
            let count = program.jobs[start..].iter().take_while(|job| job.tenant as usize == tenant).count();
            self.jobs.push(start..start + count);
            start += count;
        }
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
