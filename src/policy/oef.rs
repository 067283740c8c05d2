//! Optimal resource efficiency with fairness (OEF): linear programs over tenants, cooperative and non-cooperative.

pub mod coop;
pub mod noncoop;

use super::fluid::{self, Dealer};
use super::shares::{Accounts, ActiveTenant, active_tenants};
use super::{Decision, Params, Policy, Proof, Refill, Share, View};
use crate::linear::LinearProgram;
use crate::units::JobId;

/// The fairness that the most efficient allocation has to have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fairness {
    /// Nobody prefers what another has, per weight; with equal weights sharing is then worth it for everybody.
    EnvyFree,
    /// Everybody has the same normalised throughput per weight, which leaves nothing to gain from lying.
    EqualThroughput,
}

/// Envy rows are stated all at once for this many tenants, and one by one, as they are violated, for more.
const ALL_ROWS: usize = 12;

/// Programs solved while rows are added.
const PASSES: usize = 40;

/// Devices of each type for each tenant, in fractions, that make the sum of W_l · X_l greatest under `fairness`.
/// `speedups[tenant][type]` are W, normalised so that the slowest type that a tenant can use has 1. `None` if the program cannot be
/// solved.
#[must_use]
pub fn allocate(
    speedups: &[Vec<f64>],
    weights: &[f64],
    devices: &[f64],
    fairness: Fairness,
) -> Option<Vec<Vec<f64>>> {
    let (tenants, types) = (speedups.len(), devices.len());
    let variable = |tenant: usize, k: usize| tenant * types + k;
    let common = tenants * types;
    let mut gains: Vec<f64> =
        speedups.iter().flatten().zip(0..).map(|(w, at)| w * devices[at % types]).collect();
    if fairness == Fairness::EqualThroughput {
        gains.push(0.0);
    }
    // A variable is a part of the type's devices.
    let mut program = LinearProgram::maximise(gains);
    for k in 0..types {
        program.at_most((0..tenants).map(|tenant| (variable(tenant, k), 1.0)), 1.0);
    }
    let own = |l: usize, of: usize, factor: f64| {
        (0..types).map(move |k| (variable(of, k), factor * speedups[l][k] * devices[k] / weights[of]))
    };
    let mut is_stated = vec![false; tenants * tenants];
    if fairness == Fairness::EqualThroughput {
        for l in 0..tenants {
            program.equal(own(l, l, 1.0).chain([(common, -1.0)]), 0.0);
        }
    } else if tenants <= ALL_ROWS {
        is_stated.fill(true);
        for (l, i) in (0..tenants).flat_map(|l| (0..tenants).map(move |i| (l, i))).filter(|(l, i)| l != i) {
            program.at_least(own(l, l, 1.0).chain(own(l, i, -1.0)), 0.0);
        }
    }
    for _ in 0..PASSES {
        let point = program.solve().point()?;
        let worth =
            |l: usize, of: usize| own(l, of, 1.0).map(|(at, factor)| factor * point.x[at]).sum::<f64>();
        let mut is_fair = true;
        if fairness == Fairness::EnvyFree {
            for l in 0..tenants {
                let mine = worth(l, l);
                for i in (0..tenants).filter(|&i| i != l) {
                    if !is_stated[l * tenants + i] && worth(l, i) > mine * (1.0 + 1e-6) + 1e-9 {
                        is_stated[l * tenants + i] = true;
                        program.at_least(own(l, l, 1.0).chain(own(l, i, -1.0)), 0.0);
                        is_fair = false;
                    }
                }
            }
        }
        if is_fair {
            let row = |tenant: usize| (0..types).map(|k| point.x[variable(tenant, k)] * devices[k]).collect();
            return Some((0..tenants).map(row).collect());
        }
    }
    None
}

