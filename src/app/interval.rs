//! Means over seeds and what can be said about them.

/// The mean of one figure over seeds, with the half width of its 95 % confidence interval (Student's t).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Half the width of the interval; `None` for a single seed.
    pub half_width: Option<f64>,
    /// Seeds.
    pub seeds: usize,
}

impl Estimate {
    /// The estimate from one value a seed; `None` without values.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        if values.is_empty() {
            return None;
        }
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let half_width = (values.len() > 1).then(|| {
            let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
            student_t_975(values.len() - 1) * (squares / (n - 1.0) / n).sqrt()
        });
        Some(Self { mean, half_width, seeds: values.len() })
    }

    /// The estimate of `a − b` over the seeds that both have: the same seed is the same workload, so differences are
    /// taken seed by seed. `None` where there is no such seed.
    #[must_use]
    pub fn of_difference(a: &[(u64, f64)], b: &[(u64, f64)]) -> Option<Self> {
        let differences: Vec<f64> = a
            .iter()
            .filter_map(|(seed, x)| b.iter().find(|(other, _)| other == seed).map(|(_, y)| x - y))
            .collect();
        Self::of(&differences)
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

/// The 97.5th percentile of Student's t with `freedom` degrees of freedom: from a table up to 30, beyond by the
/// Cornish–Fisher expansion around the normal quantile (Abramowitz and Stegun 26.7.5), right to five digits there.
fn student_t_975(freedom: usize) -> f64 {
    const TABLE: [f64; 30] = [
        12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281, 2.2010, 2.1788,
        2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.0930, 2.0860, 2.0796, 2.0739, 2.0687, 2.0639,
        2.0595, 2.0555, 2.0518, 2.0484, 2.0452, 2.0423,
    ];
    const Z: f64 = 1.959_963_985;
    freedom.checked_sub(1).and_then(|i| TABLE.get(i).copied()).unwrap_or_else(|| {
        let v = freedom as f64;
        let (z3, z5) = (Z * Z * Z, Z * Z * Z * Z * Z);
        Z + (z3 + Z) / (4.0 * v) + (5.0 * z5 + 16.0 * z3 + 3.0 * Z) / (96.0 * v * v)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-3
    }

    #[test]
    fn the_interval_of_a_textbook_sample() {
        // Mean 5, variance 2.5, n = 5: 2.7764 · √(2.5 / 5).
        let estimate = Estimate::of(&[3.0, 4.0, 5.0, 6.0, 7.0]).unwrap();
        assert!(close(estimate.mean, 5.0));
        assert!(close(estimate.half_width.unwrap(), 1.9632));
        assert!(!estimate.is_undecided());
    }

    #[test]
    fn one_seed_has_no_interval() {
        let estimate = Estimate::of(&[4.0]).unwrap();
        assert_eq!(estimate.half_width, None);
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
    fn the_quantile_is_continuous_and_falls_towards_the_normal() {
        let values: Vec<f64> = (1..2000).map(student_t_975).collect();
        assert!(values.windows(2).all(|w| w[1] < w[0]));
        assert!(close(student_t_975(31), 2.0395) && close(student_t_975(999), 1.9623));
    }
}
