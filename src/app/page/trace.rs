//! Step 1: the jobs. A trace with its import report, or a generated workload; and what is taken from it.

use std::rc::Rc;

use web_sys::File;
use yew::prelude::*;

use super::drop::FileInput;
use super::icon::Icon;
use super::machines::MachinesPanel;
use super::profiles::Profiles;
use super::report::{ImportReportPanel, left_out, warnings};
use super::run_bar::ProgressBar;
use super::setup::{StepProps, step_head};
use super::shaping::Shaping;
use super::synthetic::SyntheticPanel;
use super::type_names::TypeNamesTable;
use crate::app::forecast::Forecast;
use crate::app::samples;
use crate::app::state::inputs::{FileInfo, Reading, Refused, Source, Why};
use crate::app::state::{Action, Dialog, Edit};
use crate::app::strings::{self, machines, mapping as words};
use crate::chart::format;
use crate::scenario::Scenario;
use crate::scenario::plausibility;
use crate::trace::{MAPPED, NodeReport, Refusal, SACCT_COMMAND, node_lists};

/// What step 1 shows.
#[derive(Properties, Clone, PartialEq)]
pub struct TraceProps {
    /// What every step is given.
    pub step: StepProps,
    /// What is being read.
    pub reading: Option<Reading>,
    /// What was refused.
    pub refused: Option<Rc<Refused>>,
    /// What of the workload would be simulated, or why nothing would be.
    pub forecast: Option<Result<Forecast, String>>,
    /// Files were given.
    pub on_files: Callback<Vec<File>>,
}

/// Step 1.
#[component]
pub fn TraceStep(props: &TraceProps) -> Html {
    let TraceProps { step, reading, refused, forecast, on_files } = props;
    let StepProps { scenario, dispatch, input, .. } = step;
    let synthetic =
        dispatch.reform(|_: MouseEvent| Action::Edit(Edit::Synthetic(samples::default_synthetic())));
    let actions = html! {
        <>
            <label class="btn">{ Icon::Up.html() }{ "Open files" }<FileInput {on_files} /></label>
            <button class="btn" type="button" onclick={dispatch.reform(|_: MouseEvent| Action::Open(Dialog::Paste))}>{ "Paste" }</button>
            if scenario.workload.synthetic.is_none() {
                <button class="btn" type="button" onclick={synthetic}>{ "Generate" }</button>
            }
        </>
    };
    let trace = scenario.workload.trace.as_ref();
    html! {
        <section class="step" id="s-trace" tabindex="-1" aria-labelledby="h-trace">
            { step_head(1, "h-trace", "Trace", "", actions) }
            <div class="stack">
                if let Some(reading) = reading.as_ref().filter(|reading| matches!(reading.source, Source::Files { .. })) {
                    <ReadingPanel reading={reading.clone()} dispatch={dispatch} />
                }
                if let Some(refused) = refused {
                    { refusal(refused, step, on_files) }
                }
                { match (trace, input) {
                    (Some(_), Some(input)) => html! { <ImportReportPanel input={input} faults={&step.faults} dispatch={dispatch} /> },
                    (Some(trace), None) if reading.is_none() => html! {
                        <p class="panel note-panel">{ Icon::Info.html() }<span>{ strings::awaited(&trace.path) }</span></p>
                    },
                    (Some(_), None) => html! {},
                    (None, _) => html! { <SyntheticPanel ..step.clone() /> },
                } }
                <MachineLists ..step.clone() />
                <Shaping ..step.clone() />
                <TypeNamesTable ..step.clone() />
                <ForecastLine forecast={forecast.clone()} />
                <Doubts ..step.clone() />
                <Profiles ..step.clone() />
            </div>
        </section>
    }
}

/// What the line about the simulation says.
#[derive(Properties, Clone, PartialEq)]
pub struct ForecastProps {
    /// What of the workload would be simulated, or why nothing would be; `None` while that is found out.
    pub forecast: Option<Result<Forecast, String>>,
}

/// What of the workload will be simulated.
#[component]
pub fn ForecastLine(props: &ForecastProps) -> Html {
    let (class, icon, text) = match &props.forecast {
        None => return html! {},
        Some(Ok(forecast)) => ("panel note-panel", Icon::Info, forecast.sentence()),
        Some(Err(error)) => ("panel note-panel bad", Icon::Warn, error.clone()),
    };
    html! { <p {class} role="status" data-testid="forecast">{ icon.html() }<span>{ text }</span></p> }
}

