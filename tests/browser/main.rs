//! Tests of the page at `/` in browsers, with stubs in place of solvers. Those for a browser that is not installed are
//! ignored.

#[path = "../common/service.rs"]
mod service;

mod axe;
mod first_screen;
mod looks;
mod order;
mod pdf;
mod position;
mod scrambles;
mod settings;
mod sheets;
mod states;
mod webdriver;

use std::env::var_os;
use std::future::pending;
use std::sync::{Arc, Mutex};

use axum::extract::Request;
use axum::middleware::map_request;
use libtest_mimic::{Arguments, Trial};
use scramble444::http::{AppState, router, serve};
use serde_json::{Value, json};
use test_support::wait::PATIENCE;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use service::{Behavior, Stub, guarded, ready_with, send, settings, stub as new_stub, text};
use service::{progress, starting, starting_with};
use webdriver::{Browser, Kind, installed};

/// A test for each browser.
macro_rules! trials {
    ($($module:ident: $($test:ident),+;)+) => {
        Kind::ALL.into_iter().flat_map(|kind| {
            [$($(trial(kind, concat!(stringify!($module), "::", stringify!($test)), $module::$test)),+),+]
        })
    };
}

fn trial(kind: Kind, name: &str, test: fn(&Browser)) -> Trial {
    let is_missing = !kind.is_installed() || name.starts_with("axe") && var_os("AXE").is_none();
    let run = move || {
        let browser = Browser::start(kind);
        test(&browser);
        browser.assert_sound();
        Ok(())
    };
    let trial = Trial::test(name, run).with_kind(format!("{kind:?}"));
    trial.with_ignored_flag(is_missing)
}

/// Not for a browser that is controlled.
fn pdf_trial() -> Trial {
    let name = "pdf::a_pdf_has_a_page_for_each_set_with_its_scrambles";
    let trial = Trial::test(name, || {
        pdf::a_pdf_has_a_page_for_each_set_with_its_scrambles();
        Ok(())
    });
    trial.with_ignored_flag(installed("pdftotext").is_none())
}

fn main() {
    let trials = trials! {
        axe: no_state_violates_a_rule, an_error_and_a_starting_service_violate_no_rule;
        first_screen: a_phone_shows_the_whole_scramble_and_its_buttons, swipes_show_the_next_and_the_previous_scramble, one_scramble_has_no_list, the_button_says_that_it_has_copied, a_turn_can_be_marked_and_is_spoken, the_screen_stays_on, a_page_whose_script_cannot_run_says_so;
        looks: text_is_readable_in_both_color_schemes, stickers_keep_their_colors_in_forced_colors_mode, no_width_needs_horizontal_scrolling, all_controls_have_a_role_and_a_name, only_the_list_is_printed;
        order: a_change_of_settings_replaces_what_is_under_way, scrambles_that_arrive_late_stay_in_their_list, scrambles_outlive_settings_and_the_page, newer_sheets_replace_those_that_are_on_their_way, errors_are_those_of_the_position_that_was_sent, stopping_ends_a_countdown_and_the_note_of_waiting;
        position: turns_are_checked_and_solved, stickers_are_painted_by_mouse_and_by_keys, fingers_paint_large_stickers, arrow_keys_move_between_neighboring_stickers, impossible_positions_are_described_in_colors_and_marked;
        scrambles: pictures_match_those_of_the_service, choices_are_in_the_address, keys_show_copy_and_print_scrambles, scrambles_are_copied_and_saved, training_subsets_can_be_chosen, each_method_has_a_hint, keys_can_be_disabled, scrambles_may_arrive_in_any_pieces, a_newer_request_replaces_a_running_one;
        settings: settings_are_kept_and_the_address_precedes_them, the_page_works_while_storage_is_blocked, colors_are_those_that_are_chosen, last_layers_can_be_yellow;
        sheets: sheets_open_in_a_new_window, errors_are_shown_on_the_page, a_token_is_sent_for_sheets_too;
        states: the_page_waits_for_a_starting_service, the_page_retries_an_overloaded_service, the_page_asks_for_a_token_and_keeps_it_for_the_tab, scrambles_are_shown_immediately_until_stopped, the_page_retries_a_silent_and_an_unreachable_service, the_focus_is_never_lost;
    };
    test_support::watchdog::start();
    libtest_mimic::run(
        &Arguments::from_args(),
        trials.chain([pdf_trial()]).collect(),
    )
    .exit();
}

