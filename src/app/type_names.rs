//! What a trace's names of GPU types stand for: the table of the set-up.

use std::collections::BTreeMap;

use crate::cluster::{Cluster, catalogue};
use crate::trace::TypeLoad;
use crate::workload::shape::TypeNames;

/// One name in a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeRow {
    /// As the trace has it.
    pub name: String,
    /// GPU jobs that name it.
    pub jobs: u64,
    /// The model that the name says, if it says one.
    pub said: Option<&'static str>,
    /// What there is in the cluster of what it stands for.
    pub there: There,
    /// What it is chosen to stand for; empty = any type.
    pub chosen: Option<String>,
    /// What may be proposed: the model of the cluster whose assumed speed is nearest to that of the model it says.
    pub nearest: Option<String>,
}

/// What there is in a cluster of what a name stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum There {
    /// These models, each once.
    Models(Vec<String>),
    /// Any will do.
    Any,
    /// Nothing.
    Nothing,
}

/// The names of a trace, in the order of their jobs' GPU-hours.
#[must_use]
pub fn rows(loads: &[TypeLoad], names: &TypeNames, cluster: &Cluster) -> Vec<TypeRow> {
    let mut found: Vec<(String, u64)> = Vec::new();
    for load in loads {
        for name in load.request.split('|').map(str::trim).filter(|name| !name.is_empty()) {
            match found.iter_mut().find(|(known, _)| known == name) {
                Some((_, jobs)) => *jobs += load.jobs,
                None => found.push((name.to_owned(), load.jobs)),
            }
        }
    }
    let row = |(name, jobs): (String, u64)| {
        let chosen = names.get(&name).cloned();
        let meant = chosen.clone().unwrap_or_else(|| name.clone());
        TypeRow {
            said: catalogue::aliases(&name),
            there: there(&meant, cluster),
            nearest: nearest(&name, cluster),
            name,
            jobs,
            chosen,
        }
    };
    found.into_iter().map(row).collect()
}

fn there(meant: &str, cluster: &Cluster) -> There {
    if meant.is_empty() {
        return There::Any;
    }
    let mut models: Vec<String> = Vec::new();
    for kind in cluster.types() {
        let is_meant = meant.split('|').any(|one| catalogue::admits(one, &kind.gpu));
        if is_meant && !models.contains(&kind.gpu) {
            models.push(kind.gpu.clone());
        }
    }
    if models.is_empty() { There::Nothing } else { There::Models(models) }
}

/// The model of the cluster that is nearest in assumed speed to the model that a name says.
fn nearest(name: &str, cluster: &Cluster) -> Option<String> {
    let speed = catalogue::aliases(name).and_then(catalogue::model)?.assumed_speed;
    // By ratio: half as fast is as far as twice as fast.
    let distance = |other: f64| libm::fabs(libm::log(other / speed));
    let kinds = cluster.types().iter();
    kinds
        .min_by(|a, b| distance(a.assumed_speed).total_cmp(&distance(b.assumed_speed)))
        .map(|kind| kind.gpu.clone())
}

/// The names with every proposal taken: what is not in the cluster stands for the nearest model that is.
#[must_use]
pub fn proposed(rows: &[TypeRow], names: &TypeNames) -> TypeNames {
    let mut names = names.clone();
    let missing = rows.iter().filter(|row| row.there == There::Nothing);
    names.extend(missing.filter_map(|row| Some((row.name.clone(), row.nearest.clone()?))));
    names
}

/// Every model of the catalogue, those of the cluster first.
#[must_use]
pub fn models(cluster: &Cluster) -> Vec<String> {
    let mut models: BTreeMap<(bool, usize), String> = BTreeMap::new();
    for (at, model) in catalogue::models().iter().enumerate() {
        let is_elsewhere = cluster.types().iter().all(|kind| kind.gpu != model.id);
        models.insert((is_elsewhere, at), model.id.clone());
    }
    models.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Scenario;

    fn cluster() -> Cluster {
        let text = r#"{"cluster": {"nodes": [{"gpu": "V100-16", "count": 1, "gpus_per_node": 8}, {"gpu": "T4", "count": 1, "gpus_per_node": 4}]},
            "workload": {"trace": {"path": "x"}}, "policies": [{"name": "fifo"}]}"#;
        Scenario::from_json(text).unwrap().build_cluster().unwrap()
    }

    fn load(request: &str, jobs: u64) -> TypeLoad {
        TypeLoad { request: request.into(), jobs, gpu_hours: 1.0, sizes: Vec::new() }
    }

    #[test]
    fn names_of_real_traces_are_rows_with_what_they_say_and_a_proposal() {
        let loads = [
            load("V100M16|V100M32", 5),
            load("", 9),
            load("nvidia_geforce_rtx_2080_ti", 2),
            load("a100_80", 1),
            load("MISC", 3),
            load("V100M32", 2),
        ];
        let found = rows(&loads, &TypeNames::new(), &cluster());
        let short: Vec<_> = found
            .iter()
            .map(|row| {
                (row.name.as_str(), row.jobs, row.said, row.there != There::Nothing, row.nearest.as_deref())
            })
            .collect();
        assert_eq!(
            short,
            [
                ("V100M16", 5, Some("V100-16"), true, Some("V100-16")),
                ("V100M32", 7, Some("V100-32"), false, Some("V100-16")),
                ("nvidia_geforce_rtx_2080_ti", 2, Some("RTX2080Ti"), false, Some("V100-16")),
                ("a100_80", 1, Some("A100-80"), false, Some("V100-16")),
                ("MISC", 3, None, false, None),
            ]
        );
        let names = proposed(&found, &TypeNames::from([("MISC".into(), String::new())]));
        assert_eq!(names.len(), 4);
        assert_eq!((names["a100_80"].as_str(), names["MISC"].as_str()), ("V100-16", ""));
        let there: Vec<There> = rows(&loads, &names, &cluster()).into_iter().map(|row| row.there).collect();
        let v100 = There::Models(vec!["V100-16".to_owned()]);
        assert_eq!(there, [v100.clone(), v100.clone(), v100.clone(), v100, There::Any]);
    }

    #[test]
    fn the_cluster_s_own_models_come_first() {
        let all = models(&cluster());
        assert_eq!(all[..2], ["V100-16", "T4"]);
        assert_eq!(all.len(), catalogue::models().len());
    }
}
