//! What a result rests on: what the model leaves out, what was assumed, and where it comes from.

use std::rc::Rc;

use yew::prelude::*;

use super::Basis;
use crate::app::basis::{assumed, left_out};
use crate::app::comparison::Comparison;
use crate::app::export::ENGINE_VERSION;
use crate::scenario::Scenario;

/// What the panel needs.
#[derive(Properties, Clone, PartialEq)]
pub(super) struct RestsOnProps {
    /// The comparison.
    pub(super) comparison: Rc<Comparison>,
    /// The scenario it is of.
    pub(super) scenario: Rc<Scenario>,
    /// Provenance and assumptions about jobs.
    pub(super) basis: Rc<Basis>,
}

/// The panel.
#[component]
pub(super) fn RestsOn(props: &RestsOnProps) -> Html {
    let item = |text: String| html! { <li>{ text }</li> };
    let code = |what: String, hash: &str| html! { <li>{ what }{ " " }<code>{ hash.to_owned() }</code></li> };
    let assumed = props.basis.assumptions.iter().cloned().chain(assumed(&props.scenario));
    html! {
        <section class="panel limits" aria-labelledby="lim-h">
            <h2 id="lim-h">{ "What this result rests on" }</h2>
            <div class="grid-3">
                <div><h3>{ "Left out of the model" }</h3><ul>{ for left_out(&props.scenario).into_iter().map(item) }</ul></div>
                <div><h3>{ "Assumed" }</h3><ul>{ for assumed.map(item) }</ul></div>
                <div><h3>{ "Provenance" }</h3><ul>
                    { code("scenario".to_owned(), &props.basis.scenario_hash) }
                    if let Some(hash) = &props.basis.trace_hash { { code("trace".to_owned(), hash) } }
                    { code("engine".to_owned(), ENGINE_VERSION) }
                </ul>
                <details class="twin"><summary>{ "Result fingerprints" }</summary><ul>
                    { for props.comparison.all_runs().map(|(row, run)| code(format!("{}, seed {}", row.title, run.seed), &run.result_hash)) }
                </ul></details></div>
            </div>
        </section>
    }
}
