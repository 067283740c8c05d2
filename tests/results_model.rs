//! What the results view says about a comparison: the finding, the key figures, the files.

#![allow(clippy::unwrap_used)]

mod results_model {
    pub(crate) mod fixture;
}

use std::collections::BTreeSet;
use std::rc::Rc;

use results_model::fixture;
use sts_sim::app::comparison::{Comparison, Freshness};
use sts_sim::app::figures::TenantFigure;
use sts_sim::app::headline::Headline;
use sts_sim::app::kpi::{Cell, DEFAULT_COLUMNS, Delta, KpiTable, Order};
use sts_sim::app::report::{Report, Source};
use sts_sim::app::{export, figures};
use sts_sim::chart::window::TimeWindow;
use sts_sim::chart::{Chart, Distributed};
use sts_sim::metrics::metrics;
use sts_sim::scenario::run::{CdfPoint, LoadPoint, RunResult};

const PAIR: [&str; 2] = ["sts-fairness", "fifo"];

fn compare(policies: &[&str], seeds: &[u64], change: impl Fn(&mut RunResult)) -> Comparison {
    let mut runs = fixture::runs(policies, seeds).as_ref().clone();
    runs.iter_mut().for_each(change);
    Comparison::new(Rc::new(runs), &fixture::scenario(policies, seeds), None)
}

/// Two policies of which everything is the same but mean JCT, by policy and seed.
fn with_jct(seeds: &[u64], jct: impl Fn(&RunResult) -> f64) -> Comparison {
    compare(&PAIR, seeds, |run| {
        let value = jct(run);
        fixture::set(run, "jct_mean_s", Some(value));
        fixture::set(run, "jct_mean_common_s", Some(value));
    })
}

fn headline(comparison: &Comparison) -> Headline {
    Headline::of(comparison, Freshness::Current)
}

fn cell<'a>(table: &'a KpiTable, label: &str, key: &str) -> &'a Cell {
    let column = table.columns.iter().position(|column| column.spec.key == key).unwrap();
    &table.rows.iter().find(|row| row.label == label).unwrap().cells[column]
}

fn table(comparison: &Comparison) -> KpiTable {
    KpiTable::of(comparison, &metrics().iter().map(|spec| spec.key).collect())
}

#[test]
fn a_gain_is_told_with_its_losers() {
    let comparison = with_jct(&[0], |run| if run.policy == "fifo" { 13_100.0 } else { 10_000.0 });
    let headline = headline(&comparison);
    assert_eq!(
        headline.title,
        "sts-fairness cuts mean JCT 1.31× against fifo; 2 of 14 tenants wait longer, in this one run"
    );
    assert!(headline.notes.contains(&"Longer: edu, genai.".to_owned()), "{:?}", headline.notes);
    assert!(headline.notes.iter().any(|note| note.starts_with("One seed, so no statistical claim")));
    assert!(
        headline.notes.contains(&"No tenant fell below its own quota in any of 1,680 rounds.".to_owned())
    );
    let proof = "Exact optimum in 1,642 of 1,680 rounds, proven gap at most 0.38\u{202f}% in the other 38.";
    assert!(headline.notes.contains(&proof.to_owned()), "{:?}", headline.notes);
}

#[test]
fn a_loss_is_told_as_one() {
    let comparison = with_jct(&[0], |run| if run.policy == "fifo" { 10_000.0 } else { 12_000.0 });
    assert!(headline(&comparison).title.starts_with("sts-fairness lengthens mean JCT 1.20× against fifo"));
}

#[test]
fn a_difference_inside_the_seeds_interval_is_a_tie() {
    let swinging = |run: &RunResult| {
        10_000.0 + if run.policy == "fifo" { 0.0 } else { [900.0, -700.0, 400.0][run.seed as usize] }
    };
    let comparison = with_jct(&[0, 1, 2], swinging);
    let title = headline(&comparison).title;
    assert!(title.starts_with("sts-fairness and fifo finish within the seeds' interval; 2 of 14"), "{title}");
    assert_eq!(cell(&table(&comparison), "sts-fairness", "jct_mean_s").delta, Delta::WithinInterval);
}

