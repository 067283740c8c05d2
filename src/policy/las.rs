//! Least attained service in two queues (Tiresias).

use super::list::{Chooser, Passing, SHARING, TYPE_CHOICE};
use super::param::{ParamKind, ParamSpec};
use super::registry::{Knowledge, serves_all};
use super::{ATTAINED_UNITS, Decision, Policy, PolicySpec, Refill, RefillReads, View};
use crate::units::{JobId, MICROS_PER_S};

/// Discretised two-dimensional least attained service with two queues.
///
/// * Rule: a job starts in the first queue and is demoted to the second when its GPUs times executed time pass a threshold; each
///   round the queues are served in turn, each in the order of submission; whoever fits runs; the rest is preempted.
/// * Source: Gu et al., "Tiresias: A GPU Cluster Manager for Distributed Deep Learning", NSDI 2019; two queues and the promotion
///   rule as in the artifact of Jayaram Subramanya et al., "Sia", SOSP 2023.
/// * Deviations: acts at round boundaries; consolidation is left to placement, which prefers few nodes for every gang.
/// * Complexity: O(n log n) a round for n active jobs.
pub const SPEC: PolicySpec = PolicySpec {
    name: "las",
    title: "LAS (Tiresias)",
    summary: "Least attained service, two queues, preemptive; needs no run times",
    citation: "Gu et al., Tiresias, NSDI 2019",
    knowledge: Knowledge::None,
    params: &[
        ParamSpec {
            name: "threshold_gpu_hours",
            title: "Demotion threshold",
            unit: Some("GPU-hours"),
            kind: ParamKind::Number { default: Some(16.0), min: 0.0, max: 1e6 },
            help: "Attained service at which a job moves from the first queue to the second.",
        },
        ParamSpec {
            name: "promote_knob",
            title: "Promotion",
            unit: Some("× executed time"),
            kind: ParamKind::Number { default: Some(0.0), min: 0.0, max: 1e6 },
            help: "A job that has waited this many times its executed time returns to the first queue with its attained \
                   service forgotten. 0 = never.",
        },
        TYPE_CHOICE,
        SHARING,
    ],
    refuses: serves_all,
    build: Some(|params, seed| {
        Box::new(Las {
            threshold: (params.number("threshold_gpu_hours") * 3600.0) as i128
                * i128::from(MICROS_PER_S)
                * ATTAINED_UNITS,
            promote_knob: params.number("promote_knob"),
            forgiven: Vec::new(),
            chooser: Chooser::new(params, seed),
            order: Vec::new(),
        })
    }),
};

/// What a promotion makes forgotten.
#[derive(Debug, Clone, Copy, Default)]
struct Forgiven {
    attained: i128,
    executed_us: i64,
}

struct Las {
    threshold: i128,
    promote_knob: f64,
    /// By job; only as long as needed when promotion is on.
    forgiven: Vec<Forgiven>,
    chooser: Chooser,
    order: Vec<JobId>,
}

impl Las {
    fn sort(&mut self, view: &View<'_>, jobs: &[JobId]) {
        if self.promote_knob > 0.0 {
            self.promote(view, jobs);
        }
        self.order.clear();
        self.order.extend_from_slice(jobs);
        let demoted = |job: JobId| {
            let forgiven = self.forgiven.get(job.index()).map_or(0, |f| f.attained);
            view.state(job).attained - forgiven >= self.threshold && self.threshold > 0
        };
        self.order.sort_by_key(|&job| (demoted(job), job));
    }

    fn promote(&mut self, view: &View<'_>, jobs: &[JobId]) {
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

impl Policy for Las {
    fn decide(&mut self, view: &View<'_>, decision: &mut Decision) {
        self.sort(view, view.active);
        self.chooser.serve(view, self.order.iter().copied(), Passing::Always, decision);
    }

    fn refill_reads(&self) -> RefillReads {
        RefillReads::Waiting
    }

    fn refill(&mut self, view: &View<'_>, waiting: &[JobId], free: &mut dyn Refill) {
        self.sort(view, waiting);
        self.chooser.refill(view, self.order.iter().copied(), Passing::Always, free);
    }
}
