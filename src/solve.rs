//! One allocation decision on a small problem, with its proof and its fairness properties: the library part of `sts solve`.
//!
//! Everything is exact integer arithmetic, so that "equal to brute force" can be asserted. The clock is the caller's:
//! [`Answer::solve_s`] is left empty here.

pub mod answer;
mod enumerate;
pub mod explain;
mod fairness;
pub mod instance;
mod packing;
mod problem;

use std::collections::BTreeMap;

use self::answer::{Allocated, Answer, AnswerStatus, Properties, TenantAnswer};
use self::enumerate::{Fairness, enumerate};
use self::explain::Explanation;
use self::fairness::{exact_worth, properties, worth_of_everything};
pub use self::instance::{Instance, InstanceError};
use self::problem::{Problem, Worth};
use crate::policy::param::{ParamError, ParamKind, ParamSpec, ParamValue, Params};
use crate::policy::sts::ladder::Ladder;
use crate::policy::sts::program::{Solution, Status};
use crate::policy::sts::value::{Durations, Mode, Objective};
use crate::units::SimSpan;

/// The policies of `sts solve`, each with what it does.
pub const POLICIES: &[(&str, &str)] = &[
    (
        "sts-fairness",
        "the greatest sum of values in which every tenant has at least what its quota is worth to it",
    ),
    ("brute-force", "the same program by looking at every choice; `of` names another program"),
    ("equal-split", "every tenant makes the best of its own quota; nothing is lent"),
    ("max-sum", "the greatest sum of values, without floors"),
];

/// The parameters of `sts solve`, the same for every policy.
pub const PARAMS: &[ParamSpec] = &[
    ParamSpec {
        name: "objective",
        title: "Objective",
        unit: None,
        kind: ParamKind::Choice(&[
            ("rates", "the sum of the rates as given"),
            ("mix", "sqrt(g / max(p, D)) times the rate"),
            ("throughput", "g times the rate"),
            ("jct", "rate / max(p, D)"),
            ("makespan", "g * sqrt(p) times the rate"),
        ]),
        help: "What an option is worth. g is the largest number of devices a job has an option for, p its remaining_s, D the round.",
    },
    ParamSpec {
        name: "round_s",
        title: "Round",
        unit: Some("s"),
        kind: ParamKind::Number { default: Some(360.0), min: 1.0, max: 1e7 },
        help: "Length of the round, for objectives other than the plain sum of rates.",
    },
    ParamSpec {
        name: "hysteresis",
        title: "Hysteresis",
        unit: Some("s"),
        kind: ParamKind::Number { default: Some(0.0), min: 0.0, max: 1e7 },
        help: "Seconds of the round that every option but the previous one loses; at most a third of the round counts.",
    },
    ParamSpec {
        name: "solver_budget",
        title: "Solver budget",
        unit: None,
        kind: ParamKind::Integer { default: 50_000_000, min: 0, max: 1_000_000_000_000 },
        help: "Table expansions of the exact program, and steps of the enumeration; a count, so that every machine decides alike.",
    },
    ParamSpec {
        name: "of",
        title: "Program",
        unit: None,
        kind: ParamKind::Choice(&[
            ("sts-fairness", "the program with floors"),
            ("max-sum", "the program without floors"),
        ]),
        help: "Which program brute-force enumerates.",
    },
];

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SolveError {
    /// The instance is wrong.
    #[error(transparent)]
    Instance(#[from] InstanceError),
    /// A parameter is wrong.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// There is no such policy.
    #[error("{found:?} is not a policy of solve; it has {known}")]
    Policy {
        /// What was asked for.
        found: String,
        /// What there is.
        known: String,
    },
    /// The instance is a divisible problem.
    #[error(
        "{path}: found a divisible problem (rates), expected jobs with options; divisible problems cannot be solved yet"
    )]
    Divisible {
        /// The JSON path of the first rates.
        path: String,
    },
    /// There are too many choices to enumerate.
    #[error(
        "the instance has more choices than brute force may look at ({limit} steps); raise solver_budget or use sts-fairness"
    )]
    TooLarge {
        /// The steps allowed.
        limit: u64,
    },
    /// The floors were neither met nor proven impossible.
    #[error(
        "no allocation that meets the quotas given was found within the budget, and none was proven not to exist; raise solver_budget"
    )]
    Undecided,
}

/// A decision before it is put into words.
struct Decided {
    solution: Solution,
    floors: Option<Vec<i64>>,
    proof: String,
}

/// Decides an instance under one of [`POLICIES`].
///
/// # Errors
/// [`SolveError`], which says where and what to do.
pub fn solve(
    instance: &Instance,
    policy: &str,
    params: &BTreeMap<String, ParamValue>,
) -> Result<Answer, SolveError> {
    let params = check(policy, params)?;
    let problem = Problem::new(instance, worth(&params))?;
    let mut ladder = Ladder::new(budget(&params));
    let decided = decide(&problem, &mut ladder, policy, &params)?;
    Ok(answer(&problem, &mut ladder, policy, decided))
}

