//! The program of a round, made from what the policy sees.

use super::program::{Program, ProgramJob, ProgramOption, ProgramTenant, Usage};
use super::quota::{Claim, Quotas};
use super::resources::{Resources, TypeResources};
use super::value::{Durations, Objective, Quantum, Valued};
use super::{banking::Blocked, program};
use crate::policy::View;
use crate::policy::estimate::Estimator;
use crate::units::{JobId, Rate, TenantId};
use crate::workload::JobClass;

/// What never changes about the options of a class.
#[derive(Debug, Clone)]
struct Shape {
    usages: Vec<Usage>,
    best: Rate,
}

/// The program of the current round and what belongs to it. Buffers are reused from round to round.
#[derive(Debug, Clone, Default)]
pub(super) struct Round {
    pub(super) resources: Resources,
    /// Program tenants are the workload's; program jobs are `jobs`.
    pub(super) program: Program,
    /// Active jobs by tenant and then id.
    pub(super) jobs: Vec<JobId>,
    /// Active tenants that have an entitlement.
    pub(super) claims: Vec<Claim>,
    shapes: Vec<Option<Shape>>,
    worths: Vec<f64>,
}

impl Round {
    pub(super) fn new(resources: Resources) -> Self {
        Self { resources, ..Self::default() }
    }

    /// Builds the program; its floors are zero. Returns the unit of its values.
    pub(super) fn assemble(
        &mut self,
        view: &View<'_>,
        objective: &Objective,
        estimator: &Estimator,
    ) -> Quantum {
        self.jobs.clear();
        self.jobs.extend_from_slice(view.active);
        self.jobs.sort_by_key(|&job| view.job(job).tenant);
        self.shapes.resize(view.workload.classes.len(), None);
        self.worths.clear();
        let mut largest: f64 = 0.0;
        for &job in &self.jobs {
            let class = view.class(job);
            let shape = shape_of(&mut self.shapes, &self.resources, view, job);
            let valued = valued(view, objective, estimator, job, shape.best);
            let held = view.state(job).held.map(|held| held.option);
            for (option, index) in class.options.iter().zip(0u16..) {
                let change = if held == Some(index) { 1.0 } else { objective.of_change() };
                let worth = valued.worth(option.rate) * change;
                largest = largest.max(worth);
                self.worths.push(worth);
            }
        }
        let quantum = Quantum::for_largest(largest);
        self.write(view, quantum);
        self.set_claims(view);
        quantum
    }

    fn write(&mut self, view: &View<'_>, quantum: Quantum) {
        self.program.capacity.clear();
        self.program.capacity.extend_from_slice(self.resources.capacity());
        self.program.tenants.clear();
        self.program.tenants.resize(view.workload.tenants.len(), ProgramTenant { weight: 1, floor: 0 });
        self.program.jobs.resize_with(self.jobs.len(), || ProgramJob { tenant: 0, options: Vec::new() });
        let mut worths = self.worths.iter();
        for (&job, of_program) in self.jobs.iter().zip(&mut self.program.jobs) {
            let bound = view.job(job);
            let held = view.state(job).held.map(|held| held.option);
            let usages = self.shapes[bound.class.index()].as_ref().map_or(&[][..], |shape| &shape.usages);
            of_program.tenant = bound.tenant.0;
            of_program.options.clear();
            of_program.options.extend(
                view.class(job).options.iter().zip(usages).zip(0u16..).zip(&mut worths).map(
                    |(((option, &usage), index), &worth)| ProgramOption {
                        usage,
                        value: quantum.value(worth),
                        keeps: held == Some(index),
                        slots: u32::from(option.slots) * option.devices,
                    },
                ),
            );
        }
    }

    fn set_claims(&mut self, view: &View<'_>) {
        self.claims.clear();
        let mut last: Option<TenantId> = None;
        for &job in &self.jobs {
            let tenant = view.job(job).tenant;
            if last.replace(tenant) == Some(tenant) {
                continue;
            }
            let weight =
                view.workload.tenants.get(tenant.index()).map_or(0, |tenant| tenant.weight_at(view.now));
            if weight > 0 {
                self.claims.push(Claim { tenant: tenant.0, weight });
            }
        }
    }

    /// The claimants that cannot run anything inside their quota, each with its first job, on the type with the largest rate
    /// times capacity.
    pub(super) fn blocked(&self, view: &View<'_>, quotas: &Quotas, blocked: &mut Vec<Blocked>) {
        blocked.clear();
        let mut jobs = self.jobs.iter().peekable();
        for (claim, of_claim) in self.claims.iter().enumerate() {
            let mut first: Option<JobId> = None;
            let mut runs = false;
            while let Some(&&job) = jobs.peek() {
                let tenant = view.job(job).tenant.0;
                if tenant > of_claim.tenant {
                    break;
                }
                jobs.next();
                if tenant < of_claim.tenant || runs {
                    continue;
                }
                first.get_or_insert(job);
                runs = view.class(job).options.iter().any(|option| {
                    let k = option.type_id.index();
                    quotas
                        .of(claim)
                        .get(k)
                        .is_some_and(|&quota| self.units(k, option.slots, option.devices) <= quota)
                });
            }
            if let (false, Some(job)) = (runs, first)
                && let Some((type_index, need)) = self.collecting_type(view.class(job))
            {
                blocked.push(Blocked { claim, job, type_index, need });
            }
        }
    }

