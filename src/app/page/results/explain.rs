//! Why: when and for what reason each job waited, and what every tenant was entitled to and got in a round.

use std::rc::Rc;

use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use super::{JobTable, segmented};
use crate::app::explain::{Ledger, LedgerRound, LedgerTenant, WaitingJob, listed, waiting_jobs};
use crate::chart::format;

/// What the panel needs.
#[derive(Properties, Clone, PartialEq)]
pub(super) struct ExplainProps {
    /// The tables of the runs.
    pub(super) tables: Rc<Vec<JobTable>>,
    /// The label of the policy whose run is shown first.
    pub(super) subject: Option<AttrValue>,
}

/// What is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Topic {
    Jobs,
    Rounds,
}

/// A table as it was read.
#[derive(Clone, PartialEq)]
enum Read {
    Jobs(Rc<Vec<WaitingJob>>),
    Ledger(Rc<Ledger>),
    Failed(String),
}

/// The panel.
#[component]
pub(super) fn Explain(props: &ExplainProps) -> Html {
    let chosen = use_state_eq(|| None::<(String, u64)>);
    let topic = use_state_eq(|| Topic::Jobs);
    let read = use_state_eq(|| None::<Read>);
    let table = props
        .tables
        .iter()
        .find(|table| {
            chosen.as_ref().is_some_and(|(label, seed)| table.policy == *label && table.seed == *seed)
        })
        .or_else(|| props.tables.iter().find(|table| Some(table.policy.as_str()) == props.subject.as_deref()))
        .or_else(|| props.tables.first())
        .cloned();
    let blob = table.as_ref().and_then(|table| match *topic {
        Topic::Jobs => table.waits.clone(),
        Topic::Rounds => table.rounds.clone(),
    });
    {
        let read = read.setter();
        use_effect_with((blob.clone(), *topic), move |(blob, topic)| {
            read.set(None);
            if let Some(blob) = blob.clone() {
                let topic = *topic;
                spawn_local(async move { read.set(Some(read_table(&blob, topic).await)) });
            }
        });
    }
    let Some(table) = table else { return html! {} };
    let on_choose = {
        let (tables, chosen) = (props.tables.clone(), chosen.setter());
        Callback::from(move |event: Event| {
            let at = event.target_unchecked_into::<HtmlSelectElement>().selected_index();
            let table = usize::try_from(at).ok().and_then(|at| tables.get(at));
            chosen.set(table.map(|table| (table.policy.clone(), table.seed)));
        })
    };
    let option = |of: &JobTable| {
        html! { <option selected={*of == table}>{ format!("{}, seed {}", of.policy, of.seed) }</option> }
    };
    html! {
        <section class="panel why" id="p-why" data-testid="explain-panel" aria-labelledby="why-h">
            <div class="p-head">
                <div>
                    <h2 id="why-h">{ "Why" }</h2>
                    <p>{ match *topic {
                        Topic::Jobs => "When and for what reason a job waited. Longest wait first; choose a job.",
                        Topic::Rounds => "What every tenant was entitled to in a round, and what the decision gave it.",
                    } }</p>
                </div>
                <div class="p-act wrap">
                    { segmented("Look at", &[("Jobs", Topic::Jobs), ("Rounds", Topic::Rounds)], &topic) }
                    <label class="inline"><span class="vh">{ "Run" }</span>
                        <select onchange={on_choose}>{ for props.tables.iter().map(option) }</select>
                    </label>
                </div>
            </div>
            { match (&*read, blob.is_some()) {
                (_, false) => html! { <p class="note">{ nothing(*topic) }</p> },
                (None, true) => html! { <p class="note" role="status">{ "Reading…" }</p> },
                (Some(Read::Failed(why)), _) => html! { <p class="note" role="alert">{ why.clone() }</p> },
                (Some(Read::Jobs(jobs)), _) => html! { <Jobs jobs={jobs.clone()} /> },
                (Some(Read::Ledger(ledger)), _) => html! { <Rounds ledger={ledger.clone()} /> },
            } }
        </section>
    }
}

