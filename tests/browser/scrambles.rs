//! Requesting, copying and saving scrambles.

use std::collections::BTreeSet;
use std::fs;

use crate::*;
use test_support::wait::wait_until;

/// The stickers of each picture on the page: position, size and color.
const PICTURES: &str = "
    return [...document.querySelectorAll('#list svg')].map((svg) =>
        [...svg.querySelectorAll('rect')].map((rect) => {
            const at = rect.getBBox();
            const [r, g, b] = getComputedStyle(rect).fill.match(/\\d+/g).map(Number);
            const color = '#' + [r, g, b].map((part) => part.toString(16).padStart(2, '0')).join('');
            return `${at.x} ${at.y} ${at.width} ${at.height} ${color}`;
        }))";

/// The same for a picture of the service.
fn stickers(svg: &str) -> BTreeSet<String> {
    let rects = svg.lines().filter(|line| line.starts_with("<rect"));
    let parts = rects.map(|rect| {
        let quoted: Vec<&str> = rect.split('"').skip(1).step_by(2).collect();
        quoted.join(" ")
    });
    parts.collect()
}

/// The choices of states: all, and the training subsets.
#[rustfmt::skip]
const SUBSETS: [&str; 7] = ["all", "centers", "wings", "reduced", "last-layer", "pll", "last-eight-edges"];

/// The choices of colors: the usual ones, those for color-blind people, and the user's own, which begin as usual.
const SCHEMES: [&str; 3] = [
    "usual",
    "0040c0,ffe000,60e0a0,ff9040,d00000,ffffff",
    "0000ff,ffff00,00ff00,ff8000,ff0000,ffffff",
];

fn listed(browser: &Browser) -> Vec<String> {
    let script = "return [...document.querySelectorAll('#list .turns')]
        .map((turns) => turns.textContent.trim().replace(/ +/g, ' '))";
    serde_json::from_value(browser.run(script)).unwrap()
}

fn current(browser: &Browser) -> String {
    browser.text("#one-title")
}

fn clipboard(browser: &Browser) -> String {
    let text = browser.get("navigator.clipboard.readText()");
    text.as_str().unwrap().replace("\r\n", "\n")
}

pub(crate) fn pictures_match_those_of_the_service(browser: &Browser) {
    let (service, _) = ready(Behavior::Turns);
    for event in ["444", "444bf"] {
        open(browser, &service, &format!("/?event={event}&count=7"), 7);
        let scrambles = listed(browser);
        assert_eq!(scrambles.len(), 7);
        let pictures: Vec<Vec<String>> = serde_json::from_value(browser.run(PICTURES)).unwrap();
        assert_eq!(pictures.len(), 7);
        for (scramble, picture) in scrambles.iter().zip(pictures) {
            let query = scramble.replace(' ', "+").replace('\'', "%27");
            let expected = stickers(&service.text(&format!("/v1/picture?scramble={query}")));
            assert_eq!((expected.len(), picture.len()), (96, 96));
            assert_eq!(BTreeSet::from_iter(picture), expected, "{scramble}");
        }
    }
    // With the letters of the faces, then without pictures.
    browser.click("[name=letters]");
    let letters = browser.run(
        "return [...document.querySelectorAll('#list svg, #large svg')].map((svg) =>
        [...svg.querySelectorAll('rect')].filter((rect) =>
            rect.nextSibling.textContent === rect.getAttribute('class')).length)",
    );
    assert_eq!(letters, json!(vec![96; 8]));
    browser.click("[name=pictures]");
    assert!(browser.all("#list svg, #large svg").is_empty());
}

