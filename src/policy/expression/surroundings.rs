//! The numbers behind the fields of an expression, as they are at a decision.

use super::field::{Field, SYMBOLS};
use crate::policy::estimate::Estimator;
use crate::policy::list::free_beside_running;
use crate::policy::tenants::{Service, weight};
use crate::policy::{ATTAINED_UNITS, RefillReads, View, held_units};
use crate::units::{JobId, MICROS_PER_S, SimSpan, TenantId, Work};

/// What is known beside the job itself. Only what the expression names is kept up to date.
#[derive(Debug, Default)]
pub(super) struct Surroundings {
    watched: Vec<Part>,
    tenants: Vec<TenantNow>,
    /// By job: what its tenant's jobs ahead of it ask for, in thousandths of a GPU.
    ahead_milli: Vec<u64>,
    service: Service,
    /// By tenant, as [`crate::policy::JobState::attained`] counts.
    served: Vec<i128>,
    cluster: ClusterNow,
}

/// What is kept up to date together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Tenants,
    Ahead,
    Service,
    Cluster,
}

#[derive(Debug, Clone, Copy, Default)]
struct TenantNow {
    weight: f64,
    /// Of the weights of all tenants with jobs.
    share: f64,
    is_active: bool,
    held_units: i128,
    queued: u32,
}

#[derive(Debug, Clone, Copy, Default)]
struct ClusterNow {
    free_slots: u64,
    total_slots: u64,
    total_gpus: u64,
    asked_milli: u64,
    queue_length: u32,
}

impl Field {
    /// What it is read from, beside the job itself.
    fn parts(self) -> &'static [Part] {
        match self {
            Self::TenantWeight | Self::TenantShare | Self::TenantHeld | Self::TenantQueued => {
                &[Part::Tenants]
            }
            Self::TenantEntitled => &[Part::Tenants, Part::Cluster],
            Self::TenantAhead => &[Part::Ahead],
            Self::TenantService => &[Part::Service],
            Self::FreeSlots | Self::TotalSlots | Self::TotalGpus | Self::QueueLength | Self::Load => {
                &[Part::Cluster]
            }
            _ => &[],
        }
    }
}

impl Surroundings {
    /// Surroundings for an expression that names some fields.
    pub(super) fn for_fields(is_named: impl Fn(Field) -> bool) -> Self {
        let named = (0..SYMBOLS.len()).map(Field::at).filter(|&field| is_named(field));
        Self { watched: named.flat_map(Field::parts).copied().collect(), ..Self::default() }
    }

    /// Whose state is read inside a round.
    pub(super) fn reads(&self) -> RefillReads {
        if self.watched.contains(&Part::Service) { RefillReads::Everyone } else { RefillReads::Waiting }
    }

    /// Looks at a moment. Takes O(active jobs) if the expression names anything of tenants or the cluster.
    pub(super) fn observe(&mut self, view: &View<'_>) {
        if self.watched.contains(&Part::Tenants) {
            self.observe_tenants(view);
        }
        if self.watched.contains(&Part::Ahead) {
            self.observe_ahead(view);
        }
        if self.watched.contains(&Part::Service) {
            let Self { service, served, .. } = self;
            served.resize(view.workload.tenants.len(), 0);
            service.count(view, |tenant, _, attained| served[tenant.index()] += attained);
        }
        if self.watched.contains(&Part::Cluster) {
            self.cluster = ClusterNow::of(view);
        }
    }

    fn observe_tenants(&mut self, view: &View<'_>) {
        self.tenants.clear();
        self.tenants.resize(view.workload.tenants.len(), TenantNow::default());
        for &job in view.active {
            let tenant = &mut self.tenants[view.job(job).tenant.index()];
            tenant.is_active = true;
            match view.state(job).held {
                Some(held) => {
                    let taken = held.taken;
                    tenant.held_units += held_units(view.cluster, taken.type_id, taken.slots, taken.devices);
                }
                None => tenant.queued += 1,
            }
        }
        let mut active_micro: u64 = 0;
        for (tenant, id) in self.tenants.iter_mut().zip((0..).map(TenantId)) {
            let micro = weight(view, id);
            tenant.weight = micro as f64 / 1e6;
            active_micro += if tenant.is_active { micro } else { 0 };
        }
        if active_micro > 0 {
            let all = active_micro as f64 / 1e6;
            self.tenants.iter_mut().for_each(|tenant| tenant.share = tenant.weight / all);
        }
    }

