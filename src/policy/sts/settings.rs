//! The parameters of STS-Fairness, as data and as read for a run.

use super::formulation::Formulation;
use super::formulation::drift::Drift;
use super::formulation::maxmin::MaxMin;
use super::ladder::Method;
use super::loans::LoanTerms;
use super::value::{Durations, Mode, Objective};
use crate::policy::estimate::{DURATION_ERROR, DURATIONS, Estimator};
use crate::policy::param::{ParamError, ParamKind, ParamSpec};
use crate::policy::{Params, View};
use crate::units::SimSpan;

/// The name of the hysteresis parameter, which [`check_hysteresis`] refuses.
const HYSTERESIS: &str = "hysteresis";

/// The parameters.
pub(super) const PARAMS: &[ParamSpec] = &[
    ParamSpec {
        name: "objective",
        title: "Objective",
        unit: None,
        kind: ParamKind::Choice(&[
            ("mix", "sqrt(GPUs / remaining time): short jobs first, gangs by the root of their size"),
            ("throughput", "GPUs: most work done"),
            ("jct", "1 / remaining time: shortest mean completion time, at the expense of gangs"),
            (
                "makespan",
                "GPUs times sqrt(remaining time): long jobs first; for batches, and mean completion time suffers",
            ),
        ]),
        help: "The weight nu of a job's speed in the sum that every round maximises. Floors hold in the same metric.",
    },
    ParamSpec {
        name: "formulation",
        title: "Formulation",
        unit: None,
        kind: ParamKind::Choice(&[
            ("f1", "quota floors: in every round no tenant is below what its own quota is worth to it"),
            (
                "f2",
                "drift plus penalty: what tenants missed counts in the objective; fair on average, no floors",
            ),
            ("f3", "lexicographic max-min: the tenant served least so far comes first, at any price"),
        ]),
        help: "What fairness asks of a round. In f2 and f3 the ledger shows what quotas are worth for reference only.",
    },
    ParamSpec {
        kind: ParamKind::Choice(&[
            ("oracle", "the exact remaining work"),
            ("attained", "only the work already done is known, and takes the place of what remains"),
            ("noisy", "an estimate of every job's work, made once, that is wrong by a random factor"),
            ("unknown", "the same as attained"),
        ]),
        ..DURATIONS
    },
    DURATION_ERROR,
    ParamSpec {
        name: HYSTERESIS,
        title: "Hysteresis",
        unit: Some("s"),
        kind: ParamKind::Number { default: None, min: 0.0, max: 1e7 },
        help: "Seconds of a round that every option but the one held loses, in the objective and in the floors. By default the \
               restore overhead, at least a sixth of the round; more than a third of the round is refused.",
    },
    ParamSpec {
        name: "ageing_s",
        title: "Ageing",
        unit: Some("s"),
        kind: ParamKind::Number { default: None, min: 1.0, max: 1e9 },
        help: "Time since its submission after which a job counts twice in the objective, then three times, and so on. Floors \
               protect tenants, not jobs; this lets no job of a tenant wait for ever. By default age does not count.",
    },
    ParamSpec {
        name: "solver_budget",
        title: "Solver budget",
        unit: None,
        kind: ParamKind::Integer { default: 1_000_000, min: 0, max: 1_000_000_000_000 },
        help: "Options the exact program may try in a round, floors included; what is then unproven is decided with a proven gap. \
               A count, not a time, so that every machine decides alike.",
    },
    ParamSpec {
        name: "solver",
        title: "Solver",
        unit: None,
        kind: ParamKind::Choice(&[
            (
                "loss-budget",
                "dynamic program over what is lost against the Lagrangian bound: clusters of thousands of GPUs",
            ),
            (
                "dense",
                "dynamic program over all slots, as in textbooks, as far as the budget allows: small clusters",
            ),
        ]),
        help: "Which exact program decides. Both prove the same optimum; between equal optima they may choose differently.",
    },
    ParamSpec {
        name: "price_every",
        title: "Price of fairness every",
        unit: Some("rounds"),
        kind: ParamKind::Integer { default: 5, min: 0, max: 1_000_000 },
        help: "How often the optimum without floors is computed too, to show what the floors cost. 0 = never.",
    },
    ParamSpec {
        name: "drift_b",
        title: "Weight of efficiency",
        unit: Some("rounds"),
        kind: ParamKind::Number { default: Some(5.0), min: 0.0, max: 1e6 },
        help: "For formulation f2: a tenant that missed so many rounds of a mean entitlement counts twice in the objective. More \
               is more efficient, less is fair sooner.",
    },
    ParamSpec {
        name: "loan_lambda",
        title: "Loans",
        unit: None,
        kind: ParamKind::Number { default: Some(0.0), min: 0.0, max: 1.0 },
        help: "Share of the quota a tenant leaves to others that it gets back later, from those who used it. 0 = what is not used \
               is forgotten, 1 = all of it is owed (long-term resource fairness).",
    },
    ParamSpec {
        name: "loan_cap_rounds",
        title: "Largest loan",
        unit: Some("rounds"),
        kind: ParamKind::Integer { default: 8, min: 0, max: 10_000 },
        help: "No tenant is owed or owes more than its share of so many rounds of a GPU type.",
    },
    ParamSpec {
        name: "loan_half_life_s",
        title: "Half-life of loans",
        unit: Some("s"),
        kind: ParamKind::Number { default: None, min: 1.0, max: 1e9 },
        help: "After so many seconds half of a loan is forgotten. By default none is.",
    },
];

