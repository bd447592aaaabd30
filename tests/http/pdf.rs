//! Sheets as PDF.

use axum::body::{Body, Bytes};
use axum::http::{Request, header};
use cube444_competition::{Font, Layout, Paper, Sheets, Wcif};
use http_body_util::BodyExt;
use lopdf::Document;
use serde_json::{Value, json};

use crate::service::*;
use crate::sheets::scrambles;
use test_support::pdf::{has_set, pages};
use test_support::turns::{competition, interchange};
use test_support::wcif::html;

fn sheets(document: &Value) -> Sheets {
    Sheets::from_wcif(&Wcif::from_json(document.to_string()).unwrap()).unwrap()
}

fn pdf(document: &Value, layout: Layout) -> Vec<u8> {
    sheets(document).to_pdf(layout, &[], None).unwrap()
}

/// The scrambles of a document, set by set.
fn sets(document: &Value) -> Vec<Vec<String>> {
    let (mut all, mut sets) = (scrambles(document).into_iter(), Vec::new());
    let rounds = document["wcif"]["events"].as_array().unwrap().iter();
    for round in rounds.flat_map(|event| event["rounds"].as_array().unwrap()) {
        for set in round["scrambleSets"].as_array().unwrap() {
            let [counted, extra] = ["scrambles", "extraScrambles"].map(|list| set[list].as_array());
            let count = counted.unwrap().len() + extra.unwrap().len();
            sets.push(all.by_ref().take(count).collect());
        }
    }
    sets
}

#[test]
fn a_pdf_has_the_texts_of_the_sheets() {
    let mut document = interchange(&competition(&[2, 1], 1), 1);
    document["wcif"]["shortName"] = json!("Łódź Μεγάλη Чемпионат 2026");
    for (paper, size) in [(Paper::A4, [595, 842]), (Paper::Letter, [612, 792])] {
        for (cover, letters) in [(false, false), (true, true)] {
            let layout = Layout {
                paper,
                cover,
                letters,
                ..Layout::default()
            };
            let file = pdf(&document, layout);
            let mut pages = pages(&file, None).unwrap();
            if cover {
                let cover = pages.remove(0);
                for part in [
                    "Łódź Μεγάλη Чемпионат 2026 Scramble sheets, total pages: 4 Print on one side",
                    "4x4x4 Cube Round 1 A B 1 1–2 4x4x4 Cube Round 2 A 1 3 4x4x4 Blindfolded Round 1 A 1 4",
                ] {
                    assert!(cover.contains(part), "{cover}");
                }
                assert!(!cover.contains("Rw"), "{cover}");
            }
            let titles = [
                "4x4x4 Cube Round 1 Set A",
                "4x4x4 Cube Round 1 Set B",
                "4x4x4 Cube Round 2 Set A",
                "4x4x4 Blindfolded Round 1 Set A",
            ];
            assert_eq!(pages.len(), titles.len());
            for (number, (page, title)) in (1..).zip(pages.iter().zip(titles)) {
                let start = format!("{title} Page {number} of 4 Łódź Μεγάλη Чемпионат 2026 1 ");
                assert!(page.starts_with(&start), "{page}");
                assert!(has_set(page, &sets(&document)[number - 1]), "{page}");
                assert!(page.contains("White on top, green in front"));
            }
            let read = Document::load_mem(&file).unwrap();
            let first = read.get_dictionary(read.get_pages()[&1]).unwrap();
            let bounds = first.get(b"MediaBox").unwrap().as_array().unwrap();
            let bounds = [2, 3].map(|side: usize| bounds[side].as_float().unwrap().round() as u32);
            assert_eq!(bounds, size);
        }
    }
}

