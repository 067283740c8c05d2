//! The table of key figures: one row a policy, one column a metric, each figure with its difference to the baseline.
//!
//! A difference is called better or worse only where the [`Verdict`] over the seeds says so, and not for figures over completed jobs
//! when the two policies finished different ones; with one seed it is a difference in this one run, and the page says that. A
//! figure is marked best only if the seeds support that it is better than every other policy's.

use std::collections::BTreeSet;

use super::comparison::{Comparison, Row};
use crate::chart::format::{self, DurationUnit};
use crate::metrics::spec::{Direction, Group, MetricSpec, Unit, is_over_finished_jobs, metrics};
use crate::metrics::statistics::{Estimate, Verdict};
use crate::scenario::run::RunResult;

/// The columns shown unless the reader chooses others, by key.
pub const DEFAULT_COLUMNS: [&str; 16] = [
    "jct_mean_s",
    "jct_p50_s",
    "jct_p95_s",
    "jct_p99_s",
    "jct_max_s",
    "wait_mean_s",
    "completed",
    "unfinished",
    "makespan_s",
    "utilization",
    "ftf_rho_max",
    "ftf_unfair_share",
    "floor_violations",
    "preemptions",
    "migrations",
    "solver_gap_max",
];

/// The column groups, in the order of the table, with what they are called and their short name.
pub const GROUPS: [(Group, &str, &str); 4] = [
    (Group::Time, "Time", "time"),
    (Group::Cluster, "Cluster", "cluster"),
    (Group::Fairness, "Fairness", "fairness"),
    (Group::Cost, "Cost", "cost"),
];

/// The table.
#[derive(Debug, Clone, PartialEq)]
pub struct KpiTable {
    /// The columns after the policy's, group by group.
    pub columns: Vec<Column>,
    /// One a policy, in the order of the scenario.
    pub rows: Vec<KpiRow>,
    /// Whether any cell has an interval to show.
    pub has_intervals: bool,
}

/// One metric of the table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Column {
    /// What it is.
    pub spec: &'static MetricSpec,
    /// The unit of all its values.
    pub scale: Scale,
    /// The first column of its group.
    pub starts_group: bool,
}

/// How the values of a column are written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scale {
    /// In one unit of time.
    Duration(DurationUnit),
    /// Shares in per cent.
    Percent,
    /// Seconds of a device in hours.
    Hours,
    /// As they are, with about so many significant digits.
    Plain(usize),
    /// Whole numbers, or means of whole numbers.
    Count,
}

/// One policy in the table.
#[derive(Debug, Clone, PartialEq)]
pub struct KpiRow {
    /// The policy's label, unique.
    pub label: String,
    /// What people read.
    pub title: String,
    /// What stands under the name: that it is the baseline, or how many of its seeds are there.
    pub remark: String,
    /// Whether the others are compared with it.
    pub is_baseline: bool,
    /// One a column.
    pub cells: Vec<Cell>,
}

/// One figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// The plain value (the mean over seeds); `None` where it is not defined.
    pub value: Option<f64>,
    /// The value in the column's unit, or `–`.
    pub text: String,
    /// Half of the 95 % interval in the column's unit, as `±0.3`.
    pub interval: Option<String>,
    /// How it differs from the baseline.
    pub delta: Delta,
    /// Best of the column: seed by seed better than every other.
    pub best: bool,
}

/// How a figure differs from the baseline's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delta {
    /// It is the baseline's.
    Baseline,
    /// Better by `text`; `▼` or `▲` by its direction.
    Better {
        /// `▼` or `▲`.
        glyph: char,
        /// The signed difference.
        text: String,
    },
    /// Worse by `text`.
    Worse {
        /// `▽` or `△`.
        glyph: char,
        /// The signed difference.
        text: String,
    },
    /// Different, neither better nor worse.
    Neutral {
        /// The signed difference.
        text: String,
    },
    /// The seeds' interval of the difference holds zero.
    WithinInterval,
    /// The same, or different by less than is shown.
    Equal,
    /// Not compared, or undefined, and why.
    Remark {
        /// In a few words, to be seen.
        short: String,
        /// In a sentence.
        long: String,
    },
}

