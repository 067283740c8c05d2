//! The cluster at one moment of a run: what every device holds, how many jobs of each tenant run and wait, and who waits for how long.
//!
//! [`Moments`] is made once a run. Any moment is then found by halving the bars of every lane and walking down a tree of the ends of jobs: the
//! work grows with what is there at that moment, not with what the run has.

mod drawing;

use std::ops::Range;
use std::rc::Rc;

pub(crate) use self::drawing::by_tenant;
pub use self::drawing::{Titles, drawing};
use super::schedule::reason;
use crate::chart::gantt::Schedule;
use crate::policy::Reason;

/// Most waiting jobs in a list.
pub const MOST_LISTED: usize = 50;
/// So many neighbours have one entry in the level above.
const FAN: usize = 16;

/// A run, ready to be looked at at any moment.
#[derive(Debug, Clone)]
pub struct Moments {
    schedule: Rc<Schedule>,
    /// Where the leases of each job begin, and the number of leases.
    job_leases: Vec<u32>,
    /// The ends of jobs in order of submission; above them the latest of every [`FAN`], and so on up to one.
    latest: Vec<Vec<u32>>,
    slots: u64,
}

/// What a bar holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// The device.
    pub device: u32,
    /// The first position there.
    pub first: u8,
    /// Positions.
    pub height: u8,
    /// Slots.
    pub slots: u8,
    /// The job.
    pub job: u32,
    /// Its tenant.
    pub tenant: u32,
}

/// Whether a node takes part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Service {
    /// It does.
    In,
    /// It does not.
    Out,
}

/// A tenant at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TenantNow {
    /// Jobs that hold something.
    pub running: u32,
    /// Jobs that are there and hold nothing.
    pub waiting: u32,
    /// Slots held.
    pub slots: u64,
}

/// A job that waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waiting {
    /// The job.
    pub job: u32,
    /// Its tenant.
    pub tenant: u32,
    /// The tick at which it was submitted or lost its last allocation.
    pub since: u32,
    /// Whether it has held something before.
    pub has_run: bool,
}

/// A run at a moment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Moment {
    /// The tick.
    pub tick: u32,
    /// What is held, by device and position.
    pub held: Vec<Held>,
    /// Devices of which something is held.
    pub devices_used: u32,
    /// Slots held.
    pub slots_used: u64,
    /// Slots of the cluster.
    pub slots: u64,
    /// Every tenant of the run.
    pub tenants: Vec<TenantNow>,
    /// Jobs that hold something.
    pub running: u32,
    /// Jobs that are there and hold nothing, in order of submission.
    pub waiting: Vec<u32>,
    /// The one of them that has waited longest; of equals the one submitted first.
    pub longest: Option<Waiting>,
    /// Nodes out of service.
    pub out: Vec<u32>,
}

impl Moments {
    /// Prepares a run: O(jobs + leases) steps.
    #[must_use]
    pub fn new(schedule: Rc<Schedule>) -> Self {
        let jobs = schedule.jobs() as u32;
        let mut job_leases = Vec::with_capacity(jobs as usize + 1);
        let mut leases = 0;
        while let Some(lease) = schedule.lease(leases) {
            // Jobs without a lease begin where the next one does.
            job_leases.resize((lease.job as usize + 1).max(job_leases.len()), leases);
            leases += 1;
        }
        job_leases.resize(jobs as usize + 1, leases);
        let mut latest: Vec<Vec<u32>> =
            vec![(0..jobs).map(|job| schedule.job(job).map_or(0, |job| job.end)).collect()];
        while let Some(below) = latest.last().filter(|level| level.len() > 1) {
            let above = below.chunks(FAN).map(|part| part.iter().copied().max().unwrap_or(0)).collect();
            latest.push(above);
        }
        let slots = schedule.kinds().iter().map(|kind| u64::from(kind.devices) * u64::from(kind.slots)).sum();
        Self { schedule, job_leases, latest, slots }
    }

    /// The run.
    #[must_use]
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// Seconds from the beginning of the run to its end.
    #[must_use]
    pub fn end_s(&self) -> f64 {
        self.schedule.seconds(f64::from(self.schedule.end()))
    }

    /// The tick nearest to a moment, within the run.
    #[must_use]
    pub fn tick(&self, time_s: f64) -> u32 {
        (self.schedule.ticks(time_s).round().max(0.0) as u32).min(self.schedule.end())
    }

    /// Seconds of a tick.
    #[must_use]
    pub fn seconds(&self, tick: u32) -> f64 {
        self.schedule.seconds(f64::from(tick))
    }

