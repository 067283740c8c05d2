//! What each format means: GPUs, times, identities, outcomes.

use sts_sim::trace::{ImportOptions, import_reader};
use sts_sim::units::{MilliGpus, SimSpan, SimTime};
use sts_sim::workload::Outcome;

use crate::{FIXTURES, assert_accounts, import, job, warning};

#[test]
fn helios_means_what_the_publisher_says() {
    let imported = import(FIXTURES[0].1).unwrap();
    let report = &imported.report;
    assert_accounts(report);
    assert_eq!((report.format.as_str(), report.records, report.jobs), ("helios-csv", 10, 6));
    assert_eq!((report.gpu_jobs, report.zero_gpu_jobs), (5, 1));
    assert_eq!(report.gpus_requested_sum, 136.0);
    assert_eq!(report.max_gpus, Some(128.0));
    assert_eq!((report.with_duration, report.zero_duration, report.duplicate_ids), (5, 1, 1));
    assert!(!report.submit_sorted);
    assert_eq!(report.first_submit, Some(1_591_728_000.0));
    assert_eq!(report.last_submit, Some(1_591_728_300.0));
    assert_eq!(report.tenants, 3);
    let states: Vec<(&str, u64)> = report.states.iter().map(|(w, n)| (w.as_str(), *n)).collect();
    assert_eq!(states, [("COMPLETED", 2), ("CANCELLED", 1), ("NODE_FAIL", 1), ("RUNNING", 1), ("FAILED", 1)]);
    // Sorted by submission: job 13 is first, and times count from it.
    assert_eq!(imported.workload.names.get(0), "13");
    assert_eq!(job(&imported, "13").submit, SimTime::ZERO);
    assert_eq!(job(&imported, "13").start.get(), Some(SimTime(60_000_000)));
    assert_eq!(imported.workload.tenants, ["vc2", "vc1", "vc3"]);
    // The same row twice is one job; the same id with other content is another job.
    assert_eq!(report.skipped.len(), 1);
    assert_eq!(
        (report.skipped[0].reason.as_str(), report.skipped[0].first_lines.as_slice()),
        ("duplicate", &[7][..])
    );
    assert_eq!(job(&imported, "11#2").gpus, MilliGpus(4000));
    // The run time is end − start, whatever the column says.
    assert_eq!(job(&imported, "14").duration.get(), Some(SimSpan(60_000_000)));
    assert_eq!(warning(report, "duration-differs"), 1);
    assert_eq!((job(&imported, "15").duration.get(), job(&imported, "15").outcome), (None, Outcome::Running));
    assert_eq!(warning(report, "large-jobs"), 1);
    // Rejected with line, column, value, expectation.
    let rejected: Vec<_> =
        report.rejected.iter().map(|r| (r.line, r.column.as_deref(), r.value.as_str())).collect();
    assert_eq!(
        rejected,
        [
            (9, Some("gpu_num"), "-1"),
            (10, Some("submit_time"), "2020-06-31 18:45:00"),
            (11, None, "an end before the start")
        ]
    );
    assert!(report.rejected[0].expected.contains("from 0 to"), "{:?}", report.rejected[0]);
}

#[test]
fn philly_folds_attempts() {
    let imported = import(FIXTURES[1].1).unwrap();
    let report = &imported.report;
    assert_accounts(report);
    assert_eq!((report.records, report.jobs, report.gpu_jobs, report.zero_gpu_jobs), (5, 4, 3, 1));
    let first = job(&imported, "application_1_1");
    assert_eq!((first.gpus, first.duration.get()), (MilliGpus(3000), Some(SimSpan(150_000_000))));
    assert_eq!(first.start.get(), Some(SimTime(1_860_000_000)));
    let never = job(&imported, "application_1_2");
    assert_eq!((never.gpus, never.duration.get(), never.outcome), (MilliGpus(0), None, Outcome::Cancelled));
    let third = job(&imported, "application_1_3");
    assert_eq!((third.gpus, third.duration.get()), (MilliGpus(1000), Some(SimSpan(600_000_000))));
    assert_eq!(imported.workload.users[third.user.unwrap() as usize], "u\"3é");
    // The clock went back during the only attempt: no run time, but no lost job either.
    assert_eq!(job(&imported, "application_1_5").duration.get(), None);
    assert_eq!(
        (warning(report, "attempts"), warning(report, "no-attempts"), warning(report, "end-before-start")),
        (3, 1, 1)
    );
    assert_eq!(report.rejected[0].line, 17);
    assert_eq!(report.rejected[0].column.as_deref(), Some("submitted_time"));
    assert_eq!(report.rejected[0].value, "None");
}

