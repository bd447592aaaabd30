//! Scrambles of the interface under `/api/v0`.

use std::collections::HashSet;

use super::{TEXT, ok, ok_json, problem};
use crate::service::*;

#[tokio::test]
async fn v0_scrambles_are_an_array() {
    let state = ready(Behavior::Turns);
    let uri = "/api/v0/scramble/444?numScrambles=2";
    let first = ok(&state, uri, "application/json").await;
    assert_eq!(first, r#"["U Rw","U' Rw"]"#);
    for (query, count) in [
        ("", 1),
        ("?_=1700000000", 1),
        ("?numScrambles=0", 0),
        ("?numScrambles=25", 25),
        ("?numScrambles=256", 256),
    ] {
        let uri = format!("/api/v0/scramble/444wca{query}");
        let scrambles = ok_json(&state, &uri).await;
        assert_eq!(scrambles.as_array().unwrap().len(), count, "{query}");
    }
    let raw = "/api/v0/scramble/444/raw?numScrambles=0";
    assert_eq!(ok(&state, raw, TEXT).await, "");
    for count in "10001|-1|9999999999||many|1e9|1.0|%2B5".split('|') {
        for path in ["444", "444/raw"] {
            let uri = format!("/api/v0/scramble/{path}?numScrambles={count}");
            let detail = problem(&state, &uri, 400, "bad-parameter").await;
            assert_eq!(
                detail,
                "numScrambles must be a whole number from 0 to 10000"
            );
        }
    }
    for path in ["444", "444/raw"] {
        for name in ["seed", "callback"] {
            let uri = format!("/api/v0/scramble/{path}?numScrambles=2&{name}=5");
            let detail = problem(&state, &uri, 400, "bad-parameter").await;
            let reason = format!("{name} is not supported");
            assert!(detail.starts_with(&reason), "{detail}");
        }
    }
    for twice in ["numScrambles=1&numScrambles=2", "enumerate&enumerate"] {
        let uri = format!("/api/v0/scramble/444/raw?{twice}");
        problem(&state, &uri, 400, "bad-parameter").await;
    }
    ok_json(&state, "/api/v0/scramble/444?other&other").await;
}

#[tokio::test]
async fn v0_raw_scrambles_have_no_final_line_end() {
    let state = ready(Behavior::Turns);
    let uri = "/api/v0/scramble/444/raw?numScrambles=3";
    assert_eq!(ok(&state, uri, TEXT).await, "U Rw\r\nU' Rw\r\nU2 Rw");
    let uri = "/api/v0/scramble/444/raw?numScrambles=2&enumerate";
    assert_eq!(ok(&state, uri, TEXT).await, "1. R Rw\r\n2. R' Rw");
    let uri = "/api/v0/scramble/444/raw?enumerate=0";
    assert_eq!(ok(&state, uri, TEXT).await, "1. R2 Rw");
    // More than `max_count`, which limits /v1/scrambles.
    let uri = "/api/v0/scramble/444/raw?numScrambles=256";
    let lines = ok(&state, uri, TEXT).await;
    let distinct: HashSet<&str> = lines.split("\r\n").collect();
    assert_eq!(distinct.len(), 256);
}
