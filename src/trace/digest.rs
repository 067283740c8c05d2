//! A workload at a glance: what a page shows before anything is simulated.

mod loads;
mod spans;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::units::{MICROS_PER_S, MilliGpus, SimSpan};
use crate::workload::shape::TenantsBy;
use crate::workload::{Outcome, Workload};
pub use loads::{TenantLoad, TypeLoad};
pub use spans::SpanClasses;

/// The most buckets of the arrivals histogram.
pub const MAX_BUCKETS: usize = 96;

/// Lengths a bucket may have, in seconds: those that read well on a time axis.
const BUCKET_LENGTHS_S: [i64; 27] = [
    1,
    2,
    5,
    10,
    15,
    30,
    60,
    120,
    300,
    600,
    900,
    1800,
    3600,
    7200,
    10_800,
    21_600,
    43_200,
    86_400,
    172_800,
    345_600,
    604_800,
    1_209_600,
    2_419_200,
    7_776_000,
    15_552_000,
    31_536_000,
    157_680_000,
];

/// A summary of a workload. Everything but `jobs` and `gpu_sizes` is over GPU jobs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkloadDigest {
    /// All jobs, those without GPUs included.
    pub jobs: u64,
    /// Jobs that ask for GPUs.
    pub gpu_jobs: u64,
    /// First to last submission.
    pub span_s: f64,
    /// The first submission in the source's own origin.
    pub first_submit_s: f64,
    /// Submissions over time.
    pub arrivals: Arrivals,
    /// Tenants, most GPU-hours first (ties: more jobs, then name).
    pub tenants: Vec<TenantLoad>,
    /// The same by user, and by user in each virtual cluster; empty where the trace names no users.
    pub users: Vec<TenantLoad>,
    /// See `users`.
    pub users_by_tenant: Vec<TenantLoad>,
    /// Requests for GPU types, most GPU-hours first.
    pub gpu_types: Vec<TypeLoad>,
    /// How many jobs ended so, in the order of [`Outcome::ALL`].
    pub outcomes: [u64; Outcome::ALL.len()],
    /// Run times by length.
    pub run_times: SpanClasses,
    /// Times from one submission to the next, by length.
    pub gaps: SpanClasses,
    /// Requests by size over all jobs, smallest first.
    pub gpu_sizes: Vec<SizeCount>,
    /// Run times; `null` when no job has one.
    pub durations: Option<DurationPercentiles>,
    /// Sum of GPUs times run time.
    pub gpu_hours: f64,
    /// GPUs that the work would keep busy over the time from first to last submission; `null` if that is no time.
    pub offered_gpus: Option<f64>,
    /// Submissions per hour over that time; `null` if that is no time.
    pub jobs_per_hour: Option<f64>,
    /// The largest request.
    pub max_gpus: f64,
}

/// Submissions over time in equal buckets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Arrivals {
    /// Length of a bucket.
    pub bucket_s: f64,
    /// Jobs in each bucket; the first begins with the first submission. At most [`MAX_BUCKETS`].
    pub jobs: Vec<u64>,
}

/// How many jobs ask for one number of GPUs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SizeCount {
    /// GPUs asked for.
    pub gpus: f64,
    /// Jobs.
    pub jobs: u64,
}

/// Run times; percentiles are nearest-rank.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DurationPercentiles {
    /// The shortest.
    pub min_s: f64,
    /// The mean.
    pub mean_s: f64,
    /// Half are at most this long.
    pub p50_s: f64,
    /// Nine of ten are at most this long.
    pub p90_s: f64,
    /// 95 of a hundred are at most this long.
    pub p95_s: f64,
    /// 99 of a hundred are at most this long.
    pub p99_s: f64,
    /// The longest.
    pub max_s: f64,
}

