#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    test_support::robust::facelets(text);
});
