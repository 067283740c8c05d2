//! What a tenant can do with what: its bundles of resources of which nothing can be left out.

use std::collections::BTreeMap;

use super::problem::Problem;

/// A bundle, and the best that the tenant's jobs can do with all of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bundle {
    /// Amounts of every resource.
    pub(super) usage: Vec<u32>,
    pub(super) value: i64,
    /// For every job of the tenant the option it takes.
    pub(super) choice: Vec<Option<u16>>,
}

/// The bundles of one tenant that fit the cluster, none of which another one equals in value with no more of any resource; in
/// descending value. `None` when that takes more than `steps`, which are counted down.
pub(super) fn front(problem: &Problem<'_>, tenant: usize, steps: &mut u64) -> Option<Vec<Bundle>> {
    let capacity = &problem.program.capacity;
    let mut bundles = vec![Bundle { usage: vec![0; capacity.len()], value: 0, choice: Vec::new() }];
    for job in problem.program.jobs_of(tenant) {
        spend(steps, bundles.len() as u64 * (job.options.len() as u64 + 1))?;
        let mut by_usage: BTreeMap<Vec<u32>, (i64, usize, Option<u16>)> = BTreeMap::new();
        let mut offer = |usage: Vec<u32>, value: i64, from: usize, option: Option<u16>| {
            let best = by_usage.entry(usage).or_insert((value, from, option));
            if value > best.0 {
                *best = (value, from, option);
            }
        };
        for (from, bundle) in bundles.iter().enumerate() {
            offer(bundle.usage.clone(), bundle.value, from, None);
            for (index, option) in (0u16..).zip(&job.options) {
                let mut usage = bundle.usage.clone();
                for (resource, amount) in option.usage.amounts() {
                    usage[resource] = usage[resource].saturating_add(amount);
                }
                if usage.iter().zip(capacity).all(|(used, there)| used <= there) {
                    offer(usage, bundle.value + option.value, from, Some(index));
                }
            }
        }
        let mut grown: Vec<Bundle> = Vec::with_capacity(by_usage.len());
        let mut offers: Vec<_> = by_usage.into_iter().collect();
        // Descending value; of equals the smaller usage first, as the map has them.
        offers.sort_by_key(|(_, (value, _, _))| std::cmp::Reverse(*value));
        for (usage, (value, from, option)) in offers {
            let smaller = grown.iter().position(|kept| is_within(&kept.usage, &usage));
            spend(steps, smaller.unwrap_or(grown.len()) as u64 + 1)?;
            if smaller.is_some() {
                continue;
            }
            let choice = bundles[from].choice.iter().copied().chain([option]).collect();
            grown.push(Bundle { usage, value, choice });
        }
        bundles = grown;
    }
    Some(bundles)
}

/// The bundles of every tenant that meet its floor.
pub(super) fn fronts(
    problem: &Problem<'_>,
    floors: Option<&[i64]>,
    steps: &mut u64,
) -> Option<Vec<Vec<Bundle>>> {
    (0..problem.instance.tenants.len())
        .map(|tenant| {
            // A part of the steps, so that the search has some left.
            let mut own = *steps / 2;
            let before = own;
            let bundles = front(problem, tenant, &mut own);
            spend(steps, before - own)?;
            let floor = floors.map_or(0, |floors| floors[tenant]);
            bundles.map(|bundles| bundles.into_iter().filter(|bundle| bundle.value >= floor).collect())
        })
        .collect()
}

/// The choice of the whole program that one bundle for each tenant stands for.
pub(super) fn choice_of(fronts: &[Vec<Bundle>], picks: &[usize]) -> Vec<Option<u16>> {
    fronts.iter().zip(picks).flat_map(|(front, &bundle)| front[bundle].choice.iter().copied()).collect()
}

/// The most that a tenant can do inside an amount of every resource. Its bundles are in descending value.
pub(super) fn worth_inside(bundles: &[Bundle], amounts: &[u32]) -> i64 {
    bundles.iter().find(|bundle| is_within(&bundle.usage, amounts)).map_or(0, |bundle| bundle.value)
}

pub(super) fn is_within(usage: &[u32], amounts: &[u32]) -> bool {
    usage.iter().zip(amounts).all(|(used, there)| used <= there)
}

/// Counts steps down; `None` when there are not that many.
pub(super) fn spend(steps: &mut u64, count: u64) -> Option<()> {
    *steps = steps.checked_sub(count)?;
    Some(())
}
