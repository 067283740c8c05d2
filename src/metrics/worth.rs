//! What a quota is worth to a tenant: the most service per second that its active jobs can get inside it.

use std::collections::HashMap;

use crate::cluster::Cluster;
use crate::policy::sts::budget::{Limits, Prices, Solver, Ties};
use crate::policy::sts::program::{Program, ProgramJob, ProgramOption, ProgramTenant, Status, Usage};
use crate::policy::sts::resources::Resources;
use crate::policy::sts::value::MAX_VALUE;
use crate::sim::Standing;
use crate::units::{ClassId, TenantId, gcd};
use crate::workload::BoundWorkload;

/// The work that one program may take.
const LIMITS: Limits =
    Limits { expansions: 500_000, kept_states: 500_000, menu_expansions: 100_000, ties: Ties::Any };

/// Most worths that are remembered; when there are more, all are forgotten.
const MOST_REMEMBERED: usize = 50_000;

/// Finds worths, and remembers them: a worth depends on the quota and on how many jobs of each class there are, and no more of
/// a class count than could run inside the quota, so that a growing queue asks for the same worths again and again.
#[derive(Debug)]
pub(super) struct Worths {
    resources: Resources,
    /// By class.
    shapes: Vec<Shape>,
    /// Service per second of one reference GPU, in thousandths of a GPU times millionths of the rate, in one unit of value.
    unit: i128,
    remembered: HashMap<Vec<u32>, i64>,
    solver: Solver,
    /// Where the search for each tenant's last worth ended, as a start for its next.
    prices: Vec<Option<Prices>>,
    program: Program,
    share: Vec<u32>,
    free: Vec<u32>,
    key: Vec<u32>,
    /// Worths that are the best found within the limits, not proven to be the most.
    pub(super) unproven: u64,
    /// Expansions spent so far.
    pub(super) spent: u64,
}

/// What a class's jobs can do.
#[derive(Debug, Clone, Default)]
struct Shape {
    /// The value of every option of the class.
    values: Vec<i64>,
    /// Options that no other option makes superfluous, the most valuable first.
    options: Vec<ProgramOption>,
    /// The least that they take of each type they may use.
    least: Vec<Usage>,
    /// The first class with the same options.
    twin: u32,
}

impl Worths {
    pub(super) fn new(cluster: &Cluster, workload: &BoundWorkload) -> Self {
        let resources = Resources::of(cluster);
        let exact = |class: usize| {
            let class = &workload.classes[class];
            class.options.iter().map(|option| u64::from(class.gpus.0) * u64::from(option.rate.0))
        };
        let all = || (0..workload.classes.len()).flat_map(exact);
        // Integers without rounding, unless the largest would not fit a program.
        let mut unit = all().fold(0, gcd).max(1);
        let largest = all().max().unwrap_or(0);
        if largest / unit > MAX_VALUE.unsigned_abs() {
            unit = largest.div_ceil(MAX_VALUE.unsigned_abs());
        }
        let mut twins: HashMap<Vec<ProgramOption>, u32> = HashMap::new();
        let shapes = (0..workload.classes.len()).map(|class| {
            let values: Vec<i64> =
                exact(class).map(|value| ((value + unit / 2) / unit).max(1) as i64).collect();
            let options = useful_options(&resources, workload, class, &values);
            let twin = *twins.entry(options.clone()).or_insert(class as u32);
            Shape { least: least_of_types(&options), values, options, twin }
        });
        Self {
            shapes: shapes.collect(),
            unit: i128::from(unit),
            remembered: HashMap::new(),
            solver: Solver::new(),
            prices: vec![None; workload.tenants.len()],
            program: Program::default(),
            share: Vec::new(),
            free: Vec::new(),
            key: Vec::new(),
            unproven: 0,
            spent: 0,
            resources,
        }
    }

    /// The resources that quotas are shares of.
    pub(super) fn resources(&self) -> &Resources {
        &self.resources
    }

    /// Service per second of one reference GPU, in thousandths of a GPU times millionths of the rate, in one unit of value.
    pub(super) fn unit(&self) -> i128 {
        self.unit
    }

    /// The value of an option of a class.
    pub(super) fn value(&self, class: ClassId, option: u16) -> i64 {
        let shape = self.shapes.get(class.index());
        shape.and_then(|shape| shape.values.get(usize::from(option))).copied().unwrap_or(0)
    }

