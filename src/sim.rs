//! The round engine: replays a workload on a cluster under one policy.
//!
//! Simulated time advances from event to event. At every round boundary the policy decides; between boundaries arrivals and
//! completions are exact to the microsecond. See [`engine`] for the order of things at one moment.

pub mod engine;
pub mod fluid;
pub mod fragmentation;
pub mod outage;
pub mod reconfigure;
pub mod recorded;
pub mod refill;
pub mod standing;
pub mod waiting;

use serde::{Deserialize, Serialize};

use crate::cluster::{Part, Slice, SliceMemory};
use crate::policy::{Grant, LedgerRow, Proof, Reason, RoundProgram, SHARE_UNITS, Share};
use crate::units::{JobId, NodeId, Rate, SimSpan, SimTime, TypeId, Work};
use crate::workload::JobOption;
pub use engine::{Engine, simulate};
pub use outage::{Cause, FailureRate, Outages, PlannedChange, Service};
pub use standing::Standing;

/// What happens when capacity becomes free inside a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Boundary {
    /// The policy fills free capacity at once, without preempting.
    #[default]
    Refill,
    /// Nothing starts before the next boundary.
    Idle,
}

/// Whether time goes in rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Decisions at round boundaries, on real devices.
    #[default]
    Rounds,
    /// Shares of time to the letter, without rounds, devices and overheads; see [`fluid`].
    Fluid,
}

/// Rounds and overheads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoundSettings {
    /// Whether time goes in rounds.
    pub mode: Mode,
    /// Length of a round.
    pub length: SimSpan,
    /// Inside a round.
    pub boundary: Boundary,
    /// Overhead of a job's first start: it holds its allocation and makes no progress.
    pub start_cost: SimSpan,
    /// Overhead of every later load.
    pub restore_cost: SimSpan,
    /// Overhead of a load that needs a device's MIG layout changed.
    pub reconfigure_cost: SimSpan,
    /// What every node beyond the first costs a gang.
    pub gang_penalty: GangPenalty,
    /// The simulation stops here.
    pub horizon: Option<SimTime>,
    /// Time of progress after which a job writes a checkpoint; a failure loses what came after the last one. A job also writes one
    /// when the scheduler stops it. `None` = only then.
    pub checkpoint: Option<SimSpan>,
    /// Whether the run time a job asked for ends it.
    pub limits: Limits,
}

/// Whether the run time a job asked for ends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limits {
    /// It runs to its end.
    #[default]
    Ignore,
    /// It is killed once it has held an allocation for that long in all.
    Kill,
}

/// How much slower a gang runs on several nodes: on n nodes its rate is divided by 1 + penalty·(n−1). None by default. Policies
/// decide by the rate on one node, since nodes are known only when a decision is placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GangPenalty {
    micro: u32,
}

impl GangPenalty {
    /// The largest penalty per additional node.
    pub const MOST: f64 = 100.0;

    /// A penalty per additional node, from 0 to [`Self::MOST`], to a millionth.
    #[must_use]
    pub fn per_node(penalty: f64) -> Self {
        Self { micro: (penalty.clamp(0.0, Self::MOST) * 1e6).round() as u32 }
    }

    /// The rate on `nodes` nodes, rounded down to a millionth; at least one millionth for any positive rate.
    #[must_use]
    pub fn rate_on(self, rate: Rate, nodes: u32) -> Rate {
        let more = u64::from(nodes.saturating_sub(1)) * u64::from(self.micro);
        if more == 0 || rate.0 == 0 {
            return rate;
        }
        let slowed = u64::from(rate.0) * 1_000_000 / (1_000_000 + more);
        Rate(u32::try_from(slowed).unwrap_or(rate.0).max(1))
    }
}

/// A stretch of time in which a job held one allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// The job.
    pub job: JobId,
    /// From this moment.
    pub from: SimTime,
    /// Progress begins here, after the overhead of loading; may lie beyond `to`.
    pub ready: SimTime,
    /// Until this moment.
    pub to: SimTime,
    /// The option of the job's class.
    pub option: u16,
    /// The rate of progress: that of the option, less for a gang over several nodes if there is a [`GangPenalty`].
    pub rate: Rate,
    /// The type.
    pub type_id: TypeId,
    /// Slots on each device.
    pub slots: u8,
    /// Memory of the slices.
    pub memory: SliceMemory,
    /// Share of the time, in [`SHARE_UNITS`]; all of it except in the fluid mode, where a segment has no devices either.
    pub of_time: u64,
    parts_from: u32,
    parts_len: u32,
}

