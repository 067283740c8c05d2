//! A primal simplex with generalised upper bounds.
//!
//! A group of `n` identical jobs splits its `n` copies over its options (idling is one). One option of each group is its
//! *key*: it holds whatever the other options leave. The working basis then has one column per row only, and a row is a
//! resource or the floor of a tenant. The column of an option is the difference to its group's key.
//!
//! Every row also has a sold amount (what is left of its right-hand side, at the low price of its box) and a bought one (what is
//! missing, at the high price), so that any choice of keys is a feasible start.
//!
//! Options are priced on a *shortlist*: the groups whose best rival is nearly as good as their key. Only when the shortlist has
//! nothing left are all groups looked at again.

use super::lp::Prices;
use super::relaxation::Relaxation;

/// Reduced costs up to this (times the greatest gain) count as none.
const TOLERANCE: f64 = 1e-9;
/// Pivots smaller than this are not taken.
const LEAST_PIVOT: f64 = 1e-9;
/// Amounts up to this count as none.
const LEAST_AMOUNT: f64 = 1e-5;
/// Pivots after which the inverse is computed afresh.
const REFRESH: u32 = 64;

/// A row of the relaxation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    /// Its right-hand side.
    pub(super) right: f64,
    /// Price at which what is left is sold.
    pub(super) low: f64,
    /// Price at which what is missing is bought.
    pub(super) high: f64,
    /// The tenant, if it is a floor.
    pub(super) tenant: Option<u32>,
}

/// What occupies a place of the basis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Basic {
    Sold(u32),
    Bought(u32),
    Option { group: u32, choice: u32 },
}

/// What leaves the basis.
#[derive(Debug, Clone, Copy)]
enum Leaving {
    Basic(usize),
    Key(u32),
}

/// The simplex, with its buffers.
#[derive(Debug, Default)]
pub(super) struct Simplex {
    /// 1, or 0 while only feasibility counts.
    objective: f64,
    rows: Vec<Row>,
    /// Row of a tenant's floor.
    row_of: Vec<Option<u32>>,
    /// Gain of a value unit per tenant: `(weight + mu) / gain unit`.
    worth: Vec<f64>,
    /// Price of every usage.
    price: Vec<f64>,
    key: Vec<u32>,
    basic: Vec<Basic>,
    x: Vec<f64>,
    /// The basis inverse, column by column.
    inverse: Vec<f64>,
    pi: Vec<f64>,
    y: Vec<f64>,
    column: Vec<(usize, f64)>,
    sum_x: Vec<f64>,
    sum_y: Vec<f64>,
    refresh_in: u32,
    shortlist: Vec<u32>,
    rivals: Vec<f64>,
    sorted: Vec<f64>,
}

impl Simplex {
    /// Every group's best option at some prices becomes its key. `objective` is 1, or 0 while only feasibility counts.
    pub(super) fn choose_keys(&mut self, relaxation: &Relaxation, prices: &Prices, objective: f64) {
        self.objective = objective;
        let unit = relaxation.gain_unit;
        self.worth.clear();
        self.worth
            .extend(relaxation.weight.iter().zip(&prices.mu).map(|(w, mu)| (objective * w + mu) / unit));
        self.pi.clear();
        self.pi.extend(prices.lambda.iter().map(|l| l / unit));
        relaxation.price_usages(&self.pi, &mut self.price);
        self.key.clear();
        for block in &relaxation.blocks {
            self.key.push(relaxation.best(block, self.worth[block.tenant as usize], &self.price));
        }
    }

    /// The value of every tenant when all copies take their keys.
    pub(super) fn values_of_keys(&self, relaxation: &Relaxation) -> Vec<f64> {
        let mut values = vec![0.0; relaxation.weight.len()];
        for (block, &key) in relaxation.blocks.iter().zip(&self.key) {
            values[block.tenant as usize] += block.copies * relaxation.value[key as usize];
        }
        values
    }

    /// Prices of the rows.
    pub(super) fn prices(&self) -> &[f64] {
        &self.pi
    }