pub(crate) fn choices_are_in_the_address(browser: &Browser) {
    browser.allow_failures();
    let service = Service::start(starting_with(&["stub", "slower", "other"], settings()));
    browser.open(&service.url("/"));
    let choices = "return [...document.getElementById('choices').elements]
    .filter((control) => control.name)
    .map(({ name, type, value, checked, min, max, options }) =>
        [name, type === 'checkbox' ? checked : value, min, max, [...options ?? []].map((o) => o.value)])";
    let chosen = || browser.run(choices);
    #[rustfmt::skip]
    let shown = |event, count, method, effort, pictures, letters| {
        json!([
            ["event", event, null, null, ["444", "444bf"]],
            ["count", count, "1", "100", []],
            ["effort", effort, null, null, ["1", "2", "3", "4", "5", "6", "7"]],
            ["subset", "all", null, null, SUBSETS],
            ["top", "white", null, null, ["white", "yellow"]],
            ["scheme", "usual", null, null, SCHEMES],
            ["pictures", pictures, "", "", []],
            ["letters", letters, "", "", []],
            ["method", method, null, null, ["stub", "slower", "other"]],
        ])
    };
    let first = shown("444", "5", "stub", "4", true, false);
    assert_eq!(chosen(), first);
    browser.fill_in("[name=count]", "3");
    browser.run("document.getElementById('experts').open = true");
    browser.choose("effort", "6");
    browser.choose("event", "444bf");
    browser.click("[name=method] option:nth-child(3)");
    browser.click("[name=pictures]");
    browser.click("[name=letters]");
    let query = "?event=444bf&count=3&effort=6&pictures=0&letters=1&method=other";
    assert_eq!(browser.address_bar(), service.url(&format!("/{query}")));
    let last = shown("444bf", "3", "other", "6", false, true);
    assert_eq!(chosen(), last);
    // Back over the two checkboxes and the two lists, and forward again.
    for _ in 0..4 {
        browser.back();
    }
    assert_eq!(chosen(), shown("444", "3", "stub", "6", true, false));
    for _ in 0..4 {
        browser.forward();
    }
    assert_eq!(chosen(), last);
    browser.open(&service.url(&format!("/{query}")));
    assert_eq!(chosen(), last);
    // Invalid choices are marked, described and not requested, not even for the next scramble.
    service.requests();
    for (invalid, label) in [
        ("count=101", "Scrambles"),
        ("count=0", "Scrambles"),
        ("count=x", "Scrambles"),
        ("effort=8", "Shorter or faster"),
        ("event=333", "Event"),
        ("method=none", "Method"),
        ("scheme=red", "Colors"),
    ] {
        browser.open(&service.url(&format!("/?{invalid}")));
        let name = invalid.split('=').next().unwrap();
        let active = "document.activeElement";
        browser.wait_for(&format!(
            "{active}.name === '{name}' && {active}.matches(':invalid')"
        ));
        let expected = format!("{label}: ");
        assert!(notice(browser).starts_with(&expected), "{invalid}");
        browser.click("#next");
    }
    assert_not_requested(browser, &service, "/v1/");
}

pub(crate) fn keys_show_copy_and_print_scrambles(browser: &Browser) {
    browser.allow_clipboard();
    let (service, stub) = ready(Behavior::Turns);
    open(browser, &service, "/?count=3", 3);
    assert_eq!(current(browser), "4x4x4, scramble 1 of 3, 2 moves");
    browser.press("n");
    assert_eq!(current(browser), "4x4x4, scramble 2 of 3, 2 moves");
    browser.press("c");
    wait_for_notice(browser, "Copied scramble 2.");
    assert_eq!(clipboard(browser), listed(browser)[1]);
    browser.press("\u{e014}");
    assert_eq!(current(browser), "4x4x4, scramble 3 of 3, 2 moves");
    browser.press("\u{e012}");
    assert_eq!(current(browser), "4x4x4, scramble 2 of 3, 2 moves");
    browser.press(" ");
    assert_eq!(current(browser), "4x4x4, scramble 3 of 3, 2 moves");
    // After the last scramble, more are requested.
    browser.press(" ");
    wait_for_list(browser, 6);
    browser.wait_for(
        "document.getElementById('one-title').textContent.startsWith('4x4x4, scramble 4 of 6,')",
    );
    browser.click("#previous");
    assert_eq!(current(browser), "4x4x4, scramble 3 of 6, 2 moves");
    let marked = "[...document.querySelectorAll('#list li')].map((item) => item.getAttribute('aria-current'))";
    assert_eq!(
        browser.get(marked),
        json!([null, null, "true", null, null, null])
    );
    // A change of the event makes scrambles at once.
    browser.choose("event", "444bf");
    wait_for_list(browser, 3);
    let (first, last) = (
        "4x4x4 blindfolded, scramble 1 of 3, 2 moves",
        "4x4x4, scramble 6 of 6, 2 moves",
    );
    assert_eq!(current(browser), first);
    browser.run("document.activeElement.blur()");
    browser.press("\u{e012}");
    assert_eq!(current(browser), last);
    browser.press("n");
    assert_eq!(current(browser), first);
    assert_eq!(stub.calls.load(std::sync::atomic::Ordering::SeqCst), 9);

    browser.run("window.printed = 0; window.print = () => window.printed++");
    browser.press("p");
    assert_eq!(browser.get("printed"), 1);
    browser.press("?");
    let is_open = "document.getElementById('help').open";
    browser.wait_for(is_open);
    browser.press("p\u{e00c}");
    browser.wait_for(&format!("!{is_open}"));
    // Keys do nothing in fields and with the control key.
    let before = current(browser);
    for field in ["[name=count]", "[name=event]", "[name=scramble]"] {
        browser.run(&format!("document.querySelector(\"{field}\").focus()"));
        browser.press("ncp?");
    }
    browser.run("document.activeElement.blur()");
    browser.press("\u{e009}\u{e009}");
    assert_eq!(current(browser), before);
    let done = browser.get(&format!("[printed, {is_open}]"));
    assert_eq!(done, json!([1, false]));
    // The space bar only presses the focused button.
    browser.run("document.getElementById('help-button').focus()");
    browser.press(" ");
    browser.wait_for(is_open);
    assert_eq!(current(browser), before);
}

