//! `isolated`: every job has an equal part of every type of GPU.
//!
//! Rule: x_ij = W_j / m / s_i for m jobs; a row whose sum is above 1 is divided by it. It is also the yardstick of the
//! finish-time fairness policies. Complexity: O(jobs · types).

use crate::gavel::policy::{Policy, Shares, View};
use crate::gavel::{GavelError, Gpu, PerGpu};

/// The policy.
#[derive(Debug)]
pub(super) struct Isolated;

impl Policy for Isolated {
    fn shares(&mut self, view: &View<'_>) -> Result<Shares, GavelError> {
        let jobs = view.jobs.iter().map(|job| equal_part(view, f64::from(job.scale_factor), view.jobs.len()));
        Ok(Shares { jobs: jobs.collect(), ..Shares::none(view) })
    }
}

/// One of `parts` equal parts of the cluster, as shares of something that holds `scale_factor` GPUs.
pub(super) fn equal_part(view: &View<'_>, scale_factor: f64, parts: usize) -> PerGpu<f64> {
    let mut row = PerGpu::new(|gpu| f64::from(view.cluster.gpus(gpu)) / parts as f64 / scale_factor);
    let sum: f64 = Gpu::ALL.iter().fold(0.0, |sum, &gpu| sum + row[gpu]);
    let divisor = sum.max(1.0);
    for gpu in Gpu::ALL {
        row[gpu] /= divisor;
    }
    row
}
