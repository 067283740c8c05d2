//! The page (Yew): it keeps the state, carries out what the reducer asks for, and draws the current view.

pub mod banners;
pub mod browser;
pub mod cluster;
pub mod dialogs;
pub mod drawing;
pub mod drop;
pub mod experiment;
pub mod export_workload;
pub mod field;
pub mod formula;
pub mod gavel;
pub mod header;
pub mod icon;
pub mod in_parts;
pub mod kept;
pub mod laboratory;
pub mod machines;
pub mod mapping;
pub mod policies;
pub mod profiles;
pub mod repairs;
pub mod report;
pub mod rest;
pub mod results;
pub mod rounds;
pub mod run_bar;
pub mod service;
pub mod setup;
pub mod shaping;
pub mod shelf;
pub mod start;
pub mod store;
pub mod synthetic;
pub mod tenants;
pub mod trace;
pub mod type_names;
pub mod weight_changes;
pub mod width;

use std::cell::Cell;
use std::rc::Rc;

use gloo::events::EventListener;
use gloo::file::callbacks::{FileReader, read_as_text};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::File;
use yew::platform::spawn_local;
use yew::prelude::*;

use self::banners::Banners;
use self::browser::Step;
use self::dialogs::Dialogs;
use self::drop::DropZone;
use self::experiment::Experiment;
use self::gavel::Gavel;
use self::header::Header;
use self::kept::{KeptPanel, Then};
use self::laboratory::Laboratory;
use self::mapping::MappingWindow;
use self::results::{Basis, Rerun, Results, ResultsProps, save::save_written};
use self::run_bar::RunBar;
use self::setup::SetUp;
use self::shelf::Shelf;
use self::start::Start;
use super::comparison::Freshness;
use super::forecast::Forecast;
use super::keys::{self, Key};
use super::message::{Reply, Request};
use super::plan::{Plan, RunProgress};
use super::pool::{News, Pool, Task, get, post};
use super::state::inputs::{Source, Why};
use super::state::runs::Cause;
use super::state::{
    Action, Command, ComparisonId, Dialog, Fault, ReadId, ReadReport, ResultSet, RunReport, State, View,
};
use super::status::obstacle_text;
use super::strings::{self, Below, kept as words};
use crate::scenario::Scenario;

/// Starts the page in the element with the id `app`.
///
/// # Errors
/// When there is no such element.
#[wasm_bindgen]
pub fn start_page(worker_url: String) -> Result<(), JsValue> {
    let root =
        gloo::utils::document().get_element_by_id("app").ok_or("the page has no element with the id app")?;
    yew::Renderer::<Page>::with_root_and_props(root, PageProps { worker_url: worker_url.into() }).render();
    Ok(())
}

/// What the page is told.
#[derive(Properties, Clone, PartialEq)]
pub struct PageProps {
    /// Where a worker's script is, as an absolute address.
    pub worker_url: AttrValue,
}

/// What the page hears.
#[derive(Debug)]
pub enum Msg {
    /// Something for the reducer.
    Act(Action),
    /// A key was pressed outside of a field.
    Key(Key),
    /// The reader gave files.
    Files(Vec<File>),
    /// A file of the page's own host, or why there is none.
    Fetched(String, Result<File, String>),
    /// News of what is being read.
    Read(ReadTask, News),
    /// News of a run.
    Ran(RunTask, News),
}

/// What a worker does with a workload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadTask {
    /// It reads or generates it.
    Read(ReadId),
    /// It writes it as a file of this name.
    Export(String),
    /// It says what would be simulated, under this number.
    Forecast(u32),
}

/// What a worker does for a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunTask {
    /// One run, by its number in the plan.
    Run(ComparisonId, usize),
    /// Means over common jobs.
    CommonMeans(ComparisonId),
}

/// The page.
pub struct Page {
    state: Rc<State>,
    dispatch: Callback<Action>,
    on_files: Callback<Vec<File>>,
    on_fetched: Callback<(String, Result<File, String>)>,
    /// Reads and generates, so that no run has to end first.
    reader: Pool<ReadTask>,
    /// Simulates.
    runners: Pool<RunTask>,
    shelf: Shelf,
    /// The results that are being read from a file.
    results_reader: Option<FileReader>,
    /// Whether the view was just changed and is to be shown from its beginning.
    is_at_new_view: bool,
    /// Whether a run is under way that would be lost.
    has_work: Rc<Cell<bool>>,
    _listeners: [EventListener; 3],
}