    /// Whether the solution misses something at any price.
    pub(super) fn buys(&self) -> bool {
        self.basic.iter().zip(&self.x).any(|(b, &x)| matches!(b, Basic::Bought(_)) && x > 1e-7)
    }

    /// The basis of sold and bought amounts for the keys.
    pub(super) fn start(&mut self, relaxation: &Relaxation, rows: &[Row], row_of: &[Option<u32>]) {
        self.rows.clear();
        self.rows.extend_from_slice(rows);
        self.row_of.clear();
        self.row_of.extend_from_slice(row_of);
        let n = rows.len();
        self.x.clear();
        self.x.extend(rows.iter().map(|r| r.right));
        for (block, &key) in relaxation.blocks.iter().zip(&self.key) {
            let amounts = &relaxation.amounts[relaxation.usage[key as usize] as usize];
            for (x, a) in self.x[amounts.first..].iter_mut().zip(&amounts.of[..amounts.len]) {
                *x -= block.copies * a;
            }
            if let Some(row) = row_of[block.tenant as usize] {
                self.x[row as usize] += block.copies * relaxation.value[key as usize] / relaxation.value_unit;
            }
        }
        self.basic.clear();
        self.inverse.clear();
        self.inverse.resize(n * n, 0.0);
        for r in 0..n {
            let left = self.x[r] >= 0.0;
            self.basic.push(if left { Basic::Sold(r as u32) } else { Basic::Bought(r as u32) });
            self.inverse[r * n + r] = if left { 1.0 } else { -1.0 };
            self.x[r] = if left { self.x[r] } else { -self.x[r] };
        }
        self.sum_x.clear();
        self.sum_x.resize(relaxation.blocks.len(), 0.0);
        self.sum_y.clear();
        self.sum_y.resize(relaxation.blocks.len(), 0.0);
        self.shortlist.clear();
        self.refresh_in = REFRESH;
        self.compute_pi(relaxation);
    }

    /// Pivots to the optimum, widening the boxes up to `[0, dearest]` as far as the solution wants it.
    pub(super) fn run(&mut self, relaxation: &Relaxation, dearest: f64) {
        let mut left = 2_000 + 20 * relaxation.blocks.len();
        let mut widenings = 0;
        loop {
            while left > 0 && self.pivot(relaxation) {
                left -= 1;
            }
            if left == 0 || !self.widen(widenings, dearest) {
                return;
            }
            widenings += 1;
            self.compute_pi(relaxation);
        }
    }

    /// Opens the box where the solution still sells or buys. False when it does neither where it need not.
    fn widen(&mut self, widenings: u32, dearest: f64) -> bool {
        let mut changed = false;
        for (basic, &x) in self.basic.iter().zip(&self.x) {
            if x <= LEAST_AMOUNT {
                continue;
            }
            match *basic {
                Basic::Sold(r) if self.rows[r as usize].low > 0.0 => {
                    let row = &mut self.rows[r as usize];
                    let lower = row.low - 2.0 * (row.high - row.low);
                    row.low = if widenings < 4 && lower > 0.0 { lower } else { 0.0 };
                    changed = true;
                }
                Basic::Bought(r) if self.rows[r as usize].high < dearest => {
                    let row = &mut self.rows[r as usize];
                    let higher = row.high + 2.0 * (row.high - row.low);
                    row.high = if widenings < 16 && higher < dearest { higher } else { dearest };
                    changed = true;
                }
                _ => {}
            }
        }
        changed
    }

    /// The cost of a basic variable relative to its group's key.
    fn cost(&self, relaxation: &Relaxation, basic: Basic) -> f64 {
        match basic {
            Basic::Sold(r) => self.rows[r as usize].low,
            Basic::Bought(r) => -self.rows[r as usize].high,
            Basic::Option { group, choice } => {
                let tenant = relaxation.blocks[group as usize].tenant as usize;
                let key = self.key[group as usize] as usize;
                let more = relaxation.value[choice as usize] - relaxation.value[key];
                self.objective * more * relaxation.weight[tenant] / relaxation.gain_unit
            }
        }
    }

