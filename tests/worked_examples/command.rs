//! A few examples through `sts solve`.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::instances::close;

fn sts(args: &[&str], stdin: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_sts"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The command may refuse before it has read everything.
    let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    child.wait_with_output().unwrap()
}

fn answer(args: &[&str], instance: &Value) -> Value {
    let args = [&["solve", "-", "--json"], args].concat();
    let output = sts(&args, &instance.to_string());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn g1() -> Value {
    let tenant = |name: &str, v100: f64, k80: f64| json!({"name": name, "weight": 1, "rates": {"V100": v100, "K80": k80}, "max_total_share": 1.0});
    json!({
        "types": [{"name": "V100", "devices": 1, "slots_per_device": 1, "layout": "uniform"},
                  {"name": "K80", "devices": 1, "slots_per_device": 1, "layout": "uniform"}],
        "tenants": [tenant("job0", 40.0, 10.0), tenant("job1", 12.0, 4.0), tenant("job2", 100.0, 50.0)]
    })
}

#[test]
fn g1_with_every_key() {
    let fair = answer(&["--policy", "gavel-max-min"], &g1());
    assert_eq!(fair["status"], "optimal");
    assert_eq!(fair["measure"], "least-ratio");
    close(fair["objective"].as_f64().unwrap(), 12.0 / 11.0);
    assert!(fair["gap"].as_f64().unwrap() < 1e-6 && fair["packing_gap"].is_null());
    close(fair["tenants"][2]["rate"].as_f64().unwrap(), 600.0 / 11.0);
    for row in fair["allocation"].as_array().unwrap() {
        assert!(row["share"].is_number() && row["slots"].is_null() && row["job"].is_null(), "{row}");
        for key in ["tenant", "type", "rate"] {
            assert!(row.get(key).is_some(), "{key}");
        }
    }
    let violation = &fair["properties"]["violations"][0];
    assert_eq!(
        (&violation["property"], &violation["tenant"], &violation["other"]),
        (&json!("envy_free"), &json!("job0"), &json!("job1"))
    );
    let nash = answer(&["--policy", "nash"], &g1());
    close(nash["objective"].as_f64().unwrap(), 6000.0);
    let normalised = answer(&["--policy", "equal-throughput", "--param", "normalise=fastest"], &g1());
    assert!(normalised["objective"].as_f64().unwrap() < 3.0 / 2.0 + 1e-6);
}

#[test]
fn p3_the_search_prints_the_report_that_pays() {
    let tenant = |name: &str, a: f64, b: f64| json!({"name": name, "rates": {"a": a, "b": b}});
    let instance = json!({
        "types": [{"name": "a", "devices": 1, "slots_per_device": 1, "layout": "uniform"},
                  {"name": "b", "devices": 1, "slots_per_device": 1, "layout": "uniform"}],
        "tenants": [tenant("p1", 2.0, 1.0), tenant("p2", 1.0, 1.0), tenant("p3", 1.0, 1.0)]
    });
    let args = ["--policy", "max-sum-si", "--param", "normalise=sum", "--misreport", "0"];
    let found = answer(&args, &instance);
    assert_eq!(found["properties"]["strategy_proof"], false);
    assert!(found["misreports"]["tenants"][2]["gain"].as_f64().unwrap() > 0.25 - 1e-6, "{found}");
    let words = sts(&[&["solve", "-"], &args[..]].concat(), &instance.to_string());
    let words = String::from_utf8(words.stdout).unwrap();
    assert!(words.contains("p3 gains: ") && words.contains(" by reporting its rates on "), "{words}");
    let equal = answer(&["--policy", "equal-split", "--misreport"], &instance);
    assert_eq!(equal["properties"]["strategy_proof"], Value::Null);
    assert_eq!(equal["misreports"]["best_gain"], 0.0);
}

#[test]
fn i3_and_refusals() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/instances/i3.json");
    let instance: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let both = answer(&["--policy", "max-sum-si-ef"], &instance);
    assert_eq!(both["status"], "infeasible");
    assert!(both["proof"].as_str().unwrap().contains("no allocation satisfies both"));
    let counted = sts(&["solve", path, "--policy", "brute-force", "--param", "of=max-sum-ef"], "");
    let words = String::from_utf8(counted.stdout).unwrap();
    assert!(words.contains("allocations: 36 fit, 4 meet the constraints, 1 are optimal"), "{words}");
    for (policy, expected) in [
        ("brute-force", "brute-force cannot decide this instance"),
        ("fifo", "give the tenants jobs"),
        ("fairest", "is not a policy of solve"),
    ] {
        let refused = sts(&["solve", "-", "--policy", policy], &g1().to_string());
        assert_eq!(refused.status.code(), Some(1), "{policy}");
        let words = String::from_utf8(refused.stderr).unwrap();
        assert!(words.contains(expected) && !words.contains("panicked"), "{words}");
    }
}

#[test]
fn in_words() {
    let output = sts(&["solve", "-", "--policy", "gavel-max-min"], &g1().to_string());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let cells = |start: &str| -> Vec<&str> {
        let line = text.lines().rfind(|line| line.trim_start().starts_with(start)).unwrap();
        line.split_whitespace().collect()
    };
    assert!(text.starts_with("optimal: objective 1.090909, bound 1.090909, gap 0\n"), "{text}");
    let job2 = cells("job2");
    assert!((job2[1].parse::<f64>().unwrap() - 600.0 / 11.0).abs() < 1e-5, "{text}");
    // No floor, equal split, ratio to it, nothing taken, quota.
    assert_eq!(job2[2..], ["–", "50", "1.090909", "–", "0.333333", "K80,", "0.333333", "V100"], "{text}");
    assert!(text.contains("sharing incentive: yes\nenvy-free: no\n  job0: "), "{text}");
    assert!(text.ends_with("Pareto-efficient: yes\nstrategy-proof: not decided\n"), "{text}");
}
