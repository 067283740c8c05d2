//! Tiresias's traces (SymbioticLab/Tiresias, `simulator/*_job.csv`; Gu et al., NSDI 2019), and the columns that the traces of
//! Muri and Chronus share with them.
//!
//! `interval` is the gap to the *next* submission and says nothing that `submit_time` does not. The older layout of `tf_job.csv`
//! (`start_time`, `model_size`, `aggr_interval`, `model_scale`) is read too; Tiresias's simulator overwrites its start times,
//! here they stand for the traced start.

use crate::trace::format::{Column, Evidence, Format, Layout, RowReader, Shape, columns_evidence, need};
use crate::trace::intake::{Draft, Fault, Verdict};
use crate::trace::refusal::Refusal;
use crate::trace::rows::{Header, Row};
use crate::trace::sample::Sample;
use crate::trace::value::Unit;

pub(super) static FORMAT: Format = Format {
    name: "tiresias",
    title: "Tiresias (CSV)",
    help: "simulator/*_job.csv of SymbioticLab/Tiresias, in seconds, also in the older layout of tf_job.csv. There are no \
           tenants. interval (the gap to the next job) and iterations are not used.",
    columns: &[
        JOB_ID,
        NUM_GPU,
        Column::number("submit_time", Some("s"), "0 to 9000000000", "Submission.").needed(),
        Column::seconds("duration", "Run time.").needed(),
        MODEL_NAME,
        Column::number("start_time", Some("s"), "as submit_time", "Start, in the older layout.")
            .or("unknown"),
    ],
    detect,
    shape: Shape::Table { layout: Layout::csv, open },
};

/// The job's id, as the whole family calls it.
pub(super) const JOB_ID: Column = Column::text("job_id", "The job's id.").or("the record's number");
/// The GPUs, as the whole family calls them.
pub(super) const NUM_GPU: Column = Column::gpus("num_gpu", "GPUs of the whole job.").needed();
/// The model, as the whole family calls it.
pub(super) const MODEL_NAME: Column = Column::text("model_name", "The model that is trained.");

fn detect(sample: &Sample<'_>) -> Option<Evidence> {
    const RELATED: [&str; 3] = ["iteration_time", "expect_time_list", "best_effort"];
    let present = ["num_gpu", "submit_time", "iterations", "duration"];
    let older = ["num_gpu", "submit_time", "duration", "model_size"];
    columns_evidence(sample, &present, &["interval", "model_name"], &RELATED)
        .or_else(|| columns_evidence(sample, &older, &["aggr_interval", "start_time"], &RELATED))
}

/// Where a table of the family has what all of it has.
#[derive(Debug)]
pub(super) struct Columns {
    submit: usize,
    duration: usize,
    gpus: usize,
    job: Option<usize>,
    model: Option<usize>,
}

impl Columns {
    pub(super) fn find(format: &Format, header: &Header) -> Result<Self, Refusal> {
        let names = ["submit_time", "duration", "num_gpu"];
        let advice = "Load the trace as published, with its header.";
        let [submit, duration, gpus] = need(format, header, names, advice)?;
        Ok(Self { submit, duration, gpus, job: header.find("job_id"), model: header.find("model_name") })
    }

    /// What these columns say of a job whose times are in `unit`.
    pub(super) fn draft<'r>(&self, row: &Row<'r>, unit: Unit) -> Result<Draft<'r>, Fault> {
        Ok(Draft {
            id: row.text(self.job),
            model: row.text(self.model),
            submit: row.time_in(self.submit, unit)?,
            gpus: row.gpus(self.gpus)?,
            duration: row.maybe_span_in(self.duration, unit)?,
            ..Draft::default()
        })
    }
}

#[derive(Debug)]
struct Reader {
    columns: Columns,
    start: Option<usize>,
}

fn open(header: &Header) -> Result<Box<dyn RowReader>, Refusal> {
    Ok(Box::new(Reader { columns: Columns::find(&FORMAT, header)?, start: header.find("start_time") }))
}

impl RowReader for Reader {
    fn row<'r>(&mut self, row: &Row<'r>) -> Result<Verdict<'r>, Fault> {
        let draft = self.columns.draft(row, Unit::Second)?;
        let start = row.maybe_time(self.start)?.filter(|&start| start >= draft.submit);
        let end = start.zip(draft.duration).map(|(start, run)| start + run.0);
        Ok(Verdict::Job(Draft { start, end, ..draft }))
    }
}
