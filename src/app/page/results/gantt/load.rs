//! Reading a schedule that a worker left.

use std::rc::Rc;

use gloo::utils::window;
use js_sys::{Promise, Uint8Array};
use wasm_bindgen_futures::JsFuture;
use web_sys::Blob;

use crate::chart::gantt::{Bands, Schedule, Source};

/// Bytes outside of the module's memory; each column comes in by itself.
struct Outside {
    bytes: Uint8Array,
    at: u32,
}

impl Source for Outside {
    fn take(&mut self, count: usize) -> Option<Vec<u8>> {
        let end = self.at.checked_add(u32::try_from(count).ok()?)?;
        if end > self.bytes.length() {
            return None;
        }
        let part = self.bytes.subarray(self.at, end).to_vec();
        self.at = end;
        Some(part)
    }
}

/// Reads a schedule, in several tasks so that the page answers meanwhile.
pub(super) async fn read(blob: Blob) -> Result<(Rc<Schedule>, Rc<Bands>), String> {
    let refused = |error| format!("The browser gave the schedule up: {error:?}");
    let buffer = JsFuture::from(blob.array_buffer()).await.map_err(refused)?;
    let mut source = Outside { bytes: Uint8Array::new(&buffer), at: 0 };
    let schedule = Schedule::from_source(&mut source).map_err(|error| error.to_string())?;
    drop(source);
    pause().await;
    let bands = Bands::new(&schedule);
    pause().await;
    Ok((Rc::new(schedule), Rc::new(bands)))
}

/// Lets the browser do something else.
async fn pause() {
    let later = Promise::new(&mut |resolve, _| {
        let _ = window().set_timeout_with_callback(&resolve);
    });
    let _ = JsFuture::from(later).await;
}
