//! Nodes in service over time: planned changes of capacity, and failures.
//!
//! The cluster of a scenario has all the nodes that are ever in service; those of a row beyond its number at the time are withdrawn,
//! the last ones first.

use serde::{Deserialize, Serialize};

use super::{ClusterSpec, Scenario, ScenarioError, in_range};
use crate::cluster::Cluster;
use crate::sim::{FailureRate, Outages, PlannedChange, Service};
use crate::units::{NodeId, SimSpan, SimTime};

/// A row of the cluster has another number of nodes from a moment on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CapacityChange {
    /// Seconds from the first submission.
    pub at_s: f64,
    /// The row, as its position in `nodes`.
    pub row: usize,
    /// Nodes from then on. What runs on nodes that leave is stopped, with a checkpoint.
    pub count: u32,
}

/// How often a node of a GPU type breaks, as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FailureSpec {
    /// Mean hours from the end of a repair to the next failure of a node; exponentially distributed.
    pub mtbf_h: f64,
    /// Mean hours of a repair; exponentially distributed.
    pub mttr_h: f64,
}

impl ClusterSpec {
    /// Removes a row of nodes that is there. Changes of capacity are about rows by their positions: those of the row go, those of later
    /// rows move.
    pub fn remove_row(&mut self, row: usize) {
        self.nodes.remove(row);
        self.changes.retain(|change| change.row != row);
        for change in self.changes.iter_mut().filter(|change| change.row > row) {
            change.row -= 1;
        }
        self.forget_lost_gpus();
    }

    /// GPUs that are no longer in the cluster do not break.
    pub fn forget_lost_gpus(&mut self) {
        let nodes = &self.nodes;
        self.failures.retain(|gpu, _| nodes.iter().any(|row| row.gpu == *gpu));
    }
}

impl Scenario {
    /// The most nodes a row ever has.
    pub(super) fn most_nodes(&self, row: usize) -> u32 {
        let of_row =
            self.cluster.changes.iter().filter(|change| change.row == row).map(|change| change.count);
        of_row.chain(self.cluster.nodes.get(row).map(|row| row.count)).max().unwrap_or(0)
    }

    /// Checks changes of capacity and failures.
    pub(super) fn check_service(&self) -> Result<(), ScenarioError> {
        let rows = self.cluster.nodes.len();
        for (index, change) in self.cluster.changes.iter().enumerate() {
            let path = format!("cluster.changes[{index}]");
            in_range(format!("{path}.at_s"), change.at_s, 0.0, 1e11)?;
            if change.row >= rows {
                let expected = format!("a row of cluster.nodes, 0 to {}", rows.saturating_sub(1));
                return Err(ScenarioError::value(format!("{path}.row"), change.row, &expected));
            }
        }
        for (gpu, spec) in &self.cluster.failures {
            let path = format!("cluster.failures.{gpu}");
            if !self.cluster.nodes.iter().any(|row| row.gpu == *gpu) {
                return Err(ScenarioError::value(path, gpu, "the GPU of a row of cluster.nodes"));
            }
            in_range(format!("{path}.mtbf_h"), spec.mtbf_h, 1e-3, 1e9)?;
            in_range(format!("{path}.mttr_h"), spec.mttr_h, 1e-6, 1e9)?;
        }
        Ok(())
    }

