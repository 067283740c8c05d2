//! A decision explained: the steps that led to it, the prices that bound it, and what running each waiting job would have cost.

use serde::{Deserialize, Serialize};

use super::problem::Problem;
use crate::cluster::SliceMemory;
use crate::policy::sts::budget::{Limits, Solver};
use crate::policy::sts::explain::runner_up::{Cost, DecidedRound, runner_up};
use crate::policy::sts::program::{Program, Solution, Status};

/// Why a decision is what it is. Values are in the units of the answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Explanation {
    /// What was tried and found, a sentence each.
    pub steps: Vec<String>,
    /// What one unit of each resource is worth at the margin. With these prices and those of the floors, no allocation can be worth
    /// more than `priced_bound`.
    pub prices: Vec<Price>,
    /// By how much one unit more of a tenant's floor would lower the bound; only floors with a price.
    pub floor_prices: Vec<FloorPrice>,
    /// The bound that the prices prove on their own (weak duality), before any search.
    pub priced_bound: Option<f64>,
    /// The best alternative for waiting jobs, in their order.
    pub runners_up: Vec<Refused>,
    /// Waiting jobs whose alternatives were not looked for.
    pub not_looked_at: usize,
}

/// The price of a resource.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Price {
    /// The type.
    #[serde(rename = "type")]
    pub gpu: String,
    /// The resource: `slots`; of a MIG type with exact packing also `memory`, `places` for 2g instances and `left halves`.
    pub resource: String,
    /// Value per unit.
    pub price: f64,
}

/// The price of a floor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FloorPrice {
    /// The tenant.
    pub tenant: String,
    /// Value lost per unit of floor.
    pub price: f64,
}

/// What a waiting job would have got, and what that would have cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Refused {
    /// Its tenant.
    pub tenant: String,
    /// The job.
    pub job: String,
    /// The type of the option of the best allocation that runs it.
    #[serde(rename = "type")]
    pub gpu: Option<String>,
    /// Slots on each device.
    pub slots: Option<u32>,
    /// Devices.
    pub devices: Option<u32>,
    /// The objective would be less by at least this much; equal to `loses_at_most` when exact.
    pub loses_at_least: Option<f64>,
    /// The objective would be less by at most this much.
    pub loses_at_most: Option<f64>,
    /// Tenants whose floors could not all hold.
    pub breaks_floors_of: Vec<String>,
    /// The same in a sentence.
    pub words: String,
}

/// Names of the resources of a type: one, or the four of an A100-class type.
const RESOURCES: [&str; 4] = ["slots", "memory", "places", "left halves"];

/// Explains a decision of `program`, which has the floors in force; at most `jobs` waiting jobs are looked at.
pub(super) fn explain(
    problem: &Problem<'_>,
    program: &Program,
    solution: &Solution,
    jobs: usize,
    budget: u64,
) -> Explanation {
    let limits = Limits { expansions: budget, menu_expansions: budget / 5, ..Limits::default() };
    let mut explanation = Explanation {
        steps: steps(problem, program, solution),
        prices: Vec::new(),
        floor_prices: Vec::new(),
        priced_bound: None,
        runners_up: Vec::new(),
        not_looked_at: 0,
    };
    if solution.status == Status::Infeasible {
        return explanation;
    }
    price(problem, program, &limits, &mut explanation);
    let decided = DecidedRound { program, choice: &solution.choice };
    let waiting = solution.choice.iter().enumerate().filter(|(_, option)| option.is_none());
    for (looked_at, (job, _)) in waiting.enumerate() {
        if looked_at < jobs {
            explanation.runners_up.push(refused(problem, decided, job, &limits));
        } else {
            explanation.not_looked_at += 1;
        }
    }
    explanation
}

fn steps(problem: &Problem<'_>, program: &Program, solution: &Solution) -> Vec<String> {
    let mut steps = Vec::new();
    let mut wanted = vec![0u64; program.capacity.len()];
    for job in &program.jobs {
        let Some(best) = job.options.iter().max_by_key(|o| (o.value, std::cmp::Reverse(o.slots))) else {
            continue;
        };
        for (resource, amount) in best.usage.amounts() {
            wanted[resource] += u64::from(amount);
        }
    }
    let scarce: Vec<String> = named(problem)
        .iter()
        .zip(wanted.iter().zip(&program.capacity))
        .filter(|(_, (wanted, there))| **wanted > u64::from(**there))
        .map(|((gpu, resource), (wanted, there))| format!("{wanted} of {there} {resource} of {gpu}"))
        .collect();
    steps.push(if scarce.is_empty() {
        "Every job's most valuable option fits: nothing is scarce.".to_string()
    } else {
        format!("The most valuable options of all jobs together would take {}.", scarce.join(" and "))
    });
    let floors = program.tenants.iter().filter(|tenant| tenant.floor > 0).count();
    if floors > 0 {
        let total: i128 = program.tenants.iter().map(|tenant| i128::from(tenant.floor)).sum();
        steps.push(format!(
            "{floors} tenants have a floor above zero, {} in sum.",
            total as f64 / problem.units
        ));
    }
    let found = match solution.status {
        Status::Infeasible => "no allocation meets all floors".to_string(),
        Status::Optimal => {
            format!("{} is proven to be the greatest objective", in_units(problem, solution.objective))
        }
        Status::Feasible => format!(
            "{} was reached and no allocation exceeds {}",
            in_units(problem, solution.objective),
            in_units(problem, solution.bound)
        ),
    };
    steps.push(format!("By {}, with {} states: {found}.", solution.method, solution.states));
    steps
}

