//! What list schedulers share: serving jobs in an order, each on a GPU type that the rule for types chooses.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::estimate::{DURATION_ERROR, DURATIONS};
use super::param::{ParamKind, ParamSpec};
use super::{Decision, Grant, Params, Reason, Refill, View};
use crate::cluster::capacity::Capacity;
use crate::units::{ClassId, JobId, SimSpan, SimTime, TypeId};
use crate::workload::{JobClass, JobOption};

/// Which of the types that fit now a job takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TypeChoice {
    Fastest,
    MostFree,
    Random,
}

/// Whether jobs may share a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sharing {
    /// Every job takes whole devices.
    Off,
    /// A job that asks for a fraction of a GPU takes the smallest slice that covers it.
    Requested,
    /// A job starts in the smallest slice that holds it.
    Elastic,
}

impl Sharing {
    /// The value of the parameter `sharing`.
    pub(super) fn of(params: &Params) -> Self {
        match params.word(SHARING.name) {
            "requested" => Self::Requested,
            "elastic" => Self::Elastic,
            _ => Self::Off,
        }
    }

    /// The option that a job of the class takes on a type, if it can run there.
    pub(super) fn option_on(self, class: &JobClass, type_id: TypeId) -> Option<u16> {
        let smallest = || class.options.iter().position(|o| o.type_id == type_id).map(|index| index as u16);
        match self {
            Self::Elastic => smallest(),
            Self::Requested if class.gpus.is_fractional() => smallest(),
            _ => class.whole[type_id.index()],
        }
    }
}

/// Whether a job may start before one that is ahead of it and does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Passing {
    /// Nobody passes.
    Never,
    /// Everybody passes.
    Always,
}

/// The parameter `type_choice`.
pub(super) const TYPE_CHOICE: ParamSpec = ParamSpec {
    name: "type_choice",
    title: "GPU type",
    unit: None,
    kind: ParamKind::Choice(&[
        ("fastest", "of the types where the job fits now, the one that runs it fastest"),
        ("most-free", "the type with the most free devices"),
        ("random", "a type drawn at random, from the run's seed"),
    ]),
    help: "Which of the GPU types where it fits now a job takes. A running job never moves to a faster type later.",
};

/// The parameter `sharing`.
pub(super) const SHARING: ParamSpec = ParamSpec {
    name: "sharing",
    title: "Sharing",
    unit: None,
    kind: ParamKind::Choice(&[
        ("off", "every job takes whole devices"),
        ("requested", "a job that asks for a fraction of a GPU takes the smallest slice that covers it"),
    ]),
    help: "Whether jobs may share a device. This scheduler was designed for whole devices.",
};

/// The parameter `lease_s`, of schedulers that preempt.
pub(super) const LEASE: ParamSpec = ParamSpec {
    name: "lease_s",
    title: "Lease",
    unit: Some("s"),
    kind: ParamKind::Number { default: Some(0.0), min: 0.0, max: 1e7 },
    help: "A job that got its GPUs keeps them at least this long, whoever comes first. 0 = until the next round.",
};

/// The parameters of a list scheduler without others of its own.
pub(super) const LIST_PARAMS: &[ParamSpec] = &[TYPE_CHOICE, SHARING];

/// The parameters of a list scheduler that goes by run times, without others of its own.
pub(super) const KNOWING_LIST_PARAMS: &[ParamSpec] = &[DURATIONS, DURATION_ERROR, TYPE_CHOICE, SHARING];

/// Chooses options for jobs that are blind to GPU types.
pub(super) struct Chooser {
    type_choice: TypeChoice,
    sharing: Sharing,
    lease: SimSpan,
    /// Scratch: jobs that keep what they have for the rest of their lease, ascending.
    leased: Vec<JobId>,
    rng: ChaCha8Rng,
    /// Scratch: candidate options of one job, best first.
    candidates: Vec<u16>,
    /// The class of every job, close together: a refill looks at everybody who waits.
    classes: Vec<ClassId>,
    /// Scratch: free devices and slots of each type.
    free_by_type: Vec<(u32, u32)>,
    /// Scratch: whether enough is free for a job of each class, as far as known.
    has_room: Vec<Option<bool>>,
    /// Scratch: whether a job of each class found nothing that fits; then no later one does, as what is free only shrinks.
    is_refused: Vec<bool>,
    /// Scratch: waiting jobs for which enough is free.
    startable: Vec<JobId>,
}

impl Chooser {
    pub(super) fn new(params: &Params, seed: u64) -> Self {
        Self::sharing(params, seed, Sharing::of(params))
    }

