//! The rules of axe-core in every state of the page, and pictures of the states. The environment variable
//! `AXE` names `axe.min.js` (`npm install axe-core`), and `SCREENSHOTS` a folder for the pictures.

use std::env::var_os;
use std::fs;
use std::net::TcpListener;

use scramble444::http::Methods;
use serde_json::{Value, json};

use crate::common::stub::{Behaviour, settings, starting_with};
use crate::{Browser, LISTED, Service, assert_sound, browsers, ready, wait_for_notice};

/// The rules that a page breaks: name, and the elements.
const FINDINGS: &str = "
    const { violations } = await axe.run(document);
    return violations.map(({ id, nodes }) => [id, ...nodes.map((node) => `${node.html} ${node.failureSummary}`)]);";

/// Looks at the page as it is now.
fn look(browser: &Browser, axe: &str, state: &str) {
    // In the function's own scope the library would not find its global object.
    let script = format!("return (async () => {{ {axe}; {FINDINGS} }})()");
    let findings = browser.run(&script);
    if let Some(folder) = var_os("SCREENSHOTS") {
        let name = format!("{}-{state}.png", browser.name());
        fs::write(
            std::path::Path::new(&folder).join(name),
            browser.screenshot(),
        )
        .unwrap();
    }
    assert_eq!(findings, json!([]), "{state}");
}

/// Waits for a text in a place.
fn wait_for(browser: &Browser, place: &str, text: &str) {
    let text = Value::from(text);
    browser.wait_for(&format!(
        "document.querySelector('{place}').innerText.includes({text})"
    ));
}

/// The position editor with a corner that there is not, and the focus on a blue sticker.
fn paint_wrong(browser: &Browser) {
    browser.click("[name=by][value=state]");
    browser.click("[name=colour][value=F]");
    browser.click("#net rect:nth-of-type(1)");
    browser.click("#given button[value='v1/verify']");
    wait_for(browser, "#position-notice", "No corner is");
    browser.run("document.querySelector('#net rect:nth-of-type(86)').focus()");
}

fn scrambles() -> impl Iterator<Item = (Browser, Service)> {
    browsers().map(|browser| {
        let (service, _) = ready(Behaviour::Turns);
        browser.open(&service.url("/?count=3&letters=1"));
        browser.wait_for(&format!("{LISTED} === 3"));
        (browser, service)
    })
}

#[test]
fn no_state_breaks_a_rule() {
    let Some(axe) = var_os("AXE") else {
        eprintln!("left out, as AXE does not name axe.min.js");
        return;
    };
    let axe = fs::read_to_string(axe).unwrap();
    for (browser, mut service) in scrambles() {
        let look = |state: &str| look(&browser, &axe, state);
        look("scrambles");
        paint_wrong(&browser);
        look("position-error");
        browser.click("#sheets summary");
        browser.fill_in("#sheets [name=competition]", "Example Open 2026");
        browser.click("#sheets button.main");
        wait_for(&browser, "#sheets-notice", "The sheets are ready.");
        let page = browser.windows()[0].clone();
        browser.switch_to(&page);
        look("sheets");
        browser.emulate("screen", "dark");
        look("dark");
        browser.emulate("screen", "light");
        browser.resize(320, 800);
        look("narrow");
        browser.resize(1280, 800);
        browser.run("document.getElementById('help').showModal()");
        browser.click("#keys");
        look("shortcuts-off");
        browser.run("document.getElementById('help').close()");
        browser.run(
            "const list = document.querySelector('[name=subset]');
            list.value = 'last-layer';
            list.dispatchEvent(new Event('change', { bubbles: true }))",
        );
        look("subset");
        service.stop();
        // The system takes connections, and nobody answers.
        let silent = TcpListener::bind(&service.address).unwrap();
        browser.click("#choices button.main");
        wait_for_notice(&browser, "Waiting for the service …");
        look("waiting");
        drop(silent);
        wait_for_notice(&browser, "No response:");
        look("no-answer");
        browser.click("#stop");
        service.listen();
        browser.force_colours();
        look("forced-colours");
        browser.run("document.getElementById('help').showModal()");
        look("forced-colours-keys");
        browser.emulate("screen", "dark");
    }
    for browser in browsers() {
        let (service, _) = ready(Behaviour::Failing);
        browser.open(&service.url("/"));
        wait_for_notice(&browser, "the service failed");
        look(&browser, &axe, "error");
        assert_sound(&browser, &service, true);
    }
    for browser in browsers() {
        let methods = Methods::new("five-stage", &["reduction"]);
        let service = Service::start(starting_with(methods, settings()));
        browser.open(&service.url("/"));
        wait_for_notice(&browser, "Starting:");
        look(&browser, &axe, "starting");
    }
}
