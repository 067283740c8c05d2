//! Gavel's simulator in the page: what the reader chose, one run of it, and the runs there are.
//!
//! The files are the browser's; a worker reads them and calls [`run`], which is what `sts gavel` does with the same files.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::field::Range;
use super::state::Fault;
use crate::gavel::policy::PolicyName;
use crate::gavel::simulator::{GAVELS_ROUND_S, ROUND_S};
use crate::gavel::{Cluster, Counts, GavelError, Options, Table, file, simulate, trace};

/// The throughput table of the small example.
pub const EXAMPLE_TABLE: &str = include_str!("../../tests/fixtures/gavel/throughputs.json");
/// The trace of the small example: twelve jobs of one GPU each.
pub const EXAMPLE_TRACE: &str = include_str!("../../tests/fixtures/gavel/example.trace");

/// What a run needs besides its two files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// V100s.
    pub v100: u32,
    /// P100s.
    pub p100: u32,
    /// K80s.
    pub k80: u32,
    /// The policy, by Gavel's name.
    pub policy: String,
    /// The seed.
    pub seed: u64,
    /// The length of a round, in seconds.
    pub round_s: f64,
}

impl Default for Settings {
    fn default() -> Self {
        let policy = "max_min_fairness_perf".to_owned();
        Self { v100: 1, p100: 1, k80: 1, policy, seed: 0, round_s: GAVELS_ROUND_S }
    }
}

impl Settings {
    /// `V100:P100:K80`.
    #[must_use]
    pub fn cluster(&self) -> String {
        format!("{}:{}:{}", self.v100, self.p100, self.k80)
    }
}

/// What came out of a run, as [`Outcome`](crate::gavel::outcome::Outcome) says; what is without meaning is `None`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Mean completion time of the jobs that completed, in seconds.
    pub avg_jct_s: Option<f64>,
    /// When every job was done, in seconds.
    pub makespan_s: f64,
    /// Share of the makespan that workers were busy, 0…1.
    pub utilization: Option<f64>,
    /// Rounds scheduled.
    pub rounds: u64,
    /// Jobs that completed.
    pub completed: u32,
    /// Jobs dropped.
    pub dropped: u32,
    /// Leases extended, in per cent.
    pub lease_extension_pct: Option<f64>,
}

/// Runs a trace as Gavel does: the figures, and the jobs as CSV (`job,type,gpus,arrival_s,jct_s`; no completion time where
/// the job was dropped). Either file may be packed with gzip.
///
/// # Errors
/// What is wrong with a file or a setting, or why the run cannot end.
pub fn run(table: &[u8], jobs: &[u8], settings: &Settings) -> Result<(Figures, Vec<u8>), String> {
    let refused = |error: GavelError| error.to_string();
    let in_file = |what: &'static str| move |error: String| format!("{what}: {error}");
    let (in_table, in_trace) = (in_file("throughput table"), in_file("trace"));
    let policy = PolicyName::parse(&settings.policy).map_err(refused)?;
    let gpus: Counts = settings.cluster().parse().map_err(refused)?;
    let per_server = "1:1:1".parse().map_err(refused)?;
    let cluster = Cluster::new(gpus, per_server).map_err(refused)?;
    let options = Options { cluster, policy, seed: settings.seed, round_s: settings.round_s };
    let table = file::unpacked(table)
        .and_then(|bytes| Table::read(&bytes, policy.packing()))
        .map_err(refused)
        .map_err(in_table)?;
    let bytes = file::unpacked(jobs).map_err(refused).map_err(in_trace)?;
    let text = std::str::from_utf8(&bytes).map_err(|_| in_trace("not UTF-8 text".to_owned()))?;
    let jobs = trace::read(text).map_err(refused).map_err(in_trace)?;
    let outcome =
        simulate(&jobs, &table, &options, &mut *policy.make(settings.seed), &mut ()).map_err(refused)?;
    let figures = Figures {
        avg_jct_s: outcome.avg_jct_s,
        makespan_s: outcome.makespan_s,
        utilization: outcome.utilization,
        rounds: outcome.rounds,
        completed: outcome.completed as u32,
        dropped: outcome.dropped as u32,
        lease_extension_pct: outcome.lease_extension_pct,
    };
    let csv = jobs_csv(&jobs, &outcome.jct_s).map_err(|error| error.to_string())?;
    Ok((figures, csv))
}

