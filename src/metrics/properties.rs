//! Fairness properties of what a policy decides, round by round: sharing incentive, envy-freeness, Pareto efficiency.
//!
//! One measure for every policy. A tenant's *value* of a bundle of resources, `V_u(x)`, is the most service per second that its active
//! jobs could get inside it: GPUs asked for times rate, before overheads, on the policy's own partition, as for the floors of the
//! [yardstick](super::yardstick). What a tenant *has* is the same service of the options that the decision grants its jobs, and `x_u` the
//! resources of those options. Tenants of weight zero, and tenants without an active job, have no claim.
//!
//! * **Sharing incentive** fails for `u` if it has less than its part of what the cluster would be worth to it alone: less than
//!   `phi_u · V_u(C)`, `C` being the devices in service, where `phi_u` is its share of the weights of the tenants with a claim.
//! * **Envy**: `u` envies `v` if it has less than the bundle of `v`, scaled to its own weight, would be worth to it: less than
//!   `V_u(x_v · w_u / w_v)`, every amount rounded down and no more than the cluster has.
//! * **Pareto efficiency** fails if some allocation gives every tenant at least what it has and one of them more. The gap is
//!   (that allocation's service − what all have) / that allocation's service, from 0 to 1.
//!
//! # What is looked at
//!
//! [`MOMENTS`] moments, evenly spread from the first submission (or the window's beginning) to the last submission, or to when the work
//! would be done on an always full cluster if that is later (or to the window's end): the first round decided at or after each moment.
//! The moments do not depend on the policy, so that policies are asked at the same times.
//!
//! Nothing is claimed without proof: where `V` is not known exactly, an allocation that was constructed counts, so that failures can be
//! missed but not invented. `V` is exact where the program has at most [`EXACT_JOBS`] jobs and the run's [`EXPANSIONS`] are not used up,
//! otherwise a greedy fill. In a round, comparisons stop after [`STEPS`] options have been looked at; what was compared is counted. All
//! limits are counts.

mod fill;

use serde::{Deserialize, Serialize};

use self::fill::Filler;
use super::window::Window;
use super::worth::Worths;
use crate::cluster::Cluster;
use crate::sim::{RoundReport, Standing, Watch};
use crate::units::{ClassId, SimTime, TenantId};
use crate::workload::BoundWorkload;

/// Rounds that are looked at in a run, at most.
pub const MOMENTS: i64 = 48;

/// Programs of at most so many jobs are solved exactly.
pub const EXACT_JOBS: u32 = 24;

/// States that exact programs may expand, over the run.
pub const EXPANSIONS: u64 = 200_000;

/// Options that may be looked at in one round.
pub const STEPS: u64 = 250_000;

/// What was found in a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FairnessReport {
    /// Rounds that were looked at.
    pub rounds: u64,
    /// Over (tenant, round) pairs.
    pub sharing_incentive: Property,
    /// Over (tenant, other tenant, round) triples.
    pub envy: Property,
    /// Over rounds.
    pub pareto: Property,
}

/// One property over the rounds of a run that were looked at.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Property {
    /// Comparisons made.
    pub checked: u64,
    /// Those in which it fails.
    pub violations: u64,
    /// Comparisons without a failure in which an allocation was constructed rather than an exact optimum found, so that a failure may
    /// have been missed.
    pub bounded: u64,
    /// The worst failure; `None` if there was none.
    pub worst: Option<Offence>,
}

/// A failure of a property.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Offence {
    /// The round.
    pub round: u64,
    /// Its beginning, in seconds.
    pub start_s: f64,
    /// The tenant that gets too little; `None` for Pareto efficiency, which is about all.
    pub tenant: Option<String>,
    /// The tenant it envies.
    pub other: Option<String>,
    /// What it has, in reference GPUs; for Pareto efficiency what all have.
    pub has: f64,
    /// What it should have, or could have.
    pub could_have: f64,
}

impl Property {
    /// The share of comparisons in which it fails; `None` without comparisons.
    #[must_use]
    pub fn violated_share(&self) -> Option<f64> {
        (self.checked > 0).then(|| self.violations as f64 / self.checked as f64)
    }

    /// How much is missing where it fails worst, in reference GPUs; 0 where it never fails, `None` without comparisons.
    #[must_use]
    pub fn missing_max(&self) -> Option<f64> {
        let missing = self.worst.as_ref().map_or(0.0, |worst| worst.could_have - worst.has);
        (self.checked > 0).then_some(missing)
    }

    /// The share of what could be had that is missing where it fails worst; 0 where it never fails, `None` without comparisons.
    #[must_use]
    pub fn gap_max(&self) -> Option<f64> {
        let gap = self.worst.as_ref().map_or(0.0, |worst| 1.0 - worst.has / worst.could_have);
        (self.checked > 0).then_some(gap)
    }
}

/// How failures are ranked.
#[derive(Debug, Clone, Copy)]
enum Rank {
    /// By what is missing.
    Missing,
    /// By the share that is missing.
    Gap,
}

