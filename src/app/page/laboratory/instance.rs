//! The instance as it is edited.

use std::rc::Rc;

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::entry::Fields;
use super::files::Files;
use crate::app::laboratory::answers::{Settings, spec};
use crate::app::laboratory::draft::{Draft, Given, Kind, Row, Size, TenantRow};
use crate::app::laboratory::field::Field;
use crate::app::laboratory::{Change, Laboratory};
use crate::app::page::field::{Choice, LabelShown, segments, select};
use crate::app::page::icon::Icon;
use crate::app::state::Action;
use crate::app::strings::laboratory as words;
use crate::chart::palette::tenant_swatch;
use crate::cluster::SliceMemory;
use crate::solve::instance::InstanceLayout;

/// What the panel is given.
#[derive(Properties, Clone, PartialEq)]
pub(super) struct InstanceProps {
    pub(super) laboratory: Rc<Laboratory>,
    pub(super) dispatch: Callback<Action>,
    pub(super) change: Callback<Change>,
}

/// The instance.
#[component]
pub(super) fn InstancePanel(props: &InstanceProps) -> Html {
    let InstanceProps { laboratory, dispatch, change } = props;
    let draft = &laboratory.case.draft;
    let faults = laboratory.faults();
    let fields = Fields { draft, faults: &faults, change };
    let (can_undo, can_redo) = laboratory.can_undo_redo();
    let step = |label: &'static str, icon: Icon, can: bool, what: Change| {
        html! {
            <button class="btn ghost icon" type="button" aria-label={label} title={label} disabled={!can}
                onclick={change.reform(move |_: MouseEvent| what.clone())}>{ icon.html() }</button>
        }
    };
    html! {
        <section class="panel flush lab-in" aria-labelledby="lab-in-h" data-testid="lab-instance">
            <div class="p-head">
                <div>
                    <h2 id="lab-in-h">{ "Instance" }</h2>
                    <p>{ if draft.kind == Kind::Divisible { words::ABOUT_DIVISIBLE } else { words::ABOUT_INTEGER } }</p>
                </div>
                <div class="p-act">
                    if !faults.is_empty() { <span class="count bad" data-testid="lab-faults">{ words::to_correct(faults.len()) }</span> }
                    { step("Undo (Ctrl Z)", Icon::Undo, can_undo, Change::Undo) }
                    { step("Redo (Ctrl Y)", Icon::Redo, can_redo, Change::Redo) }
                    <Files laboratory={Rc::clone(laboratory)} {dispatch} {change} />
                </div>
            </div>
            if let Some(why) = &laboratory.refused {
                <p class="ferr lab-refused" role="alert" data-testid="lab-refused">{ Icon::Warn.html() }<span>{ why.clone() }</span></p>
            }
            <div class="lab-parts">
                <div class="lab-set">
                    { settings(laboratory, change) }
                    { types(&fields) }
                    if draft.kind == Kind::Integer { { quotas(&fields) } }
                </div>
                <div class="lab-ten">{ if draft.kind == Kind::Divisible { matrix(&fields) } else { jobs(&fields) } }</div>
            </div>
        </section>
    }
}

/// What the tenants have, and in what unit it counts.
fn settings(laboratory: &Laboratory, change: &Callback<Change>) -> Html {
    let kind = laboratory.case.draft.kind;
    let word = |kind: Kind| if kind == Kind::Divisible { "divisible" } else { "integer" };
    let kinds =
        [Choice::new("divisible", "rates, shared by time"), Choice::new("integer", "jobs, in whole slots")];
    let on_kind = change.reform(|word: String| {
        Change::Kind(if word == "divisible" { Kind::Divisible } else { Kind::Integer })
    });
    let choices = |name: &str, first: &'static str| -> Vec<Choice> {
        Settings::choices(name)
            .iter()
            .map(|(word, about)| {
                Choice::new(
                    *word,
                    if *word == "as-defined" { first.to_owned() } else { format!("{word}: {about}") },
                )
            })
            .collect()
    };
    let title = |name: &str| spec(name).map_or("", |spec| spec.title);
    let Settings { normalise, objective } = &laboratory.case.settings;
    html! {
        <>
            { segments("lab-kind", "Tenants have", &kinds, word(kind), &on_kind) }
            if kind == Kind::Divisible {
                { select("lab-normalise", title("normalise"), LabelShown::Above, &choices("normalise", "as the policy is defined"), normalise, &change.reform(Change::Normalise)) }
            } else {
                { select("lab-objective", "An option is worth", LabelShown::Above, &choices("objective", ""), objective, &change.reform(Change::Objective)) }
            }
        </>
    }
}

