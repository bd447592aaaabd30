//! Settings that the browser keeps, and colors.

use crate::*;

const FOR_COLOR_BLIND: &str = "0040c0,ffe000,60e0a0,ff9040,d00000,ffffff";

/// The values of some choices.
fn chosen(browser: &Browser) -> Value {
    browser.run(
        "const { event, count, scheme, letters } = document.getElementById('choices').elements;
        return [event.value, count.value, scheme.value, letters.checked]",
    )
}

/// The colors of the solved cube, in the order of the faces in a state, in the position editor, or of a sticker of each
/// face in the picture of the current scramble.
fn colors(browser: &Browser, place: &str) -> Vec<String> {
    let colors = browser.run(&format!(
        "return [...'URFDLB'].map((face) => getComputedStyle(document.querySelector(`{place} rect.${{face}}`)).fill)"
    ));
    serde_json::from_value(colors).unwrap()
}

fn rgb(colors: [u32; 6]) -> Vec<String> {
    let text = |it: u32| format!("rgb({}, {}, {})", it >> 16, it >> 8 & 255, it & 255);
    colors.map(text).into()
}

const USUAL: [u32; 6] = [0xffffff, 0xff0000, 0x00ff00, 0xffff00, 0xff8000, 0x0000ff];

pub(crate) fn settings_are_kept_and_the_address_precedes_them(browser: &Browser) {
    let service = opened(browser, "/", 5);
    browser.fill_in("[name=count]", "3");
    browser.choose("event", "444bf");
    browser.choose("scheme", FOR_COLOR_BLIND);
    browser.click("[name=letters]");
    open(browser, &service, "/", 3);
    let kept = json!(["444bf", "3", FOR_COLOR_BLIND, true]);
    assert_eq!(chosen(browser), kept);
    // An address has all that decides which scrambles are made; the looks are the user's.
    open(browser, &service, "/?count=2", 2);
    assert_eq!(chosen(browser), json!(["444", "2", FOR_COLOR_BLIND, true]));
    open(browser, &service, "/?count=2&letters=0", 2);
    assert_eq!(chosen(browser)[3], false);
    // Opening an address does not change what is kept.
    open(browser, &service, "/", 3);
    assert_eq!(chosen(browser), kept);
    // What this service does not have is not taken from another visit.
    browser.run("localStorage.setItem('scramble444 settings', 'event=444bf&method=gone&count=99')");
    open(browser, &service, "/", 5);
    assert_eq!(chosen(browser), json!(["444", "5", "usual", false]));
}

pub(crate) fn the_page_works_while_storage_is_blocked(browser: &Browser) {
    browser.allow_failures();
    let (service, token) = ready_with_token();
    browser.block_storage();
    browser.open(&service.url("/?count=2"));
    for area in ["localStorage", "sessionStorage"] {
        let access = format!("try {{ return {area}.length }} catch {{ return 'blocked' }}");
        assert_eq!(browser.run(&access), "blocked");
    }
    wait_for_notice(browser, "The service requires a token.");
    browser.press(&format!("{token}\u{e007}"));
    wait_for_all(browser, 2);
    // The token lasts as long as the page.
    browser.choose("event", "444bf");
    browser.wait_for("document.getElementById('all-title').textContent.endsWith('blindfolded')");
    wait_for_all(browser, 2);
    browser.click("#help-button");
    browser.click("#keys");
    browser.click("#help button");
    assert_eq!(notice(browser), "");
}

pub(crate) fn colors_are_those_that_are_chosen(browser: &Browser) {
    let service = opened(browser, "/?count=1", 1);
    browser.run("document.querySelector('[name=by][value=state]').click()");
    for place in ["#large", "#net"] {
        assert_eq!(colors(browser, place), rgb(USUAL));
    }
    browser.choose("scheme", FOR_COLOR_BLIND);
    let expected = [0xffffff, 0xd00000, 0x60e0a0, 0xffe000, 0xff9040, 0x0040c0];
    for place in ["#large", "#net"] {
        assert_eq!(colors(browser, place), rgb(expected));
    }
    // Six of the user's own, from the address and by the form.
    let own = "111111,222222,333333,444444,555555,666666";
    open(browser, &service, &format!("/?count=1&scheme={own}"), 1);
    let expected = [0x666666, 0x555555, 0x333333, 0x222222, 0x444444, 0x111111];
    assert_eq!(colors(browser, "#large"), rgb(expected));
    let pick = |index: usize, color: &str| {
        browser.run(&format!(
            "const picker = document.querySelectorAll('#own input')[{index}];
            picker.value = '{color}';
            picker.dispatchEvent(new Event('change', {{ bubbles: true }}))"
        ));
    };
    pick(0, "#abcdef");
    let expected = [0xabcdef, 0x555555, 0x333333, 0x222222, 0x444444, 0x111111];
    assert_eq!(colors(browser, "#large"), rgb(expected));
    let address = browser.address_bar();
    assert!(address.contains("444444%2C555555%2Cabcdef"), "{address}");
    // Equal colors are refused.
    pick(1, "#abcdef");
    assert_eq!(colors(browser, "#large"), rgb(expected));
    assert_eq!(browser.address_bar(), address);
    let message = "document.querySelector('[name=scheme]').validationMessage";
    assert_eq!(browser.get(message), "Two faces have the same color.");
    let expected = "Colors: Two faces have the same color.";
    assert_eq!(notice(browser), expected);
    service.requests();
    browser.click("#choices button.main");
    assert_not_requested(browser, &service, "/v1/");
    pick(1, "#fedcba");
    assert_eq!(browser.get(message), "");
    assert_eq!(notice(browser), "");
    // Sheets have the same colors.
    browser.click("#sheets summary");
    browser.fill_in("#sheets [name=competition]", "Example 李");
    browser.run(
        "const send = window.fetch;
        window.fetch = (path, options) => {
            window.sent = (window.sent ?? '') + options.body;
            return send(path, options);
        }",
    );
    browser.click("#sheets button.main");
    // With the notes of the service.
    browser.wait_for("document.getElementById('sheets-notice').innerText.includes('no font has')");
    let sent = browser.get("window.sent");
    assert!(sent.as_str().unwrap().contains(r#""format":"a""#), "{sent}");
    let scheme = r##""L":"#444444","R":"#fedcba","U":"#abcdef""##;
    assert!(sent.as_str().unwrap().contains(scheme), "{sent}");
}

pub(crate) fn last_layers_can_be_yellow(browser: &Browser) {
    let _service = opened(browser, "/?count=1", 1);
    browser.choose("subset", "pll");
    browser.choose("top", "yellow");
    assert!(browser.address_bar().contains("top=yellow"));
    let hold = || browser.text("#hold");
    assert_eq!(hold(), "Hold yellow on top, green in front.");
    let [up, right, front, down, left, back] = USUAL;
    for place in ["#large", "#list"] {
        let expected = rgb([down, left, front, up, right, back]);
        assert_eq!(colors(browser, place), expected);
    }
    // Stickers to paint are those of the cube as usual.
    browser.run("document.querySelector('[name=by][value=state]').click()");
    assert_eq!(colors(browser, "#net"), rgb(USUAL));
    browser.choose("subset", "all");
    assert_eq!(hold(), "Hold white on top, green in front.");
    assert_eq!(colors(browser, "#large"), rgb(USUAL));
    assert!(browser.all("[name=top]").is_empty());
    assert!(!browser.address_bar().contains("top="));
}
