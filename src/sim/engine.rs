//! The event loop of a run.
//!
//! At one moment things happen in this order: completions, arrivals, then, at a round boundary, the policy's decision, else its
//! refill. A round boundary lies at every multiple of the round length, counted from the first submission.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::fluid::simulate_fluid;
use super::fragmentation::Fragmentation;
use super::outage::{Cause, Outages, Transition};
use super::reconfigure::Layouts;
use super::refill::{Filler, is_of};
use super::{
    Boundary, JobRun, Limits, Load, Mode, Outage, PassedRounds, Progress, RoundReport, RoundSettings,
    RunRecord, Running, Segment, Standing, Stopped, Wait, Watch,
};
use crate::cluster::occupancy::Occupancy;
use crate::cluster::placement::{Wanted, settle};
use crate::cluster::{Cluster, Part, Placement, Slice};
use crate::policy::{
    ATTAINED_UNITS, Decision, Grant, Held, JobState, Policy, Reason, RefillReads, SHARE_UNITS, View,
    held_units,
};
use crate::units::{DeviceId, JobId, MilliGpus, NodeId, Rate, SimSpan, SimTime, TenantId, TypeId, Work};
use crate::workload::{BoundJob, BoundWorkload, JobOption, Presence};

/// Rounds in a row in which nothing runs and nothing is still to arrive, before a run is given up.
const STALL_ROUNDS: u64 = 100_000;

/// Rounds in a row without an arrival or a completion, before a run is given up: every job is preempted before it has loaded.
const FUTILE_ROUNDS: u64 = 1_000_000;

/// Rounds between two calls of [`Watch::progress`].
const PROGRESS_ROUNDS: u64 = 64;

/// Simulates `workload` on `cluster` under `policy`, without outages.
pub fn simulate(
    cluster: &Cluster,
    workload: &BoundWorkload,
    settings: RoundSettings,
    policy: Box<dyn Policy>,
    watch: &mut dyn Watch,
) -> RunRecord {
    Engine::new(cluster, workload, settings, policy).run(watch)
}

/// Where a job lies and since when.
#[derive(Debug, Default)]
struct Live {
    placement: Option<Placement>,
    last_placement: Option<Placement>,
    reason: Option<Reason>,
    decided_reason: Option<Reason>,
}

/// How a job progresses on its placement. Every round reads this of every running job, so it is apart from the rest and holds what it
/// needs of the workload.
#[derive(Debug, Clone, Copy, Default)]
struct Pace {
    rate: Rate,
    /// What it holds, in [`ATTAINED_UNITS`] a device.
    units: u64,
    since: SimTime,
    ready: SimTime,
    synced: SimTime,
    /// Allocations that began or ended, so that completions of earlier ones are told apart.
    epoch: u32,
    tenant: TenantId,
    gpus: MilliGpus,
}

/// A run under way.
pub struct Engine<'a> {
    cluster: &'a Cluster,
    workload: &'a BoundWorkload,
    settings: RoundSettings,
    policy: Box<dyn Policy>,
    states: Vec<JobState>,
    live: Vec<Live>,
    pace: Vec<Pace>,
    active: Vec<JobId>,
    waiting: Vec<JobId>,
    next_arrival: usize,
    completions: BinaryHeap<Reverse<(SimTime, JobId, u32)>>,
    occupancy: Occupancy,
    layouts: Layouts,
    fragmentation: Fragmentation,
    decision: Decision,
    granted: Vec<Option<u16>>,
    standing: Standing,
    outages: Outages,
    outage_count: u64,
    /// Devices of each type in service.
    in_service: Vec<u32>,
    /// What blocks each node that is out of service, and since when.
    blocked: Vec<Option<(SimTime, Placement)>>,
    used_units: u64,
    /// Jobs that completed or were killed.
    finished: u32,
    now: SimTime,
    record: RunRecord,
}

