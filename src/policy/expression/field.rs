//! What an expression can name: the table from which the help of the page, the command line and the documentation are made.

use crate::policy::param::Symbol;
use crate::policy::registry::Knowledge;

/// A field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Wait,
    Idle,
    Age,
    Submit,
    Executed,
    Attained,
    Running,
    Gpus,
    LeastGpus,
    BestSpeed,
    Remaining,
    Duration,
    Limit,
    TenantWeight,
    TenantShare,
    TenantEntitled,
    TenantHeld,
    TenantAhead,
    TenantQueued,
    TenantService,
    FreeSlots,
    TotalSlots,
    TotalGpus,
    QueueLength,
    Load,
    Now,
}

const JOB: &str = "job";
const TENANT: &str = "tenant";
const CLUSTER: &str = "cluster";

const TABLE: [(Field, Symbol); 26] = [
    (Field::Wait, symbol(JOB, "wait_s", "s", "time since it was submitted during which it held no GPU")),
    (
        Field::Idle,
        symbol(JOB, "idle_s", "s", "time since it last held GPUs or was submitted; 0 while it runs"),
    ),
    (Field::Age, symbol(JOB, "age_s", "s", "time since it was submitted")),
    (Field::Submit, symbol(JOB, "submit_s", "s", "when it was submitted, from the first submission")),
    (Field::Executed, symbol(JOB, "executed_s", "s", "time that it held GPUs so far")),
    (
        Field::Attained,
        symbol(
            JOB,
            "attained_gpu_s",
            "GPU-s",
            "GPUs held times time so far; a slice counts as its share of the GPU",
        ),
    ),
    (Field::Running, symbol(JOB, "running", "", "1 while it holds GPUs, else 0")),
    (Field::Gpus, symbol(JOB, "gpus", "GPUs", "GPUs that it asked for; 0.25 is a quarter of one")),
    (
        Field::LeastGpus,
        symbol(JOB, "least_gpus", "GPUs", "the smallest share of GPUs of the cluster in which it can run"),
    ),
    (
        Field::BestSpeed,
        symbol(
            JOB,
            "best_speed",
            "×",
            "how fast it runs where it runs fastest in the cluster, against its reference speed",
        ),
    ),
    (
        Field::Remaining,
        of_run_time(
            "remaining_s",
            "run time left at its reference speed; exact, estimated or unknown as the policy is set",
        ),
    ),
    (
        Field::Duration,
        of_run_time("duration_s", "run time in all at its reference speed; known as remaining_s is"),
    ),
    (
        Field::Limit,
        symbol(
            JOB,
            "limit_s",
            "s",
            "run time that its user asked for; infinite where the trace does not say",
        ),
    ),
    (Field::TenantWeight, symbol(TENANT, "tenant_weight", "", "weight of its tenant now")),
    (
        Field::TenantShare,
        symbol(
            TENANT,
            "tenant_share",
            "0 to 1",
            "its tenant's weight over that of all tenants with jobs in the system",
        ),
    ),
    (
        Field::TenantEntitled,
        symbol(TENANT, "tenant_entitled_gpus", "GPUs", "tenant_share of the GPUs in service"),
    ),
    (Field::TenantHeld, symbol(TENANT, "tenant_held_gpus", "GPUs", "GPUs that its tenant's jobs hold")),
    (
        Field::TenantAhead,
        symbol(
            TENANT,
            "tenant_ahead_gpus",
            "GPUs",
            "GPUs asked for by its tenant's jobs in the system that came before it",
        ),
    ),
    (Field::TenantQueued, symbol(TENANT, "tenant_queued", "jobs", "jobs of its tenant that wait")),
    (
        Field::TenantService,
        symbol(
            TENANT,
            "tenant_service_gpu_s",
            "GPU-s",
            "GPUs held times time by all jobs of its tenant so far, also by those that are gone",
        ),
    ),
    (Field::FreeSlots, symbol(CLUSTER, "free_slots", "slots", "slots that no job holds")),
    (Field::TotalSlots, symbol(CLUSTER, "total_slots", "slots", "slots in service")),
    (Field::TotalGpus, symbol(CLUSTER, "total_gpus", "GPUs", "GPUs in service")),
    (Field::QueueLength, symbol(CLUSTER, "queue_length", "jobs", "jobs that wait")),
    (
        Field::Load,
        symbol(CLUSTER, "load", "×", "GPUs asked for by all jobs in the system over GPUs in service"),
    ),
    (Field::Now, symbol(CLUSTER, "now_s", "s", "time of the decision, from the first submission")),
];

/// The names an expression may use.
pub const SYMBOLS: [Symbol; TABLE.len()] = {
    let mut symbols = [TABLE[0].1; TABLE.len()];
    let mut at = 0;
    while at < TABLE.len() {
        symbols[at] = TABLE[at].1;
        at += 1;
    }
    symbols
};

const fn symbol(of: &'static str, name: &'static str, unit: &'static str, meaning: &'static str) -> Symbol {
    Symbol { name, of, unit, meaning, knowledge: Knowledge::None }
}

const fn of_run_time(name: &'static str, meaning: &'static str) -> Symbol {
    Symbol { name, of: JOB, unit: "s", meaning, knowledge: Knowledge::RemainingWork }
}

impl Field {
    /// The field at a position of [`SYMBOLS`].
    pub(super) fn at(position: usize) -> Self {
        TABLE[position].0
    }

    /// Its position in [`SYMBOLS`].
    pub(super) fn position(self) -> usize {
        self as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_fields_and_names_are_unique() {
        for (position, (field, symbol)) in TABLE.iter().enumerate() {
            assert_eq!((field.position(), Field::at(position)), (position, *field), "{}", symbol.name);
            assert_eq!(
                SYMBOLS.iter().filter(|other| other.name == symbol.name).count(),
                1,
                "{}",
                symbol.name
            );
        }
    }
}
