//! What stands around the canvas: what colours mean, the read-out, the pinned job, figures, the table of what is seen.

use yew::prelude::*;

use crate::app::gantt::Viewer;
use crate::app::page::icon::Icon;
use crate::app::page::results::figure::data_table;
use crate::app::strings::gantt::{self as words, Reading};
use crate::chart::gantt::{Category, Colouring, categories, token};
use crate::chart::palette::TenantPattern;
use crate::chart::{Scene, Table, Theme, format};

/// Labels of the legend are cut at so many letters.
const MOST_LETTERS: usize = 40;

/// What the colours mean; a press looks at one category alone.
pub(super) fn legend(viewer: &Viewer, on_focus: &Callback<u8>) -> Html {
    let Some(schedule) = viewer.first() else { return html! {} };
    let categories = categories(schedule, viewer.colouring());
    let entry = |(index, category): (usize, &Category)| {
        let index = index as u8;
        let pressed = viewer.focus() == Some(index);
        let label: String = category.label.chars().take(MOST_LETTERS).collect();
        let more = if label.len() < category.label.len() { "…" } else { "" };
        html! {
            <li key={index}>
                <button type="button" class="g-key" aria-pressed={pressed.to_string()} title={category.label.clone()}
                    onclick={on_focus.reform(move |_: MouseEvent| index)}>
                    { swatch(index, category) }<span>{ label }{ more }</span>
                </button>
            </li>
        }
    };
    html! { <ul class="g-legend" aria-label="What the colours mean; press one to see it alone">{ for categories.iter().enumerate().map(entry) }</ul> }
}

/// A sample of a category's fill.
fn swatch(index: u8, category: &Category) -> Html {
    use crate::chart::scene::{Area, Pattern, Rect};
    let fill = category.fill;
    let area = Area::new(0.0, 0.0, 12.0, 12.0);
    if fill.percent < 100 || !fill.token.starts_with('t') || fill.token.len() != 2 {
        return mixed_swatch(index, category);
    }
    let mut scene = Scene { id: format!("g-k{index}"), width: 12.0, height: 12.0, ..Scene::default() };
    scene.add(Rect::new(format!("blk {}", fill.token), area).radius(2.0));
    if fill.pattern == TenantPattern::Hatched {
        scene.add(Rect::new("", area).radius(2.0).fill(Pattern::Hatch));
    }
    Html::from_html_unchecked(scene.to_svg().into())
}

/// A sample of a mixed colour: opaque ground with the colour at its share, so that it follows the theme.
fn mixed_swatch(index: u8, category: &Category) -> Html {
    let fill = category.fill;
    let opacity = format!("{:.2}", f64::from(fill.percent) / 100.0);
    let pattern = format!("g-m{index}");
    html! {
        <svg class={classes!("chart", "g-sw", format!("g-{}", fill.token))} viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
            <rect class="blk" width="12" height="12" rx="2" fill-opacity={opacity} />
            if fill.pattern == TenantPattern::Hatched {
                <defs><pattern id={pattern.clone()} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="stripe" width="2" height="5" /></pattern></defs>
                <rect fill={format!("url(#{pattern})")} width="12" height="12" rx="2" />
            }
        </svg>
    }
}

