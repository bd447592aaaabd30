#![no_main]

#[path = "../../tests/common/robust.rs"]
mod robust;

libfuzzer_sys::fuzz_target!(|text: &str| {
    robust::facelets(text);
});
