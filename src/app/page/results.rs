//! The results view: the finding, the key figures, and the charts that show them.

mod basis;
mod explain;
mod exports;
mod fairness;
pub(super) mod figure;
mod gantt;
mod groups;
mod jct;
mod key_figures;
mod load;
mod menu;
pub(super) mod plot;
mod policy_bar;
mod report;
pub(super) mod save;
mod tenants;
mod trade_off;

use std::collections::BTreeSet;
use std::rc::Rc;

use web_sys::Blob;
use yew::prelude::*;

use self::basis::RestsOn;
use self::explain::Explain;
use self::fairness::Fairness;
use self::gantt::Gantt;
use self::groups::Groups;
use self::jct::JctFigure;
use self::key_figures::KeyFigures;
use self::load::LoadFigure;
use self::policy_bar::PolicyBar;
use self::report::SaveReport;
use self::tenants::{ChangesFigure, ServiceFigure};
use self::trade_off::{SeedsFigure, TradeOffFigure};
use crate::app::comparison::Comparison;
pub use crate::app::comparison::{Freshness, Toggle};
use crate::app::export::{self, Seeds};
use crate::app::figures;
use crate::app::headline::Headline;
use crate::app::page::in_parts::InParts;
use crate::chart::{Key, palette};
use crate::scenario::Scenario;
use crate::scenario::run::RunResult;

/// The tables of one run, ready to be saved and read: its jobs are the text of `jobs-<label>-<seed>.csv`.
#[derive(Debug, Clone, PartialEq)]
pub struct JobTable {
    /// The policy's label.
    pub policy: String,
    /// The seed.
    pub seed: u64,
    /// The file.
    pub csv: Blob,
    /// When and why jobs waited, as a `waits-*.csv`; `None` for the trace's own schedule.
    pub waits: Option<Blob>,
    /// The rounds, as a `rounds-*.csv`; `None` for policies without quotas.
    pub rounds: Option<Blob>,
    /// Every allocation, as [`crate::chart::gantt::Schedule`] reads it; `None` for a run without devices.
    pub schedule: Option<Blob>,
}

/// Where the results come from and what they take for granted.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Basis {
    /// Fingerprint of the scenario.
    pub scenario_hash: String,
    /// Fingerprint of the trace's workload; `None` for a generated workload.
    pub trace_hash: Option<String>,
    /// What was assumed about the jobs, a sentence each: the rule that chose profiles, for how many jobs, which curves are fitted.
    pub assumptions: Vec<String>,
}

/// What the results view needs. Everything is of the scenario that was run, which may no longer be the one in the set-up.
#[derive(Properties, Clone, PartialEq)]
pub struct ResultsProps {
    /// The finished runs, in any order.
    pub runs: Rc<Vec<RunResult>>,
    /// The scenario they belong to.
    pub scenario: Rc<Scenario>,
    /// The name of the trace or sample, without a path.
    pub trace_name: AttrValue,
    /// How the runs stand to the set-up.
    pub freshness: Freshness,
    /// The label of the policy that others are compared with; `None` = the view's own choice.
    pub baseline: Option<AttrValue>,
    /// Another baseline was chosen.
    pub on_baseline: Callback<AttrValue>,
    /// Labels of policies that charts leave out.
    pub hidden: Rc<BTreeSet<String>>,
    /// A policy's chip was used.
    pub on_toggle: Callback<(String, Toggle)>,
    /// The job tables of the runs that have one.
    pub job_tables: Rc<Vec<JobTable>>,
    /// Provenance and assumptions.
    pub basis: Rc<Basis>,
    /// Today's date, `2026-12-01`, for file names.
    pub today: AttrValue,
    /// Where a worker's script is.
    pub worker_url: AttrValue,
    /// The reader wants to set up a run (from the empty state).
    pub on_set_up: Callback<()>,
}

/// What every figure is given.
#[derive(Properties, Clone, PartialEq)]
struct Frame {
    comparison: Rc<Comparison>,
    /// Labels of policies that are left out.
    hidden: Rc<BTreeSet<String>>,
    /// The cursor of every chart over time.
    time_s: Option<f64>,
    on_time: Callback<f64>,
    trace_name: AttrValue,
    today: AttrValue,
    footnote: AttrValue,
}

impl Frame {
    /// The name of a figure's file.
    fn file_name(&self, what: &str) -> AttrValue {
        let seeds = self.comparison.seeds();
        export::file_name(&self.trace_name, what, Seeds::All(&seeds), &self.today, "svg").into()
    }
}

/// Parts of the grid of figures.
const FIGURES: usize = 7;

