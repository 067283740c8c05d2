//! A run's figures by tenant, GPU type and job class as CSV, one row a group.

use std::io::{self, Write};

use crate::metrics::Breakdown;
use crate::metrics::breakdown::GroupFigures;

/// What every table has after the columns of its own; undefined figures are empty.
const FIGURES: [&str; 15] = [
    "jobs",
    "completed",
    "jct_mean_s",
    "jct_p50_s",
    "jct_p95_s",
    "wait_mean_s",
    "wait_p95_s",
    "slowdown_bounded_mean",
    "slowdown_bounded_p95",
    "ftf_rho_mean",
    "ftf_rho_max",
    "ftf_unfair_share",
    "service_s",
    "gpu_hours",
    "cost",
];

fn figures(of: &GroupFigures) -> Vec<String> {
    let counts = [of.jobs, of.completed].map(|count| count.to_string());
    let values = [
        of.jct_mean_s,
        of.jct_p50_s,
        of.jct_p95_s,
        of.wait_mean_s,
        of.wait_p95_s,
        of.slowdown_bounded_mean,
        of.slowdown_bounded_p95,
        of.ftf_rho_mean,
        of.ftf_rho_max,
        of.ftf_unfair_share,
        of.service_s,
        of.gpu_hours,
        of.cost,
    ];
    counts.into_iter().chain(values.map(number)).collect()
}

/// The shortest digits that read back as the same number; empty where undefined.
pub(super) fn number(value: Option<f64>) -> String {
    value.filter(|value| value.is_finite()).map(|value| value.to_string()).unwrap_or_default()
}

fn write(
    out: impl Write,
    own: &[&str],
    rows: impl Iterator<Item = (Vec<String>, GroupFigures)>,
) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record(own.iter().chain(&FIGURES))?;
    for (cells, of) in rows {
        csv.write_record(cells.into_iter().chain(figures(&of)))?;
    }
    csv.flush()
}

/// Writes `tenants-*.csv`.
///
/// # Errors
/// Those of `out`.
pub fn write_tenants_csv(breakdown: &Breakdown, out: impl Write) -> io::Result<()> {
    let rows = breakdown.by_tenant.iter().map(|row| {
        let ratio = number(row.service_ratio);
        let cells = vec![row.tenant.clone(), row.weight.to_string(), row.entitled_s.to_string(), ratio];
        (cells, row.figures.clone())
    });
    write(out, &["tenant", "weight", "entitled_s", "service_ratio"], rows)
}

/// Writes `types-*.csv`.
///
/// # Errors
/// Those of `out`.
pub fn write_types_csv(breakdown: &Breakdown, out: impl Write) -> io::Result<()> {
    let rows = breakdown.by_type.iter().map(|row| {
        let cells = vec![row.gpu_type.clone(), row.devices.to_string(), number(row.utilization)];
        (cells, row.figures.clone())
    });
    write(out, &["gpu_type", "devices", "utilization"], rows)
}

/// Writes `classes-*.csv`.
///
/// # Errors
/// Those of `out`.
pub fn write_classes_csv(breakdown: &Breakdown, out: impl Write) -> io::Result<()> {
    let rows = breakdown
        .by_class
        .iter()
        .map(|row| (vec![row.model.clone(), row.gpus.to_string()], row.figures.clone()));
    write(out, &["model", "gpus"], rows)
}
