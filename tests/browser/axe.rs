//! The accessibility rules of axe-core in every state of the page, and screenshots of the states. The
//! environment variable `AXE` names `axe.min.js` (`npm install axe-core`), and `SCREENSHOTS` a folder for the
//! screenshots.

use std::net::TcpListener;
use std::path::PathBuf;

use crate::*;

/// The violated rules: the name and the elements of each.
const FINDINGS: &str = "
    const { violations } = await axe.run(document);
    return violations.map(({ id, nodes }) => [id, ...nodes.map((node) => `${node.html} ${node.failureSummary}`)]);";

/// Checks the present state of the page and takes a screenshot.
fn check(browser: &Browser, state: &str) {
    let axe = std::fs::read_to_string(var_os("AXE").expect("AXE names axe.min.js")).unwrap();
    // The library needs its own function scope to find its global object.
    let findings = browser.get(&format!("(async () => {{ {axe}; {FINDINGS} }})()"));
    if let Some(folder) = var_os("SCREENSHOTS") {
        let name = format!("{}-{state}.png", browser.name());
        std::fs::write(PathBuf::from(folder).join(name), browser.screenshot()).unwrap();
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

pub(crate) fn no_state_violates_a_rule(browser: &Browser) {
    browser.allow_failures();
    let mut service = opened(browser, "/?count=3&letters=1", 3);
    let check = |state: &str| check(browser, state);
    check("scrambles");
    // An impossible corner in the position editor, and the focus on a blue sticker.
    browser.click("[name=by][value=state]");
    browser.click("[name=color][value=F]");
    browser.click("#net rect:nth-of-type(1)");
    browser.click("#given button[value='v1/verify']");
    wait_for(browser, "#position-notice", "No corner is");
    browser.run("document.querySelector('#net rect:nth-of-type(86)').focus()");
    check("position-error");
    browser.click("#sheets summary");
    browser.fill_in("#sheets [name=competition]", "Example Open 2026");
    browser.click("#sheets button.main");
    wait_for(browser, "#sheets-notice", "The sheets are ready.");
    browser.switch_to(&browser.windows()[0]);
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
    let choose = |name: &str, child: &str| {
        browser.run(&format!(
            "for (const fold of document.querySelectorAll('details')) fold.open = true;
            const list = document.querySelector('[name={name}]');
            list.value = list.querySelector('{child}').value;
            list.dispatchEvent(new Event('change', {{ bubbles: true }}))"
        ));
    };
    choose("subset", "[value=last-layer]");
    check("subset");
    choose("scheme", ":last-child");
    check("colors");
    service.stop();
    // The system accepts connections, but no one responds.
    let silent = TcpListener::bind(&service.address).unwrap();
    browser.click("#choices button.main");
    wait_for_notice(browser, "Waiting for the service …");
    check("waiting");
    drop(silent);
    wait_for_notice(browser, "No response:");
    check("no-answer");
    browser.click("#stop");
    service.listen();
    browser.force_colors();
    check("forced-colors");
    browser.run("document.getElementById('help').showModal()");
    check("forced-colors-keys");
    browser.emulate("screen", "dark");
}

pub(crate) fn an_error_and_a_starting_service_violate_no_rule(browser: &Browser) {
    browser.allow_failures();
    let methods = ["five-stage", "reduction"];
    for (service, notice, state) in [
        (ready(Behavior::Failing).0, "the service failed", "error"),
        (
            Service::start(starting_with(&methods, settings())),
            "Starting:",
            "starting",
        ),
    ] {
        browser.open(&service.url("/"));
        wait_for_notice(browser, notice);
        check(browser, state);
    }
}