    /// A chooser that shares devices in this way, whatever the parameters.
    pub(super) fn sharing(params: &Params, seed: u64, sharing: Sharing) -> Self {
        Self {
            type_choice: match params.word("type_choice") {
                "most-free" => TypeChoice::MostFree,
                "random" => TypeChoice::Random,
                _ => TypeChoice::Fastest,
            },
            sharing,
            lease: SimSpan::from_secs(params.number(LEASE.name)),
            leased: Vec::new(),
            rng: ChaCha8Rng::seed_from_u64(seed),
            candidates: Vec::new(),
            classes: Vec::new(),
            free_by_type: Vec::new(),
            has_room: Vec::new(),
            is_refused: Vec::new(),
            startable: Vec::new(),
        }
    }

    /// The options a job may take, at most one a type, in the order in which they are tried.
    pub(super) fn ranked(
        &mut self,
        view: &View<'_>,
        job: JobId,
        free_devices: impl Fn(TypeId) -> u32,
    ) -> &[u16] {
        let class = view.class(job);
        self.candidates.clear();
        for type_id in view.cluster.type_ids() {
            self.candidates.extend(self.sharing.option_on(class, type_id));
        }
        let rate = |&option: &u16| class.options[usize::from(option)].rate;
        match self.type_choice {
            // Stable: ties keep the order of the types.
            TypeChoice::Fastest => self.candidates.sort_by_key(|option| std::cmp::Reverse(rate(option))),
            TypeChoice::MostFree => self.candidates.sort_by_key(|&option| {
                std::cmp::Reverse(free_devices(class.options[usize::from(option)].type_id))
            }),
            TypeChoice::Random => {
                for last in (1..self.candidates.len()).rev() {
                    let other = (self.rng.next_u64() % (last as u64 + 1)) as usize;
                    self.candidates.swap(last, other);
                }
            }
        }
        &self.candidates
    }

    /// Keeps everything that runs and starts waiting jobs in the order given.
    pub(super) fn keep_and_start(
        &mut self,
        view: &View<'_>,
        waiting: impl Iterator<Item = JobId>,
        passing: Passing,
        decision: &mut Decision,
    ) {
        let mut capacity = view.capacity();
        for &job in view.active {
            if let Some(held) = view.state(job).held {
                hold(&mut capacity, held.taken);
                decision.grants.push(Grant { job, option: held.option });
            }
        }
        self.start(view, waiting, passing, &mut capacity, decision);
    }

    /// Serves jobs in the order given, running or not: who comes first takes what it needs, who is left over holds nothing.
    /// A running job keeps its option while that fits; one whose lease has not ended comes first.
    pub(super) fn serve(
        &mut self,
        view: &View<'_>,
        order: impl Iterator<Item = JobId>,
        passing: Passing,
        decision: &mut Decision,
    ) {
        let mut capacity = view.capacity();
        self.keep_leased(view, &mut capacity, decision);
        let leased = std::mem::take(&mut self.leased);
        let order = order.filter(|job| leased.binary_search(job).is_err());
        self.start(view, order, passing, &mut capacity, decision);
        self.leased = leased;
    }

    /// Serves all jobs, whoever has the least `rank` first, as [`Self::serve`] does; everybody passes. `order` is scratch.
    ///
    /// Jobs that run and come before everybody who waits need no place in the order: what they hold together fits.
    pub(super) fn serve_by_rank(
        &mut self,
        view: &View<'_>,
        order: &mut ByRank,
        rank: impl Fn(JobId) -> Rank,
        decision: &mut Decision,
    ) {
        let mut capacity = view.capacity();
        self.keep_leased(view, &mut capacity, decision);
        let leased = std::mem::take(&mut self.leased);
        let first_waiting = order.rank(view, rank).unwrap_or(u128::MAX);
        if !leased.is_empty() {
            order.ranked.retain(|&ranked| leased.binary_search(&job_of(ranked)).is_err());
        }
        self.leased = leased;
        order.ranked.retain(|&ranked| {
            if ranked >= first_waiting {
                return true;
            }
            let job = job_of(ranked);
            let Some(held) = view.state(job).held else { return true };
            hold(&mut capacity, held.taken);
            decision.grants.push(Grant { job, option: held.option });
            false
        });
        order.ranked.sort_unstable();
        self.start(view, order.jobs(), Passing::Always, &mut capacity, decision);
    }

    /// Grants what is held for the rest of a lease.
    fn keep_leased(&mut self, view: &View<'_>, capacity: &mut Capacity, decision: &mut Decision) {
        self.leased.clear();
        if self.lease == SimSpan::ZERO {
            return;
        }
        for &job in view.active {
            let held = view.state(job).held.filter(|held| view.now - held.since < self.lease);
            let Some(held) = held else { continue };
            hold(capacity, held.taken);
            decision.grants.push(Grant { job, option: held.option });
            self.leased.push(job);
        }
    }

