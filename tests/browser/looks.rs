//! The presentation of the page: contrast, widths, accessible names, and print.

use crate::*;

/// The page with all its parts visible.
fn complete_page(browser: &Browser) -> Service {
    let service = opened(browser, "/?event=444bf&count=4&letters=1", 4);
    browser.fill_in("[name=scramble]", "Rw U2 F' x");
    browser.click("#given button[value='v1/solve']");
    browser.wait_for("document.querySelector('#answer svg')");
    // Sequences as long as real scrambles, and all parts.
    browser.run(
        "for (const turns of document.querySelectorAll('.turns')) {
        turns.replaceChildren(...Array.from({ length: 8 }, () => {
            const group = document.createElement('span');
            group.textContent = 'Rw2 Uw2 Fw2 Rw2 Uw2 Fw2 ';
            return group;
        }));
    }
    for (const hidden of document.querySelectorAll('details')) hidden.open = true;
    for (const part of ['#by-state', '#notice form', '#notice progress', '#own', '#top']) {
        document.querySelector(part).hidden = false;
    }
    document.querySelector('#position-notice [role=status]').className = 'error';
    document.querySelector('#position-notice [role=status]').textContent = 'an error';",
    );
    service
}

/// The contrast of each combination of text and background colors, by the formula of the WCAG.
const CONTRASTS: &str = "
    const channels = (color) => color.match(/[\\d.]+/g).map(Number);
    const luminance = (color) => {
        const [r, g, b] = channels(color).slice(0, 3).map((value) => value / 255)
            .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const behind = (element) => {
        for (let at = element; at; at = at.parentElement) {
            const { backgroundColor } = getComputedStyle(at);
            const [, , , alpha] = [...channels(backgroundColor), 1];
            if (alpha === 1) return backgroundColor;
            if (alpha !== 0) throw new Error(`half transparent: ${backgroundColor}`);
        }
        return 'rgb(255, 255, 255)';
    };
    const found = new Map();
    const add = (what, text, back) => {
        const [light, dark] = [luminance(text), luminance(back)].sort((a, b) => b - a);
        const ratio = (light + 0.05) / (dark + 0.05);
        found.set(`${what} ${text} on ${back}`, ratio);
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const element = walker.currentNode.parentElement;
        if (!walker.currentNode.data.trim()) continue;
        if (!element.checkVisibility()) continue;
        if (element.closest('svg')) {
            add('sticker', getComputedStyle(element).fill, getComputedStyle(element.previousSibling).fill);
        } else {
            // The WCAG exempts disabled controls.
            if (element.matches(':disabled, [aria-disabled=true]')) continue;
            add(element.tagName, getComputedStyle(element).color, behind(element));
        }
    }
    for (const field of document.querySelectorAll('input:not([type=radio], [type=checkbox]), textarea')) {
        add('field', getComputedStyle(field).color, behind(field));
    }
    add('placeholder', getComputedStyle(document.querySelector('textarea'), '::placeholder').color,
        behind(document.querySelector('textarea')));
    return [...found];";

pub(crate) fn text_is_readable_in_both_color_schemes(browser: &Browser) {
    let _service = complete_page(browser);
    let mut backgrounds = Vec::new();
    for scheme in ["light", "dark"] {
        browser.emulate("screen", scheme);
        browser.run("document.getElementById('help').showModal()");
        let found: Vec<(String, f64)> = serde_json::from_value(browser.run(CONTRASTS)).unwrap();
        assert!(found.len() > 20, "{found:?}");
        for (what, ratio) in found {
            assert!(ratio >= 4.5, "{scheme}: {what}: {ratio}");
        }
        browser.run("document.getElementById('help').close()");
        backgrounds.push(browser.get("getComputedStyle(document.body).backgroundColor"));
    }
    assert_ne!(backgrounds[0], backgrounds[1]);
    // There are no animations, so `prefers-reduced-motion` needs no rules.
    let moving = browser.run(
        "return [...document.querySelectorAll('*')].filter((element) => {
        const style = getComputedStyle(element);
        return style.animationName !== 'none' || parseFloat(style.transitionDuration) > 0
            || style.scrollBehavior !== 'auto';
    }).length",
    );
    assert_eq!(moving, 0);
}

