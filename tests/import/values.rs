//! Values, rows and quotes that are not right: rejected where they stand, never more.

use sts_sim::trace::{Import, ImportOptions, Repairs, import_reader};

use crate::{assert_accounts, import, warning};

#[test]
fn values_out_of_range_are_rejected_rows() {
    let rows = [
        ("NaN,1,60", "submit_s"),
        ("-5,1,60", "submit_s"),
        ("1e300,1,60", "submit_s"),
        ("1591728061000,1,60", "submit_s"),
        ("2017-11-31 08:12,1,60", "submit_s"),
        ("2017-11-13 25:12:00,1,60", "submit_s"),
        ("0,NaN,60", "gpus"),
        ("0,-1,60", "gpus"),
        ("0,1e300,60", "gpus"),
        ("0,65537,60", "gpus"),
        ("0,0.00001,60", "gpus"),
        ("0,,60", "gpus"),
        ("0,\"1,5\",60", "gpus"),
        ("0,1,NaN", "duration_s"),
        ("0,1,-1", "duration_s"),
        ("0,1,1e300", "duration_s"),
        ("0,1,inf", "duration_s"),
        ("0,1,3155760001", "duration_s"),
    ];
    for (row, column) in rows {
        let text = format!("submit_s,gpus,duration_s\n0,1,1\n{row}\n");
        let report = import(text.as_bytes()).unwrap().report;
        assert_accounts(&report);
        assert_eq!((report.jobs, report.rejected_count), (1, 1), "{row}");
        assert_eq!(
            (report.rejected[0].line, report.rejected[0].column.as_deref()),
            (3, Some(column)),
            "{row}"
        );
        assert!(!report.rejected[0].expected.is_empty(), "{row}");
    }
}