impl Component for Page {
    type Message = Msg;
    type Properties = PageProps;

    fn create(ctx: &Context<Self>) -> Self {
        let link = ctx.link();
        let worker_url = &ctx.props().worker_url;
        let mut state = State {
            theme: browser::stored_theme(),
            letter_keys: browser::stored_letter_keys(),
            ..State::default()
        };
        browser::show_theme(state.theme);
        let opened = state.apply(Action::Begin(browser::fragment()), &browser::now());
        let has_work = Rc::new(Cell::new(false));
        let listeners = [
            browser::on_leaving(Rc::clone(&has_work)),
            browser::on_address(link.callback(|fragment| Msg::Act(Action::Address(fragment)))),
            browser::on_key(link.callback(Msg::Key)),
        ];
        let mut page = Self {
            state: Rc::new(state),
            dispatch: link.callback(Msg::Act),
            on_files: link.callback(Msg::Files),
            on_fetched: link.callback(|(address, file)| Msg::Fetched(address, file)),
            reader: Pool::new(worker_url, 1, link.callback(|(id, news)| Msg::Read(id, news))),
            runners: Pool::new(
                worker_url,
                browser::spare_cores(),
                link.callback(|(id, news)| Msg::Ran(id, news)),
            ),
            shelf: Shelf::default(),
            results_reader: None,
            is_at_new_view: false,
            has_work,
            _listeners: listeners,
        };
        for command in opened {
            page.carry_out(command);
        }
        kept::refresh(page.dispatch.clone());
        page
    }

    fn update(&mut self, _ctx: &Context<Self>, msg: Msg) -> bool {
        let action = match msg {
            Msg::Act(Action::ReadAlone(id, at)) => match self.shelf.take_one_of(id, at) {
                Some(action) => action,
                None => return false,
            },
            Msg::Act(action) => action,
            Msg::Key(key) => match keys::action(&self.state, key) {
                Some(action) => action,
                None => return false,
            },
            Msg::Files(files) if files.is_empty() => return false,
            Msg::Files(files) if self.state.view == View::Laboratory => {
                laboratory::take_files(files, &self.dispatch);
                return false;
            }
            Msg::Files(files) => {
                let (id, infos) = self.shelf.take_files(files);
                Action::Files(id, infos)
            }
            Msg::Fetched(address, file) => {
                Action::Fetched(address, file.map(|file| self.shelf.take_files(vec![file])))
            }
            Msg::Read(ReadTask::Read(id), news) => self.reading_news(id, news),
            Msg::Read(ReadTask::Export(name), news) => match save_written(&name, news) {
                Ok(()) => return false,
                Err(message) => Action::Fault(export_workload::FAULT.into(), Fault { text: name, message }),
            },
            Msg::Read(ReadTask::Forecast(number), news) => match forecast(news) {
                Some(answer) => Action::Foreseen(number, answer),
                None => return false,
            },
            Msg::Ran(RunTask::Run(id, run), news) => self.run_news(id, run, news),
            Msg::Ran(RunTask::CommonMeans(id), news) => match news {
                News::Said { reply: Reply::CommonMeans { means }, .. } => Action::CommonMeans(id, means),
                // The figure stays undefined.
                _ => Action::CommonMeans(id, Vec::new()),
            },
        };
        let step = if matches!(action, Action::Address(_)) { Step::Replace } else { Step::Push };
        let before = Rc::clone(&self.state);
        let commands = Rc::make_mut(&mut self.state).apply(action, &browser::now());
        for command in commands {
            self.carry_out(command);
        }
        self.shelf.tidy(&self.state);
        self.has_work.set(self.state.has_work());
        self.show_address(&before, step);
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let (state, dispatch, on_files) = (&self.state, &self.dispatch, &self.on_files);
        let shown = state.displayed().filter(|(_, freshness)| *freshness == Freshness::Current);
        let scenario_hash = shown.map(|(set, _)| AttrValue::from(set.scenario_hash.clone()));
        let is_of_this_run = state.displayed().is_none_or(|(set, _)| {
            state.runs.interrupted.as_ref().is_some_and(|interrupted| interrupted.comparison.id == set.id)
        });
        let below = if is_of_this_run { Below::ThisRun } else { Below::RunBefore };
        html! {
            <>
                <a class="skip" href="#main" onclick={Callback::from(|event: MouseEvent| browser::skip_to_main(&event))}>{ "Skip to content" }</a>
                <Header view={state.view} scenario={&state.scenario} {scenario_hash} theme={state.theme} {dispatch} {on_files} />
                <main id="main" tabindex="-1">
                    <Banners view={state.view} remarks={state.remarks.clone()} interrupted={state.runs.interrupted.clone()} {below}
                        reading={state.inputs.reading.clone()} refused={state.inputs.refused.clone()} {dispatch} {on_files} />
                    { match state.view {
                        View::Start => self.start(),
                        View::SetUp => self.set_up(),
                        View::Results => self.results(&ctx.props().worker_url),
                        View::Experiment | View::Laboratory => html! {},
                    } }
                    { self.experiment(&ctx.props().worker_url) }
                    <Laboratory view={state.view} laboratory={Rc::clone(&state.laboratory)} worker_url={ctx.props().worker_url.clone()} {dispatch} />
                </main>
                <RunBar {state} {dispatch} />
                <footer class="foot">
                    <span>{ format!("{}, build {}", strings::VERSION, browser::build()) }</span>
                    <button class="link" type="button" data-testid="report-fault" onclick={dispatch.reform(|_: MouseEvent| Action::Open(Dialog::Report))}>{ "Report a fault" }</button>
                </footer>
                <Dialogs {state} {dispatch} {on_files} />
                { self.mapping(&ctx.props().worker_url) }
                <Gavel dialog={state.dialog} worker_url={ctx.props().worker_url.clone()} {dispatch} />
                <DropZone {on_files} />
            </>
        }
    }