impl Segment {
    /// A share of an option from a moment on, on no device in particular.
    fn of_share(job: JobId, from: SimTime, share: Share, option: &JobOption) -> Self {
        Self {
            job,
            from,
            ready: from,
            to: from,
            option: share.option,
            rate: option.rate,
            type_id: option.type_id,
            slots: option.slots,
            memory: option.memory,
            of_time: share.of_time,
            parts_from: 0,
            parts_len: option.devices,
        }
    }

    /// Devices it takes a slice of.
    #[must_use]
    pub fn devices(&self) -> u32 {
        self.parts_len
    }

    /// Its share of the time, 1 except in the fluid mode.
    #[must_use]
    pub fn time_share(&self) -> f64 {
        self.of_time as f64 / SHARE_UNITS as f64
    }

    /// What it takes of each device.
    #[must_use]
    pub fn slice(&self) -> Slice {
        Slice { slots: self.slots, memory: self.memory }
    }
}

/// What became of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JobRun {
    /// First start.
    pub first_start: Option<SimTime>,
    /// Completion.
    pub finish: Option<SimTime>,
    /// Time holding an allocation.
    pub held: SimSpan,
    /// Times it was running, unfinished, and held nothing next.
    pub preemptions: u32,
    /// Times it held a different allocation next, with or without a gap.
    pub migrations: u32,
    /// Times the node it ran on broke.
    pub failures: u32,
    /// Work that was done and lost to failures.
    pub lost: Work,
    /// When it was killed at the run time it asked for.
    pub killed: Option<SimTime>,
}

impl JobRun {
    /// When it left: it completed or was killed.
    #[must_use]
    pub fn ended(&self) -> Option<SimTime> {
        self.finish.or(self.killed)
    }
}

/// A node that was out of service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outage {
    /// The node.
    pub node: NodeId,
    /// From this moment.
    pub from: SimTime,
    /// Until this moment; the end of the run for one that did not return.
    pub to: SimTime,
}

/// A change of the reason for which a job waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wait {
    /// The job.
    pub job: JobId,
    /// From this decision on.
    pub from: SimTime,
    /// Why.
    pub reason: Reason,
}

/// Load of the cluster from this moment on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Load {
    /// The moment.
    pub at: SimTime,
    /// Jobs holding an allocation.
    pub running: u32,
    /// Jobs waiting.
    pub waiting: u32,
    /// Share of the cluster held, each slot weighted by its share of a device; `None` when the run was not on this cluster.
    pub used: Option<f64>,
}

/// What a finished (or stopped) simulation leaves behind.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunRecord {
    /// By job.
    pub jobs: Vec<JobRun>,
    /// Every allocation, ordered by job and then by time.
    pub segments: Vec<Segment>,
    pub(crate) parts: Vec<Part>,
    /// Changes of the reason for waiting, in the order of decisions.
    pub waits: Vec<Wait>,
    /// Nodes that were out of service, in the order of their return.
    pub outages: Vec<Outage>,
    /// Load after every event.
    pub load: Vec<Load>,
    /// When the simulation ended.
    pub end: SimTime,
    /// Rounds decided (skipped ones, in which nothing could change, included).
    pub rounds: u64,
    /// Devices whose MIG layout was changed, summed over decisions.
    pub reconfigurations: u64,
    /// Time mean of the share of free GPU that no request class can use.
    pub fragmentation_mean: f64,
    /// The part of it on nodes that could serve the class, on devices that it cannot use.
    pub fragmentation_stranded_mean: f64,
    /// Grants that found no position on real devices, not even for a smaller slice.
    pub unplaced: u64,
    /// Grants that found a position only for a smaller slice.
    pub downgraded: u64,
    /// What the policy's decisions are worth to it, and how much of that found its place.
    pub packing: PackingValue,
    /// The same in service: what the grants would have given in a round minus what they gave where they found a place, in the units
    /// of [`Standing::served`], for every policy.
    pub packing_gap: i128,
    /// Jobs that were served last, at some time, because their place in the policy's order was undefined; `None` for policies whose
    /// order never is.
    pub unranked: Option<u32>,
    /// Why it ended before every job had finished, if it did.
    pub stopped: Option<Stopped>,
}

