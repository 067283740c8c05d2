//! Why: when and for what reason each job waited, and what every tenant was entitled to and got in a round.

mod in_full;

use std::rc::Rc;

use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use self::in_full::InFull;
use super::choice::{Key, Runs};
use super::readings::Readings;
use super::{JobTable, Rerun};
use crate::app::comparison::Comparison;
use crate::app::explain::{Ledger, LedgerRound, LedgerTenant, WaitingJob, listed, waiting_jobs};
use crate::app::moment::round_at;
use crate::app::strings::{explain as words, moment};
use crate::chart::format;

/// What the panel needs.
#[derive(Properties, Clone, PartialEq)]
pub(super) struct ExplainProps {
    /// The tables of the runs.
    pub(super) tables: Rc<Vec<JobTable>>,
    /// The comparison, for what policies are called and whose run is shown first.
    pub(super) comparison: Rc<Comparison>,
    /// What panels have read.
    pub(super) readings: Readings,
    /// What is looked at.
    pub(super) inspected: Inspected,
    /// Something else is to be.
    pub(super) on_inspect: Callback<Inspected>,
    /// What the runs can be run again from.
    pub(super) rerun: Option<Rerun>,
    /// The length of a round.
    pub(super) round_s: f64,
    /// The cursor of every chart over time.
    pub(super) time_s: Option<f64>,
    /// A moment is to be shown.
    pub(super) on_time: Callback<f64>,
    /// Where a worker's script is.
    pub(super) worker_url: AttrValue,
}

/// What is looked at: of which run, and of its rounds which one.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Inspected {
    run: Option<Key>,
    topic: Topic,
    round: Option<u64>,
}

impl Inspected {
    /// A round of a run.
    pub(super) fn round_of(run: Key, round: u64) -> Self {
        Self { run: Some(run), topic: Topic::Rounds, round: Some(round) }
    }
}

/// What is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Topic {
    #[default]
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
    let read = use_state_eq(|| None::<Read>);
    let inspected = &props.inspected;
    let runs = Runs { tables: &props.tables, comparison: &props.comparison };
    let subject = props.comparison.subject().map(|row| row.label.as_str());
    let is_chosen = |table: &&JobTable| {
        inspected.run.as_ref().is_some_and(|(label, seed)| table.policy == *label && table.seed == *seed)
    };
    let table = props
        .tables
        .iter()
        .find(is_chosen)
        .or_else(|| props.tables.iter().find(|table| Some(table.policy.as_str()) == subject))
        .or_else(|| props.tables.first())
        .cloned();
    let topic = inspected.topic;
    let blob = table.as_ref().and_then(|table| match topic {
        Topic::Jobs => table.waits.clone(),
        Topic::Rounds => table.rounds.clone(),
    });
    {
        let (read, readings) = (read.setter(), props.readings.clone());
        use_effect_with((blob.clone(), topic), move |(blob, topic)| {
            read.set(None);
            // What is read for a run that is not looked at any more is not shown.
            let is_wanted = Rc::new(std::cell::Cell::new(true));
            let tell = {
                let is_wanted = Rc::clone(&is_wanted);
                Callback::from(move |of: Read| {
                    if is_wanted.get() {
                        read.set(Some(of));
                    }
                })
            };
            match (blob.clone(), topic) {
                (Some(blob), Topic::Jobs) => spawn_local(async move { tell.emit(read_waits(&blob).await) }),
                (Some(blob), Topic::Rounds) => readings.ledgers.get(
                    &blob,
                    tell.reform(|outcome: Result<Rc<Ledger>, String>| {
                        outcome.map_or_else(Read::Failed, Read::Ledger)
                    }),
                ),
                (None, _) => {}
            }
            move || is_wanted.set(false)
        });
    }
    let Some(table) = table else { return without_runs() };
    let inspect = |change: fn(&mut Inspected)| {
        let (on_inspect, mut changed) = (props.on_inspect.clone(), inspected.clone());
        change(&mut changed);
        Callback::from(move |_: MouseEvent| on_inspect.emit(changed.clone()))
    };
    let on_choose = {
        let (tables, on_inspect, inspected) =
            (props.tables.clone(), props.on_inspect.clone(), inspected.clone());
        Callback::from(move |event: Event| {
            let at = event.target_unchecked_into::<HtmlSelectElement>().selected_index();
            let table = usize::try_from(at).ok().and_then(|at| tables.get(at));
            let run = table.map(|table| (table.policy.clone(), table.seed));
            on_inspect.emit(Inspected { run, ..inspected.clone() });
        })
    };
    let on_round = {
        let (on_inspect, key) = (props.on_inspect.clone(), (table.policy.clone(), table.seed));
        Callback::from(move |round: u64| on_inspect.emit(Inspected::round_of(key.clone(), round)))
    };
    let option = |of: &JobTable| html! { <option selected={*of == table}>{ runs.title(of) }</option> };
    let topic_button = |text: &'static str, of: Topic, change: fn(&mut Inspected)| {
        html! { <button type="button" aria-pressed={(topic == of).to_string()} onclick={inspect(change)}>{ text }</button> }
    };
    let rounds = |ledger: Option<Rc<Ledger>>| {
        html! {
            <Rounds {ledger} of={table.clone()} policy={runs.policy(&table).to_owned()} asked={inspected.round} on_round={on_round.clone()} rerun={props.rerun.clone()}
                round_s={props.round_s} time_s={props.time_s} on_time={props.on_time.clone()} worker_url={props.worker_url.clone()} />
        }
    };
    html! {
        <section class="panel why" id="p-why" data-testid="explain-panel" aria-labelledby="why-h">
            <div class="p-head">
                <div>
                    <h2 id="why-h">{ "Why" }</h2>
                    <p>{ match topic {
                        Topic::Jobs => "When and for what reason a job waited. Longest wait first; choose a job.",
                        Topic::Rounds => "What every tenant was entitled to in a round, what the decision gave it, and why.",
                    } }</p>
                </div>
                <div class="p-act wrap">
                    <div class="seg sm" role="group" aria-label="Look at">
                        { topic_button("Jobs", Topic::Jobs, |of| of.topic = Topic::Jobs) }
                        { topic_button("Rounds", Topic::Rounds, |of| of.topic = Topic::Rounds) }
                    </div>
                    <label class="inline"><span class="vh">{ "Run" }</span>
                        <select data-testid="explain-run" onchange={on_choose}>{ for props.tables.iter().map(option) }</select>
                    </label>
                </div>
            </div>
            { match (&*read, blob.is_some(), topic) {
                (_, false, Topic::Jobs) => html! { <p class="note">{ without_waits(&props.comparison, &table) }</p> },
                (_, false, Topic::Rounds) => rounds(None),
                (None, true, _) => html! { <p class="note" role="status">{ "Reading…" }</p> },
                (Some(Read::Failed(why)), ..) => html! { <p class="note" role="alert">{ why.clone() }</p> },
                (Some(Read::Jobs(jobs)), ..) => html! { <Jobs jobs={jobs.clone()} {on_round} on_time={props.on_time.clone()} /> },
                (Some(Read::Ledger(ledger)), ..) => rounds(Some(ledger.clone())),
            } }
        </section>
    }
}

