//! The temporal layer: whole-number quotas that follow every tenant's fluid share to within one slot, for ever.
//!
//! On each GPU type the quota units (slots, or devices where packing is strict) are handed out one after the other by
//! Tijdeman's rule for the chairman assignment problem (R. Tijdeman, "The chairman assignment problem", Discrete Mathematics
//! 32, 1980): among tenants whose entitlement is far enough ahead of what they got, the one that would be late first. For
//! shares that do not change, at every single pick, what a tenant got differs from its exact share by less than one unit; so over
//! any window of rounds by less than two. When tenants come and go nothing is reset: what each is owed is kept and carried on.

use crate::units::gcd;

/// Fractions of a unit that are kept when the set of claimants changes. Within one set everything is exact.
const FINE: i128 = 1 << 40;

/// Reduced weights are scaled down until their sum has at most this many bits, which keeps all products in range.
const MAX_WEIGHT_BITS: u32 = 60;

/// A tenant that takes part, with its weight; any unit, above zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim {
    /// The tenant.
    pub tenant: u32,
    /// Its weight.
    pub weight: u64,
}

/// The chairman assignment on one GPU type.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Chairman {
    /// The type's position, which decides who is first among equals.
    position: usize,
    /// What each tenant is owed, in 1/[`FINE`] units, as of the last change of the claims it took part in.
    owed: Vec<i128>,
    /// The claims in force.
    claims: Vec<Claim>,
    /// Their weights divided by the common divisor, and the sum.
    weights: Vec<i128>,
    total: i128,
    /// What each claimant is owed, in 1/([`FINE`] * `total`) units: exact.
    residual: Vec<i128>,
}

/// The quotas of one round: units by claim and type.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Quotas {
    types: usize,
    units: Vec<u32>,
}

impl Quotas {
    /// Quotas of nothing.
    #[must_use]
    pub fn new(claims: usize, types: usize) -> Self {
        Self { types, units: vec![0; claims * types] }
    }

    /// The units of one claimant, by type.
    #[must_use]
    pub fn of(&self, claim: usize) -> &[u32] {
        self.units.get(claim * self.types..(claim + 1) * self.types).unwrap_or(&[])
    }

    /// The units of one claimant, by type.
    pub fn of_mut(&mut self, claim: usize) -> &mut [u32] {
        self.units.get_mut(claim * self.types..(claim + 1) * self.types).unwrap_or(&mut [])
    }
}

/// The temporal layer over all types of a cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemporalLayer {
    chairmen: Vec<Chairman>,
    units: Vec<u32>,
    picks: Vec<u64>,
}

impl TemporalLayer {
    /// A layer that hands out `units[k]` units of type `k` each round among up to `tenants` tenants.
    #[must_use]
    pub fn new(units: Vec<u32>, tenants: usize) -> Self {
        let chairmen = (0..units.len()).map(|position| Chairman::new(position, tenants)).collect();
        Self { chairmen, units, picks: Vec::new() }
    }

    /// Hands out so many units of each type from now on; what tenants are owed stays.
    pub fn set_units(&mut self, units: impl IntoIterator<Item = u32>) {
        self.units.clear();
        self.units.extend(units);
    }

    /// The quotas of the next round. `claims` are the active tenants of positive weight, in the order of the workload.
    pub fn next_round(&mut self, claims: &[Claim], quotas: &mut Quotas) {
        let types = self.units.len();
        quotas.types = types;
        quotas.units.clear();
        quotas.units.resize(claims.len() * types, 0);
        for (k, (chairman, &units)) in self.chairmen.iter_mut().zip(&self.units).enumerate() {
            self.picks.clear();
            self.picks.resize(claims.len(), 0);
            chairman.assign(claims, u64::from(units), &mut self.picks);
            for (row, &picks) in quotas.units.chunks_mut(types).zip(&self.picks) {
                row[k] = picks as u32;
            }
        }
    }

    /// Passes over `rounds` rounds with these claims, as if their quotas had been asked for.
    pub fn skip(&mut self, claims: &[Claim], rounds: u64) {
        for (chairman, &units) in self.chairmen.iter_mut().zip(&self.units) {
            self.picks.clear();
            self.picks.resize(claims.len(), 0);
            chairman.assign(claims, u64::from(units).saturating_mul(rounds), &mut self.picks);
        }
    }

    /// What a tenant is owed on a type: its entitlement so far minus what it was given, in units.
    #[must_use]
    pub fn owed(&self, tenant: u32, type_index: usize) -> f64 {
        self.chairmen.get(type_index).map_or(0.0, |chairman| chairman.owed(tenant))
    }
}