#[test]
fn a_custom_scheme_is_not_described_as_the_usual_one() {
    let mut document = interchange(&competition(&[1], 0), 2);
    let id = "org.worldcubeassociation.tnoodle.ColorScheme";
    document["wcif"]["events"][0]["extensions"] =
        json!([{"id": id, "data": {"colorScheme": {"U": "#123456"}}}]);
    let page = pages(&pdf(&document, Layout::default()), None)
        .unwrap()
        .remove(0);
    assert!(
        !page.contains("White on top") && page.contains("Sheet by"),
        "{page}"
    );
    assert!(!html(&document, Layout::default()).contains("White on top"));
    let read = Document::load_mem(&pdf(&document, Layout::default())).unwrap();
    let content = read.get_page_content(read.get_pages()[&1]);
    let content = String::from_utf8(content).unwrap();
    // Seven pictures with all colours of the scheme.
    for colour in ["0.071 0.204 0.337 rg", "0.000 1.000 0.000 rg"] {
        assert_eq!(content.matches(colour).count(), 7, "{colour}");
    }
    assert_eq!(content.matches(" 10 10 re").count(), 7 * 96);
}

#[test]
fn printed_on_both_sides_no_set_is_on_the_back_of_another() {
    let mut document = interchange(&competition(&[2, 1], 0), 3);
    let round = &mut document["wcif"]["events"][0]["rounds"][0];
    let id = "org.worldcubeassociation.tnoodle.SheetCopyCount";
    round["extensions"] = json!([{"id": id, "data": {"numCopies": 2}}]);
    // The second set needs two pages.
    let set = &mut round["scrambleSets"][1];
    set["extraScrambles"] = json!(vec![set["scrambles"][0].clone(); 10]);
    // The kinds of pages: the cover, sets and their second pages, and empty ones.
    for (cover, duplex, kinds) in [
        (true, true, "C-A-A-BBBBA-"),
        (false, true, "A-A-BBBBA-"),
        (true, false, "CAABBBBA"),
    ] {
        let layout = Layout {
            cover,
            duplex,
            ..Layout::default()
        };
        let kind = |is_empty: bool, text: &str| match text {
            _ if is_empty => '-',
            text if text.contains("Scramble sheets, total pages: 7") => 'C',
            text if text.contains("Set B") => 'B',
            _ => 'A',
        };
        let pages = pages(&pdf(&document, layout), None).unwrap();
        let found: String = pages
            .iter()
            .map(|page| kind(page.is_empty(), page))
            .collect();
        assert_eq!(found, kinds);
        let html = html(&document, layout);
        let sections = html.split("<section").skip(1);
        let found = sections.map(|page| kind(page.starts_with(" class=\"page\"></section>"), page));
        assert_eq!(found.collect::<String>(), kinds);
    }
}

#[test]
fn nothing_can_be_read_without_the_passcode() {
    let document = interchange(&competition(&[1], 0), 4);
    let file = sheets(&document).to_pdf(Layout::default(), &[], Some("k7mq2p9xab"));
    let file = file.unwrap();
    for wrong in [None, Some(""), Some("k7mq2p9xac")] {
        assert_eq!(pages(&file, wrong), None, "{wrong:?}");
    }
    let text = String::from_utf8_lossy(&file);
    for open in ["Test 2026", "scramble444", "BT "] {
        assert!(!text.contains(open), "{open}");
    }
    let read = pages(&file, Some("k7mq2p9xab")).unwrap();
    assert!(has_set(&read[0], &scrambles(&document)), "{read:?}");
    for part in ["/V 5/R 6", "/CFM/AESV3", "/StmF/StdCF/StrF/StdCF"] {
        assert!(text.contains(part), "{part}");
    }
}

#[test]
fn characters_that_no_font_has_are_named() {
    let mut document = interchange(&competition(&[1], 0), 5);
    document["wcif"]["shortName"] = json!("Ab ż\t李 ? 2026");
    document["version"] = json!("é-1.0 \u{1f600}");
    let sheets = sheets(&document);
    let missing: String = sheets.characters_without_font(&[]).into_iter().collect();
    assert_eq!(missing, "李\u{1f600}");
    let file = sheets.to_pdf(Layout::default(), &[], None).unwrap();
    let page = pages(&file, None).unwrap().remove(0);
    assert!(
        page.contains("Ab ż ? ? 2026") && page.contains("é-1.0 ?,"),
        "{page}"
    );
    // A font without the characters changes nothing.
    let font = Font::new(epaint_default_fonts::HACK_REGULAR.to_vec(), 0).unwrap();
    let same = sheets.characters_without_font(std::slice::from_ref(&font));
    assert_eq!(same.into_iter().collect::<String>(), missing);
    let emoji = Font::new(epaint_default_fonts::NOTO_EMOJI_REGULAR.to_vec(), 0).unwrap();
    let fonts = [font, emoji];
    let missing = sheets.characters_without_font(&fonts);
    assert_eq!(missing.into_iter().collect::<String>(), "李");
    let file = sheets.to_pdf(Layout::default(), &fonts, None).unwrap();
    assert!(pages(&file, None).unwrap()[0].contains("é-1.0 \u{1f600},"));
    for bad in [
        b"%PDF".to_vec(),
        epaint_default_fonts::HACK_REGULAR[..5_000].to_vec(),
    ] {
        assert!(Font::new(bad, 0).is_err());
    }
}

