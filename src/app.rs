//! The page: its state, its workers, and what it shows.

pub mod basis;
pub mod comparison;
pub mod export;
pub mod figures;
pub mod headline;
pub mod interval;
pub mod kpi;
#[cfg(target_arch = "wasm32")]
pub mod page;
