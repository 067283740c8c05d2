//! Detection, the list of formats, the report and the digest.

use serde_json::Value;
use sts_sim::trace::{ImportReport, WorkloadDigest, detect, formats};
use sts_sim::workload::Workload;

use crate::{FIXTURES, import, import_as};

#[test]
fn every_fixture_is_recognised_with_evidence() {
    for &(format, bytes) in FIXTURES {
        let found = detect(bytes);
        assert_eq!(found[0].format, format);
        assert!(found[0].score >= 80 && !found[0].evidence.is_empty(), "{format}: {found:?}");
        // No other format would be taken for it.
        assert!(found.iter().skip(1).all(|other| other.score < 50), "{found:?}");
        assert_eq!(import(bytes).unwrap().detections, found);
        assert_eq!(import_as(format, bytes).unwrap(), import(bytes).unwrap());
    }
    assert!(detect(b"hello").is_empty());
}

#[test]
fn the_list_of_formats_is_plain_data() {
    let list = serde_json::to_value(formats()).unwrap();
    assert_eq!(list[0]["name"], "sts-csv");
    for format in list.as_array().unwrap() {
        for column in format["columns"].as_array().unwrap() {
            for key in ["name", "unit", "required", "default", "range", "help"] {
                assert!(column.get(key).is_some(), "{column} lacks {key}");
            }
        }
    }
}

#[test]
fn the_report_has_every_key_of_the_contract() {
    let report = import(b"submit_s,gpus,duration_s\n0,x,1\n").unwrap().report;
    let json = serde_json::to_value(&report).unwrap();
    for key in [
        "format",
        "kind",
        "records",
        "jobs",
        "gpu_jobs",
        "zero_gpu_jobs",
        "gpus_requested_sum",
        "max_gpus",
        "with_duration",
        "zero_duration",
        "duplicate_ids",
        "submit_sorted",
        "first_submit",
        "last_submit",
        "max_duration_s",
        "gpu_hours",
        "tenants",
        "states",
        "skipped",
        "rejected",
        "rejected_count",
        "warnings",
    ] {
        assert!(json.get(key).is_some(), "{key}");
    }
    assert_eq!(json["kind"], "jobs");
    assert_eq!(json["first_submit"], Value::Null);
    for key in ["line", "column", "value", "expected", "hint"] {
        assert!(json["rejected"][0].get(key).is_some(), "{key}");
    }
    assert_eq!(serde_json::from_value::<ImportReport>(json).unwrap(), report);
}

#[test]
fn the_report_reads_well_on_a_terminal() {
    let text = import(FIXTURES[0].1).unwrap().report.to_text();
    assert!(text.starts_with("helios-csv: 10 records = 6 jobs + 1 skipped + 3 rejected\n"), "{text}");
    for line in [
        "  submissions   2020-06-09 18:40:00 UTC to 2020-06-09 18:45:00 UTC (unsorted in the file)",
        "skipped 1: duplicate (lines 7)",
        "rejected line 9, column gpu_num: found \"-1\", expected a number of GPUs from 0 to 65,536 \
         (a request cannot be negative)",
    ] {
        assert!(text.lines().any(|l| l == line), "{line:?} is not in:\n{text}");
    }
}

#[test]
fn the_digest_sums_up_the_workload() {
    let digest = WorkloadDigest::of(&import(FIXTURES[0].1).unwrap().workload);
    assert_eq!((digest.jobs, digest.gpu_jobs, digest.span_s), (6, 5, 300.0));
    assert_eq!(digest.arrivals.jobs.iter().sum::<u64>(), 5);
    assert!(digest.arrivals.jobs.len() <= 96 && digest.arrivals.bucket_s * 96.0 >= digest.span_s);
    let tenants: Vec<(&str, u64)> = digest.tenants.iter().map(|t| (t.name.as_str(), t.jobs)).collect();
    assert_eq!(tenants, [("vc2", 3), ("vc1", 1), ("vc3", 1)]);
    let hours = (128.0 * 30.0 + 60.0 + 2.0 * 600.0 + 4.0 * 60.0) / 3600.0;
    assert!((digest.gpu_hours - hours).abs() < 1e-9);
    assert!((digest.offered_gpus.unwrap() - hours * 12.0).abs() < 1e-9);
    assert_eq!(digest.jobs_per_hour, Some(60.0));
    let durations = digest.durations.unwrap();
    assert_eq!(
        (durations.min_s, durations.p50_s, durations.p99_s, durations.max_s),
        (30.0, 60.0, 600.0, 600.0)
    );
    assert_eq!(digest.gpu_sizes.iter().map(|s| s.jobs).collect::<Vec<_>>(), [1, 2, 1, 1, 1]);
    let empty = WorkloadDigest::of(&Workload::default());
    assert_eq!((empty.jobs, empty.durations, empty.offered_gpus), (0, None, None));
}
