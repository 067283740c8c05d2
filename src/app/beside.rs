//! Results that were run before, put beside those that are shown: one comparison of both.

use std::rc::Rc;

use super::comparison::title;
use super::state::{ComparisonId, ResultSet};
use crate::scenario::results::Results;
use crate::scenario::run::RunResult;
use crate::scenario::{PolicyChoice, Scenario};

/// Two comparisons as one.
#[derive(Debug, Clone, PartialEq)]
pub struct Beside {
    /// The results that others were put beside.
    pub of: ComparisonId,
    /// What the others are called.
    pub name: String,
    /// What to know of them, a sentence each: in what the two differ beside their policies.
    pub remarks: Vec<String>,
    /// The runs of both.
    pub runs: Rc<Vec<RunResult>>,
    /// The scenario shown, with the policies of both.
    pub scenario: Rc<Scenario>,
}

impl Beside {
    /// Puts `file` beside `shown`. Its policies are called after it.
    #[must_use]
    pub fn of(shown: &ResultSet, file: &Results) -> Self {
        // What tells the two apart: their labels stand in every chart.
        let name = match (file.name.as_str(), file.date.as_str()) {
            (name, "") if name.is_empty() || name == shown.scenario.name => "earlier".to_owned(),
            (name, date) if name.is_empty() || name == shown.scenario.name => date.to_owned(),
            (name, _) => name.to_owned(),
        };
        let mut scenario = (*shown.scenario).clone();
        let mut runs = (*shown.results).clone();
        for choice in &file.scenario.policies {
            let label = free_label(&scenario, &format!("{} ({name})", title(choice)));
            let own = file.runs.iter().filter(|run| run.policy == choice.label());
            runs.extend(own.map(|run| RunResult { policy: label.clone(), ..run.clone() }));
            scenario.policies.push(PolicyChoice { label: Some(label), ..choice.clone() });
        }
        Self {
            of: shown.id,
            remarks: differences(shown, file),
            name,
            runs: Rc::new(runs),
            scenario: Rc::new(scenario),
        }
    }
}

/// A label that no policy of the scenario has.
fn free_label(scenario: &Scenario, wanted: &str) -> String {
    let is_free = |label: &str| scenario.policies.iter().all(|choice| choice.label() != label);
    std::iter::once(wanted.to_owned())
        .chain((2..).map(|number| format!("{wanted} {number}")))
        .find(|label| is_free(label))
        .unwrap_or_default()
}

/// In what two comparisons differ, where figures of one say nothing of the other.
fn differences(shown: &ResultSet, file: &Results) -> Vec<String> {
    let (own, other) = (&*shown.scenario, &file.scenario);
    let is_same_trace = match (&shown.origin.trace_hash, &file.trace_hash) {
        (Some(own), Some(other)) => own == other,
        (None, None) => own.workload.synthetic == other.workload.synthetic,
        _ => false,
    };
    let taken = |scenario: &Scenario| {
        let mut workload = scenario.workload.clone();
        if let Some(trace) = &mut workload.trace {
            trace.path.clear();
        }
        workload.synthetic = None;
        workload
    };
    let mut differ = Vec::new();
    if !is_same_trace {
        differ.push("other jobs");
    } else if taken(own) != taken(other) {
        differ.push("other jobs taken from the trace, or other profiles");
    }
    for (is_other, what) in [
        (own.cluster != other.cluster, "another cluster"),
        (own.tenants != other.tenants, "other weights of tenants"),
        (own.round != other.round, "other rounds or overheads"),
        (own.measure != other.measure, "another window of measurement"),
        (own.seeds != other.seeds, "other seeds"),
    ] {
        if is_other {
            differ.push(what);
        }
    }
    if differ.is_empty() {
        return Vec::new();
    }
    vec![format!("They have {}: a difference to the results shown may come from that.", differ.join(", "))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::comparison::Comparison;
    use crate::app::samples;
    use crate::scenario::run::{generated, prepare};

    fn file(change: impl Fn(&mut Scenario)) -> Results {
        let mut scenario = samples::default_scenario();
        scenario.policies.truncate(2);
        if let Some(spec) = &mut scenario.workload.synthetic {
            spec.jobs = 20;
        }
        change(&mut scenario);
        let prepared = prepare(&scenario, &generated(&scenario).unwrap()).unwrap();
        let runs = (0..2).map(|index| prepared.run(index, 0, &mut ()).unwrap().result).collect();
        Results {
            name: "before".into(),
            date: String::new(),
            scenario_hash: prepared.scenario_hash.clone(),
            scenario,
            trace_hash: None,
            assumptions: Vec::new(),
            gpu_jobs: 20,
            jobs: 40,
            runs,
        }
    }

    fn shown(file: &Results) -> ResultSet {
        let mut runs = crate::app::state::Runs::default();
        runs.open(file, "");
        (*runs.shown.unwrap()).clone()
    }

    #[test]
    fn policies_of_both_stand_in_one_comparison_under_names_of_their_own() {
        let file = file(|scenario| scenario.seeds = vec![0]);
        let both = Beside::of(&shown(&file), &file);
        assert_eq!(both.remarks, Vec::<String>::new());
        let again = Comparison::new(Rc::clone(&both.runs), &both.scenario, None);
        assert_eq!(again.rows().len(), 4);
        let labels: Vec<&str> = again.rows().iter().map(|row| row.label.as_str()).collect();
        assert!(labels[2].ends_with("(before)") && labels[3].ends_with("(before)"), "{labels:?}");
        assert_eq!(
            again.estimate(&again.rows()[0], "jct_mean_s"),
            again.estimate(&again.rows()[2], "jct_mean_s")
        );
        assert_eq!(both.scenario.check(), Ok(()));
    }

    #[test]
    fn what_differs_is_told() {
        let one = file(|scenario| scenario.seeds = vec![0]);
        let other = file(|scenario| {
            scenario.seeds = vec![0];
            scenario.round.length_s = 60.0;
            if let Some(spec) = &mut scenario.workload.synthetic {
                spec.seed = 9;
            }
        });
        let told = Beside::of(&shown(&one), &other).remarks.join(" ");
        assert!(told.starts_with("They have other jobs, other rounds or overheads:"), "{told}");
    }
}
