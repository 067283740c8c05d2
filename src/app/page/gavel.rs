//! The window of Gavel's simulator: two files, a cluster, a policy, and a row for each run.
//!
//! It is there when it is not open, so that runs and rows outlast closing it.

use std::collections::BTreeMap;

use js_sys::Array;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, File, HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use super::browser;
use super::dialogs::Window;
use super::field::Entry;
use super::icon::Icon;
use super::results::save::save_blob;
use crate::app::export::{Seeds, file_name};
use crate::app::field::shown;
use crate::app::gavel::{Desk, EXAMPLE_TABLE, EXAMPLE_TRACE, Field, Figures, Run};
use crate::app::message::{Reply, Request};
use crate::app::pool::{News, Pool, Task, get, post};
use crate::app::state::{Action, Dialog};
use crate::app::strings;
use crate::chart::format;
use crate::gavel::policy::PolicyName;

/// What the window is told.
#[derive(Properties, Clone, PartialEq)]
pub struct GavelProps {
    /// The window over the page.
    pub dialog: Option<Dialog>,
    /// Where a worker's script is.
    pub worker_url: AttrValue,
    /// The page.
    pub dispatch: Callback<Action>,
}

/// What the window hears.
#[derive(Debug)]
pub enum Msg {
    /// A throughput table was chosen.
    Table(File),
    /// A trace was chosen.
    Trace(File),
    /// The example is to be used.
    Example,
    /// A text was entered.
    Enter(Field, String),
    /// A policy was chosen.
    Policy(String),
    /// A run is to begin.
    Run,
    /// It is to stop.
    Stop,
    /// News of it.
    News(u32, News),
    /// The jobs of a run are to be saved.
    Save(u32),
}

/// The window.
pub struct Gavel {
    desk: Desk,
    table: Option<File>,
    trace: Option<File>,
    /// The tables of jobs, by the run's number.
    jobs: BTreeMap<u32, Blob>,
    pool: Pool<u32>,
}

impl Component for Gavel {
    type Message = Msg;
    type Properties = GavelProps;

    fn create(ctx: &Context<Self>) -> Self {
        let tell = ctx.link().callback(|(number, news)| Msg::News(number, news));
        Self {
            desk: Desk::default(),
            table: None,
            trace: None,
            jobs: BTreeMap::new(),
            pool: Pool::new(&ctx.props().worker_url, 1, tell),
        }
    }

