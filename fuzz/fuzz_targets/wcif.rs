#![no_main]

#[path = "../../tests/common/robust.rs"]
mod robust;

libfuzzer_sys::fuzz_target!(|file: &[u8]| {
    robust::wcif(file);
});
