//! The table of key figures: what is shown of it, how it is sorted, and the files it leaves as.

use std::collections::BTreeSet;
use std::rc::Rc;

use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::exports::Exports;
use super::menu::Menu;
use super::{JobTable, line_sample};
use crate::app::comparison::Comparison;
use crate::app::kpi::{Cell, Column, DEFAULT_COLUMNS, Delta, GROUPS, KpiRow, KpiTable, Order};
use crate::app::strings;
use crate::metrics::spec::{Group, MetricSpec, metrics};

/// What the table needs.
#[derive(Properties, Clone, PartialEq)]
pub(super) struct KeyFiguresProps {
    /// The comparison.
    pub(super) comparison: Rc<Comparison>,
    /// Fingerprint of the scenario, for files.
    pub(super) scenario_hash: AttrValue,
    /// The trace, for file names.
    pub(super) trace_name: AttrValue,
    /// Today, for file names.
    pub(super) today: AttrValue,
    /// All runs are there.
    pub(super) is_whole: bool,
    /// The runs' job tables.
    pub(super) job_tables: Rc<Vec<JobTable>>,
}

/// The table with its controls.
#[component]
pub(super) fn KeyFigures(props: &KeyFiguresProps) -> Html {
    let chosen = use_state(|| BTreeSet::from(DEFAULT_COLUMNS));
    let all = use_state_eq(|| false);
    let intervals = use_state_eq(|| true);
    let group = use_state_eq(|| "time");
    let sorting = use_state_eq(|| None::<(&'static str, Order)>);
    let table = use_memo(
        (props.comparison.clone(), (*chosen).clone(), *all, *sorting),
        |(comparison, chosen, all, sorting)| {
            let every = || metrics().iter().map(|spec| spec.key).collect();
            let mut table = KpiTable::of(comparison, &if *all { every() } else { chosen.clone() });
            if let Some((key, order)) = sorting {
                table.sort(key, *order);
            }
            table
        },
    );
    let on_sort = {
        let sorting = sorting.clone();
        Callback::from(move |key: &'static str| {
            sorting.set(match *sorting {
                Some((sorted, Order::BestFirst)) if sorted == key => Some((key, Order::WorstFirst)),
                Some((sorted, Order::WorstFirst)) if sorted == key => None,
                _ => Some((key, Order::BestFirst)),
            });
        })
    };
    html! {
        <section class="panel flush" id="p-kpi" aria-labelledby="kpi-h">
            <div class="p-head">
                <div><h2 id="kpi-h">{ "Key figures" }</h2><p>{ what_is_shown(&props.comparison) }</p></div>
                <div class="p-act wrap">
                    { group_switch(&group) }
                    if table.has_intervals { { check("95\u{202f}% intervals", &intervals) } }
                    { check("All figures", &all) }
                    { column_chooser(&chosen, &all) }
                    <Exports comparison={props.comparison.clone()} scenario_hash={props.scenario_hash.clone()}
                        trace_name={props.trace_name.clone()} today={props.today.clone()} is_whole={props.is_whole}
                        job_tables={props.job_tables.clone()} />
                </div>
            </div>
            <div class="scroll-x kpi-wrap" tabindex="0" role="group" aria-labelledby="kpi-h">
                <table class={classes!("kpi", intervals.then_some("show-ci"))} data-testid="kpi-table" data-group={*group}>
                    { head(&table, *sorting, &on_sort) }
                    <tbody>{ for table.rows.iter().map(|row| body_row(&props.comparison, &table, row)) }</tbody>
                </table>
            </div>
            if props.comparison.rows().len() > 1 { { legend(&table) } }
            <details class="twin defs">
                <summary>{ "What the figures mean" }</summary>
                <dl>{ for table.columns.iter().map(|column| html! {
                    <div><dt>{ column.spec.title }</dt><dd>{ column.spec.help }</dd></div>
                }) }</dl>
            </details>
        </section>
    }
}

/// What the glyphs mean.
fn legend(table: &KpiTable) -> Html {
    html! {
        <p class="key">
            if table.has_intervals {
                <span><i class="good">{ "▼ ▲" }</i>{ strings::BETTER_BY_SEEDS }</span>
                <span><i class="bad">{ "▽ △" }</i>{ strings::WORSE_BY_SEEDS }</span>
                <span><i>{ "≈" }</i>{ strings::NO_DIFFERENCE }</span>
                <span><i>{ "±" }</i>{ strings::HALF_INTERVAL }</span>
                <span><i class="bestmark"></i>{ strings::BEST_BY_SEEDS }</span>
            } else {
                <span><i class="good">{ "▼ ▲" }</i>{ strings::BETTER_IN_ONE_RUN }</span>
                <span><i class="bad">{ "▽ △" }</i>{ strings::WORSE_IN_ONE_RUN }</span>
                <span>{ strings::ONE_RUN }</span>
            }
        </p>
    }
}

fn what_is_shown(comparison: &Comparison) -> String {
    let seeds = match comparison.planned_seeds() {
        1 => "One seed".to_owned(),
        n => format!("Mean of {n} seeds"),
    };
    match comparison.baseline().filter(|_| comparison.rows().len() > 1) {
        Some(baseline) => format!("{seeds}, and the difference to {}.", baseline.title),
        None => format!("{seeds}."),
    }
}

fn check(text: &'static str, state: &UseStateHandle<bool>) -> Html {
    let on_change = {
        let state = state.clone();
        Callback::from(move |event: Event| {
            state.set(event.target_unchecked_into::<HtmlInputElement>().checked());
        })
    };
    html! { <label class="check"><input type="checkbox" checked={**state} onchange={on_change} />{ text }</label> }
}

/// On a narrow page one group is shown at a time.
fn group_switch(shown: &UseStateHandle<&'static str>) -> Html {
    let button = |(_, title, word): (Group, &'static str, &'static str)| {
        let on_click = {
            let shown = shown.clone();
            Callback::from(move |_: MouseEvent| shown.set(word))
        };
        html! { <button type="button" aria-pressed={(**shown == word).to_string()} onclick={on_click}>{ title }</button> }
    };
    html! {
        <div class="seg slim-only" role="group" aria-label="Figures shown">{ for GROUPS.into_iter().map(button) }</div>
    }
}

fn column_chooser(chosen: &UseStateHandle<BTreeSet<&'static str>>, all: &UseStateHandle<bool>) -> Html {
    let entry = |spec: &'static MetricSpec| {
        let on_change = {
            let chosen = chosen.clone();
            Callback::from(move |event: Event| {
                let mut keys = (*chosen).clone();
                if event.target_unchecked_into::<HtmlInputElement>().checked() {
                    keys.insert(spec.key);
                } else {
                    keys.remove(spec.key);
                }
                chosen.set(keys);
            })
        };
        html! {
            <label class="check" title={spec.help}>
                <input type="checkbox" checked={**all || chosen.contains(spec.key)} disabled={**all} onchange={on_change} />{ spec.title }
            </label>
        }
    };
    html! {
        <Menu class="columns" title="Columns">
            { for GROUPS.into_iter().map(|(group, title, _)| html! {
                <fieldset><legend>{ title }</legend>
                    { for metrics().iter().filter(|spec| spec.group == group).map(entry) }
                </fieldset>
            }) }
        </Menu>
    }
}

