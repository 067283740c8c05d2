//! Windows over the page: the link, the keys, text to be read as a trace.

use std::rc::Rc;

use gloo::timers::callback::Timeout;
use wasm_bindgen_futures::JsFuture;
use web_sys::{File, HtmlDialogElement, HtmlInputElement, HtmlTextAreaElement};
use yew::prelude::*;

use super::browser;
use super::drop::{MOST_PASTED_BYTES, pasted};
use super::icon::Icon;
use crate::app::keys::HELP;
use crate::app::state::{Action, Dialog, LetterKeys, State, View};
use crate::app::strings;
use crate::chart::format;

/// What the windows show.
#[derive(Properties, Clone, PartialEq)]
pub struct DialogProps {
    /// The page's state.
    pub state: Rc<State>,
    /// The page.
    pub dispatch: Callback<Action>,
    /// Files were given.
    pub on_files: Callback<Vec<File>>,
}

/// The window that is open, if one is.
#[component]
pub fn Dialogs(props: &DialogProps) -> Html {
    let DialogProps { state, dispatch, on_files } = props;
    match state.dialog {
        // The window of Gavel's simulator outlasts being closed; that of the mapping needs the files.
        None | Some(Dialog::Gavel | Dialog::Mapping) => html! {},
        Some(Dialog::Share) => {
            let of = if state.view == View::Laboratory { Shared::Instance } else { Shared::Scenario };
            html! { <ShareDialog address={browser::address_with(&state.address_to_share())} {of} trace={trace_name(state)} {dispatch} /> }
        }
        Some(Dialog::Report) => html! { <ReportDialog {state} {dispatch} /> },
        Some(Dialog::Keys) => html! { <KeysDialog letter_keys={state.letter_keys} {dispatch} /> },
        Some(Dialog::Paste) => html! { <PasteDialog {dispatch} {on_files} /> },
    }
}

fn trace_name(state: &State) -> Option<AttrValue> {
    state.scenario.workload.trace.as_ref().map(|trace| trace.path.clone().into())
}

/// What a window shows.
#[derive(Properties, PartialEq)]
pub struct WindowProps {
    /// Its id in the page.
    pub id: &'static str,
    /// Its title.
    pub title: &'static str,
    /// A sentence below the title; may be empty.
    #[prop_or_default]
    pub about: AttrValue,
    /// Its hook for tests.
    #[prop_or_default]
    pub testid: Option<&'static str>,
    /// What is in it.
    pub children: Html,
    /// The page.
    pub dispatch: Callback<Action>,
}

/// A window: a native dialog, opened when it appears.
#[component]
pub fn Window(props: &WindowProps) -> Html {
    let node = use_node_ref();
    use_effect_with(node.clone(), |node| {
        let opener = browser::focused();
        if let Some(dialog) = node.cast::<HtmlDialogElement>() {
            let _ = dialog.show_modal();
        }
        // What opened it is gone on with, once the window is gone.
        move || {
            Timeout::new(0, move || browser::focus_again(opener.as_ref())).forget();
        }
    });
    let close = props.dispatch.reform(|_: MouseEvent| Action::Close);
    let on_cancel = props.dispatch.reform(|event: Event| {
        event.prevent_default();
        Action::Close
    });
    let title_id = format!("{}-title", props.id);
    html! {
        <dialog id={props.id} data-testid={props.testid} ref={node} aria-labelledby={title_id.clone()} oncancel={on_cancel}>
            <div class="dlg-h">
                <div><h2 id={title_id}>{ props.title }</h2>if !props.about.is_empty() { <p>{ &props.about }</p> }</div>
                <button class="btn ghost icon" type="button" aria-label="Close" onclick={close}>{ Icon::Cross.html() }</button>
            </div>
            <div class="dlg-b">{ props.children.clone() }</div>
        </dialog>
    }
}

/// What a link is to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shared {
    /// The set-up.
    Scenario,
    /// The instance of the laboratory.
    Instance,
}

#[derive(Properties, PartialEq)]
struct ShareProps {
    address: AttrValue,
    of: Shared,
    trace: Option<AttrValue>,
    dispatch: Callback<Action>,
}

/// Copies what the closure gives; and what to say of it.
#[hook]
fn use_copy(text: impl Fn() -> String + 'static) -> (Callback<MouseEvent>, &'static str) {
    let copied = use_state_eq(|| None::<bool>);
    let setter = copied.setter();
    let copy = Callback::from(move |_: MouseEvent| {
        let (copied, promise) =
            (setter.clone(), gloo::utils::window().navigator().clipboard().write_text(&text()));
        wasm_bindgen_futures::spawn_local(async move {
            copied.set(Some(JsFuture::from(promise).await.is_ok()));
        });
    });
    let said = match *copied {
        None => "",
        Some(true) => "Copied.",
        Some(false) => "The browser does not allow copying here: select the text and copy it.",
    };
    (copy, said)
}