    /// The run at a tick. What begins there is held, what ends there is not; but what the end of the run cuts off still is.
    #[must_use]
    pub fn at(&self, tick: u32) -> Moment {
        let schedule = &*self.schedule;
        let is_cut =
            self.latest.last().and_then(|top| top.first()).is_some_and(|&latest| latest > schedule.end());
        let tick = tick.min(schedule.end().saturating_sub(u32::from(is_cut)));
        let mut moment = Moment {
            tick,
            slots: self.slots,
            tenants: vec![TenantNow::default(); schedule.tenants().len()],
            ..Moment::default()
        };
        let mut runs = vec![0_u64; schedule.jobs().div_ceil(64)];
        self.hold(&mut moment, &mut runs);
        self.there(tick, |job| {
            if runs.get(job as usize / 64).is_some_and(|word| word >> (job % 64) & 1 == 0) {
                moment.waiting.push(job);
            }
        });
        for &job in &moment.waiting {
            let Some(waiting) = self.waiting(job, tick) else { continue };
            if let Some(tenant) = moment.tenants.get_mut(waiting.tenant as usize) {
                tenant.waiting += 1;
            }
            if moment.longest.is_none_or(|longest| waiting.since < longest.since) {
                moment.longest = Some(waiting);
            }
        }
        let outages = schedule.outages().iter().filter(|outage| (outage.from..outage.to).contains(&tick));
        moment.out = outages.map(|outage| outage.node).collect();
        moment
    }

    /// What every lane holds at the moment; the bits of jobs that hold something are set.
    fn hold(&self, moment: &mut Moment, runs: &mut [u64]) {
        let schedule = &*self.schedule;
        let at = f64::from(moment.tick);
        let mut last_device = None;
        for (number, lane) in (0_u32..).zip(schedule.lanes()) {
            for bar in schedule.touching(number, at, at + 0.5) {
                let Some(job) = schedule.job_of(bar as u32) else { continue };
                let tenant = schedule.job(job).map_or(0, |job| job.tenant);
                let (device, slots) = (lane.device, lane.slots);
                moment.held.push(Held { device, first: lane.first, height: lane.height, slots, job, tenant });
                moment.slots_used += u64::from(slots);
                moment.devices_used += u32::from(last_device != Some(device));
                last_device = Some(device);
                let Some(word) = runs.get_mut(job as usize / 64) else { continue };
                let is_first = *word >> (job % 64) & 1 == 0;
                *word |= 1 << (job % 64);
                moment.running += u32::from(is_first);
                if let Some(of) = moment.tenants.get_mut(tenant as usize) {
                    of.running += u32::from(is_first);
                    of.slots += u64::from(slots);
                }
            }
        }
        moment.held.sort_unstable_by_key(|held| (held.device, held.first));
    }

    /// Every job that was submitted up to a tick and ends after it, in order of submission.
    fn there(&self, tick: u32, mut act: impl FnMut(u32)) {
        let submitted = |job: usize| self.schedule.job(job as u32).is_some_and(|job| job.submit <= tick);
        let jobs = halved(0..self.schedule.jobs(), submitted);
        let mut open = Vec::new();
        if let Some(top) = self.latest.len().checked_sub(1) {
            open.push((top, 0));
        }
        while let Some((level, at)) = open.pop() {
            let is_there =
                self.latest.get(level).and_then(|of| of.get(at)).is_some_and(|&latest| latest > tick);
            // The first job below an entry.
            let first = (at as u64) << (4 * level as u32);
            if !is_there || first >= jobs as u64 {
                continue;
            }
            match level {
                0 => act(at as u32),
                _ => open.extend((0..FAN).rev().map(|child| (level - 1, at * FAN + child))),
            }
        }
    }

    /// A job that waits at a tick.
    fn waiting(&self, job: u32, tick: u32) -> Option<Waiting> {
        let of = self.schedule.job(job)?;
        let (from, to) = (*self.job_leases.get(job as usize)?, *self.job_leases.get(job as usize + 1)?);
        let span = |lease: usize| {
            self.schedule.bars_of(lease as u32).first().and_then(|&bar| self.schedule.span(bar))
        };
        let begun = |lease: usize| span(lease).is_some_and(|span| span.start <= tick);
        let after = halved(from as usize..to as usize, begun);
        let last = if after > from as usize { span(after - 1) } else { None };
        let since = last.as_ref().map_or(of.submit, |span| span.end.min(tick));
        Some(Waiting { job, tenant: of.tenant, since, has_run: last.is_some() })
    }

