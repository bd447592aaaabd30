#![no_main]

#[path = "../../tests/common/robust.rs"]
mod robust;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    robust::table_file(bytes);
});
