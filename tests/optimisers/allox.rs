//! AlloX on one worker, and what it refuses.

use sts_sim::policy::spec;
use sts_sim::sim::Boundary;

use crate::world::{Job, cluster, params, run, workload};

#[test]
fn on_one_worker_the_shortest_goes_first() {
    let jobs: Vec<Job> =
        [500.0, 100.0, 900.0, 300.0].iter().map(|&work_s| Job::whole(0, 0.0, work_s, 1)).collect();
    let record = run("allox", &[], &[("V100-16", 1)], &jobs, 60.0, Boundary::Refill);
    let ends: Vec<f64> = record.jobs.iter().map(|job| job.finish.unwrap().as_secs()).collect();
    assert_eq!(ends, [900.0, 100.0, 1800.0, 400.0]);
    assert!(record.jobs.iter().all(|job| job.preemptions == 0));
}

#[test]
fn the_job_that_gains_most_from_the_fast_worker_has_it() {
    // Together 10 + 20 s; the other way round 40 + 12 s.
    let jobs = [
        Job { tenant: 0, submit_s: 0.0, work_s: 10.0, options: vec![(0, 1, 1.0), (1, 1, 0.25)] },
        Job { tenant: 0, submit_s: 0.0, work_s: 12.0, options: vec![(0, 1, 1.0), (1, 1, 0.6)] },
    ];
    let record = run("allox", &[], &[("V100-16", 1), ("T4", 1)], &jobs, 60.0, Boundary::Refill);
    let ends: Vec<f64> = record.jobs.iter().map(|job| job.finish.unwrap().as_secs()).collect();
    assert_eq!(ends, [10.0, 20.0]);
}

#[test]
fn refuses_gangs_before_the_run() {
    let cluster = cluster(&[("V100-16", 4)]);
    let spec = spec("allox").unwrap();
    let given = params("allox", &[]);
    let single = workload(&cluster, &[Job::whole(0, 0.0, 10.0, 1)]);
    assert_eq!(spec.refuses.unwrap()(&cluster, &single, &given), None);
    let gang = workload(&cluster, &[Job::whole(0, 0.0, 10.0, 1), Job::whole(0, 0.0, 10.0, 2)]);
    let words = spec.refuses.unwrap()(&cluster, &gang, &given).unwrap();
    assert!(words.contains("1 ask for several"), "{words}");
}