impl<'a> Engine<'a> {
    /// Prepares a run.
    #[must_use]
    pub fn new(
        cluster: &'a Cluster,
        workload: &'a BoundWorkload,
        settings: RoundSettings,
        policy: Box<dyn Policy>,
    ) -> Self {
        let states = workload.jobs.iter().map(|job| JobState::submitted(job.work, job.submit)).collect();
        Self {
            cluster,
            workload,
            settings,
            policy,
            states,
            live: workload.jobs.iter().map(|_| Live::default()).collect(),
            pace: vec![Pace::default(); workload.jobs.len()],
            active: Vec::new(),
            waiting: Vec::new(),
            next_arrival: 0,
            completions: BinaryHeap::new(),
            occupancy: Occupancy::new(cluster),
            layouts: Layouts::new(cluster),
            fragmentation: Fragmentation::new(cluster, workload),
            decision: Decision::default(),
            granted: vec![None; workload.jobs.len()],
            standing: Standing::new(workload),
            outages: Outages::default(),
            outage_count: 0,
            in_service: cluster.devices_by_type(),
            blocked: vec![None; cluster.nodes().len()],
            used_units: 0,
            finished: 0,
            now: SimTime::ZERO,
            record: RunRecord { jobs: vec![JobRun::default(); workload.jobs.len()], ..RunRecord::default() },
        }
    }

    /// Lets nodes leave service and come back.
    #[must_use]
    pub fn with_outages(mut self, outages: Outages) -> Self {
        self.outages = outages;
        self
    }

    /// Runs to the end.
    pub fn run(mut self, watch: &mut dyn Watch) -> RunRecord {
        if self.settings.mode == Mode::Fluid {
            return simulate_fluid(self.cluster, self.workload, self.settings, self.policy, watch);
        }
        let length = self.settings.length.0.max(1);
        let horizon = self.settings.horizon.unwrap_or(SimTime::NEVER);
        if let Some(window) = watch.window() {
            self.fragmentation.within(window);
        }
        self.place_running();
        let mut round: i64 = 0;
        let mut next_report = 0;
        let mut idle_rounds = 0;
        let mut futile_rounds = 0;
        loop {
            if self.active.is_empty() {
                watch.idle(&self.standing);
                let Some(next) = self.arrival_time() else { break };
                round = round.max(next.0 / length);
            }
            let start = SimTime(round.saturating_mul(length));
            if start >= horizon {
                break;
            }
            self.advance(start);
            if !self.active.is_empty() {
                self.decide(round as u64, watch);
            }
            if watch.has_seen_enough() {
                self.record.stopped = Some(Stopped::SeenEnough);
                break;
            }
            let (decided_at, jobs_at) = (self.events(), self.job_events());
            let end = start + self.settings.length;
            while let Some(at) = self.next_event() {
                if at >= end || at >= horizon {
                    break;
                }
                self.advance(at);
                if self.settings.boundary == Boundary::Refill {
                    self.refill(round as u64);
                }
                self.note_arrivals_that_wait();
                self.note_load();
            }
            self.record.rounds = round as u64 + 1;
            if self.record.rounds >= next_report {
                watch.progress(self.progress());
                next_report = self.record.rounds + PROGRESS_ROUNDS;
            }
            let stuck = self.waiting.len() == self.active.len() && !self.active.is_empty();
            idle_rounds = if stuck && self.arrival_time().is_none() { idle_rounds + 1 } else { 0 };
            // Nodes that come and go are no progress.
            futile_rounds = if jobs_at == self.job_events() { futile_rounds + 1 } else { 0 };
            if idle_rounds > STALL_ROUNDS || futile_rounds > FUTILE_ROUNDS {
                self.record.stopped = Some(Stopped::Stalled);
                break;
            }
            round += 1;
            let nothing_changed = decided_at == self.events();
            let goes_on = nothing_changed && self.waiting.is_empty() && !self.active.is_empty();
            if goes_on && self.policy.is_static_when_idle_queue() {
                // Every round up to the next event would be decided as this one was.
                if let Some(at) = self.next_event()
                    && at.0 / length > round
                {
                    let next = at.0 / length;
                    self.pass(round as u64 - 1..next as u64, watch);
                    round = next;
                }
            }
        }
        self.finish(horizon, watch)
    }

    fn finish(mut self, horizon: SimTime, watch: &mut dyn Watch) -> RunRecord {
        if (self.finished as usize) < self.workload.jobs.len() && self.record.stopped.is_none() {
            self.record.stopped = Some(Stopped::Horizon);
            self.now = self.now.max(horizon);
        }
        for index in 0..self.active.len() {
            let job = self.active[index];
            if self.states[job.index()].held.is_some() {
                self.close(job);
            }
        }
        watch.idle(&self.standing);
        for node in 0..self.blocked.len() as u32 {
            self.restore(NodeId(node));
        }
        self.record.end = self.now;
        self.record.unranked = self.policy.unranked();
        (self.record.fragmentation_mean, self.record.fragmentation_stranded_mean) =
            self.fragmentation.means(self.now);
        self.record.segments = by_job(&self.record.segments, self.workload.jobs.len());
        watch.progress(self.progress());
        self.record
    }

