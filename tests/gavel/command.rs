//! `sts gavel` through its door: exit status, messages, the results file.

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

fn fixture(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/gavel").join(name);
    path.display().to_string()
}

fn sts_gavel(trace: &str, rest: &[&str]) -> Output {
    let (trace, throughputs) = (fixture(trace), fixture("throughputs.json"));
    let files = ["gavel", "--trace", &trace, "--throughputs", &throughputs];
    Command::new(env!("CARGO_BIN_EXE_sts")).args(files).args(rest).output().unwrap()
}

fn stderr(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!text.contains("panicked"), "{text}");
    text
}

#[test]
fn results_are_written_as_json() {
    let output = sts_gavel("two_jobs.trace", &["--cluster", "1:0:0", "--policy", "fifo_perf", "--json", "-"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let results: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(results["avg_jct_s"], 430.0);
    assert_eq!(results["makespan_s"], 610.0);
    assert_eq!(results["utilization"], 1.0);
    assert_eq!(results["rounds"], 3);
    assert_eq!(results["dropped"], 0);
    assert_eq!(results["jct_s"], serde_json::json!({"0": 250.0, "1": 610.0}));
}

#[test]
fn recorded_shares_are_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let replay = |allocs: &str| {
        let path = folder.path().join("run.json");
        std::fs::write(&path, format!("{{\"allocs\": {allocs}}}")).unwrap();
        let path = path.display().to_string();
        sts_gavel(
            "two_jobs.trace",
            &["--cluster", "1:0:0", "--policy", "fifo_perf", "--replay", &path, "--json", "-"],
        )
    };
    // The second job first.
    let output =
        replay(r#"[[0.0, {"0": {"v100": 0.0}, "1": {"v100": 1.0}}], [360.0, {"0": {"v100": 1.0}}]]"#);
    assert!(output.status.success(), "{}", stderr(&output));
    let results: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(results["jct_s"], serde_json::json!({"0": 610.0, "1": 360.0}));
    for (allocs, message) in [
        (r#"[[0.0, {"0": {"v100": 1.0}}]]"#, "no more shares, but some are needed at 250 s"),
        (r#"[[5.0, {}]]"#, "shares are needed at 0 s, its next are of 5 s"),
        (r#"[[0.0, {"7": {"v100": 1.0}}]]"#, "a share for 7 at 0 s, which is not active"),
        (r#"[[0.0, {"x": {"v100": 1.0}}]]"#, "found key \"x\""),
        (r#"[[0.0, {"0": {"a100": 1.0}}]]"#, "found type of GPU \"a100\""),
        (r#"[[0.0, {"0": {"v100": 1.5}}]]"#, "found share 1.5"),
        ("7", "line 1 column"),
    ] {
        let output = replay(allocs);
        assert_eq!(output.status.code(), Some(1), "{allocs}");
        assert!(stderr(&output).contains(message), "{}", stderr(&output));
    }
}

#[test]
fn faults_of_the_input_and_of_usage_have_their_own_status() {
    let on = |cluster: &str, policy: &str| {
        sts_gavel("two_jobs.trace", &["--cluster", cluster, "--policy", policy])
    };
    assert_eq!(on("1:0:0", "isolated").status.code(), Some(0));
    for (cluster, policy, message) in [
        ("1:0", "isolated", "V100:P100:K80"),
        ("0:0:0", "isolated", "at least one whole server"),
        ("1:0:0", "best", "found policy \"best\""),
    ] {
        let output = on(cluster, policy);
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert!(stderr(&output).contains(message), "{}", stderr(&output));
    }
    let short = sts_gavel("two_jobs.trace", &["--cluster", "1:0:0", "--policy", "fifo", "--round-s", "0"]);
    assert_eq!(short.status.code(), Some(2));
    let no_trace = sts_gavel("throughputs.json", &["--cluster", "1:0:0", "--policy", "fifo"]);
    assert_eq!(no_trace.status.code(), Some(1));
    assert!(stderr(&no_trace).contains("line 1: found 1 fields"), "{}", stderr(&no_trace));
    let missing = sts_gavel("nothing.trace", &["--cluster", "1:0:0", "--policy", "fifo"]);
    assert_eq!(missing.status.code(), Some(1));
}
