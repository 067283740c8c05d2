//! Multipliers: the linear relaxation by a primal simplex with generalised upper bounds.
//!
//! The multipliers are *advice*: any non-negative integers keep every proof valid, good ones make the loss of the optimum
//! small. So this file may use floating point; it uses `+ - * /` and comparisons only, which give the same bits on every
//! target.
//!
//! A group of `n` identical jobs splits its `n` copies over its options (idling is one). One option of each group is its
//! *key*: it holds whatever the other options leave. The working basis then has one column per row only, and a row is a
//! resource or the floor of a tenant. The column of an option is the difference to its group's key.
//!
//! **Boxed prices.** Unused capacity is sold at a price `low` and missing capacity is bought at a price `high`, both near
//! the starting point. That is the same as restricting the dual prices to a box, and it lets the simplex start from good
//! prices instead of from a basis: it only has to work where groups change their option inside the box. When a solution
//! still sells or buys, the box is widened on that side, in the end to `[0, DEAREST]`.

use super::crash;
use super::model::Model;

/// Multipliers in units of the program: objective per unit of a resource, and objective per unit of a tenant's value.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prices {
    /// One per resource, at least 0.
    pub lambda: Vec<f64>,
    /// One per tenant, at least 0.
    pub mu: Vec<f64>,
}

/// A price above every price that a solvable program can have, as a multiple of the greatest gain.
const DEAREST: f64 = 1000.0;
/// Reduced costs up to this (times the greatest gain) count as none.
const TOLERANCE: f64 = 1e-9;
/// Pivots smaller than this are not taken.
const LEAST_PIVOT: f64 = 1e-9;
/// Groups priced at a time.
const CHUNK: usize = 96;
/// Rounds of trial and error and their first step, without and with earlier prices.
const COLD_ROUNDS: (u32, f64) = (30, 0.5);
const WARM_ROUNDS: (u32, f64) = (8, 0.03);
/// Pivots after which the inverse is computed afresh.
const REFRESH: u32 = 64;

/// What occupies a place of the basis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Basic {
    /// Unused amount of a row.
    Sold(u32),
    /// Missing amount of a row.
    Bought(u32),
    /// An option of a group.
    Option { group: u32, choice: u32 },
}

/// What leaves the basis.
enum Leaving {
    Basic(usize),
    Key(u32),
}

/// The simplex, with its buffers.
#[derive(Debug, Default)]
pub(super) struct Simplex {
    /// Gain of a value unit per tenant: `(weight + mu) / greatest gain`.
    worth: Vec<f64>,
    /// Price of every usage.
    price: Vec<f64>,
    /// Row of a tenant's floor.
    row_of: Vec<Option<u32>>,
    /// Tenant of a floor row, after the resources.
    tenant_of: Vec<u32>,
    key: Vec<u32>,
    basic: Vec<Basic>,
    x: Vec<f64>,
    /// The basis inverse, column by column.
    inverse: Vec<f64>,
    pi: Vec<f64>,
    low: Vec<f64>,
    high: Vec<f64>,
    y: Vec<f64>,
    column: Vec<(usize, f64)>,
    sum_x: Vec<f64>,
    sum_y: Vec<f64>,
    cursor: usize,
    refresh_in: u32,
    /// 1, or 0 while only feasibility counts.
    objective: f64,
    pub(super) pivots: u64,
    crash: crash::Crash,
}

impl Simplex {
    /// Improves `prices` (from a crash if `None`) to an optimal dual solution of the relaxation, or to the best met within
    /// the iteration limit.
    pub(super) fn solve(&mut self, model: &Model, start: Option<&Prices>) -> Prices {
        let start =
            start.filter(|p| p.lambda.len() == model.capacity.len() && p.mu.len() == model.tenants.len());
        let mut prices = start.cloned().unwrap_or_else(|| crash::Crash::guess(model));
        let (rounds, step) = if start.is_some() { WARM_ROUNDS } else { COLD_ROUNDS };
        self.crash.improve(model, &mut prices, rounds, step);
        self.pivots = 0;
        self.objective = 1.0;
        // Floors that are far from binding have no row; one that turns out violated gets its row and another run.
        self.row_of.clear();
        self.row_of.resize(model.tenants.len(), None);
        self.tenant_of.clear();
        for _ in 0..4 {
            self.choose_keys(model, &prices);
            let before = self.tenant_of.len();
            self.add_rows(model, &prices);
            if before > 0 && self.tenant_of.len() == before {
                break;
            }
            self.start(model, &prices);
            self.run(model);
            self.read_prices(model, &mut prices);
            if model.tenants.iter().all(|t| t.floor == 0) || self.tenant_of.len() == model.tenants.len() {
                break;
            }
        }
        prices
    }

