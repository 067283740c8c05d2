//! Step 4: tenants, their weights, and what they ask for against what they are entitled to.

use std::collections::BTreeMap;
use std::rc::Rc;

use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::field::{LabelShown, NumberField};
use super::setup::{StepProps, step_head};
use super::weight_changes::WeightChanges;
use crate::app::field::Range;
use crate::app::shares::{Share, Shares};
use crate::app::state::{Action, Edit, Faults};
use crate::chart::format;
use crate::cluster::Cluster;

/// Rows shown at once.
const MOST_ROWS: usize = 50;

/// What a weight may be.
pub const WEIGHT: Range = Range::any(0.0, 1e6);

/// Tenants beyond this many have no filter to find them by.
const FILTER_FROM: usize = 20;

/// Step 4.
#[component]
pub fn TenantStep(props: &StepProps) -> Html {
    let StepProps { scenario, faults, input, dispatch } = props;
    let wanted = use_state(String::new);
    let on_search = {
        let wanted = wanted.clone();
        Callback::from(move |event: InputEvent| {
            if let Some(input) = event.target_dyn_into::<HtmlInputElement>() {
                wanted.set(input.value().to_lowercase());
            }
        })
    };
    let tenants_by = scenario.workload.trace.as_ref().map(|trace| trace.tenants).unwrap_or_default();
    let loads = input.as_ref().map(|input| input.contents.digest.tenants_by(tenants_by)).unwrap_or_default();
    let shares = Shares::of(&loads, &scenario.tenants);
    let equal = dispatch.reform(|_: MouseEvent| Action::Edit(Edit::Weights(BTreeMap::new())));
    let by_hours = {
        let weights = shares.weights_by_demand();
        dispatch.reform(move |_: MouseEvent| Action::Edit(Edit::Weights(weights.clone())))
    };
    let actions = html! {
        <>
            if loads.len() > FILTER_FROM {
                <input class="search" type="search" placeholder="Find a tenant" aria-label="Find a tenant" oninput={on_search} />
            }
            <button class="btn" type="button" onclick={equal}>{ "Equal weights" }</button>
            <button class="btn" type="button" onclick={by_hours} disabled={loads.is_empty()}>{ "By GPU-hours" }</button>
        </>
    };
    let cluster = scenario.build_cluster().unwrap_or_default();
    let found: Vec<&Share> =
        shares.rows.iter().filter(|share| share.name.to_lowercase().contains(wanted.as_str())).collect();
    let hidden = found.len().saturating_sub(MOST_ROWS);
    html! {
        <section class="step" id="s-tenants" tabindex="-1" aria-labelledby="h-tenants">
            { step_head(4, "h-tenants", "Tenants", "Entitlement is the weighted share of every GPU type", actions) }
            if loads.is_empty() {
                <p class="panel muted">{ "Tenants appear here with the trace." }</p>
            } else {
                <div class="panel flush scroll-x">
                    <table class="tbl form" id="ten-table">
                        { head(&cluster) }
                        <tbody>
                            { for found.into_iter().take(MOST_ROWS).map(|share| html! {
                                <TenantRow key={share.name.clone()} share={share.clone()} slots={slots(&cluster, share.share)}
                                    most={shares.most} faults={faults} dispatch={dispatch} />
                            }) }
                        </tbody>
                        { foot(&shares, &cluster) }
                    </table>
                </div>
                if hidden > 0 {
                    <p class="note">{ format!("{} more, with fewer GPU-hours; find them by name.", format::count(hidden as u64)) }</p>
                }
                <WeightChanges ..props.clone() />
            }
        </section>
    }
}

/// A tenant's slots of each type.
fn slots(cluster: &Cluster, share: f64) -> Vec<f64> {
    cluster.types().iter().map(|kind| f64::from(kind.total_slots()) * share).collect()
}

fn head(cluster: &Cluster) -> Html {
    html! {
        <thead><tr>
            <th>{ "Tenant" }</th><th class="n">{ "Jobs" }</th><th class="n">{ "GPU-hours" }</th><th class="n">{ "Weight" }</th><th class="n">{ "Share" }</th>
            { for cluster.types().iter().map(|kind| html! { <th class="n" key={kind.name.clone()}>{ format!("{} slots", kind.name) }</th> }) }
            <th class="bar">{ "Demand against share" }</th>
        </tr></thead>
    }
}

fn foot(shares: &Shares, cluster: &Cluster) -> Html {
    html! {
        <tfoot><tr>
            <td>{ crate::app::strings::counted(shares.rows.len() as u64, "tenant", "tenants") }</td>
            <td class="n">{ format::count(shares.jobs) }</td>
            <td class="n">{ format::number(shares.gpu_hours, 0) }</td>
            <td class="n">{ format::significant(shares.weight, 3) }</td>
            <td class="n">{ format::percent(1.0, 0) }</td>
            { for cluster.types().iter().map(|kind| html! { <td class="n" key={kind.name.clone()}>{ format::count(u64::from(kind.total_slots())) }</td> }) }
            <td class="bar"><small>{ "bar: GPU-hours asked; mark: share" }</small></td>
        </tr></tfoot>
    }
}

#[derive(Properties, PartialEq)]
struct RowProps {
    share: Share,
    slots: Vec<f64>,
    most: f64,
    faults: Rc<Faults>,
    dispatch: Callback<Action>,
}

#[component]
fn TenantRow(props: &RowProps) -> Html {
    let RowProps { share, slots, most, faults, dispatch } = props;
    let field = format!("tenants.weights.{}", share.name);
    let tenant = share.name.clone();
    let edit = Callback::from(move |weight: f64| Ok(Edit::Weight(tenant.clone(), weight)));
    html! {
        <tr>
            <td>{ share.name.clone() }</td>
            <td class="n">{ format::count(share.jobs) }</td>
            <td class="n">{ format::number(share.gpu_hours, 0) }</td>
            <td class="n">
                <NumberField name={field.clone()} label={format!("Weight of {}", share.name)} label_shown={LabelShown::Hidden} value={share.weight}
                    range={WEIGHT} {faults} {edit} {dispatch} />
            </td>
            <td class="n">{ format::percent(share.share, 1) }</td>
            { for slots.iter().enumerate().map(|(at, slots)| html! { <td class="n" key={at}>{ format::number(*slots, 1) }</td> }) }
            <td class="bar">{ bar(share, *most) }</td>
        </tr>
    }
}

/// What a tenant asks for, with a mark at what it is entitled to.
fn bar(share: &Share, most: f64) -> Html {
    let percent = |part: f64| format!("{:.2}%", (part / most.max(1e-9) * 100.0).clamp(0.0, 100.0));
    let label =
        format!("demand {}, share {}", format::percent(share.demand, 1), format::percent(share.share, 1));
    html! {
        <svg width="100%" height="14" role="img" aria-label={label}>
            <rect class="idle" width="100%" height="14" rx="2" />
            <rect class="acc" width={percent(share.demand)} height="14" rx="2" />
            <rect class="mark" x={percent(share.share)} width="2" height="14" />
        </svg>
    }
}
