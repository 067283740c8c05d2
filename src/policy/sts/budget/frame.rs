//! One run of the dynamic program, prepared: reduced options, what can still be used or left over, and lower bounds.
//!
//! For stages in a given order, what they take at least is subtracted first. Then, for stage `i` and resource `d`:
//! * `reach` is the sum of the largest amounts that stages `i..` take: more can never be used;
//! * a resource with a multiplier loses `lambda * slack` in the end, so at most `budget / lambda` may be left over, and a
//!   state with more than `reach + budget / lambda` is hopeless; without a multiplier, more than `reach` is as good as `reach`;
//! * `table[e]` is the least loss of stages `i..` plus `lambda_d * slack` when resource `d` has `e` left and all other
//!   resources are ignored: a relaxation, hence a lower bound. Tables count in units of `2^shift` losses, rounded down for
//!   every single loss, so that they stay lower bounds in 32 bits.
//!
//! Resources that cannot run out and cost nothing are left out, and so are those that no stage touches.

use super::stage::Stages;
use super::walk::Outcome;

/// Greater than every entry of a table that is within the budget.
pub(super) const HOPELESS: i32 = 1 << 30;
/// Most entries of all tables together; tables beyond are left out, which only weakens the bound.
const TABLE_ENTRIES: usize = 6 << 20;

/// A resource that a run keeps track of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tracked {
    /// Its number in the program.
    pub(super) resource: usize,
    /// Its multiplier.
    pub(super) lambda: i64,
    /// What is there at the start.
    pub(super) capacity: u32,
}

/// Where a stage stands with one tracked resource.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Reach {
    /// Most that may be left when the stage begins; see the module.
    pub(super) most: u32,
    /// Start of its table, or `u32::MAX` for none.
    pub(super) table: u32,
}

/// The prepared run.
#[derive(Debug, Default)]
pub(super) struct Frame {
    pub(super) tracked: Vec<Tracked>,
    /// For every stage of the order, where its options start; one more than there are stages.
    pub(super) start: Vec<u32>,
    /// `tracked.len()` amounts per option.
    pub(super) usage: Vec<u32>,
    pub(super) loss: Vec<i64>,
    /// The option's index in the stage list.
    pub(super) option: Vec<u32>,
    /// `tracked.len()` entries per stage, and as many for the end.
    pub(super) reach: Vec<Reach>,
    pub(super) table: Vec<i32>,
    /// Tables count in units of `2^shift`.
    pub(super) shift: u32,
    /// Loss in any case: of resources that no stage touches, and of the first option of every stage, which other losses are
    /// relative to.
    pub(super) constant: i64,
    /// Greatest counts of keys: what is left, and what the first options take together.
    pub(super) widest: Vec<u32>,
    least: Vec<u32>,
    capacity: Vec<i64>,
    touched: Vec<u64>,
    projected: Vec<(u32, i32)>,
    best: Vec<i32>,
}

impl Frame {
    /// Prepares a run of `stages` in `order` with `capacity` left for them.
    ///
    /// # Errors
    /// How the run ends before it begins.
    #[inline(never)]
    pub(super) fn prepare(
        &mut self,
        stages: &Stages,
        order: &[u32],
        capacity: &[i64],
        lambda: &[i64],
        budget: i64,
    ) -> Result<(), Outcome> {
        let found = self.reduce(stages, order, capacity, lambda, budget);
        match found {
            None => Err(Outcome::Nothing),
            Some(()) if !self.fill_widest() => Err(Outcome::Overflow),
            Some(()) => Ok(()),
        }
    }

    /// All of the preparation; `None` as soon as nothing can have a loss within the budget.
    fn reduce(
        &mut self,
        stages: &Stages,
        order: &[u32],
        capacity: &[i64],
        lambda: &[i64],
        budget: i64,
    ) -> Option<()> {
        let resources = stages.resources;
        self.capacity.clear();
        self.capacity.extend_from_slice(capacity);
        self.touched.clear();
        self.touched.resize(resources, 0);
        self.least.clear();
        for &s in order {
            self.take_least(stages, s as usize, capacity, budget)?;
        }
        if self.capacity.iter().any(|&c| c < 0) {
            return None;
        }
        self.track(lambda, budget)?;
        self.copy_options(stages, order, budget)?;
        self.fill_reach(budget)?;
        self.shift = (i64::BITS - budget.leading_zeros()).saturating_sub(29);
        self.fill_tables(budget)
    }