fn jobs_csv(jobs: &[trace::Job], jct_s: &BTreeMap<u32, Option<f64>>) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(["job", "type", "gpus", "arrival_s", "jct_s"])?;
    for (number, job) in (0_u32..).zip(jobs) {
        let jct_s = jct_s.get(&number).copied().flatten();
        writer.write_record([
            number.to_string(),
            job.job_type.clone(),
            job.scale_factor.to_string(),
            job.arrival_s.to_string(),
            jct_s.map(|seconds| seconds.to_string()).unwrap_or_default(),
        ])?;
    }
    writer.into_inner().map_err(|error| csv::IntoInnerError::into_error(error).into())
}

/// A field for a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    /// V100s.
    V100,
    /// P100s.
    P100,
    /// K80s.
    K80,
    /// The seed.
    Seed,
    /// The length of a round.
    Round,
}

impl Field {
    /// Every field, as they stand in the window.
    pub const ALL: [Self; 5] = [Self::V100, Self::P100, Self::K80, Self::Seed, Self::Round];

    /// The id of its input.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::V100 => "gavel-v100",
            Self::P100 => "gavel-p100",
            Self::K80 => "gavel-k80",
            Self::Seed => "gavel-seed",
            Self::Round => "gavel-round-s",
        }
    }

    /// Its label.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::V100 => "V100 GPUs",
            Self::P100 => "P100 GPUs",
            Self::K80 => "K80 GPUs",
            Self::Seed => "Seed",
            Self::Round => "Length of a round",
        }
    }

    /// Its unit; may be empty.
    #[must_use]
    pub fn unit(self) -> &'static str {
        if self == Self::Round { "s" } else { "" }
    }

    fn range(self) -> Range {
        match self {
            Self::V100 | Self::P100 | Self::K80 => Range::whole(0.0, 1e6),
            Self::Seed => Range::whole(0.0, 9e15),
            Self::Round => Range::any(*ROUND_S.start(), *ROUND_S.end()),
        }
    }

    /// The value it has.
    #[must_use]
    pub fn value(self, settings: &Settings) -> f64 {
        match self {
            Self::V100 => f64::from(settings.v100),
            Self::P100 => f64::from(settings.p100),
            Self::K80 => f64::from(settings.k80),
            Self::Seed => settings.seed as f64,
            Self::Round => settings.round_s,
        }
    }

    fn set(self, settings: &mut Settings, value: f64) {
        match self {
            Self::V100 => settings.v100 = value as u32,
            Self::P100 => settings.p100 = value as u32,
            Self::K80 => settings.k80 = value as u32,
            Self::Seed => settings.seed = value as u64,
            Self::Round => settings.round_s = value,
        }
    }
}

/// A run that is under way or ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Unique in the page.
    pub number: u32,
    /// The name of the trace.
    pub trace: String,
    /// With what.
    pub settings: Settings,
}

/// What the window knows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Desk {
    /// The name of the throughput table, if one was given.
    pub table: Option<String>,
    /// The name of the trace, if one was given.
    pub trace: Option<String>,
    /// What is chosen.
    pub settings: Settings,
    /// Fields whose text is no value; their last good value holds.
    pub faults: BTreeMap<Field, Fault>,
    /// What is being run.
    pub active: Option<Run>,
    /// What was run, in order.
    pub done: Vec<(Run, Figures)>,
    /// Why the last run did not end.
    pub error: Option<String>,
    started: u32,
}

impl Desk {
    /// A text was entered into a field.
    pub fn enter(&mut self, field: Field, text: String) {
        match field.range().parse(&text, field.unit(), field.value(&self.settings)) {
            Ok(value) => {
                field.set(&mut self.settings, value);
                self.faults.remove(&field);
            }
            Err(message) => {
                self.faults.insert(field, Fault { text, message });
            }
        }
    }

    /// Begins a run; `None`, with [`error`](Self::error) saying what is missing, where there is none to begin.
    pub fn begin(&mut self) -> Option<Run> {
        if self.active.is_some() {
            return None;
        }
        self.error = match (&self.table, &self.trace) {
            _ if !self.faults.is_empty() => Some("Correct the marked fields first.".to_owned()),
            (None, _) => Some("Choose a throughput table, or use the small example.".to_owned()),
            (_, None) => Some("Choose a trace, or use the small example.".to_owned()),
            (Some(_), Some(trace)) => {
                self.started += 1;
                let (trace, settings) = (trace.clone(), self.settings.clone());
                self.active = Some(Run { number: self.started, trace, settings });
                None
            }
        };
        self.active.clone()
    }