    fn rendered(&mut self, _ctx: &Context<Self>, _first: bool) {
        browser::set_title(&strings::title(self.state.view, &self.state.scenario.name));
        if std::mem::take(&mut self.is_at_new_view) {
            browser::show_from_top();
        }
    }
}

impl Page {
    /// The window in which it is said how the files are read.
    fn mapping(&self, worker_url: &AttrValue) -> Html {
        let source = self.state.files_in_question().filter(|_| self.state.dialog == Some(Dialog::Mapping));
        let Some(Source::Files { id, options, .. }) = source else { return html! {} };
        let name = source.and_then(Source::path).unwrap_or_default();
        let report = self.state.input().and_then(|input| input.contents.report.as_ref());
        let read_as = match (&self.state.inputs.refused, &options.format, report) {
            (Some(_), Some(format), _) => format.clone(),
            (None, _, Some(report)) => report.format.clone(),
            _ => String::new(),
        };
        html! {
            <MappingWindow key={id.0} files={self.shelf.files(*id)} {name} options={options.clone()} {read_as} {worker_url} dispatch={&self.dispatch} />
        }
    }

    fn start(&self) -> Html {
        let displayed = self.state.displayed();
        let shown = displayed.map(|(set, _)| Rc::clone(set));
        let freshness = displayed.map(|(_, freshness)| freshness);
        html! {
            <>
                <Start {shown} {freshness} dispatch={&self.dispatch} on_files={&self.on_files} />
                if !self.state.kept.is_empty() {
                    <KeptPanel shown={None} beside={None} kept={Rc::clone(&self.state.kept)} fault={None} dispatch={&self.dispatch} on_files={&self.on_files} />
                }
            </>
        }
    }

    fn set_up(&self) -> Html {
        let State { scenario, faults, inputs, history, .. } = &*self.state;
        html! {
            <SetUp {scenario} {faults} input={self.state.input().cloned()} reading={inputs.reading.clone()} refused={inputs.refused.clone()}
                forecast={self.state.forecast().cloned()} history={history.clone()} dispatch={&self.dispatch} on_files={&self.on_files} />
        }
    }

    /// The experiment on the set-up. It is there in every view, and goes on there.
    fn experiment(&self, worker_url: &AttrValue) -> Html {
        let state = &self.state;
        let input = state.input().cloned();
        let is_current = |(_, freshness): &(_, Freshness)| *freshness == Freshness::Current;
        let shown = state.displayed().filter(is_current).map(|(set, _)| Rc::clone(set));
        // Results that were opened are of jobs that may not be those loaded.
        let is_of_these_jobs =
            |set: &Rc<ResultSet>| input.as_ref().is_none_or(|input| set.origin.read == Some(input.read));
        let shown = shown.filter(is_of_these_jobs);
        let workload = input.as_ref().map_or(JsValue::UNDEFINED, |input| self.shelf.workload(input.read));
        let obstacle = state.obstacles().first().map(|obstacle| AttrValue::from(obstacle_text(obstacle)));
        html! {
            <Experiment view={state.view} dialog={state.dialog} scenario={&state.scenario} desk={Rc::clone(&state.experiment)} {input} {workload} {shown} {obstacle} today={browser::today()}
                {worker_url} dispatch={&self.dispatch} />
        }
    }

