//! The floor yardstick: figures worked out by hand, and an oracle that shares no code with it.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use sts_sim::cluster::catalogue::model;
use sts_sim::cluster::{Cluster, Layout, MigMode, NodeGroup, Repacking, SliceMemory};
use sts_sim::metrics::yardstick::Yardstick;
use sts_sim::policy::param::ParamValue;
use sts_sim::policy::{Decision, Params, Policy, Refill, View, spec};
use sts_sim::scenario::Scenario;
use sts_sim::scenario::run::{generated, prepare};
use sts_sim::sim::{Boundary, GangPenalty, RoundSettings, simulate};
use sts_sim::units::{ClassId, JobId, MilliGpus, Rate, SimSpan, SimTime, TenantId, TypeId};
use sts_sim::workload::bind::Tenant;
use sts_sim::workload::{BoundJob, BoundWorkload, JobClass, JobOption, Presence};

fn secs(s: f64) -> SimTime {
    SimTime::ZERO + SimSpan::from_secs(s)
}

fn cluster(types: &[(&str, u32)]) -> Cluster {
    let groups: Vec<NodeGroup> = types
        .iter()
        .map(|&(name, gpus)| NodeGroup {
            model: model(name).unwrap(),
            nodes: 1,
            gpus_per_node: gpus,
            layout: Layout::Whole,
        })
        .collect();
    Cluster::new(&groups).unwrap()
}

/// One job: tenant, submission, work in seconds at rate 1, devices, and its rate on each type.
type Job<'a> = (u32, f64, f64, u32, &'a [u32]);

