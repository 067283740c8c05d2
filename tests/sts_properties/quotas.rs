//! Quotas over time.

use proptest::prelude::*;
use sts_sim::policy::sts::quota::{Claim, Quotas, TemporalLayer};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn quotas_follow_fixed_shares_over_every_window(
        weights in prop::collection::vec(1u64..9, 1..8),
        units in 1u32..40,
        rounds in 2usize..60,
    ) {
        let claims: Vec<Claim> = (0..).zip(&weights).map(|(tenant, &weight)| Claim { tenant, weight }).collect();
        let total: u64 = weights.iter().sum();
        let mut layer = TemporalLayer::new(vec![units], weights.len());
        let mut quotas = Quotas::default();
        let mut given = vec![vec![0i64; weights.len()]];
        for _ in 0..rounds {
            layer.next_round(&claims, &mut quotas);
            let last = given.last().unwrap();
            let next: Vec<i64> = last.iter().enumerate().map(|(i, g)| g + i64::from(quotas.of(i)[0])).collect();
            prop_assert_eq!(next.iter().sum::<i64>() - last.iter().sum::<i64>(), i64::from(units));
            given.push(next);
        }
        for (from, start) in given.iter().enumerate() {
            for (to, end) in given.iter().enumerate().skip(from) {
                for (i, &weight) in weights.iter().enumerate() {
                    let due = (to - from) as i64 * i64::from(units) * weight as i64;
                    let error = ((end[i] - start[i]) * total as i64 - due).abs();
                    let most = if from == 0 { total } else { 2 * total };
                    prop_assert!(error < most as i64);
                }
            }
        }
    }

    /// The fluid share in parts that every sum of weights divides exactly.
    #[test]
    fn quotas_follow_shares_that_change_to_within_two_slots(
        phases in prop::collection::vec((prop::array::uniform5(0u64..4), 1usize..12), 1..25),
        units in 1u32..40,
    ) {
        // lcm(1..=15)
        const PARTS: i64 = 360_360;
        let mut layer = TemporalLayer::new(vec![units], 5);
        let mut quotas = Quotas::default();
        let mut error = [0i64; 5];
        for (weights, rounds) in phases {
            let claims: Vec<Claim> = (0..).zip(weights).filter(|&(_, weight)| weight > 0)
                .map(|(tenant, weight)| Claim { tenant, weight: weight * 1_000_000 }).collect();
            let total: u64 = weights.iter().sum();
            for _ in 0..rounds {
                layer.next_round(&claims, &mut quotas);
                for (i, claim) in claims.iter().enumerate() {
                    let share = i64::from(units) * PARTS * weights[claim.tenant as usize] as i64 / total as i64;
                    let error = &mut error[claim.tenant as usize];
                    *error += share - i64::from(quotas.of(i)[0]) * PARTS;
                    prop_assert!(error.abs() < 2 * PARTS, "off by {} slots", *error as f64 / PARTS as f64);
                }
            }
        }
    }
}
