//! Changes of the set-up.

use crate::cluster::{MigMode, catalogue};
use crate::policy::param::ParamValue;
use crate::policy::registry;
use crate::scenario::{ClusterSpec, NodeSpec, PolicyChoice, RoundSpec, Scenario, TenantSpec, TraceSpec};
use crate::trace::Repairs;
use crate::workload::assign::ProfileSettings;
use crate::workload::shape::TypeNames;
use crate::workload::synthetic::SyntheticSpec;

/// One change of the set-up. Rows and policies that do not exist are left alone.
#[derive(Debug, Clone, PartialEq)]
pub enum Edit {
    /// The scenario's name.
    Name(String),
    /// The nodes of another cluster, as from a preset; prices stay.
    Cluster(ClusterSpec),
    /// The cluster of a list of machines, and what its names of GPU types stand for in the trace.
    Machines {
        /// The nodes.
        nodes: Vec<NodeSpec>,
        /// Names that do not say what they stand for.
        gpu_types: TypeNames,
    },
    /// What decisions may assume about packing, in every row that is cut by MIG.
    MigMode(MigMode),
    /// A row of the cluster.
    Row(usize, NodeSpec),
    /// A further row, of a GPU type that the cluster does not have yet.
    AddRow,
    /// A row less.
    RemoveRow(usize),
    /// The policy joins the comparison.
    AddPolicy(String),
    /// The entry with this label leaves the comparison.
    RemovePolicy(String),
    /// The entry with this label is entered once more, under another label, to be run with other parameters.
    RepeatPolicy(String),
    /// A parameter of the entry with this label; `None` = its default.
    Param {
        /// The entry's label.
        label: String,
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: Option<ParamValue>,
    },
    /// A tenant's weight.
    Weight(String, f64),
    /// All weights.
    Tenants(TenantSpec),
    /// Rounds and overheads.
    Round(RoundSpec),
    /// The seeds.
    Seeds(Vec<u64>),
    /// What is taken from the trace.
    Trace(TraceSpec),
    /// What is repaired when the trace is read.
    Repairs(Repairs),
    /// A generated workload in place of whatever there was.
    Synthetic(SyntheticSpec),
    /// How jobs get their throughput profiles.
    Profiles(ProfileSettings),
}

impl Edit {
    /// Makes the change.
    pub fn apply(self, scenario: &mut Scenario) {
        match self {
            Self::Name(name) => scenario.name = name,
            Self::Cluster(cluster) => scenario.cluster.nodes = cluster.nodes,
            Self::Machines { nodes, gpu_types } => {
                scenario.cluster.nodes = nodes;
                if let Some(trace) = &mut scenario.workload.trace {
                    trace.gpu_types.extend(gpu_types);
                }
            }
            Self::MigMode(mode) => {
                for row in scenario.cluster.nodes.iter_mut().filter(|row| row.layout == "mig") {
                    row.strict = mode == MigMode::Strict;
                }
            }
            Self::Row(row, spec) => {
                if let Some(found) = scenario.cluster.nodes.get_mut(row) {
                    *found = spec;
                }
            }
            Self::AddRow => scenario.cluster.nodes.push(another_row(&scenario.cluster.nodes)),
            Self::RemoveRow(row) => {
                if row < scenario.cluster.nodes.len() {
                    scenario.cluster.nodes.remove(row);
                }
            }
            Self::AddPolicy(name) => add_policy(&mut scenario.policies, &name),
            Self::RemovePolicy(label) => scenario.policies.retain(|choice| choice.label() != label),
            Self::RepeatPolicy(label) => repeat_policy(&mut scenario.policies, &label),
            Self::Param { label, name, value } => {
                if let Some(choice) = scenario.policies.iter_mut().find(|choice| choice.label() == label) {
                    match value {
                        Some(value) => choice.params.insert(name.to_owned(), value),
                        None => choice.params.remove(name),
                    };
                }
            }
            Self::Weight(tenant, weight) => {
                scenario.tenants.weights.insert(tenant, weight);
            }
            Self::Tenants(tenants) => scenario.tenants = tenants,
            Self::Round(round) => scenario.round = round,
            Self::Seeds(seeds) => scenario.seeds = seeds,
            Self::Trace(trace) => {
                scenario.workload.trace = Some(trace);
                scenario.workload.synthetic = None;
            }
            Self::Repairs(repairs) => {
                if let Some(trace) = &mut scenario.workload.trace {
                    trace.repairs = repairs;
                }
            }
            Self::Synthetic(spec) => {
                scenario.workload.synthetic = Some(spec);
                scenario.workload.trace = None;
            }
            Self::Profiles(profiles) => scenario.workload.profiles = profiles,
        }
    }
}

fn another_row(rows: &[NodeSpec]) -> NodeSpec {
    let models = catalogue::models();
    let unused = models.iter().find(|model| rows.iter().all(|row| row.gpu != model.id));
    let gpu = unused.or(models.first()).map(|model| model.id.clone()).unwrap_or_default();
    NodeSpec { gpu, count: 1, gpus_per_node: 8, layout: "whole".into(), strict: true }
}

