//! Every policy on the same instance.

use std::rc::Rc;

use yew::prelude::*;

use super::decision::holds;
use super::instance::swatch;
use crate::app::laboratory::Change;
use crate::app::laboratory::compare::{Comparison, Mark, Row};
use crate::app::laboratory::desk::Answered;
use crate::app::laboratory::draft::Draft;
use crate::app::laboratory::number::shown;
use crate::app::strings::counted;
use crate::app::strings::laboratory as words;
use crate::chart::format;

/// What the panel is given.
#[derive(Properties, Clone, PartialEq)]
pub(super) struct ComparisonProps {
    pub(super) answered: Rc<Answered>,
    pub(super) policy: AttrValue,
    pub(super) change: Callback<Change>,
}

/// The table.
#[component]
pub(super) fn ComparisonPanel(props: &ComparisonProps) -> Html {
    let ComparisonProps { answered, policy, change } = props;
    let draft = &answered.case.draft;
    let comparison = Comparison::of(&answered.answers);
    let columns = (draft.tenants.len() + 8).to_string();
    let body = |title: &'static str, rows: &[Row<'_>]| {
        html! {
            if !rows.is_empty() {
                <tbody>
                    <tr class="lab-part"><th scope="rowgroup" colspan={columns.clone()}>{ title }</th></tr>
                    { for rows.iter().map(|one| row(draft, one, policy, change)) }
                </tbody>
            }
        }
    };
    let refused = &comparison.refused;
    html! {
        <section class="panel flush" aria-labelledby="lab-cmp-h">
            <div class="p-head"><div>
                <h2 id="lab-cmp-h">{ "Every policy on this instance" }</h2>
                <p>{ "Choose one to see its decision. " }<span class="bestmark" aria-hidden="true"></span>{ words::MARKED }{ "." }</p>
            </div></div>
            <div class="scroll-x" tabindex="0" role="group" aria-labelledby="lab-cmp-h">
                <table class="tbl lab-cmp" data-testid="lab-compare">
                    <thead><tr>
                        <th scope="col">{ "Policy" }</th>
                        <th scope="col">{ "Measure" }</th>
                        <th scope="col" class="n">{ "Objective" }</th>
                        <th scope="col">{ "Proof" }</th>
                        { for draft.tenants.iter().enumerate().map(|(u, tenant)| html! {
                            <th scope="col" class="n">{ swatch("lab-cmp", u) }{ tenant.name.clone() }</th>
                        }) }
                        <th scope="col" class="n">{ "Least ratio" }</th>
                        <th scope="col">{ "Sharing incentive" }</th>
                        <th scope="col">{ "Envy-free" }</th>
                        <th scope="col">{ "Pareto" }</th>
                    </tr></thead>
                    { body(words::PROGRAMS, &comparison.own) }
                    { body(words::ROUNDS, &comparison.rounds) }
                </table>
            </div>
            <p class="lab-note">{ words::held(draft.types.iter().map(|t| t.name.as_str())) }{ " " }{ words::ABOUT_NUMBERS }</p>
            if !refused.is_empty() {
                <details class="twin lab-refusals" data-testid="lab-refusals">
                    <summary>{ format!("{} cannot decide this instance", counted(refused.len() as u64, "policy", "policies")) }</summary>
                    <dl>{ for refused.iter().map(|(name, why)| html! { <div key={*name}><dt>{ words::policy(name) }</dt><dd>{ *why }</dd></div> }) }</dl>
                </details>
            }
        </section>
    }
}

fn row(draft: &Draft, row: &Row<'_>, chosen: &str, change: &Callback<Change>) -> Html {
    let Row { policy, solved, mark } = *row;
    let name = policy.to_owned();
    let is_chosen = policy == chosen;
    let choose = {
        let name = name.clone();
        change.reform(move |_: MouseEvent| Change::Policy(name.clone()))
    };
    let objective = solved.answer.objective;
    let is_greatest = mark == Mark::Greatest;
    let feasible = solved.is_feasible();
    let tenant = |(index, tenant): (usize, &crate::solve::answer::TenantAnswer)| {
        let rate = tenant.rate.filter(|_| feasible);
        html! {
            <td class="n" key={index} data-metric="rate" data-tenant={tenant.name.clone()} data-value={rate.map(|rate| rate.to_string())}>
                { format::or_undefined(rate, shown) }
                if feasible { <small>{ solved.held_text(draft, &tenant.name) }</small> }
            </td>
        }
    };
    let envies: Vec<String> =
        solved.envies().map(|(tenant, other, _)| format!("{tenant} of {other}")).collect();
    let least = solved.least_ratio().filter(|_| feasible);
    html! {
        <tr key={name.clone()} class={is_chosen.then_some("sel")} data-policy={name.clone()}>
            <th scope="row">
                <button class="link" type="button" data-testid={format!("lab-policy-{name}")} aria-pressed={is_chosen.to_string()} onclick={choose}>{ words::policy(policy) }</button>
                <small>{ policy }</small>
            </th>
            <td class="lab-measure">{ words::scale(&solved.scale) }</td>
            <td class={classes!("n", is_greatest.then_some("best"))} data-metric="objective" data-value={objective.map(|value| value.to_string())}>
                <span class="v">{ format::or_undefined(objective, shown) }</span>
                if is_greatest { <span class="vh">{ format!(" ({})", words::GREATEST) }</span> }
            </td>
            <td class="lab-status" data-metric="gap" data-value={solved.answer.gap.map(|gap| gap.to_string())}>{ words::status(solved) }</td>
            { for solved.answer.tenants.iter().enumerate().map(tenant) }
            <td class={classes!("n", least.is_some_and(|ratio| ratio < 1.0 - 1e-6).then_some("bad"))} data-metric="least_ratio" data-value={least.map(|ratio| ratio.to_string())}>
                { format::or_undefined(least, shown) }
            </td>
            if feasible {
                <td>{ holds(solved.answer.properties.sharing_incentive) }</td>
                <td>{ holds(solved.answer.properties.envy_free) }if !envies.is_empty() { <small>{ words::few(&envies) }</small> }</td>
                <td>{ holds(solved.answer.properties.pareto_efficient) }</td>
            } else {
                <td colspan="3" class="muted">{ "no allocation satisfies it" }</td>
            }
        </tr>
    }
}