/// Follows a run and looks at some of its rounds.
#[derive(Debug)]
pub struct Properties<'a> {
    workload: &'a BoundWorkload,
    worths: Worths,
    /// What the devices in service have of every resource.
    capacity: Vec<u32>,
    filler: Filler,
    from: i64,
    to: i64,
    window: Window,
    /// The next moment, from 0.
    moment: i64,
    report: FairnessReport,
}

/// What a bundle is worth.
#[derive(Debug, Clone, Copy)]
struct Value {
    /// At least so much.
    value: i64,
    basis: Basis,
}

/// How a value, or a comparison, is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Basis {
    /// Exactly; or, of a failure, with proof.
    Exact,
    /// There may be more than what was constructed.
    Constructed,
}

impl Value {
    const NOTHING: Self = Self { value: 0, basis: Basis::Exact };
}

/// A tenant with active jobs in the round at hand; it has a claim if its weight is not zero.
#[derive(Debug, Clone)]
struct Claimant {
    tenant: TenantId,
    weight: u64,
    /// What its granted options are worth.
    has: i64,
    /// The resources they take.
    bundle: Vec<u32>,
    /// What it could have with the whole cluster.
    of_everything: Value,
}

impl<'a> Properties<'a> {
    /// Begins to follow a run of `workload` on `cluster`.
    #[must_use]
    pub fn new(cluster: &Cluster, workload: &'a BoundWorkload, window: Window) -> Self {
        let worths = Worths::new(cluster, workload);
        let filler = Filler::new(&worths, workload);
        let first = workload.jobs.first().map_or(0, |job| job.submit.0);
        let last = workload.jobs.last().map_or(0, |job| job.submit.0);
        let work: f64 = workload
            .jobs
            .iter()
            .map(|job| workload.class_of(job).gpus.as_gpus() * job.work.as_reference_secs())
            .sum();
        let full = (work / f64::from(cluster.devices()) * 1e6) as i64;
        let from = first.max(window.from.0);
        let to = last.max(first.saturating_add(full)).min(window.to.0).max(from);
        let capacity = worths.resources().capacity().to_vec();
        Self {
            workload,
            worths,
            capacity,
            filler,
            from,
            to,
            window,
            moment: 0,
            report: FairnessReport::default(),
        }
    }

    /// What was found so far.
    #[must_use]
    pub fn report(&self) -> &FairnessReport {
        &self.report
    }

    /// The moment of a number.
    fn at(&self, moment: i64) -> i64 {
        let span = i128::from(self.to - self.from) * i128::from(moment) / i128::from(MOMENTS);
        self.from + span as i64
    }

    fn look(&mut self, report: &RoundReport<'_>) {
        self.capacity = self.worths.resources().with_devices(report.in_service).capacity().to_vec();
        let active = self.active(report);
        let mut claimants: Vec<Claimant> =
            active.iter().filter(|tenant| tenant.weight > 0).cloned().collect();
        if claimants.is_empty() {
            return;
        }
        self.report.rounds += 1;
        self.filler.begin_round();
        let capacity = self.capacity.clone();
        for claimant in &mut claimants {
            claimant.of_everything = self.value(report.standing, claimant.tenant, &capacity);
        }
        self.sharing_incentive(report, &claimants);
        self.envy(report, &claimants);
        self.pareto(report, &active);
    }

    fn active(&self, report: &RoundReport<'_>) -> Vec<Claimant> {
        let capacity = self.capacity.len();
        let mut claimants: Vec<Claimant> = Vec::new();
        for (index, tenant) in self.workload.tenants.iter().enumerate() {
            let id = TenantId(index as u32);
            let weight = tenant.weight_at(report.start);
            if !report.standing.active(id).is_empty() {
                let bundle = vec![0; capacity];
                claimants.push(Claimant {
                    tenant: id,
                    weight,
                    has: 0,
                    bundle,
                    of_everything: Value::NOTHING,
                });
            }
        }
        for grant in report.grants {
            let job = &self.workload.jobs[grant.job.index()];
            let Ok(at) = claimants.binary_search_by_key(&job.tenant, |claimant| claimant.tenant) else {
                continue;
            };
            let claimant = &mut claimants[at];
            claimant.has += self.worths.value(job.class, grant.option);
            if let Some(usage) = self.worths.usage(self.workload, job.class, grant.option) {
                for (resource, amount) in usage.amounts() {
                    claimant.bundle[resource] += amount;
                }
            }
        }
        claimants
    }

    /// What a bundle is worth to a tenant.
    fn value(&mut self, standing: &Standing, tenant: TenantId, bundle: &[u32]) -> Value {
        let active = standing.active(tenant);
        if bundle.iter().all(|&amount| amount == 0) {
            return Value::NOTHING;
        }
        if self.worths.spent < EXPANSIONS
            && let Some(exact) = self.worths.exact(tenant, active, bundle, EXACT_JOBS)
        {
            return Value { value: exact, basis: Basis::Exact };
        }
        let value = self.filler.fill(&self.worths, tenant, active, bundle);
        Value { value, basis: Basis::Constructed }
    }

