//! What the published tables of companies and laboratories mean.

use sts_sim::trace::{Imported, Refusal};
use sts_sim::units::{MilliGpus, SimSpan, SimTime};
use sts_sim::workload::Outcome;

use crate::{FIXTURES, assert_accounts, import, job, warning};

fn fixture(format: &str) -> Imported {
    let &(_, bytes) = FIXTURES.iter().rfind(|(name, _)| *name == format).unwrap();
    let imported = import(bytes).unwrap();
    assert_accounts(&imported.report);
    assert_eq!(imported.report.format, format);
    imported
}

fn kind(imported: &Imported, id: &str) -> String {
    job(imported, id).gpu_type.map_or_else(String::new, |t| imported.workload.gpu_types[t as usize].clone())
}

const fn seconds(s: i64) -> SimSpan {
    SimSpan(s * 1_000_000)
}

#[test]
fn seren_applies_offsets_and_takes_end_less_start() {
    let imported = fixture("acme-seren");
    let report = &imported.report;
    assert_eq!((report.records, report.jobs, report.gpu_jobs, report.zero_gpu_jobs), (5, 5, 4, 1));
    assert_eq!((report.gpus_requested_sum, report.max_gpus), (32.0, Some(16.0)));
    // 23:59 of the 31st, eight hours east of Greenwich, is the first; 00:00 in Greenwich is 08:00 there.
    assert_eq!(report.first_submit, Some(1_680_278_340.0));
    assert_eq!(job(&imported, "900").submit, job(&imported, "902").submit);
    assert!(!report.submit_sorted);
    assert_eq!(job(&imported, "900").duration.get(), Some(seconds(600)));
    assert_eq!(job(&imported, "902").duration.get(), Some(seconds(30)));
    assert_eq!(
        (job(&imported, "903").duration.get(), job(&imported, "903").outcome),
        (None, Outcome::Running)
    );
    assert_eq!(job(&imported, "904").duration.get(), Some(seconds(75)));
    assert_eq!((warning(report, "duration-differs"), warning(report, "local-times")), (1, 0));
    assert_eq!(imported.workload.tenants, ["ub", "ua"]);
}

#[test]
fn kalos_has_the_queue_in_its_durations() {
    let imported = fixture("acme-kalos");
    let report = &imported.report;
    assert_eq!((report.jobs, report.gpus_requested_sum), (3, 48.0));
    // duration 180 = queue 120 + run 60.
    assert_eq!(job(&imported, "dlcaa1").duration.get(), Some(seconds(60)));
    assert_eq!(job(&imported, "dlcaa2").duration.get(), Some(seconds(60)));
    assert_eq!(job(&imported, "dlcaa3").duration.get(), Some(seconds(10)));
    // The one row that keeps to what the publisher says of the column.
    assert_eq!(warning(report, "duration-differs"), 1);
}

#[test]
fn openb_gpus_are_thousandths_of_each_gpu_and_phases_are_no_ends() {
    let imported = fixture("openb-2023");
    let report = &imported.report;
    assert_eq!((report.records, report.jobs, report.gpu_jobs, report.rejected_count), (6, 5, 4, 1));
    assert_eq!(report.gpus_requested_sum, 0.47 + 8.0 + 1.0 + 1.62);
    assert_eq!((report.with_duration, report.max_duration_s), (4, Some(1000.0)));
    let shared = job(&imported, "pod-0");
    assert_eq!((shared.gpus, shared.workers, shared.duration.get()), (MilliGpus(470), 1, Some(seconds(380))));
    assert_eq!(shared.outcome, Outcome::Completed);
    assert_eq!(kind(&imported, "pod-0"), "V100M16|V100M32");
    assert_eq!((job(&imported, "pod-1").workers, job(&imported, "pod-1").outcome), (8, Outcome::Failed));
    let pending = job(&imported, "pod-3");
    assert_eq!((pending.gpus, pending.workers, pending.gpu_type), (MilliGpus(1000), 2, None));
    assert_eq!((pending.duration.get(), pending.end.get(), pending.outcome), (None, None, Outcome::Pending));
    let parts = job(&imported, "pod-4");
    assert_eq!((parts.gpus, parts.workers, parts.duration.get()), (MilliGpus(1620), 2, Some(seconds(1))));
    assert_eq!((report.rejected[0].line, report.rejected[0].column.as_deref()), (7, Some("gpu_milli")));
    assert_eq!((warning(report, "never-scheduled"), warning(report, "no-duration")), (1, 1));
    let states: Vec<(&str, u64)> = report.states.iter().map(|(word, n)| (word.as_str(), *n)).collect();
    assert_eq!(states, [("Running", 1), ("Failed", 1), ("Succeeded", 2), ("Pending", 1)]);
}

