//! What is said of the nodes of a cluster besides how many there are: what a GPU-hour costs, how often nodes break, and when there
//! are more or fewer.

use std::collections::BTreeSet;

use yew::prelude::*;

use super::field::{Choice, LabelShown, NumberField, OptionalNumberField, select};
use super::icon::Icon;
use super::rounds::MOST_MOMENT_S;
use super::setup::StepProps;
use crate::app::field::Range;
use crate::app::state::{Action, Edit, ListEdit};
use crate::app::strings;
use crate::chart::format;
use crate::cluster::catalogue;
use crate::scenario::{CapacityChange, FailureSpec, Scenario};

/// A repair, until the reader says how long it takes.
const REPAIR_H: f64 = 2.0;
/// Means of failures and repairs, in hours.
const BETWEEN_FAILURES: Range = Range::any(1e-3, 1e9);
const REPAIR: Range = Range::any(1e-6, 1e9);
/// When a further change is, until the reader says so: this long after the last one.
const STEP_S: f64 = 3_600.0;

/// Prices and failures by GPU, and changes of capacity by row.
#[component]
pub fn Service(props: &StepProps) -> Html {
    html! {
        <div class="service">
            { by_gpu(props) }
            { capacity(props) }
        </div>
    }
}

fn by_gpu(props: &StepProps) -> Html {
    let gpus: BTreeSet<&str> = props.scenario.cluster.nodes.iter().map(|row| row.gpu.as_str()).collect();
    html! {
        <section aria-labelledby="h-failures">
            <h3 id="h-failures">{ strings::BY_GPU }</h3>
            <p>{ strings::FAILURES }</p>
            <div class="scroll-x">
                <table class="tbl form" data-testid="failures">
                    <thead><tr>
                        <th>{ "GPU" }</th><th class="n">{ "Price of a GPU-hour" }</th><th class="n">{ "A node breaks every" }</th>
                        <th class="n">{ "A repair takes" }</th>
                    </tr></thead>
                    <tbody>{ for gpus.into_iter().map(|gpu| gpu_row(props, gpu)) }</tbody>
                </table>
            </div>
        </section>
    }
}

fn gpu_row(props: &StepProps, gpu: &str) -> Html {
    let StepProps { scenario, faults, dispatch, .. } = props;
    let spec = scenario.cluster.failures.get(gpu).copied();
    let title = catalogue::model(gpu).map_or_else(|| gpu.to_owned(), |model| model.name);
    let set_price = {
        let gpu = gpu.to_owned();
        Callback::from(move |price: Option<f64>| Ok(Edit::Price(gpu.clone(), price)))
    };
    let set_mtbf = {
        let gpu = gpu.to_owned();
        Callback::from(move |mtbf_h: Option<f64>| {
            let mttr_h = spec.map_or(REPAIR_H, |spec| spec.mttr_h);
            Ok(Edit::Failures(gpu.clone(), mtbf_h.map(|mtbf_h| FailureSpec { mtbf_h, mttr_h })))
        })
    };
    html! {
        <tr key={gpu.to_owned()}>
            <td>{ &title }</td>
            <td class="n">
                <OptionalNumberField name={format!("cluster.price_per_gpu_hour.{gpu}")} label={format!("Price of a GPU-hour, {title}")}
                    label_shown={LabelShown::Hidden} value={scenario.cluster.price_per_gpu_hour.get(gpu).copied()} range={Range::any(0.0, 1e6)}
                    faults={faults} edit={set_price} {dispatch} />
            </td>
            <td class="n">
                <OptionalNumberField name={format!("cluster.failures.{gpu}.mtbf_h")} label={format!("Mean time from a repair to the next failure, {title}")}
                    label_shown={LabelShown::Hidden} value={spec.map(|spec| spec.mtbf_h)} range={BETWEEN_FAILURES} unit="h" faults={faults}
                    edit={set_mtbf} {dispatch} />
            </td>
            <td class="n">
                if let Some(spec) = spec { { repair(props, gpu, &title, spec) } } else { <span class="muted">{ "never breaks" }</span> }
            </td>
        </tr>
    }
}

