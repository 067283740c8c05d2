//! Reading a schedule that a worker left.

use std::rc::Rc;

use gloo::utils::window;
use js_sys::{Promise, Uint8Array};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use web_sys::Blob;

use crate::chart::gantt::{Assembler, Bands, Layout, PREFIX_BYTES, Schedule};

/// Reads a schedule column by column: no task is long, and what a column was read from is given back before the next.
pub(super) async fn read(blob: Blob) -> Result<(Rc<Schedule>, Rc<Bands>), String> {
    let layout =
        Layout::read(&part(&blob, 0.0, PREFIX_BYTES as f64).await?).map_err(|error| error.to_string())?;
    let mut assembler = Assembler::default();
    for column in layout.columns {
        let bytes = part(&blob, column.start as f64, column.end as f64).await?;
        assembler.take(bytes).map_err(|error| error.to_string())?;
    }
    pause().await;
    let schedule = assembler.finish().map_err(|error| error.to_string())?;
    pause().await;
    let bands = Bands::new(&schedule);
    pause().await;
    Ok((Rc::new(schedule), Rc::new(bands)))
}

/// Some of the bytes of a blob.
async fn part(blob: &Blob, from: f64, to: f64) -> Result<Vec<u8>, String> {
    let refused = |error: JsValue| format!("The browser gave the schedule up: {error:?}");
    let slice = blob.slice_with_f64_and_f64(from, to).map_err(refused)?;
    let buffer = JsFuture::from(slice.array_buffer()).await.map_err(refused)?;
    Ok(Uint8Array::new(&buffer).to_vec())
}

/// Lets the browser do something else.
async fn pause() {
    let later = Promise::new(&mut |resolve, _| {
        let _ = window().set_timeout_with_callback(&resolve);
    });
    let _ = JsFuture::from(later).await;
}
