//! The command line through its door: exit status, messages, files.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

fn sts(args: &[&str], stdin: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_sts"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The command may refuse before it has read everything.
    let _ = child.stdin.take().unwrap().write_all(stdin);
    child.wait_with_output().unwrap()
}

fn stderr(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!text.contains("panicked"), "{text}");
    text
}

fn scenario() -> Value {
    json!({
        "version": 1,
        "name": "small",
        "cluster": {"nodes": [
            {"gpu": "A100-80", "count": 1, "gpus_per_node": 4, "layout": "mig"},
            {"gpu": "V100-16", "count": 1, "gpus_per_node": 4, "layout": "uniform-4"}
        ]},
        "workload": {"trace": {"path": "jobs.csv"}, "profiles": {"rule": "seeded-mix", "reference_gpu": "V100-16"}},
        "policies": [{"name": "fifo"}, {"name": "srtf"}, {"name": "recorded"}, {"name": "sts-fairness", "label": "STS"}],
        "seeds": [0]
    })
}

const JOBS: &str = "job,tenant,submit_s,gpus,duration_s,start_s,end_s\n\
    a,x,0,1,1000,0,1000\nb,y,10,1,2000,10,2010\nc,x,20,0.25,500,20,520\nd,y,30,2,800,30,830\ne,x,40,1,300,40,340\n";

fn write_scenario(folder: &Path, scenario: &Value) -> String {
    fs::write(folder.join("jobs.csv"), JOBS).unwrap();
    let path = folder.join("scenario.json");
    fs::write(&path, scenario.to_string()).unwrap();
    path.display().to_string()
}

#[test]
fn a_reader_that_stops_early_is_no_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_sts"))
        .args(["generate", "--jobs", "20000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(stderr(&output), "");
    assert!(output.status.success());
}

#[test]
fn run_writes_summary_jobs_and_rounds_and_is_deterministic() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_scenario(folder.path(), &scenario());
    let out = folder.path().join("out");
    let mut hashes = Vec::new();
    for _ in 0..2 {
        let output = sts(&["run", &path, "--out", out.to_str().unwrap(), "--quiet"], b"");
        assert!(output.status.success(), "{}", stderr(&output));
        let summary: Value =
            serde_json::from_str(&fs::read_to_string(out.join("summary.json")).unwrap()).unwrap();
        hashes.push(
            summary["runs"].as_array().unwrap().iter().map(|r| r["result_hash"].clone()).collect::<Vec<_>>(),
        );
        for run in summary["runs"].as_array().unwrap() {
            let metrics = &run["metrics"];
            assert_eq!(metrics["completed"], json!(5.0), "{run}");
            assert!(metrics["jct_p50_s"].as_f64() <= metrics["jct_p95_s"].as_f64());
            let is_simulated = run["policy"] != "recorded";
            assert_eq!(metrics["floor_violations"].is_number(), is_simulated, "{run}");
            assert_eq!(metrics["floor_shortfall"].is_number(), is_simulated, "{run}");
            assert_eq!(metrics["solver_s_p95"].is_number(), run["policy"] == "STS", "{run}");
            let account = &run["account"];
            assert_eq!(account["floor_rounds"], account["floor_rounds_measured"], "{run}");
            assert_eq!(account["packing_gap_s"].is_number(), is_simulated, "{run}");
            assert_eq!(account["packing_loss_slots"].is_number(), run["policy"] == "STS", "{run}");
            for spec in sts_sim::metrics::metrics() {
                assert!(metrics.get(spec.key).is_some(), "{} is missing", spec.key);
            }
        }
    }
    assert_eq!(hashes[0], hashes[1]);
    let jobs = fs::read_to_string(out.join("jobs-STS-0.csv")).unwrap();
    assert!(jobs.starts_with(
        "job,tenant,submit_s,gpus,first_start_s,finish_s,jct_s,wait_s,slowdown,preemptions,migrations,outcome,gpu_types\n"
    ));
    assert_eq!(jobs.lines().count(), 6);
    let rounds = fs::read_to_string(out.join("rounds-STS-0.csv")).unwrap();
    assert!(
        rounds
            .starts_with("round,start_s,tenant,gpu_type,quota_slots,used_slots,floor,value,loan_slots,gap\n")
    );
    assert!(rounds.lines().count() > 1);
}

