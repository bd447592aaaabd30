//! Sheets in a new window.

use serde_json::Value;

use crate::*;
use test_support::wait::wait_until;

/// Fills in the form, and has the page keep the last file that it makes an address of.
fn fill_in(browser: &Browser) {
    browser.click("#sheets summary");
    browser.fill_in("#sheets [name=competition]", "Example Open 2026");
    browser.click("#sheets [name=event] option[value='444bf']");
    browser.fill_in("#sheets [name=round]", "2");
    browser.fill_in("#sheets [name=sets]", "3");
    for option in ["letters", "cover", "set-numbers"] {
        browser.click(&format!("#sheets [name={option}]"));
    }
    browser.run(
        "const make = URL.createObjectURL;
        URL.createObjectURL = (file) => {
            file.text().then((text) => window[file.type.endsWith('json') ? 'saved' : 'file'] = [file.type, text]);
            return make.call(URL, file);
        };",
    );
}

fn wait_for_sheets(browser: &Browser, text: &str) {
    let notice = "document.getElementById('sheets-notice').innerText.trim()";
    browser.wait_for(&format!("{notice}.startsWith({})", json!(text)));
}

/// The number of pages of the last file, which is a PDF.
fn pages(browser: &Browser) -> usize {
    browser.wait_for("window.file");
    let file = browser.get("window.file");
    assert_eq!(file[0], "application/pdf");
    let text = file[1].as_str().unwrap();
    assert!(text.starts_with("%PDF-") && text.ends_with("%%EOF\n"));
    text.matches("/Type/Page/").count()
}

pub(crate) fn sheets_open_in_a_new_window(browser: &Browser) {
    let service = opened(browser, "/?count=1&effort=2", 1);
    fill_in(browser);
    browser.click("#sheets button.main");
    wait_for_sheets(browser, "The sheets are ready.");
    let query = "/print?paper=a4&letters=1&cover=1&set-numbers=1";
    let requests = service.requests();
    for expected in ["/v1/wcif?extras=2&method=stub&effort=2", query] {
        assert!(requests.contains(&expected.to_owned()), "{requests:?}");
    }
    // What is saved has the scrambles.
    let saved = "document.getElementById('scrambles-link')";
    let name = "Example Open 2026 444bf-r2.json";
    assert_eq!(browser.get(&format!("{saved}.download")), name);
    assert!(!browser.get(&format!("{saved}.hidden")).as_bool().unwrap());
    browser.wait_for("window.saved");
    let document: Value =
        serde_json::from_value(browser.get("JSON.parse(window.saved[1])")).unwrap();
    assert_eq!(document["wcif"]["name"], "Example Open 2026");
    let event = &document["wcif"]["events"][0];
    let sizes = [0, 1].map(|round: usize| {
        let sets = event["rounds"][round]["scrambleSets"]
            .as_array()
            .unwrap()
            .iter();
        let lists = ["scrambles", "extraScrambles"];
        let sizes = sets.map(|set| lists.map(|list| set[list].as_array().unwrap().len()));
        sizes.collect::<Vec<_>>()
    });
    assert_eq!(
        (&event["id"], sizes),
        (&json!("444bf"), [vec![], vec![[3, 2]; 3]])
    );
    // The cover, and a page for each set.
    assert_eq!(pages(browser), 4);
    wait_until("a window", || browser.windows().len() == 2);
    // Scrambles that are not saved stay until somebody says that they may go.
    let unsaved = browser.get("document.getElementById('sheets-link').href");
    browser.run("window.confirm = () => { window.asked = true; return false; }");
    service.requests();
    browser.click("#sheets button.main");
    browser.wait_for("window.asked");
    assert_eq!(
        browser.get("document.getElementById('sheets-link').href"),
        unsaved
    );
    browser.run(
        "window.asked = false;
        window.printFile = (file) => {
            const data = new DataTransfer();
            data.items.add(file);
            const input = document.getElementById('saved');
            input.files = data.files;
            input.dispatchEvent(new Event('change'));
        };
        window.printFile(new File(['{}'], 'other.json'));",
    );
    browser.wait_for("window.asked");
    assert_eq!(service.requests(), [""; 0]);
    // So does the page, before it is left.
    let leave = "window.dispatchEvent(new Event('beforeunload', { cancelable: true }))";
    assert_eq!(browser.get(leave), false);
    browser.run(&format!("{saved}.dispatchEvent(new Event('click'))"));
    assert_eq!(browser.get(leave), true);
    // If the browser blocks windows, the page shows a link.
    browser.run("window.open = () => null");
    let open_again = || {
        let first = browser.get("document.getElementById('sheets-link').href");
        service.requests();
        browser.click("#sheets button.main");
        let link = "document.getElementById('sheets-link').href";
        browser.wait_for(&format!("![{first}, ''].includes({link})"));
        wait_for_sheets(browser, "The sheets are ready.");
    };
    browser.click("#sheets [name=duplex]");
    open_again();
    assert!(service.requests().contains(&format!("{query}&duplex=1")));
    assert_eq!(pages(browser), 8);
    browser.run("window.confirm = () => true");
    assert_eq!(browser.windows().len(), 2);
    browser.click("#sheets-link");
    wait_until("a window", || browser.windows().len() == 3);
    open_again();
    // Saved scrambles are printed, also twice.
    let document = test_support::turns::interchange(&test_support::turns::competition(&[2], 0), 8);
    browser.run(&format!(
        "window.old = new File([{}], 'old.json')",
        json!(document.to_string())
    ));
    for _ in 0..2 {
        service.requests();
        browser.run("window.file = undefined");
        browser.run("window.printFile(window.old)");
        browser.wait_for("window.file && window.file[0] === 'application/pdf'");
        wait_for_sheets(browser, "The sheets are ready.");
        assert_eq!(service.requests(), [format!("{query}&duplex=1")]);
        assert_eq!(
            browser.get("document.getElementById('saved').files.length"),
            0
        );
        assert_eq!(browser.get(&format!("{saved}.download")), "old.json");
        // They are a file already.
        assert_eq!(browser.get(leave), true);
    }
    // The address of the sheets before is revoked.
    browser.run("window.fetch = () => Promise.reject(new TypeError())");
    browser.click("#sheets button.main");
    browser.wait_for("document.getElementById('sheets-link').hidden");
}

