//! Divisible problems: every tenant has a rate on one device of each type, and devices are shared by time, so that a tenant's part is
//! any real number of devices.
//!
//! Rates and weights are taken in millionths. Linear programs end within about 1e-8 of their optimum, whose bound is that of the dual
//! solution; Nash welfare is bounded by prices (see [`nash`]). What is within [`ACCURACY`] of its bound is called optimal.

mod cholesky;
mod max_min;
mod nash;
mod partial;
mod programs;
mod properties;
mod trading;

use super::SolveError;
use super::answer::{Allocated, Answer, AnswerStatus, Measure, TenantAnswer, gap};
use super::instance::Instance;
use crate::linear::program::rounded;

/// Relative accuracy of divisible answers: of objectives, and of comparisons in their properties.
pub(super) const ACCURACY: f64 = 1e-7;

/// Policies of rounds that have a counterpart for divisible problems, each with the policy of `solve` that it is.
pub(super) const ROUND_POLICIES: &[(&str, &str)] = &[
    ("gavel-max-sum", "max-sum"),
    ("oef-noncoop", "equal-throughput"),
    ("oef-coop", "max-sum-ef"),
    ("themis", "partial-allocation"),
    ("proportional", "equal-split"),
    ("drf", "equal-split"),
    ("gavel-water-filling", "max-min"),
    ("gavel-max-min", "least-ratio"),
    ("gandiva-fair", "trading"),
];

/// What one unit of a tenant's utility is, in objectives that add utilities of different tenants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Normalise {
    /// As the policy is defined: the rates as given; for `equal-throughput` and `oef-*` over the tenant's smallest rate.
    AsDefined,
    /// Over its smallest rate above zero.
    Slowest,
    /// Over its largest rate.
    Fastest,
    /// Over the sum of its rates: what one device of each type is worth to it.
    Sum,
}

/// A divisible instance in numbers.
#[derive(Debug, Clone)]
pub(super) struct Economy<'a> {
    instance: &'a Instance,
    /// Devices of each type.
    devices: Vec<f64>,
    /// By tenant and type.
    rates: Vec<Vec<f64>>,
    /// Zero for tenants that no device is worth anything to.
    weights: Vec<f64>,
    /// The most that a tenant's shares may sum to.
    limits: Vec<Option<f64>>,
    /// What objectives divide utilities by.
    units: Vec<f64>,
}

/// Devices by tenant and type.
pub(super) type Shares = Vec<Vec<f64>>;

/// A division, or why there is none.
enum Decided {
    Split(Split),
    Infeasible(String),
}

/// A division with what is known of it.
struct Split {
    shares: Shares,
    measure: Measure,
    objective: f64,
    bound: f64,
    proof: String,
    /// Programs solved and iterations.
    states: u64,
    /// What each tenant keeps of what it won.
    kept: Option<Vec<f64>>,
}

/// Divides under a policy that [`super::POLICIES`] or [`ROUND_POLICIES`] names.
pub(super) fn solve(instance: &Instance, policy: &str, normalise: Normalise) -> Result<Answer, SolveError> {
    instance.check()?;
    if let Some(i) = instance.tenants.iter().position(|tenant| tenant.rates.is_none()) {
        return Err(SolveError::Mixed { path: format!("tenants[{i}].jobs") });
    }
    let rule = rule_of(policy);
    let defined = if is_over_slowest(policy) { Normalise::Slowest } else { Normalise::AsDefined };
    let economy = Economy::new(instance, if normalise == Normalise::AsDefined { defined } else { normalise });
    let decided = match rule {
        "equal-split" => Decided::Split(equal_split(&economy)),
        "max-sum" => programs::max_sum(&economy, &[])?,
        "max-sum-si" => programs::max_sum(&economy, &[programs::Demand::SharingIncentive])?,
        "max-sum-ef" => programs::max_sum(&economy, &[programs::Demand::EnvyFree])?,
        "max-sum-si-ef" => {
            programs::max_sum(&economy, &[programs::Demand::SharingIncentive, programs::Demand::EnvyFree])?
        }
        "equal-throughput" => programs::max_sum(&economy, &[programs::Demand::EqualThroughput])?,
        "max-min" => max_min::lexicographic(&economy)?,
        "least-ratio" => max_min::least_ratio(&economy)?,
        "nash" => Decided::Split(nash::split(&economy)?),
        "partial-allocation" => Decided::Split(partial::split(&economy)?),
        "trading" => Decided::Split(trading::split(&economy)),
        _ => return Err(refusal(policy)),
    };
    Ok(answer(&economy, policy, decided))
}

