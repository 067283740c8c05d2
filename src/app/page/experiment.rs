//! The view of the experiment: what is varied, how far it is, and what came out. It is there when another view is shown, so that an
//! experiment goes on meanwhile.

mod changes;
mod form;
mod outcome;
mod progress;
mod set_ups;

use std::cell::Cell;
use std::rc::Rc;

use gloo::events::EventListener;
use wasm_bindgen::JsValue;
use yew::prelude::*;

use self::changes::changes_panel;
use self::form::{FormPanel, WhatIf};
use self::outcome::OutcomeFigure;
use self::progress::{Controls, progress_panel};
use super::browser;
use crate::app::experiment::{Course, Desk, ExperimentId, Heard, Kind, Problem, What, what_if};
use crate::app::keys::Key;
use crate::app::message::{Reply, Request};
use crate::app::plan::RunProgress;
use crate::app::pool::{News, Pool, Task, post};
use crate::app::state::inputs::Loaded;
use crate::app::state::{Action, Dialog, ResultSet, View};
use crate::app::strings;
use crate::app::strings::experiment as words;
use crate::scenario::Scenario;
use crate::scenario::sweep::{Sweep, is_same_world};

/// What the view is given.
#[derive(Properties, Clone, PartialEq)]
pub struct ExperimentProps {
    /// The view that is shown.
    pub view: View,
    /// The window over the page, which has the keyboard for itself.
    pub dialog: Option<Dialog>,
    /// The set-up.
    pub scenario: Rc<Scenario>,
    /// The form.
    pub desk: Rc<Desk>,
    /// The workload that it asks for, if the page has it.
    pub input: Option<Rc<Loaded>>,
    /// The same as workers read it.
    pub workload: JsValue,
    /// The results of the set-up, where they are there.
    pub shown: Option<Rc<ResultSet>>,
    /// What keeps the set-up from being run.
    pub obstacle: Option<AttrValue>,
    /// Today's date, for file names.
    pub today: AttrValue,
    /// Where a worker's script is.
    pub worker_url: AttrValue,
    /// The page.
    pub dispatch: Callback<Action>,
}

/// What the view hears.
#[derive(Debug)]
pub enum Msg {
    /// The form's experiment is to be run.
    Begin,
    /// What if there were more GPUs of this model?
    WhatIf(String),
    /// No further run is to begin.
    Pause,
    /// Runs are to begin again.
    Resume,
    /// It is to be given up.
    Cancel,
    /// News of a run.
    Heard((ExperimentId, usize), News),
    /// A key was pressed outside of a field.
    Key(Key),
}

/// The view.
pub struct Experiment {
    /// What the form says.
    sweep: Result<Rc<Sweep>, Problem>,
    course: Option<Course>,
    /// Why the last what-if could not be told.
    refused: Option<String>,
    last: ExperimentId,
    /// The workload of the course, which the page may have exchanged since, and its number.
    workload: (u32, JsValue),
    pool: Pool<(ExperimentId, usize)>,
    workers: usize,
    /// Whether an experiment is under way that would be lost.
    has_work: Rc<Cell<bool>>,
    _listeners: [EventListener; 2],
}

impl Component for Experiment {
    type Message = Msg;
    type Properties = ExperimentProps;

    fn create(ctx: &Context<Self>) -> Self {
        let workers = browser::spare_cores();
        let has_work = Rc::new(Cell::new(false));
        let props = ctx.props();
        let tell = ctx.link().callback(|(id, news)| Msg::Heard(id, news));
        Self {
            sweep: props.desk.draft().sweep(&props.scenario).map(Rc::new),
            course: None,
            refused: None,
            last: ExperimentId::default(),
            workload: (0, JsValue::UNDEFINED),
            pool: Pool::new(&props.worker_url, workers, tell),
            workers,
            _listeners: [
                browser::on_key(ctx.link().callback(Msg::Key)),
                browser::on_leaving(Rc::clone(&has_work)),
            ],
            has_work,
        }
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &Self::Properties) -> bool {
        let props = ctx.props();
        if props.view == View::Experiment && !(Rc::ptr_eq(&old.desk, &props.desk) && old.view == props.view) {
            self.sweep = props.desk.draft().sweep(&props.scenario).map(Rc::new);
            self.refused = None;
        }
        props.view == View::Experiment || old.view == View::Experiment
    }

