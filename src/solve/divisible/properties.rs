//! Fairness properties of a division, decided to [`ACCURACY`].

use super::programs::Parts;
use super::{ACCURACY, Economy, Shares};
use crate::linear::program::Outcome;
use crate::solve::answer::{Properties, Property, Violation};

/// Two utilities differ if they do by more than this, relative to what everything is worth.
fn is_less(a: f64, b: f64, everything: f64) -> bool {
    a < b - ACCURACY * everything
}

/// Decides the properties of a division.
pub(super) fn properties(economy: &Economy<'_>, shares: &Shares) -> Properties {
    let mut violations = Vec::new();
    let utilities = economy.utilities(shares);
    let everything: Vec<f64> =
        (0..economy.tenants()).map(|tenant| economy.best_within(tenant, &economy.devices)).collect();
    let violation = |property, tenant: Option<usize>, other: Option<usize>, has, could_have| {
        let name = |tenant: usize| economy.instance.tenants[tenant].name.clone();
        Violation { property, tenant: tenant.map(name), other: other.map(name), has, could_have }
    };
    for (tenant, due) in economy.equal_split().into_iter().enumerate() {
        if is_less(utilities[tenant], due, everything[tenant]) {
            violations.push(violation(
                Property::SharingIncentive,
                Some(tenant),
                None,
                utilities[tenant],
                due,
            ));
        }
    }
    let sharing_incentive = violations.is_empty();
    let before = violations.len();
    for tenant in 0..economy.tenants() {
        for (other, theirs) in shares.iter().enumerate() {
            let Some(scale) = economy.scale_of_envy(tenant, other) else { continue };
            let bundle: Vec<f64> = theirs.iter().map(|share| share * scale).collect();
            let there = economy.best_within(tenant, &bundle);
            if is_less(utilities[tenant], there, everything[tenant]) {
                violations.push(violation(
                    Property::EnvyFree,
                    Some(tenant),
                    Some(other),
                    utilities[tenant],
                    there,
                ));
            }
        }
    }
    let envy_free = violations.len() == before;
    let pareto_efficient = better_sum(economy, &utilities, &everything).map(|better| {
        let has: f64 = utilities.iter().sum();
        match better {
            Some(could_have) => {
                violations.push(violation(Property::ParetoEfficient, None, None, has, could_have));
            }
            None => return true,
        }
        false
    });
    Properties {
        sharing_incentive: Some(sharing_incentive),
        envy_free: Some(envy_free),
        pareto_efficient,
        strategy_proof: None,
        violations,
    }
}

/// The sum of utilities of a division in which nobody has less and somebody more, if there is one; `None` where the program failed.
fn better_sum(economy: &Economy<'_>, utilities: &[f64], everything: &[f64]) -> Option<Option<f64>> {
    /// Utilities are let go by this, so that rounding does not make the program infeasible.
    const SLACK: f64 = 1e-9;
    let gain = |tenant: usize| if everything[tenant] > 0.0 { 1.0 / everything[tenant] } else { 0.0 };
    let mut parts = Parts::new(economy, gain, &[]);
    for (tenant, &utility) in utilities.iter().enumerate().filter(|(tenant, _)| everything[*tenant] > 0.0) {
        let terms: Vec<_> = parts.utility(tenant, tenant, gain(tenant)).collect();
        parts.program.at_least(terms, utility * gain(tenant) - SLACK);
    }
    let Outcome::Optimal(point) = parts.program.solve() else { return None };
    let shares = parts.shares(&point);
    let better = economy.utilities(&shares);
    let grown: f64 =
        better.iter().zip(utilities).enumerate().map(|(t, (new, old))| (new - old) * gain(t)).sum();
    Some((grown > ACCURACY * 10.0 * economy.tenants() as f64).then(|| better.iter().sum()))
}
