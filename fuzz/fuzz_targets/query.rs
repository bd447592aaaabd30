#![no_main]

#[path = "../../tests/common/service.rs"]
mod service;

use std::sync::LazyLock;

use service::Service;

static SERVICE: LazyLock<Service> = LazyLock::new(Service::start);

libfuzzer_sys::fuzz_target!(|query: &str| {
    SERVICE.query(query);
});
