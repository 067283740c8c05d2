//! What a mapping makes of the beginning of a table: a few rows, how each cell was understood, and the jobs that result.

use std::cell::RefCell;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::reader::{self, Reader};
use super::{Mapping, guess};
use crate::trace::ImportOptions;
use crate::trace::format::RowReader;
use crate::trace::intake::{Draft, Fault, Intake, Verdict};
use crate::trace::refusal::Refusal;
use crate::trace::report::Rejected;
use crate::trace::rows::{Header, Row};
use crate::trace::sample::Sample;
use crate::trace::table::Table;
use crate::units::MICROS_PER_S;
use crate::workload::Outcome;

/// Rows that are shown.
const SHOWN: usize = 5;
/// How much of a cell is shown, in characters.
const SHOWN_CELL: usize = 60;

/// What a mapping makes of the first 64 kB of a table.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Preview {
    /// The columns: names of the header, or `column 1`, `column 2`, …
    pub columns: Vec<String>,
    /// The first rows.
    pub rows: Vec<PreviewRow>,
    /// Rows looked at.
    pub read: u64,
    /// Rows that make jobs.
    pub readable: u64,
    /// The first rows that do not.
    pub rejected: Vec<Rejected>,
    /// Why the mapping does not fit the table, where it does not.
    pub refusal: Option<Refusal>,
}

/// One row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PreviewRow {
    /// Its fields as they stand, long ones cut.
    pub cells: Vec<String>,
    /// What columns with a role say, by the key of the role and the column's position from 0.
    pub understood: Vec<(String, usize, Understood)>,
    /// The job; `None` where the row is rejected.
    pub job: Option<PreviewJob>,
}

/// How one cell was understood.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Understood {
    /// No value.
    Missing,
    /// A text as it stands.
    Text(String),
    /// A point in time, in seconds of the source's own origin.
    Moment(f64),
    /// A length of time in seconds.
    Span(f64),
    /// GPUs of the whole job.
    Gpus(f64),
    /// A whole number.
    Count(u32),
    /// Memory in GB.
    Memory(f64),
    /// How a job ended.
    Outcome(Outcome),
    /// It cannot be read: what was expected, and what may have gone wrong (may be empty).
    Bad {
        /// What was expected.
        expected: String,
        /// What may have gone wrong.
        hint: String,
    },
}

/// A job that results from a row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PreviewJob {
    /// Its id; empty for the record's number.
    pub id: String,
    /// Who is charged.
    pub tenant: String,
    /// Submission in seconds of the source's own origin.
    pub submit_s: f64,
    /// GPUs of the whole job.
    pub gpus: f64,
    /// The GPU types it may use; empty for any.
    pub gpu_type: String,
    /// Run time.
    pub duration_s: Option<f64>,
    /// How it ended.
    pub outcome: Outcome,
}

/// What a mapping makes of a file's first 64 kB, as text.
#[must_use]
pub fn preview(head: &[u8], mapping: &Mapping) -> Preview {
    let sample = Sample::new(head);
    let shown = Rc::new(RefCell::new(Preview::default()));
    let options = ImportOptions { mapping: Some(Box::new(mapping.clone())), ..ImportOptions::default() };
    let mut intake = Intake::new(&options);
    let open = {
        let (shown, mapping) = (Rc::clone(&shown), mapping.clone());
        Box::new(move |header: &Header| {
            let reader = Reader::new(&mapping, header);
            let mut preview = shown.borrow_mut();
            preview.columns = header.names().to_vec();
            preview.refusal = reader.as_ref().err().cloned();
            drop(preview);
            let recorder = Recorder { reader: reader.ok(), width: header.len(), shown: Rc::clone(&shown) };
            Ok(Box::new(recorder) as Box<dyn RowReader>)
        })
    };
    intake.begin_file("");
    let (layout, header) = (reader::layout(&mapping.table), reader::header(mapping, &sample));
    let read = Table::of(&layout, header, open, Rc::clone(&intake.notes)).and_then(|mut table| {
        table.push(guess::whole_lines(head), &mut intake)?;
        table.end(&mut intake)
    });
    let report = intake.finish("generic-csv").report;
    let mut preview = shown.take();
    if let Err(refusal) = read {
        preview.refusal.get_or_insert(refusal);
    }
    preview.read = report.records;
    if preview.refusal.is_none() {
        preview.readable = report.records - report.rejected_count;
        preview.rejected = report.rejected;
    }
    preview
}

/// Reads rows as a mapping says, and keeps the first ones.
struct Recorder {
    /// `None` if the mapping does not fit the table.
    reader: Option<Reader>,
    width: usize,
    shown: Rc<RefCell<Preview>>,
}

impl RowReader for Recorder {
    fn row<'r>(&mut self, row: &Row<'r>) -> Result<Verdict<'r>, Fault> {
        let verdict = match &mut self.reader {
            Some(reader) => reader.row(row),
            None => Ok(Verdict::Skip("no mapping")),
        };
        let mut preview = self.shown.borrow_mut();
        if preview.rows.len() < SHOWN {
            let cells = (0..self.width).map(|at| cut(&String::from_utf8_lossy(row.get(at)))).collect();
            let job = match &verdict {
                Ok(Verdict::Job(draft)) => Some(job_of(draft)),
                _ => None,
            };
            let mut understood =
                self.reader.as_ref().map(|reader| reader.understood(row)).unwrap_or_default();
            if let (Ok(Verdict::Job(draft)), Some(gaps)) =
                (&verdict, understood.iter_mut().find(|of| of.0 == "interval"))
            {
                gaps.2 = Understood::Moment(seconds(draft.submit));
            }
            preview.rows.push(PreviewRow { cells, understood, job });
        }
        verdict
    }
}

/// The first characters of a cell.
fn cut(cell: &str) -> String {
    let mut shown: String = cell.chars().take(SHOWN_CELL).collect();
    if shown.len() < cell.len() {
        shown.push('…');
    }
    shown
}

fn seconds(micros: i64) -> f64 {
    micros as f64 / MICROS_PER_S as f64
}

fn job_of(draft: &Draft<'_>) -> PreviewJob {
    let tenant = [&draft.tenant, &draft.user].into_iter().find(|name| !name.is_empty());
    PreviewJob {
        id: draft.id.to_string(),
        tenant: tenant.map_or_else(|| "unknown".to_owned(), ToString::to_string),
        submit_s: seconds(draft.submit),
        gpus: draft.gpus.as_gpus(),
        gpu_type: draft.gpu_type.to_string(),
        duration_s: draft.duration.map(crate::units::SimSpan::as_secs),
        outcome: draft.outcome,
    }
}
