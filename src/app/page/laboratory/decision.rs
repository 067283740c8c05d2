//! The policy that is looked at: what it decides, what every tenant has of it, and what can be said against it.

use yew::prelude::*;

use super::AnsweredProps;
use super::instance::swatch;
use crate::app::export::{Seeds, file_name};
use crate::app::laboratory::allocation;
use crate::app::laboratory::answers::Solved;
use crate::app::laboratory::desk::{Answered, Search};
use crate::app::laboratory::draft::{Draft, Kind};
use crate::app::laboratory::number::{difference, shown};
use crate::app::page::browser;
use crate::app::page::icon::Icon;
use crate::app::page::results::figure::Figure;
use crate::app::page::results::plot::Drawing;
use crate::app::page::width::use_width;
use crate::app::strings::laboratory as words;
use crate::chart::{Chart, ShareChart, format};
use crate::solve::answer::{AnswerStatus, TenantAnswer};
use std::rc::Rc;

/// What the panel is given.
#[derive(Properties, Clone, PartialEq)]
pub(super) struct DecisionProps {
    pub(super) answered: Rc<Answered>,
    pub(super) policy: AttrValue,
    pub(super) search: Option<Search>,
    pub(super) can_search: bool,
    pub(super) on_search: Callback<()>,
}

/// The decision.
#[component]
pub(super) fn DecisionPanel(props: &DecisionProps) -> Html {
    let DecisionProps { answered, policy, .. } = props;
    let draft = &answered.case.draft;
    let title = words::policy(policy).to_owned();
    let about = words::about_policy(policy);
    html! {
        <section class="panel lab-dec" aria-labelledby="lab-dec-h" data-testid="lab-decision">
            { match answered.result(policy) {
                Some(Ok(solved)) => html! {
                    <>
                        <div class="p-head">
                            <div><h2 id="lab-dec-h">{ format!("{title}: {}", words::objective(solved)) }</h2><p>{ about }</p></div>
                            { proof(solved) }
                        </div>
                        { facts(solved) }
                        if solved.is_feasible() {
                            <div class="scroll-x" tabindex="0" role="group" aria-label="What every tenant has">{ tenants(draft, solved) }</div>
                            { properties(solved) }
                            if draft.kind == Kind::Integer { { jobs(draft, solved) } }
                            { reports(props) }
                        }
                    </>
                },
                Some(Err(why)) => html! {
                    <>
                        <div class="p-head"><div><h2 id="lab-dec-h">{ format!("{title} cannot decide this instance") }</h2><p>{ about }</p></div></div>
                        <p class="lab-why" data-testid="lab-why">{ why.to_owned() }</p>
                    </>
                },
                None => html! { <h2 id="lab-dec-h">{ title }</h2> },
            } }
        </section>
    }
}

/// Whether it is proven.
fn proof(solved: &Solved) -> Html {
    let (icon, class) = match solved.answer.status {
        AnswerStatus::Optimal => (Icon::Check, "proof"),
        AnswerStatus::Feasible => (Icon::Info, "proof open"),
        AnswerStatus::Infeasible => (Icon::Cross, "proof no"),
    };
    html! { <span {class} data-testid="lab-status">{ icon.html() }{ words::status(solved) }</span> }
}

/// Objective, bound, gap, and how it was reached.
fn facts(solved: &Solved) -> Html {
    let number = |value: Option<f64>| format::or_undefined(value, shown);
    let fact = |name: &'static str, metric: &'static str, value: Option<f64>, text: String| {
        html! { <div><dt>{ name }</dt><dd data-metric={metric} data-value={value.map(|value| value.to_string())}>{ text }</dd></div> }
    };
    let percent = |value: Option<f64>| {
        format::or_undefined(value, |gap| format::percent(gap, if gap > 0.0 { 2 } else { 0 }))
    };
    html! {
        <>
            <dl class="lab-facts">
                { fact("Objective", "objective", solved.answer.objective, number(solved.answer.objective)) }
                { fact("Bound", "bound", solved.answer.bound, number(solved.answer.bound)) }
                { fact("Gap", "gap", solved.answer.gap, percent(solved.answer.gap)) }
                if let Some(lost) = solved.answer.packing_gap { { fact("Lost in packing", "packing_gap", Some(lost), shown(lost)) } }
                { fact("States", "states", Some(solved.answer.states as f64), format::count(solved.answer.states)) }
            </dl>
            <p class="lab-proof" data-testid="lab-proof">
                <b>{ "Proof: " }</b>{ words::proof(&solved.answer.proof) }{ "." }
                if let Some(counts) = solved.answer.counts { { " " }{ words::counts(counts.fitting, counts.allowed, counts.optimal) } }
            </p>
        </>
    }
}

