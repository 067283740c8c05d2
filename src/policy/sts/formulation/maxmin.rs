//! F3, lexicographic max-min: the worst-served tenant first.
//!
//! A tenant's *level* is `(F_u + V_u(x_u)) / W_u`: what it was given in all its rounds so far and in this one, over its weight summed
//! over those rounds (`w_u * elapsed` where the weight is constant). `F_u` adds up the values of the decisions, in the metric of the
//! objective and in a unit that does not change from round to round ([`Quantum::lasting`]); only in that metric is a floor on the
//! level a floor of the exact program. With objective `throughput` it is service in reference GPUs.
//!
//! A round raises the least level as far as it goes, by bisection, with the exact program as the judge; the tenants that stay there
//! keep it as their floor, and the others are raised further, until nobody is left. Then efficiency is maximised under these floors.
//! The least level is the greatest possible. Where several tenants could rise above a level but not all of them together, which of
//! them stay is decided in their order, so that further up the levels need not be lexicographically greatest.
//!
//! Levels are counted in [`SCALE`] of a value over the largest weight, and weights rounded to as many parts.

use crate::policy::sts::ladder::{Ladder, UNCONTENDED};
use crate::policy::sts::program::{Program, Solution, Status};
use crate::policy::sts::quota::Claim;
use crate::policy::sts::value::Quantum;

/// Every level, and the optimum under the floors they are, are proven.
pub const PROVEN: &str = "max-min, dynamic program";

/// A level may not be the greatest, or the decision not the best under the floors.
pub const NOT_PROVEN: &str = "max-min, bounded";

/// What a search without an answer is taken to have spent on every job.
const UNDECIDED_STATES: u64 = 256;

/// Bits behind the point of a level.
const SCALE_BITS: u32 = 40;

/// Parts in which levels are counted.
pub const SCALE: i128 = 1 << SCALE_BITS;

/// What every tenant was given so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MaxMin {
    /// By tenant, as lasting worths.
    given: Vec<i128>,
    /// By tenant: its weight summed over its rounds.
    weights: Vec<u128>,
}

/// A tenant whose level counts.
#[derive(Debug, Clone, Copy)]
struct Ranked {
    tenant: usize,
    given: i128,
    weight: i128,
}

/// The search for the levels of one round.
struct Search<'s> {
    ladder: &'s mut Ladder,
    program: &'s mut Program,
    ranked: Vec<Ranked>,
    /// What the best decision found so far gives, by tenant; it meets the floors of the program.
    choice: Vec<Option<u16>>,
    values: Vec<i64>,
    states: u64,
    budget: u64,
    proven: bool,
}

impl MaxMin {
    /// Decides a round: leaves the levels as floors in the program; also returns the decision without floors. `within` are values,
    /// by tenant, that all tenants can have together: a start for the search, which spends about `budget` expansions. `None` if the
    /// solver has no answer, which cannot happen where idling is allowed.
    pub fn solve(
        &mut self,
        ladder: &mut Ladder,
        program: &mut Program,
        claims: &[Claim],
        quantum: Quantum,
        within: &[i64],
        budget: u64,
    ) -> Option<(Solution, Solution)> {
        self.given.resize(program.tenants.len(), 0);
        self.weights.resize(program.tenants.len(), 0);
        for claim in claims {
            if let Some(weight) = self.weights.get_mut(claim.tenant as usize) {
                *weight += u128::from(claim.weight);
            }
        }
        for tenant in &mut program.tenants {
            (tenant.weight, tenant.floor) = (1, 0);
        }
        let free = ladder.solve(program)?;
        if free.method == UNCONTENDED {
            return Some((free.clone(), free));
        }
        let mut search = Search {
            ranked: self.ranked(claims, quantum),
            values: program.tenant_values(&free.choice),
            choice: free.choice.clone(),
            states: free.states,
            ladder,
            program,
            budget,
            proven: true,
        };
        search.raise_all(within);
        let solution = search.finish(&free);
        Some((solution, free))
    }

    /// Enters what a decision gives, by tenant.
    pub fn settle(&mut self, claims: &[Claim], values: &[i64], quantum: Quantum) {
        for claim in claims {
            let tenant = claim.tenant as usize;
            if let (Some(given), Some(&value)) = (self.given.get_mut(tenant), values.get(tenant)) {
                *given = given.saturating_add(quantum.lasting(value));
            }
        }
    }

    fn ranked(&self, claims: &[Claim], quantum: Quantum) -> Vec<Ranked> {
        let tenants: Vec<usize> = claims.iter().map(|claim| claim.tenant as usize).collect();
        let most = tenants.iter().filter_map(|&tenant| self.weights.get(tenant)).max().copied().unwrap_or(0);
        let shift = (u128::BITS - most.leading_zeros()).saturating_sub(SCALE_BITS);
        let ranked = |tenant: usize| {
            Some(Ranked {
                tenant,
                given: quantum.values(*self.given.get(tenant)?),
                weight: ((self.weights.get(tenant)? >> shift) as i128).max(1),
            })
        };
        tenants.into_iter().filter_map(ranked).collect()
    }
}

impl Ranked {
    /// The level with a value.
    fn level(&self, value: i64) -> i128 {
        self.given.saturating_add(value.into()).saturating_mul(SCALE) / self.weight
    }

