//! A round explained in full: how it was decided, what every job was given, and what running the jobs that waited would have cost.
//! A worker runs the policy again up to the round.

use gloo::events::EventListener;
use gloo::utils::window;
use yew::prelude::*;

use super::Rerun;
use crate::app::keys;
use crate::app::message::{Reply, Request};
use crate::app::page::browser;
use crate::app::page::results::choice::Key;
use crate::app::pool::{News, Pool, Task, post};
use crate::app::strings::{self, explain as words};
use crate::chart::format;
use crate::scenario::explain::{RoundExplained, TenantExplained, WaitExplained};

/// When an explanation took no longer than this, the next rounds are explained without being asked for.
const QUICK_MS: f64 = 1_500.0;
/// Most grants that are listed of one tenant, and most jobs that waited.
const MOST_GRANTS: usize = 40;
const MOST_WAITING: usize = 200;

/// What is to be explained.
#[derive(Properties, Clone, PartialEq)]
pub(super) struct InFullProps {
    /// The run, by label and seed.
    pub(super) run: Key,
    /// What its policy is called.
    pub(super) policy: AttrValue,
    /// The round.
    pub(super) round: u64,
    /// What it can be run again from; `None` where the page does not have that any more.
    pub(super) rerun: Option<Rerun>,
    /// Where a worker's script is.
    pub(super) worker_url: AttrValue,
}

/// What was asked for: the number of the question, for how many jobs, and when.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Asked {
    number: u32,
    jobs: usize,
    at_ms: f64,
}

/// How far an explanation is.
enum Stand {
    /// Nobody asked.
    Idle,
    /// It is being found out.
    Asked(Asked),
    /// It is there, for so many waiting jobs.
    Told(usize, Option<Box<RoundExplained>>),
    /// It cannot be had.
    Failed(String),
}

/// What the part hears.
pub(super) enum Msg {
    /// Explain, with the price of so many jobs.
    Ask(usize),
    /// Never mind.
    Cancel,
    /// News of a question.
    Heard(u32, News),
}

/// The part of the panel.
pub(super) struct InFull {
    pool: Pool<u32>,
    stand: Stand,
    last: u32,
    /// Whether the last explanation was quick.
    is_quick: bool,
    _keys: EventListener,
}

impl Component for InFull {
    type Message = Msg;
    type Properties = InFullProps;

    fn create(ctx: &Context<Self>) -> Self {
        let tell = ctx.link().callback(|(number, news)| Msg::Heard(number, news));
        let on_key = ctx.link().batch_callback(|key| (key == keys::Key::Escape).then_some(Msg::Cancel));
        Self {
            _keys: browser::on_key(on_key),
            pool: Pool::new(&ctx.props().worker_url, 1, tell),
            stand: Stand::Idle,
            last: 0,
            is_quick: false,
        }
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &InFullProps) -> bool {
        let props = ctx.props();
        if (&props.run, props.round, &props.rerun) != (&old.run, old.round, &old.rerun) {
            let goes_on = self.is_quick && (&props.run, &props.rerun) == (&old.run, &old.rerun);
            self.give_up();
            if goes_on {
                self.ask(props, words::FIRST_JOBS);
            }
        }
        true
    }

    fn update(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        match msg {
            Msg::Ask(jobs) => self.ask(ctx.props(), jobs),
            Msg::Cancel if matches!(self.stand, Stand::Asked(_)) => self.give_up(),
            Msg::Cancel => return false,
            Msg::Heard(number, news) => return self.hear(number, news),
        }
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let InFullProps { rerun, policy, round, .. } = ctx.props();
        if rerun.is_none() {
            return html! { <p class="note" data-testid="explain-full-none">{ words::NO_JOBS }</p> };
        }
        let ask = |jobs: usize| ctx.link().callback(move |_: MouseEvent| Msg::Ask(jobs));
        let button = html! {
            <button class="btn primary" type="button" data-testid="explain-full" onclick={ask(words::FIRST_JOBS)}>{ words::BUTTON }</button>
        };
        html! {
            <div class="why-full">
                { match &self.stand {
                    Stand::Idle => html! { <p class="why-ask">{ button }<span>{ words::ABOUT }</span></p> },
                    Stand::Asked(_) => html! {
                        <p class="why-ask">
                            <button class="btn" type="button" data-testid="explain-cancel" onclick={ctx.link().callback(|_| Msg::Cancel)}>{ "Cancel" }</button>
                            <span role="status">{ words::under_way(policy, *round) }</span>
                        </p>
                    },
                    Stand::Failed(why) => html! {
                        <><p class="bad" role="alert">{ why.clone() }</p><p class="why-ask">{ button }</p></>
                    },
                    Stand::Told(_, None) => html! { <p class="note" data-testid="explain-round-full">{ words::NOTHING_DECIDED }</p> },
                    Stand::Told(jobs, Some(explained)) => {
                        let all = explained.waiting.len().min(MOST_WAITING);
                        let more = (explained.method.is_some() && *jobs < all).then(|| html! {
                            <button class="btn" type="button" data-testid="explain-more" onclick={ask(all)}>{ format!("Find it out for all {all}") }</button>
                        });
                        told(explained, *round, *jobs, more)
                    }
                } }
            </div>
        }
    }
}

