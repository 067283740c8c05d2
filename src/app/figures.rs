//! What the figures of the results show: charts made from a comparison.
//!
//! Runs of several seeds become one line: distributions are pooled, loads and service are means over the seeds.

use std::collections::BTreeSet;

use super::comparison::{Comparison, Row};
use super::headline::{tenant_change, tenants};
use crate::chart::format::{self, DurationUnit, Quantity};
use crate::chart::window::TimeWindow;
use crate::chart::{
    BarChart, BarRow, Better, BoxChart, BoxRow, CdfChart, CdfSeries, Curve, Distributed, HeatMap, LineChart,
    Mean, Measure, Multiple, Panel, ScatterChart, ScatterPoint, SmallMultiples, TimeSeries, YBase,
};
use crate::metrics::series::CdfPoint;
use crate::metrics::spec::{self, Direction, MetricSpec, Unit, metrics};
use crate::scenario::run::{LoadPoint, RunResult, TenantResult};

/// A distribution is drawn from at most so many samples; a multiple of 1,000, so that p50, p90, p95 and p99 stay exact.
const MOST_SAMPLES: u64 = 20_000;

/// Loads are drawn as means over so many stretches at most.
const MOST_STRETCHES: f64 = 150.0;

/// However long the run, no more stretches are looked at.
const MOST_DRAWN: f64 = 100_000.0;

/// Lengths of those stretches, in seconds.
const STRETCHES_S: [f64; 18] = [
    1.0,
    5.0,
    10.0,
    30.0,
    60.0,
    300.0,
    600.0,
    1800.0,
    3600.0,
    7200.0,
    10_800.0,
    21_600.0,
    43_200.0,
    86_400.0,
    172_800.0,
    604_800.0,
    1_209_600.0,
    2_592_000.0,
];

/// Longer column heads do not fit above the two values of a bar.
const MOST_LETTERS: usize = 24;

/// Which policies a figure leaves out, by label.
pub type Hidden = BTreeSet<String>;

/// The policies that a figure does not leave out.
pub fn shown<'a>(comparison: &'a Comparison, hidden: &'a Hidden) -> impl Iterator<Item = &'a Row> {
    comparison.rows().iter().filter(|row| !hidden.contains(&row.label))
}

/// A distribution over the jobs that finished, a curve for each policy that is shown.
#[must_use]
pub fn distribution(comparison: &Comparison, of: Distributed, hidden: &Hidden) -> CdfChart {
    let series = shown(comparison, hidden)
        .map(|row| CdfSeries::new(comparison.key(row), pooled_samples(comparison, row, of)))
        .collect();
    let title = match of {
        Distributed::CompletionTime => "Job completion time",
        Distributed::Wait => "Wait",
        Distributed::Slowdown => "Bounded slowdown",
    };
    CdfChart { of, series, ..CdfChart::new("jct-cdf", title, 0.0, 0.0) }
}

/// Jobs that finished under a policy, in all its runs.
#[must_use]
pub fn finished_jobs(comparison: &Comparison, row: &Row) -> u64 {
    comparison.runs(row).filter_map(|run| run.metrics.get("completed")).map(|jobs| jobs as u64).sum()
}

/// Samples with the distribution of all runs of a policy: as many as jobs finished, at most [`MOST_SAMPLES`]. The i-th of
/// n is the smallest time within which i/n of the jobs finished.
fn pooled_samples(comparison: &Comparison, row: &Row, of: Distributed) -> Vec<f64> {
    fn points(run: &RunResult, of: Distributed) -> &[CdfPoint] {
        match of {
            Distributed::CompletionTime => &run.jct_cdf,
            Distributed::Wait => &run.wait_cdf,
            Distributed::Slowdown => &run.slowdown_cdf,
        }
    }
    let mut steps: Vec<(f64, f64)> = Vec::new();
    for run in comparison.runs(row) {
        let mut before = 0.0;
        for point in points(run, of).iter().filter(|p| p.value.is_finite() && p.share.is_finite()) {
            steps.push((point.value, point.share - before));
            before = point.share;
        }
    }
    steps.sort_by(|a, b| a.0.total_cmp(&b.0));
    let whole: f64 = steps.iter().map(|step| step.1).sum();
    let n = finished_jobs(comparison, row).clamp(1, MOST_SAMPLES);
    let mut samples = Vec::new();
    let mut reached = 0.0;
    for (value, share) in steps {
        reached += share;
        // Shares are sums of rounded fractions: a sample that is reached but for the rounding is reached.
        let due = (reached / whole * n as f64 + 1e-6).floor();
        while (samples.len() as f64) < due {
            samples.push(value);
        }
    }
    samples
}