/// The results view.
#[component]
pub fn Results(props: &ResultsProps) -> Html {
    let time_s = use_state_eq(|| None::<f64>);
    let comparison = use_memo(
        (props.runs.clone(), props.scenario.clone(), props.baseline.clone()),
        |(runs, scenario, baseline)| Comparison::new(runs.clone(), scenario, baseline.as_deref()),
    );
    let headline = use_memo((comparison.clone(), props.freshness), |(comparison, freshness)| {
        Headline::of(comparison, *freshness)
    });
    let on_time = use_callback(time_s.setter(), |at: f64, time_s| time_s.set(Some(at)));
    if comparison.rows().is_empty() {
        return empty(props);
    }
    let footnote = figures::footnote(&comparison, &props.trace_name, &props.basis.scenario_hash);
    let frame = Frame {
        comparison: comparison.clone(),
        hidden: props.hidden.clone(),
        time_s: *time_s,
        on_time,
        trace_name: props.trace_name.clone(),
        today: props.today.clone(),
        footnote: footnote.into(),
    };
    let is_whole = !matches!(props.freshness, Freshness::Running { .. } | Freshness::Incomplete { .. });
    let stale = props.freshness == Freshness::Stale;
    html! {
        <section class={classes!("view", "results", stale.then_some("stale"))} aria-labelledby="headline">
            if stale { <p class="from-before" role="status">{ "From the run before: the set-up has been changed since, or a new run has nothing to show yet." }</p> }
            <div class="res-top">
                <h1 id="headline">{ headline.title.clone() }</h1>
                <p class="sub">{ headline.notes.join(" ") }</p>
                <div class="res-act">
                    { jump(&comparison) }
                    <SaveReport comparison={comparison.clone()} scenario={props.scenario.clone()} freshness={props.freshness}
                        basis={props.basis.clone()} trace_name={props.trace_name.clone()} today={props.today.clone()} hidden={props.hidden.clone()} />
                </div>
            </div>
            <PolicyBar comparison={comparison.clone()} hidden={props.hidden.clone()} on_toggle={props.on_toggle.clone()}
                on_baseline={props.on_baseline.clone()} />
            <KeyFigures comparison={comparison.clone()} scenario_hash={props.basis.scenario_hash.clone()}
                trace_name={props.trace_name.clone()} today={props.today.clone()} {is_whole} job_tables={props.job_tables.clone()} />
            <div class="grid-12"><InParts>
                <JctFigure ..frame.clone() />
                <LoadFigure ..frame.clone() />
                <ChangesFigure ..frame.clone() />
                <ServiceFigure ..frame.clone() />
                <TradeOffFigure ..frame.clone() />
                if comparison.planned_seeds() > 1 { <SeedsFigure ..frame.clone() /> }
                <Gantt tables={props.job_tables.clone()} comparison={comparison.clone()} time_s={frame.time_s} on_time={frame.on_time.clone()}
                    trace_name={props.trace_name.clone()} today={props.today.clone()} footnote={frame.footnote} worker_url={&props.worker_url} />
            </InParts></div>
            <InParts after={FIGURES}>
            <Groups comparison={comparison.clone()} />
            <Fairness comparison={comparison.clone()} />
            <Explain tables={props.job_tables.clone()} subject={comparison.subject().map(|row| AttrValue::from(row.label.clone()))} />
            <RestsOn {comparison} scenario={props.scenario.clone()} basis={props.basis.clone()} />
            </InParts>
        </section>
    }
}

/// What stands here while there is nothing to compare.
fn empty(props: &ResultsProps) -> Html {
    let (title, text, button) = match props.freshness {
        Freshness::Running { done, planned } => (
            "The comparison is under way",
            format!(
                "{done} of {planned} runs are done. Key figures and charts appear here when all of them are."
            ),
            false,
        ),
        _ => (
            "No results yet",
            "Choose a trace, a cluster and policies, then run them. The comparison appears here.".to_owned(),
            true,
        ),
    };
    html! {
        <section class="view results" aria-labelledby="headline">
            <div class="panel none-yet">
                <h1 id="headline">{ title }</h1>
                <p class="sub">{ text }</p>
                if button {
                    <button class="btn primary" type="button" onclick={props.on_set_up.reform(|_: MouseEvent| ())}>{ "Set up a run" }</button>
                }
            </div>
        </section>
    }
}

/// Links to the parts of the page. The address holds the scenario, so these scroll by themselves.
fn jump(comparison: &Comparison) -> Html {
    let compared = comparison.subject().is_some() && comparison.baseline().is_some();
    let link = |(id, text): (&'static str, &'static str)| {
        let on_click = Callback::from(move |_: MouseEvent| {
            if let Some(part) = gloo::utils::document().get_element_by_id(id) {
                part.scroll_into_view();
            }
        });
        html! { <button type="button" onclick={on_click}>{ text }</button> }
    };
    let parts = [
        ("p-kpi", "Figures"),
        ("p-jct", "JCT"),
        ("p-time", "Over time"),
        ("p-who", "Who gains"),
        ("p-serv", "Service"),
        ("p-trade", "Trade-off"),
        ("p-gantt", "Schedule"),
        ("p-groups", "Groups"),
        ("p-fair", "Fairness"),
        ("p-why", "Why"),
    ];
    html! {
        <nav class="jump" aria-label="On this page">
            { for parts.into_iter().filter(|(id, _)| compared || *id != "p-who").map(link) }
        </nav>
    }
}

/// A short line as the policy is drawn.
fn line_sample(key: &Key) -> Html {
    html! { <span class="ln-s">{ Html::from_html_unchecked(palette::line_sample(key, 26.0).to_svg().into()) }</span> }
}

/// A choice of two to five, one of them pressed.
fn segmented<T: Copy + PartialEq + 'static>(
    label: &'static str,
    options: &[(&'static str, T)],
    chosen: &UseStateHandle<T>,
) -> Html {
    let button = |(text, value): &(&'static str, T)| {
        let on_click = {
            let (chosen, value) = (chosen.setter(), *value);
            Callback::from(move |_: MouseEvent| chosen.set(value))
        };
        html! { <button type="button" aria-pressed={(**chosen == *value).to_string()} onclick={on_click}>{ *text }</button> }
    };
    html! { <div class="seg sm" role="group" aria-label={label}>{ for options.iter().map(button) }</div> }
}
