//! Lexicographic max-min by the exact program with floors: the greatest level that everybody can have, then, with one tenant left
//! there, the greatest level that everybody else can have, and so on.
//!
//! A level is a ratio worth / due. Whether it can be had is one program with floors; levels are bisected, and the last step asks for
//! strictly more in integers, so that "greatest" is a statement without tolerances. Which tenant stays behind matters where slots are
//! whole: all that do equally well are followed.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::fairness::exact_worth;
use super::order::{Order, compare_ratios};
use super::problem::Problem;
use super::{Decided, solution_of};
use crate::policy::sts::ladder::Ladder;
use crate::policy::sts::program::{Program, Solution, Status};
use crate::solve::SolveError;
use crate::solve::answer::Measure;

/// Ways of leaving tenants behind that are followed, and programs after which no further level is begun.
const MAX_BRANCHES: usize = 300;
const MAX_PROGRAMS: u64 = 300;

/// One part in this many of the budget is for one program.
const PROGRAM_SHARE: u64 = 50;

/// What a tenant's worth is divided by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Due {
    /// Its equal split: its share of what the whole cluster is worth to it.
    EqualSplit,
    /// Its smallest rate, times its weight over the mean weight.
    SmallestRate,
}

/// The order of allocations by worths over dues.
pub(super) fn order(problem: &Problem<'_>, ladder: &mut Ladder, due: Due) -> Result<Order, SolveError> {
    let total: i128 = problem.weights.iter().map(|&weight| i128::from(weight)).sum();
    let entitled = problem.weights.iter().filter(|&&weight| weight > 0).count() as i128;
    let mut dues = Vec::with_capacity(problem.weights.len());
    for (tenant, &weight) in problem.weights.iter().enumerate() {
        let unit = match due {
            _ if weight == 0 => 0,
            Due::EqualSplit => exact_worth(problem, ladder, tenant, &problem.program.capacity)
                .map(i128::from)
                .ok_or(SolveError::Undecided)?,
            Due::SmallestRate => {
                let options = problem.program.jobs_of(tenant).iter().flat_map(|job| &job.options);
                entitled * i128::from(options.map(|option| option.value).min().unwrap_or(0))
            }
        };
        dues.push(i128::from(weight) * unit);
    }
    let measure = match due {
        Due::EqualSplit => Measure::LeastRatio,
        Due::SmallestRate => Measure::LeastThroughput,
    };
    let divisor = dues.iter().fold(total, |divisor, &due| gcd(divisor, due)).max(1);
    Ok(Order::LeastRatio {
        dues: dues.iter().map(|due| due / divisor).collect(),
        factor: total / divisor,
        measure,
    })
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The lexicographically greatest ratios, and of the allocations that have them one of greatest sum. The objective is the least ratio.
pub(super) fn lexicographic(
    problem: &Problem<'_>,
    ladder: &mut Ladder,
    due: Due,
    budget: u64,
) -> Result<Decided, SolveError> {
    let order = order(problem, ladder, due)?;
    let Order::LeastRatio { dues, .. } = &order else { return Err(SolveError::Undecided) };
    let mut levels = Levels {
        program: problem.program.clone(),
        dues,
        ladder: &mut Ladder::new(budget / PROGRAM_SHARE),
        programs: 0,
        states: 0,
        is_proven: true,
        is_followed: true,
    };
    let nobody = Fixed::from(vec![None; dues.len()]);
    let (solution, least) = match levels.raise(&nobody, NO_LEVEL) {
        Some((level, choice)) => {
            let least_is_proven = levels.is_proven;
            (levels.descend(level, nobody, choice)?, least_is_proven)
        }
        None => (levels.at(&nobody, NO_LEVEL).ok_or(SolveError::Undecided)?, true),
    };
    let worths = problem.program.tenant_values(&solution.choice);
    let objective = order.objective(problem, &worths);
    let is_proven = levels.is_proven && levels.is_followed && solution.status == Status::Optimal;
    let proof = match (is_proven, least) {
        (true, _) => "exact programs with floors, level after level",
        (false, true) => "exact programs with floors; the least ratio is proven, the order beyond it is not",
        (false, false) => "programs with floors; their budget did not suffice to prove the least ratio",
    };
    let states = levels.states;
    let bound = if least {
        objective
    } else {
        order.objective(problem, &most_alone(problem, ladder)?).max(objective)
    };
    let status = if is_proven { Status::Optimal } else { Status::Feasible };
    Ok(Decided {
        solution: solution_of(problem, solution.choice, 0, states, status),
        floors: None,
        proof: proof.to_string(),
        bound: Some(bound),
        order,
        counts: None,
    })
}

/// What everybody could have with the whole cluster.
fn most_alone(problem: &Problem<'_>, ladder: &mut Ladder) -> Result<Vec<i64>, SolveError> {
    (0..problem.weights.len())
        .map(|tenant| exact_worth(problem, ladder, tenant, &problem.program.capacity))
        .collect::<Option<_>>()
        .ok_or(SolveError::Undecided)
}

/// worth / due.
type Level = (i128, i128);

const NO_LEVEL: Level = (0, 1);

/// For every tenant the worth that it has been left at, if it has.
type Fixed = Vec<Option<i64>>;

struct Levels<'l> {
    program: Program,
    dues: &'l [i128],
    ladder: &'l mut Ladder,
    programs: u64,
    states: u64,
    /// Whether every program was decided.
    is_proven: bool,
    /// Whether all ways were followed.
    is_followed: bool,
}

