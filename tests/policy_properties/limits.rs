//! Policies that serve jobs in an order.

use proptest::prelude::*;
use sts_sim::sim::Boundary;
use sts_sim::units::SimSpan;

use super::world::{
    Row, finishes, number, one_type, rounds, row, run, run_with, schedule, starts, word, workload,
};

/// D1: one device, three jobs.
const D1: [(f64, f64); 3] = [(0.0, 100.0), (1.0, 10.0), (2.0, 1.0)];

fn singles(list: &[(f64, f64)]) -> Vec<Row> {
    list.iter().map(|&(submit, duration)| row(submit, duration, 1, 0)).collect()
}

#[test]
fn d1_sjf_does_not_preempt() {
    let record = run("sjf", &one_type(1), &workload(&[1], &singles(&D1)), rounds(1.0, Boundary::Refill));
    assert_eq!(finishes(&record), [100.0, 111.0, 101.0]);
    assert!(record.jobs.iter().all(|job| job.preemptions == 0));
}

#[test]
fn estimates_without_error_are_exact_and_unknown_run_times_are_attained_service() {
    let workload = workload(&[1], &singles(&D1));
    let cluster = one_type(1);
    let run = |params: &[_]| {
        finishes(&run_with("srtf", params, 3, &cluster, &workload, rounds(1.0, Boundary::Refill)))
    };
    assert_eq!(run(&[word("durations", "noisy"), number("duration_error", 0.0)]), [111.0, 12.0, 3.0]);
    // Whoever has had least runs: C at once; A and B by turns once B has had as much as A had, with ties to A.
    let unknown = run(&[word("durations", "unknown")]);
    assert_eq!((unknown[0], unknown[2]), (111.0, 3.0));
    assert!(unknown[1] > 12.0 && unknown[1] < 25.0, "{unknown:?}");
}

fn single_rows() -> impl Strategy<Value = Vec<Row>> {
    prop::collection::vec((0u32..300, 1u32..60), 1..30)
        .prop_map(|list| list.iter().map(|&(s, d)| row(f64::from(s), f64::from(d), 1, 0)).collect())
}

fn gang_rows(most: u32) -> impl Strategy<Value = Vec<Row>> {
    prop::collection::vec((0u32..300, 1u32..60, 1..=most), 1..30)
        .prop_map(|list| list.iter().map(|&(s, d, g)| row(f64::from(s), f64::from(d), g, 0)).collect())
}

/// When each job starts if whoever is shortest of those that wait starts as soon as the device is free.
fn shortest_first(rows: &[Row]) -> Vec<f64> {
    let mut starts = vec![f64::NAN; rows.len()];
    let mut now: f64 = 0.0;
    for _ in rows {
        let waits = |index: &usize| starts[*index].is_nan();
        let first = (0..rows.len()).filter(waits).map(|i| rows[i].submit_s).fold(f64::INFINITY, f64::min);
        now = now.max(first);
        let arrived = (0..rows.len()).filter(waits).filter(|&i| rows[i].submit_s <= now);
        let next = arrived.min_by(|&a, &b| rows[a].duration_s.total_cmp(&rows[b].duration_s)).unwrap();
        starts[next] = now;
        now += rows[next].duration_s;
    }
    starts
}

