//! What an experiment varies, and what if there were more GPUs.

use std::rc::Rc;

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::set_ups::set_ups;
use crate::app::comparison;
use crate::app::experiment::{ADDED, AxisDraft, Change, Desk, Problem, What};
use crate::app::field::Range;
use crate::app::page::field::{Choice, Entry, LabelShown, complaint_id, select};
use crate::app::page::icon::Icon;
use crate::app::state::{Action, Fault};
use crate::app::strings::experiment as words;
use crate::cluster::catalogue;
use crate::scenario::Scenario;
use crate::scenario::sweep::factor::gpus_added;
use crate::scenario::sweep::{Factor, MOST_AXES, Sweep, Takes};

/// What the form is given.
#[derive(Properties, Clone)]
pub(super) struct FormProps {
    /// The set-up.
    pub(super) scenario: Rc<Scenario>,
    /// Tenants whose weight can be varied.
    pub(super) tenants: Vec<AttrValue>,
    /// The form.
    pub(super) desk: Rc<Desk>,
    /// What it says.
    pub(super) sweep: Result<Rc<Sweep>, Problem>,
    /// Whether nothing can be run.
    pub(super) disabled: bool,
    /// The page.
    pub(super) dispatch: Callback<Action>,
    /// It is to be run.
    pub(super) on_begin: Callback<()>,
}

/// What the form says follows from the set-up and what stands in it.
impl PartialEq for FormProps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.scenario, &other.scenario)
            && Rc::ptr_eq(&self.desk, &other.desk)
            && (&self.tenants, self.disabled) == (&other.tenants, other.disabled)
    }
}

/// The form.
#[component]
pub(super) fn FormPanel(props: &FormProps) -> Html {
    let FormProps { scenario, sweep, .. } = props;
    let (draft, on_change) = (props.desk.draft(), &props.dispatch.reform(Action::Experiment));
    let seeds = draft.seeds.map_or(scenario.seeds.len() as f64, f64::from);
    let bad_seeds = use_state_eq(|| None::<Fault>);
    let on_seeds = {
        let (on_change, bad_seeds) = (on_change.clone(), bad_seeds.setter());
        Callback::from(move |text: String| match Range::whole(1.0, 1000.0).parse(&text, "", seeds) {
            Ok(seeds) => {
                bad_seeds.set(None);
                on_change.emit(Change::Seeds(Some(seeds as u32)));
            }
            Err(message) => bad_seeds.set(Some(Fault { text, message })),
        })
    };
    let problem = sweep.as_ref().err();
    html! {
        <section class="panel exp-form" aria-labelledby="exp-form-h">
            <div class="p-head">
                <div>
                    <h2 id="exp-form-h">{ "What is compared" }</h2>
                    <p>{ match draft.what { What::Values => words::FORM, What::SetUps => words::SET_UPS } }</p>
                </div>
                <div class="p-act">
                    <div class="seg sm" role="group" aria-label="What is compared">
                        { for [("Values", What::Values, "compare-values"), ("Set-ups", What::SetUps, "compare-set-ups")].map(|(text, what, testid)| html! {
                            <button type="button" data-testid={testid} aria-pressed={(draft.what == what).to_string()}
                                onclick={on_change.reform(move |_: MouseEvent| Change::What(what))}>{ text }</button>
                        }) }
                    </div>
                </div>
            </div>
            { match draft.what {
                What::Values => axes(props),
                What::SetUps => set_ups(scenario, draft, &props.dispatch),
            } }
            <div class="exp-who">
                <div role="group" aria-label="Policies" class="exp-policies">
                    { for scenario.policies.iter().map(|choice| {
                        let label = choice.label().to_owned();
                        let checked = !draft.left_out.contains(&label);
                        html! {
                            <label class="check" key={label.clone()}>
                                <input type="checkbox" {checked} onchange={on_change.reform(move |_: Event| Change::Policy(label.clone()))} />
                                { comparison::title(choice).to_owned() }
                            </label>
                        }
                    }) }
                </div>
                <div class="field exp-seeds">
                    <label class="lab" for="exp-seeds">{ "Seeds" }</label>
                    <Entry name="exp-seeds" text={seeds.to_string()} fault={(*bad_seeds).clone()} inputmode="numeric" on_text={on_seeds} />
                    if let Some(fault) = &*bad_seeds {
                        <span class="ferr" id={complaint_id("exp-seeds")} role="alert">{ Icon::Warn.html() }<span>{ fault.message.clone() }</span></span>
                    }
                </div>
            </div>
            <div class="exp-go">
                <button class="btn primary" type="button" data-testid="experiment-run" disabled={props.disabled || sweep.is_err() || bad_seeds.is_some()}
                    onclick={props.on_begin.reform(|_: MouseEvent| ())}>{ Icon::Play.html() }{ "Run experiment" }</button>
                <span class="muted" data-testid="experiment-plan">{ sweep.as_ref().map_or_else(|_| String::new(), |sweep| words::plan(sweep)) }</span>
                if let Some(problem) = problem.filter(|problem| problem.axis.is_none()) {
                    <span class="ferr" role="alert">{ Icon::Warn.html() }<span>{ problem.message.clone() }</span></span>
                }
            </div>
        </section>
    }
}

