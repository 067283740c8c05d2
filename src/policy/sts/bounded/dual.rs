//! Prices for resources and floors, and the bound they prove.
//!
//! For any prices `lambda_d >= 0` of resources and `mu_u >= 0` of floors, and any feasible choice,
//! `objective <= sum_j max(0, max_o ((weight + mu) * value - lambda . usage)) + lambda . C - sum_u mu_u * floor_u`:
//! add and subtract `lambda . C` and `mu . F`. So the search may use floating point; only the final evaluation, in integers,
//! proves anything.

use std::ops::Range;

use super::flat::Flat;

/// Fixed point of the prices in the final evaluation.
const SCALE: i128 = 1 << 20;

/// A floor that cannot be met pushes its price up without end; beyond this it says nothing new.
const MAX_FLOOR_PRICE: f64 = 4096.0;

/// One program, or the part of it that belongs to one tenant.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part<'a> {
    pub(super) flat: &'a Flat,
    pub(super) jobs: &'a Range<usize>,
    pub(super) capacity: &'a [u32],
    /// Weight and floor by tenant; of the tenants that have jobs in the part.
    pub(super) weight: &'a [i64],
    pub(super) floor: &'a [i64],
}

/// Prices of resources and of floors, by resource and by tenant.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Prices {
    pub(super) resource: Vec<f64>,
    pub(super) floor: Vec<f64>,
}

impl Prices {
    /// Gives every resource and tenant of a part a price, zero where there was none.
    pub(super) fn fit(&mut self, part: &Part<'_>) {
        self.resource.resize(part.capacity.len(), 0.0);
        self.floor.resize(part.floor.len(), 0.0);
    }
}

/// Buffers of the search.
#[derive(Debug, Clone, Default)]
pub(super) struct Search {
    usage_price: Vec<f64>,
    taken: Vec<u32>,
    used: Vec<i64>,
    worth: Vec<i64>,
    step: Vec<f64>,
    last: Vec<i8>,
    best: Prices,
}

/// No option: the job idles.
pub(super) const IDLE: u32 = u32::MAX;

impl Part<'_> {
    /// What each usage costs at these prices.
    pub(super) fn usage_prices(&self, prices: &Prices, out: &mut Vec<f64>) {
        out.clear();
        out.extend(self.flat.usages.iter().map(|usage| {
            usage
                .amounts()
                .map(|(resource, amount)| prices.resource[resource] * f64::from(amount))
                .sum::<f64>()
        }));
    }

    /// (weight + mu) of a job's tenant.
    pub(super) fn factor(&self, job: usize, prices: &Prices) -> f64 {
        let tenant = self.flat.tenant[job] as usize;
        self.weight[tenant] as f64 + prices.floor[tenant]
    }

    /// The option of a job that is worth most beyond its price, and by how much; idle is worth nothing.
    pub(super) fn best(&self, job: usize, factor: f64, usage_price: &[f64]) -> (u32, f64) {
        let mut best = (IDLE, 0.0);
        for option in self.flat.options(job) {
            let surplus =
                factor * self.flat.value[option] as f64 - usage_price[self.flat.usage[option] as usize];
            if surplus > best.1 {
                best = (option as u32, surplus);
            }
        }
        best
    }

    /// The bound that these prices prove, in integers.
    fn bound(&self, prices: &Prices) -> i128 {
        let fixed = |price: f64| (price * SCALE as f64).round().max(0.0) as i128;
        let resource: Vec<i128> = prices.resource.iter().map(|&p| fixed(p)).collect();
        let floor: Vec<i128> = prices.floor.iter().map(|&p| fixed(p)).collect();
        let usage: Vec<i128> = self
            .flat
            .usages
            .iter()
            .map(|usage| usage.amounts().map(|(r, amount)| resource[r] * i128::from(amount)).sum())
            .collect();
        let mut total: i128 = resource.iter().zip(self.capacity).map(|(p, &c)| p * i128::from(c)).sum();
        for (&price, &floor) in floor.iter().zip(self.floor) {
            total -= price * i128::from(floor.max(0));
        }
        for job in self.jobs.clone() {
            let tenant = self.flat.tenant[job] as usize;
            let factor = i128::from(self.weight[tenant]) * SCALE + floor[tenant];
            let surplus = |option: usize| {
                factor * i128::from(self.flat.value[option]) - usage[self.flat.usage[option] as usize]
            };
            total += self.flat.options(job).map(surplus).max().unwrap_or(0).max(0);
        }
        total.div_euclid(SCALE)
    }
}

