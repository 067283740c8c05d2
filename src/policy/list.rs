//! What list schedulers share: serving jobs in an order, each on a GPU type that the rule for types chooses.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::param::{ParamKind, ParamSpec};
use super::{Decision, Grant, Params, Reason, Refill, View};
use crate::cluster::capacity::Capacity;
use crate::units::{JobId, TypeId};
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
}

impl Sharing {
    /// As the parameter [`SHARING`] says.
    pub(super) fn new(params: &Params) -> Self {
        if params.word("sharing") == "requested" { Self::Requested } else { Self::Off }
    }

    /// The option that a job of the class takes on a type, if it can run there.
    pub(super) fn option_on(self, class: &JobClass, type_id: TypeId) -> Option<u16> {
        match self {
            Self::Requested if class.gpus.is_fractional() => {
                class.options.iter().position(|o| o.type_id == type_id).map(|index| index as u16)
            }
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

/// The parameters of a list scheduler without others of its own.
pub(super) const LIST_PARAMS: &[ParamSpec] = &[TYPE_CHOICE, SHARING];

/// Chooses options for jobs that are blind to GPU types.
pub(super) struct Chooser {
    type_choice: TypeChoice,
    sharing: Sharing,
    rng: ChaCha8Rng,
    /// Scratch: candidate options of one job, best first.
    candidates: Vec<u16>,
}

impl Chooser {
    pub(super) fn new(params: &Params, seed: u64) -> Self {
        Self {
            type_choice: match params.word("type_choice") {
                "most-free" => TypeChoice::MostFree,
                "random" => TypeChoice::Random,
                _ => TypeChoice::Fastest,
            },
            sharing: Sharing::new(params),
            rng: ChaCha8Rng::seed_from_u64(seed),
            candidates: Vec::new(),
        }
    }

    /// The options a job may take, at most one a type, in the order in which they are tried.
    fn rank(&mut self, view: &View<'_>, job: JobId, free_devices: impl Fn(TypeId) -> u32) {
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
                take(&mut capacity, view.option(job, held.option));
                decision.grants.push(Grant { job, option: held.option });
            }
        }
        self.start(view, waiting, passing, &mut capacity, decision);
    }

    /// Serves jobs in the order given, running or not: who comes first takes what it needs, who is left over holds nothing.
    /// A running job keeps its option while that fits.
    pub(super) fn serve(
        &mut self,
        view: &View<'_>,
        order: impl Iterator<Item = JobId>,
        passing: Passing,
        decision: &mut Decision,
    ) {
        self.start(view, order, passing, &mut view.capacity(), decision);
    }

    fn start(
        &mut self,
        view: &View<'_>,
        order: impl Iterator<Item = JobId>,
        passing: Passing,
        capacity: &mut Capacity,
        decision: &mut Decision,
    ) {
        let mut blocked = false;
        for job in order {
            if blocked {
                decision.waits.push((job, Reason::HeadOfLine));
                continue;
            }
            if view.cluster.type_ids().all(|type_id| capacity.free_slots(type_id) == 0) {
                if passing == Passing::Always {
                    return;
                }
                blocked = true;
                continue;
            }
            let option = match view.state(job).held {
                Some(held) if fits(capacity, view.option(job, held.option)) => Some(held.option),
                _ => {
                    self.rank(view, job, |type_id| capacity.free_devices_upper(type_id));
                    self.candidates.iter().copied().find(|&option| fits(capacity, view.option(job, option)))
                }
            };
            match option {
                Some(option) => {
                    take(capacity, view.option(job, option));
                    decision.grants.push(Grant { job, option });
                }
                None => blocked = passing == Passing::Never,
            }
        }
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
            self.rank(view, job, |type_id| free.free_devices(type_id));
            let started = self.candidates.iter().any(|&option| free.try_start(job, option));
            if !started && passing == Passing::Never {
                return;
            }
        }
    }
}

/// Whether an option still fits.
pub(super) fn fits(capacity: &Capacity, option: JobOption) -> bool {
    capacity.fits(option.type_id, option.slice(), option.devices)
}

/// Takes what an option uses.
pub(super) fn take(capacity: &mut Capacity, option: JobOption) {
    capacity.take(option.type_id, option.slice(), option.devices);
}
