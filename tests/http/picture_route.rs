//! Pictures over HTTP, separately and with scrambles.

use axum::http::{StatusCode, header};
use cube444::cube::Cube;
use cube444::picture::{Scale, Scheme, png, svg};
use http_body_util::BodyExt;
use scramble444::http::AppState;
use serde_json::Value;

use crate::requests::*;
use crate::service::*;
use test_support::cubes::cube;

/// The media type and the bytes of a picture.
async fn picture(state: &AppState, query: &str) -> (String, Vec<u8>) {
    let response = send(state, "GET", &format!("/v1/picture?{query}")).await;
    assert_eq!(response.status(), StatusCode::OK, "{query}");
    assert_eq!(response.headers()[header::CACHE_CONTROL], "no-store");
    let media = response.headers()[header::CONTENT_TYPE].to_str();
    let media = media.unwrap().to_owned();
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    (media, bytes.to_vec())
}

#[tokio::test]
async fn positions_are_drawn_without_a_solver() {
    let draining = ready(Behavior::Turns);
    draining.engines.drain();
    let turns = "R U2 3Rw' x";
    let facelets = cube(turns).facelets();
    let scheme: Scheme = "000,111,222,333,444,555555".parse().unwrap();
    for state in [starting(settings()), ready(Behavior::Turns), draining] {
        for position in [
            "scramble=R+U2+3Rw%27+x".to_owned(),
            "scramble=R%20U2%203Rw'%20x".to_owned(),
            format!("state={facelets}"),
        ] {
            let draw = async |query: &str| picture(&state, &format!("{position}{query}")).await;
            let expected = svg(&cube(turns), &Scheme::default()).into_bytes();
            let expected = ("image/svg+xml".to_owned(), expected);
            assert!(draw("").await == expected, "{position}");
            let empty = draw("&format=svg&scheme=&scale=").await;
            assert!(empty == expected, "{position}");
            let with_scheme = draw("&scheme=000,111,222,333,444,%23555555").await;
            assert!(with_scheme.1 == svg(&cube(turns), &scheme).into_bytes());
            for (query, scale) in [("", 1), ("&scale=1", 1), ("&scale=8", 8)] {
                let scale = Scale::try_from(scale).unwrap();
                let expected = png(&cube(turns), &scheme, scale);
                let expected = ("image/png".to_owned(), expected);
                let query = format!("&format=png&scheme=000,111,222,333,444,555{query}");
                assert!(draw(&query).await == expected, "{query}");
            }
        }
        // A picture that is opened by itself runs nothing.
        let opened = send(&state, "GET", "/v1/picture?scramble=").await;
        assert_eq!(
            opened.headers()["content-security-policy"],
            "default-src 'none'"
        );
        let solved = svg(&Cube::solved(), &Scheme::default());
        assert!(picture(&state, "scramble=").await.1 == solved.into_bytes());
    }
}

#[tokio::test]
async fn bad_pictures_are_rejected_with_a_reason() {
    let state = ready(Behavior::Turns);
    assert_refused(&state, r#"
        GET /v1/picture | 400 bad-parameter | give either scramble or state
        GET /v1/picture?format=png | 400 bad-parameter | give either scramble or state
        GET /v1/picture?scramble=R&state=U | 400 bad-parameter | give either scramble or state
        GET /v1/picture?scramble=R&scramble=U | 400 bad-parameter | repeated parameter "scramble"
        GET /v1/picture?scramble=R&color=red | 400 bad-parameter | unknown parameter "color"; allowed: scramble, state, format
        GET /v1/picture?scramble=R&format=pdf | 400 bad-parameter | the format of a picture must be svg or png
        GET /v1/picture?scramble=R&format= | 400 bad-parameter | the format of a picture must be svg or png
        GET /v1/picture?scramble=R&scheme=red | 400 bad-parameter | a scheme has six colors
        GET /v1/picture?scramble=R&scheme=y,b,r,g,o,p | 400 bad-parameter | in the scheme, for face B: "y" is not a color
        GET /v1/picture?scramble=R&format=png&scale=9 | 400 bad-parameter | the scale of a picture must be a whole number from 1 to 8
        GET /v1/picture?scramble=R&format=png&scale=0 | 400 bad-parameter | the scale of a picture must be a whole number from 1 to 8
        GET /v1/picture?scramble=R&format=png&scale=%2B3 | 400 bad-parameter | the scale of a picture must be a whole number from 1 to 8
        GET /v1/picture?scramble=R&scale=2 | 400 bad-parameter | scale is only for png
        GET /v1/picture?scramble=R+Q7 | 422 bad-position | turn 2 ("Q7") is invalid
        GET /v1/picture?state=UUU | 422 bad-position | a state has 96 facelets"#).await;
}

async fn scrambles(state: &AppState, accept: &str, query: &str) -> (StatusCode, String) {
    let uri = format!("/v1/scrambles?{query}");
    let response = get_with(state, &uri, &[("accept", accept)]).await;
    (response.status(), text(response).await)
}

#[tokio::test]
async fn scrambles_may_include_pictures() {
    let state = ready(Behavior::Turns);
    let assert_has_picture = |item: &Value| {
        let state = cube(item["scramble"].as_str().unwrap());
        assert_eq!(item["svg"], svg(&state, &Scheme::default()));
        let names: Vec<&String> = item.as_object().unwrap().keys().collect();
        assert_eq!(names, ["scramble", "moves", "state", "effort", "svg"]);
    };
    for event in ["444", "444bf"] {
        let query = format!("count=3&pictures=1&event={event}");
        let (_, json) = scrambles(&state, "application/json", &query).await;
        let document: Value = serde_json::from_str(&json).unwrap();
        let mut items = document["scrambles"].as_array().unwrap().clone();
        items.extend(json_lines(&state, &format!("/v1/scrambles?{query}")).await);
        assert_eq!(items.len(), 6);
        items.iter().for_each(assert_has_picture);
    }
    for query in ["", "pictures=0"] {
        let (_, json) = scrambles(&state, "application/json", query).await;
        assert!(!json.contains("svg"), "{json}");
    }
    for (accept, query) in [
        ("text/plain", "pictures=1"),
        ("*/*", "pictures=yes"),
        ("*/*", "pictures="),
    ] {
        let (status, problem) = scrambles(&state, accept, query).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{query}");
        assert!(problem.contains("pictures"), "{problem}");
    }
}

#[tokio::test]
async fn plain_text_scrambles_may_be_numbered() {
    let state = ready(Behavior::Turns);
    let numbered = scrambles(&state, "text/plain", "count=2&numbered=1").await;
    assert_eq!(numbered, (StatusCode::OK, "1. U Rw\n2. U' Rw\n".to_owned()));
    let plain = scrambles(&state, "text/plain", "numbered=0").await;
    assert_eq!(plain, (StatusCode::OK, "U2 Rw\n".to_owned()));
    for accept in ["application/json", "application/x-ndjson"] {
        let (status, problem) = scrambles(&state, accept, "numbered=1").await;
        assert_eq!(status, StatusCode::BAD_REQUEST);
        assert!(
            problem.contains("only available as text/plain"),
            "{problem}"
        );
    }
}
