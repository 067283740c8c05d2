//! A workload bound to a cluster: for every job the options it has there, in integers.
//!
//! * A job of one GPU may run on a whole device or in any slice that has the memory it needs. The double-memory 1g is for those that
//!   need more memory than a plain 1g has.
//! * A request f for less than one GPU needs at least f of the slots of a device. Its traced duration counts as run at exactly f of
//!   the reference GPU; where devices are whole it takes one and runs at full speed.
//! * n workers of f < 1 GPU each take equal slices on n distinct devices.
//! * A gang takes whole devices.
//!
//! The reference speed T_ref of a job is its throughput on whole devices, as many as it asks for, of the fastest type it may use;
//! rates are quantised to millionths of it. Its work is its duration times its speed on the reference GPU over T_ref.

mod options;

use std::collections::HashMap;

use super::assign::{Basis, ProfileSettings, Refusal, assign};
use super::profile::{Gpu, ProfileId};
use super::{Presence, Workload};
use crate::cluster::catalogue::{self, GpuModel};
use crate::cluster::{Cluster, Slice, SliceMemory};
use crate::units::{ClassId, MilliGpus, Rate, SimSpan, SimTime, TenantId, TypeId, Work};
use options::{Request, options_of};

/// One way to run a job: a slice of `slots` slots on each of `devices` devices of one type, at `rate`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct JobOption {
    /// The GPU type.
    pub type_id: TypeId,
    /// Slots on each device; all slots of the device when it is held whole.
    pub slots: u8,
    /// Memory of the slices: double for the double-memory 1g of an A100-class device.
    pub memory: SliceMemory,
    /// Devices.
    pub devices: u32,
    /// Speed relative to the job's reference speed; never zero.
    pub rate: Rate,
}

impl JobOption {
    /// What it takes of each device.
    #[must_use]
    pub fn slice(&self) -> Slice {
        Slice { slots: self.slots, memory: self.memory }
    }
}

/// Jobs with the same options: same model, size and allowed types.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobClass {
    /// The name of the throughput profile.
    pub profile: String,
    /// GPUs asked for.
    pub gpus: MilliGpus,
    /// Every option, by type and then ascending slots; no type has two of the same slots. Empty for a job that never fits.
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
    /// The run time it asked for, where the trace says.
    pub limit: Option<SimSpan>,
    /// Whether it arrives, or runs already at the beginning.
    pub presence: Presence,
}

/// A tenant of the simulation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tenant {
    /// Its name in the trace.
    pub name: String,
    /// Its weight in millionths at the beginning; zero means no quota, only what others leave.
    pub weight_micro: u64,
    /// Its weight from later moments on, in order of time. The moments are round boundaries.
    pub changes: Vec<WeightChange>,
}

/// A tenant's weight from a moment on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WeightChange {
    /// The moment.
    pub at: SimTime,
    /// The weight in millionths.
    pub weight_micro: u64,
}

impl Tenant {
    /// Its weight in millionths at a moment.
    #[must_use]
    pub fn weight_at(&self, time: SimTime) -> u64 {
        let past = self.changes.partition_point(|change| change.at <= time);
        past.checked_sub(1).map_or(self.weight_micro, |last| self.changes[last].weight_micro)
    }

    /// When its weight changes next.
    #[must_use]
    pub fn next_change(&self, time: SimTime) -> Option<SimTime> {
        let past = self.changes.partition_point(|change| change.at <= time);
        self.changes.get(past).map(|change| change.at)
    }

    /// Its weights in millionths, each with the time from and until which it holds.
    pub fn weights(&self) -> impl Iterator<Item = (u64, SimTime, SimTime)> {
        let starts = std::iter::once((SimTime(i64::MIN), self.weight_micro));
        let starts = starts.chain(self.changes.iter().map(|change| (change.at, change.weight_micro)));
        let ends = self.changes.iter().map(|change| change.at).chain([SimTime::NEVER]);
        starts.zip(ends).map(|((from, weight), until)| (weight, from, until))
    }
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
    /// What had to be assumed, for the page to show.
    pub assumptions: Assumptions,
}

