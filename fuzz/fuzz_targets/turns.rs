#![no_main]

#[path = "../common.rs"]
mod common;

libfuzzer_sys::fuzz_target!(|text: &str| {
    common::robust::turns(text);
});
