use std::rc::Rc;

use super::figures::{changes, heat, response};
use super::*;
use crate::app::figures::quantity;
use crate::app::plan::RunProgress;
use crate::app::samples;
use crate::metrics::Metrics;
use crate::metrics::spec::metrics;
use crate::scenario::PolicyChoice;

fn base() -> Scenario {
    let mut scenario = samples::default_scenario();
    scenario.policies = vec![PolicyChoice::named("fifo"), PolicyChoice::named("las")];
    scenario.seeds = vec![0, 1];
    scenario
}

fn measured(mean_s: f64) -> Heard {
    let mut metrics = Metrics::default();
    metrics.values.insert("jct_mean_s".to_owned(), Some(mean_s));
    Heard::Measured(Box::new(metrics))
}

const ID: ExperimentId = ExperimentId(7);

#[test]
fn what_is_proposed_can_be_run_whatever_is_varied() {
    let mut base = base();
    base.policies =
        crate::policy::registry::policies().iter().map(|spec| PolicyChoice::named(spec.name)).collect();
    for factor in Factor::all(&base, ["tenant-1"]) {
        let mut draft = Draft::of(&base);
        draft.apply(Change::Factor(0, factor.clone()), &base);
        let sweep = draft.sweep(&base).unwrap_or_else(|problem| panic!("{factor}: {}", problem.message));
        assert!(sweep.points.len() > 1 || factor.level(&base).is_some(), "{factor}: {}", draft.axes[0].text);
    }
}

#[test]
fn the_fault_of_a_form_stands_at_its_axis() {
    let base = base();
    let mut draft = Draft::of(&base);
    draft.apply(Change::AddAxis(Factor::RoundLength), &base);
    draft.apply(Change::Levels(1, "60 to 30 by 5".into()), &base);
    let problem = draft.sweep(&base).unwrap_err();
    assert_eq!((problem.axis, problem.message.contains("smaller number first")), (Some(1), true));
    draft.apply(Change::Levels(1, "-5".into()), &base);
    let problem = draft.sweep(&base).unwrap_err();
    assert_eq!((problem.axis, problem.message.contains("round.length_s")), (Some(1), true));
    draft.apply(Change::RemoveAxis, &base);
    assert!(draft.sweep(&base).is_ok());
    for label in ["fifo", "las"] {
        draft.apply(Change::Policy(label.into()), &base);
    }
    assert_eq!(draft.sweep(&base).unwrap_err().message, "Choose at least one policy.");
    draft.apply(Change::Policy("las".into()), &base);
    draft.apply(Change::Seeds(Some(3)), &base);
    let sweep = draft.sweep(&base).unwrap();
    assert_eq!((sweep.policies(), sweep.base.seeds.len()), (vec!["las"], 3));
}

#[test]
fn a_form_goes_along_with_the_set_up() {
    let before = base();
    let gpu = before.cluster.nodes[0].gpu.clone();
    let mut draft = Draft::of(&before);
    draft.apply(Change::Factor(0, Factor::Gpus { gpu: gpu.clone() }), &before);
    draft.apply(Change::Policy("las".into()), &before);
    let mut after = before.clone();
    after.cluster.nodes[0].count += 5;
    after.policies.pop();
    draft.follow(&before, &after);
    assert_eq!(draft.axes[0], AxisDraft::of(Factor::Gpus { gpu: gpu.clone() }, &after));
    assert!(draft.left_out.is_empty());
    draft.apply(Change::Levels(0, "0".into()), &after);
    let mut third = after.clone();
    third.cluster.nodes.retain(|row| row.gpu != gpu);
    draft.follow(&after, &third);
    assert_eq!(draft.axes, Draft::of(&third).axes, "what is no longer there is not varied");
}

#[test]
fn runs_are_handed_out_as_workers_are_free_and_a_pause_stops_that() {
    let sweep = Draft::of(&base()).sweep(&base()).unwrap();
    let planned = sweep.runs.len();
    let mut course = Course::begin(ID, Kind::Sweep, sweep, None, 10.0);
    assert_eq!(course.hand_out(2), [0, 1]);
    assert_eq!(course.hand_out(2), [0; 0]);
    course.hear(ID, 0, measured(5.0), 11.0);
    course.hear(ExperimentId(6), 1, measured(5.0), 11.0);
    course.hear(ID, 9, measured(5.0), 11.0);
    assert_eq!(course.runs(), (1, planned));
    course.pause(12.0);
    course.hear(ID, 1, Heard::Lost("no job fits".into()), 13.0);
    assert_eq!((course.hand_out(2), course.runs().0, course.lost.len()), (Vec::new(), 2, 1));
    assert!((course.elapsed_s(1000.0) - 2.0).abs() < 1e-9);
    course.resume(100.0);
    assert_eq!(course.hand_out(2), [2, 3]);
    course.hear(ID, 2, Heard::Progress(RunProgress { finished: 1, jobs: 2 }), 101.0);
    assert!((course.share() - 2.5 / planned as f64).abs() < 1e-9);
    assert!(course.seconds_left(102.0).unwrap() > 0.0);
    assert!(course.cancel(103.0) && !course.cancel(104.0));
    course.hear(ID, 2, measured(1.0), 105.0);
    assert_eq!((course.runs().0, course.phase, course.hand_out(2).len()), (2, Phase::Cancelled, 0));
}