impl Chairman {
    fn new(position: usize, tenants: usize) -> Self {
        Self {
            position,
            owed: vec![0; tenants],
            claims: Vec::new(),
            weights: Vec::new(),
            total: 1,
            residual: Vec::new(),
        }
    }

    /// Hands out `picks` units; adds each claimant's to `out`.
    fn assign(&mut self, claims: &[Claim], picks: u64, out: &mut [u64]) {
        if self.claims != claims {
            self.settle();
            self.begin(claims);
        }
        if let [only] = out {
            *only += picks;
            return;
        }
        let mut left = picks;
        // After `total` picks every claimant is owed what it was owed before, as soon as the sequence has become periodic; then
        // whole periods need not be played through.
        let period = u64::try_from(self.total).unwrap_or(u64::MAX);
        while left > period {
            let before = self.residual.clone();
            let mut once = vec![0; out.len()];
            for _ in 0..period {
                self.pick(&mut once);
            }
            left -= period;
            let mut periods = 1;
            if before == self.residual {
                periods += left / period;
                left %= period;
            }
            for (out, once) in out.iter_mut().zip(once) {
                *out += once * periods;
            }
        }
        for _ in 0..left {
            self.pick(out);
        }
    }

    /// One pick. Everybody's entitlement grows by its share of a unit; the unit goes to the claimant, of those owed at least
    /// 1/(2n-2) units, that would first be owed 1 - 1/(2n-2).
    fn pick(&mut self, out: &mut [u64]) {
        let n = self.weights.len();
        if n == 0 {
            return;
        }
        let unit = self.total * FINE;
        let window = 2 * n as i128 - 2;
        let first = self.position % n;
        let mut due: Option<(usize, i128)> = None;
        let mut most_owed: Option<usize> = None;
        for (residual, &weight) in self.residual.iter_mut().zip(&self.weights) {
            *residual += weight * FINE;
        }
        for i in (first..n).chain(0..first) {
            let residual = self.residual[i];
            if window * residual >= unit {
                let slack = (window - 1) * unit - window * residual;
                if due.is_none_or(|(j, other)| less(slack, self.weights[i], other, self.weights[j])) {
                    due = Some((i, slack));
                }
            } else if most_owed.is_none_or(|j| residual > self.residual[j]) {
                most_owed = Some(i);
            }
        }
        if let Some(chosen) = due.map(|(i, _)| i).or(most_owed) {
            self.residual[chosen] -= unit;
            out[chosen] += 1;
        }
    }

    /// Writes what the claimants are owed back to the tenants, in whole [`FINE`] units; what rounding takes from one it gives to
    /// another (largest remainder), so that the sum is kept.
    fn settle(&mut self) {
        let mut rest: Vec<(i128, usize)> = Vec::with_capacity(self.claims.len());
        for (i, (claim, &residual)) in self.claims.iter().zip(&self.residual).enumerate() {
            self.owed[claim.tenant as usize] = residual.div_euclid(self.total);
            rest.push((residual.rem_euclid(self.total), i));
        }
        let missing = rest.iter().map(|(r, _)| r).sum::<i128>() / self.total;
        rest.sort_by_key(|&(r, i)| (std::cmp::Reverse(r), i));
        for &(_, i) in rest.iter().take(usize::try_from(missing).unwrap_or(0)) {
            self.owed[self.claims[i].tenant as usize] += 1;
        }
    }

    fn begin(&mut self, claims: &[Claim]) {
        self.claims.clear();
        self.claims.extend_from_slice(claims);
        let divisor = claims.iter().fold(0, |d, claim| gcd(d, claim.weight)).max(1);
        let sum: u128 = claims.iter().map(|claim| u128::from(claim.weight / divisor)).sum();
        let shift = (u128::BITS - sum.leading_zeros()).saturating_sub(MAX_WEIGHT_BITS);
        self.weights.clear();
        self.weights.extend(claims.iter().map(|c| i128::from((c.weight / divisor) >> shift).max(1)));
        self.total = self.weights.iter().sum::<i128>().max(1);
        let most = claims.iter().map(|claim| claim.tenant as usize + 1).max().unwrap_or(0);
        if self.owed.len() < most {
            self.owed.resize(most, 0);
        }
        self.residual.clear();
        self.residual.extend(claims.iter().map(|claim| self.owed[claim.tenant as usize] * self.total));
    }

    fn owed(&self, tenant: u32) -> f64 {
        match self.claims.iter().position(|claim| claim.tenant == tenant) {
            Some(i) => self.residual[i] as f64 / (self.total * FINE) as f64,
            None => self.owed.get(tenant as usize).map_or(0.0, |&owed| owed as f64 / FINE as f64),
        }
    }
}