#[test]
fn a_steady_difference_is_claimed_although_the_seeds_differ() {
    let comparison = with_jct(&[0, 1, 2], |run| {
        10_000.0 * (1 + run.seed) as f64 + if run.policy == "fifo" { 3_000.0 } else { run.seed as f64 }
    });
    assert!(headline(&comparison).title.starts_with("sts-fairness cuts mean JCT 1.15× against fifo"));
    let table = table(&comparison);
    assert!(matches!(cell(&table, "sts-fairness", "jct_mean_s").delta, Delta::Better { glyph: '▼', .. }));
    assert!(
        cell(&table, "sts-fairness", "jct_mean_s").best,
        "better seed by seed, though the intervals of the means overlap"
    );
}

#[test]
fn equal_runs_have_the_same_mean() {
    let comparison = with_jct(&[0], |_| 18_216.0);
    assert!(
        headline(&comparison).title.starts_with("sts-fairness and fifo have the same mean JCT, 5.1\u{a0}h")
    );
    assert_eq!(cell(&table(&comparison), "sts-fairness", "jct_mean_s").delta, Delta::Equal);
}

#[test]
fn unfinished_jobs_forbid_a_claim_on_all_jobs() {
    let leave = |run: &mut RunResult| {
        if run.policy == "fifo" {
            fixture::set(run, "unfinished", Some(82.0));
            fixture::set(run, "jct_mean_s", Some(10.0));
            run.stopped = Some("stopped at its horizon of 7 d".to_owned());
            run.tenants[3].completed -= 82;
        }
    };
    let comparison = compare(&PAIR, &[0], |run| {
        leave(run);
        let common = if run.policy == "fifo" { 12_000.0 } else { 10_000.0 };
        fixture::set(run, "jct_mean_common_s", Some(common));
    });
    let told = headline(&comparison);
    let start = "sts-fairness cuts mean JCT of the jobs that every run finished 1.20× against fifo";
    assert!(told.title.starts_with(start), "{}", told.title);
    assert!(told.title.ends_with("2 of 13 tenants wait longer, in this one run"), "{}", told.title);
    assert!(told.notes.contains(&"1 tenant is not compared: not all of its jobs finished.".to_owned()));
    assert!(
        told.notes.contains(&"Jobs left unfinished: fifo 82 (stopped at its horizon of 7 d).".to_owned())
    );
    let table = table(&comparison);
    assert!(matches!(cell(&table, "sts-fairness", "jct_mean_s").delta, Delta::Remark { .. }));
    assert!(matches!(cell(&table, "sts-fairness", "unfinished").delta, Delta::Better { glyph: '▼', .. }));

    let unknown = compare(&PAIR, &[0], |run| {
        leave(run);
        fixture::set(run, "jct_mean_common_s", None);
    });
    assert!(headline(&unknown).title.contains("cannot be compared by mean JCT"));
}

#[test]
fn what_is_not_whole_claims_nothing() {
    let comparison = compare(&PAIR, &[0], |_| {});
    let running = Headline::of(&comparison, Freshness::Running { done: 2, planned: 12 });
    assert_eq!(running.title, "2 of 12 runs are done");
    let ended = Headline::of(&comparison, Freshness::Incomplete { done: 2, planned: 12 });
    assert!(ended.title.contains("no comparison is claimed"));
}

