//! When and why jobs waited: the changes of reason that a run notes, as spans of time.

use std::ops::Range;

use super::RunRecord;
use crate::policy::Reason;
use crate::units::{JobId, SimSpan, SimTime};

/// A stretch of time in which a job waited for one reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitSpan {
    /// From this moment.
    pub from: SimTime,
    /// Until this moment: it got an allocation, the reason changed, or the run ended.
    pub to: SimTime,
    /// Why.
    pub reason: Reason,
}

impl WaitSpan {
    /// How long it lasted.
    #[must_use]
    pub fn length(&self) -> SimSpan {
        self.to - self.from
    }

    /// The rounds of this length that it touches.
    #[must_use]
    pub fn rounds(&self, length: SimSpan) -> Range<u64> {
        let length = length.0.max(1).unsigned_abs();
        let at = |time: SimTime| u64::try_from(time.0).unwrap_or(0);
        let first = at(self.from) / length;
        first..at(self.to).div_ceil(length).max(first + 1)
    }
}

/// The waits of every job of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WaitHistory {
    /// Sorted by job and then by time.
    spans: Vec<(JobId, WaitSpan)>,
}

impl WaitHistory {
    /// The history of a run. Adjoining spans of one reason are one; a moment's wait is none. Takes `O(n log n)` steps for n changes
    /// of reason and allocations.
    #[must_use]
    pub fn of(record: &RunRecord) -> Self {
        let mut changes: Vec<(JobId, SimTime, Option<Reason>)> =
            record.waits.iter().map(|wait| (wait.job, wait.from, Some(wait.reason))).collect();
        // The sort is stable: a wait that ends at once comes before the allocation that ends it.
        changes.extend(record.segments.iter().map(|segment| (segment.job, segment.from, None)));
        changes.sort_by_key(|&(job, at, _)| (job, at));
        let mut spans: Vec<(JobId, WaitSpan)> = Vec::new();
        for (index, &(job, from, reason)) in changes.iter().enumerate() {
            let Some(reason) = reason else { continue };
            let next = changes.get(index + 1).filter(|next| next.0 == job);
            let to = next.map_or_else(
                || record.jobs.get(job.index()).and_then(|run| run.finish).unwrap_or(record.end),
                |next| next.1,
            );
            if to <= from {
                continue;
            }
            match spans.last_mut() {
                Some((last, span)) if *last == job && span.to == from && span.reason == reason => {
                    span.to = to;
                }
                _ => spans.push((job, WaitSpan { from, to, reason })),
            }
        }
        Self { spans }
    }

    /// The waits of one job, in order of time.
    pub fn job(&self, job: JobId) -> impl Iterator<Item = &WaitSpan> {
        let first = self.spans.partition_point(|&(other, _)| other < job);
        self.spans.iter().skip(first).take_while(move |&&(other, _)| other == job).map(|(_, span)| span)
    }

    /// All waits, by job and then by time.
    pub fn all(&self) -> impl Iterator<Item = (JobId, &WaitSpan)> {
        self.spans.iter().map(|(job, span)| (*job, span))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{JobRun, Segment, Wait};
    use crate::units::TypeId;

    #[test]
    fn spans_end_with_an_allocation_a_change_of_reason_or_the_run() {
        let secs = |s: i64| SimTime(s * 1_000_000);
        let wait = |job, from, reason| Wait { job: JobId(job), from: secs(from), reason };
        let segment = |from, to| Segment {
            job: JobId(0),
            from: secs(from),
            ready: secs(from),
            to: secs(to),
            option: 0,
            type_id: TypeId(0),
            slots: 1,
            rate: crate::units::Rate::ONE,
            memory: crate::cluster::SliceMemory::default(),
            of_time: crate::policy::SHARE_UNITS,
            parts_from: 0,
            parts_len: 0,
        };
        let record = RunRecord {
            jobs: vec![JobRun::default(); 2],
            waits: vec![
                wait(0, 5, Reason::ArrivedInRound),
                wait(1, 5, Reason::ArrivedInRound),
                wait(0, 10, Reason::Objective),
                wait(1, 10, Reason::Capacity),
                wait(0, 40, Reason::FloorOfOthers),
            ],
            segments: vec![segment(30, 40), segment(55, 60)],
            end: secs(100),
            ..RunRecord::default()
        };
        let history = WaitHistory::of(&record);
        let of = |job| history.job(JobId(job)).map(|s| (s.from.0 / 1_000_000, s.to.0 / 1_000_000, s.reason));
        assert_eq!(
            of(0).collect::<Vec<_>>(),
            [(5, 10, Reason::ArrivedInRound), (10, 30, Reason::Objective), (40, 55, Reason::FloorOfOthers)]
        );
        assert_eq!(of(1).collect::<Vec<_>>(), [(5, 10, Reason::ArrivedInRound), (10, 100, Reason::Capacity)]);
        let rounds = |index: usize| history.job(JobId(0)).nth(index).unwrap().rounds(SimSpan(10_000_000));
        assert_eq!([rounds(0), rounds(1), rounds(2)], [0..1, 1..3, 4..6]);
    }
}
