//! The fluid (ideal) mode: a run without rounds, devices and overheads, as the upper end of what a policy's rule could do.
//!
//! A policy that states shares of time ([`Policy::shares`]) has them to the letter: between two events every job progresses at the
//! sum of share times rate. Events are arrivals, departures and changes of weight. Any other policy decides anew at every arrival and departure and every round's length after the last
//! decision, and what it decides holds at once. Nothing costs time, and only counts of slots matter, not positions. Failures,
//! changes of capacity and limits are not part of this mode. Gavel's simulator calls it ideal (Narayanan et al., OSDI 2020, §7.1).

use super::{JobRun, Load, Progress, RoundSettings, RunRecord, Segment, Standing, Stopped, Watch};
use crate::cluster::Cluster;
use crate::policy::{Decision, Held, JobState, Policy, SHARE_UNITS, Share, View, held_units};
use crate::units::{JobId, SimSpan, SimTime, Work};
use crate::workload::BoundWorkload;

/// Events in a row without an arrival or a departure, before a run is given up.
const FUTILE_EVENTS: u64 = 1_000_000;

/// Events between two calls of [`Watch::progress`].
const PROGRESS_EVENTS: u64 = 256;

/// Simulates `workload` on `cluster` in the fluid mode. Of the settings, the length of a round and the horizon count.
pub fn simulate_fluid(
    cluster: &Cluster,
    workload: &BoundWorkload,
    settings: RoundSettings,
    policy: Box<dyn Policy>,
    watch: &mut dyn Watch,
) -> RunRecord {
    Fluid::new(cluster, workload, settings, policy).run(watch)
}

struct Fluid<'a> {
    cluster: &'a Cluster,
    workload: &'a BoundWorkload,
    settings: RoundSettings,
    policy: Box<dyn Policy>,
    states: Vec<JobState>,
    active: Vec<JobId>,
    in_service: Vec<u32>,
    shares: Vec<Share>,
    decision: Decision,
    /// Segments under way, by job: positions in the record.
    open: Vec<Vec<usize>>,
    standing: Standing,
    next_arrival: usize,
    now: SimTime,
    record: RunRecord,
}

impl<'a> Fluid<'a> {
    fn new(
        cluster: &'a Cluster,
        workload: &'a BoundWorkload,
        settings: RoundSettings,
        policy: Box<dyn Policy>,
    ) -> Self {
        let jobs = workload.jobs.len();
        Self {
            cluster,
            workload,
            settings,
            policy,
            states: workload.jobs.iter().map(|job| JobState::submitted(job.work, job.submit)).collect(),
            active: Vec::new(),
            in_service: cluster.devices_by_type(),
            shares: Vec::new(),
            decision: Decision::default(),
            open: vec![Vec::new(); jobs],
            standing: Standing::new(workload),
            next_arrival: 0,
            now: SimTime::ZERO,
            record: RunRecord { jobs: vec![JobRun::default(); jobs], ..RunRecord::default() },
        }
    }

    fn run(mut self, watch: &mut dyn Watch) -> RunRecord {
        let horizon = self.settings.horizon.unwrap_or(SimTime::NEVER);
        let (mut futile, mut decisions) = (0, 0u64);
        loop {
            let arrived = self.arrive();
            if self.active.is_empty() {
                watch.idle(&self.standing);
                let Some(next) = self.arrival_time().filter(|&next| next < horizon) else { break };
                self.note_load();
                self.now = next;
                continue;
            }
            let lasts = self.decide(decisions);
            decisions += 1;
            self.note_load();
            let Some(next) = self.next_event(lasts) else {
                self.record.stopped = Some(Stopped::Stalled);
                break;
            };
            let ended = self.progress_to(next.min(horizon));
            if next >= horizon {
                break;
            }
            futile = if arrived + ended == 0 { futile + 1 } else { 0 };
            if futile > FUTILE_EVENTS {
                self.record.stopped = Some(Stopped::Stalled);
                break;
            }
            if decisions.is_multiple_of(PROGRESS_EVENTS) {
                watch.progress(self.progress());
            }
            if watch.has_seen_enough() {
                self.record.stopped = Some(Stopped::SeenEnough);
                break;
            }
        }
        let unfinished = self.record.jobs.iter().any(|job| job.finish.is_none());
        if unfinished && self.record.stopped.is_none() {
            self.record.stopped = Some(Stopped::Horizon);
            self.now = self.now.max(horizon);
        }
        watch.idle(&self.standing);
        self.record.rounds = decisions;
        self.record.end = self.now;
        self.record.unranked = self.policy.unranked();
        self.record.segments.sort_by_key(|s| (s.job, s.from, s.option));
        watch.progress(self.progress());
        self.record
    }

