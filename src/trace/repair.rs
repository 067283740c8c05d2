//! Repairs of what was read. Each has to be asked for, and each is counted in the report.
//!
//! They are made in this order: repeated ids (while records are read), the unit of times, run times from starts and ends, run times of
//! jobs that were still running, missing run times, and the range of run times.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::trace::report::{self, Repaired};
use crate::units::{DATES_FROM_S, MICROS_PER_S, SimSpan, SimTime};
use crate::workload::{JobRecord, Outcome};

/// How many lines of repaired records the report shows for each repair.
const SHOWN_LINES: usize = 5;

/// What is repaired in an import; nothing by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Repairs {
    /// What becomes of records that have the id of an earlier, different one.
    #[serde(skip_serializing_if = "is_default")]
    pub repeated_ids: RepeatedIds,
    /// The unit of times that were read as seconds.
    #[serde(skip_serializing_if = "is_default")]
    pub times: TimesIn,
    /// Where run times come from, for jobs with a start and an end.
    #[serde(skip_serializing_if = "is_default")]
    pub run_time: RunTimeFrom,
    /// The run time of jobs that had started and not ended.
    #[serde(skip_serializing_if = "is_default")]
    pub running: RunningJobs,
    /// The run time of GPU jobs that have none. Jobs that were cancelled before they started keep none.
    #[serde(skip_serializing_if = "is_default")]
    pub fill: FillFrom,
    /// Seconds that a missing run time becomes where there is no median, or none is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fill_s: Option<u64>,
    /// Shorter run times become this long, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shortest_s: Option<u64>,
    /// Longer run times become this long, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longest_s: Option<u64>,
}

/// What becomes of records that have the id of an earlier, different one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RepeatedIds {
    /// All are jobs; later ones carry a suffix `#2`, `#3`, …
    #[default]
    Keep,
    /// The first record is the job.
    First,
    /// The last record is the job.
    Last,
}

/// The unit of times that were read as seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimesIn {
    /// Seconds, as they were read.
    #[default]
    Seconds,
    /// Thousandths of a second.
    Milliseconds,
    /// Millionths of a second.
    Microseconds,
}

/// Where run times come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunTimeFrom {
    /// From what the file calls so.
    #[default]
    AsRead,
    /// From start to end.
    StartToEnd,
}

/// The run time of jobs that had started and not ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunningJobs {
    /// As the file says; if it says nothing, none.
    #[default]
    AsRead,
    /// From their start to the last moment in the trace.
    Elapsed,
}

/// Whose median a missing run time becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FillFrom {
    /// Nobody's: it stays missing.
    #[default]
    Nothing,
    /// That of jobs of the same model; without any, of the same tenant; without any, of all.
    Model,
    /// That of jobs of the same tenant; without any, of all.
    Tenant,
    /// That of all jobs.
    All,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Repairs {
    /// Whether nothing is repaired.
    #[must_use]
    pub fn is_none(&self) -> bool {
        is_default(self)
    }

    /// Checks that no repair contradicts another.
    ///
    /// # Errors
    /// The key at fault, what it is, and what was expected.
    pub fn check(&self) -> Result<(), (&'static str, u64, String)> {
        match (self.shortest_s, self.longest_s) {
            (Some(shortest), Some(longest)) if longest < shortest => {
                Err(("longest_s", longest, format!("at least shortest_s, which is {shortest}")))
            }
            _ => Ok(()),
        }
    }
}

/// Where a job comes from; kept only where something is repaired.
#[derive(Debug, Clone, Copy)]
pub(super) struct Origin {
    /// The line of its record.
    pub(super) line: u64,
    /// The position of its state among those of the report, if it has one.
    pub(super) state: Option<u32>,
}

/// Counts what one repair changes.
#[derive(Debug, Default)]
pub(super) struct Tally {
    count: u64,
    first_lines: Vec<u64>,
}

impl Tally {
    pub(super) fn add(&mut self, line: u64) {
        self.count += 1;
        if self.first_lines.len() < SHOWN_LINES {
            self.first_lines.push(line);
        }
    }

    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// The first lines, in brackets with a blank in front; nothing where there are none.
    pub(super) fn lines(&self) -> String {
        report::lines(&self.first_lines, self.count)
    }