#[test]
fn loose_philly_objects_and_a_lone_one_are_read_too() {
    let object = r#"{"jobid":"a","submitted_time":"2017-10-07 01:00:00","attempts":[]}"#;
    assert_eq!(import(object.as_bytes()).unwrap().report.jobs, 1);
    let lines = format!("{object}\n{}\n", object.replace("\"a\"", "\"b\""));
    assert_eq!(import(lines.as_bytes()).unwrap().report.jobs, 2);
}

#[test]
fn elasticflow_reads_both_column_orders_and_the_last_row_without_a_line_end() {
    for (_, bytes) in &FIXTURES[2..4] {
        let imported = import(bytes).unwrap();
        assert_accounts(&imported.report);
        assert_eq!(imported.report.jobs, 3);
        assert_eq!(imported.report.gpus_requested_sum, 81.0);
        assert_eq!(imported.report.max_duration_s, Some(288_476.0));
        assert_eq!(imported.report.first_submit, Some(5810.0));
        assert_eq!(warning(&imported.report, "ties"), 1);
        assert_eq!(imported.workload.tenants, ["unknown"]);
    }
    assert_eq!(import(FIXTURES[3].1).unwrap().workload.models, ["inception3", "vgg16"]);
    assert!(import(FIXTURES[2].1).unwrap().workload.models.is_empty());
}

#[test]
fn sacct_counts_gpus_once_and_jobs_once() {
    let imported = import(FIXTURES[4].1).unwrap();
    let report = &imported.report;
    assert_accounts(report);
    assert_eq!((report.records, report.jobs, report.gpu_jobs), (11, 7, 5));
    assert_eq!(report.gpus_requested_sum, 10.0);
    assert_eq!((report.skipped[0].reason.as_str(), report.skipped[0].count), ("step", 2));
    let kind =
        |id: &str| job(&imported, id).gpu_type.map(|t| imported.workload.gpu_types[t as usize].clone());
    let first = job(&imported, "100");
    assert_eq!((first.gpus, first.outcome), (MilliGpus(1000), Outcome::Running));
    assert_eq!(first.duration.get(), Some(SimSpan(1_192_379_000_000)));
    assert_eq!(kind("100").as_deref(), Some("a100"));
    // Typed entries only: added up. The name holds the delimiter.
    let named = job(&imported, "101_4");
    assert_eq!((named.gpus, named.outcome), (MilliGpus(3000), Outcome::Cancelled));
    assert_eq!(kind("101_4").as_deref(), Some("a100|l40s"));
    // Pending: what it asked for, no run time.
    let pending = job(&imported, "102");
    assert_eq!((pending.gpus, pending.duration.get(), pending.start.get()), (MilliGpus(4000), None, None));
    assert_eq!(kind("102").as_deref(), Some("h100"));
    assert_eq!(job(&imported, "103_[5-9%2]").gpus, MilliGpus(0));
    let nothing = job(&imported, "104");
    assert_eq!((nothing.duration.get(), nothing.outcome), (Some(SimSpan::ZERO), Outcome::Cancelled));
    // A line end in the name; gpumem and gpuutil are no GPUs; the queue stands in for the account.
    let broken = job(&imported, "105+1");
    assert_eq!((broken.gpus, broken.outcome), (MilliGpus(1000), Outcome::Failed));
    assert_eq!(imported.workload.tenants[broken.tenant.index()], "gpu");
    assert_eq!(kind("106").as_deref(), Some("a100_1g.5gb"));
    for (code, count) in [
        ("censored", 1),
        ("unknown-states", 1),
        ("mended-rows", 1),
        ("continued-rows", 1),
        ("mig-slices", 1),
        ("no-gpu-data", 0),
    ] {
        assert_eq!(warning(report, code), count, "{code}");
    }
    assert_eq!(report.states.get("CANCELLED"), Some(&1));
    assert_eq!(report.states.get("CANCELLED+"), Some(&1));
    assert_eq!(report.states.get("VANISHED"), Some(&1));
    let rejected: Vec<_> =
        report.rejected.iter().map(|r| (r.line, r.column.as_deref(), r.value.as_str())).collect();
    let tres = "cpu=8,gres/gpu=x";
    assert_eq!(rejected, [(12, None, "6 fields"), (13, Some("AllocTRES"), tres)]);
}

