//! Tests of the page at `/` in browsers, with stubs in place of solvers.

#[path = "../common/watchdog.rs"]
mod _watchdog;
#[path = "../common"]
mod common {
    pub(crate) mod cubes;
    #[allow(dead_code, reason = "these tests use only a part")]
    pub(crate) mod stub;
    pub(crate) mod wait;
    pub(crate) mod webdriver;
}

mod axe;
mod first_screen;
mod looks;
mod position;
mod scrambles;
mod settings;
mod sheets;
mod states;

use std::future::pending;
use std::sync::Arc;

use scramble444::http::{AppState, router, serve};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use common::stub::{Behaviour, SMALL, Stub, ready_with, send, settings, stub as new_stub, text};
use common::webdriver::{Browser, browsers};

/// A service on a free port, which stops when dropped.
struct Service {
    state: AppState,
    /// Host and port.
    address: String,
    /// `None` while the service is stopped.
    runtime: Option<Runtime>,
}

impl Service {
    fn start(state: AppState) -> Service {
        let mut service = Service {
            state,
            address: "127.0.0.1:0".to_owned(),
            runtime: None,
        };
        service.listen();
        service
    }

    /// Listens, after a stop at the same address as before.
    fn listen(&mut self) {
        let runtime = Runtime::new().unwrap();
        let listener = runtime.block_on(TcpListener::bind(&self.address)).unwrap();
        self.address = listener.local_addr().unwrap().to_string();
        let router = router(self.state.clone());
        let limit = Arc::clone(&self.state.connections);
        runtime.spawn(async move {
            serve(vec![listener], router.clone(), router, &limit, pending()).await;
        });
        self.runtime = Some(runtime);
    }

    /// Stops listening and aborts the responses in progress.
    fn stop(&mut self) {
        self.runtime = None;
    }

    fn runtime(&self) -> &Runtime {
        self.runtime.as_ref().expect("the service listens")
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The text of the response for `path`.
    fn text(&self, path: &str) -> String {
        let text = async { text(send(&self.state, "GET", path).await).await };
        self.runtime().block_on(text)
    }
}

/// A ready service and its stub.
fn ready(behaviour: Behaviour) -> (Service, Arc<Stub>) {
    let stub = new_stub(behaviour);
    let state = ready_with(&stub, SMALL, settings());
    (Service::start(state), stub)
}

/// An expression for the number of scrambles in the list.
const LISTED: &str = "document.querySelectorAll('#list li').length";

/// The text of the notice for scrambles.
fn notice(browser: &Browser) -> String {
    let text = browser.run("return document.getElementById('notice').innerText.trim()");
    text.as_str().unwrap().to_owned()
}

/// Waits until the notice for scrambles starts with `start`.
fn wait_for_notice(browser: &Browser, start: &str) {
    let start = Value::from(start);
    let text = "document.getElementById('notice').innerText.trim()";
    browser.wait_for(&format!("{text}.startsWith({start})"));
}

/// Asserts that the console shows no errors, except failed requests if `allow_failures`, and that the page
/// has sent requests only to the service.
fn assert_sound(browser: &Browser, service: &Service, allow_failures: bool) {
    for (source, text) in browser.console() {
        assert!(allow_failures && source == "network", "{source}: {text}");
    }
    let requests = browser.requests();
    assert!(!requests.is_empty());
    for url in requests {
        let is_own = url.starts_with(&service.url("/")) || url.starts_with("data:");
        assert!(is_own, "{url}");
    }
}