    /// A run ended. News of a run that was given up is passed over; whether it was news is returned.
    pub fn end(&mut self, number: u32, ended: Result<Figures, String>) -> bool {
        let Some(run) = self.active.take_if(|run| run.number == number) else { return false };
        match ended {
            Ok(figures) => self.done.push((run, figures)),
            Err(message) => self.error = Some(format!("{}: {message}", run.settings.policy)),
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(policy: &str) -> Figures {
        let settings = Settings { policy: policy.into(), ..Settings::default() };
        run(EXAMPLE_TABLE.as_bytes(), EXAMPLE_TRACE.as_bytes(), &settings).unwrap().0
    }

    #[test]
    fn the_example_runs_under_every_policy() {
        for policy in PolicyName::all() {
            let figures = figures(policy.name());
            assert_eq!(figures.completed + figures.dropped, 12, "{}", policy.name());
            assert!(figures.avg_jct_s.is_some_and(|seconds| seconds > 0.0), "{}", policy.name());
        }
        assert_ne!(figures("fifo_perf"), figures("max_min_fairness_perf"));
    }

    #[test]
    fn the_table_of_jobs_gives_the_mean() {
        let (figures, csv) =
            run(EXAMPLE_TABLE.as_bytes(), EXAMPLE_TRACE.as_bytes(), &Settings::default()).unwrap();
        let mut reader = csv::Reader::from_reader(&csv[..]);
        let jct_s: Vec<f64> = reader.records().map(|row| row.unwrap()[4].parse().unwrap()).collect();
        assert_eq!(jct_s.len(), 12);
        let mean = jct_s.iter().sum::<f64>() / 12.0;
        assert!((mean - figures.avg_jct_s.unwrap()).abs() < 1e-6 * mean);
    }

    #[test]
    fn what_is_wrong_says_in_which_file() {
        let (table, trace, settings) =
            (EXAMPLE_TABLE.as_bytes(), EXAMPLE_TRACE.as_bytes(), Settings::default());
        let error = run(b"{", trace, &settings).unwrap_err();
        assert!(error.starts_with("throughput table: "), "{error}");
        for bad in [&b"a\tb"[..], b"", b"\xff\xfe", b"\x1f\x8bxx"] {
            let error = run(table, bad, &settings).unwrap_err();
            assert!(error.starts_with("trace: "), "{error}");
        }
        let none = Settings { v100: 0, p100: 0, k80: 0, ..settings.clone() };
        assert!(run(table, trace, &none).unwrap_err().contains("0:0:0"));
        let unknown = Settings { policy: "lottery".into(), ..settings };
        assert!(run(table, trace, &unknown).unwrap_err().contains("lottery"));
    }

    #[test]
    fn a_field_keeps_its_last_good_value() {
        let mut desk = Desk::default();
        desk.enter(Field::K80, "8".into());
        desk.enter(Field::Round, "0".into());
        assert_eq!((desk.settings.k80, desk.settings.round_s), (8, 360.0));
        assert!(desk.faults.contains_key(&Field::Round));
        assert_eq!(desk.begin(), None);
        desk.enter(Field::Round, "120".into());
        assert!(desk.faults.is_empty());
        assert_eq!(desk.settings.cluster(), "1:1:8");
    }

    #[test]
    fn runs_follow_one_another_and_late_news_is_passed_over() {
        let mut desk = Desk::default();
        assert_eq!(desk.begin(), None);
        assert!(desk.error.as_ref().is_some_and(|error| error.contains("table")));
        (desk.table, desk.trace) = (Some("t.json".into()), Some("jobs.trace".into()));
        let first = desk.begin().unwrap();
        assert_eq!((desk.error.clone(), desk.begin()), (None, None));
        desk.active = None;
        let second = desk.begin().unwrap();
        assert!(!desk.end(first.number, Ok(figures("fifo"))));
        assert!(desk.end(second.number, Ok(figures("fifo"))));
        assert_eq!(desk.done.len(), 1);
        let third = desk.begin().unwrap();
        assert!(desk.end(third.number, Err("no".into())));
        assert_eq!((desk.done.len(), desk.error.as_deref()), (1, Some("max_min_fairness_perf: no")));
    }
}
