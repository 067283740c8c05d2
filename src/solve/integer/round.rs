//! One round of a scheduler on an instance: the jobs have arrived, those with `previous` run, and the policy decides once.
//!
//! * MIG types have their geometry, with packable decisions only. A uniform type with 1, 2, 4 or 8 slots whose options take powers of
//!   two is one of MPS slices. Any other uniform type, where only the sum of slots is constrained, has a device for each of its slots.
//! * A scheduler that takes whole devices takes the job's largest option on a type.
//! * Rates are those of the instance; divided by a common factor where one exceeds what the engine's unit holds.

use super::problem::Problem;
use super::{Decided, solution_of};
use crate::cluster::catalogue::{GpuModel, MigFamily};
use crate::cluster::occupancy::Occupancy;
use crate::cluster::{Cluster, Geometry, Layout, MigMode, NodeGroup};
use crate::policy::param::Params;
use crate::policy::registry::Knowledge;
use crate::policy::sts::ladder::Ladder;
use crate::policy::sts::program::Status;
use crate::policy::{Decision, Held, JobState, PolicySpec, View};
use crate::solve::SolveError;
use crate::solve::instance::{Instance, InstanceJob, InstanceLayout, InstanceOption, InstanceType};
use crate::units::{ClassId, JobId, MilliGpus, Rate, SimSpan, SimTime, TenantId, TypeId, Work};
use crate::workload::bind::Tenant;
use crate::workload::{BoundJob, BoundWorkload, JobClass, JobOption, Presence};

/// The largest rate that is taken as it is.
const MAX_RATE: f64 = 1000.0;

/// Rounds of work that a job has whose instance does not say how much is left.
const ENDLESS_ROUNDS: f64 = 1000.0;

/// The decision of the policy. The bound is that of the greatest sum, which most policies do not look for.
pub(super) fn decide(
    problem: &Problem<'_>,
    ladder: &mut Ladder,
    spec: &PolicySpec,
    params: &Params,
    round: &Params,
) -> Result<Decided, SolveError> {
    let refused = |reason: String| SolveError::Refused { policy: spec.name.to_string(), reason };
    let Some(build) = spec.build else {
        return Err(refused(
            "it replays what happened, and nothing has; choose a policy that decides".to_string(),
        ));
    };
    let stage = Stage::new(problem, spec.knowledge_with(params), round.number("round_s")).map_err(refused)?;
    if let Some(reason) = spec.refuses.and_then(|refuses| refuses(&stage.cluster, &stage.workload, params)) {
        return Err(refused(reason));
    }
    let active: Vec<JobId> = (0..stage.workload.jobs.len() as u32).map(JobId).collect();
    let in_service = stage.cluster.devices_by_type();
    let view = View {
        now: SimTime::ZERO,
        round: 0,
        round_length: SimSpan::from_secs(round.number("round_s")),
        start_cost: SimSpan::ZERO,
        restore_cost: SimSpan::ZERO,
        cluster: &stage.cluster,
        in_service: &in_service,
        workload: &stage.workload,
        states: &stage.states,
        active: &active,
    };
    let mut decision = Decision::default();
    let mut policy = build(params, round.integer("seed").unsigned_abs());
    policy.see(&Occupancy::new(&stage.cluster));
    policy.decide(&view, &mut decision);
    let mut choice = vec![None; problem.jobs.len()];
    for grant in &decision.grants {
        let chosen = stage.jobs.get(grant.job.index()).and_then(|&job| {
            let option = *stage.options[grant.job.index()].get(usize::from(grant.option))?;
            Some((choice.get_mut(job)?, option))
        });
        if let Some((chosen, option)) = chosen {
            *chosen = Some(option);
        }
    }
    if !problem.program.is_feasible(&choice) {
        return Err(refused("its decision does not fit the slots of the instance".to_string()));
    }
    let greatest = ladder.solve(&problem.program).ok_or(SolveError::Undecided)?;
    let objective = problem.program.objective(&choice);
    let status = if objective == greatest.bound { Status::Optimal } else { Status::Feasible };
    let proof = format!("one round of {}; the bound is that of max-sum", spec.title);
    let solution = solution_of(problem, choice, greatest.bound, greatest.states, status);
    Ok(Decided::of_program(solution, None, proof))
}

