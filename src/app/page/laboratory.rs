//! The view of the laboratory: an instance, the policy that is looked at, all policies side by side, and the dynamic program.
//!
//! It is there when another view is shown, so that answers outlast leaving it.

mod comparison;
mod decision;
mod entry;
mod files;
mod instance;
mod program;

use std::rc::Rc;

use gloo::timers::callback::Timeout;
use web_sys::File;
use yew::prelude::*;

use self::comparison::ComparisonPanel;
use self::decision::{AllocationFigure, DecisionPanel};
use self::instance::InstancePanel;
use self::program::ProgramPanel;
use super::icon::Icon;
use crate::app::laboratory::desk::{Answered, Desk};
use crate::app::laboratory::draft::Kind;
use crate::app::laboratory::examples::{EXAMPLES, Group};
use crate::app::laboratory::{Change, Laboratory as Bench};
use crate::app::message::{Reply, Request};
use crate::app::pool::{News, Pool, Task, post};
use crate::app::state::{Action, View};
use crate::app::strings::laboratory as words;

/// So long nothing is typed before the answers are asked for.
const REST_MS: u32 = 120;

/// What the view is given.
#[derive(Properties, Clone, PartialEq)]
pub struct LaboratoryProps {
    /// The view that is shown.
    pub view: View,
    /// What is in the laboratory.
    pub laboratory: Rc<Bench>,
    /// Where a worker's script is.
    pub worker_url: AttrValue,
    /// The page.
    pub dispatch: Callback<Action>,
}

/// What the view hears.
#[derive(Debug)]
pub enum Msg {
    /// Nothing has been typed for a while.
    Rested,
    /// News of a question.
    Answered(u32, News),
    /// A search for false reports is to begin.
    Search,
    /// News of it.
    Found(News),
}

/// The view.
pub struct Laboratory {
    desk: Desk,
    answerer: Pool<u32>,
    searcher: Pool<()>,
    rest: Option<Timeout>,
}

impl Component for Laboratory {
    type Message = Msg;
    type Properties = LaboratoryProps;

    fn create(ctx: &Context<Self>) -> Self {
        let (link, worker_url) = (ctx.link(), &ctx.props().worker_url);
        let mut view = Self {
            desk: Desk::default(),
            answerer: Pool::new(worker_url, 1, link.callback(|(number, news)| Msg::Answered(number, news))),
            searcher: Pool::new(worker_url, 1, link.callback(|((), news)| Msg::Found(news))),
            rest: None,
        };
        view.ask(ctx);
        view
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &Self::Properties) -> bool {
        let props = ctx.props();
        if self.desk.drop_other_search(&props.laboratory) {
            self.searcher.cancel();
        }
        if props.laboratory != old.laboratory || props.view != old.view {
            let link = ctx.link().clone();
            self.rest = Some(Timeout::new(REST_MS, move || link.send_message(Msg::Rested)));
        }
        props.view == View::Laboratory || old.view == View::Laboratory
    }

    fn update(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        match msg {
            Msg::Rested => {
                self.rest = None;
                self.ask(ctx);
            }
            Msg::Answered(number, news) => {
                let answers = match news {
                    News::Said { reply: Reply::Laboratory { answers }, .. } => Ok(*answers),
                    other => Err(failure(other)),
                };
                if let Some(next) = self.desk.hear(number, answers) {
                    self.send(next);
                }
            }
            Msg::Search => {
                if let Some(question) = self.desk.search(&ctx.props().laboratory) {
                    let message = post(&Request::Misreports { question: Box::new(question) }, &[]);
                    self.searcher.push([Task { id: (), message }]);
                }
            }
            Msg::Found(news) => self.desk.found(match news {
                News::Said { reply: Reply::Misreports { reports }, .. } => Ok(*reports),
                other => Err(failure(other)),
            }),
        }
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let LaboratoryProps { view, laboratory, dispatch, .. } = ctx.props();
        if *view != View::Laboratory {
            return html! {};
        }
        let change = dispatch.reform(Action::Laboratory);
        let answered = self.desk.answered.clone();
        let is_current = self.desk.is_current(laboratory);
        let is_wide = laboratory.case.draft.kind == Kind::Integer;
        html! {
            <section class="view laboratory" aria-labelledby="lab-h1" aria-busy={(!is_current).to_string()} data-testid="laboratory">
                <div class="lab-top">
                    <h1 id="lab-h1">{ "Laboratory" }</h1>
                    <p class="sub">{ words::ABOUT }</p>
                </div>
                { examples(laboratory, &change) }
                <div class={classes!("lab-grid", is_wide.then_some("wide"))}>
                    <InstancePanel laboratory={Rc::clone(laboratory)} {dispatch} change={&change} />
                    { self.answers(ctx, answered, &change) }
                </div>
                <p class="vh" role="status">{ self.spoken(ctx) }</p>
            </section>
        }
    }
}

