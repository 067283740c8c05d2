//! One run at one moment: what is said of it, its devices, its tenants and its queue.

use std::rc::Rc;

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::Pinned;
use crate::app::explain::Ledger;
use crate::app::moment::{Moment, Moments, TenantNow, Titles, drawing};
use crate::app::page::width::use_width;
use crate::app::strings::moment as words;
use crate::chart::format;
use crate::chart::palette::tenant_swatch;

/// Most tenants in the table.
const MOST_TENANTS: usize = 50;

#[derive(Properties, Clone, PartialEq)]
pub(super) struct PaneProps {
    /// Unique in the page.
    pub(super) id: String,
    /// What the run is called.
    pub(super) run: String,
    /// The run.
    pub(super) moments: Pinned,
    /// What it is at the moment.
    pub(super) moment: Rc<Moment>,
    /// Its ledger, if its policy keeps one.
    pub(super) ledger: Option<Rc<Ledger>>,
    /// The moment, and the round it is in.
    pub(super) time_s: f64,
    pub(super) round: u64,
    /// Left while it plays.
    pub(super) titles: Titles,
    /// The round is to be explained.
    pub(super) on_explain: Callback<()>,
}

/// The run at the moment.
#[component]
pub(super) fn Pane(props: &PaneProps) -> Html {
    let (node, width) = use_width();
    let of_tenant = use_state_eq(|| None::<u32>);
    let PaneProps { moments: Pinned(moments), moment, .. } = props;
    let of = (props.moments.clone(), moment.clone(), width.to_bits(), props.titles);
    let devices = use_memo(of, |(of, moment, width, titles)| {
        let width = f64::from_bits(*width);
        let scene = (width > 0.0).then(|| drawing(&of.0, moment, width, &props.id, *titles));
        AttrValue::from(scene.map(|scene| scene.to_svg()).unwrap_or_default())
    });
    let tenants: Vec<u32> =
        (0_u32..).zip(&moment.tenants).filter(|(_, of)| is_there(of)).map(|(tenant, _)| tenant).collect();
    let explain = props.on_explain.reform(|_: MouseEvent| ());
    html! {
        <div data-testid="moment-pane">
            <p class="mo-head" data-testid="moment-headline">{ words::headline(moments, moment, props.time_s, &props.run) }</p>
            <div class="plot" ref={node} data-testid="moment-devices">{ Html::from_html_unchecked((*devices).clone()) }</div>
            <div class="mo-tables">
                <div class="scroll-x" tabindex="0" role="group" aria-label={format!("Tenants under {}", props.run)}>{ tenants_table(props, moment, &tenants) }</div>
                <div class="mo-queue">
                    <div class="mo-queue-head">
                        { queue_of(moments, &tenants, &of_tenant) }
                        <button class="btn" type="button" data-testid="moment-explain" onclick={explain}>{ format!("Why, in round {}", props.round) }</button>
                    </div>
                    { queue(moments, moment, *of_tenant) }
                </div>
            </div>
        </div>
    }
}

fn is_there(of: &TenantNow) -> bool {
    of.running > 0 || of.waiting > 0
}

