//! Fewer points for the same picture: a series is reduced to what its pixels can show before it is drawn.

/// No series is drawn with more points than this.
pub const MOST_POINTS: usize = 2_000;

/// The points of a time series (x rising; an undefined y is a gap) that `columns` pixel columns can show.
///
/// Each column keeps its first, lowest, highest and last point, so no peak is lost and the level that a step
/// curve leaves a column with is the true one. The first and the last point of the series stay. At most
/// [`MOST_POINTS`] points come back: where columns are too many for that, they are made wider.
#[must_use]
pub fn time_series(points: &[(f64, f64)], columns: usize) -> Vec<(f64, f64)> {
    let mut columns = columns.clamp(1, MOST_POINTS);
    loop {
        let kept = per_column(points, columns);
        if kept.len() <= MOST_POINTS {
            return kept;
        }
        columns = (columns * 3 / 4).max(1);
    }
}

fn per_column(points: &[(f64, f64)], columns: usize) -> Vec<(f64, f64)> {
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return Vec::new();
    };
    let per_x = columns as f64 / (last.0 - first.0).max(f64::MIN_POSITIVE);
    let column_of = |x: f64| (((x - first.0) * per_x) as usize).min(columns - 1);
    points
        .chunk_by(|a, b| column_of(a.0) == column_of(b.0))
        .flat_map(|column| extremes(column).into_iter().filter_map(|i| column.get(i)).copied())
        .collect()
}

/// The indices, rising, of the first, lowest, highest and last point of one column, and of the edges of its
/// gaps that reach out of it. A gap inside one column is too narrow to see.
fn extremes(column: &[(f64, f64)]) -> Vec<usize> {
    let defined = || column.iter().enumerate().filter(|(_, point)| point.1.is_finite());
    let mut kept = vec![0, column.len() - 1];
    kept.extend(defined().next().map(|(i, _)| i));
    kept.extend(defined().next_back().map(|(i, _)| i));
    kept.extend(defined().min_by(|a, b| a.1.1.total_cmp(&b.1.1)).map(|(i, _)| i));
    kept.extend(defined().max_by(|a, b| a.1.1.total_cmp(&b.1.1)).map(|(i, _)| i));
    kept.sort_unstable();
    kept.dedup();
    kept
}

/// The shares of jobs at which the exact point is always kept.
pub const KEPT_SHARES: [f64; 4] = [0.5, 0.9, 0.95, 0.99];

/// The indices, rising, of the points of a cumulative distribution that can be told apart.
///
/// `sorted` holds the samples in rising order and `position_px` says where one is drawn (never falling). Kept
/// are the first and the last sample, the exact p50, p90, p95 and p99 ([`nearest_rank`]), and the first and
/// the last sample of each pixel column; at most [`MOST_POINTS`] in all.
#[must_use]
pub fn cumulative(sorted: &[f64], position_px: impl Fn(f64) -> f64) -> Vec<usize> {
    let Some(last) = sorted.len().checked_sub(1) else {
        return Vec::new();
    };
    let mut column_px = 1.0;
    loop {
        let column_of = |i: usize| sorted.get(i).map(|&s| (position_px(s) / column_px).floor() as i64);
        let mut kept = vec![0, last];
        kept.extend(KEPT_SHARES.iter().filter_map(|&share| nearest_rank(sorted.len(), share)));
        for i in 1..=last {
            if column_of(i - 1) != column_of(i) {
                kept.extend([i - 1, i]);
            }
        }
        kept.sort_unstable();
        kept.dedup();
        if kept.len() <= MOST_POINTS {
            return kept;
        }
        column_px *= 1.5;
    }
}