#[test]
fn run_prints_the_key_figures() {
    let folder = tempfile::tempdir().unwrap();
    let mut scenario = scenario();
    scenario["seeds"] = json!([0, 1]);
    let path = write_scenario(folder.path(), &scenario);
    let out = folder.path().join("out");
    let output = sts(&["run", &path, "--out", out.to_str().unwrap()], b"");
    assert!(output.status.success(), "{}", stderr(&output));
    let summary: Value =
        serde_json::from_str(&fs::read_to_string(out.join("summary.json")).unwrap()).unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].contains("Mean JCT, min") && lines[0].ends_with("Mean JCT against fifo"), "{text}");
    for (line, policy) in lines[1..].iter().zip(["fifo", "srtf", "recorded", "STS"]) {
        let cells: Vec<&str> = line.split("  ").filter(|cell| !cell.is_empty()).map(str::trim).collect();
        let mean_s = summary["statistics"][policy]["jct_mean_s"]["mean"].as_f64().unwrap();
        assert_eq!(cells[0], policy, "{text}");
        let shown_min: f64 = cells[1].split(" ± ").next().unwrap().parse().unwrap();
        assert!((shown_min - mean_s / 60.0).abs() <= 0.05, "{text}");
        assert_eq!(cells.last() == Some(&"baseline"), policy == "fifo", "{text}");
    }
    assert_eq!(lines.len(), 5);
}

#[test]
fn a_faulty_scenario_is_refused_with_its_json_path() {
    let folder = tempfile::tempdir().unwrap();
    let cases: [(&str, Value, &[&str]); 8] = [
        ("/round", json!({"length": 360}), &["round.length", "unknown key"]),
        ("/round", json!({"length_s": -1}), &["round.length_s", "-1"]),
        ("/cluster/nodes/0/gpu", json!("V1000"), &["cluster.nodes[0].gpu", "V1000", "A100-80"]),
        ("/cluster/nodes/1/layout", json!("mig"), &["cluster.nodes[1].layout", "no MIG"]),
        ("/cluster/nodes/0/count", json!("many"), &["cluster.nodes[0].count", "many"]),
        ("/policies/0/name", json!("fifos"), &["policies[0].name", "fifos", "fifo-backfill"]),
        ("/policies/1/label", json!("fifo"), &["policies[1].label"]),
        ("/seeds", json!([]), &["seeds"]),
    ];
    for (pointer, value, expected) in cases {
        let mut faulty = scenario();
        match faulty.pointer_mut(pointer) {
            Some(place) => *place = value,
            None => {
                let (parent, key) = pointer.rsplit_once('/').unwrap();
                faulty.pointer_mut(parent).unwrap()[key] = value;
            }
        }
        let path = write_scenario(folder.path(), &faulty);
        let output = sts(&["run", &path, "--out", folder.path().join("out").to_str().unwrap()], b"");
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{pointer}: {text}");
        for part in expected {
            assert!(text.contains(part), "{pointer}: {part:?} is not in {text}");
        }
    }
}

#[test]
fn what_is_not_a_scenario_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    for text in ["", "{", "[]", "null", "{\"version\": 1}", "\u{feff}{}", "{\"version\": 1e300}"] {
        let output = sts(&["run", "-", "--out", out.to_str().unwrap()], text.as_bytes());
        assert_eq!(output.status.code(), Some(1), "{text}: {}", stderr(&output));
    }
    let output = sts(&["run", "-", "--out", out.to_str().unwrap()], b"\xff\xfe\x00");
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let output = sts(&["run", "/nowhere/scenario.json", "--out", out.to_str().unwrap()], b"");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("/nowhere/scenario.json"));
}

