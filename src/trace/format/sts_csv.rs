//! STS-Sim's own table: one row a job, columns in any order, most of them optional.

use std::io;

use crate::trace::format::{Column, Evidence, Format, Layout, RowReader, Shape, columns_evidence, need};
use crate::trace::intake::{Closing, Draft, Fault, Notice, Verdict};
use crate::trace::outcome::Outcomes;
use crate::trace::refusal::Refusal;
use crate::trace::rows::{Header, Row};
use crate::trace::sample::Sample;
use crate::trace::value::{self, Bad, Decimal};
use crate::units::{MICROS_PER_S, SimSpan};
use crate::workload::{JobRecord, Outcome, Workload};

pub(super) static FORMAT: Format = Format {
    name: "sts-csv",
    title: "STS-Sim CSV",
    help: "A text table with a header; columns in any order, separated by comma, semicolon, tab or |. Lines that begin \
           with # are comments. Only submit_s, gpus and duration_s are needed. This is also what STS-Sim exports.",
    columns: COLUMNS,
    detect,
    shape: Shape::Table { layout: Layout::csv, open },
};

/// The columns, also the members of a job in `sts-json`.
pub(super) const COLUMNS: &[Column] = &[
    Column::text("job", "The job's id. Without it equal rows are different jobs.").or("the record's number"),
    Column::text("tenant", "Who is charged.").or("the user, else unknown"),
    Column::text("user", "Who submitted it."),
    Column::number(
        "submit_s",
        Some("s"),
        "0 to 9000000000, or a date and time",
        "Submission, from any origin. A date without an offset is read as UTC.",
    )
    .needed(),
    Column::gpus(
        "gpus",
        "GPUs of the whole job, to a thousandth; 0 for a CPU job, which is counted and not simulated.",
    )
    .needed(),
    Column::number(
        "workers",
        None,
        "1 to 65536",
        "Equal workers the GPUs are spread over; matters for fractional GPUs.",
    )
    .or("one a GPU"),
    Column::text("gpu_type", "GPU types the job may use, alternatives separated by |.").or("any"),
    Column::seconds("duration_s", "Run time on the traced hardware; an empty cell where it is unknown.")
        .needed(),
    Column::number(
        "start_s",
        Some("s"),
        "as submit_s",
        "Start under the traced scheduler, from the same origin as submit_s.",
    ),
    Column::number("end_s", Some("s"), "as submit_s, not before start_s", "End under the traced scheduler."),
    Column::text("model", "The model trained."),
    Column::number(
        "min_slots",
        Some("slots"),
        "0 to 7",
        "The fewest slots of a seven-slot device it can run in; 0 when unknown.",
    )
    .or("0"),
    Column::number(
        "memory_gb",
        Some("GB"),
        "0 to 1000000",
        "Memory needed on each device, to a thousandth of a GB (1 MB); 0 when unknown.",
    )
    .or("0"),
    Column::number("outcome", None, "completed, failed, cancelled, running, pending", "How it ended.")
        .or("completed"),
    Column::seconds("limit_s", "The run time it asked for, after which a scheduler may kill it.").or("none"),
];

/// What is said of jobs whose run time is not that from start to end.
pub(super) const DIFFERS: &str = "jobs have a run time other than end − start; the run time stated is used (run_time=start-to-end takes the other)";

/// Whether a run time is not that from start to end. Jobs that were interrupted may run shorter than that.
pub(super) fn differs(duration: Option<SimSpan>, start: Option<i64>, end: Option<i64>) -> bool {
    duration.zip(start.zip(end)).is_some_and(|(duration, (start, end))| duration.0 != end - start)
}

/// What an outcome must be.
pub(super) const OUTCOMES: Bad =
    Bad { expected: "completed, failed, cancelled, running or pending", hint: "" };

fn detect(sample: &Sample<'_>) -> Option<Evidence> {
    columns_evidence(sample, &["submit_s", "gpus", "duration_s"], &[], &[])
}

#[derive(Debug)]
struct Reader {
    submit: usize,
    gpus: usize,
    duration: usize,
    job: Option<usize>,
    tenant: Option<usize>,
    user: Option<usize>,
    workers: Option<usize>,
    gpu_type: Option<usize>,
    start: Option<usize>,
    end: Option<usize>,
    model: Option<usize>,
    min_slots: Option<usize>,
    memory: Option<usize>,
    outcome: Option<usize>,
    limit: Option<usize>,
    unused: Vec<String>,
    outcomes: Outcomes,
    /// Jobs whose run time is not that from start to end.
    disagreeing: u64,
}