#[test]
fn tenants_that_finish_later_without_waiting_longer_are_told() {
    let comparison = compare(&PAIR, &[0], |run| {
        let sts = run.policy == "sts-fairness";
        for (index, tenant) in run.tenants.iter_mut().enumerate() {
            tenant.wait_mean_s = Some(0.0);
            tenant.jct_mean_s = Some(if sts && index < 3 { 200.0 + index as f64 } else { 100.0 });
        }
    });
    let told = headline(&comparison);
    assert!(
        told.title.ends_with("; no tenant waits longer, 3 of 14 finish later, in this one run"),
        "{}",
        told.title
    );
    assert_eq!(told.notes[0], "Finish later: nlp, vision, speech.");
    let chart = figures::changes(&comparison, TenantFigure::Wait).unwrap();
    assert!(chart.rows.iter().all(|row| row.change == Some(0.0)));
}

#[test]
fn one_policy_is_described_and_not_compared() {
    let comparison = compare(&["fifo"], &[0], |run| fixture::set(run, "jct_mean_s", Some(18_216.0)));
    assert_eq!(headline(&comparison).title, "Mean JCT is 5.1\u{a0}h under fifo");
    assert!(table(&comparison).rows[0].cells.iter().all(|cell| !cell.best));
    let none = Comparison::new(Rc::default(), &fixture::scenario(&PAIR, &[0]), None);
    assert_eq!(headline(&none).title, "No results yet");
    assert!(KpiTable::of(&none, &BTreeSet::from(["jct_mean_s"])).rows.is_empty());
}

#[test]
fn the_default_columns_exist_and_hold_the_contract() {
    let keys: BTreeSet<&str> = metrics().iter().map(|spec| spec.key).collect();
    assert!(DEFAULT_COLUMNS.iter().all(|key| keys.contains(key)));
    let comparison = compare(&fixture::all(), &[0, 1, 2], |_| {});
    let table = KpiTable::of(&comparison, &DEFAULT_COLUMNS.into_iter().collect());
    assert_eq!((table.rows.len(), table.columns.len()), (6, DEFAULT_COLUMNS.len()));
    for key in [
        "jct_mean_s",
        "jct_p50_s",
        "jct_p95_s",
        "jct_p99_s",
        "jct_max_s",
        "wait_mean_s",
        "makespan_s",
        "utilization",
        "preemptions",
        "migrations",
        "ftf_rho_max",
        "floor_violations",
        "solver_gap_max",
        "completed",
        "unfinished",
    ] {
        assert!(table.columns.iter().any(|column| column.spec.key == key), "{key}");
    }
    for row in &table.rows {
        for (cell, column) in row.cells.iter().zip(&table.columns) {
            match cell.value {
                Some(value) => assert_eq!(cell.plain().parse::<f64>().unwrap().to_bits(), value.to_bits()),
                None => assert!(cell.plain().is_empty() && cell.text == "–", "{}", column.spec.key),
            }
        }
    }
}

#[test]
fn every_undefined_figure_says_why() {
    let comparison = compare(&fixture::all(), &[0], |run| run.metrics.values.clear());
    for row in &table(&comparison).rows {
        for cell in &row.cells {
            let Delta::Remark { long, .. } = &cell.delta else { panic!("{cell:?}") };
            assert!(cell.value.is_none() && long.ends_with('.'));
        }
    }
}

#[test]
fn a_value_that_is_no_number_is_undefined() {
    let comparison = compare(&PAIR, &[0, 1], |run| {
        fixture::set(run, "utilization", Some(f64::NAN));
        if run.seed == 1 {
            fixture::set(run, "makespan_s", None);
        }
    });
    let table = table(&comparison);
    assert_eq!(cell(&table, "fifo", "utilization").value, None);
    let Delta::Remark { long, .. } = &cell(&table, "fifo", "makespan_s").delta else { panic!() };
    assert_eq!(long, "Not defined in 1 of 2 seeds.");
}

