//! Cases small enough to be worked out by hand, on a hand-made throughput table.
//!
//! Rates in steps/s: Quick 4, 2, 1 on V100, P100, K80; Steady 2, 2, 1; Even 1 and Half 0.5 everywhere; Large 0, 1, 1; Quick on four
//! GPUs 8, 4, 0. Packed on a V100, Quick has 3.5 and Steady 1.5.

use std::path::PathBuf;

use sts_sim::gavel::outcome::Outcome;
use sts_sim::gavel::policy::PolicyName;
use sts_sim::gavel::simulator::Running;
use sts_sim::gavel::{Cluster, GavelError, Observer, Options, Table, simulate, trace};

fn fixture(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/gavel").join(name);
    std::fs::read_to_string(path).unwrap()
}

/// A run on clusters given as `V100:P100:K80`.
struct Case<'a> {
    cluster: &'a str,
    policy: &'a str,
    seed: u64,
    round_s: f64,
}

impl Default for Case<'_> {
    fn default() -> Self {
        Self { cluster: "1:0:0", policy: "fifo_perf", seed: 0, round_s: 360.0 }
    }
}

impl Case<'_> {
    fn watched(&self, text: &str, observer: &mut dyn Observer) -> Result<Outcome, GavelError> {
        let jobs = trace::read(text)?;
        let policy = PolicyName::parse(self.policy)?;
        let table = Table::read(fixture("throughputs.json").as_bytes(), policy.packing())?;
        let cluster = Cluster::new(self.cluster.parse()?, "1:1:1".parse()?)?;
        let options = Options { cluster, policy, seed: self.seed, round_s: self.round_s };
        simulate(&jobs, &table, &options, &mut *policy.make(self.seed), observer)
    }

    fn run(&self, text: &str) -> Outcome {
        self.watched(text, &mut ()).unwrap()
    }
}

/// A trace in the older layout from (job type, steps, arrival, GPUs).
fn jobs(rows: &[(&str, u64, f64, u32)]) -> String {
    rows.iter()
        .map(|(job_type, steps, arrival_s, gpus)| {
            format!("{job_type}\tx\t-n\t1\t{steps}\t{arrival_s}\t{gpus}\n")
        })
        .collect()
}

fn jcts(outcome: &Outcome) -> Vec<Option<f64>> {
    outcome.jct_s.values().copied().collect()
}

/// The clock at each round, and the jobs that run.
#[derive(Default)]
struct Rounds(Vec<(f64, Vec<u32>)>);

