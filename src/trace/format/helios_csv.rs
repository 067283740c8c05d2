//! SenseTime's Helios trace (`cluster_log.csv` of S-Lab-System-Group/HeliosData: Venus, Earth, Saturn, Uranus).

use crate::trace::format::{Column, Evidence, Format, Layout, RowReader, Shape, columns_evidence, need};
use crate::trace::intake::{Closing, Draft, Fault, Notice, Verdict};
use crate::trace::outcome::outcome;
use crate::trace::refusal::Refusal;
use crate::trace::rows::{Header, Row};
use crate::trace::sample::Sample;
use crate::units::SimSpan;

pub(super) static FORMAT: Format = Format {
    name: "helios-csv",
    title: "Helios (CSV)",
    help: "data/<Cluster>/cluster_log.csv of S-Lab-System-Group/HeliosData. GPUs are totals of the job; about half of \
           the jobs have none. Times are on the local clock. The run time is end − start, else the column duration.",
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
    ],
    detect,
    shape: Shape::Table { layout: Layout::csv, open },
};

fn detect(sample: &Sample<'_>) -> Option<Evidence> {
    columns_evidence(
        sample,
        &["gpu_num", "vc", "submit_time"],
        &["job_id", "cpu_num", "node_num", "state", "queue"],
        &["type", "gpu_time"],
    )
}

#[derive(Debug)]
struct Reader {
    submit: usize,
    gpus: usize,
    job: Option<usize>,
    user: Option<usize>,
    vc: Option<usize>,
    state: Option<usize>,
    start: Option<usize>,
    end: Option<usize>,
    duration: Option<usize>,
    disagreeing: u64,
    unknown_states: u64,
}

fn open(header: &Header) -> Result<Box<dyn RowReader>, Refusal> {
    let [submit, gpus, _] = need(
        &FORMAT,
        header,
        ["submit_time", "gpu_num", "vc"],
        "Load cluster_log.csv as published, with its header.",
    )?;
    Ok(Box::new(Reader {
        submit,
        gpus,
        job: header.find("job_id"),
        user: header.find("user"),
        vc: header.find("vc"),
        state: header.find("state"),
        start: header.find("start_time"),
        end: header.find("end_time"),
        duration: header.find("duration"),
        disagreeing: 0,
        unknown_states: 0,
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
