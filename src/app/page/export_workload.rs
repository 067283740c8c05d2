//! The jobs of a workload as a file.

use yew::prelude::*;

use super::icon::Icon;
use crate::app::message::WorkloadFile;
use crate::app::state::{Action, Faults, ReadId};
use crate::app::strings;

/// The name under which a failed export stands among the faults.
pub const FAULT: &str = "workload-export";

/// Buttons that save all jobs.
pub fn buttons(read: ReadId, faults: &Faults, dispatch: &Callback<Action>) -> Html {
    let button = |format: WorkloadFile, text: &'static str| {
        let onclick = dispatch.reform(move |_: MouseEvent| Action::ExportWorkload(read, format));
        let testid = format!("workload-{}", format.extension());
        html! { <button class="btn" type="button" data-testid={testid} {onclick}>{ Icon::Down.html() }{ text }</button> }
    };
    html! {
        <>
            { button(WorkloadFile::Csv, strings::SAVE_CSV) }
            { button(WorkloadFile::Json, strings::SAVE_JSON) }
            if let Some(fault) = faults.get(FAULT) { <span class="bad" role="alert">{ fault.message.clone() }</span> }
        </>
    }
}