    /// Stages in the run.
    pub(super) fn len(&self) -> usize {
        self.start.len() - 1
    }

    #[inline]
    pub(super) fn usage_of(&self, option: usize) -> &[u32] {
        let n = self.tracked.len();
        &self.usage[option * n..(option + 1) * n]
    }

    #[inline]
    pub(super) fn reach_at(&self, stage: usize) -> &[Reach] {
        let n = self.tracked.len();
        &self.reach[stage * n..(stage + 1) * n]
    }

    /// Subtracts what a stage takes at least from the capacity, and adds what it may take more to `touched`.
    fn take_least(&mut self, stages: &Stages, s: usize, capacity: &[i64], budget: i64) -> Option<()> {
        let resources = stages.resources;
        let at = self.least.len();
        self.least.resize(at + resources, u32::MAX);
        let mut any = false;
        let mut most = [0u32; super::RESOURCES];
        for o in stages.options(s) {
            if stages.loss[o] > budget {
                break;
            }
            let usage = stages.usage_of(o);
            if !usage.iter().zip(capacity).all(|(&a, &c)| i64::from(a) <= c && a < u32::MAX) {
                continue;
            }
            any = true;
            for d in 0..resources {
                self.least[at + d] = self.least[at + d].min(usage[d]);
                most[d] = most[d].max(usage[d]);
            }
        }
        if !any {
            return None;
        }
        for (d, most) in most.iter().enumerate().take(resources) {
            let least = self.least[at + d];
            self.capacity[d] -= i64::from(least);
            self.touched[d] += u64::from(most - least);
        }
        Some(())
    }

    /// Chooses the resources to keep track of.
    #[inline(never)]
    fn track(&mut self, lambda: &[i64], budget: i64) -> Option<()> {
        self.tracked.clear();
        self.constant = 0;
        for (d, &lambda) in lambda.iter().enumerate() {
            let capacity = u64::try_from(self.capacity[d]).unwrap_or(0);
            if lambda > 0 {
                let left = (budget / lambda) as u64;
                if capacity > self.touched[d] + left {
                    return None;
                }
                if self.touched[d] == 0 {
                    self.constant += lambda * capacity as i64;
                    continue;
                }
            } else if capacity >= self.touched[d] {
                continue;
            }
            // A capacity of a program fits 32 bits.
            self.tracked.push(Tracked { resource: d, lambda, capacity: capacity as u32 });
        }
        (self.constant <= budget).then_some(())
    }

    /// Copies the options that fit, reduced to the tracked resources.
    #[inline(never)]
    fn copy_options(&mut self, stages: &Stages, order: &[u32], budget: i64) -> Option<()> {
        let resources = stages.resources;
        self.start.clear();
        self.start.push(0);
        self.usage.clear();
        self.loss.clear();
        self.option.clear();
        for (i, &s) in order.iter().enumerate() {
            let least = &self.least[i * resources..(i + 1) * resources];
            for o in stages.options(s as usize) {
                if stages.loss[o] > budget {
                    break;
                }
                let usage = stages.usage_of(o);
                let rest = |d: usize| i64::from(usage[d]) - i64::from(least[d]);
                // Against the capacity left for all stages: an untracked resource fits in any case.
                if usage.contains(&u32::MAX) || (0..resources).any(|d| rest(d) > self.capacity[d]) {
                    continue;
                }
                self.usage.extend(self.tracked.iter().map(|t| usage[t.resource] - least[t.resource]));
                self.loss.push(stages.loss[o]);
                self.option.push(o as u32);
            }
            let own = self.start[i] as usize..self.loss.len();
            let first = *self.loss.get(own.start)?;
            self.constant += first;
            self.loss[own.clone()].iter_mut().for_each(|loss| *loss -= first);
            self.start.push(own.end as u32);
        }
        (self.constant <= budget).then_some(())
    }

    /// The greatest counts of keys. False if they are too great to count.
    fn fill_widest(&mut self) -> bool {
        self.widest.clear();
        for (t, tracked) in self.tracked.iter().enumerate() {
            let firsts = (0..self.len()).map(|s| u64::from(self.usage_of(self.start[s] as usize)[t]));
            let Ok(widest) = u32::try_from(u64::from(tracked.capacity) + firsts.sum::<u64>()) else {
                return false;
            };
            self.widest.push(widest);
        }
        true
    }

