//! A policy's figures by tenant, GPU type and job class.

use std::rc::Rc;

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::figure::data_table;
use super::segmented;
use crate::app::comparison::Comparison;
use crate::app::groups::{self, GroupBy};
use crate::app::strings;

/// What the panels of this file and of the fairness properties need.
#[derive(Properties, Clone, PartialEq)]
pub(super) struct GroupsProps {
    /// The comparison.
    pub(super) comparison: Rc<Comparison>,
}

/// The panel.
#[component]
pub(super) fn Groups(props: &GroupsProps) -> Html {
    let by = use_state_eq(|| GroupBy::Tenant);
    let chosen = use_state_eq(|| None::<String>);
    let comparison = &props.comparison;
    let rows = comparison.rows();
    let row = rows
        .iter()
        .find(|row| chosen.as_ref() == Some(&row.label))
        .or_else(|| comparison.subject())
        .or_else(|| rows.first());
    let Some(row) = row else { return html! {} };
    let table = groups::table(comparison, row, *by);
    let on_choose = {
        let chosen = chosen.setter();
        Callback::from(move |event: Event| {
            chosen.set(Some(event.target_unchecked_into::<HtmlSelectElement>().value()));
        })
    };
    let groupings =
        [("Tenants", GroupBy::Tenant), ("GPU types", GroupBy::GpuType), ("Job classes", GroupBy::Class)];
    html! {
        <section class="panel" id="p-groups" data-testid="breakdown-panel" aria-labelledby="groups-h">
            <div class="p-head">
                <div><h2 id="groups-h">{ strings::GROUPS_TITLE }</h2><p>{ strings::groups(*by, comparison.planned_seeds()) }</p></div>
                <div class="p-act wrap">
                    { segmented("Group jobs by", &groupings, &by) }
                    <label class="inline"><span class="vh">{ "Policy" }</span>
                        <select onchange={on_choose}>{ for rows.iter().map(|of| html! {
                            <option value={of.label.clone()} selected={of.label == row.label}>{ of.title.clone() }</option>
                        }) }</select>
                    </label>
                </div>
            </div>
            <div class="scroll-x twin-box" tabindex="0" role="group" aria-labelledby="groups-h">{ data_table(&table) }</div>
        </section>
    }
}
