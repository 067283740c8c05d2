//! The menu of one tenant: all useful pairs of (what its jobs take, what they are worth) that meet its floor.
//!
//! The loss of a tenant is `tau = sum of its regrets + mu * (V - floor)`, with `V >= floor` required. A menu for the budget
//! `b` holds every pair with `tau <= b`, except pairs that another one beats:
//! * same usage: `tau = const - gain + lambda . usage`, so the greater gain has the smaller loss; and as the tie rule never
//!   outweighs a unit of value, it has no smaller value, so it meets the floor if the other does. At equal usage the
//!   smallest sum of regrets is the greatest gain, also of a part of the tenant's jobs (complete both parts alike).
//! * no more of any resource, and no smaller gain: the whole loss changes by minus the difference of gains, once the slack
//!   of the resources is counted.
//!
//! The least `tau` is the tenant's *integrality loss* `gamma`. It is a constant of the round: the outer program charges an
//! entry `tau - gamma` only, or every other stage would have to pay for it in budget.
//!
//! With a priced floor, values must lie in a window of width `b / mu` above the floor. That is what *meeting in the middle*
//! exploits: both halves of the tenant's stages are enumerated with regrets up to `b`; a state of the left half then meets
//! those of the right half that bring the value into the window. Without a price there is no window, and one pass through all
//! stages merges states on the way. (States of *several* tenants must not be merged before their floors are checked: equal
//! usage with different splits of the value is bi-criteria. Menu first, then merge.)

use super::exchange::{Exchange, Unit};
use super::half::{Window, trace, widest};
use super::key::words_for;
use super::meet::{Effort, Maker};
use super::model::Model;
use super::pool::Step;
use super::regret::Regrets;
use super::span::Span;
use super::stage::{Origin, Stages};
use super::walk::Work;
use super::{GREATEST_BUDGET, RESOURCES};

/// The entries of a menu.
#[derive(Debug, Default)]
pub(super) struct Entries {
    pub(super) resources: usize,
    /// Usage of every entry beyond what is fixed, `resources` amounts each.
    pub(super) usage: Vec<u32>,
    /// Loss of every entry, ascending.
    pub(super) tau: Vec<i64>,
    /// The last steps of the halves that make it.
    pub(super) origin: Vec<(u32, u32)>,
    pub(super) left: Vec<Step>,
    pub(super) right: Vec<Step>,
}

/// A menu.
#[derive(Debug, Default)]
pub(super) struct Menu {
    pub(super) entries: Entries,
    /// The budget for which it is complete; -1 if for none.
    budget: i64,
    /// The least `tau`, once there is an entry.
    gamma: Option<i64>,
    /// No choice of the tenant has `tau` up to this; -1 if nothing is known.
    proven_empty: i64,
    /// Whether the effort ran out, so that entries may be missing.
    pub(super) cut: bool,
    /// What the tenant takes in any case: jobs at their base, and the componentwise least of all moves.
    pub(super) fixed: Vec<i64>,
    units: Vec<Unit>,
    exchange: Exchange,
    stages: Stages,
    /// The option of every stage that an entry takes where it makes no step.
    first: Vec<u32>,
}

/// What menus may cost.
#[derive(Debug, Clone, Copy)]
pub(super) struct MenuLimits {
    /// Most options and pairs looked at for one menu.
    pub(super) tries: u64,
    /// States per layer of a menu that is cut.
    pub(super) beam: usize,
}

/// Buffers shared by all menus.
#[derive(Debug, Default)]
pub(super) struct Kitchen {
    one: Maker<1>,
    two: Maker<2>,
    wide: Maker<RESOURCES>,
    span: Span,
}

/// The tenant whose menu is made.
#[derive(Debug, Clone, Copy)]
pub(super) struct Guest<'a> {
    pub(super) model: &'a Model,
    pub(super) regrets: &'a Regrets,
    pub(super) tenant: usize,
    /// Loss that no feasible choice exceeds.
    pub(super) greatest_loss: i128,
}

impl Menu {
    /// Forgets everything.
    pub(super) fn reset(&mut self) {
        self.budget = -1;
        self.gamma = None;
        self.proven_empty = -1;
        self.cut = false;
        self.units.clear();
        self.exchange.reset();
    }

    /// Forgets that the effort ran out, to try again with a smaller budget. What was proven stays.
    pub(super) fn retry(&mut self) {
        if self.cut {
            self.cut = false;
            self.budget = -1;
            self.gamma = None;
        }
    }

    /// What is proven of the tenant's least loss: it is at least this.
    pub(super) fn least_loss(&self) -> i64 {
        self.proven_empty + 1
    }

    /// The loss from which entries are charged.
    pub(super) fn gamma(&self) -> i64 {
        self.gamma.unwrap_or(0)
    }

    /// Whether the tenant's floor is proven to be out of reach.
    pub(super) fn impossible(&self, guest: &Guest) -> bool {
        self.gamma.is_none() && i128::from(self.proven_empty) >= guest.greatest_loss
    }

