//! Lists of machines that people write themselves: `node,gpu_type,gpus`, or `gpu_type,nodes,gpus_per_node`.

use super::Count;
use crate::trace::latin;
use crate::trace::rows::{Cells, Header};
use crate::trace::value;

/// What a column that names machines is called.
const NODE: &[&str] = &[
    "node",
    "node_name",
    "nodename",
    "node_id",
    "host",
    "hostname",
    "machine",
    "machine_id",
    "server",
    "instance",
    "name",
];
/// The model of the GPUs.
const MODEL: &[&str] = &["gpu_type", "gpu_model", "gpu_name", "gpu_product", "model", "type"];
/// GPUs of one machine.
const GPUS: &[&str] =
    &["gpus", "gpu", "gpu_count", "num_gpus", "n_gpus", "gpu_num", "gpus_per_node", "gpu_per_node"];
/// Machines that a row stands for.
const NODES: &[&str] = &["nodes", "num_nodes", "n_nodes", "node_count", "machines", "hosts", "count"];
/// The most machines that a row may stand for.
const MAX_NODES: u64 = 1_000_000;
/// Parts of names that only tables of jobs have.
const OF_JOBS: [&str; 14] = [
    "job", "submit", "start", "end_", "time", "dur", "user", "tenant", "stat", "date", "arriv", "finish",
    "queue", "elapsed",
];

/// Where such a list has what.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plain {
    gpus: usize,
    model: Option<usize>,
    nodes: Option<usize>,
}

impl Plain {
    /// The list with these columns, if it is one.
    pub(super) fn recognise(header: &Header) -> Option<Self> {
        let find = |names: &[&str]| names.iter().find_map(|name| header.find(name));
        let names = header.names().iter().map(|name| name.to_ascii_lowercase());
        if names.into_iter().any(|name| OF_JOBS.iter().any(|part| name.contains(part))) {
            return None;
        }
        let (gpus, model, nodes) = (find(GPUS)?, find(MODEL), find(NODES));
        (find(NODE).is_some() || (nodes.is_some() && model.is_some())).then_some(Self { gpus, model, nodes })
    }

    pub(super) fn row(self, cells: Cells<'_>, count: &mut Count) {
        let text = |column: usize| value::trim(cells.get(column));
        let nodes = self
            .nodes
            .map_or(Some(1), |column| value::whole(text(column)).and_then(|n| u64::try_from(n).ok()));
        let nodes = nodes.filter(|&nodes| nodes <= MAX_NODES);
        let (Ok(gpus), Some(nodes)) = (value::gpus(text(self.gpus)), nodes) else {
            count.report.unread += 1;
            return;
        };
        count.machines(latin::decode(self.model.map(text).unwrap_or_default()), gpus, nodes);
    }
}
