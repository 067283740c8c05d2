//! Instances from files and from text, and to files.

use std::rc::Rc;

use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{File, HtmlInputElement, HtmlTextAreaElement};
use yew::prelude::*;

use crate::app::laboratory::{Change, Laboratory};
use crate::app::page::dialogs::Window;
use crate::app::page::icon::Icon;
use crate::app::page::results::save::save_text;
use crate::app::state::{Action, Dialog};
use crate::app::strings::laboratory as words;

/// What the buttons need.
#[derive(Properties, Clone, PartialEq)]
pub(super) struct FilesProps {
    pub(super) laboratory: Rc<Laboratory>,
    pub(super) dispatch: Callback<Action>,
    pub(super) change: Callback<Change>,
}

/// Open, paste, save, share.
#[component]
pub(super) fn Files(props: &FilesProps) -> Html {
    let FilesProps { laboratory, dispatch, change } = props;
    let pasting = use_state_eq(|| false);
    let on_file = {
        let change = change.clone();
        Callback::from(move |event: Event| {
            let Some(input) = event.target_dyn_into::<HtmlInputElement>() else { return };
            let file = input.files().and_then(|files| files.get(0));
            // Else the same file could not be chosen twice.
            input.set_value("");
            let Some(file) = file else { return };
            open(file, change.clone());
        })
    };
    let on_save = {
        let (laboratory, change) = (Rc::clone(laboratory), change.clone());
        Callback::from(move |_: MouseEvent| {
            let name = laboratory.example().map_or("instance", |example| example.id);
            if save_text(&format!("{name}.json"), "application/json", &laboratory.file()).is_err() {
                change.emit(Change::NotRead(words::NOT_SAVED.to_owned()));
            }
        })
    };
    let set_pasting = |open: bool| {
        let pasting = pasting.setter();
        Callback::from(move |()| pasting.set(open))
    };
    html! {
        <>
            <label class="btn" title="Open an instance file">
                <input class="vh" type="file" data-testid="lab-open" aria-label="Open an instance file" accept=".json,application/json" onchange={on_file} />
                { Icon::Up.html() }{ "Open" }
            </label>
            <button class="btn" type="button" data-testid="lab-paste" onclick={set_pasting(true).reform(|_: MouseEvent| ())}>{ "Paste" }</button>
            <button class="btn" type="button" data-testid="lab-save" title="Save for sts solve" onclick={on_save}>{ Icon::Down.html() }{ "JSON" }</button>
            <button class="btn" type="button" data-testid="lab-link" onclick={dispatch.reform(|_: MouseEvent| Action::Open(Dialog::Share))}>{ Icon::Share.html() }{ "Link" }</button>
            if *pasting { <Paste change={change} on_close={set_pasting(false)} /> }
        </>
    }
}

/// Reads a file as an instance.
pub(super) fn open(file: File, change: Callback<Change>) {
    if file.size() > MOST_BYTES {
        change.emit(Change::NotRead(words::TOO_LARGE.to_owned()));
        return;
    }
    spawn_local(async move {
        let text = JsFuture::from(file.text()).await.ok().and_then(|text| text.as_string());
        change.emit(text.map_or_else(|| Change::NotRead(words::NOT_READ.to_owned()), Change::Open));
    });
}

/// Instances are much smaller.
const MOST_BYTES: f64 = 1_000_000.0;

#[derive(Properties, Clone, PartialEq)]
struct PasteProps {
    change: Callback<Change>,
    on_close: Callback<()>,
}

/// A window for the text of an instance.
#[component]
fn Paste(props: &PasteProps) -> Html {
    let area = use_node_ref();
    let open = {
        let (area, props) = (area.clone(), props.clone());
        Callback::from(move |_: MouseEvent| {
            let text = area.cast::<HtmlTextAreaElement>().map(|area| area.value()).unwrap_or_default();
            props.on_close.emit(());
            props.change.emit(Change::Open(text));
        })
    };
    let dispatch = props.on_close.reform(|_: Action| ());
    html! {
        <Window id="dlg-lab-paste" title="Paste an instance" about="The JSON that sts solve takes. It stays in this tab." {dispatch}>
            <textarea ref={area} class="paste" rows="12" aria-label="Text of the instance" placeholder={words::PASTE_EXAMPLE} spellcheck="false" />
            <div class="row-act"><button class="btn primary" type="button" data-testid="lab-paste-open" onclick={open}>{ "Open it" }</button></div>
        </Window>
    }
}
