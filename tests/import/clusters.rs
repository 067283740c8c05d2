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

const SACCT_GUESSED: &[u8] = include_bytes!("../fixtures/traces/sacct_guessed.txt");
const SACCT_PAIRS: &[u8] = include_bytes!("../fixtures/traces/sacct_pairs.txt");

#[test]
fn sacct_without_names_is_guessed_and_the_report_shows_the_guess() {
    let imported = import(SACCT_GUESSED).unwrap();
    let report = &imported.report;
    assert_accounts(report);
    assert_eq!((report.records, report.jobs, report.gpu_jobs, report.zero_gpu_jobs), (6, 5, 4, 1));
    assert_eq!((report.gpus_requested_sum, report.with_duration, report.duplicate_ids), (6.0, 4, 1));
    assert_eq!(
        message(report, "guessed-columns"),
        "12 columns have no names; by what they hold, these were recognised: 1 JobID, 2 User, 3 Account, 4 Partition, \
         5 Submit, 6 Start, 7 End, 8 Elapsed, 9 Timelimit, 10 State, 11 AllocTRES, 12 NodeList. If that is wrong, export \
         the file with its header."
    );
    assert_eq!(
        (imported.workload.tenants.join(","), imported.workload.users.join(",")),
        ("bio,chem".into(), "ann,bob".into())
    );
    let first = job(&imported, "400");
    assert_eq!((first.gpus, first.duration), (MilliGpus(2000), Some(SimSpan(3_600_000_000))));
    assert_eq!(first.limit, Some(SimSpan(86_400_000_000)));
    // The first try of a requeued job held its GPUs, and the second one is a job of its own.
    let tries = [job(&imported, "402+0"), job(&imported, "402+0#2")];
    assert_eq!(tries.map(|job| job.outcome), [Outcome::Cancelled, Outcome::Failed]);
    assert_eq!(tries.map(|job| job.duration), [Some(SimSpan(30_000_000)), Some(SimSpan(1_200_000_000))]);
    let running = job(&imported, "402+1");
    assert_eq!((running.gpus, running.duration), (MilliGpus(2000), Some(SimSpan(172_801_000_000))));
    for (code, count) in [
        ("waiting-arrays", 1),
        ("het-components", 3),
        ("censored", 1),
        ("mig-slices", 1),
        ("unknown-states", 0),
    ] {
        assert_eq!(warning(report, code), count, "{code}");
    }
}

#[test]
fn sacct_takes_delimiters_of_two_marks_and_old_resources() {
    let imported = import(SACCT_PAIRS).unwrap();
    let report = &imported.report;
    assert_accounts(report);
    assert_eq!((report.records, report.jobs, report.rejected_count), (3, 3, 0), "{report:?}");
    // Eight on each of two nodes; a name with a bar in it is no trouble.
    assert_eq!(job(&imported, "500").gpus, MilliGpus(16_000));
    assert_eq!(
        (job(&imported, "501").gpus, job(&imported, "501").outcome),
        (MilliGpus(2000), Outcome::Cancelled)
    );
    assert_eq!(imported.workload.gpu_types, ["kepler"]);
    assert_eq!((job(&imported, "502").start, job(&imported, "502").duration), (None, None));
    assert_eq!((warning(report, "invalid-utf8"), warning(report, "continued-rows")), (1, 1));
}

#[test]
fn sacct_takes_tabs_and_quoted_commas() {
    let tabs = "JobID\tUser\tSubmit\tElapsedRaw\tState\tReqTRES\n1\tann\t5\t60\tFAILED\tcpu=1,gres/gpu=2\n";
    let commas = "JobID,User,Submit,ElapsedRaw,State,ReqTRES\n1,ann,5,60,FAILED,\"cpu=1,gres/gpu=2\"\n";
    for text in [tabs, commas] {
        let imported = import(text.as_bytes()).unwrap();
        assert_eq!((imported.report.format.as_str(), imported.report.gpus_requested_sum), ("sacct", 2.0));
    }
}

#[test]
fn sacct_that_cannot_be_replayed_says_what_is_missing_and_the_command_that_helps() {
    let refused = |text: &str| import(text.as_bytes()).unwrap_err().to_string();
    let default =
        refused("JobID|JobName|Partition|Account|AllocCPUS|State|ExitCode\n1|a|p|b|1|COMPLETED|0:0\n");
    for words in ["the column Submit", "a run time", "the GPUs", "sacct -a -X -P", "Found JobID, JobName"] {
        assert!(default.contains(words), "{words}: {default}");
    }
    let unnamed = refused("1|a|p|b|1|COMPLETED|0:0\n2|a|p|b|1|COMPLETED|0:0\n");
    assert!(unnamed.contains("sacct -a -X -P"), "{unnamed}");
    let steps = "JobID|Submit|ElapsedRaw|AllocTRES\n1.batch|0|5|gres/gpu=1\n1.0|0|5|gres/gpu=1\n";
    let report = import(steps.as_bytes()).unwrap().report;
    assert_eq!((report.jobs, warning(&report, "steps-only")), (0, 2));
}
