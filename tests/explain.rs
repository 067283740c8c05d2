//! Explanations: what running a waiting job would have cost, against trying everything; and when and why jobs waited.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sts_sim::policy::sts::budget::Limits;
use sts_sim::policy::sts::explain::runner_up::{Cost, DecidedRound, runner_up};
use sts_sim::policy::sts::ladder::Ladder;
use sts_sim::policy::sts::program::{Program, ProgramJob, ProgramOption, ProgramTenant, Status, Usage};
use sts_sim::scenario::Scenario;
use sts_sim::scenario::run::{generated, prepare};
use sts_sim::sim::waiting::WaitHistory;
use sts_sim::solve::{Instance, explain, solve};
use sts_sim::units::{JobId, SimTime};

/// Two resources, up to three tenants, up to six jobs; shares that fit together.
fn random(rng: &mut ChaCha8Rng) -> (Program, Vec<Vec<u32>>) {
    let capacity = vec![rng.random_range(2..6), rng.random_range(2..6)];
    let tenants = rng.random_range(1..4usize);
    let mut jobs: Vec<ProgramJob> = (0..rng.random_range(2..7))
        .map(|_| ProgramJob {
            tenant: rng.random_range(0..tenants as u32),
            options: (0..rng.random_range(1..4))
                .map(|_| {
                    let slots = rng.random_range(1..5);
                    let first = rng.random_range(0..2);
                    let usage = Usage { first, len: 1, amounts: [slots, 0, 0, 0] };
                    ProgramOption { usage, value: rng.random_range(1..20), keeps: false, slots }
                })
                .collect(),
        })
        .collect();
    jobs.sort_by_key(|job| job.tenant);
    let mut shares = vec![vec![0; 2]; tenants];
    for (k, &units) in capacity.iter().enumerate() {
        for _ in 0..units {
            shares[rng.random_range(0..tenants)][k] += 1;
        }
    }
    let tenants = vec![ProgramTenant { weight: 1, floor: 0 }; tenants];
    (Program { capacity, tenants, jobs }, shares)
}

/// The greatest objective of a choice in which `job` runs and the floors that `counts` says hold.
fn best(program: &Program, job: usize, counts: &dyn Fn(usize) -> bool) -> Option<i128> {
    let mut relaxed = program.clone();
    for (tenant, of_tenant) in relaxed.tenants.iter_mut().enumerate() {
        if !counts(tenant) {
            of_tenant.floor = 0;
        }
    }
    let mut choice = vec![None; program.jobs.len()];
    let mut best = None;
    loop {
        if choice[job].is_some() && relaxed.is_feasible(&choice) {
            best = best.max(Some(relaxed.objective(&choice)));
        }
        let mut at = 0;
        loop {
            let Some(option) = choice.get_mut(at) else { return best };
            let next: u16 = option.map_or(0, |o| o + 1);
            if usize::from(next) < program.jobs[at].options.len() {
                *option = Some(next);
                break;
            }
            *option = None;
            at += 1;
        }
    }
}

#[test]
fn the_cost_of_a_waiting_job_is_what_trying_everything_finds() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let (mut lost, mut broke) = (0, 0);
    for case in 0..300 {
        let (mut program, shares) = random(&mut rng);
        let solution = Ladder::new(1_000_000).solve_round(&mut program, &shares).unwrap();
        assert_eq!(solution.status, Status::Optimal);
        let round = DecidedRound { program: &program, choice: &solution.choice };
        for job in (0..program.jobs.len()).filter(|&job| solution.choice[job].is_none()) {
            let found = runner_up(round, job, &Limits::default());
            let all = |_: usize| true;
            match found.cost {
                Cost::Loses(by) => {
                    assert!(by >= 0);
                    assert_eq!(best(&program, job, &all), Some(solution.objective - by), "case {case}");
                    lost += 1;
                }
                Cost::Breaks(tenants) => {
                    assert_eq!(best(&program, job, &all), None, "case {case}");
                    assert!(!tenants.is_empty());
                    // With any one of them left out, its most valuable option has a place.
                    for &without in &tenants {
                        let others =
                            |tenant: usize| tenants.contains(&(tenant as u32)) && tenant as u32 != without;
                        assert!(best(&program, job, &others).is_some(), "case {case}");
                    }
                    broke += 1;
                }
                Cost::DoesNotFit => {
                    assert_eq!(best(&program, job, &|_| false), None, "case {case}");
                }
                other => panic!("case {case}: {other:?}"),
            }
        }
    }
    assert!(lost > 50 && broke > 10, "{lost}, {broke}");
}

