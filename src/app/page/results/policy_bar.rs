//! The policies as chips that show and hide them, and the choice of the baseline.

use std::collections::BTreeSet;
use std::rc::Rc;

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::line_sample;
use crate::app::comparison::{Comparison, Row, Toggle};

/// What the bar needs.
#[derive(Properties, Clone, PartialEq)]
pub(super) struct PolicyBarProps {
    /// The comparison.
    pub(super) comparison: Rc<Comparison>,
    /// Labels of hidden policies.
    pub(super) hidden: Rc<BTreeSet<String>>,
    /// A chip was used.
    pub(super) on_toggle: Callback<(String, Toggle)>,
    /// Another baseline was chosen.
    pub(super) on_baseline: Callback<AttrValue>,
}

/// The bar.
#[component]
pub(super) fn PolicyBar(props: &PolicyBarProps) -> Html {
    let rows = props.comparison.rows();
    let baseline = props.comparison.baseline().map(|row| row.label.clone());
    let on_change = props
        .on_baseline
        .reform(|event: Event| AttrValue::from(event.target_unchecked_into::<HtmlSelectElement>().value()));
    html! {
        <div class="series-bar">
            <div class="series" role="group" aria-label="Policies shown">
                { for rows.iter().enumerate().map(|(index, row)| chip(props, index, row)) }
            </div>
            <span class="grow"></span>
            if rows.len() > 1 {
                <label class="inline">{ "Baseline" }
                    <select onchange={on_change}>
                        if baseline.is_none() { <option value="" selected=true disabled=true>{ "not run yet" }</option> }
                        { for rows.iter().map(|row| html! {
                            <option value={row.label.clone()} selected={baseline.as_ref() == Some(&row.label)}>{ row.title.clone() }</option>
                        }) }
                    </select>
                </label>
            }
        </div>
    }
}

fn chip(props: &PolicyBarProps, index: usize, row: &Row) -> Html {
    let on_click = {
        let label = row.label.clone();
        props.on_toggle.reform(move |event: MouseEvent| {
            (label.clone(), if event.alt_key() { Toggle::Solo } else { Toggle::Flip })
        })
    };
    let shown = !props.hidden.contains(&row.label);
    html! {
        <button key={row.label.clone()} class="ser" type="button" aria-pressed={shown.to_string()} onclick={on_click}
            title={format!("Show or hide {}; with Alt, show it alone", row.title)}>
            { line_sample(&props.comparison.key(row)) }{ row.title.clone() }
            if index < 9 { <kbd aria-hidden="true">{ index + 1 }</kbd> }
        </button>
    }
}
