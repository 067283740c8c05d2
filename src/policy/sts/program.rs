//! The integer program of one round, and what a solver answers.
//!
//! Each job takes one of its options or idles. Maximise the sum over tenants of `weight * V_u`, where `V_u` is the sum of the
//! values of the options its jobs take, subject to the capacity of every resource and to `V_u >= floor` for every tenant.
//! Everything is an integer, so optimality is a statement without tolerances.

/// Most resources that one type contributes.
pub const MAX_TYPE_RESOURCES: usize = 4;

/// Resources an option takes: `amounts[i]` of resource `first + i`. Every option takes resources of one GPU type only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Usage {
    /// The first resource of the option's type.
    pub first: u16,
    /// How many resources the type has, 1 to [`MAX_TYPE_RESOURCES`].
    pub len: u8,
    /// Amounts, `len` of them.
    pub amounts: [u32; MAX_TYPE_RESOURCES],
}

impl Usage {
    /// The resources taken and how much of each.
    pub fn amounts(&self) -> impl Iterator<Item = (usize, u32)> + use<> {
        let first = usize::from(self.first);
        self.amounts.into_iter().take(usize::from(self.len)).enumerate().map(move |(i, a)| (first + i, a))
    }

    /// Whether this takes no more than `other` of every resource. Usages of different types are not comparable.
    #[must_use]
    pub fn within(&self, other: &Self) -> bool {
        self.first == other.first && self.amounts.iter().zip(&other.amounts).all(|(a, b)| a <= b)
    }

    /// Whether it fits into what is free of every resource.
    #[must_use]
    pub fn fits(&self, free: &[u32]) -> bool {
        self.amounts().all(|(resource, amount)| free.get(resource).is_some_and(|&f| amount <= f))
    }
}

/// One option of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ProgramOption {
    /// What it takes.
    pub usage: Usage,
    /// What it is worth, at least 1.
    pub value: i64,
    /// Whether this is what the job holds already: among equal objectives, decisions that keep more jobs win.
    pub keeps: bool,
    /// Slots it takes in all: among those, decisions that take fewer slots win.
    pub slots: u32,
}

/// One job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramJob {
    /// Its tenant, as an index into [`Program::tenants`].
    pub tenant: u32,
    /// Its options.
    pub options: Vec<ProgramOption>,
}

/// One tenant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProgramTenant {
    /// Weight of its value in the objective, at least 1.
    pub weight: i64,
    /// What its jobs must be worth at least.
    pub floor: i64,
}

/// The program of one round.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Program {
    /// Capacity of every resource.
    pub capacity: Vec<u32>,
    /// Tenants.
    pub tenants: Vec<ProgramTenant>,
    /// Jobs, ordered by tenant and then by job id.
    pub jobs: Vec<ProgramJob>,
}

/// How good a solution is proven to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// No feasible solution has a greater objective.
    Optimal,
    /// Feasible; the bound says how far from the optimum it can be.
    Feasible,
    /// No choice meets all floors within the capacities.
    Infeasible,
}

/// The answer of a solver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solution {
    /// What was shown.
    pub status: Status,
    /// For every job the option it takes; `None` = it idles. Empty when infeasible.
    pub choice: Vec<Option<u16>>,
    /// The objective of `choice`.
    pub objective: i128,
    /// No feasible choice has a greater objective.
    pub bound: i128,
    /// States (table cells or kept states) examined.
    pub states: u64,
    /// How the answer was reached.
    pub method: &'static str,
}

impl Program {
    /// The jobs of a tenant.
    #[must_use]
    pub fn jobs_of(&self, tenant: usize) -> &[ProgramJob] {
        let from = self.jobs.partition_point(|job| (job.tenant as usize) < tenant);
        let to = self.jobs.partition_point(|job| job.tenant as usize <= tenant);
        &self.jobs[from..to]
    }

    /// The value of every tenant under a choice.
    #[must_use]
    pub fn tenant_values(&self, choice: &[Option<u16>]) -> Vec<i64> {
        let mut values = vec![0; self.tenants.len()];
        for (job, option) in self.jobs.iter().zip(choice) {
            if let Some(option) = option.and_then(|o| job.options.get(usize::from(o))) {
                values[job.tenant as usize] += option.value;
            }
        }
        values
    }

    /// The objective of a choice.
    #[must_use]
    pub fn objective(&self, choice: &[Option<u16>]) -> i128 {
        let values = self.tenant_values(choice);
        self.tenants.iter().zip(&values).map(|(t, &v)| i128::from(t.weight) * i128::from(v)).sum()
    }

    /// Whether a choice respects every capacity and every floor, checked from scratch.
    #[must_use]
    pub fn is_feasible(&self, choice: &[Option<u16>]) -> bool {
        if choice.len() != self.jobs.len() {
            return false;
        }
        let mut used = vec![0u64; self.capacity.len()];
        for (job, option) in self.jobs.iter().zip(choice) {
            let Some(option) = option else { continue };
            let Some(option) = job.options.get(usize::from(*option)) else { return false };
            for (resource, amount) in option.usage.amounts() {
                let Some(used) = used.get_mut(resource) else { return false };
                *used += u64::from(amount);
            }
        }
        used.iter().zip(&self.capacity).all(|(&u, &c)| u <= u64::from(c))
            && self.tenant_values(choice).iter().zip(&self.tenants).all(|(&v, t)| v >= t.floor)
    }
}
