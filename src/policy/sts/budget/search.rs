//! The budget loop: raise the budget until the least loss is found, and keep the proof.
//!
//! At a budget `B` a run either finds the least loss (the optimum), or proves that every choice loses more than `B`.
//! Losses are relative to
//! ```text
//! upper2 = upper - sum of gamma over tenants with a menu          gain = upper2 - loss
//! ```
//! Gains are multiples of `step`, so losses are congruent to `upper2`: budgets are rounded down to that, and an empty run at `B`
//! proves `gain <= upper2 - B - step`. A known choice cuts the budget to the losses that would beat it.
//!
//! When work runs out, the answer falls back step by step; each keeps what was proven:
//! 1. *Cut by a beam.* A run that outgrows the first limit waits for a beam; its choice cuts the budget of the next exact run.
//! 2. *Beam.* Wider beams at growing budgets, with frozen menus.
//! 3. *Repair.* The base choice, made feasible by the moves that cost least, and improved greedily.
//! 4. The choice the caller knew.

use super::attempt::{Attempt, Order};
use super::menu::{Guest, Kitchen, Menu, MenuLimits};
use super::model::Model;
use super::regret::Regrets;
use super::repair;
use super::slack::provably_slack;
use super::walk::{Extent, Outcome, Work};
use super::{GREATEST_BUDGET, UNREACHABLE};

/// States up to which the first exact run may go before a beam looks for a cut.
const SMALL_RUN: usize = 60_000;
/// Width of that beam.
const NARROW_BEAM: usize = 400;
/// Width of the last beams.
const WIDE_BEAM: usize = 400;
/// Raises of the budget for the last beams.
const BEAM_RAISES: u32 = 6;

/// What a search may cost.
#[derive(Debug, Clone, Copy)]
pub(super) struct SearchLimits {
    /// Most states kept in one run.
    pub(super) kept: usize,
    pub(super) menu: MenuLimits,
}

/// How a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The best choice is optimal: found at the budget, or nothing better exists.
    Proven,
    /// The multipliers alone, or an exhausted budget, show that no choice is feasible.
    Infeasible,
    /// Limits ended it; the method names what found the best choice, if there is one.
    Limits,
}

/// The buffers.
#[derive(Debug, Default)]
pub(super) struct Search {
    menus: Vec<Menu>,
    has_menu: Vec<bool>,
    wants_menu: Vec<bool>,
    forced: Vec<bool>,
    attempt: Attempt,
    kitchen: Kitchen,
    values: Vec<i64>,
    least: Vec<i64>,
    repair: repair::Repair,
}

/// The best choice so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Incumbent {
    /// How many jobs take each option of each group.
    pub(super) counts: Vec<u32>,
    pub(super) gain: i128,
    pub(super) method: &'static str,
}

/// The state of one search.
pub(super) struct Run<'a> {
    model: &'a Model,
    regrets: &'a Regrets,
    search: &'a mut Search,
    limits: SearchLimits,
    pub(super) work: Work,
    pub(super) best: Option<Incumbent>,
    /// No feasible choice gains more.
    pub(super) bound: i128,
    /// Every feasible choice gains at least this.
    least_gain: i128,
    order: Order,
    last_states: u64,
    beamed: bool,
    /// The least budget at which an exact run was too much.
    too_much: i64,
    /// The greatest budget proven empty, or 0.
    proven_empty: i64,
}

/// What a round of the loop leads to.
enum Next {
    /// The same budget again: a floor was added, or a cut was found.
    Again,
    /// A greater budget.
    Raise,
    End(End),
    /// An exact run at this budget is too much, a smaller one may be possible.
    Lower,
    /// The work is used up.
    GiveUp,
}

