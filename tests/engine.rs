//! The engine on hand-checkable traces, through the public interface.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use sts_sim::cluster::catalogue::model;
use sts_sim::cluster::{Cluster, Layout, NodeGroup, SliceMemory};
use sts_sim::policy::param::ParamValue;
use sts_sim::policy::{Params, SHARE_UNITS, spec};
use sts_sim::sim::{
    Boundary, Engine, FailureRate, GangPenalty, Limits, Mode, Outages, PlannedChange, RoundSettings,
    RunRecord, Service, Stopped, simulate,
};
use sts_sim::units::{ClassId, MilliGpus, NodeId, Rate, SimSpan, SimTime, TenantId, TypeId};
use sts_sim::workload::bind::{Tenant, WeightChange};
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
        mode: Mode::Rounds,
        length: SimSpan::from_secs(length_s),
        boundary,
        start_cost: SimSpan::from_secs(overhead_s),
        restore_cost: SimSpan::from_secs(overhead_s),
        reconfigure_cost: SimSpan::ZERO,
        gang_penalty: GangPenalty::default(),
        horizon: None,
        checkpoint: None,
        limits: Limits::Ignore,
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

/// Nodes of one device each.
fn nodes(count: u32) -> Cluster {
    let model = model("V100-16").unwrap();
    Cluster::new(&[NodeGroup { model, nodes: count, gpus_per_node: 1, layout: Layout::Whole }]).unwrap()
}

fn run_with_outages(
    policy: &str,
    cluster: &Cluster,
    workload: &BoundWorkload,
    settings: RoundSettings,
    outages: Outages,
) -> RunRecord {
    let spec = spec(policy).unwrap();
    let params = Params::check(spec.name, spec.params, &BTreeMap::new()).unwrap();
    let policy = spec.build.unwrap()(&params, 0);
    Engine::new(cluster, workload, settings, policy).with_outages(outages).run(&mut ())
}

fn planned(changes: &[(f64, u32, Service)]) -> Vec<PlannedChange> {
    changes
        .iter()
        .map(|&(at, node, service)| PlannedChange { at: secs(at), node: NodeId(node), service })
        .collect()
}

#[test]
fn a_withdrawn_node_stops_its_job_without_loss() {
    // Two nodes, two jobs of 100 s. Node 1 is away from 30 to 75 s; its job has 70 s left and goes on at 75 s.
    let cluster = nodes(2);
    let workload = jobs(&[(0.0, 100.0, 1), (0.0, 100.0, 1)]);
    for policy in ["fifo", "srtf", "sts-fairness"] {
        let outages =
            Outages::new(2, &planned(&[(30.0, 1, Service::Out), (75.0, 1, Service::In)]), Vec::new(), 0);
        let record =
            run_with_outages(policy, &cluster, &workload, settings(10.0, Boundary::Refill, 0.0), outages);
        let mut finish = finishes(&record);
        finish.sort_by(f64::total_cmp);
        assert_eq!(finish, [100.0, 145.0], "{policy}");
        assert_eq!(preemptions(&record), 1, "{policy}");
        assert_eq!(record.outages.len(), 1);
        assert_eq!((record.outages[0].from, record.outages[0].to), (secs(30.0), secs(75.0)));
        assert!(record.jobs.iter().all(|job| job.failures == 0 && job.lost.0 == 0));
        for segment in &record.segments {
            let on_node_1 = record.parts(segment).iter().any(|part| part.device.0 == 1);
            assert!(
                !on_node_1 || segment.to <= secs(30.0) || segment.from >= secs(75.0),
                "{policy}: {segment:?}"
            );
        }
    }
}

#[test]
fn a_cluster_may_start_small_and_grow() {
    let workload = jobs(&[(0.0, 100.0, 1), (0.0, 100.0, 1)]);
    let outages = Outages::new(2, &planned(&[(0.0, 1, Service::Out), (40.0, 1, Service::In)]), Vec::new(), 0);
    let settings = settings(10.0, Boundary::Refill, 0.0);
    let record = run_with_outages("fifo", &nodes(2), &workload, settings, outages);
    assert_eq!(finishes(&record), [100.0, 140.0]);
    assert_eq!(preemptions(&record), 0);
}