/// How many jobs that ask for GPUs got what they have from where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Assumptions {
    /// Jobs that ask for no GPU; they are not simulated.
    pub zero_gpu_jobs: u32,
    /// Jobs whose trace names a known model, which they have.
    pub named_models: u32,
    /// Jobs whose trace names a model that was not measured, so that they have one by the rule.
    pub unknown_models: u32,
    /// Jobs that have a model by the rule because the trace names none, or because the rule is for all.
    pub ruled_models: u32,
    /// Jobs whose trace names GPU types, one of which at least is in the cluster; they run on those only.
    pub matched_types: u32,
    /// Jobs whose trace names GPU types that are not in the cluster; they may run on any.
    pub unmatched_types: u32,
}

/// Why a workload cannot be bound.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BindError {
    /// A setting of the profiles is refused.
    #[error("workload.profiles.{key}: found {found}, expected {expected}")]
    Profiles {
        /// The key.
        key: String,
        /// What was found.
        found: String,
        /// What is allowed.
        expected: String,
    },
}

impl From<Refusal> for BindError {
    fn from((key, found, expected): Refusal) -> Self {
        Self::Profiles { key, found, expected }
    }
}

/// Binds `workload` to `cluster`: gives every job its profile by the rule in `settings`, its options and its work. `weight_micro`
/// is a tenant's weight by name, in millionths. Takes O(jobs + classes · types · sizes) steps.
///
/// # Errors
/// [`BindError`] when `settings` are not legal.
pub fn bind(
    workload: &Workload,
    cluster: &Cluster,
    settings: &ProfileSettings,
    weight_micro: impl Fn(&str) -> u64,
) -> Result<BoundWorkload, BindError> {
    let assigned = assign(workload, settings)?;
    let demands = TypeDemands::new(workload, cluster, settings);
    let tenants = workload
        .tenants
        .iter()
        .map(|name| Tenant { name: name.clone(), weight_micro: weight_micro(name), changes: Vec::new() })
        .collect();
    let mut bound = BoundWorkload { tenants, ..BoundWorkload::default() };
    let mut classes = Classes::default();
    let mut order: Vec<usize> = (0..workload.jobs.len()).collect();
    order.sort_by_key(|&index| workload.jobs[index].submit);
    for index in order {
        let (job, assigned) = (&workload.jobs[index], assigned[index]);
        if job.gpus.0 == 0 {
            bound.assumptions.zero_gpu_jobs += 1;
            continue;
        }
        let demand = demands.of(job.gpu_type);
        bound.assumptions.count(assigned.basis, demand.matched);
        let Some(duration) = job.duration.get() else {
            bound.without_duration.push(index as u32);
            continue;
        };
        let request = Request {
            profile: assigned.profile,
            gpus: job.gpus,
            workers: job.workers.max(1),
            memory_mb: job.memory_mb,
            min_slots: job.min_slots,
        };
        match classes.of(cluster, &demands, request, demand) {
            Some((class, speed)) => bound.jobs.push(BoundJob {
                record: index as u32,
                submit: job.submit,
                tenant: job.tenant,
                class,
                work: speed.over(duration.max(SimSpan::ZERO)),
                recorded_start: job.start.get(),
                recorded_end: job.end.get(),
                limit: job.limit.get(),
                presence: job.presence,
            }),
            None => bound.never_fit.push(index as u32),
        }
    }
    bound.classes = classes.list;
    Ok(bound)
}

impl Assumptions {
    fn count(&mut self, basis: Basis, matched: Option<bool>) {
        match basis {
            Basis::Named => self.named_models += 1,
            Basis::Unknown => self.unknown_models += 1,
            Basis::Rule => self.ruled_models += 1,
        }
        match matched {
            Some(true) => self.matched_types += 1,
            Some(false) => self.unmatched_types += 1,
            None => {}
        }
    }
}

/// What a trace's GPU type request means in a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct TypeDemand {
    /// The types the job may use, in [`TypeDemands::allowed`].
    allowed: usize,
    /// The GPU its duration was traced on, in [`TypeDemands::references`].
    reference: usize,
    /// Whether a type it names is in the cluster; `None` if it names none.
    matched: Option<bool>,
}

