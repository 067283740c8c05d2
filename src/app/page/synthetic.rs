//! A generated workload in place of a trace.

use yew::prelude::*;

use super::field::{Choice, LabelShown, NumberField, TextField, select};
use super::report::ArrivalsFigure;
use super::setup::StepProps;
use crate::app::field::{Range, parse_weights, shown, shown_weights};
use crate::app::state::{Action, Edit, Loaded};
use crate::app::strings;
use crate::chart::format;
use crate::workload::synthetic::{ArrivalKind, GpuShare, MAX_JOBS, SyntheticSpec};

const KINDS: [(ArrivalKind, &str, &str); 4] = [
    (ArrivalKind::Poisson, "poisson", "At a constant rate"),
    (ArrivalKind::Diurnal, "diurnal", "By day and night"),
    (ArrivalKind::Bursty, "bursty", "In bursts of one tenant"),
    (ArrivalKind::Batch, "batch", "All at once"),
];

/// The fields of a generated workload, and what came out.
#[component]
pub fn SyntheticPanel(props: &StepProps) -> Html {
    let Some(spec) = &props.scenario.workload.synthetic else { return html! {} };
    let number = |key: &str,
                  label: &'static str,
                  value: f64,
                  range: Range,
                  unit: &'static str,
                  change: fn(&mut SyntheticSpec, f64)| {
        let edit = {
            let spec = spec.clone();
            Callback::from(move |value: f64| {
                let mut spec = spec.clone();
                change(&mut spec, value);
                Ok(Edit::Synthetic(spec))
            })
        };
        html! {
            <NumberField name={format!("workload.synthetic.{key}")} {label} {value} {range} {unit} faults={&props.faults} {edit} dispatch={&props.dispatch} />
        }
    };
    let kind = spec.arrivals.kind;
    let word = KINDS.iter().find(|(other, ..)| *other == kind).map_or("", |(_, word, _)| word);
    let kinds: Vec<Choice> = KINDS.iter().map(|(_, word, name)| Choice::new(*word, *name)).collect();
    let on_kind = {
        let spec = spec.clone();
        props.dispatch.reform(move |word: String| {
            let mut spec = spec.clone();
            if let Some((kind, ..)) = KINDS.iter().find(|(_, other, _)| *other == word) {
                spec.arrivals.kind = *kind;
            }
            Action::Edit(Edit::Synthetic(spec))
        })
    };
    html! {
        <fieldset class="panel synthetic">
            <legend class="vh">{ "Generated workload" }</legend>
            <div class="syn-h">
                <h3>{ "Generated workload" }</h3>
                <p>{ "The same seed gives the same jobs in every browser and on the command line." }</p>
            </div>
            <div class="syn-fields">
                { number("jobs", "Jobs", f64::from(spec.jobs), Range::whole(1.0, f64::from(MAX_JOBS)), "", |spec, jobs| spec.jobs = jobs as u32) }
                { select("workload.synthetic.arrivals.kind", "Arrivals", LabelShown::Above, &kinds, word, &on_kind) }
                if kind != ArrivalKind::Batch {
                    { number("arrivals.rate_per_hour", "Rate", spec.arrivals.rate_per_hour, Range::any(1e-3, 1e6), "jobs/h", |spec, rate| spec.arrivals.rate_per_hour = rate) }
                }
                if kind == ArrivalKind::Bursty {
                    { number("arrivals.burst_jobs", "Jobs in a burst, mean", spec.arrivals.burst_jobs, Range::any(1.0, 1e4), "", |spec, jobs| spec.arrivals.burst_jobs = jobs) }
                    { number("arrivals.burst_s", "Length of a burst", spec.arrivals.burst_s, Range::any(0.0, 1e6), "s", |spec, s| spec.arrivals.burst_s = s) }
                }
                if kind == ArrivalKind::Diurnal {
                    { number("arrivals.swing", "Swing of the rate", spec.arrivals.swing, Range::any(0.0, 1.0), "0–1", |spec, swing| spec.arrivals.swing = swing) }
                }
                { number("tenants", "Tenants", f64::from(spec.tenants), Range::whole(1.0, 1e4), "", |spec, tenants| spec.tenants = tenants as u32) }
                { number("tenant_skew", "Inequality of tenants", spec.tenant_skew, Range::any(0.0, 10.0), "0 = equal", |spec, skew| spec.tenant_skew = skew) }
                { number("duration.median_s", "Run time, median", spec.duration.median_s, Range::any(1.0, 1e8), "s", |spec, s| spec.duration.median_s = s) }
                { number("duration.sigma", "Run time, spread", spec.duration.sigma, Range::any(0.0, 10.0), "σ of ln", |spec, sigma| spec.duration.sigma = sigma) }
                { number("duration.min_s", "Run time, shortest", spec.duration.min_s, Range::any(1.0, spec.duration.max_s), "s", |spec, s| spec.duration.min_s = s) }
                { number("duration.max_s", "Run time, longest", spec.duration.max_s, Range::any(spec.duration.min_s, 1e8), "s", |spec, s| spec.duration.max_s = s) }
                { number("seed", "Seed", spec.seed as f64, Range::whole(0.0, 9e15), "", |spec, seed| spec.seed = seed as u64) }
                { sizes(props, spec) }
            </div>
            if let Some(input) = &props.input { { outcome(input) } }
        </fieldset>
    }
}

/// How many GPUs jobs ask for.
fn sizes(props: &StepProps, spec: &SyntheticSpec) -> Html {
    let read = {
        let spec = spec.clone();
        Callback::from(move |text: String| {
            let pairs = parse_weights(&text)?.into_iter();
            let gpus = pairs
                .map(|(gpus, weight)| match gpus.parse() {
                    Ok(gpus) => Ok(GpuShare { gpus, weight }),
                    Err(_) => Err(format!("Found {gpus:?}. Expected a number of GPUs before each colon.")),
                })
                .collect::<Result<Vec<_>, _>>()?;
            let spec = SyntheticSpec { gpus, ..spec.clone() };
            spec.check().map_err(|(_, found, expected)| format!("Found {found}. Expected {expected}."))?;
            Ok(Edit::Synthetic(spec))
        })
    };
    let text = shown_weights(spec.gpus.iter().map(|share| (shown(share.gpus), &share.weight)));
    html! {
        <div class="wide-field">
            <TextField name="workload.synthetic.gpus" label="GPUs asked: weight" value={text} faults={&props.faults} {read} dispatch={&props.dispatch}
                help="A fraction of a GPU, or whole GPUs; each with how often it occurs relative to the others." />
        </div>
    }
}

/// What was generated.
fn outcome(input: &Loaded) -> Html {
    let digest = &input.contents.digest;
    let load = digest.offered_gpus.map(|gpus| format!(" · load of {} GPUs", format::significant(gpus, 3)));
    let text = format!(
        "{} over {} · {} GPU-hours{}",
        strings::jobs(digest.jobs),
        format::elapsed(digest.span_s),
        format::number(digest.gpu_hours, 0),
        load.unwrap_or_default()
    );
    html! {
        <div class="syn-out">
            <p>{ text }</p>
            <ArrivalsFigure digest={digest.clone()} />
        </div>
    }
}