#[test]
fn a_failure_loses_what_came_after_the_last_checkpoint() {
    let cluster = nodes(1);
    let workload = jobs(&[(0.0, 1000.0, 1)]);
    // Long before the job would end the only node breaks; repairs take no time worth counting.
    let rate = FailureRate { between_failures: SimSpan::from_secs(700.0), repair: SimSpan(1) };
    let run = |checkpoint_s: Option<f64>| {
        let settings = RoundSettings {
            checkpoint: checkpoint_s.map(SimSpan::from_secs),
            ..settings(10.0, Boundary::Refill, 0.0)
        };
        run_with_outages("fifo", &cluster, &workload, settings, Outages::new(1, &[], vec![Some(rate)], 2))
    };
    let without = run(None);
    let with = run(Some(100.0));
    for (record, most_s) in [(&without, f64::INFINITY), (&with, 100.0)] {
        let job = record.jobs[0];
        assert!(job.failures > 0, "the seed gives a failure");
        let lost_s = job.lost.0 as f64 / 1e12;
        assert!(lost_s > 0.0 && lost_s <= most_s * f64::from(job.failures));
        // All the time it held its device it worked: what was asked for and what was lost.
        assert!((job.held.as_secs() - 1000.0 - lost_s).abs() < 1e-3, "{job:?}");
    }
    assert!(finishes(&with)[0] < finishes(&without)[0]);
}

#[test]
fn every_policy_meets_the_same_failures() {
    let cluster = nodes(8);
    let list: Vec<(f64, f64, u32)> = (0..60).map(|i| (f64::from(i) * 20.0, 400.0, 1 + i % 3)).collect();
    let workload = jobs(&list);
    let rate = FailureRate { between_failures: SimSpan::from_secs(900.0), repair: SimSpan::from_secs(120.0) };
    let run = |policy| {
        let outages = Outages::new(8, &[], vec![Some(rate); 8], 5);
        let settings = RoundSettings {
            checkpoint: Some(SimSpan::from_secs(50.0)),
            ..settings(60.0, Boundary::Refill, 5.0)
        };
        run_with_outages(policy, &cluster, &workload, settings, outages)
    };
    let fifo = run("fifo");
    for policy in ["srtf", "las", "round-robin", "sts-fairness"] {
        let other = run(policy);
        assert!(other.jobs.iter().all(|job| job.finish.is_some()), "{policy}");
        let until = |record: &RunRecord| {
            let end = fifo.end.min(other.end);
            let mut out: Vec<_> =
                record.outages.iter().filter(|o| o.to < end).map(|o| (o.from, o.node, o.to)).collect();
            out.sort_unstable();
            out
        };
        assert_eq!(until(&fifo), until(&other), "{policy}");
        for outage in &other.outages {
            for segment in &other.segments {
                let touches = other.parts(segment).iter().any(|part| part.device.0 == outage.node.0);
                let apart = segment.to <= outage.from || segment.from >= outage.to;
                assert!(!touches || apart, "{policy}: {segment:?} {outage:?}");
            }
        }
    }
}

#[test]
fn a_job_is_killed_at_the_run_time_it_asked_for() {
    let mut workload = jobs(&[(0.0, 100.0, 1), (0.0, 100.0, 1)]);
    workload.jobs[0].limit = Some(SimSpan::from_secs(70.0));
    workload.jobs[1].limit = Some(SimSpan::from_secs(100.0));
    let ignored = run("fifo", &one_type(1), &workload, settings(10.0, Boundary::Refill, 0.0));
    assert_eq!(finishes(&ignored), [100.0, 200.0]);
    let kill = RoundSettings { limits: Limits::Kill, ..settings(60.0, Boundary::Refill, 0.0) };
    let record = run("fifo", &one_type(1), &workload, kill);
    assert_eq!((record.jobs[0].finish, record.jobs[0].killed), (None, Some(secs(70.0))));
    // A job that ends exactly at its limit completes.
    assert_eq!((record.jobs[1].finish, record.jobs[1].killed), (Some(secs(170.0)), None));
    assert_eq!(record.stopped, None);
    // Held time counts, not time since the first start: in turns of 60 s the first job is killed in its second turn.
    let turns =
        run("round-robin", &one_type(1), &workload, RoundSettings { boundary: Boundary::Idle, ..kill });
    assert_eq!(turns.jobs[0].killed, Some(secs(130.0)));
}