    /// Whether the last solution misses a floor at any price: the relaxation has no feasible solution.
    pub(super) fn misses_a_floor(&self) -> bool {
        let missing = |(b, &x): (&Basic, &f64)| matches!(b, Basic::Bought(_)) && x > 1e-7;
        self.basic.iter().zip(&self.x).any(missing)
    }

    /// Prices at which the missing amounts alone are least: if the relaxation has no feasible solution, these show why,
    /// see [`Regrets::refutation`](super::regret::Regrets::refutation). To be called after [`solve`](Self::solve).
    pub(super) fn feasibility_prices(&mut self, model: &Model, prices: &Prices) -> Prices {
        self.objective = 0.0;
        self.choose_keys(model, prices);
        self.start(model, prices);
        self.low.fill(0.0);
        self.high.fill(1.0);
        self.compute_pi(model);
        self.run(model);
        let mut prices = prices.clone();
        self.read_prices(model, &mut prices);
        prices
    }

    fn rows(&self) -> usize {
        self.basic.len()
    }

    fn unit(model: &Model) -> (f64, f64) {
        (model.greatest_gain as f64, model.greatest_value as f64)
    }

    /// Worth and prices of usages from prices in program units.
    fn choose_keys(&mut self, model: &Model, prices: &Prices) {
        let (gain, _) = Self::unit(model);
        self.worth.clear();
        self.worth.extend(
            model
                .tenants
                .iter()
                .zip(&prices.mu)
                .map(|(t, mu)| (self.objective * t.weight as f64 + mu) / gain),
        );
        self.pi.clear();
        self.pi.extend(prices.lambda.iter().map(|l| l / gain));
        self.price_usages(model);
        self.key.clear();
        for group in &model.groups {
            let range = model.classes[group.class as usize].choices.clone();
            let worth = self.worth[group.tenant as usize];
            let (mut best, mut key) = (f64::NEG_INFINITY, range.start);
            for choice in range {
                let c = &model.choices[choice as usize];
                let p = c.value as f64 * worth - self.price[c.usage as usize];
                if p > best {
                    (best, key) = (p, choice);
                }
            }
            self.key.push(key);
        }
    }

    fn price_usages(&mut self, model: &Model) {
        self.price.clear();
        for usage in &model.usages {
            let first = usize::from(usage.first);
            let mut price = 0.0;
            for i in 0..usize::from(usage.len) {
                price += self.pi[first + i] * f64::from(usage.amounts[i]);
            }
            self.price.push(price);
        }
    }

    /// Gives a row to every floor that is violated by the keys, nearly so, or priced.
    fn add_rows(&mut self, model: &Model, prices: &Prices) {
        for (u, tenant) in model.tenants.iter().enumerate() {
            if tenant.floor == 0 || self.row_of[u].is_some() {
                continue;
            }
            let mut value = 0.0;
            for g in tenant.groups.clone() {
                let key = self.key[g as usize];
                value += f64::from(model.groups[g as usize].len()) * model.choices[key as usize].value as f64;
            }
            let first_run = self.tenant_of.is_empty();
            let margin = if first_run { 1.1 } else { 1.0 };
            if prices.mu[u] > 0.0 || value < margin * tenant.floor as f64 {
                self.row_of[u] = Some((model.capacity.len() + self.tenant_of.len()) as u32);
                self.tenant_of.push(u as u32);
            }
        }
    }

