//! Solving and checking positions.

use crate::*;
use test_support::cubes::cube;

fn facelets(turns: &str) -> String {
    cube(turns).facelets()
}

/// Waits for a result and returns its terms and descriptions.
fn result(browser: &Browser) -> Vec<(String, String)> {
    browser.wait_for("document.querySelector('#answer svg')");
    let pairs = browser.run(
        "return [...document.querySelectorAll('#answer dt')].map((term) =>
            [term, term.nextSibling].map((part) => part.textContent.trim().replace(/ +/g, ' ')))",
    );
    serde_json::from_value(pairs).unwrap()
}

fn assert_result(browser: &Browser, expected: &[(&str, &str)]) {
    let result = result(browser);
    let result: Vec<(&str, &str)> = result.iter().map(|(a, b)| (&**a, &**b)).collect();
    assert_eq!(result, expected);
}

fn check(browser: &Browser) {
    browser.click("#given button[value='v1/verify']");
}

/// The facelets in the position editor.
fn painted(browser: &Browser) -> String {
    let state = browser.run(
        "return [...document.querySelectorAll('#net rect')].map((rect) => rect.getAttribute('class')).join('')",
    );
    state.as_str().unwrap().to_owned()
}

fn wait_for_error(browser: &Browser, expected: &str) {
    let text = "document.querySelector('#position-notice .error')?.textContent";
    browser.wait_for(&format!("{text}?.includes({})", json!(expected)));
    assert!(browser.all("#answer svg").is_empty());
}

