//! Fairness properties of the policies' decisions.

use yew::prelude::*;

use super::figure::data_table;
use super::groups::GroupsProps;
use crate::app::{fairness, strings};

/// The panel; nothing where no policy was simulated.
#[component]
pub(super) fn Fairness(props: &GroupsProps) -> Html {
    let Some(table) = fairness::table(&props.comparison) else { return html! {} };
    html! {
        <section class="panel" id="p-fair" data-testid="fairness-panel" aria-labelledby="fair-h">
            <div class="p-head"><div><h2 id="fair-h">{ strings::FAIRNESS_TITLE }</h2><p>{ strings::FAIRNESS }</p></div></div>
            <div class="scroll-x twin-box" tabindex="0" role="group" aria-labelledby="fair-h">{ data_table(&table) }</div>
        </section>
    }
}
