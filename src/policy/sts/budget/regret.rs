//! From prices to the loss form: regrets, base choice and first upper bound.
//!
//! With integers `lambda >= 0` per resource and `mu >= 0` per tenant, and `scale` from the [model](super::model),
//! ```text
//! P(j,o)  = (weight*scale + mu) * value + bonus - lambda . usage          (idling: 0)
//! pi(j)   = max over o of P(j,o)           regret(j,o) = pi(j) - P(j,o) >= 0
//! upper   = sum of pi + lambda . C - sum of mu * floor
//! ```
//! and for every choice `x`, by adding and subtracting `lambda . C` and `mu * floor`,
//! ```text
//! gain(x) = upper - loss(x)
//! loss(x) = sum of regrets + lambda . (C - used) + sum of mu * (V - floor)
//! ```
//! For a feasible `x` every term of the loss is non-negative: the program is "minimise the loss".

use std::collections::BTreeMap;

use super::UNREACHABLE;
use super::lp::Prices;
use super::model::Model;

/// The loss form of a program.
#[derive(Debug, Default)]
pub(super) struct Regrets {
    /// One per resource.
    pub(super) lambda: Vec<i64>,
    /// One per tenant.
    pub(super) mu: Vec<i64>,
    /// Regret of every option, at `group.first + option`; at most [`UNREACHABLE`].
    pub(super) regret: Vec<i64>,
    /// The shift of every option, likewise: equal numbers take equally much more than their bases.
    pub(super) shift: Vec<u32>,
    /// For every group the option without regret that comes first.
    pub(super) base: Vec<u32>,
    /// For every group the least regret of another option.
    pub(super) least: Vec<i64>,
    /// The bound on the gain.
    pub(super) upper: i128,
    /// What all groups take at their base.
    pub(super) base_used: Vec<i64>,
    /// Value of every tenant at the base.
    pub(super) base_value: Vec<i64>,
    price: Vec<i128>,
    shifts: Shifts,
}

/// Numbers for differences of usages.
#[derive(Debug, Default)]
struct Shifts {
    /// Number of the difference of two usages, or `u32::MAX`: one row per base.
    of_pair: Vec<u32>,
    usages: usize,
    numbers: BTreeMap<[i64; super::RESOURCES], u32>,
}

impl Shifts {
    fn clear(&mut self, usages: usize) {
        self.usages = usages;
        self.of_pair.clear();
        self.of_pair.resize(usages * usages, u32::MAX);
        self.numbers.clear();
    }

    #[inline]
    fn number(&mut self, model: &Model, base: u32, option: u32) -> u32 {
        let pair = base as usize * self.usages + option as usize;
        if self.of_pair[pair] == u32::MAX {
            let mut difference = [0; super::RESOURCES];
            model.add_usage(option, 1, &mut difference);
            model.add_usage(base, -1, &mut difference);
            let next = self.numbers.len() as u32;
            self.of_pair[pair] = *self.numbers.entry(difference).or_insert(next);
        }
        self.of_pair[pair]
    }
}

/// Usages up to which pairs of them are tabulated.
const USAGES: usize = 1024;

/// Greatest multiplier.
const GREATEST: f64 = (1u64 << 60) as f64;

/// A multiplier as the nearest integer in units of `1 / scale`. `as` saturates and turns NaN into 0.
fn round(multiplier: f64, scale: i64) -> i64 {
    let scaled = multiplier * scale as f64 + 0.5;
    if scaled < GREATEST { scaled.max(0.0) as i64 } else { GREATEST as i64 }
}

