//! Schedulers: what a policy sees, what it decides, and the list of all policies.
//!
//! Once a round the engine shows a policy the active jobs ([`View`]); the policy says which option each job gets
//! ([`Decision`]); the engine places that on devices, keeping jobs where they are. Inside a round, when the boundary mode is
//! `refill`, the policy may start waiting jobs on what is free ([`Refill`]).

pub mod allox;
pub mod drf;
pub mod easy;
pub mod equal_split;
pub mod estimate;
pub mod expression;
pub mod fgd;
pub mod fifo;
pub mod fifo_backfill;
mod fluid;
pub mod gandiva_fair;
pub mod gavel;
pub mod gittins;
pub mod hadar;
mod knapsack;
pub mod las;
mod list;
pub mod ltrf;
pub mod miso;
pub mod needs;
pub mod oef;
pub mod optimus;
pub mod param;
pub mod proportional;
pub mod random;
pub mod recorded;
pub mod registry;
pub mod round_robin;
mod shares;
pub mod shockwave;
pub mod sia;
pub mod sjf;
pub mod srtf;
pub mod sts;
mod tenants;
pub mod themis;
pub mod tiresias;

pub use crate::cluster::Cluster;
use crate::cluster::Placement;
pub use crate::cluster::Repacking;
use crate::cluster::capacity::Capacity;
use crate::cluster::occupancy::Occupancy;
use crate::units::{JobId, SimSpan, SimTime, TenantId, TypeId, Work};
use crate::workload::{BoundJob, BoundWorkload, JobClass, JobOption};
pub use param::{ParamSpec, Params};
pub use registry::{PolicySpec, spec};
use sts::program::Program;

/// Units of [`JobState::attained`] in one device-microsecond: a multiple of every number of slots, so that a slice counts exactly
/// as its share of the device.
pub const ATTAINED_UNITS: i128 = 56;

/// What so many slots on each of so many devices of a type are of devices, in [`ATTAINED_UNITS`]: their service in a microsecond.
pub(crate) fn held_units(cluster: &Cluster, type_id: TypeId, slots: u8, devices: u32) -> i128 {
    let slots_per_device = i128::from(cluster.gpu_type(type_id).slots_per_device());
    i128::from(slots) * i128::from(devices) * (ATTAINED_UNITS / slots_per_device)
}

/// What a job holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// The option, as an index into its class's options.
    pub option: u16,
    /// When it got it.
    pub since: SimTime,
    /// The option itself.
    pub taken: JobOption,
}

/// The state of one job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobState {
    /// Work left.
    pub remaining: Work,
    /// What it holds now.
    pub held: Option<Held>,
    /// What it held last, if it ever ran.
    pub last_option: Option<u16>,
    /// Time holding an allocation so far.
    pub executed: SimSpan,
    /// Attained service: devices held times time, in [`ATTAINED_UNITS`] a device-microsecond.
    pub attained: i128,
    /// First start.
    pub first_start: Option<SimTime>,
    /// When it last started or stopped holding an allocation.
    pub changed: SimTime,
    /// Completion.
    pub finish: Option<SimTime>,
}

impl JobState {
    /// A job that was just submitted.
    #[must_use]
    pub fn submitted(work: Work, at: SimTime) -> Self {
        Self {
            remaining: work,
            held: None,
            last_option: None,
            executed: SimSpan::ZERO,
            attained: 0,
            first_start: None,
            changed: at,
            finish: None,
        }
    }
}

/// All of the time, in the units of [`Share::of_time`].
pub const SHARE_UNITS: u64 = 1_000_000_000_000;

/// A share of time that a job holds an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// The job.
    pub job: JobId,
    /// Index into its class's options.
    pub option: u16,
    /// The share, in [`SHARE_UNITS`]; the shares of a job add up to at most one.
    pub of_time: u64,
}

/// What a policy sees at a moment. Everything is exact and up to date at `now`.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// The moment.
    pub now: SimTime,
    /// Index of the round that begins (or is under way, in a refill).
    pub round: u64,
    /// Length of a round.
    pub round_length: SimSpan,
    /// Overhead of a job's first start.
    pub start_cost: SimSpan,
    /// Overhead of every later load.
    pub restore_cost: SimSpan,
    /// The cluster, with all its devices.
    pub cluster: &'a Cluster,
    /// Devices of each type that are in service.
    pub in_service: &'a [u32],
    /// Jobs, classes and tenants.
    pub workload: &'a BoundWorkload,
    /// State of every job, by [`JobId`].
    pub states: &'a [JobState],
    /// Submitted, unfinished jobs in order of submission.
    pub active: &'a [JobId],
}

impl<'a> View<'a> {
    /// What is in service, with nothing taken.
    #[must_use]
    pub fn capacity(&self) -> Capacity {
        Capacity::of(self.cluster, self.in_service)
    }

