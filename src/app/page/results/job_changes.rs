//! Who gains and who loses, job by job: a list of the jobs under two policies of one seed, and what became of each.

use std::rc::Rc;

use gloo::timers::callback::Timeout;
use js_sys::Array;
use wasm_bindgen::JsValue;
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use super::JobTable;
use super::figure::save_icon;
use super::plot::{Drawing, Plot};
use super::save::save_written;
use crate::app::comparison::Comparison;
use crate::app::export::{self, Seeds};
use crate::app::job_changes::{
    JobChange, JobWait, Listed, MOST_SHOWN, Outcome, Query, SortBy, Sorting, distribution,
};
use crate::app::message::{Reply, Request};
use crate::app::page::icon::Icon;
use crate::app::page::width::use_width;
use crate::app::pool::{News, Pool, Task, post};
use crate::app::strings::{self, job_changes as words};
use crate::chart::{Distribution, format};

/// Tables of up to so many bytes are compared without being asked for.
const SMALL_BYTES: f64 = 4_000_000.0;
/// While a name is typed nothing is asked for.
const REST_MS: u32 = 150;

/// A job of two runs that is to be shown in the schedule.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Wanted {
    /// Its number among the jobs of the runs.
    pub(super) job: u32,
    /// Its name.
    pub(super) name: String,
    /// The policy's label.
    pub(super) policy: String,
    /// The label of the policy below it.
    pub(super) other: String,
    /// The seed of both.
    pub(super) seed: u64,
    /// So that a job can be asked for again.
    pub(super) times: u32,
}

/// What the list needs.
#[derive(Properties, Clone, PartialEq)]
pub(super) struct JobChangesProps {
    /// The runs' tables.
    pub(super) tables: Rc<Vec<JobTable>>,
    /// The comparison, for what policies are called and which are compared first.
    pub(super) comparison: Rc<Comparison>,
    /// Only jobs of this tenant.
    pub(super) tenant: Option<AttrValue>,
    /// Another tenant was chosen.
    pub(super) on_tenant: Callback<Option<AttrValue>>,
    /// A job is to be shown in the schedule.
    pub(super) on_show: Callback<Wanted>,
    /// The trace, for file names.
    pub(super) trace_name: AttrValue,
    /// Today, for file names.
    pub(super) today: AttrValue,
    /// Where a worker's script is.
    pub(super) worker_url: AttrValue,
}

/// What a worker is asked for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Ask {
    /// Rows of the pair of this number.
    Rows(u32),
    /// All of them as a file of this name.
    File(String),
    /// The waits of this job of the pair of this number.
    Waits(u32, u32),
}

/// What the list hears.
pub(super) enum Msg {
    /// The jobs are to be compared, however many.
    Open,
    /// Another baseline, by label.
    Before(String),
    /// Another policy, by label.
    After(String),
    /// Another seed.
    Seed(u64),
    /// Sorted by this; again: the other way.
    Sort(SortBy),
    /// Only those of which this became.
    Of(Option<Outcome>),
    /// A name was typed.
    Search(String),
    /// It came to rest.
    Rested,
    /// A job was chosen, or let go.
    Choose(Option<JobChange>),
    /// All jobs as a file.
    Save,
    /// A worker has news.
    News(Ask, News),
}

/// A job that is looked at.
struct Chosen {
    job: JobChange,
    waits: Option<Result<Vec<Option<Vec<JobWait>>>, String>>,
}

/// The list.
pub(super) struct JobChanges {
    pool: Pool<Ask>,
    is_open: bool,
    before: Option<String>,
    after: Option<String>,
    seed: Option<u64>,
    query: Query,
    /// The two runs that were last asked about, and their number.
    pair: Option<(JobTable, JobTable)>,
    number: u32,
    /// What the rows answer, and whether a question is under way.
    listed: Option<Listed>,
    asked: Option<Query>,
    answered: Option<Query>,
    failure: Option<String>,
    chosen: Option<Chosen>,
    rest: Option<Timeout>,
}

impl Component for JobChanges {
    type Message = Msg;
    type Properties = JobChangesProps;

