//! Metrics of a run: what they are ([`spec`]) and how they are computed from the record of the run ([`compute()`]).

pub mod compute;
pub mod series;
pub mod spec;
pub mod yardstick;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use compute::{ProofStats, compute};
pub use spec::{Direction, MetricSpec, metrics};

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
