//! Trading fast devices for slow ones.

/// What one fast device costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Price {
    /// The second price rounded up to whole slow devices.
    Whole,
    /// The second price.
    Exact,
}

/// What is less than this is nothing, in devices.
const NOTHING: f64 = 1e-9;

/// Trades between tenants, type by type: `speeds[tenant][type]` is how fast a tenant's jobs are (0: not at all), `quotas` what it
/// has of every type, in devices.
///
/// For a pair of types, whoever gains least from the fast one sells it, whoever gains most buys it. The price is the second-highest
/// speedup among those who have slow devices, the seller excepted, or the geometric mean of seller's and buyer's where there is
/// one buyer only. A trade takes place only at a price above the seller's speedup and no higher than the buyer's, so that what each
/// of them gets done never falls.
pub fn trade(speeds: &[&[f64]], quotas: &mut [Vec<f64>], price: Price) {
    let types = speeds.first().map_or(0, |speeds| speeds.len());
    let mean = |k: usize| speeds.iter().map(|speeds| speeds[k]).sum::<f64>();
    let mut order: Vec<usize> = (0..types).collect();
    order.sort_by(|&a, &b| mean(b).total_cmp(&mean(a)).then(a.cmp(&b)));
    for (rank, &fast) in order.iter().enumerate() {
        for &slow in order[rank + 1..].iter().rev() {
            trade_pair(speeds, quotas, fast, slow, price);
        }
    }
}

fn trade_pair(speeds: &[&[f64]], quotas: &mut [Vec<f64>], fast: usize, slow: usize, price: Price) {
    let mut traders: Vec<(f64, usize)> = speeds
        .iter()
        .enumerate()
        .filter(|(_, speeds)| speeds[fast] > 0.0 && speeds[slow] > 0.0)
        .map(|(tenant, speeds)| (speeds[fast] / speeds[slow], tenant))
        .collect();
    traders.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    // Every trade exhausts what the seller has of the one or the buyer of the other.
    for _ in 0..2 * traders.len() {
        let Some(&(least, seller)) = traders.iter().find(|(_, tenant)| quotas[*tenant][fast] > NOTHING)
        else {
            return;
        };
        let mut buyers =
            traders.iter().rev().filter(|(_, tenant)| *tenant != seller && quotas[*tenant][slow] > NOTHING);
        let Some(&(most, buyer)) = buyers.next() else { return };
        let second = buyers.next().map_or(libm::sqrt(least * most), |&(second, _)| second);
        let price = match price {
            Price::Whole => second.ceil(),
            Price::Exact => second,
        };
        if !(least < price && price <= most) {
            return;
        }
        let sold = quotas[seller][fast].min(quotas[buyer][slow] / price);
        quotas[seller][fast] -= sold;
        quotas[buyer][fast] += sold;
        quotas[buyer][slow] -= sold * price;
        quotas[seller][slow] += sold * price;
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn done(speeds: &[f64], quota: &[f64]) -> f64 {
        speeds.iter().zip(quota).map(|(s, q)| s * q).sum()
    }

    #[test]
    fn a_lender_and_a_borrower_both_gain() {
        // Four slow and four fast devices in equal parts, speedups 1.25 and 5: the price is 2.5, in whole devices 3.
        let speeds: [&[f64]; 2] = [&[1.0, 1.25], &[1.0, 5.0]];
        let mut quotas = vec![vec![2.0, 2.0]; 2];
        trade(&speeds, &mut quotas, Price::Exact);
        assert_eq!(quotas, [vec![4.0, 1.2], vec![0.0, 2.8]]);
        let mut quotas = vec![vec![2.0, 2.0]; 2];
        trade(&speeds, &mut quotas, Price::Whole);
        let expected = [[4.0, 2.0 - 2.0 / 3.0], [0.0, 2.0 + 2.0 / 3.0]];
        for (quota, expected) in quotas.iter().flatten().zip(expected.iter().flatten()) {
            assert!((quota - expected).abs() < 1e-12);
        }
        assert!(done(speeds[0], &quotas[0]) > 4.5 && done(speeds[1], &quotas[1]) > 12.0);
    }

    #[test]
    fn the_price_is_the_second_highest_speedup() {
        let speeds: [&[f64]; 3] = [&[1.0, 1.5], &[1.0, 3.0], &[1.0, 4.0]];
        let mut quotas = vec![vec![1.0, 1.0]; 3];
        trade(&speeds, &mut quotas, Price::Whole);
        // The third buys 1/3 of the first's at 3; then the second is the only one left, at sqrt(1.5 × 3) rounded up to 3.
        for (quota, expected) in quotas.iter().flatten().zip([3.0, 1.0 / 3.0, 0.0, 4.0 / 3.0, 0.0, 4.0 / 3.0])
        {
            assert!((quota - expected).abs() < 1e-12, "{quotas:?}");
        }
    }

    proptest! {
        #[test]
        fn nobody_is_worse_off_and_nothing_is_lost(
            rows in prop::collection::vec((prop::collection::vec(0.0f64..10.0, 3), 0.0f64..5.0), 1..7),
            exact in any::<bool>(),
        ) {
            let speeds: Vec<&[f64]> = rows.iter().map(|(speeds, _)| &speeds[..]).collect();
            let before: Vec<Vec<f64>> = rows.iter().map(|(_, part)| vec![*part, part * 2.0, part * 3.0]).collect();
            let mut after = before.clone();
            trade(&speeds, &mut after, if exact { Price::Exact } else { Price::Whole });
            for ((speeds, before), after) in speeds.iter().zip(&before).zip(&after) {
                prop_assert!(done(speeds, after) >= done(speeds, before) - 1e-9);
                prop_assert!(after.iter().all(|q| *q >= -1e-12));
            }
            for k in 0..3 {
                let sum = |quotas: &[Vec<f64>]| quotas.iter().map(|q| q[k]).sum::<f64>();
                prop_assert!((sum(&before) - sum(&after)).abs() < 1e-9);
            }
        }
    }
}
