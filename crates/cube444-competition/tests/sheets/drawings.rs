//! Everything that is drawn, compared with the listing in drawings.txt. UPDATE_DRAWINGS=1 writes it anew.

use std::collections::HashMap;
use std::fmt::Write;

use cube444_competition::{Font, Layout, Paper};
use data_encoding::HEXLOWER;
use lopdf::{Document, Object};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::layouts::extension;
use test_support::pdf::sheets;

const LISTING: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sheets/drawings.txt");

/// The text of a hexadecimal string of UTF-16, or of glyphs with these characters.
pub(super) fn decoded(hex: &str, font: Option<&HashMap<String, String>>) -> String {
    let codes = (0..hex.len()).step_by(4).map(|at| &hex[at..at + 4]);
    if let Some(characters) = font {
        return codes.map(|code| &*characters[code]).collect();
    }
    let units = codes.map(|code| u16::from_str_radix(code, 16).unwrap());
    let text = String::from_utf16(&units.collect::<Vec<_>>()).unwrap();
    text.replace('\u{feff}', "")
}

/// The characters of the glyphs of a font, from its map.
pub(super) fn characters(map: &str) -> HashMap<String, String> {
    let pairs = map.lines().filter_map(|line| {
        let (code, units) = line.strip_prefix('<')?.split_once("> <")?;
        Some((code.to_owned(), decoded(units.strip_suffix('>')?, None)))
    });
    pairs.collect()
}

/// The objects of a file, without the data of fonts. Of nets, only the places and a hash are stated. Glyphs
/// are replaced by their characters.
fn listing(file: &[u8]) -> String {
    let document = Document::load_mem(file).unwrap();
    let streams = document.objects.values().filter_map(|object| {
        let text = object.as_stream().ok()?.decompressed_content().ok()?;
        String::from_utf8(text).ok()
    });
    let streams: Vec<String> = streams.collect();
    let fonts = streams.iter().filter(|text| text.contains("beginbfchar"));
    let fonts: Vec<_> = fonts.map(|map| characters(map)).collect();
    let mut out = String::new();
    for object in document.objects.values() {
        match object {
            Object::Dictionary(entries) => writeln!(out, "{entries:?}").unwrap(),
            Object::Stream(stream) => {
                let content = stream.decompressed_content().unwrap();
                let content = String::from_utf8(content).unwrap_or_default();
                if content.contains(" cm\n") {
                    list(&mut out, &content, &fonts);
                }
            }
            _ => {}
        }
    }
    out
}

/// Lists the operators of a page, with one line for each text.
fn list(out: &mut String, content: &str, fonts: &[HashMap<String, String>]) {
    let mut net = Vec::new();
    for line in content.lines() {
        let end = if line.starts_with("BT ") || line.starts_with("/F") {
            " "
        } else {
            "\n"
        };
        match line.split_once('<') {
            _ if !net.is_empty() && line == "Q" => {
                let operators = std::mem::take(&mut net);
                let hash = Sha256::digest(operators.join("\n"));
                let hash = HEXLOWER.encode(&hash[..4]);
                writeln!(out, "{} operators, {hash}", operators.len()).unwrap()
            }
            _ if !net.is_empty() => net.push(line),
            Some(("/Span", rest)) => {
                let text = rest
                    .trim_start_matches("</ActualText<")
                    .trim_end_matches(">>>BDC");
                writeln!(out, "Span {:?}", decoded(text, None)).unwrap();
            }
            Some((start, rest)) => {
                let text = rest.trim_end_matches("> Tj");
                let (font, _) = start.strip_prefix("/F").unwrap().split_once(' ').unwrap();
                let font: usize = font.parse().unwrap();
                write!(out, "{start}{:?} ", decoded(text, Some(&fonts[font]))).unwrap();
            }
            None => {
                write!(out, "{line}{end}").unwrap();
                if line.starts_with("q ") {
                    net.push(line);
                }
            }
        }
    }
}

#[test]
fn all_that_is_drawn_is_as_in_the_listing() {
    let long = "Rw2 U F' Rw2 U F' Rw2 U F' Rw2 U F' Rw2 U F' Rw2 U F' Rw2 U F' Rw2 U F' 3Rw2";
    let set = |id: u64, scrambles: &[&str], extras: &[&str]| json!({"id": id, "scrambles": scrambles, "extraScrambles": extras});
    let copies = extension("SheetCopyCount", &json!({"numCopies": 2}));
    let colors = extension(
        "ColorScheme",
        &json!({"colorScheme": {"U": "#000000", "F": "#123456"}}),
    );
    let rounds = json!([
        {"id": "444-r1", "format": "a", "extensions": copies, "scrambleSets": [
            set(7, &["R U", "F Uw2", "D' L"], &["L B", "B R"]),
            set(8, &["L U"], &[long]),
        ]},
        {"id": "444-r2", "format": "a", "scrambleSets": [set(9, &["U 2Rw"], &["U F"])]},
    ]);
    let blindfolded = json!([{"id": "444bf-r1", "format": "3", "scrambleSets": [set(12_345_678_901_234_567_890, &["Fw R x y"], &[])]}]);
    // Wider than a page, with a character that only another font has, and one of two units in UTF-16.
    let name = "Łódź ⤀ 𝔸 Open 2026, ".repeat(6);
    let fonts = [Font::new(dejavu::serif::regular().to_vec()).unwrap()];
    let document = json!({
        "version": "TNoodle-WCA-1.2.3", "generationDate": "Nov 21, 2026 12:48:3 PM",
        "wcif": {"shortName": name, "events": [
            {"id": "444", "extensions": colors, "rounds": rounds}, {"id": "444bf", "rounds": blindfolded}]},
    });
    let all = Layout {
        paper: Paper::Letter,
        letters: true,
        cover: true,
        set_numbers: true,
        duplex: true,
    };
    let sheets = sheets(&document);
    let separate = sheets.cover_to_pdf(all, &fonts).unwrap();
    let mut found = listing(&sheets.to_pdf(all, &fonts, None).unwrap()) + &listing(&separate);
    found += &sheets.to_text(all);
    for (name, _, set) in sheets.into_sets(all) {
        found += &format!("{name}\n");
        found += &listing(&set.to_pdf(Layout::default(), &fonts, None).unwrap());
    }
    let found = found.replace(env!("CARGO_PKG_VERSION"), "VERSION");
    if std::env::var_os("UPDATE_DRAWINGS").is_some() {
        std::fs::write(LISTING, &found).unwrap();
    }
    let expected = std::fs::read_to_string(LISTING).unwrap();
    for (number, (found, expected)) in (1..).zip(found.lines().zip(expected.lines())) {
        assert_eq!(found, expected, "line {number}");
    }
    assert_eq!(found.len(), expected.len());
}
