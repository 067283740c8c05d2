//! What `sts solve` answers.

use std::collections::BTreeMap;

use serde::Serialize;

use super::explain::Explanation;

/// How good the answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AnswerStatus {
    /// Nothing better is possible.
    Optimal,
    /// The bound says how far from the optimum it can be.
    Feasible,
    /// The constraints cannot hold together.
    Infeasible,
}

/// One allocation decision with its proof and its fairness properties. Values are in the units of the instance's rates, or of the
/// objective asked for; `None` where something is undefined.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    /// The policy.
    pub policy: String,
    /// How good it is.
    pub status: AnswerStatus,
    /// The objective.
    pub objective: Option<f64>,
    /// No allowed allocation has a greater objective.
    pub bound: Option<f64>,
    /// (bound - objective) / bound.
    pub gap: Option<f64>,
    /// Objective lost when the allocation is put on devices: where their boundaries cut free slots of uniform types, and where slices
    /// of one job find too few distinct devices.
    pub packing_gap: Option<f64>,
    /// How the answer was reached; for an infeasible instance, which constraints cannot hold together.
    pub proof: String,
    /// Program states examined.
    pub states: u64,
    /// Who gets what; jobs that idle are not listed.
    pub allocation: Vec<Allocated>,
    /// The tenants.
    pub tenants: Vec<TenantAnswer>,
    /// Fairness of the allocation.
    pub properties: Properties,
    /// Why the decision is what it is, where that was asked for.
    pub explain: Option<Explanation>,
    /// Seconds taken, filled in by the caller; explaining is not counted.
    pub solve_s: Option<f64>,
}

/// What one job gets.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Allocated {
    /// The tenant.
    pub tenant: String,
    /// The job.
    pub job: String,
    /// The GPU type.
    #[serde(rename = "type")]
    pub gpu: String,
    /// Slots on each device.
    pub slots: u32,
    /// Devices.
    pub devices: u32,
    /// The rate it has there.
    pub rate: f64,
}

/// One tenant.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TenantAnswer {
    /// Its name.
    pub name: String,
    /// What its jobs are worth together.
    pub rate: Option<f64>,
    /// What they must be worth at least; `None` for policies without floors.
    pub floor: Option<f64>,
    /// By how much its rate exceeds its floor.
    pub floor_slack: Option<f64>,
    /// Slots of each type that it is entitled to: what its floor is the worth of.
    pub quota: BTreeMap<String, u32>,
    /// Its share of what its jobs could be worth with the whole cluster.
    pub equal_split_rate: Option<f64>,
    /// `rate / equal_split_rate`.
    pub si_ratio: Option<f64>,
}

/// Fairness properties of the allocation; `None` where they could not be decided.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Properties {
    /// Every tenant has at least its equal split.
    pub sharing_incentive: Option<bool>,
    /// No tenant would rather have the bundle of one whose weight is not greater.
    pub envy_free: Option<bool>,
    /// No allocation gives one tenant more and no tenant less.
    pub pareto_efficient: Option<bool>,
    /// Who is treated against which property.
    pub violations: Vec<Violation>,
}

/// A tenant treated against a property.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Violation {
    /// The property, by its key.
    pub property: &'static str,
    /// The tenant.
    pub tenant: Option<String>,
    /// The tenant whose bundle it envies.
    pub other: Option<String>,
    /// What it has.
    pub has: f64,
    /// What it would have.
    pub could_have: f64,
}
