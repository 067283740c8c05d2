//! Shockwave's table of 120 jobs on 32 GPUs, with the run times that its trace states; see `docs/reproductions.md`.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used)]

#[path = "optimisers/world.rs"]
#[allow(dead_code)]
mod world;

use std::path::PathBuf;

use sts_sim::sim::Boundary;
use world::{Job, run};

/// The trace's jobs with the run times that the trace states: those of Gavel's table differ by factors of 0.2 to 8.
fn jobs(shared: &std::path::Path) -> Option<Vec<Job>> {
    let trace =
        std::fs::read_to_string(shared.join("traces/shockwave_trace/120_multigpu_dynamic.trace")).ok()?;
    let job = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let number = |at: usize| fields[at].trim().parse::<f64>().unwrap();
        Job::whole(0, number(11), number(10), number(6) as u32)
    };
    Some(trace.lines().filter(|line| !line.is_empty()).map(job).collect())
}

#[derive(Debug)]
struct Row {
    name: &'static str,
    makespan_s: f64,
    jct_s: f64,
    worst_rho: f64,
    unfair: f64,
}

/// Finish-time fairness as in the metrics: JCT over run time times mean contention of the stay, at least 1.
fn row(name: &'static str, given: &[(&str, &str)], jobs: &[Job]) -> Row {
    let record = run(name, given, &[("V100-16", 32)], jobs, 120.0, Boundary::Idle);
    let mut jobs: Vec<&Job> = jobs.iter().collect();
    jobs.sort_by(|a, b| a.submit_s.total_cmp(&b.submit_s));
    let ends: Vec<f64> = record.jobs.iter().map(|job| job.finish.unwrap().as_secs()).collect();
    let rho = |at: usize| {
        let (from, to) = (jobs[at].submit_s, ends[at]);
        let asked: f64 = jobs
            .iter()
            .zip(&ends)
            .map(|(job, end)| f64::from(job.options[0].1) * (end.min(to) - job.submit_s.max(from)).max(0.0))
            .sum();
        (to - from) / (jobs[at].work_s * (asked / (to - from) / 32.0).max(1.0))
    };
    let rhos: Vec<f64> = (0..jobs.len()).map(rho).collect();
    let n = jobs.len() as f64;
    Row {
        name,
        makespan_s: ends.iter().fold(0.0, |most: f64, end| most.max(*end)) - jobs[0].submit_s,
        jct_s: ends.iter().zip(&jobs).map(|(end, job)| end - job.submit_s).sum::<f64>() / n,
        worst_rho: rhos.iter().copied().fold(0.0, f64::max),
        unfair: rhos.iter().filter(|rho| **rho > 1.05).count() as f64 / n,
    }
}

#[test]
fn makespans_and_their_order_are_those_of_the_table() {
    let shared = PathBuf::from(std::env::var("STS_SHARED").unwrap_or_else(|_| "../shared/data".to_string()));
    let Some(jobs) = jobs(&shared) else {
        assert_ne!(
            std::env::var("STS_REQUIRE_SHARED").as_deref(),
            Ok("1"),
            "no Shockwave trace in {shared:?}"
        );
        println!("skipped: no Shockwave trace in {}", shared.display());
        return;
    };
    assert_eq!(jobs.len(), 120);
    let rows: Vec<Row> = [
        "shockwave",
        "gavel-makespan",
        "gavel-ftf",
        "gavel-max-min",
        "gavel-max-sum",
        "gandiva-fair",
        "themis",
    ]
    .into_iter()
    .map(|name| row(name, &[], &jobs))
    .collect();
    for row in &rows {
        println!(
            "{:16} makespan {:8.1}  mean JCT {:8.1}  worst rho {:.3}  unfair {:.3}",
            row.name, row.makespan_s, row.jct_s, row.worst_rho, row.unfair
        );
    }
    let of = |name: &str| rows.iter().find(|row| row.name == name).unwrap();
    // Published figures of the same policies, in seconds.
    for (name, published_s) in [
        ("gavel-makespan", 24_204.8),
        ("gavel-ftf", 31_928.7),
        ("gavel-max-min", 33_207.7),
        ("gavel-max-sum", 31_909.0),
        ("gandiva-fair", 32_367.4),
    ] {
        let ratio = of(name).makespan_s / published_s;
        assert!((0.9..1.1).contains(&ratio), "{name}: {ratio} of the published makespan");
    }
    let planned = of("shockwave");
    for name in ["gavel-ftf", "gavel-max-min", "gavel-max-sum", "gandiva-fair"] {
        let row = of(name);
        assert!(of("gavel-makespan").makespan_s < planned.makespan_s && planned.makespan_s < row.makespan_s);
        assert!(of("gavel-makespan").jct_s > 1.3 * row.jct_s, "{name}");
        assert!(of("gavel-makespan").worst_rho > 1.3 * row.worst_rho, "{name}");
    }
    for name in ["gavel-ftf", "gavel-max-min", "gavel-max-sum"] {
        assert!(
            planned.worst_rho < of(name).worst_rho && of("gandiva-fair").jct_s > of(name).jct_s,
            "{name}"
        );
    }
}
