//! Marks that tell jobs with different amounts of remaining work apart, so that equals are one group.

use crate::policy::View;
use crate::units::JobId;

/// Every job is a group of its own up to this many active jobs.
const ALL_APART: usize = 64;

/// Beyond, quantities within this factor of each other count as equal, the greatest of a group standing for all.
const STEP: f64 = 1.25;

/// Rounds after which marks are taken anew.
pub(super) const REFRESH_ROUNDS: u64 = 10;

/// The mark of every job that has been seen.
#[derive(Debug, Default)]
pub(super) struct Marks {
    by_job: Vec<Option<i64>>,
    taken: u64,
    is_apart: bool,
}

impl Marks {
    /// Marks the jobs that have none by the `size` of whatever tells them apart; all anew now and then, or when there are many jobs
    /// where there were few, or the other way round.
    pub(super) fn update(&mut self, view: &View<'_>, mut size: impl FnMut(JobId) -> f64) {
        self.by_job.resize(view.states.len(), None);
        let is_apart = view.active.len() <= ALL_APART;
        let is_old = view.round - self.taken >= REFRESH_ROUNDS || is_apart != self.is_apart;
        if is_old {
            self.taken = view.round;
            self.is_apart = is_apart;
        }
        for &job in view.active {
            let mark = &mut self.by_job[job.index()];
            if is_old || mark.is_none() {
                *mark = Some(if is_apart {
                    i64::from(job.0)
                } else {
                    libm::ceil(libm::log(size(job).clamp(1e-12, 1e12)) / libm::log(STEP)) as i64
                });
            }
        }
    }

    /// A job's mark.
    pub(super) fn of(&self, job: JobId) -> i64 {
        self.by_job.get(job.index()).copied().flatten().unwrap_or(0)
    }
}