pub(crate) fn stickers_keep_their_colors_in_forced_colors_mode(browser: &Browser) {
    let _service = complete_page(browser);
    browser.emulate("screen", "dark");
    browser.force_colors();
    let shown = browser.run(
        "const colors = (selector, property) =>
            [...document.querySelectorAll(selector)].map((element) => getComputedStyle(element)[property]);
        const net = colors('#net rect', 'fill');
        return [new Set(colors('#palette input', 'backgroundColor')).size, net.length, new Set(net).size,
            [...new Set(colors('#net rect.B + text', 'fill'))], [...new Set(colors('#net rect:not(.B) + text', 'fill'))]]",
    );
    let (white, black) = ("rgb(255, 255, 255)", "rgb(0, 0, 0)");
    assert_eq!(shown, json!([6, 96, 6, [white], [black]]));
    let found: Vec<(String, f64)> = serde_json::from_value(browser.run(CONTRASTS)).unwrap();
    for name in ["LABEL", "sticker", "LEGEND"] {
        let is_found = found.iter().any(|(what, _)| what.starts_with(name));
        assert!(is_found, "{name}");
    }
    for (what, ratio) in found {
        // The browser chooses the colors of placeholders in this mode.
        let is_placeholder = what.starts_with("placeholder");
        assert!(ratio >= 4.5 || is_placeholder, "{what}: {ratio}");
    }
}

pub(crate) fn no_width_needs_horizontal_scrolling(browser: &Browser) {
    let _service = complete_page(browser);
    for width in [320, 390, 800, 1280] {
        browser.resize(width, 800);
        let wide = browser.run(&format!(
            "return [...document.querySelectorAll('body *')]
            .filter((element) => element.getBoundingClientRect().right > {width}.5)
            .map((element) => element.outerHTML.slice(0, 80))"
        ));
        assert_eq!(wide, json!([]), "{width}");
        // Turns are in columns, twelve on a wide line and six on a narrow one.
        let lines: Vec<usize> = serde_json::from_value(browser.run(
            "const lines = Map.groupBy(document.querySelectorAll('#large .turns span'),
            (group) => Math.round(group.getBoundingClientRect().top));
        return [...lines.values()].map((groups) => groups.length)",
        ))
        .unwrap();
        let expected = if width < 600 { vec![1; 8] } else { vec![2; 4] };
        assert_eq!(lines, expected, "{width}");
    }
}