    /// Prices of the rows from the basis, and all that hangs on them.
    fn compute_pi(&mut self, relaxation: &Relaxation) {
        let n = self.rows.len();
        self.pi.clear();
        self.pi.resize(n, 0.0);
        for (i, &basic) in self.basic.iter().enumerate() {
            let cost = self.cost(relaxation, basic);
            if cost != 0.0 {
                for (r, pi) in self.pi.iter_mut().enumerate() {
                    *pi += cost * self.inverse[r * n + i];
                }
            }
        }
        self.spread_pi(relaxation);
    }

    fn spread_pi(&mut self, relaxation: &Relaxation) {
        for (row, pi) in self.rows.iter().zip(&self.pi) {
            if let Some(u) = row.tenant {
                let weight = self.objective * relaxation.weight[u as usize];
                self.worth[u as usize] = weight / relaxation.gain_unit + pi / relaxation.value_unit;
            }
        }
        let resources = relaxation.capacity.len();
        relaxation.price_usages(&self.pi[..resources], &mut self.price);
    }

    /// The best option of the shortlist to enter, `(group, choice, reduced cost)`.
    fn price_shortlist(&mut self, relaxation: &Relaxation) -> Option<(u32, u32, f64)> {
        let mut best = (0, 0, TOLERANCE);
        for &g in &self.shortlist {
            let block = &relaxation.blocks[g as usize];
            let worth = self.worth[block.tenant as usize];
            let (choice, reduced) = relaxation.rival(block, self.key[g as usize], worth, &self.price);
            if reduced > best.2 {
                best = (g, choice, reduced);
            }
        }
        (best.2 > TOLERANCE).then_some(best)
    }

    /// The best sold or bought amount to enter, with its row, sign and reduced cost. It only matters at the edge of the box.
    fn price_rows(&self) -> Option<(Basic, (usize, f64), f64)> {
        let mut best = (Basic::Sold(0), (0, 0.0), TOLERANCE);
        for (r, (row, pi)) in self.rows.iter().zip(&self.pi).enumerate() {
            let (sold, bought) = (row.low - pi, pi - row.high);
            if sold > best.2 {
                best = (Basic::Sold(r as u32), (r, 1.0), sold);
            }
            if bought > best.2 {
                best = (Basic::Bought(r as u32), (r, -1.0), bought);
            }
        }
        (best.2 > TOLERANCE).then_some(best)
    }

    /// Looks at all groups and lists those with the best rivals.
    #[inline(never)]
    fn renew_shortlist(&mut self, relaxation: &Relaxation) {
        self.rivals.clear();
        for (block, &key) in relaxation.blocks.iter().zip(&self.key) {
            let worth = self.worth[block.tenant as usize];
            self.rivals.push(relaxation.rival(block, key, worth, &self.price).1);
        }
        let wanted = 32 + 4 * self.rows.len();
        let mut least = f64::NEG_INFINITY;
        if wanted < self.rivals.len() {
            self.sorted.clone_from(&self.rivals);
            let place = self.sorted.len() - wanted;
            least = *self.sorted.select_nth_unstable_by(place, f64::total_cmp).1;
            // Those that want to enter are all listed.
            least = if least > TOLERANCE { TOLERANCE } else { least };
        }
        self.shortlist.clear();
        let listed = self.rivals.iter().enumerate().filter(|(_, r)| **r >= least);
        self.shortlist.extend(listed.map(|(g, _)| g as u32));
    }

    /// One step; false at the optimum.
    fn pivot(&mut self, relaxation: &Relaxation) -> bool {
        for fresh in [false, true] {
            if fresh {
                self.renew_shortlist(relaxation);
            }
            if let Some((group, choice, reduced)) = self.price_shortlist(relaxation) {
                self.load_column(relaxation, group, choice);
                return self.step(relaxation, Basic::Option { group, choice }, reduced);
            }
            if let Some((basic, entry, reduced)) = self.price_rows() {
                self.column.clear();
                self.column.push(entry);
                return self.step(relaxation, basic, reduced);
            }
        }
        false
    }

