//! The Standard Workload Format: unknowns, partial executions, what the header says, and what is no such file.

use sts_sim::trace::detect;
use sts_sim::units::{MilliGpus, SimSpan, SimTime};
use sts_sim::workload::Outcome;

use crate::{FIXTURES, assert_accounts, import, import_as, job, warning};

const S: i64 = 1_000_000;

fn fixture() -> &'static str {
    let (_, bytes) = FIXTURES.iter().find(|(format, _)| *format == "swf").unwrap();
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn unknowns_partial_executions_and_limits_mean_what_the_standard_says() {
    let imported = import(fixture().as_bytes()).unwrap();
    let report = &imported.report;
    assert_accounts(report);
    assert_eq!((report.format.as_str(), report.records, report.jobs), ("swf", 14, 8));
    assert_eq!((report.gpu_jobs, report.zero_gpu_jobs, report.gpus_requested_sum), (7, 1, 160.0));
    assert_eq!((report.with_duration, report.zero_duration), (7, 1));
    // The origin is the log's own.
    assert_eq!((report.first_submit, report.last_submit), (Some(600.0), Some(800.0)));
    let states: Vec<(&str, u64)> = report.states.iter().map(|(w, n)| (w.as_str(), *n)).collect();
    assert_eq!(states, [("1", 4), ("0", 1), ("5", 1), ("4", 1), ("7", 1)]);
    // Requested processors count; the time asked for is a limit; the group is the tenant.
    let first = job(&imported, "3");
    assert_eq!((first.gpus, first.limit.get()), (MilliGpus(8000), Some(SimSpan(3600 * S))));
    assert_eq!((first.start.get(), first.end.get()), (Some(SimTime(10 * S)), Some(SimTime(110 * S))));
    assert_eq!(imported.workload.tenants[first.tenant.index()], "7");
    assert_eq!(imported.workload.users[first.user.unwrap() as usize], "1");
    // Without them the allocated ones do; without a wait there is no start; without a group the user is the tenant.
    let second = job(&imported, "4");
    assert_eq!((second.gpus, second.start.get(), second.limit.get()), (MilliGpus(16_000), None, None));
    assert_eq!((second.duration.get(), second.outcome), (Some(SimSpan(50_250_000)), Outcome::Failed));
    assert_eq!(imported.workload.tenants[second.tenant.index()], "2");
    assert_eq!(job(&imported, "6").duration.get(), Some(SimSpan::ZERO));
    // Cancelled in the queue: neither processors nor a run, hence no start.
    let cancelled = job(&imported, "7");
    assert_eq!((cancelled.gpus, cancelled.duration.get(), cancelled.start.get()), (MilliGpus(0), None, None));
    assert_eq!(cancelled.outcome, Outcome::Cancelled);
    // A run beyond its limit is kept.
    assert_eq!(job(&imported, "8").duration.get(), Some(SimSpan(4000 * S)));
    assert_eq!(warning(report, "over-limit"), 1);
}

#[test]
fn a_job_in_pieces_counts_once() {
    let imported = import(fixture().as_bytes()).unwrap();
    let report = &imported.report;
    // Below its whole run, pieces are skipped.
    let whole = job(&imported, "9");
    assert_eq!((whole.duration.get(), whole.outcome), (Some(SimSpan(300 * S)), Outcome::Completed));
    // Without it they are joined: 100 s, 60 s away, 40 s, 20 s away, 60.5 s.
    let joined = job(&imported, "10");
    assert_eq!((joined.duration.get(), joined.outcome), (Some(SimSpan(200_500_000)), Outcome::Failed));
    assert_eq!((joined.start.get(), joined.end.get()), (Some(SimTime(140 * S)), Some(SimTime(420_500_000))));
    assert_eq!((report.skipped.len(), report.skipped[0].reason.as_str()), (1, "partial-execution"));
    assert_eq!((report.skipped[0].count, &report.skipped[0].first_lines[..]), (4, &[20, 21, 24, 25][..]));
    assert_eq!(report.duplicate_ids, 0);
    // The same file twice: what was read before is not read again, its pieces neither.
    let twice = import([fixture(), fixture()].concat().as_bytes()).unwrap();
    assert_accounts(&twice.report);
    assert_eq!((twice.report.records, twice.report.jobs), (28, 8));
    assert_eq!(job(&twice, "10").duration.get(), joined.duration.get());
    // Pieces that last too long together are rejected one by one.
    let long = "; MaxProcs: 4\n1 0 0 3000000000 1 -1 -1 1 -1 -1 2 1 1 -1 -1 -1 -1 -1\n";
    let pieces = format!("{long}1 -1 0 3000000000 1 -1 -1 1 -1 -1 2 1 1 -1 -1 -1 -1 -1\n");
    let report = import(pieces.as_bytes()).unwrap().report;
    assert_eq!((report.jobs, report.rejected_count, report.rejected[0].line), (1, 1, 3));
}

