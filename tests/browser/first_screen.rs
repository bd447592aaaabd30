//! What is visible without scrolling, and swipes.

use crate::*;

/// Replaces the turns of the current scramble by 54, more than nearly all scrambles have. Returns the edges of what a
/// solver needs, the size of the letters, and whether the settings are open.
const EDGES: &str = "
    const turns = document.querySelector('#large .turns');
    turns.replaceChildren(...Array.from({ length: 9 }, () => {
        const group = document.createElement('span');
        group.textContent = 'Rw2 Uw2 Fw2 Rw2 Uw2 Fw2 ';
        return group;
    }));
    const edges = (element) => {
        const { left, top, right, bottom } = element.getBoundingClientRect();
        return [left, top, right, bottom];
    };
    const parts = [turns.firstChild, turns.lastChild, ...document.querySelectorAll('#next, #copy, #hold, #large svg')];
    return [parts.map(edges), parseFloat(getComputedStyle(turns).fontSize), document.getElementById('settings').open,
        scrollY]";

pub(crate) fn a_phone_shows_the_whole_scramble_and_its_buttons(browser: &Browser) {
    let (service, _) = ready(Behavior::Turns);
    for (width, height, has_net, is_open) in [
        (390, 844, true, false),
        (844, 390, true, false),
        (320, 568, false, false),
        (1280, 900, true, true),
    ] {
        browser.open(&service.url("/?count=1"));
        browser.resize(width, height);
        open(browser, &service, "/?count=3", 3);
        let (edges, size, settings, scrolled): (Vec<[f64; 4]>, f64, bool, f64) =
            serde_json::from_value(browser.run(EDGES)).unwrap();
        assert_eq!(edges.len(), 6);
        let visible = if has_net { &edges[..] } else { &edges[..5] };
        for [left, top, right, bottom] in visible {
            let fits = *right <= f64::from(width) && *bottom <= f64::from(height);
            assert!(
                *left >= 0.0 && *top >= 0.0 && fits,
                "{width}x{height}: {edges:?}"
            );
        }
        assert!(size >= 20.0, "{size}");
        assert_eq!((settings, scrolled), (is_open, 0.0), "{width}x{height}");
    }
}

pub(crate) fn swipes_show_the_next_and_the_previous_scramble(browser: &Browser) {
    let _service = opened(browser, "/?count=3", 3);
    browser.resize(390, 844);
    for ([x, y], expected) in [
        ([-120, 10], 2),
        ([-120, -10], 3),
        ([120, 0], 2),
        // Too short, or not horizontal.
        ([-30, 0], 2),
        ([-80, 70], 2),
    ] {
        browser.swipe(&[[[200, 300], [200 + x, 300 + y]]]);
        let expected = format!("4x4x4, scramble {expected} of 3, 2 moves");
        assert_eq!(browser.text("#one-title"), expected, "{x} {y}");
    }
}

pub(crate) fn one_scramble_has_no_list(browser: &Browser) {
    let _service = opened(browser, "/?count=1", 1);
    assert!(browser.all("#list li").is_empty());
    browser.press("n");
    wait_for_list(browser, 2);
    assert_eq!(browser.all("#list li").len(), 2);
}

pub(crate) fn the_button_says_that_it_has_copied(browser: &Browser) {
    browser.allow_clipboard();
    let _service = opened(browser, "/?count=2", 2);
    for button in [
        "#copy",
        "#copy-all",
        "#list li:nth-child(2) button:nth-of-type(2)",
    ] {
        let text = format!("document.querySelector('{button}').textContent");
        let before = browser.get(&text);
        // A second click does not make this the text of the button.
        browser.click(button);
        browser.click(button);
        browser.wait_for(&format!("{text} === 'Copied'"));
        browser.wait_for(&format!("{text} === {before}"));
    }
    // The next scramble has not been copied.
    browser.press("c");
    browser.wait_for("document.getElementById('copy').textContent === 'Copied'");
    browser.press("n");
    assert_eq!(browser.text("#copy"), "Copy");
}

pub(crate) fn a_turn_can_be_marked_and_is_spoken(browser: &Browser) {
    browser.allow_clipboard();
    let _service = opened(browser, "/?count=1", 1);
    let marked = || {
        browser.get("[...document.querySelectorAll('.marked')].map((it) => it.textContent.trim())")
    };
    browser.run("document.querySelector('#large .turn').textContent = \"Rw2 \"");
    for (tapped, expected) in [(1, json!(["Rw2"])), (2, json!(["U"])), (2, json!([]))] {
        let turn = format!("#large .turn:nth-child({tapped})");
        if tapped == 2 {
            browser.run(&format!(
                "document.querySelector('{turn}').textContent = 'U   '"
            ));
        }
        browser.click(&turn);
        assert_eq!(marked(), expected);
    }
    // Screen readers get words, which are not copied with the turns.
    let words = browser.run(
        "const { columns } = await import('./assets/cube.js');
        const large = document.getElementById('large');
        large.replaceChildren(columns(\"R Uw' Fw2 x'\"));
        getSelection().selectAllChildren(large);
        document.execCommand('copy');
        return getComputedStyle(document.querySelector('#large .spoken'), '::after').content",
    );
    let expected = "R, U wide prime, F wide 2, x prime";
    assert_eq!(words, format!("\"{expected}\""));
    let copied = browser.get("navigator.clipboard.readText()");
    let copied = copied.as_str().unwrap().split_whitespace();
    assert_eq!(copied.collect::<Vec<_>>(), ["R", "Uw'", "Fw2", "x'"]);
}

pub(crate) fn the_screen_stays_on(browser: &Browser) {
    let service = opened(browser, "/?count=2", 2);
    let count = "
        const sent = { asked: 0, released: 0 };
        Object.defineProperty(navigator, 'wakeLock', { value: { async request() {
            sent.asked += 1;
            return { async release() { sent.released += 1; } };
        } } });
        window.locks = sent;";
    browser.run(count);
    browser.press("n");
    browser.press("\u{e012}");
    // One at a time.
    browser.wait_for("window.locks.asked === 2 && window.locks.released === 1");
    // Browsers may refuse, or not know it.
    browser.run("navigator.wakeLock.request = async () => { throw new Error('battery'); }");
    browser.press("n");
    assert_eq!(
        browser.text("#one-title"),
        "4x4x4, scramble 2 of 2, 2 moves"
    );
    open(browser, &service, "/?count=3", 3);
}

pub(crate) fn a_page_whose_script_cannot_run_says_so(browser: &Browser) {
    let file = "/src/http/routes/page/index.html";
    browser.open(&format!("file://{}{file}", env!("CARGO_MANIFEST_DIR")));
    let text = browser.get("document.body.innerText").to_string();
    assert!(text.contains("If this stays, the script of the page cannot run."));
    browser.messages();
    let _service = opened(browser, "/?count=1", 1);
    assert_eq!(
        browser.get("document.getElementById('loading')"),
        Value::Null
    );
}
