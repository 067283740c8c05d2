//! The linear programs of division: the greatest sum of utilities under demands of fairness.
//!
//! A variable is the part of a type's devices that a tenant has. Capacity: the parts of a type sum to at most 1. Limits: a tenant's
//! parts times devices sum to at most its limit.

use super::{Decided, Economy, Measure, Shares, SolveError, Split};
use crate::linear::program::{LinearProgram, Outcome, Point};

/// Bounds that exceed an objective by this, relative to the largest gain of one tenant from one type, are rounding.
const ROUNDING: f64 = 1e-9;

/// What a division has to satisfy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Demand {
    /// Everybody has at least what its equal share is worth to it.
    SharingIncentive,
    /// Nobody would rather have the bundle of another, scaled by the ratio of their weights.
    EnvyFree,
    /// Normalised utilities over weights are the same for everybody.
    EqualThroughput,
}

/// A linear program over parts, with `extra` variables after them.
pub(super) struct Parts<'e> {
    economy: &'e Economy<'e>,
    pub(super) program: LinearProgram,
}

impl<'e> Parts<'e> {
    /// Capacities and limits; the objective is `gain(tenant)` times its utility, plus `extra` gains.
    pub(super) fn new(economy: &'e Economy<'e>, gain: impl Fn(usize) -> f64, extra: &[f64]) -> Self {
        let (tenants, types) = (economy.tenants(), economy.types());
        let mut gains = Vec::with_capacity(tenants * types + extra.len());
        for tenant in 0..tenants {
            let factor = gain(tenant);
            gains.extend((0..types).map(|k| factor * economy.rates[tenant][k] * economy.devices[k]));
        }
        gains.extend_from_slice(extra);
        let mut program = LinearProgram::maximise(gains);
        for k in 0..types {
            program.at_most((0..tenants).map(|tenant| (tenant * types + k, 1.0)), 1.0);
        }
        for (tenant, limit) in economy.limits.iter().enumerate() {
            if let Some(limit) = *limit {
                program.at_most((0..types).map(|k| (tenant * types + k, economy.devices[k])), limit);
            }
        }
        Self { economy, program }
    }

    /// The position of an extra variable.
    pub(super) fn extra(&self, index: usize) -> usize {
        self.economy.tenants() * self.economy.types() + index
    }

    /// The utility of `valuer` for the parts of `owner`, times `factor`, as terms.
    pub(super) fn utility(
        &self,
        valuer: usize,
        owner: usize,
        factor: f64,
    ) -> impl Iterator<Item = (usize, f64)> {
        let types = self.economy.types();
        (0..types).map(move |k| {
            (owner * types + k, factor * self.economy.rates[valuer][k] * self.economy.devices[k])
        })
    }

    /// Adds a demand; `is_exact` says which pairs of envy are looked at.
    fn demand(&mut self, demand: Demand, looks_at: impl Fn(usize, usize) -> bool) {
        let economy = self.economy;
        let tenants = economy.tenants();
        match demand {
            Demand::SharingIncentive => {
                for (tenant, due) in
                    economy.equal_split().into_iter().enumerate().filter(|(_, due)| *due > 0.0)
                {
                    let own: Vec<_> = self.utility(tenant, tenant, 1.0 / due).collect();
                    self.program.at_least(own, 1.0);
                }
            }
            Demand::EnvyFree => {
                for tenant in 0..tenants {
                    let largest = economy.best_within(tenant, &economy.devices);
                    for other in 0..tenants {
                        let Some(scale) = economy.scale_of_envy(tenant, other) else { continue };
                        if largest > 0.0 && looks_at(tenant, other) {
                            let own = self.utility(tenant, tenant, 1.0 / largest);
                            let terms: Vec<_> =
                                own.chain(self.utility(tenant, other, -scale / largest)).collect();
                            self.program.at_least(terms, 0.0);
                        }
                    }
                }
            }
            Demand::EqualThroughput => {
                let entitled = economy.entitled();
                let unit = |tenant: usize| economy.units[tenant] * economy.weights[tenant];
                for pair in entitled.windows(2) {
                    let scale = unit(pair[0]).max(unit(pair[1]));
                    let first = self.utility(pair[0], pair[0], scale / unit(pair[0]));
                    let terms: Vec<_> =
                        first.chain(self.utility(pair[1], pair[1], -scale / unit(pair[1]))).collect();
                    self.program.equal(terms, 0.0);
                }
            }
        }
    }

    /// The shares at a point. Rounding may have exceeded a capacity or a limit by a billionth; then all parts shrink by as much.
    pub(super) fn shares(&self, point: &Point) -> Shares {
        let (economy, types) = (self.economy, self.economy.types());
        let mut shares: Shares = (0..economy.tenants())
            .map(|tenant| (0..types).map(|k| point.x[tenant * types + k] * economy.devices[k]).collect())
            .collect();
        economy.fit(&mut shares);
        shares
    }

