//! The schedule of one run as columns: which job had what of which device, and when.
//!
//! A *place* is one position of one device held by one lease. Places that begin at the same position of the same device and are
//! equally high, with as many slots, form a *lane*. What a device holds at one moment never overlaps, so that the bars of a lane follow each other: both
//! their starts and their ends ascend, and any moment is found by halving.
//!
//! Times are in ticks of [`Schedule::tick_us`] microseconds, so that 32 bits hold the whole run; 50 days have ticks of about a
//! millisecond. One bar takes 16 bytes (start, end, lease, and its number at its lease), one lease 16, one job 24 and its name.

use std::ops::Range;

/// More bars than this are not laid out: the page would need a gigabyte for two such runs.
pub const MOST_BARS: usize = 8_000_000;

/// The end of a job that did not end.
pub const NEVER: u32 = u32::MAX;

/// A GPU type of the cluster: the outermost rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kind {
    /// Its name, unique in the cluster.
    pub name: String,
    /// Its first device; the others follow.
    pub first_device: u32,
    /// How many devices.
    pub devices: u32,
    /// Positions of one device: its slots, or memory slices where slices differ in memory. At most 8.
    pub positions: u8,
    /// Slots of one device.
    pub slots: u8,
}

/// A node: consecutive devices of one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    /// Position of its type.
    pub kind: u32,
    /// Its first device.
    pub first_device: u32,
    /// How many devices.
    pub devices: u32,
}

/// What became of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fate {
    /// It had not ended when the run did.
    #[default]
    Unfinished,
    /// It completed.
    Finished,
    /// It was killed at the run time it asked for.
    Killed,
}

/// A job as it enters a schedule.
#[derive(Debug, Clone, Copy)]
pub struct JobInput<'a> {
    /// Its name.
    pub name: &'a str,
    /// Position of its tenant.
    pub tenant: u32,
    /// Position of its class.
    pub class: u32,
    /// Submission, in microseconds from the beginning.
    pub submit_us: i64,
    /// When it ended, if it did.
    pub end_us: Option<i64>,
    /// What became of it.
    pub fate: Fate,
    /// How long it was there without an allocation, in microseconds.
    pub waited_us: i64,
}

/// An allocation as it enters a schedule.
#[derive(Debug, Clone, Copy)]
pub struct LeaseInput {
    /// Position of its job. Leases enter by job, and those of one job by time.
    pub job: u32,
    /// From, in microseconds from the beginning.
    pub from_us: i64,
    /// Progress begins.
    pub ready_us: i64,
    /// To.
    pub to_us: i64,
    /// Speed in millionths of the job's reference speed.
    pub rate_micro: u32,
    /// Slots of each of its devices.
    pub slots: u8,
    /// Positions of each of its devices.
    pub height: u8,
}

/// A wait as it enters a schedule.
#[derive(Debug, Clone, Copy)]
pub struct WaitInput {
    /// Position of its job. Waits enter by job, and those of one job by time.
    pub job: u32,
    /// From, in microseconds from the beginning.
    pub from_us: i64,
    /// To.
    pub to_us: i64,
    /// Number of the reason.
    pub reason: u8,
}

/// Bars of one device that begin at the same position and are equally high.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lane {
    /// The device.
    pub device: u32,
    /// Its first position.
    pub first: u8,
    /// Positions it takes.
    pub height: u8,
    /// Slots that are.
    pub slots: u8,
}

/// One lease of a job.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lease {
    /// Its job.
    pub job: u32,
    /// Progress begins at this tick, which may lie beyond its end.
    pub ready: u32,
    /// Speed in millionths of the job's reference speed.
    pub rate_micro: u32,
}

/// A job of a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Job {
    /// Position of its tenant.
    pub tenant: u32,
    /// Position of its class.
    pub class: u32,
    /// Submission.
    pub submit: u32,
    /// Its end; [`NEVER`] if it did not end.
    pub end: u32,
    /// How long it waited in all.
    pub waited: u32,
    /// What became of it.
    pub fate: Fate,
}

/// A stretch of time in which a job waited for one reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wait {
    /// From.
    pub from: u32,
    /// To.
    pub to: u32,
    /// Number of the reason.
    pub reason: u8,
}