#[test]
fn openb_lists_without_times_are_refused_with_the_way_out() {
    let text = "name,cpu_milli,memory_mib,num_gpu,gpu_milli\nopenb-pod-0000,12000,16384,1,1000\n";
    let refused = import(text.as_bytes()).unwrap_err();
    assert!(matches!(refused, Refusal::MissingColumns { .. }), "{refused:?}");
    let message = refused.to_string();
    assert!(message.contains("creation_time") && message.contains("openb_pod_list_default"), "{message}");
}

#[test]
fn dlrm_instances_may_be_older_or_younger_than_the_trace() {
    let imported = fixture("dlrm-2025");
    let report = &imported.report;
    assert_eq!((report.jobs, report.gpu_jobs, report.with_duration), (4, 3, 2));
    for (name, figure) in
        [("gpu_instances", 3), ("with_all_times", 1), ("no_creation", 2), ("no_deletion", 2)]
    {
        assert_eq!(report.figures.get(name), Some(&figure), "{name}");
    }
    assert!(report.to_text().contains("  no creation   2\n"), "{}", report.to_text());
    let json = serde_json::to_value(report).unwrap();
    assert_eq!(json["no_creation"], 2);
    let throughout = job(&imported, "i_0");
    assert_eq!((throughout.submit, throughout.duration.get()), (SimTime::ZERO, None));
    assert_eq!(throughout.outcome, Outcome::Running);
    assert_eq!(job(&imported, "i_1").duration.get(), Some(SimSpan(300_500_000)));
    assert_eq!(job(&imported, "i_2").submit, SimTime(475_000_000));
    assert_eq!(job(&imported, "i_2").duration.get(), Some(seconds(600)));
    assert_eq!(job(&imported, "i_3").outcome, Outcome::Running);
    assert_eq!(imported.workload.tenants, ["app_a", "app_b"]);
}

#[test]
fn spot_gpus_are_those_of_a_worker_times_the_workers() {
    let imported = fixture("spot-2026");
    let report = &imported.report;
    assert_eq!((report.records, report.jobs, report.gpu_jobs, report.rejected_count), (5, 4, 3, 1));
    assert_eq!((job(&imported, "7").gpus, job(&imported, "7").workers), (MilliGpus(94_000), 94));
    assert_eq!(job(&imported, "7").duration.get(), Some(seconds(184 * 86_400)));
    assert_eq!((job(&imported, "8").gpus, job(&imported, "8").workers), (MilliGpus(16_000), 16));
    assert_eq!((job(&imported, "9").gpus, job(&imported, "9").workers), (MilliGpus(1500), 3));
    assert_eq!(kind(&imported, "8"), "A100-SXM4-80GB");
    assert_eq!(kind(&imported, "9"), "GPU-series-1");
    assert_eq!((report.zero_duration, report.submit_sorted), (1, false));
    assert_eq!(report.rejected[0].column.as_deref(), Some("worker_num"));
    // Columns in another order mean the same.
    let turned = "duration,worker_num,gpu_request,submit_time,organization\n60,2,8,0,3\n";
    assert_eq!(import(turned.as_bytes()).unwrap().report.gpus_requested_sum, 16.0);
}

#[test]
fn the_canonical_csv_of_helios_counts_microseconds() {
    let imported = fixture("helios-csv");
    let report = &imported.report;
    assert_eq!((report.records, report.jobs, report.gpu_jobs), (3, 3, 2));
    assert_eq!((report.first_submit, report.last_submit), (Some(0.0), Some(5835.0)));
    assert_eq!(job(&imported, "53").submit, SimTime(1_500_000));
    let cancelled = job(&imported, "51");
    assert_eq!((cancelled.gpus, cancelled.outcome), (MilliGpus(128_000), Outcome::Cancelled));
    assert_eq!((cancelled.duration.get(), cancelled.limit.get()), (Some(seconds(24)), Some(seconds(30))));
    assert_eq!(job(&imported, "52").duration.get(), Some(SimSpan(86_400_500_000)));
    assert_eq!(imported.workload.tenants, ["vcy", "vcx"]);
    assert_eq!(kind(&imported, "52"), "V100");
}
