//! Set-ups to stand side by side: those that were kept, and the set-up as it stands.

use std::rc::Rc;

use yew::prelude::*;

use crate::app::experiment::{Change, Draft};
use crate::app::page::field::Entry;
use crate::app::page::icon::Icon;
use crate::app::state::Action;
use crate::app::strings::experiment as words;
use crate::scenario::Scenario;
use crate::scenario::sweep::is_same_world;

/// The list.
pub(super) fn set_ups(scenario: &Scenario, draft: &Draft, dispatch: &Callback<Action>) -> Html {
    let on_change = dispatch.reform(Action::Experiment);
    let is_kept = draft.set_ups.iter().any(|set_up| is_same_world(set_up, scenario));
    html! {
        <>
            if draft.set_ups.is_empty() { <p class="muted">{ words::NO_SET_UP }</p> }
            <ul class="exp-set-ups">
                { for draft.set_ups.iter().enumerate().map(|(at, set_up)| kept(at, set_up, scenario, dispatch)) }
                if !is_kept {
                    <li>
                        <span class="exp-name"><b>{ scenario.name.clone() }</b></span>
                        <span class="muted">{ words::summary(scenario) }</span>
                        <button class="btn" type="button" data-testid="keep-set-up" onclick={on_change.reform(|_: MouseEvent| Change::KeepSetUp)}>
                            { Icon::Plus.html() }{ "Keep as it stands" }
                        </button>
                    </li>
                }
            </ul>
        </>
    }
}

fn kept(at: usize, set_up: &Rc<Scenario>, scenario: &Scenario, dispatch: &Callback<Action>) -> Html {
    let on_change = dispatch.reform(Action::Experiment);
    let on_name = on_change.reform(move |name: String| Change::NameSetUp(at, name));
    let on_remove = on_change.reform(move |_: MouseEvent| Change::RemoveSetUp(at));
    let on_take = {
        let set_up = Rc::clone(set_up);
        dispatch.reform(move |_: MouseEvent| Action::TakeSetUp(Rc::clone(&set_up)))
    };
    let name = format!("exp-set-up-{at}");
    html! {
        <li key={at} data-testid="kept-set-up">
            <span class="exp-name"><label class="vh" for={name.clone()}>{ format!("Name of set-up {}", at + 1) }</label>
                <Entry {name} text={set_up.name.clone()} on_text={on_name} /></span>
            <span class="muted">{ words::summary(set_up) }</span>
            if is_same_world(set_up, scenario) { <span class="muted">{ "the set-up as it stands" }</span> }
            else { <button class="btn" type="button" data-testid="take-set-up" onclick={on_take}>{ "Go back to it" }</button> }
            <button class="btn ghost icon" type="button" aria-label={format!("Forget {}", set_up.name)} title="Forget it" onclick={on_remove}>{ Icon::Cross.html() }</button>
        </li>
    }
}
