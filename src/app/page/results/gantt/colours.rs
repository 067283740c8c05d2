//! The page's colours, for what is drawn on a canvas.

use std::cell::RefCell;
use std::collections::BTreeMap;

use gloo::utils::{document, window};
use web_sys::{CssStyleDeclaration, HtmlElement};

use crate::chart::gantt::Rgb;

/// Looks custom properties up as they are at the moment, and remembers them until the theme changes.
pub(super) struct Colours {
    probe: Option<HtmlElement>,
    computed: Option<CssStyleDeclaration>,
    known: RefCell<BTreeMap<String, Rgb>>,
    is_forced: bool,
}

impl Colours {
    /// The colours of the page.
    pub(super) fn new() -> Self {
        use wasm_bindgen::JsCast;
        let probe: Option<HtmlElement> =
            document().create_element("i").ok().and_then(|element| element.dyn_into().ok());
        if let (Some(probe), Some(body)) = (&probe, document().body()) {
            probe.set_hidden(true);
            // Data keep their colours where the system forces those of text and ground.
            let _ = probe.style().set_property("forced-color-adjust", "none");
            let _ = body.append_child(probe);
        }
        let computed = probe.as_ref().and_then(|probe| window().get_computed_style(probe).ok().flatten());
        let mut colours = Self { probe, computed, known: RefCell::default(), is_forced: false };
        colours.forget();
        colours
    }

    /// The theme has changed.
    pub(super) fn forget(&mut self) {
        self.known.borrow_mut().clear();
        let forced = window().match_media("(forced-colors: active)").ok().flatten();
        self.is_forced = forced.is_some_and(|query| query.matches());
    }

    /// The colour of a custom property; black where there is none.
    pub(super) fn get(&self, name: &str) -> Rgb {
        if let Some(colour) = self.known.borrow().get(name) {
            return *colour;
        }
        let colour = self.computed_colour(name).unwrap_or_default();
        self.known.borrow_mut().insert(name.to_owned(), colour);
        colour
    }

    fn computed_colour(&self, name: &str) -> Option<Rgb> {
        let (probe, computed) = (self.probe.as_ref()?, self.computed.as_ref()?);
        let forced = if self.is_forced { system(name) } else { None };
        let wanted = forced.map_or_else(|| format!("var(--{name})"), str::to_owned);
        probe.style().set_property("color", &wanted).ok()?;
        parsed(&computed.get_property_value("color").ok()?)
    }
}

impl Drop for Colours {
    fn drop(&mut self) {
        if let Some(probe) = &self.probe {
            probe.remove();
        }
    }
}

/// The system's colour for what is no data, where it forces its own.
fn system(name: &str) -> Option<&'static str> {
    Some(match name {
        "surface" | "bg" | "sunken" | "idle" => "Canvas",
        "text" | "text-2" | "text-3" => "CanvasText",
        "grid" | "line-2" | "axis" => "GrayText",
        "accent-solid" => "Highlight",
        _ => return None,
    })
}

/// `rgb(47, 109, 181)`.
fn parsed(text: &str) -> Option<Rgb> {
    let mut parts = text.split_once('(')?.1.split([',', ' ', '/', ')']).filter(|part| !part.is_empty());
    let mut part = || parts.next()?.parse::<f64>().ok().map(|part| part.round() as u8);
    Some([part()?, part()?, part()?])
}