/// A node that was out of service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outage {
    /// The node.
    pub node: u32,
    /// From.
    pub from: u32,
    /// To.
    pub to: u32,
}

/// Texts one after another.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Texts {
    pub(super) bytes: Vec<u8>,
    /// Where each ends.
    pub(super) ends: Vec<u32>,
}

impl Texts {
    /// Puts one more at the end.
    pub fn push(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
        self.ends.push(self.bytes.len() as u32);
    }

    /// How many.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The text at a position; empty beyond the last.
    #[must_use]
    pub fn get(&self, index: usize) -> &str {
        let from = index.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let to = self.ends.get(index).copied().unwrap_or(from);
        let bytes = self.bytes.get(from as usize..to as usize).unwrap_or(&[]);
        std::str::from_utf8(bytes).unwrap_or_default()
    }
}

/// The schedule of one run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Schedule {
    pub(super) tick_us: i64,
    pub(super) end: u32,
    pub(super) kinds: Vec<Kind>,
    pub(super) nodes: Vec<Node>,
    /// By device, first position, height and slots.
    pub(super) lanes: Vec<Lane>,
    /// Where the bars of each lane begin, and the number of bars.
    pub(super) lane_bars: Vec<u32>,
    /// Where the lanes of each device begin, and the number of lanes.
    pub(super) device_lanes: Vec<u32>,
    pub(super) starts: Vec<u32>,
    pub(super) ends: Vec<u32>,
    pub(super) bar_leases: Vec<u32>,
    pub(super) lease_jobs: Vec<u32>,
    pub(super) lease_ready: Vec<u32>,
    pub(super) lease_rates: Vec<u32>,
    /// Where the places of each lease begin, and the number of places.
    pub(super) lease_places: Vec<u32>,
    /// The bar of each place.
    pub(super) places: Vec<u32>,
    pub(super) job_tenants: Vec<u32>,
    pub(super) job_classes: Vec<u32>,
    pub(super) job_submits: Vec<u32>,
    pub(super) job_ends: Vec<u32>,
    pub(super) job_waits: Vec<u32>,
    pub(super) job_fates: Vec<u8>,
    pub(super) names: Texts,
    pub(super) tenants: Texts,
    pub(super) classes: Texts,
    pub(super) wait_jobs: Vec<u32>,
    pub(super) wait_from: Vec<u32>,
    pub(super) wait_to: Vec<u32>,
    pub(super) wait_reasons: Vec<u8>,
    pub(super) outages: Vec<Outage>,
}

impl Schedule {
    /// Microseconds in a tick.
    #[must_use]
    pub fn tick_us(&self) -> i64 {
        self.tick_us
    }

    /// Seconds of a stretch of ticks.
    #[must_use]
    pub fn seconds(&self, ticks: f64) -> f64 {
        ticks * self.tick_us as f64 / 1e6
    }

    /// Ticks of a stretch of seconds.
    #[must_use]
    pub fn ticks(&self, seconds: f64) -> f64 {
        seconds * 1e6 / self.tick_us.max(1) as f64
    }

    /// When the run ended.
    #[must_use]
    pub fn end(&self) -> u32 {
        self.end
    }

    /// GPU types.
    #[must_use]
    pub fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    /// Nodes, by type.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// All devices.
    #[must_use]
    pub fn devices(&self) -> u32 {
        self.kinds.iter().map(|kind| kind.devices).sum()
    }

    /// All bars.
    #[must_use]
    pub fn bars(&self) -> usize {
        self.starts.len()
    }

    /// All jobs.
    #[must_use]
    pub fn jobs(&self) -> usize {
        self.job_tenants.len()
    }

    /// Names of tenants.
    #[must_use]
    pub fn tenants(&self) -> &Texts {
        &self.tenants
    }

    /// Names of classes.
    #[must_use]
    pub fn classes(&self) -> &Texts {
        &self.classes
    }

    /// Nodes that were out of service, in the order of their return.
    #[must_use]
    pub fn outages(&self) -> &[Outage] {
        &self.outages
    }