/// The index of the ceil(share · n)-th smallest of `n` sorted samples, the nearest-rank percentile.
#[must_use]
pub fn nearest_rank(n: usize, share: f64) -> Option<usize> {
    let last = n.checked_sub(1)?;
    // 0.95 · 20 is a hair over 19 in floating point.
    let rank = (share * n as f64 - 1e-9).ceil() as usize;
    Some(rank.saturating_sub(1).min(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_points_pass_unchanged() {
        let points = [(0.0, 1.0), (1.0, 5.0), (2.0, 2.0)];
        assert_eq!(time_series(&points, 500), points);
        assert!(time_series(&[], 500).is_empty());
        assert_eq!(time_series(&[(3.0, 1.0)], 500), [(3.0, 1.0)]);
    }

    #[test]
    fn a_column_keeps_the_level_it_leaves_with() {
        let mut points: Vec<(f64, f64)> = vec![(0.0, 5.0), (0.1, 9.0), (0.2, 2.0), (0.3, 6.0), (0.4, 5.5)];
        points.push((100.0, 5.5));
        let kept = time_series(&points, 10);
        assert_eq!(kept, [(0.0, 5.0), (0.1, 9.0), (0.2, 2.0), (0.4, 5.5), (100.0, 5.5)]);
    }

    #[test]
    fn a_gap_that_leaves_its_column_stays() {
        let points = [(0.0, 1.0), (0.1, 2.0), (0.2, f64::NAN), (50.0, f64::NAN), (99.0, 1.0), (100.0, 1.0)];
        let kept = time_series(&points, 10);
        assert_eq!(kept.iter().filter(|p| p.1.is_nan()).count(), 2);
        assert_eq!(kept.len(), 6);
    }

    #[test]
    fn nearest_rank_is_the_ceiling() {
        assert_eq!(nearest_rank(20, 0.95), Some(18));
        assert_eq!(nearest_rank(21, 0.95), Some(19));
        assert_eq!(nearest_rank(1, 0.5), Some(0));
        assert_eq!(nearest_rank(10, 0.0), Some(0));
        assert_eq!(nearest_rank(10, 1.0), Some(9));
        assert_eq!(nearest_rank(0, 0.5), None);
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod properties {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn series() -> impl Strategy<Value = Vec<(f64, f64)>> {
        vec((0.0..1e5_f64, prop_oneof![9 => -1e3..1e3_f64, 1 => Just(f64::NAN)]), 1..6_000).prop_map(
            |mut points| {
                points.sort_by(|a, b| a.0.total_cmp(&b.0));
                points
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn a_reduced_series_keeps_its_ends_and_extremes(points in series(), columns in 1_usize..3_000) {
            let kept = time_series(&points, columns);
            prop_assert!(kept.len() <= MOST_POINTS);
            let bits = |p: &(f64, f64)| (p.0.to_bits(), p.1.to_bits());
            let mut rest = points.iter().map(bits);
            prop_assert!(kept.iter().map(bits).all(|p| rest.any(|q| q == p)), "a subsequence");
            prop_assert_eq!(kept.first().map(bits), points.first().map(bits));
            prop_assert_eq!(kept.last().map(bits), points.last().map(bits));
            let extreme = |points: &[(f64, f64)]| points.iter().map(|p| p.1).filter(|y| y.is_finite())
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| (low.min(y), high.max(y)));
            let (a, b) = (extreme(&points), extreme(&kept));
            prop_assert!(a.0.to_bits() == b.0.to_bits() && a.1.to_bits() == b.1.to_bits());
        }

        #[test]
        fn a_thinned_distribution_is_at_most_a_column_off(mut samples in vec(0.0..1e4_f64, 1..9_000)) {
            samples.sort_by(f64::total_cmp);
            let pixel = |s: f64| s / 25.0;
            let kept = cumulative(&samples, pixel);
            prop_assert!(kept.len() <= MOST_POINTS && kept.windows(2).all(|pair| pair[0] < pair[1]));
            prop_assert_eq!(kept.first(), Some(&0));
            prop_assert_eq!(kept.last(), Some(&(samples.len() - 1)));
            for share in KEPT_SHARES {
                prop_assert!(kept.contains(&nearest_rank(samples.len(), share).unwrap()));
            }
            // Between two kept samples more than a pixel apart nothing was left out.
            for pair in kept.windows(2) {
                let apart_px = pixel(samples[pair[1]]) - pixel(samples[pair[0]]);
                prop_assert!(pair[1] == pair[0] + 1 || apart_px <= 1.0);
            }
        }
    }
}