#[test]
fn times_far_from_a_stated_origin_are_not_doubted() {
    let job = "1 864000 0 600 1 -1 -1 1 -1 -1 1 1 1 -1 -1 -1 -1 -1\n";
    let dated = format!("; UnixStartTime: 843480031\n; MaxProcs: 4\n{job}");
    assert_eq!(warning(&import(dated.as_bytes()).unwrap().report, "far-origin"), 0);
    let dateless = format!("; MaxProcs: 4\n{job}");
    assert_eq!(warning(&import(dateless.as_bytes()).unwrap().report, "far-origin"), 1);
}

#[test]
fn the_header_is_compared_with_the_jobs_and_lines_that_are_none_are_rejected() {
    let report = import(fixture().as_bytes()).unwrap().report;
    assert_eq!((warning(&report, "processors-as-gpus"), warning(&report, "larger-than-header")), (7, 1));
    assert_eq!((warning(&report, "log-origin"), warning(&report, "other-count-than-header")), (1, 0));
    assert!(report.warnings.iter().any(|w| w.message.contains("1996-09-23 12:00:31 UTC (Europe/Stockholm)")));
    assert_eq!((warning(&report, "negative-times"), warning(&report, "unknown-states")), (1, 1));
    let rejected: Vec<_> =
        report.rejected.iter().map(|r| (r.line, r.column.as_deref(), r.value.as_str())).collect();
    assert_eq!(rejected, [(26, Some("submit time"), "-1"), (28, None, "17 fields")]);
    assert!(report.rejected[0].hint.contains("unknown"), "{:?}", report.rejected[0]);
    // A part of a log has fewer records than its header says.
    let part: String = fixture().lines().take(13).flat_map(|line| [line, "\r\n"]).collect();
    let report = import(part.as_bytes()).unwrap().report;
    assert_eq!((report.jobs, warning(&report, "other-count-than-header")), (2, 1));
    // A header with nothing below it.
    let refused = import(b"; Version: 2.2\n; MaxProcs: 100\n").unwrap_err().to_string();
    assert!(refused.contains("no job"), "{refused}");
}

#[test]
fn only_what_is_a_log_is_taken_for_one() {
    let score = |text: &str| {
        detect(text.as_bytes()).iter().find(|found| found.format == "swf").map_or(0, |found| found.score)
    };
    let bare: String = fixture()
        .lines()
        .filter(|line| !line.starts_with(';') && !line.is_empty())
        .take(4)
        .flat_map(|line| [line, "\n"])
        .collect();
    // No header at all, tabs for blanks, unknown comments: still a log.
    assert!(score(&bare) >= 90 && score(&bare.replace("   ", "\t")) >= 90);
    assert!(score(&format!("; hello\n{bare}")) >= 90);
    assert_eq!(import(bare.as_bytes()).unwrap().report.jobs, 4);
    // Lines that do not fit below a header that does.
    assert_eq!(score(&format!("; MaxProcs: 1\n; MaxJobs: 2\n{bare}x y z\n{bare}")), 70);
    // Whitespace tables of other things, a binary matrix, one line, too few columns, words.
    let matrix =
        |row: usize| (0..18).map(|at| if at == row { "1 " } else { "0 " }).collect::<String>() + "\n";
    for text in [
        (0..18).map(matrix).collect::<String>(),
        bare.lines().next().unwrap().to_owned(),
        bare.replace(" -1 -1 -1\n", "\n"),
        bare.replace(" 7 ", " x "),
        bare.replace("  -1  1 -1 -1 -1\n", "  -1  1 -1 -1 0.5 -1\n"),
        "; a\n; b\n".to_owned(),
        ";;; (defun x (y) z)\n(setq a 1)\n".to_owned(),
        "a b c\n1 2 3\n".to_owned(),
    ] {
        assert_eq!(score(&text), 0, "{text}");
        assert!(import(text.as_bytes()).is_err());
    }
    // Films that share the name.
    for magic in [&b"FWS\x06\x10\0\0\0"[..], b"CWS\x0ax\x9c\0\0", b"ZWS\x0d\0\0\0\0"] {
        assert!(import(magic).unwrap_err().to_string().contains("Flash"));
        assert!(import_as("swf", magic).is_err());
    }
}
