//! Integer problems: every job takes one of its options or idles. All that decides is an integer, so that "equal to brute force" can
//! be asserted.

mod enumerate;
mod envy;
pub mod explain;
mod fairness;
mod front;
mod max_min;
mod nash;
mod order;
mod packing;
mod problem;
mod round;
mod search;
pub mod tables;

use self::enumerate::{Rule, enumerate};
use self::envy::Incentive;
use self::explain::Explanation;
use self::fairness::{exact_worth, properties, worth_of_everything};
use self::max_min::Due;
use self::order::Order;
use self::problem::{Problem, Worth};
use super::SolveError;
use super::answer::{Allocated, AllocationCounts, Answer, AnswerStatus, Properties, TenantAnswer, gap};
use super::instance::Instance;
use crate::policy::PolicySpec;
use crate::policy::param::Params;
use crate::policy::sts::ladder::Ladder;
use crate::policy::sts::program::{Solution, Status};
use crate::policy::sts::value::{Durations, Mode, Objective};
use crate::units::SimSpan;

/// A decision before it is put into words.
struct Decided {
    solution: Solution,
    floors: Option<Vec<i64>>,
    proof: String,
    /// What is the greatest.
    order: Order,
    /// The bound in the units of the answer, where it is not that of the solution.
    bound: Option<f64>,
    counts: Option<AllocationCounts>,
}

impl Decided {
    /// A solution of a program with a sum as objective.
    fn of_program(solution: Solution, floors: Option<Vec<i64>>, proof: String) -> Self {
        Self { solution, floors, proof, order: Order::Sum, bound: None, counts: None }
    }
}

/// Decides an instance under one of the policies of `solve`.
pub(super) fn solve(instance: &Instance, policy: &str, params: &Params) -> Result<Answer, SolveError> {
    let problem = Problem::new(instance, worth(params))?;
    let mut ladder = Ladder::new(budget(params));
    let decided = decide(&problem, &mut ladder, policy, params)?;
    Ok(answer(&problem, &mut ladder, policy, decided))
}

/// Lets a policy of rounds decide one round of the instance.
pub(super) fn one_round(
    instance: &Instance,
    spec: &PolicySpec,
    params: &Params,
    round: &Params,
) -> Result<Answer, SolveError> {
    let problem = Problem::new(instance, Worth::Rate)?;
    let mut ladder = Ladder::new(budget(round));
    let decided = round::decide(&problem, &mut ladder, spec, params, round)?;
    Ok(answer(&problem, &mut ladder, spec.name, decided))
}

/// Explains a decision of [`solve`], with at most so many waiting jobs.
pub(super) fn explain(
    instance: &Instance,
    policy: &str,
    params: &Params,
    jobs: usize,
) -> Result<Explanation, SolveError> {
    let of_program = matches!(policy, "sts-fairness" | "equal-split" | "max-sum" | "max-sum-si")
        || policy == "brute-force" && matches!(params.word("of"), "sts-fairness" | "max-sum" | "max-sum-si");
    if !of_program {
        let reason = "only decisions of one program with floors are explained: sts-fairness, max-sum, max-sum-si and equal-split";
        return Err(SolveError::Refused { policy: policy.to_string(), reason: reason.to_string() });
    }
    let problem = Problem::new(instance, worth(params))?;
    let mut ladder = Ladder::new(budget(params));
    let decided = decide(&problem, &mut ladder, policy, params)?;
    let mut program = problem.program.clone();
    for (tenant, &floor) in program.tenants.iter_mut().zip(decided.floors.iter().flatten()) {
        tenant.floor = floor;
    }
    // Where nothing is lent there is no common program in which a job could have been preferred.
    let jobs = if policy == "equal-split" { 0 } else { jobs };
    Ok(explain::explain(&problem, &program, &decided.solution, jobs, budget(params)))
}

fn budget(params: &Params) -> u64 {
    params.integer("solver_budget").unsigned_abs()
}