    fn update(&mut self, _ctx: &Context<Self>, msg: Msg) -> bool {
        match msg {
            Msg::Table(file) => self.take_table(file),
            Msg::Trace(file) => self.take_trace(file),
            Msg::Example => {
                let file =
                    |text: &str, name| File::new_with_str_sequence(&Array::of1(&text.into()), name).ok();
                if let Some(table) = file(EXAMPLE_TABLE, strings::GAVEL_EXAMPLE_TABLE) {
                    self.take_table(table);
                }
                if let Some(trace) = file(EXAMPLE_TRACE, strings::GAVEL_EXAMPLE_TRACE) {
                    self.take_trace(trace);
                }
            }
            Msg::Enter(field, text) => self.desk.enter(field, text),
            Msg::Policy(name) => self.desk.settings.policy = name,
            Msg::Run => self.run(),
            Msg::Stop => {
                self.pool.cancel();
                self.desk.active = None;
            }
            Msg::News(number, news) => return self.hear(number, news),
            Msg::Save(number) => self.save(number),
        }
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        if ctx.props().dialog != Some(Dialog::Gavel) {
            return html! {};
        }
        let link = ctx.link();
        let Desk { table, trace, settings, active, error, done, .. } = &self.desk;
        let policies = PolicyName::all().map(PolicyName::name).map(|name| {
            html! { <option key={name} value={name} selected={name == settings.policy}>{ name }</option> }
        });
        let on_policy = link
            .callback(|event: Event| Msg::Policy(event.target_unchecked_into::<HtmlSelectElement>().value()));
        let status =
            active.as_ref().map(|run| strings::gavel_running(&run.settings.policy)).unwrap_or_default();
        html! {
            <Window id="dlg-gavel" title={strings::GAVEL} about={strings::GAVEL_ABOUT} dispatch={&ctx.props().dispatch}>
                <div class="gavel-files">
                    { file_field("gavel-table", "Throughput table (JSON)", ".json,.gz", table.as_deref(), link.callback(Msg::Table)) }
                    { file_field("gavel-trace", "Trace", ".trace,.tsv,.txt,.gz", trace.as_deref(), link.callback(Msg::Trace)) }
                    <button class="btn" type="button" data-testid="gavel-example" onclick={link.callback(|_| Msg::Example)}>{ "Use the small example" }</button>
                </div>
                <div class="syn-fields">
                    { for Field::ALL.map(|field| self.number(field, link.callback(move |text| Msg::Enter(field, text)))) }
                    <div class="field">
                        <label class="lab" for="gavel-policy">{ "Policy, by Gavel’s name" }</label>
                        <select id="gavel-policy" data-testid="gavel-policy" onchange={on_policy}>{ for policies }</select>
                    </div>
                </div>
                <div class="row-act">
                    <button class="btn primary" type="button" data-testid="gavel-run" disabled={active.is_some()} onclick={link.callback(|_| Msg::Run)}>
                        { Icon::Play.html() }{ "Run" }
                    </button>
                    if active.is_some() {
                        <button class="btn" type="button" data-testid="gavel-stop" onclick={link.callback(|_| Msg::Stop)}>{ Icon::Stop.html() }{ "Stop" }</button>
                    }
                    <span class="muted" role="status">{ status }</span>
                </div>
                if let Some(error) = error {
                    <p class="ferr" role="alert" data-testid="gavel-error">{ Icon::Warn.html() }<span>{ error.clone() }</span></p>
                }
                if !done.is_empty() { { results(done, &link.callback(Msg::Save)) } }
            </Window>
        }
    }
}

impl Gavel {
    fn take_table(&mut self, file: File) {
        self.desk.table = Some(file.name());
        self.table = Some(file);
    }

    fn take_trace(&mut self, file: File) {
        self.desk.trace = Some(file.name());
        self.trace = Some(file);
    }

    fn run(&mut self) {
        let Some(run) = self.desk.begin() else { return };
        let beside =
            [("table", JsValue::from(self.table.clone())), ("trace", JsValue::from(self.trace.clone()))];
        let message = post(&Request::Gavel { settings: Box::new(run.settings) }, &beside);
        self.pool.push([Task { id: run.number, message }]);
    }

    fn hear(&mut self, number: u32, news: News) -> bool {
        let ended = match news {
            News::Died(message) => Err(strings::gavel_died(&message)),
            News::Said { reply: Reply::Gavel { figures }, message } => {
                if let Ok(jobs) = get(&message, "jobs").dyn_into() {
                    self.jobs.insert(number, jobs);
                }
                Ok(*figures)
            }
            News::Said { reply: Reply::Failed { message }, .. } => Err(message),
            News::Said { reply, .. } => Err(strings::answered_else(&reply)),
        };
        self.desk.end(number, ended)
    }

    fn save(&mut self, number: u32) {
        let run = self.desk.done.iter().map(|(run, _)| run).find(|run| run.number == number);
        let Some((run, csv)) = run.zip(self.jobs.get(&number)) else { return };
        let what = format!("gavel-{}", run.settings.policy);
        let name = file_name(&run.trace, &what, Seeds::One(run.settings.seed), &browser::today(), "csv");
        if let Err(error) = save_blob(&name, csv) {
            self.desk.error = Some(format!("The file could not be saved: {error:?}"));
        }
    }

    fn number(&self, field: Field, on_text: Callback<String>) -> Html {
        let fault = self.desk.faults.get(&field);
        let text = shown(field.value(&self.desk.settings));
        html! {
            <div class="field" key={field.id()}>
                <label class="lab" for={field.id()}>{ field.label() }</label>
                <Entry name={field.id()} {text} unit={field.unit()} fault={fault.cloned()} inputmode="decimal" {on_text} />
                if let Some(fault) = fault {
                    <span class="ferr" id={format!("{}-fault", field.id())} role="alert">{ Icon::Warn.html() }<span>{ fault.message.clone() }</span></span>
                }
            </div>
        }
    }
}

