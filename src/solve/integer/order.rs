//! How two allocations compare under an objective, exactly: by the integer worths of their tenants.

use std::cmp::Ordering;

use super::problem::Problem;
use crate::solve::answer::Measure;

/// An order of allocations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Order {
    /// By the sum of worths.
    Sum,
    /// Lexicographically by the ascending ratios worth * factor / due; only tenants with a due above zero count.
    LeastRatio {
        /// By tenant.
        dues: Vec<i128>,
        /// The same for all.
        factor: i128,
        /// What the ratios are.
        measure: Measure,
    },
    /// By how many tenants have anything, then by the product of their worths, each to the power of its weight; only tenants with a
    /// weight above zero count.
    Product {
        /// By tenant.
        weights: Vec<u64>,
    },
}

impl Order {
    /// Compares the worths of two allocations.
    pub(super) fn compare(&self, a: &[i64], b: &[i64]) -> Ordering {
        match self {
            Self::Sum => sum(a).cmp(&sum(b)),
            Self::LeastRatio { dues, .. } => {
                let (a, b) = (ascending(a, dues), ascending(b, dues));
                let pairs = a.iter().zip(&b).map(|(a, b)| compare_ratios(*a, *b));
                pairs.fold(Ordering::Equal, Ordering::then)
            }
            Self::Product { weights } => {
                let positive = |worths: &[i64]| {
                    worths.iter().zip(weights).filter(|&(&worth, &weight)| weight > 0 && worth > 0).count()
                };
                positive(a).cmp(&positive(b)).then_with(|| compare_products(a, b, weights))
            }
        }
    }

    /// The objective in the units of the answer.
    pub(super) fn objective(&self, problem: &Problem<'_>, worths: &[i64]) -> f64 {
        match self {
            Self::Sum => sum(worths) as f64 / problem.units,
            Self::LeastRatio { dues, factor, .. } => {
                let least = ascending(worths, dues).first().copied();
                least.map_or(0.0, |(worth, due)| worth as f64 * *factor as f64 / due as f64)
            }
            Self::Product { weights } => {
                let counted = weights.iter().filter(|&&weight| weight > 0);
                let mean = counted.clone().map(|&w| w as f64).sum::<f64>() / counted.count().max(1) as f64;
                let factors = worths.iter().zip(weights).filter(|(_, weight)| **weight > 0);
                factors
                    .map(|(&worth, &weight)| power(worth as f64 / problem.units, weight as f64 / mean))
                    .product()
            }
        }
    }

    /// What the objective measures.
    pub(super) fn measure(&self) -> Measure {
        match self {
            Self::Sum => Measure::Sum,
            Self::LeastRatio { measure, .. } => *measure,
            Self::Product { .. } => Measure::Product,
        }
    }
}

fn power(base: f64, exponent: f64) -> f64 {
    if exponent.total_cmp(&1.0) == Ordering::Equal { base } else { libm::pow(base, exponent) }
}

fn sum(worths: &[i64]) -> i128 {
    worths.iter().map(|&worth| i128::from(worth)).sum()
}

/// The ratios worth / due in ascending order.
fn ascending(worths: &[i64], dues: &[i128]) -> Vec<(i128, i128)> {
    let counted = worths.iter().zip(dues).filter(|(_, due)| **due > 0);
    let mut ratios: Vec<(i128, i128)> = counted.map(|(&worth, &due)| (i128::from(worth), due)).collect();
    ratios.sort_by(|a, b| compare_ratios(*a, *b));
    ratios
}

/// a.0 / a.1 against b.0 / b.1, for denominators above zero.
pub(super) fn compare_ratios(a: (i128, i128), b: (i128, i128)) -> Ordering {
    match (a.0.checked_mul(b.1), b.0.checked_mul(a.1)) {
        (Some(left), Some(right)) => left.cmp(&right),
        // By whole parts, then by the reciprocals of what remains.
        _ => a.0.div_euclid(a.1).cmp(&b.0.div_euclid(b.1)).then_with(|| {
            let (left, right) = (a.0.rem_euclid(a.1), b.0.rem_euclid(b.1));
            match (left, right) {
                (0, _) | (_, 0) => left.min(1).cmp(&right.min(1)),
                _ => compare_ratios((b.1, right), (a.1, left)),
            }
        }),
    }
}

fn compare_products(a: &[i64], b: &[i64], weights: &[u64]) -> Ordering {
    let counted = || weights.iter().enumerate().filter(|(_, weight)| **weight > 0);
    let first = counted().next().map_or(0, |(_, &weight)| weight);
    if counted().all(|(_, &weight)| weight == first) {
        let of =
            |worths: &[i64]| product(counted().map(|(tenant, _)| worths[tenant]).filter(|&worth| worth > 0));
        return compare_numbers(&of(a), &of(b));
    }
    let log = |worths: &[i64]| -> f64 {
        let factors = counted().map(|(tenant, &weight)| (worths[tenant], weight)).filter(|(w, _)| *w > 0);
        factors.map(|(worth, weight)| weight as f64 * libm::log(worth as f64)).sum()
    };
    log(a).total_cmp(&log(b))
}

/// The product of positive numbers in digits of 32 bits, the lowest first.
fn product(factors: impl Iterator<Item = i64>) -> Vec<u32> {
    let mut digits = vec![1u32];
    for factor in factors.map(i64::unsigned_abs) {
        let mut carry: u128 = 0;
        for digit in &mut digits {
            carry += u128::from(*digit) * u128::from(factor);
            *digit = carry as u32;
            carry >>= 32;
        }
        while carry > 0 {
            digits.push(carry as u32);
            carry >>= 32;
        }
    }
    digits
}

fn compare_numbers(a: &[u32], b: &[u32]) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.iter().rev().cmp(b.iter().rev()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_beyond_every_integer_compare_exactly() {
        let large = i64::MAX;
        let order = Order::Product { weights: vec![1; 4] };
        assert_eq!(order.compare(&[large, large, large, large - 1], &[large; 4]), Ordering::Less);
        assert_eq!(order.compare(&[6, 1, 1, 1], &[2, 3, 1, 1]), Ordering::Equal);
        assert_eq!(order.compare(&[0, large, large, large], &[1, 1, 1, 1]), Ordering::Less);
        assert_eq!(product([1 << 40, 1 << 40].into_iter()), [0, 0, 1 << 16]);
    }

    #[test]
    fn ratios_compare_where_their_products_overflow() {
        let large = i128::MAX;
        assert_eq!(compare_ratios((large - 1, large), (large - 2, large - 1)), Ordering::Greater);
        assert_eq!(compare_ratios((large, 2), (large, 2)), Ordering::Equal);
        assert_eq!(compare_ratios((1, 3), (2, 5)), Ordering::Less);
    }

    #[test]
    fn the_least_ratio_counts_first_and_undue_tenants_do_not() {
        let order = Order::LeastRatio { dues: vec![2, 4, 0], factor: 1, measure: Measure::LeastRatio };
        assert_eq!(order.compare(&[2, 4, 0], &[1, 9, 9]), Ordering::Greater);
        assert_eq!(order.compare(&[2, 5, 0], &[2, 4, 9]), Ordering::Greater);
        assert_eq!(order.compare(&[2, 4, 0], &[2, 4, 9]), Ordering::Equal);
    }
}
