//! Pictures of `/api/v0` and of the legacy interface.

use axum::http::StatusCode;
use cube444::cube::Cube;
use cube444::picture::{Scale, Scheme, png, svg};
use http_body_util::BodyExt;
use serde_json::json;

use super::{cube, media, ok, ok_json, problem};
use crate::service::*;

#[tokio::test]
async fn pictures_match_the_library() {
    // Pictures need no solver.
    let state = starting(settings());
    let turns = "R U2 3Rw' x";
    let scheme: Scheme = "000,111,222,333,444,555".parse().unwrap();
    for base in [
        "/api/v0/view/444/",
        "/view/444.",
        "/api/v0/view/444bld/",
        "/view/444bf.",
    ] {
        let picture = async |query: &str| {
            let uri = format!("{base}svg{query}");
            ok(&state, &uri, "image/svg+xml").await
        };
        let default = Scheme::default();
        assert_eq!(picture("").await, svg(&Cube::solved(), &default));
        assert_eq!(
            picture("?scheme=&scramble=&scale=").await,
            svg(&Cube::solved(), &default)
        );
        let turned = svg(&cube(turns), &default);
        assert_eq!(picture("?scramble=R+U2+3Rw%27+x").await, turned);
        assert_eq!(
            picture("?icon&width=50&height=9&scramble=%0AR%20U2%20%203Rw'%20x%20").await,
            turned
        );
        // TNoodle rejects this notation.
        let liberal = picture("?scramble=(R3'+U2')+3Rw%E2%80%B2+x+//+premoves").await;
        assert_eq!(liberal, turned);
        let colors = "?scramble=R+U2+3Rw'+x&scheme=000,111,222,333,%23444,%23555555";
        assert_eq!(picture(colors).await, svg(&cube(turns), &scheme));

        for (query, scale) in [("", 1), ("&scale=3", 3)] {
            let uri = format!("{base}png?scramble=R+U2+3Rw'+x{query}");
            let response = send(&state, "GET", &uri).await;
            assert_eq!(response.status(), StatusCode::OK);
            assert_eq!(media(&response), "image/png");
            let bytes = response.into_body().collect().await.unwrap().to_bytes();
            let scale = Scale::try_from(scale).unwrap();
            assert!(bytes == png(&cube(turns), &default, scale));
        }

        let mut described = json!({
            "size": {"width": 170, "height": 128},
            "colorScheme": {
                "B": "0000ff", "D": "ffff00", "F": "00ff00",
                "L": "ff8000", "R": "ff0000", "U": "ffffff",
            },
        });
        assert_eq!(ok_json(&state, &format!("{base}json")).await, described);
        described["colorScheme"]["B"] = json!("123456");
        let uri = format!("{base}json?scale=3&scheme=123456,ff0,0f0,ff8000,f00,fff");
        assert_eq!(ok_json(&state, &uri).await, described);

        for query in ["y,b,r,g,o,p", "ff0", "gggggg,ff0,0f0,f80,f00,fff"] {
            let uri = format!("{base}svg?scheme={query}");
            problem(&state, &uri, 400, "bad-parameter").await;
        }
        for (format, query) in [
            ("png", "scale=9"),
            ("json", "scale=9"),
            ("svg", "scale=2"),
            ("svg", "scramble=R&scramble=U"),
            ("svg", "scheme=&scheme="),
            ("png", "scale=1&scale=1"),
        ] {
            let uri = format!("{base}{format}?{query}");
            problem(&state, &uri, 400, "bad-parameter").await;
        }
        for format in ["svg", "png", "json"] {
            let uri = format!("{base}{format}?scramble=R+Q7");
            let detail = problem(&state, &uri, 422, "bad-position").await;
            assert!(detail.starts_with("turn 2 (\"Q7\")"), "{detail}");
        }
    }
    let state = ready(Behavior::Turns);
    state.engines.drain();
    ok(&state, "/view/444.svg", "image/svg+xml").await;
}
