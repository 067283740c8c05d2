//! Branch and bound over the bundles of tenants: a bundle for each, within the capacity, of greatest sum of scores, where some pairs
//! of bundles exclude each other.
//!
//! *Bound.* With a price per unit of every resource, completing a partial choice scores at most what the others' bundles score beyond
//! their price, each at its best, plus the price of what is free. Any prices are valid; they come from a subgradient method and are
//! rounded to integers, so that everything that decides is an integer.

use super::front::{Bundle, spend};

/// Units of price in a unit of score.
const SCALE: i128 = 1 << 16;

/// Steps of the subgradient method.
const PRICE_STEPS: u32 = 300;

/// The proof of a search that saw everything, and of one that did not.
pub(super) const SEARCHED: &str = "branch and bound over bundles";
pub(super) const STOPPED: &str = "branch and bound over bundles, stopped by its budget";

/// The choice of one bundle for each tenant.
pub(super) struct Choice<'s> {
    /// By tenant, each in any order; a tenant without bundles makes every choice impossible.
    pub(super) fronts: &'s [Vec<Bundle>],
    /// By tenant and bundle.
    pub(super) scores: &'s [Vec<i64>],
    /// Of every resource.
    pub(super) capacity: &'s [u32],
    /// Whether two bundles of two tenants (tenant, bundle) may be chosen together.
    pub(super) agree: &'s dyn Fn((usize, usize), (usize, usize)) -> bool,
    /// Whether one complete choice is better than another, whose scores are as good or almost.
    pub(super) is_better: &'s dyn Fn(&[usize], &[usize]) -> bool,
    /// Scores this much below the best may still belong to something better; -1 where scores are exact.
    pub(super) blur: i64,
}

/// What a search found.
pub(super) struct Found {
    /// The best choice, a bundle for each tenant.
    pub(super) picks: Option<Vec<usize>>,
    /// No choice has a greater sum of scores.
    pub(super) bound: i128,
    /// Whether everything was looked at or excluded.
    pub(super) is_complete: bool,
}

impl Choice<'_> {
    /// Searches within so many steps, which are counted down.
    pub(super) fn search(&self, steps: &mut u64) -> Found {
        let tenants = self.fronts.len();
        let prices = self.prices(steps);
        let reduced: Vec<Vec<i128>> = (0..tenants)
            .map(|tenant| {
                let bundles = self.fronts[tenant].iter().zip(&self.scores[tenant]);
                bundles
                    .map(|(bundle, &score)| i128::from(score) * SCALE - cost(&prices, &bundle.usage))
                    .collect()
            })
            .collect();
        let orders: Vec<Vec<usize>> = reduced
            .iter()
            .map(|reduced| {
                let mut order: Vec<usize> = (0..reduced.len()).collect();
                order.sort_by_key(|&bundle| (std::cmp::Reverse(reduced[bundle]), bundle));
                order
            })
            .collect();
        // Tenants with few bundles first.
        let mut turns: Vec<usize> = (0..tenants).collect();
        turns.sort_by_key(|&tenant| (self.fronts[tenant].len(), tenant));
        let mut rest = vec![0i128; tenants + 1];
        for (turn, &tenant) in turns.iter().enumerate().rev() {
            let best = orders[tenant].first().map_or(0, |&bundle| reduced[tenant][bundle]);
            rest[turn] = rest[turn + 1] + best;
        }
        let mut walk =
            Walk { choice: self, reduced, orders, turns, rest, picks: vec![0; tenants], best: None };
        let root = walk.rest[0] + cost(&prices, self.capacity);
        let is_complete =
            self.fronts.iter().any(Vec::is_empty) || walk.turn(0, self.capacity, root, steps).is_some();
        let (best, picks) = walk.best.map_or((None, None), |(score, picks)| (Some(score), Some(picks)));
        let bound = match best {
            Some(score) if is_complete => score + i128::from(self.blur.max(0)),
            _ => root.div_euclid(SCALE),
        };
        Found { picks, bound, is_complete }
    }

    /// Prices of the resources in units of 1 / [`SCALE`], from a subgradient method on the bound at the root. Floating point, but
    /// with `+ - * /` only, and only advice.
    fn prices(&self, steps: &mut u64) -> Vec<i128> {
        let resources = self.capacity.len();
        let work: u64 = self.fronts.iter().map(|front| front.len() as u64).sum();
        let capacity: Vec<f64> = self.capacity.iter().map(|&c| f64::from(c)).collect();
        let mut prices = vec![0.0; resources];
        let mut best = (f64::INFINITY, prices.clone());
        let mut pace = 1.0;
        let mut since = 0;
        for _ in 0..PRICE_STEPS {
            if spend(steps, work).is_none() {
                break;
            }
            let mut free = capacity.clone();
            let mut bound: f64 = prices.iter().zip(&capacity).map(|(price, there)| price * there).sum();
            for (front, scores) in self.fronts.iter().zip(self.scores) {
                let mut chosen: Option<(f64, &Bundle)> = None;
                for (bundle, &score) in front.iter().zip(scores) {
                    let paid: f64 = bundle.usage.iter().zip(&prices).map(|(&u, p)| f64::from(u) * p).sum();
                    let gain = score as f64 - paid;
                    if chosen.is_none_or(|(most, _)| gain > most) {
                        chosen = Some((gain, bundle));
                    }
                }
                let Some((gain, bundle)) = chosen else { continue };
                bound += gain;
                for (free, &used) in free.iter_mut().zip(&bundle.usage) {
                    *free -= f64::from(used);
                }
            }
            if bound < best.0 {
                best = (bound, prices.clone());
                since = 0;
            } else {
                since += 1;
                if since >= 10 {
                    (pace, since) = (pace / 2.0, 0);
                    prices.clone_from(&best.1);
                    continue;
                }
            }
            let length: f64 = free.iter().map(|free| free * free).sum();
            if length <= 0.0 {
                break;
            }
            // A step that would lower the bound by a part of itself if it were linear.
            let step = pace * 0.1 * bound.abs().max(1.0) / length;
            for (price, free) in prices.iter_mut().zip(&free) {
                *price = (*price - step * free).max(0.0);
            }
        }
        best.1.iter().map(|price| (price * SCALE as f64) as i128).collect()
    }
}

