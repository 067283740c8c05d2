//! The trace's own schedule, read back as if it were a run.

use super::{JobRun, Load, RunRecord, Stopped};
use crate::units::{SimSpan, SimTime};
use crate::workload::BoundWorkload;

/// The traced starts and ends of the simulated jobs. A job without both counts as unfinished. Devices are unknown, so there are
/// no segments and no utilisation; the traced cluster may have been another.
#[must_use]
pub fn recorded(workload: &BoundWorkload) -> RunRecord {
    let mut record = RunRecord { jobs: Vec::with_capacity(workload.jobs.len()), ..RunRecord::default() };
    // +1 waiting at submission; waiting → running at the start; −1 running at the end.
    let mut changes: Vec<(SimTime, i64, i64)> = Vec::new();
    for job in &workload.jobs {
        let (start, end) = match (job.recorded_start, job.recorded_end) {
            (Some(start), Some(end)) if job.submit <= start && start <= end => (Some(start), Some(end)),
            _ => (None, None),
        };
        let held = match (start, end) {
            (Some(start), Some(end)) => end - start,
            _ => SimSpan::ZERO,
        };
        record.jobs.push(JobRun { first_start: start, finish: end, held, ..JobRun::default() });
        changes.push((job.submit, 1, 0));
        if let (Some(start), Some(end)) = (start, end) {
            changes.push((start, -1, 1));
            changes.push((end, 0, -1));
            record.end = record.end.max(end);
        }
    }
    changes.sort_unstable();
    let (mut waiting, mut running) = (0i64, 0i64);
    for (index, &(at, wait, run)) in changes.iter().enumerate() {
        waiting += wait;
        running += run;
        if changes.get(index + 1).is_none_or(|next| next.0 != at) {
            record.load.push(Load { at, running: running as u32, waiting: waiting as u32, used: None });
        }
    }
    if record.jobs.iter().any(|job| job.finish.is_none()) {
        record.stopped = Some(Stopped::NotRecorded);
    }
    record
}

/// Whether the trace has a start and an end for at least one job.
#[must_use]
pub fn has_record(workload: &BoundWorkload) -> bool {
    workload.jobs.iter().any(|job| job.recorded_start.is_some() && job.recorded_end.is_some())
}
