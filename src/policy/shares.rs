//! From devices that tenants are due, in fractions, to the jobs that run.
//!
//! Every tenant keeps an account on every type: each round it is credited what it is due and charged what its jobs take. The
//! account that is owed most is served first, with the tenant's first job in its own order that fits; a job may be half ahead of
//! its account. So what a tenant has had never differs from what it is due by more than its largest job, as long as it has jobs
//! to run. Devices that no account claims go to whoever waits, most owed first, without a charge.

use super::list::{Chooser, Passing, Sharing, fits, is_full, take};
use super::{Decision, Grant, Params, Refill, View};
use crate::cluster::capacity::Capacity;
use crate::units::{JobId, TenantId, TypeId};
use crate::workload::JobOption;

/// A tenant with active jobs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ActiveTenant {
    /// Who.
    pub(super) id: TenantId,
    /// Its weight now.
    pub(super) weight: f64,
    /// Its active jobs, in the order in which it wants them served.
    pub(super) jobs: Vec<JobId>,
    /// Devices that its jobs ask for, each on the type where it asks for most.
    pub(super) devices: f64,
    /// Devices of its largest job.
    pub(super) largest: f64,
    /// Mean speed of its jobs on each type, counting a job by its devices; 0 where none can run.
    pub(super) speeds: Vec<f64>,
}

/// Devices that an option takes, a slice counting as its part of one.
fn devices_of(view: &View<'_>, option: JobOption) -> f64 {
    let slots = f64::from(view.cluster.gpu_type(option.type_id).slots_per_device());
    f64::from(option.devices) * f64::from(option.slots) / slots
}

/// The tenants that have active jobs, in the order of tenants; their jobs in order of submission.
pub(super) fn active_tenants(view: &View<'_>, sharing: Sharing) -> Vec<ActiveTenant> {
    let mut jobs: Vec<(TenantId, JobId)> =
        view.active.iter().map(|&job| (view.job(job).tenant, job)).collect();
    jobs.sort_unstable();
    let mut tenants: Vec<ActiveTenant> = Vec::new();
    for (id, job) in jobs {
        if tenants.last().is_none_or(|last| last.id != id) {
            tenants.push(ActiveTenant {
                id,
                weight: view.workload.tenants[id.index()].weight_at(view.now) as f64 / 1e6,
                jobs: Vec::new(),
                devices: 0.0,
                largest: 0.0,
                speeds: vec![0.0; view.cluster.types().len()],
            });
        }
        let Some(tenant) = tenants.last_mut() else { continue };
        tenant.jobs.push(job);
        let class = view.class(job);
        let options = view.cluster.type_ids().filter_map(|k| sharing.option_on(class, k));
        let options: Vec<JobOption> = options.map(|o| class.options[usize::from(o)]).collect();
        let devices = options.iter().fold(0.0, |most: f64, &option| most.max(devices_of(view, option)));
        for option in options {
            tenant.speeds[option.type_id.index()] += devices * option.rate.as_f64();
        }
        tenant.devices += devices;
        tenant.largest = tenant.largest.max(devices);
    }
    for tenant in &mut tenants {
        for speed in &mut tenant.speeds {
            *speed /= tenant.devices.max(f64::MIN_POSITIVE);
        }
    }
    tenants
}

/// The accounts of all tenants.
pub(super) struct Accounts {
    sharing: Sharing,
    chooser: Chooser,
    types: usize,
    /// Devices owed, by tenant and type.
    owed: Vec<f64>,
    /// Who got nothing at the boundary, in the order in which they are served.
    passed_over: Vec<JobId>,
    granted: Vec<Grant>,
    newest: Option<JobId>,
    /// Whether a job has a grant in the decision under way, by job; all false in between.
    is_served: Vec<bool>,
}

impl Accounts {
    pub(super) fn new(params: &Params, seed: u64) -> Self {
        Self {
            sharing: Sharing::of(params),
            chooser: Chooser::new(params, seed),
            types: 0,
            owed: Vec::new(),
            passed_over: Vec::new(),
            granted: Vec::new(),
            newest: None,
            is_served: Vec::new(),
        }
    }

    pub(super) fn sharing(&self) -> Sharing {
        self.sharing
    }

    /// Chooses options for jobs.
    pub(super) fn chooser(&mut self) -> &mut Chooser {
        &mut self.chooser
    }