    /// Solves; `None` if no division satisfies the rows.
    pub(super) fn solve(&self) -> Result<Option<Point>, SolveError> {
        match self.program.solve() {
            Outcome::Optimal(point) => Ok(Some(point)),
            Outcome::Infeasible => Ok(None),
            Outcome::Unbounded | Outcome::Failed => Err(SolveError::Numerical),
        }
    }
}

impl Economy<'_> {
    /// The factor at which a tenant looks at another's bundle; `None` if it does not look. A tenant without weight has no
    /// entitlement: it envies only its like, and its own bundle is looked at as it is.
    pub(super) fn scale_of_envy(&self, tenant: usize, other: usize) -> Option<f64> {
        let (own, others) = (self.weights[tenant], self.weights[other]);
        match (tenant == other, own > 0.0, others > 0.0) {
            (true, _, _) | (false, false, true) => None,
            (false, _, false) => Some(1.0),
            (false, true, true) => Some(own / others),
        }
    }

    /// Shrinks shares until they fit exactly.
    pub(super) fn fit(&self, shares: &mut Shares) {
        for (k, &devices) in self.devices.iter().enumerate() {
            let used: f64 = shares.iter().map(|own| own[k]).sum();
            if used > devices {
                shares.iter_mut().for_each(|own| own[k] *= devices / used);
            }
        }
        for (own, limit) in shares.iter_mut().zip(&self.limits) {
            let used: f64 = own.iter().sum();
            if let Some(limit) = limit.filter(|&limit| used > limit) {
                own.iter_mut().for_each(|share| *share *= limit / used);
            }
        }
    }

    /// Whether a tenant could use every bundle of another, scaled to it, within its own limit, so that what the bundle is worth to it
    /// is linear.
    fn can_use_all(&self, tenant: usize, other: usize) -> bool {
        let all: f64 = self.devices.iter().sum();
        let scale = self.scale_of_envy(tenant, other).unwrap_or(0.0);
        let most = self.limits[other].unwrap_or(f64::INFINITY).min(all) * scale;
        self.limits[tenant].is_none_or(|limit| most <= limit * (1.0 + 1e-12))
    }
}

/// The greatest sum of normalised utilities under demands.
pub(super) fn max_sum(economy: &Economy<'_>, demands: &[Demand]) -> Result<Decided, SolveError> {
    let largest = largest_gain(economy);
    let gain = |tenant: usize| 1.0 / economy.units[tenant] / largest;
    let mut parts = Parts::new(economy, gain, &[]);
    for &demand in demands {
        parts.demand(demand, |_, _| true);
    }
    let Some(point) = parts.solve()? else {
        return Ok(Decided::Infeasible(conflict(demands)));
    };
    let shares = parts.shares(&point);
    let objective = economy.sum(&shares);
    let mut bound = point.bound * largest;
    let mut states = 1;
    let mut proof = "a linear program by an interior-point method; the bound is that of its dual".to_string();
    let is_exact = |tenant: usize, other: usize| economy.can_use_all(tenant, other);
    let pairs = (0..economy.tenants()).flat_map(|a| (0..economy.tenants()).map(move |b| (a, b)));
    if demands.contains(&Demand::EnvyFree)
        && pairs.filter(|&(a, b)| economy.scale_of_envy(a, b).is_some()).any(|(a, b)| !is_exact(a, b))
    {
        // Where a limit keeps a tenant from using all of a bundle, the row of the pair asks for more than no envy.
        let mut relaxed = Parts::new(economy, gain, &[]);
        for &demand in demands {
            relaxed.demand(demand, is_exact);
        }
        bound = relaxed.solve()?.map_or(bound, |point| point.bound * largest);
        states += 1;
        proof.push_str(
            " without the pairs in which a limit on total shares keeps one tenant from using the other's bundle; those are met as if there were no limit",
        );
    }
    if bound < objective + ROUNDING * largest {
        bound = objective;
    }
    Ok(Decided::Split(Split { shares, measure: Measure::Sum, objective, bound, proof, states, kept: None }))
}

/// The largest coefficient of the sum of normalised utilities, by which the program is scaled.
fn largest_gain(economy: &Economy<'_>) -> f64 {
    let gains = economy.rates.iter().zip(&economy.units).flat_map(|(rates, unit)| {
        rates.iter().zip(&economy.devices).map(move |(rate, devices)| rate * devices / unit)
    });
    let largest = gains.fold(0.0, f64::max);
    if largest > 0.0 { largest } else { 1.0 }
}

/// Which demands cannot hold together.
fn conflict(demands: &[Demand]) -> String {
    let names: Vec<&str> = demands
        .iter()
        .map(|demand| match demand {
            Demand::SharingIncentive => "sharing incentive",
            Demand::EnvyFree => "envy-freeness",
            Demand::EqualThroughput => "equal throughput",
        })
        .collect();
    format!("no allocation satisfies {}: the linear program has no solution", names.join(" and "))
}