/// A row a tenant.
fn tenants(draft: &Draft, solved: &Solved) -> Html {
    let unit = if draft.kind == Kind::Divisible { "devices" } else { "slots" };
    let has_floors = solved.answer.tenants.iter().any(|tenant| tenant.floor.is_some());
    let has_kept = solved.answer.tenants.iter().any(|tenant| tenant.kept.is_some());
    let figure = |metric: &'static str, value: Option<f64>, class: Option<&'static str>| {
        html! { <td class={classes!("n", class)} data-metric={metric} data-value={value.map(|value| value.to_string())}>{ format::or_undefined(value, shown) }</td> }
    };
    let row = |(u, tenant): (usize, &TenantAnswer)| {
        let held = solved.held(draft, &tenant.name);
        let envied = solved.envied_by(&tenant.name);
        let is_below = tenant.si_ratio.is_some_and(|ratio| ratio < 1.0 - 1e-6);
        html! {
            <tr key={u} data-tenant={tenant.name.clone()}>
                <th scope="row"><span class="lab-name">{ swatch("lab-dec", u) }{ tenant.name.clone() }</span></th>
                { for held.into_iter().map(|held| html! { <td class="n">{ shown(held) }</td> }) }
                { figure("rate", tenant.rate, Some("b")) }
                if has_floors { { figure("floor", tenant.floor, None) } }
                { figure("equal_split_rate", tenant.equal_split_rate, None) }
                { figure("si_ratio", tenant.si_ratio, is_below.then_some("bad")) }
                if has_kept { { figure("kept", tenant.kept, None) } }
                <td>{ if envied.is_empty() { "nobody".to_owned() } else { envied.join(", ") } }</td>
            </tr>
        }
    };
    html! {
        <table class="tbl slim lab-tenants" data-testid="lab-tenants">
            <thead><tr>
                <th scope="col">{ "Tenant" }</th>
                { for draft.types.iter().map(|t| html! { <th scope="col" class="n">{ format!("{} {unit}", t.name) }</th> }) }
                <th scope="col" class="n">{ "Rate" }</th>
                if has_floors { <th scope="col" class="n">{ "Floor" }</th> }
                <th scope="col" class="n">{ "Equal split" }</th>
                <th scope="col" class="n">{ "Ratio" }</th>
                if has_kept { <th scope="col" class="n">{ "Kept" }</th> }
                <th scope="col">{ "Envies" }</th>
            </tr></thead>
            <tbody>{ for solved.answer.tenants.iter().enumerate().map(row) }</tbody>
        </table>
    }
}

/// A property with what is known of it.
pub(super) fn holds(value: Option<bool>) -> Html {
    let (icon, class) = match value {
        Some(true) => (Icon::Check, "good"),
        Some(false) => (Icon::Cross, "bad"),
        None => (Icon::Info, "muted"),
    };
    html! { <span class={classes!("lab-holds", class)}>{ icon.html() }{ words::holds(value) }</span> }
}

fn properties(solved: &Solved) -> Html {
    let below =
        solved.answer.tenants.iter().filter(|tenant| tenant.si_ratio.is_some_and(|ratio| ratio < 1.0 - 1e-6));
    let below: Vec<String> = below
        .map(|tenant| {
            format!("{} has {} of its equal split", tenant.name, format::or_undefined(tenant.si_ratio, shown))
        })
        .collect();
    let envies: Vec<String> = solved
        .envies()
        .map(|(tenant, other, envy)| {
            format!("{tenant} would gain {} with what {other} has", difference(envy.could_have, envy.has))
        })
        .collect();
    let wasted: Vec<String> = solved
        .wasted()
        .iter()
        .map(|(has, could)| {
            format!(
                "a sum of rates of {} instead of {} is possible with nobody worse off",
                shown(*could),
                shown(*has)
            )
        })
        .collect();
    let row = |name: &'static str, testid: &'static str, value: Option<bool>, why: Vec<String>| {
        html! {
            <div>
                <dt>{ name }</dt>
                <dd data-testid={testid}>{ holds(value) }if !why.is_empty() { <span>{ why.join("; ") }{ "." }</span> }</dd>
            </div>
        }
    };
    html! {
        <dl class="lab-props">
            { row("Sharing incentive", "lab-si", solved.answer.properties.sharing_incentive, below) }
            { row("Envy-free", "lab-ef", solved.answer.properties.envy_free, envies) }
            { row("Pareto-efficient", "lab-pe", solved.answer.properties.pareto_efficient, wasted) }
        </dl>
    }
}

