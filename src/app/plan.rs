//! What a comparison will run, and how far it is.

use super::comparison;
use crate::scenario::Scenario;

/// One policy and seed of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedRun {
    /// Position of the policy in the scenario.
    pub policy: usize,
    /// The policy's label.
    pub label: String,
    /// What people call it.
    pub title: String,
    /// The seed.
    pub seed: u64,
    /// The seed's place among the seeds, from 1.
    pub seed_number: usize,
}

/// All runs of a scenario, policy by policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The runs, in the order in which they are handed out.
    pub runs: Vec<PlannedRun>,
    /// Policies compared.
    pub policies: usize,
    /// Seeds of each.
    pub seeds: usize,
}

impl Plan {
    /// The runs of `scenario`.
    #[must_use]
    pub fn of(scenario: &Scenario) -> Self {
        let runs = scenario.policies.iter().enumerate().flat_map(|(policy, choice)| {
            scenario.seeds.iter().enumerate().map(move |(at, &seed)| PlannedRun {
                policy,
                label: choice.label().to_owned(),
                title: comparison::title(choice).to_owned(),
                seed,
                seed_number: at + 1,
            })
        });
        Self { runs: runs.collect(), policies: scenario.policies.len(), seeds: scenario.seeds.len() }
    }
}

/// How far one run is, in jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RunProgress {
    /// Jobs finished.
    pub finished: u32,
    /// Jobs in all; 0 until it is known.
    pub jobs: u32,
}

impl RunProgress {
    /// From 0 to 1.
    #[must_use]
    pub fn share(self) -> f64 {
        if self.jobs == 0 { 0.0 } else { f64::from(self.finished) / f64::from(self.jobs) }
    }
}

/// Seconds left, when a `share` (0 to 1) took `elapsed_s`; `None` before that says anything.
#[must_use]
pub fn seconds_left(elapsed_s: f64, share: f64) -> Option<f64> {
    const ENOUGH_S: f64 = 0.5;
    const ENOUGH_SHARE: f64 = 0.01;
    (elapsed_s >= ENOUGH_S && share >= ENOUGH_SHARE).then(|| elapsed_s * (1.0 - share.min(1.0)) / share)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::samples;
    use crate::scenario::PolicyChoice;

    #[test]
    fn every_policy_runs_with_every_seed() {
        let scenario = Scenario {
            policies: vec![
                PolicyChoice::named("fifo"),
                PolicyChoice { label: Some("two".into()), ..PolicyChoice::named("fifo") },
            ],
            seeds: vec![4, 9, 2],
            ..samples::default_scenario()
        };
        let plan = Plan::of(&scenario);
        assert_eq!((plan.policies, plan.seeds, plan.runs.len()), (2, 3, 6));
        let last =
            PlannedRun { policy: 1, label: "two".into(), title: "two".into(), seed: 2, seed_number: 3 };
        assert_eq!(plan.runs[0].title, "FIFO");
        assert_eq!(plan.runs.last(), Some(&last));
    }

    #[test]
    fn time_left_is_told_only_when_something_is_known() {
        assert_eq!(seconds_left(0.1, 0.9), None);
        assert_eq!(seconds_left(10.0, 0.0), None);
        assert_eq!(seconds_left(10.0, 0.25), Some(30.0));
        assert_eq!(seconds_left(10.0, 1.0), Some(0.0));
        assert!(RunProgress::default().share() < f64::EPSILON);
    }
}