#[test]
fn best_is_marked_only_where_no_interval_overlaps() {
    let separate = |run: &RunResult| if run.policy == "fifo" { 20_000.0 } else { 10_000.0 } + run.seed as f64;
    let three = table(&with_jct(&[0, 1, 2], separate));
    assert!(cell(&three, "sts-fairness", "jct_mean_s").best && !cell(&three, "fifo", "jct_mean_s").best);
    let one = table(&with_jct(&[0], separate));
    assert!(!cell(&one, "sts-fairness", "jct_mean_s").best, "a single seed proves nothing");
    let missing = compare(&PAIR, &[0, 1, 2], |_| {});
    let partial = Comparison::new(
        Rc::new(missing.all_runs().map(|(_, run)| run.clone()).filter(|run| run.seed < 2).collect()),
        &fixture::scenario(&PAIR, &[0, 1, 2]),
        None,
    );
    let table = table(&partial);
    assert!(table.rows.iter().flat_map(|row| &row.cells).all(|cell| !cell.best));
    assert!(table.rows.iter().all(|row| row.remark == "2 of 3 seeds"));
}

#[test]
fn differences_carry_sign_and_direction() {
    let comparison = compare(&PAIR, &[0], |run| {
        let sts = run.policy == "sts-fairness";
        fixture::set(run, "utilization", Some(if sts { 0.834 } else { 0.718 }));
        fixture::set(run, "preemptions", Some(if sts { 12.0 } else { 0.0 }));
        fixture::set(run, "makespan_s", Some(if sts { 90_000.0 } else { 100_000.0 }));
        fixture::set(run, "throughput_jobs_per_hour", Some(if sts { 5.0 } else { 10.0 }));
        fixture::set(run, "never_fit", Some(if sts { 4.0 } else { 5.0 }));
        fixture::set(run, "ftf_rho_max", Some(if sts { 33.0 } else { 1.0 }));
    });
    let table = table(&comparison);
    let delta = |key| cell(&table, "sts-fairness", key).delta.clone();
    assert_eq!(delta("utilization"), Delta::Better { glyph: '▲', text: "+11.6\u{a0}pt".to_owned() });
    assert_eq!(delta("preemptions"), Delta::Worse { glyph: '△', text: "+12".to_owned() });
    assert_eq!(delta("makespan_s"), Delta::Better { glyph: '▼', text: "−10.0\u{202f}%".to_owned() });
    assert_eq!(
        delta("throughput_jobs_per_hour"),
        Delta::Worse { glyph: '▽', text: "−50.0\u{202f}%".to_owned() }
    );
    assert_eq!(delta("never_fit"), Delta::Neutral { text: "−20.0\u{202f}%".to_owned() });
    assert_eq!(delta("ftf_rho_max"), Delta::Worse { glyph: '△', text: "33.0×".to_owned() });
    assert_eq!(cell(&table, "fifo", "utilization").delta, Delta::Baseline);
    let tiny = with_jct(&[0], |run| if run.policy == "fifo" { 10_000.0 } else { 10_000.1 });
    assert_eq!(cell(&self::table(&tiny), "sts-fairness", "jct_mean_s").delta, Delta::Equal);
    let almost = with_jct(&[0], |run| if run.policy == "fifo" { 10_000.0 } else { 0.1 });
    let almost_delta = cell(&self::table(&almost), "sts-fairness", "jct_mean_s").delta.clone();
    assert_eq!(almost_delta, Delta::Better { glyph: '▼', text: "−99.9\u{202f}%".to_owned() });
    let Delta::Remark { short, .. } = delta("solver_gap_max") else { panic!() };
    assert_eq!(short, "exact in 97.7\u{202f}%");
}

#[test]
fn sorting_puts_the_best_first_and_the_undefined_last() {
    let comparison = compare(&fixture::all(), &[0], |run| {
        if run.policy == "las" {
            fixture::set(run, "utilization", None);
        }
    });
    let mut table = table(&comparison);
    let labels = |table: &KpiTable| table.rows.iter().map(|row| row.label.clone()).collect::<Vec<_>>();
    table.sort("utilization", Order::BestFirst);
    assert_eq!(labels(&table).first().map(String::as_str), Some("sts-fairness"));
    assert_eq!(labels(&table).last().map(String::as_str), Some("las"));
    table.sort("utilization", Order::WorstFirst);
    assert_eq!(labels(&table).first().map(String::as_str), Some("fifo"));
    assert_eq!(labels(&table).last().map(String::as_str), Some("las"));
    table.sort("jct_mean_s", Order::WorstFirst);
    assert_eq!(labels(&table).first().map(String::as_str), Some("fifo"));
}