    /// Tells of rounds that go by as they are.
    fn pass(&self, rounds: std::ops::Range<u64>, watch: &mut dyn Watch) {
        let running: Vec<Running> = self
            .active
            .iter()
            .filter_map(|&job| {
                let held = self.states[job.index()].held?;
                let pace = &self.pace[job.index()];
                Some(Running { job, option: held.option, rate: pace.rate, ready: pace.ready })
            })
            .collect();
        watch.passed(&PassedRounds { rounds, running: &running, standing: &self.standing });
    }

    fn progress(&self) -> Progress {
        Progress { now: self.now, finished: self.finished, jobs: self.workload.jobs.len() as u32 }
    }

    /// Everything so far after which a decision may be another.
    fn events(&self) -> u64 {
        self.job_events() + self.outage_count
    }

    /// Arrivals and departures so far.
    fn job_events(&self) -> u64 {
        self.next_arrival as u64 + u64::from(self.finished)
    }

    fn arrival_time(&self) -> Option<SimTime> {
        self.workload.jobs.get(self.next_arrival).map(|job| job.submit)
    }

    fn next_event(&mut self) -> Option<SimTime> {
        let mut completion = None;
        while let Some(&Reverse((at, job, epoch))) = self.completions.peek() {
            if self.pace[job.index()].epoch == epoch && self.states[job.index()].held.is_some() {
                completion = Some(at);
                break;
            }
            self.completions.pop();
        }
        [completion, self.arrival_time(), self.outages.next()].into_iter().flatten().min()
    }

    /// Moves the clock to `at`, where the next event is no earlier, and completes and admits what is due then.
    fn advance(&mut self, at: SimTime) {
        self.now = self.now.max(at);
        while let Some(&Reverse((due, job, epoch))) = self.completions.peek() {
            if due > at {
                break;
            }
            self.completions.pop();
            if self.pace[job.index()].epoch == epoch && self.states[job.index()].held.is_some() {
                self.end(job);
            }
        }
        while let Some(transition) = self.outages.take_due(at) {
            self.outage_count += 1;
            match transition {
                Transition::Leaves(node, cause) => self.withdraw(node, cause),
                Transition::Returns(node) => self.restore(node),
            }
        }
        while self.arrival_time().is_some_and(|arrival| arrival <= at) {
            let job = JobId(self.next_arrival as u32);
            self.next_arrival += 1;
            let bound = &self.workload.jobs[job.index()];
            self.standing.arrived(bound.tenant, bound.class);
            self.active.push(job);
            self.waiting.push(job);
        }
    }

    /// Ends a job whose time has come: its work is done, or its limit is reached.
    fn end(&mut self, job: JobId) {
        self.close(job);
        let state = &mut self.states[job.index()];
        state.finish = Some(self.now);
        let run = &mut self.record.jobs[job.index()];
        if state.remaining.0 > 0 {
            run.killed = Some(self.now);
        } else {
            run.finish = Some(self.now);
        }
        self.finished += 1;
        let bound = &self.workload.jobs[job.index()];
        self.standing.finished(bound.tenant, bound.class);
        remove_sorted(&mut self.active, job);
        self.live[job.index()].last_placement = None;
    }

    /// Puts the jobs that run when the workload begins on devices, in their order, before anything is decided: each on whole
    /// devices of the type, of those where it fits, that runs it fastest. They are loaded already. Who does not fit waits.
    fn place_running(&mut self) {
        let is_there = |job: &BoundJob| job.presence == Presence::Running && job.submit <= SimTime::ZERO;
        if !self.workload.jobs.iter().any(is_there) {
            return;
        }
        self.advance(SimTime::ZERO);
        for index in 0..self.active.len() {
            let job = self.active[index];
            let bound = &self.workload.jobs[job.index()];
            if !is_there(bound) {
                continue;
            }
            let class = self.workload.class_of(bound);
            let mut options: Vec<u16> = class.whole.iter().copied().flatten().collect();
            options.sort_by_key(|&option| Reverse(class.options[usize::from(option)].rate));
            let place = |&option: &u16| {
                let wanted = class.options[usize::from(option)];
                let placement = self.occupancy.place(wanted.type_id, wanted.slice(), wanted.devices)?;
                Some((option, placement))
            };
            if let Some((option, placement)) = options.iter().find_map(place) {
                remove_sorted(&mut self.waiting, job);
                self.open_after(job, option, placement, SimSpan::ZERO);
            }
        }
    }

