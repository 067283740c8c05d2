//! What a workload looks like without its jobs: enough to draw more of the same kind, and small enough for a link.
//!
//! Kept are the times from one submission to the next by the hour of the day, the run times by the number of GPUs, how many jobs have
//! each number of GPUs, and the shares of tenants, without their names. Each of them is drawn by itself: that a tenant has longer
//! jobs than another, or that jobs of a burst are alike, is lost.

use serde::{Deserialize, Serialize};

use crate::units::{MICROS_PER_S, MilliGpus, is_date};
use crate::workload::{JobRecord, Workload};

/// Hours of a day.
const HOURS: usize = 24;
/// Numbers of GPUs that are told apart; rarer ones count as the nearest of them.
const MOST_SIZES: usize = 24;
/// Tenants that are told apart; smaller ones are left out.
const MOST_TENANTS: usize = 200;
/// A time or a run time beyond this is not drawn: three years.
const MOST_MS: u64 = 100_000_000_000;

/// The shape of a workload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fitted {
    /// The second of the day at which the first job is submitted.
    pub start_s: u32,
    /// Milliseconds from one submission to the next, by the hour of the day of the first of the two.
    pub gaps_ms: Vec<Quantiles>,
    /// The requests.
    pub sizes: Vec<FittedSize>,
    /// Jobs of each tenant, most first.
    pub tenants: Vec<u64>,
}

/// Jobs of one number of GPUs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FittedSize {
    /// Thousandths of a GPU asked for.
    pub milli_gpus: u32,
    /// How many jobs.
    pub jobs: u64,
    /// Their run times in milliseconds.
    pub durations_ms: Quantiles,
}

/// A distribution as values at fixed ranks: 0, 1/16, …, 15/16, 31/32, 63/64, …, 4095/4096, 1. Between them it is even.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Quantiles(Vec<u64>);

/// The ranks of [`Quantiles`] in 4096ths.
const RANKS: [u64; 25] = [
    0, 256, 512, 768, 1024, 1280, 1536, 1792, 2048, 2304, 2560, 2816, 3072, 3328, 3584, 3840, 3968, 4032,
    4064, 4080, 4088, 4092, 4094, 4095, 4096,
];

impl Quantiles {
    /// The distribution of `values`, between which ranks are even too, stretched so that its mean is theirs; empty if there is none.
    #[must_use]
    pub fn of(mut values: Vec<u64>) -> Self {
        values.sort_unstable();
        let Some(last) = values.len().checked_sub(1) else { return Self::default() };
        let at = |rank: &u64| {
            let place = u128::from(*rank) * last as u128;
            let (below, past) = ((place / 4096) as usize, place % 4096);
            let low = u128::from(*values.get(below)?);
            let high = values.get(below + 1).map_or(low, |&high| u128::from(high));
            Some((low + (high - low) * past / 4096) as u64)
        };
        let list: Vec<u64> = RANKS.iter().filter_map(at).collect();
        // Twice 4096 times the mean of what is drawn, and the mean of what is there in the same unit.
        let parts = list.windows(2).zip(RANKS.windows(2));
        let drawn: u128 =
            parts.map(|(value, rank)| u128::from(value[0] + value[1]) * u128::from(rank[1] - rank[0])).sum();
        let sum: u128 = values.iter().map(|&value| u128::from(value)).sum();
        let there = sum * 8192 / values.len() as u128;
        if drawn == 0 {
            return Self(list);
        }
        let stretched = |value: u64| (u128::from(value) * there / drawn).min(u128::from(MOST_MS)) as u64;
        Self(list.into_iter().map(stretched).collect())
    }

    /// Whether there is nothing to draw.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Every value over `divisor`.
    fn divide(&mut self, divisor: f64) {
        for value in &mut self.0 {
            *value = ((*value as f64 / divisor) as u64).min(MOST_MS);
        }
    }

    /// Whether it can be drawn from.
    fn is_sound(&self) -> bool {
        (self.0.is_empty() || self.0.len() == RANKS.len())
            && self.0.is_sorted()
            && self.0.iter().all(|value| *value <= MOST_MS)
    }

