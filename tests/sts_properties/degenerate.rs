//! Instances at the edge of sense: a documented answer or an error, never a panic, and never a run without end.

use std::collections::BTreeMap;

use sts_sim::cluster::Layout;
use sts_sim::policy::Reason;
use sts_sim::policy::sts::ladder::Ladder;
use sts_sim::policy::sts::program::{Program, ProgramJob, ProgramOption, ProgramTenant, Status, Usage};
use sts_sim::scenario::Scenario;
use sts_sim::scenario::run::{Finished, generated, prepare};
use sts_sim::solve::answer::AnswerStatus;
use sts_sim::solve::{Instance, solve};

use super::world::{World, policy};

const FORMULATIONS: [&str; 3] = ["f1", "f2", "f3"];

/// Runs a scenario of 40 jobs to its end under a formulation, with loans and ageing.
fn run(formulation: &str, nodes: &str, jobs: &str, tenants: &str) -> Result<Finished, String> {
    let scenario = Scenario::from_json(&format!(
        r#"{{"cluster": {{"nodes": [{nodes}]}}, "workload": {{"synthetic": {{"jobs": 40, {jobs}}}}}, "tenants": {tenants},
        "policies": [{{"name": "sts-fairness", "params":
            {{"formulation": "{formulation}", "loan_lambda": 0.5, "loan_half_life_s": 7200, "ageing_s": 3600}}}}]}}"#
    ))
    .map_err(|error| error.to_string())?;
    let workload = generated(&scenario).unwrap();
    let prepared = prepare(&scenario, &workload).map_err(|error| error.to_string())?;
    prepared.run(0, 0, &mut ()).map_err(|error| error.to_string())
}

const SMALL: &str = r#"{"gpu": "V100-16", "count": 1, "gpus_per_node": 2, "layout": "uniform-4"}"#;

#[test]
fn without_any_weight_nobody_is_entitled_and_every_job_runs() {
    for formulation in FORMULATIONS {
        let run =
            run(formulation, SMALL, r#""gpus": [{"gpus": 1, "weight": 1}]"#, r#"{"default_weight": 0}"#)
                .unwrap();
        assert_eq!((run.result.stopped, run.result.metrics.get("unfinished")), (None, Some(0.0)));
        assert_eq!(run.result.metrics.get("jain_service"), None);
    }
    let mut world = World::new(&[("V100-16", Layout::Uniform(4), 1)], &[0, 0]);
    world.job(0, 1, 1e6, &[(0, 4, 1, 1.0)]);
    let other = world.job(1, 1, 1e6, &[(0, 4, 1, 0.9)]);
    for formulation in FORMULATIONS {
        let decision = world.decide(policy(&[("formulation", formulation)]).as_mut());
        assert!(decision.ledger.is_empty());
        assert_eq!(decision.waits, [(other, Reason::Objective)]);
    }
}

#[test]
fn tenants_come_and_go_with_their_weights() {
    let tenants = r#"{"changes": [{"at_s": 3600, "tenant": "tenant-1", "weight": 0}, {"at_s": 7200, "tenant": "tenant-2", "weight": 9},
        {"at_s": 9000, "tenant": "tenant-1", "weight": 0.5}]}"#;
    for formulation in FORMULATIONS {
        let run = run(
            formulation,
            SMALL,
            r#""tenants": 3, "gpus": [{"gpus": 1, "weight": 2}, {"gpus": 2, "weight": 1}]"#,
            tenants,
        )
        .unwrap();
        assert_eq!((run.result.stopped, run.result.metrics.get("unfinished")), (None, Some(0.0)));
    }
}

#[test]
fn a_tenant_with_gangs_larger_than_its_quota_only_is_served() {
    for formulation in FORMULATIONS {
        let jobs = r#""tenants": 4, "gpus": [{"gpus": 2, "weight": 1}]"#;
        let run = run(formulation, SMALL, jobs, "{}").unwrap();
        assert_eq!((run.result.stopped, run.result.metrics.get("unfinished")), (None, Some(0.0)));
    }
}

#[test]
fn jobs_that_fit_nowhere_are_refused_before_the_run() {
    let error = run("f1", SMALL, r#""gpus": [{"gpus": 64, "weight": 1}]"#, "{}").unwrap_err();
    assert!(error.starts_with("workload: found 40 GPU jobs, of which 40 fit no GPU type"), "{error}");
    let error = run("f1", r#"{"gpu": "V100-16", "count": 0, "gpus_per_node": 2}"#, r#""tenants": 1"#, "{}")
        .unwrap_err();
    assert!(error.starts_with("cluster.nodes"), "{error}");
}

#[test]
fn an_instance_without_weights_or_options_has_an_answer() {
    let text = r#"{"types": [{"name": "V", "devices": 1, "slots_per_device": 4, "layout": "uniform"}], "tenants": [
        {"name": "a", "weight": 0, "jobs": [{"name": "j", "options": [{"type": "V", "slots": 4, "devices": 1, "rate": 1}]}]},
        {"name": "b", "weight": 0, "jobs": [{"name": "i", "options": []}]}, {"name": "c", "weight": 0, "jobs": []}]}"#;
    for name in ["sts-fairness", "brute-force", "equal-split", "max-sum"] {
        let answer = solve(&Instance::from_json(text).unwrap(), name, &BTreeMap::new()).unwrap();
        assert_eq!(answer.status, AnswerStatus::Optimal, "{name}");
        assert_eq!(answer.objective, Some(if name == "equal-split" { 0.0 } else { 1.0 }), "{name}");
    }
    // A type without devices is no error: nothing fits.
    let empty = text.replace("\"devices\": 1, \"slots_per", "\"devices\": 0, \"slots_per");
    for name in ["sts-fairness", "brute-force", "equal-split", "max-sum"] {
        let answer = solve(&Instance::from_json(&empty).unwrap(), name, &BTreeMap::new()).unwrap();
        assert_eq!(
            (answer.status, answer.objective, answer.gap),
            (AnswerStatus::Optimal, Some(0.0), Some(0.0)),
            "{name}"
        );
    }
}

#[test]
fn nothing_fits_into_no_capacity() {
    let option = ProgramOption {
        usage: Usage { first: 0, len: 1, amounts: [1, 0, 0, 0] },
        value: 5,
        keeps: true,
        slots: 1,
    };
    for budget in [0, 1_000_000] {
        for options in [vec![option], vec![]] {
            let mut program = Program {
                capacity: vec![0],
                tenants: vec![ProgramTenant { weight: 1, floor: 0 }; 2],
                jobs: vec![ProgramJob { tenant: 0, options }],
            };
            let solution = Ladder::new(budget).solve_round(&mut program, &[vec![0], vec![0]]).unwrap();
            assert_eq!(
                (solution.status, solution.objective, &solution.choice[..]),
                (Status::Optimal, 0, &[None][..])
            );
            program.tenants[1].floor = 1;
            assert!(
                Ladder::new(budget)
                    .solve(&program)
                    .is_none_or(|solution| solution.status == Status::Infeasible)
            );
        }
    }
}
