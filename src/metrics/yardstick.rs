//! One yardstick for the fairness of every policy: whether each tenant gets at least what its own quota would be worth to it.
//!
//! The temporal layer of STS-Fairness runs beside the policy that is measured, without loans and without credit for gangs, on the
//! same cluster with the same layouts. In every round it gives each active tenant of positive weight a quota `q_u`. The quota's
//! worth `V_u(q_u)` is the most service per second that the tenant's own jobs could get inside it, in uncapped service: GPUs asked
//! for times rate (`nu = g`), no hysteresis, no cap for jobs that finish in the round, before overheads. It is compared with
//!
//! * what the policy *plans* for the tenant, the same service of the options it grants: less, in integers, is a violation;
//! * what the tenant's jobs then really receive in the round, with overheads, refills and ends: what is missing to `V_u(q_u) * D`
//!   adds to the shortfall. A tenant that runs out of jobs inside a round falls short too, under every policy.
//!
//! Rounds that the engine passes over count like decided ones. All of this is exact, in integers, with two limits that are counts
//! and never times:
//!
//! * Where the optimum of a quota is not proven within the work that one program may take, the worth that was reached inside the quota
//!   counts, so that a violation is never claimed without proof. [`Yardstick::unproven`] tells how often.
//! * Worths are only searched for while the work for them, summed over the run, stays within an allowance that grows with the rounds.
//!   Beyond it rounds are left out until there is room again, and the measured rounds before and after stand for them.
//!   [`Yardstick::measured`] tells how many rounds were; when it is less than [`Yardstick::rounds`], the figures are estimates.

use super::window::Window;
use super::worth::Worths;
use crate::cluster::Cluster;
use crate::policy::sts::quota::{Claim, Quotas, TemporalLayer};
use crate::policy::sts::resources::TypeResources;
use crate::sim::standing::UNITS_PER_S;
use crate::sim::{PassedRounds, RoundReport, RoundSettings, Running, Standing, Watch};
use crate::units::{SimTime, TenantId};
use crate::workload::BoundWorkload;

/// Expansions that a run may take in all, and for every round it has had.
const ALLOWANCE: u64 = 5_000_000;
const ALLOWANCE_PER_ROUND: u64 = 2_000;

/// Follows a run and measures it.
#[derive(Debug)]
pub struct Yardstick<'a> {
    workload: &'a BoundWorkload,
    length: i64,
    horizon: SimTime,
    window: Window,
    layer: TemporalLayer,
    /// Devices of each type that quotas are given out of.
    in_service: Vec<u32>,
    worths: Worths,
    tenants: Vec<TenantState>,
    claims: Vec<Claim>,
    quotas: Quotas,
    /// The last decided round, if it is measured, for as long as what its tenants receive in it is not known.
    open: Option<Measured>,
    rounds: u64,
    measured: u64,
    /// Rounds since the last measured one.
    left_out: u64,
    /// What the last measured round counted for itself.
    last: Counted,
    violations: u64,
    shortfall: i128,
}

/// One tenant, in the round at hand and as it was last looked at.
#[derive(Debug, Clone, Default)]
struct TenantState {
    planned: i64,
    floor: i64,
    served: i128,
    changes: u64,
    quota: Vec<u32>,
}

/// What one round counts.
#[derive(Debug, Clone, Copy, Default)]
struct Counted {
    violations: u64,
    shortfall: i128,
}

/// A round that is measured.
#[derive(Debug, Clone, Copy)]
struct Measured {
    round: u64,
    /// How many rounds it stands for.
    stands_for: u64,
}

impl<'a> Yardstick<'a> {
    /// Begins to measure a run of `workload` on `cluster`.
    #[must_use]
    pub fn new(cluster: &Cluster, workload: &'a BoundWorkload, settings: &RoundSettings) -> Self {
        let worths = Worths::new(cluster, workload);
        let units = worths.resources().types().iter().map(TypeResources::units).collect();
        Self {
            workload,
            length: settings.length.0.max(1),
            horizon: settings.horizon.unwrap_or(SimTime::NEVER),
            window: Window::WHOLE,
            layer: TemporalLayer::new(units, workload.tenants.len()),
            in_service: cluster.devices_by_type(),
            worths,
            tenants: vec![TenantState::default(); workload.tenants.len()],
            claims: Vec::new(),
            quotas: Quotas::default(),
            open: None,
            rounds: 0,
            measured: 0,
            left_out: 0,
            last: Counted::default(),
            violations: 0,
            shortfall: 0,
        }
    }

