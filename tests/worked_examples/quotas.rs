//! Quotas, weights, fragmentation and finish-time fairness of other systems' examples. GPUs are the only resource.

use sts_sim::metrics::distribution::{jain, nearest_rank};
use sts_sim::policy::needs::usable;
use sts_sim::policy::sts::apportion::apportion;
use sts_sim::policy::sts::entitlement::{
    Nested, Queue, decayed_usage, flatten, over_quota, time_based_weight,
};
use sts_sim::policy::sts::quota::{Claim, Quotas, TemporalLayer};

use crate::instances::{close, divisible, rates, solved};

fn queue(deserved: u64, request: u64, over_quota_weight: u64) -> Queue {
    Queue { deserved, request, over_quota_weight }
}

#[test]
fn k1_beyond_their_quotas_queues_share_by_weight() {
    assert_eq!(over_quota(100, &[queue(10, 100, 3), queue(10, 100, 1)]), [70, 30]);
    // As weights of tenants on a hundred devices.
    let mut instance = divisible(&[&[1.0], &[1.0]], &[100]);
    for (tenant, weight) in instance.tenants.iter_mut().zip([70.0, 30.0]) {
        tenant.weight = weight;
    }
    for policy in ["equal-split", "max-min", "nash", "max-sum-ef"] {
        rates(&solved(&instance, policy), &[70.0, 30.0]);
    }
}

#[test]
fn k2_whole_units_by_largest_remainder_then_age() {
    let pair = |units, weights: [u64; 2]| over_quota(units, &weights.map(|weight| queue(2, 6, weight)));
    assert_eq!(pair(15, [2, 2]), [6, 6]);
    assert_eq!(pair(12, [2, 2]), [6, 6]);
    assert_eq!(pair(8, [1, 3]), [3, 5]);
    assert_eq!(pair(11, [2, 2]), [6, 5]);
    assert_eq!(pair(4, [2, 2]), [2, 2]);
    assert_eq!(pair(3, [1, 9]), [2, 1]);
}

#[test]
fn k3_usage_in_the_past_lowers_a_weight() {
    let weights = |usage: [f64; 2], k| usage.map(|u| time_based_weight(0.5, u, k));
    let shares = |units, [a, b]: [f64; 2]| apportion(units, &[(a * 1e6) as u64, (b * 1e6) as u64]);
    let half_used = weights([0.5, 0.0], 1.0);
    assert_eq!(half_used, [0.5, 1.0]);
    assert_eq!(shares(12, half_used), [4, 8]);
    assert_eq!(shares(16, half_used), [5, 11]);
    assert_eq!(shares(16, weights([0.5, 0.0], 0.0)), [8, 8]);
    assert_eq!(weights([1.0, 0.0], 1.0), [0.0, 1.0]);
    assert_eq!(shares(16, weights([1.0, 0.0], 1.0)), [0, 16]);
    assert_eq!(weights([2.0, 0.0], 1.0)[0], 0.0);
    // 24 GPU hours of the hundred in the window; after one half-life half of it is left.
    let usage = 24.0 / (10.0 * 10.0);
    close(decayed_usage(usage, 3600.0, 3600.0), 0.12);
    close(decayed_usage(usage, 0.0, 3600.0), 0.24);
}

#[test]
fn k4_nested_weights_flattened() {
    let tree = [
        Nested::queue(1, vec![Nested::tenant(1), Nested::tenant(1), Nested::tenant(3)]),
        Nested::queue(1, vec![Nested::tenant(7)]),
    ];
    let weights = flatten(&tree).unwrap();
    assert_eq!(weights, [1, 1, 3, 5]);
    assert_eq!(apportion(300, &weights), [30, 30, 90, 150]);
    let claims: Vec<Claim> =
        (0u32..).zip(&weights).map(|(tenant, &weight)| Claim { tenant, weight }).collect();
    let mut quotas = Quotas::default();
    TemporalLayer::new(vec![300], 4).next_round(&claims, &mut quotas);
    assert_eq!((0..4).map(|claim| quotas.of(claim)[0]).collect::<Vec<_>>(), [30, 30, 90, 150]);
    // Deeper trees, queues without weight, and trees beyond whole numbers.
    let deep =
        [Nested::queue(2, vec![Nested::queue(1, tree.to_vec()), Nested::tenant(1)]), Nested::tenant(0)];
    assert_eq!(flatten(&deep).unwrap(), [1, 1, 3, 5, 10, 0]);
    assert_eq!(
        flatten(&[Nested::tenant(u64::MAX), Nested::queue(1, vec![Nested::tenant(1), Nested::tenant(1)])]),
        None
    );
    assert_eq!(flatten(&[]), Some(Vec::new()));
}

#[test]
fn fgd1_what_no_class_can_use_is_fragmented() {
    let free = [200u64, 1000, 1000, 500];
    let wasted = |need: u64, devices: u32| {
        let able = free.iter().copied().filter(|&left| left >= need);
        free.iter().sum::<u64>() - usable(able, devices)
    };
    assert_eq!(wasted(465, 1), 200);
    assert_eq!(wasted(1000, 2), 700);
    assert_eq!(wasted(1000, 4), 2700);
    // Four devices of eight are taken: everything that is left is wasted for a class that cannot be served.
    assert_eq!(4 * 1000 - usable([1000; 4], 8), 4000);
    assert_eq!(4 * 1000 - usable([1000; 4], 4), 0);
}

#[test]
fn d4_jain_and_percentiles() {
    assert_eq!(jain(&[1.0; 4]), Some(1.0));
    assert_eq!(jain(&[1.0, 0.0, 0.0, 0.0]), Some(0.25));
    close(jain(&[1.0, 2.0, 3.0]).unwrap(), 6.0 / 7.0);
    assert_eq!(jain(&[0.0, 0.0]), Some(1.0));
    assert_eq!(jain(&[]), None);
    let hundred: Vec<f64> = (1..=100).map(f64::from).collect();
    for (percent, expected) in [(50, 50.0), (95, 95.0), (99, 99.0), (100, 100.0)] {
        assert_eq!(nearest_rank(&hundred, percent), Some(expected));
    }
}
