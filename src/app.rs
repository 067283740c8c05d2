//! The page: its state, its workers, and what it shows.
//!
//! Everything that can be plain data is ([`state`] and what stands around it) and is tested on every target; [`page`](self) and
//! [`worker`](self) are what a browser runs.

pub mod accounts;
pub mod assumptions;
pub mod basis;
pub mod beside;
pub mod common_jobs;
pub mod comparison;
pub mod experiment;
pub mod explain;
pub mod export;
pub mod fairness;
pub mod field;
pub mod figures;
pub mod forecast;
pub mod formula;
pub mod gantt;
pub mod gavel;
pub mod groups;
pub mod headline;
pub mod job_changes;
pub mod job_table;
pub mod keys;
pub mod kpi;
pub mod laboratory;
pub mod link;
pub mod mapping;
pub mod message;
pub mod mig;
pub mod moment;
#[cfg(target_arch = "wasm32")]
pub mod page;
pub mod plan;
#[cfg(target_arch = "wasm32")]
pub mod pool;
pub mod presets;
pub mod previews;
pub mod rail;
pub mod report;
pub mod roster;
pub mod samples;
pub mod schedule;
pub mod shares;
pub mod state;
pub mod status;
pub mod stretch;
pub mod strings;
pub mod time_view;
pub mod type_names;
pub mod unserved;
#[cfg(target_arch = "wasm32")]
pub mod worker;
