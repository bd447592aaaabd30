#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    test_support::robust::table_header(bytes);
});
