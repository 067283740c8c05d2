//! What the page asks of the browser: clocks, the address, the store, scrolling.

use std::cell::Cell;
use std::rc::Rc;

use gloo::events::{EventListener, EventListenerOptions};
use gloo::utils::{document, window};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, Element, File, HtmlElement, KeyboardEvent, Response, Url};
use yew::{Callback, MouseEvent};

use crate::app::keys::Key;
use crate::app::state::{LetterKeys, Now, Theme};
use crate::app::strings;

const THEME_KEY: &str = "sts-sim:theme";
const LETTER_KEYS_KEY: &str = "sts-sim:letter-keys";

/// This moment.
#[must_use]
pub fn now() -> Now {
    let date = js_sys::Date::new_0();
    Now {
        s: now_s(),
        clock: format!("{:02}:{:02}:{:02}", date.get_hours(), date.get_minutes(), date.get_seconds()),
    }
}

/// Seconds on a clock that only runs forward.
#[must_use]
pub fn now_s() -> f64 {
    window().performance().map_or(0.0, |clock| clock.now() / 1_000.0)
}

/// Today's date where the reader is, `2026-12-01`.
#[must_use]
pub fn today() -> String {
    let date = js_sys::Date::new_0();
    format!("{:04}-{:02}-{:02}", date.get_full_year(), date.get_month() + 1, date.get_date())
}

/// How many workers simulate: all cores but one, at least 2, at most 8.
#[must_use]
pub fn spare_cores() -> usize {
    let cores = window().navigator().hardware_concurrency();
    (cores as usize).saturating_sub(1).clamp(2, 8)
}

/// What stands after `#` in the address.
#[must_use]
pub fn fragment() -> String {
    window().location().hash().unwrap_or_default()
}

/// Calls back with the fragment when the reader goes back or forth, or changes it by hand.
pub fn on_address(callback: Callback<String>) -> EventListener {
    EventListener::new(&window(), "popstate", move |_| callback.emit(fragment()))
}

/// Lets the browser ask before the page is left while `has_work` says so.
pub fn on_leaving(has_work: Rc<Cell<bool>>) -> EventListener {
    let options = EventListenerOptions::enable_prevent_default();
    EventListener::new_with_options(&window(), "beforeunload", options, move |event| {
        if has_work.get() {
            event.prevent_default();
        }
    })
}

/// Calls back with every key that is for the page. Undo is the page's own outside of fields, not the browser's.
pub fn on_key(callback: Callback<Key>) -> EventListener {
    let options = EventListenerOptions::enable_prevent_default();
    EventListener::new_with_options(&document(), "keydown", options, move |event| {
        let Some(event) = event.dyn_ref::<KeyboardEvent>() else { return };
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let Some(key) = page_key(event) else { return };
        if event.default_prevented() || (key != Key::Escape && takes_text(target.as_ref())) {
            return;
        }
        if matches!(key, Key::Undo | Key::Redo) {
            event.prevent_default();
        }
        callback.emit(key);
    })
}

fn page_key(event: &KeyboardEvent) -> Option<Key> {
    let key = event.key();
    let command = event.ctrl_key() || event.meta_key();
    match (key.as_str(), command, event.alt_key(), event.shift_key()) {
        ("Escape", false, false, _) => Some(Key::Escape),
        ("z" | "Z", true, false, false) => Some(Key::Undo),
        ("y", true, false, false) | ("z" | "Z", true, false, true) => Some(Key::Redo),
        // With Alt a keyboard may give another character than the digit on the key.
        (_, false, true, _) => {
            let digit = event.code().strip_prefix("Digit")?.parse().ok()?;
            (digit > 0).then_some(Key::AltDigit(digit))
        }
        (_, false, false, _) => {
            let mut chars = key.chars();
            chars.next().filter(|_| chars.next().is_none()).map(Key::Char)
        }
        _ => None,
    }
}

/// Whether an address becomes a step in the browser's history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Back leads to what was there before.
    Push,
    /// What was there before is forgotten.
    Replace,
}

/// Writes the address. A browser may refuse when there are too many changes; the next one then carries all of them.
pub fn show_address(fragment: &str, step: Step) {
    let location = window().location();
    let path = location.pathname().unwrap_or_default() + &location.search().unwrap_or_default();
    let address = if fragment.is_empty() { path } else { format!("{path}#{fragment}") };
    if let Ok(history) = window().history() {
        let _ = match step {
            Step::Push => history.push_state_with_url(&JsValue::NULL, "", Some(&address)),
            Step::Replace => history.replace_state_with_url(&JsValue::NULL, "", Some(&address)),
        };
    }
}

/// The whole address of this page with another fragment.
#[must_use]
pub fn address_with(fragment: &str) -> String {
    let href = window().location().href().unwrap_or_default();
    let page = href.split('#').next().unwrap_or_default();
    format!("{page}#{fragment}")
}

fn stored(key: &str) -> Option<String> {
    window().local_storage().ok().flatten()?.get_item(key).ok().flatten()
}

/// A browser that stores nothing only forgets the choice.
fn store(key: &str, value: &str) {
    if let Ok(Some(storage)) = window().local_storage() {
        let _ = storage.set_item(key, value);
    }
}