#[test]
fn jobs_that_run_at_the_beginning_are_placed_first() {
    let mut workload = jobs(&[(0.0, 50.0, 1), (0.0, 100.0, 1)]);
    workload.jobs[1].presence = Presence::Running;
    let record = run("fifo", &one_type(1), &workload, settings(10.0, Boundary::Refill, 7.0));
    // It is loaded already: no overhead. The other waits for it, and then loads.
    assert_eq!(finishes(&record), [157.0, 100.0]);
}

fn close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-4, "{found} instead of {expected}");
    }
}

#[test]
fn d1_processor_sharing_in_the_fluid_mode() {
    let workload = jobs(&[(0.0, 100.0, 1), (1.0, 10.0, 1), (2.0, 1.0, 1)]);
    let fluid = RoundSettings { mode: Mode::Fluid, ..settings(1.0, Boundary::Refill, 5.0) };
    let record = run("round-robin", &one_type(1), &workload, fluid);
    close(&finishes(&record), &[111.0, 22.0, 5.0]);
    assert_eq!(preemptions(&record), 0);
    // Work is conserved: over the segments of a job, share times time is its duration.
    for (index, duration) in [100.0, 10.0, 1.0].into_iter().enumerate() {
        let own = record.segments.iter().filter(|segment| segment.job.index() == index);
        let held: f64 = own.map(|s| (s.to - s.from).as_secs() * s.of_time as f64 / SHARE_UNITS as f64).sum();
        assert!((held - duration).abs() < 1e-4, "{held}");
    }
}

#[test]
fn policies_without_shares_decide_at_every_event_of_the_fluid_mode() {
    // With rounds of 60 s SRTF sees the short jobs late; the fluid mode does not wait.
    let workload = jobs(&[(0.0, 100.0, 1), (1.0, 10.0, 1), (2.0, 1.0, 1)]);
    let fluid = RoundSettings { mode: Mode::Fluid, ..settings(60.0, Boundary::Idle, 5.0) };
    let record = run("srtf", &one_type(1), &workload, fluid);
    close(&finishes(&record), &[111.0, 12.0, 3.0]);
    assert_eq!(record.jobs.iter().map(|j| j.preemptions).collect::<Vec<_>>(), [1, 1, 0]);
    let fifo = run("fifo", &one_type(1), &workload, fluid);
    close(&finishes(&fifo), &[100.0, 110.0, 111.0]);
}

#[test]
fn shares_of_gangs_and_of_more_devices_than_jobs() {
    // Two devices: a gang of two and a single job share them; each has an equal share of the type, the gang's being of both devices.
    let workload = jobs(&[(0.0, 100.0, 2), (0.0, 100.0, 1)]);
    let fluid = RoundSettings { mode: Mode::Fluid, ..settings(60.0, Boundary::Idle, 0.0) };
    let record = run("round-robin", &one_type(2), &workload, fluid);
    // 1/2 of the time on two devices, all of the time on one; then the gang is alone.
    close(&finishes(&record), &[150.0, 100.0]);
    let alone = run("round-robin", &one_type(4), &jobs(&[(0.0, 100.0, 1)]), fluid);
    close(&finishes(&alone), &[100.0]);
}

#[test]
fn a_lease_keeps_a_job_from_being_preempted() {
    let workload = jobs(&[(0.0, 100.0, 1), (1.0, 10.0, 1)]);
    let leases = |lease_s: f64| {
        let params = BTreeMap::from([("lease_s".to_string(), ParamValue::Number(lease_s))]);
        run_with("srtf", &params, &one_type(1), &workload, settings(1.0, Boundary::Refill, 0.0))
    };
    assert_eq!(finishes(&leases(0.0)), [110.0, 11.0]);
    // The long job has its device for 20 s; then the short one, which ends before its own lease does.
    assert_eq!(finishes(&leases(20.0)), [110.0, 30.0]);
    assert_eq!(finishes(&leases(200.0)), [100.0, 110.0]);
}