    fn told(self, repair: &str, text: impl std::fmt::Display) -> Repaired {
        let message = format!("{} {text}.", self.count);
        Repaired { repair: repair.into(), message, count: self.count, first_lines: self.first_lines }
    }
}

/// Repairs jobs in the order of their records, and tells what every repair that is asked for changed. `repeated` counts the records
/// that were left out for their id while reading.
pub(super) fn apply(
    jobs: &mut [JobRecord],
    origins: &[Origin],
    repairs: &Repairs,
    repeated: Tally,
) -> Vec<Repaired> {
    let mut told = Vec::new();
    match repairs.repeated_ids {
        RepeatedIds::Keep => {}
        RepeatedIds::First => {
            told.push(
                repeated.told("repeated_ids", "records were left out for an earlier one of the same id"),
            );
        }
        RepeatedIds::Last => {
            told.push(repeated.told("repeated_ids", "records were left out for a later one of the same id"));
        }
    }
    let divisor = match repairs.times {
        TimesIn::Seconds => None,
        TimesIn::Milliseconds => Some((1_000, "milliseconds")),
        TimesIn::Microseconds => Some((1_000_000, "microseconds")),
    };
    if let Some((divisor, unit)) = divisor {
        // Times that are dates of our days were read rightly: only lengths can be of another unit then.
        let first = jobs.iter().map(|job| job.submit).min().unwrap_or_default();
        let are_dates = DATES_S.contains(&first.as_secs());
        let tally = change(jobs, origins, |job| {
            if !are_dates {
                divide_times(job, divisor);
            }
            divide_spans(job, divisor);
            true
        });
        let what = if are_dates { "run times" } else { "times" };
        told.push(tally.told("times", format!("jobs have their {what} read as {unit}")));
    }
    if repairs.run_time == RunTimeFrom::StartToEnd {
        let tally = change(jobs, origins, |job| {
            let span = job.start.get().zip(job.end.get()).map(|(start, end)| end - start);
            let is_other = span.is_some() && span != job.duration.get();
            job.duration = span.or(job.duration.get()).into();
            is_other
        });
        told.push(
            tally.told(
                "run_time",
                "jobs run from their start to their end, other than the file's run time says",
            ),
        );
    }
    if repairs.running == RunningJobs::Elapsed {
        let last = last_moment(jobs);
        let tally = change(jobs, origins, |job| match job.start.get() {
            Some(start) if job.duration.is_none() && job.end.is_none() => {
                job.duration = Some((last - start).max(SimSpan::ZERO)).into();
                true
            }
            _ => false,
        });
        told.push(tally.told(
            "running",
            "jobs had not ended; they run from their start to the last moment in the trace",
        ));
    }
    told.extend(fill(jobs, origins, repairs));
    if let Some(shortest_s) = repairs.shortest_s {
        let shortest = whole_seconds(shortest_s);
        let tally = change(jobs, origins, |job| clamp(job, |span| span < shortest, shortest));
        told.push(tally.told("shortest_s", format!("jobs ran shorter and run {shortest_s} s")));
    }
    if let Some(longest_s) = repairs.longest_s {
        let longest = whole_seconds(longest_s);
        let tally = change(jobs, origins, |job| clamp(job, |span| span > longest, longest));
        told.push(tally.told("longest_s", format!("jobs ran longer and run {longest_s} s")));
    }
    told
}

/// Changes every job; counts those of which `repair` says that it changed them.
fn change(
    jobs: &mut [JobRecord],
    origins: &[Origin],
    mut repair: impl FnMut(&mut JobRecord) -> bool,
) -> Tally {
    let mut tally = Tally::default();
    for (job, origin) in jobs.iter_mut().zip(origins) {
        if repair(job) {
            tally.add(origin.line);
        }
    }
    tally
}

fn whole_seconds(seconds: u64) -> SimSpan {
    SimSpan(i64::try_from(seconds).unwrap_or(i64::MAX).saturating_mul(MICROS_PER_S))
}

fn clamp(job: &mut JobRecord, is_outside: impl Fn(SimSpan) -> bool, becomes: SimSpan) -> bool {
    let outside = job.duration.get().is_some_and(is_outside);
    if outside {
        job.duration = Some(becomes).into();
    }
    outside
}

