//! What arrives late, or after something else has happened.

use crate::*;

/// Has the page wait for `window.answer(n)` before it sees its n-th response; counts them in `window.sent`, and those that
/// are aborted in `window.aborted`.
const HOLD_RESPONSES: &str = "
    const send = window.fetch;
    Object.assign(window, { sent: 0, aborted: 0, held: [], answer: (number) => window.held[number]() });
    window.fetch = (path, options) => new Promise((resolve, reject) => {
        const number = window.sent++;
        options.signal?.addEventListener('abort', () => { window.aborted++; reject(options.signal.reason); });
        const response = send(path, { ...options, signal: null });
        // It may fail at the end of the test.
        response.catch(() => {});
        window.held[number] = () => resolve(response);
    });";

pub(crate) fn scrambles_have_the_settings_that_they_were_requested_with(browser: &Browser) {
    let _service = opened(browser, "/?count=3", 3);
    browser.run(HOLD_RESPONSES);
    browser.click("#choices button.main");
    browser.wait_for("window.sent === 1");
    browser.choose("event", "444bf");
    browser.run("window.answer(0)");
    wait_for_notice(browser, "3 of 3 scrambles.");
    let title = browser.text("#all-title");
    assert!(!title.contains("blindfolded"), "{title}");
    browser.click("#choices button.main");
    browser.wait_for("window.sent === 2");
    browser.run("window.answer(1)");
    browser.wait_for("document.getElementById('all-title').textContent.includes('blindfolded')");
}

pub(crate) fn next_does_not_wait_for_scrambles_with_other_settings(browser: &Browser) {
    let (service, stub) = ready(Behavior::Permitted);
    stub.permit(1);
    browser.open(&service.url("/?count=3"));
    wait_for_list(browser, 1);
    browser.choose("event", "444bf");
    browser.click("#next");
    stub.permit(100);
    wait_for_notice(browser, "3 of 3 scrambles.");
    let title = browser.text("#all-title");
    assert!(title.ends_with("blindfolded"), "{title}");
}

pub(crate) fn newer_sheets_replace_those_that_are_on_their_way(browser: &Browser) {
    browser.allow_failures();
    let _service = opened(browser, "/?count=1", 1);
    browser.click("#sheets summary");
    browser.fill_in("#sheets [name=competition]", "Example");
    browser.run(HOLD_RESPONSES);
    for sent in 1..=2 {
        browser.run("document.querySelector('#sheets form').requestSubmit()");
        browser.wait_for(&format!("window.sent === {sent}"));
    }
    assert_eq!(browser.get("window.aborted"), 1);
}

pub(crate) fn errors_are_those_of_the_position_that_was_sent(browser: &Browser) {
    browser.allow_failures();
    let _service = opened(browser, "/?count=1", 1);
    browser.click("[name=by][value=state]");
    let paint = |color: &str| {
        browser.click(&format!("[name=color][value={color}]"));
        browser.click("#net rect");
    };
    paint("F");
    browser.run(HOLD_RESPONSES);
    browser.click("#given button[value='v1/verify']");
    browser.wait_for("window.sent === 1");
    paint("R");
    browser.run("window.answer(0)");
    let error = "document.querySelector('#position-notice .error')?.textContent";
    browser.wait_for(error);
    let text = browser.get(error);
    assert!(
        text.as_str()
            .unwrap()
            .contains("No corner is green, orange and blue."),
        "{text}"
    );
}

pub(crate) fn stopping_ends_a_countdown_and_the_note_of_waiting(browser: &Browser) {
    browser.allow_failures();
    let _service = opened(browser, "/?count=3", 3);
    for answer in [
        "new Response('{\"title\": \"Busy\", \"detail\": \"busy\"}', { status: 503, headers: { 'Retry-After': 9 } })",
        "new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))",
    ] {
        browser.run(&format!(
            "window.sent = 0; window.fetch = async (path, {{ signal }}) => {{ sent += 1; return {answer}; }}"
        ));
        browser.click("#choices button.main");
        browser.wait_for("window.sent === 1");
        browser.click("#stop");
        // The page counts seconds, and says after one that it waits.
        browser.run("return new Promise((resolve) => setTimeout(resolve, 2500))");
        assert_eq!(notice(browser), "Stopped: 0 of 3 scrambles.", "{answer}");
    }
}
