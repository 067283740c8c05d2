//! The import report: what was understood of the files, what was left out, and why.

use std::rc::Rc;

use yew::prelude::*;

use super::drawing::{Draw, Drawing};
use super::export_workload;
use super::icon::Icon;
use super::repairs::{RepairsPanel, with_labels};
use super::results::save::save_text;
use super::trace::{FormatChoice, MappingButton};
use crate::app::accounts::{self, Account};
use crate::app::previews::Preview;
use crate::app::state::inputs::Source;
use crate::app::state::{Action, Edit, Faults, Loaded};
use crate::app::strings::{self, machines, mapping as words};
use crate::chart::{Chart, Clock, Histogram, Scene, format};
use crate::trace::{ArchiveMember, ColumnRead, ImportReport, Repairs, Warning, WorkloadDigest};
use crate::units::is_date;
use crate::workload::synthetic::{MAX_JOBS, SyntheticSpec};

/// What the report is about.
#[derive(Properties, Clone, PartialEq)]
pub struct ReportProps {
    /// The trace.
    pub input: Rc<Loaded>,
    /// Fields whose text is no value.
    pub faults: Rc<Faults>,
    /// The page.
    pub dispatch: Callback<Action>,
}

/// The import report.
#[component]
pub fn ImportReportPanel(props: &ReportProps) -> Html {
    let ReportProps { input, faults, dispatch } = props;
    let Some(report) = &input.contents.report else { return html! {} };
    let (format, repairs) = match &input.source {
        Source::Files { options, .. } => {
            (options.format.clone().unwrap_or_else(|| "auto".to_owned()), options.repairs)
        }
        Source::Synthetic(_) => (String::new(), Repairs::default()),
    };
    let read =
        format!("{} · read in {}", format::bytes(input.source.bytes()), format::duration(input.seconds));
    html! {
        <div class="panel import" data-testid="import-report" role="region" aria-label="What was read">
            <div class="file-row">
                { Icon::File.html() }
                <div class="file-n"><b>{ input.source.path() }</b><small>{ read }</small></div>
                <FormatChoice chosen={format} detected={report.format.clone()} {dispatch} />
                <MappingButton label={words::OPEN} {dispatch} />
            </div>
            { accounting(report) }
            { files(report) }
            { columns(report) }
            { figures(report) }
            <Previews digest={input.contents.digest.clone()} />
            { left_out(report) }
            { warnings(report.warnings.iter()) }
            { members(report, &input.source, dispatch) }
            <RepairsPanel {repairs} report={report.clone()} faults={faults} dispatch={dispatch} />
            <div class="row-act">
                { export_workload::buttons(input.read, faults, dispatch) }
                <SaveReport report={report.clone()} name={input.source.path().unwrap_or_default()} />
                { more_like(input, dispatch) }
            </div>
        </div>
    }
}

/// What a report is saved from.
#[derive(Properties, Clone, PartialEq)]
pub struct SaveReportProps {
    /// The report.
    pub report: ImportReport,
    /// What it is about.
    pub name: AttrValue,
}

/// A button that saves the report as `sts import --json` prints it.
#[component]
pub fn SaveReport(props: &SaveReportProps) -> Html {
    let is_refused = use_state_eq(|| false);
    let onclick = {
        let (props, is_refused) = (props.clone(), is_refused.setter());
        Callback::from(move |_: MouseEvent| {
            let text = serde_json::to_string_pretty(&props.report).unwrap_or_default();
            let saved = save_text(&strings::report_file(&props.name), "application/json", &text);
            is_refused.set(text.is_empty() || saved.is_err());
        })
    };
    html! {
        <>
            <button class="btn" type="button" data-testid="import-report-json" {onclick}>{ Icon::Down.html() }{ strings::SAVE_REPORT }</button>
            if *is_refused { <span class="bad" role="alert">{ strings::NO_FILE }</span> }
        </>
    }
}

/// A button that generates a workload like this one.
fn more_like(input: &Loaded, dispatch: &Callback<Action>) -> Html {
    let Some(fitted) = input.contents.fitted.clone() else { return html! {} };
    let jobs = input.contents.digest.gpu_jobs.min(u64::from(MAX_JOBS)) as u32;
    let spec = SyntheticSpec { jobs, seed: 1, fitted: Some(fitted), ..SyntheticSpec::default() };
    let onclick = dispatch.reform(move |_: MouseEvent| Action::Edit(Edit::Synthetic(spec.clone())));
    html! { <button class="btn" type="button" data-testid="generate-like" title={strings::MORE_LIKE_ABOUT} {onclick}>{ strings::MORE_LIKE }</button> }
}

