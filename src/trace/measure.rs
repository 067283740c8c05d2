//! The figures of the report that follow from the workload alone, and what is odd about them.

use crate::trace::intake::Notice;
use crate::trace::report::ImportReport;
use crate::units::{DATES_FROM_S, MICROS_PER_S, MilliGpus, SimSpan, SimTime};
use crate::workload::{JobRecord, Outcome, Workload};

/// A request from which the report points out that small clusters cannot run it.
const LARGE_JOB: MilliGpus = MilliGpus(128_000);
/// Microseconds in a day.
const DAY: i64 = 86_400 * MICROS_PER_S;
/// A pause between submissions that the report points out.
const LONG_GAP: SimSpan = SimSpan(7 * DAY);
/// A run time that most jobs of a trace seldom stay below, unless seconds are read as milliseconds.
const TINY_DURATION: SimSpan = SimSpan(MICROS_PER_S);
/// A run time that is seldom seen in seconds, and often when milliseconds are read as seconds.
const DOUBTFUL_DURATION: SimSpan = SimSpan(30 * DAY);
/// A wait from which it is told whether a run time includes it; shorter ones drown in rounding.
const TELLING_WAIT: SimSpan = SimSpan(60 * MICROS_PER_S);
/// A first submission this far from 0, in seconds, that is no date.
const FAR_FROM_ZERO_S: f64 = 86_400.0;
/// Dates are between 1990 and 2100.
const DATES_S: std::ops::Range<f64> = DATES_FROM_S..4_102_444_800.0;
/// A length of a trace beyond which the unit is in doubt.
const DOUBTFUL_LENGTH: SimSpan = SimSpan(20 * 365 * DAY);

/// What one pass over the jobs finds, with times since the first submission.
#[derive(Default)]
pub(super) struct Figures {
    gpu_jobs: u64,
    milli_gpus: u64,
    largest: MilliGpus,
    large: u64,
    with_duration: u64,
    zero_duration: u64,
    /// Jobs that run, and for less than a second.
    tiny_durations: u64,
    doubtful_durations: u64,
    longest: Option<SimSpan>,
    milli_gpu_micros: i128,
    timeless: u64,
    censored: u64,
    ties: u64,
    /// Jobs at the instant of the last one seen, and the most at any instant.
    at_once: u64,
    most_at_once: u64,
    gaps: u64,
    longest_gap: SimSpan,
    /// The submission before the longest gap.
    before_gap: SimTime,
    last: SimTime,
    /// Jobs that waited, by their traced times, and have a run time.
    waited: u64,
    /// Those whose run time goes from submission to end.
    with_queue: u64,
    /// The time they waited.
    queued: i128,
}

impl Figures {
    /// Looks at the next job in order of submission.
    pub(super) fn add(&mut self, job: &JobRecord) {
        self.gpu_jobs += u64::from(job.gpus.0 > 0);
        self.milli_gpus += u64::from(job.gpus.0);
        self.largest = self.largest.max(job.gpus);
        self.large += u64::from(job.gpus >= LARGE_JOB);
        match job.duration.get() {
            Some(span) => {
                self.with_duration += 1;
                self.zero_duration += u64::from(span.0 == 0);
                self.tiny_durations += u64::from(span.0 > 0 && span < TINY_DURATION);
                self.doubtful_durations += u64::from(span > DOUBTFUL_DURATION);
                self.longest = self.longest.max(Some(span));
                self.milli_gpu_micros += i128::from(span.0) * i128::from(job.gpus.0);
                self.censored += u64::from(job.outcome == Outcome::Running);
                self.look_for_queue(job, span);
            }
            None => self.timeless += u64::from(job.gpus.0 > 0),
        }
        let pause = job.submit - self.last;
        self.gaps += u64::from(pause > LONG_GAP);
        if pause > self.longest_gap {
            (self.longest_gap, self.before_gap) = (pause, self.last);
        }
        self.ties += u64::from(pause.0 == 0);
        self.at_once = if pause.0 == 0 { self.at_once + 1 } else { 1 };
        self.most_at_once = self.most_at_once.max(self.at_once);
        self.last = job.submit;
    }

    /// Whether a run time is that from submission to end, though the job waited.
    fn look_for_queue(&mut self, job: &JobRecord, span: SimSpan) {
        let (Some(start), Some(end)) = (job.start.get(), job.end.get()) else { return };
        let wait = start - job.submit;
        if wait < TELLING_WAIT {
            return;
        }
        self.waited += 1;
        let off = (span - (end - job.submit)).0.abs();
        if off <= MICROS_PER_S {
            self.with_queue += 1;
            self.queued += i128::from(wait.0);
        }
    }
}