    /// The name of a job.
    #[must_use]
    pub fn name(&self, job: u32) -> &str {
        self.names.get(job as usize)
    }

    /// A job.
    #[must_use]
    pub fn job(&self, job: u32) -> Option<Job> {
        let at = job as usize;
        Some(Job {
            tenant: *self.job_tenants.get(at)?,
            class: *self.job_classes.get(at)?,
            submit: *self.job_submits.get(at)?,
            end: *self.job_ends.get(at)?,
            waited: *self.job_waits.get(at)?,
            fate: match self.job_fates.get(at)? {
                1 => Fate::Finished,
                2 => Fate::Killed,
                _ => Fate::Unfinished,
            },
        })
    }

    /// The ticks of a bar.
    #[must_use]
    pub fn span(&self, bar: u32) -> Option<Range<u32>> {
        Some(*self.starts.get(bar as usize)?..*self.ends.get(bar as usize)?)
    }

    /// The lease of a bar.
    #[must_use]
    pub fn lease_of(&self, bar: u32) -> Option<Lease> {
        self.lease(*self.bar_leases.get(bar as usize)?)
    }

    /// The job of a bar.
    #[must_use]
    pub fn job_of(&self, bar: u32) -> Option<u32> {
        let lease = *self.bar_leases.get(bar as usize)?;
        self.lease_jobs.get(lease as usize).copied()
    }

    /// A lease.
    #[must_use]
    pub fn lease(&self, lease: u32) -> Option<Lease> {
        let at = lease as usize;
        Some(Lease {
            job: *self.lease_jobs.get(at)?,
            ready: *self.lease_ready.get(at)?,
            rate_micro: *self.lease_rates.get(at)?,
        })
    }

    /// The bars of a lease, one a device.
    #[must_use]
    pub fn bars_of(&self, lease: u32) -> &[u32] {
        let range = self.lease_places.get(lease as usize..lease as usize + 2);
        let Some(&[from, to]) = range else { return &[] };
        self.places.get(from as usize..to as usize).unwrap_or(&[])
    }

    /// The leases of a job, in order of time.
    #[must_use]
    pub fn leases(&self, job: u32) -> Range<u32> {
        equal_range(&self.lease_jobs, job)
    }

    /// The waits of a job, in order of time.
    pub fn waits(&self, job: u32) -> impl Iterator<Item = Wait> + '_ {
        equal_range(&self.wait_jobs, job).filter_map(|at| {
            let at = at as usize;
            Some(Wait {
                from: *self.wait_from.get(at)?,
                to: *self.wait_to.get(at)?,
                reason: *self.wait_reasons.get(at)?,
            })
        })
    }

    /// All lanes.
    #[must_use]
    pub fn lanes(&self) -> &[Lane] {
        &self.lanes
    }

    /// The lane of a bar.
    #[must_use]
    pub fn lane_of(&self, bar: u32) -> Option<(u32, Lane)> {
        let after = self.lane_bars.partition_point(|&from| from <= bar);
        let lane = after.checked_sub(1)?;
        Some((lane as u32, *self.lanes.get(lane)?))
    }

    /// The bars of a lane, in order of time.
    #[must_use]
    pub fn lane(&self, lane: u32) -> Range<usize> {
        match self.lane_bars.get(lane as usize..lane as usize + 2) {
            Some(&[from, to]) => from as usize..to as usize,
            _ => 0..0,
        }
    }

    /// The lanes of consecutive devices.
    #[must_use]
    pub fn lanes_of(&self, devices: Range<u32>) -> Range<u32> {
        let at = |device: u32| self.device_lanes.get(device as usize).copied();
        match (at(devices.start), at(devices.end)) {
            (Some(from), Some(to)) => from..to,
            _ => 0..0,
        }
    }

    /// The bars of a lane that touch a stretch of time.
    #[must_use]
    pub fn touching(&self, lane: u32, from: f64, to: f64) -> Range<usize> {
        let all = self.lane(lane);
        let (Some(starts), Some(ends)) = (self.starts.get(all.clone()), self.ends.get(all.clone())) else {
            return 0..0;
        };
        let first = ends.partition_point(|&end| f64::from(end) <= from);
        let last = starts.partition_point(|&start| f64::from(start) < to);
        all.start + first..all.start + last.max(first)
    }

    /// The type of a device.
    #[must_use]
    pub fn kind_of(&self, device: u32) -> Option<(u32, &Kind)> {
        let at = self.kinds.partition_point(|kind| kind.first_device <= device).checked_sub(1)?;
        Some((at as u32, self.kinds.get(at)?))
    }

    /// The node of a device.
    #[must_use]
    pub fn node_of(&self, device: u32) -> Option<(u32, Node)> {
        let at = self.nodes.partition_point(|node| node.first_device <= device).checked_sub(1)?;
        Some((at as u32, *self.nodes.get(at)?))
    }

    /// The nodes of a type.
    #[must_use]
    pub fn nodes_of(&self, kind: u32) -> Range<u32> {
        let first = self.nodes.partition_point(|node| node.kind < kind);
        let last = self.nodes.partition_point(|node| node.kind <= kind);
        first as u32..last as u32
    }

    /// Where a device is, for people: the type, the number of the node within it and that of the GPU within the node, from 1.
    #[must_use]
    pub fn address(&self, device: u32) -> Option<(&str, u32, u32)> {
        let (kind, of) = self.kind_of(device)?;
        let (node, at) = self.node_of(device)?;
        let first = self.nodes_of(kind).start;
        Some((of.name.as_str(), node - first + 1, device - at.first_device + 1))
    }
}

