//! A policy's figures by tenant, GPU type and job class.

use std::rc::Rc;

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::figure::data_table;
use super::segmented;
use crate::app::comparison::Comparison;
use crate::app::groups::{self, GroupBy};
use crate::app::strings;
use crate::chart::{Table, format};

/// What the panels of this file and of the fairness properties need.
#[derive(Properties, Clone, PartialEq)]
pub(super) struct GroupsProps {
    /// The comparison.
    pub(super) comparison: Rc<Comparison>,
}

/// So many groups are in the page before the reader asks for all.
const MOST: usize = 100;

/// The panel.
#[component]
pub(super) fn Groups(props: &GroupsProps) -> Html {
    let by = use_state_eq(|| GroupBy::Tenant);
    let chosen = use_state_eq(|| None::<String>);
    let all = use_state_eq(|| false);
    let comparison = &props.comparison;
    let rows = comparison.rows();
    let row = rows
        .iter()
        .find(|row| chosen.as_ref() == Some(&row.label))
        .or_else(|| comparison.subject())
        .or_else(|| rows.first());
    let label = row.map(|row| row.label.clone());
    let table = use_memo((comparison.clone(), label, *by), |(comparison, label, by)| {
        let row = comparison.rows().iter().find(|row| Some(&row.label) == label.as_ref());
        row.map(|row| groups::table(comparison, row, *by)).unwrap_or_default()
    });
    let shown = use_memo((table.clone(), *all), |(table, all)| {
        let most = if *all { usize::MAX } else { MOST };
        Table { header: table.header.clone(), rows: table.rows.iter().take(most).cloned().collect() }
    });
    let Some(row) = row else { return html! {} };
    let count = table.rows.len();
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
            <div class="scroll-x twin-box" tabindex="0" role="group" aria-labelledby="groups-h">{ data_table(&shown) }</div>
            if count > MOST {
                <p class="legend"><button class="link" type="button" data-testid="groups-all" onclick={let all = all.clone(); Callback::from(move |_: MouseEvent| all.set(!*all))}>
                    { if *all { format!("Show the first {MOST}") } else { format!("Show all {}", format::count(count as u64)) } }
                </button></p>
            }
        </section>
    }
}