#[test]
fn the_reader_chooses_the_baseline() {
    let scenario = fixture::scenario(&fixture::all(), &[0]);
    let runs = fixture::runs(&fixture::all(), &[0]);
    let own = Comparison::new(runs.clone(), &scenario, None);
    assert_eq!(own.baseline().unwrap().label, "fifo");
    let chosen = Comparison::new(runs.clone(), &scenario, Some("sts-fairness"));
    assert_eq!(chosen.baseline().unwrap().label, "sts-fairness");
    assert_eq!(chosen.subject().unwrap().label, "srtf");
    let gone = Comparison::new(runs, &scenario, Some("not there"));
    assert_eq!(gone.baseline().unwrap().label, "fifo");
}

#[test]
fn a_baseline_that_has_not_run_is_not_replaced() {
    let scenario = fixture::scenario(&fixture::all(), &[0]);
    let some = fixture::runs(&["sts-fairness", "srtf"], &[0]);
    let comparison = Comparison::new(some, &scenario, None);
    assert!(comparison.baseline().is_none());
    assert_eq!(comparison.subject().unwrap().label, "sts-fairness");
    assert!(table(&comparison).rows.iter().flat_map(|row| &row.cells).all(|cell| !matches!(
        cell.delta,
        Delta::Better { .. } | Delta::Worse { .. } | Delta::Neutral { .. }
    )));
}

#[test]
fn the_key_figures_file_reads_back() {
    let comparison = compare(&fixture::all(), &[0, 1], |_| {});
    let text = export::key_figures_csv(&comparison).unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let heads = reader.headers().unwrap().clone();
    assert_eq!(heads.len(), 3 + metrics().len());
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 12);
    for ((_, run), record) in comparison.all_runs().zip(&rows) {
        assert_eq!((&record[0], &record[1]), (run.policy.as_str(), run.seed.to_string().as_str()));
        for (head, field) in heads.iter().zip(record).skip(3) {
            assert_eq!(field.parse().ok(), run.metrics.get(head), "{head}");
        }
    }
}

#[test]
fn the_summary_has_every_key_and_null_where_undefined() {
    let comparison = compare(&PAIR, &[0], |run| {
        run.metrics.values.remove("cost");
        fixture::set(run, "utilization", Some(f64::INFINITY));
    });
    let summary: serde_json::Value =
        serde_json::from_str(&export::summary_json(&comparison, "9f2c")).unwrap();
    assert_eq!(summary["scenario_hash"], "9f2c");
    assert_eq!(summary["engine_version"], env!("CARGO_PKG_VERSION"));
    let run = &summary["runs"][0];
    assert_eq!((run["policy"].as_str(), run["seed"].as_u64()), (Some("sts-fairness"), Some(0)));
    assert!(run["result_hash"].is_string() && run["sim_wall_s"].is_number());
    for spec in metrics() {
        assert!(run["metrics"].get(spec.key).is_some(), "{}", spec.key);
    }
    assert!(run["metrics"]["cost"].is_null() && run["metrics"]["utilization"].is_null());
    assert!(run["metrics"]["utilization_by_type"]["A100-80"].is_number());
}

