//! The traces that simulators of the field read: what their columns mean, in which unit.

use sts_sim::trace::Imported;
use sts_sim::units::{MilliGpus, SimSpan, SimTime};

use crate::{FIXTURES, assert_accounts, import, job, warning};

const S: i64 = 1_000_000;

/// The `nth` fixture of a format, imported by content.
fn fixture(format: &str, nth: usize) -> Imported {
    let (_, bytes) = FIXTURES.iter().filter(|(of, _)| *of == format).nth(nth).unwrap();
    let imported = import(bytes).unwrap();
    assert_eq!(imported.report.format, format);
    assert_accounts(&imported.report);
    imported
}

fn model<'a>(imported: &'a Imported, id: &str) -> &'a str {
    job(imported, id).model.map_or("", |model| &imported.workload.models[model as usize])
}

#[test]
fn tiresias_is_in_seconds_and_its_interval_means_nothing() {
    let imported = fixture("tiresias", 0);
    let report = &imported.report;
    assert_eq!((report.records, report.jobs, report.gpus_requested_sum), (4, 4, 139.0));
    assert_eq!((report.with_duration, report.zero_duration, report.tenants), (4, 1, 1));
    assert!((report.gpu_hours - 34_864.0 / 3600.0).abs() < 1e-9);
    assert_eq!((report.first_submit, report.last_submit), (Some(0.0), Some(100.0)));
    assert_eq!((warning(report, "ties"), warning(report, "large-jobs")), (1, 1));
    assert_eq!(job(&imported, "1").submit, SimTime(40 * S));
    assert_eq!(job(&imported, "3").duration.get(), Some(SimSpan(45_500_000)));
    assert_eq!(model(&imported, "1"), "resnet50");
}

#[test]
fn the_older_layout_of_tiresias_has_starts() {
    let imported = fixture("tiresias", 1);
    let report = &imported.report;
    assert_eq!((report.records, report.jobs, report.skipped_count()), (3, 2, 1));
    let traced = job(&imported, "7");
    assert_eq!((traced.start.get(), traced.end.get()), (Some(SimTime(3 * S)), Some(SimTime(23 * S))));
    // A start before the submission is none.
    assert_eq!((job(&imported, "8").start.get(), job(&imported, "8").end.get()), (None, None));
    assert_eq!((job(&imported, "8").gpus, model(&imported, "8")), (MilliGpus(4000), "vgg11"));
}

#[test]
fn muri_is_in_milliseconds() {
    let imported = fixture("muri", 0);
    let report = &imported.report;
    assert_eq!((report.records, report.jobs, report.rejected_count), (4, 2, 2));
    assert_eq!(report.last_submit, Some(90.0));
    assert_eq!(job(&imported, "0").duration.get(), Some(SimSpan(250_500_000)));
    assert_eq!(job(&imported, "1").duration.get(), Some(SimSpan(54 * 86_400 * S)));
    let rejected: Vec<_> =
        report.rejected.iter().map(|r| (r.line, r.column.as_deref(), r.value.as_str())).collect();
    assert_eq!(rejected, [(4, Some("duration"), "-5"), (5, Some("submit_time"), "9000000000001")]);
    assert!(report.rejected.iter().all(|r| r.expected.contains("milliseconds") && !r.hint.is_empty()));
}

#[test]
fn chronus_is_unsorted_and_has_the_virtual_cluster_as_user() {
    let imported = fixture("chronus", 0);
    let report = &imported.report;
    assert_eq!((report.jobs, report.gpu_jobs, report.zero_gpu_jobs), (4, 3, 1));
    assert_eq!((report.gpus_requested_sum, report.max_gpus), (37.0, Some(32.0)));
    assert!(!report.submit_sorted);
    assert_eq!(warning(report, "unsorted"), 1);
    assert_eq!((report.first_submit, report.last_submit), (Some(20.0), Some(900.0)));
    assert_eq!(imported.workload.tenants, ["vc_b", "vc_a", "vc_c"]);
    assert!(imported.workload.users.is_empty());
    assert_eq!(job(&imported, "0").submit, SimTime(280 * S));
    assert_eq!(job(&imported, "0").duration.get(), Some(SimSpan(70 * S)));
}

#[test]
fn titan_and_pollux_have_models_and_no_run_times() {
    let titan = fixture("titan", 0);
    assert_eq!((titan.report.jobs, titan.report.with_duration), (3, 0));
    assert_eq!((titan.report.gpus_requested_sum, titan.report.max_duration_s), (17.0, None));
    assert_eq!((warning(&titan.report, "no-duration"), warning(&titan.report, "ties")), (3, 1));
    assert_eq!(model(&titan, "vit@some#set-0"), "vit@some#set");
    assert_eq!(titan.report.last_submit, Some(92.25));
    let pollux = fixture("pollux", 0);
    assert_eq!((pollux.report.jobs, pollux.report.gpus_requested_sum), (3, 45.0));
    assert_eq!((warning(&pollux.report, "no-duration"), warning(&pollux.report, "ties")), (3, 1));
    assert_eq!(pollux.report.last_submit, Some(487.661836));
    assert_eq!(job(&pollux, "bert-1").submit, SimTime(380_661_836));
}

