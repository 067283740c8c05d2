//! Entitlements of other systems in the terms of this one: whole units for quotas with over-quota weights, weights for trees of
//! queues, and weights that usage in the past lowers.
//!
//! A scenario or an instance has one weight a tenant. What these functions give can be used as such: [`flatten`] and
//! [`time_based_weight`] are weights, and [`over_quota`] is what a cluster's quotas are when demand is known.

use super::apportion::apportion;
use crate::units::gcd;

/// A queue with a quota of its own and a claim on what is beyond all quotas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Queue {
    /// Units it deserves.
    pub deserved: u64,
    /// Units it asks for.
    pub request: u64,
    /// Its weight where units beyond what is deserved are shared.
    pub over_quota_weight: u64,
}

/// Divides whole units among queues: first what they deserve, as far as they ask for it; then the rest by over-quota weights, by
/// largest remainders (ties: the earlier queue), until it is used up or nobody asks for more. Where the deserved alone exceeds the
/// units, it is cut in proportion.
///
/// The rule of NVIDIA's KAI scheduler (`resource_division.go`) without priorities.
#[must_use]
pub fn over_quota(units: u64, queues: &[Queue]) -> Vec<u64> {
    let deserved: Vec<u64> = queues.iter().map(|queue| queue.deserved.min(queue.request)).collect();
    let all: u128 = deserved.iter().map(|&units| u128::from(units)).sum();
    if all >= u128::from(units) {
        return apportion(units, &deserved);
    }
    let mut shares = deserved;
    let mut left = units - shares.iter().sum::<u64>();
    loop {
        let wants = |i: usize, share: u64| queues[i].request - share;
        let weights: Vec<u64> = (0..queues.len())
            .map(|i| if wants(i, shares[i]) > 0 { queues[i].over_quota_weight } else { 0 })
            .collect();
        let offered = apportion(left, &weights);
        // Whoever is offered all it wants takes that; then the others are offered what is left.
        let content: Vec<usize> =
            (0..queues.len()).filter(|&i| weights[i] > 0 && offered[i] >= wants(i, shares[i])).collect();
        if content.is_empty() {
            for (share, more) in shares.iter_mut().zip(offered) {
                *share += more;
            }
            return shares;
        }
        for i in content {
            left -= wants(i, shares[i]);
            shares[i] = queues[i].request;
        }
    }
}

/// A queue of a tree, whose weight counts among its siblings only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nested {
    /// Its weight.
    pub weight: u64,
    /// The queues below it; none if it is a tenant.
    pub children: Vec<Self>,
}

impl Nested {
    /// A tenant.
    #[must_use]
    pub fn tenant(weight: u64) -> Self {
        Self { weight, children: Vec::new() }
    }

    /// A queue of queues.
    #[must_use]
    pub fn queue(weight: u64, children: Vec<Self>) -> Self {
        Self { weight, children }
    }
}

/// The weights of all tenants of a tree, in order, in smallest whole numbers: a queue's share of its parent's share, as in
/// hierarchical fair sharing with everybody backlogged. `None` where they exceed what whole numbers hold.
#[must_use]
pub fn flatten(queues: &[Nested]) -> Option<Vec<u64>> {
    let below: Vec<Vec<u64>> = queues
        .iter()
        .map(|queue| if queue.children.is_empty() { Some(vec![1]) } else { flatten(&queue.children) })
        .collect::<Option<_>>()?;
    let sums: Vec<u64> = below
        .iter()
        .map(|weights| weights.iter().try_fold(0u64, |sum, &weight| sum.checked_add(weight)))
        .collect::<Option<_>>()?;
    let mut common: u64 = 1;
    for &sum in sums.iter().filter(|&&sum| sum > 0) {
        common = (common / gcd(common, sum)).checked_mul(sum)?;
    }
    let mut flat = Vec::new();
    for ((queue, weights), &sum) in queues.iter().zip(&below).zip(&sums) {
        for &weight in weights {
            let part = weight.checked_mul(common.checked_div(sum).unwrap_or(0))?;
            flat.push(part.checked_mul(queue.weight)?);
        }
    }
    let divisor = flat.iter().fold(0, |divisor, &weight| gcd(divisor, weight)).max(1);
    Some(flat.into_iter().map(|weight| weight / divisor).collect())
}

/// The weight of a queue whose usage in the past counts against it: max(0, n + k (n - u)), where n is its share by configured weights, u
/// what it used as a part of what the cluster had in the window, and k how much that counts. From KAI's time-based fair share
/// (`calcShareWeights`).
#[must_use]
pub fn time_based_weight(share: f64, usage: f64, k: f64) -> f64 {
    (share + k * (share - usage)).max(0.0)
}

/// Usage after `elapsed_s`, of which half is forgotten every `half_life_s`.
#[must_use]
pub fn decayed_usage(usage: f64, elapsed_s: f64, half_life_s: f64) -> f64 {
    usage * libm::exp2(-elapsed_s / half_life_s)
}
