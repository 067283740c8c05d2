//! `max_sum_throughput_perf`: the most training steps per second.
//!
//! Narayanan et al., OSDI 2020, section 4.3 (cost, at a price of 1 everywhere). Rule: maximise Σ_ij T_ij x_ij. Steps of different models
//! count alike, so models with short steps are favoured; that is Gavel's own rule.
//! Complexity: one linear program with jobs · types variables.

use crate::gavel::GavelError;
use crate::gavel::policy::program::ShareVariables;
use crate::gavel::policy::{Policy, Shares, View};
use crate::linear::LinearProgram;

/// The policy.
#[derive(Debug)]
pub(super) struct MaxSum {
    pub(super) name: &'static str,
}

impl Policy for MaxSum {
    fn shares(&mut self, view: &View<'_>) -> Result<Shares, GavelError> {
        if view.jobs.is_empty() {
            return Ok(Shares::default());
        }
        let variables = ShareVariables::new(view);
        let gains = view
            .jobs
            .iter()
            .enumerate()
            .flat_map(|(at, job)| variables.terms(at, |gpu| job.steps_per_s[gpu]));
        let mut program = LinearProgram::maximise(gains.map(|(_, gain)| gain).collect());
        variables.constrain(&mut program);
        Ok(variables.shares(&variables.optimum(&program, self.name)?))
    }
}