    /// The basis of sold and bought amounts for the keys, with prices boxed around the given ones.
    fn start(&mut self, model: &Model, prices: &Prices) {
        let (gain, value) = Self::unit(model);
        let (resources, floors) = (model.capacity.len(), self.tenant_of.len());
        let rows = resources + floors;
        self.low.clear();
        self.high.clear();
        for (price, width) in prices.lambda.iter().map(|l| l / gain).zip(&self.crash.lambda_width) {
            self.low.push(price / (1.0 + 2.0 * width));
            // A price of zero gets a little room: most zeros are right.
            self.high.push(if price > 0.0 { price * (1.0 + 2.0 * width) } else { 1e-4 });
        }
        for &u in &self.tenant_of {
            let (weight, mu) = (model.tenants[u as usize].weight as f64, prices.mu[u as usize]);
            let width = 2.0 * self.crash.worth_width[u as usize] * (weight + mu);
            let low = mu - width;
            self.low.push(if low > 0.0 { low } else { 0.0 } * value / gain);
            self.high.push((mu + width) * value / gain);
        }
        // Right-hand sides, slightly perturbed against cycling, less what the keys take.
        self.x.clear();
        self.x.extend(model.capacity.iter().enumerate().map(|(d, &c)| f64::from(c) + 1e-6 * (d + 1) as f64));
        for (f, &u) in self.tenant_of.iter().enumerate() {
            self.x.push(1e-9 * (f + 1) as f64 - model.tenants[u as usize].floor as f64 / value);
        }
        for (g, group) in model.groups.iter().enumerate() {
            let copies = f64::from(group.len());
            let c = &model.choices[self.key[g] as usize];
            let usage = &model.usages[c.usage as usize];
            for i in 0..usize::from(usage.len) {
                self.x[usize::from(usage.first) + i] -= copies * f64::from(usage.amounts[i]);
            }
            if let Some(row) = self.row_of[group.tenant as usize] {
                self.x[row as usize] += copies * c.value as f64 / value;
            }
        }
        self.basic.clear();
        self.inverse.clear();
        self.inverse.resize(rows * rows, 0.0);
        for row in 0..rows {
            let sold = self.x[row] >= 0.0;
            self.basic.push(if sold { Basic::Sold(row as u32) } else { Basic::Bought(row as u32) });
            self.inverse[row * rows + row] = if sold { 1.0 } else { -1.0 };
            self.x[row] = if sold { self.x[row] } else { -self.x[row] };
        }
        self.sum_x.clear();
        self.sum_x.resize(model.groups.len(), 0.0);
        self.sum_y.clear();
        self.sum_y.resize(model.groups.len(), 0.0);
        self.cursor = 0;
        self.refresh_in = REFRESH;
        self.compute_pi(model);
    }

    fn run(&mut self, model: &Model) {
        let mut left = 2_000 + 20 * model.groups.len() as u64;
        let mut widenings = 0;
        loop {
            while left > 0 && self.pivot(model) {
                left -= 1;
                self.pivots += 1;
            }
            if left == 0 || !self.widen(&mut widenings) {
                break;
            }
            self.compute_pi(model);
        }
    }

    /// Opens the box where the solution still sells or buys. False when it does neither where it need not.
    fn widen(&mut self, widenings: &mut u32) -> bool {
        let mut changed = false;
        for i in 0..self.rows() {
            if self.x[i] <= 1e-5 {
                continue;
            }
            match self.basic[i] {
                Basic::Sold(r) if self.low[r as usize] > 0.0 => {
                    let (low, high) = (self.low[r as usize], self.high[r as usize]);
                    self.low[r as usize] =
                        if *widenings < 4 { (low - 2.0 * (high - low)).max(0.0) } else { 0.0 };
                    changed = true;
                }
                Basic::Bought(r) if self.high[r as usize] < DEAREST && self.objective > 0.0 => {
                    let (low, high) = (self.low[r as usize], self.high[r as usize]);
                    let higher = high + 2.0 * (high - low);
                    self.high[r as usize] = if *widenings < 16 { higher.min(DEAREST) } else { DEAREST };
                    changed = true;
                }
                _ => {}
            }
        }
        *widenings += 1;
        changed
    }