#[test]
fn pollux_files_with_row_numbers_in_front_are_read_alike() {
    let imported = fixture("pollux", 1);
    assert_eq!((imported.report.jobs, imported.report.gpus_requested_sum), (3, 13.0));
    assert_eq!(imported.report.first_submit, Some(13.0));
    assert_eq!((job(&imported, "cifar10-1").gpus, model(&imported, "yolov3-2")), (MilliGpus(8000), "yolov3"));
}

#[test]
fn shockwave_has_the_duration_before_the_arrival() {
    let imported = fixture("shockwave", 0);
    let report = &imported.report;
    assert_eq!((report.records, report.jobs, report.gpus_requested_sum), (3, 3, 11.0));
    assert_eq!((report.last_submit, report.max_duration_s), (Some(64.25), Some(3600.0)));
    assert!((report.gpu_hours - (1418.0 + 8.0 * 3600.0 + 2.0 * 62.5) / 3600.0).abs() < 1e-9);
    assert_eq!((warning(report, "batch-size-changes"), warning(report, "weights")), (2, 0));
    // There are no ids: records are numbered from 1.
    assert_eq!(
        (job(&imported, "2").gpus, model(&imported, "2")),
        (MilliGpus(8000), "Model-C (batch size 64)")
    );
}

#[test]
fn gavel_has_the_arrival_last_or_the_gpus_last() {
    let older = fixture("gavel", 0);
    assert_eq!((older.report.jobs, older.report.gpus_requested_sum), (3, 73.0));
    assert_eq!((older.report.last_submit, older.report.with_duration), (Some(219_316.5), 0));
    assert_eq!(job(&older, "3").gpus, MilliGpus(64_000));
    let newer = fixture("gavel", 1);
    assert_eq!((newer.report.jobs, newer.report.gpus_requested_sum), (3, 5.0));
    assert_eq!((newer.report.last_submit, newer.report.with_duration), (Some(2811.25), 0));
    assert_eq!((warning(&newer.report, "weights"), warning(&newer.report, "no-duration")), (2, 3));
    // Equal lines are jobs of their own, since nothing says that they are one.
    assert_eq!((newer.report.skipped_count(), warning(&newer.report, "identical-rows")), (0, 1));
    let timed = fixture("gavel", 2);
    assert_eq!((timed.report.jobs, timed.report.gpus_requested_sum), (3, 7.0));
    assert_eq!((timed.report.last_submit, timed.report.max_duration_s), (Some(90.0), Some(600.0)));
    assert_eq!((timed.report.with_duration, timed.report.zero_duration), (3, 1));
    assert_eq!(model(&timed, "1"), "Model-A (batch size 8)");
}

#[test]
fn the_layouts_of_gavel_with_a_mode_or_a_duration_are_told_apart() {
    let head = "A3C\trun %s\trl\t--steps\t0\t100\t2";
    for (lines, duration_s) in [
        // The first layout of all, without needs_data_dir.
        ("A3C\trun %s\t--steps\t100\t12.5\t2\nA3C\trun %s\t--steps\t100\t20\t2\n".to_string(), None),
        // A mode at the end, or before the weight.
        (format!("{head}\t1\t-1.0\t12.5\tstatic\n{head}\t1\t-1.0\t20\tgns\n"), None),
        (format!("{head}\tstatic\t1\t-1.0\t12.5\n{head}\tgns\t1\t-1.0\t20\n"), None),
        // A duration after the arrival, or before it: arrivals do not go back.
        (format!("{head}\t1\t-1.0\t12.5\t60\n{head}\t1\t-1.0\t20\t50\n{head}\t1\t-1.0\t20\t70\n"), Some(60)),
        (format!("{head}\t1\t-1.0\t60\t12.5\n{head}\t1\t-1.0\t50\t20\n{head}\t1\t-1.0\t70\t20\n"), Some(60)),
        // Both at the end.
        (format!("{head}\t1\t-1.0\t12.5\t60\tstatic\n{head}\t1\t-1.0\t20\t50\tgns\n"), Some(60)),
    ] {
        let imported = import(lines.as_bytes()).unwrap();
        assert_eq!(imported.report.format, "gavel", "{lines}");
        assert_eq!((imported.report.first_submit, imported.report.last_submit), (Some(12.5), Some(20.0)));
        assert_eq!(imported.report.max_gpus, Some(2.0), "{lines}");
        assert_eq!(job(&imported, "1").duration.get(), duration_s.map(|s| SimSpan(s * S)), "{lines}");
    }
}

#[test]
fn tables_that_only_have_tabs_are_not_gavels() {
    for text in [
        "a\tb\tc\td\te\tf\n1\t2\t3\t4\t5\t6\n",
        "1\t2\t3\t4\t5\t6\t7\t8\t9\t10\n",
        "x\ty\tz\t-\t1\t2.5\t1\t1\t1\t0\n",
        "x\ty\tz\t-n\t7\t2\t1\t1\t1\t0\n",
        "x\ty\tz\t-n\t1\t2\t0\t1\t1\t0\n",
    ] {
        assert!(sts_sim::trace::detect(text.as_bytes()).is_empty(), "{text:?}");
    }
}
