//! The engine on hand-checkable traces, through the public interface.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use sts_sim::cluster::catalogue::model;
use sts_sim::cluster::{Cluster, Layout, NodeGroup, SliceMemory};
use sts_sim::policy::param::ParamValue;
use sts_sim::policy::{Params, spec};
use sts_sim::sim::{Boundary, GangPenalty, RoundSettings, RunRecord, Stopped, simulate};
use sts_sim::units::{ClassId, MilliGpus, Rate, SimSpan, SimTime, TenantId, TypeId};
use sts_sim::workload::bind::Tenant;
use sts_sim::workload::{BoundJob, BoundWorkload, JobClass, JobOption, Presence};

fn secs(s: f64) -> SimTime {
    SimTime::ZERO + SimSpan::from_secs(s)
}

fn one_type(devices: u32) -> Cluster {
    Cluster::new(&[NodeGroup {
        model: model("V100-16").unwrap(),
        nodes: 1,
        gpus_per_node: devices,
        layout: Layout::Whole,
    }])
    .unwrap()
}

/// Whole-device jobs (submit, duration, gangs of `devices`) on one type.
fn jobs(list: &[(f64, f64, u32)]) -> BoundWorkload {
    let mut workload = BoundWorkload {
        tenants: vec![Tenant { name: "t".into(), weight_micro: 1_000_000, changes: vec![] }],
        ..BoundWorkload::default()
    };
    for (index, &(submit, duration, devices)) in list.iter().enumerate() {
        let option =
            JobOption { type_id: TypeId(0), slots: 1, memory: SliceMemory::Plain, devices, rate: Rate::ONE };
        workload.classes.push(JobClass {
            profile: "linear".into(),
            gpus: MilliGpus(devices * 1000),
            options: vec![option],
            whole: vec![Some(0)],
        });
        workload.jobs.push(BoundJob {
            record: index as u32,
            submit: secs(submit),
            tenant: TenantId(0),
            class: ClassId(index as u32),
            work: Rate::ONE.over(SimSpan::from_secs(duration)),
            recorded_start: None,
            recorded_end: None,
            limit: None,
            presence: Presence::Arrives,
        });
    }
    workload
}

fn settings(length_s: f64, boundary: Boundary, overhead_s: f64) -> RoundSettings {
    RoundSettings {
        length: SimSpan::from_secs(length_s),
        boundary,
        start_cost: SimSpan::from_secs(overhead_s),
        restore_cost: SimSpan::from_secs(overhead_s),
        reconfigure_cost: SimSpan::ZERO,
        gang_penalty: GangPenalty::default(),
        horizon: None,
    }
}

fn run(policy: &str, cluster: &Cluster, workload: &BoundWorkload, settings: RoundSettings) -> RunRecord {
    run_with(policy, &BTreeMap::new(), cluster, workload, settings)
}

fn run_with(
    policy: &str,
    params: &BTreeMap<String, ParamValue>,
    cluster: &Cluster,
    workload: &BoundWorkload,
    settings: RoundSettings,
) -> RunRecord {
    let spec = spec(policy).unwrap();
    let params = Params::check(spec.name, spec.params, params).unwrap();
    let policy = spec.build.unwrap()(&params, 0);
    simulate(cluster, workload, settings, policy, &mut ())
}

fn finishes(record: &RunRecord) -> Vec<f64> {
    record.jobs.iter().map(|job| job.finish.unwrap().as_secs()).collect()
}

fn preemptions(record: &RunRecord) -> u32 {
    record.jobs.iter().map(|job| job.preemptions).sum()
}

#[test]
fn d1_fifo_runs_in_order_of_arrival() {
    let workload = jobs(&[(0.0, 100.0, 1), (1.0, 10.0, 1), (2.0, 1.0, 1)]);
    for boundary in [Boundary::Refill, Boundary::Idle] {
        let record = run("fifo", &one_type(1), &workload, settings(1.0, boundary, 0.0));
        assert_eq!(finishes(&record), [100.0, 110.0, 111.0]);
        assert_eq!(preemptions(&record), 0);
    }
}

#[test]
fn d1_srtf_preempts_twice() {
    let workload = jobs(&[(0.0, 100.0, 1), (1.0, 10.0, 1), (2.0, 1.0, 1)]);
    let record = run("srtf", &one_type(1), &workload, settings(1.0, Boundary::Refill, 0.0));
    assert_eq!(finishes(&record), [111.0, 12.0, 3.0]);
    assert_eq!(record.jobs.iter().map(|j| j.preemptions).collect::<Vec<_>>(), [1, 1, 0]);
}