    /// The cost of a basic variable relative to its group's key.
    fn cost(&self, model: &Model, basic: Basic) -> f64 {
        match basic {
            Basic::Sold(r) => self.low[r as usize],
            Basic::Bought(r) => -self.high[r as usize],
            Basic::Option { group, choice } => {
                let weight = model.classes[model.groups[group as usize].class as usize].weight as f64;
                let key = self.key[group as usize];
                let more = model.choices[choice as usize].value - model.choices[key as usize].value;
                self.objective * more as f64 * weight / model.greatest_gain as f64
            }
        }
    }

    /// Prices of the rows from the basis, and all that hangs on them.
    fn compute_pi(&mut self, model: &Model) {
        let rows = self.rows();
        self.pi.clear();
        self.pi.resize(rows, 0.0);
        for i in 0..rows {
            let cost = self.cost(model, self.basic[i]);
            if cost != 0.0 {
                for r in 0..rows {
                    self.pi[r] += cost * self.inverse[r * rows + i];
                }
            }
        }
        self.spread_pi(model);
    }

    fn spread_pi(&mut self, model: &Model) {
        let (gain, value) = Self::unit(model);
        let resources = model.capacity.len();
        for (f, &u) in self.tenant_of.iter().enumerate() {
            let weight = self.objective * model.tenants[u as usize].weight as f64;
            self.worth[u as usize] = weight / gain + self.pi[resources + f] / value;
        }
        self.price_usages(model);
    }

    /// The next option to enter, `(group, choice, reduced cost)`: the best of the first chunk of groups that has one.
    fn price_groups(&mut self, model: &Model) -> Option<(u32, u32, f64)> {
        let groups = model.groups.len();
        let mut best = (0, 0, TOLERANCE);
        let mut seen = 0;
        while seen < groups {
            let end = (self.cursor + CHUNK).min(groups).min(self.cursor + groups - seen);
            for g in self.cursor..end {
                let group = &model.groups[g];
                let worth = self.worth[group.tenant as usize];
                let key = &model.choices[self.key[g] as usize];
                let base = key.value as f64 * worth - self.price[key.usage as usize];
                let range = model.classes[group.class as usize].choices.clone();
                for choice in range {
                    let c = &model.choices[choice as usize];
                    let reduced = c.value as f64 * worth - self.price[c.usage as usize] - base;
                    if reduced > best.2 {
                        best = (g as u32, choice, reduced);
                    }
                }
            }
            seen += end - self.cursor;
            self.cursor = if end >= groups { 0 } else { end };
            if best.2 > TOLERANCE {
                return Some(best);
            }
        }
        None
    }

    /// One step of the simplex; false at the optimum.
    fn pivot(&mut self, model: &Model) -> bool {
        let rows = self.rows();
        if let Some((group, choice, reduced)) = self.price_groups(model) {
            self.load_column(model, group, choice);
            return self.step(model, Basic::Option { group, choice }, reduced);
        }
        // Sold and bought amounts are priced last: they are few, and they only matter at the edge of the box.
        let mut best = (Basic::Sold(0), TOLERANCE);
        for r in 0..rows {
            let sold = self.low[r] - self.pi[r];
            let bought = self.pi[r] - self.high[r];
            if sold > best.1 {
                best = (Basic::Sold(r as u32), sold);
            }
            if bought > best.1 {
                best = (Basic::Bought(r as u32), bought);
            }
        }
        let (entering, reduced) = best;
        if reduced <= TOLERANCE {
            return false;
        }
        let (row, sign) = match entering {
            Basic::Bought(r) => (r as usize, -1.0),
            Basic::Sold(r) => (r as usize, 1.0),
            Basic::Option { .. } => return false,
        };
        self.column.clear();
        self.column.push((row, sign));
        self.step(model, entering, reduced)
    }

    /// The entering option's column: what it takes more than its key.
    fn load_column(&mut self, model: &Model, group: u32, choice: u32) {
        self.column.clear();
        let key = &model.choices[self.key[group as usize] as usize];
        let c = &model.choices[choice as usize];
        for (sign, usage) in [(1.0, c.usage), (-1.0, key.usage)] {
            let usage = &model.usages[usage as usize];
            for i in 0..usize::from(usage.len) {
                self.column.push((usize::from(usage.first) + i, sign * f64::from(usage.amounts[i])));
            }
        }
        if let Some(row) = self.row_of[model.groups[group as usize].tenant as usize] {
            self.column.push((row as usize, (key.value - c.value) as f64 / model.greatest_value as f64));
        }
    }

