//! Nash welfare: the greatest product of utilities, each to the power of its tenant's weight.
//!
//! Maximising Σ w log(W·X) within capacities is the Eisenberg-Gale program (Eisenberg and Gale, "Consensus of Subjective
//! Probabilities", Annals of Mathematical Statistics 1959): its optimum is a market equilibrium, and utilities there are unique. It is
//! solved by a primal-dual interior-point method: Newton steps on the conditions of optimality, with the complementarity products
//! driven to zero together. A step costs O(n K³) for n tenants and K types, since tenants are coupled by the prices of types alone.
//!
//! *Certificate.* Prices p of types and q of limits prove a bound without any of this: with β the least price a tenant pays for a unit
//! of utility, no division has a greater Σ w log u than Σ w log(w / β) + W log(P / W), where W is the sum of weights and P what all
//! devices and limits cost (weak duality, at the best scale of the prices). The iterate with the least difference to its bound is the
//! answer; of those below 1e-12, where logarithms are rounded, the last. On random instances the difference is below 1e-8 in the worst case,
//! where a limit is degenerate, and below 1e-12 in most.

use super::cholesky::{back_substitute, cholesky, solve_symmetric};
use super::{Economy, Measure, Shares, SolveError, Split};

const MAX_ITERATIONS: u64 = 120;
/// A mean complementarity product at which to stop.
const CLOSE: f64 = 1e-18;
/// Curvature added in every direction, relative to the steepest one, so that a player that trades several types at equal cost for it
/// leaves a system that can be solved. It slows steps down a little and changes nothing where they end.
const PROXIMITY: f64 = 1e-8;
/// Differences of logarithms below this are rounding.
const NOISE: f64 = 1e-12;

/// A division of greatest Nash welfare. The objective is the product of normalised utilities of all entitled tenants, each to the
/// power of its weight over the mean weight. What they cannot use goes to tenants without weight, in order.
pub(super) fn split(economy: &Economy<'_>) -> Result<Split, SolveError> {
    let solved = solve(economy, &economy.entitled())?;
    let mut shares = solved.shares;
    let utilities = economy.utilities(&shares);
    let mean = solved.weight / economy.entitled().len().max(1) as f64;
    let log: f64 = economy
        .entitled()
        .iter()
        .map(|&tenant| economy.weights[tenant] / mean * libm::log(utilities[tenant] / economy.units[tenant]))
        .sum();
    leave_the_rest(economy, &mut shares);
    Ok(Split {
        shares,
        measure: Measure::Product,
        objective: libm::exp(log),
        bound: libm::exp(log + solved.gap / mean.max(f64::MIN_POSITIVE)),
        proof: "an interior-point method on the Eisenberg-Gale program; the bound is proven by its prices"
            .to_string(),
        states: solved.iterations,
        kept: None,
    })
}

/// The optimum for some tenants, the others having nothing.
pub(super) struct Solved {
    pub(super) shares: Shares,
    /// By how much Σ w log u can be greater at most.
    pub(super) gap: f64,
    /// The sum of the weights.
    weight: f64,
    pub(super) iterations: u64,
}

/// Solves for `players`, all of whom are entitled.
pub(super) fn solve(economy: &Economy<'_>, players: &[usize]) -> Result<Solved, SolveError> {
    let mut shares = vec![vec![0.0; economy.types()]; economy.tenants()];
    let weight = players.iter().map(|&tenant| economy.weights[tenant]).sum();
    if players.is_empty() {
        return Ok(Solved { shares, gap: 0.0, weight, iterations: 0 });
    }
    let market = Market::new(economy, players);
    let mut state = market.start();
    let mut best: Option<(f64, State)> = None;
    let mut iterations = 0;
    while iterations < MAX_ITERATIONS && market.products(&state) > CLOSE {
        iterations += 1;
        let Some(next) = market.step(&state) else { break };
        state = next;
        let gap = market.gap(&state);
        if !gap.is_finite() {
            break;
        }
        // Below the noise of the logarithms the later iterate is the better one.
        let gap = gap.max(NOISE);
        if best.as_ref().is_none_or(|(least, _)| gap <= *least) {
            best = Some((gap, State { parts: market.fitting(&state.parts), ..state.clone() }));
        }
    }
    let (_, state) = best.ok_or(SolveError::Numerical)?;
    for (parts, &tenant) in state.parts.iter().zip(players) {
        for (k, part) in parts.iter().enumerate() {
            shares[tenant][k] = part * economy.devices[k];
        }
    }
    clean(economy, players, &mut shares);
    let gap = market.gap_of(economy, players, &shares, &state);
    Ok(Solved { shares, gap: gap * weight, weight, iterations })
}

