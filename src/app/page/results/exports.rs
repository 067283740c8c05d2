//! The files in which results leave.

use std::rc::Rc;

use wasm_bindgen::JsValue;
use yew::prelude::*;

use super::figure::save_icon;
use super::menu::Menu;
use super::{JobTable, save};
use crate::app::comparison::Comparison;
use crate::app::export::{self, Seeds};

/// What the exports need.
#[derive(Properties, Clone, PartialEq)]
pub(super) struct ExportsProps {
    /// The comparison.
    pub(super) comparison: Rc<Comparison>,
    /// Fingerprint of the scenario.
    pub(super) scenario_hash: AttrValue,
    /// The trace, for file names.
    pub(super) trace_name: AttrValue,
    /// Today, for file names.
    pub(super) today: AttrValue,
    /// All runs are there; if not, file names say `partial`.
    pub(super) is_whole: bool,
    /// The runs' job tables.
    pub(super) job_tables: Rc<Vec<JobTable>>,
}

/// One file.
#[derive(Clone, PartialEq)]
enum File {
    KeyFigures,
    Statistics,
    Summary,
    Jobs(JobTable),
}

impl File {
    fn save(&self, props: &ExportsProps) -> Result<(), JsValue> {
        let partial = |what: &str| if props.is_whole { what.to_owned() } else { format!("{what}-partial") };
        let seeds = props.comparison.seeds();
        let name = |what: &str, seeds: Seeds<'_>, extension: &str| {
            export::file_name(&props.trace_name, what, seeds, &props.today, extension)
        };
        match self {
            Self::KeyFigures => {
                let text = export::key_figures_csv(&props.comparison)
                    .map_err(|e| JsValue::from_str(&e.to_string()))?;
                save::save_text(&name(&partial("key-figures"), Seeds::All(&seeds), "csv"), "text/csv", &text)
            }
            Self::Statistics => {
                let text = export::statistics_csv(&props.comparison)
                    .map_err(|e| JsValue::from_str(&e.to_string()))?;
                save::save_text(&name(&partial("statistics"), Seeds::All(&seeds), "csv"), "text/csv", &text)
            }
            Self::Summary => {
                let text = export::summary_json(&props.comparison, &props.scenario_hash);
                save::save_text(
                    &name(&partial("summary"), Seeds::All(&seeds), "json"),
                    "application/json",
                    &text,
                )
            }
            Self::Jobs(table) => {
                let what = format!("jobs-{}", table.policy);
                save::save_blob(&name(&what, Seeds::One(table.seed), "csv"), &table.csv)
            }
        }
    }
}

/// The buttons.
#[component]
pub(super) fn Exports(props: &ExportsProps) -> Html {
    let failure = use_state(|| None::<String>);
    let on_save = {
        let (props, failure) = (props.clone(), failure.setter());
        Callback::from(move |file: File| {
            let refused = file.save(&props).err();
            failure.set(refused.map(|error| format!("The file could not be saved: {error:?}")));
        })
    };
    let button = |testid: &'static str, file: File, text: &'static str, title: &'static str| {
        html! {
            <button class="btn" type="button" data-testid={testid} {title} onclick={on_save.reform(move |_| file.clone())}>
                { save_icon() }{ text }
            </button>
        }
    };
    let jobs = |table: &JobTable| {
        let file = File::Jobs(table.clone());
        html! {
            <button type="button" onclick={on_save.reform(move |_| file.clone())}>
                <span>{ "CSV" }</span>{ format!("{}, seed {}", table.policy, table.seed) }
            </button>
        }
    };
    html! {
        <>
            { button("export-csv", File::KeyFigures, "CSV", "Key figures of every policy and seed") }
            { button("export-statistics", File::Statistics, "CSV, statistics", "Means, intervals and paired tests over the seeds: statistics.csv") }
            { button("export-json", File::Summary, "JSON", "All metrics and fingerprints: summary.json") }
            if !props.job_tables.is_empty() {
                <Menu class="jobs" title="Jobs">
                    <p class="pop-h">{ "Every job of a run" }</p>
                    { for props.job_tables.iter().map(jobs) }
                </Menu>
            }
            if let Some(failure) = &*failure { <span class="bad" role="alert">{ failure.clone() }</span> }
        </>
    }
}