    /// Brings the loaded column into the solution. False if nothing bounds the step, which only rounding can cause.
    fn step(&mut self, model: &Model, entering: Basic, reduced: f64) -> bool {
        let rows = self.rows();
        self.y.clear();
        self.y.resize(rows, 0.0);
        for &(r, a) in &self.column {
            for (y, inv) in self.y.iter_mut().zip(&self.inverse[r * rows..(r + 1) * rows]) {
                *y += a * inv;
            }
        }
        let (leaving, theta) = self.ratio_test(model, entering);
        match leaving {
            None => return false,
            Some(Leaving::Key(g)) => {
                let mine = matches!(entering, Basic::Option { group, .. } if group == g);
                let place = self.best_place_of(g, theta);
                match (place, entering) {
                    // All copies of the group move together: the basis stays.
                    (None, Basic::Option { group, choice }) => {
                        for (x, y) in self.x.iter_mut().zip(&self.y) {
                            *x = (*x - theta * y).max(0.0);
                        }
                        self.key[group as usize] = choice;
                        return true;
                    }
                    (None, _) => return false,
                    (Some(p), _) => {
                        self.swap_with_key(model, g, p, mine);
                        self.replace(model, p, theta, entering, reduced);
                    }
                }
            }
            Some(Leaving::Basic(p)) => self.replace(model, p, theta, entering, reduced),
        }
        true
    }

    /// How far the entering variable can go, and what stops it.
    fn ratio_test(&mut self, model: &Model, entering: Basic) -> (Option<Leaving>, f64) {
        let mut best: (Option<Leaving>, f64, f64) = (None, f64::INFINITY, 0.0);
        let mut consider = |leaving: Leaving, x: f64, rate: f64| {
            if rate > LEAST_PIVOT {
                let ratio = x.max(0.0) / rate;
                if ratio < best.1 - 1e-12 || (ratio <= best.1 + 1e-12 && rate > best.2) {
                    best = (Some(leaving), ratio.min(best.1), rate);
                }
            }
        };
        for i in 0..self.basic.len() {
            consider(Leaving::Basic(i), self.x[i], self.y[i]);
            if let Basic::Option { group, .. } = self.basic[i] {
                self.sum_x[group as usize] += self.x[i];
                self.sum_y[group as usize] += self.y[i];
            }
        }
        if let Basic::Option { group, .. } = entering {
            let g = group as usize;
            let copies = f64::from(model.groups[g].len());
            consider(Leaving::Key(group), copies - self.sum_x[g], 1.0 - self.sum_y[g]);
            self.sum_x[g] = 0.0;
            self.sum_y[g] = 0.0;
        }
        for i in 0..self.basic.len() {
            if let Basic::Option { group, .. } = self.basic[i] {
                let g = group as usize;
                if self.sum_y[g] != 0.0 {
                    let copies = f64::from(model.groups[g].len());
                    consider(Leaving::Key(group), copies - self.sum_x[g], -self.sum_y[g]);
                }
                self.sum_x[g] = 0.0;
                self.sum_y[g] = 0.0;
            }
        }
        (best.0, best.1)
    }

    /// The place of a group's option that keeps most copies after the step.
    fn best_place_of(&self, g: u32, theta: f64) -> Option<usize> {
        let mut best = None;
        for i in 0..self.rows() {
            if matches!(self.basic[i], Basic::Option { group, .. } if group == g) {
                let after = self.x[i] - theta * self.y[i];
                if best.is_none_or(|(_, most)| after > most) {
                    best = Some((i, after));
                }
            }
        }
        best.map(|(i, _)| i)
    }

