//! The distributions of completion times, waits and slowdowns.

use std::rc::Rc;

use yew::prelude::*;

use super::figure::Figure;
use super::plot::Drawing;
use super::{Frame, line_sample, segmented};
use crate::app::figures;
use crate::app::page::width::use_width;
use crate::chart::{CdfChart, Chart, Direction, Distributed, Table, XAxis, format};

const HEIGHT_PX: f64 = 292.0;

/// The percentiles below the chart.
const SHARES: [(f64, &str); 4] = [(0.5, "p50"), (0.9, "p90"), (0.95, "p95"), (0.99, "p99")];

/// The figure.
#[component]
pub(super) fn JctFigure(frame: &Frame) -> Html {
    let (node, width) = use_width();
    let x_axis = use_state_eq(|| XAxis::Log);
    let of = use_state_eq(|| Distributed::CompletionTime);
    let direction = use_state_eq(|| Direction::Finished);
    let cursor = use_state_eq(|| None::<f64>);
    let data = use_memo((frame.comparison.clone(), frame.hidden.clone(), *of), |(comparison, hidden, of)| {
        figures::distribution(comparison, *of, hidden)
    });
    let chart =
        use_memo((data.clone(), width.to_bits(), *x_axis, *direction), |(data, width, x, direction)| {
            let (width, direction) = (f64::from_bits(*width), *direction);
            let sized = CdfChart { width, height: HEIGHT_PX, x: *x, direction, ..CdfChart::clone(data) };
            (width > 0.0).then(|| Drawing::new(sized))
        });
    let table = use_memo((frame.comparison.clone(), data.clone()), |(comparison, data)| {
        let jobs =
            comparison.rows().iter().map(|row| (row.title.as_str(), figures::finished_jobs(comparison, row)));
        with_jobs(data.table(), &jobs.collect::<Vec<_>>())
    });
    let read_at = (*cursor).or_else(|| data.series.first().and_then(|series| series.percentile(0.5)));
    // A cursor at a time is none at a slowdown.
    use_effect_with(*of, {
        let cursor = cursor.setter();
        move |_| cursor.set(None)
    });
    let figures = [
        ("JCT", Distributed::CompletionTime),
        ("Wait", Distributed::Wait),
        ("Slowdown", Distributed::Slowdown),
    ];
    let controls = html! {
        <>
            { segmented("Figure", &figures, &of) }
            { segmented("Jobs", &[("Done", Direction::Finished), ("Tail", Direction::Remaining)], &direction) }
            { segmented("Scale", &[("Log", XAxis::Log), ("Linear", XAxis::Linear)], &x_axis) }
        </>
    };
    let left_out =
        if frame.comparison.all_finished() { "" } else { " Jobs left unfinished are not in the curves." };
    let shows = match *direction {
        Direction::Finished => "Share of jobs with at most a value. ",
        Direction::Remaining => "Share of jobs with more than a value, on a logarithmic axis. ",
    };
    let caption = html! { <>{ shows }{ data.summary() }{ left_out }</> };
    html! {
        <Figure id="p-jct" class="c6" testid="chart-jct-cdf" title={data.title.clone()} {caption} {controls}
            chart={(*chart).clone()} {node} label={format!("Distribution of {}; arrow keys move the cursor", data.title.to_lowercase())}
            cursor={read_at.filter(|_| !data.series.is_empty())} on_cursor={let cursor = cursor.setter(); Callback::from(move |x| cursor.set(Some(x)))}
            table={(*table).clone()} file_name={frame.file_name(file_of(*of))} footnote={frame.footnote.clone()}>
            if let Some(at) = read_at { <div class="scroll-x">{ percentiles(&data, at, *direction) }</div> }
        </Figure>
    }
}

/// What its file is called after.
fn file_of(of: Distributed) -> &'static str {
    match of {
        Distributed::CompletionTime => "jct-cdf",
        Distributed::Wait => "wait-cdf",
        Distributed::Slowdown => "slowdown-cdf",
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
fn percentiles(data: &Rc<CdfChart>, at: f64, direction: Direction) -> Html {
    let columns = SHARES.map(|(share, name)| data.column(share, name));
    html! {
        <table class="read">
            <thead><tr>
                <th scope="col">{ "Policy" }</th><th scope="col" class="cur">{ data.read_at(at, direction) }</th>
                { for columns.iter().map(|column| html! { <th scope="col">{ column.head.clone() }</th> }) }
            </tr></thead>
            <tbody>{ for data.series.iter().enumerate().map(|(row, series)| html! {
                <tr>
                    <td><span class="rn">{ line_sample(&series.key) }{ series.key.label.clone() }</span></td>
                    <td class="cur"><b>{ format::or_undefined(series.share(at, direction), |share| format::percent(share, 1)) }</b></td>
                    { for columns.iter().map(|column| html! { <td>{ column.cells.get(row).cloned().unwrap_or_default() }</td> }) }
                </tr>
            }) }</tbody>
        </table>
    }
}
