//! What came out of a sweep: metrics of every run, means over the seeds, and both as tables.

use std::io::{self, Write};
use std::rc::Rc;

use super::{Sweep, level_text};
use crate::metrics::Metrics;
use crate::metrics::spec::{MetricSpec, metrics};
use crate::metrics::statistics::Estimate;

/// The metric that no sweep has: it compares runs that finished the same jobs, which those at other points need not have.
const NOT_OF_A_SWEEP: &str = "jct_mean_common_s";

/// The metrics of a sweep, in the order of its tables.
pub fn sweep_metrics() -> impl Iterator<Item = &'static MetricSpec> {
    metrics().iter().filter(|spec| spec.key != NOT_OF_A_SWEEP)
}

/// The metrics of a sweep's runs, as far as they are there. A copy shares them.
#[derive(Debug, Clone, PartialEq)]
pub struct Results {
    /// By position in [`Sweep::runs`].
    of_runs: Vec<Option<Rc<Metrics>>>,
}

impl Results {
    /// Nothing yet.
    #[must_use]
    pub fn none_of(sweep: &Sweep) -> Self {
        Self { of_runs: vec![None; sweep.runs.len()] }
    }

    /// How many runs were carried out and are there.
    #[must_use]
    pub fn count(&self) -> usize {
        self.of_runs.iter().flatten().count()
    }

    /// Takes the metrics of a run.
    pub fn take(&mut self, run: usize, metrics: Metrics) {
        if let Some(of_run) = self.of_runs.get_mut(run) {
            *of_run = Some(Rc::new(metrics));
        }
    }

    /// The metrics of a run, if they are there: those of the run that gives its result.
    #[must_use]
    pub fn of_run(&self, sweep: &Sweep, run: usize) -> Option<&Metrics> {
        let source = sweep.runs.get(run)?.same_as.unwrap_or(run);
        self.of_runs.get(source)?.as_deref()
    }

    /// The values of a metric by seed at a point, for a policy: those that are there and defined.
    #[must_use]
    pub fn values(&self, sweep: &Sweep, point: usize, policy: usize, metric: &str) -> Vec<(u64, f64)> {
        let of_point = sweep.base.policies.len() * sweep.base.seeds.len();
        let runs = sweep.runs.iter().enumerate().skip(point * of_point).take(of_point);
        runs.filter(|(_, run)| run.policy == policy)
            .filter_map(|(at, run)| Some((run.seed, self.of_run(sweep, at)?.get(metric)?)))
            .collect()
    }

    /// The mean of a metric over the seeds at a point, for a policy, with its 95 % interval (Student's t); `None` where no run is
    /// there.
    #[must_use]
    pub fn estimate(&self, sweep: &Sweep, point: usize, policy: usize, metric: &str) -> Option<Estimate> {
        let values: Vec<f64> =
            self.values(sweep, point, policy, metric).into_iter().map(|(_, value)| value).collect();
        Estimate::of(&values)
    }

    /// The mean difference of a metric between two points, for a policy, over the seeds that both have: the second − the first.
    #[must_use]
    pub fn difference(
        &self,
        sweep: &Sweep,
        points: [usize; 2],
        policy: usize,
        metric: &str,
    ) -> Option<Estimate> {
        let [from, to] = points.map(|point| self.values(sweep, point, policy, metric));
        Estimate::of_difference(&to, &from)
    }
}

/// Writes one row a run that is there: the levels, policy, seed and every metric; empty where undefined.
///
/// # Errors
/// Those of `out`.
pub fn write_runs_csv(sweep: &Sweep, results: &Results, out: impl Write) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    let keys: Vec<&str> = sweep_metrics().map(|spec| spec.key).collect();
    let factors = sweep.axes.iter().map(|axis| axis.factor.to_string());
    let words = ["policy", "seed"].into_iter().chain(keys.iter().copied()).map(str::to_owned);
    csv.write_record(factors.chain(words))?;
    for (at, run) in sweep.runs.iter().enumerate() {
        let Some(metrics) = results.of_run(sweep, at) else { continue };
        let point = &sweep.points[run.point];
        let label = sweep.base.policies[run.policy].label().to_owned();
        let named = point.levels.iter().map(level_text).chain([label, run.seed.to_string()]);
        csv.write_record(named.chain(keys.iter().map(|key| number(metrics.get(key)))))?;
    }
    csv.flush()
}

/// Writes one row a point, policy and metric: the mean over the seeds, the sample's standard deviation and the ends of the mean's 95 %
/// interval (Student's t); empty where undefined.
///
/// # Errors
/// Those of `out`.
pub fn write_means_csv(sweep: &Sweep, results: &Results, out: impl Write) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    let factors = sweep.axes.iter().map(|axis| axis.factor.to_string());
    let words = ["policy", "metric", "seeds", "mean", "sd", "ci_t_low", "ci_t_high"].map(str::to_owned);
    csv.write_record(factors.chain(words))?;
    for (at, point) in sweep.points.iter().enumerate() {
        for (policy, label) in sweep.policies().into_iter().enumerate() {
            for spec in sweep_metrics() {
                let Some(estimate) = results.estimate(sweep, at, policy, spec.key) else { continue };
                let (low, high) = estimate.ends().unzip();
                let named =
                    point.levels.iter().map(level_text).chain([label.to_owned(), spec.key.to_owned()]);
                let figures = [Some(estimate.mean), estimate.sd, low, high].map(number);
                csv.write_record(named.chain([estimate.seeds.to_string()]).chain(figures))?;
            }
        }
    }
    csv.flush()
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}
