//! What cluster managers export.

use sts_sim::units::{MilliGpus, SimSpan};
use sts_sim::workload::Outcome;

use crate::{assert_accounts, import, job, warning};

const BATSIM: &str = include_str!("../fixtures/traces/batsim.json");

fn message(report: &sts_sim::trace::ImportReport, code: &str) -> String {
    report.warnings.iter().find(|w| w.code == code).map_or(String::new(), |w| w.message.clone())
}

#[test]
fn batsim_jobs_run_as_long_as_their_profiles_say_wherever_these_stand() {
    let (before, after) = BATSIM.split_once("  \"profiles\"").unwrap();
    let (profiles, jobs) = after.split_once("  \"jobs\"").unwrap();
    let (jobs, end) = jobs.split_once("  \"nb_res\"").unwrap();
    let jobs_first = format!("{before}  \"jobs\"{jobs}  \"profiles\"{profiles}  \"nb_res\"{end}");
    for text in [BATSIM, &jobs_first] {
        let imported = import(text.as_bytes()).unwrap();
        let report = &imported.report;
        assert_accounts(report);
        assert_eq!((report.format.as_str(), report.records, report.jobs), ("batsim", 10, 8));
        assert_eq!((report.gpus_requested_sum, report.with_duration), (34.0, 4));
        assert!(!report.submit_sorted);
        let first = job(&imported, "w0!3");
        assert_eq!((first.gpus, first.duration), (MilliGpus(8000), Some(SimSpan(120_500_000))));
        assert_eq!(first.limit, Some(SimSpan(600_000_000)));
        assert_eq!(imported.workload.models[first.model.unwrap() as usize], "train.big");
        // A profile named by a number is no model; a walltime of −1 is no limit.
        let plain = job(&imported, "1");
        assert_eq!((plain.duration, plain.model, plain.limit), (Some(SimSpan(60_000_000)), None, None));
        // Killed at its walltime.
        let killed = job(&imported, "2");
        assert_eq!((killed.duration, killed.outcome), (Some(SimSpan(45_500_000)), Outcome::Failed));
        assert_eq!(job(&imported, "7").duration, Some(SimSpan(5_000_000)));
        for timeless in ["4", "5", "6", "8"] {
            assert_eq!(job(&imported, timeless).duration, None);
        }
        assert_eq!((warning(report, "work-profiles"), warning(report, "missing-profiles")), (3, 1));
        assert_eq!((warning(report, "hosts-as-gpus"), warning(report, "no-duration")), (8, 4));
        let work = message(report, "work-profiles");
        for words in ["ParallelTaskHomogeneous, delay without a time, msg_par_hg", "make_workload --hosts 16"]
        {
            assert!(work.contains(words), "{work}");
        }
        let rejected: Vec<_> =
            report.rejected.iter().map(|r| (r.column.as_deref(), r.value.as_str())).collect();
        assert_eq!(rejected, [(Some("subtime"), "soon"), (Some("res"), "-1")]);
    }
}
