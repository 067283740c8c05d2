//! Policies that optimise, on cases with known results, through the public interface.

// Simulated times are whole microseconds: equal ones are equal numbers.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::float_cmp)]

#[path = "optimisers/allox.rs"]
mod allox;
#[path = "optimisers/gavel.rs"]
mod gavel;
#[path = "optimisers/oef.rs"]
mod oef;
#[path = "optimisers/themis.rs"]
mod themis;
#[path = "optimisers/world.rs"]
mod world;

use proptest::prelude::*;
use sts_sim::policy::{Reason, spec};
use sts_sim::sim::Boundary;
use world::{Job, run};

const NAMES: [&str; 12] = [
    "gavel-max-min",
    "gavel-water-filling",
    "gavel-max-sum",
    "gavel-makespan",
    "gavel-ftf",
    "themis",
    "allox",
    "gandiva-fair",
    "oef-coop",
    "oef-noncoop",
    "sia",
    "shockwave",
];

fn job() -> impl Strategy<Value = Job> {
    (0u32..3, 0.0f64..3000.0, 10.0f64..5000.0, 1u32..4, 1u32..=10).prop_map(
        |(tenant, submit_s, work_s, devices, speed)| Job {
            tenant,
            submit_s,
            work_s,
            options: vec![(0, devices, 1.0), (1, devices, f64::from(speed) / 10.0)],
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn every_job_ends_on_devices_of_its_own_and_the_same_way_twice(
        jobs in prop::collection::vec(job(), 1..14),
    ) {
        for name in NAMES {
            let mut jobs = jobs.clone();
            if name == "allox" {
                for option in jobs.iter_mut().flat_map(|job| &mut job.options) {
                    option.1 = 1;
                }
            }
            let record = run(name, &[], &[("V100-16", 3), ("T4", 4)], &jobs, 300.0, Boundary::Refill);
            prop_assert!(record.jobs.iter().all(|job| job.finish.is_some()), "{} leaves jobs undone", name);
            prop_assert_eq!(record.unplaced, 0);
            let mut events: Vec<(i64, i64, u16)> = Vec::new();
            for segment in &record.segments {
                let parts = record.parts(segment).len() as i64;
                events.push((segment.to.0, -parts, segment.type_id.0));
                events.push((segment.from.0, parts, segment.type_id.0));
            }
            events.sort_unstable();
            let mut used = [0, 0];
            for (_, more, type_id) in events {
                used[usize::from(type_id)] += more;
                prop_assert!(used[0] <= 3 && used[1] <= 4, "{} uses more than there is", name);
            }
            let again = run(name, &[], &[("V100-16", 3), ("T4", 4)], &jobs, 300.0, Boundary::Refill);
            prop_assert_eq!(record.segments, again.segments);
        }
    }
}

#[test]
fn nobody_waits_while_what_it_needs_is_free() {
    let jobs: Vec<Job> = (0..5).map(|i| Job::whole(i % 2, 0.0, 1000.0, 1)).collect();
    for name in NAMES {
        let record = run(name, &[], &[("V100-16", 5)], &jobs, 300.0, Boundary::Refill);
        for job in &record.jobs {
            assert_eq!(job.first_start.unwrap().as_secs(), 0.0, "{name}");
            assert_eq!(job.finish.unwrap().as_secs(), 1000.0, "{name}");
        }
        assert!(record.waits.iter().all(|wait| wait.reason != Reason::Capacity), "{name}");
    }
}

#[test]
fn sia_and_shockwave_run_a_single_job_at_once_on_its_fastest_type() {
    for name in ["sia", "shockwave", "themis"] {
        let job = Job { tenant: 0, submit_s: 0.0, work_s: 700.0, options: vec![(0, 1, 0.5), (1, 1, 1.0)] };
        let record = run(name, &[], &[("T4", 1), ("V100-16", 1)], &[job], 300.0, Boundary::Refill);
        assert_eq!(record.jobs[0].finish.unwrap().as_secs(), 700.0, "{name}");
        assert_eq!(record.jobs[0].preemptions + record.jobs[0].migrations, 0, "{name}");
    }
}

#[test]
fn shockwave_gives_equals_equal_progress_and_the_longest_a_head_start() {
    // Two equal jobs on one device take turns; neither runs to its end first.
    let jobs = [Job::whole(0, 0.0, 3000.0, 1), Job::whole(1, 0.0, 3000.0, 1)];
    let record = run("shockwave", &[], &[("V100-16", 1)], &jobs, 300.0, Boundary::Refill);
    let ends: Vec<f64> = record.jobs.iter().map(|job| job.finish.unwrap().as_secs()).collect();
    assert!(ends.iter().all(|end| *end >= 5400.0), "{ends:?}");
    // One long job and two short ones on two devices: the makespan is the long job's own time.
    let jobs = [Job::whole(0, 0.0, 600.0, 1), Job::whole(0, 0.0, 600.0, 1), Job::whole(1, 0.0, 9000.0, 1)];
    let record = run("shockwave", &[], &[("V100-16", 2)], &jobs, 300.0, Boundary::Refill);
    assert_eq!(record.jobs[2].finish.unwrap().as_secs(), 9000.0);
}

#[test]
fn every_policy_names_its_source_and_rule() {
    for name in NAMES {
        let spec = spec(name).unwrap();
        assert!(spec.build.is_some() && !spec.citation.is_empty() && !spec.summary.is_empty(), "{name}");
    }
}