#[test]
fn sacct_without_a_header_is_read_in_the_two_known_layouts() {
    let xdmod = import(FIXTURES[5].1).unwrap();
    assert_eq!((xdmod.report.records, xdmod.report.jobs, xdmod.report.gpu_jobs), (2, 2, 1));
    assert_eq!(job(&xdmod, "200").duration.get(), Some(SimSpan(912_426_000_000)));
    assert_eq!(job(&xdmod, "200").gpus, MilliGpus(2000));
    assert_eq!(xdmod.workload.users, ["ann"]);
    assert_eq!(xdmod.workload.tenants, ["bio"]);
    let sonar = import(FIXTURES[6].1).unwrap();
    assert_eq!((sonar.report.records, sonar.report.jobs, sonar.report.gpu_jobs), (3, 2, 1));
    assert_eq!(job(&sonar, "300").gpus, MilliGpus(4000));
    assert_eq!(sonar.workload.gpu_types, ["a100_80"]);
    assert_eq!(job(&sonar, "301").outcome, Outcome::Pending);
}

#[test]
fn sacct_without_any_gpu_says_so() {
    let text =
        "JobID|Submit|ElapsedRaw|AllocTRES\n1|2025-01-01T00:00:00|5|cpu=1\n2|2025-01-01T00:00:01|5|cpu=1\n";
    let report = import(text.as_bytes()).unwrap().report;
    assert_eq!((report.jobs, report.zero_gpu_jobs, warning(&report, "no-gpu-data")), (2, 2, 2));
}

#[test]
fn sacct_joins_names_with_line_ends_in_the_last_column_too() {
    let text = "JobID|Submit|ElapsedRaw|AllocTRES|JobName\n\
                1|2025-01-01T00:00:00|5|gres/gpu=1|a\nb | c\n2|2025-01-01T00:00:01|5|gres/gpu=1|d\n";
    let report = import(text.as_bytes()).unwrap().report;
    assert_eq!((report.records, report.jobs, report.rejected_count), (2, 2, 0));
    assert_eq!(warning(&report, "continued-rows"), 1);
}

#[test]
fn own_csv_takes_any_order_delimiter_and_kind_of_time() {
    let imported = import(FIXTURES[7].1).unwrap();
    let report = &imported.report;
    assert_accounts(report);
    assert_eq!((report.records, report.jobs, report.gpu_jobs), (4, 4, 3));
    assert_eq!(imported.workload.names.get(0), "b;2");
    assert_eq!(job(&imported, "b;2").min_slots, 2);
    assert_eq!(job(&imported, "a").memory_mb, 12_500);
    assert_eq!(job(&imported, "a").workers, 8);
    assert_eq!(job(&imported, "a").submit, SimTime(9_500_000));
    // A fraction of a GPU on each of three workers; the tenant is the user; the offset is applied.
    let pending = job(&imported, "c");
    assert_eq!((pending.gpus, pending.workers, pending.duration.get()), (MilliGpus(1500), 3, None));
    assert_eq!(imported.workload.tenants[pending.tenant.index()], "u3");
    assert_eq!(report.last_submit, Some(1_577_833_200.0));
    assert_eq!(job(&imported, "d \"q\"\ne").gpus, MilliGpus(0));
}

#[test]
fn records_without_ids_are_numbered_and_never_folded() {
    let report = import(b"submit_s,gpus,duration_s\n0,1,60\n0,1,60\n5,1,60\n").unwrap().report;
    assert_eq!((report.jobs, report.skipped_count(), warning(&report, "identical-rows")), (3, 0, 1));
}

#[test]
fn suffixes_of_equal_ids_never_collide() {
    let text = "job,submit_s,gpus,duration_s\na,0,1,1\na,1,1,1\na#2,2,1,1\na,3,1,1\na,1,1,1\na#3,4,1,1\n";
    let imported = import(text.as_bytes()).unwrap();
    let ids: Vec<&str> =
        (0..imported.workload.names.len()).map(|at| imported.workload.names.get(at)).collect();
    assert_eq!(ids, ["a", "a#2", "a#2#2", "a#3", "a#3#2"]);
    assert_eq!((imported.report.duplicate_ids, imported.report.skipped_count()), (4, 1));
}

#[test]
fn a_repeated_id_is_found_however_long_ids_ascended_before() {
    for repeated in ["j1", "j9", "j10", "j99", "j100", "j120"] {
        let mut text = String::from("job,submit_s,gpus,duration_s\n");
        for n in 1..=120 {
            text += &format!("j{n},{n},1,1\n");
        }
        let at = repeated.trim_start_matches('j');
        text +=
            &format!("{repeated},{at},1,1\n{repeated},500,1,1\nj121,501,1,1\nj121,501,1,1\nj11,502,1,1\n");
        let imported = import(text.as_bytes()).unwrap();
        let names = &imported.workload.names;
        let last: Vec<&str> = (120..names.len()).map(|at| names.get(at)).collect();
        assert_eq!(last, [&format!("{repeated}#2"), "j121", "j11#2"]);
        assert_eq!((imported.report.duplicate_ids, imported.report.skipped_count()), (2, 2));
    }
}

