//! Use of the cluster and queue over time.

use yew::prelude::*;

use super::Frame;
use super::figure::Figure;
use super::plot::Drawing;
use crate::app::figures;
use crate::app::page::width::use_width;
use crate::chart::{Chart, LineChart, format};

const HEIGHT_PX: f64 = 486.0;

/// The figure. Its cursor is the page's cursor in time.
#[component]
pub(super) fn LoadFigure(frame: &Frame) -> Html {
    let (node, width) = use_width();
    let data = use_memo((frame.comparison.clone(), frame.hidden.clone()), |(comparison, hidden)| {
        figures::load(comparison, hidden)
    });
    let chart = use_memo((data.clone(), width.to_bits()), |(data, width)| {
        let width = f64::from_bits(*width);
        (width > 0.0).then(|| Drawing::new(LineChart { width, height: HEIGHT_PX, ..LineChart::clone(data) }))
    });
    let stretch = format::duration(figures::stretch_s(&frame.comparison));
    let caption = html! { <>{ format!("Means over {stretch}; one cursor reads every chart over time. ") }{ data.summary() }</> };
    html! {
        <Figure id="p-time" class="c6" testid="chart-utilization" title="Utilisation and queue" {caption}
            chart={(*chart).clone()} {node} label="Utilisation and queue over time; arrow keys move the cursor"
            cursor={frame.time_s} on_cursor={frame.on_time.clone()}
            file_name={frame.file_name("load")} footnote={frame.footnote.clone()} />
    }
}
