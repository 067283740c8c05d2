//! What a run meant for each of its jobs.

use super::distribution::Distribution;
use super::series::ActiveDemand;
use super::window::Window;
use crate::cluster::Cluster;
use crate::sim::RunRecord;
use crate::units::{Rate, SimSpan, SimTime};
use crate::workload::{BoundJob, BoundWorkload, Presence};

/// Shortest duration that slowdowns are computed with.
pub const SLOWDOWN_BOUND_S: f64 = 10.0;

/// Seconds a job takes on one whole device (a gang: on its gang) of its best type in the cluster.
#[must_use]
pub fn best_duration_s(job: &BoundJob) -> f64 {
    job.work.time_at(Rate::ONE).unwrap_or(SimSpan::ZERO).as_secs()
}

/// The bounded slowdown of a job: max(1, JCT / max(10 s, duration on its best type)).
#[must_use]
pub fn bounded_slowdown(job: &BoundJob, jct_s: f64) -> f64 {
    (jct_s / best_duration_s(job).max(SLOWDOWN_BOUND_S)).max(1.0)
}

/// One completed job.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JobFigures {
    /// Finish − submission.
    pub jct_s: f64,
    /// JCT − time holding an allocation.
    pub wait_s: f64,
    /// The bounded slowdown.
    pub slowdown: f64,
    /// Finish-time rho; `None` for a job without work.
    pub rho: Option<f64>,
}

/// The jobs of a run that are measured.
#[derive(Debug, Clone, Default)]
pub struct Jobs {
    /// By job: its figures, if it is measured and completed.
    pub figures: Vec<Option<JobFigures>>,
    /// By job: whether it is measured: it was submitted in the window, and did not run already when the workload began.
    pub measured: Vec<bool>,
    /// First start − submission, over measured jobs that started.
    pub first_start_delay_s: Vec<f64>,
    /// The last finish of any job, measured or not.
    pub last_finish: Option<SimTime>,
}

/// The distributions of the figures of some completed jobs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sample {
    /// Completion times.
    pub jct_s: Distribution,
    /// Waits.
    pub wait_s: Distribution,
    /// Bounded slowdowns.
    pub slowdown: Distribution,
    /// Finish-time rho, of jobs with work.
    pub rho: Distribution,
}

impl Jobs {
    /// The jobs of a run submitted in `window`. `ftf_n` fixes the contention that rho divides by; without it, it is the mean over the
    /// job's stay of GPUs requested by active jobs over GPUs of the cluster, at least 1.
    #[must_use]
    pub fn of(
        cluster: &Cluster,
        workload: &BoundWorkload,
        record: &RunRecord,
        window: Window,
        ftf_n: Option<f64>,
    ) -> Self {
        let demand = ftf_n.is_none().then(|| ActiveDemand::of(cluster, workload, record));
        let mut jobs = Self::default();
        for (job, run) in workload.jobs.iter().zip(&record.jobs) {
            let measured = window.holds(job.submit) && job.presence == Presence::Arrives;
            jobs.measured.push(measured);
            jobs.last_finish = jobs.last_finish.max(run.finish);
            if let Some(start) = run.first_start.filter(|_| measured) {
                jobs.first_start_delay_s.push((start - job.submit).as_secs());
            }
            jobs.figures.push(run.finish.filter(|_| measured).map(|finish| {
                let jct = finish - job.submit;
                let best_s = best_duration_s(job);
                let contention = demand
                    .as_ref()
                    .map_or_else(|| ftf_n.unwrap_or(1.0), |d| d.mean(job.submit, finish).max(1.0));
                JobFigures {
                    jct_s: jct.as_secs(),
                    wait_s: (jct - run.held).as_secs(),
                    slowdown: bounded_slowdown(job, jct.as_secs()),
                    rho: (best_s > 0.0).then(|| jct.as_secs() / (best_s * contention)),
                }
            }));
        }
        jobs
    }

    /// Jobs that are measured.
    #[must_use]
    pub fn count(&self) -> usize {
        self.measured.iter().filter(|&&measured| measured).count()
    }
}

impl Sample {
    /// The distributions of the figures that `figures` gives.
    pub fn of<'a>(figures: impl Iterator<Item = &'a JobFigures>) -> Self {
        let (mut jct_s, mut wait_s, mut slowdown, mut rho) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for job in figures {
            jct_s.push(job.jct_s);
            wait_s.push(job.wait_s);
            slowdown.push(job.slowdown);
            rho.extend(job.rho);
        }
        let [jct_s, wait_s, slowdown, rho] = [jct_s, wait_s, slowdown, rho].map(Distribution::of);
        Self { jct_s, wait_s, slowdown, rho }
    }
}
