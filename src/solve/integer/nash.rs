//! The greatest Nash welfare, by [`search`](super::search) over bundles with fixed-point logarithms as scores.

use super::fairness::exact_worth;
use super::front::{Bundle, choice_of, fronts};
use super::max_min::{self, Due};
use super::order::Order;
use super::problem::Problem;
use super::search::{Choice, SEARCHED, STOPPED};
use super::{Decided, solution_of};
use crate::policy::sts::ladder::Ladder;
use crate::policy::sts::program::Status;
use crate::solve::SolveError;

/// The greatest Nash welfare: of the tenants with weight as many as possible have something, and the product of their values, each to
/// the power of its weight, is the greatest (Caragiannis et al., "The Unreasonable Fairness of Maximum Nash Welfare", ACM TEAC 2019).
pub(super) fn greatest(
    problem: &Problem<'_>,
    ladder: &mut Ladder,
    budget: u64,
) -> Result<Decided, SolveError> {
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
    let mut by_tangents = f64::INFINITY;
    let choice = match picks {
        Some(choice) if is_complete => choice,
        picks => {
            let start = match picks {
                Some(choice) => choice,
                None => max_min::lexicographic(problem, ladder, Due::EqualSplit, budget)?.solution.choice,
            };
            let (choice, bound) = tangents(problem, ladder, &order, start);
            by_tangents = bound;
            choice
        }
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
        let bound = bound.min(alone).min(by_tangents).max(objective);
        (Status::Feasible, bound, format!("{STOPPED}; bounded by tangents of the logarithm"))
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

/// Tangents that are tried where the search has to stop.
const TANGENTS: u32 = 24;

/// A tenant's weight in the program of a tangent.
const TANGENT_UNITS: f64 = 1e6;

/// The best of the allocations that are greatest under tangents of the logarithm (Frank and Wolfe 1956), starting from `start`, and a
/// bound on the product: since log v <= log a + (v - a) / a for any a, the greatest sum of w v / a bounds the sum of w log v.
fn tangents(
    problem: &Problem<'_>,
    ladder: &mut Ladder,
    order: &Order,
    start: Vec<Option<u16>>,
) -> (Vec<Option<u16>>, f64) {
    let counted: Vec<usize> = (0..problem.weights.len()).filter(|&t| problem.weights[t] > 0).collect();
    let total: f64 = counted.iter().map(|&t| problem.weights[t] as f64).sum();
    let parts: Vec<f64> = counted.iter().map(|&t| problem.weights[t] as f64 / total).collect();
    let mut worths = problem.program.tenant_values(&start);
    let mut best = start;
    let mut at: Vec<f64> = counted.iter().map(|&t| worths[t].max(1) as f64).collect();
    let mut bound = f64::INFINITY;
    let mut program = problem.program.clone();
    for step in 0..TANGENTS {
        let slopes: Vec<f64> = parts.iter().zip(&at).map(|(part, at)| part / at).collect();
        let steepest = slopes.iter().copied().fold(0.0, f64::max);
        if steepest <= 0.0 {
            break;
        }
        for (&tenant, slope) in counted.iter().zip(&slopes) {
            program.tenants[tenant].weight = (slope / steepest * TANGENT_UNITS).ceil().max(1.0) as i64;
        }
        let Some(solution) = ladder.solve(&program) else { break };
        // Weights are rounded up, so that the sum is too.
        let sum = solution.bound as f64 / TANGENT_UNITS * steepest;
        let logs: f64 = parts.iter().zip(&at).map(|(part, at)| part * libm::log(*at)).sum();
        bound = bound.min(logs + sum - 1.0);
        let found = problem.program.tenant_values(&solution.choice);
        if order.compare(&found, &worths).is_gt() {
            (best, worths) = (solution.choice, found.clone());
        }
        let pace = 2.0 / (f64::from(step) + 3.0);
        for (at, &tenant) in at.iter_mut().zip(&counted) {
            *at += pace * (found[tenant] as f64 - *at);
            *at = at.max(1.0);
        }
    }
    let tenants = counted.len() as f64;
    (best, libm::exp(tenants * (bound - libm::log(problem.units))))
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