/// The parameters of one run.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    /// The formulation, with nothing remembered yet.
    pub(super) formulation: Formulation,
    mode: Mode,
    durations: Durations,
    /// What is known of run times.
    pub(super) estimator: Estimator,
    hysteresis: Option<SimSpan>,
    ageing_s: Option<f64>,
    /// Expansions of the exact program in a round.
    pub(super) budget: u64,
    /// The exact program.
    pub(super) method: Method,
    /// Rounds from one optimum without floors to the next; 0 = never.
    pub(super) price_every: u64,
    /// Terms of loans, if there are any.
    pub(super) loans: Option<LoanTerms>,
}

impl Settings {
    /// Reads checked parameters.
    pub(super) fn new(params: &Params, seed: u64) -> Self {
        Self {
            formulation: match params.word("formulation") {
                "f2" => Formulation::Drift(Drift::new(params.number("drift_b"))),
                "f3" => Formulation::MaxMin(MaxMin::default()),
                _ => Formulation::QuotaFloors,
            },
            mode: match params.word("objective") {
                "throughput" => Mode::Throughput,
                "jct" => Mode::Jct,
                "makespan" => Mode::Makespan,
                _ => Mode::Mix,
            },
            durations: match params.word("durations") {
                "attained" | "unknown" => Durations::Attained,
                _ => Durations::Oracle,
            },
            estimator: Estimator::new(params, seed),
            hysteresis: params.given_number(HYSTERESIS).map(SimSpan::from_secs),
            ageing_s: params.given_number("ageing_s"),
            budget: params.integer("solver_budget").unsigned_abs(),
            method: match params.word("solver") {
                "dense" => Method::Dense,
                _ => Method::LossBudget,
            },
            price_every: params.integer("price_every").unsigned_abs(),
            loans: LoanTerms::new(
                params.number("loan_lambda"),
                params.integer("loan_cap_rounds").unsigned_abs(),
                params.given_number("loan_half_life_s").map(SimSpan::from_secs),
            ),
        }
    }

    /// The objective of a round.
    pub(super) fn objective(&self, view: &View<'_>) -> Objective {
        Objective {
            mode: self.mode,
            durations: self.durations,
            round_s: view.round_length.as_secs(),
            hysteresis: Objective::hysteresis_of(self.hysteresis, view.restore_cost, view.round_length),
            ageing_s: self.ageing_s,
        }
    }
}

/// Refuses a hysteresis of more than a third of the round, with which tenants lose a large part of their floors in service.
///
/// # Errors
/// [`ParamError::Value`] for a `hysteresis` above a third of `round`.
pub fn check_hysteresis(params: &Params, round: SimSpan) -> Result<(), ParamError> {
    let most = round.as_secs() / 3.0;
    match params.given_number(HYSTERESIS) {
        Some(found) if found > most => Err(ParamError::Value {
            name: HYSTERESIS,
            found: found.to_string(),
            expected: format!("at most {most}, a third of the round"),
        }),
        _ => Ok(()),
    }
}