impl WorkloadDigest {
    /// Summarises `workload`.
    #[must_use]
    pub fn of(workload: &Workload) -> Self {
        let mut sizes: BTreeMap<MilliGpus, u64> = BTreeMap::new();
        let mut durations: Vec<SimSpan> = Vec::new();
        let mut gaps: Vec<SimSpan> = Vec::new();
        let mut last = None;
        let mut outcomes = [0; Outcome::ALL.len()];
        let mut demand = 0i128;
        for job in &workload.jobs {
            *sizes.entry(job.gpus).or_insert(0) += 1;
        }
        for job in workload.gpu_jobs() {
            durations.extend(job.duration.get());
            demand += job.duration.get().map_or(0, |span| i128::from(span.0) * i128::from(job.gpus.0));
            for (known, count) in Outcome::ALL.iter().zip(&mut outcomes) {
                *count += u64::from(*known == job.outcome);
            }
            gaps.extend(last.map(|last| job.submit.since(last)));
            last = Some(job.submit);
        }
        let count = workload.gpu_jobs().count() as u64;
        let first = workload.gpu_jobs().map(|job| job.submit).min().unwrap_or_default();
        let span = workload.gpu_jobs().map(|job| job.submit).max().unwrap_or_default().since(first);
        let per_hour = |amount: f64| (span.0 > 0).then(|| amount * 3600.0 / span.as_secs());
        let by_user = |tenants| {
            if workload.users.is_empty() { Vec::new() } else { loads::by_tenant(workload, tenants) }
        };
        durations.sort_unstable();
        Self {
            jobs: workload.jobs.len() as u64,
            gpu_jobs: count,
            span_s: span.as_secs(),
            first_submit_s: workload.first_submit_s + first.as_secs(),
            arrivals: Arrivals::of(workload.gpu_jobs().map(|job| job.submit.since(first)), span),
            tenants: loads::by_tenant(workload, TenantsBy::Vc),
            users: by_user(TenantsBy::User),
            users_by_tenant: by_user(TenantsBy::Both),
            gpu_types: loads::by_type(workload),
            outcomes,
            run_times: SpanClasses::of(durations.iter().copied()),
            gaps: SpanClasses::of(gaps.into_iter()),
            gpu_sizes: SizeCount::list(sizes),
            durations: DurationPercentiles::of(&durations),
            gpu_hours: gpu_hours(demand),
            offered_gpus: per_hour(gpu_hours(demand)),
            jobs_per_hour: per_hour(count as f64),
            max_gpus: workload.gpu_jobs().map(|job| job.gpus).max().unwrap_or_default().as_gpus(),
        }
    }
}

impl WorkloadDigest {
    /// The tenants, merged or split.
    #[must_use]
    pub fn tenants_by(&self, tenants: TenantsBy) -> Vec<TenantLoad> {
        match tenants {
            TenantsBy::User if !self.users.is_empty() => self.users.clone(),
            TenantsBy::Both if !self.users_by_tenant.is_empty() => self.users_by_tenant.clone(),
            TenantsBy::One if self.gpu_jobs > 0 => {
                let name = crate::workload::shape::ONE_TENANT.to_owned();
                vec![TenantLoad { name, jobs: self.gpu_jobs, gpu_hours: self.gpu_hours }]
            }
            _ => self.tenants.clone(),
        }
    }
}

impl SizeCount {
    fn list(sizes: BTreeMap<MilliGpus, u64>) -> Vec<Self> {
        sizes.into_iter().map(|(gpus, jobs)| Self { gpus: gpus.as_gpus(), jobs }).collect()
    }
}

/// Thousandths of GPUs times microseconds, in GPU-hours.
fn gpu_hours(demand: i128) -> f64 {
    demand as f64 / 3.6e12
}

impl Arrivals {
    /// Counts submissions, given from the first one, in the shortest buckets that are few enough.
    fn of(submits: impl Iterator<Item = SimSpan>, span: SimSpan) -> Self {
        let buckets = |length_s: i64| span.0 / (length_s * MICROS_PER_S) + 1;
        let longest = BUCKET_LENGTHS_S[BUCKET_LENGTHS_S.len() - 1];
        let length_s = BUCKET_LENGTHS_S
            .into_iter()
            .find(|&length| buckets(length) <= MAX_BUCKETS as i64)
            .unwrap_or_else(|| longest.max(span.0 / MICROS_PER_S / (MAX_BUCKETS as i64 - 1)));
        let mut jobs = Vec::new();
        for submit in submits {
            let at = (submit.0 / (length_s * MICROS_PER_S)) as usize;
            if jobs.len() <= at {
                jobs.resize(at + 1, 0);
            }
            jobs[at] += 1;
        }
        Self { bucket_s: length_s as f64, jobs }
    }
}

impl DurationPercentiles {
    /// The figures of `sorted` run times.
    fn of(sorted: &[SimSpan]) -> Option<Self> {
        let (first, last) = (sorted.first()?, sorted.last()?);
        let sum: i128 = sorted.iter().map(|span| i128::from(span.0)).sum();
        let at = |percent: usize| {
            let rank = (sorted.len() * percent).div_ceil(100).max(1);
            sorted.get(rank - 1).copied().unwrap_or_default().as_secs()
        };
        Some(Self {
            min_s: first.as_secs(),
            mean_s: sum as f64 / sorted.len() as f64 / MICROS_PER_S as f64,
            p50_s: at(50),
            p90_s: at(90),
            p95_s: at(95),
            p99_s: at(99),
            max_s: last.as_secs(),
        })
    }
}