/// The figures that can be compared by policy: those of which it is known which way is good.
pub fn comparable() -> impl Iterator<Item = &'static MetricSpec> {
    metrics().iter().filter(|spec| spec.direction != Direction::Neutral)
}

/// How values of a metric are written on an axis.
#[must_use]
pub fn quantity(spec: &MetricSpec) -> Quantity {
    match spec.unit {
        Unit::Seconds | Unit::ReferenceGpuSeconds => Quantity::Duration,
        Unit::Share => Quantity::Share,
        Unit::Ratio | Unit::ReferenceGpus => Quantity::Ratio,
        Unit::Count | Unit::JobsPerHour | Unit::GpuHours | Unit::Money => Quantity::Count,
    }
}

/// Each policy that is shown by two figures, given by their keys: means over the seeds with their intervals. `None` where there is no
/// such figure.
#[must_use]
pub fn trade_off(comparison: &Comparison, hidden: &Hidden, x: &str, y: &str) -> Option<ScatterChart> {
    let (x, y) = (spec::metric(x)?, spec::metric(y)?);
    let measure = |spec: &MetricSpec| Measure {
        name: spec.title.to_owned(),
        quantity: quantity(spec),
        better: match spec.direction {
            Direction::Higher => Better::Higher,
            Direction::Lower | Direction::Neutral => Better::Lower,
        },
    };
    let estimated = |row: &Row, spec: &MetricSpec| {
        let estimate = comparison.estimate(row, spec.key)?;
        Some(Mean { value: estimate.mean, interval: estimate.ends() })
    };
    let point =
        |row: &Row| ScatterPoint { key: comparison.key(row), x: estimated(row, x), y: estimated(row, y) };
    Some(ScatterChart {
        id: "trade-off".to_owned(),
        title: format!("{} against {}", x.title, y.title),
        width: 0.0,
        height: 0.0,
        x: measure(x),
        y: measure(y),
        points: shown(comparison, hidden).map(point).collect(),
    })
}

/// A figure of every seed, given by its key, a row for each policy that is shown. `None` where there is no such figure.
#[must_use]
pub fn over_seeds(comparison: &Comparison, hidden: &Hidden, of: &str) -> Option<BoxChart> {
    let spec = spec::metric(of)?;
    let row = |row: &Row| {
        let values = comparison.runs(row).filter_map(|run| Some((run.seed, run.metrics.get(spec.key)?)));
        BoxRow::new(comparison.key(row), values)
    };
    Some(BoxChart {
        id: "over-seeds".to_owned(),
        title: spec.title.to_owned(),
        quantity: quantity(spec),
        width: 0.0,
        rows: shown(comparison, hidden).map(row).collect(),
    })
}

/// When the longest run ends, in seconds.
#[must_use]
pub fn longest_s(comparison: &Comparison) -> f64 {
    comparison.all_runs().map(|(_, run)| end_s(run)).fold(0.0, f64::max)
}

/// Use of the cluster and queue over time, a line for each policy that is shown, in two panels with one time axis: means over
/// stretches that suit the window, that is over all of the longest run where there is none.
#[must_use]
pub fn load(comparison: &Comparison, hidden: &Hidden, window: Option<TimeWindow>) -> LineChart {
    let stretch_s = stretch_s(comparison, window);
    let end = longest_s(comparison);
    let window_s = window.map_or((0.0, end), |window| (window.from, window.to));
    let panel = |title: &str, quantity, value: fn(&LoadPoint) -> Option<f64>| Panel {
        title: title.to_owned(),
        quantity,
        base: YBase::Zero,
        series: shown(comparison, hidden)
            .map(|row| {
                let points = mean_load(comparison, row, stretch_s, window_s, value);
                TimeSeries::new(comparison.key(row), Curve::Straight, points)
            })
            .collect(),
    };
    LineChart {
        panels: vec![
            panel("Slots in use", Quantity::Share, |point| point.used),
            panel("Jobs waiting", Quantity::Count, |point| Some(point.waiting)),
        ],
        window_s: Some(window_s).filter(|_| end > 0.0),
        ..LineChart::new("load", "Utilisation and queue", 0.0, 0.0)
    }
}

