//! Giving the reader a file.

use gloo::timers::callback::Timeout;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{
    Blob, BlobPropertyBag, CanvasRenderingContext2d, HtmlAnchorElement, HtmlCanvasElement, HtmlImageElement,
    Url,
};
use yew::Callback;

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

/// Pixels of a saved image for each px of the drawing, so that it stays sharp in print.
const PNG_SCALE: u32 = 2;

/// Saves an SVG drawing as a PNG image with twice as many pixels as it has px. `on_failure` hears what the browser refused.
///
/// # Errors
/// What the browser threw before the drawing was loaded.
pub(in crate::app::page) fn save_png(
    name: String,
    svg: &str,
    on_failure: Callback<JsValue>,
) -> Result<(), JsValue> {
    let options = BlobPropertyBag::new();
    options.set_type("image/svg+xml");
    let blob =
        Blob::new_with_str_sequence_and_options(&js_sys::Array::of1(&JsValue::from_str(svg)), &options)?;
    let address = Url::create_object_url_with_blob(&blob)?;
    let image = HtmlImageElement::new()?;
    let drawn = {
        let (image, address, on_failure) = (image.clone(), address.clone(), on_failure.clone());
        move || {
            let result = draw_png(name, &image, on_failure.clone());
            let _ = Url::revoke_object_url(&address);
            if let Err(error) = result {
                on_failure.emit(error);
            }
        }
    };
    image.set_onload(Some(Closure::once_into_js(drawn).unchecked_ref()));
    let failed = move || on_failure.emit(JsValue::from_str("the drawing could not be read"));
    image.set_onerror(Some(Closure::once_into_js(failed).unchecked_ref()));
    image.set_src(&address);
    Ok(())
}

fn draw_png(name: String, image: &HtmlImageElement, on_failure: Callback<JsValue>) -> Result<(), JsValue> {
    let canvas: HtmlCanvasElement = gloo::utils::document().create_element("canvas")?.unchecked_into();
    let (width, height) = (image.natural_width() * PNG_SCALE, image.natural_height() * PNG_SCALE);
    canvas.set_width(width);
    canvas.set_height(height);
    let context = canvas.get_context("2d")?.ok_or_else(|| JsValue::from_str("there is no canvas"))?;
    let context: CanvasRenderingContext2d = context.unchecked_into();
    let (width, height) = (f64::from(width), f64::from(height));
    context.draw_image_with_html_image_element_and_dw_and_dh(image, 0.0, 0.0, width, height)?;
    let on_blob = Closure::once_into_js(move |blob: JsValue| {
        let saved = blob.dyn_into::<Blob>().and_then(|blob| save_blob(&name, &blob));
        if let Err(error) = saved {
            on_failure.emit(error);
        }
    });
    canvas.to_blob(on_blob.unchecked_ref())
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
