//! Lists of machines that came with a trace, or alone: what is in them, and a cluster made of them.

use std::rc::Rc;

use yew::prelude::*;

use super::field::{Choice, LabelShown, select};
use super::icon::Icon;
use crate::app::state::{Action, Edit};
use crate::app::strings::machines as words;
use crate::chart::format;
use crate::cluster::catalogue;
use crate::scenario::machines::{MachineModel, STAND_IN, models, nodes};
use crate::scenario::{Scenario, TenantSpec};
use crate::trace::NodeReport;
use crate::workload::shape::TypeNames;

/// One list.
#[derive(Properties, Clone, PartialEq)]
pub struct MachinesProps {
    /// What the ids of its elements begin with: no other list of the page has the same, and there is no blank in it.
    pub id: AttrValue,
    /// The file it is in.
    pub file: AttrValue,
    /// The list.
    pub list: NodeReport,
    /// The scenario.
    pub scenario: Rc<Scenario>,
    /// The page.
    pub dispatch: Callback<Action>,
}

/// The machines by GPU model, what each model stands for, and the button that makes them the cluster.
#[component]
pub fn MachinesPanel(props: &MachinesProps) -> Html {
    let MachinesProps { id, file, list, scenario, dispatch } = props;
    let names = use_state_eq(TypeNames::new);
    let models = models(list);
    let offered = nodes(list, &names);
    let is_used = !offered.is_empty() && scenario.cluster.nodes == offered;
    let gpus: u64 = offered.iter().map(|row| u64::from(row.count) * u64::from(row.gpus_per_node)).sum();
    let count: u64 = offered.iter().map(|row| u64::from(row.count)).sum();
    let heading = format!("{id}-heading");
    let use_them = {
        let (nodes, gpu_types) = (offered.clone(), meanings(&models, &names));
        dispatch.reform(move |_: MouseEvent| {
            Action::Edit(Edit::Machines { nodes: nodes.clone(), gpu_types: gpu_types.clone() })
        })
    };
    html! {
        <div class="panel type-names" role="group" aria-labelledby={heading.clone()} data-testid="machines" data-file={file}>
            <div class="syn-h">
                <h3 id={heading}>{ words::title(file) }</h3>
                <p>{ words::about(list) }</p>
            </div>
            <div class="scroll-x"><table class="tbl form">
                <thead><tr><th>{ "In the list" }</th><th class="n">{ "Machines" }</th><th class="n">{ "GPUs" }</th><th>{ "Stands for" }</th></tr></thead>
                <tbody>{ for models.iter().enumerate().map(|(at, model)| model_row(&format!("{id}-{at}"), model, &names)) }</tbody>
            </table></div>
            <div class="row-act">
                if is_used {
                    <span class="good" data-testid="machines-used">{ Icon::Check.html() }{ words::USED }</span>
                } else {
                    <button class="btn" type="button" data-testid="use-as-cluster" disabled={offered.is_empty()} onclick={use_them}>{ words::USE }</button>
                }
                <span class="muted">{ words::offer(count, gpus) }</span>
                { quotas(list, &scenario.tenants, dispatch) }
            </div>
        </div>
    }
}

/// What models stand for in the trace too: those whose name says nothing, and those that were given another meaning.
fn meanings(models: &[MachineModel], names: &TypeNames) -> TypeNames {
    let given = models.iter().filter(|model| !model.name.is_empty()).filter_map(|model| {
        let id = match names.get(&model.name) {
            Some(chosen) => chosen.clone(),
            None if model.known_as.is_none() => STAND_IN.to_owned(),
            None => return None,
        };
        (!id.is_empty()).then(|| (model.name.clone(), id))
    });
    given.collect()
}

fn model_row(id: &str, model: &MachineModel, names: &UseStateHandle<TypeNames>) -> Html {
    const LEFT_OUT: &str = "";
    let mut choices = vec![Choice::new(LEFT_OUT, words::LEAVE_OUT)];
    choices.extend(catalogue::models().iter().map(|known| Choice::new(known.id.clone(), known.id.clone())));
    let chosen = names.get(&model.name).map_or(model.known_as.unwrap_or(STAND_IN), String::as_str);
    let on_choice = {
        let (names, name) = (names.clone(), model.name.clone());
        Callback::from(move |choice: String| {
            let mut changed = (*names).clone();
            changed.insert(name.clone(), choice);
            names.set(changed);
        })
    };
    let label = words::stands_for(&model.name);
    let is_guess = model.known_as.is_none() && !names.contains_key(&model.name);
    html! {
        <tr key={model.name.clone()} data-model={model.name.clone()}>
            <th scope="row" class="mono">{ words::name(&model.name) }</th>
            <td class="n">{ format::count(model.nodes) }</td>
            <td class="n">{ format::count(model.gpus) }</td>
            <td>
                { select(id, &label, LabelShown::Hidden, &choices, chosen, &on_choice) }
                if is_guess { <small>{ words::GUESS }</small> }
            </td>
        </tr>
    }
}

/// A button that makes the quotas of a list the weights of its tenants.
fn quotas(list: &NodeReport, tenants: &TenantSpec, dispatch: &Callback<Action>) -> Html {
    if list.quotas.is_empty() {
        return html! {};
    }
    let weights = list.quotas.iter().map(|(tenant, gpus)| (tenant.clone(), *gpus)).collect();
    let weighted = TenantSpec { weights, ..tenants.clone() };
    if weighted == *tenants {
        return html! { <span class="good">{ Icon::Check.html() }{ words::WEIGHTS_USED }</span> };
    }
    let onclick = dispatch.reform(move |_: MouseEvent| Action::Edit(Edit::Tenants(weighted.clone())));
    html! { <button class="btn" type="button" data-testid="use-as-weights" {onclick}>{ words::USE_WEIGHTS }</button> }
}
