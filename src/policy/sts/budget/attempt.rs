//! One attempt of the outer program at a budget: build the stages, order them, run, and read the choice off.

use super::RESOURCES;
use super::exchange::{Exchange, Unit};
use super::frame::Frame;
use super::key::words_for;
use super::menu::Menu;
use super::model::Model;
use super::regret::Regrets;
use super::stage::{Origin, Stages};
use super::walk::{Extent, Outcome, Walk, Work};

/// In which order stages are gone through. It changes the number of states, never the result's loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Order {
    /// Menus first, then stages from rigid (every move loses much) to free. Good when jobs differ.
    #[default]
    MenusFirst,
    /// Stages that touch a rare type first, so that types close one after the other, and menus last. Good when many jobs
    /// are alike.
    TypesFirst,
}

impl Order {
    pub(super) fn other(self) -> Self {
        match self {
            Self::MenusFirst => Self::TypesFirst,
            Self::TypesFirst => Self::MenusFirst,
        }
    }
}

/// The buffers.
#[derive(Debug, Default)]
pub(super) struct Attempt {
    /// Interchangeable jobs of all tenants whose floor is left out: the same class in several groups.
    units: Vec<Unit>,
    /// Where the groups of each unit start in `unit_groups`; one more than there are units.
    unit_start: Vec<u32>,
    unit_groups: Vec<u32>,
    exchange: Exchange,
    /// What the units take at their base.
    units_used: Vec<i64>,
    stages: Stages,
    order: Vec<u32>,
    capacity: Vec<i64>,
    frame: Frame,
    one: Walk<1>,
    two: Walk<2>,
    four: Walk<4>,
    wide: Walk<RESOURCES>,
    path: Vec<u32>,
    /// How many jobs take each option of each group, after a successful run.
    pub(super) counts: Vec<u32>,
    /// For every stage whether it is a menu, the resources it touches and its least loss beside the first option.
    traits: Vec<(bool, u32, i64)>,
    unit_of_class: Vec<u32>,
    unit_of_group: Vec<u32>,
}

impl Attempt {
    /// Collects the jobs of tenants without a menu into units. To be repeated when the set of tenants with menus changes.
    #[inline(never)]
    pub(super) fn gather(&mut self, model: &Model, regrets: &Regrets, has_menu: &[bool]) {
        self.units.clear();
        self.exchange.reset();
        self.units_used.clear();
        self.units_used.resize(model.capacity.len(), 0);
        self.unit_of_class.clear();
        self.unit_of_class.resize(model.classes.len(), u32::MAX);
        self.unit_of_group.clear();
        // Without a menu the multiplier of the floor is zero, so a class has the same regrets in all its groups.
        for (g, group) in model.groups.iter().enumerate() {
            if has_menu[group.tenant as usize] {
                self.unit_of_group.push(u32::MAX);
                continue;
            }
            let base = model.choices_of(group)[regrets.base[g] as usize].usage;
            model.add_usage(base, i64::from(group.len()), &mut self.units_used);
            let unit = &mut self.unit_of_class[group.class as usize];
            if *unit == u32::MAX {
                *unit = self.units.len() as u32;
                self.units.push(Unit { group: g as u32, copies: 0 });
            }
            self.units[*unit as usize].copies += group.len();
            self.unit_of_group.push(*unit);
        }
        // The groups of every unit, by counting.
        self.unit_start.clear();
        self.unit_start.resize(self.units.len() + 1, 0);
        let grouped = self.unit_of_group.iter().enumerate().filter(|(_, u)| **u != u32::MAX);
        for (_, &u) in grouped.clone() {
            self.unit_start[u as usize + 1] += 1;
        }
        for u in 0..self.units.len() {
            self.unit_start[u + 1] += self.unit_start[u];
        }
        let mut next = self.unit_start.clone();
        self.unit_groups.clear();
        self.unit_groups.resize(next.last().map_or(0, |&n| n as usize), 0);
        for (g, &u) in grouped {
            self.unit_groups[next[u as usize] as usize] = g as u32;
            next[u as usize] += 1;
        }
    }

    /// Builds the stages for a budget, and what is left for them.
    #[inline(never)]
    pub(super) fn build(
        &mut self,
        model: &Model,
        regrets: &Regrets,
        menus: &[Menu],
        has_menu: &[bool],
        budget: i64,
    ) {
        let resources = model.capacity.len();
        self.stages.clear(resources);
        self.capacity.clear();
        self.capacity
            .extend(model.capacity.iter().zip(&self.units_used).map(|(&c, used)| i64::from(c) - used));
        for (u, menu) in menus.iter().enumerate().take(has_menu.len()) {
            if !has_menu[u] {
                continue;
            }
            for (c, fixed) in self.capacity.iter_mut().zip(&menu.fixed) {
                *c -= fixed;
            }
            let entries = menu.within(budget);
            self.stages.usage.extend_from_slice(&menu.entries.usage[..entries * resources]);
            for e in 0..entries {
                self.stages.push(&[], menu.entries.tau[e] - menu.gamma(), 0, e as u32);
            }
            self.stages.close(Origin::Menu { tenant: u as u32 });
        }
        self.exchange.select(model, regrets, &self.units, budget);
        for moves in self.exchange.moves.chunk_by(|a, b| a.unit == b.unit) {
            let unit = &self.units[moves[0].unit as usize];
            let placed = self.stages.push_bundles(model, regrets, unit, moves, budget);
            let group = &model.groups[unit.group as usize];
            let base = model.choices_of(group)[regrets.base[unit.group as usize] as usize].usage;
            model.add_usage(base, i64::from(placed), &mut self.capacity);
        }
        self.traits.clear();
        for s in 0..self.stages.len() {
            let options = self.stages.options(s);
            let menu = matches!(self.stages.origin[s], Origin::Menu { .. });
            let least = self.stages.loss.get(options.start + 1).filter(|_| options.len() > 1);
            self.traits.push((menu, self.touches(options), least.copied().unwrap_or(0)));
        }
    }

