//! What had to be assumed about the jobs of a comparison, in sentences.

use super::strings::jobs;
use crate::scenario::Scenario;
use crate::scenario::run::Prepared;
use crate::workload::bind::Assumptions;

/// A sentence each; what concerns no job is left out. `scenario` is the one that was asked for, `prepared` one of its seeds.
#[must_use]
pub fn sentences(scenario: &Scenario, prepared: &Prepared) -> Vec<String> {
    let workload = &prepared.workload;
    let mut sentences = vec![scenario.workload.profiles.describe()];
    sentences.extend(of_jobs(&workload.assumptions));
    let lists = [
        (&workload.never_fit, "Larger than this cluster allows, and left out alike for every policy"),
        (&workload.without_duration, "Without a run time in the trace, and not simulated"),
    ];
    sentences.extend(
        lists
            .into_iter()
            .filter(|(list, _)| !list.is_empty())
            .map(|(list, what)| about(what, list.len() as u64)),
    );
    sentences
}

fn of_jobs(assumptions: &Assumptions) -> impl Iterator<Item = String> {
    let Assumptions {
        zero_gpu_jobs,
        named_models,
        unknown_models,
        ruled_models,
        matched_types,
        unmatched_types,
    } = *assumptions;
    [
        ("With the profile of the model that the trace names", named_models),
        ("With a profile by the rule, because the trace names a model that was not measured", unknown_models),
        ("With a profile by the rule, because the trace names no model or the rule is for all", ruled_models),
        ("Only on the GPU types that the trace names", matched_types),
        ("On any GPU type, because the trace names types that are not in this cluster", unmatched_types),
        ("Without a GPU, and not simulated", zero_gpu_jobs),
    ]
    .into_iter()
    .filter(|(_, jobs)| *jobs > 0)
    .map(|(what, count)| about(what, u64::from(count)))
}

fn about(what: &str, count: u64) -> String {
    format!("{what}: {}", jobs(count))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::samples;
    use crate::scenario::run::{generated, prepare};

    #[test]
    fn the_rule_and_every_count_that_is_not_zero_are_told() {
        let scenario = samples::default_scenario();
        let mut prepared = prepare(&scenario, &generated(&scenario).unwrap()).unwrap();
        let told = sentences(&scenario, &prepared);
        assert_eq!(told[0], scenario.workload.profiles.describe());
        assert_eq!(told.len(), 2, "generated jobs name known models: {told:?}");
        prepared.workload.never_fit = vec![3];
        prepared.workload.assumptions.unmatched_types = 2_000;
        let told = sentences(&scenario, &prepared);
        assert_eq!(
            told.last().map(String::as_str),
            Some("Larger than this cluster allows, and left out alike for every policy: 1\u{a0}job")
        );
        assert!(told.iter().any(|sentence| sentence.ends_with("2,000\u{a0}jobs")));
    }
}
