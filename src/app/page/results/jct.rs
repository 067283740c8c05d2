//! The distribution of completion times.

use std::rc::Rc;

use yew::prelude::*;

use super::figure::Figure;
use super::plot::Drawing;
use super::{Frame, line_sample, segmented};
use crate::app::figures;
use crate::app::page::width::use_width;
use crate::chart::format::{self, DurationUnit};
use crate::chart::{CdfChart, Chart, Table, XAxis};

const HEIGHT_PX: f64 = 292.0;

/// The percentiles below the chart.
const SHARES: [(f64, &str); 4] = [(0.5, "p50"), (0.9, "p90"), (0.95, "p95"), (0.99, "p99")];

/// The figure.
#[component]
pub(super) fn JctFigure(frame: &Frame) -> Html {
    let (node, width) = use_width();
    let x_axis = use_state_eq(|| XAxis::Log);
    let cursor = use_state_eq(|| None::<f64>);
    let data = use_memo((frame.comparison.clone(), frame.hidden.clone()), |(comparison, hidden)| {
        figures::jct(comparison, hidden)
    });
    let chart = use_memo((data.clone(), width.to_bits(), *x_axis), |(data, width, x)| {
        let width = f64::from_bits(*width);
        let sized = CdfChart { width, height: HEIGHT_PX, x: *x, ..CdfChart::clone(data) };
        (width > 0.0).then(|| Drawing::new(sized))
    });
    let table = use_memo((frame.comparison.clone(), data.clone()), |(comparison, data)| {
        let jobs =
            comparison.rows().iter().map(|row| (row.title.as_str(), figures::finished_jobs(comparison, row)));
        with_jobs(data.table(), &jobs.collect::<Vec<_>>())
    });
    let read_at = (*cursor).or_else(|| data.series.first().and_then(|series| series.percentile(0.5)));
    let controls = segmented("Scale", &[("Log", XAxis::Log), ("Linear", XAxis::Linear)], &x_axis);
    let left_out =
        if frame.comparison.all_finished() { "" } else { " Jobs left unfinished are not in the curves." };
    let caption = html! { <>{ "Share of jobs finished within a time. " }{ data.summary() }{ left_out }</> };
    html! {
        <Figure id="p-jct" class="c6" testid="chart-jct-cdf" title="Job completion time" {caption} {controls}
            chart={(*chart).clone()} {node} label="Distribution of job completion times; arrow keys move the cursor"
            cursor={read_at.filter(|_| !data.series.is_empty())} on_cursor={let cursor = cursor.setter(); Callback::from(move |x| cursor.set(Some(x)))}
            table={(*table).clone()} file_name={frame.file_name("jct-cdf")} footnote={frame.footnote.clone()}>
            if let Some(at_s) = read_at { <div class="scroll-x">{ percentiles(&data, at_s) }</div> }
        </Figure>
    }
}

/// The curves' own table counts the samples it was drawn from; this one the jobs.
fn with_jobs(mut table: Table, jobs: &[(&str, u64)]) -> Table {
    for row in &mut table.rows {
        let known = row.first().and_then(|title| jobs.iter().find(|(other, _)| other == title));
        if let (Some((_, jobs)), Some(cell)) = (known, row.get_mut(1)) {
            *cell = format::count(*jobs);
        }
    }
    table
}

/// What the cursor reads, and percentiles.
fn percentiles(data: &Rc<CdfChart>, at_s: f64) -> Html {
    let units = SHARES
        .map(|(share, _)| DurationUnit::of_column(data.series.iter().filter_map(|s| s.percentile(share))));
    html! {
        <table class="read">
            <thead><tr>
                <th scope="col">{ "Policy" }</th><th scope="col" class="cur">{ "Done by " }{ format::duration(at_s) }</th>
                { for SHARES.iter().zip(units).map(|((_, name), unit)| html! { <th scope="col">{ format!("{name}, {}", unit.symbol()) }</th> }) }
            </tr></thead>
            <tbody>{ for data.series.iter().map(|series| html! {
                <tr>
                    <td><span class="rn">{ line_sample(&series.key) }{ series.key.label.clone() }</span></td>
                    <td class="cur"><b>{ format::or_undefined(series.share_within(at_s), |share| format::percent(share, 1)) }</b></td>
                    { for SHARES.iter().zip(units).map(|((share, _), unit)| html! {
                        <td>{ format::or_undefined(series.percentile(*share), |s| unit.value_text(s)) }</td>
                    }) }
                </tr>
            }) }</tbody>
        </table>
    }
}
