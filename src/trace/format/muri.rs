//! Muri's traces (Rivendile/Muri, `simulator/trace-data/*.csv` and `cluster_exp/trace-data/cluster_trace.csv`; Zhao et al.,
//! SIGCOMM 2022): Tiresias's columns and more, but **every time is in milliseconds**. Muri's own results print the duration
//! 5095000 of its first job as 5095.0 seconds.
//!
//! `duration` is iterations × iteration_time, exactly in the simulator's traces and roughly in `cluster_trace.csv`. `interval`
//! does not match the submissions in any direction. In `*_pr.csv` all jobs are submitted at 0.

use crate::trace::format::tiresias::{Columns, JOB_ID, MODEL_NAME, NUM_GPU};
use crate::trace::format::{Column, Evidence, Format, Layout, RowReader, Shape, columns_evidence};
use crate::trace::intake::{Fault, Verdict};
use crate::trace::refusal::Refusal;
use crate::trace::rows::{Header, Row};
use crate::trace::sample::Sample;
use crate::trace::value::Unit;

pub(super) static FORMAT: Format = Format {
    name: "muri",
    title: "Muri (CSV, milliseconds)",
    help: "trace-data/*.csv of Rivendile/Muri. All times are in milliseconds. There are no tenants; interval, priority and \
           the times per resource are not used.",
    columns: &[
        JOB_ID,
        NUM_GPU,
        Column::number("submit_time", Some("ms"), "0 to 9000000000000", "Submission.").needed(),
        Column::number("duration", Some("ms"), "0 to 3155760000000", "Run time.").needed(),
        MODEL_NAME,
    ],
    detect,
    shape: Shape::Table { layout: Layout::csv, open },
};

fn detect(sample: &Sample<'_>) -> Option<Evidence> {
    columns_evidence(
        sample,
        &["num_gpu", "submit_time", "duration", "iteration_time"],
        &["resource_time_0", "batch_size", "priority"],
        &["expect_time_list"],
    )
}

#[derive(Debug)]
struct Reader(Columns);

fn open(header: &Header) -> Result<Box<dyn RowReader>, Refusal> {
    Ok(Box::new(Reader(Columns::find(&FORMAT, header)?)))
}

impl RowReader for Reader {
    fn row<'r>(&mut self, row: &Row<'r>) -> Result<Verdict<'r>, Fault> {
        self.0.draft(row, Unit::Millisecond).map(Verdict::Job)
    }
}
