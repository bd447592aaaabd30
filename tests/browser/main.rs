//! The page at `/` in a browser, in front of the service with generators that need no tables.
#![cfg(feature = "server")]

#[path = "../common"]
mod common {
    pub(crate) mod cubes;
    #[allow(dead_code, reason = "the page is tried with a part")]
    pub(crate) mod stub;
    pub(crate) mod wait;
    pub(crate) mod webdriver;
}

mod axe;
mod looks;
mod position;
mod scrambles;
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

/// The service on a free port of this machine, for as long as this lives.
struct Service {
    state: AppState,
    /// Host and port.
    address: String,
    /// What it runs on, while it listens.
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

    /// Listens; after a stop, at the same address again.
    fn listen(&mut self) {
        let runtime = Runtime::new().unwrap();
        let listener = runtime.block_on(TcpListener::bind(&self.address)).unwrap();
        self.address = listener.local_addr().unwrap().to_string();
        let router = router(self.state.clone());
        let allowed = Arc::clone(&self.state.connections);
        runtime.spawn(async move {
            serve(listener, router.clone(), router, &allowed, pending()).await;
        });
        self.runtime = Some(runtime);
    }

    /// Stops to listen, and cuts off the answers under way.
    fn stop(&mut self) {
        self.runtime = None;
    }

    fn runtime(&self) -> &Runtime {
        self.runtime.as_ref().expect("the service listens")
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The text of an answer.
    fn text(&self, path: &str) -> String {
        let answer = async { text(send(&self.state, "GET", path).await).await };
        self.runtime().block_on(answer)
    }
}

/// A service that is ready, and its stub.
fn ready(doing: Behaviour) -> (Service, Arc<Stub>) {
    let stub = new_stub(doing);
    let state = ready_with(&stub, SMALL, settings());
    (Service::start(state), stub)
}

/// The number of scrambles in the list.
const LISTED: &str = "document.querySelectorAll('#list li').length";

/// What the notice for scrambles says.
fn notice(browser: &Browser) -> String {
    let text = browser.run("return document.getElementById('notice').innerText.trim()");
    text.as_str().unwrap().to_owned()
}

/// Waits until the notice for scrambles begins with a text.
fn wait_for_notice(browser: &Browser, text: &str) {
    let text = Value::from(text);
    let says = "document.getElementById('notice').innerText.trim()";
    browser.wait_for(&format!("{says}.startsWith({text})"));
}

/// Nothing has gone wrong in the page: the console shows nothing but answers that are not 200, and
/// nothing was asked of others.
fn assert_sound(browser: &Browser, service: &Service, refusals: bool) {
    for (source, text) in browser.console() {
        assert!(refusals && source == "network", "{source}: {text}");
    }
    let requests = browser.requests();
    assert!(!requests.is_empty());
    for url in requests {
        let is_own = url.starts_with(&service.url("/")) || url.starts_with("data:");
        assert!(is_own, "{url}");
    }
}
