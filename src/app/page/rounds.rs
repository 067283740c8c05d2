//! Step 5: rounds, what changes cost, and repetitions.

use yew::prelude::*;

use super::field::{Choice, NumberField, TextField, segments};
use super::setup::{StepProps, step_head};
use crate::app::field::{Range, parse_seeds, shown, shown_seeds};
use crate::app::state::{Action, Edit};
use crate::scenario::RoundSpec;
use crate::sim::{Boundary, GangPenalty, Limits, Mode};

/// Ten million seconds: the longest round and the largest overhead.
const MOST_S: f64 = 1e7;

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
                    { horizon(props) }
                </fieldset>
                <fieldset>
                    <legend>{ "Costs of change" }</legend>
                    { seconds("round.start_s", "First start", "A job holds its slots and makes no progress.", round.start_s, 0.0, edit(|round, s| round.start_s = s)) }
                    { seconds("round.restore_s", "Checkpoint and restore", "Every later load.", round.restore_s, 0.0, edit(|round, s| round.restore_s = s)) }
                    { seconds("round.reconfigure_s", "MIG reconfiguration", "A load that needs another layout of its device.", round.reconfigure_s, 0.0, edit(|round, s| round.reconfigure_s = s)) }
                    { checkpoint(props) }
                    <NumberField name="round.gang_node_penalty" label="Gang over several nodes" help="On n nodes its speed is divided by 1 + this × (n − 1)."
                        value={round.gang_node_penalty} range={Range::any(0.0, GangPenalty::MOST)} unit="" faults={faults}
                        edit={edit(|round, penalty| round.gang_node_penalty = penalty)} dispatch={dispatch} />
                </fieldset>
                <fieldset>
                    <legend>{ "Repetitions" }</legend>
                    { seeds(props) }
                </fieldset>
            </div>
        </section>
    }
}

/// Progress between two checkpoints; nothing means that a failure loses all since the job was loaded.
fn checkpoint(props: &StepProps) -> Html {
    const RANGE: Range = Range::any(1e-3, 1e9);
    let StepProps { scenario, faults, dispatch, .. } = props;
    let round = scenario.round;
    let read = Callback::from(move |text: String| {
        let used = round.checkpoint_s.unwrap_or(3_600.0);
        let checkpoint_s = if text.trim().is_empty() { None } else { Some(RANGE.parse(&text, "s", used)?) };
        Ok(Edit::Round(RoundSpec { checkpoint_s, ..round }))
    });
    html! {
        <TextField name="round.checkpoint_s" label="Checkpoint every" value={round.checkpoint_s.map(shown).unwrap_or_default()} unit="s" {faults} {read} {dispatch}
            help="What a failing node loses came after the last one. Empty: all since the job was loaded." />
    }
}

/// The horizon; nothing means that the run ends with its last job.
fn horizon(props: &StepProps) -> Html {
    const NAME: &str = "round.horizon_s";
    const RANGE: Range = Range::any(0.0, 1e11);
    let StepProps { scenario, faults, dispatch, .. } = props;
    let round = scenario.round;
    let read = Callback::from(move |text: String| {
        let used = round.horizon_s.unwrap_or(0.0);
        let horizon_s = if text.trim().is_empty() { None } else { Some(RANGE.parse(&text, "s", used)?) };
        Ok(Edit::Round(RoundSpec { horizon_s, ..round }))
    });
    html! {
        <TextField name={NAME} label="Horizon" value={round.horizon_s.map(shown).unwrap_or_default()} unit="s" {faults} {read} {dispatch}
            help="Empty: until the last job has finished." />
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
