//! Alibaba's PAI trace of 2020 (cluster-trace-gpu-v2020): tables without headers that are joined here, and the single tables
//! with a header that its simulator reads. The list of machines is read by [`nodes`](crate::trace::nodes).
//!
//! The names of a table's columns are in a file beside it (`pai_task_table.header`); they are also known, so that a table is
//! understood without it. A job is one row of the job table; its GPUs are in the task table, its GPU type and the kind of model in
//! the group tag table. Each table may come first.

mod join;
mod tables;

use std::rc::Rc;

use crate::trace::format::{
    Column, Columns, Evidence, Format, Layout, RowReader, Shape, columns_evidence, need,
};
use crate::trace::intake::{Closing, Draft, Fault, Verdict};
use crate::trace::refusal::Refusal;
use crate::trace::rows::{Header, Row};
use crate::trace::sample::Sample;
use crate::trace::value;

use join::Joined;
use tables::PaiTable;

pub(super) static FORMAT: Format = Format {
    name: "pai-2020",
    title: "Alibaba PAI 2020 (tables, CSV)",
    help: "pai_job_table, pai_task_table, pai_group_tag_table and pai_instance_table of cluster-trace-gpu-v2020, in any order, \
           with or without their .header files; the task table is needed. A job has the GPUs of all its tasks (inst_num x \
           plan_gpu percent), waits from the job's start_time to the first task's, and runs until the last task ends. The \
           GPU type is the one asked for (gpu_type_spec); without the group tag table, the one assigned. Without the job \
           table a job is submitted when its first task starts. The simulator's pai_job_*_estimate_100K.csv is read too.",
    columns: &[
        Column::text("job_name", "The job, in the job, task and instance tables."),
        Column::text("inst_id", "The job once more, in the job, instance and group tag tables."),
        Column::text("user", "Job or group tag table: who submitted it, the tenant.").or("unknown"),
        Column::text("status", "Terminated (it finished), Failed, Running or Waiting.").or("completed"),
        Column::number(
            "start_time",
            Some("s"),
            "0 to 9000000000",
            "Job table: submission. Task and instance tables: start. The origin is not disclosed.",
        ),
        Column::number("end_time", Some("s"), "as start_time", "Task and instance tables: end."),
        Column::number("inst_num", None, "0 to 65536", "Task table: equal instances of the task."),
        Column::number(
            "plan_gpu",
            Some("GPU/100"),
            "0 to 6553600",
            "Task table: GPUs of each instance, in percent of one.",
        )
        .or("0"),
        Column::text("gpu_type", "Task table: the type assigned. Simulator: the type asked for.").or("any"),
        Column::text("gpu_type_spec", "Group tag table: the type asked for.").or("any"),
        Column::text("workload", "Group tag table: the kind of model."),
        Column::text("job_id", "Simulator: the job's id.").or("the record's number"),
        Column::gpus("num_gpu", "Simulator: GPUs of the whole job, not in percent."),
        Column::number(
            "num_inst",
            None,
            "1 to 65536",
            "Simulator: equal instances the GPUs are spread over.",
        )
        .or("1"),
        Column::number("submit_time", Some("s"), "0 to 9000000000", "Simulator: submission."),
        Column::seconds("duration", "Simulator: run time; its 0 stands for 1."),
    ],
    detect,
    shape: Shape::Tables { layout, begin: || Rc::new(Joined::default()) },
};

fn detect(sample: &Sample<'_>) -> Option<Evidence> {
    let simulator = ["submit_time", "num_gpu", "num_cpu", "duration"];
    if let Some(evidence) =
        columns_evidence(sample, &simulator, &["num_inst", "gpu_type", "user"], &["num_iteration"])
    {
        return Some(evidence);
    }
    if let Some(table) = PaiTable::named_by(sample.header()) {
        return Some(Evidence { score: 95, text: format!("its columns are those of {}", table.name()) });
    }
    let table = PaiTable::looks_like(sample)?;
    let text = format!(
        "it has no header, and its first row has the {} fields of {}",
        table.columns().len(),
        table.name()
    );
    Some(Evidence { score: 95, text })
}

fn layout(sample: &Sample<'_>) -> Layout {
    let has_header =
        PaiTable::named_by(sample.header()).is_some() || sample.header().find("num_gpu").is_some();
    let columns = if has_header { None } else { PaiTable::looks_like(sample).map(PaiTable::columns) };
    Layout { columns: columns.map(Columns::Known), ..Layout::csv(sample) }
}

/// Makes a reader for the simulator's table.
fn open_simulator(header: &Header) -> Result<Box<dyn RowReader>, Refusal> {
    let [submit, gpus, duration] = need(
        &FORMAT,
        header,
        ["submit_time", "num_gpu", "duration"],
        "Load the tables pai_job_table, pai_task_table and pai_group_tag_table, or a table of the simulator with its header.",
    )?;
    Ok(Box::new(Simulator {
        submit,
        gpus,
        duration,
        job: header.find("job_id"),
        user: header.find("user"),
        instances: header.find("num_inst"),
        gpu_type: header.find("gpu_type"),
        model: header.find("workload"),
    }))
}

/// Reads the table of the publisher's simulator, in which a row is a job and GPUs are GPUs.
#[derive(Debug)]
struct Simulator {
    submit: usize,
    gpus: usize,
    duration: usize,
    job: Option<usize>,
    user: Option<usize>,
    instances: Option<usize>,
    gpu_type: Option<usize>,
    model: Option<usize>,
}

impl RowReader for Simulator {
    fn row<'r>(&mut self, row: &Row<'r>) -> Result<Verdict<'r>, Fault> {
        let gpus = row.maybe(Some(self.gpus), value::gpus)?.unwrap_or_default();
        let instances = row.maybe(self.instances, value::workers)?.unwrap_or(1);
        Ok(Verdict::Job(Draft {
            id: row.text(self.job),
            user: row.text(self.user),
            gpu_type: row.text(self.gpu_type),
            model: row.text(self.model),
            submit: row.time(self.submit)?,
            gpus,
            // Instances with whole GPUs are one worker a GPU.
            workers: (instances > gpus.whole_devices()).then_some(instances),
            duration: row.maybe_seconds(Some(self.duration))?,
            ..Draft::default()
        }))
    }

    fn close(&mut self) -> Closing {
        Closing { table: Some("the simulator's table"), ..Closing::default() }
    }
}