impl KpiTable {
    /// The table of a comparison with the columns whose keys are `chosen`.
    #[must_use]
    pub fn of(comparison: &Comparison, chosen: &BTreeSet<&str>) -> Self {
        let mut columns: Vec<Column> = Vec::new();
        for (group, ..) in GROUPS {
            for spec in metrics().iter().filter(|spec| spec.group == group && chosen.contains(spec.key)) {
                let starts_group = columns.last().is_none_or(|last| last.spec.group != group);
                columns.push(Column { spec, scale: scale(comparison, spec), starts_group });
            }
        }
        let best: Vec<Option<&str>> = columns.iter().map(|column| best(comparison, column.spec)).collect();
        let rows: Vec<KpiRow> = comparison
            .rows()
            .iter()
            .map(|row| KpiRow {
                label: row.label.clone(),
                title: row.title.clone(),
                remark: remark(comparison, row),
                is_baseline: is_baseline(comparison, row),
                cells: columns
                    .iter()
                    .zip(&best)
                    .map(|(column, best)| Cell {
                        best: *best == Some(row.label.as_str()),
                        ..cell(comparison, row, column)
                    })
                    .collect(),
            })
            .collect();
        let has_intervals = rows.iter().flat_map(|row| &row.cells).any(|cell| cell.interval.is_some());
        Self { columns, rows, has_intervals }
    }

    /// The rows by a metric, best (or, if the metric has no direction, smallest) first or last; what is undefined comes
    /// last either way, and rows that are equal stay in order.
    pub fn sort(&mut self, key: &str, order: Order) {
        let found = self.columns.iter().enumerate().find(|(_, column)| column.spec.key == key);
        let Some((index, rising)) = found.map(|(index, column)| (index, column.rises_when_sorted(order)))
        else {
            return;
        };
        let value = |row: &KpiRow| row.cells.get(index).and_then(|cell| cell.value);
        self.rows.sort_by(|a, b| match (value(a), value(b)) {
            (Some(a), Some(b)) if rising => a.total_cmp(&b),
            (Some(a), Some(b)) => b.total_cmp(&a),
            (a, b) => b.is_some().cmp(&a.is_some()),
        });
    }
}

/// Which end of a column comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The best value.
    BestFirst,
    /// The worst value.
    WorstFirst,
}

impl Cell {
    /// The plain value as text for programs: shortest digits that read back as the same number; empty where undefined.
    #[must_use]
    pub fn plain(&self) -> String {
        self.value.map(|value| value.to_string()).unwrap_or_default()
    }
}

impl Column {
    /// Whether values rise from top to bottom when the column is sorted.
    #[must_use]
    pub fn rises_when_sorted(&self, order: Order) -> bool {
        (self.spec.direction != Direction::Higher) == (order == Order::BestFirst)
    }

    /// The unit in the heading, such as `h`; empty for plain numbers.
    #[must_use]
    pub fn unit(&self) -> &'static str {
        match self.scale {
            Scale::Duration(unit) => unit.symbol(),
            Scale::Percent => "%",
            Scale::Hours => "GPU h",
            Scale::Plain(_) | Scale::Count => "",
        }
    }
}

impl Scale {
    fn text(self, value: f64) -> String {
        match self {
            Self::Duration(unit) => format::significant(value / unit.seconds(), 3),
            Self::Percent => format::number(value * 100.0, percent_decimals(value * 100.0)),
            Self::Hours => format::significant(value / 3600.0, 3),
            Self::Plain(digits) => format::significant(value, digits),
            Self::Count if (value - value.round()).abs() < 1e-9 => format::number(value, 0),
            Self::Count => format::number(value, usize::from(value.abs() < 1000.0)),
        }
    }
}

fn percent_decimals(percent: f64) -> usize {
    match percent.abs() {
        p if p < 1e-9 => 0,
        p if p < 9.995 => 2,
        _ => 1,
    }
}

fn scale(comparison: &Comparison, spec: &MetricSpec) -> Scale {
    match spec.unit {
        Unit::Seconds => {
            let values = comparison.rows().iter().filter_map(|row| comparison.estimate(row, spec.key));
            Scale::Duration(DurationUnit::of_column(values.map(|estimate| estimate.mean)))
        }
        Unit::Share => Scale::Percent,
        Unit::ReferenceGpuSeconds => Scale::Hours,
        Unit::Count => Scale::Count,
        Unit::Ratio | Unit::JobsPerHour | Unit::ReferenceGpus => Scale::Plain(3),
        Unit::GpuHours | Unit::Money => Scale::Plain(4),
    }
}

