//! One allocation decision on a small problem, with its proof and its fairness properties: the library part of `sts solve`.
//!
//! Two kinds of problem: [`integer`] (jobs with options; exact integers) and `divisible` (tenants with rates; floating point with
//! bounds). The clock is the caller's: [`Answer::solve_s`] is left empty here.

pub mod answer;
mod divisible;
pub mod instance;
pub mod integer;
pub mod misreport;

use std::collections::BTreeMap;

use self::answer::Answer;
use self::divisible::Normalise;
pub use self::instance::{Instance, InstanceError};
use self::integer::explain::Explanation;
use self::integer::tables::{NoTables, Tables};
pub use self::misreport::misreports;
use crate::policy::param::{ParamError, ParamKind, ParamSpec, ParamValue, Params};
use crate::policy::{PolicySpec, registry};

/// The policies of `sts solve`, each with what it does. Beside these it has the policies of rounds of [`registry::policies`].
pub const POLICIES: &[(&str, &str)] = &[
    (
        "sts-fairness",
        "the greatest sum of values in which every tenant has at least what its quota is worth to it",
    ),
    ("brute-force", "a program by looking at every allocation; `of` names which"),
    ("equal-split", "every tenant makes the best of its own quota; nothing is lent"),
    ("max-sum", "the greatest sum of values, without floors"),
    ("max-sum-si", "the greatest sum in which every tenant has at least its equal split (sharing incentive)"),
    (
        "max-sum-ef",
        "the greatest sum in which no tenant would rather have the bundle of another (envy-freeness)",
    ),
    ("max-sum-si-ef", "the greatest sum with sharing incentive and envy-freeness together"),
    ("max-min", "the greatest least ratio of rate to equal split, then the next smallest, and so on"),
    ("nash", "the greatest product of rates, each to the power of its tenant's weight"),
    (
        "equal-throughput",
        "the same rate for everybody, divided by the tenant's own smallest; as great as possible",
    ),
    ("partial-allocation", "the Nash division, of which every tenant gives up what it costs the others"),
];

/// The parameters of `sts solve`, the same for every policy of [`POLICIES`].
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
        name: "normalise",
        title: "Unit of utilities",
        unit: None,
        kind: ParamKind::Choice(&[
            ("as-defined", "the rates as given; for equal-throughput and oef-* the tenant's smallest rate"),
            ("slowest", "the tenant's smallest rate above zero"),
            ("fastest", "the tenant's largest rate"),
            ("sum", "the sum of the tenant's rates"),
        ]),
        help: "Divisible problems: what a tenant's rate is divided by where rates of several tenants are added or made equal.",
    },
    ROUND_S,
    ParamSpec {
        name: "hysteresis",
        title: "Hysteresis",
        unit: Some("s"),
        kind: ParamKind::Number { default: Some(0.0), min: 0.0, max: 1e7 },
        help: "Seconds of the round that every option but the previous one loses; at most a third of the round counts.",
    },
    SOLVER_BUDGET,
    ParamSpec {
        name: "of",
        title: "Program",
        unit: None,
        kind: ParamKind::Choice(&[
            ("sts-fairness", "the program with floors"),
            ("max-sum", "the program without floors"),
            ("max-sum-si", "floors of equal splits"),
            ("max-sum-ef", "no envy"),
            ("max-sum-si-ef", "floors of equal splits and no envy"),
            ("max-min", "lexicographic max-min of rates over equal splits"),
            ("nash", "the product of rates"),
            ("equal-throughput", "lexicographic max-min of rates over smallest rates"),
        ]),
        help: "Which program brute-force enumerates.",
    },
];

const ROUND_S: ParamSpec = ParamSpec {
    name: "round_s",
    title: "Round",
    unit: Some("s"),
    kind: ParamKind::Number { default: Some(360.0), min: 1.0, max: 1e7 },
    help: "Length of the round, for objectives other than the plain sum of rates and for policies of rounds.",
};

const SOLVER_BUDGET: ParamSpec = ParamSpec {
    name: "solver_budget",
    title: "Solver budget",
    unit: None,
    kind: ParamKind::Integer { default: 50_000_000, min: 0, max: 1_000_000_000_000 },
    help: "Table expansions of an exact program, and steps of searches and enumerations; a count, so that every machine decides alike.",
};

