//! The command line of STS-Sim.

fn main() {}
