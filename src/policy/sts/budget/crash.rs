//! Starting prices by trial and error (tatonnement).
//!
//! For given prices every group takes its best option. Where a resource is overdrawn its price rises, where it is not it
//! falls, by a factor; where a floor is missed the tenant's value becomes worth more, where it is met less. All prices
//! move at once, and each has its own step: it grows while the price keeps its direction and is halved when it turns, so it
//! ends as an estimate of how far off the price is. One look at all groups serves all prices, which is what makes
//! this cheaper than moving one price at a time, and looking at *all* groups matters: values of rounds that favour
//! short jobs are so skewed that a sample says little about a floor.

use super::lp::Prices;
use super::relaxation::Relaxation;

/// Factor of a step that goes on.
const FASTER: f64 = 1.3;
/// Factor of a step that turns.
const SLOWER: f64 = 0.5;
/// Largest step: a price is at most doubled.
const LARGEST: f64 = 1.0;
/// Step at which a price has settled.
const SETTLED: f64 = 0.01;
/// Smallest step.
const SMALLEST: f64 = 5e-3;

/// One price on its way.
#[derive(Debug, Clone, Copy)]
struct Walker {
    step: f64,
    /// +1 if it rose last, -1 if it fell, 0 before the first move.
    last: i8,
}

/// Where a price goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Up,
    Down,
}

impl Walker {
    /// The factor of the next move.
    fn factor(&mut self, way: Way) -> f64 {
        let direction = match way {
            Way::Up => 1,
            Way::Down => -1,
        };
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
        match way {
            Way::Up => 1.0 + self.step,
            Way::Down => 1.0 / (1.0 + self.step),
        }
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
    reached: Vec<f64>,
    walkers: Vec<Walker>,
}

impl Crash {
    /// Moves prices for some rounds, with a first step.
    pub(super) fn improve(&mut self, relaxation: &Relaxation, prices: &mut Prices, rounds: u32, step: f64) {
        let (resources, tenants) = (relaxation.capacity.len(), relaxation.weight.len());
        self.worth.clear();
        self.worth.extend(relaxation.weight.iter().zip(&prices.mu).map(|(weight, mu)| weight + mu));
        self.walkers.clear();
        self.walkers.resize(resources + tenants, Walker { step, last: 0 });
        let least = relaxation.gain_unit * 1e-9;
        for _ in 0..rounds {
            self.look(relaxation, &prices.lambda);
            let mut settled = true;
            for (d, lambda) in prices.lambda.iter_mut().enumerate() {
                let over = self.used[d] > relaxation.capacity[d];
                let factor = self.walkers[d].factor(if over { Way::Up } else { Way::Down });
                *lambda = if over && *lambda < least { least } else { *lambda * factor };
                if *lambda < least {
                    *lambda = 0.0;
                }
                settled &= *lambda == 0.0 || self.walkers[d].step <= SETTLED;
            }
            for (u, &weight) in relaxation.weight.iter().enumerate() {
                let missed = self.reached[u] < relaxation.floor[u];
                if !missed && self.worth[u] <= weight {
                    self.walkers[resources + u] = Walker { step, last: 0 };
                    continue;
                }
                self.worth[u] *= self.walkers[resources + u].factor(if missed { Way::Up } else { Way::Down });
                if self.worth[u] < weight {
                    self.worth[u] = weight;
                }
                settled &= self.worth[u] <= weight || self.walkers[resources + u].step <= SETTLED;
            }
            if settled {
                break;
            }
        }
        for ((mu, worth), weight) in prices.mu.iter_mut().zip(&self.worth).zip(&relaxation.weight) {
            *mu = worth - weight;
        }
        self.lambda_width.clear();
        self.lambda_width.extend(self.walkers[..resources].iter().map(|w| w.step));
        self.worth_width.clear();
        self.worth_width.extend(self.walkers[resources..].iter().map(|w| w.step));
    }

    /// A first guess: every unit of every resource costs what a unit is worth on average.
    pub(super) fn guess(relaxation: &Relaxation) -> Prices {
        let mut total = 0.0;
        for block in &relaxation.blocks {
            let values = &relaxation.value[block.start as usize..block.end as usize];
            let most = values.iter().fold(0.0, |most: f64, &v| if v > most { v } else { most });
            total += block.copies * most * relaxation.weight[block.tenant as usize];
        }
        let resources = relaxation.capacity.len() as f64;
        let each = |c: &f64| total / ((if *c > 1.0 { *c } else { 1.0 }) * resources);
        let lambda = relaxation.capacity.iter().map(each).collect();
        Prices { lambda, mu: vec![0.0; relaxation.weight.len()] }
    }

    /// What all groups take and are worth at these prices.
    #[inline(never)]
    fn look(&mut self, relaxation: &Relaxation, lambda: &[f64]) {
        relaxation.price_usages(lambda, &mut self.price);
        self.used.clear();
        self.used.resize(relaxation.capacity.len(), 0.0);
        self.reached.clear();
        self.reached.resize(relaxation.weight.len(), 0.0);
        for block in &relaxation.blocks {
            let best = relaxation.best(block, self.worth[block.tenant as usize], &self.price) as usize;
            let amounts = &relaxation.amounts[relaxation.usage[best] as usize];
            for (used, a) in self.used[amounts.first..].iter_mut().zip(&amounts.of[..amounts.len]) {
                *used += block.copies * a;
            }
            self.reached[block.tenant as usize] += block.copies * relaxation.value[best];
        }
    }
}
