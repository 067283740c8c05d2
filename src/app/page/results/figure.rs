//! The frame that all charts of the results share: title, finding, controls, plot, the data as a table, and its file.

use wasm_bindgen::JsValue;
use web_sys::Element;
use yew::prelude::*;

use super::over_time::{self, OverTime};
use super::plot::{Drawing, Plot};
use super::save;
use crate::chart::{Table, Theme};

/// What a figure needs beside its own controls and read-outs.
#[derive(Properties, Clone, PartialEq)]
pub(in crate::app::page) struct FigureProps {
    /// Unique in the page.
    pub(in crate::app::page) id: &'static str,
    /// Columns of the grid.
    pub(in crate::app::page) class: &'static str,
    /// The hook for tests.
    pub(in crate::app::page) testid: &'static str,
    /// The quantity.
    pub(in crate::app::page) title: AttrValue,
    /// The finding, a sentence or two.
    pub(in crate::app::page) caption: Html,
    /// Controls at the top right.
    #[prop_or_default]
    pub(in crate::app::page) controls: Html,
    /// What is drawn; `None` before the width is known.
    pub(in crate::app::page) chart: Option<Drawing>,
    /// The node whose width the chart is drawn to, from [`use_width`](crate::app::page::width::use_width).
    pub(in crate::app::page) node: NodeRef,
    /// How the plot is read.
    pub(in crate::app::page) label: AttrValue,
    /// The cursor.
    #[prop_or_default]
    pub(in crate::app::page) cursor: Option<f64>,
    /// The reader moved the cursor.
    #[prop_or_default]
    pub(in crate::app::page) on_cursor: Callback<f64>,
    /// The reader chose what is at the cursor.
    #[prop_or_default]
    pub(in crate::app::page) on_choose: Option<Callback<f64>>,
    /// The window and the selection, where the axis is that of time.
    #[prop_or_default]
    pub(in crate::app::page) over_time: Option<OverTime>,
    /// The data as a table, where it is not the chart's own.
    #[prop_or_default]
    pub(in crate::app::page) table: Option<Table>,
    /// The name of the exported file.
    pub(in crate::app::page) file_name: AttrValue,
    /// Where the data come from.
    pub(in crate::app::page) footnote: AttrValue,
    /// Read-outs below the plot.
    #[prop_or_default]
    pub(in crate::app::page) children: Html,
}

/// What a chart is saved as.
#[derive(Clone, Copy)]
enum Image {
    Svg,
    Png,
}

fn unsaved(error: &JsValue) -> String {
    format!("The file could not be saved: {error:?}")
}

/// A chart with its frame.
#[component]
pub(in crate::app::page) fn Figure(props: &FigureProps) -> Html {
    let heading = format!("{}-h", props.id);
    let failure = use_state(|| None::<String>);
    let on_save = {
        let (chart, failure) = (props.chart.clone(), failure.setter());
        let (name, footnote) = (props.file_name.clone(), props.footnote.clone());
        let selected = props.over_time.as_ref().and_then(OverTime::selected);
        Callback::from(move |kind: Image| {
            let Some(chart) = &chart else { return };
            let failure = failure.clone();
            let on_failure = Callback::from(move |error: JsValue| failure.set(Some(unsaved(&error))));
            let mut scene = chart.scene(None).with_footnote(footnote.to_string());
            if let Some(selected) = selected {
                scene.nodes.splice(..0, chart.selection(selected).nodes);
            }
            let file = scene.to_standalone_svg(Theme::Light);
            let saved = match kind {
                Image::Svg => save::save_text(&name, "image/svg+xml", &file),
                Image::Png => save::save_png(name.replace(".svg", ".png"), &file, on_failure.clone()),
            };
            if let Err(error) = saved {
                on_failure.emit(error);
            }
        })
    };
    html! {
        <figure id={props.id} class={classes!("panel", props.class)} data-testid={props.testid} aria-labelledby={heading.clone()}>
            <div class="p-head">
                <figcaption><h2 id={heading}>{ props.title.clone() }</h2><p>{ props.caption.clone() }</p></figcaption>
                <div class="p-act">
                    { props.controls.clone() }
                    if let Some(over_time) = &props.over_time { { over_time::buttons(&props.title, over_time) } }
                    <button class="btn ghost" type="button" data-testid="export-svg" onclick={on_save.reform(|_: MouseEvent| Image::Svg)}
                        title="Save as SVG" aria-label={format!("Save {} as SVG", props.title)}>{ save_icon() }{ "SVG" }</button>
                    <button class="btn ghost" type="button" data-testid="export-png" onclick={on_save.reform(|_: MouseEvent| Image::Png)}
                        title="Save as PNG" aria-label={format!("Save {} as PNG", props.title)}>{ "PNG" }</button>
                </div>
            </div>
            if let Some(failure) = &*failure { <p class="bad" role="alert">{ failure.clone() }</p> }
            <div ref={props.node.clone()}>
                if let Some(chart) = &props.chart {
                    <Plot chart={chart.clone()} label={props.label.clone()} cursor={props.cursor}
                        on_cursor={props.on_cursor.clone()} on_choose={props.on_choose.clone()} over_time={props.over_time.clone()} />
                }
            </div>
            { props.children.clone() }
            if let Some(chart) = &props.chart {
                <Twin chart={chart.clone()} table={props.table.clone()} />
            }
        </figure>
    }
}

#[derive(Properties, Clone, PartialEq)]
struct TwinProps {
    chart: Drawing,
    table: Option<Table>,
}

/// The data of a chart as a table, made when it is opened.
#[component]
fn Twin(props: &TwinProps) -> Html {
    let open = use_state_eq(|| false);
    let on_toggle = {
        let open = open.setter();
        Callback::from(move |event: Event| {
            open.set(event.target_unchecked_into::<Element>().has_attribute("open"));
        })
    };
    let table = use_memo((props.clone(), *open), |(props, open)| {
        open.then(|| props.table.clone().unwrap_or_else(|| props.chart.table()))
    });
    html! {
        <details class="twin" ontoggle={on_toggle}>
            <summary>{ "Data as a table" }</summary>
            if let Some(table) = &*table { <div class="scroll-x twin-box" tabindex="0" role="group" aria-label="Data as a table">{ data_table(table) }</div> }
        </details>
    }
}

/// A table as it stands in a page.
pub(in crate::app::page) fn data_table(table: &Table) -> Html {
    let cell = |(column, text): (usize, &String)| match column {
        0 => html! { <th scope="row">{ text.clone() }</th> },
        _ => html! { <td class="n">{ text.clone() }</td> },
    };
    let head = |(column, text): (usize, &String)| {
        html! { <th scope="col" class={(column > 0).then_some("n")}>{ text.clone() }</th> }
    };
    html! {
        <table class="tbl slim">
            <thead><tr>{ for table.header.iter().enumerate().map(head) }</tr></thead>
            <tbody>{ for table.rows.iter().map(|row| html! { <tr>{ for row.iter().enumerate().map(cell) }</tr> }) }</tbody>
        </table>
    }
}

/// An arrow into a tray.
pub(in crate::app::page) fn save_icon() -> Html {
    html! {
        <svg class="ic" viewBox="0 0 16 16" aria-hidden="true"><path d="M8 2v8m0 0 3-3m-3 3-3-3M2.5 11v2.5h11V11" /></svg>
    }
}
