//! What is taken from a trace: a window of time, outcomes, a sample, faster arrivals.

use yew::prelude::*;

use super::field::{Choice, LabelShown, NumberField, TextField, select};
use super::setup::StepProps;
use crate::app::field::{Range, parse_window, shown};
use crate::app::state::{Action, Edit};
use crate::scenario::TraceSpec;
use crate::workload::shape::RunningAtStart;

/// What is taken from the trace; nothing for a generated workload.
#[component]
pub fn Shaping(props: &StepProps) -> Html {
    let StepProps { scenario, faults, dispatch, .. } = props;
    let Some(trace) = &scenario.workload.trace else { return html! {} };
    let edit = |change: fn(&mut TraceSpec, f64)| {
        let trace = trace.clone();
        Callback::from(move |value: f64| {
            let mut trace = trace.clone();
            change(&mut trace, value);
            Ok(Edit::Trace(trace))
        })
    };
    let states = [Choice::new("all", "All GPU jobs"), Choice::new("completed", "Completed jobs only")];
    let on_states = {
        let (trace, dispatch) = (trace.clone(), dispatch.clone());
        Callback::from(move |states: String| {
            dispatch.emit(Action::Edit(Edit::Trace(TraceSpec { states, ..trace.clone() })));
        })
    };
    const RATE: &str = "workload.trace.rate";
    const SAMPLE: &str = "workload.trace.sample";
    html! {
        <fieldset class="panel filters">
            <legend class="vh">{ "What is taken from the trace" }</legend>
            { window(props, trace) }
            { select("workload.trace.states", "Keep", LabelShown::Above, &states, &trace.states, &on_states) }
            { running_at_start(trace, dispatch) }
            <NumberField name={RATE} label="Arrival rate" value={trace.rate} range={Range::any(1e-3, 1e3)} unit="×" faults={faults}
                edit={edit(|trace, rate| trace.rate = rate)} dispatch={dispatch} />
            <NumberField name={SAMPLE} label="Sample of jobs" value={trace.sample * 100.0} range={Range::any(1e-4, 100.0)} unit="%" faults={faults}
                edit={edit(|trace, percent| trace.sample = percent / 100.0)} dispatch={dispatch} />
        </fieldset>
    }
}

/// Whether a window begins with the jobs that ran then; nothing without a window.
fn running_at_start(trace: &TraceSpec, dispatch: &Callback<Action>) -> Html {
    if trace.window_s.is_none() {
        return html! {};
    }
    let choices = [
        Choice::new("leave-out", "Empty cluster"),
        Choice::new("include", "Jobs that ran then, placed first"),
    ];
    let now = if trace.running_at_start == RunningAtStart::Include { "include" } else { "leave-out" };
    let on_choice = {
        let (trace, dispatch) = (trace.clone(), dispatch.clone());
        Callback::from(move |choice: String| {
            let running_at_start =
                if choice == "include" { RunningAtStart::Include } else { RunningAtStart::LeaveOut };
            dispatch.emit(Action::Edit(Edit::Trace(TraceSpec { running_at_start, ..trace.clone() })));
        })
    };
    select("workload.trace.running_at_start", "It begins with", LabelShown::Above, &choices, now, &on_choice)
}

/// Hours from the first submission between which jobs are taken; nothing = to the end.
fn window(props: &StepProps, trace: &TraceSpec) -> Html {
    const NAME: &str = "workload.trace.window_s";
    const HOUR_S: f64 = 3_600.0;
    let span_s = props.input.as_ref().map_or(0.0, |input| input.contents.digest.span_s);
    let text = trace
        .window_s
        .map_or(String::new(), |[from, to]| format!("{} - {}", shown(from / HOUR_S), shown(to / HOUR_S)));
    let read = {
        let trace = trace.clone();
        Callback::from(move |text: String| {
            let window_s = parse_window(&text)?.map(|[from, to]| [from * HOUR_S, to * HOUR_S]);
            Ok(Edit::Trace(TraceSpec { window_s, ..trace.clone() }))
        })
    };
    let help = format!("Empty: all {} h", shown((span_s / HOUR_S * 10.0).round() / 10.0));
    html! {
        <TextField name={NAME} label="Window" value={text} unit="h" faults={&props.faults} {read} dispatch={&props.dispatch} {help} />
    }
}
