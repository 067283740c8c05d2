//! Which floors can be left out at a budget.
//!
//! A floor without a multiplier adds nothing to the loss, so leaving it out is a relaxation with the same loss. It is first
//! left out for all such tenants: an optimum of the relaxation that meets it is an optimum. A tenant whose floor an optimum
//! violated (or that the base violates) is *forced*; but at a budget at which it cannot lose enough value anyway, its floor
//! still needs no menu. That is what the fractional knapsack here proves: each job can be moved to less value only for its
//! regret, and all regrets together fit the budget.

use super::model::Model;
use super::regret::Regrets;

/// Whether no moves of the tenant with total regret up to `budget` lower its value below its floor.
pub(super) fn provably_slack(model: &Model, regrets: &Regrets, tenant: usize, budget: i64) -> bool {
    let spare = regrets.base_value[tenant] - model.tenants[tenant].floor;
    if spare < 0 {
        return false;
    }
    // (greatest drop of a copy, least regret of a drop, copies)
    let mut items: Vec<(i64, i64, u32)> = Vec::new();
    for g in model.tenants[tenant].groups.clone() {
        let group = &model.groups[g as usize];
        if regrets.least[g as usize] > budget {
            continue;
        }
        let choices = model.choices_of(group);
        let base = choices[regrets.base[g as usize] as usize].value;
        let (mut drop, mut price) = (0, i64::MAX);
        for (c, &regret) in choices.iter().zip(regrets.of(group, choices.len())) {
            if c.value < base && regret <= budget {
                drop = drop.max(base - c.value);
                price = price.min(regret);
            }
        }
        if drop > 0 {
            items.push((drop, price, group.len()));
        }
    }
    // Most drop per regret first.
    items.sort_unstable_by(|a, b| {
        let (a_first, b_first) = (i128::from(a.0) * i128::from(b.1), i128::from(b.0) * i128::from(a.1));
        b_first.cmp(&a_first).then(a.cmp(b))
    });
    let (mut left, mut lost) = (i128::from(budget), 0i128);
    for (drop, price, copies) in items {
        let (drop, price, copies) = (i128::from(drop), i128::from(price), i128::from(copies));
        let whole = if price == 0 { copies } else { copies.min(left / price) };
        lost += whole * drop;
        left -= whole * price;
        if whole < copies {
            // A part of the next copy, rounded up.
            lost += (drop * left).div_euclid(price) + 1;
            break;
        }
    }
    lost <= i128::from(spare)
}
