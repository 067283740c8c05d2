//! What the results view puts into a page: the table and the charts that other programs read and people steer.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "results_model/fixture.rs"]
#[allow(dead_code)]
mod fixture;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

use gloo::utils::document;
use sts_sim::app::kpi::DEFAULT_COLUMNS;
use sts_sim::app::page::results::{Basis, Freshness, Results, ResultsProps, Toggle};
use sts_sim::metrics::metrics;
use wasm_bindgen::JsCast;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::{Element, EventTarget, HtmlElement, KeyboardEvent, KeyboardEventInit};
use yew::platform::time::sleep;
use yew::{AttrValue, Callback};

wasm_bindgen_test_configure!(run_in_browser);

fn props(policies: &[&str], seeds: &[u64]) -> ResultsProps {
    ResultsProps {
        rerun: None,
        runs: fixture::runs(policies, seeds),
        scenario: Rc::new(fixture::scenario(policies, seeds)),
        trace_name: AttrValue::from("week.csv"),
        freshness: Freshness::Current,
        baseline: None,
        on_baseline: Callback::noop(),
        hidden: Rc::default(),
        on_toggle: Callback::noop(),
        job_tables: Rc::default(),
        basis: Rc::new(Basis::default()),
        today: AttrValue::from("2026-12-01"),
        worker_url: AttrValue::default(),
        on_set_up: Callback::noop(),
    }
}

/// Waits for what the page does in its own time; gives up after many short waits, on whatever machine.
async fn until(is_so: impl Fn() -> bool) {
    for _ in 0..400 {
        if is_so() {
            return;
        }
        sleep(Duration::from_millis(25)).await;
    }
}

/// The view in an element of its own, drawn.
async fn shown(props: ResultsProps) -> Element {
    let root = document().create_element("div").unwrap();
    document().body().unwrap().append_child(&root).unwrap();
    yew::Renderer::<Results>::with_root_and_props(root.clone(), props).render();
    until(|| !all(&root, "h1").is_empty()).await;
    // The view comes in parts.
    let count = || all(&root, "*").len();
    let mut before = (0, 0);
    while before != (count(), count()) {
        before = (before.1, count());
        sleep(Duration::from_millis(50)).await;
    }
    root
}

fn all(root: &Element, selector: &str) -> Vec<Element> {
    let found = root.query_selector_all(selector).unwrap();
    (0..found.length()).filter_map(|i| found.item(i)).map(JsCast::unchecked_into).collect()
}

fn one(root: &Element, selector: &str) -> Element {
    root.query_selector(selector).unwrap().expect(selector)
}

fn press(target: &EventTarget, key: &str) {
    let init = KeyboardEventInit::new();
    init.set_key(key);
    init.set_bubbles(true);
    let event = KeyboardEvent::new_with_keyboard_event_init_dict("keydown", &init).unwrap();
    target.dispatch_event(&event).unwrap();
}

#[wasm_bindgen_test]
async fn every_cell_of_the_table_has_its_metric_and_number() {
    let policies = fixture::all();
    let root = shown(props(&policies, &[0])).await;
    let table = one(&root, "table[data-testid=kpi-table]");
    assert_eq!(all(&table, "tbody tr").len(), policies.len());
    let means = all(&table, "tbody [data-metric=jct_mean_s]");
    assert!(means.iter().all(|cell| cell.get_attribute("data-value").unwrap().parse::<f64>().unwrap() > 0.0));
    let gaps = all(&table, "tbody [data-metric=solver_gap_max]");
    let values: Vec<String> = gaps.iter().map(|cell| cell.get_attribute("data-value").unwrap()).collect();
    assert_eq!(values, ["0.0038", "", "", "", "", ""]);
    assert!(gaps[1].text_content().unwrap().contains("so it has no bound"));

    let everything = all(&root, "input[type=checkbox]").into_iter().find(|input| {
        input.parent_element().is_some_and(|label| label.text_content().unwrap() == "All figures")
    });
    everything.unwrap().unchecked_into::<HtmlElement>().click();
    let columns = || all(&one(&table, "tbody tr"), "[data-metric]").len();
    until(|| columns() > DEFAULT_COLUMNS.len()).await;
    assert_eq!(columns(), metrics().len());
}

#[wasm_bindgen_test]
async fn charts_are_drawn_and_read_by_keyboard() {
    let root = shown(props(&fixture::all(), &[0, 1])).await;
    for testid in ["chart-jct-cdf", "chart-utilization", "chart-fairness"] {
        let figure = one(&root, &format!("figure[data-testid={testid}]"));
        until(|| !all(&figure, ".plot > svg path").is_empty()).await;
        assert!(!all(&figure, ".plot > svg path").is_empty(), "{testid}");
        assert!(!one(&figure, "figcaption").text_content().unwrap().is_empty());
        let plot = one(&figure, ".plot");
        press(&plot, "ArrowRight");
        let says = || one(&plot, "[aria-live]").text_content().unwrap();
        until(|| !says().is_empty()).await;
        let said = says();
        assert!(said.contains("sts-fairness"), "{testid}: {said}");
        assert!(!all(&plot, "svg + svg .cur").is_empty(), "{testid}");
    }
    assert!(all(&root, "[style]").is_empty(), "the page's policy forbids style attributes");
}

#[wasm_bindgen_test]
async fn chips_say_what_they_ask_for() {
    let asked: Rc<RefCell<Vec<(String, Toggle)>>> = Rc::default();
    let heard = Rc::clone(&asked);
    let root = shown(ResultsProps {
        hidden: Rc::new(BTreeSet::from(["fifo".to_owned()])),
        on_toggle: Callback::from(move |asked| heard.borrow_mut().push(asked)),
        ..props(&["sts-fairness", "fifo"], &[0])
    })
    .await;
    let chips = all(&root, "button.ser");
    let pressed: Vec<_> = chips.iter().map(|chip| chip.get_attribute("aria-pressed").unwrap()).collect();
    assert_eq!(pressed, ["true", "false"]);
    chips[1].clone().unchecked_into::<HtmlElement>().click();
    assert_eq!(*asked.borrow(), [("fifo".to_owned(), Toggle::Flip)]);
}

#[wasm_bindgen_test]
async fn without_runs_the_view_says_what_to_do() {
    let root = shown(ResultsProps { runs: Rc::default(), ..props(&["fifo"], &[0]) }).await;
    assert_eq!(one(&root, "h1").text_content().unwrap(), "No results yet");
    assert!(all(&root, "table, figure").is_empty());
    let running = Freshness::Running { done: 0, planned: 6 };
    let root =
        shown(ResultsProps { runs: Rc::default(), freshness: running, ..props(&["fifo"], &[0]) }).await;
    assert!(root.text_content().unwrap().contains("6 runs"));
}
