//! The results of a run.

use std::collections::BTreeMap;

use serde::Serialize;

/// What Gavel's simulator reports at the end of a run. A figure without meaning is `None`, never 0.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Outcome {
    /// Mean of the completion times of the jobs that completed, in seconds; dropped jobs are left out.
    pub avg_jct_s: Option<f64>,
    /// Median of them: the mean of the middle two of an even number.
    pub median_jct_s: Option<f64>,
    /// The clock when every job was done, in seconds. It starts at the first arrival, not at 0.
    pub makespan_s: f64,
    /// Mean over workers of the time they were busy, over the makespan. It counts what Gavel counts: time to the end of
    /// a round after a job's own end is idle, a gap before a round in which nothing ran is busy.
    pub utilization: Option<f64>,
    /// Rounds scheduled, the last and empty one included.
    pub rounds: u64,
    /// Times that shares were computed.
    pub policy_runs: u64,
    /// Jobs that completed.
    pub completed: usize,
    /// Jobs dropped after five failures in a row.
    pub dropped: usize,
    /// Of the jobs that had workers in one round and were active in the next, the percentage that kept the same workers.
    pub lease_extension_pct: Option<f64>,
    /// By job: end of its last round's work less its arrival, in seconds; `None` if it was dropped.
    pub jct_s: BTreeMap<u32, Option<f64>>,
    /// By worker: seconds booked.
    pub worker_time_s: Vec<f64>,
}

/// The mean.
pub(super) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The middle value.
pub(super) fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = if sorted.len().is_multiple_of(2) { *sorted.get(sorted.len() / 2 - 1)? } else { upper };
    Some((lower + upper) / 2.0)
}
