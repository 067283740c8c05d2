//! Weights that change while jobs run, and the weight of tenants that have none of their own.

use yew::prelude::*;

use super::field::{LabelShown, NumberField, TextField};
use super::icon::Icon;
use super::rounds::MOST_MOMENT_S;
use super::setup::StepProps;
use super::tenants::WEIGHT;
use crate::app::field::Range;
use crate::app::state::{Action, Edit, ListEdit};
use crate::app::strings;
use crate::chart::format;
use crate::scenario::WeightChangeSpec;

/// When a further change is, until the reader says so: this long after the last one.
const STEP_S: f64 = 3_600.0;
/// Names that are suggested as one types; any other may be typed. Browsers take seconds over lists of many thousands.
const MOST_SUGGESTED: usize = 200;
/// The id of the list of tenants' names.
const NAMES: &str = "tenant-names";

/// The panel below the table of tenants.
#[component]
pub fn WeightChanges(props: &StepProps) -> Html {
    let StepProps { scenario, faults, dispatch, .. } = props;
    let changes = &scenario.tenants.changes;
    let names = names(props);
    let further = names.first().cloned().map(|tenant| {
        let at_s = changes.iter().map(|change| change.at_s).fold(0.0, f64::max) + STEP_S;
        Edit::WeightChanges(ListEdit::Add(WeightChangeSpec { at_s, tenant, weight: 1.0 }))
    });
    let set_default = Callback::from(|weight: f64| Ok(Edit::DefaultWeight(weight)));
    html! {
        <div class="panel service">
            <section aria-labelledby="h-weight-changes">
                <h3 id="h-weight-changes">{ strings::WEIGHT_CHANGES }</h3>
                <p>{ strings::WEIGHT_CHANGES_ABOUT }</p>
                <datalist id={NAMES}>{ for names.iter().take(MOST_SUGGESTED).map(|name| html! { <option key={name.clone()} value={name.clone()} /> }) }</datalist>
                <div class="scroll-x">
                    <table class="tbl form" data-testid="weight-changes">
                        if !changes.is_empty() {
                            <thead><tr>
                                <th class="n">{ "From" }</th><th><span class="vh">{ "In days and hours" }</span></th><th>{ "Tenant" }</th><th class="n">{ "Weight" }</th>
                                <th><span class="vh">{ "Remove" }</span></th>
                            </tr></thead>
                        }
                        <tbody>{ for changes.iter().enumerate().map(|(at, change)| change_row(props, at, change)) }</tbody>
                    </table>
                </div>
                if let Some(further) = further {
                    <button class="link" type="button" data-testid="add-weight-change" onclick={dispatch.reform(move |_: MouseEvent| Action::Edit(further.clone()))}>
                        { Icon::Plus.html() }{ "Add a change of weight" }
                    </button>
                }
            </section>
            <NumberField name="tenants.default_weight" label="Weight of all others" help={strings::DEFAULT_WEIGHT} value={scenario.tenants.default_weight}
                range={WEIGHT} faults={faults} edit={set_default} {dispatch} />
        </div>
    }
}

/// The tenants of the workload, most GPU-hours first.
fn names(props: &StepProps) -> Vec<String> {
    let by = props.scenario.workload.trace.as_ref().map(|trace| trace.tenants).unwrap_or_default();
    let loads = props.input.as_ref().map(|input| input.contents.digest.tenants_by(by)).unwrap_or_default();
    loads.into_iter().map(|load| load.name).collect()
}

fn change_row(props: &StepProps, at: usize, change: &WeightChangeSpec) -> Html {
    let StepProps { faults, dispatch, .. } = props;
    let name = |key: &str| format!("tenants.changes.{at}.{key}");
    let of = format!("of change {} of a weight", at + 1);
    let set = move |change: WeightChangeSpec| Edit::WeightChanges(ListEdit::Set(at, change));
    let set_at = {
        let change = change.clone();
        Callback::from(move |at_s: f64| Ok(set(WeightChangeSpec { at_s, ..change.clone() })))
    };
    let set_weight = {
        let change = change.clone();
        Callback::from(move |weight: f64| Ok(set(WeightChangeSpec { weight, ..change.clone() })))
    };
    let set_tenant = {
        let (change, props) = (change.clone(), props.clone());
        Callback::from(move |text: String| match names(&props).into_iter().find(|name| name == text.trim()) {
            Some(tenant) => Ok(set(WeightChangeSpec { tenant, ..change.clone() })),
            None => Err(strings::unknown_tenant(text.trim())),
        })
    };
    let remove =
        dispatch.reform(move |_: MouseEvent| Action::Edit(Edit::WeightChanges(ListEdit::Remove(at))));
    html! {
        <tr key={at}>
            <td class="n">
                <NumberField name={name("at_s")} label={format!("Time {of}")} label_shown={LabelShown::Hidden} value={change.at_s}
                    range={Range::any(0.0, MOST_MOMENT_S)} unit="s" {faults} edit={set_at} {dispatch} />
            </td>
            <td class="muted">{ format::elapsed(change.at_s) }</td>
            <td>
                <TextField name={name("tenant")} label={format!("Tenant {of}")} label_shown={LabelShown::Hidden} value={change.tenant.clone()}
                    suggestions={NAMES} {faults} read={set_tenant} {dispatch} />
            </td>
            <td class="n">
                <NumberField name={name("weight")} label={format!("Weight {of}")} label_shown={LabelShown::Hidden} value={change.weight} range={WEIGHT}
                    {faults} edit={set_weight} {dispatch} />
            </td>
            <td>
                <button class="btn ghost icon" type="button" aria-label={format!("Remove change {} of a weight", at + 1)} onclick={remove}>{ Icon::Cross.html() }</button>
            </td>
        </tr>
    }
}