impl Laboratory {
    fn ask(&mut self, ctx: &Context<Self>) {
        let LaboratoryProps { view, laboratory, .. } = ctx.props();
        if *view == View::Laboratory
            && let Some(question) = self.desk.ask(laboratory)
        {
            self.send(question);
        }
    }

    fn send(&self, (number, question): (u32, crate::app::laboratory::answers::Question)) {
        let message = post(&Request::Laboratory { question: Box::new(question) }, &[]);
        self.answerer.push([Task { id: number, message }]);
    }

    fn answers(
        &self,
        ctx: &Context<Self>,
        answered: Option<Rc<Answered>>,
        change: &Callback<Change>,
    ) -> Html {
        let laboratory = &ctx.props().laboratory;
        if let Some(error) = &self.desk.error {
            return html! {
                <section class="panel lab-wide"><p class="ferr" role="alert" data-testid="lab-error">{ Icon::Warn.html() }<span>{ error.clone() }</span></p></section>
            };
        }
        let Some(answered) = answered else {
            return html! { <section class="panel lab-wide"><p class="muted" role="status">{ words::COMPUTING }</p></section> };
        };
        let policy = AttrValue::from(laboratory.policy.clone());
        let search = self.desk.search.clone();
        let is_old = laboratory.question().is_none() || !self.desk.is_current(laboratory);
        let on_search = ctx.link().callback(|()| Msg::Search);
        html! {
            <>
                if laboratory.question().is_none() { <p class="from-before lab-wide" role="status">{ words::CORRECT_FIRST }</p> }
                <div class={classes!("lab-out", is_old.then_some("old"))}>
                    <DecisionPanel answered={Rc::clone(&answered)} policy={policy.clone()} {search} {on_search} can_search={!is_old} />
                    <AllocationFigure answered={Rc::clone(&answered)} policy={policy.clone()} />
                </div>
                <div class={classes!("lab-wide", "stack", is_old.then_some("old"))}>
                    <ComparisonPanel answered={Rc::clone(&answered)} policy={policy.clone()} {change} />
                    <ProgramPanel {answered} {policy} />
                </div>
            </>
        }
    }

    fn spoken(&self, ctx: &Context<Self>) -> String {
        let laboratory = &ctx.props().laboratory;
        let known = self.desk.answered.as_ref().filter(|_| self.desk.is_current(laboratory));
        match known.and_then(|known| known.result(&laboratory.policy)) {
            Some(Ok(solved)) => words::spoken(&laboratory.policy, solved),
            Some(Err(why)) => format!("{}: {why}", words::policy(&laboratory.policy)),
            None => String::new(),
        }
    }
}

/// Files that were dropped or pasted while the laboratory is shown: the first of them as an instance.
pub(super) fn take_files(files: Vec<File>, dispatch: &Callback<Action>) {
    if let Some(file) = files.into_iter().next() {
        files::open(file, dispatch.reform(Action::Laboratory));
    }
}

/// Why there is no answer.
fn failure(news: News) -> String {
    match news {
        News::Died(message) => words::died(&message),
        News::Said { reply: Reply::Failed { message }, .. } => message,
        News::Said { reply, .. } => format!("The worker answered something else: {reply:?}"),
    }
}

/// The examples, and what the one that is open shows.
fn examples(laboratory: &Bench, change: &Callback<Change>) -> Html {
    let open = laboratory.example();
    let chip = |example: &'static crate::app::laboratory::examples::Example| {
        let pressed = open.is_some_and(|open| open.id == example.id);
        let name = format!("{}: {}", example.id, example.title);
        html! {
            <button class="chip" type="button" key={example.id} data-testid={format!("lab-example-{}", example.id)} aria-label={name.clone()} title={name}
                aria-pressed={pressed.to_string()} onclick={change.reform(move |_: MouseEvent| Change::Example(example.id))}>{ example.id }</button>
        }
    };
    let group = |group: Group| {
        html! {
            <div class="lab-group" key={words::group(group)} role="group" aria-label={words::group(group)}>
                <span class="lab" aria-hidden="true">{ words::group(group) }</span>
                <div class="chips">{ for EXAMPLES.iter().filter(|example| example.group == group).map(chip) }</div>
            </div>
        }
    };
    html! {
        <>
            <div class="lab-examples">{ for Group::ALL.into_iter().map(group) }</div>
            <div class="lab-about" data-testid="lab-about">
                if let Some(example) = open {
                    <p><b>{ format!("{}. {}. ", example.id, example.title) }</b>{ example.shows }</p>
                    <p><span class="tag">{ "Look at" }</span>{ " " }{ example.look }</p>
                } else {
                    <p class="muted">{ words::OWN }</p>
                }
            </div>
        </>
    }
}

/// What a panel that asks a question of one policy is given.
#[derive(Properties, Clone, PartialEq)]
struct AnsweredProps {
    /// The answers.
    answered: Rc<Answered>,
    /// The policy that is looked at.
    policy: AttrValue,
}
