//! Published and hand-made examples with exact results, through the public interface. Objective values and unique utilities are
//! compared; where several allocations are optimal, none of them is asked for.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::float_cmp, reason = "these examples are exact in binary too")]

#[cfg(not(target_arch = "wasm32"))]
#[path = "worked_examples/command.rs"]
mod command;
#[path = "worked_examples/divisible.rs"]
mod divisible;
#[path = "worked_examples/engine.rs"]
mod engine;
#[path = "worked_examples/instances.rs"]
mod instances;
#[path = "worked_examples/integer.rs"]
mod integer;
#[cfg(not(target_arch = "wasm32"))]
#[path = "worked_examples/laws.rs"]
mod laws;
#[path = "worked_examples/misreports.rs"]
mod misreports;
#[path = "worked_examples/quotas.rs"]
mod quotas;
#[path = "worked_examples/slices.rs"]
mod slices;
