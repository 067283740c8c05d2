//! CPU time of whole cold rounds and of warm ones, on classes from 16 to 2,490 GPUs.
fn main() {}
