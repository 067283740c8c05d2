//! How jobs get their throughput profiles: the rule, the reference GPU, and what that means in a sentence.

use std::collections::BTreeMap;

use yew::prelude::*;

use super::field::{Choice, LabelShown, NumberField, TextField, select};
use super::icon::Icon;
use super::setup::StepProps;
use crate::app::field::{Range, parse_weights, shown_weights};
use crate::app::state::{Action, Edit};
use crate::chart::format;
use crate::cluster::catalogue;
use crate::workload::assign::{ProfileRule, ProfileSettings, known_model};
use crate::workload::profile::{self, measured_in_slices, profiles};

const RULES: [(ProfileRule, &str, &str); 4] = [
    (ProfileRule::SeededMix, "seeded-mix", "A seeded mix of models"),
    (ProfileRule::ByClass, "by-class", "A seeded mix, one draw a user and size"),
    (ProfileRule::All, "all", "One model for all jobs"),
    (ProfileRule::Column, "column", "By the trace's own model names"),
];

/// The throughput profiles of the jobs.
#[component]
pub fn Profiles(props: &StepProps) -> Html {
    let settings = &props.scenario.workload.profiles;
    let rule = RULES.iter().find(|(rule, ..)| *rule == settings.rule).map_or("", |(_, word, _)| word);
    let rules: Vec<Choice> = RULES.iter().map(|(_, word, name)| Choice::new(*word, *name)).collect();
    let on_rule = change(props, |settings, word: String| {
        if let Some((rule, ..)) = RULES.iter().find(|(_, other, _)| *other == word) {
            settings.rule = *rule;
        }
    });
    let mut gpus = vec![Choice::new("", "The one the trace names, else V100 16 GB")];
    gpus.extend(catalogue::models().iter().map(|model| Choice::new(model.id.clone(), model.name.clone())));
    let on_gpu = change(props, |settings, gpu: String| {
        settings.reference_gpu = Some(gpu).filter(|gpu| !gpu.is_empty());
    });
    html! {
        <fieldset class="panel profiles">
            <legend class="vh">{ "Speed by GPU type and slots" }</legend>
            <div class="filters-in">
                { select("workload.profiles.rule", "Speed by GPU type and slots", LabelShown::Above, &rules, rule, &on_rule) }
                { select("workload.profiles.reference_gpu", "Reference GPU of traced durations", LabelShown::Above, &gpus, settings.reference_gpu.as_deref().unwrap_or(""), &on_gpu) }
                if settings.rule == ProfileRule::All { { one_model(props, settings) } } else { { draw_seed(props, settings) } }
            </div>
            if settings.rule != ProfileRule::All { { mix(props, settings) } }
            if settings.rule == ProfileRule::Column { { column(props, settings) } }
            <p class="note">{ Icon::Info.html() }<span data-testid="profile-rule">{ settings.describe() }</span></p>
        </fieldset>
    }
}

/// A callback that changes the settings.
fn change<T: 'static>(props: &StepProps, change: fn(&mut ProfileSettings, T)) -> Callback<T> {
    let settings = props.scenario.workload.profiles.clone();
    props.dispatch.reform(move |value: T| {
        let mut settings = settings.clone();
        change(&mut settings, value);
        Action::Edit(Edit::Profiles(settings))
    })
}

/// Every profile, measured ones first.
fn models() -> Vec<Choice> {
    profiles().iter().map(|profile| Choice::new(profile.name.as_str(), profile.name.as_str())).collect()
}

fn one_model(props: &StepProps, settings: &ProfileSettings) -> Html {
    let on_model = change(props, |settings, model: String| settings.model = Some(model));
    let chosen = settings.model.as_deref().unwrap_or("linear");
    select("workload.profiles.model", "Model of every job", LabelShown::Above, &models(), chosen, &on_model)
}

