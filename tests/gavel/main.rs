//! Gavel's simulator: recorded runs are reproduced, and cases worked out by hand.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::float_cmp)]

mod by_hand;
mod command;
mod objectives;
mod own_shares;
mod recorded;
mod runs;