/// What one program said.
enum Said {
    Yes(Solution),
    No,
    Nothing,
}

impl Levels<'_> {
    fn is_free(&self, fixed: &Fixed, tenant: usize) -> bool {
        fixed[tenant].is_none() && self.dues[tenant] > 0
    }

    fn free(&self, fixed: &Fixed) -> Vec<usize> {
        (0..self.dues.len()).filter(|&tenant| self.is_free(fixed, tenant)).collect()
    }

    /// The least worth at which a tenant reaches a level.
    fn least(&self, tenant: usize, level: Level) -> i64 {
        let product = level.0.saturating_mul(self.dues[tenant]);
        let least = product.div_euclid(level.1) + i128::from(product.rem_euclid(level.1) > 0);
        i64::try_from(least).unwrap_or(i64::MAX)
    }

    /// The least worth at which it exceeds the level.
    fn more(&self, tenant: usize, level: Level) -> i64 {
        let product = level.0.saturating_mul(self.dues[tenant]);
        i64::try_from(product.div_euclid(level.1) + 1).unwrap_or(i64::MAX)
    }

    /// Solves with what is fixed and a floor for everybody else.
    fn ask(&mut self, fixed: &Fixed, floor: impl Fn(&Self, usize) -> i64) -> Said {
        for (tenant, fixed) in fixed.iter().enumerate() {
            let floor = match *fixed {
                Some(worth) => worth,
                None if self.dues[tenant] > 0 => floor(self, tenant),
                None => 0,
            };
            self.program.tenants[tenant].floor = floor;
        }
        self.programs += 1;
        match self.ladder.solve(&self.program) {
            Some(solution) if solution.status == Status::Infeasible => {
                self.states += solution.states;
                Said::No
            }
            Some(solution) => {
                self.states += solution.states;
                Said::Yes(solution)
            }
            None => {
                self.is_proven = false;
                Said::Nothing
            }
        }
    }

    /// An allocation in which everybody who is not fixed has a level.
    fn at(&mut self, fixed: &Fixed, level: Level) -> Option<Solution> {
        match self.ask(fixed, |levels, tenant| levels.least(tenant, level)) {
            Said::Yes(solution) => Some(solution),
            Said::No | Said::Nothing => None,
        }
    }

    /// The level of a choice: the least ratio of those who are not fixed.
    fn level_of(&self, fixed: &Fixed, choice: &[Option<u16>]) -> Option<Level> {
        let worths = self.program.tenant_values(choice);
        let ratio = |&tenant: &usize| (i128::from(worths[tenant]), self.dues[tenant]);
        self.free(fixed).iter().map(ratio).min_by(|a, b| compare_ratios(*a, *b))
    }

    /// The greatest level, at least `from`, that all who are not fixed can have, and an allocation; `None` if they cannot have `from`
    /// or there is nobody.
    fn raise(&mut self, fixed: &Fixed, from: Level) -> Option<(Level, Vec<Option<u16>>)> {
        let mut choice = self.at(fixed, from)?.choice;
        let mut level = self.level_of(fixed, &choice)?;
        // No level at or above this one can be had.
        let mut beyond: Option<f64> = None;
        loop {
            match self.ask(fixed, |levels, tenant| levels.more(tenant, level)) {
                Said::Yes(solution) => choice = solution.choice,
                Said::No | Said::Nothing => return Some((level, choice)),
            }
            level = self.level_of(fixed, &choice)?;
            let low = level.0 as f64 / level.1 as f64;
            let tried = match beyond {
                Some(beyond) => low + (beyond - low) / 2.0,
                None => 2.0 * low,
            };
            let floor = |levels: &Self, tenant: usize| {
                ((tried * levels.dues[tenant] as f64) as i64).max(levels.more(tenant, level))
            };
            match self.ask(fixed, floor) {
                Said::Yes(solution) => {
                    choice = solution.choice;
                    level = self.level_of(fixed, &choice)?;
                }
                Said::No => beyond = Some(tried),
                Said::Nothing => return Some((level, choice)),
            }
        }
    }

    /// Goes on from the least level to the allocation of greatest sum among those of the greatest ratios.
    fn descend(
        &mut self,
        mut level: Level,
        nobody: Fixed,
        choice: Vec<Option<u16>>,
    ) -> Result<Solution, SolveError> {
        let free = self.free(&nobody).len();
        let mut ways = BTreeSet::from([nobody]);
        for _ in 1..free {
            if self.programs >= MAX_PROGRAMS {
                self.is_followed = false;
                break;
            }
            let mut best: Option<Level> = None;
            let mut next = BTreeSet::new();
            for way in &ways {
                if self.programs >= 2 * MAX_PROGRAMS && best.is_some() {
                    self.is_followed = false;
                    break;
                }
                for tenant in self.left_behind(way, level) {
                    let mut fixed = way.clone();
                    fixed[tenant] = Some(self.least(tenant, level));
                    if next.contains(&fixed) {
                        continue;
                    }
                    let Some((raised, _)) = self.raise(&fixed, best.unwrap_or(level)) else { continue };
                    if best.is_none_or(|best| compare_ratios(raised, best) == Ordering::Greater) {
                        best = Some(raised);
                        next.clear();
                    }
                    next.insert(fixed);
                }
            }
            let Some(best) = best else { break };
            level = best;
            if next.len() > MAX_BRANCHES {
                self.is_followed = false;
                next = next.into_iter().take(MAX_BRANCHES).collect();
            }
            ways = next;
        }
        let mut best: Option<Solution> = None;
        for way in &ways {
            let Some(solution) = self.at(way, level) else { continue };
            if best.as_ref().is_none_or(|best| solution.objective > best.objective) {
                best = Some(solution);
            }
        }
        best.ok_or(SolveError::Undecided).or_else(|error| {
            // The budget ended between two levels; what the first one found stands.
            self.is_followed = false;
            for tenant in &mut self.program.tenants {
                tenant.floor = 0;
            }
            if self.program.is_feasible(&choice) {
                let objective = self.program.objective(&choice);
                let status = Status::Feasible;
                return Ok(Solution {
                    status,
                    choice,
                    objective,
                    bound: objective,
                    states: 0,
                    method: "levels",
                });
            }
            Err(error)
        })
    }

    /// The tenants of which one has to stay at a level: one that cannot exceed it while the others have it, or else all.
    fn left_behind(&mut self, way: &Fixed, level: Level) -> Vec<usize> {
        let free = self.free(way);
        for &one in &free {
            let floor = |levels: &Self, tenant: usize| {
                if tenant == one { levels.more(tenant, level) } else { levels.least(tenant, level) }
            };
            if matches!(self.ask(way, floor), Said::No) {
                return vec![one];
            }
        }
        free
    }
}
