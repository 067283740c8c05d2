//! What can be said about figures measured on several seeds, and when a difference may be called one.
//!
//! A seed is another draw of the same world, alike for all policies: seeds are independent, so a figure over seeds is a sample, and
//! two policies are compared seed by seed. Jobs of one run are *not* independent (they wait for each other), so that an interval over
//! the jobs of one run says how well the mean over those jobs is known, and nothing about other draws of the workload.
//!
//! | what | how |
//! |---|---|
//! | interval of a mean | Student's t with n − 1 degrees of freedom ([`student`]), and the percentile bootstrap ([`bootstrap`]) |
//! | difference of two policies | over the seeds both have: the same two intervals, the paired t-test and Wilcoxon's signed-rank test ([`paired`], [`wilcoxon`]) |
//! | "better" | [`Verdict`]: the t interval of the paired difference leaves out zero |
//!
//! All at 95 %, two-sided, each metric by itself: of twenty metrics that do not differ, one is expected to look as if it did.

pub mod bootstrap;
pub mod estimate;
pub mod paired;
pub mod student;
pub mod wilcoxon;

pub use estimate::Estimate;
pub use paired::{JobDifference, Paired, Verdict};

/// The confidence of every interval.
pub const CONFIDENCE: f64 = 0.95;
