//! OEF, cooperative.

use super::{Fairness, Oef};
use crate::policy::PolicySpec;
use crate::policy::list::SHARING;
use crate::policy::registry::Knowledge;

/// The most efficient envy-free allocation.
///
/// * Rule: devices X maximise the sum over tenants of W_l · X_l, where W_l are the tenant's speedups over its slowest type, such that
///   nobody prefers another's devices: W_l · X_l ≥ W_l · X_i. Accounts turn fractions into jobs.
/// * Source: Mo et al., "Optimal Resource Efficiency with Fairness in Heterogeneous GPU Clusters", Middleware 2024.
/// * Deviations: weights divide what a tenant has; a tenant's speedup is the mean over its jobs, by devices; its devices are not
///   restricted to adjacent types. The program knows no demand; devices that a tenant cannot use go to who waits. Where the
///   program cannot be solved tenants get equal parts by weight.
/// * Complexity: linear programs in tenants × types variables and up to tenants² rows when tenants or speedups changed.
pub const SPEC: PolicySpec = PolicySpec {
    name: "oef-coop",
    title: "OEF cooperative",
    summary: "The most efficient allocation to tenants without envy: a linear program",
    citation: "Mo et al., OEF, Middleware 2024",
    knowledge: Knowledge::None,
    params: &[SHARING],
    refuses: None,
    build: Some(|params, seed| Box::new(Oef::new(Fairness::EnvyFree, params, seed))),
};
