//! Two figures of the policies against each other, and how one of them varies over seeds.

use yew::prelude::*;

use super::Frame;
use super::figure::Figure;
use super::plot::Drawing;
use crate::app::figures;
use crate::app::page::field::{Choice, LabelShown, select};
use crate::app::page::width::use_width;
use crate::chart::{BoxChart, Chart, ScatterChart};
use crate::metrics::spec;

const HEIGHT_PX: f64 = 340.0;

/// What is shown first: how long jobs take, against how far the worst one is from its fair share.
const FIRST: [&str; 2] = ["jct_mean_s", "ftf_rho_max"];

/// A choice among the figures of which it is known which way is good.
fn choice(id: &'static str, label: &'static str, chosen: &UseStateHandle<&'static str>) -> Html {
    let choices: Vec<Choice> = figures::comparable().map(|spec| Choice::new(spec.key, spec.title)).collect();
    let on_choice = {
        let chosen = chosen.setter();
        Callback::from(move |key: String| {
            if let Some(spec) = spec::metric(&key) {
                chosen.set(spec.key);
            }
        })
    };
    select(id, label, LabelShown::Above, &choices, chosen, &on_choice)
}

/// Each policy by two figures.
#[component]
pub(super) fn TradeOffFigure(frame: &Frame) -> Html {
    let (node, width) = use_width();
    let (x, y) = (use_state_eq(|| FIRST[0]), use_state_eq(|| FIRST[1]));
    let cursor = use_state_eq(|| None::<f64>);
    let data =
        use_memo((frame.comparison.clone(), frame.hidden.clone(), *x, *y), |(comparison, hidden, x, y)| {
            figures::trade_off(comparison, hidden, x, y)
        });
    let chart = use_memo((data.clone(), width.to_bits()), |(data, width)| {
        let width = f64::from_bits(*width);
        let sized = data.as_ref().clone().map(|data| ScatterChart { width, height: HEIGHT_PX, ..data });
        sized.filter(|_| width > 0.0).map(Drawing::new)
    });
    // With the figure of the seeds it is one of two.
    let class = if frame.comparison.planned_seeds() > 1 { "c6" } else { "c12" };
    let controls = html! { <>{ choice("trade-x", "Across", &x) }{ choice("trade-y", "Up", &y) }</> };
    let caption = html! { <>{ "The dotted line joins the policies that no other beats in both. " }{ data.as_ref().as_ref().map(Chart::summary) }</> };
    html! {
        <Figure id="p-trade" {class} testid="chart-trade-off" title="Trade-off" {caption} {controls}
            chart={(*chart).clone()} {node} label="Policies by two figures; arrow keys go from policy to policy"
            cursor={*cursor} on_cursor={let cursor = cursor.setter(); Callback::from(move |at| cursor.set(Some(at)))}
            file_name={frame.file_name("trade-off")} footnote={frame.footnote.clone()} />
    }
}

/// One figure over the seeds. It stands only where there are several.
#[component]
pub(super) fn SeedsFigure(frame: &Frame) -> Html {
    let (node, width) = use_width();
    let of = use_state_eq(|| FIRST[0]);
    let cursor = use_state_eq(|| None::<f64>);
    let data = use_memo((frame.comparison.clone(), frame.hidden.clone(), *of), |(comparison, hidden, of)| {
        figures::over_seeds(comparison, hidden, of)
    });
    let chart = use_memo((data.clone(), width.to_bits()), |(data, width)| {
        let width = f64::from_bits(*width);
        let sized = data.as_ref().clone().map(|data| BoxChart { width, ..data });
        sized.filter(|_| width > 0.0).map(Drawing::new)
    });
    let controls = choice("seeds-of", "Figure", &of);
    let caption = "A dot for each seed, a box from the lower to the upper quartile, and the ends.";
    html! {
        <Figure id="p-seeds" class="c6" testid="chart-seeds" title="Over seeds" caption={html! { caption }} {controls}
            chart={(*chart).clone()} {node} label="A figure of every seed; arrow keys go from policy to policy"
            cursor={*cursor} on_cursor={let cursor = cursor.setter(); Callback::from(move |at| cursor.set(Some(at)))}
            file_name={frame.file_name("over-seeds")} footnote={frame.footnote.clone()} />
    }
}
