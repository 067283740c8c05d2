//! What came out of an experiment: lines over one axis, a map over two, the table, and the files.

use std::rc::Rc;

use yew::prelude::*;

use crate::app::experiment::{FIRST_METRIC, figures};
use crate::app::export::{self, Seeds};
use crate::app::page::drawing::scene;
use crate::app::page::field::{Choice, LabelShown, select};
use crate::app::page::results::figure::Figure;
use crate::app::page::results::plot::Drawing;
use crate::app::page::results::save::save_text;
use crate::app::page::width::use_width;
use crate::app::strings;
use crate::app::strings::experiment as words;
use crate::chart::palette::line_sample;
use crate::chart::{Chart, HeatMap, Key, ResponseChart};
use crate::scenario::sweep::Sweep;
use crate::scenario::sweep::results::{Results, sweep_metrics, write_means_csv, write_runs_csv};

const HEIGHT_PX: f64 = 380.0;

/// What is shown. Two are equal only if they are of the very same results, which are not looked at value by value.
#[derive(Properties, Clone)]
pub(super) struct OutcomeProps {
    /// What was run.
    pub(super) sweep: Rc<Sweep>,
    /// What is there of it.
    pub(super) results: Rc<Results>,
    /// Today's date, for file names.
    pub(super) today: AttrValue,
}

impl PartialEq for OutcomeProps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.sweep, &other.sweep)
            && Rc::ptr_eq(&self.results, &other.results)
            && self.today == other.today
    }
}

/// The figure.
#[component]
pub(super) fn OutcomeFigure(props: &OutcomeProps) -> Html {
    let (node, width) = use_width();
    let metric = use_state_eq(|| FIRST_METRIC.to_owned());
    let policy = use_state_eq(|| 0_usize);
    let cursor = use_state_eq(|| None::<f64>);
    let failure = use_state_eq(|| None::<String>);
    let is_map = props.sweep.axes.len() > 1;
    let given = (props.clone(), (*metric).clone(), *policy, width.to_bits());
    let chart = use_memo(given, |(OutcomeProps { sweep, results, .. }, metric, policy, width)| {
        let width = f64::from_bits(*width);
        if width <= 0.0 {
            return None;
        }
        Some(match figures::heat(sweep, results, metric, *policy) {
            Some(map) => Shown::of(Data::Map(HeatMap { width, ..map })),
            None => {
                let lines = figures::response(sweep, results, metric);
                Shown::of(Data::Lines(ResponseChart { width, height: HEIGHT_PX, ..lines }))
            }
        })
    });
    let shown = chart.as_ref().as_ref();
    let metrics: Vec<Choice> = sweep_metrics().map(|spec| Choice::new(spec.key, spec.title)).collect();
    let on_metric = {
        let metric = metric.setter();
        Callback::from(move |key: String| metric.set(key))
    };
    let titles: Vec<String> = figures::keys(&props.sweep).into_iter().map(|key| key.label).collect();
    let policies: Vec<Choice> =
        titles.iter().enumerate().map(|(at, title)| Choice::new(at.to_string(), title.clone())).collect();
    let on_policy = {
        let policy = policy.setter();
        Callback::from(move |at: String| policy.set(at.parse().unwrap_or(0)))
    };
    let on_cursor = {
        let cursor = cursor.setter();
        Callback::from(move |at| cursor.set(Some(at)))
    };
    let file = |what: &str, extension: &str| {
        let name = strings::workload_name(&props.sweep.base);
        export::file_name(&name, what, Seeds::All(&props.sweep.base.seeds), &props.today, extension)
    };
    let save = |testid: &'static str,
                text: &'static str,
                title: &'static str,
                what: &'static str,
                write: Write| {
        let (props, failure, name) = (props.clone(), failure.setter(), file(what, "csv"));
        let onclick = Callback::from(move |_: MouseEvent| {
            let mut bytes = Vec::new();
            let written = write(&props.sweep, &props.results, &mut bytes).map_err(|error| error.to_string());
            let saved = written.and_then(|()| {
                save_text(&name, "text/csv", &String::from_utf8_lossy(&bytes))
                    .map_err(|error| format!("{error:?}"))
            });
            failure.set(saved.err());
        });
        html! { <button class="btn" type="button" data-testid={testid} {title} {onclick}>{ text }</button> }
    };
    let controls = html! {
        <>
            { select("exp-metric", "Figure", LabelShown::Hidden, &metrics, &metric, &on_metric) }
            if is_map { { select("exp-map-policy", "Policy", LabelShown::Hidden, &policies, &policy.to_string(), &on_policy) } }
            { save("experiment-means", "CSV, means", "CSV: means over the seeds, with 95 % intervals", "experiment-means", |s, r, o| write_means_csv(s, r, o)) }
            { save("experiment-runs", "CSV, runs", "CSV: every run with every metric", "experiment-runs", |s, r, o| write_runs_csv(s, r, o)) }
        </>
    };
    let spec = figures::metric(&metric);
    let title = if is_map {
        format!("{}, {}", spec.title, titles.get(*policy).cloned().unwrap_or_default())
    } else {
        spec.title.to_owned()
    };
    let summary = shown.map(|shown| shown.summary.clone()).unwrap_or_default();
    let caption = html! { <>{ words::shown(&props.sweep) }{ " " }{ summary }</> };
    html! {
        <>
            <Figure id="p-experiment" class="" testid="chart-experiment" {title} {caption} {controls} {node}
                chart={shown.map(|shown| shown.drawing.clone())}
                label="The figure over what is varied; arrow keys move the cursor" cursor={*cursor} {on_cursor}
                file_name={file("experiment", "svg")} footnote={words::footnote(&props.sweep)}>
                { readout(shown, *cursor) }
                if !is_map { { legend(&props.sweep) } }
            </Figure>
            if let Some(failure) = &*failure { <p class="bad" role="alert">{ format!("The file could not be saved: {failure}") }</p> }
        </>
    }
}

/// Writes a table.
type Write = fn(&Sweep, &Results, &mut Vec<u8>) -> std::io::Result<()>;

/// A chart, and what it says.
struct Shown {
    data: Data,
    summary: String,
    drawing: Drawing,
}

enum Data {
    Lines(ResponseChart),
    Map(HeatMap),
}

impl Shown {
    fn of(data: Data) -> Self {
        let (summary, drawing) = match &data {
            Data::Lines(chart) => (chart.summary(), Drawing::new(chart.clone())),
            Data::Map(chart) => (chart.summary(), Drawing::new(chart.clone())),
        };
        Self { data, summary, drawing }
    }
}

/// What stands at the cursor.
fn readout(shown: Option<&Shown>, cursor: Option<f64>) -> Html {
    let read = shown.zip(cursor).and_then(|(shown, cursor)| match &shown.data {
        Data::Lines(chart) => chart.readout(cursor),
        Data::Map(chart) => chart.readout(cursor),
    });
    let text = read.map_or_else(|| words::POINT.to_owned(), |read| read.sentence());
    html! { <p class="muted exp-read">{ text }</p> }
}

/// Which line is whose.
fn legend(sweep: &Sweep) -> Html {
    let entry = |key: Key| {
        html! { <span><span class="ln-s">{ scene(&line_sample(&key, 26.0)) }</span>{ key.label.clone() }</span> }
    };
    html! { <div class="legend">{ for figures::keys(sweep).into_iter().map(entry) }</div> }
}