    fn results(&self, worker_url: &AttrValue) -> Html {
        let state = &self.state;
        let nothing_yet = match &state.runs.active {
            Some(active) => {
                Freshness::Running { done: active.ended.len(), planned: active.comparison.planned }
            }
            None if state.runs.awaited.is_some() => {
                Freshness::Running { done: 0, planned: Plan::of(&state.scenario).runs.len() }
            }
            None => Freshness::Current,
        };
        let displayed = state.displayed();
        let set = displayed.map(|(set, _)| set);
        let beside = state.beside();
        let own = set.map_or(&state.scenario, |set| &set.scenario);
        let runs = beside.map(|both| &both.runs).or(set.map(|set| &set.results));
        let props = ResultsProps {
            runs: runs.cloned().unwrap_or_default(),
            scenario: Rc::clone(beside.map_or(own, |both| &both.scenario)),
            trace_name: strings::workload_name(own).into(),
            freshness: displayed.map_or(nothing_yet, |(_, freshness)| freshness),
            baseline: state.baseline.clone().map(AttrValue::from),
            on_baseline: self.dispatch.reform(|label: AttrValue| Action::Baseline(label.to_string())),
            hidden: Rc::clone(&state.hidden),
            on_toggle: self.dispatch.reform(|(label, toggle)| Action::Toggle(label, toggle)),
            job_tables: set.map(|set| self.shelf.jobs(set.id)).unwrap_or_default(),
            rerun: set.and_then(|set| self.rerun(set)),
            basis: Rc::new(set.map_or_else(Basis::default, |set| Basis {
                scenario_hash: set.scenario_hash.clone(),
                trace_hash: set.origin.trace_hash.clone(),
                assumptions: (*set.assumptions).clone(),
            })),
            today: browser::today().into(),
            worker_url: worker_url.clone(),
            on_set_up: self.dispatch.reform(|()| Action::Show(View::SetUp)),
        };
        html! {
            <>
                <Results ..props />
                <KeptPanel shown={set.filter(|set| !set.results.is_empty()).cloned()} beside={beside.cloned()} kept={Rc::clone(&state.kept)}
                    fault={state.kept_fault.clone().map(AttrValue::from)} dispatch={&self.dispatch} on_files={&self.on_files} />
            </>
        }
    }

    /// What results can be run again from: their jobs are generated, or still there.
    fn rerun(&self, set: &ResultSet) -> Option<Rerun> {
        let workload = set.origin.read.map_or(JsValue::UNDEFINED, |read| self.shelf.workload(read));
        let is_there = set.scenario.workload.synthetic.is_some() || !workload.is_undefined();
        let read = set.origin.read.map_or(0, |read| read.0);
        is_there.then(|| Rerun { scenario: Rc::clone(&set.scenario), read, workload })
    }

    fn carry_out(&mut self, command: Command) {
        match command {
            Command::Read(id, files, options) => {
                let message = post(&Request::Read { options }, &[("files", self.shelf.files(files))]);
                self.reader.push([Task { id: ReadTask::Read(id), message }]);
            }
            Command::Fetch(address) => {
                let on_fetched = self.on_fetched.clone();
                spawn_local(async move {
                    let file = browser::fetch(&address).await;
                    on_fetched.emit((address, file));
                });
            }
            Command::Generate(id, spec) => {
                let message = post(&Request::Generate { spec: Box::new(spec) }, &[]);
                self.reader.push([Task { id: ReadTask::Read(id), message }]);
            }
            Command::ExportWorkload(read, format, name) => {
                let message = post(&Request::Export { format }, &[("workload", self.shelf.workload(read))]);
                self.reader.push([Task { id: ReadTask::Export(name), message }]);
            }
            Command::Forecast(number, scenario, read) => {
                let request = Request::Forecast { scenario: Box::new((*scenario).clone()), workload: read.0 };
                let message = post(&request, &[("workload", self.shelf.workload(read))]);
                self.reader.push([Task { id: ReadTask::Forecast(number), message }]);
            }
            Command::StopReading => self.reader.cancel(),
            Command::Simulate(id, plan, scenario, read) => self.simulate(id, &plan, &scenario, read),
            Command::CommonMeans(id, groups) => {
                let request = Request::CommonMeans { groups: groups.iter().map(Vec::len).collect() };
                let message = post(&request, &[("times", self.shelf.times(id, &groups))]);
                self.runners.push([Task { id: RunTask::CommonMeans(id), message }]);
            }
            Command::StopRuns => self.runners.cancel(),
            Command::SaveTheme(theme) => {
                browser::store_theme(theme);
                browser::show_theme(theme);
            }
            Command::SaveLetterKeys(keys) => browser::store_letter_keys(keys),
            Command::ScrollToTop => self.is_at_new_view = true,
            Command::OpenResults(id) => {
                let dispatch = self.dispatch.clone();
                self.results_reader = self.shelf.first_of(id).map(|file| {
                    read_as_text(&file.into(), move |text| {
                        dispatch.emit(match text {
                            Ok(text) => kept::opened(&text, Then::Show),
                            Err(error) => Action::KeptFault(words::unreadable(&error.to_string())),
                        });
                    })
                });
            }
        }
    }

