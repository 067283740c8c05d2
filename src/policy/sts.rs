//! STS-Fairness: efficiency optimised under spatiotemporal sharing fairness.

pub mod budget;
pub mod certificate;
pub mod program;