/// Seconds since 1970 that are dates of our days, 1990 to 2039. A trace that counts from zero begins before them, whatever its unit.
const DATES_S: std::ops::Range<f64> = DATES_FROM_S..2_208_988_800.0;

fn divide_times(job: &mut JobRecord, divisor: i64) {
    job.submit = SimTime(job.submit.0.div_euclid(divisor));
    for moment in [&mut job.start, &mut job.end] {
        *moment = moment.map(|time| SimTime(time.0.div_euclid(divisor)));
    }
}

fn divide_spans(job: &mut JobRecord, divisor: i64) {
    for length in [&mut job.duration, &mut job.limit] {
        *length = length.map(|span| SimSpan(span.0 / divisor));
    }
}

/// The last moment that a trace knows of.
fn last_moment(jobs: &[JobRecord]) -> SimTime {
    let times = jobs.iter().flat_map(|job| [Some(job.submit), job.start.get(), job.end.get()]);
    times.flatten().max().unwrap_or_default()
}

/// Whether a job needs a run time to be replayed and may be given one.
fn lacks_run_time(job: &JobRecord) -> bool {
    let never_ran = job.outcome == Outcome::Cancelled && job.start.is_none();
    job.gpus.0 > 0 && job.duration.is_none() && !never_ran
}

/// Fills missing run times.
fn fill(jobs: &mut [JobRecord], origins: &[Origin], repairs: &Repairs) -> Option<Repaired> {
    if repairs.fill == FillFrom::Nothing && repairs.fill_s.is_none() {
        return None;
    }
    let constant = repairs.fill_s.map(whole_seconds);
    let by_model = Medians::of(jobs, |job| job.model.filter(|_| repairs.fill == FillFrom::Model));
    let by_tenant = Medians::of(jobs, |job| {
        matches!(repairs.fill, FillFrom::Model | FillFrom::Tenant).then_some(job.tenant.0)
    });
    let of_all = Medians::of(jobs, |_| (repairs.fill != FillFrom::Nothing).then_some(0));
    let (mut model, mut tenant, mut all, mut stated, mut without) = (0u64, 0u64, 0u64, 0u64, 0u64);
    let tally = change(jobs, origins, |job| {
        if !lacks_run_time(job) {
            return false;
        }
        let found = [
            (job.model.and_then(|key| by_model.get(key)), &mut model),
            (by_tenant.get(job.tenant.0), &mut tenant),
            (of_all.get(0), &mut all),
            (constant, &mut stated),
        ];
        job.duration = found
            .into_iter()
            .find_map(|(span, count)| {
                *count += u64::from(span.is_some());
                span
            })
            .into();
        without += u64::from(job.duration.is_none());
        job.duration.is_some()
    });
    let parts = [
        (model, "from their model"),
        (tenant, "from their tenant"),
        (all, "from all jobs"),
        (stated, "as stated"),
    ];
    let parts: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, from)| format!("{count} {from}")).collect();
    let mut text = "jobs had no run time and have a median or the stated one".to_owned();
    if !parts.is_empty() {
        text = format!("{text} ({})", parts.join(", "));
    }
    if without > 0 {
        text = format!("{text}; {without} stay without, since no job has one: state it (fill_s)");
    }
    Some(tally.told("fill", text))
}

/// The median run time of the GPU jobs of each key; of two in the middle, the shorter.
struct Medians(BTreeMap<u32, SimSpan>);

impl Medians {
    fn of(jobs: &[JobRecord], key: impl Fn(&JobRecord) -> Option<u32>) -> Self {
        let mut spans: BTreeMap<u32, Vec<SimSpan>> = BTreeMap::new();
        for job in jobs.iter().filter(|job| job.gpus.0 > 0) {
            if let (Some(key), Some(span)) = (key(job), job.duration.get()) {
                spans.entry(key).or_default().push(span);
            }
        }
        let middle = |mut spans: Vec<SimSpan>| {
            let at = spans.len().saturating_sub(1) / 2;
            *spans.select_nth_unstable(at).1
        };
        Self(spans.into_iter().map(|(key, spans)| (key, middle(spans))).collect())
    }

    fn get(&self, key: u32) -> Option<SimSpan> {
        self.0.get(&key).copied()
    }
}
