//! Nash welfare and sums without envy: objectives and constraints that couple tenants by more than capacity, by [`search`] over
//! their bundles.

use super::fairness::{envy_free, exact_worth};
use super::front::{Bundle, front, spend, worth_inside};
use super::order::Order;
use super::problem::Problem;
use super::search::Choice;
use super::{Decided, conflict, equal_split_choice, si_floors, solution_of};
use crate::policy::sts::ladder::Ladder;
use crate::policy::sts::program::{Solution, Status};
use crate::solve::SolveError;

/// How a search ends that saw everything, and one that did not.
const SEARCHED: &str = "branch and bound over bundles";
const STOPPED: &str = "branch and bound over bundles, stopped by its budget";

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
        let idle = vec![None; problem.jobs.len()];
        best = [equal, idle]
            .into_iter()
            .find(|choice| program.is_feasible(choice) && nobody_envies(ladder, choice));
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

/// The greatest Nash welfare: of the tenants with weight as many as possible have something, and the product of their values, each to
/// the power of its weight, is the greatest (Caragiannis et al., "The Unreasonable Fairness of Maximum Nash Welfare", ACM TEAC 2019).
pub(super) fn nash(problem: &Problem<'_>, ladder: &mut Ladder, budget: u64) -> Result<Decided, SolveError> {
    let order = Order::Product { weights: problem.weights.clone() };
    let mut steps = budget;
    let fronts = fronts(problem, None, &mut steps);
    let mut picks = None;
    let mut is_complete = false;
    let mut log_bound = None;
    if let Some(fronts) = &fronts {
        let scores: Vec<Vec<i64>> =
            (0..fronts.len()).map(|tenant| log_scores(problem, tenant, fronts)).collect();
        let worths = |picks: &[usize]| -> Vec<i64> {
            picks.iter().zip(fronts).map(|(&bundle, front)| front[bundle].value).collect()
        };
        let found = Choice {
            fronts,
            scores: &scores,
            capacity: &problem.program.capacity,
            agree: &|_, _| true,
            is_better: &|a, b| order.compare(&worths(a), &worths(b)).is_gt(),
            // A rounded logarithm is off by less than one unit.
            blur: i64::try_from(fronts.len()).unwrap_or(i64::MAX),
        }
        .search(&mut steps);
        is_complete = found.is_complete;
        log_bound = Some(found.bound + fronts.len() as i128);
        picks = found.picks.map(|picks| choice_of(fronts, &picks));
    }
    let choice = match picks {
        Some(choice) => choice,
        None => equal_split_choice(problem, ladder)?,
    };
    // What is left goes to whom it is worth most, if anybody; tenants without weight do not count in the product.
    let mut program = problem.program.clone();
    for (tenant, worth) in program.tenants.iter_mut().zip(problem.program.tenant_values(&choice)) {
        tenant.floor = worth;
    }
    let choice = ladder
        .solve(&program)
        .filter(|solution| solution.status != Status::Infeasible)
        .map_or(choice, |solution| solution.choice);
    let worths = problem.program.tenant_values(&choice);
    let objective = order.objective(problem, &worths);
    let (status, bound, proof) = if is_complete {
        (Status::Optimal, objective, format!("{SEARCHED}; products compared exactly where weights are equal"))
    } else {
        let bound = log_bound.map_or(f64::INFINITY, |bound| product_bound(problem, bound));
        let alone = most_alone(problem, ladder, &order);
        (Status::Feasible, bound.min(alone).max(objective), STOPPED.to_string())
    };
    let states = budget - steps;
    Ok(Decided {
        solution: solution_of(problem, choice, 0, states, status),
        floors: None,
        proof,
        bound: Some(bound),
        order,
        counts: None,
    })
}

/// Fixed-point logarithms have this many units in one.
const LOG_UNITS: f64 = (1u64 << 40) as f64;
/// What having nothing scores: worse than everything else together.
const NOTHING: i64 = -(1 << 52);

fn log_scores(problem: &Problem<'_>, tenant: usize, fronts: &[Vec<Bundle>]) -> Vec<i64> {
    let heaviest = problem.weights.iter().copied().max().unwrap_or(1).max(1);
    let part = problem.weights[tenant] as f64 / heaviest as f64;
    let score = |bundle: &Bundle| match bundle.value {
        _ if problem.weights[tenant] == 0 => 0,
        0 => NOTHING,
        value => (part * libm::log(value as f64) * LOG_UNITS).round() as i64,
    };
    fronts[tenant].iter().map(score).collect()
}

/// The product that a bound on the sum of scores stands for.
fn product_bound(problem: &Problem<'_>, bound: i128) -> f64 {
    let heaviest = problem.weights.iter().copied().max().unwrap_or(1).max(1) as f64;
    let counted: Vec<f64> = problem.weights.iter().filter(|&&w| w > 0).map(|&w| w as f64).collect();
    let mean = counted.iter().sum::<f64>() / counted.len().max(1) as f64;
    // Values count in units; the exponents over the mean weight sum to the number of tenants.
    let log = bound as f64 / LOG_UNITS * heaviest / mean - counted.len() as f64 * libm::log(problem.units);
    libm::exp(log)
}

/// The product if every tenant had the whole cluster.
fn most_alone(problem: &Problem<'_>, ladder: &mut Ladder, order: &Order) -> f64 {
    let worths: Option<Vec<i64>> = (0..problem.instance.tenants.len())
        .map(|tenant| exact_worth(problem, ladder, tenant, &problem.program.capacity))
        .collect();
    worths.map_or(f64::INFINITY, |worths| order.objective(problem, &worths))
}

/// The bundles of every tenant that meet its floor.
fn fronts(problem: &Problem<'_>, floors: Option<&[i64]>, steps: &mut u64) -> Option<Vec<Vec<Bundle>>> {
    (0..problem.instance.tenants.len())
        .map(|tenant| {
            // A part of the steps, so that the search has some left.
            let mut own = *steps / 2;
            let before = own;
            let bundles = front(problem, tenant, &mut own);
            spend(steps, before - own)?;
            let floor = floors.map_or(0, |floors| floors[tenant]);
            bundles.map(|bundles| bundles.into_iter().filter(|bundle| bundle.value >= floor).collect())
        })
        .collect()
}

fn choice_of(fronts: &[Vec<Bundle>], picks: &[usize]) -> Vec<Option<u16>> {
    fronts.iter().zip(picks).flat_map(|(front, &bundle)| front[bundle].choice.iter().copied()).collect()
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