/// Where a policy stands in the list of all.
fn rank(name: &str) -> usize {
    let all = registry::policies();
    all.iter().position(|spec| spec.name == name).unwrap_or(all.len())
}

fn add_policy(policies: &mut Vec<PolicyChoice>, name: &str) {
    if policies.iter().any(|choice| choice.name == name) {
        return;
    }
    let at = policies.iter().position(|choice| rank(&choice.name) > rank(name)).unwrap_or(policies.len());
    policies.insert(at, PolicyChoice::named(name));
}

fn repeat_policy(policies: &mut Vec<PolicyChoice>, label: &str) {
    let Some(at) = policies.iter().position(|choice| choice.label() == label) else { return };
    let mut copy = policies[at].clone();
    let taken = |label: &str| policies.iter().any(|choice| choice.label() == label);
    copy.label = (2..).map(|number| format!("{} {number}", copy.name)).find(|label| !taken(label));
    policies.insert(at + 1, copy);
}

/// Nodes that hold exactly `gpus` GPUs with `per_node` in each.
///
/// # Errors
/// What to enter instead.
pub fn nodes_for(gpus: u32, per_node: u32) -> Result<u32, String> {
    if per_node == 0 {
        return Err("A node has at least 1 GPU.".to_owned());
    }
    if gpus.is_multiple_of(per_node) {
        return Ok(gpus / per_node);
    }
    let below = gpus / per_node * per_node;
    let above = below.saturating_add(per_node);
    Err(match below {
        0 => format!("{gpus} GPUs do not fill a node of {per_node}. Enter {above}, or fewer a node."),
        _ => format!(
            "{gpus} GPUs do not fill nodes of {per_node}. Enter {below} or {above}, or put the rest in a row of its own."
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::samples;

    fn edited(edits: impl IntoIterator<Item = Edit>) -> Scenario {
        let mut scenario = samples::default_scenario();
        for edit in edits {
            edit.apply(&mut scenario);
        }
        scenario
    }

    fn labels(scenario: &Scenario) -> Vec<&str> {
        scenario.policies.iter().map(PolicyChoice::label).collect()
    }

    #[test]
    fn policies_stand_in_the_order_of_the_list_however_they_were_chosen() {
        let all: Vec<&str> = registry::policies().iter().map(|spec| spec.name).collect();
        let mut scenario = edited([]);
        scenario.policies.clear();
        for name in all.iter().rev() {
            Edit::AddPolicy((*name).to_owned()).apply(&mut scenario);
            Edit::AddPolicy((*name).to_owned()).apply(&mut scenario);
        }
        assert_eq!(labels(&scenario), all);
    }

    #[test]
    fn a_policy_can_be_entered_several_times_under_labels_of_its_own() {
        let repeat = |label: &str| Edit::RepeatPolicy(label.to_owned());
        let mut scenario = edited([]);
        scenario.policies = vec![PolicyChoice::named("fifo"), PolicyChoice::named("las")];
        repeat("fifo").apply(&mut scenario);
        repeat("fifo").apply(&mut scenario);
        repeat("none").apply(&mut scenario);
        assert_eq!(labels(&scenario), ["fifo", "fifo 3", "fifo 2", "las"]);
        let value = Some(ParamValue::Word("fastest".into()));
        Edit::Param { label: "fifo 2".into(), name: "type_choice", value }.apply(&mut scenario);
        assert_eq!(scenario.policies.iter().filter(|choice| !choice.params.is_empty()).count(), 1);
        Edit::Param { label: "fifo 2".into(), name: "type_choice", value: None }.apply(&mut scenario);
        Edit::RemovePolicy("fifo".into()).apply(&mut scenario);
        assert_eq!(labels(&scenario), ["fifo 3", "fifo 2", "las"]);
        assert!(scenario.policies.iter().all(|choice| choice.params.is_empty()));
    }

    #[test]
    fn a_further_row_has_a_gpu_that_is_not_there_yet() {
        let scenario = edited([Edit::AddRow, Edit::AddRow, Edit::RemoveRow(99)]);
        let mut gpus: Vec<&str> = scenario.cluster.nodes.iter().map(|row| row.gpu.as_str()).collect();
        let count = gpus.len();
        gpus.sort_unstable();
        gpus.dedup();
        assert_eq!(gpus.len(), count);
    }

    #[test]
    fn gpus_must_fill_their_nodes() {
        assert_eq!(nodes_for(24, 8), Ok(3));
        assert_eq!(nodes_for(0, 8), Ok(0));
        assert!(nodes_for(20, 8).unwrap_err().contains("16 or 24"));
        assert!(nodes_for(3, 8).unwrap_err().contains("Enter 8"));
        assert!(nodes_for(3, 0).is_err());
        assert!(nodes_for(u32::MAX, 2).is_err());
    }

    #[test]
    fn a_workload_is_traced_or_generated_never_both() {
        let traced = edited([Edit::Trace(TraceSpec::whole("jobs.csv".into()))]);
        assert!(traced.workload.trace.is_some() && traced.workload.synthetic.is_none());
        let generated = edited([Edit::Synthetic(SyntheticSpec::default())]);
        assert!(generated.workload.trace.is_none() && generated.workload.synthetic.is_some());
    }
}
