//! The greatest sum of values without envy: a constraint that couples tenants by more than capacity, by [`search`](super::search)
//! over their bundles.

use super::fairness::envy_free;
use super::front::{Bundle, choice_of, front, fronts, spend, worth_inside};
use super::max_min::{self, Due};
use super::order::Order;
use super::problem::Problem;
use super::search::{Choice, SEARCHED, STOPPED};
use super::{Decided, conflict, equal_split_choice, si_floors, solution_of};
use crate::policy::sts::ladder::Ladder;
use crate::policy::sts::program::{Solution, Status};
use crate::solve::SolveError;

/// Whether tenants have their equal split as a floor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Incentive {
    /// They have none.
    None,
    /// They have.
    EqualSplit,
}

/// The greatest sum of values in which nobody would rather have the bundle of another whose weight is not greater.
pub(super) fn max_sum(
    problem: &Problem<'_>,
    ladder: &mut Ladder,
    incentive: Incentive,
    budget: u64,
) -> Result<Decided, SolveError> {
    let tenants = problem.instance.tenants.len();
    let mut program = problem.program.clone();
    let floors = match incentive {
        Incentive::EqualSplit => Some(si_floors(problem, ladder)?),
        Incentive::None => None,
    };
    for (tenant, &floor) in program.tenants.iter_mut().zip(floors.iter().flatten()) {
        tenant.floor = floor;
    }
    // Without regard to envy: a bound, and the answer where it happens to leave no envy.
    let relaxed = ladder.solve(&program).ok_or(SolveError::Undecided)?;
    let decided = |solution: Solution, proof: String| Decided {
        proof,
        solution,
        floors: floors.clone(),
        order: Order::Sum,
        bound: None,
        counts: None,
    };
    if relaxed.status == Status::Infeasible {
        let proof = conflict(problem, ladder, floors.as_deref().unwrap_or(&[]));
        return Ok(decided(relaxed, proof));
    }
    let mut steps = budget;
    let nobody_envies = |ladder: &mut Ladder, choice: &[Option<u16>]| {
        let worths = problem.program.tenant_values(choice);
        envy_free(problem, ladder, choice, &worths, &mut Vec::new()) == Some(true)
    };
    if nobody_envies(ladder, &relaxed.choice) {
        let proof = format!("{}; the best without regard to envy leaves none", relaxed.method);
        return Ok(decided(relaxed, proof));
    }
    let fronts = fronts(problem, floors.as_deref(), &mut steps);
    let envied = fronts.as_ref().and_then(|fronts| Envied::new(problem, fronts, &mut steps));
    let mut best: Option<Vec<Option<u16>>> = None;
    let mut bound = relaxed.bound;
    let mut is_complete = false;
    if let (Some(fronts), Some(envied)) = (&fronts, &envied) {
        let scores: Vec<Vec<i64>> =
            fronts.iter().map(|front| front.iter().map(|bundle| bundle.value).collect()).collect();
        let sum = |picks: &[usize]| -> i128 {
            picks.iter().zip(&scores).map(|(&bundle, scores)| i128::from(scores[bundle])).sum()
        };
        let found = Choice {
            fronts,
            scores: &scores,
            capacity: &problem.program.capacity,
            agree: &|a, b| envied.agree(fronts, a, b),
            is_better: &|a, b| sum(a) > sum(b),
            blur: -1,
        }
        .search(&mut steps);
        is_complete = found.is_complete;
        bound = bound.min(found.bound.max(0));
        best = found.picks.map(|picks| choice_of(fronts, &picks));
    }
    let states = budget - steps + relaxed.states;
    if best.is_none() && !is_complete {
        // Something without envy, if only that nobody has anything.
        let equal = equal_split_choice(problem, ladder)?;
        let level = max_min::lexicographic(problem, ladder, Due::EqualSplit, budget)?.solution.choice;
        let mut known = [equal, level, vec![None; problem.jobs.len()]];
        known.sort_by_key(|choice| std::cmp::Reverse(problem.program.objective(choice)));
        best = known.into_iter().find(|choice| program.is_feasible(choice) && nobody_envies(ladder, choice));
        if best.is_none() {
            return Err(SolveError::Undecided);
        }
    }
    let Some(choice) = best else {
        let proof = format!(
            "no allocation satisfies both sharing incentive and envy-freeness: of all in which each of {tenants} tenants has its equal split, none leaves every tenant content with its own bundle ({SEARCHED})"
        );
        return Ok(decided(solution_of(problem, Vec::new(), 0, states, Status::Infeasible), proof));
    };
    let objective = problem.program.objective(&choice);
    let (status, bound, proof) = if is_complete {
        (Status::Optimal, objective, SEARCHED)
    } else if bound <= objective {
        (Status::Optimal, objective, STOPPED)
    } else {
        (Status::Feasible, bound, STOPPED)
    };
    Ok(decided(solution_of(problem, choice, bound, states, status), proof.to_string()))
}

/// What every bundle of a tenant would be worth to the others that look at it.
struct Envied {
    /// By tenant that looks, tenant looked at, and its bundle; empty where the first does not look.
    worths: Vec<Vec<Vec<i64>>>,
}

impl Envied {
    fn new(problem: &Problem<'_>, fronts: &[Vec<Bundle>], steps: &mut u64) -> Option<Self> {
        let mut worths = vec![vec![Vec::new(); fronts.len()]; fronts.len()];
        for (tenant, looks) in worths.iter_mut().enumerate() {
            // What it can do with less than its floor too.
            let own = front(problem, tenant, steps)?;
            for (other, bundles) in fronts.iter().enumerate() {
                if tenant == other || problem.weights[other] > problem.weights[tenant] {
                    continue;
                }
                spend(steps, own.len() as u64 * bundles.len() as u64)?;
                looks[other] = bundles.iter().map(|bundle| worth_inside(&own, &bundle.usage)).collect();
            }
        }
        Some(Self { worths })
    }

    fn agree(&self, fronts: &[Vec<Bundle>], a: (usize, usize), b: (usize, usize)) -> bool {
        let content = |(tenant, own): (usize, usize), (other, bundle): (usize, usize)| {
            self.worths[tenant][other].get(bundle).is_none_or(|&there| fronts[tenant][own].value >= there)
        };
        content(a, b) && content(b, a)
    }
}
