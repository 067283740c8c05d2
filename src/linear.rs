//! Linear programs and assignments: what allocators are built from, without knowing what is allocated.

pub mod assignment;
pub mod program;

pub use assignment::assign;
pub use program::{LinearProgram, Outcome, Point};
