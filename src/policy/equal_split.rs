//! Equal split: every tenant has its own part of every GPU type.

use super::fluid::{self, Dealer};
use super::list::{Chooser, Passing, SHARING, TYPE_CHOICE, fits, is_full, take};
use super::param::{ParamKind, ParamSpec};
use super::registry::Knowledge;
use super::sts::quota::{Claim, Quotas, TemporalLayer};
use super::tenants::{held_units, weight};
use super::{ATTAINED_UNITS, Decision, Grant, Policy, PolicySpec, Refill, RefillReads, Share, View};
use crate::cluster::capacity::Capacity;
use crate::units::JobId;
use crate::workload::JobOption;

/// Equal split of every GPU type among the active tenants, by weight.
///
/// * Rule: every active tenant has a part of every type's devices in proportion to its weight, in whole devices that follow the
///   exact part over time to within one; it runs its own jobs in it in the order of submission; what is left over is lent, in the
///   order of submission, until the next round.
/// * Source: the equal division that sharing incentive is measured against, as in Ghodsi et al., "Dominant Resource Fairness",
///   NSDI 2011; whole devices by Tijdeman, "The chairman assignment problem", 1980.
/// * Deviations: a job larger than its tenant's part of any type runs on what is left over only. With `left_over: idle` nothing is
///   lent, and such a job waits until fewer tenants are active; a run in which that never happens is given up.
/// * Complexity: O(devices · tenants + n) a round for n active jobs.
pub const SPEC: PolicySpec = PolicySpec {
    name: "equal-split",
    title: "Equal split",
    summary: "Every tenant has its own part of every GPU type, by weight; what it leaves is lent; needs no run times",
    citation: "the yardstick of sharing incentive; Ghodsi et al., NSDI 2011",
    knowledge: Knowledge::None,
    params: &[
        ParamSpec {
            name: "left_over",
            title: "What a tenant leaves",
            unit: None,
            kind: ParamKind::Choice(&[
                ("lend", "goes to the jobs of others until the next round, in the order of submission"),
                ("idle", "stays idle, as if every tenant had a cluster of its own"),
            ]),
            help: "What becomes of the part of a tenant that has too few jobs for it.",
        },
        TYPE_CHOICE,
        SHARING,
    ],
    refuses: None,
    build: Some(|params, seed| {
        Box::new(EqualSplit {
            chooser: Chooser::new(params, seed),
            left_over: if params.word("left_over") == "idle" { LeftOver::Idle } else { LeftOver::Lent },
            layer: None,
            quotas: Quotas::default(),
            claims: Vec::new(),
            room: Vec::new(),
            rest: Vec::new(),
        })
    }),
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LeftOver {
    Lent,
    Idle,
}

struct EqualSplit {
    chooser: Chooser,
    left_over: LeftOver,
    layer: Option<TemporalLayer>,
    quotas: Quotas,
    claims: Vec<Claim>,
    /// What is left of each tenant's part, by tenant and then type, in [`ATTAINED_UNITS`] a device.
    room: Vec<i128>,
    /// Jobs beyond their tenant's part.
    rest: Vec<JobId>,
}

impl EqualSplit {
    /// Gives every active tenant its part of the round.
    fn split(&mut self, view: &View<'_>) {
        let Self { layer, quotas, claims, .. } = self;
        let tenants = view.workload.tenants.len();
        let layer = layer.get_or_insert_with(|| TemporalLayer::new(view.in_service.to_vec(), tenants));
        layer.set_units(view.in_service.iter().copied());
        claim(view, claims);
        layer.next_round(claims, quotas);
    }

    /// Sets what is left of every tenant's part to all of it.
    fn measure_room(&mut self, view: &View<'_>) {
        let Self { quotas, claims, room, .. } = self;
        let types = view.cluster.types().len();
        room.clear();
        room.resize(view.workload.tenants.len() * types, 0);
        for (index, claim) in claims.iter().enumerate() {
            let of_tenant = room.iter_mut().skip(claim.tenant as usize * types);
            for (room, &devices) in of_tenant.zip(quotas.of(index)) {
                *room = i128::from(devices) * ATTAINED_UNITS;
            }
        }
    }

    /// Takes an option from what is left of its tenant's part, as far as that goes.
    fn use_room(&mut self, view: &View<'_>, job: JobId, option: JobOption) {
        let at = room_of(view, job, option);
        if let Some(room) = self.room.get_mut(at) {
            *room -= held_units(view, option);
        }
    }

    /// Gives a job something inside its tenant's part.
    fn give_own(&mut self, view: &View<'_>, job: JobId, capacity: &mut Capacity) -> Option<u16> {
        let Self { chooser, room, .. } = self;
        let is_free = |index: u16| {
            let option = view.option(job, index);
            is_inside(view, room, job, option) && fits(capacity, option)
        };
        let held = view.state(job).held.map(|held| held.option).filter(|&option| is_free(option));
        let chosen = held.or_else(|| {
            let ranked = chooser.ranked(view, job, |type_id| capacity.free_devices_upper(type_id));
            ranked.iter().copied().find(|&option| is_free(option))
        })?;
        let option = view.option(job, chosen);
        take(capacity, option);
        self.use_room(view, job, option);
        Some(chosen)
    }
}

/// Writes down the active tenants that have a weight, in their order.
fn claim(view: &View<'_>, claims: &mut Vec<Claim>) {
    claims.clear();
    claims.extend(
        view.active
            .iter()
            .map(|&job| view.job(job).tenant)
            .map(|tenant| Claim { tenant: tenant.0, weight: weight(view, tenant) }),
    );
    claims.sort_unstable_by_key(|claim| claim.tenant);
    claims.dedup();
    claims.retain(|claim| claim.weight > 0);
}

/// Where in `room` an option of a job counts.
fn room_of(view: &View<'_>, job: JobId, option: JobOption) -> usize {
    view.job(job).tenant.index() * view.cluster.types().len() + option.type_id.index()
}

fn is_inside(view: &View<'_>, room: &[i128], job: JobId, option: JobOption) -> bool {
    room.get(room_of(view, job, option)).is_some_and(|&room| held_units(view, option) <= room)
}

impl Policy for EqualSplit {
    fn decide(&mut self, view: &View<'_>, decision: &mut Decision) {
        self.split(view);
        self.measure_room(view);
        let mut capacity = view.capacity();
        self.rest.clear();
        for &job in view.active {
            match self.give_own(view, job, &mut capacity) {
                Some(option) => decision.grants.push(Grant { job, option }),
                None => self.rest.push(job),
            }
        }
        if self.left_over == LeftOver::Lent {
            for &job in &self.rest {
                if is_full(view, &capacity) {
                    return;
                }
                self.chooser.give(view, job, &mut capacity, decision);
            }
        }
    }

    /// Every tenant's exact part goes to its jobs in the order of submission, and so does what is left over, where it is lent.
    fn shares(&mut self, view: &View<'_>, shares: &mut Vec<Share>) -> bool {
        let Self { chooser, left_over, claims, .. } = self;
        claim(view, claims);
        let all: u128 = claims.iter().map(|claim| u128::from(claim.weight)).sum();
        let mut pool = fluid::whole(view);
        let mut parts: Vec<fluid::Pool> = claims
            .iter()
            .map(|claim| pool.iter().map(|units| units * u128::from(claim.weight) / all).collect())
            .collect();
        let mut dealer = Dealer::new(view, shares);
        for &job in view.active {
            let tenant = view.job(job).tenant.0;
            if let Ok(at) = claims.binary_search_by_key(&tenant, |claim| claim.tenant) {
                dealer.give_in_order(&mut parts[at], chooser, std::iter::once(job));
            }
        }
        if *left_over == LeftOver::Lent {
            for (k, units) in pool.iter_mut().enumerate() {
                *units = parts.iter().map(|part| part[k]).sum();
            }
            dealer.give_in_order(&mut pool, chooser, view.active.iter().copied());
        }
        dealer.finish();
        true
    }

    fn refill(&mut self, view: &View<'_>, waiting: &[JobId], free: &mut dyn Refill) {
        if self.left_over == LeftOver::Lent {
            self.chooser.refill(view, waiting.iter().copied(), Passing::Always, free);
            return;
        }
        self.measure_room(view);
        for &job in view.active {
            if let Some(held) = view.state(job).held {
                self.use_room(view, job, view.option(job, held.option));
            }
        }
        for &job in waiting {
            let Self { chooser, room, .. } = self;
            let ranked = chooser.ranked(view, job, |type_id| free.free_devices(type_id));
            let started = ranked
                .iter()
                .map(|&index| (index, view.option(job, index)))
                .find(|&(index, option)| is_inside(view, room, job, option) && free.try_start(job, index));
            if let Some((_, option)) = started {
                self.use_room(view, job, option);
            }
        }
    }

    fn is_static_when_idle_queue(&self) -> bool {
        // Parts of whole devices take turns; a job may lose its own although nobody waits for it.
        self.left_over == LeftOver::Lent
    }

    fn refill_reads(&self) -> RefillReads {
        RefillReads::Waiting
    }
}