const LAYOUTS: [(InstanceLayout, &str, &str); 3] = [
    (InstanceLayout::Uniform, "uniform", "uniform"),
    (InstanceLayout::MigA100, "mig-a100", "MIG, A100"),
    (InstanceLayout::MigA30, "mig-a30", "MIG, A30"),
];

/// The GPU types.
fn types(fields: &Fields<'_>) -> Html {
    let draft = fields.draft;
    let has_slots = draft.kind == Kind::Integer;
    let row = |k: usize| {
        let of_type = &draft.types[k];
        let layouts = LAYOUTS.map(|(_, word, name)| Choice::new(word, name));
        let chosen =
            LAYOUTS.iter().find(|(layout, ..)| *layout == of_type.layout).map_or("", |(_, word, _)| word);
        let on_layout = fields.change.reform(move |word: String| {
            let layout = LAYOUTS.iter().find(|(_, known, _)| *known == word);
            Change::Layout(k, layout.map_or(InstanceLayout::Uniform, |(layout, ..)| *layout))
        });
        let id = format!("lab-layout-{k}");
        html! {
            <tr key={k}>
                <td>{ fields.name(Field::TypeName(k)) }</td>
                <td class="n">{ fields.number(Field::Devices(k)) }</td>
                if has_slots {
                    <td class="n">
                        if of_type.layout == InstanceLayout::Uniform { { fields.number(Field::Slots(k)) } } else { { of_type.slots } }
                    </td>
                    <td>{ select(&id, &format!("Layout of {}", of_type.name), LabelShown::Hidden, &layouts, chosen, &on_layout) }</td>
                }
                <td>{ fields.remove(format!("Remove the type {}", of_type.name), Change::RemoveType(k)) }</td>
            </tr>
        }
    };
    html! {
        <div class="scroll-x" tabindex="0" role="group" aria-label="GPU types">
            <table class="tbl form lab-types">
                <thead><tr>
                    <th scope="col">{ "GPU type" }</th>
                    <th scope="col" class="n">{ "Devices" }</th>
                    if has_slots { <th scope="col" class="n">{ "Slots each" }</th><th scope="col">{ "Layout" }</th> }
                    <th scope="col"><span class="vh">{ "Remove" }</span></th>
                </tr></thead>
                <tbody>{ for (0..draft.types.len()).map(row) }</tbody>
            </table>
            { fields.add("Type".to_owned(), "lab-add-type".to_owned(), Row::Type, Change::AddType) }
        </div>
    }
}

/// Slots that tenants are entitled to.
fn quotas(fields: &Fields<'_>) -> Html {
    let draft = fields.draft;
    let given = if draft.quotas.is_some() { "stated" } else { "weight" };
    let choices = [Choice::new("weight", "by weight"), Choice::new("stated", "as stated")];
    let on_choice = fields.change.reform(|word: String| {
        Change::Quotas(if word == "stated" { Given::Stated } else { Given::ByWeight })
    });
    let row = |u: usize| {
        html! {
            <tr key={u}>
                <th scope="row">{ swatch("lab-quota", u) }{ draft.tenants[u].name.clone() }</th>
                { for (0..draft.types.len()).map(|k| html! { <td class="n" key={k}>{ fields.number(Field::Quota(u, k)) }</td> }) }
            </tr>
        }
    };
    html! {
        <>
            { segments("lab-quotas", "Quotas", &choices, given, &on_choice) }
            if draft.quotas.is_some() {
                <div class="scroll-x" tabindex="0" role="group" aria-label="Quotas, in slots">
                    <table class="tbl form">
                        <thead><tr>
                            <th scope="col">{ "Slots for" }</th>
                            { for draft.types.iter().map(|t| html! { <th scope="col" class="n">{ t.name.clone() }</th> }) }
                        </tr></thead>
                        <tbody>{ for (0..draft.tenants.len()).map(row) }</tbody>
                    </table>
                </div>
            }
        </>
    }
}

