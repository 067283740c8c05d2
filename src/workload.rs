//! The workload: what a trace says about jobs, what is assumed about their speed, and both bound to one cluster.
//!
//! [`Workload`] is cluster-independent and comes from a trace reader or the synthetic generator. [`profile`] holds throughput
//! curves, [`assign`] decides which curve a job has, and [`bind`] turns both into the [`BoundWorkload`] that the engine runs.

pub mod assign;
pub mod bind;
mod mix;
pub mod profile;
pub mod shape;
pub mod synthetic;

use serde::{Deserialize, Serialize};

use crate::units::{Maybe, MilliGpus, SimSpan, SimTime, TenantId};
pub use bind::{BoundJob, BoundWorkload, JobClass, JobOption};

/// Whether a factor is exactly one; such factors are not written.
pub(crate) fn is_unscaled(factor: &f64) -> bool {
    factor.total_cmp(&1.0).is_eq()
}

/// How a job ended in its trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It finished, or the trace does not say.
    #[default]
    Completed,
    /// It failed; it held its GPUs all the same.
    Failed,
    /// It was cancelled or killed.
    Cancelled,
    /// It was still running when the trace ends.
    Running,
    /// It never started.
    Pending,
}

impl Outcome {
    /// Every outcome.
    pub const ALL: [Self; 5] = [Self::Completed, Self::Failed, Self::Cancelled, Self::Running, Self::Pending];

    /// The word that files have for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Running => "running",
            Self::Pending => "pending",
        }
    }
}

/// One job as its trace describes it. Names are positions in the tables of the [`Workload`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct JobRecord {
    /// Submission, since the first submission of the workload.
    pub submit: SimTime,
    /// GPUs of the whole job (all workers); zero for a CPU job, which is counted and not simulated.
    pub gpus: MilliGpus,
    /// Equal workers the GPUs are spread over, at least 1. One GPU or more a job counts as one worker per GPU unless the trace
    /// states fractional GPUs per worker.
    pub workers: u32,
    /// Run time on the traced hardware; `None` when the trace has none.
    pub duration: Maybe<SimSpan>,
    /// Start under the traced scheduler, since the first submission.
    pub start: Maybe<SimTime>,
    /// End under the traced scheduler, since the first submission.
    pub end: Maybe<SimTime>,
    /// Who is charged: the virtual cluster, account or queue, else the user.
    pub tenant: TenantId,
    /// The user, where the trace has one, in [`Workload::users`].
    pub user: Option<u32>,
    /// The GPU types the job may use, in [`Workload::gpu_types`]; alternatives are separated by `|`. `None` = any.
    pub gpu_type: Option<u32>,
    /// The model trained, in [`Workload::models`].
    pub model: Option<u32>,
    /// Memory needed on each device, in MB; 0 when unknown.
    pub memory_mb: u32,
    /// The fewest slots of a 7-slot device the job can run in; 0 when unknown.
    pub min_slots: u8,
    /// How it ended.
    pub outcome: Outcome,
    /// The run time it asked for, after which a scheduler may kill it.
    pub limit: Maybe<SimSpan>,
    /// Whether it arrives, or runs already when the workload begins.
    pub presence: Presence,
}

/// Whether a job arrives, or is there from the beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Presence {
    /// It arrives when it is submitted.
    #[default]
    Arrives,
    /// It held its GPUs when the workload begins: it is placed before anything is decided, and it is left out of the metrics of
    /// jobs, since its beginning is not part of the run.
    Running,
}

/// One part in so many of what was taken may stay unused.
const SPARED: usize = 16;

/// Gives memory back that a list has taken and does not need, unless there is little of it.
pub(crate) fn give_back<T>(list: &mut Vec<T>) {
    if list.capacity() / SPARED > list.len() / (SPARED - 1) {
        list.shrink_to_fit();
    }
}

/// Job ids, which are text: one string and the end of each id in it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TextColumn {
    text: String,
    ends: Vec<u32>,
}

impl TextColumn {
    /// Adds one entry at the end.
    pub fn push(&mut self, entry: &str) {
        self.text.push_str(entry);
        self.ends.push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
    }

    /// Gives memory back that it has taken and does not need, unless there is little of it.
    pub fn give_back(&mut self) {
        give_back(&mut self.ends);
        if self.text.capacity() / SPARED > self.text.len() / (SPARED - 1) {
            self.text.shrink_to_fit();
        }
    }

    /// The length of all entries together.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.text.len()
    }

    /// Takes memory for so many entries and bytes more; where there is none it is asked for again when it is needed.
    pub fn reserve(&mut self, entries: usize, bytes: usize) {
        let _ = self.ends.try_reserve_exact(entries);
        let _ = self.text.try_reserve_exact(bytes);
    }

    /// The entry at `index`; empty beyond the end.
    #[must_use]
    pub fn get(&self, index: usize) -> &str {
        let Some(&end) = self.ends.get(index) else { return "" };
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        self.text.get(start as usize..end as usize).unwrap_or("")
    }

    /// How many entries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

/// Jobs as traced, in order of submission (ties: order of the file).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Workload {
    /// The jobs.
    pub jobs: Vec<JobRecord>,
    /// Each job's id in its trace.
    pub names: TextColumn,
    /// Distinct tenants, in order of first appearance.
    pub tenants: Vec<String>,
    /// Distinct users.
    pub users: Vec<String>,
    /// Distinct GPU type requests.
    pub gpu_types: Vec<String>,
    /// Distinct model names.
    pub models: Vec<String>,
    /// The first submission in the source's own origin: epoch seconds where it has dates.
    pub first_submit_s: f64,
}

impl Workload {
    /// The jobs that ask for a GPU or a share of one, in the order of the workload.
    pub fn gpu_jobs(&self) -> impl Iterator<Item = &JobRecord> {
        self.jobs.iter().filter(|job| job.gpus.0 > 0)
    }
}
