//! A month of 100,000 jobs on 2,490 GPUs, and a way to simulate it.

use sts_sim::policy::{Params, spec};
use sts_sim::scenario::run::{Prepared, generated, prepare};
use sts_sim::scenario::{PolicyChoice, Scenario};
use sts_sim::sim::{RunRecord, simulate};

/// The policies that are timed.
pub(crate) const POLICIES: [&str; 3] = ["fifo", "srtf", "las"];

/// The month of the study, in rounds of 600 s without overheads, with the first so many jobs.
pub(crate) fn month(jobs: u32) -> Scenario {
    let mut scenario = Scenario::from_json(include_str!("../../docs/study/month.json")).unwrap();
    scenario.round.restore_s = 0.0;
    scenario.policies = POLICIES.map(PolicyChoice::named).to_vec();
    if let Some(synthetic) = &mut scenario.workload.synthetic {
        synthetic.jobs = jobs;
    }
    scenario
}

/// Its cluster and jobs.
pub(crate) fn bound(scenario: &Scenario) -> Prepared {
    prepare(scenario, &generated(scenario).unwrap()).unwrap()
}

/// A run under one of the policies, without what measures a run.
pub(crate) fn run(scenario: &Scenario, prepared: &Prepared, policy: &str) -> RunRecord {
    let spec = spec(policy).unwrap();
    let params = Params::check(spec.name, spec.params, &[].into()).unwrap();
    let policy = spec.build.unwrap()(&params, 0);
    simulate(&prepared.cluster, &prepared.workload, scenario.round.settings(), policy, &mut ())
}