/// Whether others are compared with this row; not where there are no others.
fn is_baseline(comparison: &Comparison, row: &Row) -> bool {
    comparison.subject().is_some()
        && comparison.baseline().is_some_and(|baseline| baseline.label == row.label)
}

fn remark(comparison: &Comparison, row: &Row) -> String {
    let seeds = comparison.runs(row).count();
    if seeds < comparison.planned_seeds() {
        return format!("{seeds} of {} seeds", comparison.planned_seeds());
    }
    match (is_baseline(comparison, row), row.is_recorded()) {
        (true, _) => "baseline".to_owned(),
        (_, true) => "as in the trace".to_owned(),
        _ => String::new(),
    }
}

/// The figure of a policy in a column, not yet compared with the other policies.
fn cell(comparison: &Comparison, row: &Row, column: &Column) -> Cell {
    let spec = column.spec;
    let Some(estimate) = comparison.estimate(row, spec.key) else {
        let (short, long) = why_undefined(comparison, row, spec);
        return Cell {
            value: None,
            text: format::UNDEFINED.to_owned(),
            interval: None,
            delta: Delta::Remark { short, long },
            best: false,
        };
    };
    Cell {
        value: Some(estimate.mean),
        text: column.scale.text(estimate.mean),
        interval: estimate.half_width.map(|half| match column.scale.text(half) {
            text if text.contains(|c| matches!(c, '1'..='9')) => format!("±{text}"),
            _ => "±0".to_owned(),
        }),
        delta: delta(comparison, row, column, &estimate),
        best: false,
    }
}

fn delta(comparison: &Comparison, row: &Row, column: &Column, estimate: &Estimate) -> Delta {
    let spec = column.spec;
    let Some(baseline) = comparison.baseline() else { return Delta::Baseline };
    if spec.key == "solver_gap_max" {
        return exact_rounds(comparison, row);
    }
    if baseline.label == row.label {
        return Delta::Baseline;
    }
    if is_over_finished_jobs(spec.key) && !comparison.same_jobs(row, baseline) {
        return Delta::Remark {
            short: "other jobs".to_owned(),
            long: "Not compared: the two policies left different jobs unfinished.".to_owned(),
        };
    }
    let of = |run: &RunResult| run.metrics.get(spec.key);
    let base = comparison.estimate(baseline, spec.key);
    let (Some(base), Some(difference)) = (base, comparison.difference(row, baseline, of)) else {
        return Delta::Remark {
            short: String::new(),
            long: "Not compared: the figure is not defined for the baseline.".to_owned(),
        };
    };
    if difference.mean == 0.0 && difference.half_width.is_none_or(|half| half == 0.0) {
        return Delta::Equal;
    }
    let verdict = Verdict::of(&difference, spec.direction);
    if verdict == Verdict::NoDifference {
        return Delta::WithinInterval;
    }
    let text = change_text(column, base.mean, estimate.mean);
    if !text.contains(|c| matches!(c, '1'..='9')) {
        return Delta::Equal;
    }
    // Of one seed only the sign in this run is known.
    match (verdict, spec.direction, difference.mean < 0.0) {
        (Verdict::Different, ..) | (_, Direction::Neutral, _) => Delta::Neutral { text },
        (_, Direction::Lower, true) => Delta::Better { glyph: '▼', text },
        (_, Direction::Higher, false) => Delta::Better { glyph: '▲', text },
        (_, Direction::Higher, true) => Delta::Worse { glyph: '▽', text },
        (_, Direction::Lower, false) => Delta::Worse { glyph: '△', text },
    }
}

