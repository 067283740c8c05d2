//! The user's own expression: equal to the policies it can say, and whole for whatever it names.

use proptest::prelude::*;
use sts_sim::policy::expression::field::SYMBOLS;
use sts_sim::policy::param::{Example, ParamKind, ParamValue};
use sts_sim::policy::spec;
use sts_sim::sim::{Boundary, RoundSettings, RunRecord};
use sts_sim::units::SimSpan;

use super::checks::{check_space, check_work};
use super::mixed::{cluster, rows, workload};
use super::world::{Row, finishes, number, one_type, rounds, row, run, run_with, starts, word};

type Given = Vec<(String, ParamValue)>;

fn examples() -> &'static [Example] {
    let params = spec("expression").unwrap().params;
    let formula = params.iter().find_map(|param| match param.kind {
        ParamKind::Formula(formula) => Some(formula),
        _ => None,
    });
    formula.unwrap().examples
}

fn example(title: &str) -> Given {
    let example = examples().iter().find(|example| example.title == title).unwrap();
    let others = example.others.iter().map(|(name, value)| word(name, value));
    others.chain([word("expression", example.formula)]).collect()
}

fn saying(formula: &str, others: &[(&str, &str)]) -> Given {
    others.iter().map(|(name, value)| word(name, value)).chain([word("expression", formula)]).collect()
}

/// The record without what only this policy notes.
fn plain(mut record: RunRecord) -> RunRecord {
    record.unranked = None;
    record
}