/// Which job takes what.
fn jobs(draft: &Draft, solved: &Solved) -> Html {
    /// So many jobs are listed without being asked for.
    const MOST_OPEN: usize = 6;
    let count: usize = draft.tenants.iter().map(|tenant| tenant.jobs.len()).sum();
    let row = |tenant: &str, job: &str| {
        let part = solved
            .answer
            .allocation
            .iter()
            .find(|part| part.tenant == tenant && part.job.as_deref() == Some(job));
        let text = |value: Option<u32>| value.map_or_else(String::new, |value| value.to_string());
        html! {
            <tr>
                <th scope="row">{ tenant.to_owned() }</th>
                <td>{ job.to_owned() }</td>
                if let Some(part) = part {
                    <td>{ part.gpu.clone() }</td>
                    <td class="n">{ text(part.slots) }</td>
                    <td class="n">{ text(part.devices) }</td>
                    <td class="n">{ shown(part.rate) }</td>
                } else {
                    <td colspan="4" class="muted">{ "waits" }</td>
                }
            </tr>
        }
    };
    html! {
        <details class="twin" open={count <= MOST_OPEN}>
            <summary>{ "Job by job" }</summary>
            <div class="scroll-x twin-box" tabindex="0" role="group" aria-label="Allocation, job by job">
                <table class="tbl slim">
                    <thead><tr>
                        <th scope="col">{ "Tenant" }</th><th scope="col">{ "Job" }</th><th scope="col">{ "Type" }</th>
                        <th scope="col" class="n">{ "Slots each" }</th><th scope="col" class="n">{ "Devices" }</th><th scope="col" class="n">{ "Rate" }</th>
                    </tr></thead>
                    <tbody>{ for draft.tenants.iter().flat_map(|tenant| tenant.jobs.iter().map(|job| row(&tenant.name, &job.name))) }</tbody>
                </table>
            </div>
        </details>
    }
}

/// The search for false reports.
fn reports(props: &DecisionProps) -> Html {
    let search = props.search.as_ref().filter(|search| search.policy == *props.policy);
    let is_busy = search.is_some_and(|search| search.found.is_none());
    html! {
        <div class="lab-reports" data-testid="lab-reports">
            <div class="lab-reports-h">
                <h3>{ "Does lying pay?" }</h3>
                <button class="btn" type="button" data-testid="lab-search" disabled={is_busy || !props.can_search}
                    onclick={props.on_search.reform(|_: MouseEvent| ())}>{ if is_busy { "Searching …" } else { "Search for false reports" } }</button>
            </div>
            <p class="muted">{ words::ABOUT_REPORTS }</p>
            <div role="status">
                if let Some(found) = search.and_then(|search| search.found.as_ref()) {
                    { match found {
                        Ok(search) => html! {
                            <>
                                <p data-testid="lab-found">{ words::found(search) }</p>
                                <ul class="plain lab-best">
                                    { for search.tenants.iter().enumerate().map(|(u, best)| html! {
                                        <li key={u}><b>{ best.tenant.clone() }</b>{ " " }{ words::best_report(best) }{ "." }</li>
                                    }) }
                                </ul>
                            </>
                        },
                        Err(why) => html! { <p class="ferr">{ why.clone() }</p> },
                    } }
                }
            </div>
        </div>
    }
}

/// The allocation as a chart.
#[component]
pub(super) fn AllocationFigure(props: &AnsweredProps) -> Html {
    let (node, width) = use_width();
    let cursor = use_state_eq(|| None::<f64>);
    let data = use_memo(props.clone(), |AnsweredProps { answered, policy }| {
        let solved = answered.result(policy)?.ok().filter(|solved| solved.is_feasible())?;
        Some(allocation::chart(&answered.case.draft, solved))
    });
    let chart = use_memo((data.clone(), width.to_bits()), |(data, width)| {
        let width = f64::from_bits(*width);
        let data = ShareChart::clone(data.as_ref().as_ref()?);
        (width > 0.0).then(|| Drawing::new(ShareChart { width, ..data }))
    });
    let Some(data) = data.as_ref() else { return html! {} };
    let title = words::policy(&props.policy).to_owned();
    let name = file_name("laboratory", &props.policy, Seeds::All(&[]), &browser::today(), "svg");
    html! {
        <Figure id="lab-alloc-fig" class="lab-fig" testid="lab-allocation" title="Who has what" caption={html! { data.summary() }}
            chart={(*chart).clone()} {node} label="Parts of every GPU type; arrow keys move from type to type"
            cursor={*cursor} on_cursor={let cursor = cursor.setter(); Callback::from(move |column| cursor.set(Some(column)))}
            file_name={name} footnote={format!("{title}, one decision. STS-Sim {}", env!("CARGO_PKG_VERSION"))} />
    }
}
