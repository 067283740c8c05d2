//! Shares as variables of a linear program, with the constraints that every policy has.
//!
//! x ≥ 0; Σ_i s_i x_ij ≤ W_j: no more GPUs than there are; Σ_j x_ij ≤ 1: no job more than all the time.

use crate::gavel::policy::{Shares, View};
use crate::gavel::{GavelError, Gpu};
use crate::linear::{LinearProgram, Outcome};

/// The variables of the shares of a view's jobs: job by job, type by type, of the types there are.
#[derive(Debug)]
pub(super) struct ShareVariables<'a> {
    view: &'a View<'a>,
    pub(super) types: Vec<Gpu>,
}

impl<'a> ShareVariables<'a> {
    pub(super) fn new(view: &'a View<'a>) -> Self {
        Self { view, types: view.cluster.types().collect() }
    }

    /// How many there are; variables of the policy's own follow.
    pub(super) fn count(&self) -> usize {
        self.view.jobs.len() * self.types.len()
    }

    /// Σ_j rate(j) x_ij.
    pub(super) fn terms<'s>(
        &'s self,
        job: usize,
        rate: impl Fn(Gpu) -> f64 + 's,
    ) -> impl Iterator<Item = (usize, f64)> + 's {
        let first = job * self.types.len();
        self.types.iter().enumerate().map(move |(at, &gpu)| (first + at, rate(gpu)))
    }

    /// Gives each constraint that every policy has: its terms, and what their sum is at most.
    pub(super) fn each_constraint(&self, mut take: impl FnMut(&[(usize, f64)], f64)) {
        let mut terms = Vec::new();
        for (at, &gpu) in self.types.iter().enumerate() {
            let jobs = self.view.jobs.iter().enumerate();
            terms.clear();
            terms.extend(
                jobs.map(|(job, active)| (job * self.types.len() + at, f64::from(active.scale_factor))),
            );
            take(&terms, f64::from(self.view.cluster.gpus(gpu)));
        }
        for job in 0..self.view.jobs.len() {
            terms.clear();
            terms.extend(self.terms(job, |_| 1.0));
            take(&terms, 1.0);
        }
    }

    /// Adds the constraints that every policy has.
    pub(super) fn constrain(&self, program: &mut LinearProgram) {
        self.each_constraint(|terms, bound| program.at_most(terms.iter().copied(), bound));
    }

    /// The shares at a point, cut to 0…1.
    pub(super) fn shares(&self, x: &[f64]) -> Shares {
        let mut shares = Shares::none(self.view);
        for (row, of_job) in shares.jobs.iter_mut().zip(x.chunks(self.types.len().max(1))) {
            for (&gpu, &share) in self.types.iter().zip(of_job) {
                row[gpu] = share.clamp(0.0, 1.0);
            }
        }
        shares
    }

    /// The point of a program that has an optimum, whatever the jobs: an empty cluster satisfies its rows, and they bound it.
    pub(super) fn optimum(
        &self,
        program: &LinearProgram,
        policy: &'static str,
    ) -> Result<Vec<f64>, GavelError> {
        let message = match program.solve() {
            Outcome::Optimal(point) => return Ok(point.x),
            Outcome::Infeasible => "it found no point that satisfies the constraints",
            Outcome::Unbounded => "it found no bound",
            Outcome::Failed => "it gave up",
        };
        Err(GavelError::Solver { policy, time_s: self.view.now_s, message: message.to_string() })
    }
}
