//! One round of a run explained: what every tenant was entitled to and got, with what proof, and for every job that waited what
//! running it would have cost.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::ScenarioError;
use super::run::Prepared;
use crate::policy::sts::budget::Limits;
use crate::policy::sts::explain::runner_up::{Cost, DecidedRound, RunnerUp, runner_up};
use crate::policy::sts::program::Program;
use crate::policy::{Grant, LedgerRow, Proof, Reason};
use crate::sim::{RoundReport, Watch, simulate};
use crate::units::{JobId, SimTime, TenantId, TypeId};

/// A decided round. Values, floors and costs are in the integer unit of the decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RoundExplained {
    /// The policy's label.
    pub policy: String,
    /// The seed.
    pub seed: u64,
    /// The round that was decided: the one asked for, or the last one before it when that went on as decided.
    pub round: u64,
    /// Its beginning.
    pub start_s: f64,
    /// How the decision was reached; `None` for policies without a proof.
    pub method: Option<Cow<'static, str>>,
    /// Program states examined.
    pub states: Option<u64>,
    /// The objective.
    pub objective: Option<i128>,
    /// No decision has a greater one.
    pub bound: Option<i128>,
    /// The optimum without floors over the objective, minus one; `None` where it was not computed.
    pub price_of_fairness: Option<f64>,
    /// Tenants with a quota; for policies without quotas those whose jobs were given something.
    pub tenants: Vec<TenantExplained>,
    /// Jobs that wait.
    pub waiting: Vec<WaitExplained>,
}

/// What a tenant was entitled to and got.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TenantExplained {
    /// Its name.
    pub tenant: String,
    /// What its quota is worth to it; `None` for policies without quotas, as the next two.
    pub floor: Option<i64>,
    /// What the decision gives it.
    pub value: Option<i64>,
    /// `value - floor`.
    pub slack: Option<i64>,
    /// By type; empty for policies without quotas.
    pub types: BTreeMap<String, SlotsExplained>,
    /// The options its jobs were given.
    pub grants: Vec<GrantExplained>,
}

/// A tenant's slots on one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlotsExplained {
    /// Slots it was entitled to.
    pub quota_slots: u32,
    /// Slots it got.
    pub used_slots: u32,
    /// As in the ledger ([`LedgerRow::loan_slots`]).
    pub loan_slots: i32,
    /// Slots of entitlement lost in the round.
    pub packing_loss_slots: u32,
}

/// What a job was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrantExplained {
    /// The job.
    pub job: String,
    /// The type.
    pub gpu_type: String,
    /// Slots on each device.
    pub slots: u8,
    /// Devices.
    pub devices: u32,
}

/// Why a job waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitExplained {
    /// The job.
    pub job: String,
    /// Its tenant.
    pub tenant: String,
    /// The code of the reason.
    pub reason: Cow<'static, str>,
    /// The reason in words.
    pub words: Cow<'static, str>,
    /// What it would have got in the best decision that runs it; `None` where none was looked for.
    pub alternative: Option<GrantExplained>,
    /// The objective would be less by at least this much.
    pub loses_at_least: Option<i128>,
    /// The objective would be less by at most this much; equal to the other when exact.
    pub loses_at_most: Option<i128>,
    /// Tenants whose floors could not all hold.
    pub breaks_floors_of: Vec<String>,
}

/// What a round left, for as long as it is the last one decided.
#[derive(Debug, Clone, Default)]
struct Kept {
    round: u64,
    start: SimTime,
    grants: Vec<Grant>,
    waits: Vec<(JobId, Reason)>,
    program: Option<(Program, Vec<JobId>)>,
    ledger: Vec<LedgerRow>,
    proof: Option<Proof>,
}

/// Keeps the last round decided up to the one that is wanted.
struct Keeper {
    wanted: u64,
    kept: Option<Kept>,
    is_past: bool,
}

impl Watch for Keeper {
    fn round(&mut self, report: &RoundReport<'_>) {
        if report.round > self.wanted {
            self.is_past = true;
            return;
        }
        self.kept = Some(Kept {
            round: report.round,
            start: report.start,
            grants: report.grants.to_vec(),
            waits: report.waits.to_vec(),
            program: report.program.map(|of| (of.program.clone(), of.jobs.to_vec())),
            ledger: report.ledger.to_vec(),
            proof: report.proof.cloned(),
        });
    }

    fn has_seen_enough(&self) -> bool {
        self.is_past
    }
}

impl Prepared {
    /// Runs the policy at `index` with `seed` up to `round` and explains the decision in force then; for at most `jobs` waiting jobs
    /// it is found out what running them would have cost, within `limits` a solve. `None` if no round was decided until then, or
    /// the policy is not simulated.
    ///
    /// # Errors
    /// [`ScenarioError`] when there is no such policy.
    pub fn explain(
        &self,
        index: usize,
        seed: u64,
        round: u64,
        jobs: usize,
        limits: &Limits,
    ) -> Result<Option<RoundExplained>, ScenarioError> {
        let (spec, params) = self.scenario.policy(index)?;
        let Some(build) = spec.build else { return Ok(None) };
        let mut keeper = Keeper { wanted: round, kept: None, is_past: false };
        let settings = self.scenario.round.settings();
        let _ = simulate(&self.cluster, &self.workload, settings, build(&params, seed), &mut keeper);
        let label = self.scenario.policies[index].label().to_string();
        Ok(keeper.kept.map(|kept| self.explained(label, seed, &kept, jobs, limits)))
    }

