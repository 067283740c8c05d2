//! Fairness properties of the policies' decisions, with their worst failures.

use super::comparison::{Comparison, Row};
use crate::chart::Table;
use crate::chart::format;
use crate::metrics::properties::{FairnessReport, Offence, Property};

/// The table: one row a policy that was simulated; `None` where there is none.
#[must_use]
pub fn table(comparison: &Comparison) -> Option<Table> {
    let rows: Vec<Vec<String>> = comparison.rows().iter().filter_map(|row| cells(comparison, row)).collect();
    let header = [
        "Policy",
        "Rounds looked at",
        "Sharing incentive missed",
        "worst",
        "Envy",
        "worst",
        "Not Pareto efficient",
        "worst",
    ];
    (!rows.is_empty()).then(|| Table { header: header.map(str::to_owned).to_vec(), rows })
}

/// One of the properties.
type Of = fn(&FairnessReport) -> &Property;

/// How bad a failure is.
type Size = fn(&Offence) -> f64;

fn cells(comparison: &Comparison, row: &Row) -> Option<Vec<String>> {
    let reports: Vec<(u64, &FairnessReport)> =
        comparison.runs(row).filter_map(|run| Some((run.seed, run.fairness.as_ref()?))).collect();
    if reports.is_empty() {
        return None;
    }
    let mut cells =
        vec![row.title.clone(), format::count(reports.iter().map(|(_, report)| report.rounds).sum())];
    let properties: [(Of, Size); 3] = [
        (|report| &report.sharing_incentive, |worst| worst.could_have - worst.has),
        (|report| &report.envy, |worst| worst.could_have - worst.has),
        (|report| &report.pareto, |worst| 1.0 - worst.has / worst.could_have),
    ];
    for (property, size) in properties {
        let sum = |count: fn(&Property) -> u64| reports.iter().map(|(_, r)| count(property(r))).sum::<u64>();
        let (checked, violations) = (sum(|p| p.checked), sum(|p| p.violations));
        let share = (checked > 0).then(|| violations as f64 / checked as f64);
        cells.push(format::or_undefined(share, |share| format::percent(share, 1)));
        let worst = reports
            .iter()
            .filter_map(|(seed, report)| Some((*seed, property(report).worst.as_ref()?)))
            .max_by(|a, b| size(a.1).total_cmp(&size(b.1)));
        let seeds = comparison.planned_seeds();
        cells.push(worst.map_or_else(
            || format::UNDEFINED.to_owned(),
            |(seed, worst)| {
                let of_seed = if seeds > 1 { format!(", seed {seed}") } else { String::new() };
                format!("{}{of_seed}", words(worst))
            },
        ));
    }
    Some(cells)
}

/// A failure in words.
fn words(worst: &Offence) -> String {
    let (has, could) = (format::significant(worst.has, 3), format::significant(worst.could_have, 3));
    let round = format::count(worst.round);
    match (&worst.tenant, &worst.other) {
        (Some(tenant), Some(other)) => {
            format!("{tenant} has {has}, in place of {other} {could}, round {round}")
        }
        (Some(tenant), None) => format!("{tenant} has {has} of {could}, round {round}"),
        (None, _) => format!("all have {has}, could have {could}, round {round}"),
    }
}