#[test]
fn one_seed_is_drawn_with_its_own_percentiles() {
    let comparison = compare(&fixture::all(), &[0], |_| {});
    let chart =
        figures::distribution(&comparison, Distributed::CompletionTime, &BTreeSet::from(["las".to_owned()]));
    assert_eq!(chart.series.len(), 5);
    for row in comparison.rows().iter().filter(|row| row.label != "las") {
        let run = comparison.runs(row).next().unwrap();
        let series = chart.series.iter().find(|series| series.key.label == row.title).unwrap();
        assert_eq!(series.sorted().len() as u64, figures::finished_jobs(&comparison, row));
        for share in [0.5, 0.9, 0.95, 0.99, 1.0] {
            let kept = run.jct_cdf.iter().find(|point| point.share >= share - 1e-9).unwrap();
            assert_eq!(series.percentile(share), Some(kept.value), "{share}");
        }
    }
}

#[test]
fn seeds_are_pooled_into_one_distribution() {
    let point = |value, share| CdfPoint { value, share };
    let comparison = compare(&["fifo"], &[0, 1], |run| {
        fixture::set(run, "completed", Some(2.0));
        run.jct_cdf = match run.seed {
            0 => vec![point(10.0, 0.5), point(20.0, 1.0)],
            _ => vec![point(15.0, 0.5), point(40.0, 1.0)],
        };
    });
    let chart = figures::distribution(&comparison, Distributed::CompletionTime, &BTreeSet::new());
    assert_eq!(chart.series[0].sorted(), [10.0, 15.0, 20.0, 40.0]);
}

#[test]
fn a_distribution_without_jobs_is_empty() {
    let comparison = compare(&["fifo"], &[0], |run| {
        fixture::set(run, "completed", Some(0.0));
        run.jct_cdf.clear();
    });
    assert!(
        figures::distribution(&comparison, Distributed::CompletionTime, &BTreeSet::new()).series[0]
            .sorted()
            .is_empty()
    );
}

#[test]
fn mean_loads_keep_the_area_under_the_load() {
    // Three stretches of 1000 s, the last one cut by the makespan; shown in stretches of 1800 s.
    let point = |at_s, used, waiting| LoadPoint { at_s, used: Some(used), waiting, running: 0.0 };
    let comparison = compare(&["fifo"], &[0], |run| {
        run.load = vec![point(0.0, 1.0, 9.0), point(1000.0, 0.5, 0.0), point(2000.0, 0.25, 3.0)];
        fixture::set(run, "makespan_s", Some(2700.0));
    });
    assert_eq!(figures::stretch_s(&comparison, None).to_bits(), 1800.0_f64.to_bits());
    let chart = figures::load(&comparison, &BTreeSet::new(), None);
    let used = chart.panels[0].series[0].points();
    let area: f64 = used.iter().zip([1800.0, 900.0]).map(|(point, length)| point.1 * length).sum();
    assert!((area - (1000.0 + 500.0 + 0.25 * 700.0)).abs() < 1e-6, "{used:?}");
    assert!((used[0].0 - 900.0).abs() < 1e-9 && (used[1].0 - 2250.0).abs() < 1e-9);
    assert_eq!(chart.window_s, Some((0.0, 2700.0)));
}

#[test]
fn a_window_has_finer_means_down_to_those_of_the_run() {
    let comparison = compare(&["fifo"], &[0], |run| {
        let point = |i: u32| LoadPoint {
            at_s: f64::from(i) * 100.0,
            used: Some(0.5),
            waiting: f64::from(i),
            running: 0.0,
        };
        run.load = (0..1000).map(point).collect();
        fixture::set(run, "makespan_s", Some(100_000.0));
    });
    let of = |from, to| figures::stretch_s(&comparison, Some(TimeWindow { from, to }));
    assert_eq!(figures::stretch_s(&comparison, None).to_bits(), 1800.0_f64.to_bits());
    assert_eq!(of(0.0, 40_000.0).to_bits(), 300.0_f64.to_bits());
    assert_eq!(of(50_000.0, 51_000.0).to_bits(), 100.0_f64.to_bits(), "the run's own");
    let window = TimeWindow { from: 50_000.0, to: 51_000.0 };
    let chart = figures::load(&comparison, &BTreeSet::new(), Some(window));
    assert_eq!(chart.window_s, Some((50_000.0, 51_000.0)));
    let waiting = chart.panels[1].series[0].points();
    assert!(waiting.iter().any(|point| (point.0 - 50_050.0).abs() < 1e-6 && (point.1 - 500.0).abs() < 1e-6));
    // What is seen is what it is in the whole, and little else is computed.
    assert!(waiting.len() <= 13 && waiting[0].0 < 50_000.0 && waiting[waiting.len() - 1].0 > 51_000.0);
    assert!(waiting.iter().all(|point| (point.1 * 100.0 - (point.0 - 50.0)).abs() < 1e-6), "{waiting:?}");
}