    fn update(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        let scenario = &ctx.props().scenario;
        let now_s = browser::now_s();
        match msg {
            Msg::Begin => {
                if let Ok(sweep) = &self.sweep {
                    let sweep = (**sweep).clone();
                    let kind = match ctx.props().desk.draft().what {
                        What::Values => Kind::Sweep,
                        What::SetUps => Kind::SetUps,
                    };
                    self.begin(ctx, kind, sweep);
                }
            }
            Msg::WhatIf(gpu) => match what_if(scenario, &gpu) {
                Ok(sweep) => self.begin(ctx, Kind::WhatIf, sweep),
                Err(why) => self.refused = Some(why),
            },
            Msg::Pause => self.course.iter_mut().for_each(|course| course.pause(now_s)),
            Msg::Resume => {
                self.course.iter_mut().for_each(|course| course.resume(now_s));
                self.hand_out();
            }
            Msg::Cancel => self.cancel(),
            Msg::Key(Key::Escape) if ctx.props().view == View::Experiment && ctx.props().dialog.is_none() => {
                self.cancel();
            }
            Msg::Key(_) => return false,
            Msg::Heard((id, run), news) => {
                if let (Some(heard), Some(course)) = (heard(news), &mut self.course) {
                    course.hear(id, run, heard, now_s);
                }
                self.hand_out();
            }
        }
        self.has_work.set(self.course.as_ref().is_some_and(Course::is_open));
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let props = ctx.props();
        if props.view != View::Experiment {
            return html! {};
        }
        let link = ctx.link();
        let controls = Controls {
            pause: link.callback(|()| Msg::Pause),
            resume: link.callback(|()| Msg::Resume),
            cancel: link.callback(|()| Msg::Cancel),
        };
        let tenants: Vec<AttrValue> = tenants(props).into_iter().map(AttrValue::from).collect();
        html! {
            <section class="view experiment" aria-labelledby="exp-h1" data-testid="experiment">
                <div class="lab-top">
                    <h1 id="exp-h1">{ "Experiment" }</h1>
                    <p class="sub">{ words::ABOUT }</p>
                </div>
                if let Some(obstacle) = &props.obstacle {
                    <p class="from-before" role="status" data-testid="experiment-obstacle">{ obstacle }{ " " }
                        <button class="link" type="button" onclick={props.dispatch.reform(|_: MouseEvent| Action::Show(View::SetUp))}>{ "Set up" }</button>
                    </p>
                }
                <WhatIf scenario={&props.scenario} refused={self.refused.clone()} disabled={props.obstacle.is_some()}
                    on_ask={link.callback(Msg::WhatIf)} />
                <FormPanel scenario={&props.scenario} {tenants} desk={Rc::clone(&props.desk)} sweep={self.sweep.clone()}
                    disabled={props.obstacle.is_some()} dispatch={&props.dispatch} on_begin={link.callback(|()| Msg::Begin)} />
                if let Some(course) = &self.course {
                    if course.kind != Kind::SetUps && !is_same_world(&course.sweep.base, &props.scenario) {
                        <p class="from-before" role="status">{ words::STALE }</p>
                    }
                    { progress_panel(course, browser::now_s(), &controls) }
                    { for against_first(course).map(|point| changes_panel(course, point)) }
                    <OutcomeFigure key={course.id.0} sweep={Rc::clone(&course.sweep)} results={Rc::clone(&course.results)} today={&props.today} />
                }
            </section>
        }
    }
}

/// The points of which it is told what they change.
fn against_first(course: &Course) -> std::ops::Range<usize> {
    match course.kind {
        Kind::Sweep => 0..0,
        Kind::SetUps | Kind::WhatIf => 1..course.sweep.points.len(),
    }
}

impl Experiment {
    fn begin(&mut self, ctx: &Context<Self>, kind: Kind, sweep: Sweep) {
        let props = ctx.props();
        if props.obstacle.is_some() {
            return;
        }
        self.cancel();
        self.refused = None;
        self.last = ExperimentId(self.last.0.wrapping_add(1));
        self.workload = (props.input.as_ref().map_or(0, |input| input.read.0), props.workload.clone());
        let shown = props.shown.as_deref();
        self.course = Some(Course::begin(self.last, kind, sweep, shown, browser::now_s()));
        self.hand_out();
    }

    fn cancel(&mut self) {
        if self.course.as_mut().is_some_and(|course| course.cancel(browser::now_s())) {
            self.pool.cancel();
        }
    }

    fn hand_out(&mut self) {
        let Some(course) = &mut self.course else { return };
        let (number, workload) = &self.workload;
        let runs = course.hand_out(self.workers);
        self.pool.push(runs.into_iter().filter_map(|at| {
            let run = course.sweep.runs.get(at)?;
            let request = Request::Measure {
                scenario: Box::new(course.sweep.points.get(run.point)?.scenario.clone()),
                workload: *number,
                policy: run.policy,
                seed: run.seed,
            };
            let message = post(&request, &[("workload", workload.clone())]);
            Some(Task { id: (course.id, at), message })
        }));
    }
}

/// Tenants whose weight can be varied.
fn tenants(props: &ExperimentProps) -> Vec<String> {
    /// A list of more is not read.
    const MOST: usize = 100;
    let Some(input) = &props.input else { return Vec::new() };
    let by = props.scenario.workload.trace.as_ref().map(|trace| trace.tenants).unwrap_or_default();
    let tenants = input.contents.digest.tenants_by(by);
    tenants.iter().take(MOST).map(|tenant| tenant.name.clone()).collect()
}

fn heard(news: News) -> Option<Heard> {
    Some(match news {
        News::Died(message) => Heard::Lost(message),
        News::Said { reply, .. } => match reply {
            Reply::Simulating { finished, jobs } => Heard::Progress(RunProgress { finished, jobs }),
            Reply::Measured { metrics } => Heard::Measured(metrics),
            Reply::Failed { message } => Heard::Lost(message),
            Reply::Ready => return None,
            other => Heard::Lost(strings::answered_else(&other)),
        },
    })
}