    /// The job.
    #[must_use]
    pub fn job(&self, id: JobId) -> &'a BoundJob {
        &self.workload.jobs[id.index()]
    }

    /// Its class.
    #[must_use]
    pub fn class(&self, id: JobId) -> &'a JobClass {
        self.workload.class_of(self.job(id))
    }

    /// Its state.
    #[must_use]
    pub fn state(&self, id: JobId) -> &'a JobState {
        &self.states[id.index()]
    }

    /// One of its options.
    #[must_use]
    pub fn option(&self, id: JobId, option: u16) -> JobOption {
        self.class(id).options[usize::from(option)]
    }
}

/// A job and the option it gets for the round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grant {
    /// The job.
    pub job: JobId,
    /// Index into its class's options.
    pub option: u16,
}

/// Why a job holds nothing. The code is part of the result; its words are in one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// Everything it could use is taken by jobs the policy ranks higher.
    Capacity,
    /// A job ahead of it in the queue does not fit, and the policy lets nobody pass.
    HeadOfLine,
    /// Enough is free in sum, but no legal position.
    NoPlace,
    /// It arrived inside the round; decisions are made at its boundary.
    ArrivedInRound,
    /// Giving it slots would lower the objective.
    Objective,
    /// Slots go to other tenants so that their floors hold.
    FloorOfOthers,
    /// Its tenant is collecting entitlement for a gang.
    GangBanking,
    /// The node it ran on went out of service.
    Interrupted,
}

impl Reason {
    /// All reasons.
    pub const ALL: [Self; 8] = [
        Self::Capacity,
        Self::HeadOfLine,
        Self::NoPlace,
        Self::ArrivedInRound,
        Self::Objective,
        Self::FloorOfOthers,
        Self::GangBanking,
        Self::Interrupted,
    ];

    /// The stable code, as in exports.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Capacity => "CAPACITY",
            Self::HeadOfLine => "HEAD_OF_LINE",
            Self::NoPlace => "NO_PLACE",
            Self::ArrivedInRound => "ARRIVED_IN_ROUND",
            Self::Objective => "OBJECTIVE",
            Self::FloorOfOthers => "FLOOR_OF_OTHERS",
            Self::GangBanking => "GANG_BANKING",
            Self::Interrupted => "INTERRUPTED",
        }
    }

    /// What it means, in a sentence.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Capacity => "everything it could use is taken by jobs ranked higher",
            Self::HeadOfLine => {
                "a job ahead of it in the queue does not fit, and this policy lets nobody pass"
            }
            Self::NoPlace => "enough is free in sum, but no device has a legal position for it",
            Self::ArrivedInRound => "it arrived inside the round; this round was already decided",
            Self::Objective => "giving it slots would lower the objective",
            Self::FloorOfOthers => "the slots go to tenants whose floors would otherwise be missed",
            Self::Interrupted => "the node it ran on went out of service",
            Self::GangBanking => "its tenant is collecting entitlement for a gang larger than its quota",
        }
    }
}

/// How good a decision is proven to be. Values are in the integer units of the policy's own objective.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof {
    /// The objective of the decision.
    pub objective: i128,
    /// No decision can have more; equal to `objective` when the decision is optimal.
    pub bound: i128,
    /// The optimum when floors are dropped, where it was computed: the price of fairness.
    pub without_floors: Option<i128>,
    /// Program states (table cells) examined.
    pub states: u64,
    /// How the decision was reached, such as `uncontended`, `loss-budget`, `dynamic program`.
    pub method: &'static str,
}

impl Proof {
    /// What a policy says whose program could not be solved, so that its rule for that case decided: nothing is proven.
    #[must_use]
    pub fn failed() -> Self {
        let method = "equal share: the linear program could not be solved";
        Self { objective: 0, bound: 1, without_floors: None, states: 0, method }
    }

    /// (bound − objective) / bound, from 0 to 1.
    #[must_use]
    pub fn gap(&self) -> f64 {
        if self.bound <= 0 { 0.0 } else { (self.bound - self.objective) as f64 / self.bound as f64 }
    }
}

/// One tenant on one type in one round, for the ledger of a policy that has quotas.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LedgerRow {
    /// The tenant.
    pub tenant: TenantId,
    /// The type.
    pub type_id: TypeId,
    /// Slots the tenant was entitled to.
    pub quota_slots: u32,
    /// Slots the decision gives it.
    pub used_slots: u32,
    /// The tenant's floor over all types: V_u(q_u), in the policy's units.
    pub floor: i64,
    /// What the decision gives the tenant over all types: V_u(x_u).
    pub value: i64,
    /// Slots of entitlement that the tenant is owed (positive) or owes (negative) once the round is decided. For `sts-fairness`
    /// with loans its balance on the type, in whole slots towards zero; without loans nothing is remembered, and it is what the
    /// round alone moved: slots cut from its quota for a gang of another tenant, or added to it for its own.
    pub loan_slots: i32,
    /// Slots of entitlement lost because credit for a job larger than the quota is at its cap.
    pub packing_loss_slots: u32,
}