#[test]
fn a_load_that_was_not_measured_is_no_line() {
    let comparison = compare(&["fifo"], &[0], |run| run.load.iter_mut().for_each(|point| point.used = None));
    let chart = figures::load(&comparison, &BTreeSet::new(), None);
    assert!(chart.panels[0].series[0].points().iter().all(|point| point.1.is_nan()));
    assert!(chart.panels[1].series[0].points().iter().all(|point| point.1.is_finite()));
}

#[test]
fn a_loss_of_a_tenant_is_a_positive_change() {
    let comparison = compare(&PAIR, &[0], |run| {
        let sts = run.policy == "sts-fairness";
        run.tenants[0].wait_mean_s = Some(if sts { 150.0 } else { 100.0 });
        run.tenants[1].wait_mean_s = Some(if sts { 60.0 } else { 0.0 });
        run.tenants[2].completed = if sts { run.tenants[2].jobs } else { 0 };
    });
    let chart = figures::changes(&comparison, TenantFigure::Wait).unwrap();
    let row = |index| chart.rows.iter().find(|row| row.index == index).unwrap();
    assert!((row(0).change.unwrap() - 0.5).abs() < 1e-9);
    assert_eq!((row(1).change, row(1).detail.as_str()), (None, "0 → 60\u{a0}s"));
    assert_eq!((row(2).change, row(2).detail.as_str()), (None, "unfinished jobs"));
    let alone = compare(&["fifo"], &[0], |_| {});
    assert!(figures::changes(&alone, TenantFigure::Jct).is_none());
}

#[test]
fn service_is_drawn_for_subject_and_baseline_and_has_gaps() {
    let comparison = compare(&fixture::all(), &[0, 1], |run| run.tenants[4].entitled_s = 0.0);
    let chart = figures::service(&comparison, &BTreeSet::new());
    assert_eq!(chart.multiples.len(), 14);
    for multiple in &chart.multiples {
        assert_eq!(multiple.series.len(), 2);
        assert_eq!(multiple.overall.is_none(), multiple.index == 4);
    }
    let away = chart.multiples.iter().find(|multiple| multiple.index == 4).unwrap();
    assert!(away.series[0].points()[25].1.is_nan() && away.series[0].points()[5].1.is_finite());
    assert!(chart.summary().contains("entitled"));
}

#[test]
fn policies_are_put_against_each_other_by_two_figures_with_their_intervals() {
    let comparison = compare(&["sts-fairness", "fifo", "srtf"], &[0, 1, 2], |run| {
        let (jct, rho) = match run.policy.as_str() {
            "fifo" => (9000.0, 9.0),
            "srtf" => (3000.0, 6.0),
            _ => (4000.0, 2.0),
        };
        fixture::set(run, "jct_mean_s", Some(jct + run.seed as f64));
        fixture::set(run, "ftf_rho_max", (run.policy != "fifo").then_some(rho));
    });
    let none = BTreeSet::new();
    let chart = figures::trade_off(&comparison, &none, "jct_mean_s", "ftf_rho_max").unwrap();
    let front: Vec<&str> = chart.front().iter().map(|point| point.key.label.as_str()).collect();
    assert_eq!(front, ["srtf", "sts-fairness"]);
    assert!(chart.points[0].x.unwrap().interval.is_some() && chart.points[1].y.is_none());
    assert!(figures::trade_off(&comparison, &none, "jct_mean_s", "no such").is_none());
    let boxes = figures::over_seeds(&comparison, &none, "jct_mean_s").unwrap();
    assert_eq!(boxes.rows[1].percentile(0.5), Some(9001.0));
    assert_eq!(
        figures::over_seeds(&comparison, &BTreeSet::from(["fifo".to_owned()]), "jct_mean_s")
            .unwrap()
            .rows
            .len(),
        2
    );
}

