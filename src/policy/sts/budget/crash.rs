//! Starting prices by trial and error (tatonnement).
//!
//! For given prices every group takes its best option. Where a resource is overdrawn its price rises, where it is not it
//! falls, by a factor; where a floor is missed the tenant's value becomes worth more, where it is met less. All prices
//! move at once, and each has its own step: it grows while the price keeps its direction and is halved when it turns, so it
//! ends as an estimate of how far off the price is. One look at all groups serves all prices, which is what makes
//! this cheaper than moving one price at a time, and looking at *all* groups matters: values of rounds that favour
//! short jobs are so skewed that a sample says little about a floor.

use super::lp::Prices;
use super::model::Model;

/// Factor of a step that goes on.
const FASTER: f64 = 1.3;
/// Factor of a step that turns.
const SLOWER: f64 = 0.5;
/// Largest step: a price is at most doubled.
const LARGEST: f64 = 1.0;
/// Smallest step.
const SMALLEST: f64 = 1e-3;

/// One price on its way.
#[derive(Debug, Clone, Copy)]
struct Walker {
    step: f64,
    /// +1 if it rose last, -1 if it fell, 0 before the first move.
    last: i8,
}

impl Walker {
    /// The factor of the next move.
    fn factor(&mut self, up: bool) -> f64 {
        let direction = if up { 1 } else { -1 };
        if self.last == direction {
            self.step *= FASTER;
            if self.step > LARGEST {
                self.step = LARGEST;
            }
        } else if self.last != 0 {
            self.step *= SLOWER;
            if self.step < SMALLEST {
                self.step = SMALLEST;
            }
        }
        self.last = direction;
        if up { 1.0 + self.step } else { 1.0 / (1.0 + self.step) }
    }
}

/// Prices, and how far off each may be, as a factor less one.
#[derive(Debug, Default)]
pub(super) struct Crash {
    /// Relative uncertainty per resource.
    pub(super) lambda_width: Vec<f64>,
    /// Relative uncertainty of `weight + mu` per tenant.
    pub(super) worth_width: Vec<f64>,
    worth: Vec<f64>,
    price: Vec<f64>,
    used: Vec<f64>,
    value: Vec<f64>,
    walkers: Vec<Walker>,
}

impl Crash {
    /// Moves prices for some rounds, with a first step.
    pub(super) fn improve(&mut self, model: &Model, prices: &mut Prices, rounds: u32, step: f64) {
        let resources = model.capacity.len();
        self.worth.clear();
        self.worth.extend(model.tenants.iter().zip(&prices.mu).map(|(t, mu)| t.weight as f64 + mu));
        self.walkers.clear();
        self.walkers.resize(resources + model.tenants.len(), Walker { step, last: 0 });
        let least = model.greatest_gain as f64 * 1e-9;
        for _ in 0..rounds {
            self.look(model, prices);
            for (d, lambda) in prices.lambda.iter_mut().enumerate() {
                let over = self.used[d] > f64::from(model.capacity[d]);
                let factor = self.walkers[d].factor(over);
                *lambda = if over && *lambda < least { least } else { *lambda * factor };
                if *lambda < least {
                    *lambda = 0.0;
                }
            }
            for (u, tenant) in model.tenants.iter().enumerate() {
                let missed = self.value[u] < tenant.floor as f64;
                let weight = tenant.weight as f64;
                if !missed && self.worth[u] <= weight {
                    self.walkers[resources + u] = Walker { step, last: 0 };
                    continue;
                }
                self.worth[u] *= self.walkers[resources + u].factor(missed);
                if self.worth[u] < weight {
                    self.worth[u] = weight;
                }
            }
        }
        for ((mu, worth), tenant) in prices.mu.iter_mut().zip(&self.worth).zip(&model.tenants) {
            *mu = worth - tenant.weight as f64;
        }
        self.lambda_width.clear();
        self.lambda_width.extend(self.walkers[..resources].iter().map(|w| w.step));
        self.worth_width.clear();
        self.worth_width.extend(self.walkers[resources..].iter().map(|w| w.step));
    }

    /// A first guess: every unit of every resource costs what a unit is worth on average.
    pub(super) fn guess(model: &Model) -> Prices {
        let mut total = 0.0;
        for group in &model.groups {
            let weight = model.tenants[group.tenant as usize].weight as f64;
            let most = model.choices_of(group).iter().map(|c| c.value).max().unwrap_or(0);
            total += f64::from(group.len()) * most as f64 * weight;
        }
        let lambda =
            model.capacity.iter().map(|&c| total / (f64::from(c.max(1)) * model.capacity.len() as f64));
        Prices { lambda: lambda.collect(), mu: vec![0.0; model.tenants.len()] }
    }

    /// What all groups take and are worth at these prices.
    fn look(&mut self, model: &Model, prices: &Prices) {
        self.price.clear();
        for usage in &model.usages {
            let lambda = &prices.lambda[usize::from(usage.first)..];
            let mut price = 0.0;
            for (l, &a) in lambda.iter().zip(&usage.amounts[..usize::from(usage.len)]) {
                price += l * f64::from(a);
            }
            self.price.push(price);
        }
        self.used.clear();
        self.used.resize(model.capacity.len(), 0.0);
        self.value.clear();
        self.value.resize(model.tenants.len(), 0.0);
        for group in &model.groups {
            let u = group.tenant as usize;
            let worth = self.worth[u];
            // Idling is the last option and has profit 0.
            let (mut most, mut usage, mut value) = (0.0, 0, 0);
            for c in model.choices_of(group) {
                let profit = c.value as f64 * worth - self.price[c.usage as usize];
                if profit > most {
                    (most, usage, value) = (profit, c.usage, c.value);
                }
            }
            let copies = f64::from(group.len());
            let usage = &model.usages[usage as usize];
            for i in 0..usize::from(usage.len) {
                self.used[usize::from(usage.first) + i] += copies * f64::from(usage.amounts[i]);
            }
            self.value[u] += copies * value as f64;
        }
    }
}
