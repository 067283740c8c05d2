//! An instance as the program of one round: integers, quotas, and what one unit of value is.

use crate::policy::sts::program::{Program, ProgramJob, ProgramOption, ProgramTenant};
use crate::policy::sts::quota::{Claim, Quotas, TemporalLayer};
use crate::policy::sts::resources::{Packing, Resources, TypeResources};
use crate::policy::sts::value::{Durations, Mode, Objective, Quantum};
use crate::solve::SolveError;
use crate::solve::instance::{Instance, InstanceError, InstanceJob, InstanceLayout, InstanceOption};
use crate::units::{MilliGpus, Rate, SimSpan, Work};

/// Units of value in a rate of one, when rates count as they are given.
const UNITS_PER_RATE: f64 = 1e6;

/// What an option of an instance is worth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Worth {
    /// Its rate.
    Rate,
    /// Its value under an objective of the policy.
    Objective(Objective),
}

/// An integer instance, ready to be solved.
#[derive(Debug, Clone)]
pub(super) struct Problem<'a> {
    pub(super) instance: &'a Instance,
    pub(super) resources: Resources,
    /// Jobs by tenant, in the order of the file; floors are zero.
    pub(super) program: Program,
    /// For every job of the program its tenant and its position there.
    pub(super) jobs: Vec<(usize, &'a InstanceJob)>,
    /// Slots by tenant and type.
    pub(super) quotas: Vec<Vec<u32>>,
    /// The quotas as amounts of every resource.
    pub(super) shares: Vec<Vec<u32>>,
    /// Weights in millionths of the tenants that have an entitlement; zero for the others.
    pub(super) weights: Vec<u64>,
    /// Units of value in an objective of one.
    pub(super) units: f64,
}

impl<'a> Problem<'a> {
    pub(super) fn new(instance: &'a Instance, worth: Worth) -> Result<Self, SolveError> {
        instance.check()?;
        if let Some(i) = instance.tenants.iter().position(|tenant| tenant.jobs.is_none()) {
            return Err(SolveError::Mixed { path: format!("tenants[{i}].rates") });
        }
        let resources = Resources::new(instance.types.iter().map(|t| {
            let packing = match t.layout {
                InstanceLayout::Uniform | InstanceLayout::MigA30 => Packing::Slots,
                InstanceLayout::MigA100 => Packing::MigA100,
            };
            (packing, t.devices, t.slots_per_device)
        }));
        let mut problem = Self {
            instance,
            program: Program { capacity: resources.capacity().to_vec(), ..Program::default() },
            resources,
            jobs: Vec::new(),
            quotas: Vec::new(),
            shares: Vec::new(),
            weights: Vec::new(),
            units: UNITS_PER_RATE,
        };
        problem.add_jobs(worth)?;
        problem.set_quotas();
        Ok(problem)
    }

    fn add_jobs(&mut self, worth: Worth) -> Result<(), SolveError> {
        let mut worths: Vec<Vec<f64>> = Vec::new();
        for (tenant, of_tenant) in self.instance.tenants.iter().enumerate() {
            self.program.tenants.push(ProgramTenant { weight: 1, floor: 0 });
            for (i, job) in of_tenant.jobs.iter().flatten().enumerate() {
                self.jobs.push((tenant, job));
                worths.push(worths_of(job, worth, &format!("tenants[{tenant}].jobs[{i}]"))?);
            }
        }
        let quantum = match worth {
            Worth::Rate => None,
            Worth::Objective(_) => {
                let largest = worths.iter().flatten().copied().fold(0.0, f64::max);
                Some(Quantum::for_largest(largest))
            }
        };
        self.units = quantum.map_or(UNITS_PER_RATE, Quantum::per_worth);
        for (&(tenant, job), worths) in self.jobs.iter().zip(&worths) {
            let options = job.options.iter().zip(worths).map(|(option, &worth)| {
                let k = self.type_index(&option.gpu);
                let of_type = &self.instance.types[k];
                // Slices on more MIG devices than there are fit as little as those devices.
                let never = of_type.layout != InstanceLayout::Uniform && option.devices > of_type.devices;
                let slots = if never { of_type.slots_per_device } else { option.slots };
                ProgramOption {
                    usage: self.resources.types()[k].usage(slots, option.memory, option.devices),
                    value: match quantum {
                        None => ((worth * UNITS_PER_RATE).round() as i64).max(1),
                        Some(quantum) => quantum.value(worth),
                    },
                    keeps: holds(job, option),
                    slots: option.slots * option.devices,
                }
            });
            let options = options.collect();
            self.program.jobs.push(ProgramJob { tenant: tenant as u32, options });
        }
        Ok(())
    }