/// When each job starts under EASY, by stepping from event to event.
fn easy_by_hand(rows: &[Row], devices: u32) -> Vec<f64> {
    let mut starts = vec![f64::NAN; rows.len()];
    let end = |starts: &[f64], i: usize| starts[i] + rows[i].duration_s;
    let mut now = 0.0;
    while starts.iter().any(|start| start.is_nan()) {
        let mut free = devices - running(rows, &starts, now);
        let queue: Vec<usize> =
            (0..rows.len()).filter(|&i| starts[i].is_nan() && rows[i].submit_s <= now).collect();
        let mut queue = queue.into_iter().peekable();
        while let Some(&head) = queue.peek() {
            if rows[head].devices > free {
                break;
            }
            starts[head] = now;
            free -= rows[head].devices;
            queue.next();
        }
        if let Some(head) = queue.next() {
            // The shadow time: when enough devices are free for the head; and how many more are free then.
            let mut ends: Vec<f64> =
                (0..rows.len()).filter(|&i| end(&starts, i) > now).map(|i| end(&starts, i)).collect();
            ends.sort_by(f64::total_cmp);
            let free_at = |t: f64, starts: &[f64]| {
                devices
                    - (0..rows.len())
                        .filter(|&i| starts[i] <= now && end(starts, i) > t)
                        .map(|i| rows[i].devices)
                        .sum::<u32>()
            };
            let shadow = ends.into_iter().find(|&t| free_at(t, &starts) >= rows[head].devices).unwrap();
            let mut extra = free_at(shadow, &starts) - rows[head].devices;
            for i in queue {
                let ends_before = now + rows[i].duration_s <= shadow;
                if rows[i].devices <= free && (ends_before || rows[i].devices <= extra) {
                    starts[i] = now;
                    free -= rows[i].devices;
                    extra -= if ends_before { 0 } else { rows[i].devices };
                }
            }
        }
        let arrivals = rows.iter().map(|row| row.submit_s);
        let ends = (0..rows.len()).map(|i| end(&starts, i));
        now = arrivals.chain(ends).filter(|&t| t > now).fold(f64::INFINITY, f64::min);
        if now.is_infinite() {
            break;
        }
    }
    starts
}

fn running(rows: &[Row], starts: &[f64], now: f64) -> u32 {
    let runs = |i: &usize| starts[*i] <= now && starts[*i] + rows[*i].duration_s > now;
    (0..rows.len()).filter(runs).map(|i| rows[i].devices).sum()
}

fn by_submission(mut rows: Vec<Row>) -> Vec<Row> {
    rows.sort_by(|a, b| a.submit_s.total_cmp(&b.submit_s));
    rows
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn sjf_on_one_device_runs_the_shortest_that_waits(rows in single_rows()) {
        let rows = by_submission(rows);
        let record = run("sjf", &one_type(1), &workload(&[1], &rows), rounds(1e6, Boundary::Refill));
        prop_assert_eq!(starts(&record), shortest_first(&rows));
    }

    #[test]
    fn easy_with_exact_run_times_starts_every_job_when_it_should(rows in gang_rows(6), devices in 6u32..9) {
        let rows = by_submission(rows);
        let record = run("easy", &one_type(devices), &workload(&[1], &rows), rounds(1e6, Boundary::Refill));
        prop_assert_eq!(starts(&record), easy_by_hand(&rows, devices));
    }

    #[test]
    fn tiresias_with_one_queue_and_single_gpus_is_fifo(rows in single_rows(), devices in 1u32..5) {
        let workload = workload(&[1], &rows);
        let settings = rounds(10.0, Boundary::Refill);
        let one = run_with("tiresias", &[number("queues", 1.0)], 7, &one_type(devices), &workload, settings);
        let fifo = run("fifo", &one_type(devices), &workload, settings);
        prop_assert_eq!(schedule(&one), schedule(&fifo));
    }

    #[test]
    fn tiresias_with_one_queue_runs_gangs_as_fifo_with_backfill(rows in gang_rows(4)) {
        let workload = workload(&[1], &rows);
        let settings = rounds(1e6, Boundary::Refill);
        let one = run_with("tiresias", &[number("queues", 1.0)], 7, &one_type(5), &workload, settings);
        let backfill = run("fifo-backfill", &one_type(5), &workload, settings);
        prop_assert_eq!(schedule(&one), schedule(&backfill));
    }

    #[test]
    fn random_order_on_one_device_is_an_order(rows in single_rows(), seed in 0u64..4) {
        let settings = rounds(10.0, Boundary::Refill);
        let workload = workload(&[1], &rows);
        let record = run_with("random", &[], seed, &one_type(1), &workload, settings);
        prop_assert!(record.jobs.iter().all(|job| job.preemptions == 0));
        prop_assert_eq!(record.end, run("fifo", &one_type(1), &workload, settings).end);
    }
}

