//! The import report: what was read, what was not, and why.

use std::fmt::Write as _;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::trace::files::{self, FileRead};
use crate::trace::nodes::NodeReport;
use crate::units::is_date;

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Jobs.
    #[default]
    Jobs,
    /// Machines.
    Nodes,
}

/// The reason under which records are left out that are not in the sample asked for.
pub(super) const NOT_IN_SAMPLE: &str = "not in the sample";

/// Records that were understood and deliberately left out, for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Skipped {
    /// `duplicate` (byte-identical to an earlier record), `step` (a Slurm job step, part of a job that has its own record),
    /// `part-of-another` (an object that shows work which another object is counted for), `partial-execution` (a piece of a job's
    /// run that the job's own record, or an earlier piece, stands for), `other-kind` (no job) or `repeated-id` (one of several
    /// records of an id, where a repair keeps one).
    pub reason: String,
    /// How many.
    pub count: u64,
    /// Lines of the first ones.
    pub first_lines: Vec<u64>,
    /// In JSON, also their numbers in the file, from 1: many elements may be on one line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub first_records: Vec<u64>,
}

/// A record that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rejected {
    /// The line the record begins at, from 1.
    pub line: u64,
    /// In JSON, the number of the element in the file, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<u64>,
    /// The column's name as in the file, or the path in a JSON element; `null` when the record as a whole is at fault.
    pub column: Option<String>,
    /// What was found, cut to 40 characters.
    pub value: String,
    /// What was expected.
    pub expected: String,
    /// What may have gone wrong; may be empty.
    pub hint: String,
}

/// What a repair that was asked for changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repaired {
    /// Its key in [`Repairs`](super::Repairs).
    pub repair: String,
    /// A sentence.
    pub message: String,
    /// How many records it changed.
    pub count: u64,
    /// Lines of the first ones.
    pub first_lines: Vec<u64>,
}

/// A column that the format knows: whether the file has it, and what stands in for it where not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnRead {
    /// Its name.
    pub name: String,
    /// Whether it is in the file.
    pub found: bool,
    /// What it means.
    pub help: String,
    /// What is taken instead where it or a value of it is missing; `null` for nothing.
    pub otherwise: Option<String>,
}

/// Something the reader of the results should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// A stable word.
    pub code: String,
    /// A sentence.
    pub message: String,
    /// How many records, gaps or texts it concerns.
    pub count: u64,
}

/// A member of an archive, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchiveMember {
    /// Its path in the archive.
    pub path: String,
    /// Its size unpacked, where it is known.
    pub bytes: Option<u64>,
    /// Why it was not read; `null` for one that was.
    pub skipped: Option<String>,
}

/// What an import understood. `jobs` + all `skipped` + `rejected_count` = `records`, and `gpu_jobs` + `zero_gpu_jobs` = `jobs`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ImportReport {
    /// The format's name.
    pub format: String,
    /// Jobs.
    pub kind: Kind,
    /// Logical records: rows after joining quoted line breaks, without header, comments and blank lines; elements of a JSON array.
    pub records: u64,
    /// Jobs of the workload.
    pub jobs: u64,
    /// Jobs that ask for a GPU or a share of one.
    pub gpu_jobs: u64,
    /// Jobs that ask for none: counted, not simulated.
    pub zero_gpu_jobs: u64,
    /// Sum of the GPUs asked for.
    pub gpus_requested_sum: f64,
    /// The largest request; `null` without jobs.
    pub max_gpus: Option<f64>,
    /// Jobs with a run time.
    pub with_duration: u64,
    /// Jobs with a run time of zero.
    pub zero_duration: u64,
    /// Jobs whose id an earlier, different record already had; they carry a suffix `#2`, `#3`, …
    pub duplicate_ids: u64,
    /// Whether the records were in order of submission.
    pub submit_sorted: bool,
    /// First submission in the source's own origin, in seconds; epoch seconds where it has dates.
    pub first_submit: Option<f64>,
    /// Last submission, likewise.
    pub last_submit: Option<f64>,
    /// The longest run time.
    pub max_duration_s: Option<f64>,
    /// Sum of GPUs times run time.
    pub gpu_hours: f64,
    /// Distinct tenants.
    pub tenants: u64,
    /// How jobs ended, in the source's own words, in order of first appearance.
    pub states: IndexMap<String, u64>,
    /// What was left out, by reason.
    pub skipped: Vec<Skipped>,
    /// The first rejected records.
    pub rejected: Vec<Rejected>,
    /// All rejected records.
    pub rejected_count: u64,
    /// What was repaired: every repair that was asked for, also those that found nothing to do.
    #[serde(default)]
    pub repairs: Vec<Repaired>,
    /// What else to know.
    pub warnings: Vec<Warning>,
    /// The columns of a table that the format knows, as the first file with jobs has them or not; empty for other files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<ColumnRead>,
    /// The members of the archives, the first [`SHOWN_MEMBERS`]; empty where no file is an archive.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<ArchiveMember>,
    /// The files, and what each was recognised as.
    #[serde(default)]
    pub files: Vec<FileRead>,
    /// Figures that only this format has.
    #[serde(flatten)]
    pub figures: IndexMap<String, u64>,
}

/// How many members of archives a report lists.
pub const SHOWN_MEMBERS: usize = 200;

impl ImportReport {
    /// All skipped records.
    #[must_use]
    pub fn skipped_count(&self) -> u64 {
        self.skipped.iter().map(|s| s.count).sum()
    }

    /// Records that were not read because only one in so many is.
    #[must_use]
    pub fn not_in_sample(&self) -> u64 {
        self.skipped
            .iter()
            .filter(|skipped| skipped.reason == NOT_IN_SAMPLE)
            .map(|skipped| skipped.count)
            .sum()
    }