/// Two tenants, the second with three times the first's weight.
fn two_tenants(list: &[(f64, f64, u32, u16)]) -> BoundWorkload {
    let mut workload = jobs(&list.iter().map(|&(at, s, devices, _)| (at, s, devices)).collect::<Vec<_>>());
    workload.tenants.push(Tenant { name: "u".into(), weight_micro: 3_000_000, changes: vec![] });
    for (job, &(_, _, _, tenant)) in workload.jobs.iter_mut().zip(list) {
        job.tenant = TenantId(tenant.into());
    }
    workload
}

#[test]
fn tenants_have_their_exact_parts_in_the_fluid_mode() {
    // One device: a quarter for the first tenant, three quarters for the second.
    let mut workload = two_tenants(&[(0.0, 100.0, 1, 0), (0.0, 75.0, 1, 1)]);
    let fluid = RoundSettings { mode: Mode::Fluid, ..settings(60.0, Boundary::Idle, 5.0) };
    for policy in ["equal-split", "oef-noncoop", "oef-coop"] {
        let record = run(policy, &one_type(1), &workload, fluid);
        // At 100 s the second has had 75 s; the first has had 25 s and needs 75 s more alone.
        close(&finishes(&record), &[175.0, 100.0]);
    }
    // From 20 s on both have one half: the second has had 15 s, and 60 s more at one half take 120 s.
    workload.tenants[1].changes = vec![WeightChange { at: secs(20.0), weight_micro: 1_000_000 }];
    for policy in ["equal-split", "oef-noncoop", "oef-coop"] {
        close(&finishes(&run(policy, &one_type(1), &workload, fluid)), &[175.0, 140.0]);
    }
}

#[test]
fn what_a_tenant_leaves_is_lent_in_the_fluid_mode_unless_it_is_to_stay_idle() {
    // Four devices, one for the first tenant and three for the second, which uses one.
    let workload = two_tenants(&[(0.0, 100.0, 1, 0), (0.0, 100.0, 1, 0), (0.0, 100.0, 1, 1)]);
    let fluid = RoundSettings { mode: Mode::Fluid, ..settings(60.0, Boundary::Idle, 0.0) };
    let with = |left_over: &str| {
        let params = BTreeMap::from([("left_over".to_string(), ParamValue::Word(left_over.to_string()))]);
        finishes(&run_with("equal-split", &params, &one_type(4), &workload, fluid))
    };
    close(&with("lend"), &[100.0, 100.0, 100.0]);
    // Alone from 100 s on, the first tenant has all four.
    close(&with("idle"), &[100.0, 200.0, 100.0]);
}

#[test]
fn gavels_fractions_are_had_to_the_letter_in_the_fluid_mode() {
    // Three equal jobs on two devices: two thirds of the time each.
    let workload = jobs(&[(0.0, 100.0, 1), (0.0, 100.0, 1), (0.0, 100.0, 1)]);
    let fluid = RoundSettings { mode: Mode::Fluid, ..settings(60.0, Boundary::Idle, 5.0) };
    for policy in ["gavel-max-min", "gavel-water-filling", "gavel-ftf", "gavel-makespan"] {
        let record = run(policy, &one_type(2), &workload, fluid);
        for finish in finishes(&record) {
            assert!((finish - 150.0).abs() < 0.01, "{policy}: {finish}");
        }
    }
    // The most throughput leaves nothing idle, whoever has it.
    let record = run("gavel-max-sum", &one_type(2), &workload, fluid);
    let both_busy = 2.0 * finishes(&record).iter().fold(f64::INFINITY, |a, b| a.min(*b));
    assert!(record.end.as_secs() <= 200.01 && both_busy >= 199.99, "{:?}", finishes(&record));
}