fn workload(weights: &[u64], jobs: &[Job<'_>]) -> BoundWorkload {
    let mut workload = BoundWorkload::default();
    for (index, &weight) in weights.iter().enumerate() {
        workload.tenants.push(Tenant {
            name: format!("t{index}"),
            weight_micro: weight * 1_000_000,
            changes: Vec::new(),
        });
    }
    for (index, &(tenant, submit, work_s, devices, rates)) in jobs.iter().enumerate() {
        let options: Vec<JobOption> = (0u16..)
            .zip(rates)
            .map(|(k, &rate)| JobOption {
                type_id: TypeId(k),
                slots: 1,
                memory: SliceMemory::Plain,
                devices,
                rate: Rate(rate),
            })
            .collect();
        let whole = (0..options.len() as u16).map(Some).collect();
        let class = JobClass { profile: "p".into(), gpus: MilliGpus(devices * 1000), options, whole };
        let class_id = workload.classes.iter().position(|other| *other == class).unwrap_or_else(|| {
            workload.classes.push(class);
            workload.classes.len() - 1
        });
        workload.jobs.push(BoundJob {
            record: index as u32,
            submit: secs(submit),
            tenant: TenantId(tenant),
            class: ClassId(class_id as u32),
            work: Rate::ONE.over(SimSpan::from_secs(work_s)),
            recorded_start: None,
            recorded_end: None,
            limit: None,
            presence: Presence::Arrives,
        });
    }
    workload
}

fn settings(length_s: f64, overhead_s: f64) -> RoundSettings {
    RoundSettings {
        mode: sts_sim::sim::Mode::Rounds,
        length: SimSpan::from_secs(length_s),
        boundary: Boundary::Refill,
        start_cost: SimSpan::from_secs(overhead_s),
        restore_cost: SimSpan::from_secs(overhead_s),
        reconfigure_cost: SimSpan::ZERO,
        gang_penalty: GangPenalty::default(),
        horizon: None,
        checkpoint: None,
        limits: sts_sim::sim::Limits::Ignore,
    }
}

fn policy(name: &str, params: &[(&str, ParamValue)]) -> Box<dyn Policy> {
    let given: BTreeMap<String, ParamValue> =
        params.iter().map(|(key, value)| ((*key).to_string(), value.clone())).collect();
    let spec = spec(name).unwrap();
    spec.build.unwrap()(&Params::check(spec.name, spec.params, &given).unwrap(), 0)
}

/// Violations and shortfall of a run.
fn measure(
    cluster: &Cluster,
    workload: &BoundWorkload,
    settings: RoundSettings,
    policy: Box<dyn Policy>,
) -> (u64, f64) {
    let mut yardstick = Yardstick::new(cluster, workload, &settings);
    let _ = simulate(cluster, workload, settings, policy, &mut yardstick);
    assert_eq!(yardstick.unproven(), 0);
    (yardstick.violations(), yardstick.shortfall_s())
}

#[test]
fn fifo_leaves_the_second_tenant_waiting() {
    // Four devices, equal weights: each tenant is due two a round. Tenant 0 fills all four for 250 s, so tenant 1 is planned nothing
    // in rounds 0, 1 and 2, where its quota is worth 2. At 250 s its jobs start; in round 3 it is alone, both its jobs run, and
    // they end after half of it. Shortfall: 200 + 200 + 100 (half of round 2) + 100 (half of round 3).
    let cluster = cluster(&[("V100-16", 4)]);
    let long = (0, 0.0, 250.0, 1, &[1_000_000][..]);
    let short = (1, 0.0, 100.0, 1, &[1_000_000][..]);
    let workload = workload(&[1, 1], &[long, long, long, long, short, short]);
    let found = measure(&cluster, &workload, settings(100.0, 0.0), policy("fifo", &[]));
    assert_eq!(found, (3, 600.0));
}

/// Two fast and two slow devices; tenant 0 got the fast ones, and fifo moves nobody.
fn slow_for_the_second() -> (Cluster, BoundWorkload) {
    let of = |tenant| (tenant, 0.0, 1000.0, 1, &[1_000_000, 250_000][..]);
    (cluster(&[("V100-16", 2), ("K80", 2)]), workload(&[1, 1], &[of(0), of(0), of(1), of(1)]))
}

#[test]
fn rounds_that_are_passed_over_count() {
    // Rounds 0 to 9: a quota of one device of each type is worth 1.25 to tenant 1, which is planned 0.5. Then it is alone, everything is
    // its quota and worth 2 to it, but its jobs stay where they are until they end at 4000 s.
    let (cluster, workload) = slow_for_the_second();
    let found = measure(&cluster, &workload, settings(100.0, 0.0), policy("fifo", &[]));
    assert_eq!(found, (40, 10.0 * 75.0 + 30.0 * 150.0));
}

#[test]
fn overheads_lengthen_the_shortfall_and_not_the_plan() {
    // All jobs load for 250 s, two rounds and a half. Tenant 0 ends at 1250 s, tenant 1 at 4250 s.
    // Tenant 0 gets nothing of its due 1.25 in rounds 0 and 1 and 100 of 125 in round 2; from then on 2 a second, until it ends in
    // the middle of round 12 with 100 of 125. Tenant 1: 125 in rounds 0 and 1, 125 - 25 in round 2, 75 in rounds 3 to 12, 150 in
    // rounds 13 to 41, and 200 - 25 in round 42, the last.
    let (cluster, workload) = slow_for_the_second();
    let found = measure(&cluster, &workload, settings(100.0, 250.0), policy("fifo", &[]));
    let first = 2.0 * 125.0 + 25.0 + 25.0;
    let second = 2.0 * 125.0 + 100.0 + 10.0 * 75.0 + 29.0 * 150.0 + 175.0;
    assert_eq!(found, (43, first + second));
}

#[test]
fn a_round_that_ends_with_its_last_job_is_measured_before_the_cluster_idles() {
    // The only job ends at 300 s, a round's boundary; nobody is there until 700 s. Nothing is missing.
    let of = |submit, work| (0, submit, work, 1, &[1_000_000][..]);
    let workload = workload(&[1], &[of(0.0, 300.0), of(700.0, 200.0)]);
    let found = measure(&cluster(&[("V100-16", 1)]), &workload, settings(100.0, 0.0), policy("fifo", &[]));
    assert_eq!(found, (0, 0.0));
}

#[test]
fn the_horizon_cuts_the_last_round() {
    let (cluster, workload) = slow_for_the_second();
    let settings = RoundSettings { horizon: Some(secs(350.0)), ..settings(100.0, 0.0) };
    let found = measure(&cluster, &workload, settings, policy("fifo", &[]));
    assert_eq!(found, (4, 3.5 * 75.0));
}

#[test]
fn a_tenant_of_weight_zero_has_no_floor() {
    let cluster = cluster(&[("V100-16", 1)]);
    let job = |tenant| (tenant, 0.0, 300.0, 1, &[1_000_000][..]);
    let workload = workload(&[1, 0], &[job(0), job(1)]);
    assert_eq!(measure(&cluster, &workload, settings(100.0, 0.0), policy("fifo", &[])), (0, 0.0));
}

#[test]
fn what_placement_loses_is_added_up() {
    // Two 3g instances leave no memory for a 1g one, although 3 + 3 + 1 slots are 7. The third job, at a tenth of full speed, is granted
    // its slice and finds no position in rounds 0 to 9 of 100 s: 10 times 10 s. Then the others are done.
    let group = NodeGroup {
        model: model("A100-80").unwrap(),
        nodes: 1,
        gpus_per_node: 1,
        layout: Layout::Mig(MigMode::Relaxed),
    };
    let cluster = Cluster::new(&[group]).unwrap();
    let job = |rate: &'static [u32]| (0, 0.0, 1000.0, 1, rate);
    let mut workload = workload(&[1], &[job(&[1_000_000]), job(&[1_000_000]), job(&[100_000])]);
    for (class, slots) in workload.classes.iter_mut().zip([3, 1]) {
        class.options[0].slots = slots;
        class.whole = vec![None];
    }
    let sts = policy("sts-fairness", &[("objective", ParamValue::Word("throughput".into()))]);
    let record = simulate(&cluster, &workload, settings(100.0, 0.0), sts, &mut ());
    assert_eq!((record.unplaced, record.packing_gap), (10, 100 * 1_000_000_000_000_000));
}

#[test]
fn sts_fairness_in_the_same_metric_has_no_violation() {
    // Service as the objective (nu = g), no cap for jobs that finish (their length is not known), no hysteresis, no overheads; jobs
    // of one GPU, so that no tenant collects credit.
    for seed in 0..3 {
        let text = format!(
            r#"{{"version": 1,
                "cluster": {{"nodes": [
                    {{"gpu": "A100-80", "count": 1, "gpus_per_node": 2, "layout": "mig"}},
                    {{"gpu": "V100-16", "count": 1, "gpus_per_node": 3, "layout": "uniform-4"}},
                    {{"gpu": "P100", "count": 1, "gpus_per_node": 4, "layout": "whole"}}]}},
                "workload": {{"synthetic": {{"jobs": 120, "arrivals": {{"kind": "bursty", "rate_per_hour": 30}},
                    "tenants": 4, "gpus": [{{"gpus": 1, "weight": 1}}], "seed": {seed}}}}},
                "tenants": {{"weights": {{"tenant-1": 2, "tenant-2": 1.37}}}},
                "policies": [{{"name": "fifo"}}, {{"name": "sts-fairness", "params":
                    {{"objective": "throughput", "durations": "attained", "hysteresis": 0}}}}]}}"#
        );
        let scenario = Scenario::from_json(&text).unwrap();
        let prepared = prepare(&scenario, &generated(&scenario).unwrap()).unwrap();
        let [fifo, sts] = [0, 1].map(|index| {
            let run = prepared.run(index, 0, &mut ()).unwrap().result;
            assert!(run.metrics.get("floor_shortfall").is_some());
            run.metrics.get("floor_violations").unwrap()
        });
        assert!(sts.abs() < 0.5, "seed {seed}: {sts}");
        assert!(fifo > 50.0, "seed {seed}: {fifo}");
    }
}

