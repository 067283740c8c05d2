//! Statistics over seeds as CSV.

use std::io::{self, Write};

use super::breakdown::number;
use crate::metrics::spec::metrics;
use crate::scenario::statistics::{Over, Pair, Statistics};

const COLUMNS: [&str; 20] = [
    "policy",
    "metric",
    "n",
    "mean",
    "sd",
    "ci_t_low",
    "ci_t_high",
    "ci_bootstrap_low",
    "ci_bootstrap_high",
    "baseline",
    "pairs",
    "difference_mean",
    "difference_sd",
    "difference_ci_t_low",
    "difference_ci_t_high",
    "difference_ci_bootstrap_low",
    "difference_ci_bootstrap_high",
    "p_t",
    "p_wilcoxon",
    "verdict",
];

/// Writes `statistics.csv`: one row a policy and metric, with its difference to the baseline over common seeds; empty where undefined.
///
/// # Errors
/// Those of `out`.
pub fn write_statistics_csv(statistics: &Statistics, out: impl Write) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record(COLUMNS)?;
    let end = |interval: Option<[f64; 2]>, at: usize| number(interval.map(|ends| ends[at]));
    for (label, of_policy) in &statistics.policies {
        for spec in metrics() {
            let Some(spread) = of_policy.get(spec.key) else { continue };
            let mut row = vec![label.clone(), spec.key.to_string(), spread.n.to_string()];
            row.extend([Some(spread.mean), spread.sd].map(number));
            row.extend([0, 1].map(|at| end(spread.ci_t, at)));
            row.extend([0, 1].map(|at| end(spread.ci_bootstrap, at)));
            let is_own =
                |pair: &&Pair| pair.over == Over::Seeds && pair.policy == *label && pair.metric == spec.key;
            if let Some(pair) = statistics.pairs.iter().find(is_own) {
                row.extend([pair.baseline.clone(), pair.n.to_string()]);
                row.extend([Some(pair.mean), pair.sd].map(number));
                row.extend([0, 1].map(|at| end(pair.ci_t, at)));
                row.extend([0, 1].map(|at| end(pair.ci_bootstrap, at)));
                row.extend([pair.p_t, pair.p_wilcoxon].map(number));
                row.push(pair.verdict.map_or("", |verdict| verdict.words()).to_string());
            }
            row.resize(COLUMNS.len(), String::new());
            csv.write_record(&row)?;
        }
    }
    csv.flush()
}
