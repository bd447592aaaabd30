//! The interface under `/frontend`.

use axum::http::StatusCode;
use cube444::cube::Cube;
use cube444::picture::{Scheme, svg};
use serde_json::{Value, json};

use super::{cube, media, ok_json, refused};
use crate::service::*;

#[tokio::test]
async fn the_frontend_has_events_formats_and_colors() {
    let state = starting(settings());
    let event = |id: &str, name: &str, formats: Value| {
        json!({
            "id": id,
            "name": name,
            "puzzle_id": "444",
            "puzzle_group_id": "nbyn",
            "format_ids": formats,
            "can_change_time_limit": true,
            "is_timed_event": true,
            "is_fewest_moves": false,
            "is_multiple_blindfolded": false,
        })
    };
    let events = json!([
        event("444", "4x4x4", json!(["a", "3", "2", "1"])),
        event("444bf", "4x4x4 Blindfolded", json!(["3"])),
    ]);
    assert_eq!(ok_json(&state, "/frontend/data/events").await, events);
    let formats = json!({
        "1": {"name": "Best of 1", "shortName": "Bo1"},
        "2": {"name": "Best of 2", "shortName": "Bo2"},
        "3": {"name": "Best of 3", "shortName": "Bo3"},
        "5": {"name": "Best of 5", "shortName": "Bo5"},
        "a": {"name": "Average of 5", "shortName": "Ao5"},
        "m": {"name": "Mean of 3", "shortName": "Mo3"},
    });
    assert_eq!(ok_json(&state, "/frontend/data/formats").await, formats);
    let colors = json!({
        "B": "#0000ff", "D": "#ffff00", "F": "#00ff00",
        "L": "#ff8000", "R": "#ff0000", "U": "#ffffff",
    });
    let uri = "/frontend/puzzle/444/colors";
    assert_eq!(ok_json(&state, uri).await, colors);
}

#[tokio::test]
async fn frontend_scrambles_include_their_pictures() {
    let state = ready(Behavior::Turns);
    let colors = r##"{"B":"#123456","U":"#abc"}"##;
    let scheme: Scheme = "123456,ffff00,00ff00,ff8000,ff0000,aabbcc".parse().unwrap();
    for (given, scheme) in [("{}", Scheme::default()), (colors, scheme)] {
        for puzzle in ["444", "444ni"] {
            let uri = format!("/frontend/puzzle/{puzzle}/scramble");
            let drawn = post(&state, &uri, given).await;
            assert_eq!(drawn.status(), StatusCode::OK);
            assert_eq!(media(&drawn), "application/json");
            let drawn = body(drawn).await;
            assert_eq!(drawn.as_object().unwrap().len(), 2);
            let turns = drawn["scramble"].as_str().unwrap();
            assert!(turns.contains(" Rw"), "{turns}");
            let picture = drawn["svgImage"].as_str().unwrap();
            assert_eq!(picture, svg(&cube(turns), &scheme));
            // Clients replace the two sizes to scale the picture.
            assert!(picture.starts_with("<svg"));
            for size in ["width=\"170px\"", "height=\"128px\"", "px\""] {
                let times = if size == "px\"" { 2 } else { 1 };
                assert_eq!(picture.matches(size).count(), times, "{size}");
            }
        }
        let solved = post(&state, "/frontend/puzzle/444/svg", given).await;
        assert_eq!(media(&solved), "image/svg+xml");
        assert_eq!(text(solved).await, svg(&Cube::solved(), &scheme));
    }
    for uri in ["/frontend/puzzle/444/scramble", "/frontend/puzzle/444/svg"] {
        for bad in r##"[|[]|{"B":1}|{"B":"blue"}|{"X":"#fff"}"##.split('|') {
            refused(&state, &format!("POST {uri} {bad}"), 400, "bad-body").await;
        }
        let large = json!({"B": "0".repeat(20_000)}).to_string();
        refused(&state, &format!("POST {uri} {large}"), 413, "too-large").await;
    }
}
