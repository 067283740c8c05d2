//! Step 5: rounds, what changes cost, repetitions, and what is measured.

use yew::prelude::*;

use super::field::{Choice, NumberField, OptionalNumberField, TextField, segments};
use super::setup::{StepProps, step_head};
use crate::app::field::{Range, parse_seeds, shown_seeds};
use crate::app::state::{Action, Edit};
use crate::app::strings;
use crate::scenario::{MeasureSpec, RoundSpec};
use crate::sim::{Boundary, GangPenalty, Limits, Mode};

/// Ten million seconds: the longest round and the largest overhead.
const MOST_S: f64 = 1e7;
/// The latest moment of a scenario, in seconds.
pub const MOST_MOMENT_S: f64 = 1e11;

/// Step 5.
#[component]
pub fn RoundStep(props: &StepProps) -> Html {
    let StepProps { scenario, faults, dispatch, .. } = props;
    let round = scenario.round;
    let edit = |change: fn(&mut RoundSpec, f64)| {
        Callback::from(move |value: f64| {
            let mut round = round;
            change(&mut round, value);
            Ok(Edit::Round(round))
        })
    };
    let seconds = |key: &'static str,
                   label: &'static str,
                   help: &'static str,
                   value: f64,
                   min: f64,
                   edit: Callback<f64, Result<Edit, String>>| {
        html! {
            <NumberField name={key} {label} {help} {value} range={Range::any(min, MOST_S)} unit="s" faults={faults} {edit} dispatch={dispatch} />
        }
    };
    let boundary = if round.boundary == Boundary::Refill { "refill" } else { "idle" };
    let on_boundary = dispatch.reform(move |choice: String| {
        let boundary = if choice == "idle" { Boundary::Idle } else { Boundary::Refill };
        Action::Edit(Edit::Round(RoundSpec { boundary, ..round }))
    });
    let on_mode = dispatch.reform(move |choice: String| {
        let mode = if choice == "fluid" { Mode::Fluid } else { Mode::Rounds };
        Action::Edit(Edit::Round(RoundSpec { mode, ..round }))
    });
    let modes = [Choice::new("rounds", "Rounds on devices"), Choice::new("fluid", "Fluid (ideal)")];
    let on_limits = dispatch.reform(move |choice: String| {
        let limits = if choice == "kill" { Limits::Kill } else { Limits::Ignore };
        Action::Edit(Edit::Round(RoundSpec { limits, ..round }))
    });
    let limits = [Choice::new("ignore", "Let it run"), Choice::new("kill", "Kill it")];
    let boundaries = [Choice::new("refill", "Refill"), Choice::new("idle", "Stay idle")];
    html! {
        <section class="step" id="s-rounds" tabindex="-1" aria-labelledby="h-rounds">
            { step_head(5, "h-rounds", "Rounds and seeds", "", html! {}) }
            <div class="panel grid-3 rounds">
                <fieldset>
                    <legend>{ "Rounds" }</legend>
                    { segments("mode", "Time goes in", &modes, if round.mode == Mode::Fluid { "fluid" } else { "rounds" }, &on_mode) }
                    { seconds("round.length_s", "Length", "", round.length_s, 0.001, edit(|round, s| round.length_s = s)) }
                    { segments("boundary", "When a job ends inside a round", &boundaries, boundary, &on_boundary) }
                    { segments("limits", "At the run time a job asked for", &limits, if round.limits == Limits::Kill { "kill" } else { "ignore" }, &on_limits) }
                    { optional(props, ("round.horizon_s", "Horizon", "Empty: until the last job has finished."), round.horizon_s, Range::any(0.0, MOST_MOMENT_S), |round, s| round.horizon_s = s) }
                </fieldset>
                <fieldset>
                    <legend>{ "Costs of change" }</legend>
                    { seconds("round.start_s", "First start", "A job holds its slots and makes no progress.", round.start_s, 0.0, edit(|round, s| round.start_s = s)) }
                    { seconds("round.restore_s", "Checkpoint and restore", "Every later load.", round.restore_s, 0.0, edit(|round, s| round.restore_s = s)) }
                    { seconds("round.reconfigure_s", "MIG reconfiguration", "A load that needs another layout of its device.", round.reconfigure_s, 0.0, edit(|round, s| round.reconfigure_s = s)) }
                    { optional(props, ("round.checkpoint_s", "Checkpoint every", strings::CHECKPOINT), round.checkpoint_s, Range::any(1e-3, 1e9), |round, s| round.checkpoint_s = s) }
                    <NumberField name="round.gang_node_penalty" label="Gang over several nodes" help="On n nodes its speed is divided by 1 + this × (n − 1)."
                        value={round.gang_node_penalty} range={Range::any(0.0, GangPenalty::MOST)} unit="" faults={faults}
                        edit={edit(|round, penalty| round.gang_node_penalty = penalty)} dispatch={dispatch} />
                </fieldset>
                <div>
                    <fieldset>
                        <legend>{ "Repetitions" }</legend>
                        { seeds(props) }
                    </fieldset>
                    { measure(props) }
                </div>
            </div>
        </section>
    }
}

