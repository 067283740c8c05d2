//! What a policy knows of run times: all, something, or nothing.
//!
//! Policies never read a job's remaining work for themselves: they ask the [`Estimator`], whose parameters are the same for all.

use std::cell::OnceCell;

use super::View;
use super::param::{ParamKind, ParamSpec, Params};
use crate::draws::Draws;
use crate::units::{JobId, Work};

/// The parameter `durations`.
pub const DURATIONS: ParamSpec = ParamSpec {
    name: "durations",
    title: "Run times known",
    unit: None,
    kind: ParamKind::Choice(&[
        ("oracle", "the exact remaining work"),
        ("noisy", "an estimate of every job's work, made once, that is wrong by a random factor"),
        ("unknown", "nothing: a job is taken to need as much again as it has had"),
    ]),
    help: "What the scheduler knows of run times.",
};

/// The parameter `duration_error`.
pub const DURATION_ERROR: ParamSpec = ParamSpec {
    name: "duration_error",
    title: "Error of estimates",
    unit: Some("ln"),
    kind: ParamKind::Number { default: Some(0.5), min: 0.0, max: 5.0 },
    help: "With noisy run times: an estimate is the true work times exp(error × z), z standard normal, drawn for each job from \
           the run's seed. With 0.5 two estimates of three are right within a factor of 1.65.",
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    Exactly,
    Noisily,
    Never,
}

/// Estimates the remaining work of jobs.
#[derive(Debug, Clone)]
pub struct Estimator {
    known: Known,
    error: f64,
    seed: u64,
    /// Estimate over truth, by job; drawn when first asked for.
    factors: OnceCell<Vec<f64>>,
}

impl Estimator {
    /// An estimator with the parameters [`DURATIONS`] and [`DURATION_ERROR`].
    #[must_use]
    pub fn new(params: &Params, seed: u64) -> Self {
        let error = params.number(DURATION_ERROR.name);
        let known = match params.word(DURATIONS.name) {
            "noisy" if error > 0.0 => Known::Noisily,
            "unknown" => Known::Never,
            _ => Known::Exactly,
        };
        Self { known, error, seed, factors: OnceCell::new() }
    }

    /// Whether it says the truth.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.known == Known::Exactly
    }

    /// What the job is taken to need still. Exact; or its estimated work less what is done, the estimate being doubled for as long
    /// as the job has outrun it (Tsafrir et al., "Backfilling Using System-Generated Predictions", TPDS 2007, correct predictions
    /// that were too short); or as much as is done, which is the expectation under heavy tails, and nothing at first.
    #[must_use]
    pub fn remaining(&self, view: &View<'_>, job: JobId) -> Work {
        let remaining = view.state(job).remaining;
        let total = || view.job(job).work;
        match self.known {
            Known::Exactly => remaining,
            Known::Never => total() - remaining,
            Known::Noisily => {
                let total = total();
                let done = total - remaining;
                let mut estimate = ((total.0 as f64 * self.factor(job, view.states.len())) as i128).max(1);
                while estimate <= done.0 {
                    estimate = estimate.saturating_mul(2);
                }
                Work(estimate - done.0)
            }
        }
    }

    /// The job's work as estimated before it ran, over its true work.
    fn factor(&self, job: JobId, jobs: usize) -> f64 {
        let draw = |job: u64| {
            // Keyed by the job, so that an estimate does not depend on how many jobs there are.
            libm::exp(self.error * Draws::stream(self.seed, job + 1).normal())
        };
        let factors = self.factors.get_or_init(|| (0..jobs as u64).map(draw).collect());
        factors.get(job.index()).copied().unwrap_or(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    use crate::policy::param::ParamValue;

    fn estimator(word: &str) -> Estimator {
        let values = BTreeMap::from([("durations".to_string(), ParamValue::Word(word.to_string()))]);
        Estimator::new(&Params::check("test", &[DURATIONS, DURATION_ERROR], &values).unwrap(), 7)
    }

    #[test]
    fn noise_has_the_stated_spread_and_does_not_depend_on_the_number_of_jobs() {
        let all = estimator("noisy");
        let factors: Vec<f64> = (0..4000).map(|job| all.factor(JobId(job), 4000)).collect();
        assert!((estimator("noisy").factor(JobId(17), 18) - factors[17]).abs() < 1e-12);
        let logs: Vec<f64> = factors.iter().map(|f| f.ln()).collect();
        let mean = logs.iter().sum::<f64>() / 4000.0;
        let deviation = (logs.iter().map(|l| (l - mean).powi(2)).sum::<f64>() / 4000.0).sqrt();
        assert!(mean.abs() < 0.03 && (deviation - 0.5).abs() < 0.03, "{mean} {deviation}");
    }
}
