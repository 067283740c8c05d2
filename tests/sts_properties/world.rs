//! A cluster with jobs that the policy decides round by round.

use std::collections::BTreeMap;

use sts_sim::cluster::catalogue::model;
use sts_sim::cluster::{Cluster, Layout, NodeGroup, SliceMemory};
use sts_sim::policy::param::ParamValue;
use sts_sim::policy::{Decision, Held, JobState, Params, Policy, View, spec};
use sts_sim::units::{ClassId, JobId, MilliGpus, Rate, SimSpan, SimTime, TenantId, TypeId, Work};
use sts_sim::workload::bind::Tenant;
use sts_sim::workload::{BoundJob, BoundWorkload, JobClass, JobOption, Presence};

/// A cluster with jobs, and what they hold; nothing ever ends unless the test says so.
pub(crate) struct World {
    pub(crate) cluster: Cluster,
    pub(crate) in_service: Vec<u32>,
    pub(crate) workload: BoundWorkload,
    pub(crate) states: Vec<JobState>,
    pub(crate) active: Vec<JobId>,
    pub(crate) round: u64,
}

pub(crate) const ROUND_S: f64 = 360.0;

impl World {
    pub(crate) fn new(groups: &[(&str, Layout, u32)], weights: &[u64]) -> Self {
        let groups: Vec<NodeGroup> = groups
            .iter()
            .map(|&(gpu, layout, devices)| NodeGroup {
                model: model(gpu).unwrap(),
                nodes: devices,
                gpus_per_node: 1,
                layout,
            })
            .collect();
        let tenants = weights
            .iter()
            .enumerate()
            .map(|(i, &weight)| Tenant {
                name: format!("t{i}"),
                weight_micro: weight * 1_000_000,
                changes: vec![],
            })
            .collect();
        let cluster = Cluster::new(&groups).unwrap();
        Self {
            in_service: cluster.devices_by_type(),
            cluster,
            workload: BoundWorkload { tenants, ..BoundWorkload::default() },
            states: Vec::new(),
            active: Vec::new(),
            round: 0,
        }
    }

    /// Adds a job with one option per (type, slots, devices, speed).
    pub(crate) fn job(
        &mut self,
        tenant: u32,
        gpus: u32,
        work_s: f64,
        options: &[(u16, u8, u32, f64)],
    ) -> JobId {
        let id = JobId(self.workload.jobs.len() as u32);
        let options: Vec<JobOption> = options
            .iter()
            .map(|&(k, slots, devices, speed)| JobOption {
                type_id: TypeId(k),
                slots,
                memory: SliceMemory::Plain,
                devices,
                rate: Rate::from_f64(speed),
            })
            .collect();
        let whole = vec![None; self.cluster.types().len()];
        self.workload.classes.push(JobClass {
            profile: String::new(),
            gpus: MilliGpus(gpus * 1000),
            options,
            whole,
        });
        let work = Rate::ONE.over(SimSpan::from_secs(work_s));
        self.workload.jobs.push(BoundJob {
            record: id.0,
            submit: SimTime::ZERO,
            tenant: TenantId(tenant),
            class: ClassId(id.0),
            work,
            recorded_start: None,
            recorded_end: None,
            limit: None,
            presence: Presence::Arrives,
        });
        self.states.push(JobState {
            remaining: work,
            held: None,
            last_option: None,
            executed: SimSpan::ZERO,
            attained: 0,
            first_start: None,
            changed: SimTime::ZERO,
            finish: None,
        });
        self.active.push(id);
        id
    }

    pub(crate) fn view(&self) -> View<'_> {
        View {
            now: SimTime::ZERO + SimSpan::from_secs(ROUND_S * self.round as f64),
            round: self.round,
            round_length: SimSpan::from_secs(ROUND_S),
            start_cost: SimSpan::ZERO,
            restore_cost: SimSpan::ZERO,
            cluster: &self.cluster,
            in_service: &self.in_service,
            workload: &self.workload,
            states: &self.states,
            active: &self.active,
        }
    }

    /// Decides a round and lets the jobs hold what they are granted.
    pub(crate) fn decide(&mut self, policy: &mut dyn Policy) -> Decision {
        let mut decision = Decision::default();
        policy.decide(&self.view(), &mut decision);
        let now = self.view().now;
        for state in &mut self.states {
            state.held = None;
        }
        for grant in &decision.grants {
            let taken = self.view().option(grant.job, grant.option);
            self.states[grant.job.index()].held = Some(Held { option: grant.option, since: now, taken });
        }
        self.round += 1;
        decision
    }

    pub(crate) fn end(&mut self, job: JobId) {
        self.active.retain(|&other| other != job);
        self.states[job.index()].finish = Some(self.view().now);
        self.states[job.index()].remaining = Work::ZERO;
        self.states[job.index()].held = None;
    }
}

pub(crate) fn policy(params: &[(&str, &str)]) -> Box<dyn Policy> {
    let spec = spec("sts-fairness").unwrap();
    let value = |word: &str| match word.parse() {
        Ok(number) => ParamValue::Number(number),
        Err(_) => ParamValue::Word(word.to_string()),
    };
    let given: BTreeMap<String, ParamValue> =
        params.iter().map(|&(k, v)| (k.to_string(), value(v))).collect();
    spec.build.unwrap()(&Params::check(spec.name, spec.params, &given).unwrap(), 0)
}