fn worth(params: &Params) -> Worth {
    let mode = match params.word("objective") {
        "mix" => Mode::Mix,
        "throughput" => Mode::Throughput,
        "jct" => Mode::Jct,
        "makespan" => Mode::Makespan,
        _ => return Worth::Rate,
    };
    let round_s = params.number("round_s");
    let wished = SimSpan::from_secs(params.number("hysteresis"));
    let hysteresis = Objective::hysteresis_of(Some(wished), SimSpan::ZERO, SimSpan::from_secs(round_s));
    Worth::Objective(Objective { mode, durations: Durations::Oracle, round_s, hysteresis, ageing_s: None })
}

fn decide(
    problem: &Problem<'_>,
    ladder: &mut Ladder,
    policy: &str,
    params: &Params,
) -> Result<Decided, SolveError> {
    let budget = budget(params);
    match policy {
        "brute-force" => {
            let rule = match params.word("of") {
                "max-sum" => Rule::MaxSum,
                "max-sum-si" => Rule::SharingIncentive,
                "max-sum-ef" => Rule::EnvyFree,
                "max-sum-si-ef" => Rule::SharingIncentiveAndEnvyFree,
                "max-min" => Rule::MaxMin,
                "equal-throughput" => Rule::EqualThroughput,
                "nash" => Rule::Nash,
                _ => Rule::Quotas,
            };
            brute_force(problem, rule, budget)
        }
        "equal-split" => equal_split(problem, ladder),
        "max-sum" => {
            let solution = ladder.solve(&problem.program).ok_or(SolveError::Undecided)?;
            let proof = solution.method.to_string();
            Ok(Decided::of_program(solution, None, proof))
        }
        "max-sum-si" => {
            let floors = si_floors(problem, ladder)?;
            let mut program = problem.program.clone();
            for (tenant, &floor) in program.tenants.iter_mut().zip(&floors) {
                tenant.floor = floor;
            }
            let solution = ladder.solve(&program).ok_or(SolveError::Undecided)?;
            let proof = match solution.status {
                Status::Infeasible => conflict(problem, ladder, &floors),
                _ => solution.method.to_string(),
            };
            Ok(Decided::of_program(solution, Some(floors), proof))
        }
        "max-sum-ef" => envy::max_sum(problem, ladder, Incentive::None, budget),
        "max-sum-si-ef" => envy::max_sum(problem, ladder, Incentive::EqualSplit, budget),
        "max-min" => max_min::lexicographic(problem, ladder, Due::EqualSplit, budget),
        "equal-throughput" => max_min::lexicographic(problem, ladder, Due::SmallestRate, budget),
        "nash" => nash::greatest(problem, ladder, budget),
        "partial-allocation" => Err(SolveError::Refused {
            policy: policy.to_string(),
            reason: "it takes fractions of what a tenant won, which slots do not have; give the tenants rates instead of jobs"
                .to_string(),
        }),
        _ => sts_fairness(problem, ladder),
    }
}

fn sts_fairness(problem: &Problem<'_>, ladder: &mut Ladder) -> Result<Decided, SolveError> {
    let mut program = problem.program.clone();
    let solution = ladder.solve_round(&mut program, &problem.shares).ok_or(SolveError::Undecided)?;
    let mut floors: Vec<i64> = program.tenants.iter().map(|tenant| tenant.floor).collect();
    if solution.status == Status::Optimal {
        // A decision that needed no floors leaves them below what the quotas are worth.
        for (tenant, floor) in floors.iter_mut().enumerate() {
            if let Some(worth) = exact_worth(problem, ladder, tenant, &problem.shares[tenant]) {
                *floor = worth;
            }
        }
    }
    let proof = match solution.status {
        Status::Infeasible => conflict(problem, ladder, &floors),
        _ => solution.method.to_string(),
    };
    Ok(Decided::of_program(solution, Some(floors), proof))
}