fn tenants_table(props: &PaneProps, moment: &Moment, tenants: &[u32]) -> Html {
    let schedule = props.moments.0.schedule();
    let entitled = props.ledger.as_ref().and_then(|ledger| ledger.at(props.round)).map(|(_, round)| round);
    let quota = |name: &str| {
        let of = entitled?.tenants.iter().find(|of| of.tenant == name)?;
        Some(of.types.iter().map(|slots| u64::from(slots.quota)).sum::<u64>())
    };
    let row = |tenant: &u32| {
        let name = schedule.tenants().get(*tenant as usize);
        let of = moment.tenants.get(*tenant as usize).copied().unwrap_or_default();
        let swatch = tenant_swatch(format!("{}-k{tenant}", props.id), *tenant as usize, 11.0).to_svg();
        html! {
            <tr key={*tenant}>
                <th scope="row"><span class="mo-name"><i aria-hidden="true">{ Html::from_html_unchecked(swatch.into()) }</i>{ name.to_owned() }</span></th>
                <td class="n" data-metric="running">{ format::count(of.running.into()) }</td>
                <td class="n" data-metric="waiting">{ format::count(of.waiting.into()) }</td>
                <td class="n" data-metric="slots">{ format::count(of.slots) }</td>
                if entitled.is_some() { <td class="n">{ quota(name).map_or_else(|| format::UNDEFINED.to_owned(), format::count) }</td> }
            </tr>
        }
    };
    if tenants.is_empty() {
        return html! { <p class="note">{ "No job is there." }</p> };
    }
    html! {
        <>
            <table class="tbl slim" data-testid="moment-tenants">
                <thead><tr>
                    <th scope="col">{ "Tenant" }</th><th scope="col" class="n">{ "Run" }</th><th scope="col" class="n">{ "Wait" }</th>
                    <th scope="col" class="n">{ "Slots" }</th>
                    if entitled.is_some() { <th scope="col" class="n" title={words::ENTITLED}>{ "Entitled" }</th> }
                </tr></thead>
                <tbody>{ for tenants.iter().take(MOST_TENANTS).map(row) }</tbody>
            </table>
            if tenants.len() > MOST_TENANTS {
                <p class="g-note">{ format!("The first {MOST_TENANTS} of {} tenants that have jobs now.", tenants.len()) }</p>
            }
        </>
    }
}

/// Whose queue is listed.
fn queue_of(moments: &Moments, tenants: &[u32], chosen: &UseStateHandle<Option<u32>>) -> Html {
    let mut offered = tenants.to_vec();
    // The tenant that is looked at stays, also where it has no job.
    if let Some(tenant) = **chosen
        && let Err(at) = offered.binary_search(&tenant)
    {
        offered.insert(at, tenant);
    }
    let option = |tenant: &u32| {
        let name = moments.schedule().tenants().get(*tenant as usize).to_owned();
        html! { <option selected={**chosen == Some(*tenant)}>{ name }</option> }
    };
    let options = offered.iter().map(option).collect::<Html>();
    let on_change = {
        let chosen = chosen.setter();
        Callback::from(move |event: Event| {
            let at = event.target_unchecked_into::<HtmlSelectElement>().selected_index();
            chosen.set(usize::try_from(at - 1).ok().and_then(|at| offered.get(at)).copied());
        })
    };
    html! {
        <label class="inline">{ "Queue of" }
            <select data-testid="moment-tenant" onchange={on_change}><option selected={chosen.is_none()}>{ "all tenants" }</option>{ options }</select>
        </label>
    }
}

fn queue(moments: &Moments, moment: &Moment, tenant: Option<u32>) -> Html {
    let schedule = moments.schedule();
    let all = match tenant {
        None => moment.waiting.len(),
        Some(tenant) => moment.tenants.get(tenant as usize).map_or(0, |of| of.waiting as usize),
    };
    let listed = moments.queue(moment, tenant);
    if listed.is_empty() {
        return html! { <p class="note">{ words::EMPTY_QUEUE }</p> };
    }
    let caption = words::listed(listed.len(), all);
    let row = |waiting: &crate::app::moment::Waiting| {
        let class = schedule.job(waiting.job).map_or(0, |job| job.class);
        let reason =
            moments.reason(waiting.job, moment.tick).map_or(words::NO_REASON, |reason| reason.words());
        let again = if waiting.has_run { ", has run before" } else { "" };
        html! {
            <tr key={waiting.job}>
                <th scope="row">{ schedule.name(waiting.job).to_owned() }<small>{ schedule.tenants().get(waiting.tenant as usize).to_owned() }</small></th>
                <td class="n">{ words::waited(moments, moment, *waiting) }</td>
                <td>{ schedule.classes().get(class as usize).to_owned() }<small>{ format!("{reason}{again}") }</small></td>
            </tr>
        }
    };
    html! {
        <div class="scroll-x twin-box" tabindex="0" role="group" aria-label={caption.clone()}>
            <table class="tbl slim" data-testid="moment-queue">
                <caption>{ caption }</caption>
                <thead><tr>
                    <th scope="col">{ "Job" }</th><th scope="col" class="n" title={words::SINCE}>{ "Waits" }</th><th scope="col">{ "Asks for, and why it waits" }</th>
                </tr></thead>
                <tbody>{ for listed.iter().map(row) }</tbody>
            </table>
        </div>
    }
}
