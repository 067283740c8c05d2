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

/// Whether a job waits, whatever start and end are printed: `sacct -T` prints the edges of its period. A try that was ended to be requeued is
/// pending too and has a run time.
pub(in crate::trace::format) fn waits(state: &str, run_time: Option<SimSpan>) -> bool {
    state == "PENDING" && run_time.is_none_or(|span| span.0 == 0)
}