/// Drops parts that are there only because the method stays away from zero, and makes everything fit exactly.
fn clean(economy: &Economy<'_>, players: &[usize], shares: &mut Shares) {
    for &tenant in players {
        for (share, devices) in shares[tenant].iter_mut().zip(&economy.devices) {
            if *share < devices * 1e-11 {
                *share = 0.0;
            }
        }
    }
    economy.fit(shares);
}

/// Gives what is left to tenants without weight, as much as each can use.
fn leave_the_rest(economy: &Economy<'_>, shares: &mut Shares) {
    for k in 0..economy.types() {
        for tenant in 0..economy.tenants() {
            if economy.weights[tenant] > 0.0 || economy.rates[tenant][k] <= 0.0 {
                continue;
            }
            let free = economy.devices[k] - shares.iter().map(|own| own[k]).sum::<f64>();
            let own: f64 = shares[tenant].iter().sum();
            let within = economy.limits[tenant].map_or(f64::INFINITY, |limit| limit - own);
            shares[tenant][k] += crate::linear::program::rounded(free.min(within).max(0.0));
        }
    }
}

/// The program in parts of each type, utilities relative to everything, weights summing to 1.
struct Market {
    /// By player and type.
    gains: Vec<Vec<f64>>,
    weights: Vec<f64>,
    /// Devices of each type over all devices.
    sizes: Vec<f64>,
    /// Limits over all devices, where they can bind.
    limits: Vec<Option<f64>>,
}

#[derive(Clone)]
struct State {
    /// By player and type.
    parts: Vec<Vec<f64>>,
    /// Duals of parts being at least zero.
    reduced: Vec<Vec<f64>>,
    /// What is free of each type; kept on its own, since the difference to 1 has no digits left when it is small.
    free: Vec<f64>,
    /// Prices of types.
    prices: Vec<f64>,
    /// What is left of each limit, likewise.
    left: Vec<Option<f64>>,
    /// Prices of limits.
    limit_prices: Vec<f64>,
}

/// A change of a [`State`].
struct Change {
    parts: Vec<Vec<f64>>,
    reduced: Vec<Vec<f64>>,
    /// What more is taken of each type.
    taken: Vec<f64>,
    prices: Vec<f64>,
    /// What more is taken of each limit.
    used: Vec<f64>,
    limit_prices: Vec<f64>,
}

impl Market {
    fn new(economy: &Economy<'_>, players: &[usize]) -> Self {
        let all: f64 = economy.devices.iter().sum();
        let total: f64 = players.iter().map(|&tenant| economy.weights[tenant]).sum();
        let gains = players.iter().map(|&tenant| {
            let everything = economy.worth(tenant, &economy.devices);
            let rates = &economy.rates[tenant];
            rates.iter().zip(&economy.devices).map(|(rate, devices)| rate * devices / everything).collect()
        });
        let limit =
            |&tenant: &usize| economy.limits[tenant].filter(|&limit| limit < all).map(|limit| limit / all);
        Self {
            gains: gains.collect(),
            weights: players.iter().map(|&tenant| economy.weights[tenant] / total).collect(),
            sizes: economy.devices.iter().map(|devices| devices / all).collect(),
            limits: players.iter().map(limit).collect(),
        }
    }

    fn types(&self) -> usize {
        self.sizes.len()
    }

    /// Whether a part is a variable: it is worth something to the player.
    fn trades(&self, player: usize, k: usize) -> bool {
        self.gains[player][k] > 0.0
    }