#[component]
fn ShareDialog(props: &ShareProps) -> Html {
    let ShareProps { address, of, trace, dispatch } = props;
    let (copy, said) = {
        let address = address.to_string();
        use_copy(move || address.clone())
    };
    let size = format::bytes(address.len() as u64);
    let (title, about) = match of {
        Shared::Scenario => ("Share this scenario", "The link holds the set-up, not the trace."),
        Shared::Instance => {
            ("Share this instance", "The link holds all of it; whoever opens it sees the same answers.")
        }
    };
    html! {
        <Window id="dlg-share" {title} {about} {dispatch}>
            <div class="linkbox">
                <input type="text" readonly={true} value={address} aria-label="Link to this scenario" data-testid="share-address" />
                <button class="btn primary" type="button" onclick={copy}>{ "Copy" }</button>
            </div>
            <p class="muted" role="status">{ said }</p>
            <ul class="plain ticks">
                if *of == Shared::Instance {
                    <li>{ Icon::Check.html() }<span>{ format!("Types, tenants, rates or jobs, settings and the policy: {size}") }</span></li>
                } else {
                <li>{ Icon::Check.html() }<span>{ format!("Cluster, policies, weights, rounds, seeds, view and baseline: {size}") }</span></li>
                if let Some(trace) = trace {
                    <li>{ Icon::Check.html() }<span>{ "The trace’s name and fingerprint, so that a reader is told if theirs differs" }</span></li>
                    <li class="no">{ Icon::Cross.html() }<span>{ "The trace itself. Send " }<b>{ trace }</b>{ " along; the reader drops it on the page." }</span></li>
                } else {
                    <li>{ Icon::Check.html() }<span>{ "The generated workload, by its seed" }</span></li>
                }
                }
            </ul>
        </Window>
    }
}

#[derive(Properties, PartialEq)]
struct ReportProps {
    state: Rc<State>,
    dispatch: Callback<Action>,
}

#[component]
fn ReportDialog(props: &ReportProps) -> Html {
    let ReportProps { state, dispatch } = props;
    let area = use_node_ref();
    let text = use_memo((), |()| {
        let address = browser::address_with(&state.address_to_share());
        strings::fault_report(state, &browser::build(), &browser::user_agent(), &address)
    });
    let (copy, said) = {
        let area = area.clone();
        use_copy(move || area.cast::<HtmlTextAreaElement>().map(|area| area.value()).unwrap_or_default())
    };
    html! {
        <Window id="dlg-report" title="Report a fault" about="Fill in, copy, and send it to whoever gave you this page. Of your trace it has the name and settings, no job." {dispatch}>
            <textarea ref={area} class="paste" rows="14" aria-label="Report" spellcheck="false" data-testid="report-text" defaultvalue={(*text).clone()} />
            <p class="muted" role="status">{ said }</p>
            <div class="row-act"><button class="btn primary" type="button" onclick={copy}>{ "Copy" }</button></div>
        </Window>
    }
}

#[derive(Properties, PartialEq)]
struct KeysProps {
    letter_keys: LetterKeys,
    dispatch: Callback<Action>,
}

#[component]
fn KeysDialog(props: &KeysProps) -> Html {
    let KeysProps { letter_keys, dispatch } = props;
    let on_change = dispatch.reform(|event: Event| {
        let on = event.target_dyn_into::<HtmlInputElement>().is_none_or(|input| input.checked());
        Action::LetterKeys(if on { LetterKeys::On } else { LetterKeys::Off })
    });
    html! {
        <Window id="dlg-keys" title="Keyboard" {dispatch}>
            <dl class="keys">
                { for HELP.iter().map(|(keys, does)| html! {
                    <div key={*keys}><dt>{ *does }</dt><dd>{ for keys.split(' ').map(key_cap) }</dd></div>
                }) }
            </dl>
            <label class="check"><input type="checkbox" checked={*letter_keys == LetterKeys::On} onchange={on_change} />{ "Single letters and digits do something outside of fields" }</label>
        </Window>
    }
}

/// A key, or what stands between keys.
fn key_cap(key: &str) -> Html {
    match key {
        "…" => html! { " … " },
        "·" => html! { " · " },
        key => html! { <kbd>{ key.to_owned() }</kbd> },
    }
}

#[derive(Properties, PartialEq)]
struct PasteProps {
    dispatch: Callback<Action>,
    on_files: Callback<Vec<File>>,
}

#[component]
fn PasteDialog(props: &PasteProps) -> Html {
    let PasteProps { dispatch, on_files } = props;
    let area = use_node_ref();
    let complaint = use_state_eq(|| "");
    let read = {
        let (area, complaint, dispatch, on_files) =
            (area.clone(), complaint.setter(), dispatch.clone(), on_files.clone());
        Callback::from(move |_: MouseEvent| {
            let text = area.cast::<HtmlTextAreaElement>().map(|area| area.value()).unwrap_or_default();
            match pasted(&text) {
                Some(file) => {
                    dispatch.emit(Action::Close);
                    on_files.emit(vec![file]);
                }
                None if text.len() > MOST_PASTED_BYTES => complaint.set(strings::TOO_MUCH_PASTED),
                None => complaint.set("There is no text yet."),
            }
        })
    };
    html! {
        <Window id="dlg-paste" title="Paste a trace" about="As in a file: a CSV table with its header, sacct output, or JSON. It stays in this tab." {dispatch}>
            <textarea ref={area} class="paste" rows="10" aria-label="Text of the trace" placeholder={strings::PASTE_EXAMPLE} spellcheck="false" />
            <p class="ferr" role="alert">{ *complaint }</p>
            <div class="row-act"><button class="btn primary" type="button" onclick={read}>{ "Read it" }</button></div>
        </Window>
    }
}