/// The theme chosen last.
#[must_use]
pub fn stored_theme() -> Theme {
    stored(THEME_KEY).and_then(|word| Theme::named(&word)).unwrap_or_default()
}

/// Remembers a theme.
pub fn store_theme(theme: Theme) {
    store(THEME_KEY, theme.word());
}

/// Whether letter keys do something, as chosen last.
#[must_use]
pub fn stored_letter_keys() -> LetterKeys {
    if stored(LETTER_KEYS_KEY).as_deref() == Some("off") { LetterKeys::Off } else { LetterKeys::On }
}

/// Remembers whether letter keys do something.
pub fn store_letter_keys(keys: LetterKeys) {
    store(LETTER_KEYS_KEY, if keys == LetterKeys::Off { "off" } else { "on" });
}

/// Colours the page.
pub fn show_theme(theme: Theme) {
    let Some(root) = document().document_element() else { return };
    let _ = match theme {
        Theme::System => root.remove_attribute("data-theme"),
        Theme::Light | Theme::Dark => root.set_attribute("data-theme", theme.word()),
    };
}

/// The file at an address of the page's own host.
///
/// # Errors
/// Why there is none, and what to do.
pub async fn fetch(address: &str) -> Result<File, String> {
    let found = |_: JsValue| strings::no_answer("nothing");
    let page = document().base_uri().ok().flatten().unwrap_or_default();
    let url = Url::new_with_base(address, &page).map_err(|_| strings::no_answer("nothing"))?;
    let location = window().location();
    let is_own = location.origin().is_ok_and(|own| own == url.origin())
        && location.protocol().is_ok_and(|own| own == url.protocol())
        && url.username().is_empty();
    if !is_own {
        return Err(strings::OTHER_HOST.to_owned());
    }
    if url.pathname().ends_with('/') {
        return Err(strings::NO_FILE_NAMED.to_owned());
    }
    let answer = JsFuture::from(window().fetch_with_str(&url.href())).await.map_err(found)?;
    let answer: Response = answer.dyn_into().map_err(found)?;
    if !answer.ok() {
        return Err(strings::no_answer(&answer.status().to_string()));
    }
    let blob: Blob =
        JsFuture::from(answer.blob().map_err(found)?).await.map_err(found)?.dyn_into().map_err(found)?;
    let path = url.pathname();
    let name = path.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("file");
    let name = js_sys::decode_uri_component(name).map_or_else(|_| name.to_owned(), String::from);
    File::new_with_blob_sequence(&js_sys::Array::of1(&blob), &name).map_err(found)
}

/// Which build of the page this is: what `cargo xtask dist` wrote into it.
#[must_use]
pub fn build() -> String {
    let tag = document().query_selector("meta[name=sts-build]").ok().flatten();
    tag.and_then(|tag| tag.get_attribute("content")).unwrap_or_default()
}

/// What the browser calls itself.
#[must_use]
pub fn user_agent() -> String {
    window().navigator().user_agent().unwrap_or_default()
}

/// Names the tab.
pub fn set_title(title: &str) {
    if document().title() != title {
        document().set_title(title);
    }
}

/// Shows a view from its beginning, and lets the keyboard begin there.
pub fn show_from_top() {
    window().scroll_to_with_x_and_y(0.0, 0.0);
    focus("main");
}

/// Follows the skip link without touching the address, which holds the scenario.
pub fn skip_to_main(event: &MouseEvent) {
    event.prevent_default();
    focus("main");
}

/// Lets the keyboard go on at an element.
pub fn focus(id: &str) {
    let element = document().get_element_by_id(id).and_then(|element| element.dyn_into::<HtmlElement>().ok());
    if let Some(element) = element {
        let options = web_sys::FocusOptions::new();
        options.set_prevent_scroll(true);
        let _ = element.focus_with_options(&options);
    }
}

/// The element that has the keyboard.
#[must_use]
pub fn focused() -> Option<HtmlElement> {
    document().active_element()?.dyn_into().ok()
}

/// Lets the keyboard go on at an element that had it, unless it is somewhere else by now.
pub fn focus_again(element: Option<&HtmlElement>) {
    let is_nowhere = document().active_element().is_none_or(|active| active.tag_name() == "BODY");
    if let Some(element) = element.filter(|_| is_nowhere) {
        let _ = element.focus();
    }
}

/// Brings an element into sight and lets the keyboard go on there.
pub fn go_to(id: &str) {
    if let Some(element) = document().get_element_by_id(id) {
        element.scroll_into_view();
        focus(id);
    }
}

/// Whether what is typed at an element is text, so that single keys are not for the page.
#[must_use]
pub fn takes_text(element: Option<&Element>) -> bool {
    let Some(element) = element else { return false };
    match element.tag_name().to_ascii_lowercase().as_str() {
        "textarea" | "select" => true,
        "input" => {
            let kind = element.get_attribute("type").unwrap_or_default();
            !matches!(kind.as_str(), "checkbox" | "radio" | "button" | "file" | "submit")
        }
        _ => element.has_attribute("contenteditable"),
    }
}
