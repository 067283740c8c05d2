//! Metrics through the public doors: figures worked out by hand, the documentation, and statistics over seeds by the command line.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::process::Command;

use serde_json::Value;
use sts_sim::metrics::spec::{markdown, metrics};
use sts_sim::scenario::Scenario;
use sts_sim::scenario::run::{RunResult, prepare};
use sts_sim::trace::{ImportOptions, import_reader};

/// Runs `policy` on whole V100s with the jobs of a table.
fn run(gpus: u32, policy: &str, more: &str, jobs: &str) -> RunResult {
    let text = format!(
        r#"{{"cluster": {{"nodes": [{{"gpu": "V100-16", "count": 1, "gpus_per_node": {gpus}}}], "price_per_gpu_hour": {{"V100-16": 3.6}}}},
        "workload": {{"trace": {{"path": "jobs.csv"}}}}, "policies": [{{"name": "{policy}"}}], {more}}}"#
    );
    let scenario = Scenario::from_json(&text).unwrap();
    let table = format!("job,tenant,submit_s,gpus,duration_s\n{jobs}");
    let imported = import_reader("jobs.csv", table.as_bytes(), &ImportOptions::default()).unwrap();
    prepare(&scenario, &imported.workload).unwrap().run(0, 0, &mut ()).unwrap().result
}

fn close(run: &RunResult, key: &str, expected: f64) {
    let found = run.metrics.get(key).unwrap_or_else(|| panic!("{key} is undefined"));
    assert!((found - expected).abs() < 1e-9 * expected.abs().max(1.0), "{key}: {found}, not {expected}");
}

/// Worked example D1: one GPU, A(0, 100 s), B(1, 10 s), C(2, 1 s).
const D1: &str = "A,a,0,1,100\nB,b,1,1,10\nC,b,2,1,1\n";
const SECOND: &str = r#""round": {"length_s": 1}, "measure": {"ftf_n": 3}"#;

#[test]
fn the_micro_trace_under_fifo_has_its_figures() {
    let fifo = run(1, "fifo", SECOND, D1);
    // rho with N = 3: 1/3, 109/30, 109/3.
    close(&fifo, "ftf_rho_max", 109.0 / 3.0);
    close(&fifo, "ftf_rho_p95", 109.0 / 3.0);
    close(&fifo, "ftf_rho_mean", (1.0 / 3.0 + 109.0 / 30.0 + 109.0 / 3.0) / 3.0);
    close(&fifo, "ftf_unfair_share", 2.0 / 3.0);
    close(&fifo, "ftf_unfair_share_noisy", 2.0 / 3.0);
    close(&fifo, "jct_mean_s", 106.0);
    // Waits 0, 99 and 108.
    for (key, wait_s) in
        [("wait_p50_s", 99.0), ("wait_p95_s", 108.0), ("wait_p99_s", 108.0), ("wait_max_s", 108.0)]
    {
        close(&fifo, key, wait_s);
    }
    // Slowdowns 1, 109/10 and, bounded by 10 s, 109/10.
    for key in
        ["slowdown_bounded_p50", "slowdown_bounded_p95", "slowdown_bounded_p99", "slowdown_bounded_max"]
    {
        close(&fifo, key, 10.9);
    }
    // One waits in [1, 2), two in [2, 100), one in [100, 110), none in the last second.
    close(&fifo, "queue_mean", (1.0 + 2.0 * 98.0 + 10.0) / 111.0);
    close(&fifo, "queue_p95", 2.0);
    close(&fifo, "queue_max", 2.0);
    close(&fifo, "utilization", 1.0);
    close(&fifo, "slot_utilization", 1.0);
    close(&fifo, "fragmentation_stranded_mean", 0.0);
    close(&fifo, "gpu_hours", 111.0 / 3600.0);
    close(&fifo, "cost", 0.111);
    // From 0 to 100 s the service is a's; of it half is due to b from 1 s on. What is due is counted in stretches of a 120th of the run.
    let least = fifo.metrics.get("service_ratio_min").unwrap();
    assert!((least - 11.0 / (99.0 / 2.0 + 11.0)).abs() < 2e-4, "{least}");
    close(&fifo, "service_short_share", 0.5);
}

#[test]
fn the_micro_trace_under_srtf_keeps_rho_below_one() {
    let srtf = run(1, "srtf", SECOND, D1);
    close(&srtf, "ftf_rho_max", 37.0 / 100.0);
    close(&srtf, "ftf_rho_mean", (37.0 / 100.0 + 11.0 / 30.0 + 1.0 / 3.0) / 3.0);
    close(&srtf, "ftf_unfair_share", 0.0);
    close(&srtf, "preemptions", 2.0);
}

