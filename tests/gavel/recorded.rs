//! Every recorded run, by replaying its shares and by the policies' own.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::OnceLock;

use sts_sim::gavel::outcome::Outcome;
use sts_sim::gavel::policy::{Policy, PolicyName, Shares, View};
use sts_sim::gavel::replay::{Recorded, Replay, recorded_key};
use sts_sim::gavel::simulator::Running;
use sts_sim::gavel::table::Packing;
use sts_sim::gavel::{Cluster, Gpu, Key, Observer, Options, Table, file, simulate, trace};

/// The folder of recorded runs; `None`, with a line printed, where it is absent and may be.
fn folder() -> Option<PathBuf> {
    let shared = std::env::var("STS_SHARED").unwrap_or_else(|_| "../shared/data".into());
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(shared).join("gavel");
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(std::env::var("STS_REQUIRE_SHARED").as_deref() != Ok("1"), "{} is not there", folder.display());
    println!("skipped: {} is not there (set STS_SHARED)", folder.display());
    None
}

/// A row of the table of expected results, with what it names.
struct Run {
    name: String,
    policy: PolicyName,
    options: Options,
    jobs: Vec<trace::Job>,
    recorded: Recorded,
    row: BTreeMap<String, String>,
}

impl Run {
    fn figure(&self, column: &str) -> f64 {
        self.row[column].parse().expect(column)
    }
}

/// The runs of all policies that there are here.
fn runs() -> Option<Vec<Run>> {
    let folder = folder()?;
    let read = |path: &str| std::fs::read(folder.join(path)).expect(path);
    let expected = String::from_utf8(read("EXPECTED.csv")).unwrap();
    let mut lines = expected.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let run = |line: &str| {
        let row: BTreeMap<String, String> =
            header.iter().map(ToString::to_string).zip(line.split(',').map(ToString::to_string)).collect();
        let name = row["run"].clone();
        let policy = PolicyName::parse(&row["policy"]).unwrap();
        let cluster = Cluster::new(
            row["cluster_v100_p100_k80"].parse().unwrap(),
            row["gpus_per_server"].parse().unwrap(),
        )
        .unwrap();
        let options = Options {
            cluster,
            policy,
            seed: row["seed"].parse().unwrap(),
            round_s: row["round_s"].parse().unwrap(),
        };
        assert_eq!(row["table"], "simulation", "{name}");
        let jobs =
            trace::read(std::str::from_utf8(&read(&format!("traces/{}", row["trace"]))).unwrap()).unwrap();
        let recorded =
            Recorded::read(&file::unpacked(&read(&format!("runs/{name}.json.gz"))).unwrap()).unwrap();
        Run { name, policy, options, jobs, recorded, row }
    };
    Some(lines.map(run).collect())
}

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let json = std::fs::read(folder().unwrap().join("simulation_throughputs.json")).unwrap();
        Table::read(&json, Packing::Read).unwrap()
    })
}

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

fn simulated(run: &Run, policy: &mut dyn Policy, observer: &mut dyn Observer) -> Outcome {
    simulate(&run.jobs, table(), &run.options, policy, observer)
        .unwrap_or_else(|error| panic!("{}: {error}", run.name))
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

#[test]
fn own_policies() {
    let Some(runs) = runs() else { return };
    for run in &runs {
        let outcome = simulated(run, &mut *run.policy.make(run.options.seed), &mut ());
        let dev = |found: f64, column: &str| 100.0 * (found / run.figure(column) - 1.0);
        println!(
            "{:60} jct {:+.3} % makespan {:+.3} %",
            run.name,
            dev(outcome.avg_jct_s.unwrap(), "avg_jct_s"),
            dev(outcome.makespan_s, "makespan_s")
        );
    }
}
