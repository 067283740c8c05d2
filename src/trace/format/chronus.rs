//! Chronus's traces (S-Lab-System-Group/ChronusArtifact, `code/data/exp/trace_job_Philly_*.csv`; Gao et al., SoCC 2021):
//! Tiresias's columns, in seconds, and the virtual cluster of Philly as `user`.
//!
//! The rows are in no order of submission, a few jobs have no GPU, and run times are compressed so that the whole trace lasts
//! a few hours. `expect_time_list` and `expect_value_list` hold deadlines and their values, several joined by `-`.

use crate::trace::format::tiresias::{Columns, JOB_ID, MODEL_NAME, NUM_GPU};
use crate::trace::format::{Column, Evidence, Format, Layout, RowReader, Shape, columns_evidence};
use crate::trace::intake::{Draft, Fault, Verdict};
use crate::trace::refusal::Refusal;
use crate::trace::rows::{Header, Row};
use crate::trace::sample::Sample;
use crate::trace::value::Unit;

pub(super) static FORMAT: Format = Format {
    name: "chronus",
    title: "Chronus (CSV)",
    help: "code/data/exp/trace_job_Philly_*.csv of S-Lab-System-Group/ChronusArtifact, in seconds. The column user holds \
           Philly's virtual cluster. Deadlines (expect_time_list), their values and best_effort are not used.",
    columns: &[
        JOB_ID,
        Column::text("user", "The virtual cluster: the tenant.").or("unknown"),
        NUM_GPU,
        Column::number("submit_time", Some("s"), "0 to 9000000000", "Submission.").needed(),
        Column::seconds("duration", "Run time.").needed(),
        MODEL_NAME,
    ],
    detect,
    shape: Shape::Table { layout: Layout::csv, open },
};

fn detect(sample: &Sample<'_>) -> Option<Evidence> {
    columns_evidence(
        sample,
        &["num_gpu", "submit_time", "duration", "expect_time_list"],
        &["best_effort", "expect_value_list", "job_type"],
        &[],
    )
}

#[derive(Debug)]
struct Reader {
    columns: Columns,
    tenant: Option<usize>,
}

fn open(header: &Header) -> Result<Box<dyn RowReader>, Refusal> {
    Ok(Box::new(Reader { columns: Columns::find(&FORMAT, header)?, tenant: header.find("user") }))
}

impl RowReader for Reader {
    fn row<'r>(&mut self, row: &Row<'r>) -> Result<Verdict<'r>, Fault> {
        let draft = self.columns.draft(row, Unit::Second)?;
        Ok(Verdict::Job(Draft { tenant: row.text(self.tenant), ..draft }))
    }
}
