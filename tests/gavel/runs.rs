//! The recorded runs, where they are at hand.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::OnceLock;

use sts_sim::gavel::outcome::Outcome;
use sts_sim::gavel::policy::{Policy, PolicyName};
use sts_sim::gavel::replay::Recorded;
use sts_sim::gavel::table::Packing;
use sts_sim::gavel::{Cluster, Observer, Options, Table, file, simulate, trace};

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
pub(crate) struct Run {
    pub(crate) name: String,
    pub(crate) policy: PolicyName,
    pub(crate) options: Options,
    pub(crate) jobs: Vec<trace::Job>,
    pub(crate) recorded: Recorded,
    row: BTreeMap<String, String>,
}

impl Run {
    /// A figure of the table.
    pub(crate) fn figure(&self, column: &str) -> f64 {
        self.row[column].parse().expect(column)
    }
}

/// The runs of all policies that there are here.
pub(crate) fn runs() -> Option<Vec<Run>> {
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

pub(crate) fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let json = std::fs::read(folder().unwrap().join("simulation_throughputs.json")).unwrap();
        Table::read(&json, Packing::Read).unwrap()
    })
}

pub(crate) fn simulated(run: &Run, policy: &mut dyn Policy, observer: &mut dyn Observer) -> Outcome {
    simulate(&run.jobs, table(), &run.options, policy, observer)
        .unwrap_or_else(|error| panic!("{}: {error}", run.name))
}
