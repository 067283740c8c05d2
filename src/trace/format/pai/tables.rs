//! Which table of the PAI trace a file is.

use crate::trace::rows::Header;
use crate::trace::sample::Sample;

/// One of the tables whose rows describe jobs or what they did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PaiTable {
    /// One row a job.
    Job,
    /// One row a task: equal instances of a job.
    Task,
    /// One row an instance.
    Instance,
    /// One row a job, by its other name: what it asked for.
    GroupTag,
    /// Measurements of instances; not needed.
    Sensor,
    /// Measurements of machines; not needed.
    MachineMetric,
}

impl PaiTable {
    const ALL: [Self; 6] =
        [Self::Job, Self::Task, Self::Instance, Self::GroupTag, Self::Sensor, Self::MachineMetric];

    /// The name of its file.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Job => "pai_job_table",
            Self::Task => "pai_task_table",
            Self::Instance => "pai_instance_table",
            Self::GroupTag => "pai_group_tag_table",
            Self::Sensor => "pai_sensor_table",
            Self::MachineMetric => "pai_machine_metric",
        }
    }

    /// Its columns in the order of the publisher's `.header` file.
    pub(super) fn columns(self) -> &'static [&'static str] {
        match self {
            Self::Job => &["job_name", "inst_id", "user", "status", "start_time", "end_time"],
            Self::Task => &[
                "job_name",
                "task_name",
                "inst_num",
                "status",
                "start_time",
                "end_time",
                "plan_cpu",
                "plan_mem",
                "plan_gpu",
                "gpu_type",
            ],
            Self::Instance => &[
                "job_name",
                "task_name",
                "inst_name",
                "worker_name",
                "inst_id",
                "status",
                "start_time",
                "end_time",
                "machine",
            ],
            Self::GroupTag => &["inst_id", "user", "gpu_type_spec", "group", "workload"],
            Self::Sensor => &[
                "job_name",
                "task_name",
                "worker_name",
                "inst_id",
                "machine",
                "gpu_name",
                "cpu_usage",
                "gpu_wrk_util",
                "avg_mem",
                "max_mem",
                "avg_gpu_wrk_mem",
                "max_gpu_wrk_mem",
                "read",
                "write",
                "read_count",
                "write_count",
            ],
            Self::MachineMetric => &[
                "worker_name",
                "machine",
                "start_time",
                "end_time",
                "machine_cpu_iowait",
                "machine_cpu_kernel",
                "machine_cpu_usr",
                "machine_gpu",
                "machine_load_1",
                "machine_net_receive",
                "machine_num_worker",
                "machine_cpu",
            ],
        }
    }

    /// The columns, beside all names, by which a table is told from tables of others.
    fn telling(self) -> &'static [&'static str] {
        match self {
            Self::Job => &["job_name", "inst_id", "user", "status", "start_time"],
            Self::Task => &["job_name", "inst_num", "plan_gpu"],
            Self::Instance => &["job_name", "task_name", "inst_name", "worker_name", "machine"],
            Self::GroupTag => &["inst_id", "gpu_type_spec"],
            Self::Sensor => &["job_name", "task_name", "gpu_wrk_util"],
            Self::MachineMetric => &["worker_name", "machine", "machine_cpu_iowait"],
        }
    }

    /// The table with these columns, in any order.
    pub(super) fn named_by(header: &Header) -> Option<Self> {
        Self::ALL.into_iter().find(|table| table.telling().iter().all(|name| header.find(name).is_some()))
    }

    /// The table without a header that begins like `sample`: by the number of its fields, and where identifiers (hexadecimal
    /// digits) and the four words for how a task ended stand.
    pub(super) fn looks_like(sample: &Sample<'_>) -> Option<Self> {
        let fields: Vec<&[u8]> = sample.fields().collect();
        let is_id = |at: usize| fields.get(at).is_some_and(|field| is_id(field, 12));
        let is_status = |at: usize| fields.get(at).is_some_and(|field| is_status(field));
        if sample.delimiter() != b',' || !is_id(0) {
            return None;
        }
        let table = match fields.len() {
            6 if is_id(1) && is_status(3) => Self::Job,
            10 if is_status(3) => Self::Task,
            9 if is_status(5) => Self::Instance,
            5 if is_id(1) && fields.first().is_some_and(|field| is_id_long(field)) => Self::GroupTag,
            16 if is_id(2) && is_id(3) => Self::Sensor,
            12 if is_id(1) => Self::MachineMetric,
            _ => return None,
        };
        Some(table)
    }
}

fn is_id(field: &[u8], shortest: usize) -> bool {
    field.len() >= shortest && field.iter().all(u8::is_ascii_hexdigit)
}

/// The other name of a job, which is longer than any other identifier.
fn is_id_long(field: &[u8]) -> bool {
    is_id(field, 40)
}

fn is_status(field: &[u8]) -> bool {
    matches!(field, b"Terminated" | b"Failed" | b"Running" | b"Waiting")
}
