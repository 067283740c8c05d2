//! The words about lists of machines and about the files of a trace.

use crate::chart::format;
use crate::trace::{Holds, NodeReport};

use super::counted;

/// The button that makes a list the cluster.
pub const USE: &str = "Use as cluster";
/// Where it is.
pub const USED: &str = "This is the cluster";
/// The button that makes quotas weights.
pub const USE_WEIGHTS: &str = "Use quotas as tenants' weights";
/// Where they are.
pub const WEIGHTS_USED: &str = "The quotas are the tenants' weights";
/// The choice that leaves machines out.
pub const LEAVE_OUT: &str = "Leave out";
/// Beside a model whose name says nothing.
pub const GUESS: &str =
    "The name says nothing; choose what it stands for, for these machines and for jobs that ask for it.";
/// The heading of the files of a trace.
pub const FILES: &str = "Files";
/// The button that reads one of several files.
pub const ALONE: &str = "Read alone";

/// The heading of a list.
#[must_use]
pub fn title(file: &str) -> String {
    format!("Machines in {file}")
}

/// The heading of files that have machines and no job.
#[must_use]
pub fn only(files: &str) -> String {
    format!("{files}: machines, no jobs.")
}

/// What to do with machines alone.
pub const ONLY_ABOUT: &str =
    "They can be the cluster. Jobs are in another file: drop it here, alone or together with this one.";

/// The button for a table of jobs that was taken for machines.
pub const ARE_JOBS: &str = "These are jobs…";

/// What a list is.
#[must_use]
pub fn about(list: &NodeReport) -> String {
    let gpus = counted(list.gpus as u64, "GPU", "GPUs");
    let remarks: String = list.remarks().iter().map(|remark| format!(" {remark}.")).collect();
    match list.nodes {
        Some(nodes) => {
            format!("{} with {gpus} ({}).{remarks}", counted(nodes, "machine", "machines"), list.format)
        }
        None => format!(
            "GPU quotas of {} a day, {gpus} on the last ({}). The machines are not listed; eight GPUs each are assumed.{remarks}",
            counted(list.quotas.len() as u64, "virtual cluster", "virtual clusters"),
            list.format
        ),
    }
}

/// The cluster that a list would make.
#[must_use]
pub fn offer(nodes: u64, gpus: u64) -> String {
    format!("{} with {}", counted(nodes, "node", "nodes"), counted(gpus, "GPU", "GPUs"))
}

/// A model in a list.
#[must_use]
pub fn name(model: &str) -> &str {
    if model.is_empty() { "not stated" } else { model }
}

/// The label of the choice beside a model.
#[must_use]
pub fn stands_for(model: &str) -> String {
    format!("What {} stands for", name(model))
}

/// What a file was recognised as.
#[must_use]
pub fn holds(holds: &Holds, trace_format: &str) -> String {
    match holds {
        Holds::Jobs { table: Some(table), rows } => format!("{table}: {}", counted(*rows, "row", "rows")),
        Holds::Jobs { table: None, rows } => {
            format!("Jobs ({trace_format}): {}", counted(*rows, "record", "records"))
        }
        Holds::Nodes(list) => match list.nodes {
            Some(nodes) => format!("Machines ({}): {}", list.format, format::count(nodes)),
            None => format!("GPU quotas ({})", list.format),
        },
        Holds::Columns { names } => format!("Names of columns: {names}"),
        Holds::Repeats { of } => format!("Not read: its bytes are those of {of}"),
        Holds::Nothing => "Nothing".to_owned(),
    }
}