    /// Measures only rounds that begin in `window`. Quotas are given out in all of them.
    #[must_use]
    pub fn within(self, window: Window) -> Self {
        Self { window, ..self }
    }

    /// (Tenant, round) pairs in which the planned service was below what the tenant's quota was worth to it.
    #[must_use]
    pub fn violations(&self) -> u64 {
        self.violations + self.last.violations * self.left_out
    }

    /// Service by which tenants fell short of what their quotas were worth to them, in seconds of one reference GPU.
    #[must_use]
    pub fn shortfall_s(&self) -> f64 {
        (self.shortfall + self.last.shortfall * i128::from(self.left_out)) as f64 / UNITS_PER_S
    }

    /// Rounds that had an active tenant.
    #[must_use]
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// How many of them were measured.
    #[must_use]
    pub fn measured(&self) -> u64 {
        self.measured
    }

    /// Worths that are the best found rather than proven to be the most.
    #[must_use]
    pub fn unproven(&self) -> u64 {
        self.worths.unproven
    }

    /// Takes note of devices that left service or came back.
    fn set_devices(&mut self, in_service: &[u32]) {
        if self.in_service != in_service {
            self.in_service = in_service.to_vec();
            let resources = self.worths.resources().with_devices(in_service);
            self.layer.set_units(resources.types().iter().map(TypeResources::units));
        }
    }

    /// Notes which tenants have a claim in a round that begins.
    fn begin(&mut self, round: u64, standing: &Standing) {
        self.claims.clear();
        let start = SimTime(self.start(round));
        for (index, tenant) in self.workload.tenants.iter().enumerate() {
            let weight = tenant.weight_at(start);
            if weight > 0 && !standing.active(TenantId(index as u32)).is_empty() {
                self.claims.push(Claim { tenant: index as u32, weight });
            }
        }
    }

    /// The first round after this one that begins with other weights, or on the other side of an end of the window.
    fn next_change(&self, round: u64) -> u64 {
        let start = self.start(round);
        let times = self.workload.tenants.iter().flat_map(|tenant| &tenant.changes).map(|change| change.at.0);
        let times = times.chain([self.window.from.0, self.window.to.0]);
        let next = times.filter(|&at| at > start).min().unwrap_or(i64::MAX);
        next.unsigned_abs().div_ceil(self.length.unsigned_abs())
    }

    /// Gives out the quotas of the next round and, if it is to be measured, finds what they are worth and counts who is planned to
    /// get less.
    fn entitle(&mut self, round: u64, standing: &Standing) -> Option<Measured> {
        self.layer.next_round(&self.claims, &mut self.quotas);
        if !self.window.holds(SimTime(self.start(round))) {
            return None;
        }
        self.rounds += 1;
        self.left_out += 1;
        if self.worths.spent > ALLOWANCE.saturating_add(self.rounds.saturating_mul(ALLOWANCE_PER_ROUND)) {
            return None;
        }
        self.measured += 1;
        // Rounds that were left out are shared by the measured ones before and after them.
        let before = (self.left_out - 1) / 2;
        self.violations += self.last.violations * before;
        self.shortfall += self.last.shortfall * i128::from(before);
        let stands_for = std::mem::take(&mut self.left_out) - before;
        self.last = Counted::default();
        for (claim, of_claim) in self.claims.iter().enumerate() {
            let id = TenantId(of_claim.tenant);
            let tenant = &mut self.tenants[id.index()];
            let (quota, changes) = (self.quotas.of(claim), standing.changes(id));
            if tenant.changes != changes || tenant.quota != quota {
                tenant.floor = self.worths.worth(id, standing.active(id), quota);
                tenant.changes = changes;
                tenant.quota.clear();
                tenant.quota.extend_from_slice(quota);
            }
            if tenant.planned < tenant.floor {
                self.last.violations += 1;
            }
        }
        self.violations += self.last.violations * stands_for;
        Some(Measured { round, stands_for })
    }

    /// What is missing to the floors of the open round, now that the service of its tenants is known.
    fn settle(&mut self, standing: &Standing) {
        let Some(open) = self.open.take() else { return };
        let received = |tenant: TenantId, before: i128| standing.served(tenant) - before;
        let missing = self.missing(open.round, received);
        self.count_shortfall(open, missing);
    }

