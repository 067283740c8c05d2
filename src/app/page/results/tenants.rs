//! What the comparison means for each tenant: its waits, and its service against its entitlement.

use yew::prelude::*;

use super::figure::Figure;
use super::plot::Drawing;
use super::{Frame, line_sample, segmented};
use crate::app::figures::{self, TenantFigure};
use crate::app::page::field::{Choice, LabelShown, select};
use crate::app::page::width::use_width;
use crate::chart::{BarChart, Chart, HeatMap, SmallMultiples};

/// Who waits longer and who does not.
#[component]
pub(super) fn ChangesFigure(frame: &Frame) -> Html {
    let (node, width) = use_width();
    let figure = use_state_eq(|| TenantFigure::Wait);
    let cursor = use_state_eq(|| None::<f64>);
    let chosen = use_state_eq(|| None::<String>);
    let data = use_memo((frame.comparison.clone(), *figure), |(comparison, figure)| {
        figures::changes(comparison, *figure)
    });
    let chart = use_memo((data.clone(), width.to_bits()), |(data, width)| {
        let width = f64::from_bits(*width);
        let data = BarChart::clone(data.as_ref().as_ref()?);
        (width > 0.0).then(|| Drawing::new(BarChart { width, ..data }))
    });
    let Some(bars) = data.as_ref() else { return html! {} };
    let controls = segmented("Figure", &[("Wait", TenantFigure::Wait), ("JCT", TenantFigure::Jct)], &figure);
    let title = format!("Tenants: change of {}", lower_first(figure.title()));
    let on_choose = {
        let (chosen, data) = (chosen.setter(), data.clone());
        Callback::from(move |row: f64| {
            let bars = data.as_ref().as_ref();
            chosen.set(bars.and_then(|bars| bars.tenant_at(row)).map(str::to_owned));
        })
    };
    let jobs_of = |tenant: &String| {
        let (tenant, on_tenant) = (AttrValue::from(tenant.clone()), frame.on_tenant.clone());
        let name = tenant.clone();
        let on_click = Callback::from(move |_: MouseEvent| on_tenant.emit(Some(tenant.clone())));
        html! { <>{ name }{ ": " }<button class="btn" type="button" data-testid="jobs-of-tenant" onclick={on_click}>{ "Jobs of this tenant" }</button></> }
    };
    html! {
        <Figure id="p-who" class="c5" testid="chart-tenants" {title} caption={html! { bars.summary() }} {controls}
            chart={(*chart).clone()} {node} label="Change for each tenant; up and down arrows move from tenant to tenant, Enter chooses one to look at its jobs"
            {on_choose} cursor={*cursor} on_cursor={let cursor = cursor.setter(); Callback::from(move |row| cursor.set(Some(row)))}
            file_name={frame.file_name("tenants")} footnote={frame.footnote.clone()}>
            <p class="drill" role="status">{ chosen.as_ref().map_or_else(|| html! { "Choose a bar to look at the jobs of its tenant." }, jobs_of) }</p>
        </Figure>
    }
}

/// The first letter small, unless it begins an abbreviation.
fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}", first.to_lowercase(), letters.as_str()))
}

/// So many tenants are drawn before the reader asks for all.
const MOST: usize = 28;

/// How service against entitlement is drawn.
#[derive(Clone, Copy, PartialEq)]
enum View {
    Lines,
    Map,
}

