//! Alibaba's "openb" pods of 2023 (cluster-trace-gpu-v2023, also in hkust-adsl/kubernetes-scheduler-simulator). The lists of
//! nodes that come with them are read by [`nodes`](crate::trace::nodes).

use crate::trace::format::{Column, Evidence, Format, Layout, RowReader, Shape, columns_evidence, need};
use crate::trace::intake::{Closing, Draft, Fault, Notice, Verdict};
use crate::trace::refusal::Refusal;
use crate::trace::rows::{Header, Row};
use crate::trace::sample::Sample;
use crate::trace::value::{self, Bad, Gang, MAX_GPUS};
use crate::units::{MilliGpus, SimSpan};
use crate::workload::Outcome;

pub(super) static FORMAT: Format = Format {
    name: "openb-2023",
    title: "Alibaba openb 2023 (pods, CSV)",
    help: "openb_pod_list_*.csv of cluster-trace-gpu-v2023. GPUs are num_gpu x gpu_milli / 1000; the run time is \
           deletion_time − scheduled_time, whatever the phase says: pods that are Running when they are deleted have ended. \
           Pending pods have no run time. The multigpu lists have no times and cannot be replayed. There are no tenants.",
    columns: &[
        Column::text("name", "The pod's name, unique in one list only.").or("the record's number"),
        Column::number("num_gpu", Some("GPUs"), "0 to 65536", "GPUs the pod uses, whole or in part.")
            .needed(),
        Column::number("gpu_milli", Some("GPU/1000"), "0 to 1000", "The share of each of these GPUs.")
            .needed(),
        Column::text("gpu_spec", "GPU types it may use, alternatives separated by |.").or("any"),
        Column::text("pod_phase", "Running, Failed, Pending or Succeeded.").or("completed"),
        Column::number(
            "creation_time",
            Some("s"),
            "0 to 9000000000",
            "Submission, from the start of the trace.",
        )
        .needed(),
        Column::number("scheduled_time", Some("s"), "as creation_time", "Start; empty for a pending pod."),
        Column::number("deletion_time", Some("s"), "as creation_time", "End.").needed(),
    ],
    detect,
    shape: Shape::Table { layout: Layout::csv, open },
};

fn detect(sample: &Sample<'_>) -> Option<Evidence> {
    columns_evidence(sample, &["cpu_milli", "num_gpu", "gpu_milli"], &[], &[])
}

#[derive(Debug)]
struct Reader {
    gpus: usize,
    share: usize,
    created: usize,
    deleted: usize,
    name: Option<usize>,
    spec: Option<usize>,
    phase: Option<usize>,
    scheduled: Option<usize>,
    unscheduled: u64,
}

fn open(header: &Header) -> Result<Box<dyn RowReader>, Refusal> {
    let [gpus, share, created, deleted] = need(
        &FORMAT,
        header,
        ["num_gpu", "gpu_milli", "creation_time", "deletion_time"],
        "Load a pod list with times, such as openb_pod_list_default.csv; the multigpu lists have none.",
    )?;
    Ok(Box::new(Reader {
        gpus,
        share,
        created,
        deleted,
        name: header.find("name"),
        spec: header.find("gpu_spec"),
        phase: header.find("pod_phase"),
        scheduled: header.find("scheduled_time"),
        unscheduled: 0,
    }))
}

impl Reader {
    /// GPUs, each of them in whole or in part.
    fn request(&self, row: &Row<'_>) -> Result<Gang, Fault> {
        const DEVICES: Bad = Bad { expected: "a whole number of GPUs from 0 to 65,536", hint: "" };
        const SHARE: Bad = Bad {
            expected: "a whole number of thousandths of a GPU from 0 to 1000",
            hint: "a share is of one GPU; more than one whole GPU belongs into num_gpu",
        };
        let whole = |column, most, bad| {
            value::whole(row.get(column))
                .filter(|n| (0..=most).contains(n))
                .and_then(|n| u32::try_from(n).ok())
                .ok_or_else(|| row.fault(column, bad))
        };
        let (devices, share) = (whole(self.gpus, MAX_GPUS, DEVICES)?, whole(self.share, 1000, SHARE)?);
        value::gang(MilliGpus(share), devices).map_err(|bad| row.fault(self.gpus, bad))
    }
}

impl RowReader for Reader {
    fn row<'r>(&mut self, row: &Row<'r>) -> Result<Verdict<'r>, Fault> {
        let gang = self.request(row)?;
        let start = row.maybe_time(self.scheduled)?;
        // Pods that never started were deleted too.
        let end = row.maybe_time(Some(self.deleted))?.filter(|_| start.is_some());
        let spec = row.text(self.spec);
        self.unscheduled += u64::from(start.is_none());
        let state = row.text(self.phase);
        let outcome = match (start, state.as_ref()) {
            (None, _) => Outcome::Pending,
            (Some(_), "Failed") => Outcome::Failed,
            (Some(_), _) => Outcome::Completed,
        };
        Ok(Verdict::Job(Draft {
            id: row.text(self.name),
            // As pandas prints an empty cell.
            gpu_type: if spec == "nan" { "".into() } else { spec },
            state,
            submit: row.time(self.created)?,
            gpus: gang.gpus,
            workers: gang.workers,
            duration: start
                .zip(end)
                .filter(|(start, end)| start <= end)
                .map(|(start, end)| SimSpan(end - start)),
            start,
            end,
            outcome,
            ..Draft::default()
        }))
    }

    fn close(&mut self) -> Closing {
        let notice = Notice::new("never-scheduled", self.unscheduled, "pods were never scheduled");
        Closing { notices: vec![notice], ..Closing::default() }
    }
}
