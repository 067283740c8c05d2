//! Marginal gains (Optimus).

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::estimate::{DURATION_ERROR, DURATIONS, Estimator};
use super::list::{ByRank, Chooser, Rank, Sharing, TYPE_CHOICE, fits, is_full, take};
use super::param::{ParamKind, ParamSpec};
use super::registry::Knowledge;
use super::tenants::held_units;
use super::{Decision, Grant, Policy, PolicySpec, Refill, RefillReads, View};
use crate::units::{JobId, SimSpan};
use crate::workload::JobOption;

/// Marginal gains: what is free goes where it shortens the remaining time most.
///
/// * Rule: each round every job gets the least it can run with, in ascending order of that; then, over and over, the job whose next
///   larger slice saves most time for the share of a device it takes grows, until nothing is free or gained; the rest is preempted.
/// * Source: Peng et al., "Optimus: An Efficient Dynamic Resource Scheduler for Deep Learning Clusters", EuroSys 2018, §4.1.
/// * Deviations: Optimus adds workers and parameter servers; here a gang has the size its trace gives it, and what may grow is the
///   slice of a job of one GPU, with `sharing: elastic`. Without, only the order of least demand is left. Speeds are known, where
///   Optimus fits them online.
/// * Complexity: O(n log n) a round for n active jobs.
pub const SPEC: PolicySpec = PolicySpec {
    name: "optimus",
    title: "Optimus",
    summary: "The least for everybody, smallest first; then what is free where it saves most time; goes by run times",
    citation: "Peng et al., Optimus, EuroSys 2018",
    knowledge: Knowledge::RemainingWork,
    params: &[
        DURATIONS,
        DURATION_ERROR,
        TYPE_CHOICE,
        ParamSpec {
            name: "sharing",
            title: "Sharing",
            unit: None,
            kind: ParamKind::Choice(&[
                ("off", "every job takes whole devices"),
                (
                    "elastic",
                    "a job of one GPU starts in the smallest slice that holds it, and grows where that saves most",
                ),
            ]),
            help: "Whether jobs may share a device.",
        },
    ],
    refuses: None,
    build: Some(|params, seed| {
        Box::new(Optimus {
            chooser: Chooser::new(params, seed),
            sharing: Sharing::of(params),
            estimator: Estimator::new(params, seed),
            order: ByRank::default(),
            gains: BinaryHeap::new(),
        })
    }),
};

struct Optimus {
    chooser: Chooser,
    sharing: Sharing,
    estimator: Estimator,
    order: ByRank,
    gains: BinaryHeap<Gain>,
}

/// What the next larger option of a job saves.
#[derive(Debug, Clone, Copy)]
struct Gain {
    /// Seconds, over the devices that it takes more.
    per_device: f64,
    /// Where the job is among those that were given something.
    at: usize,
    option: u16,
}

impl Ord for Gain {
    fn cmp(&self, other: &Self) -> Ordering {
        self.per_device.total_cmp(&other.per_device).then_with(|| other.at.cmp(&self.at))
    }
}

impl PartialOrd for Gain {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Gain {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Gain {}

/// The least that a job can run with, in units of a device.
fn least(view: &View<'_>, sharing: Sharing, job: JobId) -> i128 {
    let class = view.class(job);
    let whole = class.whole.iter().flatten().filter_map(|&option| class.options.get(usize::from(option)));
    let units = |option: &JobOption| held_units(view, *option);
    match sharing {
        Sharing::Elastic => class.options.iter().map(units).min().unwrap_or(i128::MAX),
        _ => whole.map(units).min().unwrap_or(i128::MAX),
    }
}

/// What a job that has been given `option` saves with the next larger slice of the same type that is faster.
fn gain(view: &View<'_>, estimator: &Estimator, given: Grant, at: usize, after: u16) -> Option<Gain> {
    let now = view.option(given.job, given.option);
    let larger = view.class(given.job).options.iter().zip(0u16..).skip(usize::from(after) + 1);
    let mut larger = larger.take_while(|(option, _)| option.type_id == now.type_id);
    let (next, option) =
        larger.find(|(option, _)| option.devices == now.devices && option.rate > now.rate)?;
    let remaining = estimator.remaining(view, given.job);
    let seconds = |rate| remaining.time_at(rate).map_or(0.0, SimSpan::as_secs);
    let more = (held_units(view, *next) - held_units(view, now)).max(1);
    Some(Gain { per_device: (seconds(now.rate) - seconds(next.rate)) / more as f64, at, option })
}

impl Optimus {
    /// Lets jobs that have been given something grow, the largest gain first; `try_grow` says whether an option fits in the place of
    /// what the job has.
    fn grow(&mut self, view: &View<'_>, given: &mut [Grant], mut try_grow: impl FnMut(Grant, u16) -> bool) {
        let Self { estimator, gains, .. } = self;
        gains.clear();
        gains.extend(given.iter().enumerate().filter_map(|(at, &g)| gain(view, estimator, g, at, g.option)));
        while let Some(best) = gains.pop() {
            let grant = &mut given[best.at];
            if try_grow(*grant, best.option) {
                grant.option = best.option;
            }
            gains.extend(gain(view, estimator, *grant, best.at, best.option));
        }
    }
}

impl Policy for Optimus {
    fn decide(&mut self, view: &View<'_>, decision: &mut Decision) {
        let mut capacity = view.capacity();
        let Self { chooser, order, sharing, .. } = self;
        order.sort(view.active, |job| Rank::ascending(least(view, *sharing, job)));
        for job in order.jobs() {
            if is_full(view, &capacity) {
                break;
            }
            let ranked = chooser.ranked(view, job, |type_id| capacity.free_devices_upper(type_id));
            // A running job stays on its type.
            let home = view.state(job).held.map(|held| view.option(job, held.option).type_id);
            let is_home = |option: &&u16| home.is_some_and(|home| view.option(job, **option).type_id == home);
            let mut tried = ranked.iter().filter(is_home).chain(ranked);
            if let Some(&option) = tried.find(|option| fits(&capacity, view.option(job, **option))) {
                take(&mut capacity, view.option(job, option));
                decision.grants.push(Grant { job, option });
            }
        }
        if self.sharing != Sharing::Elastic {
            return;
        }
        self.grow(view, &mut decision.grants, |grant, option| {
            let (now, next) = (view.option(grant.job, grant.option), view.option(grant.job, option));
            capacity.give(now.type_id, now.slice(), now.devices);
            let grows = fits(&capacity, next);
            take(&mut capacity, if grows { next } else { now });
            grows
        });
    }

    fn refill(&mut self, view: &View<'_>, waiting: &[JobId], free: &mut dyn Refill) {
        let Self { chooser, order, sharing, .. } = self;
        let mut started: Vec<Grant> = Vec::new();
        let startable = chooser.startable(view, waiting, free);
        order.sort(startable, |job| Rank::ascending(least(view, *sharing, job)));
        for job in order.jobs() {
            if free.is_full() {
                break;
            }
            let ranked = chooser.ranked(view, job, |type_id| free.free_devices(type_id));
            let option = ranked.iter().copied().find(|&option| free.try_start(job, option));
            started.extend(option.map(|option| Grant { job, option }));
        }
        if self.sharing == Sharing::Elastic {
            self.grow(view, &mut started, |grant, option| free.try_grow(grant.job, option));
        }
    }

    fn refill_reads(&self) -> RefillReads {
        RefillReads::Waiting
    }
}
