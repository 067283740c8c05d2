//! A chart in the page: drawn to the width there is, read by pointer and by keyboard.

use std::ops::Deref;
use std::rc::Rc;

use web_sys::Element;
use yew::prelude::*;

use super::over_time::{OverTime, nearest_plot, place, pointer, shift, use_wheel};
use crate::app::page::rest::use_rested;
use crate::app::time_view::{Change, Gesture, KeyPress, extended, key_press};
use crate::chart::format;
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
    /// The reader chose what is at the cursor, by a click or by Enter.
    #[prop_or_default]
    pub(in crate::app::page) on_choose: Option<Callback<f64>>,
    /// The window and the selection, where the axis is that of time.
    #[prop_or_default]
    pub(in crate::app::page) over_time: Option<OverTime>,
}

/// Pointers that are down, and where the plot they came down on begins and how wide it is.
#[derive(Default)]
struct Held {
    gesture: Gesture,
    plot_px: (f64, f64),
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
    use_wheel(&node, &chart, props.over_time.as_ref());
    let held = use_mut_ref(Held::default);
    let on_down = {
        let (chart, node, held) = (chart.clone(), node.clone(), held.clone());
        let (over_time, read) = (props.over_time.clone(), read.clone());
        Callback::from(move |event: PointerEvent| {
            let Some(element) = node.cast::<Element>() else { return };
            let at = place(&element, &event);
            if let Some(fraction) = chart.fraction_at(at.0, at.1) {
                read(fraction);
            }
            let is_other_button = event.pointer_type() == "mouse" && event.button() != 0;
            let (Some(over_time), Some(area), false) =
                (&over_time, nearest_plot(&chart, at), is_other_button)
            else {
                return;
            };
            let mut held = held.borrow_mut();
            if !held.gesture.is_on() {
                held.plot_px = (area.x, area.width);
            }
            let fraction = ((at.0 - area.x) / area.width.max(1.0)).clamp(0.0, 1.0);
            let moment_s = over_time.seen().at(fraction);
            held.gesture.begin(event.pointer_id(), pointer(&event), at.0, moment_s);
            // A pointer that is gone already cannot be captured, and need not be.
            let _ = element.set_pointer_capture(event.pointer_id());
        })
    };
    let on_move = {
        let (chart, node, held) = (chart.clone(), node.clone(), held.clone());
        let (over_time, read) = (props.over_time.clone(), read.clone());
        Callback::from(move |event: PointerEvent| {
            let Some(element) = node.cast::<Element>() else { return };
            let at = place(&element, &event);
            let mut held = held.borrow_mut();
            let plot_px = held.plot_px;
            let is_held = held.gesture.is_on();
            let changes = match &over_time {
                Some(over_time) if is_held => {
                    held.gesture.moved(event.pointer_id(), at.0, plot_px, over_time.seen())
                }
                _ => Vec::new(),
            };
            drop(held);
            let (within, by_plot) = ((at.0 - plot_px.0) / plot_px.1.max(1.0), chart.fraction_at(at.0, at.1));
            // A drag is read in the plot it began in.
            let fraction = if is_held { Some(within.clamp(0.0, 1.0)) } else { by_plot };
            let is_panning = changes.iter().any(|change| matches!(change, Change::Pan(_)));
            for change in changes {
                over_time.iter().for_each(|over_time| over_time.on_change.emit(change));
            }
            if let Some(fraction) = fraction.filter(|_| !is_panning) {
                read(fraction);
            }
        })
    };
    let on_up = Callback::from(move |event: PointerEvent| held.borrow_mut().gesture.end(event.pointer_id()));
    let on_fit = props
        .over_time
        .clone()
        .map(|over_time| Callback::from(move |_: MouseEvent| over_time.on_change.emit(Change::Show(None))));
    let on_click = props.on_choose.clone().map(|on_choose| {
        let (chart, node) = (chart.clone(), node.clone());
        Callback::from(move |event: MouseEvent| {
            let Some(element) = node.cast::<Element>() else { return };
            let at = place(&element, &event);
            let readout = chart.fraction_at(at.0, at.1).and_then(|fraction| chart.nearest(fraction));
            if let Some(readout) = readout {
                on_choose.emit(readout.x);
            }
        })
    });
    let on_key = {
        let (chart, cursor, moved_to) = (chart.clone(), props.cursor, moved_to.setter());
        let (over_time, on_choose, on_cursor) =
            (props.over_time.clone(), props.on_choose.clone(), props.on_cursor.clone());
        Callback::from(move |event: KeyboardEvent| {
            if event.ctrl_key() || event.alt_key() || event.meta_key() {
                return;
            }
            let here = cursor.and_then(|x| fraction_of(&chart, x));
            if let (Some(over_time), Some(press)) = (&over_time, key_press(&event.key(), shift(&event))) {
                let change = match press {
                    KeyPress::Zoom(factor) => {
                        let at = cursor.map(|s| over_time.seen().fraction(s));
                        let at = at.filter(|at| (0.0..=1.0).contains(at)).unwrap_or(0.5);
                        Change::Zoom { factor, at }
                    }
                    KeyPress::Pan(share) => Change::Pan(share),
                    KeyPress::Fit => Change::Show(None),
                    KeyPress::LetGo if over_time.view.selected.is_none() => return,
                    KeyPress::LetGo => {
                        moved_to.set(None);
                        Change::Unselect
                    }
                    KeyPress::Extend(steps) => {
                        let begin = here.unwrap_or(0.5);
                        let (Some(from), Some(to)) =
                            (chart.nearest(begin), chart.nearest(chart.step(begin, steps)))
                        else {
                            return;
                        };
                        on_cursor.emit(to.x);
                        let change = extended(over_time.view.selected, from.x, to.x);
                        if let Change::Select(a, b) = change {
                            let (a, b) = (format::elapsed(a.min(b)), format::elapsed(a.max(b)));
                            moved_to.set(Some(format!("Selected from {a} to {b}.")));
                        }
                        change
                    }
                };
                event.prevent_default();
                event.stop_propagation();
                over_time.on_change.emit(change);
            } else if let (Some(on_choose), Some(x), "Enter" | " ") =
                (&on_choose, cursor, event.key().as_str())
            {
                event.prevent_default();
                on_choose.emit(x);
            } else if let Some(fraction) = fraction_after(&chart, here, &event) {
                event.prevent_default();
                read(fraction);
            }
        })
    };
    let selected = props.over_time.as_ref().and_then(OverTime::selected);
    let selection = use_memo(
        (chart.clone(), selected.map(|(from, to)| (from.to_bits(), to.to_bits()))),
        |(chart, selected)| {
            selected.map(|(from, to)| {
                AttrValue::from(chart.selection((f64::from_bits(from), f64::from_bits(to))).to_svg())
            })
        },
    );
    let readable = !chart.plots().is_empty();
    html! {
        <div ref={node} class={classes!("plot", readable.then_some("focusable"), props.over_time.is_some().then_some("over-time"))}
            role={readable.then_some("application")} aria-label={readable.then(|| props.label.clone())}
            tabindex={readable.then_some("0")} onkeydown={on_key} onclick={on_click} ondblclick={on_fit}
            onpointermove={on_move} onpointerdown={on_down} onpointerup={on_up.clone()} onpointercancel={on_up}>
            { Html::from_html_unchecked((*marks).clone()) }
            if let Some(selection) = &*selection { { Html::from_html_unchecked(selection.clone()) } }
            { Html::from_html_unchecked((*overlay).clone()) }
            <p class="vh" aria-live="polite">{ said }</p>
        </div>
    }
}

/// Where a key leads: an arrow one step, with Shift five; Home and End to the ends. Along the other direction arrows stay the
/// page's own.
fn fraction_after(chart: &Drawing, here: Option<f64>, event: &KeyboardEvent) -> Option<f64> {
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