    fn sharing_incentive(&mut self, report: &RoundReport<'_>, claimants: &[Claimant]) {
        let all: i128 = claimants.iter().map(|claimant| i128::from(claimant.weight)).sum();
        for claimant in claimants {
            let Value { value: everything, basis } = claimant.of_everything;
            let due = i128::from(claimant.weight) * i128::from(everything);
            let fails = i128::from(claimant.has) * all < due;
            let offence = fails.then(|| self.offence(report, claimant, None, due as f64 / all as f64));
            self.report.sharing_incentive.count(basis, offence, Rank::Missing);
        }
    }

    fn envy(&mut self, report: &RoundReport<'_>, claimants: &[Claimant]) {
        // Another tenant is the first to be asked at every moment, in case the steps do not suffice for all.
        let first = usize::try_from(self.moment).unwrap_or(0) % claimants.len();
        let capacity = self.capacity.clone();
        let mut scaled = Vec::with_capacity(capacity.len());
        for claimant in claimants.iter().cycle().skip(first).take(claimants.len()) {
            for other in claimants.iter().filter(|other| other.tenant != claimant.tenant) {
                if self.filler.steps() > STEPS {
                    return;
                }
                // It has all that it could have: no bundle is worth more to it.
                let Value { value: everything, basis } = claimant.of_everything;
                if basis == Basis::Exact && claimant.has >= everything {
                    self.report.envy.count(Basis::Exact, None, Rank::Missing);
                    continue;
                }
                scaled.clear();
                scaled.extend(other.bundle.iter().zip(&capacity).map(|(&amount, &most)| {
                    let amount = u128::from(amount) * u128::from(claimant.weight) / u128::from(other.weight);
                    u32::try_from(amount).unwrap_or(u32::MAX).min(most)
                }));
                let Value { value: there, basis } = self.value(report.standing, claimant.tenant, &scaled);
                let fails = claimant.has < there;
                let offence = fails.then(|| self.offence(report, claimant, Some(other), there as f64));
                self.report.envy.count(basis, offence, Rank::Missing);
            }
        }
    }

    fn pareto(&mut self, report: &RoundReport<'_>, active: &[Claimant]) {
        if self.filler.steps() > STEPS {
            return;
        }
        let has: i64 = active.iter().map(|tenant| tenant.has).sum();
        let floors: Vec<(TenantId, i64)> = active.iter().map(|tenant| (tenant.tenant, tenant.has)).collect();
        let free = self.free(report);
        let exact = (self.worths.spent < EXPANSIONS)
            .then(|| self.worths.together(&floors, &self.capacity, report.standing, EXACT_JOBS))
            .flatten();
        let best = match exact {
            Some(best) => best,
            None => has + self.filler.improve(&self.worths, self.workload, report, free),
        };
        let fails = best > has;
        let to_gpus = |value: i64| self.worths.gpus(value as f64);
        let offence = fails.then(|| Offence {
            round: report.round,
            start_s: report.start.as_secs(),
            tenant: None,
            other: None,
            has: to_gpus(has),
            could_have: to_gpus(best),
        });
        let basis = exact.map_or(Basis::Constructed, |_| Basis::Exact);
        self.report.pareto.count(basis, offence, Rank::Gap);
    }

    /// What no grant takes.
    fn free(&self, report: &RoundReport<'_>) -> Vec<u32> {
        let mut free = self.capacity.clone();
        for grant in report.grants {
            let class = self.workload.jobs[grant.job.index()].class;
            let Some(usage) = self.worths.usage(self.workload, class, grant.option) else { continue };
            for (resource, amount) in usage.amounts() {
                free[resource] = free[resource].saturating_sub(amount);
            }
        }
        free
    }

    fn offence(
        &self,
        report: &RoundReport<'_>,
        of: &Claimant,
        other: Option<&Claimant>,
        could_have: f64,
    ) -> Offence {
        let name = |claimant: &Claimant| self.workload.tenants[claimant.tenant.index()].name.clone();
        Offence {
            round: report.round,
            start_s: report.start.as_secs(),
            tenant: Some(name(of)),
            other: other.map(name),
            has: self.worths.gpus(of.has as f64),
            could_have: self.worths.gpus(could_have),
        }
    }
}

impl Property {
    fn count(&mut self, basis: Basis, offence: Option<Offence>, rank: Rank) {
        self.checked += 1;
        let Some(offence) = offence else {
            self.bounded += u64::from(basis == Basis::Constructed);
            return;
        };
        self.violations += 1;
        let size = |offence: &Offence| match rank {
            Rank::Missing => offence.could_have - offence.has,
            Rank::Gap => 1.0 - offence.has / offence.could_have,
        };
        if self.worst.as_ref().is_none_or(|worst| size(&offence) > size(worst)) {
            self.worst = Some(offence);
        }
    }
}

impl Watch for Properties<'_> {
    fn round(&mut self, report: &RoundReport<'_>) {
        let start = report.start.0;
        if self.moment >= MOMENTS || start < self.at(self.moment) || !self.window.holds(SimTime(start)) {
            return;
        }
        self.look(report);
        while self.moment < MOMENTS && self.at(self.moment) <= start {
            self.moment += 1;
        }
    }
}

/// The classes of a tenant's active jobs, each with how many there are.
type Active<'a> = &'a [(ClassId, u32)];
