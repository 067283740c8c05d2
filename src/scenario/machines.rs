//! A cluster made of a list of machines that came with a trace.

use crate::cluster::catalogue;
use crate::scenario::NodeSpec;
use crate::trace::{NodeGroup, NodeReport};
use crate::workload::shape::TypeNames;

/// The model that stands for one whose name says nothing, such as `G2`: that of a reference GPU.
pub const STAND_IN: &str = "V100-16";
/// GPUs a machine is taken to have where a list counts GPUs only.
const USUAL_GPUS: u32 = 8;

/// The machines of one GPU model of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MachineModel {
    /// What the list calls it; empty when it does not say.
    pub name: String,
    /// Machines.
    pub nodes: u64,
    /// GPUs in all of them.
    pub gpus: u64,
    /// The catalogue id that the name stands for; `None` when it says nothing.
    pub known_as: Option<&'static str>,
}

/// The models of a list, in its order.
#[must_use]
pub fn models(list: &NodeReport) -> Vec<MachineModel> {
    let mut models: Vec<MachineModel> = Vec::new();
    for group in groups(list) {
        let gpus = group.nodes.saturating_mul(u64::from(group.gpus_per_node));
        match models.iter_mut().find(|model| model.name == group.model) {
            Some(model) => {
                model.nodes += group.nodes;
                model.gpus += gpus;
            }
            None => models.push(MachineModel {
                known_as: catalogue::aliases(&group.model),
                name: group.model,
                nodes: group.nodes,
                gpus,
            }),
        }
    }
    models
}

/// The nodes of a cluster of these machines, whole GPUs throughout. `names` are what models stand for where that is not what
/// their name says: a catalogue id, or nothing for machines that are left out. Groups that come to the same are one row.
#[must_use]
pub fn nodes(list: &NodeReport, names: &TypeNames) -> Vec<NodeSpec> {
    let mut rows: Vec<NodeSpec> = Vec::new();
    for group in groups(list) {
        let gpu = match names.get(&group.model) {
            Some(chosen) if chosen.is_empty() => continue,
            Some(chosen) => chosen.clone(),
            None => catalogue::aliases(&group.model).unwrap_or(STAND_IN).to_owned(),
        };
        let count = u32::try_from(group.nodes).unwrap_or(u32::MAX);
        let same = |row: &&mut NodeSpec| row.gpu == gpu && row.gpus_per_node == group.gpus_per_node;
        match rows.iter_mut().find(same) {
            Some(row) => row.count = row.count.saturating_add(count),
            None => rows.push(NodeSpec {
                gpu,
                count,
                gpus_per_node: group.gpus_per_node,
                layout: "whole".into(),
                strict: true,
            }),
        }
    }
    rows
}

/// The groups of a list; where it counts GPUs only, machines of the usual size, and one with the rest.
fn groups(list: &NodeReport) -> Vec<NodeGroup> {
    if list.nodes.is_some() {
        return list.groups.clone();
    }
    let gpus = list.gpus as u64;
    let of = |gpus_per_node, nodes| NodeGroup { model: String::new(), gpus_per_node, nodes };
    let rest = (gpus % u64::from(USUAL_GPUS)) as u32;
    [of(USUAL_GPUS, gpus / u64::from(USUAL_GPUS)), of(rest, 1)]
        .into_iter()
        .filter(|group| group.nodes > 0 && group.gpus_per_node > 0)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{ImportOptions, Refusal, import_reader, node_lists};

    fn list(text: &str) -> NodeReport {
        match import_reader("machines", text.as_bytes(), &ImportOptions::default()) {
            Err(Refusal::NodeList { files }) => node_lists(&files).next().unwrap().1.clone(),
            other => panic!("{other:?}"),
        }
    }

    fn rows(list: &NodeReport, names: &[(&str, &str)]) -> Vec<(String, u32, u32)> {
        let names = names.iter().map(|(name, id)| ((*name).to_owned(), (*id).to_owned())).collect();
        nodes(list, &names).into_iter().map(|row| (row.gpu, row.count, row.gpus_per_node)).collect()
    }

    #[test]
    fn names_stand_for_models_and_those_that_say_nothing_for_the_one_chosen() {
        let list = list(
            "sn,cpu_milli,memory_mib,gpu,model\na,1,1,2,P100\nb,1,1,8,G2\nc,1,1,8,V100M16\nd,1,1,8,G2\ne,1,1,0,\nf,1,1,1,P100\n",
        );
        let own = |gpu: &str, count, each| (gpu.to_owned(), count, each);
        assert_eq!(rows(&list, &[]), [own("P100", 1, 2), own("V100-16", 3, 8), own("P100", 1, 1)]);
        let chosen = rows(&list, &[("G2", "A100-80"), ("P100", "")]);
        assert_eq!(chosen, [own("A100-80", 2, 8), own("V100-16", 1, 8)]);
        let models = models(&list);
        let shown: Vec<_> = models.iter().map(|m| (m.name.as_str(), m.nodes, m.gpus, m.known_as)).collect();
        let p100 = ("P100", 2, 3, Some("P100"));
        assert_eq!(shown, [p100, ("G2", 2, 16, None), ("V100M16", 1, 8, Some("V100-16"))]);
    }

    #[test]
    fn quotas_become_machines_of_the_usual_size() {
        let list = list("date,vc1,vc2,total\n2020-04-01,8,16,24\n2020-04-02,8,13,21\n");
        assert_eq!(rows(&list, &[]), [("V100-16".to_owned(), 2, 8), ("V100-16".to_owned(), 1, 5)]);
    }
}
