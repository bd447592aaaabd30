#![no_main]

libfuzzer_sys::fuzz_target!(|file: &[u8]| {
    test_support::robust::wcif(file);
});