#[test]
fn a_job_larger_than_the_cluster_is_listed_and_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_scenario(folder.path(), &scenario());
    fs::write(folder.path().join("jobs.csv"), format!("{JOBS}huge,x,50,512,100,50,150\n")).unwrap();
    let out = folder.path().join("out");
    let output = sts(&["run", &path, "--out", out.to_str().unwrap()], b"");
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stderr(&output).contains("1 jobs that ask for more than the cluster can ever give"));
    let jobs = fs::read_to_string(out.join("jobs-fifo-0.csv")).unwrap();
    assert!(jobs.lines().any(|line| line.starts_with("huge,") && line.contains("never-fit")), "{jobs}");
}

#[test]
fn wrong_usage_exits_with_two() {
    for args in [&["frobnicate"][..], &["run"], &["import"], &["solve", "x.json"]] {
        assert_eq!(sts(args, b"").status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn import_reports_and_sets_its_exit_status() {
    let report = |args: &[&str], text: &str| {
        let output = sts(args, text.as_bytes());
        (output.status.code(), serde_json::from_slice::<Value>(&output.stdout).ok(), stderr(&output))
    };
    let (code, report_json, _) = report(&["import", "-", "--json"], JOBS);
    let report_json = report_json.unwrap();
    assert_eq!(code, Some(0));
    assert_eq!(report_json["format"], "sts-csv");
    assert_eq!(report_json["jobs"], 5);
    assert_eq!(report_json["gpus_requested_sum"], 5.25);
    let bad = format!("{JOBS}f,x,nan,1,10,,\n");
    let (code, report_json, _) = report(&["import", "-", "--json"], &bad);
    let report_json = report_json.unwrap();
    assert_eq!((code, report_json["rejected_count"].as_u64()), (Some(0), Some(1)));
    let row = &report_json["rejected"][0];
    assert_eq!((row["line"].as_u64(), row["column"].as_str()), (Some(7), Some("submit_s")));
    let (code, _, text) = report(&["import", "-", "--json", "--strict"], &bad);
    assert_eq!(code, Some(1), "{text}");
    let (code, _, text) =
        report(&["import", "-"], "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 5\n");
    assert_eq!(code, Some(1));
    assert!(text.contains("LFS"), "{text}");
}

#[test]
fn a_list_of_machines_is_told_and_becomes_a_cluster_that_runs() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (machines, jobs, cluster) = (path("machines.csv"), path("jobs.csv"), path("cluster.json"));
    let list =
        "sn,cpu_milli,memory_mib,gpu,model\na,1,1,8,V100M16\nb,1,1,8,G2\nc,1,1,8,V100M16\nd,1,1,2,P100\n";
    std::fs::write(&machines, list).unwrap();
    std::fs::write(&jobs, JOBS).unwrap();
    let report = |args: &[&str]| {
        let output = sts(&[&["import"][..], args].concat(), b"");
        (output.status.code(), String::from_utf8(output.stdout.clone()).unwrap(), stderr(&output))
    };
    // Alone: what it is, and no error.
    let (code, text, told) = report(&[&machines, "--cluster", &cluster]);
    assert_eq!(code, Some(0), "{told}");
    assert!(text.contains("4 nodes with 26 GPUs"), "{text}");
    assert!(told.contains("G2") && told.contains("V100-16 stands for it"), "{told}");
    let written: Value = serde_json::from_slice(&std::fs::read(&cluster).unwrap()).unwrap();
    let row = |gpu: &str, count, gpus_per_node: u32| (json!(gpu), json!(count), json!(gpus_per_node));
    let rows = written["nodes"].as_array().unwrap().iter();
    let rows: Vec<_> =
        rows.map(|r| (r["gpu"].clone(), r["count"].clone(), r["gpus_per_node"].clone())).collect();
    assert_eq!(rows, [row("V100-16", 3, 8), row("P100", 1, 2)]);
    // A scenario takes it as it is.
    let mut scenario = scenario();
    scenario["cluster"] = written;
    let scenario = write_scenario(folder.path(), &scenario);
    let output = sts(&["run", &scenario, "--out", &path("out"), "--quiet"], b"");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    // With jobs: both are told, and the same cluster is written.
    let before = std::fs::read(&cluster).unwrap();
    let (code, text, told) = report(&[&machines, &jobs, "--cluster", &cluster]);
    assert_eq!(code, Some(0), "{told}");
    assert!(text.contains("sts-csv") && text.contains("4 nodes with 26 GPUs"), "{text}");
    assert_eq!(std::fs::read(&cluster).unwrap(), before);
    // Without one there is nothing to write, nor are machines a workload.
    let (code, _, told) = report(&[&jobs, "--cluster", &path("none.json")]);
    assert_eq!(code, Some(1));
    assert!(told.contains("found 0 lists of machines"), "{told}");
    assert_eq!(report(&[&machines, "--out", &path("none.csv")]).0, Some(1));
    assert!(!folder.path().join("none.json").exists() && !folder.path().join("none.csv").exists());
}

#[test]
fn policies_and_formats_are_listed_with_everything_about_them() {
    let output = sts(&["policies", "--json"], b"");
    let list: Value = serde_json::from_slice(&output.stdout).unwrap();
    let names: Vec<&str> = list.as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap()).collect();
    for name in ["recorded", "fifo", "fifo-backfill", "srtf", "las", "round-robin", "sts-fairness"] {
        assert!(names.contains(&name), "{name}");
    }
    for policy in list.as_array().unwrap() {
        for param in policy["params"].as_array().unwrap() {
            for key in ["name", "unit", "default", "range", "help"] {
                assert!(param.get(key).is_some(), "{policy}: {key}");
            }
        }
    }
    let output = sts(&["formats", "--json"], b"");
    let list: Value = serde_json::from_slice(&output.stdout).unwrap();
    let names: Vec<&str> = list.as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap()).collect();
    for name in ["philly-json", "helios-csv", "elasticflow", "sacct", "sts-csv", "sts-json"] {
        assert!(names.contains(&name), "{name}");
    }
}

