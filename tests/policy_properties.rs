//! What every policy must satisfy on seeded random workloads, and limit cases in which a policy has a known result.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "policy_properties/checks.rs"]
mod checks;
#[path = "policy_properties/every.rs"]
mod every;
#[path = "policy_properties/expression.rs"]
mod expression;
#[path = "policy_properties/gains.rs"]
mod gains;
#[path = "policy_properties/limits.rs"]
mod limits;
#[path = "policy_properties/mixed.rs"]
mod mixed;
#[path = "policy_properties/sharing.rs"]
mod sharing;
#[path = "policy_properties/tenants.rs"]
mod tenants;
#[path = "policy_properties/world.rs"]
mod world;
