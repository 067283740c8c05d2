//! The header: mark, views, the scenario's name, sharing, theme, keys.

use std::rc::Rc;

use web_sys::File;
use yew::prelude::*;

use super::drop::FileInput;
use super::field::Entry;
use super::icon::{Icon, mark};
use crate::app::state::{Action, Dialog, Edit, Theme, View};
use crate::app::strings;
use crate::scenario::Scenario;

/// What the header shows.
#[derive(Properties, Clone, PartialEq)]
pub struct HeaderProps {
    /// The view shown.
    pub view: View,
    /// The set-up.
    pub scenario: Rc<Scenario>,
    /// Fingerprint of the results shown, where they are of this set-up.
    pub scenario_hash: Option<AttrValue>,
    /// Colours.
    pub theme: Theme,
    /// The page.
    pub dispatch: Callback<Action>,
    /// Files were given.
    pub on_files: Callback<Vec<File>>,
}

/// The header.
#[component]
pub fn Header(props: &HeaderProps) -> Html {
    let HeaderProps { view, dispatch, .. } = props;
    let rename = dispatch.reform(|name| Action::Edit(Edit::Name(name)));
    let next_theme = props.theme.next();
    let theme = format!("Theme: {}", props.theme.word());
    html! {
        <header class="top">
            <a class="brand" href="#view=start" aria-label="STS-Sim, start page" onclick={show(dispatch, View::Start)}>
                { mark() }<span>{ strings::PRODUCT }</span>
            </a>
            <nav class="tabs" aria-label="Views">
                { for View::ALL.into_iter().map(|other| html! {
                    <a key={other.word()} href={format!("#view={}", other.word())} onclick={show(dispatch, other)}
                        aria-current={(other == *view).then_some("page")}>{ strings::view(other) }</a>
                }) }
            </nav>
            <span class="scn">
                <label class="vh" for="scenario-name">{ "Name of this scenario" }</label>
                <Entry name="scenario-name" text={props.scenario.name.clone()} on_text={rename} />
                if let Some(hash) = &props.scenario_hash {
                    <span class="scn-hash" title="Fingerprint of the scenario and its jobs">{ hash.chars().take(8).collect::<String>() }</span>
                }
            </span>
            <div class="top-act">
                if *view == View::Results {
                    <label class="btn ghost" title="Open another trace">
                        <FileInput on_files={&props.on_files} />{ Icon::Up.html() }<span class="lbl">{ "Open" }</span>
                    </label>
                }
                <button class="btn ghost" type="button" aria-label="Share" data-testid="share-link" onclick={dispatch.reform(|_| Action::Open(Dialog::Share))}>
                    { Icon::Share.html() }<span class="lbl">{ "Share" }</span>
                </button>
                <button class="btn ghost icon" type="button" aria-label={theme.clone()} title={theme}
                    onclick={dispatch.reform(move |_| Action::Theme(next_theme))}>{ Icon::Theme.html() }</button>
                <button class="btn ghost icon" type="button" aria-label="Keyboard shortcuts" title="Keyboard shortcuts (?)"
                    onclick={dispatch.reform(|_| Action::Open(Dialog::Keys))}>{ Icon::Help.html() }</button>
            </div>
        </header>
    }
}

/// Shows a view; the address follows by itself.
fn show(dispatch: &Callback<Action>, view: View) -> Callback<MouseEvent> {
    dispatch.reform(move |event: MouseEvent| {
        event.prevent_default();
        Action::Show(view)
    })
}
