//! The figures of the report that follow from the workload alone, and what is odd about them.

use crate::trace::intake::Notice;
use crate::trace::report::ImportReport;
use crate::units::{MICROS_PER_S, MilliGpus, SimSpan, SimTime};
use crate::workload::{Outcome, Workload};

/// A request from which the report points out that small clusters cannot run it.
const LARGE_JOB: MilliGpus = MilliGpus(128_000);
/// Microseconds in a day.
const DAY: i64 = 86_400 * MICROS_PER_S;
/// A pause between submissions that the report points out.
const LONG_GAP: SimSpan = SimSpan(7 * DAY);
/// A run time that is seldom seen in seconds, and often when milliseconds are read as seconds.
const DOUBTFUL_DURATION: SimSpan = SimSpan(30 * DAY);
/// A length of a trace beyond which the unit is in doubt.
const DOUBTFUL_LENGTH: SimSpan = SimSpan(20 * 365 * DAY);

/// What one pass over the jobs finds.
#[derive(Default)]
struct Figures {
    gpu_jobs: u64,
    milli_gpus: u64,
    largest: MilliGpus,
    large: u64,
    with_duration: u64,
    zero_duration: u64,
    doubtful_durations: u64,
    longest: Option<SimSpan>,
    milli_gpu_micros: i128,
    timeless: u64,
    censored: u64,
    ties: u64,
    gaps: u64,
    longest_gap: SimSpan,
    last: SimTime,
}

impl Figures {
    fn of(workload: &Workload) -> Self {
        let mut figures = Self::default();
        for job in &workload.jobs {
            figures.gpu_jobs += u64::from(job.gpus.0 > 0);
            figures.milli_gpus += u64::from(job.gpus.0);
            figures.largest = figures.largest.max(job.gpus);
            figures.large += u64::from(job.gpus >= LARGE_JOB);
            match job.duration {
                Some(span) => {
                    figures.with_duration += 1;
                    figures.zero_duration += u64::from(span.0 == 0);
                    figures.doubtful_durations += u64::from(span > DOUBTFUL_DURATION);
                    figures.longest = figures.longest.max(Some(span));
                    figures.milli_gpu_micros += i128::from(span.0) * i128::from(job.gpus.0);
                    figures.censored += u64::from(job.outcome == Outcome::Running);
                }
                None => figures.timeless += u64::from(job.gpus.0 > 0),
            }
            let pause = job.submit - figures.last;
            figures.gaps += u64::from(pause > LONG_GAP);
            figures.longest_gap = figures.longest_gap.max(pause);
            figures.ties += u64::from(pause.0 == 0);
            figures.last = job.submit;
        }
        // The first job has none before it, and its pause counted as zero.
        figures.ties = figures.ties.saturating_sub(1);
        figures
    }
}

/// The figures of a workload in order of submission, and notices about them.
pub(super) fn measure(workload: &Workload) -> (ImportReport, Vec<Notice>) {
    let figures = Figures::of(workload);
    let jobs = workload.jobs.len() as u64;
    let first = (workload.first_submit_s * MICROS_PER_S as f64).round() as i64;
    let report = ImportReport {
        jobs,
        gpu_jobs: figures.gpu_jobs,
        zero_gpu_jobs: jobs - figures.gpu_jobs,
        gpus_requested_sum: figures.milli_gpus as f64 / 1000.0,
        max_gpus: (jobs > 0).then(|| figures.largest.as_gpus()),
        with_duration: figures.with_duration,
        zero_duration: figures.zero_duration,
        first_submit: (jobs > 0).then_some(workload.first_submit_s),
        last_submit: (jobs > 0).then(|| (first + figures.last.0) as f64 / MICROS_PER_S as f64),
        max_duration_s: figures.longest.map(SimSpan::as_secs),
        gpu_hours: figures.milli_gpu_micros as f64 / 3.6e12,
        tenants: workload.tenants.len() as u64,
        ..ImportReport::default()
    };
    (report, notices(&figures, jobs))
}

fn notices(figures: &Figures, jobs: u64) -> Vec<Notice> {
    let days = |span: SimSpan| span.0 as f64 / DAY as f64;
    let length = figures.last.since(SimTime::ZERO);
    let is_doubtful = figures.doubtful_durations * 2 > figures.with_duration || length > DOUBTFUL_LENGTH;
    vec![
        Notice::new(
            "censored",
            figures.censored,
            "jobs were still running when the trace ends; their run time is what had passed by then",
        ),
        Notice::new("ties", figures.ties, "jobs are submitted at the same instant as the one before"),
        Notice::new(
            "large-jobs",
            figures.large,
            format!(
                "jobs ask for {} GPUs or more, the largest for {}; what is larger than the simulated cluster never \
                 runs there and is listed",
                LARGE_JOB.as_gpus(),
                figures.largest.as_gpus()
            ),
        ),
        Notice::new(
            "no-duration",
            figures.timeless,
            "GPU jobs have no run time and cannot be replayed as they are",
        ),
        Notice::new(
            "long-gaps",
            figures.gaps,
            format!(
                "times nothing is submitted for more than {:.0} days, at most for {:.1}",
                days(LONG_GAP),
                days(figures.longest_gap)
            ),
        ),
        Notice::new(
            "milliseconds",
            if is_doubtful { jobs } else { 0 },
            format!(
                "jobs have times of doubtful unit: {} run longer than {:.0} days and submissions span {:.1} days; they \
                 may be in milliseconds",
                figures.doubtful_durations,
                days(DOUBTFUL_DURATION),
                days(length)
            ),
        ),
    ]
}