fn settings(boundary: Boundary, overhead_s: f64) -> RoundSettings {
    let overhead = SimSpan::from_secs(overhead_s);
    RoundSettings { start_cost: overhead, restore_cost: overhead, ..rounds(100.0, boundary) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn an_expression_that_says_what_a_policy_does_decides_as_it_does(
        rows in rows(),
        layouts in prop::collection::vec(0u8..5, 1..4),
        boundary in prop::sample::select(vec![Boundary::Refill, Boundary::Idle]),
        overhead_s in prop::sample::select(vec![0.0, 7.5]),
        durations in prop::sample::select(vec!["oracle", "noisy", "unknown"]),
        sharing in prop::sample::select(vec!["off", "requested"]),
    ) {
        let rounds = [("preemption", "rounds")];
        let known = word("durations", durations);
        for (name, given, own, knows) in [
            ("fifo", vec![], example("FIFO"), false),
            ("fifo-backfill", vec![], saying("submit_s", &[]), false),
            ("fifo-backfill", vec![], saying("0 - age_s", &[]), false),
            ("sjf", vec![], example("SJF"), true),
            ("srtf", vec![], example("SRTF"), true),
            ("srtf", vec![number("lease_s", 150.0)], [example("SRTF"), vec![number("lease_s", 150.0)]].concat(), true),
            ("las", vec![], example("LAS"), false),
            ("las", vec![number("threshold_gpu_hours", 0.25)], saying("attained_gpu_s >= 900", &rounds), false),
        ] {
            let cluster = cluster(&layouts);
            let workload = workload(&cluster, &rows);
            let common = [vec![word("sharing", sharing)], if knows { vec![known.clone()] } else { vec![] }].concat();
            let settings = settings(boundary, overhead_s);
            let theirs = run_with(name, &[given, common.clone()].concat(), 7, &cluster, &workload, settings);
            let own = run_with("expression", &[own, common].concat(), 7, &cluster, &workload, settings);
            prop_assert_eq!(own.unranked, Some(0), "{}", name);
            prop_assert!(plain(own) == theirs, "{}", name);
        }
    }

    #[test]
    fn tenants_in_turn_are_drf(
        list in prop::collection::vec((0u32..900, 1u32..500, 0u32..3), 1..30),
        weights in prop::sample::select(vec![[1_000_000u64, 1_000_000, 1_000_000], [1_000_000, 2_000_000, 3_000_000]]),
    ) {
        let rows: Vec<Row> =
            list.iter().map(|&(s, d, t)| row(f64::from(s), f64::from(d), 1, t)).collect();
        let workload = super::world::workload(&weights, &rows);
        let settings = rounds(100.0, Boundary::Idle);
        let drf = run("drf", &one_type(3), &workload, settings);
        let own = run_with("expression", &example("Fair share now"), 7, &one_type(3), &workload, settings);
        prop_assert_eq!(finishes(&own), finishes(&drf));
    }

    #[test]
    fn whatever_is_named_a_run_is_whole_and_repeats(
        rows in rows(),
        layouts in prop::collection::vec(0u8..5, 1..4),
        boundary in prop::sample::select(vec![Boundary::Refill, Boundary::Idle]),
        preemption in prop::sample::select(vec!["none", "rounds"]),
        backfill in prop::sample::select(vec!["passed", "waited-for"]),
        signs in any::<u32>(),
    ) {
        let sign = |at: usize| if signs >> at & 1 == 1 { " - " } else { " + " };
        let all: String = SYMBOLS.iter().enumerate().map(|(at, s)| format!("{}{}", sign(at), s.name)).collect();
        let others = [("preemption", preemption), ("backfill", backfill), ("durations", "noisy")];
        let formulas = examples().iter().map(|example| example.formula.to_owned());
        for formula in formulas.chain([format!("0{all}"), format!("min(limit_s, 10) * gpus{all}")]) {
            let cluster = cluster(&layouts);
            let workload = workload(&cluster, &rows);
            let given = saying(&formula, &others);
            let settings = settings(boundary, 7.5);
            let record = run_with("expression", &given, 7, &cluster, &workload, settings);
            prop_assert_eq!(record.stopped, None, "{}", formula);
            check_space(&cluster, &workload, &record);
            check_work(&workload, &record);
            let again = run_with("expression", &given, 7, &cluster, &workload, settings);
            prop_assert!(record == again, "{}", formula);
        }
    }
}

#[test]
fn the_least_value_comes_first_and_ties_go_to_who_came_first() {
    // One device, taken until 100.
    let rows = [row(0.0, 100.0, 1, 0), row(1.0, 40.0, 1, 0), row(2.0, 20.0, 1, 1), row(3.0, 40.0, 1, 1)];
    let workload = super::world::workload(&[1_000_000, 3_000_000], &rows);
    let started = |formula: &str| {
        let given = saying(formula, &[]);
        starts(&run_with("expression", &given, 7, &one_type(1), &workload, rounds(10.0, Boundary::Refill)))
    };
    assert_eq!(started("duration_s"), [0.0, 120.0, 100.0, 160.0]);
    assert_eq!(started("-duration_s"), [0.0, 100.0, 180.0, 140.0]);
    assert_eq!(started("-tenant_weight"), [0.0, 160.0, 100.0, 120.0]);
    assert_eq!(started("if(age_s > 98, 0, 1)"), [0.0, 100.0, 140.0, 160.0]);
    assert_eq!(started("-submit_s"), [0.0, 160.0, 140.0, 100.0]);
    assert_eq!(started("0"), [0.0, 100.0, 140.0, 160.0]);
    assert_eq!(started("limit_s"), [0.0, 100.0, 140.0, 160.0]);
}

#[test]
fn undefined_values_come_last_and_are_counted() {
    let rows = [row(0.0, 100.0, 1, 0), row(1.0, 40.0, 1, 0), row(2.0, 20.0, 1, 1)];
    let workload = super::world::workload(&[1_000_000, 0], &rows);
    let run = |formula: &str| {
        let given = saying(formula, &[]);
        run_with("expression", &given, 7, &one_type(1), &workload, rounds(10.0, Boundary::Refill))
    };
    let record = run("if(submit_s == 1, 0 / 0, gpus)");
    assert_eq!((starts(&record), record.unranked), (vec![0.0, 120.0, 100.0], Some(1)));
    let record = run("sqrt(-gpus)");
    assert_eq!((starts(&record), record.unranked), (vec![0.0, 100.0, 140.0], Some(3)));
    // Nothing over the weight 0 is undefined; something over it is infinite, which is in order.
    assert_eq!(run("0 / tenant_weight").unranked, Some(1));
    let record = run("-1 / tenant_weight");
    assert_eq!((starts(&record), record.unranked), (vec![0.0, 120.0, 100.0], Some(0)));
}
