//! Notices and retries of the page while scrambles are not available.

use std::net::TcpListener;

use serde_json::json;

use crate::service::{Behaviour, progress, send, settings, starting, stub as new_stub};
use crate::{
    Browser, LISTED, Service, assert_sound, notice, ready, ready_in, ready_with_token,
    wait_for_notice,
};
use test_support::wait::wait_until;

pub(crate) fn the_page_waits_for_a_starting_service(browser: Browser) {
    let service = Service::start(starting(settings()));
    browser.open(&service.url("/?count=2"));
    let bar = "document.querySelector('#notice progress')";
    for done in [0.25, 0.75] {
        progress(&service.state, "stub", "building a table", done);
        browser.wait_for(&format!("!{bar}.hidden && {bar}.value === {done}"));
    }
    let text = "Starting: the service is starting: building a table (75 % done). Trying again in";
    wait_for_notice(&browser, text);
    // Screen readers do not announce the countdown.
    let status = browser.run("return document.querySelector('#notice [role=status]').textContent");
    assert_eq!(status, "Starting:");
    service.state.engines.ready(new_stub(Behaviour::Turns));
    browser.wait_for(&format!("{LISTED} === 2 && {bar}.hidden"));
    wait_for_notice(&browser, "2 of 2 scrambles.");
    assert_sound(&browser, &service, true);
}

pub(crate) fn the_page_retries_an_overloaded_service(browser: Browser) {
    let (service, stub) = ready_in(Behaviour::Permitted, settings());
    let begin = |uri: &'static str| {
        let state = service.state.clone();
        let other = async move { send(&state, "GET", uri).await };
        service.runtime().spawn(other)
    };
    // A search that takes long, so that the line has room for a hundred. Another client takes all of it.
    let slow = begin("/v1/scrambles");
    std::thread::sleep(std::time::Duration::from_millis(100));
    stub.permit(1);
    assert_eq!(service.runtime().block_on(slow).unwrap().status(), 200);
    let other = begin("/v1/scrambles?count=100");
    let is_full = || service.text("/metrics").contains("queue_jobs 100");
    wait_until("full", is_full);
    browser.open(&service.url("/?count=3"));
    let text = "Overloaded: too many requests are waiting; try again after the time in Retry-After. Trying again in";
    wait_for_notice(&browser, text);
    let seconds = "document.getElementById('notice').innerText.match(/in (\\d+) s/)?.[1]";
    let first = browser.run(&format!("return Number({seconds})"));
    browser.wait_for(&format!("{seconds} < {first} || {first} === 1"));
    assert_eq!(browser.run(&format!("return {LISTED}")), 0);
    stub.permit(200);
    browser.wait_for(&format!("{LISTED} === 3"));
    assert_eq!(service.runtime().block_on(other).unwrap().status(), 200);
    assert_sound(&browser, &service, true);
}

pub(crate) fn the_page_asks_for_a_token_and_keeps_it_for_the_tab(browser: Browser) {
    let (service, token) = ready_with_token();
    browser.open(&service.url("/?count=2"));
    wait_for_notice(&browser, "The service requires a token.");
    assert_eq!(
        browser.run("return document.activeElement.type"),
        "password"
    );
    browser.press("0123456789abcdeX\u{e007}");
    wait_for_notice(&browser, "The service does not accept this token.");
    browser.press(&format!("{token}\u{e007}"));
    browser.wait_for(&format!("{LISTED} === 2"));
    assert!(browser.run("return document.querySelector('#notice form').hidden") == true);
    // The token is also used for positions and after a reload, but not kept beyond the tab.
    browser.fill_in("[name=scramble]", "R U");
    browser.click("#given button[value='v1/verify']");
    browser.wait_for("document.querySelector('#answer svg')");
    browser.open(&service.url("/?count=4"));
    browser.wait_for(&format!("{LISTED} === 4"));
    let kept =
        "return [JSON.stringify(sessionStorage).includes('0123456789abcdef'), localStorage.length,
    document.cookie, location.href.includes('0123')]";
    assert_eq!(browser.run(kept), json!([true, 0, "", false]));
    assert_sound(&browser, &service, true);
}