fn repair(props: &StepProps, gpu: &str, title: &str, spec: FailureSpec) -> Html {
    let edit = {
        let gpu = gpu.to_owned();
        Callback::from(move |mttr_h: f64| {
            Ok(Edit::Failures(gpu.clone(), Some(FailureSpec { mttr_h, ..spec })))
        })
    };
    html! {
        <NumberField name={format!("cluster.failures.{gpu}.mttr_h")} label={format!("Mean time of a repair, {title}")} label_shown={LabelShown::Hidden}
            value={spec.mttr_h} range={REPAIR} unit="h" faults={&props.faults} {edit} dispatch={&props.dispatch} />
    }
}

fn capacity(props: &StepProps) -> Html {
    let StepProps { scenario, dispatch, .. } = props;
    let changes = &scenario.cluster.changes;
    let rows: Vec<Choice> = row_choices(scenario);
    let further = scenario.cluster.nodes.first().map(|first| {
        let at_s = changes.iter().map(|change| change.at_s).fold(0.0, f64::max) + STEP_S;
        Edit::Capacity(ListEdit::Add(CapacityChange { at_s, row: 0, count: first.count }))
    });
    html! {
        <section aria-labelledby="h-capacity">
            <h3 id="h-capacity">{ strings::CAPACITY }</h3>
            <p>{ strings::CAPACITY_ABOUT }</p>
            <div class="scroll-x">
                <table class="tbl form" data-testid="capacity">
                    if !changes.is_empty() {
                        <thead><tr>
                            <th class="n">{ "From" }</th><th><span class="vh">{ "In days and hours" }</span></th><th>{ "Row" }</th><th class="n">{ "Nodes" }</th><th><span class="vh">{ "Remove" }</span></th>
                        </tr></thead>
                    }
                    <tbody>{ for changes.iter().enumerate().map(|(at, change)| change_row(props, at, *change, &rows)) }</tbody>
                </table>
            </div>
            if let Some(further) = further {
                <button class="link" type="button" data-testid="add-capacity" onclick={dispatch.reform(move |_: MouseEvent| Action::Edit(further.clone()))}>
                    { Icon::Plus.html() }{ "Add a change of capacity" }
                </button>
            }
        </section>
    }
}

/// The rows of the cluster, by position.
fn row_choices(scenario: &Scenario) -> Vec<Choice> {
    let rows = scenario.cluster.nodes.iter().enumerate();
    rows.map(|(at, row)| Choice::new(at.to_string(), format!("{}: {}, {}", at + 1, row.gpu, row.layout)))
        .collect()
}

fn change_row(props: &StepProps, at: usize, change: CapacityChange, rows: &[Choice]) -> Html {
    let StepProps { faults, dispatch, .. } = props;
    let name = |key: &str| format!("cluster.changes.{at}.{key}");
    let of = format!("of change {}", at + 1);
    let set = move |change: CapacityChange| Edit::Capacity(ListEdit::Set(at, change));
    let set_at = Callback::from(move |at_s: f64| Ok(set(CapacityChange { at_s, ..change })));
    let set_count =
        Callback::from(move |count: f64| Ok(set(CapacityChange { count: count as u32, ..change })));
    let set_row = dispatch.reform(move |row: String| {
        let row = row.parse().unwrap_or(change.row);
        Action::Edit(set(CapacityChange { row, ..change }))
    });
    let remove = dispatch.reform(move |_: MouseEvent| Action::Edit(Edit::Capacity(ListEdit::Remove(at))));
    html! {
        <tr key={at}>
            <td class="n">
                <NumberField name={name("at_s")} label={format!("Time {of}")} label_shown={LabelShown::Hidden} value={change.at_s}
                    range={Range::any(0.0, MOST_MOMENT_S)} unit="s" {faults} edit={set_at} {dispatch} />
            </td>
            <td class="muted">{ format::elapsed(change.at_s) }</td>
            <td>{ select(&name("row"), &format!("Row {of}"), LabelShown::Hidden, rows, &change.row.to_string(), &set_row) }</td>
            <td class="n">
                <NumberField name={name("count")} label={format!("Nodes {of}")} label_shown={LabelShown::Hidden} value={f64::from(change.count)}
                    range={Range::whole(0.0, 1e6)} {faults} edit={set_count} {dispatch} />
            </td>
            <td>
                <button class="btn ghost icon" type="button" aria-label={format!("Remove change {}", at + 1)} onclick={remove}>{ Icon::Cross.html() }</button>
            </td>
        </tr>
    }
}