impl Search {
    /// Starts a search. `known` is a feasible choice, if the caller has one.
    pub(super) fn start<'a>(
        &'a mut self,
        model: &'a Model,
        regrets: &'a Regrets,
        limits: SearchLimits,
        work: Work,
        known: Option<Incumbent>,
    ) -> Run<'a> {
        let tenants = model.tenants.len();
        self.menus.resize_with(tenants.max(self.menus.len()), Menu::default);
        self.menus.iter_mut().for_each(Menu::reset);
        self.has_menu.clear();
        self.has_menu.resize(tenants, false);
        self.forced.clear();
        let below =
            |(u, t): (usize, &super::model::Tenant)| regrets.mu[u] == 0 && regrets.base_value[u] < t.floor;
        self.forced.extend(model.tenants.iter().enumerate().map(below));
        let floors: i128 = model.tenants.iter().map(|t| i128::from(t.weight) * i128::from(t.floor)).sum();
        let least_gain = i128::from(model.scale) * floors - i128::from(model.greatest_malus);
        Run {
            model,
            regrets,
            search: self,
            limits,
            work,
            best: known,
            bound: regrets.upper,
            least_gain,
            order: Order::default(),
            last_states: 0,
            beamed: false,
            too_much: i64::MAX,
            proven_empty: 0,
        }
    }
}