    /// The value at `point`, which is uniform over all 64-bit values.
    #[must_use]
    pub fn at(&self, point: u64) -> u64 {
        let rank = point >> 52;
        let upper = RANKS.partition_point(|known| *known <= rank).clamp(1, RANKS.len() - 1);
        let ends = |list: &[u64]| Some((*list.get(upper - 1)?, *list.get(upper)?));
        let (Some((low, high)), Some((from, to))) = (ends(&self.0), ends(&RANKS)) else { return 0 };
        // How far `point` is between the two ranks, in 2^−52 of a 4096th.
        let past = u128::from(point) - (u128::from(from) << 52);
        low + (u128::from(high.saturating_sub(low)) * past / (u128::from(to - from) << 52)) as u64
    }
}

impl Fitted {
    /// Lets jobs come so many times as fast, at every hour of the day.
    pub fn hurry(&mut self, times: f64) {
        for gaps in &mut self.gaps_ms {
            gaps.divide(times);
        }
    }

    /// The shape of the GPU jobs of a workload; `None` where fewer than two have a run time.
    #[must_use]
    pub fn of(workload: &Workload) -> Option<Self> {
        let jobs: Vec<&JobRecord> = workload.gpu_jobs().filter(|job| job.duration.is_some()).collect();
        let first = jobs.first().filter(|_| jobs.len() > 1)?;
        let origin_s = if is_date(workload.first_submit_s) { workload.first_submit_s } else { 0.0 };
        let start_s = (origin_s as i64 + first.submit.0 / MICROS_PER_S).rem_euclid(86_400);
        let milliseconds = |micros: i64| (u64::try_from(micros).unwrap_or(0) / 1000).min(MOST_MS);
        let mut gaps = vec![Vec::new(); HOURS];
        for pair in jobs.windows(2) {
            if let [job, next] = pair {
                let since_s = (job.submit - first.submit).0 / MICROS_PER_S;
                if let Some(gaps) = gaps.get_mut(hour_of(start_s + since_s)) {
                    gaps.push(milliseconds((next.submit - job.submit).0));
                }
            }
        }
        let mut tenants = vec![0u64; workload.tenants.len()];
        let mut counts = std::collections::BTreeMap::<u32, u64>::new();
        for job in &jobs {
            *counts.entry(job.gpus.0).or_default() += 1;
            if let Some(count) = tenants.get_mut(job.tenant.index()) {
                *count += 1;
            }
        }
        let mut sizes: Vec<(u32, u64)> = counts.into_iter().collect();
        sizes.sort_by_key(|(size, count)| (std::cmp::Reverse(*count), *size));
        sizes.truncate(MOST_SIZES);
        sizes.sort_unstable();
        let mut durations = vec![Vec::new(); sizes.len()];
        for job in &jobs {
            let nearest = sizes.iter().enumerate().min_by_key(|(_, (size, _))| size.abs_diff(job.gpus.0));
            let list = nearest.and_then(|(at, _)| durations.get_mut(at));
            if let Some((list, span)) = list.zip(job.duration.get()) {
                list.push(milliseconds(span.0));
            }
        }
        let sizes = sizes.iter().zip(durations).map(|(&(milli_gpus, _), durations)| FittedSize {
            milli_gpus,
            jobs: durations.len() as u64,
            durations_ms: Quantiles::of(durations),
        });
        tenants.sort_by_key(|count| std::cmp::Reverse(*count));
        tenants.retain(|count| *count > 0);
        tenants.truncate(MOST_TENANTS);
        Some(Self {
            start_s: start_s as u32,
            gaps_ms: gaps.into_iter().map(Quantiles::of).collect(),
            sizes: sizes.collect(),
            tenants,
        })
    }

