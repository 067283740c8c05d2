//! Improving a feasible choice by pairs: one job gives way so that another gains more.

use super::dual::{IDLE, Part, Prices};
use super::primal::{Draft, Move};

/// Gains considered, and concessions considered for each, of those nearest to the prices on each type.
const GAINS: usize = 160;
const CONCESSIONS: usize = 96;

/// Passes before it is left at that.
const MAX_PASSES: u32 = 8;

impl Draft {
    /// Looks for pairs of switches that together fit, keep every floor and raise the objective, and makes them; those that cost
    /// least at the prices first.
    pub(super) fn exchange(&mut self, part: &Part<'_>, prices: &Prices) {
        for _ in 0..MAX_PASSES {
            self.collect(part, prices);
            if !self.exchange_once(part) {
                return;
            }
            self.fill(part, prices);
        }
    }

    /// Gains (switches to a more valuable option) and concessions (to a less valuable one), by the type they are about.
    fn collect(&mut self, part: &Part<'_>, prices: &Prices) {
        for list in self.gains.iter_mut().chain(&mut self.concessions) {
            list.clear();
        }
        self.gains.resize_with(part.capacity.len(), Vec::new);
        self.concessions.resize_with(part.capacity.len(), Vec::new);
        for job in part.jobs.clone() {
            let factor = part.factor(job, prices);
            let current = self.choice[job];
            let value = self.value(part, current);
            let surplus = self.surplus(part, factor, current);
            for option in part.flat.options(job).map(|option| option as u32).chain([IDLE]) {
                if option == current {
                    continue;
                }
                let cost = surplus - self.surplus(part, factor, option);
                let there = Move { cost, job: job as u32, option };
                if self.value(part, option) > value {
                    self.gains[usize::from(part.flat.usage_of(option as usize).first)].push(there);
                } else if current != IDLE {
                    self.concessions[usize::from(part.flat.usage_of(current as usize).first)].push(there);
                }
            }
        }
        for (lists, most) in [(&mut self.gains, GAINS), (&mut self.concessions, CONCESSIONS)] {
            for list in lists {
                self.states += list.len() as u64;
                keep_cheapest(list, most);
            }
        }
    }

    fn exchange_once(&mut self, part: &Part<'_>) -> bool {
        let mut changed = false;
        for resource in 0..part.capacity.len() {
            for g in 0..self.gains[resource].len() {
                let gain = self.gains[resource][g];
                let job = gain.job as usize;
                if self.value(part, gain.option) <= self.value(part, self.choice[job]) {
                    continue;
                }
                if self.make_room(part, resource, gain) {
                    changed = true;
                    continue;
                }
                for c in 0..self.concessions[resource].len() {
                    let concession = self.concessions[resource][c];
                    self.states += 1;
                    if concession.job != gain.job && self.improves(part, gain, concession) {
                        self.switch(part, concession.job as usize, concession.option);
                        self.switch(part, job, gain.option);
                        changed = true;
                        break;
                    }
                }
            }
        }
        changed
    }

    /// Lets as many jobs concede as a gain needs, cheapest first, if it is worth more than all of them lose.
    fn make_room(&mut self, part: &Part<'_>, resource: usize, gain: Move) -> bool {
        let job = gain.job as usize;
        let before = self.choice[job];
        let weight = |u: u32| i128::from(part.weight[u as usize]);
        let won = i128::from(self.value(part, gain.option) - self.value(part, before))
            * weight(part.flat.tenant[job]);
        self.switch(part, job, gain.option);
        self.undo.clear();
        let mut lost = 0;
        for c in 0..self.concessions[resource].len() {
            if self.fits() {
                break;
            }
            let concession = self.concessions[resource][c];
            let other = concession.job as usize;
            let current = self.choice[other];
            self.states += 1;
            let less = self.value(part, current) - self.value(part, concession.option);
            let cost = i128::from(less) * weight(part.flat.tenant[other]);
            if other == job
                || less <= 0
                || lost + cost >= won
                || !self.keeps_floor(part, other, concession.option)
                || self.relief(part, current, concession.option).is_none_or(|relief| relief <= 0)
            {
                continue;
            }
            self.undo.push((concession.job, current));
            self.switch(part, other, concession.option);
            lost += cost;
        }
        if self.fits() {
            return true;
        }
        while let Some((other, option)) = self.undo.pop() {
            self.switch(part, other as usize, option);
        }
        self.switch(part, job, before);
        false
    }

    /// Whether both switches together fit, keep the floors and raise the objective.
    fn improves(&mut self, part: &Part<'_>, gain: Move, concession: Move) -> bool {
        let (winner, loser) = (gain.job as usize, concession.job as usize);
        let (before_winner, before_loser) = (self.choice[winner], self.choice[loser]);
        if before_loser == concession.option {
            return false;
        }
        let (u, v) = (part.flat.tenant[winner] as usize, part.flat.tenant[loser] as usize);
        let won = self.value(part, gain.option) - self.value(part, before_winner);
        let lost = self.value(part, before_loser) - self.value(part, concession.option);
        if i128::from(won) * i128::from(part.weight[u]) <= i128::from(lost) * i128::from(part.weight[v]) {
            return false;
        }
        if u != v && self.worth[v] - lost < part.floor[v] {
            return false;
        }
        self.switch(part, loser, concession.option);
        self.switch(part, winner, gain.option);
        let fits = self.fits();
        self.switch(part, winner, before_winner);
        self.switch(part, loser, before_loser);
        fits
    }
}

fn keep_cheapest(list: &mut Vec<Move>, most: usize) {
    if list.len() > most {
        list.select_nth_unstable_by(most, Move::order);
        list.truncate(most);
    }
    list.sort_unstable_by(Move::order);
}
