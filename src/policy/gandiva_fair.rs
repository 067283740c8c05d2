//! Gandiva_fair: tickets, trading of fast devices for slow ones, and gang-aware stride scheduling.

mod trade;

use super::list::SHARING;
use super::param::{ParamKind, ParamSpec};
use super::registry::Knowledge;
use super::shares::{Accounts, ActiveTenant, active_tenants};
use super::{Decision, Policy, PolicySpec, Refill, View};
use crate::units::JobId;
pub use trade::{Price, trade};

/// Fair shares of every GPU type, traded between tenants that gain from it, and stride scheduling inside them.
///
/// * Rule: a tenant is due its part of every type by weight; tenants whose jobs gain little from a fast type sell it to those who
///   gain most, at a second price in slow devices, so that nobody is worse off; inside what a tenant has, gangs take turns, the
///   one with the smallest pass first, and a gang that does not fit keeps its pass.
/// * Source: Chaudhary et al., "Balancing Efficiency and Fairness in Heterogeneous GPU Clusters for Deep Learning" (Gandiva_fair),
///   EuroSys 2020.
/// * Deviations: one stride over the cluster instead of one in each server; quotas are fractions of devices over time, kept by
///   accounts, so that trades need not be whole; tenants that ask for less than their part leave the rest to the others by weight.
/// * Complexity: O(t² k²) for t tenants and k types, and O(n log n + n k) a round for n active jobs.
pub const SPEC: PolicySpec = PolicySpec {
    name: "gandiva-fair",
    title: "Gandiva_fair",
    summary: "Tickets for every GPU type, trades of fast for slow devices at a second price, gangs in turn",
    citation: "Chaudhary et al., Gandiva_fair, EuroSys 2020",
    knowledge: Knowledge::None,
    params: &[
        ParamSpec {
            name: "price",
            title: "Price",
            unit: None,
            kind: ParamKind::Choice(&[
                ("whole", "one fast device costs a whole number of slow ones: the second price rounded up"),
                ("exact", "the second price itself"),
            ]),
            help: "What a fast device costs in slow ones. Where speedups are below 2 nothing is traded at whole prices.",
        },
        SHARING,
    ],
    refuses: None,
    build: Some(|params, seed| {
        Box::new(GandivaFair {
            price: if params.word("price") == "exact" { Price::Exact } else { Price::Whole },
            accounts: Accounts::new(params, seed),
            passes: Vec::new(),
        })
    }),
};

struct GandivaFair {
    price: Price,
    accounts: Accounts,
    /// Turns that each job has had, by job. A job's tickets are in proportion to its devices, and so is what a turn takes: a turn
    /// costs all jobs of a tenant the same.
    passes: Vec<Option<u64>>,
}

impl GandivaFair {
    /// Orders every tenant's jobs by pass. Who is new begins where the tenant's others are.
    fn order(&mut self, view: &View<'_>, tenants: &mut [ActiveTenant]) {
        self.passes.resize(view.states.len(), None);
        for tenant in tenants {
            let least = tenant.jobs.iter().filter_map(|job| self.passes[job.index()]).min().unwrap_or(0);
            for job in &tenant.jobs {
                self.passes[job.index()].get_or_insert(least);
            }
            tenant.jobs.sort_by_key(|job| (self.passes[job.index()], *job));
        }
    }
}

/// What every tenant is due of every type before trading: parts by weight, and no more than a tenant asks for.
fn quotas(tenants: &[ActiveTenant], devices: &[f64]) -> Vec<Vec<f64>> {
    let all = devices.iter().sum::<f64>().max(1.0);
    let mut parts = vec![0.0; tenants.len()];
    let mut open: Vec<usize> = (0..tenants.len()).filter(|&u| tenants[u].weight > 0.0).collect();
    let mut left = 1.0;
    while !open.is_empty() {
        let weights: f64 = open.iter().map(|&u| tenants[u].weight).sum();
        let full = |u: &usize| tenants[*u].devices / all <= left * tenants[*u].weight / weights;
        let (content, wanting): (Vec<usize>, Vec<usize>) = open.iter().copied().partition(full);
        if content.is_empty() {
            for u in wanting {
                parts[u] = left * tenants[u].weight / weights;
            }
            break;
        }
        for u in content {
            parts[u] = tenants[u].devices / all;
            left -= parts[u];
        }
        open = wanting;
    }
    parts.iter().map(|part| devices.iter().map(|devices| part * devices).collect()).collect()
}

impl Policy for GandivaFair {
    fn decide(&mut self, view: &View<'_>, decision: &mut Decision) {
        let mut tenants = active_tenants(view, self.accounts.sharing());
        self.order(view, &mut tenants);
        let devices: Vec<f64> = view.in_service.iter().map(|&devices| f64::from(devices)).collect();
        let mut due = quotas(&tenants, &devices);
        let speeds: Vec<&[f64]> = tenants.iter().map(|tenant| &tenant.speeds[..]).collect();
        trade(&speeds, &mut due, self.price);
        self.accounts.decide(view, &tenants, &due, decision);
        for grant in &decision.grants {
            if let Some(pass) = &mut self.passes[grant.job.index()] {
                *pass += 1;
            }
        }
    }

    fn refill(&mut self, view: &View<'_>, waiting: &[JobId], free: &mut dyn Refill) {
        self.accounts.refill(view, waiting, free);
    }

    fn is_static_when_idle_queue(&self) -> bool {
        false
    }
}