fn open(header: &Header) -> Result<Box<dyn RowReader>, Refusal> {
    let [submit, gpus, duration] = need(
        &FORMAT,
        header,
        ["submit_s", "gpus", "duration_s"],
        "Name the columns so, with times in seconds and gpus for the whole job.",
    )?;
    let known = |name: &str| COLUMNS.iter().any(|column| column.name.eq_ignore_ascii_case(name));
    Ok(Box::new(Reader {
        submit,
        gpus,
        duration,
        job: header.find("job"),
        tenant: header.find("tenant"),
        user: header.find("user"),
        workers: header.find("workers"),
        gpu_type: header.find("gpu_type"),
        start: header.find("start_s"),
        end: header.find("end_s"),
        model: header.find("model"),
        min_slots: header.find("min_slots"),
        memory: header.find("memory_gb"),
        outcome: header.find("outcome"),
        limit: header.find("limit_s"),
        unused: header.names().iter().filter(|name| !known(name)).cloned().collect(),
        outcomes: Outcomes::default(),
        disagreeing: 0,
    }))
}

impl RowReader for Reader {
    fn row<'r>(&mut self, row: &Row<'r>) -> Result<Verdict<'r>, Fault> {
        let state = row.text(self.outcome);
        let ended = match self.outcomes.of(&state) {
            Some(ended) => ended,
            None if state.is_empty() => Outcome::Completed,
            None => return Err(row.fault(self.outcome.unwrap_or(usize::MAX), OUTCOMES)),
        };
        let (duration, start, end) =
            (row.maybe_seconds(Some(self.duration))?, row.maybe_time(self.start)?, row.maybe_time(self.end)?);
        self.disagreeing += u64::from(differs(duration, start, end));
        Ok(Verdict::Job(Draft {
            id: row.text(self.job),
            tenant: row.text(self.tenant),
            user: row.text(self.user),
            gpu_type: row.text(self.gpu_type),
            model: row.text(self.model),
            state,
            submit: row.time(self.submit)?,
            gpus: row.gpus(self.gpus)?,
            workers: row.maybe(self.workers, value::workers)?,
            duration,
            start,
            end,
            memory_mb: row.maybe(self.memory, value::memory_mb)?.unwrap_or(0),
            min_slots: row.maybe(self.min_slots, value::min_slots)?.unwrap_or(0),
            outcome: ended,
            limit: row.maybe_seconds(self.limit)?,
        }))
    }

    fn close(&mut self) -> Closing {
        let mut closing = Closing::default();
        closing.notices.push(Notice::new("duration-differs", self.disagreeing, DIFFERS));
        if !self.unused.is_empty() {
            let text = format!("columns are not used: {}", self.unused.join(", "));
            closing.notices.push(Notice::new("unused-columns", self.unused.len() as u64, text));
        }
        closing
    }
}

/// Writes a workload as `sts-csv`, all columns. Reading it again gives the same workload, as long as ids are distinct and not
/// empty, no text has blanks around it, and every name is used by a job, as is so for imported workloads.
///
/// # Errors
/// What the writer says.
pub fn write_sts_csv(workload: &Workload, to: impl io::Write) -> io::Result<()> {
    let mut csv = csv::WriterBuilder::new().comment(Some(b'#')).from_writer(to);
    csv.write_record(COLUMNS.iter().map(|column| column.name)).map_err(cause)?;
    let origin = (workload.first_submit_s * MICROS_PER_S as f64).round() as i64;
    for (at, job) in workload.jobs.iter().enumerate() {
        csv.write_record(cells(workload, at, job, origin)).map_err(cause)?;
    }
    csv.flush()
}

/// Why nothing more can be written. `io::Error::from` would hide its kind, by which a closed pipe is known.
fn cause(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(cause) => cause,
        other => io::Error::other(format!("{other:?}")),
    }
}

/// The cells of one job, in the order of [`COLUMNS`].
pub(super) fn cells(workload: &Workload, at: usize, job: &JobRecord, origin: i64) -> [String; 15] {
    let name = |table: &[String], index: Option<u32>| {
        index.and_then(|i| table.get(i as usize)).cloned().unwrap_or_default()
    };
    let micros = |value: i64| Decimal { value, places: 6 }.to_string();
    let milli = |value: u32| Decimal { value: i64::from(value), places: 3 }.to_string();
    let time = |time: Option<crate::units::SimTime>| time.map(|t| micros(origin + t.0)).unwrap_or_default();
    [
        workload.names.get(at).to_owned(),
        name(&workload.tenants, Some(job.tenant.0)),
        name(&workload.users, job.user),
        time(Some(job.submit)),
        milli(job.gpus.0),
        job.workers.to_string(),
        name(&workload.gpu_types, job.gpu_type),
        job.duration.get().map(|span| micros(span.0)).unwrap_or_default(),
        time(job.start.get()),
        time(job.end.get()),
        name(&workload.models, job.model),
        job.min_slots.to_string(),
        milli(job.memory_mb),
        job.outcome.word().to_owned(),
        job.limit.get().map(|span| micros(span.0)).unwrap_or_default(),
    ]
}
