//! The mean of a figure over seeds.

use super::{CONFIDENCE, student};

/// The mean of one figure over seeds, with the half width of its 95 % confidence interval (Student's t).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// The sample's standard deviation, with n − 1 in the denominator; `None` for a single seed.
    pub sd: Option<f64>,
    /// Half the width of the interval, `t(0.975, n − 1) · sd / √n`; `None` for a single seed.
    pub half_width: Option<f64>,
    /// Seeds.
    pub seeds: usize,
}

impl Estimate {
    /// The estimate from one value a seed; `None` without values.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        let first = *values.first()?;
        let n = values.len() as f64;
        // Equal values have exactly their own mean and no spread, which rounding in a sum would blur.
        if values.iter().all(|value| value.total_cmp(&first).is_eq()) {
            let none = (values.len() > 1).then_some(0.0);
            return Some(Self { mean: first, sd: none, half_width: none, seeds: values.len() });
        }
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
        let sd = libm::sqrt(squares / (n - 1.0));
        let freedom = u32::try_from(values.len() - 1).unwrap_or(u32::MAX);
        let half = student::quantile(f64::midpoint(1.0, CONFIDENCE), freedom) * sd / libm::sqrt(n);
        Some(Self { mean, sd: Some(sd), half_width: Some(half), seeds: values.len() })
    }

    /// The estimate of `a − b` over the seeds that both have: the same seed is the same workload, so differences are
    /// taken seed by seed. `None` where there is no such seed.
    #[must_use]
    pub fn of_difference(a: &[(u64, f64)], b: &[(u64, f64)]) -> Option<Self> {
        Self::of(&super::paired::differences(a, b))
    }

    /// The ends of the interval; `None` for a single seed.
    #[must_use]
    pub fn ends(&self) -> Option<(f64, f64)> {
        self.half_width.map(|half| (self.mean - half, self.mean + half))
    }

    /// Whether the interval leaves the sign open. Of a single seed nothing is known, and this is `false`.
    #[must_use]
    pub fn is_undecided(&self) -> bool {
        self.ends().is_some_and(|(low, high)| low <= 0.0 && high >= 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{Rng, SeedableRng};

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-3
    }

    #[test]
    fn the_interval_of_a_textbook_sample() {
        // Mean 5, variance 2.5, n = 5: 2.7764 · √(2.5 / 5).
        let estimate = Estimate::of(&[3.0, 4.0, 5.0, 6.0, 7.0]).unwrap();
        assert!(close(estimate.mean, 5.0));
        assert!(close(estimate.sd.unwrap(), 1.5811));
        assert!(close(estimate.half_width.unwrap(), 1.9632));
        assert!(!estimate.is_undecided());
    }

    #[test]
    fn one_seed_has_no_interval() {
        let estimate = Estimate::of(&[4.0]).unwrap();
        assert_eq!((estimate.half_width, estimate.sd), (None, None));
        assert!(!estimate.is_undecided());
        assert_eq!(Estimate::of(&[]), None);
    }

    #[test]
    fn differences_are_taken_seed_by_seed() {
        // The seeds differ much, the policies always by one: the difference is certain.
        let a = [(1, 11.0), (2, 21.0), (3, 31.0)];
        let b = [(3, 30.0), (1, 10.0), (2, 20.0), (4, 99.0)];
        let difference = Estimate::of_difference(&a, &b).unwrap();
        assert_eq!((difference.seeds, difference.half_width), (3, Some(0.0)));
        assert!(close(difference.mean, 1.0));
        assert!(!difference.is_undecided());
        let crossing = Estimate::of_difference(&[(1, 1.0), (2, 3.0)], &[(1, 2.0), (2, 2.0)]).unwrap();
        assert!(crossing.is_undecided());
        assert_eq!(Estimate::of_difference(&a, &[(9, 1.0)]), None);
    }

    #[test]
    fn equal_values_have_exactly_their_mean() {
        let estimate = Estimate::of(&[0.1; 3]).unwrap();
        assert_eq!((estimate.mean, estimate.half_width), (0.1, Some(0.0)));
    }

    /// A standard normal value by Box and Muller.
    fn normal(rng: &mut ChaCha8Rng) -> f64 {
        let mut uniform = || (f64::from(rng.next_u32()) + 0.5) / 4_294_967_296.0;
        (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos()
    }

    #[test]
    fn ninety_five_of_a_hundred_intervals_hold_the_true_mean() {
        // 2,000 samples of five: the share that covers has a standard deviation of √(0.95 · 0.05 / 2000) = 0.5 points; the bootstrap
        // of so few values covers less, about 83 of 100.
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        let (mut student, mut bootstrap) = (0, 0);
        for _ in 0..2000 {
            let values: Vec<f64> = (0..5).map(|_| 40.0 + 3.0 * normal(&mut rng)).collect();
            let (low, high) = Estimate::of(&values).unwrap().ends().unwrap();
            student += u32::from(low <= 40.0 && 40.0 <= high);
            if student % 10 == 0 {
                let found = super::super::bootstrap::interval(&values).unwrap();
                bootstrap += u32::from(found.low <= 40.0 && 40.0 <= found.high);
            }
        }
        assert!((1880..=1920).contains(&student), "{student} of 2000");
        assert!(bootstrap > 100, "{bootstrap}");
    }
}