pub(crate) fn scrambles_are_copied_and_saved(browser: &Browser) {
    let folder = tempfile::tempdir().unwrap();
    browser.save_into(folder.path());
    browser.allow_clipboard();
    let _service = opened(browser, "/?count=3&effort=6", 3);
    let scrambles = listed(browser);
    let lines = scrambles.join("\n") + "\n";
    let third = "#list li:nth-child(3) button:nth-of-type(2)";
    // Without the Clipboard API, as on pages without TLS, and with it.
    let without =
        "Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true })";
    for is_without in [true, false] {
        for (button, notice, expected) in [
            ("#copy", "Copied scramble 1.", &scrambles[0]),
            ("#copy-all", "Copied all scrambles.", &lines),
            (third, "Copied scramble 3.", &scrambles[2]),
        ] {
            if is_without {
                browser.run(without);
            }
            browser.click(button);
            wait_for_notice(browser, notice);
            browser.run("delete navigator.clipboard");
            assert_eq!(clipboard(browser), *expected);
        }
    }
    browser.run(&format!("document.execCommand = () => false; {without}"));
    browser.click("#copy");
    wait_for_notice(browser, "The browser does not allow this page to copy.");

    let saved = |button: &str, name: &str, is_complete: &dyn Fn(&str) -> bool| {
        browser.click(button);
        let read = || fs::read_to_string(folder.path().join(name)).unwrap_or_default();
        wait_until(name, || is_complete(&read()));
        read()
    };
    saved("#save-text", "scrambles.txt", &|text| text == lines);
    let is_json = |text: &str| serde_json::from_str::<Value>(text).is_ok();
    let text = saved("#save-json", "scrambles.json", &is_json);
    let document: Value = serde_json::from_str(&text).unwrap();
    let of = [&document["event"], &document["method"], &document["effort"]];
    assert_eq!(of, [&json!("444"), &json!("stub"), &json!(6)]);
    let items = document["scrambles"].as_array().unwrap();
    assert_eq!(items.len(), 3);
    for (item, scramble) in items.iter().zip(&scrambles) {
        assert_eq!(item["scramble"], *scramble);
        assert_eq!(item["state"].as_str().unwrap().len(), 96);
        assert_eq!(item["moves"], 2);
    }
}

