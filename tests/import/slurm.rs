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
    // Cancelled while it waited: it was given nothing, and -T prints the time of that as start and end.
    let row =
        "1|ann|2026-01-05T08:00:00|2026-01-05T09:00:00|2026-01-05T09:00:00|0||gres/gpu=4|CANCELLED by 7";
    let imported = sacct(COLUMNS, &[row]);
    let found = job(&imported, "1");
    assert_eq!((found.duration.get(), found.start.get(), found.outcome), (None, None, Outcome::Cancelled));
    let row =
        "1|ann|2026-01-05T08:00:00|2026-01-05T09:00:00|2026-01-05T09:00:00|0|gres/gpu=4||CANCELLED by 7";
    assert_eq!(job(&sacct(COLUMNS, &[row]), "1").duration.get(), Some(SimSpan(0)), "it had its GPUs");
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

#[test]
fn a_line_end_in_a_text_in_front_of_the_id_loses_no_job() {
    let comment = |text: &str| {
        format!(
            "User|Comment|JobID|Submit|Start|End|ElapsedRaw|AllocTRES|State\n\
             ann|{text}|1|2026-01-05T08:00:00|2026-01-05T08:00:00|2026-01-05T08:01:00|60|gres/gpu=2|COMPLETED\n\
             bob|fine|2|2026-01-05T08:00:00|2026-01-05T08:00:00|2026-01-05T08:01:00|60|gres/gpu=1|COMPLETED\n\
             eve|{text}|3|2026-01-05T08:00:00|2026-01-05T08:00:00|2026-01-05T08:01:00|60|gres/gpu=4|COMPLETED\n"
        )
    };
    for (text, lines) in [("one\ntwo", 2), ("one\n\ntwo\n7 three", 4), ("plain", 0)] {
        let imported = import(comment(text).as_bytes()).unwrap();
        assert_accounts(&imported.report);
        let jobs: Vec<u32> = ["1", "2", "3"].map(|id| job(&imported, id).gpus.0).to_vec();
        assert_eq!((jobs, imported.report.rejected_count), (vec![2000, 1000, 4000], 0), "{text:?}");
        assert_eq!(warning(&imported.report, "continued-rows"), lines, "{text:?}");
        assert_eq!(imported.workload.tenants, ["ann", "bob", "eve"]);
    }
    // In the very first column the rest of the text stands before a row that is whole.
    let first = sacct(
        "Comment|JobID|Submit|ElapsedRaw|AllocTRES|State",
        &["one\ntwo|1|1000000000|60|gres/gpu=2|COMPLETED", "one\ntwo|2|1000000000|60|gres/gpu=1|COMPLETED"],
    );
    assert_eq!(
        (first.report.jobs, first.report.rejected_count, first.report.gpus_requested_sum),
        (2, 0, 3.0)
    );
    // What is cut off is still rejected.
    let cut = sacct(
        "User|JobID|Submit|ElapsedRaw|AllocTRES|State",
        &[
            "ann|1|1000000000|60|gres/gpu=2|COMPLETED",
            "bob|2|10000",
            "eve|3|1000000000|60|gres/gpu=1|COMPLETED",
        ],
    );
    assert_eq!((cut.report.jobs, cut.report.rejected_count), (2, 1));
}

#[test]
fn two_texts_of_a_row_may_hold_the_delimiter() {
    let imported = sacct(
        "JobID|JobName|Submit|Start|End|ElapsedRaw|AllocTRES|SubmitLine|State",
        &[
            "1|a|b|c|2026-01-05T08:00:00|2026-01-05T08:00:00|2026-01-05T08:01:00|60|gres/gpu=2|sbatch -J a|b|c --wrap=x|COMPLETED",
        ],
    );
    assert_eq!((job(&imported, "1").gpus, warning(&imported.report, "mended-rows")), (MilliGpus(2000), 1));
}

#[test]
fn commas_in_lists_never_take_a_jobs_gpus_away() {
    let tres = "billing=1,cpu=1,gres/gpu:a100=2,gres/gpu=2,node=2";
    let row = |nodes: &str| format!("1,1000000000,60,{tres},{nodes}");
    for nodes in ["n1", "n[1,3]", "n[1-2,5],m[7,9]", "None assigned"] {
        let imported = sacct("JobID,Submit,ElapsedRaw,AllocTRES,NodeList", &[&row(nodes)]);
        assert_eq!(job(&imported, "1").gpus, MilliGpus(2000), "{nodes}");
    }
    let both = sacct(
        "JobID,NodeList,Submit,ElapsedRaw,AllocTRES,ReqTRES",
        &[&format!("1,n[1,3],1000000000,60,{tres},billing=1,cpu=1,gres/gpu=4,mem=8000M,node=2")],
    );
    assert_eq!(job(&both, "1").gpus, MilliGpus(2000));
    // What cannot be told apart is rejected with the way out, not read as a job without GPUs.
    let used = sacct(
        "JobID,Submit,ElapsedRaw,AllocTRES,TRESUsageInTot",
        &[&format!("1,1000000000,60,{tres},cpu=00:00:01,energy=0,gres/gpumem=2")],
    );
    let report = used.report;
    assert!(report.jobs == 0 || report.gpus_requested_sum == 2.0, "{report:?}");
    assert!(report.jobs == 1 || report.rejected[0].hint.contains("-P"), "{report:?}");
}

