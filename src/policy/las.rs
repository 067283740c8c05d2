//! Least attained service in two queues.

use super::PolicySpec;
use super::list::{LEASE, SHARING, TYPE_CHOICE};
use super::param::{ParamKind, ParamSpec};
use super::registry::Knowledge;
use super::tiresias::{AttainedService, PROMOTE_KNOB, Within, attained_in};

/// Discretised two-dimensional least attained service with two queues.
///
/// * Rule: a job starts in the first queue and is demoted to the second when its GPUs times executed time pass a threshold; each
///   round the queues are served in turn, each in the order of submission; whoever fits runs; the rest is preempted.
/// * Source: Gu et al., "Tiresias: A GPU Cluster Manager for Distributed Deep Learning", NSDI 2019; two queues and the promotion
///   rule as in the artifact of Jayaram Subramanya et al., "Sia", SOSP 2023.
/// * Deviations: acts at round boundaries; consolidation is left to placement, which prefers few nodes for every gang. `tiresias`
///   is the original, with any number of queues and jobs that started first ahead within each.
/// * Complexity: O(n log n) a round for n active jobs.
pub const SPEC: PolicySpec = PolicySpec {
    name: "las",
    title: "LAS (two queues)",
    summary: "Least attained service in two queues, each in order of arrival; preemptive; needs no run times",
    citation: "Gu et al., Tiresias, NSDI 2019, as in the artifact of Sia, SOSP 2023",
    knowledge: Knowledge::None,
    params: &[
        ParamSpec {
            name: "threshold_gpu_hours",
            title: "Demotion threshold",
            unit: Some("GPU-hours"),
            kind: ParamKind::Number { default: Some(16.0), min: 0.0, max: 1e6 },
            help: "Attained service at which a job moves from the first queue to the second. 0 = never.",
        },
        PROMOTE_KNOB,
        LEASE,
        TYPE_CHOICE,
        SHARING,
    ],
    refuses: None,
    build: Some(|params, seed| {
        let threshold = attained_in(params.number("threshold_gpu_hours"));
        let thresholds = if threshold > 0 { vec![threshold] } else { Vec::new() };
        Box::new(AttainedService::new(thresholds, Within::Submission, params, seed))
    }),
};
