//! Notices and retries of the page while scrambles are not available.

use std::net::TcpListener;
use std::sync::atomic::Ordering;

use crate::*;
use test_support::wait::wait_until;

pub(crate) fn the_page_waits_for_a_starting_service(browser: &Browser) {
    browser.allow_failures();
    let service = Service::start(starting(settings()));
    browser.open(&service.url("/?count=2"));
    let bar = "document.querySelector('#notice progress')";
    for done in [0.25, 0.75] {
        progress(&service.state, "stub", "building a table", done);
        browser.wait_for(&format!("!{bar}.hidden && {bar}.value === {done}"));
    }
    let text = "Starting: the service is starting: building a table (75 % done). Trying again in";
    wait_for_notice(browser, text);
    // Screen readers do not announce the countdown.
    let (said, _) = text.split_once(" Trying").unwrap();
    assert_eq!(browser.text("#notice [role=status]"), said);
    service.state.engines.ready(new_stub(Behavior::Turns));
    browser.wait_for(&format!("{LISTED} === 2 && {bar}.hidden"));
    wait_for_all(browser, 2);
}

pub(crate) fn the_page_retries_an_overloaded_service(browser: &Browser) {
    browser.allow_failures();
    let stub = new_stub(Behavior::Permitted);
    let service = Service::start(ready_with(&stub, settings()));
    let begin = |uri: &'static str| {
        let state = service.state.clone();
        let other = async move { send(&state, "GET", uri).await };
        service.runtime().spawn(other)
    };
    // A search that takes long, so that the line has room for a hundred. Another client takes all of it.
    let slow = begin("/v1/scrambles");
    wait_until("it has begun", || stub.calls.load(Ordering::Relaxed) == 1);
    std::thread::sleep(std::time::Duration::from_millis(100));
    stub.permit(1);
    assert_eq!(service.runtime().block_on(slow).unwrap().status(), 200);
    let other = begin("/v1/scrambles?count=100");
    let is_full = || service.text("/metrics").contains("queue_jobs 100");
    wait_until("full", is_full);
    browser.open(&service.url("/?count=3"));
    let text = "Overloaded: too many requests are waiting; try again after the time in Retry-After. Trying again in";
    wait_for_notice(browser, text);
    let seconds = "document.getElementById('notice').innerText.match(/in (\\d+) s/)?.[1]";
    let first = browser.get(&format!("Number({seconds})"));
    browser.wait_for(&format!("{seconds} < {first} || {first} === 1"));
    assert_eq!(browser.get(LISTED), 0);
    stub.permit(200);
    wait_for_list(browser, 3);
    assert_eq!(service.runtime().block_on(other).unwrap().status(), 200);
}

pub(crate) fn the_page_asks_for_a_token_and_keeps_it_for_the_tab(browser: &Browser) {
    browser.allow_failures();
    let (service, token) = ready_with_token();
    browser.open(&service.url("/?count=2"));
    wait_for_notice(browser, "The service requires a token.");
    assert_eq!(browser.get("document.activeElement.type"), "password");
    browser.press("0123456789abcdeX\u{e007}");
    wait_for_notice(browser, "The service does not accept this token.");
    browser.press(&format!("{token}\u{e007}"));
    wait_for_list(browser, 2);
    assert_eq!(browser.all("#notice form"), [""; 0]);
    // The token is also used for positions and after a reload, but not kept beyond the tab.
    browser.fill_in("[name=scramble]", "R U");
    browser.click("#given button[value='v1/verify']");
    browser.wait_for("document.querySelector('#answer svg')");
    open(browser, &service, "/?count=4", 4);
    let kept = "[JSON.stringify(sessionStorage).includes('0123456789abcdef'), localStorage.length,
        document.cookie, location.href.includes('0123')]";
    assert_eq!(browser.get(kept), json!([true, 0, "", false]));
}

pub(crate) fn scrambles_are_shown_immediately_until_stopped(browser: &Browser) {
    let (service, stub) = ready(Behavior::Permitted);
    stub.permit(2);
    browser.open(&service.url("/?count=7"));
    wait_for_list(browser, 2);
    assert_eq!(notice(browser), "Scrambling …");
    assert_eq!(
        browser.text("#one-title"),
        "4x4x4, scramble 1 of 2, 2 moves"
    );
    // The next scramble is shown as soon as it arrives.
    browser.press("nn");
    stub.permit(1);
    let title = "document.getElementById('one-title').textContent";
    browser.wait_for(&format!("{title}.startsWith('4x4x4, scramble 3 of 3,')"));
    browser.click("#stop");
    wait_for_notice(browser, "Stopped: 3 of 7 new scrambles.");
    let is_off = "document.getElementById('stop').ariaDisabled";
    assert_eq!(browser.get(is_off), "true");
    // New scrambles can be requested.
    stub.permit(100);
    browser.click("#choices button.main");
    wait_for_all(browser, 7);
}

pub(crate) fn the_page_retries_a_silent_and_an_unreachable_service(browser: &Browser) {
    browser.allow_failures();
    let (mut service, stub) = ready(Behavior::Permitted);
    stub.permit(2);
    browser.open(&service.url("/?count=3"));
    wait_for_list(browser, 2);
    service.stop();
    wait_for_notice(browser, "The response is incomplete: 2 of 3 new scrambles.");
    assert_eq!(browser.get(LISTED), 2);
    // The system accepts connections, but no one responds.
    let silent = TcpListener::bind(&service.address).unwrap();
    let notice = browser.run(
        "document.querySelector('#choices button.main').click();
        return document.getElementById('notice').innerText.trim()",
    );
    assert_eq!(notice, "", "the old notice remains");
    wait_for_notice(browser, "Waiting for the service …");
    drop(silent);
    let unreachable = "No response: the service cannot be reached. Trying again in";
    wait_for_notice(browser, unreachable);
    // The scrambles received so far stay.
    assert_eq!(browser.get(LISTED), 2);
    stub.permit(100);
    service.listen();
    wait_for_all(browser, 3);
}

pub(crate) fn the_focus_is_never_lost(browser: &Browser) {
    let (service, stub) = ready(Behavior::Permitted);
    stub.permit(2);
    browser.open(&service.url("/?count=4"));
    wait_for_list(browser, 2);
    let focused = || browser.get("document.activeElement.id");
    let is_off =
        |id: &str| browser.get(&format!("document.getElementById('{id}').ariaDisabled")) == "true";
    // Presses the enter key on a button that switches itself off, and again, which does nothing.
    let press_twice = |id: &str| {
        assert!(!is_off(id));
        browser.run(&format!("document.getElementById('{id}').focus()"));
        for _ in 0..2 {
            browser.press("\u{e007}");
            browser.wait_for(&format!(
                "document.getElementById('{id}').ariaDisabled === 'true'"
            ));
            assert_eq!(focused(), id);
        }
    };
    assert!(is_off("previous"));
    browser.press("n");
    press_twice("previous");
    press_twice("stop");
    wait_for_notice(browser, "Stopped: 2 of 4 new scrambles.");
    // The focus moves on when its list is replaced.
    browser.choose("event", "444bf");
    browser.run("document.querySelector('#list button').focus()");
    stub.permit(100);
    wait_for_list(browser, 4);
    assert_eq!(focused(), "one");
}
