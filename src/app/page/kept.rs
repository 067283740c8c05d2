//! Results to be kept, opened again and put beside those shown.

use std::rc::Rc;

use web_sys::{HtmlInputElement, MouseEvent};
use yew::platform::spawn_local;
use yew::prelude::*;

use super::icon::Icon;
use super::{browser, store};
use crate::app::beside::Beside;
use crate::app::page::results::save::save_text;
use crate::app::state::{Action, KeptResults, ResultSet};
use crate::app::strings::kept as words;
use crate::scenario::results::Results;

/// What the panel needs.
#[derive(Properties, Clone, PartialEq)]
pub struct KeptProps {
    /// The results that are shown, if they may be kept.
    pub shown: Option<Rc<ResultSet>>,
    /// What stands beside them.
    pub beside: Option<Rc<Beside>>,
    /// What is kept.
    pub kept: Rc<Vec<KeptResults>>,
    /// Why something could not be kept or opened.
    pub fault: Option<AttrValue>,
    /// The page.
    pub dispatch: Callback<Action>,
    /// Files were given.
    pub on_files: Callback<Vec<web_sys::File>>,
}

/// Asks the store for its list, and tells the page.
pub fn refresh(dispatch: Callback<Action>) {
    spawn_local(async move {
        // A browser that keeps nothing has nothing to list.
        dispatch.emit(Action::Kept(store::list().await.unwrap_or_default()));
    });
}

/// Reads the text of results; what to do with it.
pub fn opened(text: &str, then: Then) -> Action {
    match (Results::from_json(text), then) {
        (Ok(file), Then::Show) => Action::OpenResults(Box::new(file)),
        (Ok(file), Then::Beside) => Action::Beside(Some(Rc::new(file))),
        (Err(error), _) => Action::KeptFault(words::unreadable(&error.to_string())),
    }
}

/// What is done with results that are opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// They are shown in place of others.
    Show,
    /// They stand beside those shown.
    Beside,
}

fn open(id: u32, then: Then, dispatch: Callback<Action>) {
    spawn_local(async move {
        dispatch.emit(match store::text(id).await {
            Ok(Some(text)) => opened(&text, then),
            Ok(None) => Action::KeptFault(words::GONE.to_owned()),
            Err(error) => Action::KeptFault(words::unreadable(&error.to_string())),
        });
    });
}

fn forget(id: Option<u32>, dispatch: Callback<Action>) {
    spawn_local(async move {
        if let Err(error) = store::forget(id).await {
            dispatch.emit(Action::KeptFault(words::unkept(&error.to_string())));
        }
        refresh(dispatch);
    });
}

fn keep(set: &ResultSet, dispatch: Callback<Action>) {
    let file = set.to_file(&browser::today());
    let about = words::about(set);
    let name = if file.name.is_empty() { words::UNNAMED.to_owned() } else { file.name.clone() };
    spawn_local(async move {
        let kept = match file.to_json() {
            Ok(text) => store::keep(name, file.date, about, text).await.map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        if let Err(error) = kept {
            dispatch.emit(Action::KeptFault(words::unkept(&error)));
        }
        refresh(dispatch);
    });
}

/// The panel.
#[component]
pub fn KeptPanel(props: &KeptProps) -> Html {
    let KeptProps { shown, beside, kept, fault, dispatch, on_files } = props;
    let on_keep = {
        let (shown, dispatch) = (shown.clone(), dispatch.clone());
        Callback::from(move |_: MouseEvent| {
            if let Some(set) = &shown {
                keep(set, dispatch.clone());
            }
        })
    };
    let on_save = {
        let (shown, dispatch) = (shown.clone(), dispatch.clone());
        Callback::from(move |_: MouseEvent| {
            let Some(set) = &shown else { return };
            let text = set.to_file(&browser::today()).to_json().unwrap_or_default();
            if text.is_empty() || save_text(words::FILE, "application/json", &text).is_err() {
                dispatch.emit(Action::KeptFault(crate::app::strings::NO_FILE.to_owned()));
            }
        })
    };
    let on_file = {
        let on_files = on_files.clone();
        Callback::from(move |event: Event| {
            let input: HtmlInputElement = event.target_unchecked_into();
            let file = input.files().and_then(|files| files.get(0));
            on_files.emit(file.into_iter().collect());
            input.set_value("");
        })
    };
    let row = |entry: &KeptResults| {
        let id = entry.id;
        let act = |then: Then| {
            let dispatch = dispatch.clone();
            Callback::from(move |_: MouseEvent| open(id, then, dispatch.clone()))
        };
        let on_forget = {
            let dispatch = dispatch.clone();
            Callback::from(move |_: MouseEvent| forget(Some(id), dispatch.clone()))
        };
        html! {
            <tr key={id} data-kept={id.to_string()}>
                <th scope="row">{ entry.name.clone() }</th><td>{ entry.date.clone() }</td><td>{ entry.about.clone() }</td>
                <td><div class="row-act">
                    <button class="btn" type="button" data-testid="kept-open" onclick={act(Then::Show)}>{ words::OPEN }</button>
                    if shown.is_some() { <button class="btn" type="button" data-testid="kept-beside" onclick={act(Then::Beside)}>{ words::BESIDE }</button> }
                    <button class="btn ghost" type="button" data-testid="kept-forget" aria-label={words::forget(&entry.name)} onclick={on_forget}>{ words::FORGET }</button>
                </div></td>
            </tr>
        }
    };
    let forget_all = {
        let dispatch = dispatch.clone();
        Callback::from(move |_: MouseEvent| {
            if gloo::dialogs::confirm(words::FORGET_ALL_ASK) {
                forget(None, dispatch.clone());
            }
        })
    };
    html! {
        <div class="view under">
        <section class="panel kept" id="p-kept" data-testid="kept-panel" aria-labelledby="kept-h">
            <div class="p-head">
                <div><h2 id="kept-h">{ words::TITLE }</h2><p>{ words::ABOUT }</p></div>
                <div class="p-act wrap">
                    if shown.is_some() {
                        <button class="btn" type="button" data-testid="kept-keep" onclick={on_keep}>{ Icon::Check.html() }{ words::KEEP }</button>
                        <button class="btn" type="button" data-testid="kept-save" onclick={on_save}>{ Icon::Down.html() }{ words::SAVE }</button>
                    }
                    <label class="btn">{ words::OPEN_FILE }<input class="vh" type="file" accept=".json" data-testid="results-file-input" onchange={on_file} /></label>
                </div>
            </div>
            if let Some(fault) = fault {
                <p class="bad" role="alert">{ fault.clone() }{ " " }
                    <button class="btn" type="button" onclick={dispatch.reform(|_: MouseEvent| Action::DismissKeptFault)}>{ "Close" }</button></p>
            }
            if let Some(beside) = beside {
                <p class="from-before" role="status" data-testid="beside">{ words::beside(&beside.name) }{ " " }{ beside.remarks.join(" ") }{ " " }
                    <button class="btn" type="button" data-testid="beside-remove" onclick={dispatch.reform(|_: MouseEvent| Action::Beside(None))}>{ words::REMOVE }</button></p>
            }
            if kept.is_empty() {
                <p class="muted">{ words::NONE }</p>
            } else {
                <div class="scroll-x"><table class="tbl"><tbody>{ for kept.iter().map(row) }</tbody></table></div>
                <div class="row-act"><button class="btn ghost" type="button" data-testid="kept-forget-all" onclick={forget_all}>{ words::FORGET_ALL }</button></div>
            }
        </section>
        </div>
    }
}