#[test]
fn the_report_says_which_columns_were_read_and_what_stands_in_for_others() {
    let row = "1|2026-01-05T08:00:00|60|gres/gpu=1|gpu";
    let report = sacct("JobIDRaw|Submit|ElapsedRaw|ReqTRES|Partition", &[row]).report;
    let said = report.columns_sentence();
    assert!(said.starts_with("Partition, Submit, ElapsedRaw, ReqTRES; without User, "), "{said}");
    assert!(
        said.contains("Account (Partition, else User, else unknown)") && said.contains("State (completed)"),
        "{said}"
    );
    assert!(!said.contains("JobID"), "it is there by another name: {said}");
    assert!(report.to_text().contains(&format!("  columns       {said}\n")));
}

#[test]
fn a_row_with_a_surplus_is_put_right_in_one_way_or_not_at_all() {
    let times = "2025-03-01T10:00:00|2025-03-01T10:05:00|2025-03-01T11:05:00|3600|cpu=1,gres/gpu=2|COMPLETED";
    // The list of nodes takes no bars.
    let before = sacct(
        "JobID|JobName|User|Account|Partition|NodeList|Submit|Start|End|ElapsedRaw|AllocTRES|State",
        &[&format!("1|x|y|ann|lab1|gpu|n1|{times}"), &format!("2|x|ann|lab1|gpu|n1|{times}")],
    );
    assert_eq!(before.workload.tenants, ["lab1"]);
    // Two texts with no column of times between them: the users and accounts of other rows tell which it is.
    let columns = "JobID|Submit|Start|End|ElapsedRaw|AllocTRES|State|JobName|User|Account|Comment";
    let rows = [
        format!("2|{times}|x|ann|lab1|"),
        format!("1|{times}|x|y|ann|lab1|"),
        format!("3|{times}|x|ann|lab1|a|b"),
    ];
    let told = sacct(columns, &rows.each_ref().map(String::as_str));
    assert_eq!((told.report.jobs, told.workload.tenants.clone()), (3, vec!["lab1".to_owned()]));
    assert!(told.report.to_text().contains("put right (lines 3, 4)"), "{}", told.report.to_text());
    // Where nothing tells, the row is rejected.
    let untold = sacct(columns, &[&rows[2]]);
    assert_eq!((untold.report.jobs, untold.report.rejected_count), (0, 1));
    assert!(untold.report.rejected[0].expected.contains("there are several"));
}

#[test]
fn numbers_of_resources_clusters_and_missing_times_are_read_as_what_they_are() {
    let numbered = sacct(
        "JobID|Submit|ElapsedRaw|ReqGRES|AllocGRES|NNodes|State",
        &["1|1000000000|60|gpu:1|7696487:1|1|COMPLETED"],
    );
    assert_eq!(job(&numbered, "1").gpus, MilliGpus(1000));
    let row = |cluster: &str| format!("{cluster}|1|1000000000|60|gres/gpu=1|COMPLETED");
    let clusters = sacct("Cluster|JobID|Submit|ElapsedRaw|AllocTRES|State", &[&row("c1"), &row("c2")]);
    assert_eq!((clusters.report.jobs, clusters.report.duplicate_ids), (2, 0));
    assert_eq!((job(&clusters, "1").gpus, job(&clusters, "c2/1").gpus), (MilliGpus(1000), MilliGpus(1000)));
    let json = |submitted: u32, task: &str| {
        format!(
            r#"{{"jobs": [{{"job_id": 12, "array": {{"job_id": 12, "task": "{task}"}}, "association": {{"account": "a"}},
            "time": {{"submission": {submitted}, "elapsed": 0}}, "tres": {{"requested": [{{"type": "gres", "name": "gpu", "count": 1}}]}},
            "state": {{"current": ["PENDING"]}}}}]}}"#
        )
    };
    let waiting = import(json(5, "0x1E").as_bytes()).unwrap();
    assert_eq!(
        (job(&waiting, "12_[1-4]").gpus, warning(&waiting.report, "waiting-arrays")),
        (MilliGpus(1000), 1)
    );
    let never = import(json(0, "1-4").as_bytes()).unwrap().report;
    assert_eq!((never.jobs, never.rejected[0].column.as_deref()), (0, Some("time.submission")));
}
