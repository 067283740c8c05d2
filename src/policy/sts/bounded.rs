//! A feasible decision with a proven bound, at any size, without tables.
//!
//! Prices for resources and floors (Lagrangian multipliers) bound the optimum from above; the choice that is best at those
//! prices, made feasible by the cheapest single switches and then filled up, is a solution from below. For many more jobs than
//! resources and binding floors the two are close, because only so many jobs are fractional in the linear relaxation.
//!
//! The solution never is worse than what the tenants could do with their own shares: it meets the floors those prove, or is that
//! very solution, filled up.

mod dual;
mod exchange;
mod flat;
mod primal;

use std::ops::Range;

use self::dual::{IDLE, Part, Prices, Search};
use self::flat::Flat;
use self::primal::Draft;
use super::program::{Program, Solution, Status};

/// The name of this method in proofs.
pub const METHOD: &str = "bounded";

/// Price steps without prices from an earlier round, and with them.
const COLD_ROUNDS: u32 = 100;
const WARM_ROUNDS: u32 = 40;

/// The solver, with prices kept from round to round and buffers.
#[derive(Debug, Clone, Default)]
pub struct Bounded {
    flat: Flat,
    search: Search,
    draft: Draft,
    /// Choices that meet the floors, by job.
    shares: Vec<u32>,
    main: Prices,
    own: Vec<Prices>,
    weight: Vec<i64>,
    floor: Vec<i64>,
    ones: Vec<i64>,
    zeros: Vec<i64>,
}

/// What is known of one tenant's floor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Floor {
    /// Reached by a solution.
    pub value: i64,
    /// Not exceeded by any.
    pub bound: i64,
    /// Options examined.
    pub states: u64,
}

impl Bounded {
    /// Takes in a program; the following calls are about it. Prices found for earlier programs are a start for this one.
    pub fn load(&mut self, program: &Program) {
        self.flat.load(program);
        self.weight.clear();
        self.weight.extend(program.tenants.iter().map(|tenant| tenant.weight));
        self.ones.resize(program.tenants.len(), 1);
        self.zeros.resize(program.tenants.len(), 0);
        self.shares.clear();
        self.shares.resize(program.jobs.len(), IDLE);
        self.own.resize(program.tenants.len(), Prices::default());
    }

    /// Multiplies all kept prices, when the values of the next program are in another unit.
    pub fn rescale(&mut self, factor: f64) {
        for prices in self.own.iter_mut().chain([&mut self.main]) {
            for price in &mut prices.resource {
                *price *= factor;
            }
        }
    }

    /// What one tenant's jobs can be worth inside its share; `jobs` are its jobs.
    pub fn floor(&mut self, tenant: usize, jobs: &Range<usize>, share: &[u32]) -> Floor {
        let part = Part { flat: &self.flat, jobs, capacity: share, weight: &self.ones, floor: &self.zeros };
        let prices = &mut self.own[tenant];
        let rounds = if prices.resource.is_empty() { COLD_ROUNDS } else { WARM_ROUNDS };
        let (bound, states) = self.search.improve(&part, prices, rounds);
        self.draft.at_prices(&part, prices);
        self.draft.repair(&part, prices);
        self.draft.fill(&part, prices);
        self.draft.exchange(&part, prices);
        self.shares[jobs.clone()].copy_from_slice(&self.draft.choice[jobs.clone()]);
        Floor {
            value: self.draft.worth[tenant],
            bound: i64::try_from(bound).unwrap_or(i64::MAX),
            states: states + self.draft.states,
        }
    }

    /// A value that one tenant's jobs reach inside its share, at the prices kept from earlier.
    pub fn floor_from_below(&mut self, tenant: usize, jobs: &Range<usize>, share: &[u32]) -> i64 {
        let part = Part { flat: &self.flat, jobs, capacity: share, weight: &self.ones, floor: &self.zeros };
        let prices = &mut self.own[tenant];
        prices.fit(&part);
        self.draft.at_prices(&part, prices);
        self.draft.repair(&part, prices);
        self.draft.fill(&part, prices);
        self.draft.worth[tenant]
    }

    /// Notes a choice of some jobs that meets their tenant's floor inside its share.
    pub fn keep(&mut self, program: &Program, jobs: &Range<usize>, choice: &[Option<u16>]) {
        for (job, &option) in jobs.clone().zip(choice) {
            let kept = option.and_then(|option| self.flat.find(program, job, option));
            self.shares[job] = kept.map_or(IDLE, |option| option as u32);
        }
    }

    /// Solves the program that was loaded; `None` if no choice was found that meets the floors, which cannot happen when each
    /// floor is the value that [`Self::floor`] reached and the shares fit together.
    pub fn solve(&mut self, program: &Program) -> Option<Solution> {
        self.floor.clear();
        self.floor.extend(program.tenants.iter().map(|tenant| tenant.floor));
        let jobs = 0..program.jobs.len();
        let part = Part {
            flat: &self.flat,
            jobs: &jobs,
            capacity: &program.capacity,
            weight: &self.weight,
            floor: &self.floor,
        };
        let rounds = if self.main.resource.is_empty() { COLD_ROUNDS } else { WARM_ROUNDS };
        let (bound, mut states) = self.search.improve(&part, &mut self.main, rounds);
        self.draft.at_prices(&part, &self.main);
        if !self.draft.repair(&part, &self.main) {
            states += self.draft.states;
            self.draft.choice.clone_from(&self.shares);
            self.draft.resume(&part, &self.main);
        }
        self.draft.fill(&part, &self.main);
        self.draft.exchange(&part, &self.main);
        states += self.draft.states;
        if !self.draft.is_feasible(&part) {
            return None;
        }
        let index = |&option: &u32| (option != IDLE).then(|| self.flat.index[option as usize]);
        let choice: Vec<_> = self.draft.choice.iter().map(index).collect();
        let objective = program.objective(&choice);
        let status = if objective >= bound { Status::Optimal } else { Status::Feasible };
        Some(Solution { status, choice, objective, bound: bound.max(objective), states, method: METHOD })
    }
}