pub(crate) fn scrambles_are_shown_immediately_until_stopped(browser: Browser) {
    let (service, stub) = ready(Behaviour::Permitted);
    stub.permit(2);
    browser.open(&service.url("/?count=7"));
    browser.wait_for(&format!("{LISTED} === 2"));
    assert_eq!(notice(&browser), "Scrambling …");
    let title = browser.run("return document.getElementById('one-title').textContent");
    assert_eq!(title, "Scramble 1 of 2, 2 moves");
    // The next scramble is shown as soon as it arrives.
    browser.press("nn");
    stub.permit(1);
    browser.wait_for(
        "document.getElementById('one-title').textContent.startsWith('Scramble 3 of 3,')",
    );
    browser.click("#stop");
    wait_for_notice(&browser, "Stopped: 3 of 7 scrambles.");
    assert_eq!(
        browser.run("return document.getElementById('stop').ariaDisabled"),
        "true"
    );
    // New scrambles can be requested.
    stub.permit(100);
    browser.click("#choices button.main");
    wait_for_notice(&browser, "7 of 7 scrambles.");
    browser.wait_for(&format!("{LISTED} === 7"));
    assert_sound(&browser, &service, false);
}

pub(crate) fn the_page_retries_a_silent_and_an_unreachable_service(browser: Browser) {
    let (mut service, stub) = ready(Behaviour::Permitted);
    stub.permit(2);
    browser.open(&service.url("/?count=3"));
    browser.wait_for(&format!("{LISTED} === 2"));
    service.stop();
    wait_for_notice(&browser, "The response is incomplete: 2 of 3 scrambles.");
    assert_eq!(browser.run(&format!("return {LISTED}")), 2);
    // The system accepts connections, but no one responds.
    let silent = TcpListener::bind(&service.address).unwrap();
    let notice = browser.run(
        "document.querySelector('#choices button.main').click();
        return document.getElementById('notice').innerText.trim()",
    );
    assert_eq!(notice, "", "the old notice remains");
    wait_for_notice(&browser, "Waiting for the service …");
    drop(silent);
    let unreachable = "No response: the service cannot be reached. Trying again in";
    wait_for_notice(&browser, unreachable);
    // The scrambles received so far stay.
    assert_eq!(browser.run(&format!("return {LISTED}")), 2);
    stub.permit(100);
    service.listen();
    browser.wait_for(&format!("{LISTED} === 3"));
    wait_for_notice(&browser, "3 of 3 scrambles.");
    assert_sound(&browser, &service, true);
}

pub(crate) fn the_focus_is_never_lost(browser: Browser) {
    let (service, stub) = ready(Behaviour::Permitted);
    stub.permit(2);
    browser.open(&service.url("/?count=4"));
    browser.wait_for(&format!("{LISTED} === 2"));
    let focused = || browser.run("return document.activeElement.id");
    let is_off = |id: &str| {
        browser.run(&format!(
            "return document.getElementById('{id}').ariaDisabled"
        )) == "true"
    };
    assert!(is_off("previous") && !is_off("stop"));
    browser.press("n");
    assert!(!is_off("previous"));
    browser.run("document.getElementById('previous').focus()");
    browser.press("\u{e007}");
    assert!(is_off("previous"));
    assert_eq!(focused(), "previous");
    // It does nothing when pressed again.
    browser.press("\u{e007}");
    assert_eq!(focused(), "previous");
    browser.run("document.getElementById('stop').focus()");
    browser.press("\u{e007}");
    wait_for_notice(&browser, "Stopped: 2 of 4 scrambles.");
    assert!(is_off("stop"));
    assert_eq!(focused(), "stop");
    browser.press("\u{e007}");
    // The focus moves on when its list is replaced.
    stub.permit(100);
    browser.click("[name=event] option[value='444bf']");
    browser.run(
        "document.querySelector('#list button').focus(); document.getElementById('next').click();
        document.getElementById('next').click()",
    );
    browser.wait_for(&format!("{LISTED} === 4"));
    assert_eq!(focused(), "one");
    assert_sound(&browser, &service, false);
}
