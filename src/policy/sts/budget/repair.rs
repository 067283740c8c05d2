//! A feasible choice by local moves, when nothing better was reached.
//!
//! From the base choice, single copies are moved to other options: while a resource is overdrawn or a floor is missed, the
//! move with the least regret per unit of violation that it removes; then, while one exists, the move that gains most
//! within the capacities and floors. The best choice known before is improved the same way. Nothing is proven here.

use super::attempt::base_counts;
use super::model::Model;
use super::regret::Regrets;
use super::search::Incumbent;

/// Most moves made, as a multiple of the number of groups.
const MOVES: usize = 4;

/// The buffers.
#[derive(Debug, Default)]
pub(super) struct Repair {
    counts: Vec<u32>,
    used: Vec<i64>,
    values: Vec<i64>,
}

/// A move of one copy of a group.
#[derive(Debug, Clone, Copy)]
struct Move {
    group: usize,
    from: usize,
    to: usize,
}

impl Repair {
    /// Improves `best`, or finds a first choice.
    pub(super) fn run(&mut self, model: &Model, regrets: &Regrets, best: &mut Option<Incumbent>) {
        let mut take = |counts: &Vec<u32>| {
            let gain = model.gain(counts);
            if best.as_ref().is_none_or(|b| b.gain < gain) {
                *best = Some(Incumbent { counts: counts.clone(), gain, method: "repair" });
            }
        };
        base_counts(model, regrets, &mut self.counts);
        self.measure(model);
        if self.mend(model, regrets) {
            self.improve(model);
            take(&self.counts);
        }
        if let Some(known) = best {
            self.counts.clone_from(&known.counts);
            self.measure(model);
            self.improve(model);
            let gain = model.gain(&self.counts);
            if gain > known.gain {
                *known = Incumbent { counts: self.counts.clone(), gain, method: "repair" };
            }
        }
    }

    fn measure(&mut self, model: &Model) {
        model.used(&self.counts, &mut self.used);
        model.values(&self.counts, &mut self.values);
    }

    /// What a resource or floor is violated by after a move, over all of them, each relative to its size.
    fn violation(&self, model: &Model, m: Option<Move>) -> f64 {
        let mut total = 0.0;
        let delta = m.map(|m| self.delta(model, m));
        for (d, (&used, &c)) in self.used.iter().zip(&model.capacity).enumerate() {
            let over = used + delta.as_ref().map_or(0, |x| x.0[d]) - i64::from(c);
            if over > 0 {
                total += over as f64 / f64::from(c.max(1));
            }
        }
        for (u, (tenant, &value)) in model.tenants.iter().zip(&self.values).enumerate() {
            let moved = delta.as_ref().map_or(0, |x| if x.1 == u { x.2 } else { 0 });
            let missing = tenant.floor - value - moved;
            if missing > 0 {
                total += missing as f64 / tenant.floor as f64;
            }
        }
        total
    }

    /// Change of usage, the tenant, and the change of its value.
    fn delta(&self, model: &Model, m: Move) -> ([i64; super::RESOURCES], usize, i64) {
        let group = &model.groups[m.group];
        let choices = model.choices_of(group);
        let mut usage = [0; super::RESOURCES];
        model.add_usage(choices[m.to].usage, 1, &mut usage);
        model.add_usage(choices[m.from].usage, -1, &mut usage);
        (usage, group.tenant as usize, choices[m.to].value - choices[m.from].value)
    }

    fn apply(&mut self, model: &Model, m: Move) {
        let (usage, tenant, value) = self.delta(model, m);
        for (used, change) in self.used.iter_mut().zip(usage) {
            *used += change;
        }
        self.values[tenant] += value;
        let first = model.groups[m.group].first as usize;
        self.counts[first + m.from] -= 1;
        self.counts[first + m.to] += 1;
    }

    /// Every move of one copy that the counts allow.
    fn moves<'a>(&'a self, model: &'a Model) -> impl Iterator<Item = Move> + 'a {
        model.groups.iter().enumerate().flat_map(move |(g, group)| {
            let n = model.choices_of(group).len();
            let first = group.first as usize;
            let held = (0..n).filter(move |&o| self.counts[first + o] > 0);
            held.flat_map(move |from| {
                (0..n).filter(move |&to| to != from).map(move |to| Move { group: g, from, to })
            })
        })
    }

    /// Removes all violations, if single moves can.
    fn mend(&mut self, model: &Model, regrets: &Regrets) -> bool {
        let mut violation = self.violation(model, None);
        for _ in 0..MOVES * model.groups.len() + 64 {
            if violation == 0.0 {
                return true;
            }
            let mut best: Option<(f64, f64, Move)> = None;
            for m in self.moves(model) {
                let after = self.violation(model, Some(m));
                if after < violation {
                    let first = model.groups[m.group].first as usize;
                    let cost = regrets.regret[first + m.to].saturating_sub(regrets.regret[first + m.from]);
                    let price = cost as f64 / (violation - after);
                    if best.is_none_or(|b| price < b.0) {
                        best = Some((price, after, m));
                    }
                }
            }
            let Some((_, after, m)) = best else { return false };
            self.apply(model, m);
            violation = after;
        }
        false
    }

    /// Moves that gain most, while there are any.
    fn improve(&mut self, model: &Model) {
        for _ in 0..MOVES * model.groups.len() + 64 {
            let mut best: Option<(i128, Move)> = None;
            for m in self.moves(model) {
                let group = &model.groups[m.group];
                let choices = model.choices_of(group);
                let weight =
                    i128::from(model.tenants[group.tenant as usize].weight) * i128::from(model.scale);
                let (from, to) = (&choices[m.from], &choices[m.to]);
                let gain = weight * i128::from(to.value - from.value) + i128::from(to.bonus - from.bonus);
                if gain > best.map_or(0, |b| b.0) && self.allowed(model, m) {
                    best = Some((gain, m));
                }
            }
            let Some((_, m)) = best else { return };
            self.apply(model, m);
        }
    }

    fn allowed(&self, model: &Model, m: Move) -> bool {
        let (usage, tenant, value) = self.delta(model, m);
        let fits = self
            .used
            .iter()
            .zip(usage)
            .zip(&model.capacity)
            .all(|((u, x), &c)| x <= 0 || u + x <= i64::from(c));
        fits && (value >= 0 || self.values[tenant] + value >= model.tenants[tenant].floor)
    }
}