impl Search {
    /// Improves `prices` in at most `rounds` steps and returns the bound they prove. Each price has a step of its own that grows
    /// while its resource stays over- (or under-) used and is halved when that turns (Rprop; Riedmiller and Braun 1993).
    pub(super) fn improve(&mut self, part: &Part<'_>, prices: &mut Prices, rounds: u32) -> (i128, u64) {
        let resources = part.capacity.len();
        let tenants = part.floor.len();
        self.begin(part, prices);
        let mut least = f64::INFINITY;
        let mut states = 0;
        for _ in 0..rounds {
            let dual = self.evaluate(part, prices);
            states += part.flat.count(part.jobs);
            if dual < least {
                least = dual;
                self.best.clone_from(prices);
            }
            let mut settled = true;
            for i in 0..resources + tenants {
                let (price, surplus, most) = if i < resources {
                    (&mut prices.resource[i], i64::from(part.capacity[i]) - self.used[i], f64::INFINITY)
                } else {
                    let u = i - resources;
                    (&mut prices.floor[u], self.worth[u] - part.floor[u], MAX_FLOOR_PRICE)
                };
                let direction = if surplus < 0 {
                    1
                } else if surplus > 0 && *price > 0.0 {
                    -1
                } else {
                    0
                };
                if direction == 0 {
                    self.last[i] = 0;
                    continue;
                }
                settled = false;
                match direction * self.last[i] {
                    1 => self.step[i] *= 1.3,
                    -1 => self.step[i] *= 0.5,
                    _ => {}
                }
                self.last[i] = direction;
                *price = (*price + f64::from(direction) * self.step[i]).clamp(0.0, most);
            }
            if settled {
                break;
            }
        }
        if least.is_finite() {
            prices.clone_from(&self.best);
        }
        (part.bound(prices), states)
    }

    fn begin(&mut self, part: &Part<'_>, prices: &mut Prices) {
        let resources = part.capacity.len();
        let tenants = part.floor.len();
        prices.fit(part);
        self.last.clear();
        self.last.resize(resources + tenants, 0);
        self.used.clear();
        self.used.resize(resources, 0);
        self.worth.clear();
        self.worth.resize(tenants, 0);
        self.step.clear();
        let mut values = 0.0;
        for job in part.jobs.clone() {
            let most = part.flat.options(job).map(|option| part.flat.value[option]).max().unwrap_or(0);
            values += most as f64;
        }
        let total: f64 = part.capacity.iter().map(|&c| f64::from(c)).sum();
        let typical = values / total.max(1.0);
        self.step.extend(prices.resource.iter().map(|&p| if p > 0.0 { 0.1 * p } else { 0.5 * typical }));
        self.step.extend(prices.floor.iter().map(|&p| if p > 0.0 { 0.1 * p } else { 0.25 }));
    }

    /// The dual function; leaves what the best options use and are worth.
    fn evaluate(&mut self, part: &Part<'_>, prices: &Prices) -> f64 {
        part.usage_prices(prices, &mut self.usage_price);
        self.taken.clear();
        self.taken.resize(part.flat.usages.len(), 0);
        self.used.fill(0);
        self.worth.fill(0);
        let mut dual: f64 =
            prices.resource.iter().zip(part.capacity).map(|(price, &c)| price * f64::from(c)).sum();
        for (price, &floor) in prices.floor.iter().zip(part.floor) {
            dual -= price * floor as f64;
        }
        for job in part.jobs.clone() {
            let (option, surplus) = part.best(job, part.factor(job, prices), &self.usage_price);
            if option != IDLE {
                dual += surplus;
                self.taken[part.flat.usage[option as usize] as usize] += 1;
                self.worth[part.flat.tenant[job] as usize] += part.flat.value[option as usize];
            }
        }
        for (usage, &taken) in part.flat.usages.iter().zip(&self.taken).filter(|&(_, &taken)| taken > 0) {
            for (resource, amount) in usage.amounts() {
                self.used[resource] += i64::from(amount) * i64::from(taken);
            }
        }
        dual
    }
}
