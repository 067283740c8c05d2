//! Greedy fills: allocations that are constructed where an exact program would take too long. What they are worth is a lower bound of
//! what could be had.

use super::Active;
use crate::metrics::worth::Worths;
use crate::policy::sts::program::ProgramOption;
use crate::sim::RoundReport;
use crate::units::{ClassId, TenantId};
use crate::workload::BoundWorkload;

/// Fills bundles, and counts the options it looks at.
#[derive(Debug)]
pub(super) struct Filler {
    /// By class and option: its place among all options by value for what it takes of the cluster, the best first.
    by_density: Vec<Vec<u32>>,
    /// The same by value.
    by_value: Vec<Vec<u32>>,
    steps: u64,
    free: Vec<u32>,
    left: Vec<u32>,
    /// The tenant and the two orders of the last fill, which are the same for all bundles of a round.
    ordered: Option<(TenantId, [Vec<Candidate>; 2])>,
}

/// An option of a class of active jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    place: u32,
    /// Position of the class among the active ones.
    of: u32,
    class: ClassId,
    option: u32,
}

impl Filler {
    pub(super) fn new(worths: &Worths, workload: &BoundWorkload) -> Self {
        let capacity = worths.resources().capacity().to_vec();
        let share = |option: &ProgramOption| {
            let shares = option.usage.amounts().map(|(resource, amount)| {
                f64::from(amount) / f64::from(capacity.get(resource).copied().unwrap_or(0).max(1))
            });
            shares.fold(0.0, f64::max).max(1e-12)
        };
        let classes = || (0..workload.classes.len()).map(|class| ClassId(class as u32));
        let places = |score: &dyn Fn(&ProgramOption) -> f64| {
            let mut all: Vec<(f64, ClassId, usize)> = classes()
                .flat_map(|class| {
                    worths
                        .options(class)
                        .iter()
                        .enumerate()
                        .map(move |(at, option)| (score(option), class, at))
                })
                .collect();
            all.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
            let mut places: Vec<Vec<u32>> =
                classes().map(|class| vec![0; worths.options(class).len()]).collect();
            for (place, (_, class, option)) in all.into_iter().enumerate() {
                places[class.index()][option] = place as u32;
            }
            places
        };
        Self {
            by_density: places(&|option| option.value as f64 / share(option)),
            by_value: places(&|option| option.value as f64),
            steps: 0,
            free: Vec::new(),
            left: Vec::new(),
            ordered: None,
        }
    }

    /// Forgets what was counted in the round before.
    pub(super) fn begin_round(&mut self) {
        self.steps = 0;
        self.ordered = None;
    }

    /// Options looked at in this round.
    pub(super) fn steps(&self) -> u64 {
        self.steps
    }

    /// The better of two fills of a bundle with a tenant's jobs: the best value first, and the best value for what it takes first.
    pub(super) fn fill(
        &mut self,
        worths: &Worths,
        tenant: TenantId,
        active: Active<'_>,
        bundle: &[u32],
    ) -> i64 {
        if self.ordered.as_ref().is_none_or(|(of, _)| *of != tenant) {
            let orders = [order(&self.by_density, worths, active), order(&self.by_value, worths, active)];
            self.steps += 4 * orders[0].len() as u64;
            self.ordered = Some((tenant, orders));
        }
        let Some((_, orders)) = &self.ordered else { return 0 };
        let mut best = 0;
        for order in orders {
            self.free.clear();
            self.free.extend_from_slice(bundle);
            self.left.clear();
            self.left.extend(active.iter().map(|&(_, count)| count));
            self.steps += order.len() as u64;
            best = best.max(pour(worths, order, &mut self.left, &mut self.free));
        }
        best
    }

    /// What could be added to a decision without taking anything from anybody: waiting jobs in what is free, then better options for
    /// what is granted.
    pub(super) fn improve(
        &mut self,
        worths: &Worths,
        workload: &BoundWorkload,
        report: &RoundReport<'_>,
        mut free: Vec<u32>,
    ) -> i64 {
        let mut gain = 0;
        let mut active: Vec<(ClassId, u32)> = Vec::new();
        for tenant in 0..report.standing.tenants() {
            for &(class, count) in report.standing.active(TenantId(tenant as u32)) {
                match active.binary_search_by_key(&class, |&(class, _)| class) {
                    Ok(at) => active[at].1 += count,
                    Err(at) => active.insert(at, (class, count)),
                }
            }
        }
        for grant in report.grants {
            let job = &workload.jobs[grant.job.index()];
            if let Ok(at) = active.binary_search_by_key(&job.class, |&(class, _)| class) {
                active[at].1 = active[at].1.saturating_sub(1);
            }
        }
        active.retain(|&(_, waiting)| waiting > 0);
        let by_density = order(&self.by_density, worths, &active);
        self.steps += 4 * by_density.len() as u64;
        self.left.clear();
        self.left.extend(active.iter().map(|&(_, waiting)| waiting));
        gain += pour(worths, &by_density, &mut self.left, &mut free);
        for grant in report.grants {
            let job = &workload.jobs[grant.job.index()];
            let Some(usage) = worths.usage(workload, job.class, grant.option) else { continue };
            let has = worths.value(job.class, grant.option);
            // The most valuable comes first.
            for option in worths.options(job.class).iter().take_while(|option| option.value > has) {
                self.steps += 1;
                for (resource, amount) in usage.amounts() {
                    free[resource] += amount;
                }
                let taken = if option.usage.fits(&free) { option.usage } else { usage };
                for (resource, amount) in taken.amounts() {
                    free[resource] -= amount;
                }
                if taken != usage {
                    gain += option.value - has;
                    break;
                }
            }
        }
        gain
    }
}

/// The options of active jobs by their places.
fn order(places: &[Vec<u32>], worths: &Worths, active: Active<'_>) -> Vec<Candidate> {
    let mut order: Vec<Candidate> = Vec::new();
    for (of, &(class, _)) in active.iter().enumerate() {
        let places = places.get(class.index()).map_or(&[][..], Vec::as_slice);
        for (option, &place) in places.iter().enumerate().take(worths.options(class).len()) {
            order.push(Candidate { place, of: of as u32, class, option: option as u32 });
        }
    }
    order.sort_unstable();
    order
}

/// Gives jobs options in order while they fit; what that is worth.
fn pour(worths: &Worths, order: &[Candidate], left: &mut [u32], free: &mut [u32]) -> i64 {
    let mut worth = 0;
    for candidate in order {
        let left = &mut left[candidate.of as usize];
        if *left == 0 {
            continue;
        }
        let option = &worths.options(candidate.class)[candidate.option as usize];
        let fit = option.usage.amounts().filter(|&(_, amount)| amount > 0);
        let fit = fit.map(|(resource, amount)| free[resource] / amount).min().unwrap_or(0);
        let count = fit.min(*left);
        if count == 0 {
            continue;
        }
        for (resource, amount) in option.usage.amounts() {
            free[resource] -= amount * count;
        }
        *left -= count;
        worth += option.value * i64::from(count);
    }
    worth
}
