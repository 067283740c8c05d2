//! The page: its state, its workers, and what it shows.

pub mod comparison;
#[cfg(target_arch = "wasm32")]
pub mod page;
