//! What each tenant has at a moment of a run: its active jobs by class, and the service it has received.

use crate::units::{ClassId, MilliGpus, TenantId, Work};
use crate::workload::BoundWorkload;

/// Units of [`Standing::served`] in one second of one reference GPU.
pub const UNITS_PER_S: f64 = 1e15;

/// Kept up to date by the engine, event by event; whoever watches a run reads it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Standing {
    active: Vec<Vec<(ClassId, u32)>>,
    changes: Vec<u64>,
    served: Vec<i128>,
}

impl Standing {
    /// Nobody has anything yet.
    #[must_use]
    pub fn new(workload: &BoundWorkload) -> Self {
        let tenants = workload.tenants.len();
        Self { active: vec![Vec::new(); tenants], changes: vec![0; tenants], served: vec![0; tenants] }
    }

    /// Tenants of the workload.
    #[must_use]
    pub fn tenants(&self) -> usize {
        self.active.len()
    }

    /// The classes of a tenant's submitted, unfinished jobs in order, each with how many there are.
    #[must_use]
    pub fn active(&self, tenant: TenantId) -> &[(ClassId, u32)] {
        self.active.get(tenant.index()).map_or(&[], Vec::as_slice)
    }

    /// How often a tenant's active jobs have changed so far.
    #[must_use]
    pub fn changes(&self, tenant: TenantId) -> u64 {
        self.changes.get(tenant.index()).copied().unwrap_or(0)
    }

    /// Service a tenant's jobs have received: work done times GPUs asked for, in thousandths of a GPU times [`Work`] units: one
    /// second of one reference GPU is [`UNITS_PER_S`]. Up to date for jobs at the moments at which the engine looked at them
    /// last, which includes every round boundary and every end of an allocation.
    #[must_use]
    pub fn served(&self, tenant: TenantId) -> i128 {
        self.served.get(tenant.index()).copied().unwrap_or(0)
    }

    pub(super) fn arrived(&mut self, tenant: TenantId, class: ClassId) {
        let Some(active) = self.active.get_mut(tenant.index()) else { return };
        match active.binary_search_by_key(&class, |&(class, _)| class) {
            Ok(at) => active[at].1 += 1,
            Err(at) => active.insert(at, (class, 1)),
        }
        self.changes[tenant.index()] += 1;
    }

    pub(super) fn finished(&mut self, tenant: TenantId, class: ClassId) {
        let Some(active) = self.active.get_mut(tenant.index()) else { return };
        if let Ok(at) = active.binary_search_by_key(&class, |&(class, _)| class) {
            active[at].1 -= 1;
            if active[at].1 == 0 {
                active.remove(at);
            }
        }
        self.changes[tenant.index()] += 1;
    }

    pub(super) fn serve(&mut self, tenant: TenantId, gpus: MilliGpus, done: Work) {
        if let Some(served) = self.served.get_mut(tenant.index()) {
            *served += i128::from(gpus.0) * done.0;
        }
    }
}