    fn start(&self) -> State {
        let players = self.gains.len();
        let mut parts = vec![vec![0.0; self.types()]; players];
        for (player, parts) in parts.iter_mut().enumerate() {
            let even = 0.5 / players as f64;
            let fits = self.limits[player].map_or(1.0, |limit| (0.5 * limit / even).min(1.0));
            for (k, part) in parts.iter_mut().enumerate() {
                *part = if self.trades(player, k) { even * fits } else { 0.0 };
            }
        }
        let products = 1.0 / (players * self.types()) as f64;
        let reduced = |parts: &Vec<f64>| {
            parts.iter().map(|&part| if part > 0.0 { products / part } else { 0.0 }).collect()
        };
        let free: Vec<f64> =
            (0..self.types()).map(|k| 1.0 - parts.iter().map(|own| own[k]).sum::<f64>()).collect();
        let left: Vec<Option<f64>> =
            (0..players).map(|i| self.limits[i].map(|limit| limit - self.total(&parts[i]))).collect();
        State {
            reduced: parts.iter().map(reduced).collect(),
            parts,
            prices: free.iter().map(|free| products / free).collect(),
            free,
            limit_prices: left.iter().map(|left| left.map_or(0.0, |left| products / left)).collect(),
            left,
        }
    }

    /// What parts take of a limit.
    fn total(&self, parts: &[f64]) -> f64 {
        parts.iter().zip(&self.sizes).map(|(part, size)| part * size).sum()
    }

    fn utility(&self, parts: &[Vec<f64>], player: usize) -> f64 {
        self.gains[player].iter().zip(&parts[player]).map(|(gain, part)| gain * part).sum()
    }

    /// The mean complementarity product.
    fn products(&self, state: &State) -> f64 {
        let (mut sum, mut count) = (0.0, 0u32);
        let mut add = |product: f64| {
            sum += product;
            count += 1;
        };
        for (player, (parts, reduced)) in state.parts.iter().zip(&state.reduced).enumerate() {
            for k in (0..self.types()).filter(|&k| self.trades(player, k)) {
                add(parts[k] * reduced[k]);
            }
            if let Some(left) = state.left[player] {
                add(left * state.limit_prices[player]);
            }
        }
        for (price, free) in state.prices.iter().zip(&state.free) {
            add(price * free);
        }
        sum / f64::from(count.max(1))
    }

    /// One damped Newton step; `None` when the system is singular to working precision.
    fn step(&self, state: &State) -> Option<State> {
        let target = 0.1 * self.products(state);
        let change = self.newton(state, target)?;
        let length = self.longest(state, &change);
        let grown = |old: &[f64], by: &[f64]| -> Vec<f64> {
            old.iter().zip(by).map(|(old, by)| old + length * by).collect()
        };
        let rows = |old: &[Vec<f64>], by: &[Vec<f64>]| old.iter().zip(by).map(|(o, b)| grown(o, b)).collect();
        Some(State {
            parts: rows(&state.parts, &change.parts),
            reduced: rows(&state.reduced, &change.reduced),
            free: state.free.iter().zip(&change.taken).map(|(free, taken)| free - length * taken).collect(),
            prices: grown(&state.prices, &change.prices),
            left: (state.left.iter().zip(&change.used))
                .map(|(left, used)| left.map(|left| left - length * used))
                .collect(),
            limit_prices: grown(&state.limit_prices, &change.limit_prices),
        })
    }