    /// Takes a node out of service: its jobs stop, and nothing is placed on it.
    fn withdraw(&mut self, node: NodeId, cause: Cause) {
        let of_cluster = self.cluster.nodes()[node.index()];
        let devices = of_cluster.first_device.0..of_cluster.first_device.0 + of_cluster.devices;
        for index in 0..self.active.len() {
            let job = self.active[index];
            let placement = self.live[job.index()].placement.as_ref();
            if !placement
                .is_some_and(|placed| placed.parts.iter().any(|part| devices.contains(&part.device.0)))
            {
                continue;
            }
            self.sync(job);
            if cause == Cause::Broken {
                self.lose(job);
            }
            self.close(job);
            self.record.jobs[job.index()].preemptions += 1;
            insert_sorted(&mut self.waiting, job);
            self.live[job.index()].reason = Some(Reason::Interrupted);
            self.record.waits.push(Wait { job, from: self.now, reason: Reason::Interrupted });
        }
        let block = Placement {
            type_id: of_cluster.type_id,
            slice: Slice::from(self.cluster.gpu_type(of_cluster.type_id).geometry.slots()),
            parts: devices.map(|device| Part { device: DeviceId(device), first_slot: 0 }).collect(),
        };
        if self.occupancy.claim(&block) {
            self.in_service[of_cluster.type_id.index()] -= of_cluster.devices;
            self.blocked[node.index()] = Some((self.now, block));
        }
    }

    /// Takes a node into service again.
    fn restore(&mut self, node: NodeId) {
        if let Some((from, block)) = self.blocked[node.index()].take() {
            self.occupancy.release(&block);
            self.in_service[block.type_id.index()] += block.parts.len() as u32;
            self.record.outages.push(Outage { node, from, to: self.now });
        }
    }

    /// Takes from a running job, up to date, the work that came after its last checkpoint.
    fn lose(&mut self, job: JobId) {
        let pace = &self.pace[job.index()];
        let state = &mut self.states[job.index()];
        let run = &mut self.record.jobs[job.index()];
        let since_load = (self.now - pace.ready).0.max(0);
        let kept = self.settings.checkpoint.map_or(0, |every| since_load - since_load % every.0.max(1));
        let done = self.workload.jobs[job.index()].work.0 - state.remaining.0;
        let lost = Work(pace.rate.over(SimSpan(since_load - kept)).0.min(done));
        state.remaining += lost;
        run.lost += lost;
        run.failures += 1;
    }

    /// Brings a running job's work, executed time and attained service up to now.
    fn sync(&mut self, job: JobId) {
        let state = &mut self.states[job.index()];
        let pace = &mut self.pace[job.index()];
        if state.held.is_none() || pace.synced == self.now {
            return;
        }
        let progress_from = pace.synced.max(pace.ready);
        if self.now > progress_from {
            let done = pace.rate.over(self.now - progress_from).min(state.remaining);
            state.remaining -= done;
            self.standing.serve(pace.tenant, pace.gpus, done);
        }
        let held_for = self.now - pace.synced;
        state.executed += held_for;
        state.attained += i128::from(pace.units) * i128::from(held_for.0);
        pace.synced = self.now;
    }

    /// Ends a job's allocation: its segment is recorded and its devices are free.
    fn close(&mut self, job: JobId) {
        if let Some(placement) = self.end_segment(job) {
            self.occupancy.release(&placement);
        }
    }

