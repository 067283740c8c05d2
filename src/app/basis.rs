//! What a result takes for granted, in sentences.

use super::comparison::title;
use crate::chart::format;
use crate::policy::Params;
use crate::policy::estimate::DURATIONS;
use crate::policy::param::ParamValue;
use crate::policy::registry::{self, Knowledge};
use crate::scenario::{MeasureSpec, PolicyChoice, Scenario};
use crate::sim::{Boundary, Limits, Mode};

/// What the model leaves out of the cluster and its users.
#[must_use]
pub fn left_out(scenario: &Scenario) -> Vec<String> {
    let mut effects = vec![
        "Contention for network, storage and host memory".to_owned(),
        "Interference between jobs that share a device beyond what their slot curves hold".to_owned(),
        "Users who would submit differently under another policy".to_owned(),
    ];
    if scenario.cluster.failures.is_empty() {
        effects.push("Failures of devices and of jobs: every job runs until its work is done".to_owned());
    }
    let round = &scenario.round;
    for (seconds, effect) in [
        (round.start_s, "Time to start a job: set to 0"),
        (round.restore_s, "Time to save and restore a preempted job: set to 0"),
        (round.reconfigure_s, "Time to change a MIG layout: set to 0"),
    ] {
        if seconds <= 0.0 {
            effects.push(effect.to_owned());
        }
    }
    effects
}

/// What is assumed about rounds, overheads and what policies know.
#[must_use]
pub fn assumed(scenario: &Scenario) -> Vec<String> {
    let round = &scenario.round;
    let between = match round.boundary {
        Boundary::Refill => "what becomes free inside a round is filled at once",
        Boundary::Idle => "what becomes free inside a round stays idle until it ends",
    };
    let mut sentences = match round.mode {
        Mode::Rounds => vec![format!("Decisions every {}; {between}", format::duration(round.length_s))],
        Mode::Fluid => {
            vec!["Shares of time to the letter: no rounds, no devices, no overheads, no failures".to_owned()]
        }
    };
    for (gpu, spec) in &scenario.cluster.failures {
        sentences.push(format!(
            "A node with {gpu} breaks every {} on average and is repaired in {}; it loses {}",
            format::duration(spec.mtbf_h * 3600.0),
            format::duration(spec.mttr_h * 3600.0),
            match round.checkpoint_s {
                Some(every) =>
                    format!("what came after the last checkpoint, one every {}", format::duration(every)),
                None => "all that came since its jobs were loaded".to_owned(),
            }
        ));
    }
    if !scenario.cluster.changes.is_empty() {
        sentences.push(format!("The number of nodes changes {} times", scenario.cluster.changes.len()));
    }
    if round.limits == Limits::Kill {
        sentences.push("A job is killed once it has held GPUs for the run time it asked for".to_owned());
    }
    let overheads: Vec<String> = [
        (round.start_s, "a first start"),
        (round.restore_s, "a later load"),
        (round.reconfigure_s, "a changed MIG layout"),
    ]
    .into_iter()
    .filter(|(seconds, _)| *seconds > 0.0)
    .map(|(seconds, what)| format!("{} for {what}", format::duration(seconds)))
    .collect();
    if !overheads.is_empty() {
        sentences.push(format!("Overheads: {}", overheads.join(", ")));
    }
    if round.gang_node_penalty > 0.0 {
        let percent = format::percent(round.gang_node_penalty, 0);
        sentences.push(format!("A gang takes {percent} longer for every node beyond its first"));
    }
    if let Some(horizon) = round.horizon_s {
        sentences.push(format!("The simulation ends after {}", format::duration(horizon)));
    }
    let MeasureSpec { from_s, to_s, ftf_n } = scenario.measure;
    match (from_s, to_s) {
        (None, None) => {}
        (Some(from), None) => {
            sentences.push(format!(
                "Measured: jobs submitted after {}, and the time from then on",
                format::duration(from)
            ));
        }
        (from, Some(to)) => sentences.push(format!(
            "Measured: jobs submitted from {} to {}, and the time between",
            format::duration(from.unwrap_or(0.0)),
            format::duration(to)
        )),
    }
    if let Some(n) = ftf_n {
        sentences.push(format!("Finish-time ρ assumes a contention of {}", format::significant(n, 3)));
    }
    for (word, what) in [
        ("oracle", "Exact knowledge of every job's remaining work"),
        ("noisy", "Estimates of every job's work, each wrong by a random factor"),
    ] {
        let knowing: Vec<&str> =
            scenario.policies.iter().filter(|choice| durations(choice) == Some(word)).map(title).collect();
        if !knowing.is_empty() {
            sentences.push(format!("{what}: {}", knowing.join(", ")));
        }
    }
    if let Some(recorded) = scenario.policies.iter().find(|choice| choice.name == registry::RECORDED) {
        sentences.push(format!("{}: the trace's own times, perhaps of another cluster", title(recorded)));
    }
    sentences
}