/// Whether `a / a_weight < b / b_weight`, exactly.
fn less(a: i128, a_weight: i128, b: i128, b_weight: i128) -> bool {
    match (a.checked_mul(b_weight), b.checked_mul(a_weight)) {
        (Some(left), Some(right)) => left < right,
        _ => {
            let (whole_a, whole_b) = (a.div_euclid(a_weight), b.div_euclid(b_weight));
            whole_a < whole_b
                || whole_a == whole_b && a.rem_euclid(a_weight) * b_weight < b.rem_euclid(b_weight) * a_weight
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    fn claims(weights: &[u64]) -> Vec<Claim> {
        weights.iter().enumerate().map(|(i, &weight)| Claim { tenant: i as u32, weight }).collect()
    }

    #[test]
    fn at_every_pick_a_fixed_set_is_within_one_unit_of_its_shares() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        for case in 0..200 {
            let n = random.random_range(1..=9);
            let weights: Vec<u64> = (0..n).map(|_| random.random_range(1..=40)).collect();
            let total: u64 = weights.iter().sum();
            let claims = claims(&weights);
            let mut chairman = Chairman::new(case % 4, n);
            let mut got = vec![0; n];
            for pick in 1..=300 {
                chairman.assign(&claims, 1, &mut got);
                assert_eq!(got.iter().sum::<u64>(), pick);
                for (&w, &g) in weights.iter().zip(&got) {
                    let error = (w * pick).abs_diff(g * total);
                    assert!(error < total, "weights {weights:?}, pick {pick}: {got:?}");
                }
            }
        }
    }

    #[test]
    fn a_changing_set_of_equal_tenants_is_within_two_units_of_its_shares() {
        let mut random = ChaCha8Rng::seed_from_u64(2);
        for units in [1, 7, 28, 61] {
            let mut layer = TemporalLayer::new(vec![units], 20);
            let mut quotas = Quotas::default();
            // The fluid share in units of 1/lcm(1..=20).
            let scale: i128 = 232_792_560;
            let mut error = [0i128; 20];
            for _ in 0..3000 {
                let active: Vec<Claim> = (0..20)
                    .filter(|_| random.random_bool(0.5))
                    .map(|tenant| Claim { tenant, weight: 1_000_000 })
                    .collect();
                layer.next_round(&active, &mut quotas);
                for (i, claim) in active.iter().enumerate() {
                    let share = i128::from(units) * scale / active.len() as i128;
                    let error = &mut error[claim.tenant as usize];
                    *error += share - i128::from(quotas.of(i)[0]) * scale;
                    assert!(error.abs() < 2 * scale, "{units} units: {}", *error as f64 / scale as f64);
                    assert!((layer.owed(claim.tenant, 0) - *error as f64 / scale as f64).abs() < 1e-6);
                }
            }
        }
    }

    #[test]
    fn skipping_rounds_is_the_same_as_playing_them() {
        let mut random = ChaCha8Rng::seed_from_u64(3);
        for _ in 0..50 {
            let n = random.random_range(1..=6);
            let mut played = TemporalLayer::new(vec![5, 11], n);
            let mut skipped = played.clone();
            let mut quotas = Quotas::default();
            for _ in 0..6 {
                let weights: Vec<u64> = (0..n).map(|_| random.random_range(1..=5)).collect();
                let claims: Vec<Claim> =
                    claims(&weights).into_iter().filter(|_| random.random_bool(0.8)).collect();
                let rounds = random.random_range(0..200);
                for _ in 0..rounds {
                    played.next_round(&claims, &mut quotas);
                }
                skipped.skip(&claims, rounds);
                for tenant in 0..n as u32 {
                    for k in 0..2 {
                        assert!((played.owed(tenant, k) - skipped.owed(tenant, k)).abs() < 1e-12);
                    }
                }
            }
        }
    }

    #[test]
    fn types_start_with_different_tenants() {
        let mut layer = TemporalLayer::new(vec![4, 4], 3);
        let mut quotas = Quotas::default();
        layer.next_round(&claims(&[1, 1, 1]), &mut quotas);
        assert_eq!([quotas.of(0), quotas.of(1), quotas.of(2)], [[2, 1], [1, 2], [1, 1]]);
    }

    #[test]
    fn weights_of_any_size_are_compared_exactly() {
        let claims = claims(&[u64::MAX, 1, u64::MAX - 1]);
        let mut layer = TemporalLayer::new(vec![10], 3);
        let mut quotas = Quotas::default();
        layer.next_round(&claims, &mut quotas);
        assert_eq!([quotas.of(0), quotas.of(1), quotas.of(2)], [[5], [0], [5]]);
        assert!(less(i128::MAX / 3, 1 << 40, i128::MAX / 3 + (1 << 80), 1 << 40));
        assert!(!less(i128::MAX / 3, 1 << 40, i128::MAX / 3, 1 << 40));
    }
}