fn cost(prices: &[i128], amounts: &[u32]) -> i128 {
    prices.iter().zip(amounts).map(|(price, &amount)| price * i128::from(amount)).sum()
}

struct Walk<'c, 's> {
    choice: &'c Choice<'s>,
    /// Score minus price of every bundle.
    reduced: Vec<Vec<i128>>,
    /// The bundles of every tenant in descending reduced score.
    orders: Vec<Vec<usize>>,
    /// The tenants in the order in which they choose.
    turns: Vec<usize>,
    /// The greatest sum of reduced scores from a turn on.
    rest: Vec<i128>,
    picks: Vec<usize>,
    best: Option<(i128, Vec<usize>)>,
}

impl Walk<'_, '_> {
    /// Chooses from a turn on; `upper` bounds what can come of it. `None` when the steps are used up.
    fn turn(&mut self, turn: usize, free: &[u32], upper: i128, steps: &mut u64) -> Option<()> {
        let Some(&tenant) = self.turns.get(turn) else {
            self.complete();
            return Some(());
        };
        let best_here = self.rest[turn] - self.rest[turn + 1];
        let mut left = vec![0; free.len()];
        for position in 0..self.orders[tenant].len() {
            let bundle = self.orders[tenant][position];
            let upper = upper - best_here + self.reduced[tenant][bundle];
            if self.is_hopeless(upper) {
                break;
            }
            spend(steps, 1)?;
            let usage = &self.choice.fronts[tenant][bundle].usage;
            if !super::front::is_within(usage, free) {
                continue;
            }
            let agrees = |&other: &usize| (self.choice.agree)((tenant, bundle), (other, self.picks[other]));
            if !self.turns[..turn].iter().all(agrees) {
                continue;
            }
            for ((left, free), used) in left.iter_mut().zip(free).zip(usage) {
                *left = free - used;
            }
            self.picks[tenant] = bundle;
            self.turn(turn + 1, &left, upper, steps)?;
        }
        Some(())
    }

    fn is_hopeless(&self, upper: i128) -> bool {
        let least = |best: i128| (best - i128::from(self.choice.blur)) * SCALE;
        self.best.as_ref().is_some_and(|(best, _)| upper < least(*best))
    }

    fn complete(&mut self) {
        let scores = self.picks.iter().zip(self.choice.scores);
        let score: i128 = scores.map(|(&bundle, scores)| i128::from(scores[bundle])).sum();
        match &mut self.best {
            Some((best, picks)) => {
                if (self.choice.is_better)(&self.picks, picks) {
                    *best = score;
                    picks.clone_from(&self.picks);
                }
            }
            None => self.best = Some((score, self.picks.clone())),
        }
    }
}
