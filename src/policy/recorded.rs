//! The trace's own schedule as a row of the comparison.

use super::PolicySpec;
use super::registry::{Knowledge, RECORDED};

/// Replays the starts and ends of the trace.
///
/// * Rule: every job starts and ends when the trace says so.
/// * Source: the trace.
/// * Deviations: the traced cluster may have been another, so figures about devices are undefined.
/// * Complexity: one pass over the jobs.
pub const SPEC: PolicySpec = PolicySpec {
    name: RECORDED,
    title: "Recorded",
    summary: "The trace's own starts and ends; its cluster may have been another",
    citation: "the trace itself",
    knowledge: Knowledge::None,
    params: &[],
    refuses: None,
    build: None,
};
