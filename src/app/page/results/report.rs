//! The comparison as a document.

use std::rc::Rc;

use yew::prelude::*;

use super::figure::save_icon;
use super::menu::Menu;
use super::{Basis, save};
use crate::app::comparison::{Comparison, Freshness};
use crate::app::export::{self, Seeds};
use crate::app::figures::Hidden;
use crate::app::headline::Headline;
use crate::app::report::{Report, Source};
use crate::app::strings;
use crate::scenario::Scenario;

/// What the document is made from.
#[derive(Properties, Clone, PartialEq)]
pub(super) struct ReportProps {
    /// The comparison.
    pub(super) comparison: Rc<Comparison>,
    /// The scenario it is of.
    pub(super) scenario: Rc<Scenario>,
    /// How the runs stand to the set-up.
    pub(super) freshness: Freshness,
    /// Provenance and assumptions.
    pub(super) basis: Rc<Basis>,
    /// The trace.
    pub(super) trace_name: AttrValue,
    /// Today.
    pub(super) today: AttrValue,
    /// Policies that charts leave out.
    pub(super) hidden: Rc<Hidden>,
}

/// What a document is written as.
#[derive(Clone, Copy)]
enum As {
    Html,
    Markdown,
}

fn document(props: &ReportProps) -> Report {
    Report::of(Source {
        comparison: &props.comparison,
        headline: &Headline::of(&props.comparison, props.freshness),
        scenario: &props.scenario,
        scenario_hash: &props.basis.scenario_hash,
        trace_hash: props.basis.trace_hash.as_deref(),
        assumptions: &props.basis.assumptions,
        trace_name: &props.trace_name,
        hidden: &props.hidden,
        date: &props.today,
    })
}

/// A menu of the forms that the document can be saved in.
#[component]
pub(super) fn SaveReport(props: &ReportProps) -> Html {
    let is_refused = use_state_eq(|| false);
    let on_save = {
        let (props, is_refused) = (props.clone(), is_refused.setter());
        Callback::from(move |form: As| {
            let report = document(&props);
            let (text, kind, extension) = match form {
                As::Html => (report.to_html(), "text/html", "html"),
                As::Markdown => (report.to_markdown(), "text/markdown", "md"),
            };
            let seeds = props.comparison.seeds();
            let name =
                export::file_name(&props.trace_name, "report", Seeds::All(&seeds), &props.today, extension);
            is_refused.set(save::save_text(&name, kind, &text).is_err());
        })
    };
    let button = |testid: &'static str, form: As, kind: &'static str, text: &'static str| {
        let onclick = on_save.reform(move |_: MouseEvent| form);
        html! { <button type="button" data-testid={testid} {onclick}><span>{ kind }</span>{ text }</button> }
    };
    html! {
        <>
            <Menu class="jobs report" title={strings::REPORT}>
                <p class="pop-h">{ save_icon() }{ strings::REPORT_ABOUT }</p>
                { button("report-html", As::Html, "HTML", strings::REPORT_HTML) }
                { button("report-markdown", As::Markdown, "Markdown", strings::REPORT_MARKDOWN) }
            </Menu>
            if *is_refused { <span class="bad" role="alert">{ strings::NO_FILE }</span> }
        </>
    }
}
