//! Figures of the stretch of time that is selected, for each policy.

use std::collections::BTreeSet;
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use js_sys::Array;
use yew::prelude::*;

use super::JobTable;
use super::figure::data_table;
use crate::app::comparison::Comparison;
use crate::app::message::{Reply, Request};
use crate::app::page::icon::Icon;
use crate::app::pool::{News, Pool, Task, post};
use crate::app::stretch::{self, JobsIn, JobsKnown};
use crate::app::strings;
use crate::app::time_view::Change;
use crate::chart::format;
use crate::chart::window::TimeWindow;

/// Jobs are not counted at each step of a drag, only where it rests.
const REST_MS: u32 = 120;

/// What the table needs.
#[derive(Properties, Clone, PartialEq)]
pub(super) struct StretchProps {
    /// The comparison.
    pub(super) comparison: Rc<Comparison>,
    /// Labels of policies that are left out.
    pub(super) hidden: Rc<BTreeSet<String>>,
    /// The runs' job tables.
    pub(super) tables: Rc<Vec<JobTable>>,
    /// What is selected.
    pub(super) selected: Option<TimeWindow>,
    /// The selection is let go.
    pub(super) on_change: Callback<Change>,
    /// Where a worker's script is.
    pub(super) worker_url: AttrValue,
}

/// What the table hears.
pub(super) enum Msg {
    /// The selection came to rest.
    Rested,
    /// A worker counted, or could not.
    Counted(TimeWindow, News),
}

/// A run by its label and seed, and its jobs.
type Counted = Vec<((String, u64), JobsIn)>;

/// The table.
pub(super) struct StretchFigures {
    counter: Pool<TimeWindow>,
    /// The number of the tables: a worker keeps those it was last given.
    number: u32,
    counted: Option<(TimeWindow, Result<Counted, String>)>,
    /// The stretch that is being counted.
    counting: Option<TimeWindow>,
    rest: Option<Timeout>,
}

impl Component for StretchFigures {
    type Message = Msg;
    type Properties = StretchProps;

    fn create(ctx: &Context<Self>) -> Self {
        let tell = ctx.link().callback(|(stretch, news)| Msg::Counted(stretch, news));
        let counter = Pool::new(&ctx.props().worker_url, 1, tell);
        Self { counter, number: 0, counted: None, counting: None, rest: None }
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &StretchProps) -> bool {
        let props = ctx.props();
        if props.tables != old.tables {
            self.number += 1;
            self.counted = None;
        }
        if (props.tables != old.tables || props.selected != old.selected) && props.selected.is_some() {
            let link = ctx.link().clone();
            self.rest = Some(Timeout::new(REST_MS, move || link.send_message(Msg::Rested)));
        }
        true
    }

    fn update(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        match msg {
            Msg::Rested => {
                self.count(ctx.props());
                false
            }
            Msg::Counted(stretch, news) => {
                self.counting = None;
                self.counted = Some((stretch, counted(&ctx.props().tables, news)));
                self.count(ctx.props());
                true
            }
        }
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let props = ctx.props();
        let Some(selected) = props.selected else { return html! {} };
        let jobs = match &self.counted {
            _ if props.tables.is_empty() => JobsKnown::NotKept,
            Some((stretch, Ok(counted))) if *stretch == selected => JobsKnown::Counted(counted),
            Some((stretch, Err(why))) if *stretch == selected => JobsKnown::Failed(why),
            _ => JobsKnown::Counting,
        };
        let table = stretch::table(&props.comparison, &props.hidden, selected, jobs);
        let title = format!(
            "From {} to {}: {}",
            format::elapsed(selected.from),
            format::elapsed(selected.to),
            format::duration(selected.span())
        );
        html! {
            <section class="g-side stretch" data-testid="stretch" data-from={selected.from.to_string()} data-to={selected.to.to_string()}
                aria-label="Figures of the selected time" aria-busy={(jobs == JobsKnown::Counting).to_string()}>
                <div class="p-head">
                    <h3 role="status">{ title }</h3>
                    <div class="p-act">
                        <button class="btn" type="button" data-testid="stretch-show" onclick={props.on_change.reform(move |_: MouseEvent| Change::Show(Some(selected)))}>{ "Zoom to it" }</button>
                        <button class="btn ghost icon" type="button" aria-label="Let go of the selected time" data-testid="stretch-close"
                            onclick={props.on_change.reform(|_: MouseEvent| Change::Unselect)}>{ Icon::Cross.html() }</button>
                    </div>
                </div>
                if let JobsKnown::Failed(why) = jobs { <p class="bad" role="alert">{ why.to_owned() }</p> }
                <div class="scroll-x" tabindex="0" role="group" aria-label="Figures of the selected time, by policy">{ data_table(&table) }</div>
                <p class="g-note">{ stretch::notes(&props.comparison) }</p>
            </section>
        }
    }
}

impl StretchFigures {
    /// Asks for the jobs of what is selected, unless they are known or being counted.
    fn count(&mut self, props: &StretchProps) {
        let Some(selected) = props.selected.filter(|_| !props.tables.is_empty()) else { return };
        let is_known = self.counted.as_ref().is_some_and(|(stretch, _)| *stretch == selected);
        if is_known || self.counting.is_some() {
            return;
        }
        self.counting = Some(selected);
        let tables: Array = props.tables.iter().map(|table| &table.csv).collect();
        let request = Request::JobsIn { tables: self.number, from_s: selected.from, to_s: selected.to };
        self.counter.push([Task { id: selected, message: post(&request, &[("tables", tables.into())]) }]);
    }
}

fn counted(tables: &[JobTable], news: News) -> Result<Counted, String> {
    match news {
        News::Said { reply: Reply::JobsIn { jobs }, .. } => {
            Ok(tables.iter().map(|table| (table.policy.clone(), table.seed)).zip(jobs).collect())
        }
        News::Said { reply: Reply::Failed { message }, .. } | News::Died(message) => Err(message),
        News::Said { reply, .. } => Err(strings::answered_else(&reply)),
    }
}
