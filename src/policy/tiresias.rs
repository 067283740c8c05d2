//! Least attained service in several queues (Tiresias).

use super::list::{ByRank, Chooser, LEASE, Passing, Rank, SHARING, TYPE_CHOICE};
use super::param::{ParamKind, ParamSpec};
use super::registry::Knowledge;
use super::{ATTAINED_UNITS, Decision, Params, Policy, PolicySpec, Refill, RefillReads, View};
use crate::units::{JobId, MICROS_PER_S, SimTime};

/// The parameter `promote_knob`.
pub(super) const PROMOTE_KNOB: ParamSpec = ParamSpec {
    name: "promote_knob",
    title: "Promotion",
    unit: Some("× executed time"),
    kind: ParamKind::Number { default: Some(0.0), min: 0.0, max: 1e6 },
    help: "A job that has waited this many times its executed time returns to the first queue with its attained service \
           forgotten. 0 = never.",
};

/// Discretised two-dimensional least attained service with k queues.
///
/// * Rule: a job's attained service is GPUs times executed time; it is in the first queue until that passes the first threshold,
///   then in the second, and so on; each round the queues are served in turn, each by first start and then by submission;
///   whoever fits runs; the rest is preempted. A job that has waited too long returns to the first queue.
/// * Source: Gu et al., "Tiresias: A GPU Cluster Manager for Distributed Deep Learning", NSDI 2019, §4.
/// * Deviations: acts at round boundaries. Tiresias keeps models with skewed tensors on few machines and spreads the others; here
///   placement prefers few nodes for every gang and waits for none. `las` is the variant with two queues, each by submission.
/// * Complexity: O(n log n) a round for n active jobs.
pub const SPEC: PolicySpec = PolicySpec {
    name: "tiresias",
    title: "Tiresias (2D-LAS)",
    summary: "Least attained service in k queues, those that started first ahead in each; preemptive; needs no run times",
    citation: "Gu et al., Tiresias, NSDI 2019",
    knowledge: Knowledge::None,
    params: &[
        ParamSpec {
            name: "queues",
            title: "Queues",
            unit: None,
            kind: ParamKind::Integer { default: 3, min: 1, max: 64 },
            help: "Number of queues. With one queue nobody is ever preempted.",
        },
        ParamSpec {
            name: "threshold_gpu_hours",
            title: "First threshold",
            unit: Some("GPU-hours"),
            kind: ParamKind::Number { default: Some(1.0), min: 0.0, max: 1e6 },
            help: "Attained service at which a job moves from the first queue to the second.",
        },
        ParamSpec {
            name: "threshold_factor",
            title: "Factor of thresholds",
            unit: Some("×"),
            kind: ParamKind::Number { default: Some(16.0), min: 1.0, max: 1e6 },
            help: "Every further threshold is this many times the one before it.",
        },
        PROMOTE_KNOB,
        LEASE,
        TYPE_CHOICE,
        SHARING,
    ],
    refuses: None,
    build: Some(|params, seed| {
        let first = params.number("threshold_gpu_hours");
        let factor = params.number("threshold_factor");
        let thresholds =
            std::iter::successors(Some(first), |threshold| Some((threshold * factor).min(MOST_GPU_HOURS)));
        let demotions = params.integer("queues").unsigned_abs() as usize - 1;
        let thresholds = thresholds.take(demotions).map(attained_in).collect();
        Box::new(AttainedService::new(thresholds, Within::Start, params, seed))
    }),
};

/// More than any job attains; keeps thresholds in range.
const MOST_GPU_HOURS: f64 = 1e12;

/// A service in GPU-hours as [`super::JobState::attained`] counts it.
pub(super) fn attained_in(gpu_hours: f64) -> i128 {
    (gpu_hours * 3600.0 * MICROS_PER_S as f64) as i128 * ATTAINED_UNITS
}

/// Who comes first within a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Within {
    /// Who was submitted first.
    Submission,
    /// Who started first; those that never ran come after them, by submission.
    Start,
}

/// What a promotion makes forgotten.
#[derive(Debug, Clone, Copy, Default)]
struct Forgiven {
    attained: i128,
    executed_us: i64,
}

/// The policy, with any number of queues.
pub(super) struct AttainedService {
    /// The service at which a job leaves each queue but the last, ascending.
    thresholds: Vec<i128>,
    within: Within,
    promote_knob: f64,
    /// By job; only as long as needed when promotion is on.
    forgiven: Vec<Forgiven>,
    chooser: Chooser,
    order: ByRank,
}

impl AttainedService {
    pub(super) fn new(thresholds: Vec<i128>, within: Within, params: &Params, seed: u64) -> Self {
        Self {
            thresholds,
            within,
            promote_knob: params.number(PROMOTE_KNOB.name),
            forgiven: Vec::new(),
            chooser: Chooser::new(params, seed),
            order: ByRank::default(),
        }
    }

    fn promote(&mut self, view: &View<'_>, jobs: &[JobId]) {
        if self.promote_knob <= 0.0 {
            return;
        }
        self.forgiven.resize(view.states.len(), Forgiven::default());
        for &job in jobs {
            let state = view.state(job);
            let forgiven = &mut self.forgiven[job.index()];
            let executed_us = state.executed.0 - forgiven.executed_us;
            let waited_us = (view.now - state.changed).0;
            let starved = executed_us > 0 && waited_us as f64 >= self.promote_knob * executed_us as f64;
            if state.held.is_none() && starved {
                *forgiven = Forgiven { attained: state.attained, executed_us: state.executed.0 };
            }
        }
    }
}

/// The queue a job is in, and its place there.
fn rank(view: &View<'_>, thresholds: &[i128], within: Within, forgiven: &[Forgiven], job: JobId) -> Rank {
    let state = view.state(job);
    let attained = state.attained - forgiven.get(job.index()).map_or(0, |forgiven| forgiven.attained);
    let start = match within {
        Within::Submission => SimTime::ZERO,
        Within::Start => state.first_start.unwrap_or(SimTime::NEVER),
    };
    Rank::in_queue(thresholds.partition_point(|&threshold| threshold <= attained), start)
}

impl Policy for AttainedService {
    fn decide(&mut self, view: &View<'_>, decision: &mut Decision) {
        self.promote(view, view.active);
        let Self { thresholds, within, forgiven, chooser, order, .. } = self;
        let rank = |job| rank(view, thresholds, *within, forgiven, job);
        chooser.serve_by_rank(view, order, rank, decision);
    }

    fn refill(&mut self, view: &View<'_>, waiting: &[JobId], free: &mut dyn Refill) {
        self.promote(view, waiting);
        let Self { thresholds, within, forgiven, chooser, order, .. } = self;
        let startable = chooser.startable(view, waiting, free);
        order.sort(startable, |job| rank(view, thresholds, *within, forgiven, job));
        chooser.refill(view, order.jobs(), Passing::Always, free);
    }

    fn refill_reads(&self) -> RefillReads {
        RefillReads::Waiting
    }
}
