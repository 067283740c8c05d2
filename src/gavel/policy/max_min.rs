//! `max_min_fairness` and `max_min_fairness_perf`: least attained service, as shares.
//!
//! Narayanan et al., OSDI 2020, section 4.1. Rule: maximise min_i s_i / (w_i prop_i) · Σ_j T_ij x_ij, where prop_i = Σ_j T_ij W_j / Σ_j W_j
//! is what a job has with shares in proportion to the cluster. `max_min_fairness` is blind to throughput: T = 1 everywhere.
//! Complexity: one linear program with jobs · types variables.

use crate::gavel::policy::program::ShareVariables;
use crate::gavel::policy::{ActiveJob, Policy, Rates, Shares, View};
use crate::gavel::{GavelError, Gpu, PerGpu};
use crate::linear::LinearProgram;

/// The policy.
#[derive(Debug)]
pub(super) struct MaxMin {
    pub(super) name: &'static str,
    pub(super) rates: Rates,
}

impl Policy for MaxMin {
    fn shares(&mut self, view: &View<'_>) -> Result<Shares, GavelError> {
        if view.jobs.is_empty() {
            return Ok(Shares::default());
        }
        let variables = ShareVariables::new(view);
        let least = variables.count();
        let mut gains = vec![0.0; least + 1];
        gains[least] = 1.0;
        let mut program = LinearProgram::maximise(gains);
        for (at, job) in view.jobs.iter().enumerate() {
            let rate = normalised_rates(view, job, self.rates);
            program.at_least(variables.terms(at, |gpu| rate[gpu]).chain([(least, -1.0)]), 0.0);
        }
        variables.constrain(&mut program);
        Ok(variables.shares(&variables.optimum(&program, self.name)?))
    }
}

/// s_i / (w_i prop_i) · T_ij: the rates whose least sum over shares is maximised.
pub(super) fn normalised_rates(view: &View<'_>, job: &ActiveJob, rates: Rates) -> PerGpu<f64> {
    let own = rates.of(job);
    let total: f64 = view.cluster.types().map(|gpu| f64::from(view.cluster.gpus(gpu))).sum();
    let in_proportion: f64 =
        view.cluster.types().map(|gpu| own[gpu] * (f64::from(view.cluster.gpus(gpu)) / total)).sum();
    let factor = f64::from(job.scale_factor) / (job.weight * in_proportion);
    PerGpu::new(|gpu: Gpu| own[gpu] * factor)
}
