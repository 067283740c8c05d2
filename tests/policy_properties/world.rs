//! Clusters and workloads made by hand, and running a policy on them.

use std::collections::BTreeMap;

use sts_sim::cluster::catalogue::model;
use sts_sim::cluster::{Cluster, Layout, NodeGroup, Part, SliceMemory};
use sts_sim::policy::param::ParamValue;
use sts_sim::policy::{Params, spec};
use sts_sim::sim::{Boundary, GangPenalty, Limits, Mode, RoundSettings, RunRecord, Segment, simulate};
use sts_sim::units::{ClassId, MilliGpus, Rate, SimSpan, SimTime, TenantId, TypeId};
use sts_sim::workload::bind::Tenant;
use sts_sim::workload::{BoundJob, BoundWorkload, JobClass, JobOption, Presence};

/// A gang of whole devices of the only type.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    pub(crate) submit_s: f64,
    pub(crate) duration_s: f64,
    pub(crate) devices: u32,
    pub(crate) tenant: u32,
}

pub(crate) fn row(submit_s: f64, duration_s: f64, devices: u32, tenant: u32) -> Row {
    Row { submit_s, duration_s, devices, tenant }
}

pub(crate) fn secs(s: f64) -> SimTime {
    SimTime::ZERO + SimSpan::from_secs(s)
}

/// One node of whole V100s.
pub(crate) fn one_type(devices: u32) -> Cluster {
    let model = model("V100-16").unwrap();
    Cluster::new(&[NodeGroup { model, nodes: 1, gpus_per_node: devices, layout: Layout::Whole }]).unwrap()
}

/// Tenants of these weights in millionths.
pub(crate) fn tenants(weights: &[u64]) -> Vec<Tenant> {
    let tenant = |(index, &weight_micro)| Tenant { name: format!("t{index}"), weight_micro, changes: vec![] };
    weights.iter().enumerate().map(tenant).collect()
}

pub(crate) fn bound_job(index: usize, submit: SimTime, tenant: u32, class: u32, duration_s: f64) -> BoundJob {
    BoundJob {
        record: index as u32,
        submit,
        tenant: TenantId(tenant),
        class: ClassId(class),
        work: Rate::ONE.over(SimSpan::from_secs(duration_s)),
        recorded_start: None,
        recorded_end: None,
        limit: None,
        presence: Presence::Arrives,
    }
}

/// Jobs on the only type of [`one_type`], in order of submission.
pub(crate) fn workload(weights: &[u64], rows: &[Row]) -> BoundWorkload {
    let mut workload = BoundWorkload { tenants: tenants(weights), ..BoundWorkload::default() };
    let mut rows = rows.to_vec();
    rows.sort_by(|a, b| a.submit_s.total_cmp(&b.submit_s));
    for (index, row) in rows.iter().enumerate() {
        let (devices, memory) = (row.devices, SliceMemory::Plain);
        workload.classes.push(JobClass {
            profile: "linear".into(),
            gpus: MilliGpus(devices * 1000),
            options: vec![JobOption { type_id: TypeId(0), slots: 1, memory, devices, rate: Rate::ONE }],
            whole: vec![Some(0)],
        });
        workload.jobs.push(bound_job(index, secs(row.submit_s), row.tenant, index as u32, row.duration_s));
    }
    workload
}

/// Adds a job with these options (type, slots, devices, speed) that asks for so many GPUs; the last option of each type is whole.
pub(crate) fn add_job(
    workload: &mut BoundWorkload,
    submit_s: f64,
    duration_s: f64,
    gpus: f64,
    options: &[(u16, u8, u32, f64)],
) {
    let option = |&(type_id, slots, devices, speed): &(u16, u8, u32, f64)| JobOption {
        type_id: TypeId(type_id),
        slots,
        memory: SliceMemory::Plain,
        devices,
        rate: Rate::from_f64(speed),
    };
    // As many types as any cluster here has.
    let types = 4;
    let whole = |k| options.iter().rposition(|option| option.0 == k).map(|index| index as u16);
    let class = workload.classes.len() as u32;
    workload.classes.push(JobClass {
        profile: String::new(),
        gpus: MilliGpus((gpus * 1000.0) as u32),
        options: options.iter().map(option).collect(),
        whole: (0..types).map(whole).collect(),
    });
    let index = workload.jobs.len();
    workload.jobs.push(bound_job(index, secs(submit_s), 0, class, duration_s));
}

/// A cluster of one node of each of these models and layouts.
pub(crate) fn nodes(list: &[(&str, u32, Layout)]) -> Cluster {
    let group = |&(gpu, gpus_per_node, layout): &(&str, u32, Layout)| NodeGroup {
        model: model(gpu).unwrap(),
        nodes: 1,
        gpus_per_node,
        layout,
    };
    Cluster::new(&list.iter().map(group).collect::<Vec<_>>()).unwrap()
}

pub(crate) fn rounds(length_s: f64, boundary: Boundary) -> RoundSettings {
    RoundSettings {
        length: SimSpan::from_secs(length_s),
        boundary,
        start_cost: SimSpan::ZERO,
        restore_cost: SimSpan::ZERO,
        reconfigure_cost: SimSpan::ZERO,
        gang_penalty: GangPenalty::default(),
        horizon: None,
        mode: Mode::Rounds,
        checkpoint: None,
        limits: Limits::Ignore,
    }
}

pub(crate) fn number(name: &str, value: f64) -> (String, ParamValue) {
    (name.to_owned(), ParamValue::Number(value))
}

pub(crate) fn word(name: &str, value: &str) -> (String, ParamValue) {
    (name.to_owned(), ParamValue::Word(value.to_owned()))
}

/// A run with parameters and a seed.
pub(crate) fn run_with(
    policy: &str,
    params: &[(String, ParamValue)],
    seed: u64,
    cluster: &Cluster,
    workload: &BoundWorkload,
    settings: RoundSettings,
) -> RunRecord {
    let spec = spec(policy).unwrap();
    let given: BTreeMap<String, ParamValue> = params.iter().cloned().collect();
    let params = Params::check(spec.name, spec.params, &given).unwrap();
    simulate(cluster, workload, settings, spec.build.unwrap()(&params, seed), &mut ())
}

/// A run with default parameters.
pub(crate) fn run(
    policy: &str,
    cluster: &Cluster,
    workload: &BoundWorkload,
    settings: RoundSettings,
) -> RunRecord {
    run_with(policy, &[], 7, cluster, workload, settings)
}

pub(crate) fn finishes(record: &RunRecord) -> Vec<f64> {
    record.jobs.iter().map(|job| job.finish.unwrap().as_secs()).collect()
}

pub(crate) fn starts(record: &RunRecord) -> Vec<f64> {
    record.jobs.iter().map(|job| job.first_start.unwrap().as_secs()).collect()
}

/// Time that each job held devices within a stretch, in seconds.
pub(crate) fn held_s(record: &RunRecord, from_s: f64, to_s: f64) -> Vec<f64> {
    let mut held = vec![0.0; record.jobs.len()];
    for segment in &record.segments {
        let (from, to) = (segment.from.as_secs().max(from_s), segment.to.as_secs().min(to_s));
        held[segment.job.index()] += (to - from).max(0.0);
    }
    held
}

/// Who held what, where and when.
pub(crate) fn schedule(record: &RunRecord) -> Vec<(u32, SimTime, SimTime, u16, Vec<Part>)> {
    let entry = |s: &Segment| (s.job.0, s.from, s.to, s.option, record.parts(s).to_vec());
    record.segments.iter().map(entry).collect()
}
