//! What the rail beside the set-up says about each step.

use super::state::{Faults, Loaded};
use super::strings;
use crate::chart::format;
use crate::policy::registry;
use crate::scenario::Scenario;

/// How a step stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// It can be run as it is.
    Good,
    /// Something is still to come.
    Open,
    /// Something is to be corrected.
    Bad,
}

/// One step of the set-up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The id of its section.
    pub id: &'static str,
    /// Its name.
    pub name: &'static str,
    /// How it stands.
    pub check: Check,
    /// What is chosen, in a few words.
    pub summary: String,
}

/// The steps: their ids, names, and how the names of their fields begin.
const STEPS: [(&str, &str, &[&str]); 5] = [
    ("s-trace", "Trace", &["workload."]),
    ("s-cluster", "Cluster", &["cluster."]),
    ("s-policies", "Policies", &["policies."]),
    ("s-tenants", "Tenants", &["tenants."]),
    ("s-rounds", "Rounds and seeds", &["round.", "seeds"]),
];

/// All steps, in order.
#[must_use]
pub fn steps(scenario: &Scenario, input: Option<&Loaded>, faults: &Faults) -> Vec<Step> {
    STEPS
        .iter()
        .map(|&(id, name, fields)| {
            let wrong =
                faults.keys().filter(|field| fields.iter().any(|start| field.starts_with(start))).count();
            let (check, summary) = match wrong {
                0 => summary(id, scenario, input),
                _ => {
                    (Check::Bad, format!("{} to correct", strings::counted(wrong as u64, "value", "values")))
                }
            };
            Step { id, name, check, summary }
        })
        .collect()
}

fn summary(id: &str, scenario: &Scenario, input: Option<&Loaded>) -> (Check, String) {
    match id {
        "s-trace" => match input {
            None => (Check::Open, "none yet".to_owned()),
            Some(input) if input.contents.digest.gpu_jobs == 0 => (Check::Bad, "no GPU jobs".to_owned()),
            Some(input) => {
                let digest = &input.contents.digest;
                let length = format::elapsed(digest.span_s);
                (
                    Check::Good,
                    format!("{}, {length}", strings::counted(digest.gpu_jobs, "GPU job", "GPU jobs")),
                )
            }
        },
        "s-cluster" => match scenario.build_cluster() {
            Ok(cluster) => {
                let slots: u64 = cluster.types().iter().map(|kind| u64::from(kind.total_slots())).sum();
                let gpus = strings::counted(u64::from(cluster.devices()), "GPU", "GPUs");
                (Check::Good, format!("{gpus}, {}", strings::counted(slots, "slot", "slots")))
            }
            Err(_) => (Check::Bad, "cannot be built".to_owned()),
        },
        "s-policies" => {
            let (chosen, all) = (scenario.policies.len(), registry::policies().len());
            let check = if chosen == 0 { Check::Bad } else { Check::Good };
            (
                check,
                if chosen > all {
                    strings::counted(chosen as u64, "entry", "entries")
                } else {
                    format!("{chosen} of {all}")
                },
            )
        }
        "s-tenants" => {
            let by = scenario.workload.trace.as_ref().map(|trace| trace.tenants).unwrap_or_default();
            let tenants = input.map_or(0, |input| input.contents.digest.tenants_by(by).len());
            let changed = scenario.tenants.weights.len();
            let changed = match changed {
                0 => "equal weights".to_owned(),
                _ => format!("{} set", strings::counted(changed as u64, "weight", "weights")),
            };
            (
                Check::Good,
                if tenants == 0 { changed } else { format!("{}, {changed}", format::count(tenants as u64)) },
            )
        }
        _ => {
            let length = format::duration(scenario.round.length_s);
            (
                Check::Good,
                format!("{length}, {}", strings::counted(scenario.seeds.len() as u64, "seed", "seeds")),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::samples;
    use crate::app::state::Fault;

    #[test]
    fn a_faulty_field_shows_at_its_step() {
        let fault = Fault { text: "x".into(), message: "no".into() };
        let faults = Faults::from([
            ("round.length_s".to_owned(), fault.clone()),
            ("seeds".to_owned(), fault.clone()),
            ("cluster.nodes.0.gpus".to_owned(), fault),
        ]);
        let steps = steps(&samples::default_scenario(), None, &faults);
        let found: Vec<(&str, Check, &str)> =
            steps.iter().map(|s| (s.id, s.check, s.summary.as_str())).collect();
        assert_eq!(found[1], ("s-cluster", Check::Bad, "1\u{a0}value to correct"));
        assert_eq!(found[4], ("s-rounds", Check::Bad, "2\u{a0}values to correct"));
        assert_eq!(found[0].1, Check::Open);
        assert_eq!(found[2].1, Check::Good);
    }
}