    /// The worth of `quota`, in units of each type, to a tenant with these jobs, in values.
    pub(super) fn worth(&mut self, tenant: TenantId, active: &[(ClassId, u32)], quota: &[u32]) -> i64 {
        let slots = quota.iter().zip(self.resources.types()).map(|(q, t)| q * t.slots_per_unit());
        self.resources.share(slots, &mut self.share);
        if let Some(worth) = self.everything(active) {
            return worth;
        }
        self.ask_for(active, quota);
        self.recall_or_solve(tenant, quota.len())
    }

    /// The worth of a share of every resource to a tenant with these jobs if it is exact, which it is where every job gets its best
    /// option, and where at most `jobs` jobs come into question.
    pub(super) fn exact(
        &mut self,
        tenant: TenantId,
        active: &[(ClassId, u32)],
        share: &[u32],
        jobs: u32,
    ) -> Option<i64> {
        self.share.clear();
        self.share.extend_from_slice(share);
        if let Some(worth) = self.everything(active) {
            return Some(worth);
        }
        self.ask_for(active, share);
        let counts = self.key[share.len()..].iter().skip(1).step_by(2);
        if counts.fold(0u32, |sum, &count| sum.saturating_add(count)) > jobs {
            return None;
        }
        let unproven = self.unproven;
        let worth = self.recall_or_solve(tenant, share.len());
        if self.unproven > unproven {
            self.remembered.remove(&self.key);
            return None;
        }
        Some(worth)
    }

    /// What an option of a class takes.
    pub(super) fn usage(&self, workload: &BoundWorkload, class: ClassId, option: u16) -> Option<Usage> {
        let option = workload.classes.get(class.index())?.options.get(usize::from(option))?;
        let of_type = self.resources.types().get(option.type_id.index())?;
        Some(of_type.usage(option.slots.into(), option.memory, option.devices))
    }

    /// A value in reference GPUs: service per second.
    pub(super) fn gpus(&self, value: f64) -> f64 {
        value * self.unit as f64 / 1e9
    }

    /// The most service that all jobs of the tenants in `floors` can get inside `capacity` if every tenant keeps its floor, if that
    /// is solved exactly: at most `jobs` jobs come into question. The tenants are in order.
    pub(super) fn together(
        &mut self,
        floors: &[(TenantId, i64)],
        capacity: &[u32],
        standing: &Standing,
        jobs: u32,
    ) -> Option<i64> {
        self.program.capacity.clear();
        self.program.capacity.extend_from_slice(capacity);
        self.program.tenants.clear();
        self.program.jobs.clear();
        let mut all = 0u32;
        for (index, &(tenant, floor)) in floors.iter().enumerate() {
            self.program.tenants.push(ProgramTenant { weight: 1, floor });
            for &(class, count) in standing.active(tenant) {
                let Some(shape) = self.shapes.get(class.index()) else { continue };
                let count = count.min(most_that_fit(&shape.least, capacity));
                all = all.saturating_add(count);
                if all > jobs {
                    return None;
                }
                let options =
                    shape.options.iter().filter(|option| option.usage.fits(capacity)).copied().collect();
                let job = ProgramJob { tenant: index as u32, options };
                self.program.jobs.extend(std::iter::repeat_n(job, count as usize));
            }
        }
        let solution = self.solver.solve_from(&self.program, &LIMITS, &mut None, None);
        self.spent += self.solver.spent() + self.program.jobs.len() as u64;
        let solution = solution.filter(|solution| solution.status == Status::Optimal)?;
        i64::try_from(solution.objective).ok()
    }

    /// The options of a class that no other makes superfluous, the most valuable first.
    pub(super) fn options(&self, class: ClassId) -> &[ProgramOption] {
        self.shapes.get(class.index()).map_or(&[], |shape| &shape.options)
    }

    /// Makes the key of a share, described by `of`, and of the jobs that could run inside it.
    fn ask_for(&mut self, active: &[(ClassId, u32)], of: &[u32]) {
        self.key.clear();
        self.key.extend_from_slice(of);
        for &(class, count) in active {
            let Some(shape) = self.shapes.get(class.index()) else { continue };
            let count = count.min(most_that_fit(&shape.least, &self.share));
            if count > 0 {
                self.key.extend([shape.twin, count]);
            }
        }
    }

