//! Microsoft's ElasticFlow traces (microsoft/elasticflow-traces): the raw clusters, and the same with models and deadlines.

use crate::trace::format::{Column, Evidence, Format, Layout, RowReader, Shape, columns_evidence, need};
use crate::trace::intake::{Draft, Fault, Verdict};
use crate::trace::refusal::Refusal;
use crate::trace::rows::{Header, Row};
use crate::trace::sample::Sample;

pub(super) static FORMAT: Format = Format {
    name: "elasticflow",
    title: "ElasticFlow (CSV)",
    help: "clusterNN.csv of microsoft/elasticflow-traces, raw (job_id, submission_time, duration, num_gpu) or generated \
           (with num_iteration, model_name, deadline, batch_size; these are invented by the publisher). There are no \
           tenants; deadlines are not used.",
    columns: &[
        Column::text("job_id", "The job's id.").or("the record's number"),
        Column::number(
            "submission_time",
            Some("s"),
            "0 to 9000000000",
            "Submission, from the start of the publisher's log.",
        )
        .needed(),
        Column::seconds("duration", "Run time.").needed(),
        Column::gpus("num_gpu", "GPUs of the whole job.").needed(),
        Column::text("model_name", "The model, in generated files."),
    ],
    detect,
    shape: Shape::Table { layout: Layout::csv, open },
};

fn detect(sample: &Sample<'_>) -> Option<Evidence> {
    columns_evidence(sample, &["submission_time", "duration", "num_gpu"], &[], &["interval", "submit_time"])
}

#[derive(Debug)]
struct Reader {
    submit: usize,
    duration: usize,
    gpus: usize,
    job: Option<usize>,
    model: Option<usize>,
}

fn open(header: &Header) -> Result<Box<dyn RowReader>, Refusal> {
    let [submit, duration, gpus] = need(
        &FORMAT,
        header,
        ["submission_time", "duration", "num_gpu"],
        "Load a clusterNN.csv as published, with its header.",
    )?;
    let (job, model) = (header.find("job_id"), header.find("model_name"));
    Ok(Box::new(Reader { submit, duration, gpus, job, model }))
}

impl RowReader for Reader {
    fn row<'r>(&mut self, row: &Row<'r>) -> Result<Verdict<'r>, Fault> {
        Ok(Verdict::Job(Draft {
            id: row.text(self.job),
            model: row.text(self.model),
            submit: row.time(self.submit)?,
            gpus: row.gpus(self.gpus)?,
            duration: row.maybe_seconds(Some(self.duration))?,
            ..Draft::default()
        }))
    }
}
