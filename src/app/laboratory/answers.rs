//! What every policy answers to a small instance; a worker asks them all.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::draft::Kind;

use crate::policy::param::{ParamKind, ParamSpec, ParamValue};
use crate::policy::registry;
use crate::solve::answer::{Answer, Measure, Property, Violation};
use crate::solve::integer::tables::{PROGRAMS, Tables};
use crate::solve::misreport::MisreportSearch;
use crate::solve::{self, Instance};

/// The solver's budget for each decision: a count, so that every machine decides alike, and none for long.
pub const BUDGET: u32 = 200_000;

/// Random reports for every tenant in a search for false reports.
pub const RANDOM_REPORTS: u32 = 16;

/// What the policies of `solve` are asked beside the instance. Words are those of [`solve::PARAMS`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Divisible problems: what a tenant's rate is divided by where rates of several are added or made equal.
    pub normalise: String,
    /// Integer problems: what an option is worth.
    pub objective: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self { normalise: "as-defined".to_owned(), objective: "rates".to_owned() }
    }
}

impl Settings {
    /// The words that a setting can have, each with what it means.
    #[must_use]
    pub fn choices(name: &str) -> &'static [(&'static str, &'static str)] {
        let spec = spec(name);
        match spec.map(|spec| &spec.kind) {
            Some(ParamKind::Choice(choices)) => choices,
            _ => &[],
        }
    }

    /// The parameters of a policy.
    fn params(&self, policy: &str, kind: Kind) -> BTreeMap<String, ParamValue> {
        let mut params =
            BTreeMap::from([("solver_budget".to_owned(), ParamValue::Number(f64::from(BUDGET)))]);
        if kind == Kind::Divisible {
            params.insert("normalise".to_owned(), ParamValue::Word(self.normalise.clone()));
        } else if is_own(policy) {
            params.insert("objective".to_owned(), ParamValue::Word(self.objective.clone()));
        }
        params
    }
}

/// What a setting is, as the command line describes it.
#[must_use]
pub fn spec(name: &str) -> Option<&'static ParamSpec> {
    solve::PARAMS.iter().find(|spec| spec.name == name)
}

/// Whether a policy is one of `solve` itself, not one of rounds.
#[must_use]
pub fn is_own(policy: &str) -> bool {
    solve::POLICIES.iter().any(|(name, _)| *name == policy)
}

/// Every policy that can be asked: those of `solve`, then those of rounds.
pub fn policies() -> impl Iterator<Item = &'static str> {
    let own = solve::POLICIES.iter().map(|(name, _)| *name);
    own.chain(registry::policies().iter().map(|spec| spec.name).filter(|name| !is_own(name)))
}

/// What is asked of a worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// The instance, as a file has it.
    pub instance: String,
    /// The settings.
    pub settings: Settings,
    /// The policy that is looked at.
    pub policy: String,
}

impl Question {
    fn instance(&self) -> Result<Instance, String> {
        Instance::from_json(&self.instance).map_err(|error| error.to_string())
    }
}

/// What the worker answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answers {
    /// Every policy, in the order of [`policies`].
    pub outcomes: Vec<Outcome>,
    /// The tables of the dynamic program, or why there are none.
    pub tables: Result<Tables, String>,
}

/// One policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Its name.
    pub policy: String,
    /// What it decided, or why it cannot.
    pub result: Result<Box<Solved>, String>,
}

/// What an objective measures, and in which unit: only objectives of one scale can be compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scale {
    /// What it measures.
    pub measure: Measure,
    /// The word of the unit; empty where rates count as they are given, or where it does not matter.
    pub unit: String,
}

/// A decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Solved {
    /// What the objective is.
    pub scale: Scale,
    /// What was decided.
    pub answer: Answer,
}

impl Solved {
    /// Who would rather have the bundle of another, and of whom.
    pub fn envies(&self) -> impl Iterator<Item = (&str, &str, &Violation)> {
        let violations = self.against(Property::EnvyFree);
        violations.filter_map(|v| Some((v.tenant.as_deref()?, v.other.as_deref()?, v)))
    }

    /// The sum of rates and that of an allocation in which nobody has less, where there is one with more.
    #[must_use]
    pub fn wasted(&self) -> Option<(f64, f64)> {
        self.against(Property::ParetoEfficient).next().map(|v| (v.has, v.could_have))
    }

    fn against(&self, property: Property) -> impl Iterator<Item = &Violation> {
        self.answer.properties.violations.iter().filter(move |v| v.property == property)
    }

    /// The smallest ratio of a rate to its equal split.
    #[must_use]
    pub fn least_ratio(&self) -> Option<f64> {
        self.answer.tenants.iter().filter_map(|tenant| tenant.si_ratio).min_by(f64::total_cmp)
    }
}

/// Asks every policy.
///
/// # Errors
/// What is wrong with the instance.
pub fn answers(question: &Question) -> Result<Answers, String> {
    let Question { settings, policy, .. } = question;
    let instance = &question.instance()?;
    let outcome = |name: &str| {
        let answer = solve::solve(instance, name, &settings.params(name, Kind::of(instance)));
        let solved = |answer: Answer| {
            let scale = scale(name, answer.measure, settings, Kind::of(instance));
            Box::new(Solved { scale, answer })
        };
        Outcome { policy: name.to_owned(), result: answer.map(solved).map_err(|error| reason(name, &error)) }
    };
    let program = program_of(policy);
    let params = settings.params(program, Kind::of(instance));
    Ok(Answers {
        outcomes: policies().map(outcome).collect(),
        tables: solve::tables(instance, program, &params).map_err(|error| error.to_string()),
    })
}

/// Searches for false reports that pay under the policy.
///
/// # Errors
/// Why the policy cannot decide the instance.
pub fn misreports(question: &Question) -> Result<MisreportSearch, String> {
    let Question { settings, policy, .. } = question;
    let instance = &question.instance()?;
    let params = settings.params(policy, Kind::of(instance));
    let refused = |error: solve::SolveError| reason(policy, &error);
    let mut answer = solve::solve(instance, policy, &params).map_err(refused)?;
    solve::misreports(instance, policy, &params, RANDOM_REPORTS, &mut answer).map_err(refused)?;
    answer.misreports.ok_or_else(|| "nothing was searched".to_owned())
}

/// The policy whose tables are shown beside a policy: its own, or those of the program with the floors of quotas.
#[must_use]
pub fn program_of(policy: &str) -> &str {
    if PROGRAMS.contains(&policy) { policy } else { "sts-fairness" }
}

/// Why a policy does not answer, without its name, which stands beside it.
fn reason(policy: &str, error: &solve::SolveError) -> String {
    let words = error.to_string();
    let words = words.strip_prefix(&format!("{policy} cannot decide this instance: ")).unwrap_or(&words);
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn scale(policy: &str, measure: Measure, settings: &Settings, kind: Kind) -> Scale {
    let unit = match (measure, kind) {
        (Measure::Sum | Measure::Product, Kind::Divisible) if settings.normalise == "as-defined" => {
            if solve::is_over_slowest(policy) {
                "slowest"
            } else {
                ""
            }
        }
        (Measure::Sum | Measure::Product, Kind::Divisible) => settings.normalise.as_str(),
        (Measure::LeastRatio | Measure::LeastThroughput, Kind::Divisible) => "",
        (_, Kind::Integer) if is_own(policy) && settings.objective != "rates" => settings.objective.as_str(),
        (_, Kind::Integer) => "",
    };
    Scale { measure, unit: unit.to_owned() }
}
