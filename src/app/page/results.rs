//! The results view: the finding, the key figures, and the charts that show them.

mod basis;
mod choice;
mod explain;
mod exports;
mod fairness;
pub(super) mod figure;
mod gantt;
mod groups;
mod jct;
mod job_changes;
mod key_figures;
mod load;
mod menu;
mod moment;
mod over_time;
pub(super) mod plot;
mod policy_bar;
mod readings;
mod report;
pub(super) mod save;
mod stretch;
mod tenants;
mod trade_off;

use std::collections::BTreeSet;
use std::rc::Rc;

use wasm_bindgen::JsValue;
use web_sys::Blob;
use yew::prelude::*;

use self::basis::RestsOn;
use self::explain::{Explain, Inspected};
use self::fairness::Fairness;
use self::gantt::Gantt;
use self::groups::Groups;
use self::jct::JctFigure;
use self::job_changes::{JobChanges, Wanted};
use self::key_figures::KeyFigures;
use self::load::LoadFigure;
use self::moment::Moment;
use self::over_time::{Held, OverTime};
use self::policy_bar::PolicyBar;
use self::readings::Readings;
use self::report::SaveReport;
use self::tenants::{ChangesFigure, ServiceFigure};
use self::trade_off::{SeedsFigure, TradeOffFigure};
use crate::app::comparison::Comparison;
pub use crate::app::comparison::{Freshness, Toggle};
use crate::app::export::{self, Seeds};
use crate::app::figures;
use crate::app::headline::Headline;
use crate::app::page::in_parts::InParts;
use crate::app::time_view::{self, Change};
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

/// What runs can be run again from: what was run, and on which jobs.
#[derive(Debug, Clone, PartialEq)]
pub struct Rerun {
    /// The scenario.
    pub scenario: Rc<Scenario>,
    /// The number of the workload, by which a worker knows one that it has.
    pub read: u32,
    /// The workload as a worker gets it; a generated one is generated anew.
    pub workload: JsValue,
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
    /// What those runs can be run again from; `None` where the page does not have their jobs.
    pub rerun: Option<Rerun>,
    /// Provenance and assumptions.
    pub basis: Rc<Basis>,
    /// Today's date, `2026-12-01`, for file names.
    pub today: AttrValue,
    /// Where a worker's script is.
    pub worker_url: AttrValue,
    /// The reader wants to set up a run (from the empty state).
    pub on_set_up: Callback<()>,
}

/// Equal only to itself: what runs hold is not compared at every move of the cursor.
struct Same<T>(Rc<T>);