#[test]
fn a_decision_is_explained_in_words_and_prices() {
    let text = r#"{"types": [{"name": "A100", "devices": 1, "slots_per_device": 4, "layout": "uniform"}],
        "tenants": [
            {"name": "a", "jobs": [{"name": "a1", "options": [{"type": "A100", "slots": 2, "rate": 0.6},
                                                              {"type": "A100", "slots": 4, "rate": 1.0}]}]},
            {"name": "b", "jobs": [{"name": "b1", "options": [{"type": "A100", "slots": 2, "rate": 0.5}]},
                                   {"name": "b2", "options": [{"type": "A100", "slots": 2, "rate": 0.4}]}]}],
        "quotas": {"a": {"A100": 2}, "b": {"A100": 2}}}"#;
    let instance = Instance::from_json(text).unwrap();
    let answer = solve(&instance, "sts-fairness", &BTreeMap::new()).unwrap();
    assert_eq!(answer.objective, Some(1.1));
    assert!(answer.explain.is_none());
    assert_eq!(answer.tenants[0].quota, BTreeMap::from([("A100".to_string(), 2.0)]));
    assert_eq!(answer.tenants[0].floor_slack, Some(0.0));
    let explained = explain(&instance, "sts-fairness", &BTreeMap::new(), 5).unwrap();
    assert!(explained.steps[0].contains("8 of 4 slots of A100"), "{:?}", explained.steps);
    assert!(explained.priced_bound.unwrap() >= 1.1 - 1e-9);
    assert_eq!((explained.runners_up.len(), explained.not_looked_at), (1, 0));
    let b2 = &explained.runners_up[0];
    // With b2 on two slots, b1 or a1 would go; a floor of a of 0.6 and of b of 0.5 leave neither.
    assert_eq!(b2.job, "b2");
    assert_eq!(b2.breaks_floors_of, ["a", "b"]);
    assert_eq!(b2.words, "Running it with 2 slots of A100 would break the floor of a or b.");
    let free = explain(&instance, "max-sum", &BTreeMap::new(), 5).unwrap();
    assert_eq!(free.runners_up[0].loses_at_most, Some(0.1));
    let none = explain(&instance, "sts-fairness", &BTreeMap::new(), 0).unwrap();
    assert_eq!((none.runners_up.len(), none.not_looked_at), (0, 1));
}

#[test]
fn waits_and_allocations_fill_a_jobs_stay() {
    let text = include_str!("fixtures/scenarios/mixed.json");
    let scenario = Scenario::from_json(text).unwrap();
    let prepared = prepare(&scenario, &generated(&scenario).unwrap()).unwrap();
    for index in [0, 3, 5] {
        let record = prepared.run(index, 0, &mut ()).unwrap().record;
        let history = WaitHistory::of(&record);
        for (id, (job, run)) in prepared.workload.jobs.iter().zip(&record.jobs).enumerate() {
            let mut parts: Vec<(SimTime, SimTime)> =
                history.job(JobId(id as u32)).map(|span| (span.from, span.to)).collect();
            let held = record.segments.iter().filter(|segment| segment.job.index() == id);
            parts.extend(held.filter(|segment| segment.to > segment.from).map(|s| (s.from, s.to)));
            parts.sort_unstable();
            assert_eq!(parts.first().unwrap().0, job.submit);
            assert!(parts.windows(2).all(|pair| pair[0].1 == pair[1].0), "job {id}: {parts:?}");
            assert_eq!(parts.last().unwrap().1, run.finish.unwrap_or(record.end));
        }
    }
}

#[test]
fn a_round_of_a_run_is_explained() {
    let text = include_str!("fixtures/scenarios/mixed.json");
    let scenario = Scenario::from_json(text).unwrap();
    let prepared = prepare(&scenario, &generated(&scenario).unwrap()).unwrap();
    let limits = Limits::default();
    let of = |round, jobs| prepared.explain(5, 0, round, jobs, &limits).unwrap().unwrap();
    // The busiest of some rounds.
    let busiest =
        (1..5).map(|round| of(round * 25, 0)).max_by_key(|explained| explained.waiting.len()).unwrap();
    let explained = of(busiest.round, 4);
    assert_eq!(explained.round, busiest.round);
    assert!(explained.waiting.len() >= 4 && explained.tenants.len() > 1);
    for tenant in &explained.tenants {
        let slack = tenant.slack.unwrap();
        assert_eq!(slack, tenant.value.unwrap() - tenant.floor.unwrap());
        assert!(slack >= 0 && tenant.types.len() == 3);
        for (gpu_type, slots) in &tenant.types {
            let of_type = tenant.grants.iter().filter(|grant| grant.gpu_type == *gpu_type);
            let granted: u32 = of_type.map(|grant| u32::from(grant.slots) * grant.devices).sum();
            assert_eq!(granted, slots.used_slots);
        }
    }
    for (looked_at, wait) in explained.waiting.iter().enumerate() {
        assert!(!wait.words.is_empty());
        let is_costed = wait.loses_at_most.is_some() || !wait.breaks_floors_of.is_empty();
        assert_eq!(is_costed, looked_at < 4, "{wait:?}");
        // Running the job gains nothing beyond what the decision may be away from the optimum.
        let gap = explained.bound.unwrap() - explained.objective.unwrap();
        assert!(wait.loses_at_least.is_none_or(|by| by >= -gap), "{wait:?}, gap {gap}");
    }
    let fifo = prepared.explain(0, 0, 10, 4, &limits).unwrap().unwrap();
    assert!(fifo.objective.is_none() && fifo.method.is_none());
    assert!(
        fifo.tenants.iter().any(|tenant| !tenant.grants.is_empty()),
        "its grants are told without a ledger"
    );
    assert!(fifo.tenants.iter().all(|tenant| tenant.slack.is_none() && tenant.types.is_empty()));
}

#[test]
fn rounds_passed_over_do_not_count_as_unproven() {
    let scenario = Scenario::from_json(
        r#"{"cluster": {"nodes": [{"gpu": "V100-16", "count": 2, "gpus_per_node": 8, "layout": "uniform-4"}]},
            "workload": {"synthetic": {"jobs": 30, "arrivals": {"rate_per_hour": 2}}},
            "policies": [{"name": "sts-fairness"}]}"#,
    )
    .unwrap();
    let prepared = prepare(&scenario, &generated(&scenario).unwrap()).unwrap();
    let result = prepared.run(0, 0, &mut ()).unwrap().result;
    assert_eq!(result.metrics.get("solver_gap_max"), Some(0.0));
    assert_eq!(result.rounds_optimal, result.rounds_solved);
    assert!(result.rounds_solved.unwrap() < result.rounds, "no round was passed over");
}
