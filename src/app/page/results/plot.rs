//! A chart in the page: drawn to the width there is, read by pointer and by keyboard.

use std::ops::Deref;
use std::rc::Rc;

use web_sys::Element;
use yew::prelude::*;

use crate::app::page::rest::use_rested;
use crate::chart::{Along, Chart, Readout};

/// A chart to be drawn. Two are equal only if they are the same one.
#[derive(Clone)]
pub(in crate::app::page) struct Drawing(Rc<dyn Chart>);

impl Drawing {
    /// Holds a chart.
    pub(in crate::app::page) fn new(chart: impl Chart + 'static) -> Self {
        Self(Rc::new(chart))
    }
}

impl PartialEq for Drawing {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Deref for Drawing {
    type Target = dyn Chart;

    fn deref(&self) -> &Self::Target {
        self.0.as_ref()
    }
}

/// What a plot needs.
#[derive(Properties, Clone, PartialEq)]
pub(in crate::app::page) struct PlotProps {
    /// What is drawn.
    pub(in crate::app::page) chart: Drawing,
    /// What it shows and how it is read, for those who do not see it.
    pub(in crate::app::page) label: AttrValue,
    /// Where the cursor is, in the units of the axis.
    pub(in crate::app::page) cursor: Option<f64>,
    /// The reader moved the cursor.
    pub(in crate::app::page) on_cursor: Callback<f64>,
}

/// A live region is not told each step of a moving cursor, only where it came to rest.
const REST_MS: u32 = 150;

/// A chart with its cursor.
#[component]
pub(in crate::app::page) fn Plot(props: &PlotProps) -> Html {
    let chart = props.chart.clone();
    let marks = use_memo(chart.clone(), |chart| AttrValue::from(chart.marks().to_svg()));
    let overlay = use_memo((chart.clone(), props.cursor.map(f64::to_bits)), |(chart, cursor)| {
        AttrValue::from(chart.overlay(cursor.map(f64::from_bits)).to_svg())
    });
    let node = use_node_ref();
    let moved_to = use_state(|| None::<String>);
    let said = use_rested(&*moved_to, REST_MS);

    let read = {
        let (chart, moved_to, on_cursor) = (chart.clone(), moved_to.setter(), props.on_cursor.clone());
        move |fraction: f64| {
            if let Some(readout) = chart.nearest(fraction) {
                moved_to.set(Some(readout.sentence()));
                on_cursor.emit(readout.x);
            }
        }
    };
    let on_pointer = {
        let (chart, node, read) = (chart.clone(), node.clone(), read.clone());
        Callback::from(move |event: PointerEvent| {
            let Some(element) = node.cast::<Element>() else { return };
            let area = element.get_bounding_client_rect();
            let at = (f64::from(event.client_x()) - area.left(), f64::from(event.client_y()) - area.top());
            if let Some(fraction) = chart.fraction_at(at.0, at.1) {
                read(fraction);
            }
        })
    };
    let on_key = {
        let (chart, cursor) = (chart.clone(), props.cursor);
        Callback::from(move |event: KeyboardEvent| {
            let here = cursor.and_then(|x| fraction_of(&chart, x));
            if let Some(fraction) = fraction_after(&chart, here, &event) {
                event.prevent_default();
                read(fraction);
            }
        })
    };
    let readable = !chart.plots().is_empty();
    html! {
        <div ref={node} class={classes!("plot", readable.then_some("focusable"))}
            role={readable.then_some("application")} aria-label={readable.then(|| props.label.clone())}
            tabindex={readable.then_some("0")} onkeydown={on_key} onpointermove={on_pointer.clone()} onpointerdown={on_pointer}>
            { Html::from_html_unchecked((*marks).clone()) }
            { Html::from_html_unchecked((*overlay).clone()) }
            <p class="vh" aria-live="polite">{ said }</p>
        </div>
    }
}

/// Where a key leads: an arrow one step, with Shift five; Home and End to the ends. Along the other direction arrows stay the
/// page's own.
fn fraction_after(chart: &Drawing, here: Option<f64>, event: &KeyboardEvent) -> Option<f64> {
    if event.ctrl_key() || event.alt_key() || event.meta_key() {
        return None;
    }
    let stride = if event.shift_key() { 5 } else { 1 };
    let steps = match (event.key().as_str(), chart.direction()) {
        ("Home", _) => return Some(0.0),
        ("End", _) => return Some(1.0),
        ("ArrowRight", Along::X) | ("ArrowDown", Along::Y) => stride,
        ("ArrowLeft", Along::X) | ("ArrowUp", Along::Y) => -stride,
        _ => return None,
    };
    Some(here.map_or(0.5, |here| chart.step(here, steps)))
}

/// The fraction of the plot at which a value of the axis is read; values rise along the plot, so it is found by halving.
fn fraction_of(chart: &Drawing, x: f64) -> Option<f64> {
    let read = |fraction: f64| chart.nearest(fraction);
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..24 {
        let middle = f64::midpoint(low, high);
        if read(middle)?.x < x { low = middle } else { high = middle }
    }
    let distance = |readout: &Readout| (readout.x - x).abs();
    [read(low)?, read(high)?]
        .into_iter()
        .min_by(|a, b| distance(a).total_cmp(&distance(b)))
        .map(|r| r.fraction)
}