    /// Records the end of a job's allocation and returns where it lay; the occupancy is left to the caller.
    fn end_segment(&mut self, job: JobId) -> Option<Placement> {
        self.sync(job);
        let live = &mut self.live[job.index()];
        let pace = &mut self.pace[job.index()];
        let state = &mut self.states[job.index()];
        let (held, placement) = (state.held.take()?, live.placement.take()?);
        let parts_from = self.record.parts.len() as u32;
        self.record.parts.extend_from_slice(&placement.parts);
        self.record.segments.push(Segment {
            job,
            from: pace.since,
            ready: pace.ready,
            to: self.now,
            option: held.option,
            rate: pace.rate,
            type_id: placement.type_id,
            slots: placement.slice.slots,
            memory: placement.slice.memory,
            of_time: SHARE_UNITS,
            parts_from,
            parts_len: placement.parts.len() as u32,
        });
        self.record.jobs[job.index()].held += self.now - pace.since;
        self.used_units -= pace.units;
        live.last_placement = Some(placement.clone());
        pace.epoch += 1;
        state.changed = self.now;
        Some(placement)
    }

    /// Loads a job onto `placement`, which the occupancy already counts as taken.
    fn open(&mut self, job: JobId, option: u16, placement: Placement) {
        let first = self.states[job.index()].first_start.is_none();
        let overhead = if first { self.settings.start_cost } else { self.settings.restore_cost };
        self.open_after(job, option, placement, overhead);
    }

    /// Loads a job, which takes `overhead` and more where a layout has to be changed.
    fn open_after(&mut self, job: JobId, option: u16, placement: Placement, mut overhead: SimSpan) {
        let reconfigured = self.layouts.install(&placement);
        let bound = &self.workload.jobs[job.index()];
        let class = self.workload.class_of(bound);
        let taken = class.options[usize::from(option)];
        let rate = self.settings.gang_penalty.rate_on(taken.rate, nodes_of(self.cluster, &placement));
        let live = &mut self.live[job.index()];
        let pace = &mut self.pace[job.index()];
        let state = &mut self.states[job.index()];
        if reconfigured {
            overhead += self.settings.reconfigure_cost;
        }
        let run = &mut self.record.jobs[job.index()];
        if live.last_placement.as_ref().is_some_and(|last| *last != placement) {
            run.migrations += 1;
        }
        run.first_start.get_or_insert(self.now);
        state.first_start.get_or_insert(self.now);
        state.held = Some(Held { option, since: self.now, taken });
        state.last_option = Some(option);
        state.changed = self.now;
        *pace = Pace {
            rate,
            units: units_of_placement(self.cluster, &placement),
            since: self.now,
            ready: self.now + overhead,
            synced: self.now,
            epoch: pace.epoch + 1,
            tenant: bound.tenant,
            gpus: class.gpus,
        };
        self.used_units += pace.units;
        live.placement = Some(placement);
        live.reason = None;
        live.decided_reason = None;
        let done = state.remaining.time_at(rate).map_or(SimTime::NEVER, |span| pace.ready + span);
        let limit = bound.limit.filter(|_| self.settings.limits == Limits::Kill);
        let killed =
            limit.map_or(SimTime::NEVER, |limit| self.now + (limit - state.executed).max(SimSpan::ZERO));
        if done.min(killed) < SimTime::NEVER {
            self.completions.push(Reverse((done.min(killed), job, pace.epoch)));
        }
    }

    fn decide(&mut self, round: u64, watch: &mut dyn Watch) {
        for index in 0..self.active.len() {
            self.sync(self.active[index]);
        }
        self.decision.clear();
        let view = View {
            now: self.now,
            round,
            round_length: self.settings.length,
            start_cost: self.settings.start_cost,
            restore_cost: self.settings.restore_cost,
            cluster: self.cluster,
            in_service: &self.in_service,
            workload: self.workload,
            states: &self.states,
            active: &self.active,
        };
        let begun_s = watch.clock_s();
        self.policy.see(&self.occupancy);
        self.policy.decide(&view, &mut self.decision);
        let decide_s = begun_s.and_then(|begun_s| Some(watch.clock_s()? - begun_s));
        watch.round(&RoundReport {
            round,
            start: self.now,
            in_service: &self.in_service,
            grants: &self.decision.grants,
            waits: &self.decision.waits,
            program: self.policy.program(),
            ledger: &self.decision.ledger,
            proof: self.decision.proof.as_ref(),
            standing: &self.standing,
            decide_s,
        });
        self.apply();
        self.note_packing(round);
        self.note_waits();
        self.note_load();
    }

