//! `allox`: least mean completion time of jobs on one GPU.
//!
//! Le et al., "AlloX: Compute Allocation in Hybrid Clusters", EuroSys 2020, as Gavel restates it. Rule: jobs without a GPU, oldest first, are
//! assigned to pairs of a free worker and a position from the last, k = 1, 2, …, at cost k · R_i / T_ij + age_i; the first job of each
//! worker has a share of 1 on its type, and keeps it until it is done. Jobs on several GPUs are refused before the run.
//! Complexity: O(jobs² · jobs · workers) for the assignment.

use std::collections::BTreeMap;

use crate::gavel::policy::{ActiveJob, Policy, Shares, View};
use crate::gavel::{GavelError, Gpu, PerGpu};
use crate::linear::assign;

/// Seconds that stand for never.
const NEVER_S: f64 = 1e15;

/// The policy, with the shares given so far.
#[derive(Debug, Default)]
pub(super) struct Allox {
    given: BTreeMap<u32, Gpu>,
}

impl Policy for Allox {
    fn shares(&mut self, view: &View<'_>) -> Result<Shares, GavelError> {
        self.given.retain(|&job, _| view.position(job).is_some());
        let mut free = PerGpu::new(|gpu| view.cluster.gpus(gpu));
        for &gpu in self.given.values() {
            free[gpu] = free[gpu].saturating_sub(1);
        }
        let workers: Vec<Gpu> =
            view.cluster.types().flat_map(|gpu| (0..free[gpu]).map(move |_| gpu)).collect();
        let mut waiting: Vec<&ActiveJob> =
            view.jobs.iter().filter(|job| !self.given.contains_key(&job.id)).collect();
        waiting.sort_by(|a, b| b.age_s.total_cmp(&a.age_s));

        let columns = workers.len() * waiting.len();
        let cost = |row: usize, column: usize| {
            let (job, gpu) = (waiting[row], workers[column % workers.len()]);
            let position = (column / workers.len() + 1) as f64;
            let alone_s = job.remaining_steps as f64 / job.steps_per_s[gpu];
            if alone_s.is_finite() { (position * alone_s + job.age_s).min(NEVER_S) } else { NEVER_S }
        };
        let assigned = assign(waiting.len(), columns, cost).unwrap_or_default();
        // The first on a worker has the highest position from the last.
        let mut first: Vec<Option<(usize, &ActiveJob)>> = vec![None; workers.len()];
        for (job, column) in waiting.iter().zip(assigned) {
            let (worker, position) = (column % workers.len(), column / workers.len());
            if first[worker].is_none_or(|(other, _)| position > other) {
                first[worker] = Some((position, job));
            }
        }
        for (first, &gpu) in first.iter().zip(&workers) {
            if let Some((_, job)) = first
                && job.steps_per_s[gpu] > 0.0
            {
                self.given.insert(job.id, gpu);
            }
        }
        let mut shares = Shares::none(view);
        for (&job, &gpu) in &self.given {
            if let Some(at) = view.position(job) {
                shares.jobs[at][gpu] = 1.0;
            }
        }
        Ok(shares)
    }
}