/// The figures of a workload whose jobs were looked at, and notices about them.
pub(super) fn measure(workload: &Workload, mut figures: Figures) -> (ImportReport, Vec<Notice>) {
    // The first job has none before it, and its pause counted as zero.
    figures.ties = figures.ties.saturating_sub(1);
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
    (report, notices(&figures, jobs, workload.first_submit_s))
}

fn notices(figures: &Figures, jobs: u64, first_submit_s: f64) -> Vec<Notice> {
    let days = |span: SimSpan| span.0 as f64 / DAY as f64;
    let length = figures.last.since(SimTime::ZERO);
    let is_doubtful = figures.doubtful_durations * 2 > figures.with_duration || length > DOUBTFUL_LENGTH;
    let hours = |time: SimTime| time.as_secs() / 3600.0;
    let has_queue = figures.with_queue * 2 > figures.waited;
    let is_date = DATES_S.contains(&first_submit_s);
    let is_far = first_submit_s.abs() > FAR_FROM_ZERO_S && !is_date;
    vec![
        Notice::new(
            "censored",
            figures.censored,
            "jobs were still running when the trace ends; their run time is what had passed by then",
        ),
        Notice::new(
            "ties",
            figures.ties,
            format!(
                "jobs are submitted at the same instant as the one before, at most {} at once; policies take them in the \
                 order of the file",
                figures.most_at_once
            ),
        ),
        Notice::new(
            "duration-includes-queue",
            if has_queue { figures.with_queue } else { 0 },
            format!(
                "of {} jobs that waited a minute or more have a run time from submission to end, {:.1} h of waiting in the \
                 mean: it seems to include the queue. Take run times from start to end (run_time=start-to-end)",
                figures.waited,
                figures.queued as f64 / figures.with_queue.max(1) as f64 / 3.6e9
            ),
        ),
        Notice::new(
            "zero-durations",
            figures.zero_duration,
            "jobs have a run time of zero: they end as they start. If the source rounds down, give them the shortest time it \
             can tell (shortest_s=1)",
        ),
        Notice::new(
            "tiny-durations",
            if figures.tiny_durations * 2 > figures.with_duration { figures.tiny_durations } else { 0 },
            "jobs, most of all, run for less than a second: their times may be in seconds and are read as milliseconds. Name the \
             columns and their unit in a mapping (generic-csv)",
        ),
        Notice::new(
            "long-durations",
            if is_doubtful { 0 } else { figures.doubtful_durations },
            format!(
                "jobs run longer than {:.0} days, the longest for {:.1}: a run goes on until they end. Cut them \
                 (longest_s={}) or set a horizon if they are services",
                days(DOUBTFUL_DURATION),
                days(figures.longest.unwrap_or_default()),
                DOUBTFUL_DURATION.0 / MICROS_PER_S
            ),
        ),
        Notice::new(
            "far-origin",
            if is_far { jobs } else { 0 },
            format!(
                "jobs are submitted from {:.1} days on, which is no date; times count from the first submission. If these are \
                 milliseconds or microseconds since 1970, say so (times=milliseconds)",
                first_submit_s / 86_400.0
            ),
        ),
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
            "GPU jobs have no run time and cannot be replayed as they are. Fill it with a median (fill=model) or a stated time \
             (fill_s=3600); of jobs that were still running, take what had passed (running=elapsed)",
        ),
        Notice::new(
            "long-gaps",
            figures.gaps,
            format!(
                "{} nothing is submitted for more than {:.0} days, at most for {:.1}, from hour {:.0} on. Take a window on \
                 one side of it if the trace was cut together",
                if figures.gaps == 1 { "time" } else { "times" },
                days(LONG_GAP),
                days(figures.longest_gap),
                hours(figures.before_gap)
            ),
        ),
        Notice::new(
            "milliseconds",
            if is_doubtful { jobs } else { 0 },
            format!(
                "jobs have times of doubtful unit: {} run longer than {:.0} days and submissions span {:.1} days; if they are \
                 in milliseconds, say so (times=milliseconds)",
                figures.doubtful_durations,
                days(DOUBTFUL_DURATION),
                days(length)
            ),
        ),
    ]
}