/// A service on a free port, which stops when dropped.
struct Service {
    state: AppState,
    /// Host and port.
    address: String,
    /// `None` while the service is stopped.
    runtime: Option<Runtime>,
    /// The paths and queries of requests since the last call of [`Service::requests`].
    requests: Arc<Mutex<Vec<String>>>,
}

impl Service {
    fn start(state: AppState) -> Service {
        let mut service = Service {
            state,
            address: "127.0.0.1:0".to_owned(),
            runtime: None,
            requests: Arc::default(),
        };
        service.listen();
        service
    }

    /// Listens, after a stop at the same address as before.
    fn listen(&mut self) {
        let runtime = Runtime::new().unwrap();
        let listener = runtime.block_on(TcpListener::bind(&self.address)).unwrap();
        self.address = listener.local_addr().unwrap().to_string();
        let requests = Arc::clone(&self.requests);
        let record = move |request: Request| {
            requests.lock().unwrap().push(request.uri().to_string());
            std::future::ready(request)
        };
        let router = router(self.state.clone()).layer(map_request(record));
        let state = self.state.clone();
        let limit = Arc::clone(&self.state.connections);
        runtime.spawn(async move {
            serve(
                vec![listener],
                router.clone(),
                router,
                &limit,
                &state,
                pending(),
            )
            .await;
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

    /// The paths and queries of requests since the last call.
    fn requests(&self) -> Vec<String> {
        std::mem::take(&mut self.requests.lock().unwrap())
    }

    /// The text of the response for `path`.
    fn text(&self, path: &str) -> String {
        let text = async { text(send(&self.state, "GET", path).await).await };
        self.runtime().block_on(text)
    }
}

/// A ready service and its stub. Its deadline leaves time to do things in the browser while a stub waits for a permit.
fn ready(behavior: Behavior) -> (Service, Arc<Stub>) {
    let (stub, mut settings) = (new_stub(behavior), settings());
    settings.request_deadline = PATIENCE;
    (Service::start(ready_with(&stub, settings)), stub)
}

/// Opens the page of a service at a path, and waits for this number of scrambles.
fn open(browser: &Browser, service: &Service, path: &str, count: usize) {
    browser.open(&service.url(path));
    wait_for_all(browser, count);
}

/// Waits until the list has this number of scrambles and no more are requested.
fn wait_for_all(browser: &Browser, count: usize) {
    let is_off = "document.getElementById('stop').ariaDisabled === 'true'";
    browser.wait_for(&format!("{LISTED} === {count} && {is_off}"));
}

/// The page of a ready service, with this number of scrambles.
fn opened(browser: &Browser, path: &str, count: usize) -> Service {
    let (service, _) = ready(Behavior::Turns);
    open(browser, &service, path, count);
    service
}

/// A ready service that requires this token.
fn ready_with_token() -> (Service, &'static str) {
    let token = "0123456789abcdef";
    let state = guarded(&new_stub(Behavior::Turns), token, settings());
    (Service::start(state), token)
}

/// An expression for the number of scrambles in the list.
const LISTED: &str = "document.querySelectorAll('#list li').length";

fn wait_for_list(browser: &Browser, count: usize) {
    browser.wait_for(&format!("{LISTED} === {count}"));
}

/// The text of the notice for scrambles.
fn notice(browser: &Browser) -> String {
    let text = browser.get("document.getElementById('notice').innerText.trim()");
    text.as_str().unwrap().to_owned()
}

/// Waits until the notice for scrambles starts with `start`.
fn wait_for_notice(browser: &Browser, start: &str) {
    let start = Value::from(start);
    let text = "document.getElementById('notice').innerText.trim()";
    browser.wait_for(&format!("{text}.startsWith({start})"));
}

/// Asserts that the page has sent no requests for paths with `part` since the last call of [`Service::requests`].
fn assert_not_requested(browser: &Browser, service: &Service, part: &str) {
    // Requests before this one have arrived then.
    browser.get("fetch('livez').then(() => true)");
    let requests = service.requests();
    assert!(requests.contains(&"/livez".to_owned()));
    assert!(requests.iter().all(|it| !it.contains(part)), "{requests:?}");
}