fn draw_seed(props: &StepProps, settings: &ProfileSettings) -> Html {
    const NAME: &str = "workload.profiles.seed";
    let edit = {
        let settings = settings.clone();
        Callback::from(move |seed: f64| {
            Ok(Edit::Profiles(ProfileSettings { seed: seed as u64, ..settings.clone() }))
        })
    };
    html! {
        <NumberField name={NAME} label="Seed of the draws" value={settings.seed as f64} range={Range::whole(0.0, 9e15)}
            faults={&props.faults} {edit} dispatch={&props.dispatch} />
    }
}

/// The models that are drawn, with their weights.
fn mix(props: &StepProps, settings: &ProfileSettings) -> Html {
    const NAME: &str = "workload.profiles.weights";
    let read = {
        let settings = settings.clone();
        Callback::from(move |text: String| {
            let weights: BTreeMap<String, f64> = parse_weights(&text)?.into_iter().collect();
            if let Some(model) = weights.keys().find(|model| profile::find(model).is_none()) {
                return Err(format!("There is no model {model:?}. Expected names of the list below."));
            }
            let settings = ProfileSettings { weights, ..settings.clone() };
            settings
                .check()
                .map_err(|(_, found, expected)| format!("Found {found}. Expected {expected}."))?;
            Ok(Edit::Profiles(settings))
        })
    };
    let drawn: Vec<(String, f64)> = if settings.weights.is_empty() {
        measured_in_slices().map(|id| (id.profile().name.clone(), 1.0)).collect()
    } else {
        settings.weights.iter().map(|(model, weight)| (model.clone(), *weight)).collect()
    };
    let sum: f64 = drawn.iter().map(|(_, weight)| weight).sum();
    html! {
        <details class="mix">
            <summary>{ format!("The mix: {} models", drawn.len()) }</summary>
            <TextField name={NAME} label="Weights" value={shown_weights(&settings.weights)} faults={&props.faults} {read} dispatch={&props.dispatch}
                help="As in resnet/64: 2, bert/8: 1. Empty: every model measured on MIG slices, all equally likely." />
            <ul class="names">
                { for drawn.iter().map(|(model, weight)| html! {
                    <li key={model.clone()}><code>{ model.clone() }</code>{ " " }<span class="muted">{ format::percent(weight / sum.max(1e-12), 1) }</span></li>
                }) }
            </ul>
        </details>
    }
}

/// What the trace's names of models stand for.
fn column(props: &StepProps, settings: &ProfileSettings) -> Html {
    let names = props.input.as_ref().map_or(&[][..], |input| &input.contents.models);
    if names.is_empty() {
        return html! { <p class="note">{ Icon::Info.html() }<span>{ "This workload names no models, so every job draws from the mix." }</span></p> };
    }
    let row = |name: &String| {
        let known = known_model(name).map(|id| id.profile().name.clone());
        let default = known.map_or("Draw from the mix".to_owned(), |known| format!("{known} (known)"));
        let mut choices = vec![Choice::new("", default)];
        choices.extend(models());
        let on_choice = {
            let (settings, name) = (settings.clone(), name.clone());
            props.dispatch.reform(move |model: String| {
                let mut settings = settings.clone();
                if model.is_empty() {
                    settings.column.remove(&name);
                } else {
                    settings.column.insert(name.clone(), model);
                }
                Action::Edit(Edit::Profiles(settings))
            })
        };
        let chosen = settings.column.get(name).map_or("", String::as_str);
        let id = format!("workload.profiles.column.{name}");
        html! {
            <tr key={name.clone()}>
                <td class="mono">{ name.clone() }</td>
                <td>{ select(&id, &format!("Profile of {name}"), LabelShown::Hidden, &choices, chosen, &on_choice) }</td>
            </tr>
        }
    };
    html! {
        <details class="mix">
            <summary>{ format!("Names in the trace: {}", names.len()) }</summary>
            <table class="tbl form"><thead><tr><th>{ "Model in the trace" }</th><th>{ "Profile" }</th></tr></thead>
            <tbody>{ for names.iter().map(row) }</tbody></table>
        </details>
    }
}