    fn observe_ahead(&mut self, view: &View<'_>) {
        self.ahead_milli.resize(view.workload.jobs.len(), 0);
        let mut so_far = vec![0u64; view.workload.tenants.len()];
        for &job in view.active {
            let of_tenant = &mut so_far[view.job(job).tenant.index()];
            self.ahead_milli[job.index()] = *of_tenant;
            *of_tenant += u64::from(view.class(job).gpus.0);
        }
    }

    /// The number of a field for a job.
    pub(super) fn value(&self, field: Field, view: &View<'_>, estimator: &Estimator, job: JobId) -> f64 {
        let (bound, state) = (view.job(job), view.state(job));
        let tenant = || self.tenants.get(bound.tenant.index()).copied().unwrap_or_default();
        match field {
            Field::Wait => (view.now - bound.submit - state.executed).as_secs(),
            Field::Idle if state.held.is_some() => 0.0,
            Field::Idle => (view.now - state.changed).as_secs(),
            Field::Age => (view.now - bound.submit).as_secs(),
            Field::Submit => bound.submit.as_secs(),
            Field::Executed => state.executed.as_secs(),
            Field::Attained => gpu_seconds(state.attained),
            Field::Running => f64::from(u8::from(state.held.is_some())),
            Field::Gpus => view.class(job).gpus.as_gpus(),
            Field::LeastGpus => least_gpus(view, job),
            Field::BestSpeed => {
                view.class(job).options.iter().map(|option| option.rate.as_f64()).fold(0.0, f64::max)
            }
            Field::Remaining => estimator.remaining(view, job).as_reference_secs(),
            Field::Duration => {
                let done = bound.work - state.remaining;
                Work(done.0 + estimator.remaining(view, job).0).as_reference_secs()
            }
            Field::Limit => bound.limit.map_or(f64::INFINITY, SimSpan::as_secs),
            Field::TenantWeight => tenant().weight,
            Field::TenantShare => tenant().share,
            Field::TenantEntitled => tenant().share * self.cluster.total_gpus as f64,
            Field::TenantHeld => tenant().held_units as f64 / ATTAINED_UNITS as f64,
            Field::TenantAhead => {
                self.ahead_milli.get(job.index()).map_or(0.0, |&milli| milli as f64 / 1000.0)
            }
            Field::TenantQueued => f64::from(tenant().queued),
            Field::TenantService => {
                self.served.get(bound.tenant.index()).map_or(0.0, |&units| gpu_seconds(units))
            }
            Field::FreeSlots => self.cluster.free_slots as f64,
            Field::TotalSlots => self.cluster.total_slots as f64,
            Field::TotalGpus => self.cluster.total_gpus as f64,
            Field::QueueLength => f64::from(self.cluster.queue_length),
            Field::Load => self.cluster.asked_milli as f64 / 1000.0 / self.cluster.total_gpus as f64,
            Field::Now => view.now.as_secs(),
        }
    }
}

impl ClusterNow {
    fn of(view: &View<'_>) -> Self {
        let free = free_beside_running(view);
        let slots = |k| u64::from(view.cluster.gpu_type(k).slots_per_device());
        Self {
            free_slots: view.cluster.type_ids().map(|k| u64::from(free.free_slots(k))).sum(),
            total_slots: view
                .cluster
                .type_ids()
                .map(|k| u64::from(view.in_service[k.index()]) * slots(k))
                .sum(),
            total_gpus: view.in_service.iter().copied().map(u64::from).sum(),
            asked_milli: view.active.iter().map(|&job| u64::from(view.class(job).gpus.0)).sum(),
            queue_length: view.active.iter().filter(|&&job| view.state(job).held.is_none()).count() as u32,
        }
    }
}

/// Service as [`crate::policy::JobState::attained`] counts it, in GPU-seconds.
fn gpu_seconds(attained: i128) -> f64 {
    attained as f64 / (ATTAINED_UNITS * i128::from(MICROS_PER_S)) as f64
}

fn least_gpus(view: &View<'_>, job: JobId) -> f64 {
    let units = view
        .class(job)
        .options
        .iter()
        .map(|option| held_units(view.cluster, option.type_id, option.slots, option.devices))
        .min();
    units.map_or(0.0, |units| units as f64 / ATTAINED_UNITS as f64)
}