/// The policy of `solve` that a policy is.
fn rule_of(policy: &str) -> &str {
    ROUND_POLICIES.iter().find(|(name, _)| *name == policy).map_or(policy, |&(_, rule)| rule)
}

/// Whether a policy is defined in units of every tenant's smallest rate.
pub(super) fn is_over_slowest(policy: &str) -> bool {
    rule_of(policy) == "equal-throughput" || policy.starts_with("oef-")
}

/// Why a policy does not divide.
fn refusal(policy: &str) -> SolveError {
    let reason = match policy {
        "sts-fairness" => {
            "its quotas are whole slots and its program chooses options of jobs; give the tenants jobs, or use max-sum-si"
        }
        "brute-force" => {
            "there are infinitely many divisions to look at; use the policy itself, whose proof has a bound"
        }
        "gavel-makespan" | "gavel-ftf" => {
            "it looks at the work that jobs have left, which a tenant with rates does not have; give the tenants jobs with remaining_s"
        }
        _ => "it serves jobs, and a tenant with rates has none; give the tenants jobs",
    };
    SolveError::Refused { policy: policy.to_string(), reason: reason.to_string() }
}

impl<'a> Economy<'a> {
    fn new(instance: &'a Instance, normalise: Normalise) -> Self {
        let micro = |value: f64| (value * 1e6).round() / 1e6;
        let devices: Vec<f64> = instance.types.iter().map(|t| f64::from(t.devices)).collect();
        let rates: Vec<Vec<f64>> = instance
            .tenants
            .iter()
            .map(|tenant| {
                let rate = |name: &String| tenant.rates.as_ref().and_then(|rates| rates.get(name)).copied();
                instance.types.iter().map(|t| micro(rate(&t.name).unwrap_or(0.0))).collect()
            })
            .collect();
        let gains =
            |rates: &[f64]| rates.iter().zip(&devices).any(|(&rate, &there)| rate > 0.0 && there > 0.0);
        let weights = instance
            .tenants
            .iter()
            .zip(&rates)
            .map(|(tenant, rates)| if gains(rates) { micro(tenant.weight) } else { 0.0 })
            .collect();
        let units = rates.iter().map(|rates| unit(rates, normalise)).collect();
        let limits = instance.tenants.iter().map(|tenant| tenant.max_total_share).collect();
        Self { instance, devices, rates, weights, limits, units }
    }

    fn tenants(&self) -> usize {
        self.rates.len()
    }

    fn types(&self) -> usize {
        self.devices.len()
    }

    /// What shares are worth to a tenant.
    fn worth(&self, tenant: usize, shares: &[f64]) -> f64 {
        self.rates[tenant].iter().zip(shares).map(|(rate, share)| rate * share).sum()
    }

    /// What everybody's own shares are worth to it.
    fn utilities(&self, shares: &Shares) -> Vec<f64> {
        shares.iter().enumerate().map(|(tenant, own)| self.worth(tenant, own)).collect()
    }

    /// The sum of normalised utilities.
    fn sum(&self, shares: &Shares) -> f64 {
        self.utilities(shares).iter().zip(&self.units).map(|(utility, unit)| utility / unit).sum()
    }

    /// The most that a tenant could do with a bundle of devices, within its limit: its fastest devices first.
    fn best_within(&self, tenant: usize, bundle: &[f64]) -> f64 {
        let rates = &self.rates[tenant];
        let mut order: Vec<usize> = (0..self.types()).collect();
        order.sort_by(|&a, &b| rates[b].total_cmp(&rates[a]));
        let mut left = self.limits[tenant].unwrap_or(f64::INFINITY);
        let mut worth = 0.0;
        for k in order {
            let used = bundle[k].min(left);
            left -= used;
            worth += used * rates[k];
        }
        worth
    }

    /// Every tenant's share of every type by weight; less, in proportion, where that would exceed its limit.
    fn equal_shares(&self) -> Shares {
        let total: f64 = self.weights.iter().sum();
        let all: f64 = self.devices.iter().sum();
        let of = |(&weight, limit): (&f64, &Option<f64>)| {
            if weight <= 0.0 {
                return vec![0.0; self.types()];
            }
            let share = weight / total;
            let fits =
                limit.map_or(1.0, |limit| if share * all > limit { limit / (share * all) } else { 1.0 });
            self.devices.iter().map(|devices| share * devices * fits).collect()
        };
        self.weights.iter().zip(&self.limits).map(of).collect()
    }

