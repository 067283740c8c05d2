//! Alibaba's trace of spot GPUs of 2026 (cluster-trace-v2026-spot-gpu). Its list of nodes is read by
//! [`nodes`](crate::trace::nodes).

use crate::trace::format::{Column, Evidence, Format, Layout, RowReader, Shape, columns_evidence, need};
use crate::trace::intake::{Draft, Fault, Verdict};
use crate::trace::refusal::Refusal;
use crate::trace::rows::{Header, Row};
use crate::trace::sample::Sample;
use crate::trace::value;

pub(super) static FORMAT: Format = Format {
    name: "spot-2026",
    title: "Alibaba spot GPUs 2026 (jobs, CSV)",
    help: "job_info_df.csv of cluster-trace-v2026-spot-gpu, columns in any order. GPUs are gpu_request x worker_num. The \
           tenant is the organization. Run times reach half a year and A10 is asked for more than there is of it, so that \
           a long queue is what the trace says. job_type (HP or Spot) is not used.",
    columns: &[
        Column::text("job_name", "The job's id.").or("the record's number"),
        Column::text("organization", "Who is charged: the tenant.").or("unknown"),
        Column::text("gpu_model", "The GPU type it asks for.").or("any"),
        Column::gpus("gpu_request", "GPUs of each worker.").needed(),
        Column::number("worker_num", None, "1 to 65536", "Equal workers.").needed(),
        Column::number("submit_time", Some("s"), "0 to 9000000000", "Submission, from the first one.")
            .needed(),
        Column::seconds("duration", "Run time.").needed(),
    ],
    detect,
    shape: Shape::Table { layout: Layout::csv, open },
};

fn detect(sample: &Sample<'_>) -> Option<Evidence> {
    columns_evidence(
        sample,
        &["gpu_request", "worker_num", "submit_time"],
        &["organization", "job_type"],
        &[],
    )
}

#[derive(Debug)]
struct Reader {
    gpus: usize,
    workers: usize,
    submit: usize,
    duration: usize,
    job: Option<usize>,
    organization: Option<usize>,
    model: Option<usize>,
}

fn open(header: &Header) -> Result<Box<dyn RowReader>, Refusal> {
    let [gpus, workers, submit, duration] = need(
        &FORMAT,
        header,
        ["gpu_request", "worker_num", "submit_time", "duration"],
        "Load job_info_df.csv as published, with its header.",
    )?;
    Ok(Box::new(Reader {
        gpus,
        workers,
        submit,
        duration,
        job: header.find("job_name"),
        organization: header.find("organization"),
        model: header.find("gpu_model"),
    }))
}

impl RowReader for Reader {
    fn row<'r>(&mut self, row: &Row<'r>) -> Result<Verdict<'r>, Fault> {
        let each = row.gpus(self.gpus)?;
        let workers = |bad| row.fault(self.workers, bad);
        let count = value::workers(row.get(self.workers)).map_err(workers)?;
        let gang = value::gang(each, count).map_err(workers)?;
        Ok(Verdict::Job(Draft {
            id: row.text(self.job),
            tenant: row.text(self.organization),
            gpu_type: row.text(self.model),
            submit: row.time(self.submit)?,
            gpus: gang.gpus,
            workers: gang.workers,
            duration: row.maybe_seconds(Some(self.duration))?,
            ..Draft::default()
        }))
    }
}
