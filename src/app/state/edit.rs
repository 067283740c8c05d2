//! Changes of the set-up.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::cluster::{MigMode, catalogue};
use crate::policy::param::ParamValue;
use crate::policy::registry;
use crate::scenario::statistics;
use crate::scenario::{
    CapacityChange, ClusterSpec, FailureSpec, MeasureSpec, NodeSpec, PolicyChoice, RoundSpec, Scenario,
    TraceSpec, WeightChangeSpec,
};
use crate::trace::Repairs;
use crate::workload::assign::ProfileSettings;
use crate::workload::shape::TypeNames;
use crate::workload::synthetic::SyntheticSpec;

/// One change of the set-up. Rows and policies that do not exist are left alone.
#[derive(Debug, Clone, PartialEq)]
pub enum Edit {
    /// The scenario's name.
    Name(String),
    /// The nodes of another cluster, as from a preset; prices stay, and failures of GPUs that it has.
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
    /// A row less, and its changes of capacity.
    RemoveRow(usize),
    /// The price of a GPU-hour of a GPU; `None` = it has none.
    Price(String, Option<f64>),
    /// How often nodes with a GPU break; `None` = never.
    Failures(String, Option<FailureSpec>),
    /// The changes of capacity.
    Capacity(ListEdit<CapacityChange>),
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
    /// Several parameters of the entry with this label.
    Params {
        /// The entry's label.
        label: String,
        /// Each parameter and its value; `None` = its default.
        values: Vec<(&'static str, Option<ParamValue>)>,
    },
    /// Another label for the entry with this one; `None` = the policy's name.
    RenamePolicy {
        /// The entry's label.
        label: String,
        /// The new one.
        to: Option<String>,
    },
    /// A tenant's weight.
    Weight(String, f64),
    /// The weights of the beginning, all of them; changes over time stay.
    Weights(BTreeMap<String, f64>),
    /// The weight of tenants that have none of their own.
    DefaultWeight(f64),
    /// The changes of weights.
    WeightChanges(ListEdit<WeightChangeSpec>),
    /// Rounds and overheads.
    Round(RoundSpec),
    /// What is measured.
    Measure(MeasureSpec),
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

/// One change of a list. Entries that do not exist are left alone.
#[derive(Debug, Clone, PartialEq)]
pub enum ListEdit<T> {
    /// An entry becomes another.
    Set(usize, T),
    /// A further entry at the end.
    Add(T),
    /// An entry less.
    Remove(usize),
}

impl<T> ListEdit<T> {
    fn apply(self, list: &mut Vec<T>) {
        match self {
            Self::Set(at, entry) => {
                if let Some(found) = list.get_mut(at) {
                    *found = entry;
                }
            }
            Self::Add(entry) => list.push(entry),
            Self::Remove(at) => {
                if at < list.len() {
                    list.remove(at);
                }
            }
        }
    }
}

impl Edit {
    /// How the names of fields begin whose rows are others after the change, so that what was typed into them is gone.
    #[must_use]
    pub fn renews(&self) -> Option<Cow<'static, str>> {
        let fields = match self {
            Self::Cluster(_) | Self::Machines { .. } | Self::RemoveRow(_) => "cluster.",
            Self::Row(..) => "cluster.failures.",
            Self::Capacity(ListEdit::Remove(_)) => "cluster.changes.",
            Self::WeightChanges(ListEdit::Remove(_)) => "tenants.changes.",
            Self::Weights(_) => "tenants.weights.",
            Self::RemovePolicy(label) | Self::RenamePolicy { label, .. } => {
                return Some(format!("policies.{label}.").into());
            }
            _ => return None,
        };
        Some(fields.into())
    }

    /// Makes the change.
    pub fn apply(self, scenario: &mut Scenario) {
        match self {
            Self::Name(name) => scenario.name = name,
            Self::Cluster(cluster) => other_nodes(&mut scenario.cluster, cluster.nodes),
            Self::Machines { nodes, gpu_types } => {
                other_nodes(&mut scenario.cluster, nodes);
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
                scenario.cluster.forget_lost_gpus();
            }
            Self::AddRow => scenario.cluster.nodes.push(another_row(&scenario.cluster.nodes)),
            Self::RemoveRow(row) => {
                if row < scenario.cluster.nodes.len() {
                    scenario.cluster.remove_row(row);
                }
            }
            Self::Price(gpu, price) => set(&mut scenario.cluster.price_per_gpu_hour, gpu, price),
            Self::Failures(gpu, spec) => set(&mut scenario.cluster.failures, gpu, spec),
            Self::Capacity(edit) => edit.apply(&mut scenario.cluster.changes),
            Self::AddPolicy(name) => add_policy(&mut scenario.policies, &name),
            Self::RemovePolicy(label) => scenario.policies.retain(|choice| choice.label() != label),
            Self::RepeatPolicy(label) => repeat_policy(&mut scenario.policies, &label),
            Self::Param { label, name, value } => {
                if let Some(choice) = scenario.policies.iter_mut().find(|choice| choice.label() == label) {
                    set(&mut choice.params, name.to_owned(), value);
                }
            }
            Self::Params { label, values } => {
                if let Some(choice) = scenario.policies.iter_mut().find(|choice| choice.label() == label) {
                    for (name, value) in values {
                        set(&mut choice.params, name.to_owned(), value);
                    }
                }
            }
            Self::RenamePolicy { label, to } => {
                if let Some(choice) = scenario.policies.iter_mut().find(|choice| choice.label() == label) {
                    choice.label = to;
                }
            }
            Self::Weight(tenant, weight) => {
                scenario.tenants.weights.insert(tenant, weight);
            }
            Self::Weights(weights) => scenario.tenants.weights = weights,
            Self::DefaultWeight(weight) => scenario.tenants.default_weight = weight,
            Self::WeightChanges(edit) => edit.apply(&mut scenario.tenants.changes),
            Self::Round(round) => scenario.round = round,
            Self::Measure(measure) => scenario.measure = measure,
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

/// An entry of a map; `None` = there is none.
fn set<V>(map: &mut BTreeMap<String, V>, key: String, value: Option<V>) {
    match value {
        Some(value) => map.insert(key, value),
        None => map.remove(&key),
    };
}

/// The nodes of another cluster: changes of capacity were about rows that are gone.
fn other_nodes(cluster: &mut ClusterSpec, nodes: Vec<NodeSpec>) {
    cluster.nodes = nodes;
    cluster.changes.clear();
    cluster.forget_lost_gpus();
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

/// The change that gives the entry with this label another one; nothing is the policy's name.
///
/// # Errors
/// What is wrong with it.
pub fn rename_policy(policies: &[PolicyChoice], label: &str, text: &str) -> Result<Edit, String> {
    const MOST: usize = 60;
    let text = text.trim();
    let entry = policies.iter().find(|choice| choice.label() == label);
    let name = entry.map_or("", |choice| choice.name.as_str());
    let to = if text.is_empty() { name } else { text };
    if to.chars().count() > MOST {
        return Err(format!("At most {MOST} characters. Called {label} until it is changed."));
    }
    if to == statistics::PAIRS {
        return Err(format!("This name is kept for comparisons. Called {label} until it is changed."));
    }
    if to != label && policies.iter().any(|choice| choice.label() == to) {
        return Err(format!("Another policy is called {to}. Called {label} until it is changed."));
    }
    Ok(Edit::RenamePolicy { label: label.to_owned(), to: (to != name).then(|| to.to_owned()) })
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
    fn a_policy_can_have_a_name_of_its_own() {
        let mut scenario = edited([]);
        scenario.policies = vec![PolicyChoice::named("fifo"), PolicyChoice::named("las")];
        let mut rename = |label: &str, text: &str| {
            let edit = rename_policy(&scenario.policies, label, text)?;
            edit.apply(&mut scenario);
            scenario.check().map_err(|error| error.to_string())?;
            Ok::<_, String>(labels(&scenario).join(", "))
        };
        assert_eq!(rename("las", " Mine "), Ok("fifo, Mine".to_owned()));
        assert_eq!(rename("Mine", "Mine"), Ok("fifo, Mine".to_owned()));
        assert!(rename("Mine", "fifo").unwrap_err().starts_with("Another policy is called fifo"));
        assert!(rename("Mine", "pairs").unwrap_err().contains("kept for comparisons"));
        assert!(rename("Mine", &"x".repeat(61)).unwrap_err().starts_with("At most 60"));
        assert_eq!(rename("Mine", ""), Ok("fifo, las".to_owned()));
        assert_eq!(scenario.policies[1].label, None);
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
    fn a_row_takes_its_changes_and_the_failures_of_its_gpu_along() {
        let mut scenario = edited([Edit::AddRow]);
        let gpus: Vec<String> = scenario.cluster.nodes.iter().map(|row| row.gpu.clone()).collect();
        assert!(gpus.len() > 2);
        let breaks = FailureSpec { mtbf_h: 100.0, mttr_h: 1.0 };
        for (row, gpu) in gpus.iter().enumerate() {
            let change = CapacityChange { at_s: 60.0, row, count: 1 };
            Edit::Capacity(ListEdit::Add(change)).apply(&mut scenario);
            Edit::Failures(gpu.clone(), Some(breaks)).apply(&mut scenario);
        }
        Edit::RemoveRow(1).apply(&mut scenario);
        assert_eq!(scenario.check(), Ok(()));
        let rows: Vec<usize> = scenario.cluster.changes.iter().map(|change| change.row).collect();
        assert_eq!(rows, (0..gpus.len() - 1).collect::<Vec<_>>());
        assert!(!scenario.cluster.failures.contains_key(&gpus[1]));
        let other = NodeSpec { gpu: gpus[1].clone(), ..scenario.cluster.nodes[0].clone() };
        Edit::Row(0, other).apply(&mut scenario);
        assert!(!scenario.cluster.failures.contains_key(&gpus[0]));
        let mut one = ClusterSpec::default();
        one.nodes.push(scenario.cluster.nodes[1].clone());
        Edit::Cluster(one).apply(&mut scenario);
        assert_eq!(scenario.check(), Ok(()));
        assert_eq!(scenario.cluster.failures.keys().collect::<Vec<_>>(), [&gpus[2]]);
    }

    #[test]
    fn entries_of_a_list_come_and_go() {
        let mut list = vec!['a', 'b'];
        for edit in [
            ListEdit::Add('c'),
            ListEdit::Remove(0),
            ListEdit::Set(1, 'd'),
            ListEdit::Remove(9),
            ListEdit::Set(9, 'x'),
        ] {
            edit.apply(&mut list);
        }
        assert_eq!(list, ['b', 'd']);
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