    fn simulate(&self, id: ComparisonId, plan: &Plan, scenario: &Scenario, read: ReadId) {
        let workload = self.shelf.workload(read);
        self.runners.push(plan.runs.iter().enumerate().map(|(index, run)| {
            let request = Request::Simulate {
                scenario: Box::new(scenario.clone()),
                workload: read.0,
                policy: run.policy,
                seed: run.seed,
            };
            Task { id: RunTask::Run(id, index), message: post(&request, &[("workload", workload.clone())]) }
        }));
    }

    fn reading_news(&mut self, id: ReadId, news: News) -> Action {
        let report = match news {
            News::Died(message) => ReadReport::Refused(Why::Died(message)),
            News::Said { reply, message } => match reply {
                Reply::Reading { bytes, records } => ReadReport::Progress { bytes, records },
                Reply::Read { contents } => {
                    self.shelf.keep_workload(id, get(&message, "workload"));
                    ReadReport::Read(contents)
                }
                Reply::Refused { refusal } => ReadReport::Refused(Why::NoTrace(*refusal)),
                Reply::Failed { message } => ReadReport::Refused(Why::Failed(message)),
                other => ReadReport::Refused(Why::Failed(strings::answered_else(&other))),
            },
        };
        Action::Read(id, report)
    }

    fn run_news(&mut self, id: ComparisonId, run: usize, news: News) -> Action {
        let report = match news {
            News::Died(message) => RunReport::Lost(Cause::Died, message),
            News::Said { reply, message } => match reply {
                Reply::Simulating { finished, jobs } => RunReport::Progress(RunProgress { finished, jobs }),
                Reply::Simulated { result, scenario_hash, jobs, assumptions } => {
                    self.shelf.keep_jobs(id, &result, &message);
                    RunReport::Finished { result, scenario_hash, jobs, assumptions }
                }
                Reply::Failed { message } => RunReport::Lost(Cause::Refused, message),
                other => RunReport::Lost(Cause::Refused, strings::answered_else(&other)),
            },
        };
        Action::Ran(id, run, report)
    }

    /// Puts the state into the address: a step of its own in the browser's history, so that Back takes back what was done.
    fn show_address(&self, before: &Rc<State>, step: Step) {
        let state = &self.state;
        let is_same_step = Rc::ptr_eq(&state.scenario, &before.scenario)
            && state.view == before.view
            && state.laboratory.step == before.laboratory.step;
        let is_same_form = Rc::ptr_eq(&state.laboratory, &before.laboratory)
            && Rc::ptr_eq(&state.experiment, &before.experiment);
        if is_same_step
            && is_same_form
            && state.baseline == before.baseline
            && state.input() == before.input()
        {
            return;
        }
        let step = if is_same_step { Step::Replace } else { step };
        browser::show_address(&state.address(), step);
    }
}

/// What would be simulated, or why nothing would be. A worker that fails at it says nothing about the jobs: the run itself will tell.
fn forecast(news: News) -> Option<Result<Forecast, String>> {
    match news {
        News::Said { reply: Reply::Forecast { forecast }, .. } => Some(Ok(forecast)),
        News::Said { reply: Reply::Failed { message }, .. } => Some(Err(message)),
        News::Said { .. } | News::Died(_) => None,
    }
}
