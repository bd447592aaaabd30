//! Sheets in a new window.

use serde_json::json;

use crate::service::Behaviour;
use crate::{Browser, LISTED, assert_sound, ready, ready_with_token};
use test_support::wait::wait_until;

/// Fills in the form.
fn fill_in(browser: &Browser) {
    browser.click("#sheets summary");
    browser.fill_in("#sheets [name=competition]", "Example Open 2026");
    browser.click("#sheets [name=event] option[value='444bf']");
    browser.fill_in("#sheets [name=round]", "2");
    browser.fill_in("#sheets [name=sets]", "3");
    for option in ["letters", "cover", "set-numbers"] {
        browser.click(&format!("#sheets [name={option}]"));
    }
}

fn wait_for_notice(browser: &Browser, text: &str) {
    let notice = "document.getElementById('sheets-notice').innerText.trim()";
    browser.wait_for(&format!("{notice}.startsWith({})", json!(text)));
}

/// Has the page keep the last file that it makes an address of.
fn keep_file(browser: &Browser) {
    browser.run(
        "const make = URL.createObjectURL;
        URL.createObjectURL = (file) => {
            file.text().then((text) => window.file = [file.type, text]);
            return make.call(URL, file);
        };",
    );
}

/// The number of pages of the last file, which is a PDF.
fn pages(browser: &Browser) -> usize {
    browser.wait_for("window.file");
    let file = browser.run("return window.file");
    assert_eq!(file[0], "application/pdf");
    let text = file[1].as_str().unwrap();
    assert!(text.starts_with("%PDF-") && text.ends_with("%%EOF\n"));
    text.matches("/Type/Page/").count()
}

pub(crate) fn sheets_open_in_a_new_window(browser: Browser) {
    let (service, _) = ready(Behaviour::Turns);
    browser.open(&service.url("/?count=1&effort=2"));
    browser.wait_for(&format!("{LISTED} === 1"));
    fill_in(&browser);
    browser.requests();
    keep_file(&browser);
    browser.click("#sheets button.main");
    wait_for_notice(&browser, "The sheets are ready.");
    let query = "competition=Example+Open+2026&event=444bf&round=2&sets=3&letters=1&cover=1\
                 &set-numbers=1&method=stub&effort=2";
    let requests = browser.requests();
    assert!(
        requests.contains(&service.url(&format!("/print?{query}"))),
        "{requests:?}"
    );
    // The cover, and a page for each set.
    assert_eq!(pages(&browser), 4);
    wait_until("a window", || browser.windows().len() == 2);
    // If the browser blocks windows, the page shows a link.
    browser.run("window.open = () => null");
    let open_again = || {
        let first = browser.run("return document.getElementById('sheets-link').href");
        browser.requests();
        browser.click("#sheets button.main");
        browser.wait_for(&format!(
            "![{first}, ''].includes(document.getElementById('sheets-link').href)"
        ));
        wait_for_notice(&browser, "The sheets are ready.");
    };
    browser.click("#sheets [name=duplex]");
    open_again();
    let query = query.replace("&method", "&duplex=1&method");
    let expected = service.url(&format!("/print?{query}"));
    assert!(browser.requests().contains(&expected));
    assert_eq!(pages(&browser), 8);
    assert_eq!(browser.windows().len(), 2);
    browser.click("#sheets-link");
    wait_until("a window", || browser.windows().len() == 3);
    open_again();
    assert_sound(&browser, &service, false);
}

pub(crate) fn errors_are_shown_on_the_page(browser: Browser) {
    let (service, _) = ready(Behaviour::Failing);
    browser.open(&service.url("/"));
    crate::wait_for_notice(&browser, "the service failed; the error has been logged");
    let shown = browser.run(
        "return [document.querySelector('#notice [role=status]').className,
            document.getElementById('stop').ariaDisabled]",
    );
    assert_eq!(shown, json!(["error", "true"]));
    fill_in(&browser);
    browser.requests();
    // Values that the service would reject are marked and not requested.
    for (name, max) in [("round", 4), ("sets", 26)] {
        let field = format!("#sheets [name={name}]");
        let before = browser.run(&format!("return document.querySelector('{field}').value"));
        browser.fill_in(&field, &(max + 1).to_string());
        browser.click("#sheets button.main");
        browser.wait_for(&format!(
            "document.activeElement.matches('{field}') && document.activeElement.validity.rangeOverflow"
        ));
        browser.fill_in(&field, before.as_str().unwrap());
    }
    let requests = browser.requests();
    assert!(
        !requests.iter().any(|url| url.contains("/print")),
        "{requests:?}"
    );
    browser.click("#sheets button.main");
    wait_for_notice(&browser, "the service failed; the error has been logged");
    assert_eq!(browser.windows().len(), 1);
    assert_eq!(browser.all("#sheets-link"), [""; 0]);
    assert_sound(&browser, &service, true);
}

pub(crate) fn a_token_is_sent_for_sheets_too(browser: Browser) {
    let (service, token) = ready_with_token();
    // With an invalid count the page sends no request, so it does not ask for the token yet.
    browser.open(&service.url("/?count=0"));
    keep_file(&browser);
    fill_in(&browser);
    browser.click("#sheets button.main");
    wait_for_notice(&browser, "The service requires a token.");
    browser.press(&format!("{token}\u{e007}"));
    wait_for_notice(&browser, "The sheets are ready.");
    // The field for the token is gone, but the focus is not lost.
    let focused = browser.run("return document.activeElement.textContent");
    assert_eq!(focused, "Open sheets");
    for url in browser.requests() {
        assert!(!url.contains(token), "{url}");
    }
    assert_eq!(pages(&browser), 4);
}