/// The length of the stretches over which [`load`] shows means: what suits the window, or the longest run where there is none, and
/// not finer than the runs' own.
#[must_use]
pub fn stretch_s(comparison: &Comparison, window: Option<TimeWindow>) -> f64 {
    let own_s = comparison.all_runs().map(|(_, run)| own_stretch_s(run)).fold(0.0, f64::max);
    let seen_s = window.map_or_else(|| longest_s(comparison), |window| window.span());
    let least_s = own_s.max(seen_s / MOST_STRETCHES) * (1.0 - 1e-9);
    let fitting_s = STRETCHES_S.into_iter().find(|&s| s >= least_s).unwrap_or(least_s);
    // The runs' own stretches are of no human length; who zooms in as far as them sees them as they are.
    if window.is_some() && own_s >= least_s { own_s.max(1.0) } else { fitting_s.max(1.0) }
}

/// The length of the stretches of a run's own load curve.
#[must_use]
pub fn own_stretch_s(run: &RunResult) -> f64 {
    run.load.windows(2).map(|pair| pair[1].at_s - pair[0].at_s).fold(0.0, f64::max)
}

/// When a run's load curve ends: its last stretch is as long as the others, but not beyond the makespan.
fn end_s(run: &RunResult) -> f64 {
    let Some(last) = run.load.last() else { return 0.0 };
    let makespan = run.metrics.get("makespan_s").filter(|&s| s > last.at_s);
    makespan.unwrap_or_else(|| last.at_s + own_stretch_s(run).max(1.0))
}

/// Means of one quantity over equal stretches of time, at their middles, over the seeds of a policy; not a number where it
/// is not known. After its end a run counts as idle until the last seed has ended. Only stretches in a window, and one on either side
/// of it.
fn mean_load(
    comparison: &Comparison,
    row: &Row,
    stretch_s: f64,
    (from_s, to_s): (f64, f64),
    value: fn(&LoadPoint) -> Option<f64>,
) -> Vec<(f64, f64)> {
    let end = comparison.runs(row).map(end_s).fold(0.0, f64::max);
    let whole = |stretches: f64| stretches.clamp(0.0, MOST_DRAWN) as usize;
    let first = whole((from_s / stretch_s).floor() - 1.0);
    let last = whole((end.min(to_s + stretch_s) / stretch_s - 1e-9).ceil());
    let origin_s = first as f64 * stretch_s;
    let mut area = vec![0.0; last.saturating_sub(first)];
    for run in comparison.runs(row) {
        let before = run.load.partition_point(|point| point.at_s < origin_s).saturating_sub(1);
        let until_s = last as f64 * stretch_s;
        for (point, to_s) in load_until(run).skip(before).take_while(|(point, _)| point.at_s < until_s) {
            let moments = (point.at_s - origin_s, to_s - origin_s);
            spread(&mut area, stretch_s, moments, value(point).unwrap_or(f64::NAN));
        }
    }
    let seeds = comparison.runs(row).count().max(1) as f64;
    area.into_iter()
        .enumerate()
        .map(|(i, area)| {
            let from_s = (first + i) as f64 * stretch_s;
            let to_s = (from_s + stretch_s).min(end);
            (f64::midpoint(from_s, to_s), area / (to_s - from_s) / seeds)
        })
        .collect()
}

/// The means of a run's load curve, each with the end of its stretch.
pub fn load_until(run: &RunResult) -> impl Iterator<Item = (&LoadPoint, f64)> {
    let ends = run.load.iter().skip(1).map(|point| point.at_s).chain([end_s(run)]);
    run.load.iter().zip(ends)
}

/// Adds a value that holds between two moments to the stretches from 0 on that it overlaps with.
fn spread(area: &mut [f64], stretch_s: f64, (from_s, to_s): (f64, f64), value: f64) {
    let first = (from_s / stretch_s).floor().max(0.0) as usize;
    for (i, sum) in area.iter_mut().enumerate().skip(first) {
        let start = i as f64 * stretch_s;
        if start >= to_s {
            break;
        }
        *sum += value * ((start + stretch_s).min(to_s) - start.max(from_s)).max(0.0);
    }
}