impl Regrets {
    /// Computes the loss form for these prices.
    #[inline(never)]
    pub(super) fn compute(&mut self, model: &Model, prices: &Prices) {
        self.lambda.clear();
        self.lambda.extend(prices.lambda.iter().map(|&l| round(l, model.scale)));
        self.mu.clear();
        // A floor of zero cannot bind.
        let mu = |(m, t): (&f64, &super::model::Tenant)| if t.floor > 0 { round(*m, model.scale) } else { 0 };
        self.mu.extend(prices.mu.iter().zip(&model.tenants).map(mu));
        self.price.clear();
        for usage in &model.usages {
            let lambda = &self.lambda[usize::from(usage.first)..];
            let amounts = &usage.amounts[..usize::from(usage.len)];
            self.price.push(amounts.iter().zip(lambda).map(|(&a, &l)| i128::from(a) * i128::from(l)).sum());
        }
        self.regret.clear();
        self.regret.reserve(model.entries);
        self.shift.clear();
        self.shift.reserve(model.entries);
        let tabulated = model.usages.len() <= USAGES;
        self.shifts.clear(if tabulated { model.usages.len() } else { 0 });
        self.base.clear();
        self.least.clear();
        self.base_used.clear();
        self.base_used.resize(model.capacity.len(), 0);
        self.base_value.clear();
        self.base_value.resize(model.tenants.len(), 0);
        self.upper = 0;
        for (c, l) in model.capacity.iter().zip(&self.lambda) {
            self.upper += i128::from(*c) * i128::from(*l);
        }
        for (tenant, &mu) in model.tenants.iter().zip(&self.mu) {
            self.upper -= i128::from(mu) * i128::from(tenant.floor);
        }
        let mut profit: Vec<i128> = Vec::new();
        for group in &model.groups {
            let u = group.tenant as usize;
            let worth =
                i128::from(model.tenants[u].weight) * i128::from(model.scale) + i128::from(self.mu[u]);
            let choices = model.choices_of(group);
            profit.clear();
            let (mut best, mut base) = (i128::MIN, 0);
            for (o, c) in choices.iter().enumerate() {
                let p = worth * i128::from(c.value) + i128::from(c.bonus) - self.price[c.usage as usize];
                if p > best {
                    (best, base) = (p, o);
                }
                profit.push(p);
            }
            let mut least = UNREACHABLE;
            for (o, p) in profit.iter().enumerate() {
                let regret = (best - p).min(i128::from(UNREACHABLE)) as i64;
                if o != base && regret < least {
                    least = regret;
                }
                self.regret.push(regret);
                // Too many usages to tell equal shifts: none are equal then.
                let own = self.shift.len() as u32;
                let (base, option) = (choices[base].usage, choices[o].usage);
                self.shift.push(if tabulated { self.shifts.number(model, base, option) } else { own });
            }
            let copies = i64::from(group.len());
            self.base.push(base as u32);
            self.least.push(least);
            self.upper += i128::from(copies) * best;
            self.base_value[u] += copies * choices[base].value;
            model.add_usage(choices[base].usage, copies, &mut self.base_used);
        }
    }

    /// The shifts of a group's options.
    #[inline]
    pub(super) fn shifts_of<'a>(&'a self, group: &super::model::Group, choices: usize) -> &'a [u32] {
        &self.shift[group.first as usize..group.first as usize + choices]
    }

    /// A proof from prices that no choice is feasible, as multipliers `(lambda, mu)` in the program's own units.
    ///
    /// With the objective left out, `P = mu * value - lambda . usage`, and `sum of max P + lambda . C - sum of mu * floor` bounds 0
    /// for every feasible choice. If it is negative there is none. Repeating these multipliers often enough outweighs
    /// every objective, so that the ordinary bound shows the same.
    pub(super) fn refutation(model: &Model, prices: &Prices) -> Option<(Vec<i128>, Vec<i128>)> {
        let greatest =
            prices.lambda.iter().chain(&prices.mu).fold(0.0, |a: f64, &b| if b > a { b } else { a });
        if greatest <= 0.0 {
            return None;
        }
        let whole = |m: &f64| (m / greatest * (1u64 << 60) as f64) as i64;
        let lambda: Vec<i128> = prices.lambda.iter().map(|m| i128::from(whole(m))).collect();
        let mu: Vec<i128> = prices.mu.iter().map(|m| i128::from(whole(m))).collect();
        let price = |usage: &crate::policy::sts::program::Usage| -> i128 {
            let lambda = &lambda[usize::from(usage.first)..];
            let amounts = &usage.amounts[..usize::from(usage.len)];
            amounts.iter().zip(lambda).map(|(&a, &l)| i128::from(a) * l).sum()
        };
        let (mut upper, mut gains) = (0, 0);
        for (&l, &c) in lambda.iter().zip(&model.capacity) {
            upper += l * i128::from(c);
        }
        for (m, tenant) in mu.iter().zip(&model.tenants) {
            upper -= m * i128::from(tenant.floor);
        }
        for group in &model.groups {
            let (copies, mu) = (i128::from(group.len()), mu[group.tenant as usize]);
            let weight = i128::from(model.tenants[group.tenant as usize].weight);
            let choices = model.choices_of(group);
            let profit =
                choices.iter().map(|c| mu * i128::from(c.value) - price(&model.usages[c.usage as usize]));
            upper += copies * profit.max().unwrap_or(0);
            gains += copies * choices.iter().map(|c| weight * i128::from(c.value)).max().unwrap_or(0);
        }
        if upper >= 0 {
            return None;
        }
        let times = gains / -upper + 1;
        let times = |m: i128| m.checked_mul(times).and_then(|m| m.checked_mul(i128::from(model.weight_unit)));
        let scaled = |list: Vec<i128>| list.into_iter().map(times).collect::<Option<Vec<i128>>>();
        Some((scaled(lambda)?, scaled(mu)?))
    }

    /// The regrets of a group's options.
    #[inline]
    pub(super) fn of<'a>(&'a self, group: &super::model::Group, choices: usize) -> &'a [i64] {
        &self.regret[group.first as usize..group.first as usize + choices]
    }
}