pub(crate) fn training_subsets_can_be_chosen(browser: &Browser) {
    let (service, _) = ready(Behavior::Turns);
    browser.open(&service.url("/?subset=pll&count=2"));
    let last_request = || {
        let urls = service.requests().into_iter();
        let mut urls = urls.filter(|url| url.contains("/v1/scrambles?"));
        urls.next_back().unwrap()
    };
    let hint = || browser.text("#subset-hint");
    let query = "event=444&effort=4&subset=pll&method=stub&count=2";
    browser.wait_for("document.getElementById('stop').ariaDisabled === 'true'");
    assert_eq!(last_request(), format!("/v1/scrambles?{query}"));
    assert!(hint().starts_with("The last layer"), "{}", hint());
    browser.choose("subset", "last-eight-edges");
    assert!(hint().contains("four edges"), "{}", hint());
    assert!(browser.address_bar().contains("&subset=last-eight-edges&"));
    // Blindfolded scrambles have no subsets.
    browser.choose("event", "444bf");
    let subset = "const { value, disabled } = document.querySelector('[name=subset]');
        return [value, disabled]";
    assert_eq!(browser.run(subset), json!(["all", true]));
    assert_eq!(hint(), "");
    assert!(!browser.address_bar().contains("subset"));
    wait_for_all(browser, 2);
    let query = "event=444bf&effort=4&method=stub&count=2";
    assert_eq!(last_request(), format!("/v1/scrambles?{query}"));
    browser.choose("event", "444");
    assert_eq!(browser.run(subset), json!(["all", false]));
    for option in SUBSETS {
        let list = "document.querySelector('[name=subset]')";
        let title = browser.get(&format!("{list}.querySelector('[value={option}]').title"));
        assert_eq!(title == "", option == "all", "{option}");
    }
}

pub(crate) fn each_method_has_a_hint(browser: &Browser) {
    browser.allow_failures();
    let methods = ["five-stage", "reduction"];
    let service = Service::start(starting_with(&methods, settings()));
    browser.open(&service.url("/"));
    browser.run("document.getElementById('experts').open = true");
    for (child, expected) in [
        (1, "about 4 turns longer than reduction"),
        (2, "about 4 turns shorter than five-stage"),
    ] {
        browser.click(&format!("[name=method] option:nth-child({child})"));
        let hint = browser.run(
            "const list = document.querySelector('[name=method]');
            return document.getElementById(list.getAttribute('aria-describedby')).textContent",
        );
        assert!(hint.as_str().unwrap().contains(expected), "{hint}");
    }
}

pub(crate) fn keys_can_be_disabled(browser: &Browser) {
    let service = opened(browser, "/?count=3", 3);
    for (is_enabled, expected) in [(false, 1), (true, 2)] {
        browser.click("#help-button");
        browser.click("#keys");
        browser.click("#help button");
        // The setting is kept when the page is loaded again.
        for _ in 0..2 {
            let is_checked = browser.get("document.getElementById('keys').checked");
            assert_eq!(is_checked, is_enabled);
            browser.run("document.activeElement.blur()");
            browser.press("n");
            let expected = format!("4x4x4, scramble {expected} of 3, 2 moves");
            assert_eq!(current(browser), expected);
            browser.run("sessionStorage.clear()");
            open(browser, &service, "/?count=3", 3);
        }
    }
    assert_eq!(browser.get("localStorage.length"), 0);
}

pub(crate) fn scrambles_may_arrive_in_any_pieces(browser: &Browser) {
    let _service = opened(browser, "/?count=3", 3);
    let pieces = "
        const original = window.fetch;
        window.fetch = async (...request) => {
            const text = await (await original(...request)).text();
            const bytes = new TextEncoder().encode(text);
            return new Response(new ReadableStream({
                start(controller) {
                    for (let at = 0; at < bytes.length; at += 7) controller.enqueue(bytes.slice(at, at + 7));
                    controller.close();
                },
            }));
        };
        document.getElementById('list').replaceChildren();";
    browser.run(pieces);
    browser.click("#choices button.main");
    wait_for_all(browser, 3);
}

pub(crate) fn a_newer_request_replaces_a_running_one(browser: &Browser) {
    let _service = opened(browser, "/?count=3", 3);
    // Responses that do not end before they are aborted.
    let endless = "
        window.requests = 0;
        window.fetch = async (path, { signal }) => new Response(new ReadableStream({
            start(controller) {
                window.requests += 1;
                signal.addEventListener('abort', () => controller.error(signal.reason));
            },
        }));";
    browser.run(endless);
    for requests in 1..=2 {
        browser.click("#choices button.main");
        browser.wait_for(&format!("window.requests === {requests}"));
    }
    // What follows the first one has happened by the next task.
    browser.run("return new Promise((resolve) => setTimeout(resolve, 50))");
    let can_stop = "document.getElementById('stop').ariaDisabled";
    assert_eq!(
        (notice(browser), browser.get(can_stop)),
        ("Scrambling …".to_owned(), json!("false"))
    );
    browser.click("#stop");
    wait_for_notice(browser, "Stopped: 0 of 3 new scrambles.");
    assert_eq!(browser.get(can_stop), "true");
}
