//! Partial allocation: Nash welfare, of which every tenant gives up what it costs the others.

use super::{Economy, SolveError, Split, nash};

/// The strategy-proof mechanism of Cole, Gkatzelis and Goel, "Mechanism Design for Fair Division: Allocating Divisible Items without
/// Payments", EC 2013, which Themis uses in its auctions.
///
/// * Rule: tenant l keeps the fraction f of its part of the Nash division, where f is the product over the others of their utilities
///   with l over those without l (to the power of their weight over its weight). What is given up stays idle.
/// * Deviations: Themis deals out what stays idle at random; here it stays idle, since the mechanism is strategy-proof only then.
/// * Complexity: n + 1 Nash programs.
pub(super) fn split(economy: &Economy<'_>) -> Result<Split, SolveError> {
    let entitled = economy.entitled();
    let together = nash::solve(economy, &entitled)?;
    let with = economy.utilities(&together.shares);
    let mut shares = together.shares;
    let mut kept = vec![1.0; economy.tenants()];
    let mut states = together.iterations;
    for &tenant in &entitled {
        let others: Vec<usize> = entitled.iter().copied().filter(|&other| other != tenant).collect();
        let alone = nash::solve(economy, &others)?;
        states += alone.iterations;
        let without = economy.utilities(&alone.shares);
        let log: f64 = others
            .iter()
            .map(|&other| economy.weights[other] * libm::log(with[other] / without[other]))
            .sum();
        kept[tenant] = libm::exp(log / economy.weights[tenant]).min(1.0);
        shares[tenant].iter_mut().for_each(|share| *share *= kept[tenant]);
    }
    let proof = "what is kept of the Nash division; the sum is not optimised";
    Ok(Split { kept: Some(kept), ..Split::by_rule(economy, shares, proof.to_string(), states) })
}