/// Histograms of a workload.
#[component]
pub fn Previews(props: &ArrivalsProps) -> Html {
    let digest = &props.digest;
    let preview = |preview: Preview| {
        let draw: Draw<WorkloadDigest> = match preview {
            Preview::RunTimes => |digest, width| Preview::RunTimes.chart(digest, width).scene(None),
            Preview::Sizes => |digest, width| Preview::Sizes.chart(digest, width).scene(None),
            Preview::Gaps => |digest, width| Preview::Gaps.chart(digest, width).scene(None),
        };
        let label = preview.chart(digest, 0.0).summary();
        html! {
            <figure class="arr" key={preview.word()} data-testid={format!("preview-{}", preview.word())} aria-label={label}>
                <figcaption>{ preview.title() }</figcaption>
                <Drawing<WorkloadDigest> of={digest.clone()} {draw} />
            </figure>
        }
    };
    html! {
        <div class="previews">
            <ArrivalsFigure digest={digest.clone()} />
            { for Preview::ALL.into_iter().map(preview) }
        </div>
    }
}

/// The members of an archive: what became of each, and the choice of one.
fn members(report: &ImportReport, source: &Source, dispatch: &Callback<Action>) -> Html {
    let chosen = match source {
        Source::Files { options, .. } => &options.members[..],
        Source::Synthetic(_) => &[],
    };
    if report.members.is_empty() {
        return html! {};
    }
    let read = |paths: Vec<String>| dispatch.reform(move |_: MouseEvent| Action::Members(paths.clone()));
    let row = |member: &ArchiveMember| {
        let what = member.skipped.clone().unwrap_or_else(|| "read".to_owned());
        let is_all = chosen.len() == 1 && chosen[0] == member.path;
        html! {
            <tr key={member.path.clone()}>
                <th scope="row">{ &member.path }</th>
                <td>{ member.bytes.map(format::bytes) }</td>
                <td>{ what }</td>
                <td>if !is_all { <button class="btn" type="button" onclick={read(vec![member.path.clone()])}>{ "Read only this" }</button> }</td>
            </tr>
        }
    };
    html! {
        <details data-testid="import-members" open={!chosen.is_empty()}>
            <summary>{ strings::counted(report.members.len() as u64, "member", "members") }{ " of the archive" }</summary>
            <table class="kv"><tbody>{ for report.members.iter().map(row) }</tbody></table>
            if !chosen.is_empty() {
                <button class="btn" type="button" onclick={read(Vec::new())}>{ "Read all" }</button>
            }
        </details>
    }
}

/// A bar whose parts add up to the records.
fn accounting(report: &ImportReport) -> Html {
    let accounts = accounts::of(report);
    let all = report.records.max(1) as f64;
    let mut from = 0.0;
    let part = |account: &Account| {
        let width = account.count as f64 / all * 100.0;
        let x = from;
        from += width;
        html! {
            <rect key={account.name.clone()} class={account.class} x={format!("{x:.3}%")} width={format!("{width:.3}%")} height="12" />
        }
    };
    let legend = |account: &Account| {
        html! {
            <span key={account.name.clone()}>
                <svg width="9" height="9" aria-hidden="true"><rect class={account.class} width="9" height="9" rx="2" /></svg>
                { format!("{} {}", format::count(account.count), account.name) }
            </span>
        }
    };
    let parts: Html = accounts.iter().map(part).collect();
    html! {
        <div class="acct">
            <div class="acct-h"><b>{ strings::counted(report.records, "record", "records") }</b><span class="muted">{ accounts::sum(report) }</span></div>
            <svg width="100%" height="12" role="img" aria-label={accounts::sentence(report)}>{ parts }</svg>
            <div class="legend">{ for accounts.iter().map(legend) }</div>
        </div>
    }
}