/// A policy of which no round may be passed over.
struct Awake(Box<dyn Policy>);

impl Policy for Awake {
    fn decide(&mut self, view: &View<'_>, decision: &mut Decision) {
        self.0.decide(view, decision);
    }

    fn refill(&mut self, view: &View<'_>, waiting: &[JobId], free: &mut dyn Refill) {
        self.0.refill(view, waiting, free);
    }

    fn repacking(&self) -> Repacking {
        self.0.repacking()
    }

    fn is_static_when_idle_queue(&self) -> bool {
        false
    }
}

#[test]
fn rounds_that_are_passed_over_count_as_if_decided() {
    // Quotas of odd weights take 337 rounds to repeat; the jobs run for 1000.
    let cluster = cluster(&[("V100-16", 3), ("K80", 2)]);
    let of = |tenant, submit, work| (tenant, submit, work, 1, &[1_000_000, 500_000][..]);
    let jobs = [of(0, 0.0, 5e3), of(0, 0.0, 1e5), of(1, 30.0, 1e5), of(2, 250.0, 1e5), of(1, 480.0, 1e5)];
    let workload = workload(&[100, 137, 100], &jobs);
    for overhead_s in [0.0, 777.0] {
        let settings = settings(100.0, overhead_s);
        let passed = measure(&cluster, &workload, settings, policy("fifo", &[]));
        let awake = measure(&cluster, &workload, settings, Box::new(Awake(policy("fifo", &[]))));
        assert_eq!(passed, awake);
        assert!(passed.0 > 500 && passed.1 > 1e4, "{passed:?}");
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod oracle {
    use proptest::prelude::*;
    use sts_sim::policy::Grant;
    use sts_sim::policy::sts::quota::{Claim, Quotas, TemporalLayer};
    use sts_sim::sim::{RoundReport, RunRecord, Watch};

    use super::*;

    /// What was planned, by round.
    #[derive(Default)]
    struct Plans(BTreeMap<i64, Vec<Grant>>);

    impl Watch for Plans {
        fn round(&mut self, report: &RoundReport<'_>) {
            self.0.insert(report.round as i64, report.grants.to_vec());
        }
    }

    /// The most these jobs can be worth together inside what is free, by trying everything.
    fn best(workload: &BoundWorkload, jobs: &[usize], free: &mut [u32]) -> i128 {
        let Some((&job, rest)) = jobs.split_first() else { return 0 };
        let class = workload.class_of(&workload.jobs[job]);
        let mut most = best(workload, rest, free);
        for option in &class.options {
            let k = option.type_id.index();
            if option.devices <= free[k] {
                free[k] -= option.devices;
                let worth = i128::from(class.gpus.0) * i128::from(option.rate.0);
                most = most.max(worth + best(workload, rest, free));
                free[k] += option.devices;
            }
        }
        most
    }

    /// Violations and shortfall from what happened, round by round.
    fn expected(
        workload: &BoundWorkload,
        units: &[u32],
        settings: RoundSettings,
        record: &RunRecord,
        plans: &BTreeMap<i64, Vec<Grant>>,
    ) -> (u64, f64) {
        let length = settings.length.0;
        let tenants = workload.tenants.len();
        let mut layer = TemporalLayer::new(units.to_vec(), tenants);
        let (mut violations, mut shortfall) = (0, 0i128);
        let mut round = 0;
        while round * length < record.end.0 {
            let start = round * length;
            let end = (start + length).min(settings.horizon.map_or(i64::MAX, |horizon| horizon.0));
            let active = |tenant: usize| {
                let is_active = |job: &usize| {
                    let (bound, run) = (&workload.jobs[*job], &record.jobs[*job]);
                    bound.tenant.index() == tenant
                        && bound.submit.0 <= start
                        && run.finish.is_none_or(|finish| finish.0 > start)
                };
                (0..workload.jobs.len()).filter(is_active).collect::<Vec<_>>()
            };
            let claims: Vec<Claim> = (0..tenants)
                .filter(|&tenant| workload.tenants[tenant].weight_micro > 0 && !active(tenant).is_empty())
                .map(|tenant| Claim { tenant: tenant as u32, weight: workload.tenants[tenant].weight_micro })
                .collect();
            let mut quotas = Quotas::default();
            layer.next_round(&claims, &mut quotas);
            for (index, claim) in claims.iter().enumerate() {
                let tenant = claim.tenant as usize;
                let due = best(workload, &active(tenant), &mut quotas.of(index).to_vec());
                let (_, grants) = plans.range(..=round).next_back().unwrap();
                let worth = |job: usize, option: u16| {
                    let class = workload.class_of(&workload.jobs[job]);
                    i128::from(class.gpus.0) * i128::from(class.options[usize::from(option)].rate.0)
                };
                let of_tenant = |job: usize| workload.jobs[job].tenant.index() == tenant;
                let planned: i128 = grants
                    .iter()
                    .filter(|grant| of_tenant(grant.job.index()))
                    .map(|grant| worth(grant.job.index(), grant.option))
                    .sum();
                let received: i128 = record
                    .segments
                    .iter()
                    .filter(|segment| of_tenant(segment.job.index()))
                    .map(|segment| {
                        let micros = (segment.to.0.min(end) - segment.ready.0.max(start)).max(0);
                        worth(segment.job.index(), segment.option) * i128::from(micros)
                    })
                    .sum();
                violations += u64::from(planned < due);
                shortfall += (due * i128::from(end - start) - received).max(0);
            }
            round += 1;
        }
        (violations, shortfall as f64 / 1e15)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn the_yardstick_measures_what_happened(
            jobs in prop::collection::vec(
                (0u32..3, 0u32..2000, 1u32..1500, 1u32..3, 0usize..3), 1..11,
            ),
            weights in prop::collection::vec(0u64..4, 3),
            devices in (2u32..4, 2u32..4),
            overhead_s in prop::sample::select(vec![0.0, 13.0, 64.0]),
            horizon_s in prop::option::of(100.0..3000.0f64),
            name in prop::sample::select(vec!["fifo", "fifo-backfill", "srtf", "las", "round-robin", "sts-fairness"]),
        ) {
            let rates: [&[u32]; 3] = [&[1_000_000, 250_000], &[1_000_000, 800_000], &[500_000, 1_000_000]];
            let mut jobs: Vec<Job<'_>> = jobs
                .iter()
                .map(|&(tenant, submit, work, devices, kind)| (tenant, submit.into(), work.into(), devices, rates[kind]))
                .collect();
            jobs.sort_by(|a, b| a.1.total_cmp(&b.1));
            let workload = workload(&weights, &jobs);
            let cluster = cluster(&[("V100-16", devices.0), ("K80", devices.1)]);
            let settings =
                RoundSettings { horizon: horizon_s.map(secs), ..settings(100.0, overhead_s) };
            let mut plans = Plans::default();
            let record = simulate(&cluster, &workload, settings, policy(name, &[]), &mut plans);
            let units = cluster.devices_by_type();
            let expected = expected(&workload, &units, settings, &record, &plans.0);
            let found = measure(&cluster, &workload, settings, policy(name, &[]));
            prop_assert_eq!(found, expected);
        }
    }
}
