//! Shares of time for the fluid mode: devices dealt to jobs in fractions.

use super::list::Chooser;
use super::{SHARE_UNITS, Share, View};
use crate::units::JobId;

/// What is left of a cluster, or of a part of it, by type: slots times [`SHARE_UNITS`].
pub(super) type Pool = Vec<u128>;

/// Everything in service.
pub(super) fn whole(view: &View<'_>) -> Pool {
    let types = view.cluster.types().iter().zip(view.in_service);
    types
        .map(|(gpu_type, &devices)| {
            u128::from(devices) * u128::from(gpu_type.slots_per_device()) * u128::from(SHARE_UNITS)
        })
        .collect()
}

/// Moves as much of each type to a part as that is due; `due` is in devices. What a solver's tolerance adds beyond all there is, is cut.
pub(super) fn part_of(view: &View<'_>, pool: &mut Pool, due: &[f64]) -> Pool {
    let types = view.cluster.types().iter().zip(pool).zip(due);
    types
        .map(|((gpu_type, left), &due)| {
            let slots = due.max(0.0) * f64::from(gpu_type.slots_per_device());
            let part = ((slots * SHARE_UNITS as f64) as u128).min(*left);
            *left -= part;
            part
        })
        .collect()
}

/// Deals shares: a job never gets more than all of its time, and nobody gets what is not there.
pub(super) struct Dealer<'v> {
    view: &'v View<'v>,
    /// Time left of each job, in the order of [`View::active`].
    time_left: Vec<u64>,
    shares: &'v mut Vec<Share>,
}

impl<'v> Dealer<'v> {
    /// Nothing is dealt yet.
    pub(super) fn new(view: &'v View<'v>, shares: &'v mut Vec<Share>) -> Self {
        shares.clear();
        Self { view, time_left: vec![SHARE_UNITS; view.active.len()], shares }
    }

    /// Gives a job an option for at most this much of the time.
    pub(super) fn give(&mut self, pool: &mut Pool, job: JobId, option: u16, most: u64) {
        let Ok(at) = self.view.active.binary_search(&job) else { return };
        let taken = self.view.option(job, option);
        let slots = u128::from(taken.slots) * u128::from(taken.devices);
        let (left, room) = (&mut self.time_left[at], &mut pool[taken.type_id.index()]);
        let fitting = u64::try_from(*room / slots.max(1)).unwrap_or(u64::MAX);
        let of_time = fitting.min(most).min(*left);
        if of_time > 0 {
            *left -= of_time;
            *room -= u128::from(of_time) * slots;
            self.shares.push(Share { job, option, of_time });
        }
    }

    /// Gives jobs, in this order, as much of the time as is left on each of their options in turn.
    pub(super) fn give_in_order(
        &mut self,
        pool: &mut Pool,
        chooser: &mut Chooser,
        jobs: impl Iterator<Item = JobId>,
    ) {
        for job in jobs {
            let types = self.view.cluster.types();
            let free_devices = |type_id: crate::units::TypeId| {
                let unit = u128::from(types[type_id.index()].slots_per_device()) * u128::from(SHARE_UNITS);
                u32::try_from(pool[type_id.index()] / unit.max(1)).unwrap_or(u32::MAX)
            };
            for option in chooser.ranked(self.view, job, free_devices).to_vec() {
                self.give(pool, job, option, SHARE_UNITS);
            }
        }
    }

    /// Makes one share of all that a job has of one option.
    pub(super) fn finish(self) {
        self.shares.sort_unstable_by_key(|share| (share.job, share.option));
        self.shares.dedup_by(|next, share| {
            let is_same = (next.job, next.option) == (share.job, share.option);
            if is_same {
                share.of_time += next.of_time;
            }
            is_same
        });
    }
}
