//! A comparison as a document that stands alone: the finding, the key figures, the charts, and what they rest on.
//!
//! [`Report::of`] collects it; [`Report::to_html`] and [`Report::to_markdown`] write it. Charts are drawings in the one and tables in the other.

mod html;
mod markdown;

use std::collections::BTreeSet;

use super::basis;
use super::comparison::Comparison;
use super::export::ENGINE_VERSION;
use super::figures::{self, Hidden, TenantFigure};
use super::headline::Headline;
use super::kpi::{DEFAULT_COLUMNS, Delta, KpiTable};
use crate::chart::{Chart, Distributed, Scene, Table};
use crate::scenario::Scenario;

/// How wide the drawings are, in px.
const WIDTH_PX: f64 = 860.0;
const HEIGHT_PX: f64 = 320.0;

/// What a report is made from beside the comparison.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The comparison.
    pub comparison: &'a Comparison,
    /// The finding, as the page says it.
    pub headline: &'a Headline,
    /// The scenario that was run.
    pub scenario: &'a Scenario,
    /// Fingerprint of the scenario.
    pub scenario_hash: &'a str,
    /// Fingerprint of the trace, where there is one.
    pub trace_hash: Option<&'a str>,
    /// What was assumed about the jobs.
    pub assumptions: &'a [String],
    /// The name of the trace or sample.
    pub trace_name: &'a str,
    /// Policies that the reader has hidden.
    pub hidden: &'a Hidden,
    /// Today, such as `2026-12-01`.
    pub date: &'a str,
}

/// A document.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The finding.
    pub title: String,
    /// What qualifies it.
    pub notes: Vec<String>,
    /// Where and when it comes from, in a line.
    pub subtitle: String,
    /// Its parts in order.
    pub parts: Vec<Part>,
}

/// A part of a [`Report`].
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Its heading.
    pub heading: String,
    /// A sentence or two below it.
    pub text: String,
    /// What it holds.
    pub body: Body,
}

/// What a part of a [`Report`] holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// Figures.
    Table(Table),
    /// A drawing and its data.
    Figure(Box<Scene>, Table),
    /// Lists with a title each.
    Lists(Vec<(String, Vec<String>)>),
    /// Text as it is written, such as the scenario.
    Verbatim(String),
}

impl Report {
    /// The report of a comparison.
    #[must_use]
    pub fn of(source: Source<'_>) -> Self {
        let Source { comparison, headline, scenario, trace_name, hidden, date, .. } = source;
        let footnote = figures::footnote(comparison, trace_name, source.scenario_hash);
        let mut parts = vec![key_figures(comparison)];
        let mut figure = |heading: &str, chart: &dyn Chart| {
            let scene = chart.scene(None).with_footnote(footnote.clone());
            let body = Body::Figure(Box::new(scene), chart.table());
            parts.push(Part { heading: heading.to_owned(), text: chart.summary(), body });
        };
        for of in [Distributed::CompletionTime, Distributed::Wait, Distributed::Slowdown] {
            let mut chart = figures::distribution(comparison, of, hidden);
            (chart.id, chart.width, chart.height) = (format!("report-{of:?}"), WIDTH_PX, HEIGHT_PX);
            figure(&chart.title.clone(), &chart);
        }
        let mut load = figures::load(comparison, hidden, None);
        (load.width, load.height) = (WIDTH_PX, HEIGHT_PX * 1.4);
        figure("Utilisation and queue", &load);
        for of in [TenantFigure::Wait, TenantFigure::Jct] {
            if let Some(mut chart) = figures::changes(comparison, of) {
                chart.width = WIDTH_PX;
                chart.id = format!("report-{of:?}");
                figure(&format!("{} by tenant", of.title()), &chart);
            }
        }
        if let Some(mut chart) = figures::trade_off(comparison, hidden, "jct_mean_s", "ftf_rho_max") {
            (chart.width, chart.height) = (WIDTH_PX, HEIGHT_PX);
            figure("Efficiency against fairness", &chart);
        }
        if let Some(table) = super::fairness::table(comparison) {
            parts.push(Part {
                heading: super::strings::FAIRNESS_TITLE.to_owned(),
                text: super::strings::FAIRNESS.to_owned(),
                body: Body::Table(table),
            });
        }
        parts.push(rests_on(source));
        parts.push(Part {
            heading: "Scenario".to_owned(),
            text: "Written to a file, this runs again with `sts run`, and opens in the page.".to_owned(),
            body: Body::Verbatim(scenario.to_json()),
        });
        Self {
            title: headline.title.clone(),
            notes: headline.notes.clone(),
            subtitle: format!(
                "{trace_name}, {date}, engine {ENGINE_VERSION}, scenario {}",
                source.scenario_hash
            ),
            parts,
        }
    }

