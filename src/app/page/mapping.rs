//! The window in which it is said how a file is read: the formats it may be in, the columns of a table, and what comes of it.
//!
//! Every change is tried at once on the beginning of the file, by a worker that is there as long as the window is.

use js_sys::Array;
use wasm_bindgen::JsValue;
use web_sys::{Event, HtmlSelectElement};
use yew::prelude::*;

use super::dialogs::Window;
use super::field::Entry;
use super::icon::Icon;
use crate::app::mapping::{Control, Inspection, Line, Need, Sheet};
use crate::app::message::{Reply, Request};
use crate::app::pool::{News, Pool, Task, post};
use crate::app::state::{Action, Fault};
use crate::app::strings::{self, mapping as words};
use crate::chart::format;
use crate::trace::mapping::{Preview, PreviewRow, Reason, Understood};
use crate::trace::{Detection, ImportOptions, MAPPED};

/// What the window is told.
#[derive(Properties, Clone, PartialEq)]
pub struct MappingProps {
    /// The files, as the page keeps them.
    pub files: JsValue,
    /// What they are called.
    pub name: AttrValue,
    /// How they were read last.
    pub options: ImportOptions,
    /// The format they were read as; empty if they were refused.
    pub read_as: AttrValue,
    /// Where a worker's script is.
    pub worker_url: AttrValue,
    /// The page.
    pub dispatch: Callback<Action>,
}

/// What the window hears.
#[derive(Debug)]
pub enum Msg {
    /// A format was chosen.
    Format(String),
    /// A value of the mapping was chosen: its path and the value.
    Set(String, String),
    /// The columns are to be guessed again.
    Guess,
    /// News of what is being tried.
    News(News),
    /// The choice is to be used.
    Use,
}

/// The window.
pub struct MappingWindow {
    sheet: Sheet,
    pool: Pool<()>,
    /// Whether an answer is awaited.
    is_trying: bool,
    /// Whether the mapping was changed meanwhile.
    is_changed: bool,
    /// Why the file cannot be looked at.
    failed: Option<String>,
}

/// What is tried on the file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Try {
    /// The mapping as it is set.
    Sheet,
    /// A guess.
    Guess,
}

impl Component for MappingWindow {
    type Message = Msg;
    type Properties = MappingProps;

    fn create(ctx: &Context<Self>) -> Self {
        let MappingProps { options, read_as, worker_url, .. } = ctx.props();
        let tell = ctx.link().callback(|((), news)| Msg::News(news));
        let mut window = Self {
            sheet: Sheet {
                format: read_as.to_string(),
                mapping: *options.mapping.clone().unwrap_or_default(),
                inspection: None,
            },
            pool: Pool::new(worker_url, 1, tell),
            is_trying: false,
            is_changed: false,
            failed: None,
        };
        window.inspect(ctx, if options.mapping.is_some() { Try::Sheet } else { Try::Guess });
        window
    }

    fn update(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        match msg {
            Msg::Format(format) => self.sheet.format = format,
            Msg::Set(key, value) => {
                self.sheet.set(&key, &value);
                self.inspect(ctx, Try::Sheet);
            }
            Msg::Guess => self.inspect(ctx, Try::Guess),
            Msg::News(news) => self.hear(ctx, news),
            Msg::Use => {
                let action = if self.sheet.is_by_columns() {
                    Action::Mapping(Box::new(self.sheet.mapping.clone()))
                } else {
                    Action::Format(self.sheet.format.clone())
                };
                ctx.props().dispatch.emit(action);
            }
        }
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let link = ctx.link();
        let MappingProps { dispatch, name, .. } = ctx.props();
        let set = link.callback(|(key, value)| Msg::Set(key, value));
        let obstacle = self.sheet.obstacle();
        let cancel = dispatch.reform(|_: MouseEvent| Action::Close);
        html! {
            <Window id="dlg-map" testid="mapping-dialog" title={words::TITLE} about={name.clone()} {dispatch}>
                if let Some(failed) = &self.failed {
                    <p class="ferr" role="alert">{ Icon::Warn.html() }<span>{ failed.clone() }</span></p>
                }
                { formats(&self.sheet, &link.callback(Msg::Format)) }
                if self.sheet.is_by_columns() {
                    { table(&self.sheet, &set) }
                    { columns(&self.sheet.lines(), &set) }
                    if let Some(inspection) = &self.sheet.inspection {
                        { reasons(&inspection.reasons, &link.callback(|_: MouseEvent| Msg::Guess)) }
                        { preview(inspection) }
                    }
                }
                <div class="dlg-f">
                    <p class={if obstacle.is_empty() { "muted" } else { "ferr" }} role="status" data-testid="mapping-status">
                        { if obstacle.is_empty() { words::SAVED.to_owned() } else { obstacle.clone() } }
                    </p>
                    <button class="btn" type="button" onclick={cancel}>{ "Cancel" }</button>
                    <button class="btn primary" type="button" data-testid="mapping-use" disabled={!self.sheet.is_usable()} onclick={link.callback(|_| Msg::Use)}>
                        { "Read it so" }
                    </button>
                </div>
            </Window>
        }
    }
}

