//! What a trace's names of GPU types stand for.

use yew::prelude::*;

use super::field::{Choice, LabelShown, select};
use super::icon::Icon;
use super::setup::StepProps;
use crate::app::state::{Action, Edit};
use crate::app::strings;
use crate::app::type_names::{There, TypeRow, models, proposed, rows};
use crate::chart::format;
use crate::scenario::TraceSpec;

/// The choice that leaves a name to what it says.
const BY_NAME: &str = "by-name";
/// The choice that lets a job run on any type.
const ANY: &str = "any";

/// A row for each name; nothing where the cluster has all of them and none was given another meaning.
#[component]
pub fn TypeNamesTable(props: &StepProps) -> Html {
    let StepProps { scenario, input, dispatch, .. } = props;
    let (Some(trace), Some(input)) = (&scenario.workload.trace, input) else { return html! {} };
    let Ok(cluster) = scenario.build_cluster() else { return html! {} };
    let rows = rows(&input.contents.digest.gpu_types, &trace.gpu_types, &cluster);
    let are_there = rows.iter().all(|row| row.there != There::Nothing);
    if are_there && trace.gpu_types.is_empty() {
        return html! {};
    }
    let models = models(&cluster);
    let names = proposed(&rows, &trace.gpu_types);
    let can_propose = names != trace.gpu_types;
    let propose = {
        let trace = trace.clone();
        dispatch.reform(move |_: MouseEvent| {
            Action::Edit(Edit::Trace(TraceSpec { gpu_types: names.clone(), ..trace.clone() }))
        })
    };
    html! {
        <div class="panel type-names" role="group" aria-labelledby="h-type-names" data-testid="type-names">
            <div class="syn-h">
                <h3 id="h-type-names">{ strings::TYPE_NAMES }</h3>
                <p>{ strings::TYPE_NAMES_ABOUT }</p>
            </div>
            <div class="scroll-x"><table class="tbl form">
                <thead><tr><th>{ "In the trace" }</th><th class="n">{ "GPU jobs" }</th><th>{ "Stands for" }</th><th>{ "In this cluster" }</th></tr></thead>
                <tbody>{ for rows.iter().map(|row| type_row(row, trace, &models, dispatch)) }</tbody>
            </table></div>
            if can_propose {
                <div class="row-act"><button class="btn" type="button" data-testid="type-names-propose" onclick={propose}>{ strings::TYPE_NAMES_PROPOSE }</button></div>
            }
        </div>
    }
}

fn type_row(row: &TypeRow, trace: &TraceSpec, models: &[String], dispatch: &Callback<Action>) -> Html {
    let mut choices =
        vec![Choice::new(BY_NAME, strings::said_by_name(row.said)), Choice::new(ANY, "Any type")];
    choices.extend(models.iter().map(|model| Choice::new(model.clone(), model.clone())));
    // A scenario may name several.
    if let Some(several) = row.chosen.as_ref().filter(|chosen| chosen.contains('|')) {
        choices.push(Choice::new(several.clone(), several.replace('|', ", ")));
    }
    let chosen = match row.chosen.as_deref() {
        None => BY_NAME,
        Some("") => ANY,
        Some(model) => model,
    };
    let on_choice = {
        let (trace, name) = (trace.clone(), row.name.clone());
        dispatch.reform(move |choice: String| {
            let mut trace = trace.clone();
            match choice.as_str() {
                BY_NAME => trace.gpu_types.remove(&name),
                ANY => trace.gpu_types.insert(name.clone(), String::new()),
                model => trace.gpu_types.insert(name.clone(), model.to_owned()),
            };
            Action::Edit(Edit::Trace(trace))
        })
    };
    let id = format!("workload.trace.gpu_types.{}", row.name);
    let label = format!("What {} stands for", row.name);
    let there = match &row.there {
        There::Models(models) => {
            html! { <span class="good">{ Icon::Check.html() }{ models.join(", ") }</span> }
        }
        There::Any => html! { <span class="good">{ Icon::Check.html() }{ strings::ANY_TYPE }</span> },
        There::Nothing => html! { <span class="bad">{ strings::RUNS_ON_ANY }</span> },
    };
    html! {
        <tr key={row.name.clone()} data-type-name={row.name.clone()}>
            <th scope="row" class="mono">{ row.name.clone() }</th>
            <td class="n">{ format::count(row.jobs) }</td>
            <td>{ select(&id, &label, LabelShown::Hidden, &choices, chosen, &on_choice) }</td>
            <td>{ there }</td>
        </tr>
    }
}
