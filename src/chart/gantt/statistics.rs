//! Figures of a stretch of time on some rows, and the history of one job.

use std::cmp::Reverse;
use std::ops::Range;

use super::rows::{Place, devices};
use super::schedule::{Fate, NEVER, Schedule};

/// Figures of a stretch of time on some devices.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Figures {
    /// Its length in seconds.
    pub length_s: f64,
    /// GPUs looked at.
    pub devices: u32,
    /// Bars that touch it.
    pub bars: u64,
    /// Jobs that held something in it.
    pub jobs: u64,
    /// Those of them that began in it for the first time.
    pub started: u64,
    /// Those of them that ended in it.
    pub ended: u64,
    /// Share of the devices that was held, each slot by its part of a device; `None` without devices or time.
    pub used: Option<f64>,
    /// Hours of devices held.
    pub gpu_hours: f64,
    /// Mean wait before the first start, in seconds, of the jobs that began in it.
    pub wait_mean_s: Option<f64>,
    /// Hours of devices held by tenant, the most first.
    pub by_tenant: Vec<(u32, f64)>,
}

/// Figures of what some places held between two ticks. Places inside others count once.
#[must_use]
pub fn figures(schedule: &Schedule, places: &[Place], from: f64, to: f64) -> Figures {
    let of = merged(places.iter().map(|place| devices(schedule, *place)));
    let mut out = Figures { length_s: schedule.seconds(to - from).max(0.0), ..Figures::default() };
    let mut jobs = vec![0_u64; schedule.jobs().div_ceil(64)];
    let mut by_tenant = vec![0.0; schedule.tenants().len()];
    let mut held = 0.0;
    for devices in of {
        out.devices += devices.end - devices.start;
        let slots = schedule.kind_of(devices.start).map_or(1.0, |(_, kind)| f64::from(kind.slots));
        for lane in schedule.lanes_of(devices) {
            let share = schedule.lanes().get(lane as usize).map_or(0.0, |lane| f64::from(lane.slots)) / slots;
            for bar in schedule.touching(lane, from, to) {
                let Some(job) = schedule.job_of(bar as u32) else { continue };
                let (start, end) = (f64::from(schedule.starts[bar]), f64::from(schedule.ends[bar]));
                let inside = (end.min(to) - start.max(from)).max(0.0) * share;
                out.bars += 1;
                held += inside;
                if let Some(tenant) = schedule.job_tenants.get(job as usize)
                    && let Some(sum) = by_tenant.get_mut(*tenant as usize)
                {
                    *sum += inside;
                }
                if let Some(word) = jobs.get_mut(job as usize / 64) {
                    *word |= 1 << (job % 64);
                }
            }
        }
    }
    let hours = |ticks: f64| schedule.seconds(ticks) / 3_600.0;
    let mut waits_s = 0.0;
    let inside = |tick: u32| tick != NEVER && (from..to).contains(&f64::from(tick));
    for (word, bits) in (0_u32..).zip(&jobs) {
        let mut bits = *bits;
        while bits != 0 {
            let job = word * 64 + bits.trailing_zeros();
            bits &= bits - 1;
            let Some(of) = schedule.job(job) else { continue };
            out.jobs += 1;
            out.ended += u64::from(of.fate != Fate::Unfinished && inside(of.end));
            if let Some(first) = first_start(schedule, job).filter(|first| inside(*first)) {
                out.started += 1;
                waits_s += schedule.seconds(f64::from(first.saturating_sub(of.submit)));
            }
        }
    }
    let all = f64::from(out.devices) * (to - from);
    out.used = (all > 0.0).then(|| held / all);
    out.gpu_hours = hours(held);
    out.wait_mean_s = (out.started > 0).then(|| waits_s / out.started as f64);
    let mut by_tenant: Vec<(u32, f64)> =
        (0..).zip(by_tenant).map(|(tenant, sum)| (tenant, hours(sum))).collect();
    by_tenant.retain(|(_, hours)| *hours > 0.0);
    by_tenant.sort_by(|a, b| b.1.total_cmp(&a.1));
    out.by_tenant = by_tenant;
    out
}