    fn explained(
        &self,
        policy: String,
        seed: u64,
        kept: &Kept,
        jobs: usize,
        limits: &Limits,
    ) -> RoundExplained {
        let proof = kept.proof.as_ref();
        let mut waits = kept.waits.clone();
        waits.sort_unstable_by_key(|&(job, _)| job);
        let waiting = waits.iter().enumerate().map(|(looked_at, &(job, reason))| {
            let found = if looked_at < jobs { self.runner_up(kept, job, limits) } else { None };
            self.wait(job, reason, found)
        });
        RoundExplained {
            policy,
            seed,
            round: kept.round,
            start_s: kept.start.as_secs(),
            method: proof.map(|proof| Cow::Borrowed(proof.method)),
            states: proof.map(|proof| proof.states),
            objective: proof.map(|proof| proof.objective),
            bound: proof.map(|proof| proof.bound),
            price_of_fairness: proof
                .filter(|proof| proof.objective > 0)
                .and_then(|proof| Some(proof.without_floors? as f64 / proof.objective as f64 - 1.0)),
            tenants: self.tenants_of(kept),
            waiting: waiting.collect(),
        }
    }

    fn tenants_of(&self, kept: &Kept) -> Vec<TenantExplained> {
        let mut tenants: Vec<(TenantId, TenantExplained)> = Vec::new();
        for row in &kept.ledger {
            if tenants.last().is_none_or(|(id, _)| *id != row.tenant) {
                let explained = TenantExplained {
                    floor: Some(row.floor),
                    value: Some(row.value),
                    slack: Some(row.value - row.floor),
                    ..self.granted(kept, row.tenant)
                };
                tenants.push((row.tenant, explained));
            }
            let slots = SlotsExplained {
                quota_slots: row.quota_slots,
                used_slots: row.used_slots,
                loan_slots: row.loan_slots,
                packing_loss_slots: row.packing_loss_slots,
            };
            if let Some((_, tenant)) = tenants.last_mut() {
                tenant.types.insert(self.gpu_type(row.type_id), slots);
            }
        }
        if kept.ledger.is_empty() {
            let with_grants: BTreeSet<TenantId> =
                kept.grants.iter().map(|grant| self.workload.jobs[grant.job.index()].tenant).collect();
            return with_grants.into_iter().map(|tenant| self.granted(kept, tenant)).collect();
        }
        tenants.into_iter().map(|(_, tenant)| tenant).collect()
    }

    /// What the jobs of a tenant were given, without what it was entitled to.
    fn granted(&self, kept: &Kept, tenant: TenantId) -> TenantExplained {
        let of_tenant = |grant: &&Grant| self.workload.jobs[grant.job.index()].tenant == tenant;
        TenantExplained {
            tenant: self.tenant(tenant),
            floor: None,
            value: None,
            slack: None,
            types: BTreeMap::new(),
            grants: kept
                .grants
                .iter()
                .filter(of_tenant)
                .map(|grant| self.grant(grant.job, grant.option))
                .collect(),
        }
    }

    fn runner_up(&self, kept: &Kept, job: JobId, limits: &Limits) -> Option<RunnerUp> {
        let (program, jobs) = kept.program.as_ref()?;
        let position = jobs.iter().position(|&other| other == job)?;
        let granted: BTreeMap<JobId, u16> =
            kept.grants.iter().map(|grant| (grant.job, grant.option)).collect();
        let choice: Vec<Option<u16>> = jobs.iter().map(|job| granted.get(job).copied()).collect();
        Some(runner_up(DecidedRound { program, choice: &choice }, position, limits))
    }

    fn wait(&self, job: JobId, reason: Reason, found: Option<RunnerUp>) -> WaitExplained {
        let mut explained = WaitExplained {
            job: self.job_name(job),
            tenant: self.tenant(self.workload.jobs[job.index()].tenant),
            reason: reason.code().into(),
            words: reason.words().into(),
            alternative: found.as_ref().and_then(|found| found.option).map(|option| self.grant(job, option)),
            loses_at_least: None,
            loses_at_most: None,
            breaks_floors_of: Vec::new(),
        };
        match found.map(|found| found.cost) {
            Some(Cost::Loses(by)) => {
                (explained.loses_at_least, explained.loses_at_most) = (Some(by), Some(by));
            }
            Some(Cost::LosesBetween { at_least, at_most }) => {
                (explained.loses_at_least, explained.loses_at_most) = (Some(at_least), Some(at_most));
            }
            Some(Cost::Breaks(tenants)) => {
                explained.breaks_floors_of =
                    tenants.into_iter().map(|tenant| self.tenant(TenantId(tenant))).collect();
            }
            Some(Cost::DoesNotFit | Cost::Unknown) | None => {}
        }
        explained
    }

    fn grant(&self, job: JobId, option: u16) -> GrantExplained {
        let option = self.workload.class_of(&self.workload.jobs[job.index()]).options[usize::from(option)];
        GrantExplained {
            job: self.job_name(job),
            gpu_type: self.gpu_type(option.type_id),
            slots: option.slots,
            devices: option.devices,
        }
    }

    fn job_name(&self, job: JobId) -> String {
        self.source.names.get(self.workload.jobs[job.index()].record as usize).to_string()
    }

    fn tenant(&self, tenant: TenantId) -> String {
        self.workload.tenants.get(tenant.index()).map(|tenant| tenant.name.clone()).unwrap_or_default()
    }

    fn gpu_type(&self, type_id: TypeId) -> String {
        self.cluster.gpu_type(type_id).name.clone()
    }
}