/// The worth of decisions in the policy's own units, summed over decisions; zero for policies that have no such units.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PackingValue {
    /// Of the decisions.
    pub decided: f64,
    /// Of what was lost of them because no device had a position for it.
    pub lost: f64,
}

impl PackingValue {
    /// The packing gap: the share of the decided worth that was lost; `None` for policies without values.
    #[must_use]
    pub fn gap(&self) -> Option<f64> {
        (self.decided > 0.0).then(|| self.lost / self.decided)
    }
}

/// Why a simulation ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// At the scenario's horizon.
    Horizon,
    /// For a great many rounds nothing arrived and nothing finished: the policy starts nothing, or jobs are preempted before
    /// they have loaded.
    Stalled,
    /// The watcher had seen enough.
    SeenEnough,
    /// The trace does not say when every job started and ended.
    NotRecorded,
}

impl Stopped {
    /// What happened, for people.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::NotRecorded => "the trace does not say when every job started and ended",
            Self::Horizon => "stopped at the scenario's horizon",
            Self::SeenEnough => "stopped because what was asked for had been seen",
            Self::Stalled => {
                "given up: for a great many rounds no job arrived or finished. Overheads longer than a round, or a policy that \
                 starts nothing, do this"
            }
        }
    }
}

impl RunRecord {
    /// The devices and first slots of a segment; none in the fluid mode.
    #[must_use]
    pub fn parts(&self, segment: &Segment) -> &[Part] {
        let from = segment.parts_from as usize;
        self.parts.get(from..from + segment.parts_len as usize).unwrap_or(&[])
    }
}

/// One decided round, shown to the watcher of a run before it is put on devices.
#[derive(Debug)]
pub struct RoundReport<'a> {
    /// Index of the round.
    pub round: u64,
    /// Its beginning.
    pub start: SimTime,
    /// Devices of each type in service.
    pub in_service: &'a [u32],
    /// Who is to get what.
    pub grants: &'a [Grant],
    /// Why others wait; who is not named waits for [`Reason::Capacity`].
    pub waits: &'a [(JobId, Reason)],
    /// The program that was solved; `None` for policies that solve none.
    pub program: Option<RoundProgram<'a>>,
    /// The policy's ledger; empty for policies without quotas.
    pub ledger: &'a [LedgerRow],
    /// The policy's proof.
    pub proof: Option<&'a Proof>,
    /// What the tenants have at its beginning.
    pub standing: &'a Standing,
    /// Seconds the decision took, where the watcher has a clock.
    pub decide_s: Option<f64>,
}

/// A job that goes on as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Running {
    /// The job.
    pub job: JobId,
    /// The option of its class that it holds.
    pub option: u16,
    /// The rate of progress.
    pub rate: Rate,
    /// It makes progress from this moment on.
    pub ready: SimTime,
}

/// Rounds in which nothing arrives, completes or waits: the last decided one and those after it that the engine passes over,
/// because they would be decided alike.
#[derive(Debug)]
pub struct PassedRounds<'a> {
    /// The rounds; the first of them was decided and reported.
    pub rounds: std::ops::Range<u64>,
    /// All active jobs; each of them holds its option throughout.
    pub running: &'a [Running],
    /// What the tenants have.
    pub standing: &'a Standing,
}

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Simulated time.
    pub now: SimTime,
    /// Jobs finished.
    pub finished: u32,
    /// Jobs in all.
    pub jobs: u32,
}

/// Follows a run. All methods have empty defaults.
pub trait Watch {
    /// A round was decided.
    fn round(&mut self, _report: &RoundReport<'_>) {}
    /// Rounds are passed over.
    fn passed(&mut self, _rounds: &PassedRounds<'_>) {}
    /// No job is active any more, until the next arrival or for good; or the run ends with jobs unfinished.
    fn idle(&mut self, _standing: &Standing) {}
    /// Called once in a while (a fixed count of rounds).
    fn progress(&mut self, _progress: Progress) {}
    /// Whether the run may stop here: what the watcher wanted has been seen.
    fn has_seen_enough(&self) -> bool {
        false
    }
    /// The stretch of time over which the engine takes time means; `None` for the whole run.
    fn window(&self) -> Option<(SimTime, SimTime)> {
        None
    }
    /// Seconds since any moment, to time decisions with; `None` without a clock. Nothing that is decided depends on it.
    fn clock_s(&self) -> Option<f64> {
        None
    }
}

/// Follows nothing.
impl Watch for () {}