/// What was refused: files of machines alone are none the less of use.
fn refusal(refused: &Rc<Refused>, step: &StepProps, on_files: &Callback<Vec<File>>) -> Html {
    let StepProps { scenario, dispatch, input, .. } = step;
    let Why::NoTrace(Refusal::NodeList { files }) = &refused.why else {
        return html! { <RefusedPanel {refused} kept={input.is_some()} {dispatch} {on_files} /> };
    };
    let names = refused.source.path().unwrap_or_default();
    html! {
        <div class="stack" role="status" data-testid="machines-only">
            <div class="panel note-panel">
                { Icon::Info.html() }
                <span><b>{ machines::only(&names) }</b>{ " " }{ machines::ONLY_ABOUT }</span>
                <span class="grow"></span>
                <MappingButton label={machines::ARE_JOBS} {dispatch} />
                <button class="btn" type="button" onclick={dispatch.reform(|_: MouseEvent| Action::DismissRefusal)}>{ "Close" }</button>
            </div>
            { machines_panels("machines-alone", node_lists(files), scenario, dispatch) }
        </div>
    }
}

/// The machines that came with the trace; a component for the reason that [`Doubts`] is one.
#[component]
pub fn MachineLists(props: &StepProps) -> Html {
    let StepProps { scenario, input, dispatch, .. } = props;
    let report = scenario.workload.trace.as_ref().and(input.as_ref());
    let Some(report) = report.and_then(|input| input.contents.report.as_ref()) else { return html! {} };
    machines_panels("machines", report.node_lists(), scenario, dispatch)
}

fn machines_panels<'a>(
    id: &str,
    lists: impl Iterator<Item = (&'a str, &'a NodeReport)>,
    scenario: &Rc<Scenario>,
    dispatch: &Callback<Action>,
) -> Html {
    let panel = |(at, (file, list)): (usize, (&str, &NodeReport))| {
        let (key, file) = (file.to_owned(), AttrValue::from(file.to_owned()));
        html! { <MachinesPanel {key} id={format!("{id}-{at}")} {file} list={list.clone()} {scenario} {dispatch} /> }
    };
    html! { <>{ for lists.enumerate().map(panel) }</> }
}

/// What is doubtful about the jobs on the cluster; a component, so that what stands before it never holds on to a panel that is gone.
#[component]
pub fn Doubts(props: &StepProps) -> Html {
    let StepProps { scenario, input, .. } = props;
    let Some(input) = input else { return html! {} };
    let (Ok(cluster), Ok(shape)) = (scenario.build_cluster(), scenario.shape()) else { return html! {} };
    let doubts = plausibility::warnings(&cluster, &input.contents.digest, &shape);
    if doubts.is_empty() {
        return html! {};
    }
    html! {
        <div class="panel doubts" role="group" aria-label={strings::DOUBTS} data-testid="doubts">
            <h3>{ strings::DOUBTS }</h3>
            { warnings(doubts.iter()) }
        </div>
    }
}

/// What is being read, with how far it is.
#[derive(Properties, Clone, PartialEq)]
pub struct ReadingProps {
    /// What.
    pub reading: Reading,
    /// The page.
    pub dispatch: Callback<Action>,
}

/// Progress of reading files.
#[component]
pub fn ReadingPanel(props: &ReadingProps) -> Html {
    let Reading { source, bytes, records, .. } = &props.reading;
    let all = source.bytes();
    let percent = if all == 0 { 0 } else { (u128::from(*bytes) * 100 / u128::from(all)).min(100) as u32 };
    let text = format!(
        "{} of {} · {}",
        format::bytes(*bytes),
        format::bytes(all),
        strings::counted(*records, "record", "records")
    );
    html! {
        <div class="panel reading" role="group" aria-label="Reading">
            { Icon::File.html() }
            <div class="file-n">
                <b>{ source.path() }</b>
                <small data-testid="import-status">{ text }</small>
                <ProgressBar {percent} label="Reading" testid="import-progress" />
            </div>
            <button class="btn" type="button" data-testid="import-cancel" onclick={props.dispatch.reform(|_: MouseEvent| Action::StopReading)}>
                { Icon::Stop.html() }{ "Cancel" }
            </button>
        </div>
    }
}

/// Files that were refused.
#[derive(Properties, Clone, PartialEq)]
pub struct RefusedProps {
    /// Which, and why.
    pub refused: Rc<Refused>,
    /// Whether there is a workload that stays.
    pub kept: bool,
    /// The page.
    pub dispatch: Callback<Action>,
    /// Files were given.
    pub on_files: Callback<Vec<File>>,
}