/// What a policy decides for a round. Reused from round to round.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Decision {
    /// Who gets what. Jobs not named hold nothing. In sum it fits the cluster.
    pub grants: Vec<Grant>,
    /// Where jobs that start would lie, ascending by job. The engine puts them there where that is free, else as it does others.
    pub places: Vec<(JobId, Placement)>,
    /// Why the others wait; jobs not named wait for [`Reason::Capacity`].
    pub waits: Vec<(JobId, Reason)>,
    /// Proof of quality, for policies that optimise.
    pub proof: Option<Proof>,
    /// The temporal ledger, for policies that have one; empty otherwise.
    pub ledger: Vec<LedgerRow>,
}

impl Decision {
    /// Empties it for the next round.
    pub fn clear(&mut self) {
        self.grants.clear();
        self.places.clear();
        self.waits.clear();
        self.proof = None;
        self.ledger.clear();
    }
}

/// Free capacity inside a round. Starting or growing takes effect at once, on real devices.
pub trait Refill {
    /// Starts a waiting job with an option of its class; `false` if no position is free for it, or if it was started already.
    fn try_start(&mut self, job: JobId, option: u16) -> bool;
    /// Starts a waiting job in this place, where that is free and of the option's kind, else as [`Self::try_start`] does.
    fn try_start_at(&mut self, job: JobId, option: u16, _place: &Placement) -> bool {
        self.try_start(job, option)
    }
    /// Gives a job that was started in this refill a larger option in its place; `false` if that does not fit.
    fn try_grow(&mut self, job: JobId, option: u16) -> bool;
    /// Free slots of a type, in sum over its devices.
    fn free_slots(&self, type_id: TypeId) -> u32;
    /// Whole free devices of a type.
    fn free_devices(&self, type_id: TypeId) -> u32;
    /// Whether nothing at all is free.
    fn is_full(&self) -> bool;
}

/// The program that a policy solved for the round it decided last, for whoever wants the decision explained. The option that a grant
/// names is the option of the program's job.
#[derive(Debug, Clone, Copy)]
pub struct RoundProgram<'a> {
    /// The program, with the floors in force.
    pub program: &'a Program,
    /// Its jobs, in their order.
    pub jobs: &'a [JobId],
}

/// Whose state a refill reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefillReads {
    /// That of every active job: the engine brings all of them up to date before it asks.
    Everyone,
    /// Only that of waiting jobs, which is always up to date. Of running jobs it may read what they hold; their remaining work,
    /// executed time and attained service are those of the last boundary.
    Waiting,
}

/// A scheduler. One instance serves one run; it may keep state between rounds.
pub trait Policy {
    /// Shows where running jobs lie, before every decision and refill, to a policy that chooses places.
    fn see(&mut self, _occupancy: &Occupancy) {}

    /// Decides the round that begins at `view.now`.
    fn decide(&mut self, view: &View<'_>, decision: &mut Decision);

    /// Fills free capacity inside a round, in the policy's own order and without preemption. `waiting` are the active jobs that
    /// hold nothing, in order of submission.
    fn refill(&mut self, view: &View<'_>, waiting: &[JobId], free: &mut dyn Refill);

    /// The shares of time that the policy's rule gives jobs until the next arrival, departure or change of weight, for the fluid mode; `false` for a
    /// policy whose rule knows no shares. In sum they fit the cluster.
    fn shares(&mut self, _view: &View<'_>, _shares: &mut Vec<Share>) -> bool {
        false
    }

    /// Whose state [`Self::refill`] reads: it is called at every event, and bringing all jobs up to date then is what most of a
    /// long run would be spent on.
    fn refill_reads(&self) -> RefillReads {
        RefillReads::Everyone
    }

    /// The program of the last decision, for policies that solve one.
    fn program(&self) -> Option<RoundProgram<'_>> {
        None
    }

    /// Whether the engine may move kept jobs when it places a decision.
    fn repacking(&self) -> Repacking {
        Repacking::WhereNeeded
    }

    /// What an option of an active job is worth to the decision under way, before hysteresis, in units that are the same from
    /// round to round; `None` for policies that do not optimise. The engine measures with it what is lost when a decision does
    /// not fit real devices.
    fn worth(&self, _view: &View<'_>, _job: JobId, _option: u16) -> Option<f64> {
        None
    }

    /// For a policy whose order can be undefined: how many jobs were served last, at some time, because their place in it was.
    fn unranked(&self) -> Option<u32> {
        None
    }

    /// Whether a round in which nothing waits and nothing arrived or completed since the last decision would be decided as the
    /// last one was, so that the engine may pass over it.
    fn is_static_when_idle_queue(&self) -> bool {
        true
    }
}