/// What stands here for results that were opened from a file.
fn without_runs() -> Html {
    html! {
        <section class="panel why" id="p-why" data-testid="explain-panel" aria-labelledby="why-h">
            <h2 id="why-h">{ "Why" }</h2>
            <p class="note">{ moment::OPENED }</p>
        </section>
    }
}

/// Why a run has no table of waits.
fn without_waits(comparison: &Comparison, table: &JobTable) -> &'static str {
    let run = comparison.all_runs().map(|(_, run)| run);
    let own = run.into_iter().find(|run| run.policy == table.policy && run.seed == table.seed);
    match own.and_then(|run| run.metrics.get("wait_mean_s")) {
        Some(wait_s) if wait_s <= 0.0 => "No job waited.",
        _ => NO_REASONS,
    }
}

const NO_REASONS: &str = "This run has no reasons for waits: the trace's own schedule states none, and in the fluid mode time goes in shares.";

async fn read_waits(blob: &Blob) -> Read {
    let text = match JsFuture::from(blob.text()).await {
        Ok(text) => text.as_string().unwrap_or_default(),
        Err(error) => return Read::Failed(format!("The browser gave the table up: {error:?}")),
    };
    waiting_jobs(&text).map_or_else(|error| Read::Failed(error.to_string()), |jobs| Read::Jobs(Rc::new(jobs)))
}

#[derive(Properties, Clone, PartialEq)]
struct JobsProps {
    jobs: Rc<Vec<WaitingJob>>,
    /// A round is to be looked at.
    on_round: Callback<u64>,
    /// A moment is to be shown.
    on_time: Callback<f64>,
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
            <div class="scroll-x" tabindex="0" role="group" aria-label="Waits of the job">{ job.map_or_else(|| html! { <p class="note">{ "No job has such a name." }</p> }, |job| waits(job, props)) }</div>
        </div>
    }
}