    fn start(
        &mut self,
        view: &View<'_>,
        order: impl Iterator<Item = JobId>,
        passing: Passing,
        capacity: &mut Capacity,
        decision: &mut Decision,
    ) {
        self.is_refused.clear();
        self.is_refused.resize(view.workload.classes.len(), false);
        let mut blocked = false;
        for job in order {
            if blocked {
                decision.waits.push((job, Reason::HeadOfLine));
                continue;
            }
            if view.state(job).held.is_none() && self.is_refused[view.job(job).class.index()] {
                continue;
            }
            if self.give(view, job, capacity, decision).is_some() {
                continue;
            }
            self.is_refused[view.job(job).class.index()] = true;
            match passing {
                Passing::Never => blocked = true,
                Passing::Always if is_full(view, capacity) => return,
                Passing::Always => {}
            }
        }
    }

    /// Gives a job the option it holds while that fits, else the first of its options that fits; `None` if none does.
    pub(super) fn give(
        &mut self,
        view: &View<'_>,
        job: JobId,
        capacity: &mut Capacity,
        decision: &mut Decision,
    ) -> Option<JobOption> {
        let (option, taken) = match view.state(job).held {
            Some(held) if take(capacity, held.taken) => (held.option, held.taken),
            _ => {
                let ranked = self.ranked(view, job, |type_id| capacity.free_devices_upper(type_id));
                let options = ranked.iter().map(|&option| (option, view.option(job, option)));
                options.into_iter().find(|&(_, wanted)| take(capacity, wanted))?
            }
        };
        decision.grants.push(Grant { job, option });
        Some(taken)
    }

    /// Starts a waiting job inside a round with the first of its options that finds a position; `None` if none does.
    pub(super) fn try_start(
        &mut self,
        view: &View<'_>,
        job: JobId,
        free: &mut dyn Refill,
    ) -> Option<JobOption> {
        let ranked = self.ranked(view, job, |type_id| free.free_devices(type_id));
        let started = ranked.iter().copied().find(|&option| free.try_start(job, option))?;
        Some(view.option(job, started))
    }

    /// The waiting jobs for which enough is free on some type, by counting: nobody else needs a place in the order.
    pub(super) fn startable(&mut self, view: &View<'_>, waiting: &[JobId], free: &dyn Refill) -> &[JobId] {
        let Self { sharing, classes, free_by_type, has_room, startable, .. } = self;
        if classes.len() != view.workload.jobs.len() {
            classes.clear();
            classes.extend(view.workload.jobs.iter().map(|job| job.class));
        }
        free_by_type.clear();
        free_by_type.extend(view.cluster.type_ids().map(|k| (free.free_devices(k), free.free_slots(k))));
        let is_enough = |class: &JobClass, (k, &(devices, slots)): (usize, &(u32, u32))| {
            sharing.option_on(class, TypeId(k as u16)).is_some_and(|index| {
                let option = class.options[usize::from(index)];
                if class.whole[k] == Some(index) {
                    devices >= option.devices
                } else {
                    slots >= u32::from(option.slots) * option.devices
                }
            })
        };
        has_room.clear();
        has_room.resize(view.workload.classes.len(), None);
        startable.clear();
        startable.extend(waiting.iter().copied().filter(|&job| {
            let class = classes[job.index()];
            *has_room[class.index()].get_or_insert_with(|| {
                let class = &view.workload.classes[class.index()];
                free_by_type.iter().enumerate().any(|of_type| is_enough(class, of_type))
            })
        }));
        startable
    }

    /// Starts waiting jobs inside a round in the order given.
    pub(super) fn refill(
        &mut self,
        view: &View<'_>,
        order: impl Iterator<Item = JobId>,
        passing: Passing,
        free: &mut dyn Refill,
    ) {
        for job in order {
            if free.is_full() {
                return;
            }
            if self.try_start(view, job, free).is_none() && passing == Passing::Never {
                return;
            }
        }
    }
}

/// What is free beside the jobs that run, by counting.
pub(super) fn free_beside_running(view: &View<'_>) -> Capacity {
    let mut capacity = view.capacity();
    for held in view.active.iter().filter_map(|&job| view.state(job).held) {
        hold(&mut capacity, held.taken);
    }
    capacity
}

/// Whether no slot of any type is left.
pub(super) fn is_full(view: &View<'_>, capacity: &Capacity) -> bool {
    view.cluster.type_ids().all(|type_id| capacity.free_slots(type_id) == 0)
}