    /// The columns that are read, and what stands in for those that are not there: `JobID, User; without State (completed)`.
    #[must_use]
    pub fn columns_sentence(&self) -> String {
        let names = |found: bool| self.columns.iter().filter(move |column| column.found == found);
        let read: Vec<&str> = names(true).map(|column| column.name.as_str()).collect();
        let instead = |column: &ColumnRead| match &column.otherwise {
            Some(otherwise) => format!("{} ({otherwise})", column.name),
            None => column.name.clone(),
        };
        let missing: Vec<String> = names(false).map(instead).collect();
        let without =
            if missing.is_empty() { String::new() } else { format!("; without {}", missing.join(", ")) };
        format!("{}{without}", read.join(", "))
    }

    /// The lists of machines among the files.
    pub fn node_lists(&self) -> impl Iterator<Item = (&str, &NodeReport)> {
        files::node_lists(&self.files)
    }

    /// The report as lines of text for a terminal.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = self.write_text(&mut text);
        text
    }

    fn write_text(&self, out: &mut String) -> std::fmt::Result {
        let number = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |v| v.to_string());
        writeln!(
            out,
            "{}: {} records = {} jobs + {} skipped + {} rejected",
            self.format,
            self.records,
            self.jobs,
            self.skipped_count(),
            self.rejected_count
        )?;
        writeln!(
            out,
            "  GPU jobs      {} ({} without GPUs, not simulated)",
            self.gpu_jobs, self.zero_gpu_jobs
        )?;
        writeln!(
            out,
            "  GPUs          {} in sum, {} at most",
            self.gpus_requested_sum,
            number(self.max_gpus)
        )?;
        writeln!(
            out,
            "  run times     {} of {} jobs ({} of them zero), longest {} s, {:.3} GPU-hours",
            self.with_duration,
            self.jobs,
            self.zero_duration,
            number(self.max_duration_s),
            self.gpu_hours
        )?;
        writeln!(
            out,
            "  submissions   {} to {}{}",
            self.first_submit.map_or_else(|| "–".to_owned(), moment),
            self.last_submit.map_or_else(|| "–".to_owned(), moment),
            if self.submit_sorted { "" } else { " (unsorted in the file)" }
        )?;
        writeln!(out, "  tenants       {}", self.tenants)?;
        if !self.states.is_empty() {
            let states: Vec<String> = self.states.iter().map(|(word, n)| format!("{word} {n}")).collect();
            writeln!(out, "  states        {}", states.join(", "))?;
        }
        if self.files.len() > 1 {
            for FileRead { name, holds } in &self.files {
                writeln!(out, "  {name}: {holds}")?;
            }
        }
        if !self.columns.is_empty() {
            writeln!(out, "  columns       {}", self.columns_sentence())?;
        }
        for (name, figure) in &self.figures {
            writeln!(out, "  {:<13} {figure}", name.replace('_', " "))?;
        }
        for skipped in &self.skipped {
            let lines = skipped.places();
            writeln!(out, "skipped {}: {}{lines}", skipped.count, skipped.reason)?;
        }
        for repaired in &self.repairs {
            let lines = lines(&repaired.first_lines, repaired.count);
            writeln!(out, "repaired {}: {}{lines}", repaired.repair, repaired.message)?;
        }
        for rejected in &self.rejected {
            let column = rejected.column.as_ref().map(|c| format!(", column {c}")).unwrap_or_default();
            let record = rejected.record.map(|record| format!(", record {record}")).unwrap_or_default();
            write!(
                out,
                "rejected line {}{record}{column}: found {:?}, expected {}",
                rejected.line, rejected.value, rejected.expected
            )?;
            if rejected.hint.is_empty() {
                writeln!(out)?;
            } else {
                writeln!(out, " ({})", rejected.hint)?;
            }
        }
        if self.rejected_count > self.rejected.len() as u64 {
            writeln!(out, "rejected {} more", self.rejected_count - self.rejected.len() as u64)?;
        }
        for warning in &self.warnings {
            writeln!(out, "warning {}: {}", warning.code, warning.message)?;
        }
        for member in &self.members {
            write!(out, "member {}", member.path)?;
            if let Some(bytes) = member.bytes {
                write!(out, " ({bytes} bytes)")?;
            }
            writeln!(out, ": {}", member.skipped.as_deref().unwrap_or("read"))?;
        }
        Ok(())
    }
}

impl Skipped {
    /// Where the first ones are, in brackets with a blank in front: ` (lines 3, 7, …)` or ` (records 3, 7, …)`.
    #[must_use]
    pub fn places(&self) -> String {
        if self.first_records.is_empty() {
            lines(&self.first_lines, self.count)
        } else {
            listed("records", &self.first_records, self.count)
        }
    }
}

/// ` (lines 3, 7, …)`: the first of `count` lines; nothing where there is none.
pub(super) fn lines(first: &[u64], count: u64) -> String {
    listed("lines", first, count)
}

fn listed(what: &str, first: &[u64], count: u64) -> String {
    if first.is_empty() {
        return String::new();
    }
    let shown: Vec<String> = first.iter().map(u64::to_string).collect();
    let more = if count > first.len() as u64 { ", …" } else { "" };
    format!(" ({what} {}{more})", shown.join(", "))
}

/// A time as printed in reports: as a date when it can only be one.
fn moment(seconds: f64) -> String {
    if !is_date(seconds) {
        return format!("{seconds} s");
    }
    jiff::Timestamp::from_microsecond((seconds * 1e6).round() as i64)
        .map_or_else(|_| format!("{seconds} s"), |t| t.strftime("%Y-%m-%d %H:%M:%S UTC").to_string())
}