impl MappingWindow {
    /// Tries the mapping, or a guess, on the beginning of the file; at once, or after what is being tried.
    fn inspect(&mut self, ctx: &Context<Self>, what: Try) {
        if self.is_trying && what == Try::Sheet {
            self.is_changed = true;
            return;
        }
        self.is_trying = true;
        let file = Array::from(&ctx.props().files).get(0);
        let mapping = (what == Try::Sheet).then(|| Box::new(self.sheet.mapping.clone()));
        let message = post(&Request::Inspect { mapping }, &[("file", file)]);
        self.pool.push([Task { id: (), message }]);
    }

    fn hear(&mut self, ctx: &Context<Self>, news: News) {
        self.is_trying = false;
        self.failed = None;
        match news {
            News::Said { reply: Reply::Inspected { inspection }, .. } => self.sheet.hear(*inspection),
            News::Said { reply: Reply::Refused { refusal }, .. } => self.failed = Some(refusal.to_string()),
            News::Said { reply: Reply::Failed { message }, .. } => self.failed = Some(message),
            News::Said { .. } => self.failed = Some(words::ANSWERED_ELSE.to_owned()),
            News::Died(message) => self.failed = Some(strings::died(&message)),
        }
        if std::mem::take(&mut self.is_changed) {
            self.inspect(ctx, Try::Sheet);
        }
    }
}

/// The title of a format.
fn title(name: &str) -> &'static str {
    crate::trace::formats().iter().find(|format| format.name == name).map_or("", |format| format.title)
}

/// The formats that were recognised, with evidence, and all others.
fn formats(sheet: &Sheet, on_choice: &Callback<String>) -> Html {
    let detections = sheet.detections();
    let is_other = !detections.iter().any(|found| found.format == sheet.format) && !sheet.format.is_empty();
    let radio = |value: &str, label: Option<&'static str>, checked: bool| {
        let (on_choice, value) = (on_choice.clone(), value.to_owned());
        let name = value.clone();
        let onchange = Callback::from(move |_: Event| on_choice.emit(value.clone()));
        html! { <input type="radio" name="read-as" value={name} {checked} {onchange} aria-label={label} /> }
    };
    let found = |found: &Detection| {
        html! {
            <label key={found.format.clone()} class="as" data-format={found.format.clone()}>
                { radio(&found.format, None, found.format == sheet.format) }
                <span><b>{ found.format.clone() }</b>{ format!(" {}", title(&found.format)) }<small>{ found.evidence.clone() }</small></span>
                <span class="n">{ if found.score > 0 { words::score(found.score) } else { String::new() } }</span>
            </label>
        }
    };
    let others: Vec<&str> = crate::trace::formats()
        .iter()
        .map(|format| format.name)
        .filter(|name| *name != MAPPED && !detections.iter().any(|found| found.format == *name))
        .collect();
    let other = if is_other { sheet.format.as_str() } else { others.first().copied().unwrap_or_default() };
    let on_other =
        on_choice.reform(|event: Event| event.target_unchecked_into::<HtmlSelectElement>().value());
    let options = others.iter().map(|name| {
        html! { <option key={*name} value={*name} selected={other == *name}>{ format!("{name}: {}", title(name)) }</option> }
    });
    html! {
        <fieldset class="read-as">
            <legend>{ "Read it as" }</legend>
            { for detections.iter().map(found) }
            <div class="as">
                { radio(other, Some("Another format"), is_other) }
                <label class="other" for="map-other"><b>{ "Another format" }</b></label>
                <select id="map-other" data-testid="mapping-format" onchange={on_other}>{ for options }</select>
            </div>
        </fieldset>
    }
}

