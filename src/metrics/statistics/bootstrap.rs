//! The percentile bootstrap of a mean (Efron 1979): the values are drawn with replacement, as many as there are, again and again; the
//! interval ends at the 2.5th and the 97.5th percentile (nearest rank) of the means. With few values it is too narrow (with five
//! seeds it holds the true mean in about 83 of 100 cases instead of 95): then Student's interval is the one to go by.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::CONFIDENCE;

/// Resamples, unless values times resamples would exceed [`MOST_DRAWS`]; then fewer, but at least [`LEAST_RESAMPLES`].
pub const RESAMPLES: usize = 10_000;

/// Most draws of one interval before the resamples become fewer.
pub const MOST_DRAWS: usize = 10_000_000;

/// Fewest resamples of an interval.
pub const LEAST_RESAMPLES: usize = 1_000;

/// The seed of the draws: the same values always have the same interval.
const SEED: u64 = 0x5354_535f_426f_6f74;

/// The interval of a mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// How many resamples it is made from.
    pub resamples: usize,
}

/// How many resamples an interval of so many values is made from.
#[must_use]
pub fn resamples(values: usize) -> usize {
    (MOST_DRAWS / values.max(1)).clamp(LEAST_RESAMPLES, RESAMPLES)
}

/// The interval of the mean of `values`; `None` for fewer than two. Takes values times resamples steps.
#[must_use]
pub fn interval(values: &[f64]) -> Option<Interval> {
    let (first, n) = (*values.first()?, values.len());
    if n < 2 {
        return None;
    }
    let resamples = resamples(n);
    if values.iter().all(|value| value.total_cmp(&first).is_eq()) {
        return Some(Interval { low: first, high: first, resamples });
    }
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let mut means: Vec<f64> = (0..resamples)
        .map(|_| {
            let drawn = (0..n).map(|_| values[((u64::from(rng.next_u32()) * n as u64) >> 32) as usize]);
            drawn.sum::<f64>() / n as f64
        })
        .collect();
    let tail = (1.0 - CONFIDENCE) / 2.0;
    let mut at = |share: f64| {
        let rank = (libm::ceil(share * resamples as f64 - 1e-9) as usize).clamp(1, resamples);
        *means.select_nth_unstable_by(rank - 1, f64::total_cmp).1
    };
    Some(Interval { low: at(tail), high: at(1.0 - tail), resamples })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_values_have_three_means() {
        // The means of two draws of 0 and 1 are 0, ½ and 1 with probabilities ¼, ½ and ¼.
        let of_two = interval(&[0.0, 1.0]).unwrap();
        assert_eq!((of_two.low, of_two.high, of_two.resamples), (0.0, 1.0, RESAMPLES));
        assert_eq!(interval(&[3.0]), None);
        assert_eq!(interval(&[]), None);
        let same = interval(&[2.5; 7]).unwrap();
        assert_eq!((same.low, same.high), (2.5, 2.5));
    }

    #[test]
    fn many_values_have_fewer_resamples_and_about_the_normal_interval() {
        // 0, 1, …, 19999: mean 9999.5, standard error 5773.5 / √20000 = 40.8.
        let values: Vec<f64> = (0..20_000).map(f64::from).collect();
        let found = interval(&values).unwrap();
        assert_eq!(found.resamples, LEAST_RESAMPLES);
        assert!((found.low - (9999.5 - 80.0)).abs() < 10.0, "{found:?}");
        assert!((found.high - (9999.5 + 80.0)).abs() < 10.0, "{found:?}");
        assert_eq!(found, interval(&values).unwrap());
    }
}