    /// The Newton direction towards products of `target`. Eliminating all but the parts gives, for every player, a block of the
    /// curvature of its logarithm and its barrier; the blocks are coupled by the price of each type alone.
    fn newton(&self, state: &State, target: f64) -> Option<Change> {
        let (players, types) = (self.gains.len(), self.types());
        let mut blocks = Vec::with_capacity(players);
        // (M + D⁻¹) v = h, where v is the change of prices caused by the change of demand.
        let mut matrix = vec![vec![0.0; types]; types];
        let mut rest = vec![0.0; types];
        for (k, row) in matrix.iter_mut().enumerate() {
            row[k] = state.free[k] / state.prices[k];
            // What rounding has made of parts and what is free beside them.
            rest[k] = state.free[k] - (1.0 - state.parts.iter().map(|own| own[k]).sum::<f64>());
        }
        for player in 0..players {
            let block = self.block(state, player, target)?;
            for (k, row) in matrix.iter_mut().enumerate() {
                for (j, cell) in row.iter_mut().enumerate() {
                    *cell += block.inverse[k][j];
                }
                rest[k] += block.alone[k];
            }
            blocks.push(block);
        }
        let pressure = solve_symmetric(matrix, &rest)?;
        let mut change = Change {
            parts: Vec::with_capacity(players),
            reduced: Vec::with_capacity(players),
            taken: vec![0.0; types],
            prices: vec![0.0; types],
            used: vec![0.0; players],
            limit_prices: vec![0.0; players],
        };
        for (player, block) in blocks.iter().enumerate() {
            let parts: Vec<f64> = (0..types)
                .map(|k| {
                    let pushed: f64 = block.inverse[k].iter().zip(&pressure).map(|(a, b)| a * b).sum();
                    block.alone[k] - pushed
                })
                .collect();
            let reduced = (0..types).map(|k| {
                let (part, dual) = (state.parts[player][k], state.reduced[player][k]);
                if self.trades(player, k) { (target - part * dual - dual * parts[k]) / part } else { 0.0 }
            });
            change.reduced.push(reduced.collect());
            if let (Some(left), Some(pressed)) = (state.left[player], &block.pressed) {
                let less: f64 = pressed.by_pressure.iter().zip(&pressure).map(|(by, push)| by * push).sum();
                let push = pressed.alone - less;
                let price = state.limit_prices[player];
                change.used[player] = left / price * push;
                change.limit_prices[player] = target / left - price + push;
            }
            change.parts.push(parts);
        }
        for (k, pressure) in pressure.iter().enumerate() {
            // What is taken follows from the pressure with all its digits, from the parts it would not.
            change.taken[k] = state.free[k] / state.prices[k] * pressure;
            change.prices[k] = target / state.free[k] - state.prices[k] + pressure;
        }
        Some(change)
    }

    /// One player's part of the system: its inverse, and its change of parts if prices stayed.
    fn block(&self, state: &State, player: usize, target: f64) -> Option<Block> {
        let types = self.types();
        let (gains, parts, reduced) = (&self.gains[player], &state.parts[player], &state.reduced[player]);
        let utility = self.utility(&state.parts, player);
        let weight = self.weights[player];
        let limit = state.left[player].map(|left| (left, state.limit_prices[player]));
        let traded: Vec<usize> = (0..types).filter(|&k| self.trades(player, k)).collect();
        let mut matrix = vec![vec![0.0; traded.len()]; traded.len()];
        let mut rest = vec![0.0; traded.len()];
        let curvature = weight / (utility * utility);
        let steepest = curvature * traded.iter().map(|&k| gains[k] * gains[k]).sum::<f64>();
        for (row, &k) in traded.iter().enumerate() {
            for (column, &j) in traded.iter().enumerate() {
                matrix[row][column] = curvature * gains[k] * gains[j];
            }
            matrix[row][row] += reduced[k] / parts[k] + PROXIMITY * steepest;
            // Gradient of the Lagrangian with the duals that the barrier asks for.
            rest[row] = weight * gains[k] / utility + target / parts[k]
                - target / state.free[k]
                - limit.map_or(0.0, |(left, _)| self.sizes[k] * target / left);
        }
        let factor = cholesky(matrix)?;
        let mut inverse = vec![vec![0.0; types]; types];
        let mut alone = vec![0.0; types];
        let solved = back_substitute(&factor, &rest);
        for (row, &k) in traded.iter().enumerate() {
            alone[k] = solved[row];
            let mut unit = vec![0.0; traded.len()];
            unit[row] = 1.0;
            for (column, value) in back_substitute(&factor, &unit).into_iter().enumerate() {
                inverse[k][traded[column]] = value;
            }
        }
        // The limit presses on all parts together, by h with (left / price + m·B⁻¹m) h = m·B⁻¹(rest - pressure).
        let pressed = limit.map(|(left, price)| {
            let by_size: Vec<f64> = inverse.iter().map(|row| self.total(row)).collect();
            let total = left / price + self.total(&by_size);
            for (k, row) in inverse.iter_mut().enumerate() {
                for (cell, by) in row.iter_mut().zip(&by_size) {
                    *cell -= by_size[k] * by / total;
                }
            }
            let missing = self.limits[player].unwrap_or(left) - self.total(parts) - left;
            let push = (self.total(&alone) - missing) / total;
            for (alone, by) in alone.iter_mut().zip(&by_size) {
                *alone -= by * push;
            }
            Pressed { alone: push, by_pressure: by_size.iter().map(|by| by / total).collect() }
        });
        Some(Block { inverse, alone, pressed })
    }