    /// The document as one HTML file that needs nothing else.
    #[must_use]
    pub fn to_html(&self) -> String {
        html::write(self)
    }

    /// The document as Markdown: drawings are replaced by their data.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        markdown::write(self)
    }
}

/// The table of key figures as texts: value, interval and difference in one cell.
fn key_figures(comparison: &Comparison) -> Part {
    let table = KpiTable::of(comparison, &BTreeSet::from(DEFAULT_COLUMNS));
    let head = |column: &super::kpi::Column| match column.unit() {
        "" => column.spec.title.to_owned(),
        unit => format!("{}, {unit}", column.spec.title),
    };
    let header = std::iter::once("Policy".to_owned()).chain(table.columns.iter().map(head)).collect();
    let rows = table.rows.iter().map(|row| {
        let cells = row.cells.iter().map(|cell| {
            let interval = cell.interval.as_deref().map(|text| format!(" {text}")).unwrap_or_default();
            format!("{}{interval}{}", cell.text, difference(&cell.delta))
        });
        let remark = if row.remark.is_empty() { String::new() } else { format!(" ({})", row.remark) };
        std::iter::once(format!("{}{remark}", row.title)).chain(cells).collect()
    });
    let seeds = comparison.planned_seeds();
    let of = if seeds == 1 {
        "One seed".to_owned()
    } else {
        format!("Means of {seeds} seeds, ± half of the 95 % interval")
    };
    let text = match comparison.baseline().filter(|_| comparison.rows().len() > 1) {
        Some(baseline) => {
            format!(
                "{of}; in brackets the difference to {}: ▼ ▲ better, ▽ △ worse, ≈ none that the seeds support.",
                baseline.title
            )
        }
        None => format!("{of}."),
    };
    Part {
        heading: "Key figures".to_owned(),
        text,
        body: Body::Table(Table { header, rows: rows.collect() }),
    }
}

fn difference(delta: &Delta) -> String {
    match delta {
        Delta::Baseline => String::new(),
        Delta::Better { glyph, text } | Delta::Worse { glyph, text } => format!(" ({glyph} {text})"),
        Delta::Neutral { text } => format!(" ({text})"),
        Delta::WithinInterval => " (≈)".to_owned(),
        Delta::Equal => " (=)".to_owned(),
        Delta::Remark { short, .. } if short.is_empty() => String::new(),
        Delta::Remark { short, .. } => format!(" ({short})"),
    }
}

/// What the model leaves out, what was assumed, and the fingerprints.
fn rests_on(source: Source<'_>) -> Part {
    let Source { comparison, scenario, .. } = source;
    let assumed = source.assumptions.iter().cloned().chain(basis::assumed(scenario)).collect();
    let mut provenance = vec![format!("scenario {}", source.scenario_hash)];
    provenance.extend(source.trace_hash.map(|hash| format!("trace {hash}")));
    provenance.push(format!("engine {ENGINE_VERSION}"));
    provenance.extend(
        comparison
            .all_runs()
            .map(|(row, run)| format!("{}, seed {}: {}", row.title, run.seed, run.result_hash)),
    );
    let lists = vec![
        ("Left out of the model".to_owned(), basis::left_out(scenario)),
        ("Assumed".to_owned(), assumed),
        ("Provenance".to_owned(), provenance),
    ];
    Part { heading: "What this result rests on".to_owned(), text: String::new(), body: Body::Lists(lists) }
}