/// Why files were refused, and what to do.
#[component]
pub fn RefusedPanel(props: &RefusedProps) -> Html {
    let RefusedProps { refused, kept, dispatch, .. } = props;
    let name = refused.source.path().unwrap_or_else(|| "The generated workload".to_owned());
    let (title, text) = match &refused.why {
        Why::NoTrace(refusal) => (format!("{name} was not read"), strings::refusal(refusal)),
        Why::NoJob(report) => (format!("{name} has no job"), strings::no_job(report)),
        Why::Failed(message) => (format!("{name} was not read"), message.clone()),
        Why::Died(message) => (format!("Reading {name} stopped"), strings::died(message)),
    };
    let is_file = matches!(refused.source, Source::Files { .. });
    let is_text = !matches!(
        refused.why,
        Why::NoTrace(Refusal::Binary { .. } | Refusal::Empty { .. } | Refusal::LfsPointer { .. })
    );
    html! {
        <div class="panel err" role="alert" data-testid="import-error">
            <div class="err-h">{ Icon::Warn.html() }<div><h3>{ title }</h3><p>{ text }</p></div></div>
            if let Why::NoJob(report) = &refused.why { { left_out(report) } }
            { each_alone(&refused.source, dispatch) }
            if is_file {
                <div>
                    <h4>{ "What to load" }</h4>
                    <ul class="plain">
                        <li><b>{ "Slurm" }</b><code class="cmd">{ SACCT_COMMAND }</code></li>
                        <li><b>{ "Any other site" }</b>{ " a CSV file with the columns " }<code>{ "submit_s, gpus, duration_s" }</code>{ ", and " }<code>{ "tenant" }</code>{ " where there is one" }</li>
                    </ul>
                </div>
            }
            <div class="err-act">
                if is_file && is_text {
                    <FormatChoice chosen="auto" detected={AttrValue::default()} dispatch={dispatch} />
                    <MappingButton label={words::CHOOSE} {dispatch} />
                }
                <span class="grow"></span>
                if let Why::NoTrace(Refusal::NoRoom { one_in, .. }) = &refused.why {
                    { sample_button(*one_in, dispatch) }
                }
                if *kept { <span class="muted">{ "What was loaded before is kept." }</span> }
                <button class="btn" type="button" onclick={dispatch.reform(|_: MouseEvent| Action::DismissRefusal)}>{ "Close" }</button>
            </div>
        </div>
    }
}

/// Of several files that were refused together, each with a button that reads it alone.
fn each_alone(source: &Source, dispatch: &Callback<Action>) -> Html {
    let Source::Files { id, files, .. } = source else { return html! {} };
    if files.len() < 2 {
        return html! {};
    }
    let row = |(at, file): (usize, &FileInfo)| {
        let id = *id;
        let onclick = dispatch.reform(move |_: MouseEvent| Action::ReadAlone(id, at));
        html! {
            <tr key={at}>
                <th scope="row" class="mono">{ file.name.clone() }</th><td class="n">{ format::bytes(file.bytes) }</td>
                <td><button class="btn" type="button" data-testid="read-alone" {onclick}>{ machines::ALONE }</button></td>
            </tr>
        }
    };
    html! {
        <div>
            <h4>{ machines::FILES }</h4>
            <div class="scroll-x"><table class="tbl"><tbody>{ for files.iter().enumerate().map(row) }</tbody></table></div>
        </div>
    }
}

/// Reads a sample of files that are too large.
fn sample_button(one_in: u64, dispatch: &Callback<Action>) -> Html {
    let one_in = u32::try_from(one_in).unwrap_or(u32::MAX);
    let read = dispatch.reform(move |_: MouseEvent| Action::OneIn(one_in));
    html! { <button class="btn" type="button" data-testid="import-sample" onclick={read}>{ format!("Read one job in {one_in}") }</button> }
}

/// The list of formats.
#[derive(Properties, Clone, PartialEq)]
pub struct FormatProps {
    /// The format that was asked for, `auto` = as detected.
    pub chosen: AttrValue,
    /// The format that was detected; may be empty.
    pub detected: AttrValue,
    /// The page.
    pub dispatch: Callback<Action>,
}

/// Reads the same files as another format.
#[component]
pub fn FormatChoice(props: &FormatProps) -> Html {
    use super::field::Choice;
    let FormatProps { chosen, detected, dispatch } = props;
    let auto = if detected.is_empty() { "As detected".to_owned() } else { format!("{detected} (detected)") };
    let mut choices = vec![Choice::new("auto", auto)];
    choices.extend(
        crate::trace::formats()
            .iter()
            // What the columns of a table are is said in a window of its own, which the button beside this list opens.
            .filter(|format| format.name != MAPPED || *chosen == MAPPED)
            .map(|format| Choice::new(format.name, format!("{}: {}", format.name, format.title))),
    );
    let on_choice = dispatch.reform(Action::Format);
    html! { <div class="inline-field">{ super::field::select("trace-format", "Format", super::field::LabelShown::Above, &choices, chosen, &on_choice) }</div> }
}

/// What opens the window in which it is said how files are read.
#[derive(Properties, Clone, PartialEq)]
pub struct MappingButtonProps {
    /// What it says.
    pub label: &'static str,
    /// The page.
    pub dispatch: Callback<Action>,
}

/// Opens the window in which it is said how files are read.
#[component]
pub fn MappingButton(props: &MappingButtonProps) -> Html {
    let onclick = props.dispatch.reform(|_: MouseEvent| Action::Open(Dialog::Mapping));
    html! { <button class="btn" type="button" data-testid="mapping-open" {onclick}>{ props.label }</button> }
}
