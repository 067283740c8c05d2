//! The policies with a solver, by their own shares: near Gavel's results.
//!
//! Their programs have many optima, so trajectories differ; the bounds are what another solver makes of Gavel's own formulas.

use crate::runs::{runs, simulated};

/// By policy: the percentage by which the mean completion time may differ.
const TOLERANCES: [(&str, f64); 9] = [
    ("max_min_fairness_perf", 3.0),
    ("max_min_fairness_water_filling_perf", 3.0),
    ("finish_time_fairness_perf", 7.0),
    ("finish_time_fairness", 7.0),
    ("max_sum_throughput_perf", 5.0),
    ("max_min_fairness", 15.0),
    ("min_total_duration_perf", 30.0),
    ("min_total_duration", 30.0),
    ("allox", 1.0),
];

#[test]
fn mean_completion_times_are_near_gavels() {
    let Some(runs) = runs() else { return };
    let mut compared = 0;
    for run in &runs {
        let tolerance = TOLERANCES.iter().find(|(policy, _)| *policy == run.policy.name());
        let Some(&(_, tolerance)) = tolerance else { continue };
        let outcome = simulated(run, &mut *run.policy.make(run.options.seed), &mut ());
        let percent = |found: f64, column: &str| 100.0 * (found / run.figure(column) - 1.0);
        let off = percent(outcome.avg_jct_s.unwrap(), "avg_jct_s");
        let name = &run.name;
        println!(
            "{name:58} mean JCT {off:+.2} %, makespan {:+.2} %",
            percent(outcome.makespan_s, "makespan_s")
        );
        assert!(
            off.abs() <= tolerance,
            "{name}: the mean JCT is off by {off:.2} %, at most {tolerance} % expected"
        );
        // A job on several GPUs that is left with fewer steps than GPUs is dropped; which jobs are depends on the trajectory.
        assert_eq!(outcome.completed + outcome.dropped, run.jobs.len(), "{name}");
        assert!(outcome.dropped <= 2, "{name}: {} dropped", outcome.dropped);
        compared += 1;
    }
    assert!(compared >= 25, "{compared} runs");
}
