//! libFuzzer's way into [`targets::mapping`].

#![no_main]

mod counting;
mod mappings;
mod targets;

libfuzzer_sys::fuzz_target!(|data: &[u8]| targets::mapping(data));