/// For the solver's gap a difference says less than how often there was none.
fn exact_rounds(comparison: &Comparison, row: &Row) -> Delta {
    let rounds = comparison.runs(row).map(|run| run.rounds_solved).sum::<Option<u64>>();
    let optimal = comparison.runs(row).map(|run| run.rounds_optimal).sum::<Option<u64>>();
    match (optimal, rounds) {
        (Some(optimal), Some(rounds)) if rounds > 0 => Delta::Remark {
            short: format!("exact in {}", share_rounded_down(optimal, rounds)),
            long: format!(
                "Proven optimal in {} of {} rounds.",
                format::count(optimal),
                format::count(rounds)
            ),
        },
        _ => {
            Delta::Remark { short: String::new(), long: "Rounds proven optimal were not counted.".to_owned() }
        }
    }
}

/// A share in per cent that says 100 % only when it is whole.
fn share_rounded_down(part: u64, whole: u64) -> String {
    let per_mille = u128::from(part) * 1000 / u128::from(whole.max(1));
    format::percent(per_mille as f64 / 1000.0, usize::from(!per_mille.is_multiple_of(10)))
}

/// The change from `base` to `value`: points for shares, else per cent of the base, a factor where that is over 1,000 %, and
/// the difference itself where the base is zero.
fn change_text(column: &Column, base: f64, value: f64) -> String {
    let difference = value - base;
    if column.scale == Scale::Percent {
        return format::signed(difference, &format::points(difference));
    }
    if base == 0.0 {
        return format::signed(difference, &column.scale.text(difference));
    }
    let relative = difference / base.abs();
    if relative.abs() >= 10.0 {
        return format::ratio(value / base);
    }
    // What is left of almost nothing is not nothing.
    let relative = if relative > -1.0 { relative.max(-0.999) } else { relative };
    let decimals = usize::from(relative.abs() < 0.9995);
    format::signed(relative, &format::percent(relative, decimals))
}

/// The policy whose figure is certainly the best of a column: all seeds are there, two or more of them, the figures are of
/// the same jobs, and seed by seed it is better than every other. The recorded row does not take part: it is of another cluster.
fn best<'a>(comparison: &'a Comparison, spec: &MetricSpec) -> Option<&'a str> {
    if spec.direction == Direction::Neutral || (is_over_finished_jobs(spec.key) && !comparison.all_finished())
    {
        return None;
    }
    let contest: Vec<&Row> = comparison.rows().iter().filter(|row| !row.is_recorded()).collect();
    if contest.iter().any(|row| comparison.runs(row).count() < comparison.planned_seeds()) {
        return None;
    }
    let defined = |row: &&Row| comparison.estimate(row, spec.key).is_some();
    let contest: Vec<&Row> = contest.into_iter().filter(defined).collect();
    let beats = |row: &Row, other: &Row| {
        let difference = comparison.difference(row, other, |run| run.metrics.get(spec.key));
        difference.is_some_and(|difference| Verdict::of(&difference, spec.direction) == Verdict::Better)
    };
    let beats_all =
        |row: &&&Row| contest.iter().filter(|other| other.label != row.label).all(|other| beats(row, other));
    let winner = contest.iter().find(beats_all).filter(|_| contest.len() > 1)?;
    Some(winner.label.as_str())
}

/// Why a figure is not defined, in a few words and in a sentence.
fn why_undefined(comparison: &Comparison, row: &Row, spec: &MetricSpec) -> (String, String) {
    let runs = comparison.runs(row).count();
    let defined =
        comparison.runs(row).filter(|run| run.metrics.get(spec.key).is_some_and(f64::is_finite)).count();
    let (short, long) = match spec.key {
        _ if defined > 0 => {
            return (String::new(), format!("Not defined in {} of {runs} seeds.", runs - defined));
        }
        "cost" => ("no price", "Not every GPU type in use has a price."),
        "solver_gap_max" | "solver_gap_mean" => {
            ("no solver", "This policy solves no program, so it has no bound.")
        }
        "solver_s_p95" => ("not timed", "The time of decisions was not measured."),
        "jct_mean_common_s" => ("", "No job finished in every run, or not every run is there yet."),
        "floor_violations_own" => ("no floors", "This policy has no floors of its own."),
        "price_of_fairness_mean" => ("no floors", "This policy has no floors whose price could be taken."),
        _ if row.is_recorded() => ("not recorded", "The trace does not say what this figure needs."),
        key if is_over_finished_jobs(key) => ("no job", "No job finished."),
        _ => ("", "Not defined for this run."),
    };
    (short.to_owned(), long.to_owned())
}
