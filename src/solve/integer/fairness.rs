//! Fairness properties of an allocation on an integer instance, each decided in integers by exact programs.

use super::problem::Problem;
use crate::policy::sts::ladder::Ladder;
use crate::policy::sts::program::Status;
use crate::solve::answer::{Properties, Property, Violation};

/// What every tenant's jobs could be worth with the whole cluster; `None` where that was not solved exactly.
pub(super) fn worth_of_everything(problem: &Problem<'_>, ladder: &mut Ladder) -> Vec<Option<i64>> {
    (0..problem.instance.tenants.len())
        .map(|tenant| exact_worth(problem, ladder, tenant, &problem.program.capacity))
        .collect()
}

/// What a tenant's jobs can be worth inside a bundle of resources, if it can be solved exactly.
pub(super) fn exact_worth(
    problem: &Problem<'_>,
    ladder: &mut Ladder,
    tenant: usize,
    bundle: &[u32],
) -> Option<i64> {
    let solution = ladder.solve(&problem.alone(tenant, bundle))?;
    (solution.status == Status::Optimal).then(|| i64::try_from(solution.objective).ok()).flatten()
}

/// Decides the properties of a choice.
pub(super) fn properties(
    problem: &Problem<'_>,
    ladder: &mut Ladder,
    choice: &[Option<u16>],
    of_everything: &[Option<i64>],
) -> Properties {
    let worth = problem.program.tenant_values(choice);
    let mut properties = Properties::default();
    properties.sharing_incentive =
        sharing_incentive(problem, &worth, of_everything, &mut properties.violations);
    properties.envy_free = envy_free(problem, ladder, choice, &worth, &mut properties.violations);
    properties.pareto_efficient = pareto_efficient(problem, ladder, &worth, &mut properties.violations);
    properties
}

fn name(problem: &Problem<'_>, tenant: usize) -> Option<String> {
    problem.instance.tenants.get(tenant).map(|tenant| tenant.name.clone())
}

/// `V_u(x_u) >= phi_u * V_u(C)`, cross-multiplied.
fn sharing_incentive(
    problem: &Problem<'_>,
    worth: &[i64],
    of_everything: &[Option<i64>],
    violations: &mut Vec<Violation>,
) -> Option<bool> {
    let total: i128 = problem.weights.iter().map(|&w| i128::from(w)).sum();
    let mut holds = Some(true);
    for (tenant, (&worth, everything)) in worth.iter().zip(of_everything).enumerate() {
        let Some(everything) = *everything else {
            holds = holds.filter(|&holds| !holds);
            continue;
        };
        let due = i128::from(problem.weights[tenant]) * i128::from(everything);
        if i128::from(worth) * total < due {
            holds = Some(false);
            violations.push(Violation {
                property: Property::SharingIncentive,
                tenant: name(problem, tenant),
                other: None,
                has: worth as f64 / problem.units,
                could_have: due as f64 / total as f64 / problem.units,
            });
        }
    }
    holds
}

/// No tenant's jobs would be worth more inside the bundle of another whose weight is not greater.
pub(super) fn envy_free(
    problem: &Problem<'_>,
    ladder: &mut Ladder,
    choice: &[Option<u16>],
    worth: &[i64],
    violations: &mut Vec<Violation>,
) -> Option<bool> {
    let mut bundles = vec![vec![0u32; problem.program.capacity.len()]; worth.len()];
    for (job, option) in problem.program.jobs.iter().zip(choice) {
        let Some(option) = option.and_then(|o| job.options.get(usize::from(o))) else { continue };
        for (resource, amount) in option.usage.amounts() {
            bundles[job.tenant as usize][resource] += amount;
        }
    }
    let mut free = Some(true);
    for (tenant, &has) in worth.iter().enumerate() {
        for (other, bundle) in bundles.iter().enumerate() {
            if tenant == other || problem.weights[other] > problem.weights[tenant] {
                continue;
            }
            let Some(there) = exact_worth(problem, ladder, tenant, bundle) else {
                free = free.filter(|&free| !free);
                continue;
            };
            if there > has {
                free = Some(false);
                violations.push(Violation {
                    property: Property::EnvyFree,
                    tenant: name(problem, tenant),
                    other: name(problem, other),
                    has: has as f64 / problem.units,
                    could_have: there as f64 / problem.units,
                });
            }
        }
    }
    free
}

/// With what every tenant has as its floor, no allocation is worth more in sum.
fn pareto_efficient(
    problem: &Problem<'_>,
    ladder: &mut Ladder,
    worth: &[i64],
    violations: &mut Vec<Violation>,
) -> Option<bool> {
    let mut program = problem.program.clone();
    for (tenant, &worth) in program.tenants.iter_mut().zip(worth) {
        tenant.floor = worth;
    }
    let solution = ladder.solve(&program)?;
    let total: i128 = worth.iter().map(|&worth| i128::from(worth)).sum();
    if solution.objective > total {
        violations.push(Violation {
            property: Property::ParetoEfficient,
            tenant: None,
            other: None,
            has: total as f64 / problem.units,
            could_have: solution.objective as f64 / problem.units,
        });
        return Some(false);
    }
    (solution.bound <= total).then_some(true)
}