fn equal_range(sorted: &[u32], value: u32) -> Range<u32> {
    let first = sorted.partition_point(|&other| other < value);
    let last = sorted.partition_point(|&other| other <= value);
    first as u32..last as u32
}

/// Why a schedule cannot be laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the run has more than {} allocations on devices", MOST_BARS)]
pub struct TooManyBars;

/// Puts a schedule together.
#[derive(Debug)]
pub struct Builder {
    schedule: Schedule,
    /// Device, first position, height, slots and start of every place in one number, and the place.
    keys: Vec<(u64, u32)>,
    place_leases: Vec<u32>,
    lease_spans: Vec<(u32, u32)>,
    /// Height and slots of the last lease.
    shape: (u8, u8),
}

/// Where device, first position, height, slots and start (the lowest bits) stand in a key.
const DEVICE_BIT: u32 = 43;
const FIRST_BIT: u32 = 40;
const HEIGHT_BIT: u32 = 36;
const SLOTS_BIT: u32 = 32;

impl Builder {
    /// A run on these types and nodes that ended at this microsecond.
    #[must_use]
    pub fn new(kinds: Vec<Kind>, nodes: Vec<Node>, end_us: i64) -> Self {
        // The last value stands for "never".
        let tick_us = end_us.max(0) / i64::from(u32::MAX - 1) + 1;
        let mut schedule = Schedule { tick_us, kinds, nodes, ..Schedule::default() };
        schedule.end = ticks(end_us, tick_us);
        schedule.lease_places.push(0);
        Self { schedule, keys: Vec::new(), place_leases: Vec::new(), lease_spans: Vec::new(), shape: (1, 1) }
    }

    /// The name of the next tenant.
    pub fn tenant(&mut self, name: &str) {
        self.schedule.tenants.push(name);
    }

    /// The name of the next class.
    pub fn class(&mut self, name: &str) {
        self.schedule.classes.push(name);
    }

    /// The next job.
    pub fn job(&mut self, job: JobInput<'_>) {
        let tick_us = self.schedule.tick_us;
        let schedule = &mut self.schedule;
        schedule.job_tenants.push(job.tenant);
        schedule.job_classes.push(job.class);
        schedule.job_submits.push(ticks(job.submit_us, tick_us));
        schedule.job_ends.push(job.end_us.map_or(NEVER, |end| ticks(end, tick_us)));
        schedule.job_waits.push(ticks(job.waited_us, tick_us));
        schedule.job_fates.push(match job.fate {
            Fate::Unfinished => 0,
            Fate::Finished => 1,
            Fate::Killed => 2,
        });
        schedule.names.push(job.name);
    }

