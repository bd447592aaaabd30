#![no_main]

#[path = "../../tests/common/robust.rs"]
mod robust;

use std::sync::LazyLock;

use robust::Service;

static SERVICE: LazyLock<Service> = LazyLock::new(Service::start);

libfuzzer_sys::fuzz_target!(|query: &str| {
    SERVICE.query(query);
});
