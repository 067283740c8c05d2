//! Any delimited table, read by a mapping; and the one layout of it that is published: Gen-Parallel-Workloads
//! (DIR-LAB/Gen-Parallel-Workloads, the training tables of Helios, Philly and Theta), which has no times of submission but the
//! gaps between jobs.

use crate::trace::format::{Column, Evidence, Format, Shape, columns_evidence};
use crate::trace::mapping::{
    self, ColumnRef, Columns, Gap, GapColumn, GpuColumn, GpuUnit, Mapping, NoGpus, Per, TimeColumn, TimeUnit,
};
use crate::trace::refusal::Refusal;
use crate::trace::sample::Sample;

pub(super) static FORMAT: Format = Format {
    name: "generic-csv",
    title: "Any table, by a mapping of its columns",
    help: "Any delimited table. A mapping says which column is what and in which unit; without one the columns are guessed. \
           The tables of DIR-LAB/Gen-Parallel-Workloads are recognised: their submission is the running sum of interval, so \
           the order of rows matters; wall_time is 0 in most and not used.",
    columns: &[
        Column::text("u_id", "The job's id.").or("the record's number"),
        Column::text("user", "Who submitted it."),
        Column::gpus("gpu_num", "GPUs of the whole job; 0 for a CPU job.").needed(),
        Column::number("node_num", None, "1 to 65536", "Nodes; not used."),
        Column::seconds("interval", "Time since the submission of the job above.").needed(),
        Column::seconds("run_time", "Run time.").needed(),
        Column::text("new_status", "Pass, Failed or Killed.").or("completed"),
    ],
    detect,
    shape: Shape::Mapped,
};

/// The score of a table whose columns can be guessed: worth proposing, not worth taking without asking.
const GUESSED: u8 = 40;

fn detect(sample: &Sample<'_>) -> Option<Evidence> {
    if let Some(evidence) = published(sample) {
        return Some(evidence);
    }
    let guess = mapping::suggest_in(sample).filter(|guess| guess.mapping.check().is_ok())?;
    Some(Evidence { score: GUESSED, text: format!("a table that may hold jobs: {}", guess.summary()) })
}

fn published(sample: &Sample<'_>) -> Option<Evidence> {
    columns_evidence(
        sample,
        &["gpu_num", "interval", "run_time"],
        &["u_id", "new_status", "wall_time"],
        &["submit_time", "vc"],
    )
    .filter(|evidence| evidence.score > 90)
}

/// The mapping of a table that comes without one.
///
/// # Errors
/// [`Refusal::BadMapping`] when it cannot be guessed which columns are needed.
pub(in crate::trace) fn mapping_of(sample: &Sample<'_>) -> Result<Mapping, Refusal> {
    if published(sample).is_some() {
        return Ok(gen_parallel(sample));
    }
    let why = "no column of submissions and GPUs could be recognised".to_owned();
    let guess = mapping::suggest_in(sample).ok_or_else(|| Refusal::BadMapping { why })?;
    guess.mapping.check().map_err(|error| Refusal::BadMapping { why: format!("as guessed, {error}") })?;
    Ok(guess.mapping)
}

/// The layout of Gen-Parallel-Workloads.
fn gen_parallel(sample: &Sample<'_>) -> Mapping {
    let named = |name: &str| ColumnRef::Name(name.to_owned());
    let optional = |name: &str| sample.header().find(name).map(|_| named(name));
    let seconds = |name: &str| TimeColumn { column: named(name), unit: TimeUnit::S };
    let mut mapping = Mapping::default();
    mapping.table.delimiter = char::from(sample.delimiter());
    mapping.columns = Columns {
        id: optional("u_id"),
        user: optional("user"),
        interval: Some(GapColumn { column: named("interval"), unit: TimeUnit::S, to: Gap::Previous }),
        duration: Some(seconds("run_time")),
        gpus: Some(GpuColumn {
            column: named("gpu_num"),
            unit: GpuUnit::Count,
            per: Per::Job,
            missing: NoGpus::Reject,
        }),
        nodes: optional("node_num"),
        state: optional("new_status"),
        ..Columns::default()
    };
    mapping
}
