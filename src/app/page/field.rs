//! Fields of the set-up: a label, a value that is committed when it is left, and a complaint below when it is no value.

use std::rc::Rc;

use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use super::icon::Icon;
use crate::app::field::{self, Range};
use crate::app::state::{Action, Edit, Fault, Faults};

/// A field whose text is read by a function.
#[derive(Properties, PartialEq)]
pub struct TextProps {
    /// Unique in the page; also the id of the input.
    pub name: AttrValue,
    /// What it is.
    pub label: AttrValue,
    /// Whether the label is only for screen readers, as in a table with a heading.
    #[prop_or_default]
    pub label_shown: LabelShown,
    /// The text of the value in the scenario.
    pub value: AttrValue,
    /// The unit; may be empty.
    #[prop_or_default]
    pub unit: AttrValue,
    /// A sentence below the field; may be empty.
    #[prop_or_default]
    pub help: AttrValue,
    /// Which keyboard a phone shows.
    #[prop_or(AttrValue::Static("text"))]
    pub inputmode: AttrValue,
    /// The id of a `datalist` with values to choose from, if there is one.
    #[prop_or_default]
    pub suggestions: Option<AttrValue>,
    /// Fields whose text is no value.
    pub faults: Rc<Faults>,
    /// Reads what was typed: a change of the set-up, or what is wrong with it.
    pub read: Callback<String, Result<Edit, String>>,
    /// The page.
    pub dispatch: Callback<Action>,
}

/// Whether a label is seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LabelShown {
    /// Above the field.
    #[default]
    Above,
    /// For screen readers only.
    Hidden,
}

/// A field whose text is read by a function.
#[component]
pub fn TextField(props: &TextProps) -> Html {
    let TextProps { name, label: text, faults, help, .. } = props;
    let fault = faults.get(name.as_str());
    let on_text = {
        let (name, read) = (name.to_string(), props.read.clone());
        props.dispatch.reform(move |text: String| match read.emit(text.clone()) {
            Ok(edit) => Action::Enter(name.clone(), edit),
            Err(message) => Action::Fault(name.clone(), Fault { text, message }),
        })
    };
    html! {
        <div class="field">
            { label(name, text, props.label_shown) }
            <Entry name={name} text={&props.value} unit={&props.unit} fault={fault.cloned()} inputmode={&props.inputmode}
                suggestions={props.suggestions.clone()} {on_text} />
            if let Some(fault) = fault {
                <span class="ferr" id={complaint_id(name)} role="alert">{ Icon::Warn.html() }<span>{ fault.message.clone() }</span></span>
            }
            if !help.is_empty() { <small>{ help }</small> }
        </div>
    }
}

/// A field for a number.
#[derive(Properties, PartialEq)]
pub struct NumberProps {
    /// Unique in the page; also the id of the input.
    pub name: AttrValue,
    /// What it is.
    pub label: AttrValue,
    /// Whether the label is only for screen readers.
    #[prop_or_default]
    pub label_shown: LabelShown,
    /// The value in the scenario.
    pub value: f64,
    /// What is allowed.
    pub range: Range,
    /// The unit; may be empty.
    #[prop_or_default]
    pub unit: AttrValue,
    /// A sentence below the field; may be empty.
    #[prop_or_default]
    pub help: AttrValue,
    /// Fields whose text is no value.
    pub faults: Rc<Faults>,
    /// The change that a number makes, or why it cannot be.
    pub edit: Callback<f64, Result<Edit, String>>,
    /// The page.
    pub dispatch: Callback<Action>,
}

/// A field for a number.
#[component]
pub fn NumberField(props: &NumberProps) -> Html {
    let read = {
        let (range, value, unit, edit) = (props.range, props.value, props.unit.clone(), props.edit.clone());
        Callback::from(move |text: String| {
            range.parse(&text, &unit, value).and_then(|number| edit.emit(number))
        })
    };
    html! {
        <TextField name={&props.name} label={&props.label} label_shown={props.label_shown} value={field::shown(props.value)}
            unit={&props.unit} help={&props.help} inputmode="decimal" faults={&props.faults} {read} dispatch={&props.dispatch} />
    }
}

/// A field for a number that may be left out.
#[derive(Properties, PartialEq)]
pub struct OptionalProps {
    /// Unique in the page; also the id of the input.
    pub name: AttrValue,
    /// What it is.
    pub label: AttrValue,
    /// Whether the label is only for screen readers.
    #[prop_or_default]
    pub label_shown: LabelShown,
    /// The value in the scenario; an empty field where there is none.
    pub value: Option<f64>,
    /// What is allowed.
    pub range: Range,
    /// The unit; may be empty.
    #[prop_or_default]
    pub unit: AttrValue,
    /// A sentence below the field; may be empty.
    #[prop_or_default]
    pub help: AttrValue,
    /// Fields whose text is no value.
    pub faults: Rc<Faults>,
    /// The change that a number, or none, makes, or why it cannot be.
    pub edit: Callback<Option<f64>, Result<Edit, String>>,
    /// The page.
    pub dispatch: Callback<Action>,
}

/// A field for a number that may be left out.
#[component]
pub fn OptionalNumberField(props: &OptionalProps) -> Html {
    let read = {
        let (range, value, unit, edit) = (props.range, props.value, props.unit.clone(), props.edit.clone());
        Callback::from(move |text: String| edit.emit(range.parse_optional(&text, &unit, value)?))
    };
    html! {
        <TextField name={&props.name} label={&props.label} label_shown={props.label_shown} value={props.value.map(field::shown).unwrap_or_default()}
            unit={&props.unit} help={&props.help} inputmode="decimal" faults={&props.faults} {read} dispatch={&props.dispatch} />
    }
}