pub(crate) fn all_controls_have_a_role_and_a_name(browser: &Browser) {
    let _service = complete_page(browser);
    let roles_and_names = |selector: &str| -> Vec<String> {
        let elements = browser.all(selector).into_iter();
        let pairs = elements.map(|element| browser.role_and_name(&element));
        pairs.map(|(role, name)| format!("{role} {name}")).collect()
    };
    for (selector, expected) in [
        ("header", "banner "),
        ("main", "main "),
        ("footer", "contentinfo "),
        // WebDriver has no common role for fields for colors.
        (
            "#choices input:not([type=color]), #choices select, #choices button",
            "combobox Event|spinbutton Scrambles|combobox Shorter or faster|combobox Training|combobox Last layer|\
             combobox Colors|checkbox Pictures|checkbox Letters on stickers|combobox Method|button Scramble|\
             button Keys",
        ),
        (
            "section",
            "region 4x4x4 blindfolded, scramble 1 of 4, 2 moves|region Solve or check a position|\
             region All scrambles: 4x4x4 blindfolded",
        ),
        (
            "#list li:nth-child(2) :is(button, svg)",
            "button Show scramble 2|button Copy scramble 2|image Picture of scramble 2",
        ),
        ("#net svg", "group Stickers"),
    ] {
        assert_eq!(roles_and_names(selector).join("|"), expected);
    }
    assert!(roles_and_names("#notice [role=status]")[0].starts_with("status "));
    let all = roles_and_names("button, input, select, textarea, a, progress, svg");
    assert!(all.len() > 50);
    for pair in all {
        assert!(!pair.ends_with(' '), "a {pair}without a name");
        assert!(!pair.starts_with("generic "), "{pair}");
    }
    let stickers = roles_and_names("#net rect:nth-of-type(31n+1)");
    assert_eq!(stickers.len(), 4);
    assert!(
        stickers[0].starts_with("button U, row 1, column 1: "),
        "{stickers:?}"
    );
    // All controls have a visible focus indicator.
    let without_indicator = browser.run(
    "return [...document.querySelectorAll('button, input, select, textarea, a, summary, #net rect')]
        .filter((element) => element.checkVisibility() && !element.matches(':disabled'))
        .filter((element) => {
            element.focus({ focusVisible: true });
            const style = getComputedStyle(element);
            if (!element.matches('rect')) {
                return !(style.outlineStyle === 'solid' && parseFloat(style.outlineWidth) >= 2);
            }
            // Stickers have a frame of two tones, one of which is visible on any color.
            const [light, dark] = document.querySelectorAll('.frame path');
            const middle = (shape) => {
                    const { left, right, top, bottom } = shape.getBoundingClientRect();
                    return [left + right, top + bottom];
                };
                const [at, around] = [element, dark].map(middle);
                const isAround = at.every((place, axis) => Math.abs(place - around[axis]) < 1);
                const tones = [light, dark].map((path) => getComputedStyle(path).stroke);
            return !(isAround && dark.checkVisibility() && String(tones) === 'rgb(255, 255, 255),rgb(0, 0, 0)');
        }).map((element) => element.outerHTML.slice(0, 80))",
);
    assert_eq!(without_indicator, json!([]));
}

pub(crate) fn only_the_list_is_printed(browser: &Browser) {
    let _service = complete_page(browser);
    for scheme in ["light", "dark"] {
        browser.emulate("print", scheme);
        browser.resize(718, 1000);
        let shown = browser.run(
            "return [...document.querySelectorAll('main > *, #list li, footer, button, form')]
            .filter((element) => element.checkVisibility())
            .map((element) => element.id || element.className || element.tagName)",
        );
        let item = ["LI", "number"];
        let expected: Vec<&str> = std::iter::once("all").chain([item; 4].concat()).collect();
        assert_eq!(shown, json!(expected));
        let header = browser.get("document.querySelector('header').innerText");
        let line = "This is not the official WCA scramble program.";
        assert!(header.as_str().unwrap().contains(line));
        // The number, the picture and the turns are side by side.
        let places: Vec<[f64; 6]> = serde_json::from_value(browser.run(
            "return [...document.querySelectorAll('#list li')].map((item) =>
            ['.number', 'svg', '.turns span'].flatMap((part) => {
                const { left, right } = item.querySelector(part).getBoundingClientRect();
                return [left, right];
            }))",
        ))
        .unwrap();
        assert_eq!(places.len(), 4);
        for place in places {
            assert!(place.is_sorted() && place[5] <= 718.0, "{place:?}");
        }
        let looks = browser.run(
            "const { color } = getComputedStyle(document.querySelector('#list .turns'));
        const { breakInside } = getComputedStyle(document.querySelector('#list li'));
        return [getComputedStyle(document.body).backgroundColor, color, breakInside]",
        );
        let expected = json!(["rgb(255, 255, 255)", "rgb(0, 0, 0)", "avoid"]);
        assert_eq!(looks, expected, "{scheme}");
    }
    let pictures = browser.get("document.querySelectorAll('#list svg').length");
    assert_eq!(pictures, 4);
}
