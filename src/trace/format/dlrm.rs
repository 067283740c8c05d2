//! Alibaba's instances of disaggregated recommendation models of 2025 (cluster-trace-gpu-v2025): services, not jobs.

use crate::trace::format::{Column, Evidence, Format, Layout, RowReader, Shape, columns_evidence, need};
use crate::trace::intake::{Closing, Draft, Fault, Notice, Verdict};
use crate::trace::refusal::Refusal;
use crate::trace::rows::{Header, Row};
use crate::trace::sample::Sample;
use crate::units::SimSpan;
use crate::workload::Outcome;

pub(super) static FORMAT: Format = Format {
    name: "dlrm-2025",
    title: "Alibaba DLRM 2025 (CSV)",
    help: "disaggregated_DLRM_trace.csv of cluster-trace-gpu-v2025: instances of inference services. An instance without a \
           creation_time was there before the trace begins and is submitted at its beginning. One without a deletion_time \
           outlives the trace: it is running at the end and has no run time. The tenant is the application.",
    columns: &[
        Column::text("instance_sn", "The instance's id.").or("the record's number"),
        Column::text("app_name", "The application: the tenant.").or("unknown"),
        Column::gpus("gpu_request", "GPUs of the instance.").needed(),
        Column::number(
            "creation_time",
            Some("s"),
            "0 to 9000000000",
            "Submission, from the start of the trace.",
        )
        .needed()
        .or("0: the instance is older than the trace"),
        Column::number("scheduled_time", Some("s"), "as creation_time", "Start."),
        Column::number("deletion_time", Some("s"), "as creation_time", "End.").needed(),
    ],
    detect,
    shape: Shape::Table { layout: Layout::csv, open },
};

fn detect(sample: &Sample<'_>) -> Option<Evidence> {
    columns_evidence(sample, &["instance_sn", "app_name", "gpu_request"], &[], &[])
}

#[derive(Debug)]
struct Reader {
    gpus: usize,
    created: usize,
    deleted: usize,
    instance: Option<usize>,
    app: Option<usize>,
    scheduled: Option<usize>,
    counts: Counts,
}

/// What the report says of these instances.
#[derive(Debug, Default)]
struct Counts {
    gpu_instances: u64,
    with_all_times: u64,
    no_creation: u64,
    no_deletion: u64,
}

fn open(header: &Header) -> Result<Box<dyn RowReader>, Refusal> {
    let [gpus, created, deleted] = need(
        &FORMAT,
        header,
        ["gpu_request", "creation_time", "deletion_time"],
        "Load disaggregated_DLRM_trace.csv as published, with its header.",
    )?;
    Ok(Box::new(Reader {
        gpus,
        created,
        deleted,
        instance: header.find("instance_sn"),
        app: header.find("app_name"),
        scheduled: header.find("scheduled_time"),
        counts: Counts::default(),
    }))
}

impl RowReader for Reader {
    fn row<'r>(&mut self, row: &Row<'r>) -> Result<Verdict<'r>, Fault> {
        let gpus = row.gpus(self.gpus)?;
        let created = row.maybe_time(Some(self.created))?;
        let start = row.maybe_time(self.scheduled)?;
        let end = row.maybe_time(Some(self.deleted))?;
        self.counts.gpu_instances += u64::from(gpus.0 > 0);
        self.counts.with_all_times += u64::from(created.is_some() && start.is_some() && end.is_some());
        self.counts.no_creation += u64::from(created.is_none());
        self.counts.no_deletion += u64::from(end.is_none());
        // What is older than the trace runs from its beginning, as far as the trace tells.
        let start = if created.is_none() { start.or(Some(0)) } else { start };
        Ok(Verdict::Job(Draft {
            id: row.text(self.instance),
            tenant: row.text(self.app),
            submit: created.unwrap_or(0),
            gpus,
            duration: start
                .zip(end)
                .filter(|(start, end)| start <= end)
                .map(|(start, end)| SimSpan(end - start)),
            start,
            end,
            outcome: match (start, end) {
                (None, None) => Outcome::Pending,
                (Some(_), None) => Outcome::Running,
                (_, Some(_)) => Outcome::Completed,
            },
            ..Draft::default()
        }))
    }

    fn close(&mut self) -> Closing {
        let Counts { gpu_instances, with_all_times, no_creation, no_deletion } = self.counts;
        let notices = vec![
            Notice::new(
                "older-than-trace",
                no_creation,
                "instances are older than the trace and are submitted at its beginning",
            ),
            Notice::new(
                "outlives-trace",
                no_deletion,
                "instances outlive the trace; they have no run time and need one before they can be replayed",
            ),
        ];
        let figures = vec![
            ("gpu_instances", gpu_instances),
            ("with_all_times", with_all_times),
            ("no_creation", no_creation),
            ("no_deletion", no_deletion),
        ];
        Closing { notices, figures, ..Closing::default() }
    }
}
