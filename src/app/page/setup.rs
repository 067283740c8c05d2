//! The set-up: a rail of five steps, and the steps.

use std::rc::Rc;

use web_sys::File;
use yew::prelude::*;

use super::browser;
use super::cluster::ClusterStep;
use super::icon::Icon;
use super::in_parts::InParts;
use super::policies::PolicyStep;
use super::rounds::RoundStep;
use super::tenants::TenantStep;
use super::trace::TraceStep;
use crate::app::forecast::Forecast;
use crate::app::rail::{self, Check, Step};
use crate::app::state::inputs::{Reading, Refused};
use crate::app::state::{Action, Faults, History, Loaded};
use crate::scenario::Scenario;

/// What the set-up shows.
#[derive(Properties, Clone, PartialEq)]
pub struct SetUpProps {
    /// The scenario.
    pub scenario: Rc<Scenario>,
    /// Fields whose text is no value.
    pub faults: Rc<Faults>,
    /// The workload, if it is there.
    pub input: Option<Rc<Loaded>>,
    /// What is being read.
    pub reading: Option<Reading>,
    /// What was refused.
    pub refused: Option<Rc<Refused>>,
    /// What of the workload would be simulated, or why nothing would be.
    pub forecast: Option<Result<Forecast, String>>,
    /// What can be taken back.
    pub history: History,
    /// The page.
    pub dispatch: Callback<Action>,
    /// Files were given.
    pub on_files: Callback<Vec<File>>,
}

/// What every step is given.
#[derive(Properties, Clone, PartialEq)]
pub struct StepProps {
    /// The scenario.
    pub scenario: Rc<Scenario>,
    /// Fields whose text is no value.
    pub faults: Rc<Faults>,
    /// The workload, if it is there.
    pub input: Option<Rc<Loaded>>,
    /// The page.
    pub dispatch: Callback<Action>,
}

/// The set-up.
#[component]
pub fn SetUp(props: &SetUpProps) -> Html {
    let SetUpProps { scenario, faults, input, dispatch, .. } = props.clone();
    let steps = rail::steps(&scenario, input.as_deref(), &faults);
    let step = StepProps { scenario, faults, input, dispatch };
    html! {
        <section class="view" aria-labelledby="h-setup">
            <div class="setup">
                <aside class="rail" aria-label="Steps">
                    <h1 id="h-setup" class="rail-h">{ "Set up" }</h1>
                    <ol>{ for steps.iter().map(rail_entry) }</ol>
                    { history(&props.history, &props.dispatch) }
                </aside>
                <div class="steps"><InParts>
                    <TraceStep step={step.clone()} reading={props.reading.clone()} refused={props.refused.clone()} forecast={props.forecast.clone()}
                        on_files={&props.on_files} />
                    <ClusterStep ..step.clone() />
                    <PolicyStep ..step.clone() />
                    <TenantStep ..step.clone() />
                    <RoundStep ..step />
                </InParts></div>
            </div>
        </section>
    }
}

fn rail_entry(step: &Step) -> Html {
    let (dot, icon, class) = match step.check {
        Check::Good => ("dot ok", Icon::Check, ""),
        Check::Open => ("dot", Icon::Info, ""),
        Check::Bad => ("dot no", Icon::Warn, "bad"),
    };
    let id = step.id;
    let on_click = Callback::from(move |_: MouseEvent| browser::go_to(id));
    html! {
        <li key={id}>
            <button type="button" onclick={on_click}>
                <span class={dot}>{ icon.html() }</span>
                <span><b>{ step.name }</b><small {class}>{ step.summary.clone() }</small></span>
            </button>
        </li>
    }
}

fn history(history: &History, dispatch: &Callback<Action>) -> Html {
    let button = |name: &'static str, keys: &'static str, can: bool, action: Action| {
        html! {
            <button class="link" type="button" disabled={!can} onclick={dispatch.reform(move |_: MouseEvent| action.clone())}>
                { name }<kbd>{ "Ctrl" }</kbd><kbd>{ keys }</kbd>
            </button>
        }
    };
    html! {
        <div class="rail-foot">
            { button("Undo", "Z", history.before().is_some(), Action::Undo) }
            { button("Redo", "Y", history.after().is_some(), Action::Redo) }
        </div>
    }
}

/// The head of a step.
pub fn step_head(number: u8, id: &'static str, name: &str, about: &str, actions: Html) -> Html {
    html! {
        <div class="step-h">
            <span class="num" aria-hidden="true">{ number }</span>
            <h2 {id}>{ name }</h2>
            if !about.is_empty() { <span class="muted">{ about }</span> }
            <span class="grow"></span>
            { actions }
        </div>
    }
}
