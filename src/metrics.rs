//! Metrics of a run: what they are ([`spec`]) and how they are computed from the record of the run ([`compute()`]); and what may be said
//! of them over several seeds ([`statistics`]).

pub mod breakdown;
pub mod compute;
pub mod distribution;
pub mod held;
pub mod jobs;
pub mod proofs;
pub mod properties;
pub mod queue;
pub mod series;
pub mod spec;
pub mod statistics;
pub mod window;
mod worth;
pub mod yardstick;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use breakdown::Breakdown;
pub use compute::compute;
pub use proofs::ProofStats;
pub use spec::{Direction, MetricSpec, metrics};

/// What is measured of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Figures of the whole run.
    pub metrics: Metrics,
    /// Figures by tenant, type and class.
    pub breakdown: Breakdown,
    /// The distributions over measured jobs that completed.
    pub sample: jobs::Sample,
}

/// Metrics of one run. `None` where a figure is not defined for the run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Metrics {
    /// Every metric of [`metrics`], by key.
    #[serde(flatten)]
    pub values: BTreeMap<String, Option<f64>>,
    /// Utilisation by GPU type.
    pub utilization_by_type: BTreeMap<String, Option<f64>>,
}

impl Metrics {
    /// The value of a metric; `None` when undefined or unknown.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<f64> {
        self.values.get(key).copied().flatten()
    }
}