    /// What is missing to the floors of a round; `received` is told what a tenant had been served before it.
    fn missing(&self, round: u64, received: impl Fn(TenantId, i128) -> i128) -> i128 {
        let unit = self.worths.unit() * i128::from(self.span(round));
        let of_claim = self.claims.iter().map(|claim| {
            let tenant = &self.tenants[claim.tenant as usize];
            let received = received(TenantId(claim.tenant), tenant.served);
            (i128::from(tenant.floor) * unit - received).max(0)
        });
        of_claim.sum()
    }

    fn count_shortfall(&mut self, of: Measured, missing: i128) {
        self.last.shortfall = missing;
        self.shortfall += missing * i128::from(of.stands_for);
    }

    fn start(&self, round: u64) -> i64 {
        i64::try_from(round).unwrap_or(i64::MAX).saturating_mul(self.length)
    }

    /// Microseconds of a round that lie before the horizon.
    fn span(&self, round: u64) -> i64 {
        self.horizon.0.saturating_sub(self.start(round)).clamp(0, self.length)
    }

    /// Rounds that end before the horizon.
    fn whole_rounds(&self) -> u64 {
        (self.horizon.0 / self.length).unsigned_abs()
    }

    /// What running jobs give each tenant in a round in which none of them ends.
    fn receive(&self, round: u64, running: &[Running], received: &mut [i128]) {
        received.fill(0);
        let (start, span) = (self.start(round), self.span(round));
        for of_job in running {
            let job = &self.workload.jobs[of_job.job.index()];
            let class = self.workload.class_of(job);
            let micros = (start.saturating_add(span) - of_job.ready.0.max(start)).max(0);
            received[job.tenant.index()] +=
                i128::from(class.gpus.0) * i128::from(of_job.rate.0) * i128::from(micros);
        }
    }
}

/// The state from which rounds that are passed over may repeat.
struct Lap {
    round: u64,
    layer: TemporalLayer,
    violations: u64,
    shortfall: i128,
    rounds: u64,
    measured: u64,
}

impl Watch for Yardstick<'_> {
    fn round(&mut self, report: &RoundReport<'_>) {
        let standing = report.standing;
        self.settle(standing);
        self.begin(report.round, standing);
        self.set_devices(report.in_service);
        for (index, tenant) in self.tenants.iter_mut().enumerate() {
            tenant.planned = 0;
            tenant.served = standing.served(TenantId(index as u32));
        }
        for grant in report.grants {
            let job = &self.workload.jobs[grant.job.index()];
            let value = self.worths.value(job.class, grant.option);
            self.tenants[job.tenant.index()].planned += value;
        }
        self.open = self.entitle(report.round, standing);
    }

    fn passed(&mut self, passed: &PassedRounds<'_>) {
        let mut measured = self.open.take();
        let ready = passed.running.iter().map(|running| running.ready.0).max().unwrap_or(0);
        let mut received = vec![0; self.tenants.len()];
        let mut lap: Option<Lap> = None;
        let mut round = passed.rounds.start;
        let mut change = self.next_change(round);
        while round < passed.rounds.end && self.start(round) < self.horizon.0 {
            if round >= change {
                self.begin(round, passed.standing);
                change = self.next_change(round);
                lap = None;
            }
            if round > passed.rounds.start {
                measured = self.entitle(round, passed.standing);
            }
            if lap.is_none() || self.span(round) < self.length {
                self.receive(round, passed.running, &mut received);
            }
            if let Some(measured) = measured {
                let missing = self.missing(measured.round, |tenant, _| received[tenant.index()]);
                self.count_shortfall(measured, missing);
            }
            let is_steady = self.start(round) >= ready && round > passed.rounds.start;
            round += 1;
            // From here on rounds differ in their quotas alone, and those repeat.
            match &lap {
                None if is_steady => {
                    lap = Some(Lap {
                        round,
                        layer: self.layer.clone(),
                        violations: self.violations,
                        shortfall: self.shortfall,
                        rounds: self.rounds,
                        measured: self.measured,
                    });
                }
                Some(lap) if lap.layer == self.layer => {
                    let whole = passed.rounds.end.min(self.whole_rounds()).min(change);
                    let length = round - lap.round;
                    let laps = whole.saturating_sub(round) / length;
                    self.violations += (self.violations - lap.violations) * laps;
                    self.shortfall += (self.shortfall - lap.shortfall) * i128::from(laps);
                    self.measured += (self.measured - lap.measured) * laps;
                    self.rounds += (self.rounds - lap.rounds) * laps;
                    round += laps * length;
                }
                _ => {}
            }
        }
    }

    fn idle(&mut self, standing: &Standing) {
        self.settle(standing);
    }
}