#[test]
fn columns_that_are_not_used_are_named() {
    let report = import(b"submit_s,gpus,duration_s,tennant\n0,1,60,x\n").unwrap().report;
    assert_eq!(warning(&report, "unused-columns"), 1);
    assert!(report.warnings.iter().any(|w| w.message.contains("tennant")));
}

#[test]
fn doubtful_units_and_long_gaps_are_pointed_out() {
    let text = "submit_s,gpus,duration_s\n0,1,2868294000\n201694000,1,2472936000\n";
    let report = import(text.as_bytes()).unwrap().report;
    assert_eq!(warning(&report, "milliseconds"), 2);
    assert_eq!(warning(&report, "long-gaps"), 1);
}

#[test]
fn what_is_doubtful_is_told_with_figures_and_what_to_do() {
    let header = "submit_s,gpus,duration_s,start_s,end_s\n";
    let day = 86_400;
    for (code, count, said, rows) in [
        // Two of three waited and have the wait in their run time; the third did not wait.
        (
            "duration-includes-queue",
            2,
            "1.0 h of waiting",
            "0,1,7200,3600,7200\n0,1,7300,3700,7300\n10,1,60,10,70\n".to_owned(),
        ),
        // One of three has: that may be chance.
        (
            "duration-includes-queue",
            0,
            "",
            "0,1,7200,3600,7200\n0,1,3600,3600,7200\n0,1,60,3600,3660\n".to_owned(),
        ),
        ("ties", 3, "at most 3 at once", "0,1,1,,\n0,1,1,,\n0,1,1,,\n5,1,1,,\n5,1,1,,\n".to_owned()),
        ("zero-durations", 1, "shortest_s=1", "0,1,0,,\n9,1,5,,\n".to_owned()),
        ("long-durations", 1, "longest_s=2592000", format!("0,1,{},,\n9,1,5,,\n", 31 * day)),
        ("far-origin", 2, "10.0 days", format!("{},1,5,,\n{},1,5,,\n", 10 * day, 10 * day + 5)),
        ("far-origin", 0, "", "1600000000,1,5,,\n1600000009,1,5,,\n".to_owned()),
        ("far-origin", 0, "", "3600,1,5,,\n3700,1,5,,\n".to_owned()),
        ("long-gaps", 1, "from hour 1 on", format!("0,1,5,,\n3600,1,5,,\n{},1,5,,\n", 9 * day)),
        ("no-duration", 1, "fill=model", "0,1,,,\n9,1,5,,\n".to_owned()),
        ("unsorted", 1, "sorted by submission", "9,1,5,,\n0,1,5,,\n".to_owned()),
    ] {
        let report = import(format!("{header}{rows}").as_bytes()).unwrap().report;
        assert_eq!(warning(&report, code), count, "{code} {rows}");
        let found = report.warnings.iter().find(|warning| warning.code == code);
        assert!(found.is_none_or(|warning| warning.message.contains(said)), "{found:?}");
    }
}

#[test]
fn a_chosen_offset_moves_times_without_a_zone_only() {
    let text = "submit_s,gpus,duration_s\n2020-01-01 08:00:00,1,60\n2020-01-01 08:00:00Z,1,60\n";
    let options = ImportOptions { utc_offset_s: 8 * 3600, ..ImportOptions::default() };
    let imported = import_reader("t", text.as_bytes(), &options).unwrap();
    assert_eq!(imported.workload.jobs[1].submit, SimTime(8 * 3600 * 1_000_000));
    assert_eq!(warning(&imported.report, "local-times"), 1);
}

#[test]
fn own_jobs_may_be_a_bare_array_and_members_that_mean_nothing_are_told() {
    let job = r#"{"job": "a", "submit_s": 0, "gpus": 2, "duration_s": 5, "color": "red"}"#;
    let imported = import(format!("[{job}]").as_bytes()).unwrap();
    assert_eq!((imported.report.format.as_str(), imported.report.gpus_requested_sum), ("sts-json", 2.0));
    let wrapped =
        import(format!(r#"{{"format": "sts-json", "version": 1, "jobs": [{job}]}}"#).as_bytes()).unwrap();
    assert_eq!(wrapped.workload, imported.workload);
    for report in [imported.report, wrapped.report] {
        assert_eq!(warning(&report, "unused-columns"), 1);
        assert!(report.to_text().contains("members of jobs are not used: color."), "{}", report.to_text());
    }
}