    /// Makes sure that the menu holds all entries with `tau <= gamma + budget`, unless it is [cut](Self::cut) or
    /// [impossible](Self::impossible) in the end.
    pub(super) fn prepare(
        &mut self,
        guest: &Guest,
        budget: i64,
        limits: &MenuLimits,
        kitchen: &mut Kitchen,
        work: &mut Work,
    ) {
        let wanted = |gamma: i64| gamma.saturating_add(budget).min(GREATEST_BUDGET);
        // More than is asked for, so that the next budgets find the menu ready.
        let ample = |gamma: i64| gamma.saturating_add(budget.max(gamma / 8)).min(GREATEST_BUDGET);
        if self.cut || self.gamma.is_some_and(|g| wanted(g) <= self.budget) {
            return;
        }
        let mut b = self.gamma.map_or(budget.max(self.proven_empty + 1), ample);
        loop {
            // Losses that great are not told apart: the menu cannot be complete.
            self.cut |= self.gamma.is_some_and(|g| g > GREATEST_BUDGET - budget);
            if self.cut {
                return;
            }
            let effort = Effort { tries: limits.tries.min(work.left), beam: None };
            let mut done = self.make(guest, b, effort, kitchen, work);
            if let Some(less) = self.gamma.map(wanted).filter(|&less| !done && less < b) {
                b = less;
                done = self.make(guest, b, effort, kitchen, work);
            }
            if !done {
                self.cut = true;
                let effort = Effort { tries: u64::MAX, beam: Some(limits.beam) };
                self.make(guest, b, effort, kitchen, work);
                self.gamma = self.entries.tau.first().copied();
                return;
            }
            match self.entries.tau.first() {
                None => {
                    self.proven_empty = b;
                    if b >= GREATEST_BUDGET && !self.impossible(guest) {
                        self.cut = true;
                    }
                    if self.cut || self.impossible(guest) {
                        return;
                    }
                    b = b.saturating_add((b / 2).max(1)).min(GREATEST_BUDGET);
                }
                Some(&gamma) => {
                    self.gamma = Some(gamma);
                    self.proven_empty = gamma - 1;
                    self.budget = b;
                    if wanted(gamma) <= b {
                        return;
                    }
                    b = ample(gamma);
                }
            }
        }
    }

    /// How many entries have a loss up to `gamma + budget`.
    pub(super) fn within(&self, budget: i64) -> usize {
        self.entries.tau.partition_point(|&t| t - self.gamma() <= budget)
    }

    /// Calls `each` with `(group, copies, option)` for every bundle of an entry.
    pub(super) fn trace(&self, entry: usize, mut each: impl FnMut(u32, u32, u32)) {
        let mut option_of = self.first.clone();
        let (left, right) = self.entries.origin[entry];
        for (steps, last) in [(&self.entries.left, left), (&self.entries.right, right)] {
            trace(steps, last, |option| option_of[self.stages.stage_of(option as usize)] = option);
        }
        for (origin, &option) in self.stages.origin.iter().zip(&option_of) {
            if let Origin::Bundle { unit, size } = *origin {
                each(self.units[unit as usize].group, size, self.stages.tag[option as usize]);
            }
        }
    }

    /// Enumerates the entries with `tau <= b`. False if the effort does not suffice.
    fn make(
        &mut self,
        guest: &Guest,
        b: i64,
        effort: Effort,
        kitchen: &mut Kitchen,
        work: &mut Work,
    ) -> bool {
        let model = guest.model;
        let resources = model.capacity.len();
        self.entries.resources = resources;
        self.entries.usage.clear();
        self.entries.tau.clear();
        self.entries.origin.clear();
        self.stages.clear(resources);
        self.fixed.clear();
        self.fixed.resize(resources, 0);
        let groups = model.tenants[guest.tenant].groups.clone();
        if self.units.is_empty() {
            let unit = |g: u32| Unit { group: g, copies: model.groups[g as usize].len() };
            self.units.extend(groups.clone().map(unit));
        }
        self.exchange.select(model, guest.regrets, &self.units, b);
        for g in groups.clone() {
            let group = &model.groups[g as usize];
            let base = model.choices_of(group)[guest.regrets.base[g as usize] as usize].usage;
            model.add_usage(base, i64::from(group.len()), &mut self.fixed);
        }
        for moves in self.exchange.moves.chunk_by(|a, b| a.unit == b.unit) {
            let unit = &self.units[moves[0].unit as usize];
            let placed = self.stages.push_bundles(model, guest.regrets, unit, moves, b);
            let group = &model.groups[unit.group as usize];
            let base = model.choices_of(group)[guest.regrets.base[unit.group as usize] as usize].usage;
            model.add_usage(base, -i64::from(placed), &mut self.fixed);
        }
        // `None`: nothing that the tenant can do at this budget fits the capacities.
        if kitchen.span.measure(&self.stages, &mut self.fixed, &model.capacity).is_none() {
            return true;
        }
        let span = &kitchen.span;
        self.first.clear();
        self.first.extend((0..span.len()).map(|s| span.option[span.options(s).start]));
        let window = Window {
            budget: b,
            mu: guest.regrets.mu[guest.tenant],
            need: model.tenants[guest.tenant].floor - guest.regrets.base_value[guest.tenant],
        };
        let (span, lambda, entries) = (&kitchen.span, &guest.regrets.lambda, &mut self.entries);
        let words = widest(span).map_or(1, |w| words_for(&w));
        let (done, spent) = match words {
            1 => kitchen.one.make(span, &window, effort, lambda, entries),
            2 => kitchen.two.make(span, &window, effort, lambda, entries),
            _ => kitchen.wide.make(span, &window, effort, lambda, entries),
        };
        work.left = work.left.saturating_sub(spent);
        done
    }
}
