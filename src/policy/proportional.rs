//! Weighted proportional share over tenants.

use super::list::LIST_PARAMS;
use super::registry::Knowledge;
use super::tenants::{InTurn, Service, held_units, per_weight, weight};
use super::{Decision, Policy, PolicySpec, Refill, View};
use crate::units::JobId;

/// Weighted proportional share over tenants, by stride scheduling.
///
/// * Rule: every tenant has a pass, which grows by the device time it holds over its weight; each round, over and over, the tenant
///   of least pass gets its next job that fits, in the order of submission; who is left over is preempted. A tenant that was idle
///   comes back at the least pass of those that were not, so that idle time is not saved up.
/// * Source: Waldspurger and Weihl, "Stride Scheduling: Deterministic Proportional-Share Resource Management", MIT/LCS/TM-528, 1995.
/// * Deviations: many GPUs are handed out at once, so a pass is charged a round for each before the next is given; what is kept is
///   what was really held. All GPU types count alike.
/// * Complexity: O(n log tenants) a round for n active jobs.
pub const SPEC: PolicySpec = PolicySpec {
    name: "proportional",
    title: "Proportional share",
    summary: "GPU time in proportion to weights while tenants are active, by stride scheduling; needs no run times",
    citation: "Waldspurger and Weihl, MIT/LCS/TM-528, 1995",
    knowledge: Knowledge::None,
    params: LIST_PARAMS,
    refuses: None,
    build: Some(|params, seed| {
        Box::new(Proportional {
            turns: InTurn::new(params, seed),
            service: Service::default(),
            pass: Vec::new(),
            returned: Vec::new(),
        })
    }),
};

struct Proportional {
    turns: InTurn,
    service: Service,
    /// By tenant.
    pass: Vec<i128>,
    returned: Vec<usize>,
}

impl Proportional {
    fn catch_up(&mut self, view: &View<'_>) {
        let Self { service, pass, returned, .. } = self;
        pass.resize(view.workload.tenants.len(), 0);
        service.count(view, |tenant, _, attained| {
            let charge = per_weight(attained, weight(view, tenant));
            pass[tenant.index()] = pass[tenant.index()].saturating_add(charge);
        });
        returned.clear();
        service.returned(view, |tenant| returned.push(tenant.index()));
        // A tenant without weight has the largest pass there is once it has run: it says nothing of the others.
        let stayed = service.stayed().filter(|&tenant| weight(view, tenant) > 0);
        if let Some(least) = stayed.map(|tenant| pass[tenant.index()]).min() {
            for &tenant in &*returned {
                pass[tenant] = pass[tenant].max(least);
            }
        }
        self.turns.set(view, |tenant| match weight(view, tenant) {
            0 => i128::MAX,
            _ => pass[tenant.index()],
        });
    }
}

impl Policy for Proportional {
    fn decide(&mut self, view: &View<'_>, decision: &mut Decision) {
        self.catch_up(view);
        let round = i128::from(view.round_length.0);
        self.turns.decide(view, decision, |option| held_units(view, option) * round);
    }

    fn refill(&mut self, view: &View<'_>, waiting: &[JobId], free: &mut dyn Refill) {
        self.catch_up(view);
        let round = i128::from(view.round_length.0);
        self.turns.refill(view, waiting, free, |option| held_units(view, option) * round);
    }
}