    fn progress(&self) -> Progress {
        let finished = self.next_arrival - self.active.len();
        Progress { now: self.now, finished: finished as u32, jobs: self.workload.jobs.len() as u32 }
    }

    fn arrival_time(&self) -> Option<SimTime> {
        self.workload.jobs.get(self.next_arrival).map(|job| job.submit)
    }

    /// Admits who is due; says how many.
    fn arrive(&mut self) -> u64 {
        let before = self.next_arrival;
        while self.arrival_time().is_some_and(|at| at <= self.now) {
            let job = JobId(self.next_arrival as u32);
            self.next_arrival += 1;
            let bound = &self.workload.jobs[job.index()];
            self.standing.arrived(bound.tenant, bound.class);
            self.active.push(job);
        }
        (self.next_arrival - before) as u64
    }

    /// Asks the policy for shares, or for a decision, which is shares of one; says until when it holds without an event.
    fn decide(&mut self, round: u64) -> SimTime {
        let view = View {
            now: self.now,
            round,
            round_length: self.settings.length,
            start_cost: SimSpan::ZERO,
            restore_cost: SimSpan::ZERO,
            cluster: self.cluster,
            in_service: &self.in_service,
            workload: self.workload,
            states: &self.states,
            active: &self.active,
        };
        self.shares.clear();
        let changes = self.workload.tenants.iter().filter_map(|tenant| tenant.next_change(self.now));
        let mut until = changes.min().unwrap_or(SimTime::NEVER);
        if !self.policy.shares(&view, &mut self.shares) {
            self.decision.clear();
            self.policy.decide(&view, &mut self.decision);
            let whole = |grant: &crate::policy::Grant| Share {
                job: grant.job,
                option: grant.option,
                of_time: SHARE_UNITS,
            };
            self.shares.extend(self.decision.grants.iter().map(whole));
            until = until.min(self.now + self.settings.length);
        }
        self.shares.retain(|share| share.of_time > 0);
        self.shares.sort_by_key(|share| (share.job, share.option));
        self.hold();
        until
    }

    /// Lets jobs hold their shares from now on: segments that go on as they were are left open.
    fn hold(&mut self) {
        for &job in &self.active {
            let state = &mut self.states[job.index()];
            let from = self.shares.partition_point(|share| share.job < job);
            let to = self.shares.partition_point(|share| share.job <= job);
            let mine = &self.shares[from..to];
            // The option with the largest share stands for what it holds.
            let main = mine.iter().max_by_key(|share| (share.of_time, std::cmp::Reverse(share.option)));
            let held = main.map(|share| share.option);
            if state.held.map(|held| held.option) != held {
                let run = &mut self.record.jobs[job.index()];
                run.preemptions += u32::from(state.held.is_some() && held.is_none());
                let options = &self.workload.class_of(&self.workload.jobs[job.index()]).options;
                let hold = |option| Held { option, since: self.now, taken: options[usize::from(option)] };
                state.held = held.map(hold);
                state.changed = self.now;
                if held.is_some() {
                    state.last_option = held;
                    state.first_start.get_or_insert(self.now);
                    run.first_start.get_or_insert(self.now);
                }
            }
            let class = self.workload.class_of(&self.workload.jobs[job.index()]);
            let open = &mut self.open[job.index()];
            let goes_on = open.len() == mine.len()
                && open.iter().zip(mine).all(|(&at, share)| {
                    let segment = &self.record.segments[at];
                    segment.option == share.option && segment.of_time == share.of_time
                });
            if goes_on {
                continue;
            }
            open.clear();
            for share in mine {
                let option = class.options[usize::from(share.option)];
                open.push(self.record.segments.len());
                self.record.segments.push(Segment::of_share(job, self.now, *share, &option));
            }
        }
    }

