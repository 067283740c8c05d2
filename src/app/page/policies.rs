//! Step 3: the policies to compare, and their parameters.

use std::rc::Rc;

use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::drawing::scene;
use super::field::{Choice, LabelShown, TextField, segments, select};
use super::formula::FormulaField;
use super::icon::Icon;
use super::setup::{StepProps, step_head};
use crate::app::field::{Range, shown};
use crate::app::formula::formula_of;
use crate::app::state::edit::rename_policy;
use crate::app::state::{Action, Edit, Faults};
use crate::chart::palette::line_sample;
use crate::chart::{Key, Marked, Role};
use crate::policy::param::{ParamKind, ParamSpec, ParamValue};
use crate::policy::registry::policies;
use crate::policy::{Params, PolicySpec, spec};
use crate::scenario::{PolicyChoice, Scenario};

/// The policy that the page is about: its card is wide and stands first.
const SUBJECT: &str = "sts-fairness";
/// Words of a choice up to this long stand side by side.
const SHORT_WORD: usize = 12;

/// Step 3.
#[component]
pub fn PolicyStep(props: &StepProps) -> Html {
    let StepProps { scenario, faults, dispatch, .. } = props;
    let wanted = use_state(String::new);
    let on_search = {
        let wanted = wanted.clone();
        Callback::from(move |event: InputEvent| {
            if let Some(input) = event.target_dyn_into::<HtmlInputElement>() {
                wanted.set(input.value().to_lowercase());
            }
        })
    };
    let matches = |spec: &&PolicySpec| {
        let text = format!("{} {} {}", spec.name, spec.title, spec.summary).to_lowercase();
        wanted.split_whitespace().all(|word| text.contains(word))
    };
    let marked = Marked::among(scenario.policies.len());
    let cards = |spec: &'static PolicySpec| {
        let number = policies().iter().position(|other| other.name == spec.name).map_or(0, |at| at + 1);
        let mut entries: Vec<Option<&PolicyChoice>> =
            scenario.policies.iter().filter(|choice| choice.name == spec.name).map(Some).collect();
        if entries.is_empty() {
            entries.push(None);
        }
        entries.into_iter().enumerate().map(move |(variant, entry)| {
            let key = entry.map_or(spec.name, |entry| entry.label()).to_owned();
            let card = CardOf { name: spec.name, number, variant, marked, entry: entry.cloned() };
            html! { <PolicyCard {key} {card} {scenario} {faults} {dispatch} /> }
        })
    };
    let shown: Vec<&'static PolicySpec> = policies().iter().filter(matches).collect();
    let (subject, others): (Vec<_>, Vec<_>) = shown.into_iter().partition(|spec| spec.name == SUBJECT);
    let about = format!("{} chosen; each has one line on the whole page", scenario.policies.len());
    let search = html! {
        <input class="search" type="search" placeholder="Find a policy" aria-label="Find a policy" oninput={on_search} />
    };
    html! {
        <section class="step" id="s-policies" tabindex="-1" aria-labelledby="h-policies">
            { step_head(3, "h-policies", "Policies", &about, search) }
            if subject.is_empty() && others.is_empty() { <p class="muted">{ "No policy has these words." }</p> }
            { for subject.into_iter().flat_map(cards) }
            <div class="pol-grid">{ for others.into_iter().flat_map(cards) }</div>
        </section>
    }
}

/// What a card is about: a policy, and its entry in the scenario if it has one.
#[derive(Debug, Clone, PartialEq)]
struct CardOf {
    name: &'static str,
    number: usize,
    variant: usize,
    marked: Marked,
    entry: Option<PolicyChoice>,
}

#[derive(Properties, PartialEq)]
struct CardProps {
    card: CardOf,
    scenario: Rc<Scenario>,
    faults: Rc<Faults>,
    dispatch: Callback<Action>,
}

