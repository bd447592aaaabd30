//! The legacy interface `/scramble/TITLE.EXT`.

use serde_json::{Value, json};

use super::{TEXT, ok, ok_json, problem};
use crate::service::*;

#[tokio::test]
async fn legacy_text_has_a_line_end_after_every_line() {
    let state = ready(Behavior::Turns);
    assert_eq!(ok(&state, "/scramble/.txt?e=444", TEXT).await, "U Rw\r\n");
    let lines = ok(&state, "/scramble/Round%201.txt?=444*2&more=444*1*2", TEXT).await;
    assert_eq!(lines, "U' Rw\r\nU2 Rw\r\nR Rw\r\nR Rw\r\n");
    let lines = ok(&state, "/scramble/.txt?=444*2&=444&showIndices", TEXT).await;
    assert_eq!(lines, "1. R' Rw\r\n2. R2 Rw\r\n1. F Rw\r\n");
    let line = ok(&state, "/scramble/.txt?e=444&showIndices=1", TEXT).await;
    assert_eq!(line, "1. F' Rw\r\n");
    let copies = ok(
        &ready(Behavior::Turns),
        "/scramble/.txt?=444*2*2&showIndices",
        TEXT,
    )
    .await;
    assert_eq!(copies, "1. U Rw\r\n2. U' Rw\r\n".repeat(2));
    let uri = "/scramble/name?showIndices=0&generationUrl=x&=444";
    let lines = ok(&state, uri, TEXT).await;
    assert_eq!(lines, "F2 Rw\r\n", "the default format is text");
    assert_eq!(ok(&state, "/scramble/.txt?=444*0", TEXT).await, "");
    let one = ["none", "", "-1", "2.5"].map(|number| (number, 1));
    for (number, lines) in one.into_iter().chain([("7", 7), ("101", 100)]) {
        // The number of scrambles, and the number of copies.
        for numbers in [number, &format!("1*{number}"), &format!("1*{number}*")] {
            let uri = format!("/scramble/.txt?=444*{numbers}");
            let text = ok(&state, &uri, TEXT).await;
            assert!(text.ends_with("\r\n"));
            assert_eq!(text.matches("\r\n").count(), lines, "{numbers}");
        }
    }
    assert_eq!(ok(&state, "/scramble/.txt?=444*2*0", TEXT).await, "");
}

#[tokio::test]
async fn legacy_json_is_an_array_of_groups() {
    let state = ready(Behavior::Turns);
    let uri = "/scramble/.json?Round+1%20A=444*2*3*123,ff0,0f0,f80,f00,fff&=444fast&showIndices=4";
    let group = |title: &str, copies: u32, back: &str, scrambles: Value| {
        json!({
            "scrambles": scrambles,
            "extraScrambles": [],
            "scrambler": "444",
            "copies": copies,
            "title": title,
            "fmc": false,
            "colorScheme": {
                "B": back, "D": "ffff00", "F": "00ff00",
                "L": if copies == 3 { "ff8800" } else { "ff8000" }, "R": "ff0000", "U": "ffffff",
            },
            "totalAttempt": 0,
            "attempt": 0,
            "round": 0,
        })
    };
    let expected = json!([
        group("Round 1 A", 3, "112233", json!(["U Rw", "U' Rw"])),
        group("", 1, "0000ff", json!(["U2 Rw"])),
    ]);
    assert_eq!(ok_json(&state, uri).await, expected);
}

#[tokio::test]
async fn bad_legacy_requests_are_rejected_with_a_reason() {
    let state = ready(Behavior::Turns);
    for (query, reason) in [
        ("=444&seed=5", "seed is not supported"),
        ("=444&callback=f", "callback is not supported"),
        ("", "name a puzzle"),
        ("showIndices", "name a puzzle"),
        ("=444*1*1*red", "a scheme has six colors"),
        ("=444*100*100&=444", "at most 10000 lines"),
        // Groups of which no copy is printed count, too.
        (&"=444*100*0&".repeat(101), "at most 10000 lines"),
    ] {
        for extension in ["txt", "json"] {
            let uri = format!("/scramble/.{extension}?{query}");
            let detail = problem(&state, &uri, 400, "bad-parameter").await;
            assert!(detail.contains(reason), "{detail}");
        }
    }
}