/// A number of the rounds that may be left out.
fn optional(
    props: &StepProps,
    (name, label, help): (&'static str, &'static str, &'static str),
    value: Option<f64>,
    range: Range,
    change: fn(&mut RoundSpec, Option<f64>),
) -> Html {
    let round = props.scenario.round;
    let edit = Callback::from(move |value: Option<f64>| {
        let mut round = round;
        change(&mut round, value);
        Ok(Edit::Round(round))
    });
    html! {
        <OptionalNumberField {name} {label} {help} {value} {range} unit="s" faults={&props.faults} {edit} dispatch={&props.dispatch} />
    }
}

/// What is measured.
fn measure(props: &StepProps) -> Html {
    let measure = props.scenario.measure;
    let number = |key: &str,
                  label: &'static str,
                  help: &'static str,
                  value: Option<f64>,
                  (range, unit): (Range, &'static str),
                  change: fn(&mut MeasureSpec, Option<f64>)| {
        let edit = Callback::from(move |value: Option<f64>| {
            let mut measure = measure;
            change(&mut measure, value);
            match (measure.from_s, measure.to_s) {
                (Some(from), Some(to)) if from >= to => Err(strings::ends_before_it_begins(from, to)),
                _ => Ok(Edit::Measure(measure)),
            }
        });
        html! {
            <OptionalNumberField name={format!("measure.{key}")} {label} {help} {value} {range} {unit} faults={&props.faults} {edit} dispatch={&props.dispatch} />
        }
    };
    let seconds = (Range::any(0.0, MOST_MOMENT_S), "s");
    html! {
        <fieldset>
            <legend>{ "What counts" }</legend>
            { number("from_s", "Jobs submitted from", strings::MEASURE_FROM, measure.from_s, seconds, |measure, s| measure.from_s = s) }
            { number("to_s", "Jobs submitted before", strings::MEASURE_TO, measure.to_s, seconds, |measure, s| measure.to_s = s) }
            { number("ftf_n", "Contention in finish-time fairness", strings::MEASURE_FTF, measure.ftf_n, (Range::any(1.0, 1e9), ""), |measure, n| measure.ftf_n = n) }
        </fieldset>
    }
}

fn seeds(props: &StepProps) -> Html {
    let StepProps { scenario, faults, dispatch, .. } = props;
    let read = Callback::from(|text: String| parse_seeds(&text).map(Edit::Seeds));
    html! {
        <TextField name="seeds" label="Seeds" value={shown_seeds(&scenario.seeds)} {faults} {read} {dispatch}
            help="One run a policy and seed. Every seed is another draw of generated jobs and of drawn profiles, alike for all policies. 0-4 is 0, 1, 2, 3, 4." />
    }
}