/// What is varied.
fn axes(props: &FormProps) -> Html {
    let (draft, on_change) = (props.desk.draft(), &props.dispatch.reform(Action::Experiment));
    let factors = Factor::all(&props.scenario, props.tenants.iter().map(AttrValue::as_str));
    let unused = factors.iter().find(|factor| draft.axes.iter().all(|axis| axis.factor != **factor)).cloned();
    html! {
        <div class="exp-axes">
            { for draft.axes.iter().enumerate().map(|(at, axis)| axis_fields(props, &factors, at, axis)) }
            if draft.axes.len() < MOST_AXES {
                if let Some(factor) = unused {
                    <button class="btn" type="button" data-testid="add-axis" onclick={on_change.reform(move |_: MouseEvent| Change::AddAxis(factor.clone()))}>
                        { Icon::Plus.html() }{ "Vary a second thing" }
                    </button>
                }
            }
        </div>
    }
}

/// The fields of an axis.
fn axis_fields(props: &FormProps, factors: &[Factor], at: usize, axis: &AxisDraft) -> Html {
    let FormProps { scenario, sweep, .. } = props;
    let (draft, on_change) = (props.desk.draft(), &props.dispatch.reform(Action::Experiment));
    let others = |factor: &&Factor| {
        draft.axes.iter().enumerate().all(|(other, axis)| other == at || axis.factor != **factor)
    };
    let mut choices: Vec<Choice> = factors
        .iter()
        .filter(others)
        .map(|factor| Choice::new(factor.to_string(), factor.title(scenario)))
        .collect();
    let own = axis.factor.to_string();
    if choices.iter().all(|choice| choice.value != own) {
        choices.push(Choice::new(own.clone(), axis.factor.title(scenario)));
    }
    let on_factor = {
        let on_change = on_change.clone();
        Callback::from(move |word: String| {
            if let Ok(factor) = word.parse() {
                on_change.emit(Change::Factor(at, factor));
            }
        })
    };
    let problem = sweep.as_ref().err().filter(|problem| problem.axis == Some(at));
    let fault = problem.map(|problem| Fault { text: axis.text.clone(), message: problem.message.clone() });
    let name = format!("exp-levels-{at}");
    let help = match axis.factor.takes(scenario) {
        Takes::Numbers => words::NUMBERS.to_owned(),
        Takes::Words(words) => format!("Some of {}.", words.join(", ")),
    };
    html! {
        <div class="exp-axis" key={at}>
            { select(&format!("exp-factor-{at}"), if at == 0 { "Vary" } else { "and" }, LabelShown::Above, &choices, &own, &on_factor) }
            <div class="field">
                <label class="lab" for={name.clone()}>{ "Values" }</label>
                <Entry name={name.clone()} text={axis.text.clone()} fault={fault.clone()} on_text={on_change.reform(move |text| Change::Levels(at, text))} />
                if let Some(fault) = fault {
                    <span class="ferr" id={complaint_id(&name)} role="alert">{ Icon::Warn.html() }<span>{ fault.message }</span></span>
                }
                <small>{ help }</small>
            </div>
            if at > 0 {
                <button class="btn ghost icon" type="button" aria-label="Vary one thing only" title="Vary one thing only"
                    onclick={on_change.reform(|_: MouseEvent| Change::RemoveAxis)}>{ Icon::Cross.html() }</button>
            }
        </div>
    }
}

/// What the questions are given.
#[derive(Properties, Clone, PartialEq)]
pub(super) struct WhatIfProps {
    /// The set-up.
    pub(super) scenario: Rc<Scenario>,
    /// Why the last question has no answer.
    pub(super) refused: Option<String>,
    /// Whether nothing can be run.
    pub(super) disabled: bool,
    /// More of this model.
    pub(super) on_ask: Callback<String>,
}

/// What if there were more GPUs: a button for each model of the cluster, and a list of all others.
#[component]
pub(super) fn WhatIf(props: &WhatIfProps) -> Html {
    let WhatIfProps { scenario, disabled, on_ask, .. } = props;
    let mut there: Vec<&str> = Vec::new();
    for row in &scenario.cluster.nodes {
        if !there.contains(&row.gpu.as_str()) {
            there.push(&row.gpu);
        }
    }
    let button = |gpu: &str| {
        let added = gpus_added(scenario, gpu, ADDED);
        let gpu = gpu.to_owned();
        html! {
            <button class="btn" type="button" disabled={*disabled} data-testid={format!("what-if-{gpu}")} key={gpu.clone()}
                onclick={{ let gpu = gpu.clone(); on_ask.reform(move |_: MouseEvent| gpu.clone()) }}>{ format!("+{added}\u{a0}{gpu}") }</button>
        }
    };
    let on_other = {
        let on_ask = on_ask.clone();
        Callback::from(move |event: Event| {
            let list: HtmlSelectElement = event.target_unchecked_into();
            let gpu = list.value();
            list.set_value("");
            if !gpu.is_empty() {
                on_ask.emit(gpu);
            }
        })
    };
    let others = catalogue::models().iter().filter(|model| !there.contains(&model.id.as_str()));
    html! {
        <section class="panel exp-if" aria-label="What if">
            <span class="lab">{ "What if there were" }</span>
            { for there.iter().map(|gpu| button(gpu)) }
            <label class="vh" for="what-if-other">{ format!("{ADDED} GPUs of another model") }</label>
            <select id="what-if-other" disabled={*disabled} onchange={on_other}>
                <option value="" selected=true>{ format!("+{ADDED} of another GPU") }</option>
                { for others.map(|model| html! { <option value={model.id.clone()}>{ model.name.clone() }</option> }) }
            </select>
            <span class="muted">{ words::WHAT_IF }</span>
            if let Some(refused) = &props.refused {
                <span class="ferr" role="alert">{ Icon::Warn.html() }<span>{ refused.clone() }</span></span>
            }
        </section>
    }
}