    /// Puts the decision on devices. Jobs that keep their option stay where they are unless another has no place otherwise.
    fn apply(&mut self) {
        let mut fresh: Vec<(JobId, u16, JobOption)> = Vec::new();
        for &Grant { job, option } in &self.decision.grants {
            let state = &self.states[job.index()];
            if state.finish.is_some() {
                continue;
            }
            self.granted[job.index()] = Some(option);
            if state.held.is_none_or(|held| held.option != option) {
                let class = self.workload.class_of(&self.workload.jobs[job.index()]);
                fresh.push((job, option, class.options[usize::from(option)]));
            }
        }
        for index in 0..self.active.len() {
            let job = self.active[index];
            let granted = self.granted[job.index()].take();
            let Some(held) = self.states[job.index()].held else { continue };
            if granted == Some(held.option) {
                continue;
            }
            self.close(job);
            if granted.is_none() {
                self.record.jobs[job.index()].preemptions += 1;
                insert_sorted(&mut self.waiting, job);
            }
        }
        // What has a place already, then whole devices, then large slices: what is hard to place has the choice.
        let places = &self.decision.places;
        fresh.sort_by_key(|(job, _, option)| {
            let is_free = places.binary_search_by_key(job, |(placed, _)| *placed).is_err();
            let whole = u32::from(option.slots) == self.cluster.gpu_type(option.type_id).slots_per_device();
            (is_free, Reverse(whole), Reverse(option.devices), Reverse(option.slice()), *job)
        });
        let mut unplaced_types: Vec<TypeId> = Vec::new();
        let mut placed: Vec<(JobId, u16, Placement)> = Vec::with_capacity(fresh.len());
        for &(job, index, option) in &fresh {
            let chosen = self.chosen_place(job, option);
            match chosen.or_else(|| self.occupancy.place(option.type_id, option.slice(), option.devices)) {
                Some(placement) => placed.push((job, index, placement)),
                None if !unplaced_types.contains(&option.type_id) => unplaced_types.push(option.type_id),
                None => {}
            }
        }
        for &type_id in &unplaced_types {
            self.repack(type_id, &fresh, &mut placed);
        }
        placed.sort_by_key(|(job, _, _)| *job);
        for (job, option, placement) in placed {
            remove_sorted(&mut self.waiting, job);
            self.open(job, option, placement);
        }
        // A grant that found no position, even smaller, leaves its job waiting.
        for &(job, _, _) in &fresh {
            if self.states[job.index()].held.is_none() {
                self.record.unplaced += 1;
                self.decision.waits.push((job, Reason::NoPlace));
                if self.waiting.binary_search(&job).is_err() {
                    self.record.jobs[job.index()].preemptions += 1;
                    insert_sorted(&mut self.waiting, job);
                }
            }
        }
        self.record.reconfigurations += self.layouts.take_changed();
    }

    /// Places everything granted on one type again, moving kept jobs where the policy allows it; what still has no position is
    /// tried in smaller slices of the same type.
    fn repack(
        &mut self,
        type_id: TypeId,
        fresh: &[(JobId, u16, JobOption)],
        placed: &mut Vec<(JobId, u16, Placement)>,
    ) {
        let kept: Vec<JobId> = self
            .active
            .iter()
            .copied()
            .filter(|job| {
                self.live[job.index()]
                    .placement
                    .as_ref()
                    .is_some_and(|placement| placement.type_id == type_id)
            })
            .collect();
        let new: Vec<&(JobId, u16, JobOption)> =
            fresh.iter().filter(|(_, _, o)| o.type_id == type_id).collect();
        let mut here = Vec::new();
        placed.retain(|entry| {
            let other = entry.2.type_id != type_id;
            if !other {
                here.push(entry.clone());
            }
            other
        });
        for (_, _, placement) in &here {
            self.occupancy.release(placement);
        }
        for job in &kept {
            if let Some(placement) = &self.live[job.index()].placement {
                self.occupancy.release(placement);
            }
        }
        let placements = {
            let mut wanted = Vec::with_capacity(kept.len() + new.len());
            for job in &kept {
                let live = &self.live[job.index()];
                let (Some(held), Some(placement)) = (self.states[job.index()].held, &live.placement) else {
                    continue;
                };
                let option = self.workload.class_of(&self.workload.jobs[job.index()]).options
                    [usize::from(held.option)];
                wanted.push(Wanted {
                    type_id,
                    slice: option.slice(),
                    devices: option.devices,
                    previous: Some(placement),
                    work_at_stake: i64::from(option.rate.0) * i64::from(option.devices),
                });
            }
            for (_, _, option) in &new {
                wanted.push(Wanted {
                    type_id,
                    slice: option.slice(),
                    devices: option.devices,
                    previous: None,
                    work_at_stake: 0,
                });
            }
            settle(self.cluster, &mut self.occupancy, &wanted, self.policy.repacking())
        };
        let mut placements = placements.into_iter();
        for &job in &kept {
            match placements.next().flatten() {
                Some(placement) if self.live[job.index()].placement.as_ref() == Some(&placement) => {}
                moved => {
                    let Some(held) = self.states[job.index()].held else { continue };
                    self.end_segment(job);
                    if let Some(placement) = moved {
                        placed.push((job, held.option, placement));
                    } else {
                        self.record.unplaced += 1;
                        self.record.jobs[job.index()].preemptions += 1;
                        self.decision.waits.push((job, Reason::NoPlace));
                        insert_sorted(&mut self.waiting, job);
                    }
                }
            }
        }
        for &&(job, index, option) in &new {
            let found = placements.next().flatten().map(|placement| (index, placement));
            if let Some((option, placement)) = found.or_else(|| self.place_smaller(job, option)) {
                placed.push((job, option, placement));
            }
        }
    }