/// A field for one file; what was chosen is said below, since the example is chosen by a button.
fn file_field(
    id: &'static str,
    label: &'static str,
    accept: &'static str,
    chosen: Option<&str>,
    on_file: Callback<File>,
) -> Html {
    let input = format!("{id}-input");
    let said = format!("{id}-chosen");
    let onchange = Callback::from(move |event: Event| {
        let Some(input) = event.target_dyn_into::<HtmlInputElement>() else { return };
        if let Some(file) = input.files().and_then(|files| files.get(0)) {
            on_file.emit(file);
        }
        // Else the same file could not be chosen twice.
        input.set_value("");
    });
    html! {
        <div class="field">
            <span class="lab" id={id}>{ label }</span>
            <label class="btn">
                <input class="vh" type="file" id={input.clone()} data-testid={input} {accept} aria-labelledby={id} aria-describedby={said.clone()} {onchange} />
                { Icon::Up.html() }{ "Choose a file" }
            </label>
            <small id={said}>{ chosen.unwrap_or("None chosen").to_owned() }</small>
        </div>
    }
}

/// The runs, a row each.
fn results(done: &[(Run, Figures)], on_save: &Callback<u32>) -> Html {
    let seconds = |value: Option<f64>| format::or_undefined(value, |value| format::number(value, 3));
    let percent = |value: Option<f64>| format::or_undefined(value, |value| format::number(value, 2));
    let figure = |metric: &'static str, value: Option<f64>, text: String| {
        html! { <td class="n" data-metric={metric} data-value={value.map(|value| value.to_string())}>{ text }</td> }
    };
    let whole = |metric: &'static str, value: u64| figure(metric, Some(value as f64), format::count(value));
    let row = |(run, figures): &(Run, Figures)| {
        let number = run.number;
        let utilization_pct = figures.utilization.map(|share| 100.0 * share);
        let settings = &run.settings;
        html! {
            <tr key={number}>
                <th scope="row">{ settings.policy.clone() }<small>{ strings::gavel_run(&run.trace, settings) }</small></th>
                { figure("avg_jct_s", figures.avg_jct_s, seconds(figures.avg_jct_s)) }
                { figure("makespan_s", Some(figures.makespan_s), seconds(Some(figures.makespan_s))) }
                { figure("utilization_pct", utilization_pct, percent(utilization_pct)) }
                { whole("rounds", figures.rounds) }
                { whole("dropped", u64::from(figures.dropped)) }
                { figure("lease_extension_pct", figures.lease_extension_pct, percent(figures.lease_extension_pct)) }
                <td class="n">
                    <button class="btn" type="button" data-testid="gavel-save" aria-label={format!("{}: {}", strings::GAVEL_SAVE, settings.policy)} title={strings::GAVEL_SAVE}
                        onclick={on_save.reform(move |_: MouseEvent| number)}>{ Icon::Down.html() }{ "CSV" }</button>
                </td>
            </tr>
        }
    };
    html! {
        <div class="gavel-results" tabindex="0" role="group" aria-label="Results">
            <table class="tbl" data-testid="gavel-results">
                <caption class="vh">{ "Results, a row for each run" }</caption>
                <thead><tr>
                    <th scope="col">{ "Policy" }</th>
                    <th scope="col" class="n">{ "Mean JCT, s" }</th>
                    <th scope="col" class="n">{ "Makespan, s" }</th>
                    <th scope="col" class="n">{ "Utilisation, %" }</th>
                    <th scope="col" class="n">{ "Rounds" }</th>
                    <th scope="col" class="n">{ "Dropped" }</th>
                    <th scope="col" class="n">{ "Leases extended, %" }</th>
                    <th scope="col" class="n">{ "Jobs" }</th>
                </tr></thead>
                <tbody>{ for done.iter().map(row) }</tbody>
            </table>
        </div>
    }
}