impl Observer for Rounds {
    fn round(&mut self, now_s: f64, running: &[Running<'_>]) {
        self.0.push((now_s, running.iter().flat_map(|task| task.key.jobs()).collect()));
    }
}

#[test]
fn a_round_ends_with_its_slowest_job() {
    // 1000 steps at 4/s end at 250 s, and the round with them; 720 at 2/s take one more round.
    let outcome = Case::default().run(&fixture("two_jobs.trace"));
    assert_eq!(jcts(&outcome), [Some(250.0), Some(610.0)]);
    assert_eq!((outcome.avg_jct_s, outcome.median_jct_s), (Some(430.0), Some(430.0)));
    assert_eq!((outcome.makespan_s, outcome.utilization), (610.0, Some(1.0)));
    // The last, empty round counts. Shares are computed at 0 and 250 s: at 610 s it is too early.
    assert_eq!((outcome.rounds, outcome.policy_runs, outcome.dropped), (3, 2, 0));
}

#[test]
fn a_gap_counts_as_busy() {
    // Runs 0–360 s; nothing until 1000 s, where a round passes in no time as shares of 360 s are too new; then two rounds. The
    // first of them is booked from 360 s on.
    let outcome = Case::default().run(&fixture("idle_gap.trace"));
    assert_eq!(jcts(&outcome), [Some(360.0), Some(720.0)]);
    assert_eq!((outcome.makespan_s, outcome.rounds), (1720.0, 6));
    assert_eq!(outcome.worker_time_s, [1720.0]);
    assert_eq!(outcome.utilization, Some(1.0));
    // The clock starts at the first arrival, but the first round is booked from 0.
    let late = Case::default().run(&jobs(&[("Even", 360, 500.0, 1)]));
    assert_eq!((late.makespan_s, late.rounds), (860.0, 2));
    assert_eq!((jcts(&late), late.worker_time_s), (vec![Some(360.0)], vec![860.0]));
}

#[test]
fn a_job_that_comes_after_shares_were_computed_waits_beside_an_idle_gpu() {
    // Shares are computed at 0 s, at 360 s (nothing holds back the second time), and not before 360 + 1920 s: at 2520 s.
    let case = Case { cluster: "3:0:0", policy: "isolated", ..Case::default() };
    let text = jobs(&[("Even", 10_000, 0.0, 1), ("Even", 10_000, 100.0, 1), ("Even", 360, 500.0, 1)]);
    let mut rounds = Rounds::default();
    let outcome = case.watched(&text, &mut rounds).unwrap();
    assert_eq!(outcome.jct_s[&2], Some(2520.0 + 360.0 - 500.0));
    for (now_s, running) in &rounds.0[2..7] {
        assert_eq!(*running, [0, 1], "at {now_s} s");
    }
    assert_eq!(rounds.0[7], (2520.0, vec![0, 1, 2]));
}

#[test]
fn equal_shares_alternate() {
    // Two jobs of two rounds each on one GPU: who ran has priority 1/2 over 3/4, who did not 1/2 over 1/4.
    let case = Case { policy: "isolated", ..Case::default() };
    let mut rounds = Rounds::default();
    let outcome = case.watched(&jobs(&[("Even", 720, 0.0, 1), ("Even", 720, 0.0, 1)]), &mut rounds).unwrap();
    let ran: Vec<Vec<u32>> = rounds.0.into_iter().map(|(_, running)| running).collect();
    assert_eq!(ran, [vec![0], vec![1], vec![0], vec![1], vec![]]);
    assert_eq!(jcts(&outcome), [Some(1080.0), Some(1440.0)]);
}

#[test]
fn fewer_steps_than_gpus_fail_five_times_and_drop_the_job() {
    // 2883 steps on four GPUs: 2880 in the first round, then five rounds of 3 steps, 3/8 s each, all lost.
    let case = Case { cluster: "4:0:0", ..Case::default() };
    let outcome = case.run(&jobs(&[("Quick", 2883, 0.0, 4), ("Even", 36, 0.0, 1)]));
    assert_eq!((outcome.dropped, outcome.completed), (1, 1));
    assert_eq!(outcome.jct_s[&0], None);
    // The first is dropped at 361.875 s; a round passes in no time, then nothing holds back new shares: the second ends 36 s
    // later.
    assert_eq!(outcome.jct_s[&1], Some(397.875));
    assert_eq!((outcome.avg_jct_s, outcome.makespan_s), (Some(397.875), 397.875));
    assert_eq!(outcome.rounds, 9);
}

#[test]
fn less_than_a_step_in_a_round_drops_the_job_without_taking_time() {
    let case = Case { round_s: 1.0, ..Case::default() };
    let outcome = case.run(&jobs(&[("Half", 10, 0.0, 1)]));
    assert_eq!((outcome.dropped, outcome.completed, outcome.rounds), (1, 0, 6));
    assert_eq!((outcome.makespan_s, outcome.avg_jct_s, outcome.utilization), (0.0, None, None));
}

#[test]
fn types_are_tried_in_an_order_drawn_from_the_seed_each_round() {
    // Rounds of 100 s have 400, 200 or 100 steps, by the first type drawn: v v p, then p v p k v, then v v k k.
    for (seed, jct_s) in [(0, 300.0), (1, 425.0), (7, 400.0)] {
        let case = Case { cluster: "1:1:1", policy: "isolated", seed, round_s: 100.0 };
        assert_eq!(jcts(&case.run(&jobs(&[("Quick", 1000, 0.0, 1)]))), [Some(jct_s)], "seed {seed}");
    }
}

#[test]
fn both_jobs_of_a_pair_end_with_the_slower() {
    // 3.5/4 + 1.5/2 > 1.5: packed. Quick needs 360 s, Steady 180 s.
    let case = Case { policy: "fifo_packed", ..Case::default() };
    let text = jobs(&[("Quick", 1260, 0.0, 1), ("Steady", 270, 0.0, 1)]);
    let outcome = case.run(&text);
    assert_eq!(jcts(&outcome), [Some(360.0), Some(360.0)]);
    assert_eq!(outcome.worker_time_s, [360.0]);
    // On a P100 they are slower together: one after the other.
    let apart = Case { cluster: "0:1:0", ..case }.run(&text);
    assert_eq!(jcts(&apart), [Some(630.0), Some(765.0)]);
}

#[test]
fn what_gavel_would_run_for_ever_on_is_an_error() {
    // fifo puts every job on the last type in the alphabet, here on a V100 on which it cannot run.
    let case = Case { cluster: "1:0:1", policy: "fifo", ..Case::default() };
    let stuck = case.watched(&jobs(&[("Large", 10, 0.0, 1)]), &mut ()).unwrap_err();
    assert!(matches!(stuck, GavelError::Stuck { .. }), "{stuck}");
}

#[test]
fn runs_that_cannot_be_are_refused_before_they_begin() {
    let refused = |cluster, policy, row| {
        let case = Case { cluster, policy, ..Case::default() };
        case.watched(&jobs(&[("Even", 1, 0.0, 1), row]), &mut ()).unwrap_err().to_string()
    };
    let too_large = refused("3:3:9", "fifo_perf", ("Quick", 10, 0.0, 4));
    assert!(
        too_large.contains("line 2: the job asks for 4 GPUs of one type, the cluster has at most 3"),
        "{too_large}"
    );
    let gang = refused("4:4:4", "allox", ("Quick", 10, 0.0, 4));
    assert!(gang.contains("line 2") && gang.contains("one GPU only"), "{gang}");
    let unknown = refused("4:4:4", "fifo_perf", ("Quick", 10, 0.0, 2));
    assert!(unknown.contains("line 2: the throughput table has no ('Quick', 2)"), "{unknown}");
    let blind = refused("0:4:4", "min_total_duration", ("Even", 10, 0.0, 1));
    assert!(blind.contains("the cluster has none"), "{blind}");
    let nameless = refused("1:0:0", "fifo_best", ("Even", 10, 0.0, 1));
    assert!(nameless.contains("expected one of isolated, fifo"), "{nameless}");
    let short = Case { round_s: 0.0, ..Case::default() };
    assert!(matches!(short.watched("", &mut ()), Err(GavelError::NoJobs)));
    let short = short.watched(&jobs(&[("Even", 1, 0.0, 1)]), &mut ());
    assert!(matches!(short, Err(GavelError::RoundLength { .. })));
}

#[test]
fn every_policy_ends_a_small_trace_the_same_way_each_time() {
    let rows = [
        ("Quick", 5000, 0.0, 1),
        ("Steady", 4000, 10.0, 1),
        ("Even", 3000, 400.0, 1),
        ("Half", 1000, 900.0, 1),
    ];
    for policy in PolicyName::all() {
        let case = Case { cluster: "1:1:1", policy: policy.name(), seed: 3, round_s: 60.0 };
        let outcome = case.run(&jobs(&rows));
        assert_eq!(outcome.completed, rows.len(), "{}", policy.name());
        assert_eq!(outcome, case.run(&jobs(&rows)), "{}", policy.name());
    }
}