#[test]
fn json_values_out_of_range_are_rejected_elements() {
    for (member, path) in [
        (r#""submit_s": -1, "gpus": 1"#, Some("submit_s")),
        (r#""submit_s": 1e300, "gpus": 1"#, Some("submit_s")),
        (r#""submit_s": 0, "gpus": [1]"#, Some("gpus")),
        (r#""submit_s": 0, "gpus": 1, "outcome": "lost""#, Some("outcome")),
        (r#""submit_s": 0"#, Some("gpus")),
        (r#""submit_s": NaN, "gpus": 1"#, None),
        (r#""submit_s": 1e999, "gpus": 1"#, None),
    ] {
        let text = format!(
            "{{\"format\": \"sts-json\", \"version\": 1, \"jobs\": [\n{{\"submit_s\": 0, \"gpus\": 1}},\n{{{member}}}]}}"
        );
        let report = import(text.as_bytes()).unwrap().report;
        assert_eq!((report.jobs, report.rejected_count), (1, 1), "{member}");
        assert_eq!((report.rejected[0].line, report.rejected[0].column.as_deref()), (3, path), "{member}");
    }
}

#[test]
fn a_long_value_is_cut_in_the_report() {
    let text = format!("submit_s,gpus,duration_s\n{},1,1\n", "é".repeat(60));
    let value = import(text.as_bytes()).unwrap().report.rejected[0].value.clone();
    assert_eq!(value, format!("{}…", "é".repeat(40)));
}

#[test]
fn only_the_first_rejected_rows_are_shown_but_all_are_counted() {
    let text = format!("submit_s,gpus,duration_s\n{}", "0,x,1\n".repeat(50));
    let report = import(text.as_bytes()).unwrap().report;
    assert_eq!((report.jobs, report.rejected.len(), report.rejected_count), (0, 20, 50));
    assert_eq!((report.first_submit, report.max_gpus), (None, None));
}

#[test]
fn uneven_rows_are_rejected_and_a_trailing_delimiter_is_none() {
    let text = "submit_s,gpus,duration_s,\n0,1,1,\n0,1,1\n0,1,1,2\n0,1\n0,1,1,\"\"\n";
    let report = import(text.as_bytes()).unwrap().report;
    assert_accounts(&report);
    let lines: Vec<u64> = report.rejected.iter().map(|r| r.line).collect();
    assert_eq!((report.jobs, lines), (3, vec![4, 5]));
}

#[test]
fn headers_in_the_middle_of_joined_files_are_no_records() {
    let text = "submit_s,gpus,duration_s\n0,1,1\nsubmit_s,gpus,duration_s\n1,1,1\n";
    let report = import(text.as_bytes()).unwrap().report;
    assert_eq!((report.records, report.jobs, warning(&report, "repeated-headers")), (2, 2, 1));
}

#[test]
fn a_quote_that_is_never_closed_is_reported_where_it_opens() {
    let report = import(b"job,submit_s,gpus,duration_s\na,0,1,1\n\"b,0,1,1\nc,0,1,1\n").unwrap().report;
    assert_eq!((report.jobs, report.rejected_count), (1, 1));
    assert_eq!(report.rejected[0].line, 3);
    assert!(report.rejected[0].expected.contains("quote"));
}

#[test]
fn dates_may_name_universal_time_in_words() {
    let at = |when: &str| {
        let text = format!("submit_s,gpus,duration_s\n{when},1,1\n");
        let report = import(text.as_bytes()).unwrap().report;
        assert_eq!(warning(&report, "local-times"), 0, "{when}");
        report.first_submit
    };
    for when in [
        "2021-01-01 00:00:00 UTC",
        "2021-01-01T00:00:00 GMT",
        "2021-01-01 00:00:00.0 utc",
        "2021-01-01 00:00:00 +0000 UTC",
        "2021-01-01 01:00:00+01:00 UTC",
        "2021-01-01 UTC",
    ] {
        assert_eq!(at(when), Some(1_609_459_200.0), "{when}");
    }
    for when in ["2021-02-30 00:00:00 UTC", "UTC", " UTC", "12 UTC", "2021-01-01 00:00:00[Europe/Berlin] UTC"]
    {
        let text = format!("submit_s,gpus,duration_s\n{when},1,1\n");
        assert_eq!(import(text.as_bytes()).unwrap().report.rejected_count, 1, "{when}");
    }
}

#[test]
fn a_name_that_stands_twice_in_the_header_is_told() {
    let report = import(b"submit_s,gpus,GPUs,duration_s,,\n0,1,8,60,,\n").unwrap().report;
    assert_eq!((report.gpus_requested_sum, warning(&report, "repeated-columns")), (1.0, 1));
    assert!(report.to_text().contains("gpus (columns 2 and 3)"), "{}", report.to_text());
}

#[test]
fn starts_before_submissions_and_other_run_times_are_told() {
    let csv =
        "submit_s,gpus,duration_s,start_s,end_s\n0,1,100,20,25\n50,1,5,20,25\n50,1,5,60,65\n60,1,5,10,\n";
    let report = import(csv.as_bytes()).unwrap().report;
    assert_eq!((warning(&report, "duration-differs"), warning(&report, "start-before-submit")), (1, 2));
    assert!(report.to_text().contains("submitted (lines 3, 5);"), "{}", report.to_text());
    let openb = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n\
                 p4,1000,1,1,1000,,LS,Succeeded,50,20,10\np5,1000,1,1,1000,,LS,Succeeded,5,20,10\n";
    let report = import(openb.as_bytes()).unwrap().report;
    assert_eq!((report.format.as_str(), warning(&report, "start-before-submit")), ("openb-2023", 1));
    let sacct = "JobID|Submit|Start|End|AllocTRES|State\n1|100|90|190|gres/gpu=1|COMPLETED\n";
    assert_eq!(warning(&import(sacct.as_bytes()).unwrap().report, "start-before-submit"), 1);
}

#[test]
fn an_end_before_the_start_is_rejected_by_every_reader() {
    let sacct_json = r#"{"jobs": [{"job_id": 1, "association": {"account": "a"}, "time":
        {"submission": 5, "start": 90, "end": 80, "elapsed": 0}, "tres": {"allocated":
        [{"type": "gres", "name": "gpu", "id": 1, "count": 1}], "requested": []}, "state": {"current": "COMPLETED"}}]}"#;
    for text in [
        "submit_s,gpus,duration_s,start_s,end_s\n0,1,9,25,20\n",
        "JobID|Submit|Start|End|AllocTRES|State\n1|5|90|80|gres/gpu=1|COMPLETED\n",
        "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n\
         p4,1000,1,1,1000,,LS,Succeeded,5,10,20\n",
        sacct_json,
    ] {
        let report = import(text.as_bytes()).unwrap().report;
        assert_eq!((report.jobs, report.rejected_count), (0, 1), "{text}");
        assert_eq!(report.rejected[0].value, "an end before the start", "{text}");
    }
}

#[test]
fn elements_of_one_line_are_told_apart_by_their_number() {
    let job = r#"{"job": "a", "submit_s": 0, "gpus": 1, "duration_s": 5}"#;
    let bad = r#"{"job": "b", "submit_s": 0, "gpus": "x", "duration_s": 5}"#;
    let text = format!(r#"{{"format": "sts-json", "version": 1, "jobs": [{job}, {bad}, {job}, {job}]}}"#);
    let report = import(text.as_bytes()).unwrap().report;
    assert_eq!((report.rejected[0].line, report.rejected[0].record), (1, Some(2)));
    assert_eq!(report.skipped[0].first_records, [3, 4]);
    let shown = report.to_text();
    assert!(shown.contains("rejected line 1, record 2, column gpus"), "{shown}");
    assert!(shown.contains("skipped 2: duplicate (records 3, 4)"), "{shown}");
}

#[test]
fn a_sample_takes_one_record_of_every_block_and_no_place_more_than_others() {
    // A table in which every tenth job is large.
    let mut text = "submit_s,gpus,duration_s\n".to_owned();
    for at in 0..100_000 {
        text.push_str(&format!("{at},{},60\n", if at % 10 == 9 { 46 } else { 6 }));
    }
    let sampled = |one_in: u32| {
        let options = ImportOptions { one_in, ..ImportOptions::default() };
        import_reader("trace", text.as_bytes(), &options).unwrap()
    };
    let sample = sampled(10);
    assert_accounts(&sample.report);
    assert_eq!(sample.report.jobs, 10_000);
    let mean = sample.report.gpus_requested_sum / 10_000.0;
    assert!((9.4..10.6).contains(&mean), "{mean} GPUs a job instead of 10");
    for (block, job) in (0..).zip(&sample.workload.jobs) {
        let submit_s = (job.submit.0 + (sample.workload.first_submit_s * 1e6) as i64) / 1_000_000;
        assert_eq!(submit_s / 10, block);
    }
    assert_eq!(sampled(10), sample);
    assert_eq!((sampled(1).report.jobs, sampled(0).report.jobs), (100_000, 100_000));
}

#[test]
fn repairs_that_contradict_each_other_are_refused() {
    let repairs = Repairs { shortest_s: Some(10), longest_s: Some(5), ..Repairs::default() };
    let refused =
        Import::new(&ImportOptions { repairs, ..ImportOptions::default() }).unwrap_err().to_string();
    assert!(
        refused.contains("repairs.longest_s: found 5, expected at least shortest_s, which is 10"),
        "{refused}"
    );
}
