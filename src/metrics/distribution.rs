//! Sorted values and what is said of them.

/// Values in ascending order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Distribution(Vec<f64>);

impl Distribution {
    /// Sorts values.
    #[must_use]
    pub fn of(mut values: Vec<f64>) -> Self {
        values.sort_unstable_by(f64::total_cmp);
        Self(values)
    }

    /// The values, ascending.
    #[must_use]
    pub fn sorted(&self) -> &[f64] {
        &self.0
    }

    /// Their arithmetic mean; `None` of nothing.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        mean(&self.0)
    }

    /// The nearest-rank percentile; `None` of nothing.
    #[must_use]
    pub fn percentile(&self, percent: u32) -> Option<f64> {
        nearest_rank(&self.0, percent)
    }

    /// The largest; `None` of nothing.
    #[must_use]
    pub fn max(&self) -> Option<f64> {
        self.0.last().copied()
    }

    /// The share of values above a threshold; `None` of nothing.
    #[must_use]
    pub fn share_above(&self, threshold: f64) -> Option<f64> {
        let above = self.0.len() - self.0.partition_point(|&value| value <= threshold);
        (!self.0.is_empty()).then(|| above as f64 / self.0.len() as f64)
    }
}

/// The nearest-rank percentile of sorted values: the ceil(p/100 · n)-th smallest.
#[must_use]
pub fn nearest_rank(sorted: &[f64], percent: u32) -> Option<f64> {
    let rank = (sorted.len() as u64 * u64::from(percent)).div_ceil(100).max(1);
    sorted.get(rank as usize - 1).copied()
}

/// The arithmetic mean; `None` of nothing.
#[must_use]
pub fn mean(values: &[f64]) -> Option<f64> {
    if values.is_empty() { None } else { Some(values.iter().sum::<f64>() / values.len() as f64) }
}

/// Jain's index (Σx)² / (n Σx²); 1 when everything is zero; `None` of nothing.
#[must_use]
pub fn jain(values: &[f64]) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let sum: f64 = values.iter().sum();
    let squares: f64 = values.iter().map(|x| x * x).sum();
    if squares > 0.0 { Some(sum * sum / (values.len() as f64 * squares)) } else { Some(1.0) }
}

/// The Gini coefficient of sorted non-negative values; 0 when everything is zero; `None` of nothing.
#[must_use]
pub fn gini(sorted: &[f64]) -> Option<f64> {
    if sorted.is_empty() {
        return None;
    }
    let n = sorted.len() as f64;
    let sum: f64 = sorted.iter().sum();
    let ranked: f64 = sorted.iter().enumerate().map(|(i, x)| (i as f64 + 1.0) * x).sum();
    if sum > 0.0 { Some((2.0 * ranked) / (n * sum) - (n + 1.0) / n) } else { Some(0.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jain_index_of_known_vectors() {
        let close = |x: Option<f64>, y: f64| assert!((x.unwrap() - y).abs() < 1e-12);
        close(jain(&[1.0, 1.0, 1.0, 1.0]), 1.0);
        close(jain(&[1.0, 0.0, 0.0, 0.0]), 0.25);
        close(jain(&[1.0, 2.0, 3.0]), 6.0 / 7.0);
        close(jain(&[0.0, 0.0]), 1.0);
        assert_eq!(jain(&[]), None);
    }

    #[test]
    fn percentiles_are_nearest_rank() {
        let values = Distribution::of((1..=100).rev().map(f64::from).collect());
        assert_eq!(values.percentile(50), Some(50.0));
        assert_eq!(values.percentile(95), Some(95.0));
        assert_eq!(values.percentile(99), Some(99.0));
        assert_eq!(values.max(), Some(100.0));
        assert_eq!(nearest_rank(&[7.0], 50), Some(7.0));
        assert_eq!(nearest_rank(&[], 50), None);
    }

    #[test]
    fn a_value_at_the_threshold_is_not_above_it() {
        let values = Distribution::of(vec![1.05, 1.0, 0.5, 2.0]);
        assert_eq!(values.share_above(1.0), Some(0.5));
        assert_eq!(values.share_above(1.05), Some(0.25));
        assert_eq!(Distribution::default().share_above(1.0), None);
    }

    #[test]
    fn gini_of_equal_and_of_one_taking_all() {
        assert!(gini(&[2.0, 2.0, 2.0]).unwrap().abs() < 1e-12);
        assert!((gini(&[0.0, 0.0, 0.0, 1.0]).unwrap() - 0.75).abs() < 1e-12);
    }
}