/// Pairs of a name and a text.
pub(super) fn reading(of: &Reading) -> Html {
    let line =
        |(what, text): &(&'static str, String)| html! { <><dt>{ *what }</dt><dd>{ text.clone() }</dd></> };
    html! { <><b>{ of.title.clone() }</b><dl>{ for of.lines.iter().map(line) }</dl></> }
}

/// The history of the pinned job, under every run.
pub(super) fn pinned(viewer: &Viewer, on_close: Callback<MouseEvent>, on_fit: Callback<MouseEvent>) -> Html {
    let Some(job) = viewer.pinned else { return html! {} };
    let name = viewer.first().map(|schedule| schedule.name(job).to_owned()).unwrap_or_default();
    let of_run = |pane: &crate::app::gantt::Pane| {
        html! {
            <div>
                if viewer.panes().len() > 1 { <h4>{ pane.title.clone() }</h4> }
                <p class="g-note">{ words::pinned(&pane.schedule, job) }</p>
                <div class="scroll-x twin-box" tabindex="0" role="group" aria-label={format!("History of {name}, {}", pane.title)}>
                    { events(&words::events(&pane.schedule, job)) }
                </div>
            </div>
        }
    };
    html! {
        <section class="g-side" data-testid="gantt-pinned" aria-label="Pinned job">
            <div class="p-head">
                <h3>{ format!("History of {name}") }</h3>
                <div class="p-act">
                    <button class="btn" type="button" onclick={on_fit}>{ "Show all of it" }</button>
                    <button class="btn ghost icon" type="button" aria-label="Let go of the job" onclick={on_close}>{ Icon::Cross.html() }</button>
                </div>
            </div>
            <div class="g-runs">{ for viewer.panes().iter().map(of_run) }</div>
        </section>
    }
}

/// A history, its words from the left.
fn events(table: &Table) -> Html {
    let class = |column: usize| if column < 2 { "n" } else { "g-words" };
    let head = |(column, text): (usize, &String)| html! { <th scope="col" class={class(column)}>{ text.clone() }</th> };
    let cell = |(column, text): (usize, &String)| html! { <td class={class(column)}>{ text.clone() }</td> };
    html! {
        <table class="tbl slim">
            <thead><tr>{ for table.header.iter().enumerate().map(head) }</tr></thead>
            <tbody>{ for table.rows.iter().map(|row| html! { <tr>{ for row.iter().enumerate().map(cell) }</tr> }) }</tbody>
        </table>
    }
}

/// Figures of the selection.
pub(super) fn figures(of: &Reading, on_close: Callback<MouseEvent>) -> Html {
    let line = |(what, text): &(&'static str, String)| html! { <div><dt>{ *what }</dt><dd>{ text.clone() }</dd></div> };
    html! {
        <section class="g-side" data-testid="gantt-figures" aria-label="Figures of the selection">
            <div class="p-head">
                <h3>{ of.title.clone() }</h3>
                <div class="p-act">
                    <button class="btn ghost icon" type="button" aria-label="Let go of the selection" onclick={on_close}>{ Icon::Cross.html() }</button>
                </div>
            </div>
            <dl class="g-figures">{ for of.lines.iter().map(line) }</dl>
        </section>
    }
}

/// The bars that are seen as tables, one a run.
pub(super) fn tables(viewer: &Viewer) -> Html {
    let table = |pane: usize| {
        let (table, note) = words::listed(viewer, pane);
        html! {
            <>
                <p class="g-note">{ note.clone() }</p>
                <div class="scroll-x twin-box" tabindex="0" role="group" aria-label={note}>{ data_table(&table) }</div>
            </>
        }
    };
    html! { <>{ for (0..viewer.panes().len()).map(table) }{ rows_table(viewer) }</> }
}

/// How much of each row that is seen is used in the window.
fn rows_table(viewer: &Viewer) -> Html {
    use crate::chart::gantt::used;
    /// More rows are not summed up: it would take longer than a reader waits.
    const MOST: usize = 100;
    let Some(schedule) = viewer.first() else { return html! {} };
    let mut header = vec!["Row".to_owned()];
    header.extend(viewer.panes().iter().map(|pane| format!("In use, {}", pane.title)));
    let row = |row: &crate::chart::gantt::Row| {
        let mut cells = vec![words::place(schedule, row)];
        cells.extend((0..viewer.panes().len()).map(|pane| {
            let window = viewer.window_of(pane);
            let share = viewer.schedule(pane).and_then(|of| used(of, row.place, window.from, window.to));
            format::or_undefined(share, |share| format::percent(share, 1))
        }));
        cells
    };
    let rows = viewer.seen_rows().iter().take(MOST).map(row).collect();
    html! {
        <>
            <p class="g-note">{ "Use of the rows in view, over the time in view." }</p>
            <div class="scroll-x twin-box" tabindex="0" role="group" aria-label="Use of the rows in view">{ data_table(&Table { header, rows }) }</div>
        </>
    }
}

/// The colours of a file: those of the light theme.
pub(super) fn of_file(name: &str) -> crate::chart::gantt::Rgb {
    token(Theme::Light, name)
}

/// The choices of what bars are coloured by.
pub(super) fn colourings(viewer: &Viewer, on_choose: &Callback<Colouring>) -> Html {
    let all = [Colouring::Tenant, Colouring::Class, Colouring::Wait, Colouring::Change];
    let button = |colouring: Colouring| {
        let pressed = viewer.colouring() == colouring;
        html! {
            <button type="button" aria-pressed={pressed.to_string()} data-testid={format!("gantt-by-{}", words::colouring(colouring).to_lowercase())}
                onclick={on_choose.reform(move |_: MouseEvent| colouring)}>{ words::colouring(colouring) }</button>
        }
    };
    let offered =
        all.into_iter().filter(|colouring| *colouring != Colouring::Change || viewer.panes().len() > 1);
    html! { <div class="seg sm" role="group" aria-label="Colour by">{ for offered.map(button) }</div> }
}

/// What the colours of the first run mean.
pub(super) fn meanings(viewer: &Viewer) -> Vec<Category> {
    viewer.first().map(|schedule| categories(schedule, viewer.colouring())).unwrap_or_default()
}