    /// The longest step, up to 1, that leaves a two-hundredth of everything that must stay positive.
    fn longest(&self, state: &State, change: &Change) -> f64 {
        const KEEPS: f64 = 0.995;
        let mut length: f64 = 1.0;
        let mut limit = |value: f64, by: f64| {
            if by < 0.0 {
                length = length.min(-KEEPS * value / by);
            }
        };
        for player in 0..self.gains.len() {
            for k in (0..self.types()).filter(|&k| self.trades(player, k)) {
                limit(state.parts[player][k], change.parts[player][k]);
                limit(state.reduced[player][k], change.reduced[player][k]);
            }
            if let Some(left) = state.left[player] {
                limit(left, -change.used[player]);
                limit(state.limit_prices[player], change.limit_prices[player]);
            }
        }
        for k in 0..self.types() {
            limit(state.free[k], -change.taken[k]);
            limit(state.prices[k], change.prices[k]);
        }
        length
    }

    /// By how much Σ w log u can exceed that of the state, as its prices prove; weights sum to 1. Rounding may have made parts exceed
    /// what there is: they count as far as they fit.
    fn gap(&self, state: &State) -> f64 {
        let parts = self.fitting(&state.parts);
        let logs: f64 = (0..self.gains.len())
            .map(|player| self.weights[player] * libm::log(self.utility(&parts, player)))
            .sum();
        self.bound(state) - logs
    }

    /// Parts shrunk until they fit.
    fn fitting(&self, parts: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let mut parts = parts.to_vec();
        for k in 0..self.types() {
            let all: f64 = parts.iter().map(|own| own[k]).sum();
            if all > 1.0 {
                parts.iter_mut().for_each(|own| own[k] /= all);
            }
        }
        for (own, limit) in parts.iter_mut().zip(&self.limits) {
            let total = self.total(own);
            if let Some(limit) = limit.filter(|&limit| total > limit) {
                own.iter_mut().for_each(|part| *part *= limit / total);
            }
        }
        parts
    }

    fn bound(&self, state: &State) -> f64 {
        let limits = self.limits.iter().zip(&state.limit_prices).map(|(limit, q)| limit.unwrap_or(0.0) * q);
        let cost: f64 = state.prices.iter().sum::<f64>() + limits.sum::<f64>();
        let mut bound = libm::log(cost);
        for player in 0..self.gains.len() {
            let least = (0..self.types())
                .filter(|&k| self.trades(player, k))
                .map(|k| {
                    (state.prices[k] + self.sizes[k] * state.limit_prices[player]) / self.gains[player][k]
                })
                .fold(f64::INFINITY, f64::min);
            bound += self.weights[player] * libm::log(self.weights[player] / least);
        }
        bound
    }

    /// The gap of cleaned shares, with the prices of a state.
    fn gap_of(&self, economy: &Economy<'_>, players: &[usize], shares: &Shares, state: &State) -> f64 {
        let parts = |&tenant: &usize| {
            let part = |(share, devices): (&f64, &f64)| if *devices > 0.0 { share / devices } else { 0.0 };
            shares[tenant].iter().zip(&economy.devices).map(part).collect()
        };
        let cleaned = State { parts: players.iter().map(parts).collect(), ..state.clone() };
        self.gap(&cleaned).max(0.0)
    }
}

struct Block {
    inverse: Vec<Vec<f64>>,
    alone: Vec<f64>,
    pressed: Option<Pressed>,
}

/// The change of a limit's price that demand causes: if prices of types stayed, and less by how much they press.
struct Pressed {
    alone: f64,
    by_pressure: Vec<f64>,
}