    /// The worth of what the key asks for; its first `of` numbers describe the share.
    fn recall_or_solve(&mut self, tenant: TenantId, of: usize) -> i64 {
        if let Some(&worth) = self.remembered.get(&self.key) {
            return worth;
        }
        let worth = self.solve(tenant, of);
        if self.remembered.len() >= MOST_REMEMBERED {
            self.remembered.clear();
        }
        self.remembered.insert(self.key.clone(), worth);
        worth
    }

    /// What the jobs are worth when each has its best option, if that fits the share.
    fn everything(&mut self, active: &[(ClassId, u32)]) -> Option<i64> {
        self.free.clone_from(&self.share);
        let mut worth = 0;
        for &(class, count) in active {
            let best = self.shapes.get(class.index())?.options.first()?;
            for (resource, amount) in best.usage.amounts() {
                let needed = u64::from(amount) * u64::from(count);
                let free = self.free.get_mut(resource)?;
                *free = u32::try_from(u64::from(*free).checked_sub(needed)?).ok()?;
            }
            worth += best.value * i64::from(count);
        }
        Some(worth)
    }

    /// Solves the program of the jobs in `key`, of which the first `of` numbers describe the share.
    fn solve(&mut self, tenant: TenantId, of: usize) -> i64 {
        let (_, jobs) = self.key.split_at(of);
        self.program.capacity.clone_from(&self.share);
        self.program.tenants.clear();
        self.program.tenants.push(ProgramTenant { weight: 1, floor: 0 });
        self.program.jobs.clear();
        for pair in jobs.chunks_exact(2) {
            let Some(shape) = self.shapes.get(pair[0] as usize) else { continue };
            let options: Vec<ProgramOption> =
                shape.options.iter().filter(|option| option.usage.fits(&self.share)).copied().collect();
            let job = ProgramJob { tenant: 0, options };
            self.program.jobs.extend(std::iter::repeat_n(job, pair[1] as usize));
        }
        if self.program.jobs.is_empty() {
            return 0;
        }
        let Some(prices) = self.prices.get_mut(tenant.index()) else { return 0 };
        let solution = self.solver.solve_from(&self.program, &LIMITS, prices, None);
        self.spent += self.solver.spent() + self.program.jobs.len() as u64;
        let Some(solution) = solution else {
            self.unproven += 1;
            return 0;
        };
        self.unproven += u64::from(solution.status != Status::Optimal);
        i64::try_from(solution.objective).unwrap_or(i64::MAX)
    }
}

/// The options of a class that no other of the same type makes superfluous by taking no more and giving no less; the most
/// valuable first.
fn useful_options(
    resources: &Resources,
    workload: &BoundWorkload,
    class: usize,
    values: &[i64],
) -> Vec<ProgramOption> {
    let mut useful: Vec<ProgramOption> = Vec::new();
    for (option, &value) in workload.classes[class].options.iter().zip(values) {
        let Some(of_type) = resources.types().get(option.type_id.index()) else { continue };
        let usage = of_type.usage(option.slots.into(), option.memory, option.devices);
        let slots = u32::from(option.slots) * option.devices;
        if useful.iter().any(|other| other.usage.within(&usage) && other.value >= value) {
            continue;
        }
        useful.retain(|other| !(usage.within(&other.usage) && value >= other.value));
        useful.push(ProgramOption { usage, value, keeps: false, slots });
    }
    useful.sort_by_key(|option| (std::cmp::Reverse(option.value), option.slots));
    useful
}

/// The least of every resource that any option of a type takes, type by type.
fn least_of_types(options: &[ProgramOption]) -> Vec<Usage> {
    let mut least: Vec<Usage> = Vec::new();
    for option in options {
        match least.iter_mut().find(|usage| usage.first == option.usage.first) {
            Some(usage) => {
                for (least, amount) in usage.amounts.iter_mut().zip(option.usage.amounts) {
                    *least = amount.min(*least);
                }
            }
            None => least.push(option.usage),
        }
    }
    least
}

/// No more jobs than this run at once inside a share, when each takes at least one of these usages.
fn most_that_fit(least: &[Usage], share: &[u32]) -> u32 {
    let fit = least.iter().map(|usage| {
        let taken = usage.amounts().filter(|&(_, amount)| amount > 0);
        taken
            .map(|(resource, amount)| share.get(resource).map_or(0, |&free| free / amount))
            .min()
            .unwrap_or(0)
    });
    fit.fold(0, u32::saturating_add)
}