    /// The least value with which the level is at least `level`.
    fn floor(&self, level: i128) -> i64 {
        let total = level.saturating_mul(self.weight);
        let least = total.div_euclid(SCALE) + i128::from(total.rem_euclid(SCALE) > 0) - self.given;
        least.clamp(0, i64::MAX.into()) as i64
    }
}

impl Search<'_> {
    /// Raises level after level, until every tenant stays at one.
    fn raise_all(&mut self, within: &[i64]) {
        let mut open = self.ranked.clone();
        let start =
            open.iter().map(|r| r.level(within.get(r.tenant).copied().unwrap_or(0))).min().unwrap_or(0);
        if start > self.least(&open) {
            let floors: Vec<(usize, i64)> = open.iter().map(|r| (r.tenant, r.floor(start))).collect();
            self.reaches(&floors);
        }
        while !open.is_empty() && !self.is_exhausted() {
            let level = self.raise(&open);
            open = self.above(&open, level);
        }
        self.proven &= open.is_empty();
    }

    /// Raises the least level of the open tenants as far as it goes, and makes it their floor.
    fn raise(&mut self, open: &[Ranked]) -> i128 {
        let most = |ranked: &Ranked| {
            let jobs = self.program.jobs_of(ranked.tenant).iter();
            let best = jobs.filter_map(|job| job.options.iter().map(|option| option.value).max());
            ranked.level(best.sum())
        };
        let mut high = open.iter().map(most).min().unwrap_or(0);
        let mut low = self.least(open);
        let mut bisect = true;
        while low < high && !self.is_exhausted() {
            let target = if bisect { low + (high - low + 1) / 2 } else { low + 1 };
            bisect = !bisect;
            let floors: Vec<(usize, i64)> = open.iter().map(|r| (r.tenant, r.floor(target))).collect();
            if self.reaches(&floors) {
                low = self.least(open);
            } else {
                // Lower levels that ask for the same are out of reach as well.
                let below = open.iter().map(|ranked| match ranked.floor(target) {
                    0 => i128::MIN,
                    floor => ranked.level(floor - 1),
                });
                high = below.max().unwrap_or(low).min(target - 1);
            }
        }
        self.proven &= low >= high;
        for ranked in open {
            self.program.tenants[ranked.tenant].floor = ranked.floor(low);
        }
        low
    }

    /// The open tenants that can be above `level`, all of them together; this becomes their floor.
    fn above(&mut self, open: &[Ranked], level: i128) -> Vec<Ranked> {
        let mut stays = Vec::new();
        loop {
            let (rises, rests): (Vec<Ranked>, Vec<Ranked>) =
                open.iter().partition(|ranked| ranked.level(self.values[ranked.tenant]) > level);
            for ranked in &rises {
                self.program.tenants[ranked.tenant].floor = ranked.floor(level + 1);
            }
            let Some(next) = rests.iter().find(|ranked| !stays.contains(&ranked.tenant)) else {
                return rises;
            };
            if !self.reaches(&[(next.tenant, next.floor(level + 1))]) {
                stays.push(next.tenant);
            }
        }
    }

    fn is_exhausted(&self) -> bool {
        self.states >= self.budget
    }

    /// The least level of some tenants in the best decision so far.
    fn least(&self, open: &[Ranked]) -> i128 {
        open.iter().map(|ranked| ranked.level(self.values[ranked.tenant])).min().unwrap_or(0)
    }

    /// Whether these floors can be met besides the others of the program, whose floors are left as they were; if so, a decision
    /// that meets them is the best so far.
    fn reaches(&mut self, floors: &[(usize, i64)]) -> bool {
        if self.is_exhausted() {
            self.proven = false;
            return false;
        }
        let before: Vec<i64> = self.program.tenants.iter().map(|tenant| tenant.floor).collect();
        for &(tenant, floor) in floors {
            self.program.tenants[tenant].floor = floor;
        }
        let solution = self.ladder.solve(self.program);
        for (tenant, floor) in self.program.tenants.iter_mut().zip(before) {
            tenant.floor = floor;
        }
        let Some(solution) = solution else {
            self.proven = false;
            self.states += self.program.jobs.len() as u64 * UNDECIDED_STATES;
            return false;
        };
        self.states += solution.states;
        if solution.status == Status::Infeasible {
            return false;
        }
        self.values = self.program.tenant_values(&solution.choice);
        self.choice = solution.choice;
        true
    }

    /// The best decision under the floors of the program. `free` is the one without floors.
    fn finish(mut self, free: &Solution) -> Solution {
        let solution =
            self.ladder.solve(self.program).filter(|solution| solution.status != Status::Infeasible);
        let mut solution = solution.unwrap_or_else(|| Solution {
            status: Status::Feasible,
            objective: self.program.objective(&self.choice),
            choice: std::mem::take(&mut self.choice),
            bound: free.bound,
            states: 0,
            method: NOT_PROVEN,
        });
        solution.states += self.states;
        if self.proven && solution.status == Status::Optimal {
            solution.method = PROVEN;
        } else {
            // With greater levels less efficiency is possible, so that a bound stays one; it never says "optimal".
            solution.bound = solution.bound.max(solution.objective + 1);
            solution.status = Status::Feasible;
            solution.method = NOT_PROVEN;
        }
        solution
    }
}