impl Run<'_> {
    /// Runs to the end.
    pub(super) fn run(&mut self) -> End {
        if self.regrets.upper < self.least_gain {
            return End::Infeasible;
        }
        let mut budget = self.first_budget();
        let mut first = true;
        loop {
            let changed = self.choose_menus(budget);
            if changed || first {
                self.search.attempt.gather(self.model, self.regrets, &self.search.has_menu);
                first = false;
            }
            if self.prepare_menus(budget) {
                return End::Infeasible;
            }
            match self.round(&mut budget) {
                Next::Again => {}
                Next::Raise => match self.raised(budget) {
                    Some(raised) => budget = raised,
                    None => return self.give_up(budget),
                },
                Next::Lower => match self.lowered(budget) {
                    Some(lowered) => budget = lowered,
                    None => return self.give_up(budget),
                },
                Next::End(end) => return end,
                Next::GiveUp => return self.give_up(budget),
            }
        }
    }

    /// The next budget after an empty one. Runs that cost nothing are followed by larger steps: what a run costs grows with a
    /// power of the budget, so the last one should exceed the loss of the optimum by little.
    fn raised(&mut self, budget: i64) -> Option<i64> {
        self.proven_empty = budget;
        let step = match self.last_states {
            0 => budget / 4 * 3,
            1..5_000 => budget / 2,
            _ => budget / 4,
        };
        let raised = self.useful(budget.saturating_add(step.max(1)).min(GREATEST_BUDGET));
        if raised < self.too_much {
            return (raised > budget).then_some(raised);
        }
        self.lowered(self.too_much)
    }

    /// A budget between the greatest empty one and one that was too much; `None` if they are close.
    fn lowered(&mut self, budget: i64) -> Option<i64> {
        self.too_much = budget;
        let between = self.useful(self.proven_empty + (budget - self.proven_empty) / 2);
        if between - self.proven_empty <= self.proven_empty / 32 {
            return None;
        }
        self.search.menus.iter_mut().for_each(Menu::retry);
        Some(between)
    }

    /// No more than what would beat the best choice.
    fn useful(&self, budget: i64) -> i64 {
        match self.cut(self.upper2()) {
            Some(cut) if cut >= 0 => cut.min(i128::from(budget)) as i64,
            _ => budget,
        }
    }

    /// Whether nothing can beat the best choice.
    fn settled(&self) -> bool {
        self.best.as_ref().is_some_and(|b| b.gain >= self.bound)
    }

    /// A budget at which few stages exist.
    #[inline(never)]
    fn first_budget(&mut self) -> i64 {
        let least = &mut self.search.least;
        least.clear();
        least.extend(self.regrets.least.iter().copied().filter(|&r| r < UNREACHABLE));
        let by_regret = match least.len() {
            0 => 1,
            n => *least.select_nth_unstable((n - 1).min(39)).1,
        };
        let by_slack = self.regrets.lambda.iter().filter(|&&l| l > 0).map(|l| l / 8).min();
        by_regret.min(by_slack.unwrap_or(i64::MAX)).max(1)
    }

    /// Decides which tenants get a menu at this budget; says whether that changed.
    #[inline(never)]
    fn choose_menus(&mut self, budget: i64) -> bool {
        let s = &mut *self.search;
        s.wants_menu.clear();
        for u in 0..self.model.tenants.len() {
            let forced = s.forced[u] && !provably_slack(self.model, self.regrets, u, budget);
            s.wants_menu.push(self.regrets.mu[u] > 0 || forced);
        }
        let changed = s.wants_menu != s.has_menu;
        std::mem::swap(&mut s.wants_menu, &mut s.has_menu);
        changed
    }

    /// Brings the menus to the budget. True if one proves infeasibility.
    #[inline(never)]
    fn prepare_menus(&mut self, budget: i64) -> bool {
        let s = &mut *self.search;
        let greatest_loss = self.regrets.upper - self.least_gain;
        for tenant in 0..self.model.tenants.len() {
            if s.has_menu[tenant] {
                let guest = Guest { model: self.model, regrets: self.regrets, tenant, greatest_loss };
                let menu = &mut s.menus[tenant];
                menu.prepare(&guest, budget, &self.limits.menu, &mut s.kitchen, &mut self.work);
                if menu.impossible(&guest) {
                    return true;
                }
            }
        }
        false
    }

    /// Menus in use.
    fn menus(&self) -> impl Iterator<Item = &Menu> {
        self.search.menus.iter().zip(&self.search.has_menu).filter(|(_, has)| **has).map(|(m, _)| m)
    }

    /// The gain of a choice without loss: what losses of a run are relative to.
    fn upper2(&self) -> i128 {
        self.regrets.upper - self.menus().map(|m| i128::from(m.gamma())).sum::<i128>()
    }

    /// What is proven of the gain by the menus alone.
    fn proven_upper2(&self) -> i128 {
        self.regrets.upper - self.menus().map(|m| i128::from(m.least_loss())).sum::<i128>()
    }

    /// One budget. It may be lifted to the least loss that a choice can have.
    #[inline(never)]
    fn round(&mut self, budget: &mut i64) -> Next {
        let step = i128::from(self.model.step);
        let upper2 = self.upper2();
        self.bound = self.bound.min(self.proven_upper2());
        if self.menus().any(|m| m.cut) {
            return self.shortcut(upper2, *budget);
        }
        // Losses are congruent to upper2; the least one is its remainder.
        let least = i64::try_from(upper2.rem_euclid(step)).unwrap_or(i64::MAX);
        let cut = self.cut(upper2);
        if cut.is_some_and(|c| c < i128::from(least)) {
            return Next::End(self.optimal());
        }
        if *budget < least {
            // Nothing can be found below; the menus must grow with the budget.
            *budget = least;
            return Next::Again;
        }
        let step = self.model.step;
        let rounded = *budget - (*budget - least) % step;
        let limited = cut.map_or(rounded, |c| c.min(i128::from(rounded)) as i64);
        let s = &mut *self.search;
        s.attempt.build(self.model, self.regrets, &s.menus, &s.has_menu, limited);
        match self.race(limited) {
            Outcome::Found(loss) => {
                let gain = upper2 - i128::from(loss);
                self.read();
                if self.force_violated() {
                    return Next::Again;
                }
                self.take(gain, "loss-budget");
                Next::End(self.optimal())
            }
            Outcome::Nothing => {
                self.bound = self.bound.min(upper2 - i128::from(limited) - i128::from(step));
                if self.settled() {
                    return Next::End(self.optimal());
                }
                if self.bound < self.least_gain {
                    return Next::End(End::Infeasible);
                }
                Next::Raise
            }
            Outcome::Overflow if !self.beamed => {
                self.beamed = true;
                self.beam(upper2, &[limited, limited.saturating_mul(4)], NARROW_BEAM);
                if self.settled() { Next::End(self.optimal()) } else { Next::Again }
            }
            Outcome::Overflow => Next::Lower,
            Outcome::Exhausted => Next::GiveUp,
        }
    }

    /// When a menu was too much: a beam over what there is of it may find a choice, and the budget that would beat that choice
    /// may be small enough.
    fn shortcut(&mut self, upper2: i128, budget: i64) -> Next {
        if self.work.left == 0 {
            return Next::GiveUp;
        }
        if !self.beamed {
            self.beamed = true;
            self.beam(upper2, &[budget, budget.saturating_mul(4)], NARROW_BEAM);
        }
        if self.settled() { Next::End(self.optimal()) } else { Next::Lower }
    }

    /// The greatest loss that would beat the best choice.
    fn cut(&self, upper2: i128) -> Option<i128> {
        self.best.as_ref().map(|b| upper2 - b.gain - i128::from(self.model.step))
    }

    fn optimal(&mut self) -> End {
        if let Some(best) = &self.best {
            self.bound = best.gain;
        }
        End::Proven
    }

    /// Runs the exact program in the order that did best so far, within growing limits; then in the other order.
    fn race(&mut self, budget: i64) -> Outcome {
        let most = self.limits.kept;
        let mut limit = SMALL_RUN.max(6 * self.last_states as usize).min(most);
        loop {
            for order in [self.order, self.order.other()] {
                let before = self.work.states;
                let s = &mut *self.search;
                let outcome = s.attempt.run(self.regrets, order, budget, Extent::All(limit), &mut self.work);
                match outcome {
                    Outcome::Overflow => {}
                    Outcome::Found(_) | Outcome::Nothing => {
                        self.order = order;
                        self.last_states = self.work.states - before;
                        return outcome;
                    }
                    Outcome::Exhausted => return outcome,
                }
            }
            if limit >= most || !self.beamed {
                return Outcome::Overflow;
            }
            limit = limit.saturating_mul(3).min(most);
        }
    }

    /// Beams at the given budgets in both orders; stops when one finds a choice.
    fn beam(&mut self, upper2: i128, budgets: &[i64], width: usize) -> bool {
        for &budget in budgets {
            let budget = self.useful(budget.min(GREATEST_BUDGET));
            let s = &mut *self.search;
            s.attempt.build(self.model, self.regrets, &s.menus, &s.has_menu, budget);
            for order in [self.order, self.order.other()] {
                let s = &mut *self.search;
                let outcome = s.attempt.run(self.regrets, order, budget, Extent::Beam(width), &mut self.work);
                if let Outcome::Found(loss) = outcome {
                    self.read();
                    if self.force_violated() {
                        continue;
                    }
                    self.take(upper2 - i128::from(loss), "beam");
                    return true;
                }
            }
        }
        false
    }

    /// Reads the choice of the last run.
    fn read(&mut self) {
        let s = &mut *self.search;
        s.attempt.read(self.model, self.regrets, &s.menus);
        self.model.values(&s.attempt.counts, &mut s.values);
    }

    /// Forces the floors that the choice just read violates; says whether there are any.
    fn force_violated(&mut self) -> bool {
        let s = &mut *self.search;
        let mut any = false;
        for (u, tenant) in self.model.tenants.iter().enumerate() {
            if s.values[u] < tenant.floor {
                debug_assert!(!s.has_menu[u], "a menu's entry meets its floor");
                s.forced[u] = true;
                any = true;
            }
        }
        any
    }

    /// Makes the choice just read the best one, if it is.
    fn take(&mut self, gain: i128, method: &'static str) {
        let counts = &self.search.attempt.counts;
        debug_assert_eq!(self.model.gain(counts), gain, "the identity of the loss form");
        if self.best.as_ref().is_none_or(|b| b.gain < gain) {
            self.best = Some(Incumbent { counts: counts.clone(), gain, method });
        }
    }

    /// The rest of the ladder.
    fn give_up(&mut self, budget: i64) -> End {
        let (mut budget, mut tried) = (budget, -1);
        for _ in 0..BEAM_RAISES {
            budget = self.useful(budget);
            if self.settled() || budget == tried {
                break;
            }
            tried = budget;
            let found = self.beam(self.upper2(), &[budget], WIDE_BEAM);
            // Floors that a beam violated get a menu, or a part of one.
            if self.choose_menus(budget) {
                self.search.attempt.gather(self.model, self.regrets, &self.search.has_menu);
                if self.prepare_menus(budget) {
                    return End::Infeasible;
                }
                tried = -1;
            } else {
                budget = budget.saturating_mul(if found { 2 } else { 4 }).min(GREATEST_BUDGET);
            }
        }
        let (model, regrets) = (self.model, self.regrets);
        self.search.repair.run(model, regrets, &mut self.best);
        match &self.best {
            Some(_) if self.settled() => self.optimal(),
            _ => End::Limits,
        }
    }
}
