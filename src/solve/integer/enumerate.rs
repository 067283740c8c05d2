//! Brute force: every allocation there is, counted on its own terms.
//!
//! This shares no reasoning with the dynamic programs: capacities of uniform and A30 types are sums of slots; what packs on
//! A100-class devices is decided by filling right halves with 3g first (a closed form over instance counts), not by the linear
//! resources; floors are found by enumeration too.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::front::{is_within, spend};
use super::order::Order;
use super::problem::Problem;
use crate::cluster::SliceMemory;
use crate::solve::SolveError;
use crate::solve::answer::{AllocationCounts, Measure};
use crate::solve::instance::InstanceLayout;

/// The best allocation found by looking at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Enumerated {
    /// For every job the option it takes; `None` when no allocation meets the constraints.
    pub(super) choice: Option<Vec<Option<u16>>>,
    /// Each tenant's floor, where there are floors.
    pub(super) floors: Option<Vec<i64>>,
    /// The order in which it is best.
    pub(super) order: Order,
    /// Numbers of allocations.
    pub(super) counts: AllocationCounts,
    /// Choices and parts of choices visited.
    pub(super) states: u64,
}

/// The programs that can be enumerated, by the policy they belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// Every tenant gets at least what its quota is worth to it; the greatest sum.
    Quotas,
    /// The greatest sum.
    MaxSum,
    /// Every tenant gets at least its equal split; the greatest sum.
    SharingIncentive,
    /// Nobody envies; the greatest sum.
    EnvyFree,
    /// Both.
    SharingIncentiveAndEnvyFree,
    /// Lexicographic max-min of worth / equal split.
    MaxMin,
    /// Lexicographic max-min of worth / smallest rate.
    EqualThroughput,
    /// Nash welfare.
    Nash,
}

/// Enumerates all allocations, at most `limit` steps of it.
pub(super) fn enumerate(problem: &Problem<'_>, rule: Rule, limit: u64) -> Result<Enumerated, SolveError> {
    let mut left = limit;
    within(problem, rule, &mut left)
        .map(|found| Enumerated { states: limit - left, ..found })
        .ok_or(SolveError::TooLarge { limit })
}

fn within(problem: &Problem<'_>, rule: Rule, left: &mut u64) -> Option<Enumerated> {
    let tenants = problem.instance.tenants.len();
    let bundles: Vec<Vec<Bundle>> =
        (0..tenants).map(|tenant| bundles_of(problem, tenant, left)).collect::<Option<_>>()?;
    let everything: Vec<i64> =
        bundles.iter().map(|own| own.iter().map(|bundle| bundle.value).max().unwrap_or(0)).collect();
    let floors = match rule {
        Rule::Quotas => Some((0..tenants).map(|tenant| worth_of_quota(problem, tenant, &bundles)).collect()),
        Rule::SharingIncentive | Rule::SharingIncentiveAndEnvyFree => {
            let total: i128 = problem.weights.iter().map(|&weight| i128::from(weight)).sum();
            let due = |(&weight, &all): (&u64, &i64)| {
                let product = i128::from(weight) * i128::from(all);
                i64::try_from(product.div_euclid(total.max(1)) + i128::from(product % total.max(1) > 0))
                    .unwrap_or(i64::MAX)
            };
            Some(problem.weights.iter().zip(&everything).map(due).collect::<Vec<i64>>())
        }
        _ => None,
    };
    let order = match rule {
        Rule::Nash => Order::Product { weights: problem.weights.clone() },
        Rule::MaxMin => ratios(problem, &everything, Measure::LeastRatio),
        Rule::EqualThroughput => {
            let smallest = |tenant| {
                let jobs = problem.program.jobs.iter().filter(|job| job.tenant as usize == tenant);
                jobs.flat_map(|job| &job.options).map(|option| option.value).min().unwrap_or(0)
            };
            let smallest: Vec<i64> = (0..tenants).map(smallest).collect();
            ratios(problem, &smallest, Measure::LeastThroughput)
        }
        _ => Order::Sum,
    };
    let looks_at_bundles = matches!(rule, Rule::EnvyFree | Rule::SharingIncentiveAndEnvyFree);
    let envied = if looks_at_bundles { Some(envied(problem, &bundles, left)?) } else { None };
    let mut walk = Walk {
        problem,
        bundles: &bundles,
        floors: floors.as_deref(),
        envied: envied.as_deref(),
        order: &order,
        picks: Vec::new(),
        counts: AllocationCounts { fitting: 0, allowed: 0, optimal: 0 },
        best: None,
    };
    walk.step(&Taken::none(problem), left)?;
    let choice = walk.best.as_ref().map(|(picks, _)| {
        let mut choice = vec![None; problem.jobs.len()];
        for (own, &pick) in bundles.iter().zip(picks) {
            for &(job, option) in &own[pick].options {
                choice[job] = Some(option);
            }
        }
        choice
    });
    let counts = walk.counts;
    Some(Enumerated { choice, floors, order, counts, states: 0 })
}