    /// What happens to the nodes of the cluster in a run with this seed.
    pub(super) fn outages(&self, cluster: &Cluster, seed: u64) -> Outages {
        let mut planned = Vec::new();
        for (row, nodes) in self.nodes_of_rows(cluster).into_iter().enumerate() {
            let Some(of_row) = self.cluster.nodes.get(row) else { continue };
            let mut changes: Vec<CapacityChange> =
                self.cluster.changes.iter().copied().filter(|change| change.row == row).collect();
            changes.sort_by(|a, b| a.at_s.total_cmp(&b.at_s));
            let first = CapacityChange { at_s: 0.0, row, count: of_row.count };
            let mut in_service = nodes.len();
            for change in std::iter::once(first).chain(changes) {
                let count = (change.count as usize).min(nodes.len());
                let at = SimTime::ZERO + SimSpan::from_secs(change.at_s);
                let (from, to) = (count.min(in_service), count.max(in_service));
                let service = if count < in_service { Service::Out } else { Service::In };
                planned.extend(nodes[from..to].iter().map(|&node| PlannedChange { at, node, service }));
                in_service = count;
            }
        }
        let hours = |hours: f64| SimSpan::from_secs(hours * 3600.0);
        let rates = cluster.nodes().iter().map(|node| {
            let spec = self.cluster.failures.get(&cluster.gpu_type(node.type_id).gpu)?;
            Some(FailureRate { between_failures: hours(spec.mtbf_h), repair: hours(spec.mttr_h) })
        });
        Outages::new(cluster.nodes().len(), &planned, rates.collect(), seed)
    }

    /// The nodes of each row. The nodes of a cluster are ordered by type, and within a type by row.
    fn nodes_of_rows(&self, cluster: &Cluster) -> Vec<Vec<NodeId>> {
        let mut next = 0u32;
        let mut rows = vec![Vec::new(); self.cluster.nodes.len()];
        for type_id in cluster.type_ids() {
            let of_type = cluster.gpu_type(type_id);
            for (index, row) in self.cluster.nodes.iter().enumerate() {
                let same = row.gpu == of_type.gpu && super::parse_layout(row) == Some(of_type.layout);
                if same && row.gpus_per_node > 0 {
                    let count = self.most_nodes(index);
                    rows[index] = (next..next + count).map(NodeId).collect();
                    next += count;
                }
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scenario(cluster: &str) -> Result<Scenario, ScenarioError> {
        Scenario::from_json(&format!(
            r#"{{"cluster": {{"nodes": [{{"gpu": "V100-16", "count": 2, "gpus_per_node": 4}}, {{"gpu": "T4", "count": 1, "gpus_per_node": 2}},
            {{"gpu": "V100-16", "count": 1, "gpus_per_node": 8}}], {cluster}}}, "workload": {{"trace": {{"path": "jobs.csv"}}}}, "policies": [{{"name": "fifo"}}]}}"#
        ))
    }

    #[test]
    fn a_cluster_has_all_nodes_that_are_ever_there() {
        let scenario = scenario(
            r#""changes": [{"at_s": 60, "row": 2, "count": 3}, {"at_s": 30, "row": 0, "count": 1}]"#,
        )
        .unwrap();
        let cluster = scenario.build_cluster().unwrap();
        assert_eq!(cluster.devices(), 8 + 24 + 2);
        let rows = scenario.nodes_of_rows(&cluster);
        for (row, nodes) in rows.iter().enumerate() {
            for node in nodes {
                let node = cluster.nodes()[node.index()];
                assert_eq!(node.devices, scenario.cluster.nodes[row].gpus_per_node);
                assert_eq!(cluster.gpu_type(node.type_id).gpu, scenario.cluster.nodes[row].gpu);
            }
        }
        assert_eq!(rows.iter().map(Vec::len).collect::<Vec<_>>(), [2, 1, 3]);
    }

    #[test]
    fn errors_name_the_place() {
        for (text, place) in [
            (r#""changes": [{"at_s": 60, "row": 3, "count": 3}]"#, "cluster.changes[0].row"),
            (r#""changes": [{"at_s": -1, "row": 0, "count": 3}]"#, "cluster.changes[0].at_s"),
            (r#""failures": {"K80": {"mtbf_h": 5, "mttr_h": 1}}"#, "cluster.failures.K80"),
            (r#""failures": {"T4": {"mtbf_h": 0, "mttr_h": 1}}"#, "cluster.failures.T4.mtbf_h"),
        ] {
            let error = scenario(text).unwrap_err().to_string();
            assert!(error.starts_with(place), "{error}");
        }
    }
}
