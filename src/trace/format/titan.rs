//! Titan's workloads (gaow0007/TitanSched, `trace/main.zip`: `workload-*.csv`): fine-tuning jobs of foundation models.
//!
//! A job has no run time: it runs until `target_metric` is reached, by a profile of its application. `application` names the
//! model and the data set with `@` and `#` in it (`vit@frgfm#imagenette`).

use crate::trace::format::{Column, Evidence, Format, Layout, RowReader, Shape, columns_evidence, need};
use crate::trace::intake::{Draft, Fault, Verdict};
use crate::trace::refusal::Refusal;
use crate::trace::rows::{Header, Row};
use crate::trace::sample::Sample;

pub(super) static FORMAT: Format = Format {
    name: "titan",
    title: "Titan (CSV)",
    help: "workload-*.csv of gaow0007/TitanSched. There are no run times: jobs need one before they can be replayed. The \
           target_* columns are not used.",
    columns: &[
        Column::text("name", "The job's id.").or("the record's number"),
        Column::text("user", "The tenant, in files that name one.").or("unknown"),
        Column::number("submission_time", Some("s"), "0 to 9000000000", "Submission.").needed(),
        Column::text("application", "The model and the data set.").needed(),
        Column::gpus("num_gpus", "GPUs of the whole job.").needed(),
    ],
    detect,
    shape: Shape::Table { layout: Layout::csv, open },
};

fn detect(sample: &Sample<'_>) -> Option<Evidence> {
    columns_evidence(
        sample,
        &["submission_time", "application", "num_gpus"],
        &["target_metric", "target_batch_size", "target_lr"],
        &["duration"],
    )
}

#[derive(Debug)]
struct Reader {
    submit: usize,
    model: usize,
    gpus: usize,
    job: Option<usize>,
    user: Option<usize>,
}

fn open(header: &Header) -> Result<Box<dyn RowReader>, Refusal> {
    let names = ["submission_time", "application", "num_gpus"];
    let [submit, model, gpus] =
        need(&FORMAT, header, names, "Load a workload-*.csv as published, with its header.")?;
    Ok(Box::new(Reader { submit, model, gpus, job: header.find("name"), user: header.find("user") }))
}

impl RowReader for Reader {
    fn row<'r>(&mut self, row: &Row<'r>) -> Result<Verdict<'r>, Fault> {
        Ok(Verdict::Job(Draft {
            id: row.text(self.job),
            user: row.text(self.user),
            model: row.text(Some(self.model)),
            submit: row.time(self.submit)?,
            gpus: row.gpus(self.gpus)?,
            ..Draft::default()
        }))
    }
}
