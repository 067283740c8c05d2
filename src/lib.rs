//! STS-Sim: a simulator of spatiotemporal sharing fairness on heterogeneous GPU clusters.

pub mod app;
pub mod chart;
pub mod cluster;
pub mod draws;
pub mod formula;
pub mod gavel;
pub mod linear;
pub mod metrics;
pub mod policy;
pub mod scenario;
pub mod sim;
pub mod solve;
pub mod trace;
pub mod units;
pub mod workload;