    /// Takes the place that the decision has for a job, if it is free.
    fn chosen_place(&mut self, job: JobId, option: JobOption) -> Option<Placement> {
        let at = self.decision.places.binary_search_by_key(&job, |(placed, _)| *placed).ok()?;
        let (_, place) = &self.decision.places[at];
        (is_of(place, option) && self.occupancy.claim(place)).then(|| place.clone())
    }

    /// The largest smaller slice of the same type that has a position.
    fn place_smaller(&mut self, job: JobId, granted: JobOption) -> Option<(u16, Placement)> {
        let class = self.workload.class_of(&self.workload.jobs[job.index()]);
        for (index, option) in class.options.iter().enumerate().rev() {
            let smaller = option.type_id == granted.type_id
                && option.devices == granted.devices
                && option.slots < granted.slots;
            if smaller
                && let Some(placement) = self.occupancy.place(option.type_id, option.slice(), option.devices)
            {
                return Some((index as u16, placement));
            }
        }
        None
    }

    fn refill(&mut self, round: u64) {
        if self.waiting.is_empty() || self.occupancy.is_full() {
            return;
        }
        if self.policy.refill_reads() == RefillReads::Everyone {
            for index in 0..self.active.len() {
                self.sync(self.active[index]);
            }
        }
        let view = View {
            now: self.now,
            round,
            round_length: self.settings.length,
            start_cost: self.settings.start_cost,
            restore_cost: self.settings.restore_cost,
            cluster: self.cluster,
            in_service: &self.in_service,
            workload: self.workload,
            states: &self.states,
            active: &self.active,
        };
        self.policy.see(&self.occupancy);
        let mut filler = Filler::new(self.workload, &mut self.occupancy);
        self.policy.refill(&view, &self.waiting, &mut filler);
        for (job, option, placement) in filler.into_started() {
            remove_sorted(&mut self.waiting, job);
            self.open(job, option, placement);
        }
        self.record.reconfigurations += self.layouts.take_changed();
    }

    /// Compares what the decision is worth to the policy with what found its place.
    fn note_packing(&mut self, round: u64) {
        let view = self.view(round);
        let (mut packing, mut downgraded, mut gap) = (self.record.packing, 0, 0);
        let mut has_worth = true;
        for grant in &self.decision.grants {
            let state = &self.states[grant.job.index()];
            if state.finish.is_some() {
                continue;
            }
            let held = state.held.map(|held| held.option);
            downgraded += u64::from(held.is_some_and(|held| held != grant.option));
            if held != Some(grant.option) {
                gap += self.service(grant.job, grant.option)
                    - held.map_or(0, |held| self.service(grant.job, held));
            }
            if !has_worth {
                continue;
            }
            let Some(decided) = self.policy.worth(&view, grant.job, grant.option) else {
                has_worth = false;
                continue;
            };
            packing.decided += decided;
            if held != Some(grant.option) {
                let placed = held.and_then(|held| self.policy.worth(&view, grant.job, held)).unwrap_or(0.0);
                packing.lost += (decided - placed).max(0.0);
            }
        }
        self.record.packing = packing;
        self.record.downgraded += downgraded;
        self.record.packing_gap += gap;
    }

