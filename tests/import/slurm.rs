//! What real clusters print: every quirk of Slurm's accounting that changes what a job is.

use sts_sim::trace::Imported;
use sts_sim::units::{MilliGpus, SimSpan};
use sts_sim::workload::Outcome;

use super::{assert_accounts, import, job, warning};

/// Reads `sacct -P` output with these columns, of which each row has its own line.
fn sacct(columns: &str, rows: &[&str]) -> Imported {
    let imported = import(format!("{columns}\n{}\n", rows.join("\n")).as_bytes()).unwrap();
    assert_eq!(imported.report.format, "sacct");
    assert_accounts(&imported.report);
    imported
}

/// Reads `sacct --json` output whose only job has these resources.
fn sacct_json(allocated: &[(&str, u32)]) -> Imported {
    let list: Vec<String> = allocated
        .iter()
        .map(|(name, count)| format!(r#"{{"type": "gres", "name": "{name}", "id": 1001, "count": {count}}}"#))
        .collect();
    let text = format!(
        r#"{{"jobs": [{{"job_id": 1, "association": {{"account": "a"}}, "time": {{"submission": 5, "start": 6, "end": 9}},
        "tres": {{"allocated": [{}], "requested": []}}, "state": {{"current": ["COMPLETED"]}}}}]}}"#,
        list.join(", ")
    );
    import(text.as_bytes()).unwrap()
}

const COLUMNS: &str = "JobID|User|Submit|Start|End|ElapsedRaw|AllocTRES|ReqTRES|State";

fn ran(alloc: &str, asked: &str) -> String {
    format!("1|ann|2026-01-05T08:00:00|2026-01-05T08:00:00|2026-01-05T08:01:00|60|{alloc}|{asked}|COMPLETED")
}

#[test]
fn gpus_whose_type_is_not_accounted_count_beside_those_whose_type_is() {
    let read = |alloc: &str, asked: &str| {
        let imported = sacct(COLUMNS, &[&ran(alloc, asked)]);
        let told = warning(&imported.report, "partly-typed-gpus");
        (job(&imported, "1").gpus, imported.workload.gpu_types.join(","), told)
    };
    let four = MilliGpus(4000);
    assert_eq!(read("gres/gpu=4,gres/gpu:a100=2", "gres/gpu=4"), (four, String::new(), 1));
    assert_eq!(read("gres/gpu=4,gres/gpu:a100=2,gres/gpu:v100=2", ""), (four, "a100|v100".into(), 0));
    assert_eq!(read("gres/gpu=4,gres/gpu:a100=2", "gres/gpu:a100=4,gres/gpu=4"), (four, "a100".into(), 0));
    let json = sacct_json(&[("gpu", 4), ("gpu:a100", 2)]);
    assert_eq!((job(&json, "1").gpus, warning(&json.report, "partly-typed-gpus")), (four, 1));
}

#[test]
fn shares_of_gpus_are_said_and_never_read_as_no_gpu_data() {
    for list in ["cpu=1,gres/shard=2,node=1", "gres/mps=50", "gres/shard:a100=1"] {
        let report = sacct(COLUMNS, &[&ran(list, list)]).report;
        assert_eq!((report.zero_gpu_jobs, warning(&report, "gpu-shares")), (1, 1), "{list}");
        assert_eq!(warning(&report, "no-gpu-data"), 0);
    }
    let json = sacct_json(&[("shard", 2)]).report;
    assert_eq!((warning(&json, "gpu-shares"), warning(&json, "no-gpu-data")), (1, 0));
}

#[test]
fn a_resized_job_counts_once_with_its_last_size() {
    let row = |start: &str, end: &str, run_s: u32, gpus: u32, state: &str| {
        format!("7|ann|2026-01-05T08:00:00|2026-01-05T{start}|{end}|{run_s}|gres/gpu={gpus}||{state}")
    };
    let first = row("08:00:00", "2026-01-05T08:01:00", 60, 4, "RESIZING");
    let imported = sacct(COLUMNS, &[&first, &row("08:01:00", "2026-01-05T08:03:00", 120, 2, "COMPLETED")]);
    let found = job(&imported, "7");
    assert_eq!((found.gpus, found.duration.get()), (MilliGpus(2000), Some(SimSpan::from_secs(120.0))));
    assert_eq!((imported.report.jobs, imported.report.skipped_count()), (1, 1));
    assert_eq!(warning(&imported.report, "resized-jobs"), 1);
    let growing = sacct(COLUMNS, &[&row("08:00:00", "Unknown", 60, 4, "RESIZING")]);
    assert_eq!(growing.report.jobs, 1, "it is being resized now");
}

#[test]
fn a_job_that_waits_has_no_times_whatever_is_printed() {
    let row = "1|ann|2026-01-05T08:00:00|2026-01-06T00:00:00|2026-01-06T00:00:00|0||gres/gpu=4|PENDING";
    let imported = sacct(COLUMNS, &[row]);
    let found = job(&imported, "1");
    assert_eq!((found.duration.get(), found.start.get(), found.end.get()), (None, None, None));
    assert_eq!((found.outcome, found.gpus), (Outcome::Pending, MilliGpus(4000)));
    assert_eq!(warning(&imported.report, "zero-durations"), 0);
    // The try of a job that was requeued.
    let row = "1|ann|2026-01-05T08:00:00|2026-01-05T08:01:00|2026-01-05T08:02:00|60|gres/gpu=4||PENDING";
    let imported = sacct(COLUMNS, &[row]);
    assert_eq!(job(&imported, "1").outcome, Outcome::Cancelled);
}

#[test]
fn a_job_that_can_be_read_in_two_ways_alike_is_counted_once() {
    // Whether the typed entry is of what it got or of what it asked for, it holds one slice.
    let text = "JobID,User,Submit,Elapsed,AllocTRES,ReqTRES,State\n\
                1,bob,2025-03-03T08:00:00,00:00:30,cpu=8,gres/gpu=1,gres/gpu:a100_1g.5gb=1,cpu=8,gres/gpu=1,COMPLETED\n";
    let report = import(text.as_bytes()).unwrap().report;
    assert_eq!((report.jobs, warning(&report, "mig-slices")), (1, 1), "{report:?}");
}