    fn set_quotas(&mut self) {
        let runs = |tenant: usize| self.jobs.iter().any(|&(t, job)| t == tenant && !job.options.is_empty());
        self.weights = self
            .instance
            .tenants
            .iter()
            .enumerate()
            .map(|(i, tenant)| if runs(i) { (tenant.weight * 1e6).round() as u64 } else { 0 })
            .collect();
        let types = self.instance.types.len();
        self.quotas = vec![vec![0; types]; self.instance.tenants.len()];
        if let Some(given) = &self.instance.quotas {
            for (quotas, tenant) in self.quotas.iter_mut().zip(&self.instance.tenants) {
                for (quota, of_type) in quotas.iter_mut().zip(&self.instance.types) {
                    *quota = given.get(&tenant.name).and_then(|q| q.get(&of_type.name)).copied().unwrap_or(0);
                }
            }
        } else {
            let of_types = self.resources.types();
            let claims: Vec<Claim> = (0u32..)
                .zip(&self.weights)
                .filter(|&(_, &weight)| weight > 0)
                .map(|(tenant, &weight)| Claim { tenant, weight })
                .collect();
            let units = of_types.iter().map(TypeResources::units).collect();
            let mut first_round = Quotas::default();
            TemporalLayer::new(units, self.quotas.len()).next_round(&claims, &mut first_round);
            for (i, claim) in claims.iter().enumerate() {
                for ((quota, units), of_type) in
                    self.quotas[claim.tenant as usize].iter_mut().zip(first_round.of(i)).zip(of_types)
                {
                    *quota = units * of_type.slots_per_unit();
                }
            }
        }
        self.shares = vec![Vec::new(); self.quotas.len()];
        for (quotas, share) in self.quotas.iter().zip(&mut self.shares) {
            self.resources.share(quotas.iter().copied(), share);
        }
    }

    /// The position of a type that the instance is known to have.
    pub(super) fn type_index(&self, name: &str) -> usize {
        self.instance.types.iter().position(|t| t.name == name).unwrap_or(0)
    }

    /// The program of one tenant alone, inside `capacity`.
    pub(super) fn alone(&self, tenant: usize, capacity: &[u32]) -> Program {
        let jobs = self.program.jobs.iter().filter(|job| job.tenant as usize == tenant);
        Program {
            capacity: capacity.to_vec(),
            tenants: vec![ProgramTenant { weight: 1, floor: 0 }],
            jobs: jobs.map(|job| ProgramJob { tenant: 0, options: job.options.clone() }).collect(),
        }
    }
}

fn holds(job: &InstanceJob, option: &InstanceOption) -> bool {
    let of_option = (&option.gpu, option.slots, option.memory, option.devices);
    job.previous.as_ref().is_some_and(|p| (&p.gpu, p.slots, p.memory, p.devices) == of_option)
}

fn worths_of(job: &InstanceJob, worth: Worth, path: &str) -> Result<Vec<f64>, SolveError> {
    let objective = match worth {
        Worth::Rate => return Ok(job.options.iter().map(|option| option.rate).collect()),
        Worth::Objective(objective) => objective,
    };
    let remaining_s = match (job.remaining_s, objective.mode) {
        (Some(remaining_s), _) => remaining_s,
        (None, Mode::Throughput) => f64::INFINITY,
        (None, _) => {
            let expected = "the seconds left at rate 1, which this objective needs";
            return Err(InstanceError::value(format!("{path}.remaining_s"), "nothing", expected).into());
        }
    };
    let largest = job.options.iter().map(|option| option.rate).fold(0.0, f64::max);
    if let Some(i) = job.options.iter().position(|option| option.rate > MAX_OBJECTIVE_RATE) {
        let expected =
            format!("at most {MAX_OBJECTIVE_RATE} where the objective is not the plain sum of rates");
        let path = format!("{path}.options[{i}].rate");
        return Err(InstanceError::value(path, largest, expected).into());
    }
    let devices = job.options.iter().map(|option| option.devices).max().unwrap_or(1);
    let remaining = if remaining_s.is_finite() {
        Rate::ONE.over(SimSpan::from_secs(remaining_s))
    } else {
        Work(i128::MAX / 4)
    };
    debug_assert_eq!(objective.durations, Durations::Oracle);
    let valued =
        objective.job(MilliGpus(devices.saturating_mul(1000)), remaining, remaining, Rate::from_f64(largest));
    let worth = |option: &InstanceOption| {
        let change = if holds(job, option) { 1.0 } else { objective.of_change() };
        valued.worth(Rate::from_f64(option.rate)) * change
    };
    Ok(job.options.iter().map(worth).collect())
}

/// The largest rate that the engine's own unit holds.
const MAX_OBJECTIVE_RATE: f64 = 1000.0;
