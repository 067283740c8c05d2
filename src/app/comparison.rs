//! The runs of one scenario put side by side.

/// How the results on the page stand to the set-up beside them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// Every run of the scenario is there, and the set-up has not been changed since.
    Current,
    /// Runs are under way; what is there is part of the comparison.
    Running {
        /// Runs that are there.
        done: usize,
        /// Runs there will be.
        planned: usize,
    },
    /// It ended before every run was there: cancelled, or an engine failed.
    Incomplete {
        /// Runs that are there.
        done: usize,
        /// Runs there should have been.
        planned: usize,
    },
    /// They are of the run before: the set-up has been changed, or a new run has nothing to show yet.
    Stale,
}

/// What a policy's chip was asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Toggle {
    /// Show the policy where it was hidden, hide it where it was shown.
    Flip,
    /// Show this policy alone; where it is alone already, show all.
    Solo,
}