/// A list, with what is wrong with its value. `of` is what it belongs to, for readers who do not see where it stands.
fn pick(control: &Control, of: &str, shown: Shown, on_set: &Callback<(String, String)>) -> Html {
    let key = control.key.clone();
    let onchange = on_set.reform(move |event: Event| {
        (key.clone(), event.target_unchecked_into::<HtmlSelectElement>().value())
    });
    let id = format!("map-{}", control.key.replace('.', "-"));
    let fault_id = format!("{id}-fault");
    let options = control.choices.iter().map(|(value, label)| {
        html! { <option key={value.clone()} value={value.clone()} selected={*value == control.chosen}>{ label.clone() }</option> }
    });
    let label = if of.is_empty() { control.label.to_owned() } else { format!("{of}: {}", control.label) };
    html! {
        <div class="field" key={control.key.clone()}>
            <label class={if shown == Shown::Yes { "lab" } else { "vh" }} for={id.clone()}>{ label }</label>
            <select id={id} data-key={control.key.clone()} {onchange} aria-invalid={control.fault.is_some().then_some("true")}
                aria-describedby={control.fault.is_some().then(|| fault_id.clone())}>{ for options }</select>
            if let Some(fault) = &control.fault {
                <span class="ferr" id={fault_id}>{ Icon::Warn.html() }<span>{ fault.clone() }</span></span>
            }
        </div>
    }
}

/// Whether a label is seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    Yes,
    No,
}

/// How the table is written.
fn table(sheet: &Sheet, on_set: &Callback<(String, String)>) -> Html {
    let fault = sheet.missing_fault().map(|message| Fault { text: sheet.missing(), message });
    let on_text = on_set.reform(|text: String| ("table.missing".to_owned(), text));
    html! {
        <section aria-labelledby="map-table-h">
            <h3 id="map-table-h">{ "How it is written" }</h3>
            <div class="syn-fields">
                { for sheet.table_controls().iter().map(|control| pick(control, "", Shown::Yes, on_set)) }
                <div class="field">
                    <label class="lab" for="map-missing">{ words::control("table.missing") }</label>
                    <Entry name="map-missing" text={sheet.missing()} {fault} {on_text} />
                    <small>{ "Words with blanks between. An empty cell always is none." }</small>
                </div>
            </div>
        </section>
    }
}

/// Which column is what.
fn columns(lines: &[Line], on_set: &Callback<(String, String)>) -> Html {
    let line = |line: &Line| {
        let id = format!("map-{}-h", line.role);
        html! {
            <div class="mp" key={line.role} role="group" aria-labelledby={id.clone()}>
                <span class="mp-h" {id}>{ line.label }if line.need == Need::Needed { <small>{ "needed" }</small> }</span>
                <div class="mp-c">{ for line.controls.iter().map(|control| pick(control, line.label, Shown::No, on_set)) }</div>
            </div>
        }
    };
    html! {
        <section aria-labelledby="map-columns-h">
            <h3 id="map-columns-h">{ "Which column is what" }</h3>
            <div class="map-grid">{ for lines.iter().map(line) }</div>
        </section>
    }
}

/// Why the columns were guessed so.
fn reasons(reasons: &[Reason], on_guess: &Callback<MouseEvent>) -> Html {
    html! {
        <div class="map-why">
            if !reasons.is_empty() {
                <details>
                    <summary>{ "Why this was guessed" }</summary>
                    <ul class="plain">{ for reasons.iter().map(|reason| html! { <li><code>{ reason.path.clone() }</code>{ format!(" {}", reason.text) }</li> }) }</ul>
                </details>
            }
            <button class="btn" type="button" data-testid="mapping-guess" onclick={on_guess}>{ "Guess again" }</button>
        </div>
    }
}

/// The first rows, how they are understood, and their jobs.
fn preview(inspection: &Inspection) -> Html {
    let preview = &inspection.preview;
    let is_whole = preview.read > 0 && preview.readable == preview.read;
    html! {
        <section class="map-prev" aria-labelledby="map-prev-h" data-testid="mapping-preview">
            <div class="sec-in">
                <h3 id="map-prev-h">{ "First rows" }</h3>
                <span class={if is_whole { "okline" } else { "ferr" }} role="status" data-testid="mapping-readable">
                    { if is_whole { Icon::Check.html() } else { Icon::Warn.html() } }{ words::readable(preview.readable, preview.read) }
                </span>
            </div>
            <p class="muted">{ words::PREVIEW_ABOUT }</p>
            { rows(preview) }
            { jobs(preview) }
            { rejected(preview) }
        </section>
    }
}