    /// The entering option's column: what it takes more than its key.
    fn load_column(&mut self, relaxation: &Relaxation, group: u32, choice: u32) {
        let key = self.key[group as usize] as usize;
        self.column.clear();
        for (sign, usage) in [(1.0, relaxation.usage[choice as usize]), (-1.0, relaxation.usage[key])] {
            let amounts = &relaxation.amounts[usage as usize];
            for (i, a) in amounts.of[..amounts.len].iter().enumerate() {
                self.column.push((amounts.first + i, sign * a));
            }
        }
        let tenant = relaxation.blocks[group as usize].tenant as usize;
        if let Some(row) = self.row_of[tenant] {
            let more = relaxation.value[choice as usize] - relaxation.value[key];
            self.column.push((row as usize, -more / relaxation.value_unit));
        }
    }

    /// Brings the loaded column into the solution. False if nothing bounds the step, which only rounding can cause.
    fn step(&mut self, relaxation: &Relaxation, entering: Basic, reduced: f64) -> bool {
        let n = self.rows.len();
        self.y.clear();
        self.y.resize(n, 0.0);
        for &(r, a) in &self.column {
            for (y, inv) in self.y.iter_mut().zip(&self.inverse[r * n..(r + 1) * n]) {
                *y += a * inv;
            }
        }
        let (leaving, theta) = self.ratio_test(relaxation, entering);
        match leaving {
            None => return false,
            Some(Leaving::Key(g)) => match (self.best_place_of(g, theta), entering) {
                // All copies of the group move together: the basis stays.
                (None, Basic::Option { group, choice }) => {
                    for (x, y) in self.x.iter_mut().zip(&self.y) {
                        *x = positive(*x - theta * y);
                    }
                    self.key[group as usize] = choice;
                }
                (None, _) => return false,
                (Some(p), _) => {
                    self.swap_with_key(relaxation, g, p, entering);
                    self.replace(relaxation, p, theta, entering, reduced);
                }
            },
            Some(Leaving::Basic(p)) => self.replace(relaxation, p, theta, entering, reduced),
        }
        true
    }

