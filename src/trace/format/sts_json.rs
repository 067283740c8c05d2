//! STS-Sim's normalised workload: what `sts import --out` writes. The members of a job are the columns of `sts-csv`.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::{self, Write};

use serde_json::{Map, Value};

use crate::trace::elements::{ArrayAt, Place};
use crate::trace::format::sts_csv::{COLUMNS, DIFFERS, OUTCOMES, cells, differs};
use crate::trace::format::{ElementReader, Evidence, Format, Shape};
use crate::trace::intake::{Closing, Draft, Fault, Notice, Tables, Verdict};
use crate::trace::outcome::outcome;
use crate::trace::refusal::Refusal;
use crate::trace::sample::Sample;
use crate::trace::value::{self, Bad, Decimal, Notes};
use crate::units::MICROS_PER_S;
use crate::workload::{Outcome, Workload};

/// The version that is written and read.
const VERSION: u64 = 1;
/// How many members that are not used are told.
const MOST_UNUSED: usize = 32;

pub(super) static FORMAT: Format = Format {
    name: "sts-json",
    title: "STS-Sim workload (JSON)",
    help: "What `sts import --out` writes: {\"format\": \"sts-json\", \"version\": 1, \"first_submit_s\": …, \"tenants\": […], \
           …, \"jobs\": […]}. A job's members are the columns of sts-csv, times in seconds from first_submit_s.",
    columns: COLUMNS,
    detect,
    shape: Shape::Json { array: ArrayAt::Member("jobs"), open: || Box::new(Reader::default()) },
};

fn detect(sample: &Sample<'_>) -> Option<Evidence> {
    if sample.opening() == Some(b'[') {
        let members = ["submit_s", "gpus", "duration_s"];
        let has_all = sample.is_json() && members.iter().all(|name| sample.has_member(name));
        return has_all.then(|| Evidence {
            score: 80,
            text: format!("an array of objects with {}", members.join(", ")),
        });
    }
    if sample.opening() != Some(b'{') {
        return None;
    }
    if sample.contains(b"\"sts-json\"") {
        return Some(Evidence { score: 100, text: "it says \"format\": \"sts-json\"".into() });
    }
    let members = ["jobs", "submit_s", "gpus"];
    let has_all = members.iter().all(|name| sample.has_member(name));
    has_all.then(|| Evidence { score: 80, text: format!("it has the members {}", members.join(", ")) })
}

#[derive(Debug, Default)]
struct Reader {
    origin: i64,
    tables: Tables,
    /// Jobs whose run time is not that from start to end.
    disagreeing: u64,
    /// Members of jobs that mean nothing here.
    unused: BTreeSet<String>,
}

impl ElementReader for Reader {
    fn member(&mut self, at: Place, name: &str, value: &str) -> Result<(), Refusal> {
        let table = match name {
            "tenants" => &mut self.tables.tenants,
            "users" => &mut self.tables.users,
            "gpu_types" => &mut self.tables.gpu_types,
            "models" => &mut self.tables.models,
            "first_submit_s" => {
                self.origin = value::time(value.as_bytes(), &Notes::default())
                    .map_err(|bad| broken(at, value, bad.expected))?;
                return Ok(());
            }
            "format" if value != "\"sts-json\"" => return Err(broken(at, value, "\"sts-json\"")),
            "version" if value.parse() != Ok(VERSION) => {
                return Err(broken(at, value, "version 1 of sts-json"));
            }
            _ => return Ok(()),
        };
        *table = serde_json::from_str(value).map_err(|_| broken(at, value, "a list of names"))?;
        Ok(())
    }

    fn element<'e>(&mut self, element: &'e str, notes: &Notes) -> Result<Verdict<'e>, Fault> {
        let members: Map<String, Value> = serde_json::from_str(element).map_err(|e| {
            Fault::of_record(element, "an object with the members of sts-csv", &e.to_string())
        })?;
        let is_unused = |name: &&String| !COLUMNS.iter().any(|column| column.name == name.as_str());
        for name in members.keys().filter(is_unused) {
            if self.unused.len() < MOST_UNUSED && !self.unused.contains(name) {
                self.unused.insert(name.clone());
            }
        }
        let job = Members { members };
        let state = job.text("outcome")?;
        let ended = match outcome(&state) {
            Some(ended) => ended,
            None if state.is_empty() => Outcome::Completed,
            None => return Err(Fault::of_value("outcome", state.as_bytes(), OUTCOMES)),
        };
        let time = |text: &[u8]| value::time(text, notes);
        let duration = job.maybe("duration_s", value::seconds)?;
        let (start, end) = (job.maybe("start_s", signed_time)?, job.maybe("end_s", signed_time)?);
        self.disagreeing += u64::from(differs(duration, start, end));
        Ok(Verdict::Job(Draft {
            id: job.text("job")?,
            tenant: job.text("tenant")?,
            user: job.text("user")?,
            gpu_type: job.text("gpu_type")?,
            model: job.text("model")?,
            state,
            submit: job.required("submit_s", time)?,
            gpus: job.required("gpus", value::gpus)?,
            workers: job.maybe("workers", value::workers)?,
            duration,
            start,
            end,
            memory_mb: job.maybe("memory_gb", value::memory_mb)?.unwrap_or(0),
            min_slots: job.maybe("min_slots", value::min_slots)?.unwrap_or(0),
            outcome: ended,
            limit: job.maybe("limit_s", value::seconds)?,
        }))
    }

    fn close(&mut self) -> Closing {
        let reader = std::mem::take(self);
        let unused: Vec<String> = reader.unused.into_iter().collect();
        let text = format!("members of jobs are not used: {}", unused.join(", "));
        let notices = vec![
            Notice::new("duration-differs", reader.disagreeing, DIFFERS),
            Notice::new("unused-columns", unused.len() as u64, text),
        ];
        Closing { origin: reader.origin, tables: reader.tables, notices, ..Closing::default() }
    }
}

