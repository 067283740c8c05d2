//! The page in a browser, with workers that do only what a test lets them do.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::time::Duration;

use gloo::utils::{document, window};
use sts_sim::app::page::{Page, PageProps};
use wasm_bindgen::JsCast;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::js_sys::Array;
use web_sys::{
    Blob, BlobPropertyBag, Element, Event, EventInit, HtmlElement, HtmlInputElement, KeyboardEvent,
    KeyboardEventInit, Url,
};
use yew::AppHandle;
use yew::platform::time::sleep;

wasm_bindgen_test_configure!(run_in_browser);

/// A worker that says it is ready and then nothing more.
const SILENT: &str = r#"onmessage = ({ data }) => { if (data.module) postMessage({ text: '"ready"' }); };"#;
/// A worker that dies of every request.
const DYING: &str = r#"onmessage = ({ data }) => {
  if (data.module) postMessage({ text: '"ready"' });
  else postMessage({ text: '{"panicked":{"message":"index out of bounds"}}' });
};"#;
/// A worker that cannot even start.
const BROKEN: &str = "throw new Error('no');";

/// The page in an element of its own; both are removed at the end of a test.
struct Shown {
    root: Element,
    app: Option<AppHandle<Page>>,
}

impl Drop for Shown {
    fn drop(&mut self) {
        if let Some(app) = self.app.take() {
            app.destroy();
        }
        self.root.remove();
    }
}

impl Shown {
    /// The page, opened with `fragment` in its address.
    async fn with(worker: &str, fragment: &str) -> Self {
        set_address(fragment);
        let options = BlobPropertyBag::new();
        options.set_type("text/javascript");
        let script = Blob::new_with_str_sequence_and_options(&Array::of1(&worker.into()), &options).unwrap();
        let worker_url = Url::create_object_url_with_blob(&script).unwrap();
        let root = document().create_element("div").unwrap();
        document().body().unwrap().append_child(&root).unwrap();
        let props = PageProps { worker_url: worker_url.into() };
        let app = yew::Renderer::<Page>::with_root_and_props(root.clone(), props).render();
        let shown = Self { root, app: Some(app) };
        shown.until(|page| page.find("main").is_some()).await;
        shown.settled().await;
        shown
    }

    /// Waits until nothing is added any more: views come in parts.
    async fn settled(&self) {
        let count = || self.root.query_selector_all("*").unwrap().length();
        let mut before = (0, 0);
        while before != (count(), count()) {
            before = (before.1, count());
            sleep(Duration::from_millis(50)).await;
        }
    }

    fn find(&self, selector: &str) -> Option<Element> {
        self.root.query_selector(selector).unwrap()
    }

    fn get(&self, selector: &str) -> HtmlElement {
        self.find(selector).unwrap_or_else(|| panic!("there is no {selector}")).unchecked_into()
    }

    fn hook(&self, id: &str) -> HtmlElement {
        self.get(&format!("[data-testid='{id}']"))
    }

    fn text(&self, selector: &str) -> String {
        self.find(selector).and_then(|element| element.text_content()).unwrap_or_default()
    }

    async fn click(&self, selector: &str) {
        self.get(selector).click();
        yew::scheduler::flush().await;
        self.settled().await;
    }

    /// Types into a field and leaves it.
    async fn enter(&self, id: &str, text: &str) {
        let input: HtmlInputElement = self.get(&format!("[id='{id}']")).unchecked_into();
        let bubbling = EventInit::new();
        bubbling.set_bubbles(true);
        input.set_value(text);
        input.dispatch_event(&Event::new_with_event_init_dict("input", &bubbling).unwrap()).unwrap();
        yew::scheduler::flush().await;
        input.dispatch_event(&Event::new_with_event_init_dict("change", &bubbling).unwrap()).unwrap();
        yew::scheduler::flush().await;
    }

    /// Presses a key at an element.
    async fn press(&self, at: &Element, key: &str, is_ctrl: bool) {
        let how = KeyboardEventInit::new();
        how.set_bubbles(true);
        how.set_cancelable(true);
        how.set_key(key);
        how.set_ctrl_key(is_ctrl);
        at.dispatch_event(&KeyboardEvent::new_with_keyboard_event_init_dict("keydown", &how).unwrap())
            .unwrap();
        yew::scheduler::flush().await;
    }