#[test]
fn d3_round_robin_at_boundaries_with_refill_and_with_overhead() {
    let workload = jobs(&[(0.0, 100.0, 1), (0.0, 100.0, 1)]);
    let cluster = one_type(1);
    let idle = run("round-robin", &cluster, &workload, settings(60.0, Boundary::Idle, 0.0));
    assert_eq!(finishes(&idle), [160.0, 220.0]);
    let refill = run("round-robin", &cluster, &workload, settings(60.0, Boundary::Refill, 0.0));
    assert_eq!(finishes(&refill), [160.0, 200.0]);
    let overhead = run("round-robin", &cluster, &workload, settings(60.0, Boundary::Idle, 10.0));
    assert_eq!(finishes(&overhead), [180.0, 240.0]);
    for record in [idle, refill, overhead] {
        assert_eq!(preemptions(&record), 2);
    }
}

#[test]
fn a_gang_holds_up_fifo_but_not_backfill() {
    // One device is free while the gang of two waits for the first job.
    let workload = jobs(&[(0.0, 100.0, 1), (1.0, 50.0, 2), (2.0, 10.0, 1)]);
    let cluster = one_type(2);
    let fifo = run("fifo", &cluster, &workload, settings(10.0, Boundary::Refill, 0.0));
    assert_eq!(finishes(&fifo), [100.0, 150.0, 160.0]);
    let backfill = run("fifo-backfill", &cluster, &workload, settings(10.0, Boundary::Refill, 0.0));
    assert_eq!(finishes(&backfill), [100.0, 150.0, 12.0]);
}

#[test]
fn las_demotes_past_its_threshold_and_serves_newcomers_first() {
    // With a threshold of 0.01 GPU-hours (36 s) the long job is demoted at the boundary after 36 s and yields to the newcomer.
    let workload = jobs(&[(0.0, 100.0, 1), (30.0, 20.0, 1)]);
    let params = BTreeMap::from([("threshold_gpu_hours".to_string(), ParamValue::Number(0.01))]);
    let record = run_with("las", &params, &one_type(1), &workload, settings(10.0, Boundary::Refill, 0.0));
    assert_eq!(finishes(&record), [120.0, 60.0]);
    let never = BTreeMap::from([("threshold_gpu_hours".to_string(), ParamValue::Number(1e6))]);
    let record = run_with("las", &never, &one_type(1), &workload, settings(10.0, Boundary::Refill, 0.0));
    assert_eq!(finishes(&record), [100.0, 120.0]);
}

#[test]
fn a_run_in_which_nothing_can_ever_load_is_given_up() {
    // Two jobs take turns on one device, and loading takes longer than a round.
    let workload = jobs(&[(0.0, 100.0, 1), (0.0, 100.0, 1)]);
    let record = run("round-robin", &one_type(1), &workload, settings(10.0, Boundary::Refill, 20.0));
    assert_eq!(record.stopped, Some(Stopped::Stalled));
}

#[test]
fn the_horizon_cuts_a_run_and_says_so() {
    let workload = jobs(&[(0.0, 100.0, 1), (0.0, 100.0, 1)]);
    let mut settings = settings(10.0, Boundary::Refill, 0.0);
    settings.horizon = Some(secs(150.0));
    let record = run("fifo", &one_type(1), &workload, settings);
    assert_eq!(record.stopped, Some(Stopped::Horizon));
    assert_eq!(record.end, secs(150.0));
    assert_eq!(record.jobs[0].finish, Some(secs(100.0)));
    assert_eq!(record.jobs[1].held, SimSpan::from_secs(50.0));
}

#[test]
fn rounds_passed_over_change_nothing() {
    // Nothing waits between arrivals that are far apart; a short round must give the same schedule as a long one.
    let workload = jobs(&[(0.0, 50_000.0, 1), (100_000.5, 30.25, 1), (900_000.0, 1.0, 2)]);
    let cluster = one_type(2);
    for policy in ["fifo", "srtf", "las", "round-robin"] {
        let record = run(policy, &cluster, &workload, settings(1.0, Boundary::Refill, 0.0));
        assert_eq!(finishes(&record), [50_000.0, 100_030.75, 900_001.0], "{policy}");
    }
}