/// A tenant's speeds with 1 for the slowest type it can use.
fn normalised(speeds: &[f64]) -> Vec<f64> {
    let slowest = speeds.iter().copied().filter(|s| *s > 0.0).fold(f64::INFINITY, f64::min);
    speeds.iter().map(|speed| if slowest.is_finite() { speed / slowest } else { 0.0 }).collect()
}

struct Oef {
    fairness: Fairness,
    accounts: Accounts,
    /// What the last program was given: speedups and weights of the tenants that have a weight, and devices.
    solved: (Vec<Vec<f64>>, Vec<f64>, Vec<f64>),
    due: Vec<Vec<f64>>,
    is_fallback: bool,
}

impl Oef {
    fn new(fairness: Fairness, params: &Params, seed: u64) -> Self {
        Self {
            fairness,
            accounts: Accounts::new(params, seed),
            solved: (Vec::new(), Vec::new(), Vec::new()),
            due: Vec::new(),
            is_fallback: false,
        }
    }

    /// Devices of each type that each tenant is due.
    fn due(&mut self, view: &View<'_>, tenants: &[ActiveTenant]) -> Vec<Vec<f64>> {
        let devices: Vec<f64> = view.in_service.iter().map(|&devices| f64::from(devices)).collect();
        let entitled = || tenants.iter().filter(|tenant| tenant.weight > 0.0);
        let speedups: Vec<Vec<f64>> = entitled().map(|tenant| normalised(&tenant.speeds)).collect();
        let weights: Vec<f64> = entitled().map(|tenant| tenant.weight).collect();
        let inputs = (speedups, weights, devices.clone());
        if inputs != self.solved {
            let all: f64 = inputs.1.iter().sum();
            let solution = allocate(&inputs.0, &inputs.1, &devices, self.fairness);
            self.is_fallback = solution.is_none();
            self.due = solution.unwrap_or_else(|| {
                let part = |weight: &f64| devices.iter().map(|devices| devices * weight / all).collect();
                inputs.1.iter().map(part).collect()
            });
            self.solved = inputs;
        }
        let mut rows = self.due.iter();
        let due = |tenant: &ActiveTenant| {
            let row = if tenant.weight > 0.0 { rows.next() } else { None };
            row.cloned().unwrap_or_else(|| vec![0.0; devices.len()])
        };
        tenants.iter().map(due).collect()
    }
}

impl Policy for Oef {
    fn decide(&mut self, view: &View<'_>, decision: &mut Decision) {
        let mut tenants = active_tenants(view, self.accounts.sharing());
        for tenant in &mut tenants {
            tenant.jobs.sort_by_key(|&job| (view.state(job).held.is_none(), job));
        }
        let due = self.due(view, &tenants);
        self.accounts.decide(view, &tenants, &due, decision);
        if self.is_fallback {
            decision.proof = Some(Proof::failed());
        }
    }

    fn refill(&mut self, view: &View<'_>, waiting: &[JobId], free: &mut dyn Refill) {
        self.accounts.refill(view, waiting, free);
    }

    /// What each tenant is due goes to its jobs in the order of submission, the fastest type first; what a tenant cannot use goes
    /// to everybody's in the same order.
    fn shares(&mut self, view: &View<'_>, shares: &mut Vec<Share>) -> bool {
        let tenants = active_tenants(view, self.accounts.sharing());
        let due = self.due(view, &tenants);
        let mut pool = fluid::whole(view);
        let mut dealer = Dealer::new(view, shares);
        let chooser = self.accounts.chooser();
        for (tenant, due) in tenants.iter().zip(&due) {
            let mut part = fluid::part_of(view, &mut pool, due);
            dealer.give_in_order(&mut part, chooser, tenant.jobs.iter().copied());
            for (left, back) in pool.iter_mut().zip(part) {
                *left += back;
            }
        }
        dealer.give_in_order(&mut pool, chooser, view.active.iter().copied());
        dealer.finish();
        true
    }

    fn is_static_when_idle_queue(&self) -> bool {
        false
    }
}