    /// Credits every tenant the devices it is `due` of each type for the round and decides who runs.
    pub(super) fn decide(
        &mut self,
        view: &View<'_>,
        tenants: &[ActiveTenant],
        due: &[Vec<f64>],
        decision: &mut Decision,
    ) {
        self.types = view.cluster.types().len();
        self.owed.resize(view.workload.tenants.len() * self.types, 0.0);
        self.is_served.resize(view.states.len(), false);
        self.newest = view.active.last().copied();
        self.credit(tenants, due);
        let mut room = view.capacity();
        self.serve(view, tenants, &mut room, decision);
        self.fill_up(view, tenants, &mut room, decision);
        for job in view.active {
            self.is_served[job.index()] = false;
        }
        self.granted.clear();
        self.granted.extend_from_slice(&decision.grants);
    }

    fn credit(&mut self, tenants: &[ActiveTenant], due: &[Vec<f64>]) {
        for (tenant, due) in tenants.iter().zip(due) {
            for (k, &due) in due.iter().enumerate() {
                // What a tenant cannot use is not kept for longer than its largest job needs.
                let most = tenant.largest.max(due);
                let owed = &mut self.owed[tenant.id.index() * self.types + k];
                *owed = (*owed + due).clamp(-most, most);
            }
        }
    }

    fn serve(
        &mut self,
        view: &View<'_>,
        tenants: &[ActiveTenant],
        room: &mut Capacity,
        decision: &mut Decision,
    ) {
        // What does not fit an account now will not fit it later in this round: room and accounts only shrink.
        let mut cursors = vec![0; tenants.len() * self.types];
        loop {
            let open = (0..cursors.len()).filter(|&at| cursors[at] < tenants[at / self.types].jobs.len());
            let owed =
                |at: usize| self.owed[tenants[at / self.types].id.index() * self.types + at % self.types];
            let Some(at) =
                open.filter(|&at| owed(at) > 0.0).reduce(|a, b| if owed(b) > owed(a) { b } else { a })
            else {
                return;
            };
            let type_id = TypeId((at % self.types) as u16);
            let job = tenants[at / self.types].jobs[cursors[at]];
            cursors[at] += 1;
            if self.is_served[job.index()] {
                continue;
            }
            let Some(option) = self.sharing.option_on(view.class(job), type_id) else { continue };
            let taken = view.option(job, option);
            let devices = devices_of(view, taken);
            if owed(at) + 1e-9 >= devices / 2.0 && fits(room, taken) {
                take(room, taken);
                decision.grants.push(Grant { job, option });
                self.is_served[job.index()] = true;
                self.owed[tenants[at / self.types].id.index() * self.types + at % self.types] -= devices;
            }
        }
    }

    fn fill_up(
        &mut self,
        view: &View<'_>,
        tenants: &[ActiveTenant],
        room: &mut Capacity,
        decision: &mut Decision,
    ) {
        let owed = |tenant: &ActiveTenant| -> f64 {
            self.owed[tenant.id.index() * self.types..][..self.types].iter().sum()
        };
        let mut order: Vec<(f64, &ActiveTenant)> = tenants.iter().map(|t| (owed(t), t)).collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.id.cmp(&b.1.id)));
        self.passed_over.clear();
        let jobs = order.iter().flat_map(|(_, tenant)| tenant.jobs.iter().copied());
        self.passed_over.extend(jobs.filter(|job| !self.is_served[job.index()]));
        for &job in &self.passed_over {
            if is_full(view, room) {
                return;
            }
            let class = view.class(job);
            let options = view.cluster.type_ids().filter_map(|k| self.sharing.option_on(class, k));
            let free = options.filter(|&o| fits(room, class.options[usize::from(o)]));
            let rate = |option: u16| class.options[usize::from(option)].rate;
            if let Some(option) = free.reduce(|a, b| if rate(b) > rate(a) { b } else { a }) {
                take(room, class.options[usize::from(option)]);
                decision.grants.push(Grant { job, option });
            }
        }
    }

    /// Starts waiting jobs inside a round: those passed over at its boundary in their order, then those whose grant found no
    /// place, then who arrived since.
    pub(super) fn refill(&mut self, view: &View<'_>, waiting: &[JobId], free: &mut dyn Refill) {
        let since = waiting.partition_point(|&job| Some(job) <= self.newest);
        let known = self.passed_over.iter().copied().chain(self.granted.iter().map(|grant| grant.job));
        let waits = |job: &JobId| view.state(*job).held.is_none() && view.state(*job).finish.is_none();
        let order = known.filter(waits).chain(waiting[since..].iter().copied());
        self.chooser.refill(view, order, Passing::Always, free);
    }
}
