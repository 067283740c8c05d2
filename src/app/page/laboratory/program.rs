//! The dynamic program at work: its tables, the path of the optimum, and where each cell comes from.

use gloo::utils::document;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::prelude::*;

use super::AnsweredProps;
use crate::app::laboratory::answers::program_of;
use crate::app::laboratory::number::shown;
use crate::app::laboratory::program::{Move, Part, Place, Reader};
use crate::app::page::field::{Choice, segments};
use crate::app::page::icon::Icon;
use crate::app::strings::laboratory as words;
use crate::solve::integer::tables::Tables;

/// The panel.
#[component]
pub(super) fn ProgramPanel(props: &AnsweredProps) -> Html {
    let AnsweredProps { answered, policy } = props;
    let program = program_of(policy);
    let title = format!("The dynamic program at work: {}", words::policy(program));
    html! {
        <section class="panel" aria-labelledby="lab-dp-h" data-testid="lab-program">
            { match &answered.answers.tables {
                Ok(tables) => html! { <TablesView tables={tables.clone()} {title} is_other={program != policy.as_str()} /> },
                Err(why) => html! {
                    <>
                        <div class="p-head"><div><h2 id="lab-dp-h">{ "The dynamic program at work" }</h2></div></div>
                        <p class="lab-why" data-testid="lab-no-tables">{ why.clone() }</p>
                    </>
                },
            } }
        </section>
    }
}

#[derive(Properties, Clone, PartialEq)]
struct TablesProps {
    tables: Tables,
    title: String,
    /// Whether the policy that is looked at is another one.
    is_other: bool,
}

/// The tables.
#[component]
fn TablesView(props: &TablesProps) -> Html {
    let TablesProps { tables, title, is_other } = props;
    let part = use_state_eq(Part::default);
    let place = use_state_eq(|| None::<Place>);
    // Other tables begin at their optimum again.
    {
        let place = place.setter();
        use_effect_with((tables.clone(), *part), move |_| place.set(None));
    }
    let reader = Reader::new(tables, *part);
    let at = place
        .filter(|place| reader.stages().get(place.stage).is_some_and(|stage| place.cell < stage.cells.len()));
    let at = at.unwrap_or_else(|| reader.start());
    let origin = reader.origin(at);

    let mut parts = vec![Choice::new("tenants", "All tenants")];
    for (tenant, own) in tables.jobs.iter().enumerate().filter(|(_, own)| !own.stages.is_empty()) {
        parts.push(Choice::new(tenant.to_string(), format!("Jobs of {}", own.tenant)));
    }
    let chosen = match reader.part() {
        Part::Tenants => "tenants".to_owned(),
        Part::Jobs(tenant) => tenant.to_string(),
    };
    let on_part = {
        let part = part.setter();
        Callback::from(move |word: String| part.set(word.parse().map_or(Part::Tenants, Part::Jobs)))
    };
    let on_key = {
        let (tables, part, place) = (tables.clone(), *part, place.setter());
        Callback::from(move |event: KeyboardEvent| {
            let Some(step) = step_of(&event) else { return };
            event.prevent_default();
            let to = Reader::new(&tables, part).after(at, step);
            place.set(Some(to));
            focus(to);
        })
    };
    let about = if reader.part() == Part::Tenants { words::ABOUT_TABLES } else { words::ABOUT_JOB_TABLES };
    html! {
        <>
            <div class="p-head">
                <div><h2 id="lab-dp-h">{ title.clone() }</h2><p>{ about }if *is_other { { " " }{ words::OTHER_PROGRAM } }</p></div>
                if let Some(objective) = tables.objective {
                    <span class="proof" data-testid="lab-dp-optimum">{ Icon::Check.html() }{ format!("last cell = optimum = {}", shown(objective)) }</span>
                } else {
                    <span class="proof no">{ Icon::Cross.html() }{ "infeasible" }</span>
                }
            </div>
            if parts.len() > 1 { { segments("lab-dp-part", "Tables of", &parts, &chosen, &on_part) } }
            <p class="vh" id="lab-dp-keys">{ words::TABLE_KEYS }</p>
            <div class="lab-dp" onkeydown={on_key}>
                { for (0..reader.stages().len()).map(|stage| table(&reader, tables, stage, at, origin, &place.setter())) }
            </div>
            <p class="lab-cell" aria-live="polite" data-testid="lab-cell">{ reader.explanation(at) }</p>
        </>
    }
}