    /// Waits for what the page does in its own time; gives up after many short waits.
    async fn until(&self, is_so: impl Fn(&Self) -> bool) {
        for _ in 0..400 {
            if is_so(self) {
                return;
            }
            sleep(Duration::from_millis(25)).await;
        }
        panic!("it did not come to this; the page says: {}", self.root.text_content().unwrap_or_default());
    }
}

fn set_address(fragment: &str) {
    let path = window().location().pathname().unwrap();
    let address = if fragment.is_empty() { path } else { format!("{path}#{fragment}") };
    window()
        .history()
        .unwrap()
        .replace_state_with_url(&wasm_bindgen::JsValue::NULL, "", Some(&address))
        .unwrap();
}

fn address() -> String {
    window().location().hash().unwrap()
}

fn view(word: &str) -> String {
    format!(".tabs a[href='#view={word}']")
}

fn value(page: &Shown, id: &str) -> String {
    page.get(&format!("[id='{id}']")).unchecked_into::<HtmlInputElement>().value()
}

#[wasm_bindgen_test]
async fn a_newcomer_finds_the_drop_zone_and_the_samples() {
    let page = Shown::with(SILENT, "").await;
    assert_eq!(page.root.query_selector_all("h1").unwrap().length(), 1);
    assert_eq!(page.hook("trace-file-input").get_attribute("type").as_deref(), Some("file"));
    assert_eq!(page.root.query_selector_all("[data-testid^='sample-']").unwrap().length(), 6);
    assert_eq!(
        page.root.query_selector_all("[style]").unwrap().length(),
        0,
        "the policy forbids style attributes"
    );
    page.until(|_| document().title() == "STS-Sim").await;
}

#[wasm_bindgen_test]
async fn every_view_is_a_step_in_the_browsers_history() {
    let page = Shown::with(SILENT, "").await;
    page.click(&view("setup")).await;
    assert_eq!(page.text("h1"), "Set up");
    assert_eq!(address(), "#view=setup");
    page.click(&view("results")).await;
    assert_eq!(page.get(".tabs [aria-current=page]").text_content().as_deref(), Some("Results"));
    window().history().unwrap().back().unwrap();
    page.until(|page| page.text("h1") == "Set up").await;
}

#[wasm_bindgen_test]
async fn policies_are_chosen_by_their_boxes_and_by_their_keys() {
    let page = Shown::with(SILENT, "view=setup").await;
    let is_chosen =
        |name: &str| page.hook(&format!("policy-{name}")).unchecked_into::<HtmlInputElement>().checked();
    assert!(is_chosen("fifo") && is_chosen("sts-fairness") && !is_chosen("recorded"));
    page.click("[data-testid='policy-fifo']").await;
    assert!(!is_chosen("fifo"));
    let body = document().body().unwrap();
    page.press(&body, "z", true).await;
    assert!(is_chosen("fifo"), "undone");
    page.press(&body, "y", true).await;
    assert!(!is_chosen("fifo"), "done again");
    page.press(&body, "2", false).await;
    assert!(is_chosen("fifo"), "the second policy of the list");
    let field = page.get("[id='round.length_s']");
    page.press(&field, "2", false).await;
    assert!(is_chosen("fifo"), "a digit in a field is a digit");
}

#[wasm_bindgen_test]
async fn a_wrong_value_is_explained_and_the_last_good_one_holds() {
    let page = Shown::with(SILENT, "view=setup").await;
    page.enter("round.length_s", "-4").await;
    let field = page.get("[id='round.length_s']");
    assert_eq!(field.get_attribute("aria-invalid").as_deref(), Some("true"));
    let told = field.get_attribute("aria-describedby").unwrap();
    assert!(page.text(&format!("[id='{told}']")).contains("Using 360"));
    assert!(page.text(".rail").contains("1\u{a0}value to correct"));
    assert_eq!(value(&page, "round.length_s"), "-4", "what was typed stays");
    page.enter("round.length_s", "600").await;
    assert_eq!(page.get("[id='round.length_s']").get_attribute("aria-invalid"), None);
    assert!(address().contains("s="), "the address carries the change");
}