/// Why a run has no table.
fn nothing(topic: Topic) -> &'static str {
    match topic {
        Topic::Jobs => {
            "This run has no reasons for waits: the trace's own schedule states none, and in the fluid mode time goes in shares."
        }
        Topic::Rounds => "This policy has no quotas: only STS-Fairness keeps a ledger of its rounds.",
    }
}

async fn read_table(blob: &Blob, topic: Topic) -> Read {
    let text = match JsFuture::from(blob.text()).await {
        Ok(text) => text.as_string().unwrap_or_default(),
        Err(error) => return Read::Failed(format!("The browser gave the table up: {error:?}")),
    };
    let read = match topic {
        Topic::Jobs => waiting_jobs(&text).map(|jobs| Read::Jobs(Rc::new(jobs))),
        Topic::Rounds => Ledger::read(&text).map(|ledger| Read::Ledger(Rc::new(ledger))),
    };
    read.unwrap_or_else(|error| Read::Failed(error.to_string()))
}

#[derive(Properties, Clone, PartialEq)]
struct JobsProps {
    jobs: Rc<Vec<WaitingJob>>,
}

/// Jobs that waited, and the waits of the one that was chosen.
#[component]
fn Jobs(props: &JobsProps) -> Html {
    let wanted = use_state_eq(String::new);
    let chosen = use_state_eq(|| None::<(String, String)>);
    let list = listed(&props.jobs, &wanted);
    let is_chosen = |job: &&&WaitingJob| {
        chosen.as_ref().is_some_and(|(name, tenant)| job.job == *name && job.tenant == *tenant)
    };
    let job = list.iter().find(is_chosen).or(list.first()).copied();
    let on_search = {
        let wanted = wanted.setter();
        Callback::from(move |event: InputEvent| {
            wanted.set(event.target_unchecked_into::<HtmlInputElement>().value());
        })
    };
    let entry = |of: &&WaitingJob| {
        let on_click = {
            let (chosen, key) = (chosen.setter(), (of.job.clone(), of.tenant.clone()));
            Callback::from(move |_: MouseEvent| chosen.set(Some(key.clone())))
        };
        let pressed = job.is_some_and(|job| std::ptr::eq(job, *of));
        html! {
            <li><button type="button" aria-pressed={pressed.to_string()} onclick={on_click}>
                <b>{ of.job.clone() }</b><span>{ of.tenant.clone() }</span><i>{ format::duration(of.total_s) }</i>
            </button></li>
        }
    };
    if props.jobs.is_empty() {
        return html! { <p class="note">{ "No job waited." }</p> };
    }
    html! {
        <div class="why-cols">
            <div>
                <label class="field"><span class="lab">{ format!("{} jobs waited; find by name or tenant", format::count(props.jobs.len() as u64)) }</span>
                    <input type="search" value={(*wanted).clone()} oninput={on_search} />
                </label>
                <ul class="why-jobs">{ for list.iter().map(entry) }</ul>
            </div>
            <div class="scroll-x">{ job.map_or_else(|| html! { <p class="note">{ "No job has such a name." }</p> }, waits) }</div>
        </div>
    }
}

fn waits(job: &WaitingJob) -> Html {
    let row = |waited: &crate::app::explain::Waited| {
        let rounds = match waited.last_round - waited.first_round {
            0 => waited.first_round.to_string(),
            _ => format!("{}–{}", waited.first_round, waited.last_round),
        };
        html! {
            <tr>
                <td class="n">{ format::elapsed(waited.from_s) }</td>
                <td class="n">{ format::duration(waited.to_s - waited.from_s) }</td>
                <td class="n">{ rounds }</td>
                <td>{ sentence(waited.words) }</td>
            </tr>
        }
    };
    html! {
        <table class="tbl" data-testid="explain-waits">
            <caption>{ format!("{} of {} waited {} in all", job.job, job.tenant, format::duration(job.total_s)) }</caption>
            <thead><tr>
                <th scope="col" class="n">{ "From" }</th><th scope="col" class="n">{ "For" }</th>
                <th scope="col" class="n">{ "Rounds" }</th><th scope="col">{ "Because" }</th>
            </tr></thead>
            <tbody>{ for job.waits.iter().map(row) }</tbody>
        </table>
    }
}

/// With a capital and a full stop.
fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
}

#[derive(Properties, Clone, PartialEq)]
struct RoundsProps {
    ledger: Rc<Ledger>,
}