#[test]
fn random_order_runs_a_job_alone_at_once_and_goes_by_the_seed() {
    let settings = rounds(10.0, Boundary::Refill);
    let alone = run("random", &one_type(1), &workload(&[1], &singles(&[(3.5, 10.0)])), settings);
    assert_eq!(finishes(&alone), [13.5]);
    let rows: Vec<Row> = (0..12).map(|_| row(0.0, 5.0, 1, 0)).collect();
    let workload = workload(&[1], &rows);
    let order = |seed| {
        let record = run_with("random", &[], seed, &one_type(1), &workload, settings);
        let mut order: Vec<usize> = (0..12).collect();
        order.sort_by_key(|&job| record.jobs[job].first_start);
        order
    };
    assert_eq!(order(1), order(1));
    assert_ne!(order(1), order(2));
    assert_ne!(order(1), (0..12).collect::<Vec<_>>());
}

#[test]
fn tiresias_demotes_twice_and_promotes_who_waits_too_long() {
    // Thresholds of 20 and 40 device-seconds.
    let queues = |count: f64| {
        vec![
            number("queues", count),
            number("threshold_gpu_hours", 20.0 / 3600.0),
            number("threshold_factor", 2.0),
        ]
    };
    let rows = singles(&[(0.0, 100.0), (0.0, 30.0), (0.0, 50.0)]);
    let workload = workload(&[1], &rows);
    let cluster = one_type(1);
    let finish = |params: &[_]| {
        finishes(&run_with("tiresias", params, 7, &cluster, &workload, rounds(10.0, Boundary::Refill)))
    };
    // 20 s each; then in the second queue A for 20 more, B to its end at 90, C for 20; then A, which started first, and C.
    assert_eq!(finish(&queues(3.0)), [170.0, 90.0, 180.0]);
    // Without a third queue A is not passed any more.
    assert_eq!(finish(&queues(2.0)), [140.0, 150.0, 180.0]);
    let mut promoting = queues(3.0);
    promoting.push(number("promote_knob", 0.5));
    let promoted = finish(&promoting);
    assert_ne!(promoted, finish(&queues(3.0)));
    assert!((promoted.iter().copied().fold(0.0, f64::max) - 180.0).abs() < 1e-9);
}

#[test]
fn easy_lets_nobody_delay_the_head_of_the_queue() {
    // A holds 3 of 4 devices until 100; B needs all. C would end at 110, D at 90; both fit beside A.
    let rows = [row(0.0, 100.0, 3, 0), row(1.0, 50.0, 4, 0), row(2.0, 108.0, 1, 0), row(3.0, 87.0, 1, 0)];
    let workload = workload(&[1], &rows);
    let settings = rounds(10.0, Boundary::Refill);
    let easy = run("easy", &one_type(4), &workload, settings);
    assert_eq!(starts(&easy), [0.0, 100.0, 150.0, 3.0]);
    let backfill = run("fifo-backfill", &one_type(4), &workload, settings);
    assert_eq!(starts(&backfill), [0.0, 187.0, 2.0, 100.0]);
}

#[test]
fn easy_goes_by_the_limit_that_a_job_asked_for() {
    // D ends at 90 but asked for 200 s, so that it might delay B.
    let rows = [row(0.0, 100.0, 3, 0), row(1.0, 50.0, 4, 0), row(3.0, 87.0, 1, 0)];
    let mut asking = workload(&[1], &rows);
    let settings = rounds(10.0, Boundary::Refill);
    assert_eq!(starts(&run("easy", &one_type(4), &asking, settings)), [0.0, 100.0, 3.0]);
    asking.jobs[2].limit = Some(SimSpan::from_secs(200.0));
    assert_eq!(starts(&run("easy", &one_type(4), &asking, settings)), [0.0, 100.0, 150.0]);
    asking.jobs[2].limit = Some(SimSpan::from_secs(97.0));
    assert_eq!(starts(&run("easy", &one_type(4), &asking, settings)), [0.0, 100.0, 3.0]);
}