/// A start or end, which may lie before the first submission of a workload that was cut out of a longer one.
fn signed_time(text: &[u8]) -> Result<i64, Bad> {
    let notes = Notes::default();
    match text {
        [b'-', size @ ..] => value::time(size, &notes).map(|micros| -micros),
        _ => value::time(text, &notes),
    }
}

fn broken(at: Place, found: &str, expected: &str) -> Refusal {
    Refusal::BrokenJson {
        line: at.line,
        column: at.column,
        found: found.chars().take(40).collect(),
        expected: expected.into(),
        complete: 0,
    }
}

/// The members of one job.
struct Members {
    members: Map<String, Value>,
}

impl Members {
    /// A member as it would stand in a table; empty when there is none.
    fn text(&self, name: &str) -> Result<Cow<'static, str>, Fault> {
        let text = match self.members.get(name) {
            None | Some(Value::Null) => return Ok(Cow::Borrowed("")),
            Some(Value::String(text)) => text.trim().to_owned(),
            Some(Value::Number(number)) => number.to_string(),
            Some(other) => {
                let bad = Bad { expected: "a text or a number", hint: "" };
                return Err(Fault::of_value(name, other.to_string().as_bytes(), bad));
            }
        };
        Ok(Cow::Owned(text))
    }

    fn required<T>(&self, name: &str, read: impl FnOnce(&[u8]) -> Result<T, Bad>) -> Result<T, Fault> {
        let text = self.text(name)?;
        read(text.as_bytes()).map_err(|bad| Fault::of_value(name, text.as_bytes(), bad))
    }

    fn maybe<T>(&self, name: &str, read: impl FnOnce(&[u8]) -> Result<T, Bad>) -> Result<Option<T>, Fault> {
        if value::is_missing(self.text(name)?.as_bytes()) {
            return Ok(None);
        }
        self.required(name, read).map(Some)
    }
}

/// Writes a workload as `sts-json`, one job a line. Reading it again gives the same workload, as long as ids are distinct
/// and not empty and no text has blanks around it, as is so for imported workloads.
///
/// # Errors
/// What the writer says.
pub fn write_sts_json(workload: &Workload, mut to: impl Write) -> io::Result<()> {
    let origin = (workload.first_submit_s * MICROS_PER_S as f64).round() as i64;
    writeln!(to, "{{\"format\": \"sts-json\", \"version\": {VERSION},")?;
    writeln!(to, " \"first_submit_s\": {},", Decimal { value: origin, places: 6 })?;
    for (name, table) in [
        ("tenants", &workload.tenants),
        ("users", &workload.users),
        ("gpu_types", &workload.gpu_types),
        ("models", &workload.models),
    ] {
        writeln!(to, " \"{name}\": {},", serde_json::to_string(table)?)?;
    }
    write!(to, " \"jobs\": [")?;
    for (at, job) in workload.jobs.iter().enumerate() {
        write!(to, "{}\n  {{", if at == 0 { "" } else { "," })?;
        for (column, cell) in COLUMNS.iter().zip(cells(workload, at, job, 0)) {
            let comma = if column.name == "job" { "" } else { ", " };
            let is_text = column.range.is_none() || column.name == "outcome";
            match cell {
                cell if cell.is_empty() => write!(to, "{comma}\"{}\": null", column.name)?,
                cell if is_text => {
                    write!(to, "{comma}\"{}\": {}", column.name, serde_json::to_string(&cell)?)?;
                }
                cell => write!(to, "{comma}\"{}\": {cell}", column.name)?,
            }
        }
        write!(to, "}}")?;
    }
    writeln!(to, "\n]}}")?;
    to.flush()
}