fn ratios(problem: &Problem<'_>, units: &[i64], measure: Measure) -> Order {
    let weights = problem.weights.iter().map(|&weight| i128::from(weight));
    let total: i128 = weights.clone().sum();
    let entitled = weights.clone().filter(|&weight| weight > 0).count() as i128;
    let scale = if measure == Measure::LeastRatio { 1 } else { entitled };
    let dues = weights.zip(units).map(|(weight, &unit)| weight * scale * i128::from(unit)).collect();
    Order::LeastRatio { dues, factor: total, measure }
}

/// What a tenant takes of every type, and the best that it can do with all of it.
struct Bundle {
    taken: Taken,
    /// The same in linear resources, in which bundles are compared.
    usage: Vec<u32>,
    value: i64,
    /// (job, option)
    options: Vec<(usize, u16)>,
}

/// Amounts of every type.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Taken {
    slots: Vec<u32>,
    /// Instances of 1, 2, 3, 4 and 7 slices and 1g with double memory, of A100-class types.
    counts: Vec<[u32; 6]>,
}

impl Taken {
    fn none(problem: &Problem<'_>) -> Self {
        let types = problem.instance.types.len();
        Self { slots: vec![0; types], counts: vec![[0; 6]; types] }
    }

    fn plus(&self, other: &Self) -> Self {
        let counts = self.counts.iter().zip(&other.counts);
        Self {
            slots: self.slots.iter().zip(&other.slots).map(|(a, b)| a + b).collect(),
            counts: counts.map(|(a, b)| std::array::from_fn(|size| a[size] + b[size])).collect(),
        }
    }

    /// Whether it fits so many devices and slots of every type.
    fn fits(&self, problem: &Problem<'_>, devices: &[u32], slots: &[u32]) -> bool {
        problem.instance.types.iter().enumerate().all(|(k, of_type)| {
            self.slots[k] <= slots[k]
                && (of_type.layout != InstanceLayout::MigA100 || packs(devices[k], self.counts[k]))
        })
    }

    fn fits_cluster(&self, problem: &Problem<'_>) -> bool {
        let types = &problem.instance.types;
        let devices: Vec<u32> = types.iter().map(|t| t.devices).collect();
        let slots: Vec<u32> = types.iter().map(|t| t.devices * t.slots_per_device).collect();
        self.fits(problem, &devices, &slots)
    }
}

/// All that a tenant can take of the empty cluster.
fn bundles_of(problem: &Problem<'_>, tenant: usize, left: &mut u64) -> Option<Vec<Bundle>> {
    let jobs: Vec<usize> = (0..problem.jobs.len()).filter(|&job| problem.jobs[job].0 == tenant).collect();
    let mut found = BTreeMap::new();
    let mut options = Vec::new();
    visit(problem, &jobs, &Taken::none(problem), &mut options, &mut found, left)?;
    let usage = |options: &[(usize, u16)]| {
        let mut usage = vec![0; problem.program.capacity.len()];
        for &(job, option) in options {
            for (resource, amount) in problem.program.jobs[job].options[usize::from(option)].usage.amounts() {
                usage[resource] += amount;
            }
        }
        usage
    };
    let bundles = found.into_iter().map(|(taken, (value, options)): (Taken, (i64, Vec<(usize, u16)>))| {
        Bundle { taken, usage: usage(&options), value, options }
    });
    Some(bundles.collect())
}

/// For everything that can be taken the best value, and the options that have it.
type Bundles = BTreeMap<Taken, (i64, Vec<(usize, u16)>)>;

fn visit(
    problem: &Problem<'_>,
    jobs: &[usize],
    taken: &Taken,
    options: &mut Vec<(usize, u16)>,
    found: &mut Bundles,
    left: &mut u64,
) -> Option<()> {
    spend(left, 1)?;
    let Some((&job, rest)) = jobs.split_first() else {
        let value_of =
            |&(job, option): &(usize, u16)| problem.program.jobs[job].options[usize::from(option)].value;
        let value = options.iter().map(value_of).sum();
        let best = found.entry(taken.clone()).or_insert_with(|| (value, options.clone()));
        if value > best.0 {
            *best = (value, options.clone());
        }
        return Some(());
    };
    for (index, option) in (0u16..).zip(&problem.jobs[job].1.options) {
        let k = problem.type_index(&option.gpu);
        let of_type = &problem.instance.types[k];
        if of_type.layout != InstanceLayout::Uniform && option.devices > of_type.devices {
            continue;
        }
        let mut taken = taken.clone();
        taken.slots[k] = taken.slots[k].saturating_add(option.slots.saturating_mul(option.devices));
        if of_type.layout == InstanceLayout::MigA100 {
            let size = match option.memory {
                SliceMemory::Plain => [1, 2, 3, 4, 7].iter().position(|&size| size == option.slots),
                SliceMemory::Double => Some(5),
            };
            if let Some(size) = size {
                taken.counts[k][size] += option.devices;
            }
        }
        if taken.fits_cluster(problem) {
            options.push((job, index));
            visit(problem, rest, &taken, options, found, left)?;
            options.pop();
        }
    }
    visit(problem, rest, taken, options, found, left)
}

