//! What is taken from a trace: a window of time, outcomes, a sample, faster arrivals, longer or larger jobs, other tenants.

use yew::prelude::*;

use super::field::{Choice, LabelShown, NumberField, TextField, select, select_of};
use super::setup::StepProps;
use crate::app::field::{Range, parse_window, shown};
use crate::app::state::{Action, Edit};
use crate::app::strings;
use crate::scenario::TraceSpec;
use crate::workload::Outcome;
use crate::workload::shape::{RunningAtStart, States, TenantsBy};

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
    const RATE: &str = "workload.trace.rate";
    const SAMPLE: &str = "workload.trace.sample";
    html! {
        <fieldset class="panel filters">
            <legend class="vh">{ "What is taken from the trace" }</legend>
            { window(props, trace) }
            { running_at_start(trace, dispatch) }
            { tenants(props, trace) }
            <NumberField name={RATE} label="Arrival rate" value={trace.rate} range={Range::any(1e-3, 1e3)} unit="×" faults={faults}
                edit={edit(|trace, rate| trace.rate = rate)} dispatch={dispatch} />
            <NumberField name={SAMPLE} label="Sample of jobs" value={trace.sample * 100.0} range={Range::any(1e-4, 100.0)} unit="%" faults={faults}
                edit={edit(|trace, percent| trace.sample = percent / 100.0)} dispatch={dispatch} />
            if trace.sample < 1.0 {
                <NumberField name="workload.trace.sample_seed" label="Seed of the sample" value={trace.sample_seed as f64} range={Range::whole(0.0, 9e15)} faults={faults}
                    edit={edit(|trace, seed| trace.sample_seed = seed as u64)} dispatch={dispatch} />
            }
            <NumberField name="workload.trace.duration_scale" label="Run times" value={trace.duration_scale} range={Range::any(1e-3, 1e3)} unit="×" faults={faults}
                edit={edit(|trace, scale| trace.duration_scale = scale)} dispatch={dispatch} />
            <NumberField name="workload.trace.gpu_scale" label="GPUs asked" value={trace.gpu_scale} range={Range::any(1e-3, 1e3)} unit="×" faults={faults}
                edit={edit(|trace, scale| trace.gpu_scale = scale)} dispatch={dispatch} />
            { states(props, trace) }
        </fieldset>
    }
}

/// Which outcomes are kept: a box each, with how many GPU jobs ended so.
fn states(props: &StepProps, trace: &TraceSpec) -> Html {
    let states: States = trace.states.parse().unwrap_or_default();
    let counts = props.input.as_ref().map(|input| input.contents.digest.outcomes).unwrap_or_default();
    let check = |(outcome, count): (Outcome, u64)| {
        let onchange = {
            let trace = trace.clone();
            props.dispatch.reform(move |_: Event| {
                let states = states.flipped(outcome).to_string();
                Action::Edit(Edit::Trace(TraceSpec { states, ..trace.clone() }))
            })
        };
        let kept = Outcome::ALL.into_iter().filter(|other| states.keeps(*other)).count();
        // Nothing kept would be no workload.
        let is_last = kept == 1 && states.keeps(outcome);
        let testid = format!("state-{}", outcome.word());
        html! {
            <label class="check" key={outcome.word()}>
                <input type="checkbox" data-testid={testid} checked={states.keeps(outcome)} disabled={is_last} {onchange} />
                { strings::outcome(outcome, count) }
            </label>
        }
    };
    let shown =
        Outcome::ALL.into_iter().zip(counts).filter(|(outcome, count)| *count > 0 || !states.keeps(*outcome));
    html! {
        <div class="field states" role="group" aria-label={strings::KEPT_OUTCOMES}>
            <span class="lab">{ strings::KEPT_OUTCOMES }</span>
            <div class="checks">{ for shown.map(check) }</div>
        </div>
    }
}

/// Who is a tenant.
fn tenants(props: &StepProps, trace: &TraceSpec) -> Html {
    const WAYS: [(TenantsBy, &str, &str); 4] = [
        (TenantsBy::Vc, "vc", "As in the trace"),
        (TenantsBy::User, "user", "Each user"),
        (TenantsBy::Both, "both", "Each user in each VC"),
        (TenantsBy::One, "one", "All as one"),
    ];
    let trace = trace.clone();
    select_of("workload.trace.tenants", "Tenants", &WAYS, trace.tenants, &props.dispatch, move |tenants| {
        Edit::Trace(TraceSpec { tenants, ..trace.clone() })
    })
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