    /// The service that an option gives a job in a round, in the units of [`Standing::served`].
    fn service(&self, job: JobId, option: u16) -> i128 {
        let class = self.workload.class_of(&self.workload.jobs[job.index()]);
        let rate = class.options.get(usize::from(option)).map_or(Rate(0), |option| option.rate);
        i128::from(class.gpus.0) * rate.over(self.settings.length).0
    }

    fn view(&self, round: u64) -> View<'_> {
        View {
            now: self.now,
            round,
            round_length: self.settings.length,
            start_cost: self.settings.start_cost,
            restore_cost: self.settings.restore_cost,
            cluster: self.cluster,
            in_service: &self.in_service,
            workload: self.workload,
            states: &self.states,
            active: &self.active,
        }
    }

    fn note_waits(&mut self) {
        for &(job, reason) in &self.decision.waits {
            self.live[job.index()].decided_reason = Some(reason);
        }
        for &job in &self.waiting {
            let live = &mut self.live[job.index()];
            let reason = live.decided_reason.take().unwrap_or(Reason::Capacity);
            if live.reason != Some(reason) {
                live.reason = Some(reason);
                self.record.waits.push(Wait { job, from: self.now, reason });
            }
        }
    }

    fn note_arrivals_that_wait(&mut self) {
        // Jobs that have just arrived are the last of the waiting.
        for &job in self.waiting.iter().rev() {
            let live = &mut self.live[job.index()];
            if live.reason.is_some() || self.workload.jobs[job.index()].submit < self.now {
                break;
            }
            live.reason = Some(Reason::ArrivedInRound);
            self.record.waits.push(Wait { job, from: self.now, reason: Reason::ArrivedInRound });
        }
    }

    fn note_load(&mut self) {
        self.fragmentation.update(self.now, &mut self.occupancy);
        let total = u64::from(self.cluster.devices()) * ATTAINED_UNITS as u64;
        let load = Load {
            at: self.now,
            running: (self.active.len() - self.waiting.len()) as u32,
            waiting: self.waiting.len() as u32,
            used: Some(self.used_units as f64 / total as f64),
        };
        match self.record.load.last_mut() {
            Some(last) if last.at == load.at => *last = load,
            Some(last)
                if last.running == load.running && last.waiting == load.waiting && last.used == load.used => {
            }
            _ => self.record.load.push(load),
        }
    }
}

/// Segments sorted by job. Those of one job are in order of time already, since they are recorded as they end.
fn by_job(segments: &[Segment], jobs: usize) -> Vec<Segment> {
    let mut next = vec![0; jobs + 1];
    for segment in segments {
        next[segment.job.index() + 1] += 1;
    }
    for job in 1..next.len() {
        next[job] += next[job - 1];
    }
    let mut sorted = segments.to_vec();
    for segment in segments {
        let at = &mut next[segment.job.index()];
        sorted[*at] = *segment;
        *at += 1;
    }
    sorted
}

/// Nodes that a placement lies on. Its devices are ascending, and so are those of nodes.
fn nodes_of(cluster: &Cluster, placement: &Placement) -> u32 {
    let mut last: Option<NodeId> = None;
    let mut nodes = 0;
    if placement.parts.len() == 1 {
        return 1;
    }
    for part in &placement.parts {
        let node = cluster.node_of(part.device);
        nodes += u32::from(last.replace(node) != Some(node));
    }
    nodes
}

/// A placement's share of devices, in [`ATTAINED_UNITS`] a device.
fn units_of_placement(cluster: &Cluster, placement: &Placement) -> u64 {
    held_units(cluster, placement.type_id, placement.slice.slots, placement.parts.len() as u32) as u64
}

fn insert_sorted(list: &mut Vec<JobId>, job: JobId) {
    if let Err(at) = list.binary_search(&job) {
        list.insert(at, job);
    }
}

fn remove_sorted(list: &mut Vec<JobId>, job: JobId) {
    if let Ok(at) = list.binary_search(&job) {
        list.remove(at);
    }
}