/// Which columns are read, and what stands in for those that are not in the file.
fn columns(report: &ImportReport) -> Html {
    if report.columns.is_empty() {
        return html! {};
    }
    let row = |column: &ColumnRead| {
        let what = match (column.found, &column.otherwise) {
            (true, _) => strings::COLUMN_READ.to_owned(),
            (false, Some(otherwise)) => strings::column_instead(otherwise),
            (false, None) => strings::COLUMN_MISSING.to_owned(),
        };
        html! {
            <tr key={column.name.clone()}>
                <th scope="row"><code>{ column.name.clone() }</code></th>
                <td>{ what }</td>
                <td>{ column.help.clone() }</td>
            </tr>
        }
    };
    html! {
        <details data-testid="import-columns">
            <summary>{ strings::columns_read(report) }</summary>
            <div class="scroll-x"><table class="tbl slim"><tbody>{ for report.columns.iter().map(row) }</tbody></table></div>
        </details>
    }
}

/// What each of several files was recognised as.
fn files(report: &ImportReport) -> Html {
    if report.files.len() < 2 {
        return html! {};
    }
    html! {
        <div data-testid="import-files">
            <h3>{ machines::FILES }</h3>
            <div class="scroll-x"><table class="tbl"><tbody>
                { for report.files.iter().map(|file| html! {
                    <tr><th scope="row" class="mono">{ file.name.clone() }</th><td>{ machines::holds(&file.holds, &report.format) }</td></tr>
                }) }
            </tbody></table></div>
        </div>
    }
}

/// The figures in three columns.
fn figures(report: &ImportReport) -> Html {
    let count =
        |key: &'static str, name: &'static str, value: u64| (key, name, value as f64, format::count(value));
    let number =
        |key: &'static str, name: &'static str, value: f64| (key, name, value, format::significant(value, 4));
    let gpus = |key: &'static str, name: &'static str, value: Option<f64>| {
        (key, name, value.unwrap_or(f64::NAN), value.map_or(format::UNDEFINED.to_owned(), strings::gpus))
    };
    let moment = |key: &'static str, name: &'static str, value: Option<f64>| {
        (key, name, value.unwrap_or(f64::NAN), value.map_or(format::UNDEFINED.to_owned(), strings::moment))
    };
    let duration = report.max_duration_s.map_or(format::UNDEFINED.to_owned(), format::elapsed);
    let columns = [
        vec![
            count("gpu_jobs", "GPU jobs", report.gpu_jobs),
            count("zero_gpu_jobs", "Jobs without GPUs, not simulated", report.zero_gpu_jobs),
            count("tenants", "Tenants", report.tenants),
            count("duplicate_ids", "Ids used again", report.duplicate_ids),
        ],
        vec![
            gpus("gpus_requested_sum", "GPUs asked, sum", Some(report.gpus_requested_sum)),
            gpus("max_gpus", "Largest request, GPUs", report.max_gpus),
            number("gpu_hours", "GPU-hours", report.gpu_hours),
            count("with_duration", "Jobs with a run time", report.with_duration),
        ],
        vec![
            moment("first_submit", "First submit", report.first_submit),
            moment("last_submit", "Last submit", report.last_submit),
            ("max_duration_s", "Longest job", report.max_duration_s.unwrap_or(f64::NAN), duration),
            count("zero_duration", "Jobs of no duration", report.zero_duration),
        ],
    ];
    let row = |(key, name, value, text): (&'static str, &'static str, f64, String)| {
        let value = value.is_finite().then(|| value.to_string());
        html! { <tr {key}><th scope="row">{ name }</th><td data-metric={key} data-value={value}>{ text }</td></tr> }
    };
    html! {
        <div class="grid-3 figs">
            { for columns.into_iter().map(|rows| html! { <table class="kv"><tbody>{ for rows.into_iter().map(row) }</tbody></table> }) }
            <table class="vh"><tbody>
                { row(count("records", "Records", report.records)) }
                { row(count("jobs", "Jobs", report.jobs)) }
                { row(count("rejected_count", "Rejected records", report.rejected_count)) }
            </tbody></table>
        </div>
    }
}

/// When jobs are submitted.
#[derive(Properties, Clone, PartialEq)]
pub struct ArrivalsProps {
    /// The workload.
    pub digest: WorkloadDigest,
}

