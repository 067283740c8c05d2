//! A policy's figures by tenant, GPU type and job class, as means over its seeds.

use std::collections::{HashMap, HashSet};

use super::comparison::{Comparison, Row};
use crate::chart::Table;
use crate::chart::format::{self, DurationUnit};
use crate::metrics::breakdown::{Breakdown, GroupFigures};
use crate::metrics::spec::Direction;
use crate::metrics::statistics::{Estimate, Verdict};

/// By what jobs are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupBy {
    /// Who submitted them.
    Tenant,
    /// Where they ran for longest.
    GpuType,
    /// Their throughput profile and the GPUs they ask for.
    Class,
}

impl GroupBy {
    /// The head of the column of names.
    fn title(self) -> &'static str {
        match self {
            Self::Tenant => "Tenant",
            Self::GpuType => "GPU type",
            Self::Class => "Job class",
        }
    }

    /// The head of the column that only this grouping has.
    fn own_title(self) -> Option<&'static str> {
        match self {
            Self::Tenant => Some("Service ÷ due"),
            Self::GpuType => Some("Utilisation"),
            Self::Class => None,
        }
    }
}

/// One group in one run.
struct Group<'a> {
    name: String,
    own: Option<f64>,
    figures: &'a GroupFigures,
}

fn groups(breakdown: &Breakdown, by: GroupBy) -> Vec<Group<'_>> {
    match by {
        GroupBy::Tenant => breakdown
            .by_tenant
            .iter()
            .map(|row| Group { name: row.tenant.clone(), own: row.service_ratio, figures: &row.figures })
            .collect(),
        GroupBy::GpuType => breakdown
            .by_type
            .iter()
            .map(|row| Group { name: row.gpu_type.clone(), own: row.utilization, figures: &row.figures })
            .collect(),
        GroupBy::Class => breakdown
            .by_class
            .iter()
            .map(|row| Group {
                name: format!("{} × {}", row.model, format::significant(row.gpus, 3)),
                own: None,
                figures: &row.figures,
            })
            .collect(),
    }
}

/// A figure of a group.
type Figure = fn(&GroupFigures) -> Option<f64>;

/// Figures in a unit of time.
const TIMES: [(&str, Figure); 5] = [
    ("Mean JCT", |of| of.jct_mean_s),
    ("Median JCT", |of| of.jct_p50_s),
    ("p95 JCT", |of| of.jct_p95_s),
    ("Mean wait", |of| of.wait_mean_s),
    ("p95 wait", |of| of.wait_p95_s),
];

/// Figures without one.
const PLAIN: [(&str, Figure); 6] = [
    ("Mean slowdown", |of| of.slowdown_bounded_mean),
    ("Mean ρ", |of| of.ftf_rho_mean),
    ("Worst ρ", |of| of.ftf_rho_max),
    ("Service, GPU\u{a0}h", |of| of.service_s.map(|s| s / 3600.0)),
    ("GPU-hours", |of| of.gpu_hours),
    ("Cost", |of| of.cost),
];