/// Whether an option still fits.
pub(super) fn fits(capacity: &Capacity, option: JobOption) -> bool {
    capacity.fits(option.type_id, option.slice(), option.devices)
}

/// Takes what an option uses if it fits, and says whether it does.
pub(super) fn take(capacity: &mut Capacity, option: JobOption) -> bool {
    capacity.take(option.type_id, option.slice(), option.devices)
}

/// Counts what a job holds already; what runs fits together.
pub(super) fn hold(capacity: &mut Capacity, option: JobOption) {
    capacity.hold(option.type_id, option.slice(), option.devices);
}

/// Waiting jobs, in order of submission.
pub(super) fn waiting<'v>(view: &'v View<'_>) -> impl Iterator<Item = JobId> + 'v {
    view.active.iter().copied().filter(|&job| view.state(job).held.is_none())
}

/// Where a job stands in an order: whoever has the least comes first. A number of [`Rank::BITS`] bits, so that one comparison of
/// integers also settles ties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank(u128);

impl Rank {
    /// What is left of 128 bits beside the number of a job.
    const BITS: u32 = 96;
    /// Half of all ranks; magnitudes up to here are told apart, which is a billion years of work.
    const MIDDLE: i128 = 1 << (Self::BITS - 1);

    /// The least first.
    pub(super) fn ascending(key: i128) -> Self {
        Self((key.clamp(-Self::MIDDLE, Self::MIDDLE - 1) + Self::MIDDLE).unsigned_abs())
    }

    /// The largest first.
    pub(super) fn descending(key: i64) -> Self {
        Self::ascending(-i128::from(key))
    }

    /// By queue, and by time within one.
    pub(super) fn in_queue(queue: usize, time: SimTime) -> Self {
        Self::ascending(((queue as i128) << i64::BITS) + i128::from(time.0))
    }
}

/// An order of jobs by rank, ties in order of submission.
#[derive(Default)]
pub(super) struct ByRank {
    /// Each job's rank and number in one.
    ranked: Vec<u128>,
}

impl ByRank {
    /// Sorts jobs, whoever has the least `rank` first.
    pub(super) fn sort(&mut self, jobs: &[JobId], rank: impl Fn(JobId) -> Rank) {
        self.ranked.clear();
        self.ranked.extend(jobs.iter().map(|&job| ranked(rank(job), job)));
        self.ranked.sort_unstable();
    }

    /// Ranks all jobs, in the order of submission; says who comes first of those that wait.
    fn rank(&mut self, view: &View<'_>, rank: impl Fn(JobId) -> Rank) -> Option<u128> {
        let mut first_waiting: Option<u128> = None;
        self.ranked.clear();
        self.ranked.extend(view.active.iter().map(|&job| {
            let ranked = ranked(rank(job), job);
            if view.state(job).held.is_none() {
                first_waiting = Some(first_waiting.map_or(ranked, |first| first.min(ranked)));
            }
            ranked
        }));
        first_waiting
    }

    /// The jobs in this order.
    pub(super) fn jobs(&self) -> impl Iterator<Item = JobId> {
        self.ranked.iter().map(|&ranked| job_of(ranked))
    }
}

fn ranked(rank: Rank, job: JobId) -> u128 {
    rank.0 << u32::BITS | u128::from(job.0)
}

fn job_of(ranked: u128) -> JobId {
    JobId(ranked as u32)
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_order_is_that_of_keys_and_then_of_jobs(
            keys in vec(prop_oneof![-9i128..9, any::<i64>().prop_map(|key| i128::from(key) << 30)], 0..40),
        ) {
            let jobs: Vec<JobId> = (0..keys.len() as u32).map(JobId).collect();
            let mut expected = jobs.clone();
            expected.sort_by_key(|job| keys[job.index()]);
            let mut order = ByRank::default();
            order.sort(&jobs, |job| Rank::ascending(keys[job.index()]));
            prop_assert!(order.jobs().eq(expected));
        }
    }

    #[test]
    fn ranks_keep_extremes_apart() {
        let ascends = [
            Rank::ascending(i128::MIN),
            Rank::ascending(-1),
            Rank::ascending(0),
            Rank::ascending(i128::from(i64::MAX) << 31),
            Rank::ascending(i128::MAX),
        ];
        assert!(ascends.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert!(Rank::descending(i64::MAX).0 < Rank::descending(i64::MIN).0);
        assert!(Rank::in_queue(0, SimTime::NEVER).0 < Rank::in_queue(1, SimTime::ZERO).0);
        assert!(ascends.iter().all(|rank| rank.0 >> Rank::BITS == 0));
    }
}