#[component]
fn PolicyCard(props: &CardProps) -> Html {
    let CardProps { card, dispatch, .. } = props;
    let Some(spec) = spec(card.name) else { return html! {} };
    let entry = card.entry.as_ref();
    let label = entry.map_or(spec.title, |entry| entry.label.as_deref().unwrap_or(spec.title));
    let toggle = match entry {
        Some(entry) => Edit::RemovePolicy(entry.label().to_owned()),
        None => Edit::AddPolicy(spec.name.to_owned()),
    };
    let is_subject = spec.name == SUBJECT;
    let key = Key::new(spec.name, label, if is_subject { Role::Subject } else { Role::Other })
        .variant(card.variant)
        .marked(card.marked);
    let is_wide = entry.is_some() && formula_of(spec).is_some();
    let testid = (card.variant == 0).then(|| format!("policy-{}", spec.name));
    html! {
        <div class={classes!("pol", is_subject.then_some("pol-hero"), entry.is_some().then_some("on"), is_wide.then_some("pol-wide"))}>
            <label class="pol-h">
                <input type="checkbox" checked={entry.is_some()} data-testid={testid}
                    onchange={dispatch.reform(move |_: Event| Action::Edit(toggle.clone()))} />
                <b>{ label.to_owned() }</b>
                if entry.is_some() { <span class="ln-s">{ scene(&line_sample(&key, 26.0)) }</span> }
                if is_subject { <span class="tag">{ "subject of the study" }</span> }
                <span class="grow"></span>
                if card.variant == 0 && card.number < 10 { <kbd>{ card.number }</kbd> }
            </label>
            <p>{ spec.summary }</p>
            if let Some(entry) = entry { { parameters(spec, entry, props) } }
        </div>
    }
}

/// The parameters of a chosen policy: open for the subject, in place for the others.
fn parameters(spec: &'static PolicySpec, entry: &PolicyChoice, props: &CardProps) -> Html {
    let fields = html! {
        <div class="params">
            { for spec.params.iter().map(|param| html! {
                <Param key={param.name} {spec} param={*param} entry={entry.clone()} faults={&props.faults} dispatch={&props.dispatch} />
            }) }
        </div>
    };
    let needs = Params::check(spec.name, spec.params, &entry.params)
        .map_or(spec.knowledge, |params| spec.knowledge_with(&params))
        .words();
    let repeat = Edit::RepeatPolicy(entry.label().to_owned());
    let repeat = props.dispatch.reform(move |_: MouseEvent| Action::Edit(repeat.clone()));
    html! {
        <details open={spec.name == SUBJECT || formula_of(spec).is_some()}>
            <summary>{ if spec.params.is_empty() { "About" } else { "Parameters" } }</summary>
            { fields }
            { name_field(entry, props) }
            <p class="cite">{ format!("{}. {needs}", spec.citation.trim_end_matches('.')) }</p>
            <button class="link" type="button" onclick={repeat}>{ Icon::Plus.html() }{ "Compare with other parameters" }</button>
        </details>
    }
}

/// What charts and tables call an entry, where its policy's own name says too little.
fn name_field(entry: &PolicyChoice, props: &CardProps) -> Html {
    let is_alone = props.scenario.policies.iter().filter(|other| other.name == entry.name).count() == 1;
    if is_alone && entry.label.is_none() && formula_of_entry(entry).is_none() {
        return html! {};
    }
    let read = {
        let (scenario, label) = (props.scenario.clone(), entry.label().to_owned());
        Callback::from(move |text: String| rename_policy(&scenario.policies, &label, &text))
    };
    let name = format!("policies.{}.label", entry.label());
    html! {
        <TextField {name} label="Called" value={entry.label().to_owned()} faults={&props.faults} {read} dispatch={&props.dispatch}
            help="In charts, tables and files; each policy differently." />
    }
}

fn formula_of_entry(entry: &PolicyChoice) -> Option<&'static PolicySpec> {
    spec(&entry.name).filter(|spec| formula_of(spec).is_some())
}

