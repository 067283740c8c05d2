//! Whole numbers in proportion to others.

use std::cmp::Reverse;

/// Splits `total` in proportion to `parts`: rounded down, and what is left goes to the largest remainders (ties: to the first).
/// The result adds up to `total`, or is nothing where all parts are zero. When `total` is at most their sum, nobody gets more than
/// its part.
#[must_use]
pub fn apportion(total: u64, parts: &[u64]) -> Vec<u64> {
    let sum: u128 = parts.iter().map(|&part| u128::from(part)).sum();
    if sum == 0 {
        return vec![0; parts.len()];
    }
    let mut left = total;
    let mut rests: Vec<(u128, usize)> = Vec::with_capacity(parts.len());
    let mut shares: Vec<u64> = Vec::with_capacity(parts.len());
    for (i, &part) in parts.iter().enumerate() {
        let product = u128::from(part) * u128::from(total);
        let share = (product / sum) as u64;
        left -= share;
        shares.push(share);
        rests.push((product % sum, i));
    }
    rests.sort_by_key(|&(rest, _)| Reverse(rest));
    for &(_, i) in rests.iter().take(left as usize) {
        shares[i] += 1;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_is_split_and_the_largest_remainders_get_the_rest() {
        assert_eq!(apportion(7, &[1, 1, 1]), [3, 2, 2]);
        assert_eq!(apportion(6, &[6, 3, 0]), [4, 2, 0]);
        assert_eq!(apportion(5, &[1, 6, 4]), [0, 3, 2]);
        assert_eq!(apportion(5, &[0, 0]), [0, 0]);
        assert_eq!(apportion(u64::MAX, &[u64::MAX, u64::MAX]), [u64::MAX / 2 + 1, u64::MAX / 2]);
    }

    #[test]
    fn nobody_gets_more_than_its_part_of_less_than_all() {
        for total in 0..=23 {
            let parts = [9, 1, 0, 7, 1, 5];
            let shares = apportion(total, &parts);
            assert_eq!(shares.iter().sum::<u64>(), total);
            assert!(shares.iter().zip(&parts).all(|(share, part)| share <= part), "{total}: {shares:?}");
        }
    }
}
