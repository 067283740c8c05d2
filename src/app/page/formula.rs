//! A field for a formula: what is wrong with it is said as one types, and what it may name stands below.

use std::rc::Rc;

use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

use super::field::{Choice, LabelShown, complaint_id, select};
use super::icon::Icon;
use super::rest::use_rested;
use crate::app::formula;
use crate::app::state::{Action, Fault, Faults};
use crate::formula::{FUNCTIONS, OPERATORS};
use crate::policy::PolicySpec;
use crate::policy::param::{FormulaParam, ParamSpec, Symbol};
use crate::scenario::PolicyChoice;

/// How long a text rests before something is said of it.
const REST_MS: u32 = 250;

/// What the field is given.
#[derive(Properties)]
pub struct FormulaProps {
    /// Unique in the page; also the id of the text.
    pub name: AttrValue,
    /// The policy.
    pub spec: &'static PolicySpec,
    /// The parameter that is the formula.
    pub param: ParamSpec,
    /// What it is made of.
    pub formula: FormulaParam,
    /// The policy's entry in the scenario.
    pub entry: PolicyChoice,
    /// The formula in use.
    pub used: AttrValue,
    /// Fields whose text is no value.
    pub faults: Rc<Faults>,
    /// The page.
    pub dispatch: Callback<Action>,
}

impl PartialEq for FormulaProps {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
            && self.entry == other.entry
            && self.faults == other.faults
            && self.dispatch == other.dispatch
    }
}

/// A field for a formula.
#[component]
pub fn FormulaField(props: &FormulaProps) -> Html {
    let FormulaProps { name, spec, param, formula: of, entry, .. } = props;
    let draft = use_state(|| None::<String>);
    let rested = use_rested(&*draft, REST_MS);
    let fault = props.faults.get(name.as_str());
    let settled = fault.map_or_else(|| props.used.to_string(), |fault| fault.text.clone());
    let said = match (&rested, fault) {
        (Some(typed), _) if draft.is_some() => formula::read(of, typed),
        (_, Some(fault)) => Err(fault.message.clone()),
        _ => formula::read(of, &props.used),
    };
    let typed = |event: &web_sys::Event| {
        event.target_dyn_into::<HtmlTextAreaElement>().map(|area| area.value()).unwrap_or_default()
    };
    let commit = {
        let (draft, name, param, of) = (draft.clone(), name.to_string(), *param, *of);
        let label = entry.label().to_owned();
        props.dispatch.reform(move |text: String| {
            draft.set(None);
            match formula::entered(&param, &of, &label, &text) {
                Ok(edit) => Action::Enter(name.clone(), edit),
                Err(message) => Action::Fault(name.clone(), Fault { text, message }),
            }
        })
    };
    let oninput = {
        let draft = draft.clone();
        Callback::from(move |event: InputEvent| draft.set(Some(typed(&event))))
    };
    let onchange = commit.reform(move |event: Event| typed(&event));
    let onkeydown = {
        let commit = commit.clone();
        Callback::from(move |event: KeyboardEvent| {
            // As in a field of one line; with Shift a new one begins.
            if event.key() == "Enter" && !event.shift_key() {
                event.prevent_default();
                commit.emit(typed(&event));
            }
        })
    };
    let value = (*draft).clone().unwrap_or(settled);
    let is_wrong = said.is_err();
    html! {
        <div class="formula">
            <div class="field">
                <label class="lab" for={name.clone()}>{ param.title }</label>
                <textarea id={name.clone()} rows="2" spellcheck="false" autocomplete="off" autocapitalize="off" {value} {oninput} {onchange} {onkeydown}
                    aria-invalid={is_wrong.then_some("true")} aria-describedby={complaint_id(name)} />
                <span class={if is_wrong { "ferr" } else { "told" }} id={complaint_id(name)} role="status">
                    if is_wrong { { Icon::Warn.html() } }
                    <span>{ match said { Ok(told) | Err(told) => told } }</span>
                </span>
                <small>{ param.help }</small>
            </div>
            { examples(props, spec, of) }
            { glossary(of) }
        </div>
    }
}

/// The examples: one is shown as chosen while the entry is that example.
fn examples(props: &FormulaProps, spec: &'static PolicySpec, of: &FormulaParam) -> Html {
    let own = Choice::new("", "your own");
    let choices: Vec<Choice> =
        std::iter::once(own).chain(of.examples.iter().map(|e| Choice::new(e.title, e.title))).collect();
    let chosen = formula::example_of(spec, &props.entry);
    let on_choice = {
        let (dispatch, name, label) =
            (props.dispatch.clone(), props.name.to_string(), props.entry.label().to_owned());
        Callback::from(move |title: String| {
            if let Some(edit) = formula::take_example(spec, &label, &title) {
                dispatch.emit(Action::Enter(name.clone(), edit));
            }
        })
    };
    let id = format!("{}.example", props.name);
    html! {
        <div class="param">
            { select(&id, "Example", LabelShown::Above, &choices, chosen.map_or("", |e| e.title), &on_choice) }
            <small>{ chosen.map_or("Choose one to begin with; it replaces what is written.", |example| example.about) }</small>
        </div>
    }
}

/// Everything that a formula is made of.
fn glossary(of: &FormulaParam) -> Html {
    let mut kinds: Vec<&str> = of.names.iter().map(|symbol| symbol.of).collect();
    kinds.dedup();
    let term = |text: &'static str, unit: &'static str, meaning: &'static str| {
        html! {
            <div>
                <dt><code>{ text }</code>if !unit.is_empty() { { " " }<i>{ unit }</i> }</dt>
                <dd>{ meaning }</dd>
            </div>
        }
    };
    let list = |title: String, terms: Vec<Html>| {
        html! { <><p class="lab">{ title }</p><dl class="glossary">{ for terms }</dl></> }
    };
    let of_kind = |kind: &str| {
        let symbols = of.names.iter().filter(|symbol| symbol.of == kind);
        let terms = symbols.map(|Symbol { name, unit, meaning, .. }| term(name, unit, meaning)).collect();
        list(format!("Fields of the {kind}"), terms)
    };
    let operators = OPERATORS.iter().map(|(form, meaning)| term(form, "", meaning)).collect();
    let functions = FUNCTIONS.iter().map(|function| term(function.form, "", function.meaning)).collect();
    html! {
        <details>
            <summary>{ "Fields, operators and functions" }</summary>
            { for kinds.into_iter().map(of_kind) }
            { list("Operators, tightest first".to_owned(), operators) }
            { list("Functions".to_owned(), functions) }
        </details>
    }
}
