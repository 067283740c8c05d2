//! The clock. Only the command line has one; the engine's results never depend on it.

use std::time::Instant;

/// What `work` returns, and the seconds it took.
#[expect(clippy::disallowed_methods, reason = "durations are reported, never used")]
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let begun = Instant::now();
    let result = work();
    (result, begun.elapsed().as_secs_f64())
}
