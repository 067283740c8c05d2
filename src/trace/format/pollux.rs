//! The workloads of Pollux (petuum/adaptdl, branch osdi21-artifact; Qiao et al., OSDI 2021) and Sia (siasosp23/artifacts;
//! Jayaram Subramanya et al., SOSP 2023): `workload-*.csv`.
//!
//! A job has no run time: its work comes from profiles of its application. `num_replicas` is the tuned number of GPUs.
//! Files saved by pandas have one or two columns of row numbers in front, with the names `` and `Unnamed: 0`. In the `scale_*`
//! workloads several jobs come at one instant.

use crate::trace::format::{Column, Evidence, Format, Layout, RowReader, Shape, columns_evidence, need};
use crate::trace::intake::{Draft, Fault, Verdict};
use crate::trace::refusal::Refusal;
use crate::trace::rows::{Header, Row};
use crate::trace::sample::Sample;

pub(super) static FORMAT: Format = Format {
    name: "pollux",
    title: "Pollux, Sia (CSV)",
    help: "workload-*.csv of petuum/adaptdl (osdi21-artifact) and siasosp23/artifacts. There are no tenants and no run \
           times: jobs need one before they can be replayed. batch_size is not used.",
    columns: &[
        Column::text("name", "The job's id.").or("the record's number"),
        Column::number("time", Some("s"), "0 to 9000000000", "Submission.").needed(),
        Column::text("application", "The model that is trained.").needed(),
        Column::gpus("num_replicas", "GPUs of the whole job, one a replica.").needed(),
    ],
    detect,
    shape: Shape::Table { layout: Layout::csv, open },
};

fn detect(sample: &Sample<'_>) -> Option<Evidence> {
    columns_evidence(sample, &["time", "application", "num_replicas"], &["name", "batch_size"], &["duration"])
}

#[derive(Debug)]
struct Reader {
    submit: usize,
    model: usize,
    gpus: usize,
    job: Option<usize>,
}

fn open(header: &Header) -> Result<Box<dyn RowReader>, Refusal> {
    let names = ["time", "application", "num_replicas"];
    let [submit, model, gpus] =
        need(&FORMAT, header, names, "Load a workload-*.csv as published, with its header.")?;
    Ok(Box::new(Reader { submit, model, gpus, job: header.find("name") }))
}

impl RowReader for Reader {
    fn row<'r>(&mut self, row: &Row<'r>) -> Result<Verdict<'r>, Fault> {
        Ok(Verdict::Job(Draft {
            id: row.text(self.job),
            model: row.text(Some(self.model)),
            submit: row.time(self.submit)?,
            gpus: row.gpus(self.gpus)?,
            ..Draft::default()
        }))
    }
}