/// The meaning of every type request of a workload.
struct TypeDemands {
    any: TypeDemand,
    by_request: Vec<TypeDemand>,
    allowed: Vec<Vec<TypeId>>,
    references: Vec<GpuModel>,
}

impl TypeDemands {
    fn new(workload: &Workload, cluster: &Cluster, settings: &ProfileSettings) -> Self {
        let fixed = settings.reference_gpu.as_deref().and_then(catalogue::model);
        let mut table = Self {
            any: TypeDemand { allowed: 0, reference: 0, matched: None },
            by_request: Vec::new(),
            allowed: vec![cluster.type_ids().collect()],
            references: fixed.iter().cloned().chain(catalogue::model("V100-16")).collect(),
        };
        for request in &workload.gpu_types {
            let names: Vec<&str> =
                request.split('|').map(str::trim).filter(|name| !name.is_empty()).collect();
            let types: Vec<TypeId> = cluster
                .type_ids()
                .filter(|&id| names.iter().any(|name| catalogue::admits(name, &cluster.gpu_type(id).gpu)))
                .collect();
            let matched = (!names.is_empty()).then_some(!types.is_empty());
            let allowed = if types.is_empty() { 0 } else { position_or_push(&mut table.allowed, types) };
            let own = match (&fixed, &names[..]) {
                (None, [name]) => catalogue::aliases(name).and_then(catalogue::model),
                _ => None,
            };
            let reference = own.map_or(0, |own| position_or_push(&mut table.references, own));
            table.by_request.push(TypeDemand { allowed, reference, matched });
        }
        table
    }

    fn of(&self, gpu_type: Option<u32>) -> TypeDemand {
        gpu_type.and_then(|request| self.by_request.get(request as usize)).copied().unwrap_or(self.any)
    }
}

fn position_or_push<T: PartialEq>(list: &mut Vec<T>, item: T) -> usize {
    list.iter().position(|known| *known == item).unwrap_or_else(|| {
        list.push(item);
        list.len() - 1
    })
}

/// Classes in the order of their first job. The maps are looked up in, never walked.
#[derive(Default)]
struct Classes {
    list: Vec<JobClass>,
    by_request: HashMap<(Request, usize, usize), Option<(ClassId, Rate)>>,
    by_options: HashMap<(ProfileId, MilliGpus, Vec<JobOption>), ClassId>,
}

impl Classes {
    /// The class of a request and its speed on the reference GPU; `None` if it fits nowhere.
    fn of(
        &mut self,
        cluster: &Cluster,
        demands: &TypeDemands,
        request: Request,
        demand: TypeDemand,
    ) -> Option<(ClassId, Rate)> {
        let key = (request, demand.allowed, demand.reference);
        if let Some(known) = self.by_request.get(&key) {
            return *known;
        }
        let reference = Gpu::from(&demands.references[demand.reference]);
        let found = options_of(cluster, &demands.allowed[demand.allowed], request, reference)
            .map(|(options, speed)| (self.class(cluster, request, options), speed));
        self.by_request.insert(key, found);
        found
    }

    fn class(&mut self, cluster: &Cluster, request: Request, options: Vec<JobOption>) -> ClassId {
        let key = (request.profile, request.gpus, options);
        if let Some(&known) = self.by_options.get(&key) {
            return known;
        }
        let options = key.2.clone();
        let whole_option = |id: TypeId| {
            let slots = cluster.gpu_type(id).geometry.slots();
            options.iter().position(|o| o.type_id == id && o.slots == slots).map(|index| index as u16)
        };
        let class = JobClass {
            profile: request.profile.profile().name.clone(),
            gpus: request.gpus,
            whole: cluster.type_ids().map(whole_option).collect(),
            options,
        };
        self.list.push(class);
        let id = ClassId(self.list.len() as u32 - 1);
        self.by_options.insert(key, id);
        id
    }
}

impl BoundWorkload {
    /// The class of a job.
    #[must_use]
    pub fn class_of(&self, job: &BoundJob) -> &JobClass {
        &self.classes[job.class.index()]
    }
}

#[cfg(test)]
mod tests;
