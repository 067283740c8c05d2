//! What stands above a view: remarks on the link, what became of an interrupted run, files being read while other things are shown.

use std::rc::Rc;

use web_sys::File;
use yew::prelude::*;

use super::icon::Icon;
use super::trace::{ReadingPanel, RefusedPanel};
use crate::app::link::Remark;
use crate::app::state::inputs::{Reading, Refused, Source};
use crate::app::state::runs::{Interrupted, Interruption};
use crate::app::state::{Action, View};
use crate::app::strings::{self, Below};

/// What may stand above a view.
#[derive(Properties, Clone, PartialEq)]
pub struct BannerProps {
    /// The view.
    pub view: View,
    /// Remarks on the link.
    pub remarks: Vec<Remark>,
    /// The interrupted comparison.
    pub interrupted: Option<Rc<Interrupted>>,
    /// What is shown below the remark on it.
    pub below: Below,
    /// What is being read.
    pub reading: Option<Reading>,
    /// What was refused.
    pub refused: Option<Rc<Refused>>,
    /// The page.
    pub dispatch: Callback<Action>,
    /// Files were given.
    pub on_files: Callback<Vec<File>>,
}

/// Everything that stands above a view.
#[component]
pub fn Banners(props: &BannerProps) -> Html {
    let BannerProps { view, remarks, interrupted, reading, refused, dispatch, on_files, .. } = props;
    // The set-up shows what is read at its own place.
    let is_elsewhere = *view != View::SetUp;
    let reading =
        reading.as_ref().filter(|reading| is_elsewhere && matches!(reading.source, Source::Files { .. }));
    let refused = refused.as_ref().filter(|_| is_elsewhere);
    let interrupted = interrupted.as_ref().filter(|_| *view == View::Results);
    if remarks.is_empty() && reading.is_none() && refused.is_none() && interrupted.is_none() {
        return html! {};
    }
    html! {
        <div class="banners">
            if !remarks.is_empty() { { link_remarks(remarks, dispatch) } }
            if let Some(reading) = reading { <ReadingPanel reading={reading.clone()} {dispatch} /> }
            if let Some(refused) = refused { <RefusedPanel refused={refused} kept={true} {dispatch} {on_files} /> }
            if let Some(interrupted) = interrupted { { interruption(props, interrupted) } }
        </div>
    }
}

fn link_remarks(remarks: &[Remark], dispatch: &Callback<Action>) -> Html {
    html! {
        <div class="banner" role="status" data-testid="link-remarks">
            { Icon::Info.html() }
            <div>{ for remarks.iter().map(|remark| html! { <p>{ strings::remark(remark) }</p> }) }</div>
            <span class="grow"></span>
            <button class="btn" type="button" onclick={dispatch.reform(|_: MouseEvent| Action::DismissRemarks)}>{ "Close" }</button>
        </div>
    }
}

fn interruption(props: &BannerProps, interrupted: &Interrupted) -> Html {
    let BannerProps { below, dispatch, .. } = props;
    let finished = interrupted.comparison.finished_policies();
    let can_show = *below == Below::RunBefore && !finished.is_empty();
    html! {
        <div class="banner warn" role="status" data-testid="run-banner">
            { if matches!(interrupted.how, Interruption::Cancelled(_)) { Icon::Stop.html() } else { Icon::Warn.html() } }
            <div>{ for strings::interruption(interrupted, *below).into_iter().map(|sentence| html! { <p>{ sentence }</p> }) }</div>
            <span class="grow"></span>
            if can_show {
                <button class="btn" type="button" onclick={dispatch.reform(|_: MouseEvent| Action::ShowFinished)}>
                    { format!("Show the {}", strings::counted(finished.len() as u64, "finished policy", "finished policies")) }
                </button>
            }
            <button class="btn primary" type="button" onclick={dispatch.reform(|_: MouseEvent| Action::Run)}>{ "Run again" }</button>
        </div>
    }
}