#[wasm_bindgen_test]
async fn the_cluster_is_edited_in_gpus_and_keeps_to_the_hardware() {
    let page = Shown::with(SILENT, "view=setup").await;
    let layouts = |row: u32| {
        let options =
            page.root.query_selector_all(&format!("[id='cluster.nodes.{row}.layout'] option")).unwrap();
        (0..options.length())
            .map(|at| options.get(at).unwrap().unchecked_into::<Element>().get_attribute("value").unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(layouts(0), ["whole", "uniform-2", "uniform-4", "uniform-8", "mig"]);
    assert_eq!(layouts(1), ["whole", "uniform-2", "uniform-4", "uniform-8"]);
    page.enter("cluster.nodes.0.gpus", "20").await;
    assert!(page.text("[id='cluster.nodes.0.gpus-fault']").contains("16 or 24"));
    page.enter("cluster.nodes.0.gpus", "24").await;
    assert!(page.text("#gpu-table tfoot").contains("72"));
    let row = page.hook("gpu-row-2");
    row.query_selector("button").unwrap().unwrap().unchecked_into::<HtmlElement>().click();
    yew::scheduler::flush().await;
    assert!(page.find("[data-testid='gpu-row-2']").is_none());
    assert!(page.text("#gpu-table tfoot").contains("48"));
}

#[wasm_bindgen_test]
async fn what_is_being_typed_outlasts_a_redrawn_page() {
    let page = Shown::with(SILENT, "view=setup").await;
    let input: HtmlInputElement = page.get("[id='round.length_s']").unchecked_into();
    input.set_value("12");
    input.dispatch_event(&Event::new("input").unwrap()).unwrap();
    page.click("[data-testid='policy-fifo']").await;
    assert_eq!(value(&page, "round.length_s"), "12");
}

#[wasm_bindgen_test]
async fn a_run_can_be_cancelled_before_its_jobs_are_there() {
    let page = Shown::with(SILENT, "view=setup").await;
    page.hook("run").click();
    yew::scheduler::flush().await;
    assert!(page.find("[data-testid='run']").is_none());
    page.click("[data-testid='cancel']").await;
    assert!(page.find("[data-testid='run']").is_some());
}

#[wasm_bindgen_test]
async fn a_dead_worker_is_told_and_the_page_goes_on() {
    let page = Shown::with(DYING, "view=setup").await;
    page.until(|page| page.find("[data-testid='import-error']").is_some()).await;
    assert!(page.text("[data-testid='import-error']").contains("index out of bounds"));
    page.click(&view("start")).await;
    assert!(page.find(".gallery").is_some());
}

#[wasm_bindgen_test]
async fn workers_that_never_start_are_given_up() {
    let page = Shown::with(BROKEN, "view=setup").await;
    page.until(|page| page.text("[data-testid='import-error']").contains("no worker could be started")).await;
}

#[wasm_bindgen_test]
async fn windows_open_and_close() {
    let page = Shown::with(SILENT, "view=setup").await;
    page.enter("round.length_s", "60").await;
    page.click("[data-testid='share-link']").await;
    let link: HtmlInputElement = page.hook("share-address").unchecked_into();
    assert!(link.value().contains("#s="), "{}", link.value());
    page.click("dialog [aria-label='Close']").await;
    assert!(page.find("dialog").is_none());
    page.press(&document().body().unwrap(), "?", false).await;
    assert!(page.text("dialog").contains("Keyboard"));
    page.press(&document().body().unwrap(), "r", false).await;
    assert!(page.find("[data-testid='run']").is_some(), "keys are for the window while it is open");
}

#[wasm_bindgen_test]
async fn a_link_that_is_not_understood_says_so() {
    let page = Shown::with(SILENT, "s=bm90IGpzb24&v=1&zoom=3").await;
    let told = page.text("[data-testid='link-remarks']");
    assert!(told.contains("cannot be used") && told.contains("zoom"), "{told}");
    page.click("[data-testid='link-remarks'] button").await;
    assert!(page.find("[data-testid='link-remarks']").is_none());
}

#[wasm_bindgen_test]
async fn the_theme_goes_round() {
    let page = Shown::with(SILENT, "").await;
    let theme = || document().document_element().unwrap().get_attribute("data-theme");
    let button = "[aria-label^='Theme']";
    while theme().is_some() {
        page.click(button).await;
    }
    page.click(button).await;
    assert_eq!(theme().as_deref(), Some("light"));
    page.click(button).await;
    assert_eq!(theme().as_deref(), Some("dark"));
    page.click(button).await;
    assert_eq!(theme(), None);
}