fn step_of(event: &KeyboardEvent) -> Option<Move> {
    if event.ctrl_key() || event.alt_key() || event.meta_key() {
        return None;
    }
    Some(match event.key().as_str() {
        "ArrowRight" => Move::Right,
        "ArrowLeft" => Move::Left,
        "ArrowDown" => Move::Down,
        "ArrowUp" => Move::Up,
        "Home" => Move::First,
        "End" => Move::Last,
        "Enter" => Move::Origin,
        _ => return None,
    })
}

fn cell_id(place: Place) -> String {
    format!("lab-cell-{}-{}", place.stage, place.cell)
}

/// The keyboard goes along.
fn focus(place: Place) {
    let cell =
        document().get_element_by_id(&cell_id(place)).and_then(|cell| cell.dyn_into::<HtmlElement>().ok());
    if let Some(cell) = cell {
        let _ = cell.focus();
    }
}

/// One table.
fn table(
    reader: &Reader<'_>,
    tables: &Tables,
    stage: usize,
    at: Place,
    origin: Option<Place>,
    set_place: &UseStateSetter<Option<Place>>,
) -> Html {
    let (rows, columns) = reader.shape();
    let Some(own) = reader.stages().get(stage) else { return html! {} };
    let (row_axis, column_axis) = match tables.axes.as_slice() {
        [rows, columns] => (Some(rows.gpu.as_str()), columns.gpu.as_str()),
        [columns] => (None, columns.gpu.as_str()),
        _ => (None, ""),
    };
    let cell = |row: usize, column: usize| {
        let place = Place { stage, cell: row * columns + column };
        let value = own.cells.get(place.cell).and_then(|cell| cell.value);
        let on_path = reader.is_on_path(place);
        let class = classes!(
            reader.heat(value).map(|heat| format!("h{heat}")),
            on_path.then_some("path"),
            (at == place).then_some("at"),
            (origin == Some(place)).then_some("from")
        );
        let go = {
            let set_place = set_place.clone();
            move || set_place.set(Some(place))
        };
        let on_focus = {
            let go = go.clone();
            Callback::from(move |_: FocusEvent| go())
        };
        let on_enter = Callback::from(move |_: PointerEvent| go());
        html! {
            <td key={column} id={cell_id(place)} {class} tabindex={if at == place { "0" } else { "-1" }} onfocus={on_focus} onpointerenter={on_enter}
                data-value={value.map(|value| value.to_string())}>
                { value.map_or_else(|| "·".to_owned(), shown) }
                if value.is_none() { <span class="vh">{ "no way" }</span> }
                if on_path { <span class="vh">{ ", on the path" }</span> }
            </td>
        }
    };
    html! {
        <div class="lab-stage" key={stage}>
            <p class="lab-stage-h"><b>{ reader.heading(stage) }</b>if let Some(taken) = reader.taken_text(stage) { <span>{ "takes " }{ taken }</span> }</p>
            <div class="scroll-x">
                <table role="grid" aria-label={format!("Table {}: {}", stage + 1, reader.heading(stage))} aria-describedby="lab-dp-keys">
                    <thead><tr>
                        <th scope="col">
                            if let Some(axis) = row_axis { <span>{ axis.to_owned() }{ " ↓" }</span> }
                            <span class="lab-ax">{ column_axis.to_owned() }{ " →" }</span>
                        </th>
                        { for (0..columns).map(|column| html! { <th scope="col" key={column}>{ column }</th> }) }
                    </tr></thead>
                    <tbody>
                        { for (0..rows).map(|row| html! {
                            <tr key={row}><th scope="row">{ if row_axis.is_some() { row.to_string() } else { "slots".to_owned() } }</th>{ for (0..columns).map(|column| cell(row, column)) }</tr>
                        }) }
                    </tbody>
                </table>
            </div>
        </div>
    }
}
