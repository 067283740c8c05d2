//! Shaping a traced workload: a window of time, a choice of outcomes, a sample, faster or slower arrivals.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use serde::{Deserialize, Serialize};

use super::{JobRecord, Outcome, Presence, TextColumn, Workload};
use crate::units::{SimSpan, SimTime};

/// Which jobs are kept by how they ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum States {
    /// All: failed and cancelled jobs held their GPUs too.
    #[default]
    All,
    /// Only those that completed.
    Completed,
}

/// What becomes of jobs that run when a window begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunningAtStart {
    /// The cluster is empty when the window begins.
    #[default]
    LeaveOut,
    /// Jobs that were submitted before the window and run when it begins, by their traced start and end, are there with the rest of
    /// their run time. They are placed first and left out of the metrics of jobs.
    Include,
}

/// How a workload is cut and scaled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shape {
    /// Submissions in `[from, to)` only.
    pub window: Option<(SimTime, SimTime)>,
    /// What becomes of jobs that run when the window begins.
    pub running: RunningAtStart,
    /// Outcomes kept.
    pub states: States,
    /// Arrivals come this many times as fast.
    pub rate: f64,
    /// Share of the jobs kept, 0 to 1.
    pub sample: f64,
}

impl Default for Shape {
    fn default() -> Self {
        Self { window: None, running: RunningAtStart::LeaveOut, states: States::All, rate: 1.0, sample: 1.0 }
    }
}

impl Shape {
    /// Whether the shape leaves every workload as it is.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        *self == Self::default()
    }

    /// The shaped workload. Submissions are again counted from the first job kept; traced starts and ends keep their distance
    /// from the submission. With jobs that run at its beginning, times count from the beginning of the window. Whether a job is sampled depends on its position and nothing else.
    #[must_use]
    pub fn apply(&self, workload: &Workload) -> Workload {
        let mut shaped = Workload {
            jobs: Vec::new(),
            names: TextColumn::default(),
            tenants: workload.tenants.clone(),
            users: workload.users.clone(),
            gpu_types: workload.gpu_types.clone(),
            models: workload.models.clone(),
            first_submit_s: workload.first_submit_s,
        };
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        let threshold = (self.sample * 2f64.powi(53)) as u64;
        let mut origin = None;
        for (index, job) in workload.jobs.iter().enumerate() {
            let drawn = rng.next_u64() >> 11 < threshold;
            let in_window = self.window.is_none_or(|(from, to)| from <= job.submit && job.submit < to);
            let in_states = self.states == States::All || job.outcome == Outcome::Completed;
            if !(drawn && in_states) {
                continue;
            }
            if !in_window {
                if let Some(running) = self.running_at_start(job) {
                    origin = self.window.map(|(from, _)| from);
                    shaped.jobs.push(running);
                    shaped.names.push(workload.names.get(index));
                }
                continue;
            }
            let origin = *origin.get_or_insert(job.submit);
            let submit = SimTime((job.submit.since(origin).0 as f64 / self.rate).round() as i64);
            let moved = |time: Option<SimTime>| time.map(|t| submit + t.since(job.submit));
            let mut kept = *job;
            kept.submit = submit;
            kept.start = moved(job.start);
            kept.end = moved(job.end);
            shaped.jobs.push(kept);
            shaped.names.push(workload.names.get(index));
        }
        if let Some(origin) = origin {
            shaped.first_submit_s += origin.as_secs();
        }
        shaped
    }

    /// What is left of a job that was submitted before the window and runs when it begins.
    fn running_at_start(&self, job: &JobRecord) -> Option<JobRecord> {
        let (from, _) = self.window.filter(|_| self.running == RunningAtStart::Include)?;
        let (start, end) = (job.start?, job.end?);
        if !(job.submit < from && start < from && from < end) {
            return None;
        }
        let ran = (from - start).0 as f64 / (end - start).0 as f64;
        Some(JobRecord {
            submit: SimTime::ZERO,
            start: Some(SimTime::ZERO),
            end: Some(SimTime::ZERO + (end - from)),
            duration: job.duration.map(|whole| SimSpan((whole.0 as f64 * (1.0 - ran)).round() as i64)),
            limit: job.limit.map(|limit| (limit - (from - start)).max(SimSpan(1))),
            presence: Presence::Running,
            ..*job
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{MilliGpus, TenantId};

    fn job(submit: i64, start: i64, end: i64) -> JobRecord {
        JobRecord {
            submit: SimTime(submit),
            gpus: MilliGpus(1000),
            workers: 1,
            duration: Some(SimSpan(end - start)),
            start: Some(SimTime(start)),
            end: Some(SimTime(end)),
            tenant: TenantId(0),
            user: None,
            gpu_type: None,
            model: None,
            memory_mb: 0,
            min_slots: 0,
            outcome: Outcome::Completed,
            limit: Some(SimSpan(500)),
            presence: Presence::Arrives,
        }
    }

    #[test]
    fn jobs_that_run_when_the_window_begins_have_the_rest_of_their_run_time() {
        let mut workload = Workload::default();
        // Over before the window; running at its start; waiting at its start; inside it; after it.
        for (name, record) in [
            ("a", job(0, 0, 90)),
            ("b", job(10, 20, 180)),
            ("c", job(60, 110, 150)),
            ("d", job(120, 130, 200)),
            ("e", job(300, 300, 310)),
        ] {
            workload.jobs.push(record);
            workload.names.push(name);
        }
        let window = Some((SimTime(100), SimTime(200)));
        let empty = Shape { window, ..Shape::default() }.apply(&workload);
        assert_eq!(empty.jobs.len(), 1);
        assert_eq!(empty.jobs[0].submit, SimTime(0));
        let shaped = Shape { window, running: RunningAtStart::Include, ..Shape::default() }.apply(&workload);
        assert_eq!((shaped.names.get(0), shaped.names.get(1), shaped.jobs.len()), ("b", "d", 2));
        let [running, arriving] = [shaped.jobs[0], shaped.jobs[1]];
        assert_eq!(
            (running.presence, running.submit, running.duration),
            (Presence::Running, SimTime(0), Some(SimSpan(80)))
        );
        assert_eq!((running.end, running.limit), (Some(SimTime(80)), Some(SimSpan(420))));
        assert_eq!(
            (arriving.presence, arriving.submit, arriving.end),
            (Presence::Arrives, SimTime(20), Some(SimTime(100)))
        );
    }
}
