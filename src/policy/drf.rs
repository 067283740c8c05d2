//! Dominant resource fairness over tenants.

use super::list::LIST_PARAMS;
use super::registry::Knowledge;
use super::tenants::{InTurn, held_units, per_weight, weight};
use super::{Decision, Policy, PolicySpec, Refill, RefillReads, View};
use crate::units::{JobId, TenantId};

/// Dominant resource fairness over tenants.
///
/// * Rule: each round starts from an empty cluster; over and over the tenant whose dominant share over its weight is least gets its
///   next job that fits, in the order of submission; who is left over is preempted.
/// * Source: Ghodsi et al., "Dominant Resource Fairness: Fair Allocation of Multiple Resource Types", NSDI 2011.
/// * Deviations: GPUs are the only resource of this model, so a tenant's dominant share is its share of the cluster's GPUs, all
///   types counting alike. Nothing is remembered from round to round.
/// * Complexity: O(n log tenants) a round for n active jobs.
pub const SPEC: PolicySpec = PolicySpec {
    name: "drf",
    title: "DRF",
    summary: "Equal shares of the GPUs held now, by weight; the dominant resource is always the GPU; needs no run times",
    citation: "Ghodsi et al., DRF, NSDI 2011",
    knowledge: Knowledge::None,
    params: LIST_PARAMS,
    refuses: None,
    build: Some(|params, seed| Box::new(Drf { turns: InTurn::new(params, seed), held: Vec::new() })),
};

struct Drf {
    turns: InTurn,
    /// What each tenant holds.
    held: Vec<i128>,
}

impl Policy for Drf {
    fn decide(&mut self, view: &View<'_>, decision: &mut Decision) {
        self.turns.set(view, |tenant| per_weight(0, weight(view, tenant)));
        self.turns.decide(view, decision, |option| held_units(view, option));
    }

    fn refill(&mut self, view: &View<'_>, waiting: &[JobId], free: &mut dyn Refill) {
        self.held.clear();
        self.held.resize(view.workload.tenants.len(), 0);
        for &job in view.active {
            if let Some(held) = view.state(job).held {
                self.held[view.job(job).tenant.index()] += held_units(view, view.option(job, held.option));
            }
        }
        let held = &self.held;
        self.turns.set(view, |tenant: TenantId| per_weight(held[tenant.index()], weight(view, tenant)));
        self.turns.refill(view, waiting, free, |option| held_units(view, option));
    }

    fn refill_reads(&self) -> RefillReads {
        RefillReads::Waiting
    }
}