#[test]
fn a_policy_that_cannot_serve_the_scenario_is_named_before_any_run() {
    let folder = tempfile::tempdir().unwrap();
    let mut scenario = scenario();
    scenario["cluster"]["nodes"] =
        json!([{"gpu": "V100-16", "count": 1, "gpus_per_node": 4, "layout": "whole"}]);
    scenario["policies"] = json!([{"name": "fifo"}, {"name": "miso"}]);
    let path = write_scenario(folder.path(), &scenario);
    let out = folder.path().join("out");
    let output = sts(&["run", &path, "--out", out.to_str().unwrap(), "--quiet"], b"");
    assert_eq!(output.status.code(), Some(1));
    let message = stderr(&output);
    assert!(message.contains("policies[1].name") && message.contains("mig"), "{message}");
    assert!(!out.join("summary.json").exists());
}

#[test]
fn import_writes_the_normalised_workload_in_either_format() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::write(path("jobs.csv"), JOBS).unwrap();
    for (from, to) in [("jobs.csv", "out.csv"), ("out.csv", "out.json"), ("out.json", "again.csv")] {
        let output = sts(&["import", &path(from), "--out", &path(to)], b"");
        assert!(output.status.success(), "{}", stderr(&output));
    }
    let text = |name: &str| fs::read_to_string(path(name)).unwrap();
    assert!(text("out.csv").starts_with("job,tenant,user,submit_s,"), "{}", text("out.csv"));
    assert!(text("out.json").contains("\"sts-json\""));
    assert_eq!(text("again.csv"), text("out.csv"));
}

