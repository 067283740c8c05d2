//! Themis: equals share equally, and the worst off is served first.

use sts_sim::sim::Boundary;

use crate::world::{Job, rounds_had, run};

#[test]
fn equal_jobs_have_equal_parts() {
    let jobs: Vec<Job> = (0..4).map(|tenant| Job::whole(tenant, 0.0, 100_000.0, 1)).collect();
    let lease = [("lease_s", "300")];
    let record = run("themis", &lease, &[("V100-16", 2)], &jobs, 300.0, Boundary::Refill);
    let had = rounds_had(&record, 4, 1, 300.0, 100.0 * 300.0);
    for had in had {
        assert!((had[0] - 50.0).abs() <= 2.0, "{had:?} of 50 rounds");
    }
}

#[test]
fn the_worst_off_is_served_first() {
    // The first has waited as long as it runs when the second comes and the device is free again.
    let jobs = [Job::whole(0, 0.0, 600.0, 1), Job::whole(1, 0.0, 1000.0, 1), Job::whole(2, 599.0, 1000.0, 1)];
    let lease = [("lease_s", "600"), ("fairness_knob", "1")];
    let record = run("themis", &lease, &[("V100-16", 1)], &jobs, 600.0, Boundary::Idle);
    let starts: Vec<f64> = record.jobs.iter().map(|job| job.first_start.unwrap().as_secs()).collect();
    assert!(starts[1] < starts[2], "{starts:?}");
}