fn brute_force(problem: &Problem<'_>, rule: Rule, limit: u64) -> Result<Decided, SolveError> {
    let found = enumerate(problem, rule, limit)?;
    let proof = match (&found.choice, &found.floors) {
        (Some(_), _) => "enumeration".to_string(),
        (None, Some(floors)) if rule != Rule::SharingIncentiveAndEnvyFree => {
            conflict(problem, &mut Ladder::new(limit), floors)
        }
        (None, _) => format!(
            "no allocation satisfies both sharing incentive and envy-freeness: none of {} does",
            found.counts.fitting
        ),
    };
    let status = if found.choice.is_some() { Status::Optimal } else { Status::Infeasible };
    let choice = found.choice.unwrap_or_default();
    let bound = problem.program.objective(&choice);
    let worths = problem.program.tenant_values(&choice);
    Ok(Decided {
        solution: solution_of(problem, choice, bound, found.states, status),
        floors: found.floors,
        proof,
        bound: (found.order != Order::Sum).then(|| found.order.objective(problem, &worths)),
        order: found.order,
        counts: Some(found.counts),
    })
}

/// Every tenant alone in its quota.
fn equal_split(problem: &Problem<'_>, ladder: &mut Ladder) -> Result<Decided, SolveError> {
    let mut floors = Vec::with_capacity(problem.shares.len());
    let mut choice = Vec::with_capacity(problem.jobs.len());
    let (mut bound, mut states) = (0, 0);
    for (tenant, share) in problem.shares.iter().enumerate() {
        let own = ladder.solve(&problem.alone(tenant, share)).ok_or(SolveError::Undecided)?;
        floors.push(i64::try_from(own.objective).unwrap_or(i64::MAX));
        choice.extend(own.choice);
        bound += own.bound;
        states += own.states;
    }
    let objective = problem.program.objective(&choice);
    let status = match (problem.program.is_feasible(&choice), objective == bound) {
        (false, _) => Status::Infeasible,
        (true, true) => Status::Optimal,
        (true, false) => Status::Feasible,
    };
    let proof = match status {
        Status::Infeasible => "the quotas exceed the capacity",
        _ => "every tenant alone in its quota",
    };
    let solution = solution_of(problem, choice, bound, states, status);
    Ok(Decided::of_program(solution, Some(floors), proof.to_string()))
}

/// What everybody does alone in its quota.
fn equal_split_choice(problem: &Problem<'_>, ladder: &mut Ladder) -> Result<Vec<Option<u16>>, SolveError> {
    equal_split(problem, ladder).map(|decided| decided.solution.choice)
}

/// The floors of sharing incentive: the smallest integers that are at least phi_u * V_u(C).
fn si_floors(problem: &Problem<'_>, ladder: &mut Ladder) -> Result<Vec<i64>, SolveError> {
    let total: i128 = problem.weights.iter().map(|&weight| i128::from(weight)).sum::<i128>().max(1);
    worth_of_everything(problem, ladder)
        .into_iter()
        .zip(&problem.weights)
        .map(|(everything, &weight)| {
            let due = i128::from(weight) * i128::from(everything?);
            i64::try_from(due.div_euclid(total) + i128::from(due.rem_euclid(total) > 0)).ok()
        })
        .collect::<Option<_>>()
        .ok_or(SolveError::Undecided)
}

/// A choice as the solution of the instance's program. The bound counts for feasible ones only.
fn solution_of(
    problem: &Problem<'_>,
    choice: Vec<Option<u16>>,
    bound: i128,
    states: u64,
    status: Status,
) -> Solution {
    let objective = problem.program.objective(&choice);
    Solution { status, choice, objective, bound: bound.max(objective), states, method: "" }
}

