//! `min_total_duration` and `min_total_duration_perf`: finish all active jobs as early as possible.
//!
//! Narayanan et al., OSDI 2020, section 4.2. Rule: halve the interval of times T until it is within 5 %, keeping the shares that
//! the solver gave for the least T with Σ_j T_ij x_ij ≥ R_i / T for all jobs (R_i steps left). There is no objective: any shares that
//! meet T will do, which is what Gavel does too. `min_total_duration` takes each job's V100 throughput for every type.
//! Complexity: about 20 linear programs with jobs · types variables.

use crate::gavel::GavelError;
use crate::gavel::policy::program::ShareVariables;
use crate::gavel::policy::{Policy, Rates, Shares, View};
use crate::linear::{LinearProgram, Outcome};

/// The interval first searched, in seconds.
const FIRST_S: (f64, f64) = (100.0, 1e6);
/// Where the search ends if no time is long enough, in seconds.
const LONGEST_S: f64 = 1e15;
/// The interval searched ends within this factor of its beginning.
const WITHIN: f64 = 1.05;

/// The policy.
#[derive(Debug)]
pub(super) struct Makespan {
    pub(super) name: &'static str,
    pub(super) rates: Rates,
}

impl Makespan {
    fn within(&self, variables: &ShareVariables<'_>, view: &View<'_>, time_s: f64) -> Outcome {
        let mut program = LinearProgram::maximise(vec![0.0; variables.count()]);
        for (at, job) in view.jobs.iter().enumerate() {
            let rate = self.rates.of(job);
            program.at_least(variables.terms(at, |gpu| rate[gpu]), job.remaining_steps as f64 / time_s);
        }
        variables.constrain(&mut program);
        program.solve()
    }
}

impl Policy for Makespan {
    fn shares(&mut self, view: &View<'_>) -> Result<Shares, GavelError> {
        if view.jobs.is_empty() {
            return Ok(Shares::default());
        }
        let variables = ShareVariables::new(view);
        let (mut least_s, mut most_s) = FIRST_S;
        let mut bound_s = most_s;
        let mut found = None;
        while found.is_none() && bound_s <= LONGEST_S {
            while WITHIN * least_s < most_s {
                let middle_s = f64::midpoint(least_s, most_s);
                if let Outcome::Optimal(point) = self.within(&variables, view, middle_s) {
                    found = Some(point.x);
                    most_s = middle_s;
                } else {
                    least_s = middle_s;
                }
            }
            (least_s, most_s) = (bound_s, bound_s * 10.0);
            bound_s *= 10.0;
        }
        let x = found.ok_or_else(|| GavelError::Solver {
            policy: self.name,
            time_s: view.now_s,
            message: format!("not all jobs finish within {LONGEST_S} s at the throughputs it goes by"),
        })?;
        Ok(variables.shares(&x))
    }
}
