//! Shaping a traced workload: a window of time, a choice of outcomes, a sample, faster or slower arrivals.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::{Outcome, TextColumn, Workload};
use crate::units::SimTime;

/// Which jobs are kept by how they ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum States {
    /// All: failed and cancelled jobs held their GPUs too.
    #[default]
    All,
    /// Only those that completed.
    Completed,
}

/// How a workload is cut and scaled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shape {
    /// Submissions in `[from, to)` only.
    pub window: Option<(SimTime, SimTime)>,
    /// Outcomes kept.
    pub states: States,
    /// Arrivals come this many times as fast.
    pub rate: f64,
    /// Share of the jobs kept, 0 to 1.
    pub sample: f64,
}

impl Default for Shape {
    fn default() -> Self {
        Self { window: None, states: States::All, rate: 1.0, sample: 1.0 }
    }
}

impl Shape {
    /// Whether the shape leaves every workload as it is.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        *self == Self::default()
    }

    /// The shaped workload. Submissions are again counted from the first job kept; traced starts and ends keep their distance
    /// from the submission. Whether a job is sampled depends on its position and nothing else.
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
            if !(drawn && in_window && in_states) {
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
}
