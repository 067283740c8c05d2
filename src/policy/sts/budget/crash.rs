//! Starting prices without history: coordinate-wise bisection on a sample of the groups.
//!
//! For given prices every group takes its best option. A resource's price is the least at which the sample fits its share
//! of the resource; a tenant's price is the least at which its sample reaches its share of the floor. A few sweeps over all
//! of them land within some per cent of the optimal prices, from where the simplex needs few steps.

use super::lp::Prices;
use super::model::Model;

/// Most groups looked at.
const SAMPLE: usize = 256;
/// Bisection steps of the sweeps.
const SWEEPS: [u32; 3] = [8, 8, 12];
/// Bisection steps for a floor.
const FLOOR_STEPS: u32 = 7;

/// The buffers.
#[derive(Debug, Default)]
pub(super) struct Crash {
    sample: Vec<u32>,
    price: Vec<f64>,
    lambda: Vec<f64>,
    mu: Vec<f64>,
}

impl Crash {
    /// Prices from scratch.
    pub(super) fn prices(&mut self, model: &Model) -> Prices {
        let resources = model.capacity.len();
        let stride = (model.groups.len() / SAMPLE).max(1);
        self.sample.clear();
        self.sample.extend((0..model.groups.len()).step_by(stride).map(|g| g as u32));
        let copies = |g: &u32| f64::from(model.groups[*g as usize].len());
        let sampled: f64 = self.sample.iter().map(copies).sum();
        let all: f64 = model.groups.iter().map(|g| f64::from(g.len())).sum();
        let share = if all > 0.0 { sampled / all } else { 1.0 };
        self.lambda.clear();
        self.lambda.resize(resources, 0.0);
        self.mu.clear();
        self.mu.resize(model.tenants.len(), 0.0);
        let dearest = self.dearest(model);
        for steps in SWEEPS {
            for (d, &most) in dearest.iter().enumerate() {
                let room = f64::from(model.capacity[d]) * share;
                let (mut low, mut high) = (0.0, most);
                self.lambda[d] = 0.0;
                self.price_usages(model);
                if self.used(model, d) <= room {
                    continue;
                }
                for _ in 0..steps {
                    self.lambda[d] = 0.5 * (low + high);
                    self.price_usages(model);
                    if self.used(model, d) <= room {
                        high = self.lambda[d];
                    } else {
                        low = self.lambda[d];
                    }
                }
                self.lambda[d] = 0.5 * (low + high);
            }
            self.price_usages(model);
            self.price_floors(model);
        }
        Prices { lambda: self.lambda.clone(), mu: self.mu.clone() }
    }

    /// For every resource, the greatest gain per unit of it.
    fn dearest(&self, model: &Model) -> Vec<f64> {
        let mut most = vec![0.0f64; model.capacity.len()];
        for &g in &self.sample {
            let group = &model.groups[g as usize];
            let weight = model.tenants[group.tenant as usize].weight as f64;
            for c in model.choices_of(group) {
                let usage = &model.usages[c.usage as usize];
                for i in 0..usize::from(usage.len) {
                    if usage.amounts[i] > 0 {
                        let ratio = weight * c.value as f64 / f64::from(usage.amounts[i]);
                        let entry = &mut most[usize::from(usage.first) + i];
                        *entry = if ratio > *entry { ratio } else { *entry };
                    }
                }
            }
        }
        most
    }

    fn price_usages(&mut self, model: &Model) {
        self.price.clear();
        for usage in &model.usages {
            let first = usize::from(usage.first);
            let mut price = 0.0;
            for i in 0..usize::from(usage.len) {
                price += self.lambda[first + i] * f64::from(usage.amounts[i]);
            }
            self.price.push(price);
        }
    }

    /// The best option of a group, as `(usage, value)`.
    #[inline]
    fn best(&self, model: &Model, g: u32) -> (u32, f64) {
        let group = &model.groups[g as usize];
        let worth = model.tenants[group.tenant as usize].weight as f64 + self.mu[group.tenant as usize];
        let mut best = (0, 0.0, 0.0);
        for c in model.choices_of(group) {
            let p = c.value as f64 * worth - self.price[c.usage as usize];
            if p > best.2 {
                best = (c.usage, c.value as f64, p);
            }
        }
        (best.0, best.1)
    }

    /// What the sample takes of a resource.
    fn used(&self, model: &Model, d: usize) -> f64 {
        let mut used = 0.0;
        for &g in &self.sample {
            let (usage, _) = self.best(model, g);
            let usage = &model.usages[usage as usize];
            if let Some(i) = d.checked_sub(usize::from(usage.first)).filter(|&i| i < usize::from(usage.len)) {
                used += f64::from(model.groups[g as usize].len()) * f64::from(usage.amounts[i]);
            }
        }
        used
    }

    /// The price of every floor, on the sampled groups of its tenant.
    fn price_floors(&mut self, model: &Model) {
        let mut at = 0;
        for (u, tenant) in model.tenants.iter().enumerate() {
            while at < self.sample.len() && self.sample[at] < tenant.groups.start {
                at += 1;
            }
            let start = at;
            while at < self.sample.len() && self.sample[at] < tenant.groups.end {
                at += 1;
            }
            if tenant.floor == 0 || start == at {
                continue;
            }
            let copies = |g: u32| f64::from(model.groups[g as usize].len());
            let all: f64 = tenant.groups.clone().map(copies).sum();
            let sampled: f64 = self.sample[start..at].iter().map(|&g| copies(g)).sum();
            let floor = tenant.floor as f64 * sampled / all;
            let value = |crash: &Self| -> f64 {
                crash.sample[start..at].iter().map(|&g| copies(g) * crash.best(model, g).1).sum()
            };
            self.mu[u] = 0.0;
            if value(self) >= floor {
                continue;
            }
            // Double until the floor is reached, then bisect.
            let (mut low, mut high) = (0.0, 0.5 * tenant.weight as f64);
            for _ in 0..FLOOR_STEPS {
                self.mu[u] = high;
                if value(self) >= floor {
                    break;
                }
                low = high;
                high *= 3.0;
            }
            for _ in 0..FLOOR_STEPS {
                self.mu[u] = 0.5 * (low + high);
                if value(self) >= floor {
                    high = self.mu[u];
                } else {
                    low = self.mu[u];
                }
            }
            self.mu[u] = 0.5 * (low + high);
        }
    }
}