    /// The next lease; its places follow.
    pub fn lease(&mut self, lease: LeaseInput) {
        let tick_us = self.schedule.tick_us;
        let schedule = &mut self.schedule;
        schedule.lease_jobs.push(lease.job);
        schedule.lease_ready.push(ticks(lease.ready_us, tick_us));
        schedule.lease_rates.push(lease.rate_micro);
        schedule.lease_places.push(self.keys.len() as u32);
        self.lease_spans.push((ticks(lease.from_us, tick_us), ticks(lease.to_us, tick_us)));
        self.shape = (lease.height.clamp(1, 8), lease.slots.min(15));
    }

    /// One place of the last lease: a device and its first position there.
    ///
    /// # Errors
    /// When there are too many.
    pub fn place(&mut self, device: u32, first: u8) -> Result<(), TooManyBars> {
        if self.keys.len() >= MOST_BARS {
            return Err(TooManyBars);
        }
        let Some(&(start, _)) = self.lease_spans.last() else { return Ok(()) };
        let key = u64::from(device) << DEVICE_BIT
            | u64::from(first & 7) << FIRST_BIT
            | u64::from(self.shape.0) << HEIGHT_BIT
            | u64::from(self.shape.1) << SLOTS_BIT
            | u64::from(start);
        self.keys.push((key, self.place_leases.len() as u32));
        self.place_leases.push(self.lease_spans.len() as u32 - 1);
        if let Some(last) = self.schedule.lease_places.last_mut() {
            *last = self.keys.len() as u32;
        }
        Ok(())
    }

    /// The next wait.
    pub fn wait(&mut self, wait: WaitInput) {
        let tick_us = self.schedule.tick_us;
        let schedule = &mut self.schedule;
        schedule.wait_jobs.push(wait.job);
        schedule.wait_from.push(ticks(wait.from_us, tick_us));
        schedule.wait_to.push(ticks(wait.to_us, tick_us));
        schedule.wait_reasons.push(wait.reason);
    }

    /// A node that was out of service.
    pub fn outage(&mut self, node: u32, from_us: i64, to_us: i64) {
        let tick_us = self.schedule.tick_us;
        self.schedule.outages.push(Outage { node, from: ticks(from_us, tick_us), to: ticks(to_us, tick_us) });
    }

    /// The schedule.
    #[must_use]
    pub fn finish(self) -> Schedule {
        let Self { mut schedule, mut keys, place_leases, lease_spans, .. } = self;
        keys.sort_unstable();
        let bars = keys.len();
        schedule.places = vec![0; bars];
        schedule.starts.reserve_exact(bars);
        schedule.ends.reserve_exact(bars);
        schedule.bar_leases.reserve_exact(bars);
        let mut last_lane = None;
        for (bar, &(key, place)) in keys.iter().enumerate() {
            let lease = place_leases[place as usize];
            let lane = key >> SLOTS_BIT;
            if last_lane != Some(lane) {
                last_lane = Some(lane);
                schedule.lanes.push(Lane {
                    device: (key >> DEVICE_BIT) as u32,
                    first: (key >> FIRST_BIT & 7) as u8,
                    height: (key >> HEIGHT_BIT & 15) as u8,
                    slots: (key >> SLOTS_BIT & 15) as u8,
                });
                schedule.lane_bars.push(bar as u32);
            }
            let (start, end) = lease_spans[lease as usize];
            schedule.starts.push(start);
            schedule.ends.push(end);
            schedule.bar_leases.push(lease);
            schedule.places[place as usize] = bar as u32;
        }
        schedule.lane_bars.push(bars as u32);
        schedule.find_lanes();
        schedule
    }
}

impl Schedule {
    /// Notes where the lanes of every device begin.
    pub(super) fn find_lanes(&mut self) {
        let devices = self.devices() as usize;
        let mut lane = 0;
        self.device_lanes = (0..=devices)
            .map(|device| {
                while self.lanes.get(lane).is_some_and(|next| (next.device as usize) < device) {
                    lane += 1;
                }
                lane as u32
            })
            .collect();
    }
}

fn ticks(us: i64, tick_us: i64) -> u32 {
    u32::try_from(us.max(0) / tick_us.max(1)).unwrap_or(NEVER - 1)
}
