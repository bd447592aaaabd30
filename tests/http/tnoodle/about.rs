//! The lists of puzzles and the version.

use serde_json::json;

use super::{ok_json, problem};
use crate::requests::*;
use crate::service::*;

#[tokio::test]
async fn puzzles_and_the_version_are_listed() {
    let state = ready(Behavior::Turns);
    let sighted = json!({"shortName": "444", "longName": "4x4x4"});
    let no_inspection = json!({"shortName": "444ni", "longName": "4x4x4 no inspection"});
    let all = json!([sighted, no_inspection]);
    assert_eq!(ok_json(&state, "/api/v0/puzzles").await, all);
    assert_eq!(ok_json(&state, "/puzzles/.json").await, all);
    for (name, expected) in [
        ("444", &sighted),
        ("444wca", &sighted),
        ("444fast", &sighted),
        ("444ni", &no_inspection),
        ("444bf", &no_inspection),
        ("444bld", &no_inspection),
    ] {
        let uri = format!("/api/v0/puzzles/{name}");
        assert_eq!(&ok_json(&state, &uri).await, expected);
    }
    let version = json!({
        "projectName": "scramble444",
        "projectVersion": env!("CARGO_PKG_VERSION"),
        "signedBuild": false,
        "signatureKeyBytes": null,
    });
    assert_eq!(ok_json(&state, "/version").await, version);
    assert_eq!(ok_json(&state, "/version.json").await, version);
}

#[tokio::test]
async fn the_status_of_puzzles_is_optional() {
    let state = ready(Behavior::Turns);
    let puzzle = ok_json(&state, "/api/v0/puzzles/444?includeStatus").await;
    assert_eq!(puzzle["initializationStatus"], 1.0);
    assert_eq!(puzzle["cacheQueue"], 0);
    let buffering = ready_but(&stub(Behavior::Turns), |it| it.buffer = 2);
    wait_until("the buffer is full", async || {
        let puzzle = ok_json(&buffering, "/api/v0/puzzles/444ni?includeStatus").await;
        puzzle["cacheQueue"] == 2
    })
    .await;
    for uri in ["/api/v0/puzzles", "/api/v0/puzzles/444"] {
        let twice = format!("{uri}?includeStatus&includeStatus");
        problem(&state, &twice, 400, "bad-parameter").await;
        ok_json(&state, &format!("{uri}?other&other")).await;
    }
    state.engines.drain();
    problem(&state, "/api/v0/puzzles?includeStatus=1", 503, "draining").await;

    let state = starting(settings());
    progress(&state, "stub", "building", 0.25);
    for uri in ["/api/v0/puzzles", "/puzzles/.json"] {
        let puzzles = ok_json(&state, &format!("{uri}?includeStatus=true")).await;
        for puzzle in puzzles.as_array().unwrap() {
            assert_eq!(puzzle["initializationStatus"], 0.25);
            assert_eq!(puzzle["cacheQueue"], 0);
        }
    }
}
