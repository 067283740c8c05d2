//! A feasible choice near the best at given prices: repair what does not fit, then fill what is free.

use super::dual::{IDLE, Part, Prices};

/// Passes over all jobs before repair is given up, and before filling stops.
const MAX_PASSES: u32 = 12;

/// One job changing its option.
#[derive(Debug, Clone, Copy)]
pub(super) struct Move {
    /// Lower comes first.
    pub(super) cost: f64,
    pub(super) job: u32,
    pub(super) option: u32,
}

impl Move {
    /// Cheapest first; then in the order of jobs and options.
    pub(super) fn order(a: &Self, b: &Self) -> std::cmp::Ordering {
        a.cost.total_cmp(&b.cost).then(a.job.cmp(&b.job)).then(a.option.cmp(&b.option))
    }
}

/// A choice under construction, with what it leaves free and what it is worth to each tenant.
#[derive(Debug, Clone, Default)]
pub(super) struct Draft {
    /// For every job the option, as an index into the flat program, or [`IDLE`].
    pub(super) choice: Vec<u32>,
    free: Vec<i64>,
    pub(super) worth: Vec<i64>,
    moves: Vec<Move>,
    /// Switches considered in pairs, by the first resource of their type.
    pub(super) gains: Vec<Vec<Move>>,
    pub(super) concessions: Vec<Vec<Move>>,
    /// What to go back to if an exchange comes to nothing: jobs and their options.
    pub(super) undo: Vec<(u32, u32)>,
    usage_price: Vec<f64>,
    pub(super) states: u64,
}

impl Draft {
    /// Starts with every job of the part on the option that is best at these prices.
    pub(super) fn at_prices(&mut self, part: &Part<'_>, prices: &Prices) {
        self.choice.resize(part.flat.tenant.len(), IDLE);
        part.usage_prices(prices, &mut self.usage_price);
        for job in part.jobs.clone() {
            self.choice[job] = part.best(job, part.factor(job, prices), &self.usage_price).0;
        }
        self.count(part);
    }

    /// Starts with the choice as it is.
    pub(super) fn resume(&mut self, part: &Part<'_>, prices: &Prices) {
        part.usage_prices(prices, &mut self.usage_price);
        self.count(part);
    }

    fn count(&mut self, part: &Part<'_>) {
        self.states = 0;
        self.free.clear();
        self.free.extend(part.capacity.iter().map(|&c| i64::from(c)));
        self.worth.clear();
        self.worth.resize(part.floor.len(), 0);
        for job in part.jobs.clone() {
            let option = self.choice[job];
            if option != IDLE {
                self.take(part, option, -1);
                self.worth[part.flat.tenant[job] as usize] += part.flat.value[option as usize];
            }
        }
    }

    fn take(&mut self, part: &Part<'_>, option: u32, sign: i64) {
        for (resource, amount) in part.flat.usage_of(option as usize).amounts() {
            self.free[resource] += sign * i64::from(amount);
        }
    }

    pub(super) fn switch(&mut self, part: &Part<'_>, job: usize, option: u32) {
        let current = self.choice[job];
        let tenant = part.flat.tenant[job] as usize;
        if current != IDLE {
            self.take(part, current, 1);
            self.worth[tenant] -= part.flat.value[current as usize];
        }
        if option != IDLE {
            self.take(part, option, -1);
            self.worth[tenant] += part.flat.value[option as usize];
        }
        self.choice[job] = option;
    }

    pub(super) fn value(&self, part: &Part<'_>, option: u32) -> i64 {
        if option == IDLE { 0 } else { part.flat.value[option as usize] }
    }

    /// The surplus at the prices.
    pub(super) fn surplus(&self, part: &Part<'_>, factor: f64, option: u32) -> f64 {
        if option == IDLE {
            return 0.0;
        }
        let option = option as usize;
        factor * part.flat.value[option] as f64 - self.usage_price[part.flat.usage[option] as usize]
    }

    /// How much of a usage a job holds of `resource`.
    fn held(&self, part: &Part<'_>, option: u32, resource: usize) -> i64 {
        if option == IDLE {
            return 0;
        }
        let amounts = part.flat.usage_of(option as usize).amounts();
        amounts.filter(|&(r, _)| r == resource).map(|(_, amount)| i64::from(amount)).sum()
    }

    /// By how much a switch would lessen what is over capacity; `None` if it would take of something that is not there.
    pub(super) fn relief(&self, part: &Part<'_>, current: u32, option: u32) -> Option<i64> {
        let mut relief = 0;
        if option != IDLE {
            for (resource, amount) in part.flat.usage_of(option as usize).amounts() {
                let extra = i64::from(amount) - self.held(part, current, resource);
                if extra > 0 && extra > self.free[resource] {
                    return None;
                }
            }
        }
        if current != IDLE {
            for (resource, amount) in part.flat.usage_of(current as usize).amounts() {
                let less = i64::from(amount) - self.held(part, option, resource);
                relief += less.min(-self.free[resource]).max(0);
            }
        }
        Some(relief)
    }

    fn sort_moves(&mut self) {
        self.moves.sort_unstable_by(Move::order);
    }

