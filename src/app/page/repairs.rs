//! Repairs of a trace: each is off until it is chosen, and the table says what each changed.

use std::rc::Rc;

use yew::prelude::*;

use super::field::{LabelShown, TextField, select_of};
use crate::app::field::{Range, shown};
use crate::app::state::{Action, Edit, Faults};
use crate::app::strings;
use crate::chart::format;
use crate::trace::{FillFrom, ImportReport, Repairs, RepeatedIds, RunTimeFrom, RunningJobs, TimesIn};

const FILL: [(FillFrom, &str, &str); 4] = [
    (FillFrom::Nothing, "nothing", "Leave missing"),
    (FillFrom::Model, "model", "Median of the model"),
    (FillFrom::Tenant, "tenant", "Median of the tenant"),
    (FillFrom::All, "all", "Median of all"),
];
const RUNNING: [(RunningJobs, &str, &str); 2] = [
    (RunningJobs::AsRead, "as-read", "As in the file"),
    (RunningJobs::Elapsed, "elapsed", "Until the trace ends"),
];
const RUN_TIME: [(RunTimeFrom, &str, &str); 2] = [
    (RunTimeFrom::AsRead, "as-read", "As in the file"),
    (RunTimeFrom::StartToEnd, "start-to-end", "From start to end"),
];
const REPEATED: [(RepeatedIds, &str, &str); 3] = [
    (RepeatedIds::Keep, "keep", "Keep all as jobs"),
    (RepeatedIds::First, "first", "Keep the first"),
    (RepeatedIds::Last, "last", "Keep the last"),
];
const TIMES: [(TimesIn, &str, &str); 3] = [
    (TimesIn::Seconds, "seconds", "Seconds"),
    (TimesIn::Milliseconds, "milliseconds", "Milliseconds"),
    (TimesIn::Microseconds, "microseconds", "Microseconds"),
];

/// What the fields are called, by the key of the repair.
const LABELS: [(&str, &str); 8] = [
    ("fill", "Missing run times"),
    ("fill_s", "Where there is no median"),
    ("running", "Jobs that still ran"),
    ("run_time", "Run times"),
    ("shortest_s", "Run times at least"),
    ("longest_s", "Run times at most"),
    ("repeated_ids", "Records of one id"),
    ("times", "Numbers for times are"),
];

fn label(key: &str) -> &'static str {
    LABELS.iter().find(|(known, _)| *known == key).map_or("", |(_, label)| *label)
}

/// A remark in which repairs have the names of their fields: `(fill=model)` becomes `(Repairs: Missing run times)`.
pub(super) fn with_labels(message: &str) -> String {
    LABELS.iter().fold(message.to_owned(), |text, (key, label)| {
        let Some((before, rest)) = text.split_once(&format!("({key}=")) else { return text };
        let Some((_, after)) = rest.split_once(')') else { return text };
        format!("{before}({}: {label}){after}", strings::REPAIRS)
    })
}

/// The longest run time that may be stated, in seconds.
const MOST_S: f64 = 1e9;

/// What the repairs need.
#[derive(Properties, Clone, PartialEq)]
pub struct RepairsProps {
    /// The repairs asked for.
    pub repairs: Repairs,
    /// What was read with them.
    pub report: ImportReport,
    /// Fields whose text is no value.
    pub faults: Rc<Faults>,
    /// The page.
    pub dispatch: Callback<Action>,
}

/// The fields, and what each repair changed.
#[component]
pub fn RepairsPanel(props: &RepairsProps) -> Html {
    let RepairsProps { repairs, report, dispatch, .. } = props;
    let repairs = *repairs;
    let is_needed = !report.repairs.is_empty() || report.with_duration < report.gpu_jobs;
    html! {
        <details class="repairs" open={is_needed} data-testid="repairs">
            <summary>{ strings::REPAIRS }</summary>
            <p class="muted">{ strings::REPAIRS_ABOUT }</p>
            <div class="syn-fields">
                { select_of("repairs.fill", label("fill"), &FILL, repairs.fill, dispatch, move |fill| Edit::Repairs(Repairs { fill, ..repairs })) }
                { seconds(props, "fill_s", repairs.fill_s, |repairs, fill_s| Repairs { fill_s, ..repairs }) }
                { select_of("repairs.running", label("running"), &RUNNING, repairs.running, dispatch, move |running| Edit::Repairs(Repairs { running, ..repairs })) }
                { select_of("repairs.run_time", label("run_time"), &RUN_TIME, repairs.run_time, dispatch, move |run_time| Edit::Repairs(Repairs { run_time, ..repairs })) }
                { seconds(props, "shortest_s", repairs.shortest_s, |repairs, shortest_s| Repairs { shortest_s, ..repairs }) }
                { seconds(props, "longest_s", repairs.longest_s, |repairs, longest_s| Repairs { longest_s, ..repairs }) }
                { select_of("repairs.repeated_ids", label("repeated_ids"), &REPEATED, repairs.repeated_ids, dispatch, move |repeated_ids| Edit::Repairs(Repairs { repeated_ids, ..repairs })) }
                { select_of("repairs.times", label("times"), &TIMES, repairs.times, dispatch, move |times| Edit::Repairs(Repairs { times, ..repairs })) }
            </div>
            { told(report) }
        </details>
    }
}

/// A field for seconds that may be left empty.
fn seconds(
    props: &RepairsProps,
    key: &'static str,
    value: Option<u64>,
    change: fn(Repairs, Option<u64>) -> Repairs,
) -> Html {
    let repairs = props.repairs;
    let read = Callback::from(move |text: String| {
        let value = if text.trim().is_empty() {
            None
        } else {
            let used = value.unwrap_or(0) as f64;
            Some(Range::whole(1.0, MOST_S).parse(&text, "s", used)? as u64)
        };
        Ok(Edit::Repairs(change(repairs, value)))
    });
    let text = value.map(|seconds| shown(seconds as f64)).unwrap_or_default();
    html! {
        <TextField name={format!("repairs.{key}")} label={label(key)} label_shown={LabelShown::Above} value={text} unit="s" inputmode="decimal"
            faults={&props.faults} {read} dispatch={&props.dispatch} />
    }
}

/// What each repair changed.
fn told(report: &ImportReport) -> Html {
    if report.repairs.is_empty() {
        return html! { <p class="muted">{ strings::NOTHING_REPAIRED }</p> };
    }
    let row = |repaired: &crate::trace::Repaired| {
        html! {
            <tr key={repaired.repair.clone()} data-repair={repaired.repair.clone()} data-count={repaired.count.to_string()}>
                <td>{ repaired.message.clone() }</td>
                <td class="n">{ format::count(repaired.count) }</td>
                <td class="mono">{ strings::first_lines(&repaired.first_lines, repaired.count) }</td>
            </tr>
        }
    };
    html! {
        <div class="scroll-x"><table class="tbl">
            <thead><tr><th>{ "Repaired" }</th><th class="n">{ "Jobs" }</th><th>{ "First lines" }</th></tr></thead>
            <tbody>{ for report.repairs.iter().map(row) }</tbody>
        </table></div>
    }
}
