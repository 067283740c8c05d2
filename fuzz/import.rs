//! libFuzzer's way into [`targets::import`].

#![no_main]

mod counting;
mod mappings;
mod targets;

libfuzzer_sys::fuzz_target!(|data: &[u8]| targets::import(data));