    /// The resources that some option of a stage changes, as bits.
    fn touches(&self, options: std::ops::Range<usize>) -> u32 {
        let first = options.start;
        let mut bits = 0;
        for o in options {
            let differs = self.stages.usage_of(o).iter().zip(self.stages.usage_of(first)).enumerate();
            for (d, (a, b)) in differs {
                bits |= u32::from(a != b) << d;
            }
        }
        bits
    }

    #[inline(never)]
    fn arrange(&mut self, order: Order) {
        self.order.clear();
        self.order.extend(0..self.stages.len() as u32);
        let traits = &self.traits;
        match order {
            Order::MenusFirst => self.order.sort_by_key(|&s| {
                let (menu, _, least) = traits[s as usize];
                (!menu, std::cmp::Reverse(least))
            }),
            Order::TypesFirst => {
                let mut stages_of = [(0u32, 0usize); super::RESOURCES];
                for (d, of) in stages_of.iter_mut().enumerate() {
                    *of = (traits.iter().filter(|t| !t.0 && t.1 >> d & 1 == 1).count() as u32, d);
                }
                stages_of.sort_unstable();
                // Of the resources that a stage touches, the one that the fewest stages touch.
                let rarest = |bits: u32| stages_of.iter().position(|&(_, d)| bits >> d & 1 == 1);
                self.order.sort_by_key(|&s| {
                    let (menu, bits, least) = traits[s as usize];
                    (menu, rarest(bits), bits, std::cmp::Reverse(least))
                });
            }
        }
    }

    /// Runs the built stages in an order.
    pub(super) fn run(
        &mut self,
        regrets: &Regrets,
        order: Order,
        budget: i64,
        extent: Extent,
        work: &mut Work,
    ) -> Outcome {
        self.arrange(order);
        let frame = &mut self.frame;
        if let Err(outcome) =
            frame.prepare(&self.stages, &self.order, &self.capacity, &regrets.lambda, budget)
        {
            return outcome;
        }
        match words_for(&frame.widest) {
            1 => self.one.run(frame, budget, extent, work, &mut self.path),
            2 => self.two.run(frame, budget, extent, work, &mut self.path),
            3 | 4 => self.four.run(frame, budget, extent, work, &mut self.path),
            _ => self.wide.run(frame, budget, extent, work, &mut self.path),
        }
    }

    /// Reads the choice of the last run into [`counts`](Self::counts). Copies of a unit are handed out in order of its groups.
    #[inline(never)]
    pub(super) fn read(&mut self, model: &Model, regrets: &Regrets, menus: &[Menu]) {
        base_counts(model, regrets, &mut self.counts);
        // For every unit how far its groups have been handed out.
        let mut handed: Vec<(u32, u32)> = self.unit_start.iter().map(|&start| (start, 0)).collect();
        for (&s, &option) in self.order.iter().zip(&self.path) {
            match self.stages.origin[s as usize] {
                Origin::Menu { tenant } => {
                    let entry = self.stages.tag[option as usize] as usize;
                    menus[tenant as usize].trace(entry, |group, copies, option| {
                        let first = model.groups[group as usize].first;
                        self.counts[(first + regrets.base[group as usize]) as usize] -= copies;
                        self.counts[(first + option) as usize] += copies;
                    });
                }
                Origin::Bundle { unit, size } => {
                    let to = self.stages.tag[option as usize];
                    let (at, used) = &mut handed[unit as usize];
                    let mut rest = size;
                    while rest > 0 {
                        let g = self.unit_groups[*at as usize] as usize;
                        let group = &model.groups[g];
                        let here = rest.min(group.len() - *used);
                        self.counts[(group.first + regrets.base[g]) as usize] -= here;
                        self.counts[(group.first + to) as usize] += here;
                        rest -= here;
                        *used += here;
                        if *used == group.len() {
                            (*at, *used) = (*at + 1, 0);
                        }
                    }
                }
            }
        }
    }
}

/// All jobs at their base.
pub(super) fn base_counts(model: &Model, regrets: &Regrets, counts: &mut Vec<u32>) {
    counts.clear();
    counts.resize(model.entries, 0);
    for (group, &base) in model.groups.iter().zip(&regrets.base) {
        counts[(group.first + base) as usize] = group.len();
    }
}
