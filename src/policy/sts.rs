//! STS-Fairness: efficiency optimised under spatiotemporal sharing fairness.

pub mod program;
pub mod quota;
pub mod resources;
