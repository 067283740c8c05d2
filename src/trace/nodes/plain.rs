//! Lists of machines that people write themselves: `node,gpu_type,gpus`, or `gpu_type,nodes,gpus_per_node`.

use std::collections::HashSet;

use super::{Count, slurm};
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
/// What else is said of a machine. A table with any other column may be of jobs.
const OF_MACHINES: &[&str] = &[
    "id",
    "index",
    "sn",
    "ip",
    "ip_address",
    "os",
    "arch",
    "rack",
    "row",
    "zone",
    "region",
    "site",
    "cluster",
    "partition",
    "pool",
    "vendor",
    "cpu",
    "cpus",
    "ncpus",
    "num_cpus",
    "cpu_count",
    "cpu_num",
    "cpu_model",
    "cpu_type",
    "cores",
    "num_cores",
    "sockets",
    "threads",
    "mem",
    "memory",
    "memory_gb",
    "memory_gib",
    "memory_mb",
    "memory_mib",
    "mem_gb",
    "mem_gib",
    "ram",
    "ram_gb",
    "disk",
    "disk_gb",
    "network",
    "gpu_memory",
    "gpu_memory_gb",
    "gpu_mem",
    "gpu_mem_gb",
    "interconnect",
    "nvlink",
];

/// Where such a list has what.
#[derive(Debug)]
pub(super) struct Plain {
    gpus: usize,
    model: Option<usize>,
    node: Option<usize>,
    nodes: Option<usize>,
    /// Machines that were counted.
    seen: HashSet<String>,
}

impl Plain {
    /// The list with these columns, if it is one: every column is known to say something of machines.
    pub(super) fn recognise(header: &Header) -> Option<Self> {
        let names: Vec<String> = header.names().iter().map(|name| plain(name)).collect();
        let find =
            |known: &[&str]| known.iter().find_map(|known| names.iter().position(|name| name == known));
        let all = [NODE, MODEL, GPUS, NODES, OF_MACHINES].concat();
        if !names.iter().all(|name| name.is_empty() || all.contains(&name.as_str())) {
            return None;
        }
        let (gpus, model, node) = (find(GPUS)?, find(MODEL), find(NODE));
        let nodes = find(NODES).filter(|_| node.is_none());
        // `name` and `model` alone are said of jobs too.
        let is_telling = names
            .iter()
            .any(|name| name != "name" && (NODE.contains(&name.as_str()) || NODES.contains(&name.as_str())));
        let has_type = names.iter().any(|name| name.starts_with("gpu_") && MODEL.contains(&name.as_str()));
        let is_list = (node.is_some() && (is_telling || has_type)) || (nodes.is_some() && model.is_some());
        is_list.then(|| Self { gpus, model, node, nodes, seen: HashSet::new() })
    }

    pub(super) fn row(&mut self, cells: Cells<'_>, count: &mut Count) {
        let text = |column: usize| value::trim(cells.get(column));
        let stated = self.nodes.map(|column| value::whole(text(column)).and_then(|n| u64::try_from(n).ok()));
        let named = self.node.map(|column| slurm::expand(&latin::decode(text(column))));
        let nodes = match (stated, named) {
            (Some(stated), _) => stated.filter(|&nodes| nodes <= MAX_NODES),
            // A sum below the machines is none of them.
            (None, Some(Some(names))) if !names.iter().any(|name| is_sum(name)) => {
                Some(names.into_iter().filter(|name| self.seen.insert(name.clone())).count() as u64)
            }
            (None, Some(_)) => None,
            (None, None) => Some(1),
        };
        let (Ok(gpus), Some(nodes)) = (value::gpus(text(self.gpus)), nodes) else {
            return count.unread(cells.line);
        };
        count.machines(latin::decode(self.model.map(text).unwrap_or_default()), gpus, nodes);
    }
}

fn is_sum(name: &str) -> bool {
    ["total", "sum", "all"].iter().any(|word| name.eq_ignore_ascii_case(word))
}

/// A name in small letters, with one underscore for all that is no letter or digit.
fn plain(name: &str) -> String {
    let parts = name.split(|mark: char| !mark.is_alphanumeric()).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("_").to_lowercase()
}