fn word(group: Group) -> &'static str {
    GROUPS.iter().find(|(other, ..)| *other == group).map_or("", |(.., word)| word)
}

fn head(table: &KpiTable, sorting: Option<(&'static str, Order)>, on_sort: &Callback<&'static str>) -> Html {
    let group = |(group, title, word): (Group, &'static str, &'static str)| {
        let columns = table.columns.iter().filter(|column| column.spec.group == group).count();
        (columns > 0).then(|| {
            html! { <th scope="colgroup" class="gs" data-g={word} colspan={columns.to_string()}>{ title }</th> }
        })
    };
    let column = |column: &Column| {
        let key = column.spec.key;
        let order = sorting.filter(|(sorted, _)| *sorted == key).map(|(_, order)| order);
        let aria_sort =
            order.map(|order| if column.rises_when_sorted(order) { "ascending" } else { "descending" });
        html! {
            <th scope="col" class={column.starts_group.then_some("gs")} data-g={word(column.spec.group)} aria-sort={aria_sort}>
                <button type="button" class="sort" title={column.spec.help} onclick={on_sort.reform(move |_| key)}>
                    { column.spec.title }
                    if !column.unit().is_empty() { <small>{ "\u{a0}" }{ column.unit() }</small> }
                    if let Some(direction) = aria_sort {
                        <span aria-hidden="true">{ if direction == "ascending" { "\u{a0}↑" } else { "\u{a0}↓" } }</span>
                    }
                </button>
            </th>
        }
    };
    html! {
        <thead>
            <tr><td></td>{ for GROUPS.into_iter().filter_map(group) }</tr>
            <tr><th scope="col">{ "Policy" }</th>{ for table.columns.iter().map(column) }</tr>
        </thead>
    }
}

fn body_row(comparison: &Comparison, table: &KpiTable, row: &KpiRow) -> Html {
    let sample =
        comparison.rows().iter().find(|other| other.label == row.label).map(|row| comparison.key(row));
    html! {
        <tr key={row.label.clone()} data-policy={row.label.clone()} class={row.is_baseline.then_some("base")}>
            <th scope="row"><span class="rn">
                { sample.as_ref().map(line_sample).unwrap_or_default() }
                <span>{ row.title.clone() }if !row.remark.is_empty() { <small>{ row.remark.clone() }</small> }</span>
            </span></th>
            { for table.columns.iter().zip(&row.cells).map(|(column, figure)| body_cell(column, figure)) }
        </tr>
    }
}

fn body_cell(column: &Column, cell: &Cell) -> Html {
    let class = classes!(column.starts_group.then_some("gs"), cell.best.then_some("best"));
    html! {
        <td {class} data-g={word(column.spec.group)} data-metric={column.spec.key} data-value={cell.plain()}>
            <span class="v">{ cell.text.clone() }</span>
            if cell.best { <span class="vh">{ ", best" }</span> }
            if let Some(interval) = &cell.interval { <span class="ci">{ interval.clone() }</span> }
            { difference(&cell.delta) }
        </td>
    }
}

fn difference(delta: &Delta) -> Html {
    match delta {
        Delta::Baseline => html! { <span class="d">{ "\u{a0}" }</span> },
        Delta::Better { glyph, text } => html! {
            <span class="d good"><span aria-hidden="true">{ glyph }{ "\u{a0}" }</span>{ text.clone() }<span class="vh">{ ", better" }</span></span>
        },
        Delta::Worse { glyph, text } => html! {
            <span class="d bad"><span aria-hidden="true">{ glyph }{ "\u{a0}" }</span>{ text.clone() }<span class="vh">{ ", worse" }</span></span>
        },
        Delta::Neutral { text } => html! { <span class="d">{ text.clone() }</span> },
        Delta::WithinInterval => html! {
            <span class="d"><span aria-hidden="true">{ "≈" }</span><span class="vh">{ "inside the seeds' interval" }</span></span>
        },
        Delta::Equal => html! {
            <span class="d"><span aria-hidden="true">{ "=" }</span><span class="vh">{ "the same" }</span></span>
        },
        Delta::Remark { short, long } => html! {
            <span class="d" title={long.clone()}>
                <span aria-hidden="true">{ if short.is_empty() { "\u{a0}" } else { short } }</span><span class="vh">{ long.clone() }</span>
            </span>
        },
    }
}
