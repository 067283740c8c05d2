//! `max_min_fairness_water_filling` and `max_min_fairness_water_filling_perf`: max-min fairness to the last job.
//!
//! Narayanan et al., OSDI 2020, section 4.4. Rule: as `max_min_fairness[_perf]`, but then the jobs that no shares can lift above the
//! least are fixed there and the least of the others is maximised, until all are fixed.
//! Which jobs can be lifted Gavel asks a mixed-integer program (how many can have 1.0001 times the least at once); here a linear one
//! answers: shares mix, so jobs that can be lifted one by one can be lifted together, each by a little.
//! Complexity: two linear programs with jobs · types variables for each level, at most one level a job.

use crate::gavel::policy::max_min::normalised_rates;
use crate::gavel::policy::program::ShareVariables;
use crate::gavel::policy::{Policy, Rates, Shares, View};
use crate::gavel::{GavelError, PerGpu};
use crate::linear::LinearProgram;

/// By what part of the level a job is lifted to see whether it can be.
const LIFT: f64 = 1e-4;

/// The policy.
#[derive(Debug)]
pub(super) struct WaterFilling {
    pub(super) name: &'static str,
    pub(super) rates: Rates,
}

impl Policy for WaterFilling {
    fn shares(&mut self, view: &View<'_>) -> Result<Shares, GavelError> {
        if view.jobs.is_empty() {
            return Ok(Shares::default());
        }
        let variables = ShareVariables::new(view);
        let rates: Vec<PerGpu<f64>> =
            view.jobs.iter().map(|job| normalised_rates(view, job, self.rates)).collect();
        let mut fixed: Vec<Option<f64>> = vec![None; view.jobs.len()];
        loop {
            let (x, level) = self.raise(&variables, &rates, &fixed)?;
            let lifted = self.lift(&variables, &rates, &fixed, level)?;
            let mut is_any_fixed = false;
            for (job, lift) in fixed.iter_mut().zip(&lifted).filter(|(job, _)| job.is_none()) {
                if *lift < 0.5 {
                    *job = Some(level);
                    is_any_fixed = true;
                }
            }
            // All jobs above the level would mean that it was not the highest: the solver's accuracy is used up.
            if !is_any_fixed || fixed.iter().all(Option::is_some) {
                return Ok(variables.shares(&x));
            }
        }
    }
}

impl WaterFilling {
    /// The highest level for the jobs not fixed, and shares for it.
    fn raise(
        &self,
        variables: &ShareVariables<'_>,
        rates: &[PerGpu<f64>],
        fixed: &[Option<f64>],
    ) -> Result<(Vec<f64>, f64), GavelError> {
        let level = variables.count();
        let mut gains = vec![0.0; level + 1];
        gains[level] = 1.0;
        let mut program = LinearProgram::maximise(gains);
        for (job, rate) in rates.iter().enumerate() {
            let throughput = variables.terms(job, |gpu| rate[gpu]);
            match fixed[job] {
                Some(at) => program.at_least(throughput, at * (1.0 - 1e-9)),
                None => program.at_least(throughput.chain([(level, -1.0)]), 0.0),
            }
        }
        variables.constrain(&mut program);
        let x = variables.optimum(&program, self.name)?;
        let highest = x[level];
        Ok((x, highest))
    }

    /// How far, of [`LIFT`], each job not fixed can be lifted above the level, all at once: 0…1.
    fn lift(
        &self,
        variables: &ShareVariables<'_>,
        rates: &[PerGpu<f64>],
        fixed: &[Option<f64>],
        level: f64,
    ) -> Result<Vec<f64>, GavelError> {
        let lift = |job: usize| variables.count() + job;
        let mut gains = vec![0.0; variables.count() + rates.len()];
        gains[variables.count()..].fill(1.0);
        let mut program = LinearProgram::maximise(gains);
        for (job, rate) in rates.iter().enumerate() {
            let throughput = variables.terms(job, |gpu| rate[gpu]);
            let (at, step) = match fixed[job] {
                Some(at) => (at * (1.0 - 1e-9), 0.0),
                None => (level * (1.0 - 1e-9), -level * LIFT),
            };
            program.at_least(throughput.chain([(lift(job), step)]), at);
            program.at_most([(lift(job), 1.0)], if fixed[job].is_some() { 0.0 } else { 1.0 });
        }
        variables.constrain(&mut program);
        let x = variables.optimum(&program, self.name)?;
        Ok(x[variables.count()..].to_vec())
    }
}