pub(crate) fn turns_are_checked_and_solved(browser: &Browser) {
    browser.allow_failures();
    let _service = opened(browser, "/?count=1", 1);
    browser.fill_in("[name=scramble]", "r U2' // as people write");
    check(browser);
    let state = facelets("r U2");
    let expected = [
        ("Solved", "no"),
        ("At least two turns from solved", "yes"),
        ("Length", "3 moves, 2 slice turns, 2 block turns"),
        ("In WCA notation", "no"),
        ("State", &*state),
    ];
    assert_result(browser, &expected);
    browser.click("#given button[value='v1/solve']");
    browser.wait_for("document.querySelector('#answer dt')?.textContent === 'Solution'");
    let mut result = result(browser);
    // The time varies.
    let (_, method) = result.remove(2);
    assert!(method.starts_with("stub, in ") && method.ends_with(" ms"));
    let expected = [
        ("Solution", "U' Rw"),
        ("Length", "2 moves, 3 slice turns, 2 block turns"),
        ("Solved", "U' Rw"),
    ];
    assert_eq!(result, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
    browser.fill_in("[name=scramble]", "R Q7");
    check(browser);
    wait_for_error(browser, "turn 2 (\"Q7\") is invalid");
    browser.run("document.querySelector('[name=scramble]').value = 'R U '.repeat(5_000)");
    check(browser);
    wait_for_error(browser, "about 16,000 characters are allowed.");
}

pub(crate) fn stickers_are_painted_by_mouse_and_by_keys(browser: &Browser) {
    browser.allow_failures();
    let _service = opened(browser, "/?count=1", 1);
    // The editor starts with the position given by turns.
    browser.fill_in("[name=scramble]", "U2 x");
    check(browser);
    result(browser);
    browser.click("[name=by][value=state]");
    assert_eq!(painted(browser), facelets("U2 x"));
    browser.click("#solved");
    assert_eq!(painted(browser), facelets(""));
    browser.click("[name=color][value=R]");
    browser.click("#net rect:nth-of-type(6)");
    let expected = facelets("").replacen("UUUUUUU", "UUUUURU", 1);
    assert_eq!(painted(browser), expected);
    check(browser);
    wait_for_error(browser, "white is on 3 and red is on 5");

    // With keys only: the letters of colors and faces, one sticker after the other.
    let state = facelets("Rw U2 F' x");
    browser.run("document.querySelector('#net [tabindex=\"0\"]').focus()");
    browser.press("\u{e012}\u{e013}");
    let colors = [('U', 'w'), ('F', 'G'), ('L', 'o'), ('D', 'Y')];
    let letters = state.chars().enumerate().map(|(index, face)| {
        let color = colors.iter().find(|it| index % 2 == 0 && it.0 == face);
        color.map_or(face.to_ascii_lowercase(), |it| it.1)
    });
    browser.press(&letters.collect::<String>());
    assert_eq!(painted(browser), state);
    check(browser);
    let far = ("At least two turns from solved", "yes");
    assert_result(browser, &[("Solved", "no"), far, ("State", &state)]);
    browser.reload();
    browser.wait_for("document.querySelectorAll('#net rect').length === 96");
    assert_eq!(painted(browser), state);
}

pub(crate) fn fingers_paint_large_stickers(browser: &Browser) {
    let (service, _) = ready(Behavior::Turns);
    let open = |width, height| {
        browser.open(&service.url("/?count=1"));
        browser.resize(width, height);
        browser.open(&service.url("/?count=1"));
        browser.click("[name=by][value=state]");
        browser.run("document.getElementById('net').scrollIntoView({ block: 'center' })");
    };
    for (width, height) in [(320, 568), (360, 640), (390, 844), (844, 390), (1280, 800)] {
        open(width, height);
        let [size, top, bottom]: [f64; 3] = serde_json::from_value(browser.run(
            "const edges = [...document.querySelectorAll('#net rect')].map((rect) => rect.getBoundingClientRect());
            return [edges[0].right - edges[0].left, Math.min(...edges.map(({ top }) => top)),
                Math.max(...edges.map(({ bottom }) => bottom))]",
        ))
        .unwrap();
        assert!(size >= 24.0, "{width}x{height}: {size}");
        assert!(
            top >= 0.0 && bottom <= f64::from(height),
            "{width}x{height}"
        );
    }
    open(390, 844);
    browser.click("[name=color][value=R]");
    let middle = |index: usize| -> [i32; 2] {
        let edges = browser.run(&format!(
            "const {{ left, right, top, bottom }} = document.querySelectorAll('#net rect')[{index}].getBoundingClientRect();
            return [left + right, top + bottom].map((sum) => Math.round(sum / 2))"
        ));
        serde_json::from_value(edges).unwrap()
    };
    // Across and down the top, and from the back, which is below the right side, to that side.
    let mut expected: Vec<char> = facelets("").chars().collect();
    for (from, to) in [(0, 1), (1, 5), (80, 28)] {
        browser.swipe(&[[middle(from), middle(to)]]);
        expected[from] = 'R';
        expected[to] = 'R';
        assert_eq!(painted(browser), expected.iter().collect::<String>());
    }
    // Two fingers zoom.
    browser.swipe(&[[middle(37), middle(36)], [middle(38), middle(39)]]);
    assert_eq!(painted(browser), expected.iter().collect::<String>());
}

pub(crate) fn arrow_keys_move_between_neighboring_stickers(browser: &Browser) {
    let _service = opened(browser, "/?count=1", 1);
    browser.click("[name=by][value=state]");
    let focused = || {
        let name = browser.get("document.activeElement.ariaLabel");
        name.as_str().unwrap().to_owned()
    };
    browser.run("document.querySelector('#net [tabindex=\"0\"]').focus()");
    assert_eq!(focused(), "U, row 1, column 1: white");
    let (up, down, left, right) = ('\u{e013}', '\u{e015}', '\u{e012}', '\u{e014}');
    for (keys, expected) in [
        // The focus cannot leave the net.
        (vec![up, left], "U, row 1, column 1: white"),
        (vec![down, right, down, down], "U, row 4, column 2: white"),
        (vec![down], "F, row 1, column 2: green"),
        (vec![left, left], "L, row 1, column 4: orange"),
        (vec![down; 5], "L, row 4, column 4: orange"),
        (vec![right; 9], "B, row 4, column 1: blue"),
        (vec![left; 5], "F, row 4, column 4: green"),
        (vec![down], "D, row 1, column 4: yellow"),
        // The chosen color is white.
        (vec![' '], "D, row 1, column 4: white"),
        (vec![up, '\u{e007}'], "F, row 4, column 4: white"),
    ] {
        browser.press(&keys.iter().collect::<String>());
        assert_eq!(focused(), expected);
    }
    // The tab key reaches only the focused sticker.
    let reached = "[...document.querySelectorAll('#net [tabindex=\"0\"]')].map((s) => s.ariaLabel)";
    assert_eq!(browser.get(reached), json!(["F, row 4, column 4: white"]));
}

pub(crate) fn impossible_positions_are_described_in_colors_and_marked(browser: &Browser) {
    browser.allow_failures();
    let _service = opened(browser, "/?count=1", 1);
    browser.click("[name=by][value=state]");
    let marked = || {
        let marked = browser.run(
            "const stickers = [...document.querySelectorAll('#net rect')];
            const middle = (shape) => {
                const { left, right, top, bottom } = shape.getBoundingClientRect();
                return [left + right, top + bottom].map(Math.round).join();
            };
            const places = stickers.map(middle);
            const rings = [...document.querySelectorAll('#net .ring')].map((ring) => places.indexOf(middle(ring)));
            const named = [...stickers.keys()].filter((index) => stickers[index].ariaLabel.endsWith(', marked'));
            return [rings.sort((a, b) => a - b), named]",
        );
        let [rings, named]: [Vec<usize>; 2] = serde_json::from_value(marked).unwrap();
        assert_eq!(rings, named);
        rings
    };
    let no_corner = "No corner is green, orange and blue. Check the top left back corner.";
    let no_edge = "No edge piece is green and green. Check the top front edge (left half).";
    let reversed = "The colors red, white and green are in reversed order. Exchange two of them at the top right \
                    front corner.";
    let too_many = "Too many corners are white, green and red. Check the top right back corner and the top right \
                    front corner.";
    let flipped = "Two edge pieces are green and white and have the same orientation. Exchange the colors of one. \
                   Check the top front edge (left half) and the top front edge (right half).";
    let twisted = "All pieces exist, but a corner is twisted. Rotate the colors of one corner.";
    let centers = "Each color must be on 4 centers, but white is on 3 and red is on 5.";
    for (changes, text, expected) in [
        (&[(0, "F")][..], no_corner, &[0, 64, 83][..]),
        (&[(13, "F")], no_edge, &[13, 33]),
        (&[(15, "R"), (16, "U")], reversed, &[15, 16, 35]),
        (&[(19, "F"), (80, "R")], too_many, &[3, 15, 16, 19, 35, 80]),
        (&[(13, "F"), (33, "U")], flipped, &[13, 14, 33, 34]),
        (&[(15, "F"), (16, "U"), (35, "R")], twisted, &[]),
        (&[(5, "R")], centers, &[5, 21, 22, 25, 26]),
    ] {
        browser.click("#solved");
        for (index, color) in changes {
            browser.click(&format!("[name=color][value={color}]"));
            browser.click(&format!("#net rect:nth-of-type({})", index + 1));
        }
        check(browser);
        wait_for_error(browser, text);
        assert_eq!(marked(), expected, "{text}");
    }
    browser.click("#solved");
    assert_eq!(marked(), [0; 0]);
    let notice = "document.getElementById('position-notice').innerText.trim()";
    assert_eq!(browser.get(notice), "");
}
