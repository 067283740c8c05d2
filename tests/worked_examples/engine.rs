//! Traces of a few jobs through the engine, with times worked out by hand.

use std::collections::BTreeMap;

use sts_sim::cluster::catalogue::model;
use sts_sim::cluster::{Cluster, Layout, NodeGroup, SliceMemory};
use sts_sim::metrics::jobs::best_duration_s;
use sts_sim::policy::{Params, spec};
use sts_sim::sim::{Boundary, GangPenalty, Limits, Mode, RoundSettings, RunRecord, simulate};
use sts_sim::units::{ClassId, MilliGpus, Rate, SimSpan, SimTime, TenantId, TypeId};
use sts_sim::workload::bind::Tenant;
use sts_sim::workload::{BoundJob, BoundWorkload, JobClass, JobOption, Presence};

use crate::instances::close;

fn one_gpu() -> Cluster {
    let model = model("V100-16").unwrap();
    Cluster::new(&[NodeGroup { model, nodes: 1, gpus_per_node: 1, layout: Layout::Whole }]).unwrap()
}

/// Jobs of one GPU: submission and duration in seconds.
fn workload(jobs: &[(f64, f64)]) -> BoundWorkload {
    let option =
        JobOption { type_id: TypeId(0), slots: 1, memory: SliceMemory::Plain, devices: 1, rate: Rate::ONE };
    let job = |(record, &(submit, duration)): (u32, &(f64, f64))| BoundJob {
        record,
        submit: SimTime::ZERO + SimSpan::from_secs(submit),
        tenant: TenantId(0),
        class: ClassId(0),
        work: Rate::ONE.over(SimSpan::from_secs(duration)),
        recorded_start: None,
        recorded_end: None,
        limit: None,
        presence: Presence::Arrives,
    };
    BoundWorkload {
        jobs: (0..).zip(jobs).map(job).collect(),
        classes: vec![JobClass {
            profile: "one".into(),
            gpus: MilliGpus(1000),
            options: vec![option],
            whole: vec![Some(0)],
        }],
        tenants: vec![Tenant { name: "t".into(), weight_micro: 1_000_000, changes: Vec::new() }],
        ..BoundWorkload::default()
    }
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

fn run(policy: &str, workload: &BoundWorkload, settings: RoundSettings) -> RunRecord {
    let spec = spec(policy).unwrap_or_else(|| panic!("there is no {policy}"));
    let params = Params::check(spec.name, spec.params, &BTreeMap::new()).unwrap();
    simulate(&one_gpu(), workload, settings, spec.build.unwrap()(&params, 0), &mut ())
}

fn finishes(record: &RunRecord) -> Vec<f64> {
    record.jobs.iter().map(|job| job.finish.unwrap().as_secs()).collect()
}

fn preemptions(record: &RunRecord) -> Vec<u32> {
    record.jobs.iter().map(|job| job.preemptions).collect()
}

/// Submission and duration of A, B and C.
const D1: [(f64, f64); 3] = [(0.0, 100.0), (1.0, 10.0), (2.0, 1.0)];

fn jcts(record: &RunRecord) -> Vec<f64> {
    finishes(record).iter().zip(D1).map(|(finish, (submit, _))| finish - submit).collect()
}

/// JCT over three times the duration, for three jobs that share one GPU.
fn rho(workload: &BoundWorkload, record: &RunRecord) -> Vec<f64> {
    let ideal = workload.jobs.iter().map(|job| 3.0 * best_duration_s(job));
    jcts(record).into_iter().zip(ideal).map(|(jct, ideal)| jct / ideal).collect()
}

#[track_caller]
fn all_close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (&found, &expected) in found.iter().zip(expected) {
        close(found, expected);
    }
}

#[test]
fn d1_and_t1_three_jobs_on_one_gpu() {
    let workload = workload(&D1);
    for boundary in [Boundary::Refill, Boundary::Idle] {
        let fifo = run("fifo", &workload, settings(1.0, boundary, 0.0));
        assert_eq!(finishes(&fifo), [100.0, 110.0, 111.0]);
        assert_eq!(jcts(&fifo), [100.0, 109.0, 109.0]);
        assert_eq!(jcts(&fifo).iter().sum::<f64>() / 3.0, 106.0);
        all_close(&rho(&workload, &fifo), &[1.0 / 3.0, 109.0 / 30.0, 109.0 / 3.0]);
        // A share of a third is not kept: two of three are later than alone on a third.
        assert!(rho(&workload, &fifo).iter().any(|&rho| rho > 1.0));
        let srtf = run("srtf", &workload, settings(1.0, boundary, 0.0));
        assert_eq!(finishes(&srtf), [111.0, 12.0, 3.0]);
        assert_eq!(jcts(&srtf), [111.0, 11.0, 1.0]);
        assert_eq!(jcts(&srtf).iter().sum::<f64>() / 3.0, 41.0);
        all_close(&rho(&workload, &srtf), &[37.0 / 100.0, 11.0 / 30.0, 1.0 / 3.0]);
        assert!(rho(&workload, &srtf).iter().all(|&rho| rho <= 1.0));
        assert_eq!(preemptions(&srtf), [1, 1, 0]);
    }
}

#[test]
fn d1_and_t1_processor_sharing_in_the_fluid_mode() {
    let workload = workload(&D1);
    let fluid = RoundSettings { mode: Mode::Fluid, ..settings(1.0, Boundary::Refill, 0.0) };
    let shared = run("round-robin", &workload, fluid);
    all_close(&finishes(&shared), &[111.0, 22.0, 5.0]);
    all_close(&jcts(&shared), &[111.0, 21.0, 3.0]);
    all_close(&rho(&workload, &shared), &[37.0 / 100.0, 7.0 / 10.0, 1.0]);
}

#[test]
fn d3_what_happens_when_a_round_ends_and_when_a_job_does() {
    let workload = workload(&[(0.0, 100.0), (0.0, 100.0)]);
    for (boundary, overhead_s, expected) in [
        (Boundary::Idle, 0.0, [160.0, 220.0]),
        (Boundary::Refill, 0.0, [160.0, 200.0]),
        (Boundary::Idle, 10.0, [180.0, 240.0]),
    ] {
        let record = run("round-robin", &workload, settings(60.0, boundary, overhead_s));
        assert_eq!(finishes(&record), expected);
        assert_eq!(preemptions(&record), [1, 1]);
    }
}