/// Service against entitlement, a small plot per tenant, with the lines of subject and baseline where they are shown.
#[must_use]
pub fn service(comparison: &Comparison, hidden: &Hidden) -> SmallMultiples {
    let rows: Vec<&Row> = [comparison.baseline(), comparison.subject()]
        .into_iter()
        .flatten()
        .filter(|row| !hidden.contains(&row.label))
        .collect();
    let about = comparison.subject().or(comparison.baseline());
    let multiples = tenants(comparison)
        .into_iter()
        .enumerate()
        .map(|(index, name)| Multiple {
            weight: comparison
                .rows()
                .iter()
                .find_map(|row| comparison.tenant_of(row, &name).next())
                .map_or(1.0, |t| t.weight),
            overall: about.and_then(|row| overall_service(comparison, row, &name)),
            series: rows
                .iter()
                .map(|row| {
                    let points = mean_service(comparison, row, &name);
                    TimeSeries::new(comparison.key(row), Curve::Straight, points)
                })
                .collect(),
            tenant: name,
            index,
        })
        .collect();
    SmallMultiples::new("service", "Service against entitlement", 0.0, multiples)
}

/// Columns of [`service_map`].
const MAP_COLUMNS: usize = 24;

/// Tenants of [`service_map`] at most: those with the least service over their entitlement.
pub const MAP_ROWS: usize = 40;

/// Service against entitlement under one policy, a row for each tenant and a column for each stretch of time: means over the seeds.
#[must_use]
pub fn service_map(comparison: &Comparison, row: &Row) -> HeatMap {
    let end = comparison
        .runs(row)
        .flat_map(|run| &run.tenants)
        .map(|tenant| tenant.stretch_s * tenant.service_ratio.len() as f64)
        .fold(0.0, f64::max);
    let step = end / MAP_COLUMNS as f64;
    let unit = DurationUnit::of(end);
    let levels = (0..MAP_COLUMNS).map(|at| unit.text((at as f64 + 0.5) * step)).collect();
    let mut names: Vec<(Option<f64>, String)> =
        tenants(comparison).into_iter().map(|name| (overall_service(comparison, row, &name), name)).collect();
    let rank = |overall: Option<f64>| overall.unwrap_or(f64::INFINITY);
    names.sort_by(|a, b| rank(a.0).total_cmp(&rank(b.0)).then_with(|| a.1.cmp(&b.1)));
    names.truncate(MAP_ROWS);
    let cell = |points: &[(f64, f64)], column: usize| {
        let (from, to) = (column as f64 * step, (column + 1) as f64 * step);
        let inside = points.iter().filter(|(at, ratio)| *at >= from && *at < to && ratio.is_finite());
        let ratios: Vec<f64> = inside.map(|(_, ratio)| *ratio).collect();
        (!ratios.is_empty()).then(|| ratios.iter().sum::<f64>() / ratios.len() as f64)
    };
    let cells = names.iter().flat_map(|(_, name)| {
        let points = mean_service(comparison, row, name);
        (0..MAP_COLUMNS).map(|column| cell(&points, column)).collect::<Vec<_>>()
    });
    HeatMap {
        id: "service-map".to_owned(),
        title: format!("Service ÷ entitlement, {}", row.title),
        width: 0.0,
        quantity: Quantity::Ratio,
        cells: cells.collect(),
        across: ("Time".to_owned(), levels),
        down: ("Tenant".to_owned(), names.into_iter().map(|(_, name)| name).collect()),
    }
}

/// Service over entitlement of a tenant over whole runs; `None` where it was never active.
#[must_use]
pub fn overall_service(comparison: &Comparison, row: &Row, name: &str) -> Option<f64> {
    let (mut service_s, mut entitled_s) = (0.0, 0.0);
    for tenant in comparison.tenant_of(row, name) {
        service_s += tenant.service_s;
        entitled_s += tenant.entitled_s;
    }
    (entitled_s > 0.0).then(|| service_s / entitled_s)
}

/// Service over entitlement over time, at the middles of the stretches of the first seed: the mean of the seeds in which
/// the tenant was active then, a gap where there is none.
fn mean_service(comparison: &Comparison, row: &Row, name: &str) -> Vec<(f64, f64)> {
    let of_seeds: Vec<&TenantResult> = comparison.tenant_of(row, name).collect();
    let stretches = of_seeds.iter().map(|t| t.service_ratio.len()).max().unwrap_or(0);
    let stretch_s = of_seeds.first().map_or(0.0, |t| t.stretch_s);
    (0..stretches)
        .map(|i| {
            let at_s = (i as f64 + 0.5) * stretch_s;
            let ratios: Vec<f64> = of_seeds.iter().filter_map(|t| ratio_at(t, at_s)).collect();
            let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
            (at_s, if ratios.is_empty() { f64::NAN } else { mean })
        })
        .collect()
}

