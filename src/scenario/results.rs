//! `results.json`: a comparison with all that its figures and charts are made of, to be opened again later or elsewhere.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::run::RunResult;
use super::{Scenario, ScenarioError};

/// What the member `format` says.
pub const FORMAT: &str = "sts-results";
/// The version that is written; earlier ones are read.
pub const VERSION: u32 = 1;

/// A comparison that was run.
#[derive(Debug, Clone, PartialEq)]
pub struct Results {
    /// What people call it.
    pub name: String,
    /// The day it was run, such as `2026-12-03`; may be empty.
    pub date: String,
    /// What was run.
    pub scenario: Scenario,
    /// Fingerprint of the scenario.
    pub scenario_hash: String,
    /// Fingerprint of the trace's workload; `None` for a generated one.
    pub trace_hash: Option<String>,
    /// What was assumed about the jobs, a sentence each.
    pub assumptions: Vec<String>,
    /// GPU jobs of the workload.
    pub gpu_jobs: u64,
    /// Jobs simulated, over all runs.
    pub jobs: u64,
    /// The runs.
    pub runs: Vec<RunResult>,
}

/// Why a text is no such file.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ResultsError {
    /// It is cut off or damaged, or another kind of JSON.
    #[error("line {line}, column {column}: {message}; expected the text of results.json as a whole")]
    Json {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What is wrong there.
        message: String,
    },
    /// It says that it is something else.
    #[error("found the format {found:?}, expected {FORMAT:?}")]
    Format {
        /// What it says.
        found: String,
    },
    /// It was written by a later version.
    #[error("found version {found}, expected at most {VERSION}; open it with the version that wrote it")]
    Version {
        /// What it says.
        found: u32,
    },
    /// Its scenario is none.
    #[error("its scenario: {0}")]
    Scenario(ScenarioError),
    /// It has no run.
    #[error("found no run, expected at least one")]
    NoRun,
    /// A run is of no policy of its scenario.
    #[error("found a run of {found:?}, expected one of the policies of its scenario")]
    Run {
        /// The policy's label.
        found: String,
    },
}

/// The file as it is written.
#[derive(Serialize, Deserialize)]
struct Wire<'a> {
    format: String,
    version: u32,
    #[serde(default)]
    name: String,
    #[serde(default)]
    date: String,
    #[serde(default)]
    engine_version: String,
    scenario_hash: String,
    #[serde(default)]
    trace_hash: Option<String>,
    #[serde(default)]
    assumptions: Vec<String>,
    #[serde(default)]
    gpu_jobs: u64,
    #[serde(default)]
    jobs: u64,
    scenario: Value,
    runs: Cow<'a, [RunResult]>,
}

impl Results {
    /// The text of the file.
    ///
    /// # Errors
    /// What serde_json says of a number that JSON cannot hold; results have none.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(&Wire {
            format: FORMAT.to_owned(),
            version: VERSION,
            name: self.name.clone(),
            date: self.date.clone(),
            engine_version: env!("CARGO_PKG_VERSION").to_owned(),
            scenario_hash: self.scenario_hash.clone(),
            trace_hash: self.trace_hash.clone(),
            assumptions: self.assumptions.clone(),
            gpu_jobs: self.gpu_jobs,
            jobs: self.jobs,
            scenario: serde_json::to_value(&self.scenario)?,
            runs: Cow::Borrowed(&self.runs),
        })
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// [`ResultsError`] when it is no such file, or one of a later version.
    pub fn from_json(text: &str) -> Result<Self, ResultsError> {
        let json = |error: serde_json::Error| ResultsError::Json {
            line: error.line(),
            column: error.column(),
            message: error.to_string(),
        };
        #[derive(Deserialize)]
        struct Opening {
            #[serde(default)]
            format: String,
            #[serde(default)]
            version: u32,
        }
        let opening: Opening = serde_json::from_str(text).map_err(json)?;
        if opening.format != FORMAT {
            return Err(ResultsError::Format { found: opening.format });
        }
        if opening.version > VERSION {
            return Err(ResultsError::Version { found: opening.version });
        }
        let wire: Wire = serde_json::from_str(text).map_err(json)?;
        let scenario = Scenario::from_json(&wire.scenario.to_string()).map_err(ResultsError::Scenario)?;
        if wire.runs.is_empty() {
            return Err(ResultsError::NoRun);
        }
        let is_there = |run: &&RunResult| scenario.policies.iter().any(|choice| choice.label() == run.policy);
        if let Some(other) = wire.runs.iter().find(|run| !is_there(run)) {
            return Err(ResultsError::Run { found: other.policy.clone() });
        }
        Ok(Self {
            name: wire.name,
            date: wire.date,
            scenario,
            scenario_hash: wire.scenario_hash,
            trace_hash: wire.trace_hash,
            assumptions: wire.assumptions,
            gpu_jobs: wire.gpu_jobs,
            jobs: wire.jobs,
            runs: wire.runs.into_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::run::{generated, prepare};

    fn results() -> Results {
        let scenario = Scenario::from_json(
            r#"{"cluster": {"nodes": [{"gpu": "V100-16", "count": 2, "gpus_per_node": 4}]},
                "workload": {"synthetic": {"jobs": 40}}, "policies": [{"name": "fifo"}, {"name": "sts-fairness"}]}"#,
        )
        .unwrap();
        let prepared = prepare(&scenario, &generated(&scenario).unwrap()).unwrap();
        let run = |index| prepared.run(index, 0, &mut ()).unwrap().result;
        Results {
            name: "forty jobs".into(),
            date: "2026-12-03".into(),
            scenario_hash: prepared.scenario_hash.clone(),
            scenario,
            trace_hash: None,
            assumptions: vec!["one".into()],
            gpu_jobs: 40,
            jobs: 80,
            runs: vec![run(0), run(1)],
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let results = results();
        assert_eq!(Results::from_json(&results.to_json().unwrap()), Ok(results));
    }

    #[test]
    fn other_texts_are_told_what_they_are() {
        let text = results().to_json().unwrap();
        for cut in [0, 1, text.len() / 2, text.len() - 1] {
            assert!(matches!(Results::from_json(&text[..cut]), Err(ResultsError::Json { .. })), "{cut}");
        }
        let told =
            |from: &str, to: &str| Results::from_json(&text.replacen(from, to, 1)).unwrap_err().to_string();
        assert_eq!(Results::from_json("{}"), Err(ResultsError::Format { found: String::new() }));
        assert!(told("\"version\":1", "\"version\":9").contains("found version 9, expected at most 1"));
        assert!(told("\"policy\":\"fifo\"", "\"policy\":\"lifo\"").contains("found a run of \"lifo\""));
        assert!(told("\"gpu\":\"V100-16\"", "\"gpu\":\"V1\"").starts_with("its scenario: cluster.nodes"));
    }
}