/// Share of a place that is held in a stretch of time.
#[must_use]
pub fn used(schedule: &Schedule, place: Place, from: f64, to: f64) -> Option<f64> {
    let of = devices(schedule, place);
    let slots = schedule.kind_of(of.start).map(|(_, kind)| f64::from(kind.slots))?;
    let all = of.len() as f64 * (to - from) * slots;
    let mut held = 0.0;
    for lane in schedule.lanes_of(of) {
        let slots = schedule.lanes().get(lane as usize).map_or(0.0, |lane| f64::from(lane.slots));
        for bar in schedule.touching(lane, from, to) {
            held +=
                (f64::from(schedule.ends[bar]).min(to) - f64::from(schedule.starts[bar]).max(from)) * slots;
        }
    }
    (all > 0.0).then(|| held / all)
}

/// When a job first held something.
#[must_use]
pub fn first_start(schedule: &Schedule, job: u32) -> Option<u32> {
    let first = *schedule.bars_of(schedule.leases(job).next()?).first()?;
    schedule.starts.get(first as usize).copied()
}

/// Ranges that do not overlap, for the same devices.
fn merged(ranges: impl Iterator<Item = Range<u32>>) -> Vec<Range<u32>> {
    let mut sorted: Vec<Range<u32>> = ranges.filter(|range| !range.is_empty()).collect();
    // The outer of two nested ranges comes first.
    sorted.sort_by_key(|range| (range.start, Reverse(range.end)));
    let mut out: Vec<Range<u32>> = Vec::new();
    for range in sorted {
        match out.last_mut() {
            Some(last) if range.end <= last.end => {}
            _ => out.push(range),
        }
    }
    out
}

/// What happened to a job, in order of time.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// From this tick.
    pub from: u32,
    /// To this tick.
    pub to: u32,
    /// What.
    pub what: What,
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// It waited; the number of the reason, where the run noted one.
    Waited(Option<u8>),
    /// It held an allocation.
    Held {
        /// The lease.
        lease: u32,
        /// Ticks from its beginning until progress began.
        loading: u32,
        /// Speed in millionths of the job's reference speed.
        rate_micro: u32,
        /// Its bars, one a device.
        bars: Vec<u32>,
    },
}

/// The whole history of a job from its submission until it ended or the run did. Time that it neither held nor is known to have
/// waited in counts as waiting.
#[must_use]
pub fn history(schedule: &Schedule, job: u32) -> Vec<Event> {
    let Some(of) = schedule.job(job) else { return Vec::new() };
    let mut known: Vec<Event> = schedule
        .leases(job)
        .filter_map(|lease| {
            let bars = schedule.bars_of(lease);
            let span = schedule.span(*bars.first()?)?;
            let info = schedule.lease(lease)?;
            let what = What::Held {
                lease,
                loading: info.ready.clamp(span.start, span.end) - span.start,
                rate_micro: info.rate_micro,
                bars: bars.to_vec(),
            };
            Some(Event { from: span.start, to: span.end, what })
        })
        .collect();
    known.extend(schedule.waits(job).map(|wait| Event {
        from: wait.from,
        to: wait.to,
        what: What::Waited(Some(wait.reason)),
    }));
    known.sort_by_key(|event| (event.from, event.to));
    let last = if of.end == NEVER { schedule.end() } else { of.end };
    let mut out: Vec<Event> = Vec::new();
    let mut at = of.submit;
    for event in known {
        // Less than a tick is what rounding left.
        if event.from > at + 1 {
            out.push(Event { from: at, to: event.from, what: What::Waited(None) });
        }
        at = at.max(event.to);
        out.push(event);
    }
    if last > at + 1 {
        out.push(Event { from: at, to: last, what: What::Waited(None) });
    }
    out
}