    /// The first jobs that wait, of all tenants or of one, in order of submission; at most [`MOST_LISTED`].
    #[must_use]
    pub fn queue(&self, moment: &Moment, tenant: Option<u32>) -> Vec<Waiting> {
        let of = |job: &u32| self.waiting(*job, moment.tick);
        let is_wanted = |waiting: &Waiting| tenant.is_none_or(|tenant| waiting.tenant == tenant);
        moment.waiting.iter().filter_map(of).filter(is_wanted).take(MOST_LISTED).collect()
    }

    /// Why a job waits at a tick; `None` where the run did not note it.
    #[must_use]
    pub fn reason(&self, job: u32, tick: u32) -> Option<Reason> {
        let wait = self.schedule.waits(job).find(|wait| (wait.from..wait.to).contains(&tick))?;
        reason(wait.reason)
    }

    /// The next tick at which a job is submitted or an allocation begins or ends.
    #[must_use]
    pub fn change_after(&self, tick: u32) -> Option<u32> {
        let submit = |job: usize| self.schedule.job(job as u32).map_or(u32::MAX, |job| job.submit);
        let next = halved(0..self.schedule.jobs(), |job| submit(job) <= tick);
        let arrival = (next < self.schedule.jobs()).then(|| submit(next));
        let of_lane = |lane: u32| {
            let bars = self.schedule.lane(lane);
            let start = halved(bars.clone(), |bar| self.start(bar) <= tick);
            let end = halved(bars.clone(), |bar| self.end(bar) <= tick);
            let start = (start < bars.end).then(|| self.start(start));
            start.into_iter().chain((end < bars.end).then(|| self.end(end))).min()
        };
        (0..self.schedule.lanes().len() as u32).filter_map(of_lane).chain(arrival).min()
    }

    /// The last such tick before this one.
    #[must_use]
    pub fn change_before(&self, tick: u32) -> Option<u32> {
        let submit = |job: usize| self.schedule.job(job as u32).map_or(u32::MAX, |job| job.submit);
        let arrival = halved(0..self.schedule.jobs(), |job| submit(job) < tick).checked_sub(1).map(submit);
        let of_lane = |lane: u32| {
            let bars = self.schedule.lane(lane);
            let before = |at: usize| at.checked_sub(1).filter(|at| bars.contains(at));
            let start = before(halved(bars.clone(), |bar| self.start(bar) < tick)).map(|bar| self.start(bar));
            let end = before(halved(bars.clone(), |bar| self.end(bar) < tick)).map(|bar| self.end(bar));
            start.max(end)
        };
        (0..self.schedule.lanes().len() as u32).filter_map(of_lane).chain(arrival).max()
    }

    fn start(&self, bar: usize) -> u32 {
        self.schedule.span(bar as u32).map_or(0, |span| span.start)
    }

    fn end(&self, bar: usize) -> u32 {
        self.schedule.span(bar as u32).map_or(0, |span| span.end)
    }
}

/// The first of a range for which something does not hold any more, that holds for all before it.
fn halved(range: Range<usize>, holds: impl Fn(usize) -> bool) -> usize {
    let (mut from, mut to) = (range.start, range.end);
    while from < to {
        let middle = usize::midpoint(from, to);
        if holds(middle) { from = middle + 1 } else { to = middle }
    }
    from
}

/// The round that a moment is in, of rounds of this length.
#[must_use]
pub fn round_at(time_s: f64, round_s: f64) -> u64 {
    // A moment that was a boundary before it was rounded is one still.
    if round_s > 0.0 { (time_s / round_s + 1e-9).max(0.0) as u64 } else { 0 }
}

/// How long a run takes to be played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Speed {
    /// A minute.
    Slow,
    /// 20 seconds.
    #[default]
    Middle,
    /// 5 seconds.
    Fast,
}

impl Speed {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Slow, Self::Middle, Self::Fast];

    /// Seconds in which the whole run is played.
    #[must_use]
    pub fn seconds(self) -> f64 {
        match self {
            Self::Slow => 60.0,
            Self::Middle => 20.0,
            Self::Fast => 5.0,
        }
    }

    /// Where playing is after so many seconds of the reader's time; never beyond the end.
    #[must_use]
    pub fn after(self, time_s: f64, end_s: f64, elapsed_s: f64) -> f64 {
        (time_s + elapsed_s * end_s / self.seconds()).min(end_s)
    }
}

#[cfg(test)]
mod tests;