    /// How far the entering variable can go, and what stops it.
    fn ratio_test(&mut self, relaxation: &Relaxation, entering: Basic) -> (Option<Leaving>, f64) {
        let mut best: (Option<Leaving>, f64, f64) = (None, f64::INFINITY, 0.0);
        let mut consider = |leaving: Leaving, x: f64, rate: f64| {
            if rate > LEAST_PIVOT {
                let ratio = positive(x) / rate;
                if ratio < best.1 - 1e-12 || (ratio <= best.1 + 1e-12 && rate > best.2) {
                    best = (Some(leaving), if ratio < best.1 { ratio } else { best.1 }, rate);
                }
            }
        };
        for (i, basic) in self.basic.iter().enumerate() {
            consider(Leaving::Basic(i), self.x[i], self.y[i]);
            if let Basic::Option { group, .. } = *basic {
                self.sum_x[group as usize] += self.x[i];
                self.sum_y[group as usize] += self.y[i];
            }
        }
        if let Basic::Option { group, .. } = entering {
            let g = group as usize;
            consider(Leaving::Key(group), relaxation.blocks[g].copies - self.sum_x[g], 1.0 - self.sum_y[g]);
            self.sum_x[g] = 0.0;
            self.sum_y[g] = 0.0;
        }
        for basic in &self.basic {
            if let Basic::Option { group, .. } = *basic {
                let g = group as usize;
                if self.sum_y[g] != 0.0 {
                    consider(
                        Leaving::Key(group),
                        relaxation.blocks[g].copies - self.sum_x[g],
                        -self.sum_y[g],
                    );
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
        for (i, basic) in self.basic.iter().enumerate() {
            if basic.is_of(g) {
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
    /// inverse becomes minus the sum of the group's rows. The column of an entering option of the group changes likewise.
    fn swap_with_key(&mut self, relaxation: &Relaxation, g: u32, p: usize, entering: Basic) {
        let n = self.rows.len();
        let mut key_x = relaxation.blocks[g as usize].copies;
        let mut new_y = if entering.is_of(g) { 1.0 } else { 0.0 };
        for (i, basic) in self.basic.iter().enumerate() {
            if basic.is_of(g) {
                key_x -= self.x[i];
                new_y -= self.y[i];
            }
        }
        for column in self.inverse.chunks_exact_mut(n) {
            let mut sum = 0.0;
            for (c, basic) in column.iter().zip(&self.basic) {
                if basic.is_of(g) {
                    sum += c;
                }
            }
            column[p] = -sum;
        }
        self.x[p] = positive(key_x);
        self.y[p] = new_y;
        if let Basic::Option { choice, .. } = &mut self.basic[p] {
            std::mem::swap(choice, &mut self.key[g as usize]);
        }
    }

    /// The entering variable takes place `p`.
    fn replace(&mut self, relaxation: &Relaxation, p: usize, theta: f64, entering: Basic, reduced: f64) {
        let n = self.rows.len();
        for (x, y) in self.x.iter_mut().zip(&self.y) {
            *x = positive(*x - theta * y);
        }
        self.x[p] = theta;
        let pivot = self.y[p];
        for (column, pi) in self.inverse.chunks_exact_mut(n).zip(&mut self.pi) {
            let scaled = column[p] / pivot;
            if scaled != 0.0 {
                for (c, y) in column.iter_mut().zip(&self.y) {
                    *c -= y * scaled;
                }
                column[p] = scaled;
                *pi += reduced * scaled;
            }
        }
        self.basic[p] = entering;
        self.refresh_in -= 1;
        if self.refresh_in == 0 {
            self.refresh_in = REFRESH;
            self.refactor(relaxation);
            self.compute_pi(relaxation);
        } else {
            self.spread_pi(relaxation);
        }
    }

    /// Computes the inverse afresh by Gauss-Jordan elimination with row pivoting.
    fn refactor(&mut self, relaxation: &Relaxation) {
        let n = self.rows.len();
        // Both row by row.
        let (mut basis, mut inverse) = (vec![0.0; n * n], vec![0.0; n * n]);
        for i in 0..n {
            inverse[i * n + i] = 1.0;
            match self.basic[i] {
                Basic::Sold(r) => basis[r as usize * n + i] = 1.0,
                Basic::Bought(r) => basis[r as usize * n + i] = -1.0,
                Basic::Option { group, choice } => {
                    self.load_column(relaxation, group, choice);
                    for &(r, a) in &self.column {
                        basis[r * n + i] += a;
                    }
                }
            }
        }
        for i in 0..n {
            let mut p = i;
            for r in i + 1..n {
                if basis[r * n + i].abs() > basis[p * n + i].abs() {
                    p = r;
                }
            }
            if basis[p * n + i].abs() < 1e-11 {
                return; // Numerically singular: the updated inverse is the better one.
            }
            if p != i {
                for c in 0..n {
                    basis.swap(i * n + c, p * n + c);
                    inverse.swap(i * n + c, p * n + c);
                }
            }
            let scale = 1.0 / basis[i * n + i];
            for c in 0..n {
                basis[i * n + c] *= scale;
                inverse[i * n + c] *= scale;
            }
            for r in 0..n {
                let factor = basis[r * n + i];
                if r == i || factor == 0.0 {
                    continue;
                }
                for c in 0..n {
                    basis[r * n + c] -= factor * basis[i * n + c];
                    inverse[r * n + c] -= factor * inverse[i * n + c];
                }
            }
        }
        for (r, column) in self.inverse.chunks_exact_mut(n).enumerate() {
            for (i, c) in column.iter_mut().enumerate() {
                *c = inverse[i * n + r];
            }
        }
    }
}

impl Basic {
    /// Whether it is an option of a group.
    fn is_of(self, g: u32) -> bool {
        matches!(self, Self::Option { group, .. } if group == g)
    }
}

/// `x`, or 0 if that is negative.
fn positive(x: f64) -> f64 {
    if x > 0.0 { x } else { 0.0 }
}
