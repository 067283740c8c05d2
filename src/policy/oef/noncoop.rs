//! OEF, non-cooperative.

use super::{Fairness, Oef};
use crate::policy::PolicySpec;
use crate::policy::list::SHARING;
use crate::policy::registry::Knowledge;

/// The most efficient allocation in which all tenants have the same normalised throughput.
///
/// * Rule: devices X maximise the sum over tenants of W_l · X_l, where W_l are the tenant's speedups over its slowest type, such that
///   W_l · X_l is the same for all: who overstates a speedup gets less. Accounts turn fractions into jobs.
/// * Source: Mo et al., "Optimal Resource Efficiency with Fairness in Heterogeneous GPU Clusters", Middleware 2024.
/// * Deviations: as for `oef-coop`.
/// * Complexity: one linear program in tenants × types variables when tenants or speedups changed.
pub const SPEC: PolicySpec = PolicySpec {
    name: "oef-noncoop",
    title: "OEF non-cooperative",
    summary: "The most efficient allocation with equal normalised throughput of tenants: strategy-proof",
    citation: "Mo et al., OEF, Middleware 2024",
    knowledge: Knowledge::None,
    params: &[SHARING],
    refuses: None,
    build: Some(|params, seed| Box::new(Oef::new(Fairness::EqualThroughput, params, seed))),
};