#[test]
fn an_experiment_ends_with_its_last_run_and_is_drawn() {
    let mut draft = Draft::of(&base());
    draft.apply(Change::Levels(0, "1, 2".into()), &base());
    draft.apply(Change::AddAxis(Factor::RoundLength), &base());
    draft.apply(Change::Levels(1, "60, 360".into()), &base());
    let sweep = draft.sweep(&base()).unwrap();
    let mut course = Course::begin(ID, Kind::Sweep, sweep, None, 0.0);
    while let [run] = course.hand_out(1)[..] {
        course.hear(ID, run, measured(run as f64), 1.0);
    }
    assert_eq!((course.phase, course.runs()), (Phase::Ended, (16, 16)));
    let map = heat(&course.sweep, &course.results, "jct_mean_s", 1).unwrap();
    assert_eq!(map.cells, [2.0, 6.0, 10.0, 14.0].map(Some));
    assert_eq!(
        (map.down.1.as_slice(), map.across.1.as_slice()),
        (&["1", "2"].map(String::from)[..], &["60", "360"].map(String::from)[..])
    );
    for spec in metrics() {
        let _ = quantity(spec).text(1.0);
    }
}

#[test]
fn what_more_gpus_change_is_told_with_what_the_seeds_say() {
    let base = base();
    let gpu = base.cluster.nodes[0].gpu.clone();
    let sweep = what_if(&base, &gpu).unwrap();
    let gpus: Vec<String> = sweep.axes[0].levels.iter().map(level_text).collect();
    let mut course = Course::begin(ID, Kind::WhatIf, sweep, None, 0.0);
    // Point by point, seed by seed, policy by policy: FIFO gains in both seeds, LAS in one.
    let seconds = [1000.0, 500.0, 1100.0, 500.0, 900.0, 450.0, 1001.0, 560.0];
    while let [run] = course.hand_out(1)[..] {
        course.hear(ID, run, measured(seconds[run]), 1.0);
    }
    assert_eq!(gpus.len(), 2);
    let table = changes(&course, 1);
    assert_eq!(table.policies, ["FIFO", "LAS (two queues)"]);
    let cells = &table.rows[0].cells;
    let cell = cells[0].as_ref().unwrap();
    assert!(cell.change.starts_with('\u{2212}') || cell.change.starts_with('-'), "{}", cell.change);
    assert_eq!(cell.verdict, Some(crate::metrics::statistics::Verdict::Better));
    assert_eq!(cells[1].as_ref().unwrap().verdict, Some(crate::metrics::statistics::Verdict::NoDifference));
    assert!(table.rows[1].cells[0].is_none(), "p95 was not measured");
    let lines = response(&course.sweep, &course.results, "jct_mean_s");
    assert_eq!(lines.series.len(), 2);
    assert!(lines.series[0].means[1].unwrap().interval.is_some());
    assert!(what_if(&base, "nothing").is_err());
    assert!(Rc::strong_count(&course.sweep) == 1);
}

#[test]
fn set_ups_that_are_kept_stand_beside_the_set_up_as_it_is() {
    let first = base();
    let mut draft = Draft::of(&first);
    draft.apply(Change::What(What::SetUps), &first);
    assert_eq!(draft.sweep(&first).unwrap_err().message, TOO_FEW);
    draft.apply(Change::KeepSetUp, &first);
    draft.apply(Change::NameSetUp(0, " before ".into()), &first);
    assert!(draft.sweep(&first).is_err(), "it is the same as the set-up");
    let mut second = first.clone();
    second.cluster.nodes[0].count += 1;
    second.policies.truncate(1);
    second.seeds = vec![0, 1, 2];
    let sweep = draft.sweep(&second).unwrap();
    let names: Vec<String> = sweep.axes[0].levels.iter().map(level_text).collect();
    assert_eq!(names, ["before", second.name.as_str()]);
    assert_eq!(sweep.runs.len(), 2 * 3, "policies and seeds are those of the form");
    assert_eq!(sweep.points[0].scenario.cluster, first.cluster);
    assert_eq!(sweep.points[1].scenario, second);
    // Two of one name get names of their own, and a removed one is gone.
    draft.apply(Change::KeepSetUp, &second);
    draft.apply(Change::NameSetUp(1, "before".into()), &second);
    assert_eq!(draft.set_ups[1].name, "before 2");
    draft.apply(Change::RemoveSetUp(0), &second);
    draft.apply(Change::RemoveSetUp(5), &second);
    assert_eq!(draft.set_ups.len(), 1);
    // A set-up of other jobs cannot stand beside these.
    let mut third = second.clone();
    third.workload.trace = Some(crate::scenario::TraceSpec::whole("a.csv".into()));
    third.workload.synthetic = None;
    let problem = draft.sweep(&third).unwrap_err();
    assert!(problem.message.contains("trace"), "{}", problem.message);
}

#[test]
fn what_a_set_up_changes_is_told_against_the_first() {
    let first = base();
    let mut draft = Draft::of(&first);
    draft.apply(Change::What(What::SetUps), &first);
    let mut scenario = first;
    for more in 0..2 {
        draft.apply(Change::KeepSetUp, &scenario);
        scenario.cluster.nodes[0].count += 1 + more;
    }
    let sweep = draft.sweep(&scenario).unwrap();
    let mut course = Course::begin(ID, Kind::SetUps, sweep, None, 0.0);
    while let [run] = course.hand_out(1)[..] {
        course.hear(ID, run, measured(100.0 + run as f64), 1.0);
    }
    let of = |point: usize| {
        let table = changes(&course, point);
        table.rows[0].cells[0].clone().unwrap().values.map(|value| value.round() as i64)
    };
    assert_eq!(of(1), [101, 105]);
    assert_eq!(of(2), [101, 109]);
}
