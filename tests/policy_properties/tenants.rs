//! Policies that serve tenants.

use proptest::prelude::*;
use sts_sim::sim::{Boundary, RunRecord};
use sts_sim::units::SimTime;
use sts_sim::workload::BoundWorkload;

use super::world::{
    Row, finishes, held_s, number, one_type, rounds, row, run, run_with, schedule, word, workload,
};

const ONE: u64 = 1_000_000;

/// Device-seconds of each tenant within a stretch.
fn of_tenants(workload: &BoundWorkload, record: &RunRecord, from_s: f64, to_s: f64) -> Vec<f64> {
    let mut sums = vec![0.0; workload.tenants.len()];
    for (job, held) in workload.jobs.iter().zip(held_s(record, from_s, to_s)) {
        sums[job.tenant.index()] += held * workload.class_of(job).gpus.as_gpus();
    }
    sums
}

/// Long jobs of each tenant, so many each.
fn backlog(jobs: u32, tenants: u32) -> Vec<Row> {
    (0..jobs * tenants).map(|index| row(0.0, 1000.0, 1, index % tenants)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn with_one_tenant_and_single_gpus_fairness_over_tenants_is_fifo(
        list in prop::collection::vec((0u32..300, 1u32..60), 1..30),
        devices in 1u32..5,
    ) {
        let rows: Vec<Row> = list.iter().map(|&(s, d)| row(f64::from(s), f64::from(d), 1, 0)).collect();
        let workload = workload(&[ONE], &rows);
        let settings = rounds(10.0, Boundary::Refill);
        let fifo = run("fifo", &one_type(devices), &workload, settings);
        for policy in ["drf", "proportional", "ltrf", "equal-split"] {
            let record = run(policy, &one_type(devices), &workload, settings);
            prop_assert_eq!(schedule(&record), schedule(&fifo), "{}", policy);
        }
    }
}

#[test]
fn drf_divides_devices_by_weight_at_every_moment() {
    let workload = workload(&[ONE, 2 * ONE], &backlog(6, 2));
    let record = run("drf", &one_type(6), &workload, rounds(10.0, Boundary::Refill));
    assert_eq!(of_tenants(&workload, &record, 0.0, 500.0), [1000.0, 2000.0]);
}

#[test]
fn equal_split_keeps_its_parts_and_lends_what_is_left() {
    // Four devices, three tenants: 4/3 each, so over three rounds everybody has had four devices for a round.
    let many = workload(&[ONE; 3], &backlog(4, 3));
    for left_over in ["lend", "idle"] {
        let params = [word("left_over", left_over)];
        let record = run_with("equal-split", &params, 7, &one_type(4), &many, rounds(10.0, Boundary::Refill));
        assert_eq!(of_tenants(&many, &record, 0.0, 300.0), [400.0; 3]);
    }
    // A tenant with one job cannot use its two devices.
    let rows = [row(0.0, 100.0, 1, 0), row(0.0, 100.0, 1, 1), row(0.0, 100.0, 1, 1), row(0.0, 100.0, 1, 1)];
    let few = workload(&[ONE; 2], &rows);
    let finish = |left_over| {
        let params = [word("left_over", left_over)];
        finishes(&run_with("equal-split", &params, 7, &one_type(4), &few, rounds(10.0, Boundary::Refill)))
    };
    assert_eq!(finish("lend"), [100.0; 4]);
    // Its part is idle until the end of the round in which it finishes its last job.
    assert_eq!(finish("idle"), [100.0, 100.0, 100.0, 200.0]);
}

#[test]
fn proportional_share_follows_weights_and_does_not_repay_idle_time() {
    let even = workload(&[ONE, 2 * ONE], &backlog(2, 2));
    let record = run("proportional", &one_type(1), &even, rounds(10.0, Boundary::Refill));
    let shares = of_tenants(&even, &record, 0.0, 900.0);
    assert!((shares[0] - 300.0).abs() <= 10.0 && (shares[0] + shares[1] - 900.0).abs() < 1e-6, "{shares:?}");
    // The second tenant comes after 300 s in which the first was alone.
    let late = workload(&[ONE; 2], &[row(0.0, 1000.0, 1, 0), row(300.0, 1000.0, 1, 1)]);
    let record = run("proportional", &one_type(1), &late, rounds(10.0, Boundary::Refill));
    let shares = of_tenants(&late, &record, 300.0, 900.0);
    assert!((shares[0] - 300.0).abs() <= 10.0, "{shares:?}");
}

#[test]
fn ltrf_repays_what_was_lent() {
    let late = workload(&[ONE; 2], &[row(0.0, 1000.0, 1, 0), row(300.0, 1000.0, 1, 1)]);
    let settings = rounds(10.0, Boundary::Refill);
    let record = run("ltrf", &one_type(1), &late, settings);
    assert_eq!(of_tenants(&late, &record, 300.0, 600.0), [0.0, 300.0]);
    let shares = of_tenants(&late, &record, 0.0, 1200.0);
    assert!((shares[0] - 600.0).abs() <= 10.0, "{shares:?}");
    // One lent round is repaid by one.
    let once = workload(&[ONE; 2], &[row(0.0, 100.0, 1, 0), row(10.0, 100.0, 1, 1)]);
    let record = run("ltrf", &one_type(1), &once, settings);
    assert_eq!(of_tenants(&once, &record, 10.0, 20.0), [0.0, 10.0]);
    assert_eq!(of_tenants(&once, &record, 0.0, 40.0), [20.0, 20.0]);
    // With accounts that start anew after 200 s the loan is forgotten in time.
    let record = run_with("ltrf", &[number("window_s", 200.0)], 7, &one_type(1), &late, settings);
    let shares = of_tenants(&late, &record, 400.0, 800.0);
    assert!((shares[0] - 200.0).abs() <= 10.0, "{shares:?}");
}

#[test]
fn a_tenant_without_weight_gets_what_others_leave() {
    let rows = [row(0.0, 100.0, 1, 0), row(0.0, 100.0, 1, 1), row(0.0, 100.0, 1, 1)];
    let workload = workload(&[0, ONE], &rows);
    for policy in ["drf", "proportional", "ltrf", "equal-split"] {
        let record = run(policy, &one_type(2), &workload, rounds(10.0, Boundary::Refill));
        assert_eq!(finishes(&record), [200.0, 100.0, 100.0], "{policy}");
        assert_eq!(record.jobs[0].first_start, Some(SimTime(100_000_000)));
    }
}
