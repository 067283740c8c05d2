//! Clusters of whole devices and jobs on them.

use std::collections::BTreeMap;

use sts_sim::cluster::catalogue::model;
use sts_sim::cluster::{Cluster, Layout, NodeGroup, SliceMemory};
use sts_sim::policy::param::ParamValue;
use sts_sim::policy::{Params, Policy, spec};
use sts_sim::sim::{Boundary, GangPenalty, Limits, Mode, RoundSettings, RunRecord, simulate};
use sts_sim::units::{ClassId, MilliGpus, Rate, SimSpan, SimTime, TenantId, TypeId};
use sts_sim::workload::bind::Tenant;
use sts_sim::workload::{BoundJob, BoundWorkload, JobClass, JobOption, Presence};

/// A job with its options: (type, devices, speed).
#[derive(Debug, Clone)]
pub(crate) struct Job {
    pub(crate) tenant: u32,
    pub(crate) submit_s: f64,
    pub(crate) work_s: f64,
    pub(crate) options: Vec<(u16, u32, f64)>,
}

impl Job {
    /// A job on `devices` whole devices of the first type.
    pub(crate) fn whole(tenant: u32, submit_s: f64, work_s: f64, devices: u32) -> Self {
        Self { tenant, submit_s, work_s, options: vec![(0, devices, 1.0)] }
    }
}

/// A cluster with these devices of each type, on one node a type.
pub(crate) fn cluster(types: &[(&str, u32)]) -> Cluster {
    let group = |&(gpu, devices): &(&str, u32)| NodeGroup {
        model: model(gpu).unwrap(),
        nodes: 1,
        gpus_per_node: devices,
        layout: Layout::Whole,
    };
    Cluster::new(&types.iter().map(group).collect::<Vec<_>>()).unwrap()
}

/// The jobs, by submission, each with a class of its own.
pub(crate) fn workload(cluster: &Cluster, jobs: &[Job]) -> BoundWorkload {
    let mut jobs: Vec<&Job> = jobs.iter().collect();
    jobs.sort_by(|a, b| a.submit_s.total_cmp(&b.submit_s));
    let tenants = jobs.iter().map(|job| job.tenant).max().unwrap_or(0) + 1;
    let mut workload = BoundWorkload {
        tenants: (0..tenants)
            .map(|i| Tenant { name: format!("t{i}"), weight_micro: 1_000_000, changes: vec![] })
            .collect(),
        ..BoundWorkload::default()
    };
    for (index, job) in jobs.into_iter().enumerate() {
        let options: Vec<JobOption> = job
            .options
            .iter()
            .map(|&(k, devices, speed)| JobOption {
                type_id: TypeId(k),
                slots: 1,
                memory: SliceMemory::Plain,
                devices,
                rate: Rate::from_f64(speed),
            })
            .collect();
        let whole = |k| options.iter().position(|o| o.type_id == k).map(|at| at as u16);
        workload.classes.push(JobClass {
            profile: String::new(),
            gpus: MilliGpus(1000 * job.options[0].1),
            whole: cluster.type_ids().map(whole).collect(),
            options,
        });
        workload.jobs.push(BoundJob {
            record: index as u32,
            submit: SimTime::ZERO + SimSpan::from_secs(job.submit_s),
            tenant: TenantId(job.tenant),
            class: ClassId(index as u32),
            work: Rate::ONE.over(SimSpan::from_secs(job.work_s)),
            recorded_start: None,
            recorded_end: None,
            limit: None,
            presence: Presence::default(),
        });
    }
    workload
}

/// The parameters of a policy from words.
pub(crate) fn params(name: &str, given: &[(&str, &str)]) -> Params {
    let value = |word: &str| match word.parse() {
        Ok(number) => ParamValue::Number(number),
        Err(_) => ParamValue::Word(word.to_string()),
    };
    let given: BTreeMap<String, ParamValue> =
        given.iter().map(|&(key, word)| (key.to_string(), value(word))).collect();
    let spec = spec(name).unwrap();
    Params::check(spec.name, spec.params, &given).unwrap()
}

pub(crate) fn policy(name: &str, given: &[(&str, &str)]) -> Box<dyn Policy> {
    spec(name).unwrap().build.unwrap()(&params(name, given), 0)
}

pub(crate) fn run(
    name: &str,
    given: &[(&str, &str)],
    types: &[(&str, u32)],
    jobs: &[Job],
    round_s: f64,
    boundary: Boundary,
) -> RunRecord {
    let cluster = cluster(types);
    let settings = RoundSettings {
        length: SimSpan::from_secs(round_s),
        boundary,
        start_cost: SimSpan::ZERO,
        restore_cost: SimSpan::ZERO,
        reconfigure_cost: SimSpan::ZERO,
        gang_penalty: GangPenalty::default(),
        horizon: None,
        checkpoint: None,
        limits: Limits::Ignore,
        mode: Mode::Rounds,
    };
    simulate(&cluster, &workload(&cluster, jobs), settings, policy(name, given), &mut ())
}

/// Rounds that each job has on each type, until `until_s`, of the rounds of `round_s`.
pub(crate) fn rounds_had(
    record: &RunRecord,
    jobs: usize,
    types: usize,
    round_s: f64,
    until_s: f64,
) -> Vec<Vec<f64>> {
    let mut had = vec![vec![0.0; types]; jobs];
    for segment in &record.segments {
        let to = segment.to.as_secs().min(until_s);
        let held = to - segment.from.as_secs();
        if held > 0.0 {
            had[segment.job.index()][segment.type_id.index()] += held / round_s;
        }
    }
    had
}
