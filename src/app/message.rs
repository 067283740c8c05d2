//! What the page and its workers say to each other.
//!
//! A message is a JavaScript object: `text` is one of these as JSON, and beside it stands what JSON cannot carry and must not be
//! copied (`files`, `workload`, `jobs`). JSON, because it is the same on both targets and keeps every number of a seed.

use serde::{Deserialize, Serialize};

use super::state::inputs::Contents;
use crate::scenario::Scenario;
use crate::scenario::run::RunResult;
use crate::trace::Refusal;
use crate::workload::synthetic::SyntheticSpec;

/// What the page asks a worker for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "kebab-case")]
pub enum Request {
    /// Read the message's `files` as one trace.
    Read {
        /// A format's name, or `auto`.
        format: String,
    },
    /// Generate a workload.
    Generate {
        /// Of this kind.
        spec: Box<SyntheticSpec>,
    },
    /// Run one policy and seed of a scenario on the message's `workload`.
    Simulate {
        /// The scenario.
        scenario: Box<Scenario>,
        /// A number that no other workload of the page has: a worker keeps the last one it was given.
        workload: u32,
        /// Position of the policy in the scenario.
        policy: usize,
        /// The seed.
        seed: u64,
    },
}

/// What a worker tells the page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "tell", rename_all = "kebab-case")]
pub enum Reply {
    /// It can take requests.
    Ready,
    /// How far reading is.
    Reading {
        /// Bytes of the files.
        bytes: u64,
        /// Records.
        records: u64,
    },
    /// The message's `workload` is what was read or generated.
    Read {
        /// What is in it.
        contents: Box<Contents>,
    },
    /// The files are no trace.
    Refused {
        /// What they look like, and what to do.
        refusal: Box<Refusal>,
    },
    /// How far a simulation is.
    Simulating {
        /// Jobs finished.
        finished: u32,
        /// Jobs in all.
        jobs: u32,
    },
    /// The simulation is finished; the message's `jobs` is the table of its jobs.
    Simulated {
        /// What came out.
        result: Box<RunResult>,
        /// Fingerprint of the scenario.
        scenario_hash: String,
        /// Jobs simulated.
        jobs: u32,
        /// What was assumed about the jobs, a sentence each.
        assumptions: Vec<String>,
    },
    /// The request cannot be fulfilled: why, and what to do.
    Failed {
        /// The reason.
        message: String,
    },
    /// The program failed; the worker is of no use any more.
    Panicked {
        /// What was said.
        message: String,
    },
}

/// A message as JSON.
#[must_use]
pub fn to_text<T: Serialize>(message: &T) -> String {
    serde_json::to_string(message).unwrap_or_default()
}

/// A message from JSON.
///
/// # Errors
/// What is wrong with the text: the page and its worker are of different versions.
pub fn from_text<T: for<'a> Deserialize<'a>>(text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::samples;
    use crate::trace::{ImportReport, WorkloadDigest};
    use crate::workload::Workload;

    fn contents(report: Option<ImportReport>) -> Contents {
        let digest = WorkloadDigest::of(&Workload::default());
        Contents { report, digest, hash: "7be1".into(), models: vec!["bert".into()], has_schedule: true }
    }

    #[test]
    fn requests_arrive_as_they_were_sent() {
        let scenario = Box::new(samples::default_scenario());
        let spec = Box::new(scenario.workload.synthetic.clone().unwrap());
        for request in [
            Request::Read { format: "auto".into() },
            Request::Generate { spec },
            Request::Simulate { scenario, workload: u32::MAX, policy: 3, seed: u64::MAX },
        ] {
            assert_eq!(from_text(&to_text(&request)), Ok(request));
        }
    }

    #[test]
    fn replies_arrive_as_they_were_sent() {
        for reply in [
            Reply::Ready,
            Reply::Reading { bytes: 1 << 53, records: 7 },
            Reply::Read { contents: Box::new(contents(None)) },
            Reply::Read { contents: Box::new(contents(Some(ImportReport::default()))) },
            Reply::Refused { refusal: Box::new(Refusal::Empty { detail: "no byte".into() }) },
            Reply::Simulating { finished: 1, jobs: 2 },
            Reply::Panicked { message: "line\n\"quoted\"".into() },
        ] {
            assert_eq!(from_text(&to_text(&reply)), Ok(reply));
        }
    }

    #[test]
    fn another_version_is_an_error_not_a_panic() {
        assert!(from_text::<Reply>(r#"{"tell":"sung"}"#).is_err());
        assert!(from_text::<Reply>("").is_err());
    }
}