/// Which floors cannot hold together: floors are dropped, in order, for as long as the rest still conflicts.
fn conflict(problem: &Problem<'_>, ladder: &mut Ladder, floors: &[i64]) -> String {
    let mut program = problem.program.clone();
    for (tenant, &floor) in program.tenants.iter_mut().zip(floors) {
        tenant.floor = floor;
    }
    for tenant in 0..floors.len() {
        let floor = std::mem::take(&mut program.tenants[tenant].floor);
        if ladder.solve(&program).is_none_or(|solution| solution.status != Status::Infeasible) {
            program.tenants[tenant].floor = floor;
        }
    }
    let names: Vec<String> = problem
        .instance
        .tenants
        .iter()
        .zip(&program.tenants)
        .filter(|(_, tenant)| tenant.floor > 0)
        .map(|(of_instance, tenant)| {
            format!("{} >= {}", of_instance.name, tenant.floor as f64 / problem.units)
        })
        .collect();
    let types: Vec<String> = problem
        .instance
        .types
        .iter()
        .map(|t| format!("{} x {} slots of {}", t.devices, t.slots_per_device, t.name))
        .collect();
    format!("the floors {} cannot hold together within {}", names.join(", "), types.join(", "))
}

fn answer(problem: &Problem<'_>, ladder: &mut Ladder, policy: &str, decided: Decided) -> Answer {
    let Decided { solution, floors, proof, order, bound, counts } = decided;
    let of_everything = worth_of_everything(problem, ladder);
    let feasible = solution.status != Status::Infeasible;
    let in_units = |value: i128| value as f64 / problem.units;
    let properties = if feasible {
        properties(problem, ladder, &solution.choice, &of_everything)
    } else {
        Properties::default()
    };
    let worth = problem.program.tenant_values(&solution.choice);
    let total_weight: i128 = problem.weights.iter().map(|&w| i128::from(w)).sum();
    let tenants = problem.instance.tenants.iter().enumerate().map(|(i, tenant)| {
        let due = of_everything[i].map(|all| i128::from(all) * i128::from(problem.weights[i]));
        let rate = feasible.then(|| in_units(worth[i].into()));
        TenantAnswer {
            name: tenant.name.clone(),
            rate,
            floor: floors.as_ref().map(|floors| in_units(floors[i].into())),
            floor_slack: floors
                .as_ref()
                .filter(|_| feasible)
                .map(|floors| in_units(i128::from(worth[i]) - i128::from(floors[i]))),
            quota: problem
                .instance
                .types
                .iter()
                .zip(&problem.quotas[i])
                .map(|(of_type, &slots)| (of_type.name.clone(), f64::from(slots)))
                .collect(),
            equal_split_rate: due
                .filter(|_| total_weight > 0)
                .map(|due| due as f64 / total_weight as f64 / problem.units),
            si_ratio: due
                .filter(|&due| due > 0 && feasible)
                .map(|due| (i128::from(worth[i]) * total_weight) as f64 / due as f64),
            kept: None,
        }
    });
    let allocation = problem.jobs.iter().zip(&solution.choice).filter_map(|(&(tenant, job), option)| {
        let option = job.options.get(usize::from((*option)?))?;
        Some(Allocated {
            tenant: problem.instance.tenants[tenant].name.clone(),
            job: Some(job.name.clone()),
            gpu: option.gpu.clone(),
            slots: Some(option.slots),
            devices: Some(option.devices),
            share: None,
            rate: option.rate,
        })
    });
    let objective = match order {
        Order::Sum => in_units(solution.objective),
        _ => order.objective(problem, &worth),
    };
    let bound = bound.unwrap_or_else(|| in_units(solution.bound));
    Answer {
        policy: policy.to_string(),
        status: match solution.status {
            Status::Optimal => AnswerStatus::Optimal,
            Status::Feasible => AnswerStatus::Feasible,
            Status::Infeasible => AnswerStatus::Infeasible,
        },
        measure: order.measure(),
        objective: feasible.then_some(objective),
        bound: Some(bound).filter(|bound| feasible && bound.is_finite()),
        gap: feasible.then(|| if bound.is_finite() { gap(objective, bound) } else { 1.0 }),
        packing_gap: feasible.then(|| in_units(packing::unplaced_value(problem, &solution.choice).into())),
        proof,
        states: solution.states,
        counts,
        allocation: allocation.collect(),
        tenants: tenants.collect(),
        properties,
        explain: None,
        misreports: None,
        solve_s: None,
    }
}
