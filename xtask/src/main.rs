//! Build, serve and test STS-Sim.

fn main() {}
