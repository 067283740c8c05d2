//! The Acme traces of Shanghai AI Laboratory (InternLM/AcmeTrace): the clusters Seren and Kalos, all A100.

use crate::trace::format::{Column, Evidence, Format, Layout, RowReader, Shape, columns_evidence, need};
use crate::trace::intake::{Closing, Draft, Fault, Notice, Verdict};
use crate::trace::outcome::outcome;
use crate::trace::refusal::Refusal;
use crate::trace::rows::{Header, Row};
use crate::trace::sample::Sample;
use crate::units::SimSpan;

pub(super) static SEREN: Format = Format {
    name: "acme-seren",
    title: "Acme Seren (CSV)",
    help: "trace_seren.csv of InternLM/AcmeTrace. GPUs are totals of the job. Times carry their offset, which is applied. \
           The run time is end − start, else the column duration. The column type (the kind of work) is not used.",
    columns: COLUMNS,
    detect: |sample| columns_evidence(sample, NEEDED, &["node_num", "cpu_num", "queue"], KALOS_ONLY),
    shape: Shape::Table { layout: Layout::csv, open: |header| open(&SEREN, header, DurationIs::Run) },
};

pub(super) static KALOS: Format = Format {
    name: "acme-kalos",
    title: "Acme Kalos (CSV)",
    help: "trace_kalos.csv of InternLM/AcmeTrace. GPUs are totals of the job. Times carry their offset, which is applied. \
           The run time is end − start: the column duration counts the queue as well, so that it stands in only after \
           queue is taken off. The column type (the kind of work) is not used.",
    columns: COLUMNS,
    detect,
    shape: Shape::Table { layout: Layout::csv, open: |header| open(&KALOS, header, DurationIs::QueueAndRun) },
};

const COLUMNS: &[Column] = &[
    Column::text("job_id", "The job's id, unique in one cluster.").or("the record's number"),
    Column::text("user", "Who submitted it: the tenant.").or("unknown"),
    Column::gpus("gpu_num", "GPUs of the whole job.").needed(),
    Column::text("state", "COMPLETED, FAILED, CANCELLED, TIMEOUT, NODE_FAIL, …").or("completed"),
    Column::number("submit_time", None, "a date and time with its offset", "Submission.").needed(),
    Column::number("start_time", None, "a date and time with its offset", "Start."),
    Column::number("end_time", None, "a date and time with its offset", "End."),
    Column::seconds("duration", "Run time; in Kalos from submission to end.").or("end_time − start_time"),
    Column::seconds("queue", "Time from submission to start; used in Kalos where start or end is missing."),
];

const NEEDED: &[&str] = &["gpu_num", "type", "submit_time", "gpu_time"];
const KALOS_ONLY: &[&str] = &["mem_per_pod_GB", "shared_mem_per_pod", "fail_time", "stop_time"];

fn detect(sample: &Sample<'_>) -> Option<Evidence> {
    let own = KALOS_ONLY.iter().copied().find(|name| sample.header().find(name).is_some())?;
    columns_evidence(sample, NEEDED, &[own], &[])
}

/// What the column `duration` holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DurationIs {
    /// From start to end.
    Run,
    /// From submission to end, although the publisher says the same of both clusters.
    QueueAndRun,
}

#[derive(Debug)]
struct Reader {
    duration_is: DurationIs,
    submit: usize,
    gpus: usize,
    job: Option<usize>,
    user: Option<usize>,
    state: Option<usize>,
    start: Option<usize>,
    end: Option<usize>,
    duration: Option<usize>,
    queue: Option<usize>,
    disagreeing: u64,
    unknown_states: u64,
}

fn open(format: &Format, header: &Header, duration_is: DurationIs) -> Result<Box<dyn RowReader>, Refusal> {
    let [submit, gpus] =
        need(format, header, ["submit_time", "gpu_num"], "Load the trace as published, with its header.")?;
    Ok(Box::new(Reader {
        duration_is,
        submit,
        gpus,
        job: header.find("job_id"),
        user: header.find("user"),
        state: header.find("state"),
        start: header.find("start_time"),
        end: header.find("end_time"),
        duration: header.find("duration"),
        queue: header.find("queue"),
        disagreeing: 0,
        unknown_states: 0,
    }))
}

impl Reader {
    /// The run time that the column `duration` tells.
    fn stated(&self, row: &Row<'_>) -> Result<Option<SimSpan>, Fault> {
        let stated = row.maybe_seconds(self.duration)?;
        if self.duration_is == DurationIs::Run {
            return Ok(stated);
        }
        let queue = row.maybe_seconds(self.queue)?;
        Ok(stated.zip(queue).filter(|(all, queue)| queue <= all).map(|(all, queue)| SimSpan(all.0 - queue.0)))
    }
}

impl RowReader for Reader {
    fn row<'r>(&mut self, row: &Row<'r>) -> Result<Verdict<'r>, Fault> {
        let start = row.maybe_time(self.start)?;
        let end = row.maybe_time(self.end)?;
        let stated = self.stated(row)?;
        let run = start.zip(end).filter(|(start, end)| start <= end).map(|(start, end)| SimSpan(end - start));
        let draft = Draft {
            id: row.text(self.job),
            user: row.text(self.user),
            state: row.text(self.state),
            submit: row.time(self.submit)?,
            gpus: row.gpus(self.gpus)?,
            duration: run.or(stated),
            start,
            end,
            ..Draft::default()
        };
        let ended = outcome(&draft.state);
        self.unknown_states += u64::from(ended.is_none() && !draft.state.is_empty());
        self.disagreeing += u64::from(run.zip(stated).is_some_and(|(run, stated)| run != stated));
        Ok(Verdict::Job(Draft { outcome: ended.unwrap_or_default(), ..draft }))
    }

    fn close(&mut self) -> Closing {
        let differs = match self.duration_is {
            DurationIs::Run => "jobs have a duration other than end − start; end − start is used",
            DurationIs::QueueAndRun => {
                "jobs have a duration other than queue + (end − start); end − start is used"
            }
        };
        let notices = vec![
            Notice::new("duration-differs", self.disagreeing, differs),
            Notice::new(
                "unknown-states",
                self.unknown_states,
                "jobs have an unknown state and count as completed",
            ),
        ];
        Closing { notices, ..Closing::default() }
    }
}
