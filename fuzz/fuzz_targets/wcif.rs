#![no_main]

#[path = "../common.rs"]
mod common;

libfuzzer_sys::fuzz_target!(|file: &[u8]| {
    common::robust::wcif(file);
});