impl<T> PartialEq for Same<T> {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
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
    /// What every chart over time shows of it.
    over_time: OverTime,
    /// The reader looks at the jobs of a tenant.
    on_tenant: Callback<Option<AttrValue>>,
    job_tables: Rc<Vec<JobTable>>,
    worker_url: AttrValue,
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
const FIGURES: usize = 9;

/// The results view.
#[component]
pub fn Results(props: &ResultsProps) -> Html {
    let time_s = use_state_eq(|| None::<f64>);
    let inspected = use_state_eq(Inspected::default);
    let readings = use_memo((), |()| Readings::default());
    let comparison = use_memo(
        (Same(props.runs.clone()), Same(props.scenario.clone()), props.baseline.clone()),
        |(runs, scenario, baseline)| Comparison::new(runs.0.clone(), &scenario.0, baseline.as_deref()),
    );
    let extent = time_view::extent(figures::longest_s(&comparison));
    let view = use_reducer_eq(Held::default);
    let on_change = use_callback((view.dispatcher(), extent), |change: Change, (view, extent)| {
        view.dispatch((change, *extent));
    });
    {
        let on_change = on_change.clone();
        // Another scenario has another time.
        use_effect_with(props.scenario.clone(), move |_| on_change.emit(Change::Forget));
    }
    let on_time = use_callback(time_s.setter(), |at, time_s| time_s.set(Some(at)));
    let on_window = use_callback(on_change.clone(), |window, on_change| on_change.emit(Change::Show(window)));
    let tenant = use_state_eq(|| None::<AttrValue>);
    let on_tenant = use_callback(tenant.setter(), |chosen, tenant| tenant.set(chosen));
    let to_jobs = use_callback(tenant.setter(), |chosen, tenant| {
        tenant.set(chosen);
        scroll_to("p-jobs");
    });
    let wanted = use_state_eq(|| None::<Wanted>);
    let on_show = {
        let wanted = wanted.clone();
        Callback::from(move |job: Wanted| {
            let times = wanted.as_ref().map_or(0, |before| before.times) + 1;
            wanted.set(Some(Wanted { times, ..job }));
            scroll_to("p-gantt");
        })
    };
    let headline = use_memo((comparison.clone(), props.freshness), |(comparison, freshness)| {
        Headline::of(comparison, *freshness)
    });
    if comparison.rows().is_empty() {
        return empty(props);
    }
    let footnote = figures::footnote(&comparison, &props.trace_name, &props.basis.scenario_hash);
    let frame = Frame {
        comparison: comparison.clone(),
        hidden: props.hidden.clone(),
        time_s: *time_s,
        on_time,
        over_time: OverTime { view: view.0, extent, on_change },
        on_tenant: to_jobs,
        job_tables: props.job_tables.clone(),
        worker_url: props.worker_url.clone(),
        trace_name: props.trace_name.clone(),
        today: props.today.clone(),
        footnote: footnote.into(),
    };
    // Charts that are not over time do not follow the cursor.
    let still = Frame { time_s: None, ..frame.clone() };
    let is_whole = !matches!(props.freshness, Freshness::Running { .. } | Freshness::Incomplete { .. });
    let on_inspect = {
        let inspected = inspected.setter();
        Callback::from(move |of: Inspected| inspected.set(of))
    };
    let on_inspect_there = {
        let on_inspect = on_inspect.clone();
        Callback::from(move |of: Inspected| {
            on_inspect.emit(of);
            scroll_to("p-why");
        })
    };
    let round_s = props.scenario.round.length_s;
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
                <JctFigure ..still.clone() />
                <LoadFigure ..frame.clone() />
                <ChangesFigure ..still.clone() />
                <ServiceFigure ..frame.clone() />
                <TradeOffFigure ..still.clone() />
                if comparison.planned_seeds() > 1 { <SeedsFigure ..still.clone() /> }
                if comparison.rows().len() > 1 {
                    <JobChanges tables={props.job_tables.clone()} comparison={comparison.clone()} tenant={(*tenant).clone()} {on_tenant} {on_show}
                        trace_name={props.trace_name.clone()} today={props.today.clone()} worker_url={&props.worker_url} />
                }
                <Gantt tables={props.job_tables.clone()} comparison={comparison.clone()} readings={(*readings).clone()} time_s={frame.time_s} on_time={frame.on_time.clone()}
                    window={frame.over_time.view.window.map(|_| frame.over_time.seen())} {on_window} wanted={(*wanted).clone()}
                    trace_name={props.trace_name.clone()} today={props.today.clone()} footnote={frame.footnote} worker_url={&props.worker_url} />
                <Moment tables={props.job_tables.clone()} comparison={comparison.clone()} readings={(*readings).clone()} {round_s}
                    time_s={frame.time_s} on_time={frame.on_time.clone()} on_inspect={on_inspect_there} />
            </InParts></div>
            <InParts after={FIGURES}>
            <Groups comparison={comparison.clone()} />
            <Fairness comparison={comparison.clone()} />
            <Explain tables={props.job_tables.clone()} comparison={comparison.clone()} readings={(*readings).clone()} inspected={(*inspected).clone()}
                {on_inspect} rerun={props.rerun.clone()} {round_s} time_s={frame.time_s} on_time={frame.on_time} worker_url={&props.worker_url} />
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

/// Brings a part of the page into sight.
fn scroll_to(id: &str) {
    if let Some(part) = gloo::utils::document().get_element_by_id(id) {
        part.scroll_into_view();
    }
}

/// Links to the parts of the page. The address holds the scenario, so these scroll by themselves.
fn jump(comparison: &Comparison) -> Html {
    let compared = comparison.subject().is_some() && comparison.baseline().is_some();
    let link = |(id, text): (&'static str, &'static str)| {
        let on_click = Callback::from(move |_: MouseEvent| scroll_to(id));
        html! { <button type="button" onclick={on_click}>{ text }</button> }
    };
    let parts = [
        ("p-kpi", "Figures"),
        ("p-jct", "JCT"),
        ("p-time", "Over time"),
        ("p-who", "Who gains"),
        ("p-serv", "Service"),
        ("p-trade", "Trade-off"),
        ("p-jobs", "Jobs"),
        ("p-gantt", "Schedule"),
        ("p-moment", "Moment"),
        ("p-groups", "Groups"),
        ("p-fair", "Fairness"),
        ("p-why", "Why"),
    ];
    html! {
        <nav class="jump" aria-label="On this page">
            { for parts.into_iter().filter(|(id, _)| compared || !["p-who", "p-jobs"].contains(id)).map(link) }
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
