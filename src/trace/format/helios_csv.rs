//! SenseTime's Helios trace (`cluster_log.csv` of S-Lab-System-Group/HeliosData: Venus, Earth, Saturn, Uranus), also in the
//! canonical CSV of fleet simulators, whose times are microseconds. The lists of GPUs a day are read by
//! [`nodes`](crate::trace::nodes).

use crate::trace::format::{Column, Evidence, Format, Layout, RowReader, Shape, columns_evidence, need};
use crate::trace::intake::{Closing, Draft, Fault, Notice, Verdict};
use crate::trace::outcome::Outcomes;
use crate::trace::refusal::Refusal;
use crate::trace::rows::{Header, Row};
use crate::trace::sample::Sample;
use crate::trace::value;
use crate::units::SimSpan;

pub(super) static FORMAT: Format = Format {
    name: "helios-csv",
    title: "Helios (CSV)",
    help: "data/<Cluster>/cluster_log.csv of S-Lab-System-Group/HeliosData. GPUs are totals of the job; about half of \
           the jobs have none. Times are on the local clock. The run time is end − start, else the column duration. The same jobs in \
           the canonical CSV of fleet simulators (tenant, num_chips, duration_s) have submit_time in microseconds.",
    columns: &[
        Column::text("job_id", "The job's id, unique in one cluster.").or("the record's number"),
        Column::text("user", "Who submitted it."),
        Column::text("vc", "The virtual cluster: the tenant.").needed().or("the user, else unknown"),
        Column::gpus("gpu_num", "GPUs of the whole job.").needed(),
        Column::text("state", "COMPLETED, CANCELLED, FAILED, TIMEOUT, NODE_FAIL, …").or("completed"),
        Column::number("submit_time", None, "a date and time", "Submission.").needed(),
        Column::number("start_time", None, "a date and time", "Start."),
        Column::number("end_time", None, "a date and time", "End."),
        Column::seconds("duration", "Run time.").or("end_time − start_time"),
        Column::text("tenant", "Canonical CSV: stands for vc."),
        Column::gpus("num_chips", "Canonical CSV: stands for gpu_num; submit_time is then in microseconds."),
        Column::text("chip_type", "Canonical CSV: the GPU type it asks for.").or("any"),
        Column::seconds("duration_s", "Canonical CSV: stands for duration."),
        Column::seconds("walltime_limit_s", "Canonical CSV: the run time it asked for.").or("none"),
        Column::text("final_status", "Canonical CSV: stands for state."),
    ],
    detect,
    shape: Shape::Table { layout: Layout::csv, open },
};

fn detect(sample: &Sample<'_>) -> Option<Evidence> {
    if sample.header().find("num_chips").is_some() {
        let needed = ["tenant", "submit_time", "num_chips", "duration_s"];
        return columns_evidence(sample, &needed, &["chip_type", "final_status"], &[]);
    }
    columns_evidence(
        sample,
        &["gpu_num", "vc", "submit_time"],
        &["job_id", "cpu_num", "node_num", "state", "queue"],
        &["type", "gpu_time"],
    )
}

/// The unit of submission times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SubmitIn {
    /// Dates, or seconds.
    Dates,
    Microseconds,
}

#[derive(Debug)]
struct Reader {
    submit: usize,
    submit_in: SubmitIn,
    gpus: usize,
    job: Option<usize>,
    user: Option<usize>,
    vc: Option<usize>,
    gpu_type: Option<usize>,
    state: Option<usize>,
    start: Option<usize>,
    end: Option<usize>,
    duration: Option<usize>,
    limit: Option<usize>,
    disagreeing: u64,
    unknown_states: u64,
    outcomes: Outcomes,
}

fn open(header: &Header) -> Result<Box<dyn RowReader>, Refusal> {
    let is_canonical = header.find("num_chips").is_some();
    let [submit, gpus, vc] = if is_canonical {
        let advice = "Load the canonical CSV with its header.";
        need(&FORMAT, header, ["submit_time", "num_chips", "tenant"], advice)?
    } else {
        let advice = "Load cluster_log.csv as published, with its header.";
        need(&FORMAT, header, ["submit_time", "gpu_num", "vc"], advice)?
    };
    let either = |published, canonical| header.find(if is_canonical { canonical } else { published });
    Ok(Box::new(Reader {
        submit,
        submit_in: if is_canonical { SubmitIn::Microseconds } else { SubmitIn::Dates },
        gpus,
        job: header.find("job_id"),
        user: header.find("user"),
        vc: Some(vc),
        gpu_type: header.find("chip_type"),
        state: either("state", "final_status"),
        start: header.find("start_time"),
        end: header.find("end_time"),
        duration: either("duration", "duration_s"),
        limit: header.find("walltime_limit_s"),
        disagreeing: 0,
        unknown_states: 0,
        outcomes: Outcomes::default(),
    }))
}

impl RowReader for Reader {
    fn row<'r>(&mut self, row: &Row<'r>) -> Result<Verdict<'r>, Fault> {
        let start = row.maybe_time(self.start)?;
        let end = row.maybe_time(self.end)?;
        let stated = row.maybe_seconds(self.duration)?;
        let run = start.zip(end).filter(|(start, end)| start <= end).map(|(start, end)| SimSpan(end - start));
        let draft = Draft {
            id: row.text(self.job),
            tenant: row.text(self.vc),
            user: row.text(self.user),
            gpu_type: row.text(self.gpu_type),
            state: row.text(self.state),
            submit: match self.submit_in {
                SubmitIn::Dates => row.time(self.submit)?,
                SubmitIn::Microseconds => row.parse(self.submit, value::microseconds)?,
            },
            gpus: row.gpus(self.gpus)?,
            duration: run.or(stated),
            start,
            end,
            limit: row.maybe_seconds(self.limit)?,
            ..Draft::default()
        };
        let ended = self.outcomes.of(&draft.state);
        self.unknown_states += u64::from(ended.is_none() && !draft.state.is_empty());
        self.disagreeing += u64::from(run.zip(stated).is_some_and(|(run, stated)| run != stated));
        Ok(Verdict::Job(Draft { outcome: ended.unwrap_or_default(), ..draft }))
    }

    fn close(&mut self) -> Closing {
        let notices = vec![
            Notice::new(
                "duration-differs",
                self.disagreeing,
                "jobs have a duration other than end − start; end − start is used",
            ),
            Notice::new(
                "unknown-states",
                self.unknown_states,
                "jobs have an unknown state and count as completed",
            ),
        ];
        Closing { notices, ..Closing::default() }
    }
}
