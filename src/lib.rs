//! STS-Sim: a simulator of spatiotemporal sharing fairness on heterogeneous GPU clusters.

pub mod chart;