    /// Makes the option at place `p` the key of its group and puts the old key there.
    ///
    /// Columns are differences to the key, so the basis is multiplied by a matrix that is its own inverse: row `p` of the
    /// inverse becomes minus the sum of the group's rows.
    fn swap_with_key(&mut self, model: &Model, g: u32, p: usize, entering_is_mine: bool) {
        let rows = self.rows();
        let mut key_x = f64::from(model.groups[g as usize].len());
        let mut new_y = if entering_is_mine { 1.0 } else { 0.0 };
        for i in 0..rows {
            if matches!(self.basic[i], Basic::Option { group, .. } if group == g) {
                key_x -= self.x[i];
                new_y -= self.y[i];
            }
        }
        for r in 0..rows {
            let column = &mut self.inverse[r * rows..(r + 1) * rows];
            let mut sum = 0.0;
            for i in 0..rows {
                if matches!(self.basic[i], Basic::Option { group, .. } if group == g) {
                    sum += column[i];
                }
            }
            column[p] = -sum;
        }
        self.x[p] = key_x.max(0.0);
        self.y[p] = new_y;
        if let Basic::Option { choice, .. } = &mut self.basic[p] {
            std::mem::swap(choice, &mut self.key[g as usize]);
        }
    }

    /// The entering variable takes place `p`.
    fn replace(&mut self, model: &Model, p: usize, theta: f64, entering: Basic, reduced: f64) {
        let rows = self.rows();
        for i in 0..rows {
            self.x[i] = (self.x[i] - theta * self.y[i]).max(0.0);
        }
        self.x[p] = theta;
        let pivot = self.y[p];
        for r in 0..rows {
            let column = &mut self.inverse[r * rows..(r + 1) * rows];
            let scaled = column[p] / pivot;
            if scaled != 0.0 {
                for (c, y) in column.iter_mut().zip(&self.y) {
                    *c -= y * scaled;
                }
                column[p] = scaled;
                self.pi[r] += reduced * scaled;
            }
        }
        self.basic[p] = entering;
        self.refresh_in -= 1;
        if self.refresh_in == 0 {
            self.refresh_in = REFRESH;
            self.refactor(model);
            self.compute_pi(model);
        } else {
            self.spread_pi(model);
        }
    }

    /// Computes the inverse afresh by Gauss-Jordan elimination with row pivoting.
    fn refactor(&mut self, model: &Model) {
        let rows = self.rows();
        let mut basis = vec![0.0; rows * rows]; // row by row
        for i in 0..rows {
            match self.basic[i] {
                Basic::Sold(r) => basis[r as usize * rows + i] = 1.0,
                Basic::Bought(r) => basis[r as usize * rows + i] = -1.0,
                Basic::Option { group, choice } => {
                    self.load_column(model, group, choice);
                    for &(r, a) in &self.column {
                        basis[r * rows + i] += a;
                    }
                }
            }
        }
        let mut inverse = vec![0.0; rows * rows]; // row by row
        for i in 0..rows {
            inverse[i * rows + i] = 1.0;
        }
        for i in 0..rows {
            let mut p = i;
            for r in i + 1..rows {
                if basis[r * rows + i].abs() > basis[p * rows + i].abs() {
                    p = r;
                }
            }
            if basis[p * rows + i].abs() < 1e-11 {
                return; // Numerically singular: the updated inverse is the better one.
            }
            if p != i {
                for c in 0..rows {
                    basis.swap(i * rows + c, p * rows + c);
                    inverse.swap(i * rows + c, p * rows + c);
                }
            }
            let scale = 1.0 / basis[i * rows + i];
            for c in 0..rows {
                basis[i * rows + c] *= scale;
                inverse[i * rows + c] *= scale;
            }
            for r in 0..rows {
                let factor = basis[r * rows + i];
                if r == i || factor == 0.0 {
                    continue;
                }
                for c in 0..rows {
                    basis[r * rows + c] -= factor * basis[i * rows + c];
                    inverse[r * rows + c] -= factor * inverse[i * rows + c];
                }
            }
        }
        for i in 0..rows {
            for r in 0..rows {
                self.inverse[r * rows + i] = inverse[i * rows + r];
            }
        }
    }

    fn read_prices(&self, model: &Model, prices: &mut Prices) {
        let (gain, value) = Self::unit(model);
        let resources = model.capacity.len();
        for (l, p) in prices.lambda.iter_mut().zip(&self.pi) {
            *l = p.max(0.0) * gain;
        }
        prices.mu.fill(0.0);
        for (f, &u) in self.tenant_of.iter().enumerate() {
            prices.mu[u as usize] = self.pi[resources + f].max(0.0) * gain / value;
        }
    }
}