/// A histogram of submissions.
#[component]
pub fn ArrivalsFigure(props: &ArrivalsProps) -> Html {
    let span = format::duration(props.digest.arrivals.bucket_s);
    html! {
        <figure class="arr" aria-labelledby="arr-h">
            <figcaption id="arr-h">{ format!("GPU jobs submitted per {span}") }</figcaption>
            <Drawing<WorkloadDigest> of={props.digest.clone()} draw={histogram as Draw<_>} />
        </figure>
    }
}

fn histogram(digest: &WorkloadDigest, width: f64) -> Scene {
    const HEIGHT_PX: f64 = 92.0;
    let (clock, start_s) = if is_date(digest.first_submit_s) {
        (Clock::Calendar, digest.first_submit_s)
    } else {
        (Clock::Elapsed, 0.0)
    };
    let arrivals = &digest.arrivals;
    let (size, bins) = ((width, HEIGHT_PX), (start_s, arrivals.bucket_s));
    Histogram::of_counts("arrivals", "GPU jobs submitted", size, clock, bins, arrivals.jobs.clone())
        .scene(None)
}

/// What of the records is not among the jobs.
pub(super) fn left_out(report: &ImportReport) -> Html {
    html! { <div class="grid-2 tight">{ skipped(report) }{ rejected(report) }</div> }
}

fn skipped(report: &ImportReport) -> Html {
    html! {
        <div>
            <h3>{ "Left out " }<span class="count">{ format::count(report.skipped_count()) }</span></h3>
            if report.skipped.is_empty() {
                <p class="muted">{ "Every record that could be read is used." }</p>
            } else {
                <table class="tbl"><thead><tr><th>{ "Reason" }</th><th class="n">{ "Records" }</th><th>{ "First lines" }</th></tr></thead><tbody>
                    { for report.skipped.iter().map(|skipped| html! {
                        <tr key={skipped.reason.clone()}>
                            <td>{ accounts::reason(&skipped.reason) }</td><td class="n">{ format::count(skipped.count) }</td>
                            <td class="mono">{ strings::first_places(skipped) }</td>
                        </tr>
                    }) }
                </tbody></table>
            }
        </div>
    }
}

fn rejected(report: &ImportReport) -> Html {
    const FEW: usize = 4;
    let row = |row: &crate::trace::Rejected| {
        html! {
            <tr>
                <td class="n mono">{ format::count(row.line) }if let Some(record) = row.record { <small>{ format!("record {}", format::count(record)) }</small> }</td>
                <td class="mono">{ row.column.clone() }</td>
                <td class="mono"><mark>{ row.value.clone() }</mark></td>
                <td>{ row.expected.clone() }if !row.hint.is_empty() { <small>{ row.hint.clone() }</small> }</td>
            </tr>
        }
    };
    let table = |rows: &[crate::trace::Rejected]| {
        html! {
            <div class="scroll-x"><table class="tbl">
                <thead><tr><th class="n">{ "Line" }</th><th>{ "Column" }</th><th>{ "Found" }</th><th>{ "Expected" }</th></tr></thead>
                <tbody>{ for rows.iter().map(row) }</tbody>
            </table></div>
        }
    };
    let (few, more) = report.rejected.split_at(report.rejected.len().min(FEW));
    let unseen = report.rejected_count.saturating_sub(report.rejected.len() as u64);
    html! {
        <div>
            <h3>{ "Rejected " }<span class={classes!("count", (report.rejected_count > 0).then_some("bad"))}>{ format::count(report.rejected_count) }</span></h3>
            if report.rejected.is_empty() {
                <p class="muted">{ "No record was faulty." }</p>
            } else {
                { table(few) }
                if !more.is_empty() {
                    <details><summary>{ format!("Show {} more", more.len()) }</summary>{ table(more) }</details>
                }
                if unseen > 0 { <p class="note">{ format!("{} further rejected records are not listed.", format::count(unseen)) }</p> }
            }
        </div>
    }
}

/// Remarks, one below another.
pub(super) fn warnings<'a>(warnings: impl Iterator<Item = &'a Warning>) -> Html {
    html! {
        <>
            { for warnings.map(|warning| html! {
                <p class="note" data-warning={warning.code.clone()}>{ Icon::Info.html() }<span>{ with_labels(&warning.message) }</span></p>
            }) }
        </>
    }
}
