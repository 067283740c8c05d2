//! What `sts solve` answers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::integer::explain::Explanation;
use super::misreport::MisreportSearch;

/// How good the answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AnswerStatus {
    /// Nothing better is possible. Divisible problems are solved in floating point: to the accuracy that the proof states.
    Optimal,
    /// The bound says how far from the optimum it can be.
    Feasible,
    /// The constraints cannot hold together.
    Infeasible,
}

impl AnswerStatus {
    /// What it is called in files.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Optimal => "optimal",
            Self::Feasible => "feasible",
            Self::Infeasible => "infeasible",
        }
    }
}

/// What the objective of an answer measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// The sum over tenants of their (normalised) rates, or of values under the objective asked for.
    Sum,
    /// The smallest over tenants of rate / equal split rate.
    LeastRatio,
    /// The smallest over tenants of rate / own smallest rate.
    LeastThroughput,
    /// The product over tenants of their (normalised) rates, each to the power of its weight over the mean weight.
    Product,
}

/// One allocation decision with its proof and its fairness properties. Values are in the units of the instance's rates, or of the
/// objective asked for; `None` where something is undefined.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The policy.
    pub policy: String,
    /// How good it is.
    pub status: AnswerStatus,
    /// What the objective measures.
    pub measure: Measure,
    /// The objective.
    pub objective: Option<f64>,
    /// No allowed allocation has a greater objective. For policies that do not optimise: no allocation has a greater sum.
    pub bound: Option<f64>,
    /// (bound - objective) / bound.
    pub gap: Option<f64>,
    /// Objective lost when the allocation is put on devices: where their boundaries cut free slots of uniform types, and where slices
    /// of one job find too few distinct devices. `None` for divisible problems.
    pub packing_gap: Option<f64>,
    /// How the answer was reached; for an infeasible instance, which constraints cannot hold together.
    pub proof: String,
    /// Program states examined; for divisible problems, programs and iterations.
    pub states: u64,
    /// How many allocations there are, where all were looked at.
    pub counts: Option<AllocationCounts>,
    /// Who gets what; jobs that idle are not listed.
    pub allocation: Vec<Allocated>,
    /// The tenants.
    pub tenants: Vec<TenantAnswer>,
    /// Fairness of the allocation.
    pub properties: Properties,
    /// Why the decision is what it is, where that was asked for.
    pub explain: Option<Explanation>,
    /// What tenants can gain by false reports, where that was asked for.
    pub misreports: Option<MisreportSearch>,
    /// Seconds taken, filled in by the caller; explaining and misreports are not counted.
    pub solve_s: Option<f64>,
}

/// Numbers of allocations. Two allocations are the same when every tenant has as much of every type in both (on A100-class types: as
/// many slices of each kind), whatever its jobs do with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AllocationCounts {
    /// Allocations that fit.
    pub fitting: u64,
    /// Those that meet the constraints of the program.
    pub allowed: u64,
    /// Those that are best among them.
    pub optimal: u64,
}

/// What one job gets, or a tenant of a divisible problem of one type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Allocated {
    /// The tenant.
    pub tenant: String,
    /// The job; `None` in a divisible problem.
    pub job: Option<String>,
    /// The GPU type.
    #[serde(rename = "type")]
    pub gpu: String,
    /// Slots on each device; `None` in a divisible problem.
    pub slots: Option<u32>,
    /// Devices; `None` in a divisible problem.
    pub devices: Option<u32>,
    /// Devices times the fraction of time they are held; `None` in an integer problem.
    pub share: Option<f64>,
    /// The rate it has there.
    pub rate: f64,
}

/// One tenant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TenantAnswer {
    /// Its name.
    pub name: String,
    /// What its jobs are worth together, or what its shares are worth to it.
    pub rate: Option<f64>,
    /// What they must be worth at least; `None` for policies without floors.
    pub floor: Option<f64>,
    /// By how much its rate exceeds its floor.
    pub floor_slack: Option<f64>,
    /// Slots of each type that it is entitled to: what its floor is the worth of. Devices in a divisible problem.
    pub quota: BTreeMap<String, f64>,
    /// Integer problem: its share of what its jobs could be worth with the whole cluster. Divisible problem: what its share of every
    /// type is worth to it.
    pub equal_split_rate: Option<f64>,
    /// `rate / equal_split_rate`.
    pub si_ratio: Option<f64>,
    /// The fraction that it keeps of what it won, where the policy takes a part of it as a payment.
    pub kept: Option<f64>,
}

/// Fairness properties of the allocation; `None` where they could not be decided.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Properties {
    /// Every tenant has at least its equal split.
    pub sharing_incentive: Option<bool>,
    /// Integer problem: no tenant would rather have the bundle of one whose weight is not greater. Divisible problem: no tenant would
    /// rather have the bundle of another, scaled by the ratio of their weights.
    pub envy_free: Option<bool>,
    /// No allocation gives one tenant more and no tenant less.
    pub pareto_efficient: Option<bool>,
    /// `false` when a false report was found that pays. A search cannot prove the contrary.
    pub strategy_proof: Option<bool>,
    /// Who is treated against which property.
    pub violations: Vec<Violation>,
}

/// A property of fairness that an allocation can violate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Property {
    /// See [`Properties::sharing_incentive`].
    SharingIncentive,
    /// See [`Properties::envy_free`].
    EnvyFree,
    /// See [`Properties::pareto_efficient`].
    ParetoEfficient,
}

/// A tenant treated against a property.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Violation {
    /// The property.
    pub property: Property,
    /// The tenant.
    pub tenant: Option<String>,
    /// The tenant whose bundle it envies.
    pub other: Option<String>,
    /// What it has.
    pub has: f64,
    /// What it would have.
    pub could_have: f64,
}

/// (bound - objective) / bound, from 0 to 1. What is below a thousandth of the unit in which rates are taken is rounding.
pub(super) fn gap(objective: f64, bound: f64) -> f64 {
    if bound - objective > 1e-9 { ((bound - objective) / bound).clamp(0.0, 1.0) } else { 0.0 }
}