#[derive(Properties)]
struct ParamProps {
    spec: &'static PolicySpec,
    param: ParamSpec,
    entry: PolicyChoice,
    faults: Rc<Faults>,
    dispatch: Callback<Action>,
}

impl PartialEq for ParamProps {
    fn eq(&self, other: &Self) -> bool {
        let given = |of: &Self| (of.spec.name, of.param.name);
        given(self) == given(other)
            && self.entry == other.entry
            && self.faults == other.faults
            && self.dispatch == other.dispatch
    }
}

/// One parameter, as its declaration says.
#[component]
fn Param(props: &ParamProps) -> Html {
    match props.param.kind {
        ParamKind::Formula(formula) => {
            let used = match props.used() {
                Some(ParamValue::Word(text)) => text,
                _ => formula.default.to_owned(),
            };
            html! {
                <FormulaField name={props.name()} spec={props.spec} param={props.param} {formula} entry={props.entry.clone()} {used}
                    faults={&props.faults} dispatch={&props.dispatch} />
            }
        }
        ParamKind::Choice(words) => choice(props, words),
        ParamKind::Number { min, max, .. } => number(props, Range::any(min, max)),
        ParamKind::Integer { min, max, .. } => number(props, Range::whole(min as f64, max as f64)),
    }
}

impl ParamProps {
    fn name(&self) -> String {
        format!("policies.{}.{}", self.entry.label(), self.param.name)
    }

    /// The value in the scenario, or the one that holds without it.
    fn used(&self) -> Option<ParamValue> {
        let given = self.entry.params.get(self.param.name);
        given.cloned().or_else(|| self.param.kind.default_value())
    }

    /// The change that a value makes. The default is not written, so that a scenario says only what was chosen.
    fn edit(&self) -> impl Fn(Option<ParamValue>) -> Edit + use<> {
        let (label, param) = (self.entry.label().to_owned(), self.param);
        move |value| {
            let value = value.filter(|value| param.kind.default_value().as_ref() != Some(value));
            Edit::Param { label: label.clone(), name: param.name, value }
        }
    }
}

fn choice(props: &ParamProps, words: &'static [(&'static str, &'static str)]) -> Html {
    let (name, param, edit) = (props.name(), props.param, props.edit());
    let used = match props.used() {
        Some(ParamValue::Word(word)) => word,
        _ => String::new(),
    };
    let choices: Vec<Choice> = words.iter().map(|(word, _)| Choice::new(*word, *word)).collect();
    let on_choice =
        props.dispatch.reform(move |word: String| Action::Edit(edit(Some(ParamValue::Word(word)))));
    let meaning = words.iter().find(|(word, _)| *word == used).map_or("", |(_, meaning)| meaning);
    let is_short = words.len() <= 4 && words.iter().all(|(word, _)| word.len() <= SHORT_WORD);
    html! {
        <div class="param">
            if is_short { { segments(&name, param.title, &choices, &used, &on_choice) } }
            else { { select(&name, param.title, LabelShown::Above, &choices, &used, &on_choice) } }
            <small>{ format!("{} {meaning}", param.help) }</small>
        </div>
    }
}

fn number(props: &ParamProps, range: Range) -> Html {
    let (name, param, edit) = (props.name(), props.param, props.edit());
    let used = match props.used() {
        Some(ParamValue::Number(number)) => Some(number),
        _ => None,
    };
    let unit = param.unit.unwrap_or_default();
    // Nothing means the default, also where that is derived and cannot be written.
    let read = Callback::from(move |text: String| {
        let is_default = text.trim().is_empty();
        let number =
            if is_default { None } else { Some(range.parse(&text, unit, used.unwrap_or(range.min))?) };
        Ok(edit(number.map(ParamValue::Number)))
    });
    html! {
        <div class="param">
            <TextField {name} label={param.title} value={used.map(shown).unwrap_or_default()} {unit} faults={&props.faults} {read}
                dispatch={&props.dispatch} help={param.help} />
        </div>
    }
}