async fn bytes(response: axum::response::Response) -> Bytes {
    response.into_body().collect().await.unwrap().to_bytes()
}

#[tokio::test]
async fn sheets_are_pdf_on_request() {
    let state = ready(Behaviour::Turns);
    let document = interchange(&competition(&[2], 0), 6);
    let request = |method: &str, uri: &str, accept: &str| {
        let request = Request::builder().method(method).uri(uri);
        let request = request
            .header("accept", accept)
            .header("accept-encoding", "gzip");
        let body = match method {
            "POST" => document.to_string(),
            _ => String::new(),
        };
        let request = request.header("content-type", "application/json");
        call(&state, request.body(Body::from(body)).unwrap())
    };
    let browser = "text/html,application/xhtml+xml,*/*;q=0.8";
    let (html, pdf_media) = ("text/html; charset=utf-8", "application/pdf");
    for (uri, accept, media) in [
        ("/print", "*/*", html),
        ("/print", browser, html),
        ("/print", "application/json", html),
        ("/print", "application/pdf", pdf_media),
        ("/print", "text/html;q=0.5, application/pdf", pdf_media),
        ("/print?format=pdf", browser, pdf_media),
        ("/print?format=html", "application/pdf", html),
    ] {
        for method in ["GET", "POST", "HEAD"] {
            let response = request(method, uri, accept).await;
            let headers = response.headers().clone();
            let found = &headers[header::CONTENT_TYPE];
            assert_eq!(found, media, "{method} {uri} {accept}");
            if method == "HEAD" {
                continue;
            }
            assert_eq!(headers[header::VARY], "accept");
            let is_compressed = headers.contains_key(header::CONTENT_ENCODING);
            assert_eq!(is_compressed, media == html);
        }
    }
    let response = request("POST", "/print?format=pdf&paper=letter&duplex=1", "*/*").await;
    let given = pages(&bytes(response).await, None).unwrap();
    let page = |set| {
        let layout = Layout {
            paper: Paper::Letter,
            duplex: true,
            ..Layout::default()
        };
        pages(&pdf(&document, layout), None).unwrap().remove(set)
    };
    assert_eq!(given, [0, 1, 2, 3].map(page));
    let uri = "/print?format=pdf&sets=26&extras=4&event=444bf&competition=Łódź";
    let new = bytes(send(&state, "GET", uri).await).await;
    // Sent in pieces.
    assert!(new.len() > 64 * 1024, "{} bytes", new.len());
    let new = pages(&new, None).unwrap();
    for (page, set) in new.iter().zip('A'..='Z') {
        assert!(page.starts_with(&format!("4x4x4 Blindfolded Set {set} Page ")));
        assert!(page.contains(" of 26 Łódź 1 "), "{page}");
    }
    assert_eq!(new.len(), 26);
    for query in ["format=svg", "format=PDF", "duplex=2"] {
        bad_parameter(&state, &format!("/print?{query}")).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_pdf_takes_memory_until_it_has_been_sent() {
    let state = starting(settings());
    let document = interchange(&competition(&[1], 0), 7).to_string();
    let print = |uri: &'static str| post(&state, uri, &document);
    let mut unread = Vec::new();
    let refused = loop {
        let response = print("/print?format=pdf").await;
        if response.status().as_u16() != 200 {
            break response;
        }
        unread.push(response);
    };
    // A client may have 10 MiB.
    assert!((30..40).contains(&unread.len()), "{}", unread.len());
    assert_problem(refused, 503, "overloaded").await;
    drop(unread);
    assert_eq!(print("/print?format=pdf").await.status().as_u16(), 200);
}