    fn create(ctx: &Context<Self>) -> Self {
        let tell = ctx.link().callback(|(ask, news)| Msg::News(ask, news));
        let mut changes = Self {
            pool: Pool::new(&ctx.props().worker_url, 1, tell),
            is_open: false,
            before: None,
            after: None,
            seed: None,
            query: Query::default(),
            pair: None,
            number: 0,
            listed: None,
            asked: None,
            answered: None,
            failure: None,
            chosen: None,
            rest: None,
        };
        changes.query.tenant = ctx.props().tenant.as_deref().map(str::to_owned);
        changes.ask(ctx.props());
        changes
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &JobChangesProps) -> bool {
        let props = ctx.props();
        if props.tenant != old.tenant {
            self.query.tenant = props.tenant.as_deref().map(str::to_owned);
            // Who asks for the jobs of a tenant wants all of them.
            if props.tenant.is_some() {
                self.query.outcome = None;
                self.query.wanted.clear();
                self.is_open = true;
            }
        }
        self.ask(props);
        true
    }

    fn update(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        let props = ctx.props();
        match msg {
            Msg::Open => self.is_open = true,
            Msg::Before(label) => {
                if self.labels(props).1.as_ref() == Some(&label) {
                    self.after = self.labels(props).0;
                }
                self.before = Some(label);
            }
            Msg::After(label) => {
                if self.labels(props).0.as_ref() == Some(&label) {
                    self.before = self.labels(props).1;
                }
                self.after = Some(label);
            }
            Msg::Seed(seed) => self.seed = Some(seed),
            Msg::Sort(by) => {
                let is_rising = self.query.sorting == Sorting::Rising;
                let turns = self.query.sort_by == by && is_rising;
                self.query.sorting = if turns { Sorting::Falling } else { Sorting::Rising };
                self.query.sort_by = by;
            }
            Msg::Of(outcome) => self.query.outcome = outcome,
            Msg::Search(wanted) => {
                self.query.wanted = wanted;
                let link = ctx.link().clone();
                self.rest = Some(Timeout::new(REST_MS, move || link.send_message(Msg::Rested)));
                return true;
            }
            Msg::Rested => {}
            Msg::Choose(job) => {
                self.choose(job);
                return true;
            }
            Msg::Save => {
                self.save(props);
                return false;
            }
            Msg::News(ask, news) => self.hear(props, ask, news),
        }
        self.ask(props);
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let props = ctx.props();
        html! {
            <section class="panel jobs-panel c12" id="p-jobs" data-testid="job-changes" aria-labelledby="jobs-h" aria-busy={self.asked.is_some().to_string()}>
                <div class="p-head">
                    <div><h2 id="jobs-h">{ words::TITLE }</h2><p role="status">{ self.caption() }</p></div>
                    { self.controls(ctx) }
                </div>
                if let Some(failure) = &self.failure { <p class="bad" role="alert">{ failure.clone() }</p> }
                if props.tables.is_empty() {
                    <p class="note">{ words::NOT_KEPT }</p>
                } else if self.tables(props).is_none() {
                    <p class="note">{ words::NO_PAIR }</p>
                } else if let Some(listed) = &self.listed {
                    { self.list(ctx, listed) }
                } else if self.asked.is_some() {
                    <p class="note">{ words::READING }</p>
                } else if self.failure.is_none() {
                    <div class="g-closed"><button class="btn primary" type="button" data-testid="jobs-open" onclick={ctx.link().callback(|_: MouseEvent| Msg::Open)}>{ words::OPEN }</button></div>
                }
            </section>
        }
    }
}

impl JobChanges {
    /// The labels of the two policies.
    fn labels(&self, props: &JobChangesProps) -> (Option<String>, Option<String>) {
        let comparison = &props.comparison;
        let label = |chosen: &Option<String>| {
            chosen.clone().filter(|label| comparison.rows().iter().any(|row| row.label == *label))
        };
        let of = |row: Option<&crate::app::comparison::Row>| row.map(|row| row.label.clone());
        (
            label(&self.before).or_else(|| of(comparison.baseline())),
            label(&self.after).or_else(|| of(comparison.subject())),
        )
    }