    /// Makes the choice feasible by single switches, those that cost least at the prices first. `false` if that fails.
    pub(super) fn repair(&mut self, part: &Part<'_>, prices: &Prices) -> bool {
        for _ in 0..MAX_PASSES {
            self.raise_to_floors(part, prices);
            if self.fits() || !self.shrink_to_capacity(part, prices) {
                break;
            }
        }
        self.is_feasible(part)
    }

    /// Whether the choice fits and meets the floors.
    pub(super) fn is_feasible(&self, part: &Part<'_>) -> bool {
        self.fits() && self.meets_floors(part)
    }

    pub(super) fn fits(&self) -> bool {
        self.free.iter().all(|&free| free >= 0)
    }

    fn meets_floors(&self, part: &Part<'_>) -> bool {
        self.worth.iter().zip(part.floor).all(|(worth, floor)| worth >= floor)
    }

    /// Gives tenants below their floor more valuable options, whether or not they fit.
    fn raise_to_floors(&mut self, part: &Part<'_>, prices: &Prices) {
        if self.meets_floors(part) {
            return;
        }
        self.moves.clear();
        for job in part.jobs.clone() {
            let tenant = part.flat.tenant[job] as usize;
            if self.worth[tenant] >= part.floor[tenant] {
                continue;
            }
            let factor = part.factor(job, prices);
            let current = self.choice[job];
            let (value, surplus) = (self.value(part, current), self.surplus(part, factor, current));
            for option in part.flat.options(job).filter(|&option| part.flat.value[option] > value) {
                let loss = surplus - self.surplus(part, factor, option as u32);
                let cost = loss / (part.flat.value[option] - value) as f64;
                self.moves.push(Move { cost, job: job as u32, option: option as u32 });
            }
        }
        self.states += self.moves.len() as u64;
        self.sort_moves();
        for i in 0..self.moves.len() {
            let Move { job, option, .. } = self.moves[i];
            let tenant = part.flat.tenant[job as usize] as usize;
            if self.worth[tenant] < part.floor[tenant]
                && part.flat.value[option as usize] > self.value(part, self.choice[job as usize])
            {
                self.switch(part, job as usize, option);
            }
        }
    }

    /// Takes resources back where more is given than there is, without taking a tenant below its floor. `false` if nothing helps.
    fn shrink_to_capacity(&mut self, part: &Part<'_>, prices: &Prices) -> bool {
        self.moves.clear();
        for job in part.jobs.clone() {
            let current = self.choice[job];
            if current == IDLE
                || !part.flat.usage_of(current as usize).amounts().any(|(r, a)| a > 0 && self.free[r] < 0)
            {
                continue;
            }
            let factor = part.factor(job, prices);
            let surplus = self.surplus(part, factor, current);
            for option in part.flat.options(job).map(|option| option as u32).chain([IDLE]) {
                if option == current || !self.keeps_floor(part, job, option) {
                    continue;
                }
                if let Some(relief @ 1..) = self.relief(part, current, option) {
                    let cost = (surplus - self.surplus(part, factor, option)) / relief as f64;
                    self.moves.push(Move { cost, job: job as u32, option });
                }
            }
        }
        self.states += self.moves.len() as u64;
        self.sort_moves();
        let mut changed = false;
        for i in 0..self.moves.len() {
            let Move { job, option, .. } = self.moves[i];
            let job = job as usize;
            if self.fits() {
                break;
            }
            let current = self.choice[job];
            if current != option
                && self.keeps_floor(part, job, option)
                && self.relief(part, current, option).is_some_and(|relief| relief > 0)
            {
                self.switch(part, job, option);
                changed = true;
            }
        }
        changed
    }

    pub(super) fn keeps_floor(&self, part: &Part<'_>, job: usize, option: u32) -> bool {
        let tenant = part.flat.tenant[job] as usize;
        let change = self.value(part, option) - self.value(part, self.choice[job]);
        change >= 0 || self.worth[tenant] + change >= part.floor[tenant]
    }

    fn has_room(&self, part: &Part<'_>, current: u32, option: u32) -> bool {
        part.flat.usage_of(option as usize).amounts().all(|(resource, amount)| {
            i64::from(amount) <= self.free[resource] + self.held(part, current, resource)
        })
    }

    /// Switches jobs to more valuable options that fit into what is free, most surplus first, until none is left.
    pub(super) fn fill(&mut self, part: &Part<'_>, prices: &Prices) {
        loop {
            self.moves.clear();
            for job in part.jobs.clone() {
                let factor = part.factor(job, prices);
                let current = self.choice[job];
                let value = self.value(part, current);
                let surplus = self.surplus(part, factor, current);
                for option in part.flat.options(job).filter(|&option| part.flat.value[option] > value) {
                    if self.has_room(part, current, option as u32) {
                        let cost = surplus - self.surplus(part, factor, option as u32);
                        self.moves.push(Move { cost, job: job as u32, option: option as u32 });
                    }
                }
            }
            if self.moves.is_empty() {
                return;
            }
            self.states += self.moves.len() as u64;
            self.sort_moves();
            for i in 0..self.moves.len() {
                let Move { job, option, .. } = self.moves[i];
                let current = self.choice[job as usize];
                if part.flat.value[option as usize] > self.value(part, current)
                    && self.has_room(part, current, option)
                {
                    self.switch(part, job as usize, option);
                }
            }
        }
    }
}
