//! What the runs of a scenario say over its seeds: every metric of every policy, and its difference to the baseline.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::PolicyChoice;
use super::run::RunResult;
use crate::metrics::spec::{MetricSpec, is_over_finished_jobs, metrics};
use crate::metrics::statistics::{Estimate, JobDifference, Paired, Verdict, bootstrap};
use crate::policy::registry::RECORDED;
use crate::policy::sts;

/// The key of `statistics` that is no policy's label.
pub const PAIRS: &str = "pairs";

/// `statistics` of `summary.json`. Intervals are at 95 %; see [`crate::metrics::statistics`] for how each is made.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Statistics {
    /// Comparisons with the baseline.
    pub pairs: Vec<Pair>,
    /// By label and metric.
    #[serde(flatten)]
    pub policies: BTreeMap<String, BTreeMap<String, Spread>>,
}

/// A metric of a policy over the seeds in which it is defined.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Seeds.
    pub n: u64,
    /// The mean.
    pub mean: f64,
    /// The sample's standard deviation; `None` for one seed, as all that follows.
    pub sd: Option<f64>,
    /// Student's interval of the mean.
    pub ci_t: Option<[f64; 2]>,
    /// The bootstrap interval of the mean.
    pub ci_bootstrap: Option<[f64; 2]>,
    /// From how many resamples.
    pub resamples: Option<u64>,
}

/// What a comparison is taken over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Over {
    /// Seeds that both policies have: independent draws.
    Seeds,
    /// Jobs of one seed that both policies finished. Jobs wait for each other: they are not independent, and the interval says nothing
    /// about other seeds.
    Jobs,
}

/// A metric of a policy − the same of the baseline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pair {
    /// The policy's label.
    pub policy: String,
    /// The baseline's.
    pub baseline: String,
    /// The metric; `jct_s` where it is taken over jobs.
    pub metric: String,
    /// What it is taken over.
    pub over: Over,
    /// The seed, where it is taken over jobs.
    pub seed: Option<u64>,
    /// Seeds or jobs that both have.
    pub n: u64,
    /// Mean of the differences.
    pub mean: f64,
    /// Their standard deviation; `None` for one of them.
    pub sd: Option<f64>,
    /// Student's interval of the mean; `None` over jobs.
    pub ci_t: Option<[f64; 2]>,
    /// The bootstrap interval of the mean.
    pub ci_bootstrap: Option<[f64; 2]>,
    /// From how many resamples.
    pub resamples: Option<u64>,
    /// Two-sided p of the paired t-test; `None` over jobs.
    pub p_t: Option<f64>,
    /// Two-sided p of Wilcoxon's signed-rank test; `None` over jobs.
    pub p_wilcoxon: Option<f64>,
    /// What may be said; `None` over jobs, and where the two did not finish the same jobs and the metric is about those.
    pub verdict: Option<Verdict>,
}

/// The label of the policy that others are compared with unless one is chosen: `fifo`, else the first that is neither
/// STS-Fairness nor the trace's own schedule, else the first.
#[must_use]
pub fn default_baseline(policies: &[PolicyChoice]) -> Option<&str> {
    let find = |wanted: &dyn Fn(&PolicyChoice) -> bool| policies.iter().find(|choice| wanted(choice));
    find(&|choice| choice.name == "fifo")
        .or_else(|| find(&|choice| choice.name != sts::SPEC.name && choice.name != RECORDED))
        .or_else(|| policies.first())
        .map(PolicyChoice::label)
}

/// Whether every job of a run that counts has finished.
#[must_use]
pub fn has_finished_all(run: &RunResult) -> bool {
    run.stopped.is_none() && run.metrics.get("unfinished").is_none_or(|jobs| jobs <= 0.0)
}

