//! The key figures of a comparison as a table on the terminal.

use sts_sim::chart::format::{self, DurationUnit, Quantity};
use sts_sim::metrics::spec::{MetricSpec, Unit, metric};
use sts_sim::metrics::statistics::Verdict;
use sts_sim::scenario::PolicyChoice;
use sts_sim::scenario::statistics::{Over, Pair, Spread, Statistics};

use crate::table::{self, Column};

/// The metrics shown; `summary.json` has all of them.
const SHOWN: [&str; 8] = [
    "jct_mean_s",
    "jct_p95_s",
    "wait_mean_s",
    "makespan_s",
    "unfinished",
    "utilization",
    "ftf_rho_max",
    "floor_violations",
];
/// The metric in which policies are compared with the baseline.
const COMPARED: &str = "jct_mean_s";

/// A table of the policies, as the scenario lists them: means over the seeds, with half of their 95 % interval where there is one, and
/// the difference to `baseline`, a label.
pub(crate) fn text(statistics: &Statistics, policies: &[PolicyChoice], baseline: Option<&str>) -> String {
    let labels: Vec<&str> = policies.iter().map(PolicyChoice::label).collect();
    let shown: Vec<&MetricSpec> = SHOWN.iter().filter_map(|key| metric(key)).collect();
    let units: Vec<DurationUnit> = shown
        .iter()
        .map(|spec| {
            DurationUnit::of_column(
                labels.iter().filter_map(|l| spread(statistics, l, spec.key)).map(|s| s.mean),
            )
        })
        .collect();
    let heads: Vec<String> = shown.iter().zip(&units).map(|(spec, unit)| head(spec, *unit)).collect();
    let against = baseline.map(|label| format!("Mean JCT against {label}"));
    let columns = std::iter::once(Column::Text("Policy"))
        .chain(heads.iter().map(|head| Column::Number(head)))
        .chain(against.iter().map(|head| Column::Text(head)));
    let row = |label: &&str| {
        let figures = shown.iter().zip(&units).map(|(spec, &unit)| {
            spread(statistics, label, spec.key)
                .map_or_else(|| format::UNDEFINED.to_string(), |of| cell(spec, unit, of.mean, of.ci_t))
        });
        std::iter::once((*label).to_string())
            .chain(figures)
            .chain(baseline.map(|baseline| difference(statistics, label, baseline)))
            .collect()
    };
    table::lines(&columns.collect::<Vec<_>>(), labels.iter().map(row))
}

fn spread<'a>(statistics: &'a Statistics, label: &str, key: &str) -> Option<&'a Spread> {
    statistics.policies.get(label)?.get(key)
}

/// The head of a column of a metric, with the unit that its figures are in.
pub(crate) fn head(spec: &MetricSpec, unit: DurationUnit) -> String {
    match spec.unit {
        Unit::Seconds => format!("{}, {}", spec.title, unit.symbol()),
        Unit::Share => format!("{}, %", spec.title),
        _ => spec.title.to_string(),
    }
}

/// The mean, with half of its interval.
pub(crate) fn cell(spec: &MetricSpec, unit: DurationUnit, mean: f64, interval: Option<[f64; 2]>) -> String {
    let text = |value: f64| match spec.unit {
        Unit::Seconds => format::significant(value / unit.seconds(), 3),
        Unit::Share => format::number(value * 100.0, 1),
        Unit::Count => Quantity::Count.text(value),
        _ => format::significant(value, 3),
    };
    match interval {
        // Less than the digits shown says nothing.
        Some([low, high]) if high - low > 1e-3 * mean.abs() => {
            format!("{} ± {}", text(mean), text((high - low) / 2.0))
        }
        _ => text(mean),
    }
}

/// By how much a policy differs from the baseline in [`COMPARED`], and whether the seeds support that.
fn difference(statistics: &Statistics, label: &str, baseline: &str) -> String {
    if label == baseline {
        return "baseline".to_string();
    }
    let is_it = |pair: &&Pair| {
        pair.over == Over::Seeds
            && pair.metric == COMPARED
            && pair.policy == label
            && pair.baseline == baseline
    };
    let found = statistics.pairs.iter().find(is_it);
    let base = spread(statistics, baseline, COMPARED).filter(|base| base.mean > 0.0);
    let (Some(pair), Some(base)) = (found, base) else { return format::UNDEFINED.to_string() };
    let change = pair.mean / base.mean;
    let change = format::signed(change, &format::percent(change, 1));
    let words = match pair.verdict {
        Some(Verdict::OneSeed) => return change,
        Some(Verdict::NoDifference) => "not supported by the seeds",
        Some(verdict) => verdict.words(),
        None => "not the same jobs finished",
    };
    format!("{change}, {words}")
}