    /// The two runs: those of the chosen seed, or of the first that both have.
    fn tables<'p>(&self, props: &'p JobChangesProps) -> Option<(&'p JobTable, &'p JobTable)> {
        let (before, after) = self.labels(props);
        let (before, after) = (before?, after?);
        let of = |label: &str, seed: u64| {
            props.tables.iter().find(|table| table.policy == label && table.seed == seed)
        };
        let mut seeds: Vec<u64> = self.seed.into_iter().chain(props.comparison.seeds()).collect();
        seeds.dedup();
        seeds.into_iter().find_map(|seed| of(&before, seed).zip(of(&after, seed)))
    }

    /// Asks for what is to be shown, unless it is there or under way.
    fn ask(&mut self, props: &JobChangesProps) {
        let Some((before, after)) = self.tables(props) else {
            (self.pair, self.listed) = (None, None);
            return;
        };
        let is_same = self.pair.as_ref().is_some_and(|(b, a)| b.csv == before.csv && a.csv == after.csv);
        if !is_same {
            self.number += 1;
            self.pair = Some((before.clone(), after.clone()));
            (self.listed, self.answered, self.asked) = (None, None, None);
            (self.chosen, self.failure) = (None, None);
        }
        let is_small = before.csv.size() + after.csv.size() <= SMALL_BYTES;
        if !(self.is_open || is_small) || self.asked.is_some() || self.answered.as_ref() == Some(&self.query)
        {
            return;
        }
        self.asked = Some(self.query.clone());
        let request = Request::JobChanges { pair: self.number, query: Box::new(self.query.clone()) };
        self.push(Ask::Rows(self.number), &request);
    }

    fn push(&self, id: Ask, request: &Request) {
        let Some((before, after)) = &self.pair else { return };
        let beside = [("before", JsValue::from(&before.csv)), ("after", JsValue::from(&after.csv))];
        self.pool.push([Task { id, message: post(request, &beside) }]);
    }

    fn hear(&mut self, props: &JobChangesProps, ask: Ask, news: News) {
        let (number, failed) = match (ask, news) {
            (Ask::File(name), news) => {
                self.failure = save_written(&name, news).err();
                return;
            }
            (Ask::Rows(number), News::Said { reply: Reply::JobChanges { listed }, .. }) => {
                if number == self.number {
                    (self.answered, self.failure) = (self.asked.take(), None);
                    self.listed = Some(*listed);
                }
                return;
            }
            (Ask::Waits(number, job), News::Said { reply: Reply::JobWaits { waits }, .. }) => {
                self.take_waits(number, job, Ok(waits));
                return;
            }
            (Ask::Waits(number, job), news) => {
                self.take_waits(number, job, Err(why(news)));
                return;
            }
            (Ask::Rows(number), news) => (number, why(news)),
        };
        if number == self.number && props.tables.len() > 1 {
            // What failed is not asked for again before something else is wanted.
            self.answered = self.asked.take();
            self.failure = Some(failed);
        }
    }

    fn take_waits(&mut self, number: u32, job: u32, waits: Result<Vec<Option<Vec<JobWait>>>, String>) {
        let chosen = self.chosen.as_mut().filter(|chosen| number == self.number && chosen.job.number == job);
        if let Some(chosen) = chosen {
            chosen.waits = Some(waits);
        }
    }

    fn choose(&mut self, job: Option<JobChange>) {
        let is_again = |chosen: &Chosen, job: &JobChange| chosen.job.number == job.number;
        let job = job.filter(|job| !self.chosen.as_ref().is_some_and(|chosen| is_again(chosen, job)));
        if let (Some(job), Some((before, after))) = (&job, &self.pair) {
            let waits: Array = [before, after]
                .into_iter()
                .map(|table| table.waits.as_ref().map_or(JsValue::NULL, JsValue::from))
                .collect();
            let request = Request::JobWaits { job: job.job.clone(), tenant: job.tenant.clone() };
            let message = post(&request, &[("waits", waits.into())]);
            self.pool.push([Task { id: Ask::Waits(self.number, job.number), message }]);
        }
        self.chosen = job.map(|job| Chosen { job, waits: None });
    }

    fn save(&self, props: &JobChangesProps) {
        let Some((before, after)) = &self.pair else { return };
        let what = format!("job-changes-{}-{}", before.policy, after.policy);
        let name = export::file_name(&props.trace_name, &what, Seeds::One(after.seed), &props.today, "csv");
        self.push(Ask::File(name), &Request::JobChangesCsv { pair: self.number });
    }

    /// What a policy is called.
    fn title<'a>(props: &'a JobChangesProps, label: &'a str) -> &'a str {
        let row = props.comparison.rows().iter().find(|row| row.label == label);
        row.map_or(label, |row| row.title.as_str())
    }

    fn caption(&self) -> String {
        self.listed.as_ref().map_or_else(
            || words::ABOUT.to_owned(),
            |listed| {
                words::counts(
                    &listed.counts,
                    self.answered.as_ref().and_then(|query| query.tenant.as_deref()),
                )
            },
        )
    }

    fn controls(&self, ctx: &Context<Self>) -> Html {
        let (props, link) = (ctx.props(), ctx.link());
        let (before, after) = self.labels(props);
        let select = |testid: &'static str,
                      text: &'static str,
                      chosen: Option<String>,
                      message: fn(String) -> Msg| {
            let on_change = link.callback(move |event: Event| {
                message(event.target_unchecked_into::<HtmlSelectElement>().value())
            });
            let option = |row: &crate::app::comparison::Row| {
                html! { <option key={row.label.clone()} value={row.label.clone()} selected={chosen.as_ref() == Some(&row.label)}>{ row.title.clone() }</option> }
            };
            html! {
                <label class="inline">{ text }
                    <select data-testid={testid} onchange={on_change}>{ for props.comparison.rows().iter().map(option) }</select>
                </label>
            }
        };
        let seeds = props.comparison.seeds();
        let shown_seed = self.tables(props).map(|(before, _)| before.seed);
        let on_seed = link.batch_callback(|event: Event| {
            event.target_unchecked_into::<HtmlSelectElement>().value().parse().ok().map(Msg::Seed)
        });
        let seed = |seed: &u64| {
            html! { <option value={seed.to_string()} selected={shown_seed == Some(*seed)}>{ format!("seed {seed}") }</option> }
        };
        html! {
            <div class="p-act wrap">
                { select("jobs-before", "From", before, Msg::Before) }
                { select("jobs-after", "to", after, Msg::After) }
                if seeds.len() > 1 {
                    <label class="inline"><span class="vh">{ "Seed" }</span><select data-testid="jobs-seed" onchange={on_seed}>{ for seeds.iter().map(seed) }</select></label>
                }
                if self.listed.is_some() {
                    <button class="btn ghost" type="button" data-testid="jobs-csv" title="Every job under both policies" onclick={link.callback(|_: MouseEvent| Msg::Save)}>{ save_icon() }{ "CSV" }</button>
                }
            </div>
        }
    }

    fn list(&self, ctx: &Context<Self>, listed: &Listed) -> Html {
        html! {
            <>
                <ByRatio by_ratio={listed.by_ratio.clone()} />
                { self.filters(ctx, listed) }
                { self.table(ctx, listed) }
                <p class="g-note" data-testid="jobs-shown">{ words::shown(listed.rows.len() as u64, listed.found) }</p>
                if let Some(chosen) = &self.chosen { { self.detail(ctx, chosen) } }
            </>
        }
    }

    fn filters(&self, ctx: &Context<Self>, listed: &Listed) -> Html {
        let (props, link) = (ctx.props(), ctx.link());
        let of = |outcome: Option<Outcome>, text: String| {
            let pressed = self.query.outcome == outcome;
            html! { <button type="button" aria-pressed={pressed.to_string()} onclick={link.callback(move |_: MouseEvent| Msg::Of(outcome))}>{ text }</button> }
        };
        let counts = listed.counts;
        let text = |word: &str, count: u64| format!("{word} {}", format::count(count));
        let on_search = link.callback(|event: InputEvent| {
            Msg::Search(event.target_unchecked_into::<HtmlInputElement>().value())
        });
        let on_tenant = props.on_tenant.reform(|event: Event| {
            let tenant = event.target_unchecked_into::<HtmlSelectElement>().value();
            tenant.strip_prefix(TENANT).map(|tenant| AttrValue::from(tenant.to_owned()))
        });
        let tenant = |tenant: &String| {
            let selected = props.tenant.as_deref() == Some(tenant.as_str());
            html! { <option key={tenant.clone()} value={format!("{TENANT}{tenant}")} {selected}>{ tenant.clone() }</option> }
        };
        html! {
            <div class="jobs-filter">
                <label class="inline">{ "Find" }<input class="search" type="search" data-testid="jobs-search" placeholder="job or tenant" value={self.query.wanted.clone()} oninput={on_search} /></label>
                <label class="inline">{ "Tenant" }
                    <select data-testid="jobs-tenant" onchange={on_tenant}>
                        <option value="" selected={props.tenant.is_none()}>{ "all" }</option>
                        { for listed.tenants.iter().map(tenant) }
                    </select>
                </label>
                <div class="seg sm" role="group" aria-label="Jobs shown" data-testid="jobs-of">
                    { of(None, text("All", counts.all())) }
                    { of(Some(Outcome::Gains), text("Gain", counts.gain)) }
                    { of(Some(Outcome::Loses), text("Lose", counts.lose)) }
                    { of(Some(Outcome::Same), text("Same", counts.same)) }
                    if counts.unfinished > 0 { { of(Some(Outcome::Unfinished), text("Unfinished", counts.unfinished)) } }
                </div>
            </div>
        }
    }

    fn table(&self, ctx: &Context<Self>, listed: &Listed) -> Html {
        let (props, link) = (ctx.props(), ctx.link());
        let (before, after) = self.pair.as_ref().map_or(("", ""), |(before, after)| {
            (Self::title(props, &before.policy), Self::title(props, &after.policy))
        });
        let heads = [
            (SortBy::Job, "Job", String::new()),
            (SortBy::Tenant, "Tenant", String::new()),
            (SortBy::Gpus, "GPUs", String::new()),
            (SortBy::JctBefore, "JCT", before.to_owned()),
            (SortBy::JctAfter, "JCT", after.to_owned()),
            (SortBy::Difference, "Change", String::new()),
            (SortBy::Ratio, "After ÷ before", String::new()),
            (SortBy::WaitBefore, "Wait", before.to_owned()),
            (SortBy::WaitAfter, "Wait", after.to_owned()),
        ];
        let head = |(by, text, of): &(SortBy, &'static str, String)| {
            let by = *by;
            let sorted = (self.query.sort_by == by).then_some(self.query.sorting);
            let aria_sort = sorted.map(|sorting| match sorting {
                Sorting::Rising => "ascending",
                Sorting::Falling => "descending",
            });
            html! {
                <th scope="col" class={(!matches!(by, SortBy::Job | SortBy::Tenant)).then_some("n")} aria-sort={aria_sort}>
                    <button type="button" class="sort" onclick={link.callback(move |_: MouseEvent| Msg::Sort(by))}>
                        { *text }if !of.is_empty() { <small>{ "\u{a0}" }{ of.clone() }</small> }
                        if let Some(sorting) = sorted { <span aria-hidden="true">{ if sorting == Sorting::Rising { "\u{a0}↑" } else { "\u{a0}↓" } }</span> }
                    </button>
                </th>
            }
        };
        let time = |seconds: Option<f64>| format::or_undefined(seconds, format::duration);
        let row = |job: &JobChange| {
            let is_chosen = self.chosen.as_ref().is_some_and(|chosen| chosen.job.number == job.number);
            let on_click = {
                let job = job.clone();
                link.callback(move |_: MouseEvent| Msg::Choose(Some(job.clone())))
            };
            let (class, spoken) = match job.outcome() {
                Outcome::Gains => ("n good", ", gains"),
                Outcome::Loses => ("n bad", ", loses"),
                Outcome::Same | Outcome::Unfinished => ("n", ""),
            };
            html! {
                <tr key={job.number} class={is_chosen.then_some("base")} data-job={job.job.clone()}
                    data-before={job.before.jct_s.map(|s| s.to_string())} data-after={job.after.jct_s.map(|s| s.to_string())}>
                    <th scope="row"><button type="button" class="link" aria-pressed={is_chosen.to_string()} onclick={on_click}>{ job.job.clone() }</button></th>
                    <td>{ job.tenant.clone() }</td>
                    <td class="n">{ job.gpus.clone() }</td>
                    <td class="n">{ time(job.before.jct_s) }</td>
                    <td class="n">{ time(job.after.jct_s) }</td>
                    <td {class}>{ words::change(job.difference_s()) }<span class="vh">{ spoken }</span></td>
                    <td class="n">{ format::or_undefined(job.ratio(), format::ratio) }</td>
                    <td class="n">{ time(job.before.wait_s) }</td>
                    <td class="n">{ time(job.after.wait_s) }</td>
                </tr>
            }
        };
        html! {
            <div class="scroll-x jobs-box" tabindex="0" role="group" aria-label={format!("Jobs, the first {MOST_SHOWN} in this order")}>
                <table class="tbl slim" data-testid="jobs-table">
                    <thead><tr>{ for heads.iter().map(head) }</tr></thead>
                    <tbody>{ for listed.rows.iter().map(row) }</tbody>
                </table>
            </div>
        }
    }

    /// What became of one job under both policies.
    fn detail(&self, ctx: &Context<Self>, chosen: &Chosen) -> Html {
        let (props, link) = (ctx.props(), ctx.link());
        let Some((before, after)) = &self.pair else { return html! {} };
        let job = &chosen.job;
        let of_run = |(at, table, times): (usize, &JobTable, crate::app::job_changes::Times)| {
            let title = Self::title(props, &table.policy).to_owned();
            html! {
                <div>
                    <h4>{ title.clone() }</h4>
                    <p class="g-note">{ words::took(times) }</p>
                    { match &chosen.waits {
                        None => html! { <p class="note">{ words::READING_WAITS }</p> },
                        Some(Err(why)) => html! { <p class="bad" role="alert">{ why.clone() }</p> },
                        Some(Ok(waits)) => waits_table(waits.get(at).and_then(Option::as_deref), &title, &job.job),
                    } }
                </div>
            }
        };
        let can_show = before.schedule.is_some() && after.schedule.is_some();
        let on_show = {
            let wanted = Wanted {
                job: job.number,
                name: job.job.clone(),
                policy: after.policy.clone(),
                other: before.policy.clone(),
                seed: after.seed,
                times: 0,
            };
            props.on_show.reform(move |_: MouseEvent| wanted.clone())
        };
        html! {
            <section class="g-side" data-testid="job-detail" aria-label={format!("{} under both policies", job.job)}>
                <div class="p-head">
                    <h3>{ format!("{} of {}", job.job, job.tenant) }</h3>
                    <div class="p-act">
                        if can_show { <button class="btn" type="button" data-testid="job-show" onclick={on_show}>{ words::SHOW }</button> }
                        <button class="btn ghost icon" type="button" aria-label="Let go of the job" onclick={link.callback(|_: MouseEvent| Msg::Choose(None))}>{ Icon::Cross.html() }</button>
                    </div>
                </div>
                <p class="g-note">{ words::submitted(job) }</p>
                <div class="g-runs">{ of_run((0, before, job.before)) }{ of_run((1, after, job.after)) }</div>
            </section>
        }
    }
}