/// What a policy that goes by run times knows of them; `None` for one that does not.
fn durations(choice: &PolicyChoice) -> Option<&str> {
    let spec = registry::spec(&choice.name)?;
    let params = Params::check(spec.name, spec.params, &choice.params).ok()?;
    if spec.knowledge_with(&params) != Knowledge::RemainingWork {
        return None;
    }
    match choice.params.get(DURATIONS.name) {
        Some(ParamValue::Word(word)) => Some(word),
        _ => Some("oracle"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{ClusterSpec, MeasureSpec, RoundSpec, TenantSpec, WorkloadSpec};

    fn scenario(round: RoundSpec) -> Scenario {
        Scenario {
            version: 1,
            name: String::new(),
            cluster: ClusterSpec::default(),
            workload: WorkloadSpec::default(),
            tenants: TenantSpec::default(),
            round,
            measure: MeasureSpec::default(),
            policies: Vec::new(),
            seeds: vec![0],
        }
    }

    #[test]
    fn an_overhead_is_either_assumed_or_left_out() {
        let free = scenario(RoundSpec::default());
        assert_eq!(left_out(&free).iter().filter(|text| text.ends_with("set to 0")).count(), 3);
        assert_eq!(assumed(&free).len(), 1);
        let costly = scenario(RoundSpec {
            start_s: 10.0,
            restore_s: 45.0,
            reconfigure_s: 30.0,
            ..RoundSpec::default()
        });
        assert!(!left_out(&costly).iter().any(|text| text.ends_with("set to 0")));
        let told = assumed(&costly);
        assert_eq!(told.len(), 2);
        assert!(told[1].contains("45\u{a0}s for a later load"));
    }

    #[test]
    fn who_knows_run_times_is_named() {
        let mut mixed = scenario(RoundSpec::default());
        mixed.policies = ["fifo", "srtf", "recorded"].map(PolicyChoice::named).to_vec();
        mixed.policies[1].label = Some("Shortest first".to_owned());
        mixed.policies[2].label = Some("As it was".to_owned());
        let told = assumed(&mixed);
        assert_eq!(told[1], "Exact knowledge of every job's remaining work: Shortest first");
        assert_eq!(told[2], "As it was: the trace's own times, perhaps of another cluster");
        mixed.policies[1].params.insert("durations".to_owned(), ParamValue::Word("noisy".to_owned()));
        assert!(assumed(&mixed)[1].starts_with("Estimates of every job's work"));
        mixed.policies[1].params.insert("durations".to_owned(), ParamValue::Word("unknown".to_owned()));
        assert_eq!(assumed(&mixed)[1], told[2]);
    }

    #[test]
    fn an_idle_boundary_and_a_horizon_are_told() {
        let round =
            RoundSpec { boundary: Boundary::Idle, horizon_s: Some(86_400.0 * 7.0), ..RoundSpec::default() };
        let told = assumed(&scenario(round));
        assert!(told[0].ends_with("stays idle until it ends"));
        assert_eq!(told[1], "The simulation ends after 7\u{a0}d");
    }
}
