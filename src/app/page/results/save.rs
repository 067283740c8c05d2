//! Giving the reader a file.

use gloo::timers::callback::Timeout;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, Url};

use crate::app::message::Reply;
use crate::app::pool::{News, get};
use crate::app::strings;

/// A browser may read the address of a saved file a while after the click; then it is given back.
const KEPT_MS: u32 = 60_000;

/// Saves a text under a name. Where the browser refuses, its reason comes back.
///
/// # Errors
/// What the browser threw.
pub(in crate::app::page) fn save_text(name: &str, kind: &str, text: &str) -> Result<(), JsValue> {
    let options = BlobPropertyBag::new();
    options.set_type(kind);
    let parts = js_sys::Array::of1(&JsValue::from_str(text));
    save_blob(name, &Blob::new_with_str_sequence_and_options(&parts, &options)?)
}

/// Saves what a blob holds under a name.
///
/// # Errors
/// What the browser threw.
pub(in crate::app::page) fn save_blob(name: &str, blob: &Blob) -> Result<(), JsValue> {
    let address = Url::create_object_url_with_blob(blob)?;
    let anchor: HtmlAnchorElement = gloo::utils::document().create_element("a")?.unchecked_into();
    anchor.set_href(&address);
    anchor.set_download(name);
    anchor.click();
    Timeout::new(KEPT_MS, move || {
        let _ = Url::revoke_object_url(&address);
    })
    .forget();
    Ok(())
}

/// Saves the file that a worker was asked for under a name.
///
/// # Errors
/// Why there is none, as the worker or the browser says it.
pub(in crate::app::page) fn save_written(name: &str, news: News) -> Result<(), String> {
    match news {
        News::Said { reply: Reply::Exported, message } => {
            let file = get(&message, "file").dyn_into::<Blob>().map_err(|_| strings::NO_FILE.to_owned())?;
            save_blob(name, &file).map_err(|_| strings::NO_FILE.to_owned())
        }
        News::Said { reply: Reply::Failed { message }, .. } | News::Died(message) => Err(message),
        News::Said { reply, .. } => Err(strings::answered_else(&reply)),
    }
}
