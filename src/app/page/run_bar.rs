//! The run bar: what will be run, how far it is, and how to stop it. One element, at the foot of every view that needs it.

use std::rc::Rc;

use web_sys::HtmlElement;
use yew::prelude::*;

use super::browser;
use super::icon::Icon;
use crate::app::state::{Action, State, View};
use crate::app::status::{Phase, Status};

/// What the run bar shows.
#[derive(Properties, Clone, PartialEq)]
pub struct RunBarProps {
    /// The page's state.
    pub state: Rc<State>,
    /// The page.
    pub dispatch: Callback<Action>,
}

/// The run bar.
#[component]
pub fn RunBar(props: &RunBarProps) -> Html {
    let RunBarProps { state, dispatch } = props;
    let status = Status::of(state, browser::now_s());
    let is_busy = matches!(status.phase, Phase::Running | Phase::Waiting);
    if matches!(state.view, View::Start | View::Experiment | View::Laboratory) && !is_busy {
        return html! {};
    }
    let can_see = state.view != View::Results && !is_busy && state.displayed().is_some();
    let again = matches!(status.phase, Phase::Done | Phase::Interrupted);
    html! {
        <div class="runbar" role="region" aria-label="Run">
            <div class="run-in">
                if is_busy {
                    <button class="btn lg" type="button" data-testid="cancel" onclick={dispatch.reform(|_| Action::Cancel)}>
                        { Icon::Stop.html() }{ "Cancel" }<kbd>{ "Esc" }</kbd>
                    </button>
                } else {
                    <button class="btn primary lg" type="button" data-testid="run" disabled={!state.obstacles().is_empty()}
                        onclick={dispatch.reform(|_| Action::Run)}>
                        { Icon::Play.html() }{ if again { "Run again" } else { "Run" } }<kbd>{ "R" }</kbd>
                    </button>
                }
                <div class="run-mid">
                    <div class="run-txt">
                        <span data-testid="run-status" id="run-status">{ &status.text }</span>
                        <span class="grow"></span>
                        <span class="muted" id="run-eta">{ &status.note }</span>
                    </div>
                    { bar(&status) }
                </div>
                if can_see {
                    <button class="btn lg" type="button" onclick={dispatch.reform(|_| Action::Show(View::Results))}>{ "See results" }</button>
                }
                <span class="vh" role="status">{ status.spoken() }</span>
            </div>
        </div>
    }
}

fn bar(status: &Status) -> Html {
    match (status.phase, status.percent) {
        (Phase::Running, percent) => html! {
            <ProgressBar percent={percent.unwrap_or(0)} label="Simulation" testid="progress" />
        },
        (Phase::Interrupted, Some(percent)) => html! {
            <div class="prog stopped" aria-hidden="true"><Filling {percent} /></div>
        },
        _ => html! {},
    }
}

/// How far something is.
#[derive(Properties, PartialEq)]
pub struct ProgressProps {
    /// From 0 to 100.
    pub percent: u32,
    /// Of what.
    pub label: AttrValue,
    /// The name for tests.
    pub testid: AttrValue,
}

/// A progress bar.
#[component]
pub fn ProgressBar(props: &ProgressProps) -> Html {
    html! {
        <div class="prog" role="progressbar" aria-label={&props.label} data-testid={&props.testid}
            aria-valuemin="0" aria-valuemax="100" aria-valuenow={props.percent.to_string()}>
            <Filling percent={props.percent} />
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct FillingProps {
    percent: u32,
}

/// The filled part of a bar. The content-security policy allows no `style` attribute, so its width is set on the element.
#[component]
fn Filling(props: &FillingProps) -> Html {
    let node = use_node_ref();
    use_effect_with((node.clone(), props.percent), |(node, percent)| {
        if let Some(element) = node.cast::<HtmlElement>() {
            let _ = element.style().set_property("width", &format!("{percent}%"));
        }
    });
    html! { <div class="prog-f" ref={node}></div> }
}
