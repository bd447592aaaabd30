//! The accessibility rules of axe-core in every state of the page, and screenshots of the states. The
//! environment variable `AXE` names `axe.min.js` (`npm install axe-core`), and `SCREENSHOTS` a folder for the
//! screenshots.

use std::env::var_os;
use std::fs;
use std::net::TcpListener;

use serde_json::{Value, json};

use crate::service::{Behaviour, settings, starting_with};
use crate::{Browser, LISTED, Service, assert_sound, ready, wait_for_notice};

/// The violated rules: the name and the elements of each.
const FINDINGS: &str = "
    const { violations } = await axe.run(document);
    return violations.map(({ id, nodes }) => [id, ...nodes.map((node) => `${node.html} ${node.failureSummary}`)]);";

/// Checks the present state of the page and takes a screenshot.
fn check(browser: &Browser, state: &str) {
    let axe = fs::read_to_string(var_os("AXE").expect("AXE names axe.min.js")).unwrap();
    // The library needs its own function scope to find its global object.
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

/// Waits until the element of a selector contains `text`.
fn wait_for(browser: &Browser, selector: &str, text: &str) {
    let text = Value::from(text);
    browser.wait_for(&format!(
        "document.querySelector('{selector}').innerText.includes({text})"
    ));
}

/// Paints an impossible corner in the position editor and focuses a blue sticker.
fn paint_invalid(browser: &Browser) {
    browser.click("[name=by][value=state]");
    browser.click("[name=colour][value=F]");
    browser.click("#net rect:nth-of-type(1)");
    browser.click("#given button[value='v1/verify']");
    wait_for(browser, "#position-notice", "No corner is");
    browser.run("document.querySelector('#net rect:nth-of-type(86)').focus()");
}

fn scrambles(browser: Browser) -> (Browser, Service) {
    let (service, _) = ready(Behaviour::Turns);
    browser.open(&service.url("/?count=3&letters=1"));
    browser.wait_for(&format!("{LISTED} === 3"));
    (browser, service)
}

pub(crate) fn no_state_violates_a_rule(browser: Browser) {
    let (browser, mut service) = scrambles(browser);
    let check = |state: &str| check(&browser, state);
    check("scrambles");
    paint_invalid(&browser);
    check("position-error");
    browser.click("#sheets summary");
    browser.fill_in("#sheets [name=competition]", "Example Open 2026");
    browser.click("#sheets button.main");
    wait_for(&browser, "#sheets-notice", "The sheets are ready.");
    let page = browser.windows()[0].clone();
    browser.switch_to(&page);
    check("sheets");
    browser.emulate("screen", "dark");
    check("dark");
    browser.emulate("screen", "light");
    browser.resize(320, 800);
    check("narrow");
    browser.resize(1280, 800);
    browser.run("document.getElementById('help').showModal()");
    browser.click("#keys");
    check("shortcuts-off");
    browser.run("document.getElementById('help').close()");
    browser.run(
        "const list = document.querySelector('[name=subset]');
        list.value = 'last-layer';
        list.dispatchEvent(new Event('change', { bubbles: true }))",
    );
    check("subset");
    browser.run(
        "for (const fold of document.querySelectorAll('details')) fold.open = true;
        const list = document.querySelector('[name=scheme]');
        list.value = list.lastElementChild.value;
        list.dispatchEvent(new Event('change', { bubbles: true }))",
    );
    check("colours");
    service.stop();
    // The system accepts connections, but no one responds.
    let silent = TcpListener::bind(&service.address).unwrap();
    browser.click("#choices button.main");
    wait_for_notice(&browser, "Waiting for the service …");
    check("waiting");
    drop(silent);
    wait_for_notice(&browser, "No response:");
    check("no-answer");
    browser.click("#stop");
    service.listen();
    browser.force_colours();
    check("forced-colours");
    browser.run("document.getElementById('help').showModal()");
    check("forced-colours-keys");
    browser.emulate("screen", "dark");
}

pub(crate) fn an_error_violates_no_rule(browser: Browser) {
    let (service, _) = ready(Behaviour::Failing);
    browser.open(&service.url("/"));
    wait_for_notice(&browser, "the service failed");
    check(&browser, "error");
    assert_sound(&browser, &service, true);
}

pub(crate) fn a_starting_service_violates_no_rule(browser: Browser) {
    let methods = ["five-stage", "reduction"];
    let service = Service::start(starting_with(&methods, settings()));
    browser.open(&service.url("/"));
    wait_for_notice(&browser, "Starting:");
    check(&browser, "starting");
}