    /// A job's speed, in [`SHARE_UNITS`] of a rate.
    fn speed(&self, job: JobId) -> i128 {
        let of_segment = |&at: &usize| {
            let segment = &self.record.segments[at];
            i128::from(segment.rate.0) * i128::from(segment.of_time)
        };
        self.open[job.index()].iter().map(of_segment).sum()
    }

    fn next_event(&self, until: SimTime) -> Option<SimTime> {
        let mut next = self.arrival_time();
        for &job in &self.active {
            let speed = self.speed(job);
            if speed > 0 {
                let remaining = self.states[job.index()].remaining.0.saturating_mul(i128::from(SHARE_UNITS));
                let span = (remaining / speed + i128::from(remaining % speed > 0)).min(i128::from(i64::MAX));
                let end = self.now + SimSpan(span as i64);
                next = Some(next.map_or(end, |next| next.min(end)));
            }
        }
        match next {
            Some(next) => Some(next.min(until)),
            // Nothing moves: waiting for the next decision only makes sense if that may be another.
            None => (until < SimTime::NEVER).then_some(until),
        }
    }

    /// Moves the clock; says how many jobs completed.
    fn progress_to(&mut self, next: SimTime) -> u64 {
        let span = next - self.now;
        let mut ended = Vec::new();
        for index in 0..self.active.len() {
            let job = self.active[index];
            let speed = self.speed(job);
            if self.open[job.index()].is_empty() {
                continue;
            }
            let state = &mut self.states[job.index()];
            let done = Work(speed * i128::from(span.0) / i128::from(SHARE_UNITS)).min(state.remaining);
            state.remaining -= done;
            state.executed += span;
            self.record.jobs[job.index()].held += span;
            let bound = &self.workload.jobs[job.index()];
            let class = self.workload.class_of(bound);
            self.standing.serve(bound.tenant, class.gpus, done);
            for &at in &self.open[job.index()] {
                let segment = &mut self.record.segments[at];
                segment.to = next;
                let option = class.options[usize::from(segment.option)];
                let units = held_units(self.cluster, option.type_id, option.slots, option.devices);
                state.attained +=
                    units * i128::from(span.0) * i128::from(segment.of_time) / i128::from(SHARE_UNITS);
            }
            if state.remaining <= Work::ZERO {
                ended.push(job);
            }
        }
        self.now = next;
        for &job in &ended {
            let state = &mut self.states[job.index()];
            state.held = None;
            state.changed = next;
            state.finish = Some(next);
            self.record.jobs[job.index()].finish = Some(next);
            self.open[job.index()].clear();
            let bound = &self.workload.jobs[job.index()];
            self.standing.finished(bound.tenant, bound.class);
        }
        if !ended.is_empty() {
            self.active.retain(|job| ended.binary_search(job).is_err());
        }
        ended.len() as u64
    }

    fn note_load(&mut self) {
        let of_share = |share: &Share| {
            let class = self.workload.class_of(&self.workload.jobs[share.job.index()]);
            let option = class.options[usize::from(share.option)];
            let slots = f64::from(self.cluster.gpu_type(option.type_id).slots_per_device());
            let devices = f64::from(option.slots) * f64::from(option.devices) / slots;
            devices * share.of_time as f64 / SHARE_UNITS as f64
        };
        let used: f64 = if self.active.is_empty() { 0.0 } else { self.shares.iter().map(of_share).sum() };
        let running = self.active.iter().filter(|job| !self.open[job.index()].is_empty()).count() as u32;
        self.record.load.push(Load {
            at: self.now,
            running,
            waiting: self.active.len() as u32 - running,
            used: Some((used / f64::from(self.cluster.devices())).min(1.0)),
        });
    }
}