/// One round's ledger, with a way to every other.
#[component]
fn Rounds(props: &RoundsProps) -> Html {
    let wanted = use_state_eq(|| None::<u64>);
    let ledger = &props.ledger;
    let first = ledger.first().unwrap_or(0);
    let asked = wanted.unwrap_or(first);
    let Some((round, of_round)) = ledger.at(asked).or_else(|| ledger.at(first)) else {
        return html! { <p class="note">{ "No round was decided." }</p> };
    };
    let go = |to: Option<u64>, text: &'static str, label: &'static str| {
        let wanted = wanted.setter();
        let on_click = Callback::from(move |_: MouseEvent| wanted.set(to));
        html! { <button class="btn" type="button" aria-label={label} disabled={to.is_none()} onclick={on_click}>{ text }</button> }
    };
    let on_round = {
        let wanted = wanted.setter();
        Callback::from(move |event: Event| {
            let value = event.target_unchecked_into::<HtmlInputElement>().value_as_number();
            wanted.set((value >= 0.0).then_some(value as u64));
        })
    };
    let held = if round == asked.max(first) {
        String::new()
    } else {
        format!(" Round {asked} was not decided anew: the last decision, of round {round}, went on.")
    };
    let gap = match of_round.gap {
        Some(gap) if gap <= 0.0 => "Its decision is proven optimal.".to_owned(),
        Some(gap) => format!("No decision is worth more than {} above it.", format::percent(gap, 2)),
        None => String::new(),
    };
    html! {
        <>
            <div class="why-round">
                { go(ledger.before(round), "←", "The decided round before") }
                <label class="inline">{ "Round" }<input type="number" min="0" value={round.to_string()} onchange={on_round} /></label>
                { go(ledger.after(round), "→", "The decided round after") }
                <span>{ format!("begins at {}. {gap}{held}", format::elapsed(of_round.start_s)) }</span>
            </div>
            <div class="scroll-x">{ ledger_table(of_round) }</div>
        </>
    }
}

fn ledger_table(of_round: &LedgerRound) -> Html {
    let tenant = |of: &LedgerTenant| {
        let types = of.types.len().max(1).to_string();
        of.types
            .iter()
            .enumerate()
            .map(|(at, slots)| {
                html! {
                    <tr class={(at == 0).then_some("first")}>
                        if at == 0 { <th scope="rowgroup" rowspan={types.clone()}>{ of.tenant.clone() }</th> }
                        <td>{ slots.gpu.clone() }</td>
                        <td class="n">{ slots.quota }</td>
                        <td class="n">{ loan(slots.loan) }</td>
                        <td class="n">{ slots.used }</td>
                        if at == 0 {
                            <td class="n" rowspan={types.clone()}>{ worth(of) }</td>
                            <td class="n" rowspan={types.clone()}>{ slack(of) }</td>
                        }
                    </tr>
                }
            })
            .collect::<Html>()
    };
    html! {
        <table class="tbl" data-testid="explain-ledger">
            <thead><tr>
                <th scope="col">{ "Tenant" }</th><th scope="col">{ "Type" }</th>
                <th scope="col" class="n">{ "Quota" }</th><th scope="col" class="n">{ "Lent" }</th>
                <th scope="col" class="n">{ "Slots got" }</th>
                <th scope="col" class="n" title="What its quota is worth to the tenant, as a share of what the decision gives it">{ "Floor ÷ value" }</th>
                <th scope="col" class="n" title="By how much the decision is worth more to the tenant than its quota">{ "Slack" }</th>
            </tr></thead>
            <tbody>{ for of_round.tenants.iter().map(tenant) }</tbody>
        </table>
    }
}

fn loan(slots: i64) -> String {
    if slots == 0 { "–".to_owned() } else { format::signed(slots as f64, &format::number(slots as f64, 0)) }
}

fn worth(of: &LedgerTenant) -> String {
    if of.value > 0 { format::percent(of.floor as f64 / of.value as f64, 1) } else { "–".to_owned() }
}

fn slack(of: &LedgerTenant) -> String {
    of.slack()
        .map_or_else(|| "no floor".to_owned(), |slack| format::signed(slack, &format::percent(slack, 1)))
}