pub(crate) fn errors_are_shown_on_the_page(browser: &Browser) {
    browser.allow_failures();
    let (service, _) = ready(Behavior::Failing);
    browser.open(&service.url("/"));
    let failed = "the service failed; the error has been logged";
    wait_for_notice(browser, failed);
    let shown = "[document.querySelector('#notice [role=status]').className,
        document.getElementById('stop').ariaDisabled]";
    assert_eq!(browser.get(shown), json!(["error", "true"]));
    fill_in(browser);
    // Values that the service would reject are marked and not requested.
    for (name, valid, invalid) in [("round", "2", "5"), ("sets", "3", "27")] {
        let field = format!("#sheets [name={name}]");
        browser.fill_in(&field, invalid);
        browser.click("#sheets button.main");
        let active = "document.activeElement";
        let is_marked = format!("{active}.matches('{field}') && {active}.validity.rangeOverflow");
        browser.wait_for(&is_marked);
        browser.fill_in(&field, valid);
    }
    assert_not_requested(browser, &service, "/print");
    browser.click("#sheets button.main");
    wait_for_sheets(browser, failed);
    assert_eq!(browser.windows().len(), 1);
    assert_eq!(browser.all("#sheets-link"), [""; 0]);
}

pub(crate) fn a_token_is_sent_for_sheets_too(browser: &Browser) {
    browser.allow_failures();
    let (service, token) = ready_with_token();
    // With an invalid count the page sends no request, so it does not ask for the token yet.
    browser.open(&service.url("/?count=0"));
    fill_in(browser);
    browser.click("#sheets button.main");
    wait_for_sheets(browser, "The service requires a token.");
    browser.press(&format!("{token}\u{e007}"));
    wait_for_sheets(browser, "The sheets are ready.");
    // The field for the token is gone, but the focus is not lost.
    let focused = browser.get("document.activeElement.textContent");
    assert_eq!(focused, "Open sheets");
    for url in service.requests() {
        assert!(!url.contains(token), "{url}");
    }
    assert_eq!(pages(browser), 4);
}