    #[inline(never)]
    fn fill_reach(&mut self, budget: i64) -> Option<()> {
        let (n, stages) = (self.tracked.len(), self.len());
        self.reach.clear();
        self.reach.resize((stages + 1) * n, Reach::default());
        for (t, tracked) in self.tracked.iter().enumerate() {
            let left = if tracked.lambda > 0 { (budget / tracked.lambda) as u64 } else { 0 };
            let mut reach = 0u64;
            for i in (0..=stages).rev() {
                if i < stages {
                    let options = self.start[i] as usize..self.start[i + 1] as usize;
                    reach += u64::from(options.map(|o| self.usage[o * n + t]).max().unwrap_or(0));
                }
                let most = (reach + left).min(u64::from(tracked.capacity)) as u32;
                self.reach[i * n + t] = Reach { most, table: u32::MAX };
            }
            if tracked.lambda > 0 && u64::from(tracked.capacity) > reach + left {
                return None;
            }
        }
        Some(())
    }

    /// Fills the tables backwards. `None` if some table shows that nothing is within the budget.
    #[inline(never)]
    fn fill_tables(&mut self, budget: i64) -> Option<()> {
        let (n, stages) = (self.tracked.len(), self.len());
        self.table.clear();
        let within = (budget - self.constant) >> self.shift;
        for t in 0..n {
            let total: usize = (0..=stages).map(|i| self.reach[i * n + t].most as usize + 1).sum();
            if self.table.len() + total > TABLE_ENTRIES {
                continue;
            }
            let lambda = self.tracked[t].lambda;
            let end = self.reach[stages * n + t].most;
            let mut next = self.table.len();
            self.reach[stages * n + t].table = next as u32;
            self.table.extend((0..=end).map(|e| small((lambda * i64::from(e)) >> self.shift)));
            for i in (0..stages).rev() {
                let at = self.table.len();
                let most = self.reach[i * n + t].most as usize;
                let next_most = self.reach[(i + 1) * n + t].most as usize;
                self.table.resize(at + most + 1, HOPELESS);
                self.reach[i * n + t].table = at as u32;
                self.project(i, t, n);
                let (done, row) = self.table.split_at_mut(at);
                let after = &done[next..=next + next_most];
                for &(a, q) in &self.projected {
                    let a = a as usize;
                    if a > most {
                        continue;
                    }
                    let len = (most - a).min(next_most) + 1;
                    for (r, &s) in row[a..a + len].iter_mut().zip(after) {
                        let through = s + q;
                        *r = if through < *r { through } else { *r };
                    }
                    if lambda == 0 {
                        // More than the later stages can use is as good as what they can use.
                        let best = after[next_most] + q;
                        for r in &mut row[a + len..] {
                            *r = if best < *r { best } else { *r };
                        }
                    }
                }
                next = at;
            }
            let capacity = self.tracked[t].capacity as usize;
            let at = if lambda == 0 { capacity.min(self.reach[t].most as usize) } else { capacity };
            if i64::from(self.table[next + at]) > within {
                return None;
            }
        }
        Some(())
    }

    /// The options of a stage seen by one resource: every amount once, with the least loss, in table units.
    fn project(&mut self, stage: usize, t: usize, n: usize) {
        let options = self.start[stage] as usize..self.start[stage + 1] as usize;
        self.projected.clear();
        if options.len() <= 16 {
            for o in options {
                let (a, q) = (self.usage[o * n + t], small(self.loss[o] >> self.shift));
                // Options come in order of loss: the first of an amount is its best.
                if !self.projected.iter().any(|p| p.0 == a) {
                    self.projected.push((a, q));
                }
            }
            return;
        }
        let widest = options.clone().map(|o| self.usage[o * n + t]).max().unwrap_or(0) as usize;
        self.best.clear();
        self.best.resize(widest + 1, HOPELESS);
        for o in options {
            let q = small(self.loss[o] >> self.shift);
            let best = &mut self.best[self.usage[o * n + t] as usize];
            *best = q.min(*best);
        }
        let found = self.best.iter().enumerate().filter(|(_, q)| **q < HOPELESS);
        self.projected.extend(found.map(|(a, &q)| (a as u32, q)));
    }
}

/// A loss in table units, which fits as it is within the budget; what does not is hopeless.
fn small(units: i64) -> i32 {
    units.min(i64::from(HOPELESS)) as i32
}