#[test]
fn a_report_holds_the_finding_the_figures_and_what_they_rest_on() {
    let comparison = compare(&["sts-fairness", "fifo"], &[0, 1], |_| {});
    let headline = headline(&comparison);
    let mut scenario = fixture::scenario(&["sts-fairness", "fifo"], &[0, 1]);
    scenario.name = "a<b|c``d".to_owned();
    let report = Report::of(Source {
        comparison: &comparison,
        headline: &headline,
        scenario: &scenario,
        scenario_hash: "5c3nar10",
        trace_hash: Some("7rac3"),
        assumptions: &["12 jobs are <large>".to_owned()],
        trace_name: "my|trace.csv",
        hidden: &BTreeSet::new(),
        date: "2026-12-03",
    });
    let (html, markdown) = (report.to_html(), report.to_markdown());
    for text in [&html, &markdown] {
        for part in ["Key figures", "Wait", "Bounded slowdown", "7rac3", "5c3nar10", "Left out of the model"]
        {
            assert!(text.contains(part), "{part}");
        }
    }
    assert!(html.contains(&headline.title.replace('<', "&lt;")) && html.contains("jobs are &lt;large&gt;"));
    assert!(
        !html.contains("<script") && !html.contains("href=") && !html.contains("src="),
        "it needs nothing else"
    );
    assert_eq!(html.matches("<svg").count(), html.matches("</svg>").count());
    assert!(markdown.contains("my\\|trace.csv") && markdown.contains("jobs are \\<large\\>"));
    let columns = |line: &str| line.replace("\\|", "").matches('|').count();
    let mut tables = markdown.lines().filter(|line| line.starts_with('|')).peekable();
    while let Some(line) = tables.next() {
        if let Some(next) = tables.peek().filter(|next| next.starts_with("|---")) {
            assert_eq!(columns(line), columns(next), "{line}");
        }
    }
    // The scenario in it is the one that was run.
    let json = scenario.to_json();
    assert!(markdown.split("## Scenario").nth(1).unwrap().contains(json.trim_end()));
    assert!(html.contains(&json.lines().nth(2).unwrap().replace('<', "&lt;").replace('"', "&quot;")));
}

#[test]
fn service_is_mapped_by_tenant_and_time_with_the_least_served_first() {
    let comparison = compare(&["sts-fairness", "fifo"], &[0], |run| {
        for (at, tenant) in run.tenants.iter_mut().enumerate() {
            tenant.stretch_s = 100.0;
            tenant.service_ratio = (0..48).map(|i| (i < 24).then_some(1.0 + at as f64)).collect();
            (tenant.service_s, tenant.entitled_s) = (1.0 + at as f64, 1.0);
        }
    });
    let map = figures::service_map(&comparison, &comparison.rows()[0]);
    let tenants = fixture::runs(&["fifo"], &[0])[0].tenants.len();
    assert_eq!((map.across.1.len(), map.down.1.len()), (24, tenants.min(figures::MAP_ROWS)));
    assert_eq!(map.cells.len(), 24 * map.down.1.len());
    // Two stretches a column; half of the time nobody was active.
    assert_eq!(map.cells[0], Some(1.0));
    assert_eq!(map.cells[11], Some(1.0));
    assert_eq!(map.cells[12], None);
    assert_eq!(map.cells[24], Some(2.0), "the next tenant");
}
