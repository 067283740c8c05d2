//! What the page's workers rely on in a browser's dedicated worker.
#![cfg(target_arch = "wasm32")]

use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::js_sys::{Array, Uint8Array};
use web_sys::{Blob, FileReaderSync};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

/// Trace readers are ordinary blocking readers over slices of the file.
#[wasm_bindgen_test]
fn a_slice_of_a_file_is_read_synchronously() {
    let parts = Array::of1(&Uint8Array::from(&b"job_id,submit"[..]));
    let file = Blob::new_with_u8_array_sequence(&parts).unwrap();
    let slice = file.slice_with_f64_and_f64(4.0, 8.0).unwrap();
    let buffer = FileReaderSync::new().unwrap().read_as_array_buffer(&slice).unwrap();
    assert_eq!(Uint8Array::new(&buffer).to_vec(), b"id,s");
}
