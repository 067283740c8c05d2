//! Wilcoxon's signed-rank test of paired differences (Wilcoxon 1945): whether they lie around zero, without assuming that they are
//! normal. With fewer than six pairs it can never reject at 5 %: even five differences of one sign have p = 2/32.

/// Up to so many pairs p is exact, ties included; beyond, it comes from the normal distribution with the correction for ties.
pub const EXACT: usize = 50;

/// The two-sided p of the hypothesis that the differences are symmetric around zero. Zeros are left out, as in Wilcoxon's own test;
/// equal sizes share their mean rank. 1 where nothing is left; `None` without differences.
#[must_use]
pub fn p_value(differences: &[f64]) -> Option<f64> {
    if differences.is_empty() {
        return None;
    }
    let mut sized: Vec<(f64, bool)> =
        differences.iter().filter(|&&d| d != 0.0).map(|&d| (libm::fabs(d), d > 0.0)).collect();
    sized.sort_by(|a, b| a.0.total_cmp(&b.0));
    let n = sized.len();
    // Twice the ranks, so that those shared by ties are whole.
    let mut ranks = vec![0usize; n];
    let mut ties = 0.0;
    let mut from = 0;
    while from < n {
        let to = from
            + sized[from..].iter().take_while(|(size, _)| size.total_cmp(&sized[from].0).is_eq()).count();
        for rank in &mut ranks[from..to] {
            *rank = from + 1 + to;
        }
        let tied = (to - from) as f64;
        ties += tied * tied * tied - tied;
        from = to;
    }
    let positive: usize =
        ranks.iter().zip(&sized).filter(|(_, (_, is_positive))| *is_positive).map(|(r, _)| r).sum();
    let all = n * (n + 1);
    let smaller = positive.min(all - positive);
    Some(if n <= EXACT { exact(&ranks, smaller) } else { normal(n as f64, smaller as f64 / 2.0, ties) })
}

/// Twice the share of the 2^n ways to give the ranks signs of which the positive ones add up to at most `smaller`.
fn exact(ranks: &[usize], smaller: usize) -> f64 {
    let mut ways = vec![0.0f64; ranks.iter().sum::<usize>() + 1];
    ways[0] = 1.0;
    let mut reached = 0;
    for &rank in ranks {
        reached += rank;
        for sum in (rank..=reached).rev() {
            ways[sum] += ways[sum - rank];
        }
    }
    // Counts up to 2^50 are exact in a double.
    let tail: f64 = ways.iter().take(smaller + 1).sum();
    let all: f64 = ways.iter().sum();
    (2.0 * tail / all).min(1.0)
}

fn normal(n: f64, smaller: f64, ties: f64) -> f64 {
    let mean = n * (n + 1.0) / 4.0;
    let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ties / 48.0;
    if variance <= 0.0 {
        return 1.0;
    }
    let z = (mean - smaller - 0.5).max(0.0) / libm::sqrt(variance);
    libm::erfc(z / std::f64::consts::SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p(differences: &[f64]) -> f64 {
        p_value(differences).unwrap()
    }

    #[test]
    fn small_samples_are_exact() {
        assert_eq!(p_value(&[1.0, 2.0, 3.0, 4.0, 5.0]), Some(2.0 / 32.0));
        assert_eq!(p_value(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), Some(2.0 / 64.0));
        // Only rank 1 is negative: the ways to reach at most 1 are {} and {1}.
        assert_eq!(p_value(&[-1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), Some(4.0 / 64.0));
        // Tabulated (Wilcoxon 1945; Conover A12): n = 8, W = 4 has p = 2 · 7/256.
        assert_eq!(p_value(&[-4.0, 1.0, 2.0, 3.0, 5.0, 6.0, 7.0, 8.0]), Some(2.0 * 7.0 / 256.0));
        assert_eq!(p_value(&[0.0, 0.0]), Some(1.0));
        assert_eq!(p_value(&[]), None);
    }

    #[test]
    fn ties_share_their_rank() {
        // Ranks 1.5, 1.5, 3; negative sum 1.5: {} and either of the two small ones, 3 of 8 ways.
        assert_eq!(p_value(&[-1.0, 1.0, 2.0]), Some(6.0 / 8.0));
    }

    #[test]
    fn the_sign_does_not_matter() {
        let some = [0.3, -1.2, 2.0, 0.3, -0.1, 5.0, 4.0];
        let negated: Vec<f64> = some.iter().map(|d| -d).collect();
        assert_eq!(p_value(&some), p_value(&negated));
    }

    #[test]
    fn large_samples_come_close_to_the_exact_value() {
        let some: Vec<f64> =
            (1..=50).map(|i| if i % 3 == 0 { -f64::from(i) } else { f64::from(i) }).collect();
        let by_normal = {
            let smaller: f64 = some.iter().filter(|d| **d < 0.0).map(|d| -d).sum();
            normal(50.0, smaller, 0.0)
        };
        assert!((p(&some) - by_normal).abs() < 2e-3, "{} {by_normal}", p(&some));
        // One pair more, and the normal distribution takes over.
        let more: Vec<f64> =
            (1..=51).map(|i| if i % 3 == 0 { -f64::from(i) } else { f64::from(i) }).collect();
        let ranks: Vec<usize> = (1..=51).map(|rank| 2 * rank).collect();
        let smaller: usize = ranks.iter().filter(|rank| *rank / 2 % 3 == 0).sum();
        assert!((p(&more) - exact(&ranks, smaller)).abs() < 2e-3);
    }
}