impl Statistics {
    /// The statistics of runs, in the order in which their policies come first. `baseline` is a label.
    #[must_use]
    pub fn of(runs: &[&RunResult], baseline: Option<&str>) -> Self {
        let mut labels: Vec<&str> = Vec::new();
        for run in runs {
            if !labels.contains(&run.policy.as_str()) {
                labels.push(&run.policy);
            }
        }
        let of = |label: &str| -> Vec<&RunResult> {
            runs.iter().filter(|run| run.policy == label).copied().collect()
        };
        let base = baseline.map(|label| (label, of(label))).filter(|(_, runs)| !runs.is_empty());
        let mut statistics = Self::default();
        for label in labels {
            let own = of(label);
            let of_policy = metrics().iter().filter_map(|spec| {
                let values: Vec<f64> = values(&own, spec).into_iter().map(|(_, value)| value).collect();
                Some((spec.key.to_string(), Spread::of(&values)?))
            });
            statistics.policies.insert(label.to_string(), of_policy.collect());
            let Some((baseline, base)) = &base else { continue };
            if *baseline != label {
                let pairs = metrics()
                    .iter()
                    .filter_map(|spec| Pair::over_seeds((label, &own), (baseline, base), spec));
                statistics.pairs.extend(pairs);
            }
        }
        statistics
    }
}

/// The values of a metric by seed, where it is defined.
fn values(runs: &[&RunResult], spec: &MetricSpec) -> Vec<(u64, f64)> {
    runs.iter().filter_map(|run| Some((run.seed, run.metrics.get(spec.key)?))).collect()
}

fn ends(interval: Option<bootstrap::Interval>) -> (Option<[f64; 2]>, Option<u64>) {
    (interval.map(|i| [i.low, i.high]), interval.map(|i| i.resamples as u64))
}

impl Spread {
    /// The spread of values; `None` without any.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        let estimate = Estimate::of(values)?;
        let (ci_bootstrap, resamples) = ends(bootstrap::interval(values));
        Some(Self {
            n: values.len() as u64,
            mean: estimate.mean,
            sd: estimate.sd,
            ci_t: estimate.ends().map(<[f64; 2]>::from),
            ci_bootstrap,
            resamples,
        })
    }
}

impl Pair {
    /// Compares a metric over common seeds.
    fn over_seeds(
        (policy, own): (&str, &[&RunResult]),
        (baseline, base): (&str, &[&RunResult]),
        spec: &MetricSpec,
    ) -> Option<Self> {
        let paired = Paired::of(&values(own, spec), &values(base, spec))?;
        let (ci_bootstrap, resamples) = ends(paired.bootstrap);
        let same_jobs = own.iter().chain(base).all(|run| has_finished_all(run));
        let may_judge = same_jobs || !is_over_finished_jobs(spec.key);
        Some(Self {
            policy: policy.to_string(),
            baseline: baseline.to_string(),
            metric: spec.key.to_string(),
            over: Over::Seeds,
            seed: None,
            n: paired.difference.seeds as u64,
            mean: paired.difference.mean,
            sd: paired.difference.sd,
            ci_t: paired.difference.ends().map(<[f64; 2]>::from),
            ci_bootstrap,
            resamples,
            p_t: paired.p_t,
            p_wilcoxon: paired.p_wilcoxon,
            verdict: may_judge.then(|| Verdict::of(&paired.difference, spec.direction)),
        })
    }

    /// Compares completion times over the common jobs of one seed; `None` where there is none. `times_s` are those of the policy and of
    /// the baseline, job by job, not a number where a job did not finish.
    #[must_use]
    pub fn over_jobs(policy: &str, baseline: &str, seed: u64, times_s: (&[f64], &[f64])) -> Option<Self> {
        let difference = JobDifference::of(times_s.0, times_s.1)?;
        let (ci_bootstrap, resamples) = ends(difference.bootstrap);
        Some(Self {
            policy: policy.to_string(),
            baseline: baseline.to_string(),
            metric: "jct_s".to_string(),
            over: Over::Jobs,
            seed: Some(seed),
            n: difference.jobs as u64,
            mean: difference.mean,
            sd: difference.sd,
            ci_t: None,
            ci_bootstrap,
            resamples,
            p_t: None,
            p_wilcoxon: None,
            verdict: None,
        })
    }
}