#[test]
fn repairs_are_asked_for_by_key_and_told() {
    let jobs = b"submit_s,gpus,duration_s\n0,1,\n5,1,90000\n";
    let repaired = |pairs: &[&str]| {
        let mut args = vec!["import", "-", "--json"];
        args.extend(pairs.iter().flat_map(|pair| ["--repair", pair]));
        sts(&args, jobs)
    };
    let output = repaired(&["fill=all", "longest_s=3600"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let told: Vec<_> =
        report["repairs"].as_array().unwrap().iter().map(|told| (&told["repair"], &told["count"])).collect();
    assert_eq!(told, [(&json!("fill"), &json!(1)), (&json!("longest_s"), &json!(2))]);
    assert_eq!((&report["with_duration"], &report["max_duration_s"]), (&json!(2), &json!(3600.0)));
    for (pair, said) in [("fill=mean", "tenant"), ("speed=2", "there is no speed"), ("fill", "KEY=VALUE")] {
        let refused = repaired(&[pair]);
        assert_eq!(refused.status.code(), Some(1));
        assert!(stderr(&refused).contains(said), "{pair}: {}", stderr(&refused));
    }
}

#[test]
fn workloads_are_generated_from_an_object_and_like_a_trace() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let spec =
        br#"{"jobs": 200, "arrivals": {"kind": "mmpp"}, "duration": {"shape": "pareto", "exponent": 1.2}}"#;
    let first = sts(&["generate", "-", "--seed", "3"], spec);
    assert!(first.status.success(), "{}", stderr(&first));
    assert_eq!(String::from_utf8_lossy(&first.stdout).lines().count(), 201);
    assert_eq!(sts(&["generate", "-", "--seed", "3"], spec).stdout, first.stdout);
    assert_ne!(sts(&["generate", "-", "--seed", "4"], spec).stdout, first.stdout);
    fs::write(path("traced.csv"), &first.stdout).unwrap();

    let args = ["generate", "--like", &path("traced.csv"), "--spec-json", "--out", &path("like.json")];
    let like = sts(&args, b"");
    assert!(like.status.success(), "{}", stderr(&like));
    let imported = sts(&["import", &path("like.json"), "--json"], b"");
    let report: Value = serde_json::from_slice(&imported.stdout).unwrap();
    assert_eq!((&report["format"], &report["gpu_jobs"]), (&json!("sts-json"), &json!(200)));
    // What was printed gives the same jobs in a scenario.
    fs::write(path("spec.json"), &like.stdout).unwrap();
    let again = sts(&["generate", &path("spec.json"), "--out", &path("again.json")], b"");
    assert!(again.status.success(), "{}", stderr(&again));
    assert_eq!(fs::read(path("again.json")).unwrap(), fs::read(path("like.json")).unwrap());

    for (spec, said) in [
        (&br#"{"jobs": 0}"#[..], "jobs: found 0"),
        (br#"{"job": 5}"#, "unknown keys job"),
        (br#"{"jobs": "x"}"#, "line 1"),
    ] {
        let refused = sts(&["generate", "-"], spec);
        assert_eq!(refused.status.code(), Some(1));
        assert!(stderr(&refused).contains(said), "{}", stderr(&refused));
    }
}

#[test]
fn a_shaped_and_repaired_trace_runs_and_doubts_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let mut scenario = scenario();
    scenario["policies"] = json!([{"name": "fifo"}]);
    scenario["workload"]["trace"] = json!({
        "path": "jobs.csv", "states": "completed,failed", "tenants": "one", "duration_scale": 2.0, "gpu_scale": 2.0,
        "sample_seed": 4, "repairs": {"longest_s": 900}
    });
    let path = write_scenario(folder.path(), &scenario);
    let out = folder.path().join("out");
    let output = sts(&["run", &path, "--out", out.to_str().unwrap(), "--quiet"], b"");
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stderr(&output).contains("warning overload"), "{}", stderr(&output));
    let jobs = fs::read_to_string(out.join("jobs-fifo-0.csv")).unwrap();
    let rows: Vec<Vec<&str>> = jobs.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let requests: Vec<(&str, f64)> = rows.iter().map(|row| (row[1], row[3].parse().unwrap())).collect();
    assert_eq!(requests, [("all", 2.0), ("all", 2.0), ("all", 0.5), ("all", 4.0), ("all", 2.0)]);
}

#[test]
fn an_import_says_which_file_is_at_fault_which_is_given_twice_and_fails_without_a_job() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let jobs = write("jobs.csv", "submit_s,gpus,duration_s\n0,1,60\n5,1,60\n");
    let copy = write("copy.csv", "submit_s,gpus,duration_s\n0,1,60\n5,1,60\n");
    let other = write("other.csv", "submit_s,gpus,duration_s\n9,1,60\n9,1,60\n");
    let output = sts(&["import", &jobs, &copy, &other, &jobs, "--json"], b"");
    assert!(output.status.success(), "{}", stderr(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["jobs"], 4);
    let told = report["warnings"].as_array().unwrap().iter().find(|w| w["code"] == "repeated-file").unwrap();
    assert_eq!(told["count"], 2, "{told}");
    assert_eq!((&report["files"][1]["holds"], &report["files"][1]["of"]), (&json!("repeats"), &json!(jobs)));

    let unknown = write("racks.csv", "rack,speed\nr1,fast\n");
    let refused = sts(&["import", &unknown, &jobs], b"");
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        stderr(&refused).contains("racks.csv") && !stderr(&refused).contains("jobs.csv"),
        "{}",
        stderr(&refused)
    );

    for (args, code) in [
        (&["import", "-", "--one-in", "100000"][..], 1),
        (&["import", "-", "--one-in", "0"], 2),
        (&["import", "-", "--repair", "shortest_s=10", "--repair", "longest_s=5"], 1),
    ] {
        let refused = sts(args, b"submit_s,gpus,duration_s\n0,1,60\n");
        assert_eq!(refused.status.code(), Some(code), "{args:?}: {}", stderr(&refused));
    }
    let rejected = sts(&["import", "-", "--json"], b"submit_s,gpus,duration_s\n0,x,60\n");
    assert_eq!(rejected.status.code(), Some(1));
    assert!(stderr(&rejected).contains("no job was read: of 1 records 0 were left out and 1 rejected"));
    assert_eq!(serde_json::from_slice::<Value>(&rejected.stdout).unwrap()["rejected_count"], 1);
}

#[test]
fn a_sweep_writes_every_run_and_prints_a_table_of_means() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_scenario(folder.path(), &scenario());
    let out = folder.path().join("out");
    let sweep = |args: &[&str]| {
        let all = [&["sweep", &path, "--out", out.to_str().unwrap()], args].concat();
        sts(&all, b"")
    };
    let axes = ["--axis", "gpus:V100-16=4 to 12 by 4", "--axis", "param:STS:formulation=f1, f2"];
    let output = sweep(&[&axes[..], &["--seeds", "2"]].concat());
    let told = stderr(&output);
    assert!(output.status.success(), "{told}");
    assert!(told.contains("runs,"), "{told}");
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(table.starts_with("Mean JCT, ") && table.lines().count() == 2 + 6, "{table}");
    let runs = fs::read_to_string(out.join("runs.csv")).unwrap();
    assert_eq!(runs.lines().count(), 1 + 6 * 2 * 4);
    assert!(runs.starts_with("gpus:V100-16,param:STS:formulation,policy,seed,jct_mean_s,"));
    let means = fs::read_to_string(out.join("means.csv")).unwrap();
    assert!(means.lines().any(|line| line.starts_with("12,f2,STS,jct_mean_s,2,")), "{means}");
    for (args, told) in [
        (&["--axis", "speed=2"][..], "expected load, round_s, gpus:MODEL"),
        (&["--axis", "load=1", "--metric", "speed"], "--metric: found speed, expected one of jct_mean_s"),
        (&["--axis", "weight:z=2"], "axis weight:z: found \"z\", expected the name of a tenant"),
        (
            &["--axis", "gpus:V100-16=5"],
            "axis gpus:V100-16: found 5, expected 4 GPUs, more or fewer by a multiple of 4",
        ),
        (&[], "--axis"),
    ] {
        let output = sweep(args);
        assert!(!output.status.success());
        assert!(stderr(&output).contains(told), "{}", stderr(&output));
    }
}