#[test]
fn a_window_cuts_what_is_measured_and_not_the_run() {
    let whole = run(1, "fifo", SECOND, D1);
    let cut =
        run(1, "fifo", r#""round": {"length_s": 1}, "measure": {"from_s": 1, "to_s": 50, "ftf_n": 3}"#, D1);
    assert_eq!(whole.result_hash, cut.result_hash);
    close(&cut, "completed", 2.0);
    close(&cut, "jct_mean_s", 109.0);
    close(&cut, "ftf_rho_max", 109.0 / 3.0);
    close(&cut, "utilization", 1.0);
    close(&cut, "gpu_hours", 49.0 / 3600.0);
    close(&cut, "effective_throughput", 1.0);
    close(&cut, "queue_mean", (1.0 + 2.0 * 48.0) / 49.0);
    close(&cut, "throughput_jobs_per_hour", 0.0);
    close(&cut, "makespan_s", 111.0);
    close(&cut, "service_ratio_min", 0.0);
    assert_eq!(cut.breakdown.by_tenant.len(), 1);
    assert_eq!(cut.account.floor_rounds, Some(49));
    // B and C are due a whole device's half in each of these rounds and are planned nothing.
    let all = whole.metrics.get("floor_violations").unwrap();
    assert!(cut.metrics.get("floor_violations").unwrap() < all);
}

#[test]
fn slots_that_are_out_of_service_are_nobodys_to_use() {
    // A device cut in four leaves after 25 s; one job of 100 s runs on the whole device.
    let scenario = |changes: &str| {
        let text = format!(
            r#"{{"cluster": {{"nodes": [
                {{"gpu": "V100-16", "count": 1, "gpus_per_node": 1}},
                {{"gpu": "V100-32", "count": 1, "gpus_per_node": 1, "layout": "uniform-4"}}], "changes": [{changes}]}},
            "workload": {{"trace": {{"path": "jobs.csv"}}}}, "policies": [{{"name": "fifo"}}], "round": {{"length_s": 1}}}}"#
        );
        let scenario = Scenario::from_json(&text).unwrap();
        let table = "job,tenant,submit_s,gpus,duration_s\nA,a,0,1,100\n";
        let imported = import_reader("jobs.csv", table.as_bytes(), &ImportOptions::default()).unwrap();
        prepare(&scenario, &imported.workload).unwrap().run(0, 0, &mut ()).unwrap().result
    };
    let always = scenario("");
    close(&always, "makespan_s", 100.0);
    close(&always, "slot_utilization", 100.0 / 500.0);
    close(&always, "utilization", 100.0 / 200.0);
    let left = scenario(r#"{"at_s": 25, "row": 1, "count": 0}"#);
    close(&left, "makespan_s", 100.0);
    close(&left, "slot_utilization", 100.0 / (100.0 + 25.0 * 4.0));
    close(&left, "utilization", 100.0 / 125.0);
    let back = scenario(r#"{"at_s": 25, "row": 1, "count": 0}, {"at_s": 75, "row": 1, "count": 1}"#);
    close(&back, "slot_utilization", 100.0 / (100.0 + 50.0 * 4.0));
}

#[test]
fn in_the_fluid_mode_shares_of_time_count() {
    // FIFO in the fluid mode does 111 s of work in 111 s, on no device in particular.
    let fluid = run(1, "fifo", r#""round": {"length_s": 1, "mode": "fluid"}"#, D1);
    close(&fluid, "gpu_hours", 111.0 / 3600.0);
    close(&fluid, "utilization", 1.0);
    close(&fluid, "effective_throughput", 1.0);
    assert_eq!(fluid.metrics.get("floor_violations"), None);
    assert_eq!(fluid.metrics.get("fragmentation_mean"), None);
    assert_eq!(fluid.metrics.get("envy_share"), None);
}

#[test]
fn every_group_has_its_own_jobs() {
    let fifo = run(1, "fifo", SECOND, D1);
    let [a, b] = &fifo.breakdown.by_tenant[..] else { panic!("two tenants") };
    assert_eq!((a.tenant.as_str(), a.figures.jobs, a.figures.jct_mean_s), ("a", 1, Some(100.0)));
    assert_eq!(
        (b.figures.completed, b.figures.jct_p50_s, b.figures.wait_mean_s),
        (2, Some(109.0), Some(103.5))
    );
    let service_s = [a, b].map(|tenant| tenant.figures.service_s.unwrap());
    assert!((service_s[0] - 100.0).abs() < 1e-9 && (service_s[1] - 11.0).abs() < 1e-9);
    assert!((b.figures.gpu_hours.unwrap() - 11.0 / 3600.0).abs() < 1e-12);
    assert!((b.figures.cost.unwrap() - 0.011).abs() < 1e-12);
    let [of_type] = &fifo.breakdown.by_type[..] else { panic!("one type") };
    assert_eq!((of_type.figures.jobs, of_type.devices), (3, 1));
    assert_eq!(of_type.utilization, fifo.metrics.get("utilization"));
    let jobs: u64 = fifo.breakdown.by_class.iter().map(|class| class.figures.jobs).sum();
    assert_eq!(jobs, 3);
}

#[test]
fn who_waits_envies_and_lacks_its_share() {
    // One device, two tenants, a job of 100 s each, rounds of 60 s. In rounds 0 and 1 a has the device; b has nothing, is due half of it
    // and would have all of it in a's place. In rounds 2 and 3 b is alone.
    let fifo = run(1, "fifo", r#""round": {"length_s": 60}"#, "A,a,0,1,100\nB,b,0,1,100\n");
    let fairness = fifo.fairness.as_ref().unwrap();
    assert_eq!((fairness.rounds, fairness.sharing_incentive.checked, fairness.envy.checked), (4, 6, 4));
    close(&fifo, "sharing_incentive_violated_share", 2.0 / 6.0);
    close(&fifo, "sharing_incentive_missing_max", 0.5);
    close(&fifo, "envy_share", 0.5);
    close(&fifo, "envy_max", 1.0);
    close(&fifo, "pareto_violated_share", 0.0);
    close(&fifo, "pareto_gap_max", 0.0);
    let worst = fairness.envy.worst.as_ref().unwrap();
    assert_eq!((worst.round, worst.tenant.as_deref(), worst.other.as_deref()), (0, Some("b"), Some("a")));
    assert_eq!((worst.has, worst.could_have), (0.0, 1.0));
    assert_eq!(fairness.pareto.bounded, 0);
}

#[test]
fn envy_is_scaled_by_weights() {
    // Three devices; a holds two of them and b one. At equal weights b envies a by one device; at weights 2 : 1 two devices are worth one
    // to b, and it envies nobody.
    let jobs = "A,a,0,1,100\nB,a,0,1,100\nC,b,0,1,100\nD,b,0,1,100\n";
    let of = |weights: &str| {
        run(3, "fifo", &format!(r#""round": {{"length_s": 100}}, "tenants": {{"weights": {weights}}}"#), jobs)
    };
    close(&of(r#"{"a": 1}"#), "envy_max", 1.0);
    close(&of(r#"{"a": 2}"#), "envy_max", 0.0);
}

#[test]
fn a_device_left_idle_before_a_waiting_job_is_not_pareto_efficient() {
    // Two devices: A holds one, B needs both, and FIFO lets C wait behind B although a device is free: 1 instead of 2.
    let jobs = "A,a,0,1,100\nB,b,0,2,100\nC,c,0,1,100\n";
    let fifo = run(2, "fifo", r#""round": {"length_s": 100}"#, jobs);
    close(&fifo, "pareto_gap_max", 0.5);
    let worst = fifo.fairness.unwrap().pareto.worst.unwrap();
    assert_eq!((worst.round, worst.has, worst.could_have), (0, 1.0, 2.0));
    let backfill = run(2, "fifo-backfill", r#""round": {"length_s": 100}"#, jobs);
    close(&backfill, "pareto_gap_max", 0.0);
}

#[test]
fn the_documentation_has_every_metric() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/metrics.md");
    let text = fs::read_to_string(path).unwrap();
    let (before, rest) = text.split_once("<!-- metrics -->\n").unwrap();
    let (table, after) = rest.split_once("<!-- end -->").unwrap();
    if std::env::var_os("STS_WRITE_DOCS").is_some() {
        fs::write(path, format!("{before}<!-- metrics -->\n{}<!-- end -->{after}", markdown())).unwrap();
        return;
    }
    for spec in metrics() {
        assert!(table.contains(&format!("| `{}` |", spec.key)), "docs/metrics.md lacks {}", spec.key);
    }
    assert_eq!(table, markdown(), "docs/metrics.md is not the list of metrics; STS_WRITE_DOCS=1 writes it");
}

fn field<'a>(value: &'a Value, path: &[&str]) -> &'a Value {
    path.iter().fold(value, |value, key| value.get(key).unwrap_or_else(|| panic!("{key} is missing")))
}

#[test]
fn five_seeds_have_statistics() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = folder.path().join("scenario.json");
    let text = r#"{"cluster": {"nodes": [{"gpu": "V100-16", "count": 2, "gpus_per_node": 4, "layout": "uniform-4"}],
        "price_per_gpu_hour": {"V100-16": 2}},
        "workload": {"synthetic": {"jobs": 60, "tenants": 3, "arrivals": {"kind": "poisson", "rate_per_hour": 60}, "seed": 3}},
        "policies": [{"name": "fifo"}, {"name": "fifo", "label": "twin"}, {"name": "srtf"}], "seeds": [0, 1, 2, 3, 4]}"#;
    fs::write(&scenario, text).unwrap();
    let out = folder.path().join("out");
    let sts = |args: &[&str]| Command::new(env!("CARGO_BIN_EXE_sts")).args(args).output().unwrap();
    let done = sts(&["run", scenario.to_str().unwrap(), "--out", out.to_str().unwrap(), "--quiet"]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let summary: Value = serde_json::from_slice(&fs::read(out.join("summary.json")).unwrap()).unwrap();

    let of_srtf = field(&summary, &["statistics", "srtf", "jct_mean_s"]);
    assert_eq!(field(of_srtf, &["n"]), 5);
    let runs = summary["runs"].as_array().unwrap();
    let values: Vec<f64> = runs
        .iter()
        .filter(|run| run["policy"] == "srtf")
        .map(|run| run["metrics"]["jct_mean_s"].as_f64().unwrap())
        .collect();
    let mean = values.iter().sum::<f64>() / 5.0;
    let sd = (values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / 4.0).sqrt();
    assert!((of_srtf["mean"].as_f64().unwrap() - mean).abs() < 1e-6);
    assert!((of_srtf["ci_t"][1].as_f64().unwrap() - (mean + 2.776_445 * sd / 5f64.sqrt())).abs() < 1e-3);
    assert_eq!(of_srtf["resamples"], 10_000);

    let pairs = summary["statistics"]["pairs"].as_array().unwrap();
    let pair = |policy: &str, metric: &str| {
        pairs.iter().find(|pair| pair["policy"] == policy && pair["metric"] == metric).unwrap()
    };
    assert_eq!(pair("srtf", "jct_mean_s")["verdict"], "better");
    assert_eq!(pair("srtf", "jct_mean_s")["p_wilcoxon"], 0.0625);
    let twin = pair("twin", "jct_mean_s");
    assert_eq!(
        (&twin["mean"], &twin["verdict"], &twin["p_t"]),
        (&0.0.into(), &"no-difference".into(), &1.0.into())
    );
    assert!(pairs.iter().all(|pair| pair["baseline"] == "fifo"));
    assert_eq!(pairs.iter().filter(|pair| pair["over"] == "jobs").count(), 10);
    let over_jobs = pair("srtf", "jct_s");
    let by_mean =
        runs.iter().find(|run| run["policy"] == "fifo").unwrap()["metrics"]["jct_mean_s"].as_f64().unwrap();
    assert!(
        (over_jobs["mean"].as_f64().unwrap() - (values[0] - by_mean)).abs() < 1e-6,
        "the same jobs, the same mean"
    );

    for run in runs {
        let sum = |table: &str, key: &str| {
            run[table].as_array().unwrap().iter().map(|row| row[key].as_f64().unwrap()).sum::<f64>()
        };
        for table in ["by_tenant", "by_type", "by_class"] {
            assert!((sum(table, "jobs") - 60.0).abs() < 1e-9, "{table}");
            for key in ["gpu_hours", "cost"] {
                let all = run["metrics"][key].as_f64().unwrap();
                assert!((sum(table, key) - all).abs() < 1e-6 * all, "{table} {key}");
            }
        }
    }
    let lines = |name: &str| fs::read_to_string(out.join(name)).unwrap().lines().count();
    assert_eq!((lines("tenants-srtf-4.csv"), lines("types-twin-0.csv")), (4, 2));
    assert!(lines("classes-fifo-2.csv") > 2);
    let statistics = fs::read_to_string(out.join("statistics.csv")).unwrap();
    assert!(
        statistics.lines().any(|line| line.starts_with("srtf,jct_mean_s,5,") && line.ends_with(",better"))
    );
    let one = text.replace("[0, 1, 2, 3, 4]", "[7]");
    fs::write(&scenario, one).unwrap();
    assert!(
        sts(&["run", scenario.to_str().unwrap(), "--out", out.to_str().unwrap(), "--quiet"]).status.success()
    );
    let summary: Value = serde_json::from_slice(&fs::read(out.join("summary.json")).unwrap()).unwrap();
    let pairs = summary["statistics"]["pairs"].as_array().unwrap();
    assert!(
        pairs
            .iter()
            .filter(|pair| pair["over"] == "seeds")
            .all(|pair| pair["verdict"] == "one-seed" || pair["verdict"].is_null())
    );
}