impl InFull {
    fn ask(&mut self, props: &InFullProps, jobs: usize) {
        let Some(rerun) = &props.rerun else { return };
        self.pool.cancel();
        let (label, seed) = &props.run;
        let Some(policy) = rerun.scenario.policies.iter().position(|choice| choice.label() == label) else {
            self.stand = Stand::Failed(format!("The scenario has no policy labelled {label}."));
            return;
        };
        self.last += 1;
        let request = Request::Explain {
            scenario: Box::new((*rerun.scenario).clone()),
            workload: rerun.read,
            policy,
            seed: *seed,
            round: props.round,
            jobs,
        };
        let message = post(&request, &[("workload", rerun.workload.clone())]);
        self.stand = Stand::Asked(Asked { number: self.last, jobs, at_ms: now_ms() });
        self.pool.push([Task { id: self.last, message }]);
    }

    fn give_up(&mut self) {
        self.pool.cancel();
        self.stand = Stand::Idle;
    }

    /// Whether the news were of what is wanted now.
    fn hear(&mut self, number: u32, news: News) -> bool {
        let Stand::Asked(asked) = self.stand else { return false };
        if asked.number != number {
            return false;
        }
        self.stand = match news {
            News::Said { reply: Reply::Explained { round }, .. } => {
                self.is_quick = now_ms() - asked.at_ms < QUICK_MS;
                Stand::Told(asked.jobs, round)
            }
            News::Said { reply: Reply::Simulating { .. }, .. } => return false,
            News::Said { reply: Reply::Failed { message }, .. } => Stand::Failed(message),
            News::Said { reply, .. } => Stand::Failed(strings::answered_else(&reply)),
            News::Died(message) => Stand::Failed(words::died(&message)),
        };
        true
    }
}

fn now_ms() -> f64 {
    window().performance().map_or(0.0, |clock| clock.now())
}

/// All that is known of a round.
fn told(explained: &RoundExplained, asked: u64, jobs: usize, more: Option<Html>) -> Html {
    let line = |(what, text): (&'static str, String)| html! { <div><dt>{ what }</dt><dd>{ text }</dd></div> };
    let decision = words::decision(explained);
    html! {
        <div data-testid="explain-round-full" data-round={explained.round.to_string()}>
            <h3>{ "The round in full" }</h3>
            <p class="g-note">{ words::which(explained, asked) }</p>
            if !decision.is_empty() { <dl class="g-figures" data-testid="explain-decision">{ for decision.into_iter().map(line) }</dl> }
            <h4>{ "What jobs were given" }</h4>
            { grants(&explained.tenants) }
            <h4>{ "Jobs that waited" }</h4>
            <p class="g-note">{ words::waiting(explained, jobs) }{ " " }{ more.unwrap_or_default() }</p>
            if !explained.waiting.is_empty() { { waiting(explained) } }
        </div>
    }
}

fn grants(tenants: &[TenantExplained]) -> Html {
    let row = |of: &TenantExplained| {
        let mut options: Vec<String> = of.grants.iter().take(MOST_GRANTS).map(words::grant).collect();
        if of.grants.len() > MOST_GRANTS {
            options.push(format!("and {} more", format::count((of.grants.len() - MOST_GRANTS) as u64)));
        }
        let text = if options.is_empty() { "nothing".to_owned() } else { options.join("; ") };
        html! { <tr><th scope="row">{ of.tenant.clone() }</th><td class="n">{ of.grants.len() }</td><td>{ text }</td></tr> }
    };
    if tenants.iter().all(|of| of.grants.is_empty()) {
        return html! { <p class="note">{ "No job was given anything." }</p> };
    }
    html! {
        <div class="scroll-x twin-box" tabindex="0" role="group" aria-label="What jobs were given">
            <table class="tbl" data-testid="explain-grants">
                <thead><tr><th scope="col">{ "Tenant" }</th><th scope="col" class="n">{ "Jobs" }</th><th scope="col">{ "Options given" }</th></tr></thead>
                <tbody>{ for tenants.iter().map(row) }</tbody>
            </table>
        </div>
    }
}

fn waiting(explained: &RoundExplained) -> Html {
    let is_priced = explained.method.is_some();
    let row = |of: &WaitExplained| {
        let would = of.alternative.as_ref().map_or_else(|| format::UNDEFINED.to_owned(), words::option);
        html! {
            <tr data-job={of.job.clone()} data-reason={of.reason.to_string()}>
                <th scope="row">{ of.job.clone() }<small>{ of.tenant.clone() }</small></th>
                <td>{ super::sentence(&of.words) }</td>
                if is_priced { <td>{ would }</td><td>{ words::cost(of, explained.objective) }</td> }
            </tr>
        }
    };
    html! {
        <div class="scroll-x twin-box" tabindex="0" role="group" aria-label="Jobs that waited">
            <table class="tbl" data-testid="explain-waiting">
                <thead><tr>
                    <th scope="col">{ "Job" }</th><th scope="col">{ "Because" }</th>
                    if is_priced { <th scope="col">{ "Would have got" }</th><th scope="col" title={words::COST}>{ "If it ran" }</th> }
                </tr></thead>
                <tbody>{ for explained.waiting.iter().take(MOST_WAITING).map(row) }</tbody>
            </table>
        </div>
    }
}