/// The best that a tenant can do within its quota: slots on so many devices of its own, the last of which need not be full.
fn worth_of_quota(problem: &Problem<'_>, tenant: usize, bundles: &[Vec<Bundle>]) -> i64 {
    let quota = &problem.quotas[tenant];
    let types = &problem.instance.types;
    let own: Vec<u32> =
        quota.iter().zip(types).map(|(&slots, t)| slots.div_ceil(t.slots_per_device)).collect();
    let within = bundles[tenant].iter().filter(|bundle| bundle.taken.fits(problem, &own, quota));
    within.map(|bundle| bundle.value).max().unwrap_or(0)
}

/// What every bundle of a tenant is worth to the others that look at it, by tenant that looks, tenant looked at and bundle.
type Envied = Vec<Vec<Vec<i64>>>;

fn envied(problem: &Problem<'_>, bundles: &[Vec<Bundle>], left: &mut u64) -> Option<Envied> {
    let mut envied = vec![vec![Vec::new(); bundles.len()]; bundles.len()];
    for (tenant, own) in bundles.iter().enumerate() {
        for (other, theirs) in bundles.iter().enumerate() {
            if tenant == other || problem.weights[other] > problem.weights[tenant] {
                continue;
            }
            spend(left, own.len() as u64 * theirs.len() as u64)?;
            let there = |bundle: &Bundle| {
                let inside = own.iter().filter(|own| is_within(&own.usage, &bundle.usage));
                inside.map(|own| own.value).max().unwrap_or(0)
            };
            envied[tenant][other] = theirs.iter().map(there).collect();
        }
    }
    Some(envied)
}

struct Walk<'w> {
    problem: &'w Problem<'w>,
    bundles: &'w [Vec<Bundle>],
    floors: Option<&'w [i64]>,
    envied: Option<&'w [Vec<Vec<i64>>]>,
    order: &'w Order,
    picks: Vec<usize>,
    counts: AllocationCounts,
    /// The bundles of the best allocation and their worths.
    best: Option<(Vec<usize>, Vec<i64>)>,
}

impl Walk<'_> {
    /// Lets the tenants from the next one on choose beside what is taken.
    fn step(&mut self, taken: &Taken, left: &mut u64) -> Option<()> {
        spend(left, 1)?;
        let Some(own) = self.bundles.get(self.picks.len()) else {
            self.complete();
            return Some(());
        };
        for (pick, bundle) in own.iter().enumerate() {
            let taken = taken.plus(&bundle.taken);
            if taken.fits_cluster(self.problem) {
                self.picks.push(pick);
                self.step(&taken, left)?;
                self.picks.pop();
            }
        }
        Some(())
    }

    fn complete(&mut self) {
        self.counts.fitting += 1;
        let worths: Vec<i64> =
            self.picks.iter().zip(self.bundles).map(|(&pick, own)| own[pick].value).collect();
        let meets = self.floors.is_none_or(|floors| worths.iter().zip(floors).all(|(w, floor)| w >= floor));
        let content = |envied: &[Vec<Vec<i64>>]| {
            worths.iter().zip(envied).all(|(&has, looks)| {
                self.picks.iter().zip(looks).all(|(&pick, there)| there.get(pick).is_none_or(|&t| has >= t))
            })
        };
        if !meets || !self.envied.is_none_or(content) {
            return;
        }
        self.counts.allowed += 1;
        let compared = match &self.best {
            Some((_, best)) => self.order.compare(&worths, best),
            None => Ordering::Greater,
        };
        let is_greater_sum =
            self.best.as_ref().is_none_or(|(_, best)| Order::Sum.compare(&worths, best) == Ordering::Greater);
        if compared == Ordering::Greater {
            self.counts.optimal = 0;
        }
        if compared != Ordering::Less {
            self.counts.optimal += 1;
        }
        if compared == Ordering::Greater || compared == Ordering::Equal && is_greater_sum {
            self.best = Some((self.picks.clone(), worths));
        }
    }
}

/// Whether these numbers of 1g, 2g, 3g, 4g, 7g and double-memory 1g instances fit on so many A100-class devices. Each device is a
/// left half (four slices, where alone a 4g can lie) and a right half (three); a 3g wastes nothing on the right and one slice on the
/// left, a double-memory 1g nothing on the last slice of the right and one slice elsewhere, where it lies as a 2g does.
fn packs(devices: u32, counts: [u32; 6]) -> bool {
    let [n1, n2, n3, n4, n7, doubles] = counts.map(i64::from);
    let devices = i64::from(devices);
    let (lefts, rights) = (n7 + n4, n7 + n3);
    let free_lefts = devices - lefts - (rights - devices).max(0);
    let free_rights = (devices - rights).max(0);
    let at_the_end = doubles.min(free_rights);
    let pairs = n2 + doubles - at_the_end;
    n7 <= devices
        && free_lefts >= 0
        && pairs <= 2 * free_lefts + free_rights
        && n1 + 2 * pairs + at_the_end <= 4 * free_lefts + 3 * free_rights
}
