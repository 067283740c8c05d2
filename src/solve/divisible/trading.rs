//! Trading: from the equal split, tenants that a fast type gains least sell it to the tenant that it gains most.

use super::{Economy, Split};
use crate::linear::program::rounded;

/// The trades of Chaudhary et al., "Balancing Efficiency and Fairness in Heterogeneous GPU Clusters for Deep Learning" (Gandiva_fair),
/// EuroSys 2020, section 4.4.
///
/// * Rule: for a pair of types, the seller is the tenant of least speedup that has some of the fast type, the buyer the one of
///   greatest speedup that has some of the slow type. The price, in slow devices for a fast one, is the second-greatest speedup among
///   the others that have some of the slow type, or where the buyer is the only one the geometric mean of the two. They trade until one
///   of them has nothing left; then the next pair does.
/// * Deviations: devices are divisible, so that the price is not rounded up. A trade that would exceed the limit on a tenant's total
///   share stops there.
/// * Complexity: O(K² n) trades of O(n) steps.
///
/// Both sides of a trade have at least what they had, so that nobody falls below its equal split.
pub(super) fn split(economy: &Economy<'_>) -> Split {
    let mut shares = economy.equal_shares();
    let mut trades = 0;
    for slow in 0..economy.types() {
        for fast in 0..economy.types() {
            while let Some(trade) = next(economy, &shares, slow, fast) {
                let Trade { seller, buyer, price, amount } = trade;
                shares[seller][fast] -= amount;
                shares[buyer][fast] += amount;
                shares[seller][slow] += amount * price;
                shares[buyer][slow] -= amount * price;
                trades += 1;
            }
        }
    }
    shares.iter_mut().flatten().for_each(|share| *share = share.max(0.0));
    economy.fit(&mut shares);
    let proof = format!(
        "{trades} trades from the equal split, none of which hurts anybody; the sum is not optimised"
    );
    Split::by_rule(economy, shares, proof, trades)
}

struct Trade {
    seller: usize,
    buyer: usize,
    price: f64,
    /// Of the fast type.
    amount: f64,
}

/// The next trade of `slow` for `fast`, if there is one.
fn next(economy: &Economy<'_>, shares: &[Vec<f64>], slow: usize, fast: usize) -> Option<Trade> {
    let speedup = |tenant: usize| {
        let rates = &economy.rates[tenant];
        (rates[slow] > 0.0).then(|| rates[fast] / rates[slow])
    };
    let has = |tenant: usize, k: usize| rounded(shares[tenant][k]) > 0.0;
    let all = || (0..shares.len()).filter_map(|tenant| Some((tenant, speedup(tenant)?)));
    let of = |list: &[(usize, f64)], better: fn(f64, f64) -> bool| {
        let mut best: Option<(usize, f64)> = None;
        for &(tenant, speedup) in list {
            if best.is_none_or(|(_, other)| better(speedup, other)) {
                best = Some((tenant, speedup));
            }
        }
        best
    };
    let sellers: Vec<_> = all().filter(|&(tenant, _)| has(tenant, fast)).collect();
    let (seller, least) = of(&sellers, |a, b| a < b)?;
    let buyers: Vec<_> = all().filter(|&(tenant, _)| tenant != seller && has(tenant, slow)).collect();
    let (buyer, most) = of(&buyers, |a, b| a > b)?;
    let others: Vec<_> = buyers.iter().copied().filter(|&(tenant, _)| tenant != buyer).collect();
    let price = of(&others, |a, b| a > b).map_or((least * most).sqrt(), |(_, second)| second.max(least));
    if most <= 1.0 || price <= 0.0 || most <= least * (1.0 + super::ACCURACY) {
        return None;
    }
    let mut amount = shares[seller][fast].min(shares[buyer][slow] / price);
    // A price other than 1 changes how much both hold in all: limits end the trade.
    for (tenant, grows) in [(seller, price - 1.0), (buyer, 1.0 - price)] {
        if let Some(limit) = economy.limits[tenant].filter(|_| grows > 0.0) {
            amount = amount.min((limit - shares[tenant].iter().sum::<f64>()).max(0.0) / grows);
        }
    }
    (rounded(amount) > 0.0).then_some(Trade { seller, buyer, price, amount })
}
