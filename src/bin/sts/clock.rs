//! The clock. Only the command line has one; the engine's results never depend on it.

use std::time::Instant;

/// What `work` returns, and the seconds it took.
#[expect(clippy::disallowed_methods, reason = "durations are reported, never used")]
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let begun = Instant::now();
    let result = work();
    (result, begun.elapsed().as_secs_f64())
}

/// A clock that runs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock(Instant);

impl Clock {
    /// Starts it.
    #[expect(clippy::disallowed_methods, reason = "durations are reported, never used")]
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    /// Seconds since it was started.
    pub(crate) fn elapsed_s(self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}