fn rows(preview: &Preview) -> Html {
    let roles = |at: usize| -> String {
        let of = preview.rows.first().into_iter().flat_map(|row| &row.understood);
        let names = of.filter(|of| of.1 == at).map(|of| words::role(&of.0));
        names.collect::<Vec<_>>().join(", ")
    };
    let understood = |row: &PreviewRow, at: usize| {
        let of = row.understood.iter().filter(|of| of.1 == at);
        of.map(|(role, _, value)| {
            let class = matches!(value, Understood::Bad { .. }).then_some("bad");
            html! { <small key={role.clone()} class={classes!(class)}>{ words::understood(value) }</small> }
        })
        .collect::<Html>()
    };
    let is_bad = |row: &PreviewRow, at: usize| {
        row.understood.iter().any(|of| of.1 == at && matches!(of.2, Understood::Bad { .. }))
    };
    let cell = |row: &PreviewRow, at: usize, cell: &String| {
        let text = if cell.is_empty() {
            html! { <span class="muted">{ "(empty)" }</span> }
        } else {
            html! { cell.clone() }
        };
        html! { <td key={at} class="mono">if is_bad(row, at) { <mark>{ text }</mark> } else { { text } }{ understood(row, at) }</td> }
    };
    html! {
        <div class="scroll-x" tabindex="0" role="group" aria-label="First rows">
            <table class="tbl slim">
                <caption class="vh">{ "The first rows, each cell as it stands and as it is understood" }</caption>
                <thead><tr>{ for preview.columns.iter().enumerate().map(|(at, name)| html! {
                    <th key={at} scope="col">{ if name.is_empty() { words::nameless(at + 1) } else { name.clone() } }<small>{ roles(at) }</small></th>
                }) }</tr></thead>
                <tbody>{ for preview.rows.iter().enumerate().map(|(number, row)| html! {
                    <tr key={number}>{ for row.cells.iter().enumerate().map(|(at, text)| cell(row, at, text)) }</tr>
                }) }</tbody>
            </table>
        </div>
    }
}

fn jobs(preview: &Preview) -> Html {
    let row = |(number, row): (usize, &PreviewRow)| {
        let Some(job) = &row.job else {
            return html! { <tr key={number}><td colspan="7" class="bad">{ "No job: the row is rejected" }</td></tr> };
        };
        let id = if job.id.is_empty() { (number + 1).to_string() } else { job.id.clone() };
        let any = |text: &String| if text.is_empty() { "any".to_owned() } else { text.clone() };
        html! {
            <tr key={number}>
                <th scope="row">{ id }</th>
                <td>{ job.tenant.clone() }</td>
                <td>{ words::understood(&Understood::Moment(job.submit_s)) }</td>
                <td class="n">{ strings::gpus(job.gpus) }</td>
                <td>{ any(&job.gpu_type) }</td>
                <td class="n">{ job.duration_s.map_or_else(|| "not known".to_owned(), format::elapsed) }</td>
                <td>{ words::ended(job.outcome) }</td>
            </tr>
        }
    };
    html! {
        <>
            <h3>{ "Their jobs" }</h3>
            <div class="scroll-x" tabindex="0" role="group" aria-label="Their jobs">
                <table class="tbl slim" data-testid="mapping-jobs">
                    <caption class="vh">{ "The jobs of the first rows" }</caption>
                    <thead><tr>
                        <th scope="col">{ "Job" }</th><th scope="col">{ "Tenant" }</th><th scope="col">{ "Submitted" }</th>
                        <th scope="col" class="n">{ "GPUs" }</th><th scope="col">{ "GPU type" }</th>
                        <th scope="col" class="n">{ "Run time" }</th><th scope="col">{ "Ended as" }</th>
                    </tr></thead>
                    <tbody>{ for preview.rows.iter().enumerate().map(row) }</tbody>
                </table>
            </div>
        </>
    }
}

/// The first rows that make no job, beyond those shown.
fn rejected(preview: &Preview) -> Html {
    const FEW: usize = 4;
    if preview.rejected.is_empty() {
        return html! {};
    }
    html! {
        <ul class="plain map-bad">
            { for preview.rejected.iter().take(FEW).map(|row| html! { <li>{ words::rejected(row) }</li> }) }
        </ul>
    }
}