    /// What is wrong with it: the key, what was found and what is expected.
    ///
    /// # Errors
    /// The first value from which nothing can be drawn.
    pub(super) fn check(&self) -> Result<(), crate::workload::assign::Refusal> {
        let refuse =
            |key: &str, found: String, expected: &str| Err((key.to_owned(), found, expected.to_owned()));
        let quantiles = format!("{} ascending numbers up to {MOST_MS}, or none", RANKS.len());
        if self.start_s >= 86_400 {
            return refuse("fitted.start_s", self.start_s.to_string(), "a second of the day, 0 to 86399");
        }
        let are_gaps = self.gaps_ms.iter().all(Quantiles::is_sound);
        if self.gaps_ms.len() != HOURS || !are_gaps || self.gaps_ms.iter().all(Quantiles::is_empty) {
            return refuse("fitted.gaps_ms", "other lists".into(), &format!("24 lists, each of {quantiles}"));
        }
        let is_size = |size: &FittedSize| {
            (1..=4_096_000).contains(&size.milli_gpus)
                && size.jobs > 0
                && size.durations_ms.is_sound()
                && !size.durations_ms.is_empty()
        };
        if self.sizes.is_empty() || !self.sizes.iter().all(is_size) {
            return refuse(
                "fitted.sizes",
                "other sizes".into(),
                &format!("at least one of 1 to 4,096,000 thousandths of a GPU, with jobs and {quantiles}"),
            );
        }
        if self.tenants.is_empty() || self.tenants.contains(&0) {
            return refuse(
                "fitted.tenants",
                "none, or one without jobs".into(),
                "at least one number of jobs, each above 0",
            );
        }
        Ok(())
    }

    /// Milliseconds to the next submission, `now_ms` after the first.
    pub(super) fn gap_ms(&self, now_ms: u64, point: u64) -> u64 {
        let now_s = i64::try_from(now_ms / 1000).unwrap_or(i64::MAX - 86_400);
        let hour = hour_of(i64::from(self.start_s) + now_s);
        // An hour in which nothing was submitted goes on as the last one before it.
        let hours = (0..HOURS).map(|back| (hour + HOURS - back) % HOURS);
        let gaps = hours.filter_map(|hour| self.gaps_ms.get(hour)).find(|gaps| !gaps.is_empty());
        gaps.map_or(0, |gaps| gaps.at(point))
    }

    /// The size at `point` among all jobs.
    pub(super) fn size(&self, point: u64) -> Option<(MilliGpus, &Quantiles)> {
        let total: u64 = self.sizes.iter().map(|size| size.jobs).sum();
        let mut left = ((u128::from(point) * u128::from(total)) >> 64) as u64;
        let found = self.sizes.iter().find(|size| {
            let is_here = left < size.jobs;
            left = left.saturating_sub(size.jobs);
            is_here
        });
        found.map(|size| (MilliGpus(size.milli_gpus), &size.durations_ms))
    }
}

fn hour_of(second: i64) -> usize {
    (second.rem_euclid(86_400) / 3600) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_give_back_what_they_were_made_of() {
        let few = Quantiles::of(vec![7]);
        assert_eq!([0, 1 << 63, u64::MAX].map(|point| few.at(point)), [7, 7, 7]);
        let even = Quantiles::of((0..=4096).collect());
        for rank in [0u64, 1, 100, 2048, 4000, 4095] {
            assert_eq!(even.at(rank << 52), rank);
        }
        assert_eq!(even.at(u64::MAX), 4095);
        assert_eq!(Quantiles::default().at(5), 0);
        // Few values: the largest counts as much as the others.
        let two = Quantiles::of(vec![158, 2_321]);
        let drawn: u64 = (0..1u64 << 12).map(|at| two.at(at << 52)).sum();
        assert!((1_230..=1_245).contains(&(drawn >> 12)), "{}", drawn >> 12);
        assert!(even.is_sound() && Quantiles::default().is_sound() && !Quantiles(vec![1, 2]).is_sound());
    }

    #[test]
    fn the_mean_of_a_long_tail_is_kept() {
        // 1/u: the mean is about ln n.
        let values: Vec<u64> = (1..=20_000u64).map(|u| 20_000_000 / u).collect();
        let mean = values.iter().sum::<u64>() as f64 / 20_000.0;
        let quantiles = Quantiles::of(values);
        let drawn: f64 =
            (0..1u64 << 16).map(|at| quantiles.at((at << 48) + (1 << 47)) as f64).sum::<f64>() / 65_536.0;
        assert!((drawn / mean - 1.0).abs() < 0.02, "{drawn} {mean}");
    }
}
