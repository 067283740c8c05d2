//! STS-Fairness: efficiency optimised under spatiotemporal sharing fairness.

pub mod bounded;
pub mod dense;
pub mod ladder;
pub mod program;
pub mod quota;
pub mod resources;
pub mod value;