fn ratio_at(tenant: &TenantResult, at_s: f64) -> Option<f64> {
    let index = (at_s / tenant.stretch_s).floor();
    let is_valid = index.is_finite() && index >= 0.0;
    is_valid.then(|| tenant.service_ratio.get(index as usize).copied().flatten()).flatten()
}

/// A tenant's figure that is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TenantFigure {
    /// The mean wait of its jobs.
    Wait,
    /// The mean completion time of its jobs.
    Jct,
}

impl TenantFigure {
    /// What it is called.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Wait => "Mean wait",
            Self::Jct => "Mean JCT",
        }
    }

    fn of(self, tenant: &TenantResult) -> Option<f64> {
        match self {
            Self::Wait => tenant.wait_mean_s,
            Self::Jct => tenant.jct_mean_s,
        }
    }
}

/// Who gains and who loses: the change of a figure per tenant, from the baseline to the subject; `None` with fewer than two
/// policies.
#[must_use]
pub fn changes(comparison: &Comparison, figure: TenantFigure) -> Option<BarChart> {
    let (subject, baseline) = comparison.subject().zip(comparison.baseline())?;
    let rows = tenants(comparison)
        .into_iter()
        .enumerate()
        .map(|(index, name)| {
            let (change, detail) = change(comparison, (subject, baseline), &name, figure);
            BarRow { tenant: name, index, change, detail }
        })
        .collect();
    let names = format!("{} → {}", baseline.title, subject.title);
    Some(BarChart {
        subject: subject.title.clone(),
        baseline: baseline.title.clone(),
        detail_title: if names.chars().count() > MOST_LETTERS {
            "before → after".to_owned()
        } else {
            names
        },
        ..BarChart::new("changes", figure.title(), 0.0, Better::Lower, rows)
    })
}

/// A tenant's relative change, and its two values or why there is no change.
fn change(
    comparison: &Comparison,
    (subject, baseline): (&Row, &Row),
    name: &str,
    figure: TenantFigure,
) -> (Option<f64>, String) {
    let mean = |row: &Row| {
        let values = comparison.tenant_values(row, name, |tenant| figure.of(tenant))?;
        Some(values.iter().map(|(_, v)| v).sum::<f64>() / values.len().max(1) as f64)
    };
    let difference = tenant_change(comparison, subject, baseline, name, |t| figure.of(t));
    let (Some(after), Some(before), Some(difference)) = (mean(subject), mean(baseline), difference) else {
        return (None, "unfinished jobs".to_owned());
    };
    let detail = before_and_after(before, after);
    if before <= 0.0 {
        return ((after <= 0.0).then_some(0.0), detail);
    }
    let mark = if difference.is_undecided() { " ≈" } else { "" };
    (Some(after / before - 1.0), format!("{detail}{mark}"))
}

/// Two times in one unit, unless that would leave little of the shorter one.
fn before_and_after(before_s: f64, after_s: f64) -> String {
    let (short_s, long_s) = (before_s.min(after_s), before_s.max(after_s));
    if short_s > 0.0 && long_s > 100.0 * short_s {
        return format!("{} → {}", format::duration(before_s), format::duration(after_s));
    }
    let unit = DurationUnit::of(long_s);
    format!("{} → {}", unit.value_text(before_s), unit.text(after_s))
}

/// What an exported figure says about its origin.
#[must_use]
pub fn footnote(comparison: &Comparison, trace: &str, scenario_hash: &str) -> String {
    let jobs = comparison.all_runs().filter_map(|(_, run)| run.metrics.get("completed")).fold(0.0, f64::max);
    let seeds = match comparison.planned_seeds() {
        1 => "one seed".to_owned(),
        n => format!("{n} seeds"),
    };
    format!(
        "{trace}, {} completed jobs, {seeds}; STS-Sim {}, scenario {scenario_hash}",
        format::count(jobs as u64),
        super::export::ENGINE_VERSION,
    )
}