fn label(name: &AttrValue, label: &AttrValue, shown: LabelShown) -> Html {
    let class = if shown == LabelShown::Above { "lab" } else { "vh" };
    html! { <label {class} for={name.clone()}>{ label.clone() }</label> }
}

/// The id of what is said of the text of a field.
pub fn complaint_id(name: &str) -> String {
    format!("{name}-fault")
}

/// The input of a field.
#[derive(Properties, PartialEq)]
pub struct EntryProps {
    /// Unique in the page; also the id of the input.
    pub name: AttrValue,
    /// The text while nothing is being typed.
    pub text: AttrValue,
    /// Stands inside the input at its end; may be empty.
    #[prop_or_default]
    pub unit: AttrValue,
    /// What is wrong with the text last entered.
    #[prop_or_default]
    pub fault: Option<Fault>,
    /// Which keyboard a phone shows.
    #[prop_or(AttrValue::Static("text"))]
    pub inputmode: AttrValue,
    /// The id of a `datalist` with values to choose from, if there is one.
    #[prop_or_default]
    pub suggestions: Option<AttrValue>,
    /// A text was entered.
    pub on_text: Callback<String>,
}

/// The page is drawn anew many times a second during a run; what is being typed must outlast that, so it is kept here until it
/// is committed.
#[component]
pub fn Entry(props: &EntryProps) -> Html {
    let draft = use_state(|| None::<String>);
    let typed =
        |event: &web_sys::Event| event.target_dyn_into::<HtmlInputElement>().map(|input| input.value());
    let oninput = {
        let draft = draft.clone();
        Callback::from(move |event: InputEvent| draft.set(typed(&event)))
    };
    let onchange = {
        let (draft, on_text) = (draft.clone(), props.on_text.clone());
        Callback::from(move |event: Event| {
            draft.set(None);
            if let Some(text) = typed(&event) {
                on_text.emit(text);
            }
        })
    };
    let settled = || props.fault.as_ref().map_or_else(|| props.text.to_string(), |fault| fault.text.clone());
    let input = html! {
        <input type="text" inputmode={props.inputmode.clone()} autocomplete="off" id={props.name.clone()} list={props.suggestions.clone()}
            value={(*draft).clone().unwrap_or_else(settled)} {oninput} {onchange}
            aria-invalid={props.fault.is_some().then_some("true")}
            aria-describedby={props.fault.is_some().then(|| complaint_id(&props.name))} />
    };
    if props.unit.is_empty() {
        input
    } else {
        html! { <span class="unit">{ input }<i>{ props.unit.clone() }</i></span> }
    }
}

/// One option of a [`select`] or a [`segments`].
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The value.
    pub value: AttrValue,
    /// What is read.
    pub label: AttrValue,
}

impl Choice {
    /// A value and what is read.
    pub fn new(value: impl Into<AttrValue>, label: impl Into<AttrValue>) -> Self {
        Self { value: value.into(), label: label.into() }
    }
}

/// A list to choose one of. `class` is that of the surrounding field.
pub fn select(
    id: &str,
    text: &str,
    shown: LabelShown,
    choices: &[Choice],
    chosen: &str,
    on_choice: &Callback<String>,
) -> Html {
    let onchange =
        on_choice.reform(|event: Event| event.target_unchecked_into::<HtmlSelectElement>().value());
    let options = choices.iter().map(|choice| {
        let selected = choice.value == chosen;
        html! { <option key={choice.value.to_string()} value={choice.value.clone()} {selected}>{ choice.label.clone() }</option> }
    });
    let id = AttrValue::from(id.to_owned());
    html! {
        <div class="field">
            { label(&id, &text.to_owned().into(), shown) }
            <select {id} {onchange}>{ for options }</select>
        </div>
    }
}

/// A list to choose one of, each with its value, its word and what is read; the choice is a change of the set-up.
pub fn select_of<T: Copy + PartialEq + 'static>(
    id: &str,
    text: &str,
    options: &'static [(T, &'static str, &'static str)],
    chosen: T,
    dispatch: &Callback<Action>,
    edit: impl Fn(T) -> Edit + 'static,
) -> Html {
    let choices: Vec<Choice> = options.iter().map(|(_, word, name)| Choice::new(*word, *name)).collect();
    let word = options.iter().find(|(value, ..)| *value == chosen).map_or("", |(_, word, _)| word);
    let on_choice = {
        let dispatch = dispatch.clone();
        Callback::from(move |word: String| {
            if let Some((value, ..)) = options.iter().find(|(_, other, _)| *other == word) {
                dispatch.emit(Action::Edit(edit(*value)));
            }
        })
    };
    select(id, text, LabelShown::Above, &choices, word, &on_choice)
}

/// A few short options side by side.
pub fn segments(
    id: &str,
    text: &str,
    choices: &[Choice],
    chosen: &str,
    on_choice: &Callback<String>,
) -> Html {
    let id = format!("{id}-label");
    let buttons = choices.iter().map(|choice| {
        let onclick = {
            let (on_choice, value) = (on_choice.clone(), choice.value.to_string());
            Callback::from(move |_: MouseEvent| on_choice.emit(value.clone()))
        };
        let pressed = if choice.value == chosen { "true" } else { "false" };
        html! {
            <button type="button" key={choice.value.to_string()} aria-pressed={pressed} {onclick}>{ choice.label.clone() }</button>
        }
    });
    html! {
        <div class="field">
            <span class="lab" id={id.clone()}>{ text }</span>
            <div class="seg" role="group" aria-labelledby={id}>{ for buttons }</div>
        </div>
    }
}