/// Explains the decision that [`solve`] makes: steps, prices, and for at most `jobs` waiting jobs what running them would have cost.
/// Takes several times as long as the decision, so it is asked for apart.
///
/// # Errors
/// Those of [`solve`].
pub fn explain(
    instance: &Instance,
    policy: &str,
    params: &BTreeMap<String, ParamValue>,
    jobs: usize,
) -> Result<Explanation, SolveError> {
    let params = check(policy, params)?;
    let problem = Problem::new(instance, worth(&params))?;
    let mut ladder = Ladder::new(budget(&params));
    let decided = decide(&problem, &mut ladder, policy, &params)?;
    let mut program = problem.program.clone();
    for (tenant, &floor) in program.tenants.iter_mut().zip(decided.floors.iter().flatten()) {
        tenant.floor = floor;
    }
    // Where nothing is lent there is no common program in which a job could have been preferred.
    let jobs = if policy == "equal-split" { 0 } else { jobs };
    Ok(explain::explain(&problem, &program, &decided.solution, jobs, budget(&params)))
}

fn check(policy: &str, params: &BTreeMap<String, ParamValue>) -> Result<Params, SolveError> {
    if !POLICIES.iter().any(|(name, _)| *name == policy) {
        let known = POLICIES.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        return Err(SolveError::Policy { found: policy.to_string(), known });
    }
    Ok(Params::check("solve", PARAMS, params)?)
}

fn budget(params: &Params) -> u64 {
    params.integer("solver_budget").unsigned_abs()
}

fn decide(
    problem: &Problem<'_>,
    ladder: &mut Ladder,
    policy: &str,
    params: &Params,
) -> Result<Decided, SolveError> {
    Ok(match policy {
        "brute-force" => {
            let fairness = match params.word("of") {
                "max-sum" => Fairness::NoFloors,
                _ => Fairness::Floors,
            };
            brute_force(problem, fairness, budget(params))?
        }
        "equal-split" => equal_split(problem, ladder)?,
        "max-sum" => {
            let solution = ladder.solve(&problem.program).ok_or(SolveError::Undecided)?;
            Decided { proof: solution.method.to_string(), solution, floors: None }
        }
        _ => sts_fairness(problem, ladder)?,
    })
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
    Ok(Decided { solution, floors: Some(floors), proof })
}

fn brute_force(problem: &Problem<'_>, fairness: Fairness, limit: u64) -> Result<Decided, SolveError> {
    let found = enumerate(problem, fairness, limit)?;
    let floors = (fairness == Fairness::Floors).then_some(found.floors);
    let (status, choice) = match found.choice {
        Some(choice) => (Status::Optimal, choice),
        None => (Status::Infeasible, Vec::new()),
    };
    let objective = problem.program.objective(&choice);
    let proof = match (status, &floors) {
        (Status::Infeasible, Some(floors)) => conflict(problem, &mut Ladder::new(limit), floors),
        _ => "enumeration".to_string(),
    };
    let method = "enumeration";
    let solution = Solution { status, choice, objective, bound: objective, states: found.states, method };
    Ok(Decided { solution, floors, proof })
}

fn equal_split(problem: &Problem<'_>, ladder: &mut Ladder) -> Result<Decided, SolveError> {
    let mut floors = Vec::with_capacity(problem.shares.len());
    let mut choice = Vec::with_capacity(problem.jobs.len());
    let (mut objective, mut bound, mut states) = (0, 0, 0);
    for (tenant, share) in problem.shares.iter().enumerate() {
        let own = ladder.solve(&problem.alone(tenant, share)).ok_or(SolveError::Undecided)?;
        floors.push(i64::try_from(own.objective).unwrap_or(i64::MAX));
        choice.extend(own.choice);
        objective += own.objective;
        bound += own.bound;
        states += own.states;
    }
    let fits = problem.program.is_feasible(&choice);
    let status = match (fits, objective == bound) {
        (false, _) => Status::Infeasible,
        (true, true) => Status::Optimal,
        (true, false) => Status::Feasible,
    };
    let method = "every tenant alone in its quota";
    let proof = if fits { method.to_string() } else { "the quotas exceed the capacity".to_string() };
    let solution = Solution { status, choice, objective, bound, states, method };
    Ok(Decided { solution, floors: Some(floors), proof })
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
    let Decided { solution, floors, proof } = decided;
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
                .map(|(of_type, &slots)| (of_type.name.clone(), slots))
                .collect(),
            equal_split_rate: due
                .filter(|_| total_weight > 0)
                .map(|due| due as f64 / total_weight as f64 / problem.units),
            si_ratio: due
                .filter(|&due| due > 0 && feasible)
                .map(|due| (i128::from(worth[i]) * total_weight) as f64 / due as f64),
        }
    });
    let allocation = problem.jobs.iter().zip(&solution.choice).filter_map(|(&(tenant, job), option)| {
        let option = job.options.get(usize::from((*option)?))?;
        Some(Allocated {
            tenant: problem.instance.tenants[tenant].name.clone(),
            job: job.name.clone(),
            gpu: option.gpu.clone(),
            slots: option.slots,
            devices: option.devices,
            rate: option.rate,
        })
    });
    let gap = match solution.bound {
        0 => 0.0,
        bound => (bound - solution.objective) as f64 / bound as f64,
    };
    Answer {
        policy: policy.to_string(),
        status: match solution.status {
            Status::Optimal => AnswerStatus::Optimal,
            Status::Feasible => AnswerStatus::Feasible,
            Status::Infeasible => AnswerStatus::Infeasible,
        },
        objective: feasible.then(|| in_units(solution.objective)),
        bound: feasible.then(|| in_units(solution.bound)),
        gap: feasible.then_some(gap),
        packing_gap: feasible.then(|| in_units(packing::unplaced_value(problem, &solution.choice).into())),
        proof,
        states: solution.states,
        allocation: allocation.collect(),
        tenants: tenants.collect(),
        properties,
        explain: None,
        solve_s: None,
    }
}
