//! What more GPUs, or another set-up, would change.

use yew::prelude::*;

use crate::app::experiment::Course;
use crate::app::experiment::figures::{ChangeCell, changes};
use crate::app::strings::experiment as words;
use crate::metrics::statistics::Verdict;

/// A table: a row a metric, a column a policy.
pub(super) fn changes_panel(course: &Course, point: usize) -> Html {
    let table = changes(course, point);
    let heading = format!("exp-if-h{point}");
    let cell = |key: &'static str, cell: &Option<ChangeCell>| {
        let Some(ChangeCell { values, text, change, verdict }) = cell else {
            return html! { <td class="n">{ "–" }</td> };
        };
        let class = match verdict {
            Some(Verdict::Better) => Some("good"),
            Some(Verdict::Worse) => Some("bad"),
            _ => None,
        };
        let told = verdict.filter(|verdict| *verdict == Verdict::NoDifference).map(|_| " ≈");
        html! {
            <td class="n" data-metric={key} data-value={(values[1] - values[0]).to_string()}>
                <b {class}>{ change.clone() }{ told.unwrap_or_default() }</b><br /><small>{ text.clone() }</small>
            </td>
        }
    };
    html! {
        <section class="panel" aria-labelledby={heading.clone()} data-testid="what-if" key={point}>
            <div class="p-head"><div><h2 id={heading}>{ words::instead(&course.sweep, point) }</h2><p>{ words::changes(&course.sweep) }</p></div></div>
            <div class="scroll-x" tabindex="0" role="group" aria-label="Changes of key figures">
                <table class="tbl">
                    <thead><tr><th scope="col">{ "Figure" }</th>{ for table.policies.iter().map(|policy| html! { <th class="n" scope="col">{ policy }</th> }) }</tr></thead>
                    <tbody>
                        { for table.rows.iter().map(|row| html! {
                            <tr><th scope="row" title={row.spec.help}>{ row.spec.title }</th>{ for row.cells.iter().map(|of| cell(row.spec.key, of)) }</tr>
                        }) }
                    </tbody>
                </table>
            </div>
        </section>
    }
}