#[test]
fn scenarios_side_by_side_are_run_with_the_policies_and_seeds_of_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let mut other = scenario();
    other["name"] = "more".into();
    other["cluster"]["nodes"][0]["count"] = 3.into();
    other["policies"] = serde_json::json!([{"name": "las"}]);
    other["seeds"] = serde_json::json!([7, 8, 9]);
    let beside = folder.path().join("more.json");
    fs::write(&beside, other.to_string()).unwrap();
    let path = write_scenario(folder.path(), &scenario());
    let out = folder.path().join("out");
    let sweep = |args: &[&str]| sts(&[&["sweep", &path, "--out", out.to_str().unwrap()], args].concat(), b"");
    let output = sweep(&["--beside", beside.to_str().unwrap()]);
    assert!(output.status.success(), "{}", stderr(&output));
    let means = fs::read_to_string(out.join("means.csv")).unwrap();
    assert!(means.starts_with("set-up,policy,metric,"), "{means}");
    let seeds = scenario()["seeds"].as_array().map_or(1, Vec::len);
    assert!(means.lines().any(|line| line.starts_with(&format!("more,STS,jct_mean_s,{seeds},"))), "{means}");
    assert!(means.contains(",srtf,") && !means.contains(",las,"), "policies are those of the first");
    let output = sweep(&["--beside", &path]);
    assert!(stderr(&output).contains("twice"), "{}", stderr(&output));
    assert!(!sweep(&["--beside", &path, "--axis", "load=1"]).status.success());
}

