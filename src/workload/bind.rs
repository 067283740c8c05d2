//! A workload bound to a cluster: for every job the options it has there, in integers.

use crate::units::{ClassId, MilliGpus, Rate, SimTime, TenantId, TypeId, Work};

/// One way to run a job: `slots` slots on each of `devices` devices of one type, at `rate`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct JobOption {
    /// The GPU type.
    pub type_id: TypeId,
    /// Slots on each device; all slots of the device when it is held whole.
    pub slots: u8,
    /// Devices.
    pub devices: u32,
    /// Speed relative to the job's reference speed; never zero.
    pub rate: Rate,
}

/// Jobs with the same options: same model, size and allowed types.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobClass {
    /// The name of the throughput profile.
    pub profile: String,
    /// GPUs asked for.
    pub gpus: MilliGpus,
    /// Every option, by type and then ascending slots. Empty for a job that never fits.
    pub options: Vec<JobOption>,
    /// For each type of the cluster the option that takes whole devices, if any.
    pub whole: Vec<Option<u16>>,
}

/// One job to be simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoundJob {
    /// Its position in the [`super::Workload`] it comes from.
    pub record: u32,
    /// Submission.
    pub submit: SimTime,
    /// Its tenant.
    pub tenant: TenantId,
    /// Its class.
    pub class: ClassId,
    /// Work to do: the traced duration times the speed on the reference GPU.
    pub work: Work,
    /// Start under the traced scheduler.
    pub recorded_start: Option<SimTime>,
    /// End under the traced scheduler.
    pub recorded_end: Option<SimTime>,
}

/// A tenant of the simulation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tenant {
    /// Its name in the trace.
    pub name: String,
    /// Its weight in millionths; zero means no quota, only what others leave.
    pub weight_micro: u64,
}

/// Everything the engine needs to know about jobs. Job `i` is [`crate::units::JobId`]`(i)`; jobs are ordered by submission.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BoundWorkload {
    /// Jobs that are simulated: they ask for GPUs, have a run time and fit the empty cluster.
    pub jobs: Vec<BoundJob>,
    /// Their classes.
    pub classes: Vec<JobClass>,
    /// Tenants, including those without a simulated job.
    pub tenants: Vec<Tenant>,
    /// Jobs larger than the cluster allows, as positions in the workload; excluded alike for every policy.
    pub never_fit: Vec<u32>,
    /// Jobs without a run time, as positions in the workload.
    pub without_duration: Vec<u32>,
}

impl BoundWorkload {
    /// The class of a job.
    #[must_use]
    pub fn class_of(&self, job: &BoundJob) -> &JobClass {
        &self.classes[job.class.index()]
    }
}
