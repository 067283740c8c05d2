//! Which moves can be in a best choice: an exchange argument.
//!
//! A move takes a copy from its base to another option; its *shift* is the difference of what the two take. Let two copies
//! offer the same shift, the first for less regret (or the same, and it comes first). A choice in which the second copy makes
//! the move while the first one stays at its base is beaten: exchange the two, and the usage is the same for no more regret.
//! So some best choice makes a move only if *all* copies that offer the same shift for less are away from their bases, and
//! every one of them costs at least its own least regret. With
//! ```text
//! before = sum of least regrets of the copies that offer the shift for less
//! ```
//! at most `(budget - before) / regret` copies of a group make the move. Hundreds of jobs with similar moves thus leave a
//! few.
//!
//! The argument holds among copies whose floors do not tell them apart: those of one tenant, for which less regret at the
//! same usage is a greater gain and no less value, and those of all tenants whose floors are left out.

use super::model::Model;
use super::regret::Regrets;

/// A move of the copies of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Offer {
    shift: u32,
    regret: i64,
    unit: u32,
    option: u32,
}

/// A move that can be in a best choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Move {
    pub(super) unit: u32,
    pub(super) regret: i64,
    /// The option of the class.
    pub(super) option: u32,
    /// Most copies that make it.
    pub(super) most: u32,
}

/// Copies that may be exchanged.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unit {
    /// A group that stands for all its copies.
    pub(super) group: u32,
    pub(super) copies: u32,
}

/// The moves of some units, by shift and regret.
#[derive(Debug, Default)]
pub(super) struct Exchange {
    offers: Vec<Offer>,
    /// The regret up to which moves have been collected.
    collected: i64,
    /// The moves of the last [`select`](Self::select), by unit and regret.
    pub(super) moves: Vec<Move>,
}

impl Exchange {
    /// Forgets all moves.
    pub(super) fn reset(&mut self) {
        self.offers.clear();
        self.collected = -1;
        self.moves.clear();
    }

    /// Lists the moves of `units` that a best choice with a loss up to `budget` can make.
    pub(super) fn select(&mut self, model: &Model, regrets: &Regrets, units: &[Unit], budget: i64) {
        if budget > self.collected {
            self.collect(model, regrets, units, budget.saturating_mul(4).min(super::GREATEST_BUDGET));
        }
        self.moves.clear();
        let mut at = 0;
        while at < self.offers.len() {
            let shift = self.offers[at].shift;
            let mut before = 0i64;
            while at < self.offers.len() && self.offers[at].shift == shift {
                let offer = self.offers[at];
                let left = budget - before;
                if offer.regret > left {
                    break;
                }
                let unit = &units[offer.unit as usize];
                let most = left
                    .checked_div(offer.regret)
                    .map_or(unit.copies, |most| u32::try_from(most).unwrap_or(u32::MAX).min(unit.copies));
                self.moves.push(Move { unit: offer.unit, regret: offer.regret, option: offer.option, most });
                let least = regrets.least[unit.group as usize].saturating_mul(i64::from(unit.copies));
                before = before.saturating_add(least).min(super::UNREACHABLE);
                at += 1;
            }
            at += self.offers[at..].partition_point(|o| o.shift == shift);
        }
        self.moves.sort_unstable();
    }

    fn collect(&mut self, model: &Model, regrets: &Regrets, units: &[Unit], up_to: i64) {
        self.collected = up_to;
        self.offers.clear();
        for (u, unit) in units.iter().enumerate() {
            if regrets.least[unit.group as usize] > up_to {
                continue;
            }
            let group = &model.groups[unit.group as usize];
            let choices = model.choices_of(group).len();
            let base = regrets.base[unit.group as usize];
            let shifts = regrets.shifts_of(group, choices);
            for (o, (&regret, &shift)) in regrets.of(group, choices).iter().zip(shifts).enumerate() {
                if regret <= up_to && o as u32 != base {
                    self.offers.push(Offer { shift, regret, unit: u as u32, option: o as u32 });
                }
            }
        }
        self.offers.sort_unstable();
    }
}
