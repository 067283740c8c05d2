//! Filling what becomes free inside a round.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::round::valued;
use super::value::{Objective, Valued};
use crate::cluster::Slice;
use crate::policy::estimate::Estimator;
use crate::policy::{Refill, View};
use crate::units::{JobId, TypeId};
use crate::workload::JobOption;

/// A way to start a job.
#[derive(Debug, Clone, Copy)]
struct Start {
    /// Worth per device.
    density: f64,
    /// Position among the waiting jobs.
    waiting: u32,
    option: u16,
}

impl Ord for Start {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |start: &Self| (Reverse(start.waiting), Reverse(start.option));
        self.density.total_cmp(&other.density).then_with(|| key(self).cmp(&key(other)))
    }
}

impl PartialOrd for Start {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Start {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Start {}

/// A job started here.
struct Started {
    job: JobId,
    option: u16,
    valued: Valued,
    /// Options that did not fit.
    refused: Vec<u16>,
}

/// Starts waiting jobs, the most valuable per slot first, a slot counting as its share of a device (ties: the order of jobs); then
/// lets those jobs grow on their devices' type, the largest gain first, into what is still free. Neither hysteresis nor finishing
/// in the round plays a part: nobody has to give way, so a job that would finish in the round anyway may finish sooner.
pub(super) fn refill(
    view: &View<'_>,
    objective: &Objective,
    estimator: &Estimator,
    waiting: &[JobId],
    free: &mut dyn Refill,
) {
    if free.is_full() {
        return;
    }
    let mut room: Vec<u32> = view.cluster.type_ids().map(|type_id| free.free_slots(type_id)).collect();
    let started = start(view, objective, estimator, waiting, free, &mut room);
    grow(view, started, free, &mut room);
}

fn total_slots(option: &JobOption) -> u32 {
    u32::from(option.slots) * option.devices
}

/// An option's share of devices: a slot of a device cut into four is a quarter.
fn devices(view: &View<'_>, option: &JobOption) -> f64 {
    f64::from(total_slots(option)) / f64::from(view.cluster.gpu_type(option.type_id).slots_per_device())
}

fn start(
    view: &View<'_>,
    objective: &Objective,
    estimator: &Estimator,
    waiting: &[JobId],
    free: &mut dyn Refill,
    room: &mut [u32],
) -> Vec<Started> {
    let has_room = |room: &[u32], option: &JobOption| {
        room.get(option.type_id.index()).is_some_and(|&room| total_slots(option) <= room)
    };
    let value = |job: JobId| {
        let best = view.class(job).options.iter().map(|option| option.rate).max().unwrap_or_default();
        valued(view, objective, estimator, job, best)
    };
    let mut starts: Vec<Start> = Vec::new();
    for (position, &job) in (0u32..).zip(waiting) {
        let options = &view.class(job).options;
        if !options.iter().any(|option| has_room(room, option)) {
            continue;
        }
        let valued = value(job);
        for (index, option) in (0u16..).zip(options).filter(|(_, option)| has_room(room, option)) {
            let density = valued.uncapped(option.rate) / devices(view, option);
            starts.push(Start { density, waiting: position, option: index });
        }
    }
    let mut heap = BinaryHeap::from(starts);
    let mut started: Vec<Started> = Vec::new();
    let mut is_started = vec![false; waiting.len()];
    let mut refused: Vec<(TypeId, Slice, u32)> = Vec::new();
    while let Some(best) = heap.pop() {
        let position = best.waiting as usize;
        let job = waiting[position];
        let option = view.option(job, best.option);
        let shape = (option.type_id, option.slice(), option.devices);
        if is_started[position] || !has_room(room, &option) || refused.contains(&shape) {
            continue;
        }
        if free.try_start(job, best.option) {
            is_started[position] = true;
            room[option.type_id.index()] = free.free_slots(option.type_id);
            started.push(Started { job, option: best.option, valued: value(job), refused: Vec::new() });
            if free.is_full() {
                break;
            }
        } else {
            refused.push(shape);
        }
    }
    started
}

fn grow(view: &View<'_>, mut started: Vec<Started>, free: &mut dyn Refill, room: &mut [u32]) {
    loop {
        let mut best: Option<(f64, usize, u16)> = None;
        for (i, of_job) in started.iter().enumerate() {
            let current = view.option(of_job.job, of_job.option);
            let worth = of_job.valued.uncapped(current.rate);
            for (index, option) in (0u16..).zip(&view.class(of_job.job).options) {
                let slots = total_slots(option);
                let fits = option.type_id == current.type_id
                    && slots > total_slots(&current)
                    && slots <= total_slots(&current) + room[option.type_id.index()];
                if !fits || of_job.refused.contains(&index) {
                    continue;
                }
                let gain = of_job.valued.uncapped(option.rate) - worth;
                if gain > 0.0 && best.is_none_or(|(most, _, _)| gain > most) {
                    best = Some((gain, i, index));
                }
            }
        }
        let Some((_, i, index)) = best else { return };
        let of_job = &mut started[i];
        if free.try_grow(of_job.job, index) {
            of_job.option = index;
            let type_id = view.option(of_job.job, index).type_id;
            room[type_id.index()] = free.free_slots(type_id);
        } else {
            of_job.refused.push(index);
        }
    }
}