    /// What everybody's equal share is worth to it.
    fn equal_split(&self) -> Vec<f64> {
        self.utilities(&self.equal_shares())
    }

    /// Tenants with an entitlement that is worth something to them.
    fn entitled(&self) -> Vec<usize> {
        let equal = self.equal_split();
        (0..self.tenants()).filter(|&tenant| self.weights[tenant] > 0.0 && equal[tenant] > 0.0).collect()
    }
}

/// The unit of one tenant's utility; 1 where it has no rate above zero.
fn unit(rates: &[f64], normalise: Normalise) -> f64 {
    let positive = rates.iter().copied().filter(|&rate| rate > 0.0);
    let unit = match normalise {
        Normalise::AsDefined => 1.0,
        Normalise::Slowest => positive.fold(f64::INFINITY, f64::min),
        Normalise::Fastest => positive.fold(0.0, f64::max),
        Normalise::Sum => positive.sum(),
    };
    if unit > 0.0 && unit.is_finite() { unit } else { 1.0 }
}

fn equal_split(economy: &Economy<'_>) -> Split {
    let proof = "every tenant's share of every type by weight, within its limit; nothing is optimised";
    Split::by_rule(economy, economy.equal_shares(), proof.to_string(), 1)
}

impl Split {
    /// Shares that a rule leads to which optimises nothing: their sum is its own bound.
    fn by_rule(economy: &Economy<'_>, shares: Shares, proof: String, states: u64) -> Self {
        let objective = economy.sum(&shares);
        Self { shares, measure: Measure::Sum, objective, bound: objective, proof, states, kept: None }
    }
}

fn answer(economy: &Economy<'_>, policy: &str, decided: Decided) -> Answer {
    let instance = economy.instance;
    let equal_shares = economy.equal_shares();
    let equal = economy.equal_split();
    let split = match decided {
        Decided::Split(split) => Ok(split),
        Decided::Infeasible(proof) => Err(proof),
    };
    let (status, properties) = match &split {
        Ok(split) if gap(split.objective, split.bound) <= ACCURACY => {
            (AnswerStatus::Optimal, properties::properties(economy, &split.shares))
        }
        Ok(split) => (AnswerStatus::Feasible, properties::properties(economy, &split.shares)),
        Err(_) => (AnswerStatus::Infeasible, super::answer::Properties::default()),
    };
    let mut allocation = Vec::new();
    let mut tenants = Vec::new();
    for (i, tenant) in instance.tenants.iter().enumerate() {
        let own = split.as_ref().ok().map(|split| &split.shares[i]);
        let rate = own.map(|own| economy.worth(i, own));
        for (k, of_type) in instance.types.iter().enumerate() {
            let share = own.map_or(0.0, |own| rounded(own[k]));
            if share > 0.0 {
                allocation.push(Allocated {
                    tenant: tenant.name.clone(),
                    job: None,
                    gpu: of_type.name.clone(),
                    slots: None,
                    devices: None,
                    share: Some(share),
                    rate: share * economy.rates[i][k],
                });
            }
        }
        tenants.push(TenantAnswer {
            name: tenant.name.clone(),
            rate,
            floor: None,
            floor_slack: None,
            quota: instance.types.iter().zip(&equal_shares[i]).map(|(t, &q)| (t.name.clone(), q)).collect(),
            equal_split_rate: Some(equal[i]),
            si_ratio: rate.filter(|_| equal[i] > 0.0).map(|rate| rate / equal[i]),
            kept: split.as_ref().ok().and_then(|split| split.kept.as_ref()).map(|kept| kept[i]),
        });
    }
    let (measure, objective, bound, proof, states) = match split {
        Ok(split) => (split.measure, Some(split.objective), Some(split.bound), split.proof, split.states),
        Err(proof) => (Measure::Sum, None, None, proof, 1),
    };
    let finite = |value: Option<f64>| value.filter(|value| value.is_finite());
    Answer {
        policy: policy.to_string(),
        status,
        measure,
        objective: finite(objective),
        bound: finite(bound),
        gap: objective.zip(bound).map(|(objective, bound)| gap(objective, bound)),
        packing_gap: None,
        proof,
        states,
        counts: None,
        allocation,
        tenants,
        properties,
        explain: None,
        misreports: None,
        solve_s: None,
    }
}
