//! What is seen of the Gantt, as files.

use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Blob;
use yew::prelude::*;

use super::{Gantt, GanttProps, Msg, panels};
use crate::app::export::{self, Seeds};
use crate::app::message::Request;
use crate::app::page::results::save;
use crate::app::pool::{Task, post};
use crate::app::strings::gantt as words;
use crate::chart::gantt::{Frame, Ground, Picture, svg};

impl Gantt {
    fn file_name(&self, props: &GanttProps, extension: &str) -> String {
        let of = self.table(props);
        let label = of.map_or("", |table| table.policy.as_str());
        let what = match self.other_table(props) {
            Some(other) => format!("schedule-{label}-{}", other.policy),
            None => format!("schedule-{label}"),
        };
        let seed = of.map_or(0, |table| table.seed);
        export::file_name(&props.trace_name, &what, Seeds::One(seed), &props.today, extension)
    }

    /// One file a run, in the colours of the light theme.
    pub(super) fn save_svg(&self, ctx: &Context<Self>) -> Result<(), JsValue> {
        let stage = self.stage.borrow();
        let Some(viewer) = &stage.viewer else { return Ok(()) };
        let mut seen = viewer.clone();
        seen.shade(&panels::of_file);
        let ground = Ground { idle: panels::of_file("idle"), used: panels::of_file("accent-solid") };
        for at in 0..seen.panes().len() {
            let Some(scene) = seen.scene(at, ground) else { continue };
            let window = seen.window_of(at);
            let width = stage.layout.plot().round() as usize;
            let mut picture = Picture::default();
            picture.paint(&scene, &window, seen.room_px(), width);
            let title = seen
                .panes()
                .get(at)
                .map(|pane| format!("{}: {}", words::TITLE, pane.title))
                .unwrap_or_default();
            let categories = panels::meanings(&seen);
            let frame = Frame {
                title: &title,
                summary: &words::summary(viewer),
                footnote: &ctx.props().footnote,
                categories: &categories,
                room_px: seen.room_px(),
                gutter_px: stage.layout.gutter,
                to_px: stage.layout.plot() / width.max(1) as f64,
            };
            let text = svg(&scene, &window, &picture, &frame);
            let name = self.file_name(ctx.props(), "svg");
            let name = if at == 0 { name } else { name.replace(".svg", "-below.svg") };
            save::save_text(&name, "image/svg+xml", &text)?;
        }
        Ok(())
    }

    /// All of the chosen run in the Trace Event Format; the file is saved when it is written.
    pub(super) fn save_events(&self, props: &GanttProps) {
        let schedule = self.table(props).and_then(|table| table.schedule.clone());
        let Some((table, schedule)) = self.table(props).zip(schedule) else { return };
        let seed = Seeds::One(table.seed);
        let what = format!("trace-events-{}", table.policy);
        let name = export::file_name(&props.trace_name, &what, seed, &props.today, "json");
        let message = post(&Request::TraceEvents, &[("schedule", schedule.into())]);
        self.writer.push([Task { id: name, message }]);
    }

    pub(super) fn save_png(&self, ctx: &Context<Self>) -> Result<(), JsValue> {
        let stage = self.stage.borrow();
        let (Some(brush), Some(viewer)) = (&stage.brush, &stage.viewer) else { return Ok(()) };
        let titles: Vec<&str> = viewer.panes().iter().map(|pane| pane.title.as_str()).collect();
        let title = format!("{}: {}", words::TITLE, titles.join(" above "));
        let canvas = brush.composed(&title, &ctx.props().footnote)?;
        let (name, link) = (self.file_name(ctx.props(), "png"), ctx.link().clone());
        let on_blob = Closure::once_into_js(move |blob: JsValue| {
            let saved = match blob.dyn_into::<Blob>() {
                Ok(blob) => save::save_blob(&name, &blob),
                Err(error) => Err(error),
            };
            if let Err(error) = saved {
                link.send_message(Msg::Unsaved(unsaved(&error)));
            }
        });
        canvas.to_blob(on_blob.unchecked_ref())
    }
}

/// What is said of a file that the browser refused.
pub(super) fn unsaved(error: &JsValue) -> String {
    format!("The file could not be saved: {error:?}")
}
