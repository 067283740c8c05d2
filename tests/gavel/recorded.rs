//! Every recorded run is reproduced exactly, by replaying its shares and by the policies that need no solver.

use std::collections::BTreeMap;

use sts_sim::gavel::outcome::Outcome;
use sts_sim::gavel::replay::{Replay, recorded_key};
use sts_sim::gavel::simulator::Running;
use sts_sim::gavel::{Key, Observer};

use crate::runs::{Run, runs, simulated};

/// Workers by job or pair at each round.
#[derive(Default)]
struct Rounds(Vec<(f64, BTreeMap<Key, Vec<u32>>)>);

impl Observer for Rounds {
    fn round(&mut self, now_s: f64, running: &[Running<'_>]) {
        let of_key = |task: &Running<'_>| (task.key, task.workers.to_vec());
        self.0.push((now_s, running.iter().map(of_key).collect()));
    }
}

fn assert_near(name: &str, what: &str, found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-6, "{name}: {what} is {found}, recorded {expected}");
}

/// Everything that was recorded of a run.
fn assert_reproduced(run: &Run, outcome: &Outcome, rounds: &Rounds) {
    let name = &run.name;
    assert_eq!(outcome.rounds, run.figure("rounds") as u64, "{name}: rounds");
    assert_eq!(outcome.policy_runs, run.figure("policy_runs") as u64, "{name}: policy runs");
    assert_eq!(outcome.dropped, run.figure("dropped") as usize, "{name}: dropped");
    assert_near(name, "mean JCT", outcome.avg_jct_s.unwrap(), run.figure("avg_jct_s"));
    assert_near(name, "median JCT", outcome.median_jct_s.unwrap(), run.figure("median_jct_s"));
    assert_near(name, "makespan", outcome.makespan_s, run.figure("makespan_s"));
    assert_near(name, "utilization", outcome.utilization.unwrap(), run.figure("utilization"));
    assert_eq!(outcome.jct_s.len(), run.recorded.jct.len(), "{name}");
    for (job, recorded) in &run.recorded.jct {
        let (found, recorded) = (outcome.jct_s[job], *recorded);
        assert_eq!(found.is_some(), recorded.is_some(), "{name}: job {job}");
        assert_near(name, &format!("JCT of {job}"), found.unwrap_or(0.0), recorded.unwrap_or(0.0));
    }
    assert_eq!(rounds.0.len(), run.recorded.rounds.len(), "{name}");
    for ((found_s, found), (recorded_s, recorded)) in rounds.0.iter().zip(&run.recorded.rounds) {
        assert_near(name, "the start of a round", *found_s, *recorded_s);
        let recorded: BTreeMap<Key, Vec<u32>> =
            recorded.iter().map(|(text, workers)| (recorded_key(text).unwrap(), workers.clone())).collect();
        assert_eq!(*found, recorded, "{name}: the round at {found_s} s");
    }
    for (worker, recorded_s) in &run.recorded.cum_worker_time {
        assert_near(
            name,
            &format!("time of worker {worker}"),
            outcome.worker_time_s[*worker as usize],
            *recorded_s,
        );
    }
    if let Some(recorded) = run.recorded.lease_ext_pct {
        assert_near(name, "leases extended", outcome.lease_extension_pct.unwrap_or(0.0), recorded);
    }
}

#[test]
fn replayed_shares_reproduce_every_run_exactly() {
    let Some(runs) = runs() else { return };
    assert!(runs.len() >= 50);
    for run in &runs {
        let mut rounds = Rounds::default();
        let outcome = simulated(run, &mut Replay::new(&run.recorded), &mut rounds);
        assert_reproduced(run, &outcome, &rounds);
    }
}

/// Policies without a solver, whose own shares are Gavel's.
#[test]
fn closed_forms_reproduce_their_runs_exactly() {
    let Some(runs) = runs() else { return };
    let closed = ["isolated", "fifo", "fifo_perf", "fifo_packed", "gandiva"];
    let mut compared = 0;
    for run in runs.iter().filter(|run| closed.contains(&run.policy.name())) {
        let mut rounds = Rounds::default();
        let outcome = simulated(run, &mut *run.policy.make(run.options.seed), &mut rounds);
        assert_reproduced(run, &outcome, &rounds);
        compared += 1;
    }
    assert!(compared >= 20);
}