/// Before the names of tenants in the list, so that one without a name is not taken for all.
const TENANT: &str = "tenant:";

fn why(news: News) -> String {
    match news {
        News::Said { reply: Reply::Failed { message }, .. } | News::Died(message) => message,
        News::Said { reply, .. } => strings::answered_else(&reply),
    }
}

fn waits_table(waits: Option<&[JobWait]>, title: &str, job: &str) -> Html {
    let Some(waits) = waits else { return html! { <p class="note">{ words::NO_REASONS }</p> } };
    if waits.is_empty() {
        return html! { <p class="note">{ words::NEVER_WAITED }</p> };
    }
    let row = |wait: &JobWait| {
        html! {
            <tr>
                <td class="n">{ format::elapsed(wait.from_s) }</td>
                <td class="n">{ format::duration(wait.to_s - wait.from_s) }</td>
                <td class="g-words">{ words::sentence(&wait.words) }</td>
            </tr>
        }
    };
    html! {
        <div class="scroll-x twin-box" tabindex="0" role="group" aria-label={format!("Waits of {job} under {title}")}>
            <table class="tbl slim">
                <thead><tr><th scope="col" class="n">{ "From" }</th><th scope="col" class="n">{ "For" }</th><th scope="col" class="g-words">{ "Because" }</th></tr></thead>
                <tbody>{ for waits.iter().map(row) }</tbody>
            </table>
        </div>
    }
}

#[derive(Properties, Clone, PartialEq)]
struct ByRatioProps {
    by_ratio: Vec<u64>,
}

/// How many jobs have their completion time multiplied by how much.
#[component]
fn ByRatio(props: &ByRatioProps) -> Html {
    let (node, width) = use_width();
    let cursor = use_state_eq(|| None::<f64>);
    let chart = use_memo((props.by_ratio.clone(), width.to_bits()), |(by_ratio, width)| {
        let width = f64::from_bits(*width);
        (width > 0.0).then(|| Drawing::new(Distribution { width, ..distribution(by_ratio) }))
    });
    let on_cursor = {
        let cursor = cursor.setter();
        Callback::from(move |at| cursor.set(Some(at)))
    };
    html! {
        <div class="jobs-ratio">
            <p class="g-note" id="jobs-ratio-h">{ words::BY_RATIO }</p>
            <div ref={node}>
                if let Some(chart) = &*chart {
                    <Plot chart={chart.clone()} label={words::BY_RATIO_LABEL} cursor={*cursor} {on_cursor} />
                }
            </div>
        </div>
    }
}
