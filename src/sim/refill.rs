//! Free capacity inside a round, as a policy's refill sees it.

use crate::cluster::Placement;
use crate::cluster::occupancy::Occupancy;
use crate::policy::Refill;
use crate::units::{JobId, TypeId};
use crate::workload::{BoundWorkload, JobOption};

/// Starts jobs on real devices and remembers which.
pub(super) struct Filler<'a> {
    workload: &'a BoundWorkload,
    occupancy: &'a mut Occupancy,
    started: Vec<(JobId, u16, Placement)>,
}

impl<'a> Filler<'a> {
    pub(super) fn new(workload: &'a BoundWorkload, occupancy: &'a mut Occupancy) -> Self {
        Self { workload, occupancy, started: Vec::new() }
    }

    /// What was started, in the order of starting.
    pub(super) fn into_started(self) -> Vec<(JobId, u16, Placement)> {
        self.started
    }

    fn is_started(&self, job: JobId) -> bool {
        self.started.iter().any(|(started, _, _)| *started == job)
    }

    fn option(&self, job: JobId, option: u16) -> Option<JobOption> {
        let job = self.workload.jobs.get(job.index())?;
        self.workload.class_of(job).options.get(usize::from(option)).copied()
    }
}

impl Refill for Filler<'_> {
    fn try_start(&mut self, job: JobId, option: u16) -> bool {
        let Some(wanted) = self.option(job, option).filter(|_| !self.is_started(job)) else { return false };
        let Some(placement) = self.occupancy.place(wanted.type_id, wanted.slice(), wanted.devices) else {
            return false;
        };
        self.started.push((job, option, placement));
        true
    }

    fn try_start_at(&mut self, job: JobId, option: u16, place: &Placement) -> bool {
        let is_of_option = self.option(job, option).is_some_and(|wanted| is_of(place, wanted));
        if is_of_option && !self.is_started(job) && self.occupancy.claim(place) {
            self.started.push((job, option, place.clone()));
            return true;
        }
        self.try_start(job, option)
    }

    fn try_grow(&mut self, job: JobId, option: u16) -> bool {
        let Some(wanted) = self.option(job, option) else { return false };
        let Some(at) = self.started.iter().position(|(started, _, _)| *started == job) else { return false };
        self.occupancy.release(&self.started[at].2);
        match self.occupancy.place(wanted.type_id, wanted.slice(), wanted.devices) {
            Some(placement) => {
                self.started[at] = (job, option, placement);
                true
            }
            None => {
                self.occupancy.claim(&self.started[at].2);
                false
            }
        }
    }

    fn free_slots(&self, type_id: TypeId) -> u32 {
        self.occupancy.free_slots(type_id)
    }

    fn free_devices(&self, type_id: TypeId) -> u32 {
        self.occupancy.free_devices(type_id)
    }

    fn is_full(&self) -> bool {
        self.occupancy.is_full()
    }
}

/// Whether a placement is of an option's kind.
pub(super) fn is_of(place: &Placement, option: JobOption) -> bool {
    place.type_id == option.type_id
        && place.slice == option.slice()
        && place.parts.len() == option.devices as usize
}