/// The instance as the engine would show it.
struct Stage {
    cluster: Cluster,
    workload: BoundWorkload,
    states: Vec<JobState>,
    /// Of every job on the stage, its position in the problem.
    jobs: Vec<usize>,
    /// Of every job on the stage and option of its class, the option of the instance.
    options: Vec<Vec<u16>>,
}

/// How a type of the instance is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    /// As devices cut in slices.
    Sliced,
    /// Every slot as a device.
    SlotsAsDevices,
}

impl Stage {
    fn new(problem: &Problem<'_>, knowledge: Knowledge, round_s: f64) -> Result<Self, String> {
        let instance = problem.instance;
        let shown: Vec<Shown> = instance.types.iter().map(|t| shown(instance, t)).collect();
        // A type without devices is left out.
        let present: Vec<usize> =
            (0..instance.types.len()).filter(|&k| instance.types[k].devices > 0).collect();
        let groups: Vec<NodeGroup> = present.iter().map(|&k| group(&instance.types[k], shown[k])).collect();
        let cluster = Cluster::new(&groups).map_err(|error| error.to_string())?;
        let largest =
            problem.jobs.iter().flat_map(|(_, job)| &job.options).map(|o| o.rate).fold(0.0, f64::max);
        let scale = (largest / MAX_RATE).max(1.0);
        let mut stage = Self {
            cluster,
            workload: BoundWorkload::default(),
            states: Vec::new(),
            jobs: Vec::new(),
            options: Vec::new(),
        };
        for tenant in &instance.tenants {
            stage.workload.tenants.push(Tenant {
                name: tenant.name.clone(),
                weight_micro: (tenant.weight * 1e6).round() as u64,
                changes: Vec::new(),
            });
        }
        for (position, &(tenant, job)) in problem.jobs.iter().enumerate() {
            let remaining_s = match (job.remaining_s, knowledge) {
                (Some(remaining_s), _) => remaining_s,
                (None, Knowledge::None) => ENDLESS_ROUNDS * round_s,
                (None, Knowledge::Distribution | Knowledge::RemainingWork) => {
                    return Err(format!(
                        "it looks at the work that jobs have left; give {} of {} its remaining_s",
                        job.name, instance.tenants[tenant].name
                    ));
                }
            };
            let work = Rate::from_f64(1.0).over(SimSpan::from_secs(remaining_s / scale));
            let class = class(instance, job, &present, &shown, scale);
            if !class.0.options.is_empty() {
                stage.add(position, tenant, job, class, work);
            }
        }
        Ok(stage)
    }

    fn add(
        &mut self,
        position: usize,
        tenant: usize,
        job: &InstanceJob,
        (class, options): (JobClass, Vec<u16>),
        work: Work,
    ) {
        let held = job.previous.as_ref().and_then(|previous| {
            let is_held = |&option: &u16| {
                let option = &job.options[usize::from(option)];
                (&option.gpu, option.slots, option.memory, option.devices)
                    == (&previous.gpu, previous.slots, previous.memory, previous.devices)
            };
            options.iter().position(is_held).map(|index| index as u16)
        });
        self.workload.jobs.push(BoundJob {
            record: position as u32,
            submit: SimTime::ZERO,
            tenant: TenantId(tenant as u32),
            class: ClassId(self.workload.classes.len() as u32),
            work,
            recorded_start: None,
            recorded_end: None,
            limit: None,
            presence: if held.is_some() { Presence::Running } else { Presence::Arrives },
        });
        let held = held.and_then(|option| {
            let taken = *class.options.get(usize::from(option))?;
            Some(Held { option, since: SimTime::ZERO, taken })
        });
        self.workload.classes.push(class);
        self.states.push(JobState {
            remaining: work,
            held,
            last_option: held.map(|held| held.option),
            executed: SimSpan::ZERO,
            attained: 0,
            first_start: held.map(|_| SimTime::ZERO),
            changed: SimTime::ZERO,
            finish: None,
        });
        self.jobs.push(position);
        self.options.push(options);
    }
}

/// A uniform type is shown as MPS slices if it and all its options can be.
fn shown(instance: &Instance, of_type: &InstanceType) -> Shown {
    let jobs = instance.tenants.iter().flat_map(|tenant| tenant.jobs.iter().flatten());
    let mut options = jobs.flat_map(|job| &job.options).filter(|option| option.gpu == of_type.name);
    match of_type.layout {
        InstanceLayout::MigA100 | InstanceLayout::MigA30 => Shown::Sliced,
        InstanceLayout::Uniform
            if [1, 2, 4, 8].contains(&of_type.slots_per_device)
                && options.all(|o| o.slots.is_power_of_two() && o.devices <= of_type.devices) =>
        {
            Shown::Sliced
        }
        InstanceLayout::Uniform => Shown::SlotsAsDevices,
    }
}