#[test]
fn what_a_sweep_cannot_run_is_told_and_the_rest_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let mut scenario = scenario();
    scenario["cluster"]["nodes"] = json!([{"gpu": "V100-16", "count": 1, "gpus_per_node": 4}]);
    scenario["workload"]["trace"]["window_s"] = json!([25, 35]);
    let path = write_scenario(folder.path(), &scenario);
    let out = folder.path().join("out");
    let output = sts(&["sweep", &path, "--out", out.to_str().unwrap(), "--axis", "gpus:V100-16=4"], b"");
    assert!(output.status.success(), "{}", stderr(&output));
    scenario["cluster"]["nodes"] = json!([{"gpu": "V100-16", "count": 1, "gpus_per_node": 1}]);
    let path = write_scenario(folder.path(), &scenario);
    let output = sts(&["sweep", &path, "--out", out.to_str().unwrap(), "--axis", "gpus:V100-16=1, 2"], b"");
    let told = stderr(&output);
    assert!(output.status.success(), "{told}");
    assert!(told.contains("not run: fifo at gpus:V100-16=1, seed 0: workload: found"), "{told}");
    let runs = fs::read_to_string(out.join("runs.csv")).unwrap();
    assert_eq!(runs.lines().count(), 1 + 4, "{runs}");
    let output = sts(&["sweep", &path, "--out", out.to_str().unwrap(), "--axis", "gpus:V100-16=1"], b"");
    assert!(
        !output.status.success() && stderr(&output).contains("nothing could be run"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn what_is_wrong_with_a_scenario_is_said_once() {
    let folder = tempfile::tempdir().unwrap();
    for (policies, told) in [
        (json!([{"name": "las", "params": {"lease_s": -1}}]), "expected a number from"),
        (json!([{"name": "expression", "params": {"expression": "2 *"}}]), "column 4"),
    ] {
        let mut scenario = scenario();
        scenario["policies"] = policies;
        let path = write_scenario(folder.path(), &scenario);
        let output = sts(&["run", &path, "--out", folder.path().join("out").to_str().unwrap()], b"");
        assert_eq!(stderr(&output).matches(told).count(), 1, "{}", stderr(&output));
    }
}

#[test]
fn policies_whose_labels_look_alike_have_files_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let mut scenario = scenario();
    let labels = ["a/b", "a_b", "A_b", "a_b-2"];
    scenario["policies"] = labels.map(|label| json!({"name": "fifo", "label": label})).as_slice().into();
    let path = write_scenario(folder.path(), &scenario);
    let out = folder.path().join("out");
    assert!(sts(&["run", &path, "--out", out.to_str().unwrap(), "--quiet"], b"").status.success());
    for name in ["a_b", "a_b-2", "A_b-3", "a_b-2-2"] {
        assert!(out.join(format!("jobs-{name}-0.csv")).exists(), "{name}");
    }
}
