//! What an experiment shows: the answer of a metric to what is varied, and what more GPUs change.

use super::Course;
use crate::app::comparison::{self, Called, called};
use crate::app::figures::quantity;
use crate::chart::format::{self, DurationUnit, Quantity};
use crate::chart::{HeatMap, Key, Level, Marked, Mean, Response, ResponseChart, Role};
use crate::metrics::spec::{self, Direction, MetricSpec, Unit, metrics};
use crate::metrics::statistics::{Estimate, Verdict};
use crate::policy::param::ParamValue;
use crate::scenario::PolicyChoice;
use crate::scenario::sweep::results::Results;
use crate::scenario::sweep::{Sweep, level_text};

/// The metrics of which a what-if tells the change.
const CHANGES: [&str; 9] = [
    "jct_mean_s",
    "jct_p95_s",
    "wait_mean_s",
    "makespan_s",
    "unfinished",
    "utilization",
    "queue_mean",
    "ftf_rho_max",
    "gpu_hours",
];

/// A metric by its key; the first of all where there is none.
#[must_use]
pub fn metric(key: &str) -> &'static MetricSpec {
    spec::metric(key).unwrap_or(&metrics()[0])
}

/// How the policies of a sweep are drawn.
#[must_use]
pub fn keys(sweep: &Sweep) -> Vec<Key> {
    let policies = &sweep.base.policies;
    let marked = Marked::among(policies.len());
    let key = |(choice, Called { title, variant }): (&PolicyChoice, Called)| {
        let role = if choice.name == comparison::SUBJECT { Role::Subject } else { Role::Other };
        Key::new(choice.name.clone(), title, role).variant(variant).marked(marked)
    };
    policies.iter().zip(called(policies)).map(key).collect()
}

fn mean(estimate: Estimate) -> Mean {
    Mean { value: estimate.mean, interval: estimate.ends() }
}

/// A line per policy over the levels of the one axis.
#[must_use]
pub fn response(sweep: &Sweep, results: &Results, key: &str) -> ResponseChart {
    let spec = metric(key);
    let levels = sweep.axes[0].levels.iter().map(|level| Level {
        at: match level {
            ParamValue::Number(number) => Some(*number),
            ParamValue::Word(_) => None,
        },
        text: level_text(level),
    });
    let levels: Vec<Level> = levels.collect();
    let series = keys(sweep).into_iter().enumerate().map(|(policy, of)| Response {
        key: of,
        means: (0..levels.len()).map(|point| results.estimate(sweep, point, policy, key).map(mean)).collect(),
    });
    ResponseChart {
        id: "experiment".to_owned(),
        title: spec.title.to_owned(),
        width: 0.0,
        height: 0.0,
        quantity: quantity(spec),
        factor: sweep.axes[0].factor.title(&sweep.base),
        series: series.collect(),
        levels,
    }
}

/// A cell per combination of two axes, for one policy.
#[must_use]
pub fn heat(sweep: &Sweep, results: &Results, key: &str, policy: usize) -> Option<HeatMap> {
    let [down, across] = sweep.axes.as_slice() else { return None };
    let spec = metric(key);
    let texts = |axis: &crate::scenario::sweep::Axis| {
        (axis.factor.title(&sweep.base), axis.levels.iter().map(level_text).collect::<Vec<_>>())
    };
    let cells = (0..sweep.points.len())
        .map(|point| results.estimate(sweep, point, policy, key).map(|estimate| estimate.mean));
    Some(HeatMap {
        id: "experiment-map".to_owned(),
        title: spec.title.to_owned(),
        width: 0.0,
        quantity: quantity(spec),
        down: texts(down),
        across: texts(across),
        cells: cells.collect(),
    })
}

/// What another point changes: a row a metric, a cell a policy.
#[derive(Debug, Clone, PartialEq)]
pub struct Changes {
    /// The policies.
    pub policies: Vec<String>,
    /// The metrics.
    pub rows: Vec<ChangeRow>,
}

/// The change of one metric.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangeRow {
    /// The metric.
    pub spec: &'static MetricSpec,
    /// By policy; `None` while it is not known.
    pub cells: Vec<Option<ChangeCell>>,
}

/// The change of one metric under one policy.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangeCell {
    /// Means before and after.
    pub values: [f64; 2],
    /// Both, in one unit.
    pub text: String,
    /// The difference, signed: relative where the metric is an amount, in points where it is a share.
    pub change: String,
    /// What the seeds say of it; `None` with one seed or where nothing is better.
    pub verdict: Option<Verdict>,
}

/// What a point of a sweep changes against the first.
#[must_use]
pub fn changes(course: &Course, point: usize) -> Changes {
    let (sweep, results) = (&*course.sweep, &*course.results);
    let policies = keys(sweep).into_iter().map(|key| key.label).collect();
    let row = |key: &&str| {
        let spec = metric(key);
        let cells =
            (0..sweep.base.policies.len()).map(|policy| change(sweep, results, [0, point], spec, policy));
        ChangeRow { spec, cells: cells.collect() }
    };
    Changes { policies, rows: CHANGES.iter().map(row).collect() }
}

fn change(
    sweep: &Sweep,
    results: &Results,
    points: [usize; 2],
    spec: &MetricSpec,
    policy: usize,
) -> Option<ChangeCell> {
    let [before, after] =
        points.map(|point| results.estimate(sweep, point, policy, spec.key).map(|estimate| estimate.mean));
    let (before, after) = (before?, after?);
    let text = |value: f64| match spec.unit {
        Unit::Seconds => {
            let unit = DurationUnit::of_column([before, after]);
            format::significant(value / unit.seconds(), 3)
        }
        Unit::Share => format::percent(value, 1),
        Unit::Count => Quantity::Count.text(value),
        _ => format::significant(value, 3),
    };
    let unit = match spec.unit {
        Unit::Seconds => format!("\u{a0}{}", DurationUnit::of_column([before, after]).symbol()),
        _ => String::new(),
    };
    let difference = after - before;
    let change = match spec.unit {
        Unit::Share => format::signed(difference, &format::points(difference)),
        _ if before.abs() > 0.0 => format::signed(difference, &format::percent(difference / before.abs(), 1)),
        _ if difference.abs() > 0.0 => format::signed(difference, &text(difference)),
        _ => "±0".to_owned(),
    };
    let verdict = results.difference(sweep, points, policy, spec.key).and_then(|difference| {
        let is_same = difference.mean.abs() <= 0.0 && difference.half_width.is_none_or(|half| half <= 0.0);
        let judged = spec.direction != Direction::Neutral && difference.seeds > 1 && !is_same;
        judged.then(|| Verdict::of(&difference, spec.direction))
    });
    Some(ChangeCell {
        values: [before, after],
        text: format!("{} → {}{unit}", text(before), text(after)),
        change,
        verdict,
    })
}
