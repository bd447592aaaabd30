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

fn title(browser: &Browser) -> String {
    browser.text("#one-title")
}

/// The turns of the current scramble.
fn turns(browser: &Browser) -> String {
    browser.text("#large .turns")
}

pub(crate) fn a_change_of_settings_replaces_what_is_under_way(browser: &Browser) {
    let _service = opened(browser, "/?count=3", 3);
    browser.run(HOLD_RESPONSES);
    browser.choose("event", "444bf");
    browser.wait_for("window.sent === 1");
    // The scramble on the page is still one of the other event.
    assert_eq!(title(browser), "4x4x4, scramble 1 of 3, 2 moves");
    browser.choose("event", "444");
    browser.choose("event", "444bf");
    browser.wait_for("window.sent === 3");
    assert_eq!(browser.get("window.aborted"), 2);
    for number in [2, 0, 1] {
        browser.run(&format!("window.answer({number})"));
    }
    wait_for_all(browser, 3);
    let expected = "4x4x4 blindfolded, scramble 1 of 3, 2 moves";
    assert_eq!(title(browser), expected);
    browser.click("#previous");
    assert_eq!(title(browser), "4x4x4, scramble 3 of 3, 2 moves");
    // What makes no other scrambles requests none.
    browser.click("[name=letters]");
    browser.choose("event", "444");
    browser.wait_for("window.sent === 4");
}

pub(crate) fn scrambles_that_arrive_late_stay_in_their_list(browser: &Browser) {
    let (service, stub) = ready(Behavior::Permitted);
    stub.permit(3);
    browser.open(&service.url("/?count=3"));
    wait_for_all(browser, 3);
    let first = turns(browser);
    browser.choose("event", "444bf");
    stub.permit(1);
    browser.wait_for("document.getElementById('one-title').textContent.includes('blindfolded')");
    // Scrambles arrive while the user looks at an earlier list, and do not replace what he sees.
    for _ in 0..3 {
        browser.click("#previous");
    }
    assert_eq!(turns(browser), first);
    stub.permit(2);
    wait_for_all(browser, 3);
    assert_eq!(title(browser), "4x4x4, scramble 1 of 3, 2 moves");
    for _ in 0..3 {
        browser.click("#next");
    }
    wait_for_list(browser, 3);
    let expected = "4x4x4 blindfolded, scramble 1 of 3, 2 moves";
    assert_eq!(title(browser), expected);
}

pub(crate) fn scrambles_outlive_settings_and_the_page(browser: &Browser) {
    let service = opened(browser, "/?count=2", 2);
    let mut seen = vec![turns(browser)];
    browser.choose("event", "444bf");
    browser.wait_for("document.getElementById('one-title').textContent.includes('blindfolded')");
    wait_for_all(browser, 2);
    seen.push(turns(browser));
    browser.click("#large .turn:nth-child(2)");
    service.requests();
    browser.reload();
    wait_for_all(browser, 2);
    let now = "4x4x4 blindfolded, scramble 1 of 2, 2 moves";
    assert_eq!(
        (title(browser).as_str(), turns(browser)),
        (now, seen[1].clone())
    );
    assert_eq!(browser.all("#large .turn:nth-child(2).marked").len(), 1);
    for _ in 0..2 {
        browser.click("#previous");
    }
    assert_eq!(turns(browser), seen[0]);
    assert_not_requested(browser, &service, "/v1/");
    // What is damaged is left out, and an address with other settings makes scrambles.
    browser.run("sessionStorage.setItem('scramble444 scrambles', '{\"lists\": [{}], \"place\": [0, 0, 0]}')");
    open(browser, &service, "/?event=444bf&count=2", 2);
    open(browser, &service, "/?event=444&count=2", 2);
    assert_eq!(title(browser), "4x4x4, scramble 1 of 2, 2 moves");
    browser.click("#previous");
    assert_eq!(
        title(browser),
        "4x4x4 blindfolded, scramble 2 of 2, 2 moves"
    );
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
    // The one that was given up is no error.
    assert_eq!(browser.all("#sheets-notice .error"), [""; 0]);
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
        assert_eq!(
            notice(browser),
            "Stopped: 0 of 3 new scrambles.",
            "{answer}"
        );
    }
}