/// Service against entitlement of every tenant over time, by one policy.
#[component]
fn ServiceMap(props: &DrawnProps) -> Html {
    let DrawnProps { frame, controls } = props;
    let (node, width) = use_width();
    let chosen = use_state_eq(|| None::<String>);
    let cursor = use_state_eq(|| None::<f64>);
    let rows = frame.comparison.rows();
    let label = rows
        .iter()
        .find(|row| chosen.as_ref() == Some(&row.label))
        .or(frame.comparison.subject())
        .or(rows.first())
        .map(|row| row.label.clone());
    let chart =
        use_memo((frame.comparison.clone(), label.clone(), width.to_bits()), |(comparison, label, width)| {
            let row = comparison.rows().iter().find(|row| Some(&row.label) == label.as_ref())?;
            let width = f64::from_bits(*width);
            (width > 0.0).then(|| Drawing::new(HeatMap { width, ..figures::service_map(comparison, row) }))
        });
    let choices: Vec<Choice> =
        rows.iter().map(|row| Choice::new(row.label.clone(), row.title.clone())).collect();
    let on_choice = {
        let chosen = chosen.setter();
        Callback::from(move |label: String| chosen.set(Some(label)))
    };
    let controls = html! {
        <>
            { controls.clone() }
            { select("service-of", "Policy", LabelShown::Above, &choices, label.as_deref().unwrap_or_default(), &on_choice) }
        </>
    };
    let caption = html! {
        <>{ format!("The darker, the more; at most {} tenants, those with the least first. ", figures::MAP_ROWS) }{ chart.as_ref().as_ref().map(|chart| chart.summary()) }</>
    };
    html! {
        <Figure id="p-serv" class="c12" testid="chart-service-map" title="Service against entitlement, by tenant and time" {caption} {controls}
            chart={(*chart).clone()} {node} label="Service against entitlement by tenant and time; arrow keys go from cell to cell"
            cursor={*cursor} on_cursor={let cursor = cursor.setter(); Callback::from(move |at| cursor.set(Some(at)))}
            file_name={frame.file_name("service-map")} footnote={frame.footnote.clone()} />
    }
}

/// What both ways of drawing need.
#[derive(Properties, Clone, PartialEq)]
struct DrawnProps {
    frame: Frame,
    /// The choice between them.
    controls: Html,
}

/// Service against entitlement, as lines or as a map.
#[component]
pub(super) fn ServiceFigure(frame: &Frame) -> Html {
    let view = use_state_eq(|| View::Lines);
    let controls = segmented("Drawn as", &[("Lines", View::Lines), ("Map", View::Map)], &view);
    match *view {
        View::Lines => html! { <ServiceLines frame={frame.clone()} {controls} /> },
        View::Map => html! { <ServiceMap frame={frame.clone()} {controls} /> },
    }
}

/// Service against entitlement of each tenant. Its cursor is the page's cursor in time.
#[component]
fn ServiceLines(props: &DrawnProps) -> Html {
    let DrawnProps { frame, controls } = props;
    let (node, width) = use_width();
    let all = use_state_eq(|| false);
    let data = use_memo((frame.comparison.clone(), frame.hidden.clone()), |(comparison, hidden)| {
        figures::service(comparison, hidden)
    });
    let seen = frame.over_time.seen();
    let chart = use_memo((data.clone(), width.to_bits(), *all, seen), |(data, width, all, seen)| {
        let width = f64::from_bits(*width);
        let most = if *all { usize::MAX } else { MOST };
        let window_s = Some((seen.from, seen.to));
        (width > 0.0)
            .then(|| Drawing::new(SmallMultiples { width, most, window_s, ..SmallMultiples::clone(data) }))
    });
    let tenants = data.multiples.len();
    let comparison = &frame.comparison;
    let drawn = [comparison.subject(), comparison.baseline()].into_iter().flatten();
    let caption = html! {
        <>
            { "Service ÷ entitlement while the tenant had work; 1 is what it is entitled to. Hatched: below that. Lowest first. " }
            { data.summary() }
            { " Quotas are whole slots and loading takes time, so service may dip a little under 1 although every floor was kept." }
        </>
    };
    html! {
        <Figure id="p-serv" class={if drawn.clone().count() == 2 { "c7" } else { "c12" }} testid="chart-fairness" title="Service against entitlement, by tenant" {caption} controls={controls.clone()}
            chart={(*chart).clone()} {node} label="Service against entitlement of each tenant over time; arrow keys move the cursor, with Shift they select, W and S zoom, A and D pan, 0 shows everything"
            cursor={frame.time_s} on_cursor={frame.on_time.clone()} over_time={frame.over_time.clone()}
            file_name={frame.file_name("service")} footnote={frame.footnote.clone()}>
            <p class="legend">
                { for drawn.filter(|row| !frame.hidden.contains(&row.label)).map(|row| html! {
                    <span>{ line_sample(&comparison.key(row)) }{ row.title.clone() }</span>
                }) }
                if tenants > MOST {
                    <button class="link" type="button" onclick={let all = all.clone(); Callback::from(move |_: MouseEvent| all.set(!*all))}>
                        { if *all { format!("Show the {MOST} lowest") } else { format!("Show all {tenants} tenants") } }
                    </button>
                }
            </p>
        </Figure>
    }
}
