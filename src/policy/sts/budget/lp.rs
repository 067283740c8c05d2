//! Multipliers: the linear relaxation, from good starting prices.
//!
//! The multipliers are *advice*: any non-negative integers keep every proof valid, good ones make the loss of the optimum
//! small. So this file and its parts ([`crash`](super::crash), [`simplex`](super::simplex)) may use floating point; they use
//! `+ - * /` and comparisons only, which give the same bits on every target.
//!
//! **Boxed prices.** The simplex sells unused capacity at a price `low` and buys missing capacity at a price `high`, both near
//! the starting point. That is the same as restricting the dual prices to a box, and it lets the simplex start from good
//! prices instead of from a basis: it only has to work where groups change their option inside the box. When a solution
//! still sells or buys, the box is widened on that side, in the end to `[0, DEAREST]`.

use super::crash::Crash;
use super::model::Model;
use super::relaxation::Relaxation;
use super::simplex::{Row, Simplex};

/// Multipliers in units of the program: objective per unit of a resource, and objective per unit of a tenant's value.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prices {
    /// One per resource, at least 0.
    pub lambda: Vec<f64>,
    /// One per tenant, at least 0.
    pub mu: Vec<f64>,
}

impl Prices {
    /// Turns prices for values in one unit into prices for values that are `factor` times as large.
    pub fn rescale(&mut self, factor: f64) {
        for lambda in &mut self.lambda {
            *lambda *= factor;
        }
    }
}

/// A price above every price that a solvable program can have, in units of the simplex.
const DEAREST: f64 = 1000.0;
/// Rounds of trial and error and their first step, without and with earlier prices.
const COLD_ROUNDS: (u32, f64) = (40, 0.5);
const WARM_ROUNDS: (u32, f64) = (8, 0.03);

/// The relaxation and what solves it.
#[derive(Debug, Default)]
pub(super) struct Linear {
    relaxation: Relaxation,
    crash: Crash,
    simplex: Simplex,
    /// Row of a tenant's floor.
    row_of: Vec<Option<u32>>,
    /// Tenant of a floor row, after the resources.
    tenant_of: Vec<u32>,
}

impl Linear {
    /// Improves `start` (or a guess) to an optimal dual solution of the relaxation, or to the best met within the
    /// iteration limit.
    pub(super) fn solve(&mut self, model: &Model, start: Option<&Prices>) -> Prices {
        self.relaxation.read(model);
        let fits = |p: &&Prices| p.lambda.len() == model.capacity.len() && p.mu.len() == model.tenants.len();
        let start = start.filter(fits);
        let mut prices = start.cloned().unwrap_or_else(|| Crash::guess(&self.relaxation));
        let (rounds, step) = if start.is_some() { WARM_ROUNDS } else { COLD_ROUNDS };
        self.crash.improve(&self.relaxation, &mut prices, rounds, step);
        // Floors that are far from binding have no row; one that turns out violated gets its row and another run.
        self.row_of.clear();
        self.row_of.resize(model.tenants.len(), None);
        self.tenant_of.clear();
        for round in 0..4 {
            self.simplex.choose_keys(&self.relaxation, &prices, 1.0);
            if !self.add_rows(&prices, if round == 0 { 1.1 } else { 1.0 }) && round > 0 {
                break;
            }
            let box_of = self.boxes(&prices);
            self.simplex.start(&self.relaxation, &box_of, &self.row_of);
            self.simplex.run(&self.relaxation, DEAREST);
            self.read_prices(&mut prices);
        }
        prices
    }

    /// Whether the last solution misses a floor at any price: the relaxation has no feasible solution.
    pub(super) fn misses_a_floor(&self) -> bool {
        self.simplex.buys()
    }

    /// Prices at which the missing amounts alone are least: if the relaxation has no feasible solution, these show why,
    /// see [`Regrets::refutation`](super::regret::Regrets::refutation). To be called after [`solve`](Self::solve).
    pub(super) fn feasibility_prices(&mut self, prices: &Prices) -> Prices {
        self.simplex.choose_keys(&self.relaxation, prices, 0.0);
        let mut box_of = self.boxes(prices);
        for row in &mut box_of {
            (row.low, row.high) = (0.0, 1.0);
        }
        self.simplex.start(&self.relaxation, &box_of, &self.row_of);
        self.simplex.run(&self.relaxation, 1.0);
        let mut prices = prices.clone();
        self.read_prices(&mut prices);
        prices
    }

    /// Gives a row to every floor that is priced or that the keys do not reach with a margin. Says whether there is a new one.
    fn add_rows(&mut self, prices: &Prices, margin: f64) -> bool {
        let before = self.tenant_of.len();
        let reached = self.simplex.values_of_keys(&self.relaxation);
        for (u, &floor) in self.relaxation.floor.iter().enumerate() {
            if floor > 0.0 && self.row_of[u].is_none() && (prices.mu[u] > 0.0 || reached[u] < margin * floor)
            {
                self.row_of[u] = Some((self.relaxation.capacity.len() + self.tenant_of.len()) as u32);
                self.tenant_of.push(u as u32);
            }
        }
        self.tenant_of.len() > before
    }

    /// The rows with their right-hand sides and price boxes, in the units of the simplex.
    fn boxes(&self, prices: &Prices) -> Vec<Row> {
        let r = &self.relaxation;
        let mut rows = Vec::with_capacity(r.capacity.len() + self.tenant_of.len());
        // Right-hand sides are slightly perturbed against cycling.
        for (d, (&lambda, &width)) in prices.lambda.iter().zip(&self.crash.lambda_width).enumerate() {
            let (price, right) = (lambda / r.gain_unit, r.capacity[d] + 1e-6 * (d + 1) as f64);
            // A price of zero gets a little room: most zeros are right.
            let high = if price > 0.0 { price * (1.0 + 4.0 * width) } else { 1e-4 };
            rows.push(Row { right, low: price / (1.0 + 4.0 * width), high, tenant: None });
        }
        for (f, &u) in self.tenant_of.iter().enumerate() {
            let (mu, tenant) = (prices.mu[u as usize], u as usize);
            let width = 4.0 * self.crash.worth_width[tenant] * (r.weight[tenant] + mu);
            let low = if mu > width { mu - width } else { 0.0 };
            let unit = r.value_unit / r.gain_unit;
            let right = 1e-9 * (f + 1) as f64 - r.floor[tenant] / r.value_unit;
            rows.push(Row { right, low: low * unit, high: (mu + width) * unit, tenant: Some(u) });
        }
        rows
    }

    fn read_prices(&self, prices: &mut Prices) {
        let r = &self.relaxation;
        let positive = |p: f64| if p > 0.0 { p } else { 0.0 };
        let (resources, floors) = self.simplex.prices().split_at(r.capacity.len());
        for (lambda, &p) in prices.lambda.iter_mut().zip(resources) {
            *lambda = positive(p) * r.gain_unit;
        }
        prices.mu.fill(0.0);
        for (&u, &p) in self.tenant_of.iter().zip(floors) {
            prices.mu[u as usize] = positive(p) * r.gain_unit / r.value_unit;
        }
    }
}