/// Rates of tenants on one device of each type.
fn matrix(fields: &Fields<'_>) -> Html {
    let draft = fields.draft;
    let row = |u: usize| {
        html! {
            <tr key={u}>
                <td><span class="lab-name">{ swatch("lab-in", u) }{ fields.name(Field::TenantName(u)) }</span></td>
                <td class="n">{ fields.number(Field::Weight(u)) }</td>
                { for (0..draft.types.len()).map(|k| html! { <td class="n" key={k}>{ fields.number(Field::Rate(u, k)) }</td> }) }
                <td class="n">{ fields.number(Field::Limit(u)) }</td>
                <td>{ fields.remove(format!("Remove the tenant {}", draft.tenants[u].name), Change::RemoveTenant(u)) }</td>
            </tr>
        }
    };
    html! {
        <div class="scroll-x" tabindex="0" role="group" aria-label="Rates of tenants">
            <table class="tbl form">
                <thead><tr>
                    <th scope="col">{ "Tenant" }</th>
                    <th scope="col" class="n">{ "Weight" }</th>
                    { for draft.types.iter().map(|t| html! { <th scope="col" class="n">{ format!("on a {}", t.name) }</th> }) }
                    <th scope="col" class="n">{ "Largest share" }</th>
                    <th scope="col"><span class="vh">{ "Remove" }</span></th>
                </tr></thead>
                <tbody>{ for (0..draft.tenants.len()).map(row) }</tbody>
            </table>
            { fields.add("Tenant".to_owned(), "lab-add-tenant".to_owned(), Row::Tenant, Change::AddTenant) }
        </div>
    }
}

/// Jobs and their rates at every size.
fn jobs(fields: &Fields<'_>) -> Html {
    let draft = fields.draft;
    let of_type = |k: usize| (0..draft.sizes.len()).filter(move |&c| draft.sizes[c].gpu == k);
    let heads = draft.types.iter().enumerate().map(|(k, t)| {
        // The column of the button comes after the sizes.
        let span = of_type(k).count() + 1;
        html! { <th key={k} scope="colgroup" class="lab-gpu" colspan={span.to_string()}>{ t.name.clone() }</th> }
    });
    let columns = (0..draft.types.len()).map(|k| {
        let label = format!("Add a size of {}", draft.types[k].name);
        html! {
            <>
                { for of_type(k).map(|c| size_head(fields, c)) }
                <td class="lab-plus">
                    <button class="btn ghost icon" type="button" data-testid={format!("lab-add-size-{k}")} aria-label={label.clone()} title={label}
                        disabled={!draft.has_room_for(Row::Size)} onclick={fields.change.reform(move |_: MouseEvent| Change::AddSize(k))}>{ Icon::Plus.html() }</button>
                </td>
            </>
        }
    });
    html! {
        <div class="scroll-x" tabindex="0" role="group" aria-label="Jobs of tenants and their rates">
            <table class="tbl form lab-jobs">
                <thead>
                    <tr><td></td>{ for heads }<td colspan="3"></td></tr>
                    <tr>
                        <th scope="col" class="lab-rows"><span>{ "Slots each" }</span><span>{ "× devices" }</span></th>
                        { for columns }
                        <th scope="col" class="n">{ "Left, s" }</th>
                        <th scope="col">{ "Holds now" }</th>
                        <th scope="col"><span class="vh">{ "Remove" }</span></th>
                    </tr>
                </thead>
                { for (0..draft.tenants.len()).map(|u| tenant(fields, u, &draft.tenants[u])) }
            </table>
            { fields.add("Tenant".to_owned(), "lab-add-tenant".to_owned(), Row::Tenant, Change::AddTenant) }
        </div>
    }
}

