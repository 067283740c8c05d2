//! Expressions to begin with.

use crate::policy::param::Example;

/// The default.
pub(super) const WFP3: &str = "-(wait_s / duration_s)^3 * gpus";

const IN_ROUNDS: &[(&str, &str)] = &[("preemption", "rounds")];
const STRICT: &[(&str, &str)] = &[("backfill", "waited-for")];

/// All examples. Those that are a policy of the list decide as it does.
pub(super) const ALL: &[Example] = &[
    Example {
        title: "WFP3",
        about: "long waits count by their cube, against the run time, and large jobs more (Tang et al., CLUSTER 2009)",
        formula: WFP3,
        others: &[],
    },
    Example {
        title: "UNICEF",
        about: "small short jobs quickly (Tang et al., CLUSTER 2009); one GPU counts as two, since log2(1) is 0",
        formula: "-wait_s / (log2(max(gpus, 2)) * duration_s)",
        others: &[],
    },
    Example {
        title: "F1",
        about: "found by machine learning (Carastan-Santos and de Camargo, SC 2017)",
        formula: "log10(duration_s) * gpus + 870 * log10(max(submit_s, 1))",
        others: &[],
    },
    Example {
        title: "FIFO",
        about: "in order of arrival; a job that does not fit holds up those behind it",
        formula: "submit_s",
        others: STRICT,
    },
    Example {
        title: "SJF",
        about: "shortest job first, without preemption",
        formula: "remaining_s",
        others: &[],
    },
    Example {
        title: "SRTF",
        about: "shortest remaining time first, with preemption",
        formula: "remaining_s",
        others: IN_ROUNDS,
    },
    Example {
        title: "LAS",
        about: "least attained service in two queues that part at 16 GPU-hours",
        formula: "if(attained_gpu_s < 16 * 3600, 0, 1)",
        others: IN_ROUNDS,
    },
    Example {
        title: "Fair share now",
        about: "tenants in turn, by weight, each its own jobs in order of arrival",
        formula: "tenant_ahead_gpus / tenant_weight",
        others: IN_ROUNDS,
    },
    Example {
        title: "Fair share over time",
        about: "whose tenant has had least GPU time for its weight",
        formula: "tenant_service_gpu_s / tenant_weight",
        others: IN_ROUNDS,
    },
    Example {
        title: "Aging",
        about: "shortest first, but an hour of waiting makes up for ten minutes of run time",
        formula: "remaining_s - wait_s / 6",
        others: &[],
    },
];
