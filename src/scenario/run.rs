//! Running one policy and seed of a scenario, and what comes out of it for tables, charts and files.

use serde::{Deserialize, Serialize};

use crate::metrics::Metrics;

/// Result of one policy and seed. It is plain data: the page gets it from a worker, the command line writes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// The policy's label in the scenario.
    pub policy: String,
    /// The seed.
    pub seed: u64,
    /// Fingerprint of every allocation of the run.
    pub result_hash: String,
    /// Seconds the simulation took, if a clock was given.
    pub sim_wall_s: Option<f64>,
    /// Metrics.
    pub metrics: Metrics,
    /// Sorted completion times of completed jobs, thinned for drawing.
    pub jct_cdf: Vec<CdfPoint>,
    /// Utilisation and queue over time, thinned for drawing.
    pub load: Vec<LoadPoint>,
    /// Service against entitlement, by tenant.
    pub tenants: Vec<TenantResult>,
    /// Rounds decided.
    pub rounds: u64,
    /// Rounds whose decision was proven optimal; `None` for policies without a bound.
    pub rounds_optimal: Option<u64>,
    /// Why the run ended before every job had finished, in words; `None` if all finished.
    pub stopped: Option<String>,
}

/// A point of a cumulative distribution: `share` of the jobs took at most `value_s`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CdfPoint {
    /// Seconds.
    pub value_s: f64,
    /// 0 to 1.
    pub share: f64,
}

/// Mean load in a stretch of time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LoadPoint {
    /// Beginning of the stretch, seconds from the first submission.
    pub at_s: f64,
    /// Share of the cluster held.
    pub used: f64,
    /// Jobs waiting.
    pub waiting: f64,
    /// Jobs running.
    pub running: f64,
}

/// One tenant in one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TenantResult {
    /// Its name.
    pub name: String,
    /// Its weight.
    pub weight: f64,
    /// Simulated jobs.
    pub jobs: u64,
    /// Completed jobs.
    pub completed: u64,
    /// Mean JCT of its completed jobs.
    pub jct_mean_s: Option<f64>,
    /// Mean wait of its completed jobs.
    pub wait_mean_s: Option<f64>,
    /// Service received, in seconds of one reference GPU.
    pub service_s: f64,
    /// Weighted share of all service done while it was active.
    pub entitled_s: f64,
    /// Service over entitlement in equal stretches of time; `None` where the tenant was not active.
    pub service_ratio: Vec<Option<f64>>,
    /// Length of one stretch of `service_ratio`.
    pub stretch_s: f64,
}