/// The table of a policy: groups in the order in which its runs name them. Times have the unit of their column; figures that no group has
/// have no column.
#[must_use]
pub fn table(comparison: &Comparison, row: &Row, by: GroupBy) -> Table {
    let runs: Vec<(u64, Vec<Group<'_>>)> =
        comparison.runs(row).map(|run| (run.seed, groups(&run.breakdown, by))).collect();
    let mut names: Vec<&str> = Vec::new();
    let mut of_names: HashMap<&str, Vec<&Group<'_>>> = HashMap::new();
    for group in runs.iter().flat_map(|(_, groups)| groups) {
        let known = of_names.entry(&group.name).or_default();
        if known.is_empty() {
            names.push(&group.name);
        }
        known.push(group);
    }
    let of_name = |name: &str, value: &dyn Fn(&Group<'_>) -> Option<f64>| -> Option<f64> {
        let values: Vec<f64> = of_names.get(name)?.iter().filter_map(|group| value(group)).collect();
        Estimate::of(&values).map(|estimate| estimate.mean)
    };
    let mut table = Table {
        header: vec![by.title().to_owned(), "Jobs".to_owned(), "Completed".to_owned()],
        rows: names.iter().map(|name| vec![(*name).to_owned()]).collect(),
    };
    let counts: [fn(&GroupFigures) -> u64; 2] = [|of| of.jobs, |of| of.completed];
    for (name, cells) in names.iter().zip(&mut table.rows) {
        for count in counts {
            let value = of_name(name, &|group| Some(count(group.figures) as f64));
            cells.push(format::or_undefined(value, |value| {
                format::number(value, usize::from((value - value.round()).abs() > 1e-9))
            }));
        }
    }
    for (title, figure) in TIMES {
        let values: Vec<Option<f64>> =
            names.iter().map(|name| of_name(name, &|group| figure(group.figures))).collect();
        let unit = DurationUnit::of_column(values.iter().copied().flatten());
        add(&mut table, format!("{title}, {}", unit.symbol()), &values, |s| unit.value_text(s));
        if title == TIMES[0].0
            && let Some(changes) = changes(comparison, row, by, &names)
        {
            table.header.push(changes.0);
            for (cells, change) in table.rows.iter_mut().zip(changes.1) {
                cells.push(change);
            }
        }
    }
    for (title, figure) in PLAIN {
        let values: Vec<Option<f64>> =
            names.iter().map(|name| of_name(name, &|group| figure(group.figures))).collect();
        add(&mut table, title.to_owned(), &values, |value| format::significant(value, 3));
    }
    if let Some(title) = by.own_title() {
        let values: Vec<Option<f64>> = names.iter().map(|name| of_name(name, &|group| group.own)).collect();
        let is_share = by == GroupBy::GpuType;
        let text =
            |value: f64| if is_share { format::percent(value, 1) } else { format::significant(value, 3) };
        add(&mut table, title.to_owned(), &values, text);
    }
    table
}

/// Adds a column, unless no value of it is defined.
fn add(table: &mut Table, title: String, values: &[Option<f64>], text: impl Fn(f64) -> String) {
    if values.iter().all(Option::is_none) {
        return;
    }
    table.header.push(title);
    for (cells, value) in table.rows.iter_mut().zip(values) {
        cells.push(format::or_undefined(*value, &text));
    }
}

/// How mean JCT changes against the baseline, group by group: seed by seed, marked `≈` where the seeds support no difference. Undefined
/// where jobs are unfinished, and for GPU types, whose jobs are others under another policy.
fn changes(comparison: &Comparison, row: &Row, by: GroupBy, names: &[&str]) -> Option<(String, Vec<String>)> {
    let baseline = comparison.baseline().filter(|baseline| baseline.label != row.label)?;
    if by == GroupBy::GpuType {
        return None;
    }
    let (own, base) = (mean_times(comparison, row, by), mean_times(comparison, baseline, by));
    let values = |of: &MeanTimes, name: &str| of.get(name).cloned().unwrap_or_else(|| Some(Vec::new()));
    let change = |name: &str| {
        let (own, base) = values(&own, name).zip(values(&base, name))?;
        let difference = Estimate::of_difference(&own, &base)?;
        let base = Estimate::of(&base.iter().map(|(_, value)| *value).collect::<Vec<_>>())?.mean;
        let relative = (base > 0.0).then(|| difference.mean / base)?;
        let mark = match Verdict::of(&difference, Direction::Lower) {
            Verdict::NoDifference => " ≈",
            _ => "",
        };
        Some(format!("{}{mark}", format::signed(relative, &format::percent(relative, 1))))
    };
    let cells = names.iter().map(|name| change(name).unwrap_or_else(|| format::UNDEFINED.to_owned()));
    Some((format!("against {}", baseline.title), cells.collect()))
}

/// Mean JCT by group and seed; `None` where jobs of the group are unfinished or nothing is known of it.
type MeanTimes = HashMap<String, Option<Vec<(u64, f64)>>>;

fn mean_times(comparison: &Comparison, row: &Row, by: GroupBy) -> MeanTimes {
    let mut times = MeanTimes::new();
    for run in comparison.runs(row) {
        let mut seen = HashSet::new();
        for Group { name, figures, .. } in groups(&run.breakdown, by) {
            // Of groups that are called alike the first counts.
            if !seen.insert(name.clone()) {
                continue;
            }
            let is_whole = figures.completed == figures.jobs;
            let known = times.entry(name).or_insert_with(|| Some(Vec::new()));
            match figures.jct_mean_s.filter(|_| is_whole) {
                Some(jct_s) => known.iter_mut().for_each(|known| known.push((run.seed, jct_s))),
                None => *known = None,
            }
        }
    }
    times
}
