//! How files come in: the picker, dropping anywhere, pasting.

use gloo::events::{EventListener, EventListenerOptions};
use gloo::utils::document;
use js_sys::Array;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{ClipboardEvent, DragEvent, Element, Event, File, HtmlInputElement};
use yew::prelude::*;

use super::browser::takes_text;
use super::icon::Icon;

/// The largest text that is taken as a trace; more is better saved as a file.
pub const MOST_PASTED_BYTES: usize = 5_000_000;

/// What takes files.
#[derive(Properties, PartialEq)]
pub struct FilesProps {
    /// Files were given.
    pub on_files: Callback<Vec<File>>,
}

/// The file picker. It is in sight only through the label around it; there is one in every view.
#[component]
pub fn FileInput(props: &FilesProps) -> Html {
    let onchange = props.on_files.reform(|event: Event| {
        let Some(input) = event.target_dyn_into::<HtmlInputElement>() else { return Vec::new() };
        let files = input.files().map(|files| list(&files)).unwrap_or_default();
        // Else the same file could not be chosen twice.
        input.set_value("");
        files
    });
    html! {
        <input class="vh" type="file" multiple={true} data-testid="trace-file-input" aria-label="Choose trace files"
            accept=".csv,.tsv,.txt,.json,.jsonl,.log,.psv,.trace,.swf,.header,.gz,.tgz,.zst,.zip,.tar" {onchange} />
    }
}

fn list(files: &web_sys::FileList) -> Vec<File> {
    (0..files.length()).filter_map(|index| files.get(index)).collect()
}

/// A veil over the page while files are dragged, and the ears for what is dropped or pasted.
#[component]
pub fn DropZone(props: &FilesProps) -> Html {
    let is_dragging = use_state_eq(|| false);
    {
        let is_dragging = is_dragging.setter();
        use_effect_with(props.on_files.clone(), move |on_files| {
            let on_files = on_files.clone();
            let listeners = [
                on("dragenter", is_dragging.clone(), |dragging, _| dragging.set(true)),
                on("dragover", is_dragging.clone(), |_, _| ()),
                on("dragleave", is_dragging.clone(), |dragging, event| {
                    // Nothing is entered when the pointer leaves the page; between elements something is.
                    if event.related_target().is_none() {
                        dragging.set(false);
                    }
                }),
                on("drop", is_dragging, {
                    let on_files = on_files.clone();
                    move |dragging, event| {
                        dragging.set(false);
                        let files = event.data_transfer().and_then(|data| data.files());
                        on_files.emit(files.map(|files| list(&files)).unwrap_or_default());
                    }
                }),
                on_paste(on_files),
            ];
            move || drop(listeners)
        });
    }
    html! {
        <div class={classes!("dropveil", is_dragging.then_some("on"))} aria-hidden="true">
            <div>{ Icon::Up.html() }{ "Drop to read. It stays in this tab." }</div>
        </div>
    }
}

/// Listens to one of the four drag events, where files are dragged; each must be prevented, else the browser opens the file.
fn on(
    name: &'static str,
    dragging: UseStateSetter<bool>,
    act: impl Fn(&UseStateSetter<bool>, &DragEvent) + 'static,
) -> EventListener {
    let options = EventListenerOptions::enable_prevent_default();
    EventListener::new_with_options(&document(), name, options, move |event: &Event| {
        let Some(event) = event.dyn_ref::<DragEvent>() else { return };
        let types = event.data_transfer().map(|data| data.types());
        if types.is_some_and(|types| types.includes(&JsValue::from_str("Files"), 0)) {
            event.prevent_default();
            act(&dragging, event);
        }
    })
}

/// Text pasted outside of a field is a trace.
fn on_paste(on_files: Callback<Vec<File>>) -> EventListener {
    EventListener::new(&document(), "paste", move |event| {
        let Some(event) = event.dyn_ref::<ClipboardEvent>() else { return };
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let Some(data) = event.clipboard_data().filter(|_| !takes_text(target.as_ref())) else { return };
        let files = data.files().map(|files| list(&files)).unwrap_or_default();
        if files.is_empty() {
            let text = data.get_data("text/plain").unwrap_or_default();
            on_files.emit(pasted(&text).into_iter().collect());
        } else {
            on_files.emit(files);
        }
    })
}

/// Text as a file; none where there is no text or too much of it.
#[must_use]
pub fn pasted(text: &str) -> Option<File> {
    if text.trim().is_empty() || text.len() > MOST_PASTED_BYTES {
        return None;
    }
    File::new_with_str_sequence(&Array::of1(&text.into()), "pasted text").ok()
}