    /// The slots that each claimant's jobs could take of each type, by claim and then type.
    pub(super) fn demand(&self) -> Vec<u32> {
        let types = self.resources.types().len();
        let mut demand = vec![0u32; self.claims.len() * types];
        let mut most = vec![0u32; types];
        for (claim, demand) in self.claims.iter().zip(demand.chunks_mut(types.max(1))) {
            for job in self.program.jobs_of(claim.tenant as usize) {
                most.fill(0);
                for option in &job.options {
                    if let Some(k) = self.resources.type_of(&option.usage) {
                        most[k] = option.slots.max(most[k]);
                    }
                }
                demand.iter_mut().zip(&most).for_each(|(sum, &most)| *sum = sum.saturating_add(most));
            }
        }
        demand
    }

    /// The slots that a choice gives, by tenant and then type.
    pub(super) fn slots_of(&self, choice: &[Option<u16>]) -> Vec<u32> {
        let types = self.resources.types().len();
        let mut slots = vec![0; self.program.tenants.len() * types];
        for (job, &option) in self.program.jobs.iter().zip(choice) {
            let from = job.tenant as usize * types;
            self.resources.count_slots(job, option, &mut slots[from..from + types]);
        }
        slots
    }

    /// Units of quota that cover an allocation.
    fn units(&self, k: usize, slots: u8, devices: u32) -> u32 {
        let per_unit = self.resources.types().get(k).map_or(1, TypeResources::slots_per_unit);
        (u32::from(slots) * devices).div_ceil(per_unit.max(1))
    }

    /// The type whose smallest option has the largest rate times the type's capacity, and the units that option needs.
    fn collecting_type(&self, class: &JobClass) -> Option<(usize, u32)> {
        let mut best: Option<(u64, usize, u32)> = None;
        for (k, of_type) in self.resources.types().iter().enumerate() {
            let of_class = class.options.iter().filter(|option| option.type_id.index() == k);
            let Some(smallest) = of_class.min_by_key(|option| u32::from(option.slots) * option.devices)
            else {
                continue;
            };
            let capacity = u64::from(of_type.units()) * u64::from(of_type.slots_per_unit());
            let merit = u64::from(smallest.rate.0) * capacity;
            if best.is_none_or(|(other, _, _)| merit > other) {
                best = Some((merit, k, self.units(k, smallest.slots, smallest.devices)));
            }
        }
        best.map(|(_, k, need)| (k, need))
    }

    /// The quotas in slots, as amounts of every resource, tenant by tenant.
    pub(super) fn shares(&self, quotas: &Quotas, shares: &mut Vec<Vec<u32>>) {
        shares.resize_with(self.program.tenants.len(), Vec::new);
        for share in shares.iter_mut() {
            share.clear();
            share.resize(self.resources.capacity().len(), 0);
        }
        for (claim, of_claim) in self.claims.iter().enumerate() {
            let slots =
                quotas.of(claim).iter().zip(self.resources.types()).map(|(q, t)| q * t.slots_per_unit());
            if let Some(share) = shares.get_mut(of_claim.tenant as usize) {
                self.resources.share(slots, share);
            }
        }
    }
}

fn shape_of<'s>(
    shapes: &'s mut [Option<Shape>],
    resources: &Resources,
    view: &View<'_>,
    job: JobId,
) -> &'s Shape {
    let class = view.class(job);
    shapes[view.job(job).class.index()].get_or_insert_with(|| Shape {
        usages: class
            .options
            .iter()
            .map(|option| {
                let of_type = resources.types().get(option.type_id.index());
                of_type.map_or(program::Usage::default(), |t| {
                    t.usage(option.slots.into(), option.memory, option.devices)
                })
            })
            .collect(),
        best: class.options.iter().map(|option| option.rate).max().unwrap_or_default(),
    })
}

/// A job as the objective sees it now, by what is known of its run time.
pub(super) fn valued(
    view: &View<'_>,
    objective: &Objective,
    estimator: &Estimator,
    job: JobId,
    best: Rate,
) -> Valued {
    let bound = view.job(job);
    let remaining = match objective.durations {
        Durations::Oracle => estimator.remaining(view, job),
        Durations::Attained => view.state(job).remaining,
    };
    let valued = objective.job(view.class(job).gpus, bound.work, remaining, best);
    valued.times(objective.of_age(view.now - bound.submit))
}
