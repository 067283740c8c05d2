//! Integer examples: the exact programs against enumeration, and both against the figures.

use sts_sim::solve::answer::{AnswerStatus, Measure};
use sts_sim::solve::{Instance, solve};

use crate::instances::{close, fixture, objective, properties, ratios, solved, word};

/// What is known of one program: the policy, its objective, how many allocations meet its constraints and how many are best.
type Known<'k> = (&'k str, f64, Option<u64>, u64);

#[track_caller]
fn check(instance: &Instance, fitting: u64, known: &[Known<'_>]) {
    for &(policy, value, allowed, optimal) in known {
        let brute = solve(instance, "brute-force", &word("of", policy)).unwrap();
        objective(&brute, value);
        let counts = brute.counts.unwrap();
        assert_eq!(counts.fitting, fitting, "{policy}");
        assert_eq!(counts.optimal, optimal, "{policy}: {counts:?}");
        if let Some(allowed) = allowed {
            assert_eq!(counts.allowed, allowed, "{policy}: {counts:?}");
        }
        let exact = solved(instance, policy);
        assert_eq!(exact.objective, brute.objective, "{policy}");
        assert_eq!(exact.measure, brute.measure);
        assert_eq!((exact.status, exact.gap), (AnswerStatus::Optimal, Some(0.0)));
        if matches!(exact.measure, Measure::LeastRatio | Measure::LeastThroughput) {
            let sorted = |answer: &sts_sim::solve::answer::Answer| {
                let mut ratios: Vec<f64> =
                    answer.tenants.iter().map(|tenant| tenant.si_ratio.unwrap()).collect();
                ratios.sort_by(f64::total_cmp);
                ratios
            };
            assert_eq!(sorted(&exact), sorted(&brute), "{policy}");
        }
    }
}

#[test]
fn i1_two_tenants_on_two_types() {
    let instance = fixture("i1.json");
    check(
        &instance,
        36,
        &[
            ("max-sum", 12.0, Some(36), 3),
            ("max-sum-si", 9.0, Some(1), 1),
            ("max-sum-ef", 9.0, Some(5), 1),
            ("max-sum-si-ef", 9.0, Some(1), 1),
            ("max-min", 1.0, None, 1),
            ("nash", 20.0, None, 2),
        ],
    );
    ratios(&solved(&instance, "equal-split"), &[1.0, 1.0]);
    ratios(&solved(&instance, "max-min"), &[1.0, 1.0]);
    let nash = solved(&instance, "nash");
    assert_eq!(nash.properties.sharing_incentive, Some(false));
    // The divisible optimum under sharing incentive is 21/2.
    let divided = crate::instances::divisible(&[&[1.0, 2.0], &[1.0, 5.0]], &[2, 2]);
    close(solved(&divided, "max-sum-si").objective.unwrap(), 21.0 / 2.0);
}

#[test]
fn i2_three_tenants_on_three_slots_of_each_type() {
    let instance = fixture("i2.json");
    check(
        &instance,
        400,
        &[
            ("max-sum", 15.0, Some(400), 10),
            ("max-sum-si", 12.0, None, 1),
            ("max-sum-ef", 12.0, Some(6), 1),
            ("max-min", 1.0, None, 1),
            ("nash", 72.0, None, 2),
        ],
    );
    let equal = solved(&instance, "equal-split");
    ratios(&equal, &[1.0; 3]);
    assert_eq!(solved(&instance, "max-sum-si").allocation.len(), equal.allocation.len());
    ratios(&solved(&instance, "max-min"), &[1.0; 3]);
    assert_eq!(solved(&instance, "nash").properties.sharing_incentive, Some(false));
}

#[test]
fn i2b_all_objectives_pick_the_same_where_slots_are_not_divisible() {
    let instance = fixture("i2b.json");
    check(
        &instance,
        1225,
        &[
            ("max-sum", 20.0, Some(1225), 15),
            ("max-sum-si", 18.0, None, 1),
            ("max-sum-ef", 18.0, Some(7), 1),
            ("max-sum-si-ef", 18.0, None, 1),
            ("max-min", 1.0, None, 1),
            ("nash", 192.0, None, 1),
        ],
    );
    for policy in ["max-sum-si", "max-sum-ef", "max-sum-si-ef", "max-min", "nash"] {
        let answer = solved(&instance, policy);
        let own: Vec<f64> = answer.tenants.iter().map(|tenant| tenant.rate.unwrap()).collect();
        assert_eq!(own, [4.0, 6.0, 8.0], "{policy}");
        ratios(&answer, &[1.0, 9.0 / 8.0, 6.0 / 5.0]);
        properties(&answer, "yyy");
    }
}

#[test]
fn i3_seven_slots_cannot_be_fair_and_free_of_envy() {
    let instance = fixture("i3.json");
    check(
        &instance,
        36,
        &[
            ("max-sum", 171.0 / 140.0, Some(36), 1),
            ("max-sum-si", 171.0 / 140.0, Some(3), 1),
            ("max-sum-ef", 151.0 / 140.0, Some(4), 1),
            ("max-min", 8.0 / 7.0, None, 1),
            ("nash", 13.0 / 35.0, None, 1),
        ],
    );
    for policy in ["max-sum", "max-sum-si", "max-min", "nash"] {
        let answer = solved(&instance, policy);
        let slots: Vec<u32> = answer.allocation.iter().map(|row| row.slots.unwrap()).collect();
        assert_eq!(slots, [3, 4], "{policy}");
        ratios(&answer, &[13.0 / 10.0, 8.0 / 7.0]);
    }
    let free_of_envy = solved(&instance, "max-sum-ef");
    assert_eq!(free_of_envy.allocation.iter().map(|row| row.slots.unwrap()).collect::<Vec<_>>(), [3, 3]);
    for answer in [
        solved(&instance, "max-sum-si-ef"),
        solve(&instance, "brute-force", &word("of", "max-sum-si-ef")).unwrap(),
    ] {
        assert_eq!(answer.status, AnswerStatus::Infeasible);
        assert!(
            answer.proof.starts_with("no allocation satisfies both sharing incentive and envy-freeness"),
            "{}",
            answer.proof
        );
        assert_eq!((answer.objective, answer.gap, answer.properties.envy_free), (None, None, None));
    }
}

#[test]
fn every_policy_of_rounds_decides_one_round_or_says_why_not() {
    let mut decided = 0;
    for spec in sts_sim::policy::registry::policies() {
        if sts_sim::solve::POLICIES.iter().any(|(name, _)| *name == spec.name) {
            continue;
        }
        for name in ["i1.json", "i2b.json", "i3.json", "mig1.json", "greedy-synthetic.json"] {
            let mut instance = fixture(name);
            for job in instance.tenants.iter_mut().flat_map(|tenant| tenant.jobs.iter_mut().flatten()) {
                job.remaining_s = Some(3600.0);
            }
            match solve(&instance, spec.name, &std::collections::BTreeMap::new()) {
                Ok(answer) => {
                    assert_ne!(answer.status, AnswerStatus::Infeasible, "{} {name}", spec.name);
                    let greatest = solved(&instance, "max-sum").objective;
                    assert_eq!(answer.bound, greatest, "{} {name}", spec.name);
                    decided += usize::from(!answer.allocation.is_empty());
                }
                Err(error) => {
                    let words = error.to_string();
                    assert!(
                        words.starts_with(&format!("{} cannot decide this instance: ", spec.name)),
                        "{words}"
                    );
                }
            }
        }
    }
    assert!(decided >= 20, "only {decided} decisions gave anything");
}

#[test]
fn policies_of_rounds_serve_in_their_order() {
    // Two jobs that take everything: the one that was submitted first, the shorter one, the one that runs.
    let text = r#"{"types": [{"name": "V100", "devices": 2, "slots_per_device": 1, "layout": "uniform"}],
        "tenants": [{"name": "a", "jobs": [
            {"name": "long", "remaining_s": 900, "options": [{"type": "V100", "slots": 1, "devices": 2, "rate": 1}]},
            {"name": "short", "remaining_s": 90, "options": [{"type": "V100", "slots": 1, "devices": 2, "rate": 1}]}]}]}"#;
    let mut instance = Instance::from_json(text).unwrap();
    let first =
        |instance: &Instance, policy: &str| solved(instance, policy).allocation[0].job.clone().unwrap();
    assert_eq!(first(&instance, "fifo"), "long");
    assert_eq!(first(&instance, "srtf"), "short");
    let jobs = instance.tenants[0].jobs.as_mut().unwrap();
    jobs[0].remaining_s = None;
    let error = solve(&instance, "srtf", &std::collections::BTreeMap::new()).unwrap_err().to_string();
    assert!(error.contains("give long of a its remaining_s"), "{error}");
    assert_eq!(first(&instance, "fifo"), "long");
    let recorded = solve(&instance, "recorded", &std::collections::BTreeMap::new()).unwrap_err().to_string();
    assert!(recorded.starts_with("recorded cannot decide this instance"), "{recorded}");
}

#[test]
fn a_search_that_ends_early_has_a_bound() {
    let mut instance = fixture("i2.json");
    instance.tenants[1].weight = 2.0;
    for policy in ["max-sum-ef", "nash"] {
        let exact = solved(&instance, policy);
        let mut params = std::collections::BTreeMap::new();
        params.insert("solver_budget".to_string(), sts_sim::policy::param::ParamValue::Number(60.0));
        let early = solve(&instance, policy, &params).unwrap();
        assert_ne!(early.status, AnswerStatus::Infeasible);
        assert!(early.objective <= exact.objective, "{policy}");
        assert!(early.bound >= exact.objective, "{policy}");
    }
}
