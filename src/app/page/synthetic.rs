//! A generated workload in place of a trace.

use yew::prelude::*;

use super::export_workload;
use super::field::{NumberField, TextField, select_of};
use super::report::Previews;
use super::setup::StepProps;
use crate::app::field::{Range, parse_weights, shown, shown_weights};
use crate::app::state::{Action, Edit, Loaded};
use crate::app::strings;
use crate::chart::format;
use crate::workload::synthetic::{
    ArrivalKind, Arrivals, DurationShape, Durations, Fitted, GpuShare, MAX_JOBS, SyntheticSpec,
};

const KINDS: [(ArrivalKind, &str, &str); 5] = [
    (ArrivalKind::Poisson, "poisson", "At a constant rate"),
    (ArrivalKind::Diurnal, "diurnal", "By day, night and week"),
    (ArrivalKind::Bursty, "bursty", "In bursts of one tenant"),
    (ArrivalKind::Mmpp, "mmpp", "In busy and calm times"),
    (ArrivalKind::Batch, "batch", "All at once"),
];

const SHAPES: [(DurationShape, &str, &str); 3] = [
    (DurationShape::Lognormal, "lognormal", "Lognormal"),
    (DurationShape::Pareto, "pareto", "Pareto"),
    (DurationShape::Weibull, "weibull", "Weibull"),
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
    let with_kind = {
        let spec = spec.clone();
        move |kind| {
            let arrivals = Arrivals { kind, ..spec.arrivals.clone() };
            Edit::Synthetic(SyntheticSpec { arrivals, ..spec.clone() })
        }
    };
    let with_shape = {
        let spec = spec.clone();
        move |shape| {
            let duration = Durations { shape, ..spec.duration.clone() };
            Edit::Synthetic(SyntheticSpec { duration, ..spec.clone() })
        }
    };
    let shape = spec.duration.shape;
    let busy = spec.arrivals.busy;
    html! {
        <fieldset class="panel synthetic">
            <legend class="vh">{ "Generated workload" }</legend>
            <div class="syn-h">
                <h3>{ "Generated workload" }</h3>
                <p>{ "The same seed gives the same jobs in every browser and on the command line." }</p>
            </div>
            if let Some(fitted) = &spec.fitted {
                { like(spec, fitted, &props.dispatch) }
            }
            <div class="syn-fields">
                { number("jobs", "Jobs", f64::from(spec.jobs), Range::whole(1.0, f64::from(MAX_JOBS)), "", |spec, jobs| spec.jobs = jobs as u32) }
                if spec.fitted.is_none() {
                { select_of("workload.synthetic.arrivals.kind", "Arrivals", &KINDS, kind, &props.dispatch, with_kind) }
                if kind != ArrivalKind::Batch {
                    { number("arrivals.rate_per_hour", "Rate", spec.arrivals.rate_per_hour, Range::any(1e-3, 1e6), "jobs/h", |spec, rate| spec.arrivals.rate_per_hour = rate) }
                }
                if kind == ArrivalKind::Bursty {
                    { number("arrivals.burst_jobs", "Jobs in a burst, mean", spec.arrivals.burst_jobs, Range::any(1.0, 1e4), "", |spec, jobs| spec.arrivals.burst_jobs = jobs) }
                    { number("arrivals.burst_s", "Length of a burst", spec.arrivals.burst_s, Range::any(0.0, 1e6), "s", |spec, s| spec.arrivals.burst_s = s) }
                }
                if kind == ArrivalKind::Diurnal {
                    { number("arrivals.swing", "Swing of the rate", spec.arrivals.swing, Range::any(0.0, 1.0), "0–1", |spec, swing| spec.arrivals.swing = swing) }
                    { number("arrivals.weekend", "Rate at weekends", spec.arrivals.weekend, Range::any(0.0, 10.0), "×", |spec, weekend| spec.arrivals.weekend = weekend) }
                }
                if kind == ArrivalKind::Mmpp {
                    { number("arrivals.busy.share", "Share of busy time", busy.share, Range::any(0.001, (1.0 / busy.rate).min(0.999)), "0–1", |spec, share| spec.arrivals.busy.share = share) }
                    { number("arrivals.busy.rate", "Rate in busy times", busy.rate, Range::any(1.0, 1.0 / busy.share), "× mean", |spec, rate| spec.arrivals.busy.rate = rate) }
                    { number("arrivals.busy.length_s", "A busy time lasts, mean", busy.length_s, Range::any(1.0, 1e7), "s", |spec, s| spec.arrivals.busy.length_s = s) }
                }
                { number("tenants", "Tenants", f64::from(spec.tenants), Range::whole(1.0, 1e4), "", |spec, tenants| spec.tenants = tenants as u32) }
                { number("tenant_skew", "Inequality of tenants", spec.tenant_skew, Range::any(0.0, 10.0), "0 = equal", |spec, skew| spec.tenant_skew = skew) }
                { select_of("workload.synthetic.duration.shape", "Run times", &SHAPES, shape, &props.dispatch, with_shape) }
                { number("duration.median_s", "Run time, median", spec.duration.median_s, Range::any(1.0, 1e8), "s", |spec, s| spec.duration.median_s = s) }
                if shape == DurationShape::Lognormal {
                    { number("duration.sigma", "Run time, spread", spec.duration.sigma, Range::any(0.0, 10.0), "σ of ln", |spec, sigma| spec.duration.sigma = sigma) }
                } else {
                    { number("duration.exponent", "Run time, exponent", spec.duration.exponent, Range::any(0.1, 20.0), "", |spec, exponent| spec.duration.exponent = exponent) }
                }
                { number("duration.min_s", "Run time, shortest", spec.duration.min_s, Range::any(1.0, spec.duration.max_s), "s", |spec, s| spec.duration.min_s = s) }
                { number("duration.max_s", "Run time, longest", spec.duration.max_s, Range::any(spec.duration.min_s, 1e8), "s", |spec, s| spec.duration.max_s = s) }
                }
                { number("seed", "Seed", spec.seed as f64, Range::whole(0.0, 9e15), "", |spec, seed| spec.seed = seed as u64) }
                if spec.fitted.is_none() { { sizes(props, spec) } }
            </div>
            if let Some(input) = &props.input { { outcome(props, input) } }
        </fieldset>
    }
}

/// What a workload is like, and the way back to stating it.
fn like(spec: &SyntheticSpec, fitted: &Fitted, dispatch: &Callback<Action>) -> Html {
    let plain = SyntheticSpec { fitted: None, ..spec.clone() };
    let onclick = dispatch.reform(move |_: MouseEvent| Action::Edit(Edit::Synthetic(plain.clone())));
    html! {
        <div class="syn-h" data-testid="synthetic-fitted">
            <p>{ strings::fitted(fitted) }</p>
            <div class="row-act"><button class="btn" type="button" {onclick}>{ strings::STATE_INSTEAD }</button></div>
        </div>
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
fn outcome(props: &StepProps, input: &Loaded) -> Html {
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
            <Previews digest={digest.clone()} />
            <div class="row-act">{ export_workload::buttons(input.read, &props.faults, &props.dispatch) }</div>
        </div>
    }
}
