#![no_main]

#[path = "../common.rs"]
mod common;

use std::sync::LazyLock;

use common::robust::Service;

static SERVICE: LazyLock<Service> = LazyLock::new(Service::start);

libfuzzer_sys::fuzz_target!(|accept: &[u8]| {
    SERVICE.accept(accept);
});
