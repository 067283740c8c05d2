//! Use of the cluster and queue over time.

use yew::prelude::*;

use super::figure::Figure;
use super::plot::Drawing;
use super::stretch::StretchFigures;
use super::{Frame, over_time};
use crate::app::figures;
use crate::app::page::width::use_width;
use crate::chart::{Chart, LineChart, format};

const HEIGHT_PX: f64 = 486.0;

/// The figure. Its cursor is the page's cursor in time.
#[component]
pub(super) fn LoadFigure(frame: &Frame) -> Html {
    let (node, width) = use_width();
    let window = frame.over_time.view.window.map(|_| frame.over_time.seen());
    let data =
        use_memo((frame.comparison.clone(), frame.hidden.clone(), window), |(comparison, hidden, window)| {
            let chart = figures::load(comparison, hidden, *window);
            let stretch = format::duration(figures::stretch_s(comparison, *window));
            let caption =
                format!("Means over {stretch}; one cursor reads every chart over time. {}", chart.summary());
            (chart, caption)
        });
    let chart = use_memo((data.clone(), width.to_bits()), |(data, width)| {
        let width = f64::from_bits(*width);
        (width > 0.0).then(|| Drawing::new(LineChart { width, height: HEIGHT_PX, ..data.0.clone() }))
    });
    let caption = html! { { data.1.clone() } };
    html! {
        <Figure id="p-time" class="c6" testid="chart-utilization" title="Utilisation and queue" {caption}
            chart={(*chart).clone()} {node}
            label="Utilisation and queue over time; arrow keys move the cursor, with Shift they select, W and S zoom, A and D pan, 0 shows everything"
            cursor={frame.time_s} on_cursor={frame.on_time.clone()} over_time={frame.over_time.clone()}
            file_name={frame.file_name("load")} footnote={frame.footnote.clone()}>
            { over_time::hints() }
            <StretchFigures comparison={frame.comparison.clone()} hidden={frame.hidden.clone()} tables={frame.job_tables.clone()}
                selected={frame.over_time.view.selected} on_change={frame.over_time.on_change.clone()} worker_url={frame.worker_url.clone()} />
        </Figure>
    }
}
