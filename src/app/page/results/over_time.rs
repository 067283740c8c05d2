//! The axis of time that charts of the results share: one window, one selection, and what moves them.

use std::rc::Rc;

use gloo::events::{EventListener, EventListenerOptions};
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent, MouseEvent, PointerEvent, WheelEvent};
use yew::prelude::*;

use super::plot::Drawing;
use crate::app::gantt::Shift;
use crate::app::page::icon::Icon;
use crate::app::time_view::{Change, Pointer, TimeView, Turn, ZOOM, Zooms};
use crate::chart::Area;
use crate::chart::window::{TimeExtent, TimeWindow};

/// The shared view, and who is told of changes.
#[derive(Clone, PartialEq)]
pub(in crate::app::page) struct OverTime {
    /// What is seen and selected.
    pub(in crate::app::page) view: TimeView,
    /// What there is.
    pub(in crate::app::page) extent: TimeExtent,
    /// The reader changes it.
    pub(in crate::app::page) on_change: Callback<Change>,
}

impl OverTime {
    /// What is seen.
    pub(super) fn seen(&self) -> TimeWindow {
        self.view.seen(&self.extent)
    }

    /// The selection as fractions of a plot.
    pub(super) fn selected(&self) -> Option<(f64, f64)> {
        let (selected, seen) = (self.view.selected?, self.seen());
        Some((seen.fraction(selected.from), seen.fraction(selected.to)))
    }
}

/// The view as a state of the page.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Held(pub(super) TimeView);

impl Reducible for Held {
    type Action = (Change, TimeExtent);

    fn reduce(self: Rc<Self>, (change, extent): Self::Action) -> Rc<Self> {
        Rc::new(Self(self.0.after(change, &extent)))
    }
}

/// Buttons for those without wheel and letters. `of` says of what.
pub(super) fn buttons(of: &str, over_time: &OverTime) -> Html {
    let button = |icon: Html, text: &'static str, testid: &'static str, change: Change| {
        let on_click = over_time.on_change.reform(move |_: MouseEvent| change);
        html! {
            <button class="btn icon" type="button" title={text} aria-label={format!("{of}: {text}")} data-testid={testid} onclick={on_click}>{ icon }</button>
        }
    };
    let seen = over_time.seen();
    html! {
        <div class="btn-group" role="group" aria-label={format!("{of}: time shown")} data-testid="time-window"
            data-from={seen.from.to_string()} data-to={seen.to.to_string()}>
            { button(Icon::Plus.html(), "Zoom in", "zoom-in", Change::Zoom { factor: ZOOM, at: 0.5 }) }
            { button(html! { <span aria-hidden="true">{ "−" }</span> }, "Zoom out", "zoom-out", Change::Zoom { factor: 1.0 / ZOOM, at: 0.5 }) }
            { button(fit_icon(), "Show everything", "zoom-fit", Change::Show(None)) }
            { button(html! { <span aria-hidden="true">{ "Σ" }</span> }, "Figures of what is seen", "select-seen", Change::SelectSeen) }
        </div>
    }
}

/// Arrows that point into the corners.
pub(super) fn fit_icon() -> Html {
    html! {
        <svg class="ic" viewBox="0 0 16 16" aria-hidden="true"><path d="M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10" /></svg>
    }
}

/// What pointer and keys do on a plot over time, for the reader.
pub(super) fn hints() -> Html {
    const HINTS: [(&str, &str); 5] = [
        ("Ctrl + wheel", "zooms"),
        ("drag", "selects"),
        ("Shift + drag", "pans"),
        ("double-click", "fits"),
        ("W A S D", "by keyboard"),
    ];
    html! { <p class="g-keys">{ for HINTS.iter().map(|(key, what)| html! { <span><kbd>{ *key }</kbd>{ " " }{ *what }</span> }) }</p> }
}

/// Where a pointer is in an element, in px.
pub(super) fn place(element: &Element, event: &MouseEvent) -> (f64, f64) {
    let area = element.get_bounding_client_rect();
    (f64::from(event.client_x()) - area.left(), f64::from(event.client_y()) - area.top())
}

/// The plot of a chart that is nearest to a point.
pub(super) fn nearest_plot(chart: &Drawing, at: (f64, f64)) -> Option<Area> {
    chart.plots().into_iter().min_by(|a, b| a.distance(at).total_cmp(&b.distance(at)))
}

/// What kind of pointer an event is of.
pub(super) fn pointer(event: &PointerEvent) -> Pointer {
    match (event.pointer_type().as_str(), event.shift_key()) {
        ("touch", _) => Pointer::Finger,
        (_, true) => Pointer::FineWithShift,
        _ => Pointer::Fine,
    }
}

/// Whether Shift is held with a key.
pub(super) fn shift(event: &KeyboardEvent) -> Shift {
    if event.shift_key() { Shift::Held } else { Shift::Free }
}

/// Follows the wheel on a plot. The page's own listeners could not keep the browser from zooming.
#[hook]
pub(super) fn use_wheel(node: &NodeRef, chart: &Drawing, over_time: Option<&OverTime>) {
    use_effect_with((node.clone(), chart.clone(), over_time.cloned()), |(node, chart, over_time)| {
        let listener = node.cast::<Element>().zip(over_time.clone()).map(|(element, over_time)| {
            let (chart, plot) = (chart.clone(), element.clone());
            let options = EventListenerOptions::enable_prevent_default();
            EventListener::new_with_options(&element, "wheel", options, move |event| {
                let Some(event) = event.dyn_ref::<WheelEvent>() else { return };
                let at = place(&plot, event);
                let Some(area) = nearest_plot(&chart, at) else { return };
                let fraction = ((at.0 - area.x) / area.width.max(1.0)).clamp(0.0, 1.0);
                if let Some(change) = turn(event).change(fraction, area.width) {
                    event.prevent_default();
                    over_time.on_change.emit(change);
                }
            })
        });
        move || drop(listener)
    });
}

fn turn(event: &WheelEvent) -> Turn {
    let px = match event.delta_mode() {
        WheelEvent::DOM_DELTA_LINE => 16.0,
        WheelEvent::DOM_DELTA_PAGE => 400.0,
        _ => 1.0,
    };
    Turn {
        right_px: event.delta_x() * px,
        down_px: event.delta_y() * px,
        zooms: if event.ctrl_key() || event.meta_key() { Zooms::Yes } else { Zooms::No },
        shift: if event.shift_key() { Shift::Held } else { Shift::Free },
    }
}
