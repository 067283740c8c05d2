//! The results view: the finding, the key figures, and the charts that show them.

use std::collections::BTreeSet;
use std::rc::Rc;

use web_sys::Blob;
use yew::prelude::*;

pub use crate::app::comparison::{Freshness, Toggle};
use crate::scenario::Scenario;
use crate::scenario::run::RunResult;

/// The table of one run's jobs, ready to be saved: the text of `jobs-<label>-<seed>.csv`.
#[derive(Debug, Clone, PartialEq)]
pub struct JobTable {
    /// The policy's label.
    pub policy: String,
    /// The seed.
    pub seed: u64,
    /// The file.
    pub csv: Blob,
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
    /// The reader wants to set up a run (from the empty state).
    pub on_set_up: Callback<()>,
}

/// The results view.
#[component]
pub fn Results(props: &ResultsProps) -> Html {
    html! {
        <section class="view" aria-labelledby="headline">
            <h1 id="headline">{ props.trace_name.clone() }</h1>
        </section>
    }
}