fn group(of_type: &InstanceType, shown: Shown) -> NodeGroup {
    let (layout, mig, devices) = match (of_type.layout, shown) {
        (InstanceLayout::MigA100, _) => {
            (Layout::Mig(MigMode::Strict), Some(MigFamily::A100), of_type.devices)
        }
        (InstanceLayout::MigA30, _) => (Layout::Mig(MigMode::Strict), Some(MigFamily::A30), of_type.devices),
        (InstanceLayout::Uniform, Shown::Sliced) => {
            let slots = u8::try_from(of_type.slots_per_device).unwrap_or(1);
            let layout = if slots == 1 { Layout::Whole } else { Layout::Uniform(slots) };
            (layout, None, of_type.devices)
        }
        (InstanceLayout::Uniform, Shown::SlotsAsDevices) => {
            (Layout::Whole, None, of_type.devices * of_type.slots_per_device)
        }
    };
    let model = GpuModel {
        id: of_type.name.clone(),
        name: of_type.name.clone(),
        memory_gb: 0.0,
        mps: true,
        mig,
        assumed_speed: 1.0,
    };
    NodeGroup { model, nodes: 1, gpus_per_node: devices, layout }
}

/// The class of a job, and for each of its options that of the instance; ordered by type and then slots.
fn class(
    instance: &Instance,
    job: &InstanceJob,
    present: &[usize],
    shown: &[Shown],
    scale: f64,
) -> (JobClass, Vec<u16>) {
    let mut options: Vec<(JobOption, u16)> = Vec::with_capacity(job.options.len());
    let mut gpus: u64 = 0;
    for (index, option) in (0u16..).zip(&job.options) {
        let Some((type_id, &k)) = (0u16..).zip(present).find(|&(_, &k)| instance.types[k].name == option.gpu)
        else {
            continue;
        };
        let of_type = &instance.types[k];
        if !fits(of_type, shown[k], option) {
            continue;
        }
        let (slots, devices) = match shown[k] {
            Shown::Sliced => (u8::try_from(option.slots).unwrap_or(u8::MAX), option.devices),
            Shown::SlotsAsDevices => (1, option.slots * option.devices),
        };
        let asked = u64::from(option.slots) * u64::from(option.devices) * 1000;
        gpus = gpus.max(match shown[k] {
            Shown::Sliced => asked / u64::from(of_type.slots_per_device),
            Shown::SlotsAsDevices => asked,
        });
        let rate = Rate::from_f64(option.rate / scale);
        options.push((
            JobOption { type_id: TypeId(type_id), slots, memory: option.memory, devices, rate },
            index,
        ));
    }
    options
        .sort_by_key(|(option, index)| (option.type_id, option.slots, option.memory, option.devices, *index));
    let largest = |type_id: u16| {
        let of_type = options.iter().enumerate().filter(|(_, (option, _))| option.type_id.0 == type_id);
        of_type
            .max_by_key(|(_, (o, _))| (u32::from(o.slots) * o.devices, o.slots))
            .map(|(index, _)| index as u16)
    };
    let class = JobClass {
        profile: job.name.clone(),
        gpus: MilliGpus(u32::try_from(gpus.max(1)).unwrap_or(u32::MAX)),
        whole: (0..present.len() as u16).map(largest).collect(),
        options: options.iter().map(|&(option, _)| option).collect(),
    };
    (class, options.into_iter().map(|(_, index)| index).collect())
}

/// Whether an option fits the empty type as it is shown.
fn fits(of_type: &InstanceType, shown: Shown, option: &InstanceOption) -> bool {
    let slots = u64::from(of_type.devices) * u64::from(of_type.slots_per_device);
    match shown {
        Shown::Sliced => {
            option.devices <= of_type.devices
                && (of_type.layout != InstanceLayout::MigA100
                    || Geometry::MigA100.sizes().iter().any(|&size| u32::from(size) == option.slots))
        }
        Shown::SlotsAsDevices => u64::from(option.slots) * u64::from(option.devices) <= slots,
    }
}
