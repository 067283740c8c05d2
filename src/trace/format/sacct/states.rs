//! States in Slurm's accounting that change what a record is.

use crate::units::SimSpan;

/// The reason under which records of earlier sizes are left out.
pub(in crate::trace::format) const RESIZED: &str = "resized";

/// What the report says of them.
pub(in crate::trace::format) const RESIZED_SAYS: &str = "records are earlier sizes of jobs that were resized and are left out: each of \
                                                         these jobs counts with its last size, and the run time it had with it";

/// Whether a record is that of an earlier size of a job: the job goes on in another record.
pub(in crate::trace::format) fn is_earlier_size(state: &str, end: Option<i64>) -> bool {
    state == "RESIZING" && end.is_some()
}

/// What Slurm gave a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::trace::format) enum Given {
    /// Nothing: its resources stand nowhere although there is a place for them.
    Nothing,
    /// Something, or it is not said.
    Something,
}

/// Whether a job never ran, whatever start and end are printed: of a job that waits `sacct -T` prints the edges of its period, and of
/// one that was cancelled while it waited the time of that. A try that was ended to be requeued is pending too and has a run time.
pub(in crate::trace::format) fn never_ran(state: &str, run_time: Option<SimSpan>, given: Given) -> bool {
    let is_ended_before = matches!(state, "CANCELLED" | "DEADLINE") && given == Given::Nothing;
    (state == "PENDING" || is_ended_before) && run_time.is_none_or(|span| span.0 == 0)
}
