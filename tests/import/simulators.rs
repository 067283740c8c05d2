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
    assert_eq!(job(&imported, "3").duration, Some(SimSpan(45_500_000)));
    assert_eq!(model(&imported, "1"), "resnet50");
}

#[test]
fn the_older_layout_of_tiresias_has_starts() {
    let imported = fixture("tiresias", 1);
    let report = &imported.report;
    assert_eq!((report.records, report.jobs, report.skipped_count()), (3, 2, 1));
    let traced = job(&imported, "7");
    assert_eq!((traced.start, traced.end), (Some(SimTime(3 * S)), Some(SimTime(23 * S))));
    // A start before the submission is none.
    assert_eq!((job(&imported, "8").start, job(&imported, "8").end), (None, None));
    assert_eq!((job(&imported, "8").gpus, model(&imported, "8")), (MilliGpus(4000), "vgg11"));
}

#[test]
fn muri_is_in_milliseconds() {
    let imported = fixture("muri", 0);
    let report = &imported.report;
    assert_eq!((report.records, report.jobs, report.rejected_count), (4, 2, 2));
    assert_eq!(report.last_submit, Some(90.0));
    assert_eq!(job(&imported, "0").duration, Some(SimSpan(250_500_000)));
    assert_eq!(job(&imported, "1").duration, Some(SimSpan(54 * 86_400 * S)));
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
    assert_eq!(job(&imported, "0").duration, Some(SimSpan(70 * S)));
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