fn waits(job: &WaitingJob, props: &JobsProps) -> Html {
    let row = |waited: &crate::app::explain::Waited| {
        let rounds = match waited.last_round - waited.first_round {
            0 => waited.first_round.to_string(),
            _ => format!("{}–{}", waited.first_round, waited.last_round),
        };
        let (from_s, first_round) = (waited.from_s, waited.first_round);
        let to_moment = props.on_time.reform(move |_: MouseEvent| from_s);
        let to_round = props.on_round.reform(move |_: MouseEvent| first_round);
        html! {
            <tr>
                <td class="n"><button class="link" type="button" title="Show this moment in every chart over time" onclick={to_moment}>{ format::elapsed(from_s) }</button></td>
                <td class="n">{ format::duration(waited.to_s - from_s) }</td>
                <td class="n"><button class="link" type="button" title="Look at this round" onclick={to_round}>{ rounds }</button></td>
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
    /// `None` for a policy without quotas.
    ledger: Option<Rc<Ledger>>,
    of: JobTable,
    /// What the policy is called.
    policy: AttrValue,
    /// The round that is asked for; `None` for the first.
    asked: Option<u64>,
    on_round: Callback<u64>,
    rerun: Option<Rerun>,
    round_s: f64,
    time_s: Option<f64>,
    on_time: Callback<f64>,
    worker_url: AttrValue,
}

/// One round, with a way to every other: its ledger, and on demand all that can be told of it.
#[component]
fn Rounds(props: &RoundsProps) -> Html {
    let first = props.ledger.as_ref().and_then(|ledger| ledger.first()).unwrap_or(0);
    let asked = props.asked.unwrap_or(first);
    let of_ledger = props.ledger.as_ref().and_then(|ledger| ledger.at(asked).or_else(|| ledger.at(first)));
    let round = of_ledger.map_or(asked, |(round, _)| round);
    let (before, after) = match &props.ledger {
        Some(ledger) => (ledger.before(round), ledger.after(round)),
        None => (round.checked_sub(1), round.checked_add(1)),
    };
    let go = |to: Option<u64>, text: &'static str, label: &'static str| {
        let on_round = props.on_round.clone();
        let on_click = Callback::from(move |_: MouseEvent| {
            if let Some(to) = to {
                on_round.emit(to);
            }
        });
        html! { <button class="btn" type="button" aria-label={label} disabled={to.is_none()} onclick={on_click}>{ text }</button> }
    };
    let on_round = {
        let on_round = props.on_round.clone();
        Callback::from(move |event: Event| {
            let value = event.target_unchecked_into::<HtmlInputElement>().value_as_number();
            if value >= 0.0 {
                on_round.emit(value as u64);
            }
        })
    };
    let start_s = of_ledger.map_or(round as f64 * props.round_s, |(_, of_round)| of_round.start_s);
    let show = props.on_time.reform(move |_: MouseEvent| start_s);
    let at_cursor = props.time_s.map(|time_s| round_at(time_s, props.round_s)).filter(|at| *at != asked);
    let held = if round >= asked {
        String::new()
    } else {
        format!(" Round {asked} was not decided anew: the last decision, of round {round}, went on.")
    };
    let gap = match of_ledger.and_then(|(_, of_round)| of_round.gap) {
        Some(gap) if gap <= 0.0 => " Its decision is proven optimal.".to_owned(),
        Some(gap) => format!(" No decision is worth more than {} above it.", format::percent(gap, 2)),
        None => String::new(),
    };
    html! {
        <>
            if props.ledger.is_none() { <p class="note">{ words::NO_QUOTAS }</p> }
            <div class="why-round">
                { go(before, "←", "The decided round before") }
                <label class="inline">{ "Round" }<input type="number" min="0" data-testid="explain-round" value={round.to_string()} onchange={on_round} /></label>
                { go(after, "→", "The decided round after") }
                if let Some(at) = at_cursor {
                    <button class="btn" type="button" onclick={props.on_round.reform(move |_: MouseEvent| at)}>{ "At the cursor" }</button>
                }
                <button class="btn" type="button" data-testid="explain-show" title="Move the cursor of every chart over time there" onclick={show}>{ "Show this moment" }</button>
                <span>{ format!("begins at {}.{gap}{held}", format::elapsed(start_s)) }</span>
            </div>
            if let Some((_, of_round)) = of_ledger { <div class="scroll-x" tabindex="0" role="group" aria-label="Ledger of the round">{ ledger_table(of_round) }</div> }
            <InFull run={(props.of.policy.clone(), props.of.seed)} policy={props.policy.clone()} round={asked} rerun={props.rerun.clone()}
                worker_url={props.worker_url.clone()} />
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