/// What a policy of rounds takes beside its own parameters.
pub const ROUND_PARAMS: &[ParamSpec] = &[
    ROUND_S,
    SOLVER_BUDGET,
    ParamSpec {
        name: "seed",
        title: "Seed",
        unit: None,
        kind: ParamKind::Integer { default: 0, min: 0, max: 1_000_000_000_000 },
        help: "The seed of policies that draw at random.",
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
    /// Some tenants have jobs and some have rates.
    #[error("{path}: some tenants have jobs and others rates; give all of them the same")]
    Mixed {
        /// The JSON path of the odd one.
        path: String,
    },
    /// The policy cannot decide this instance.
    #[error("{policy} cannot decide this instance: {reason}")]
    Refused {
        /// The policy.
        policy: String,
        /// Why, and what to do.
        reason: String,
    },
    /// Floating point did not suffice.
    #[error(
        "the numbers of the instance are too far apart for its program to be solved; use rates of similar size"
    )]
    Numerical,
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

/// A policy with its checked parameters.
enum Checked {
    /// One of [`POLICIES`].
    Own(Params),
    /// One of the registry: its own parameters and those of the round.
    Round { spec: &'static PolicySpec, params: Params, round: Params },
}

/// Decides an instance under one of [`POLICIES`] or of the policies of rounds.
///
/// # Errors
/// [`SolveError`], which says where and what to do.
pub fn solve(
    instance: &Instance,
    policy: &str,
    params: &BTreeMap<String, ParamValue>,
) -> Result<Answer, SolveError> {
    match check(instance, policy, params)? {
        Checked::Own(params) if instance.is_divisible() => {
            divisible::solve(instance, policy, normalise(&params))
        }
        Checked::Own(params) => integer::solve(instance, policy, &params),
        Checked::Round { spec, params, round } => integer::one_round(instance, spec, &params, &round),
    }
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
    let refused =
        |reason: &str| SolveError::Refused { policy: policy.to_string(), reason: reason.to_string() };
    match check(instance, policy, params)? {
        Checked::Own(_) if instance.is_divisible() => {
            Err(refused("divisions are not explained; their proof has the bound"))
        }
        Checked::Own(params) => integer::explain(instance, policy, &params, jobs),
        Checked::Round { .. } => Err(refused("decisions of policies without a program are not explained")),
    }
}

/// The tables of the dynamic program that decides an instance under one of [`PROGRAMS`](integer::tables::PROGRAMS).
///
/// # Errors
/// [`NoTables`], which says why there are none, or why they cannot be read.
pub fn tables(
    instance: &Instance,
    policy: &str,
    params: &BTreeMap<String, ParamValue>,
) -> Result<Tables, NoTables> {
    match check(instance, policy, params)? {
        Checked::Own(_) if instance.is_divisible() => Err(NoTables::Divisible),
        Checked::Own(params) => integer::tables::tables(instance, policy, &params),
        Checked::Round { .. } => Err(NoTables::Policy(policy.to_string())),
    }
}

/// Whether a policy for divisible problems adds or compares rates over every tenant's smallest, unless `normalise` says otherwise;
/// other policies take the rates as they are given.
#[must_use]
pub fn is_over_slowest(policy: &str) -> bool {
    divisible::is_over_slowest(policy)
}

/// The policy of the registry with this name, if `solve` has none of its own.
fn round_policy(policy: &str) -> Option<&'static PolicySpec> {
    if POLICIES.iter().any(|(name, _)| *name == policy) { None } else { registry::spec(policy) }
}

fn check(
    instance: &Instance,
    policy: &str,
    given: &BTreeMap<String, ParamValue>,
) -> Result<Checked, SolveError> {
    let divides =
        instance.is_divisible() && divisible::ROUND_POLICIES.iter().any(|(name, _)| *name == policy);
    if POLICIES.iter().any(|(name, _)| *name == policy) || divides {
        return Ok(Checked::Own(Params::check("solve", PARAMS, given)?));
    }
    let Some(spec) = round_policy(policy) else {
        let own = POLICIES.iter().map(|(name, _)| *name);
        let of_rounds =
            registry::policies().iter().map(|spec| spec.name).filter(|name| round_policy(name).is_some());
        let known = own.chain(of_rounds).collect::<Vec<_>>().join(", ");
        return Err(SolveError::Policy { found: policy.to_string(), known });
    };
    if instance.is_divisible() {
        return Ok(Checked::Own(Params::check("solve", PARAMS, given)?));
    }
    let is_own = |name: &str| spec.params.iter().any(|param| param.name == name);
    let of_round = |name: &str| !is_own(name) && ROUND_PARAMS.iter().any(|param| param.name == name);
    let (round, own) = given.clone().into_iter().partition(|(name, _)| of_round(name));
    let round = Params::check("solve", ROUND_PARAMS, &round)?;
    let params = Params::check(spec.name, spec.params, &own)?;
    Ok(Checked::Round { spec, params, round })
}

fn normalise(params: &Params) -> Normalise {
    match params.word("normalise") {
        "slowest" => Normalise::Slowest,
        "fastest" => Normalise::Fastest,
        "sum" => Normalise::Sum,
        _ => Normalise::AsDefined,
    }
}