/// What a column stands for.
fn size_head(fields: &Fields<'_>, c: usize) -> Html {
    let size = &fields.draft.sizes[c];
    let gpu = fields.draft.types.get(size.gpu).map_or("", |t| t.name.as_str());
    html! {
        <th key={c} class="lab-size" scope="col">
            { fields.number(Field::SizeSlots(c)) }
            { fields.number(Field::SizeDevices(c)) }
            if size.memory == SliceMemory::Double { <small>{ "double memory" }</small> }
            { fields.remove(format!("Remove the size {}", words::size(gpu, size)), Change::RemoveSize(c)) }
        </th>
    }
}

/// A tenant and its jobs.
fn tenant(fields: &Fields<'_>, u: usize, tenant: &TenantRow) -> Html {
    let draft = fields.draft;
    let columns = draft.sizes.len() + draft.types.len();
    html! {
        <tbody key={u}>
            <tr class="lab-who">
                <td colspan={(columns + 3).to_string()}>
                    <span class="lab-name">
                        { swatch("lab-in", u) }
                        { fields.name(Field::TenantName(u)) }
                        <span class="lab-weight"><i aria-hidden="true">{ "weight" }</i>{ fields.number(Field::Weight(u)) }</span>
                        { fields.add("Job".to_owned(), format!("lab-add-job-{u}"), Row::Job, Change::AddJob(u)) }
                    </span>
                </td>
                <td>{ fields.remove(format!("Remove the tenant {}", tenant.name), Change::RemoveTenant(u)) }</td>
            </tr>
            { for (0..tenant.jobs.len()).map(|j| job(fields, u, j)) }
        </tbody>
    }
}

fn job(fields: &Fields<'_>, u: usize, j: usize) -> Html {
    let draft = fields.draft;
    let (tenant, job) = (&draft.tenants[u], &draft.tenants[u].jobs[j]);
    let cells = (0..draft.types.len()).map(|k| {
        let of_type = (0..draft.sizes.len()).filter(|&c| draft.sizes[c].gpu == k);
        html! {
            <>
                { for of_type.map(|c| html! { <td class="n lab-rate" key={c}>{ fields.number(Field::JobRate(u, j, c)) }</td> }) }
                <td></td>
            </>
        }
    });
    html! {
        <tr key={j}>
            <td>{ fields.name(Field::JobName(u, j)) }</td>
            { for cells }
            <td class="n">{ fields.number(Field::Remaining(u, j)) }</td>
            <td>{ holds(fields, (u, j), job.holds, &format!("{} of {}", job.name, tenant.name)) }</td>
            <td>{ fields.remove(format!("Remove the job {} of {}", job.name, tenant.name), Change::RemoveJob(u, j)) }</td>
        </tr>
    }
}

/// What a job holds now.
fn holds(fields: &Fields<'_>, (u, j): (usize, usize), held: Option<usize>, whose: &str) -> Html {
    let draft: &Draft = fields.draft;
    let on_choice = fields.change.reform(move |event: Event| {
        let word = event.target_unchecked_into::<HtmlSelectElement>().value();
        Change::Holds(u, j, word.parse().ok())
    });
    let option = |(c, size): (usize, &Size)| {
        let gpu = draft.types.get(size.gpu).map_or("", |t| t.name.as_str());
        html! { <option key={c} value={c.to_string()} selected={held == Some(c)}>{ words::size(gpu, size) }</option> }
    };
    html! {
        <select id={format!("lab-holds-{u}-{j}")} aria-label={format!("What {whose} holds now")} onchange={on_choice}>
            <option value="" selected={held.is_none()}>{ "nothing" }</option>
            { for draft.sizes.iter().enumerate().map(option) }
        </select>
    }
}

/// A tenant's swatch.
pub(super) fn swatch(place: &str, u: usize) -> Html {
    let svg = tenant_swatch(format!("{place}-sw-{u}"), u, 12.0).to_svg();
    html! { <span class="lab-sw">{ Html::from_html_unchecked(svg.into()) }</span> }
}
