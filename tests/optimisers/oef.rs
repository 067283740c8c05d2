//! OEF: no envy, sharing incentive, equal throughput, and the examples.

use proptest::prelude::*;
use sts_sim::policy::oef::{Fairness, allocate};

fn own(speedups: &[Vec<f64>], x: &[Vec<f64>], l: usize, of: usize) -> f64 {
    speedups[l].iter().zip(&x[of]).map(|(w, x)| w * x).sum()
}

fn totals(speedups: &[Vec<f64>], x: &[Vec<f64>]) -> Vec<f64> {
    (0..x.len()).map(|l| own(speedups, x, l, l)).collect()
}

fn close(found: &[f64], expected: &[f64]) {
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() < 1e-6, "{found:?} instead of {expected:?}");
    }
}

#[test]
fn two_users_with_speedups_two_and_five() {
    let w = vec![vec![1.0, 2.0], vec![1.0, 5.0]];
    let coop = allocate(&w, &[1.0; 2], &[1.0; 2], Fairness::EnvyFree).unwrap();
    close(&totals(&w, &coop), &[1.5, 3.75]);
    let noncoop = allocate(&w, &[1.0; 2], &[1.0; 2], Fairness::EqualThroughput).unwrap();
    close(&totals(&w, &noncoop), &[15.0 / 7.0, 15.0 / 7.0]);
    close(&noncoop.concat(), &[1.0, 4.0 / 7.0, 0.0, 3.0 / 7.0]);
}

#[test]
fn three_users_with_speedups_two_three_and_four() {
    let w = vec![vec![1.0, 2.0], vec![1.0, 3.0], vec![1.0, 4.0]];
    let coop = allocate(&w, &[1.0; 3], &[1.0; 2], Fairness::EnvyFree).unwrap();
    close(&[totals(&w, &coop).iter().sum()], &[4.5]);
    let noncoop = allocate(&w, &[1.0; 3], &[1.0; 2], Fairness::EqualThroughput).unwrap();
    close(&totals(&w, &noncoop), &[18.0 / 13.0; 3]);
}

#[test]
fn four_slow_and_four_fast_devices() {
    let w = vec![vec![1.0, 1.25], vec![1.0, 5.0]];
    let coop = allocate(&w, &[1.0; 2], &[4.0; 2], Fairness::EnvyFree).unwrap();
    close(&totals(&w, &coop), &[4.5, 18.0]);
}

proptest! {
    #[test]
    fn cooperative_leaves_no_envy_and_shares_to_everybodys_good(
        rows in prop::collection::vec(prop::collection::vec(1.0f64..8.0, 3), 1..16),
        devices in prop::collection::vec(1.0f64..40.0, 3),
    ) {
        let n = rows.len();
        let x = allocate(&rows, &vec![1.0; n], &devices, Fairness::EnvyFree).unwrap();
        let equal: Vec<f64> = devices.iter().map(|d| d / n as f64).collect();
        for l in 0..n {
            let mine = own(&rows, &x, l, l);
            for i in 0..n {
                prop_assert!(mine >= own(&rows, &x, l, i) - 1e-5 * mine, "{} envies {}", l, i);
            }
            let alone: f64 = rows[l].iter().zip(&equal).map(|(w, x)| w * x).sum();
            prop_assert!(mine >= alone * (1.0 - 1e-5));
        }
        for k in 0..3 {
            prop_assert!(x.iter().map(|row| row[k]).sum::<f64>() <= devices[k] * (1.0 + 1e-7));
        }
    }

    #[test]
    fn non_cooperative_gives_equal_throughput_per_weight(
        rows in prop::collection::vec((prop::collection::vec(1.0f64..8.0, 3), 1u32..5), 1..10),
        devices in prop::collection::vec(1.0f64..40.0, 3),
    ) {
        let speedups: Vec<Vec<f64>> = rows.iter().map(|(row, _)| row.clone()).collect();
        let weights: Vec<f64> = rows.iter().map(|(_, weight)| f64::from(*weight)).collect();
        let x = allocate(&speedups, &weights, &devices, Fairness::EqualThroughput).unwrap();
        let level = own(&speedups, &x, 0, 0) / weights[0];
        for (l, weight) in weights.iter().enumerate() {
            prop_assert!((own(&speedups, &x, l, l) / weight - level).abs() < 1e-5 * level);
        }
    }
}