fn in_units(problem: &Problem<'_>, value: i128) -> f64 {
    value as f64 / problem.units
}

/// Type and name of every resource.
fn named(problem: &Problem<'_>) -> Vec<(String, &'static str)> {
    let types = &problem.instance.types;
    let of_types = problem.resources.types();
    let mut names = Vec::new();
    for (of_instance, of_type) in types.iter().zip(of_types) {
        let len = usize::from(of_type.usage(1, SliceMemory::Plain, 1).len);
        names.extend(RESOURCES.iter().take(len).map(|&resource| (of_instance.name.clone(), resource)));
    }
    names
}

/// Adds the prices of resources and floors, and the bound they prove: the sum over jobs of the most that an option gains at these
/// prices, plus the capacity at its prices, minus the floors at theirs.
fn price(problem: &Problem<'_>, program: &Program, limits: &Limits, explanation: &mut Explanation) {
    let mut solver = Solver::new();
    let solved = solver.solve(program, limits);
    if solved.is_none_or(|solution| solution.status == Status::Infeasible) {
        return;
    }
    let multipliers = solver.multipliers();
    let scale = i128::from(multipliers.scale);
    let of = |list: &[i128], index: usize| list.get(index).copied().unwrap_or(0);
    let mut upper: i128 = 0;
    for job in &program.jobs {
        let tenant = job.tenant as usize;
        let weight = program.tenants.get(tenant).map_or(0, |t| i128::from(t.weight));
        let gains = job.options.iter().map(|option| {
            let paid: i128 =
                option.usage.amounts().map(|(r, a)| of(&multipliers.lambda, r) * i128::from(a)).sum();
            (weight * scale + of(&multipliers.mu, tenant)) * i128::from(option.value) - paid
        });
        upper += gains.max().unwrap_or(0).max(0);
    }
    for (resource, &there) in program.capacity.iter().enumerate() {
        upper += of(&multipliers.lambda, resource) * i128::from(there);
    }
    for (tenant, of_tenant) in program.tenants.iter().enumerate() {
        upper -= of(&multipliers.mu, tenant) * i128::from(of_tenant.floor);
    }
    explanation.priced_bound = Some(in_units(problem, upper.div_euclid(scale.max(1))));
    let scaled = |price: i128| price as f64 / scale as f64;
    explanation.prices = named(problem)
        .into_iter()
        .enumerate()
        .map(|(resource, (gpu, name))| Price {
            gpu,
            resource: name.to_owned(),
            price: scaled(of(&multipliers.lambda, resource)) / problem.units,
        })
        .collect();
    explanation.floor_prices = problem
        .instance
        .tenants
        .iter()
        .enumerate()
        .filter(|&(tenant, _)| of(&multipliers.mu, tenant) > 0)
        .map(|(tenant, of_instance)| FloorPrice {
            tenant: of_instance.name.clone(),
            price: scaled(of(&multipliers.mu, tenant)),
        })
        .collect();
}

fn refused(problem: &Problem<'_>, decided: DecidedRound<'_>, job: usize, limits: &Limits) -> Refused {
    let (tenant, of_instance) = problem.jobs[job];
    let found = runner_up(decided, job, limits);
    let option = found.option.and_then(|index| of_instance.options.get(usize::from(index)));
    let units = |value: i128| in_units(problem, value);
    let mut refused = Refused {
        tenant: problem.instance.tenants[tenant].name.clone(),
        job: of_instance.name.clone(),
        gpu: option.map(|option| option.gpu.clone()),
        slots: option.map(|option| option.slots),
        devices: option.map(|option| option.devices),
        loses_at_least: None,
        loses_at_most: None,
        breaks_floors_of: Vec::new(),
        words: String::new(),
    };
    let with = option.map_or_else(String::new, |option| {
        let devices = if option.devices == 1 {
            String::new()
        } else {
            format!(" on each of {} devices", option.devices)
        };
        format!(" with {} slots of {}{devices}", option.slots, option.gpu)
    });
    refused.words = match found.cost {
        Cost::Loses(by) => {
            (refused.loses_at_least, refused.loses_at_most) = (Some(units(by)), Some(units(by)));
            format!("Running it{with} would lower the objective by {}.", units(by))
        }
        Cost::LosesBetween { at_least, at_most } => {
            (refused.loses_at_least, refused.loses_at_most) = (Some(units(at_least)), Some(units(at_most)));
            format!(
                "Running it{with} would lower the objective by at least {} and at most {}.",
                units(at_least),
                units(at_most)
            )
        }
        Cost::Breaks(tenants) => {
            let names = tenants.iter().filter_map(|&t| problem.instance.tenants.get(t as usize));
            refused.breaks_floors_of = names.map(|tenant| tenant.name.clone()).collect();
            format!("Running it{with} would break the floor of {}.", refused.breaks_floors_of.join(" or "))
        }
        Cost::DoesNotFit => "None of its options fits.".to_string(),
        Cost::Unknown => {
            format!("Whether it could run{with} was not found out within the solver's budget.")
        }
    };
    refused
}
