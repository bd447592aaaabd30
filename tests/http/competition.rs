//! Competition files, filled over HTTP without tables.

use std::time::SystemTime;

use axum::http::{StatusCode, header};
use scramble444::competition::{Document, FillOptions, Filling, Interchange, Place};
use scramble444::http::{AppState, Settings};
use serde_json::{Value, json};

use crate::common::stub::*;
use crate::common::wcif::{INTERCHANGE, REQUEST, assert_different, outline, scrambles};

fn request() -> Value {
    serde_json::from_str(REQUEST).unwrap()
}

/// A service that is ready, and in no hurry.
fn service() -> AppState {
    ready_with(&stub(Doing::Turns), SMALL, settings())
}

async fn filled(state: &AppState, uri: &str, given: &Value) -> Value {
    let response = post(state, uri, &given.to_string()).await;
    assert_eq!(response.status(), StatusCode::OK, "{uri}");
    body(response).await
}

#[tokio::test]
async fn a_competition_is_filled_to_an_interchange_file() {
    let state = service();
    let expected: Value = serde_json::from_str(INTERCHANGE).unwrap();
    // By itself a WCIF means the same.
    for given in [request(), request()["wcif"].clone()] {
        let response = post(&state, "/v1/wcif", &given.to_string()).await;
        assert_eq!(response.status(), StatusCode::OK);
        let headers = response.headers().clone();
        assert_eq!(headers[header::CONTENT_TYPE], "application/json");
        let disposition = "attachment; filename=\"Example 2026.json\"";
        assert_eq!(headers[header::CONTENT_DISPOSITION], disposition);
        let document = body(response).await;
        let version = format!("scramble444-{}", env!("CARGO_PKG_VERSION"));
        assert_eq!(document["version"], version);
        assert_eq!(outline(document.clone()), outline(expected.clone()));
        let scrambles = scrambles(&document["wcif"]);
        assert_eq!(scrambles.len(), 2 * (5 + 2) + 5 + 3 + 3 + 2);
        assert_different(&scrambles);
    }
}

#[tokio::test]
async fn blindfolded_scrambles_have_an_orientation_and_others_have_none() {
    let mut given = request();
    given["wcif"]["events"][1]["rounds"][0]["scrambleSetCount"] = json!(4);
    let document = filled(&service(), "/v1/wcif", &given).await;
    let all = scrambles(&document["wcif"]);
    let is_turned = |scramble: &&String| scramble.split(' ').any(|word| "xyz".contains(&word[..1]));
    let (sighted, blindfolded) = all.split_at(22);
    assert_eq!(sighted.iter().filter(is_turned).count(), 0);
    assert_eq!(blindfolded.len(), 4 * 5);
    // One in 24^20 times this would be chance.
    assert!(blindfolded.iter().filter(is_turned).count() > 0);
}

/// A competition of about 200 kB, with other events, and with members that nobody has told of.
fn large() -> Value {
    let person = |number: usize| {
        json!({
            "registrantId": number,
            "name": format!("Zoë Łukasz <b>{number}</b> 李四"),
            "registration": {"eventIds": ["444", "333mbf"], "unheardOf": null, "comments": "x".repeat(450)},
            "personalBests": [{"best": 2_345 + number, "average": 0.1 + number as f64 / 3.0}],
        })
    };
    let rounds = json!([{
        "unknown first": [1, 2.5, {"b": 1, "a": 2}],
        "scrambleSets": [
            {"id": 2, "scrambles": ["U"], "extraScrambles": []},
            {"id": 4, "scrambles": ["U2"], "extraScrambles": []},
        ],
        "id": "333-r1",
    }]);
    let mut given = request();
    let wcif = &mut given["wcif"];
    wcif["persons"] = (1..=300).map(person).collect();
    wcif["events"].as_array_mut().unwrap().insert(
        1,
        json!({"rounds": rounds, "zzz": {}, "id": "333", "aaa": -1.5e300}),
    );
    wcif["venue latitude"] = json!(50_123_456);
    given
}

#[tokio::test]
async fn what_is_not_of_the_4x4x4_survives_in_its_place() {
    let given = large();
    let length = given.to_string().len();
    assert!((150_000..250_000).contains(&length), "{length}");
    let mut document = filled(&service(), "/v1/wcif", &given).await;
    let events = document["wcif"]["events"].as_array_mut().unwrap();
    let mut ids = Vec::new();
    for (event, round) in [(0, 0), (0, 1), (2, 0)] {
        let sets = &mut events[event]["rounds"][round]["scrambleSets"];
        let sets = std::mem::replace(sets, json!([]));
        let sets = sets.as_array().unwrap().clone();
        ids.extend(sets.iter().map(|set| set["id"].as_u64().unwrap()));
    }
    assert_eq!(ids, [1, 3, 5, 6], "past those of the other event");
    // As text, since members must keep their order, too.
    assert_eq!(document["wcif"].to_string(), given["wcif"].to_string());

    let only = filled(&service(), "/v1/wcif?only=1", &given).await;
    let events = only["wcif"]["events"].as_array().unwrap();
    let names: Vec<&Value> = events.iter().map(|event| &event["id"]).collect();
    assert_eq!(names, ["444", "444bf"]);
    assert_eq!(events[0]["rounds"][0]["scrambleSets"][1]["id"], 2);
    assert_eq!(only["wcif"]["persons"], given["wcif"]["persons"]);
}

#[tokio::test]
async fn scrambles_that_exist_are_replaced_only_if_that_is_asked_for() {
    let state = service();
    let first = filled(&state, "/v1/wcif", &request()).await;
    for uri in ["/v1/wcif", "/wcif/scrambles?only=1&replace=0"] {
        let response = post(&state, uri, &first.to_string()).await;
        let problem = is_problem(response, 409, "has-scrambles").await;
        let detail = problem["detail"].as_str().unwrap();
        let path = "wcif.events[0].rounds[0].scrambleSets is not empty";
        assert!(detail.starts_with(path), "{detail}");
        assert!(detail.contains("replace=1"), "{detail}");
    }
    let second = filled(&state, "/v1/wcif?replace=1", &first).await;
    assert_eq!(outline(second.clone()), outline(first.clone()));
    let all = [scrambles(&first["wcif"]), scrambles(&second["wcif"])].concat();
    assert_different(&all);
}

#[tokio::test]
async fn tnoodles_interface_gives_the_competition_by_itself() {
    let state = service();
    let given = request();
    let mut answer = filled(&state, "/wcif/scrambles?effort=1", &given).await;
    assert_eq!(scrambles(&answer).len(), 27);
    for (event, round) in [(0, 0), (0, 1), (1, 0)] {
        answer["events"][event]["rounds"][round]["scrambleSets"] = json!([]);
    }
    assert_eq!(answer.to_string(), given["wcif"].to_string());
    let without = Settings {
        tnoodle: false,
        ..settings()
    };
    let without = ready_with(&stub(Doing::Turns), SMALL, without);
    let response = post(&without, "/wcif/scrambles", REQUEST).await;
    is_problem(response, 404, "not-found").await;
    filled(&without, "/v1/wcif", &given).await;
}

/// Changes one member of the request, which is named by a pointer below `wcif`; none for `null`.
fn changed(pointer: &str, value: Value) -> Value {
    let mut given = request();
    match pointer {
        "" => given["wcif"] = value,
        _ => *given["wcif"].pointer_mut(pointer).unwrap() = value,
    }
    given
}

#[tokio::test]
async fn what_is_wrong_with_a_competition_is_named() {
    let state = service();
    let round = |name: &str| format!("/events/0/rounds/0/{name}");
    let extension = |data: Value| {
        let id = "org.worldcubeassociation.tnoodle.ExtraScrambleCount";
        json!([{"id": "other"}, {"id": id, "data": data}])
    };
    let five = json!(vec![request()["wcif"]["events"][0]["rounds"][0].clone(); 5]);
    let twice = json!(vec![request()["wcif"]["events"][1].clone(); 2]);
    for (given, status, detail) in [
        (changed("", json!([])), 400, "wcif must be an object"),
        (
            changed("", json!({})),
            400,
            "wcif.formatVersion must be a string",
        ),
        (
            changed("/name", json!(1)),
            400,
            "wcif.name must be a string",
        ),
        (
            changed("/shortName", json!(" ")),
            422,
            "wcif.shortName must not be empty",
        ),
        (
            changed("/events", json!({})),
            400,
            "wcif.events must be an array",
        ),
        (
            changed("/events/1", json!(444)),
            400,
            "wcif.events[1].id must be a string",
        ),
        (
            changed("/events/1/rounds", json!(null)),
            400,
            "wcif.events[1].rounds must be an array",
        ),
        (
            changed("/events", twice),
            422,
            "wcif.events[1].id is that of an earlier event",
        ),
        (
            changed("/events/0/rounds", five),
            422,
            "wcif.events[0].rounds has 5 rounds",
        ),
        (
            changed("/events", json!([])),
            422,
            "wcif.events has no rounds of 444",
        ),
        (
            changed(&round("id"), json!("444-r2")),
            422,
            "wcif.events[0].rounds[0].id must be 444-r1",
        ),
        (
            changed(&round("format"), json!("b")),
            422,
            "wcif.events[0].rounds[0].format must be 1, 2, 3, 5, a or m",
        ),
        (
            changed(&round("format"), json!(5)),
            400,
            "wcif.events[0].rounds[0].format must be a string",
        ),
        (
            changed(&round("scrambleSetCount"), json!(27)),
            422,
            "wcif.events[0].rounds[0].scrambleSetCount must be from 1 to 26",
        ),
        (
            changed(&round("scrambleSetCount"), json!(-1)),
            422,
            "wcif.events[0].rounds[0].scrambleSetCount must be from 1 to 26",
        ),
        (
            changed(&round("scrambleSetCount"), json!(1.5)),
            400,
            "wcif.events[0].rounds[0].scrambleSetCount must be a whole number",
        ),
        (
            changed(&round("scrambleSets"), json!({})),
            400,
            "wcif.events[0].rounds[0].scrambleSets must be an array",
        ),
        (
            changed(
                &round("extensions"),
                extension(json!({"extraAttempts": 100})),
            ),
            422,
            "wcif.events[0].rounds[0].extensions[1].data.extraAttempts must be from 0 to 99",
        ),
        (
            changed(&round("extensions"), extension(json!(null))),
            400,
            "wcif.events[0].rounds[0].extensions[1].data.extraAttempts must be a whole number",
        ),
    ] {
        let kind = ["bad-body", "bad-competition"][usize::from(status == 422)];
        let response = post(&state, "/v1/wcif", &given.to_string()).await;
        let problem = is_problem(response, status, kind).await;
        let told = problem["detail"].as_str().unwrap();
        assert!(told.starts_with(detail), "{told}");
        // The command line says the same.
        let error = Document::from_json(given.to_string().as_bytes())
            .and_then(|document| Filling::new(document.wcif, FillOptions::default()))
            .unwrap_err();
        assert_eq!(error.to_string(), told);
    }
    for bad in ["", "{", "[]", "{\"wcif\":", "null"] {
        is_problem(post(&state, "/v1/wcif", bad).await, 400, "bad-body").await;
    }
    for query in [
        "only=2",
        "replace=yes",
        "effort=8",
        "count=1",
        "only=1&only=1",
    ] {
        let uri = format!("/v1/wcif?{query}");
        is_problem(post(&state, &uri, REQUEST).await, 400, "bad-parameter").await;
    }
}

#[tokio::test]
async fn competitions_may_be_larger_than_other_bodies_but_not_endless() {
    let state = service();
    let with_name_of = |length: usize| changed("/name", json!("x".repeat(length))).to_string();
    let most = 256 * 1024 - with_name_of(0).len();
    let response = post(&state, "/v1/wcif", &with_name_of(most)).await;
    assert_eq!(response.status(), StatusCode::OK);
    let response = post(&state, "/v1/wcif", &with_name_of(most + 1)).await;
    let problem = is_problem(response, 413, "too-large").await;
    assert!(problem["detail"].as_str().unwrap().contains("262144"));

    let mut given = request();
    let rounds = (1..=4).map(|number| {
        let data = json!({"extraAttempts": 99});
        let id = "org.worldcubeassociation.tnoodle.ExtraScrambleCount";
        json!({
            "id": format!("444-r{number}"), "format": "a", "scrambleSetCount": 26,
            "extensions": [{"id": id, "data": data}],
        })
    });
    given["wcif"]["events"][0]["rounds"] = rounds.collect();
    let response = post(&state, "/v1/wcif", &given.to_string()).await;
    let problem = is_problem(response, 422, "bad-competition").await;
    let detail = "wcif.events ask for 10821 scrambles; at most 10000 can be had at once";
    assert_eq!(problem["detail"], detail);
}

#[tokio::test]
async fn what_cannot_be_made_fails_as_other_requests_do() {
    for doing in [Doing::Failing, Doing::Panicking, Doing::Repeating] {
        let response = post(&ready(doing), "/v1/wcif", REQUEST).await;
        is_problem(response, 500, "internal").await;
    }
    let response = post(&starting(settings()), "/v1/wcif", REQUEST).await;
    is_problem(response, 503, "starting").await;
    let draining = service();
    draining.readiness.drain();
    let response = post(&draining, "/v1/wcif", REQUEST).await;
    is_problem(response, 503, "draining").await;
    let stub = stub(Doing::Permitted);
    let state = ready_with(&stub, SMALL, settings());
    let waiting = tokio::spawn({
        let state = state.clone();
        async move { post(&state, "/v1/wcif", REQUEST).await.status() }
    });
    wait_until("a job is begun", async || {
        stub.busy.load(std::sync::atomic::Ordering::Relaxed) == 1
    })
    .await;
    let working = state.readiness.working().unwrap();
    let streamed = || working.pool().load().streamed;
    assert_eq!(streamed(), 2, "as many as a stream has queued");
    waiting.abort();
    let _ = waiting.await;
    stub.permit(1);
    wait_until("its jobs end", async || streamed() == 0).await;
}

#[test]
fn file_names_mean_nothing_to_paths_and_headers() {
    for (short_name, file_name) in [
        ("Example 2026", "Example 2026.json"),
        ("../../etc/passwd", "______etc_passwd.json"),
        ("a\"; filename=b", "a__ filename_b.json"),
        ("Łódź\r\nX: 1", "__d___X_ 1.json"),
        (".bashrc", "_bashrc.json"),
    ] {
        let given = changed("/shortName", json!(short_name)).to_string();
        let document = Document::from_json(given.as_bytes()).unwrap();
        let interchange = Interchange::new(document.wcif, SystemTime::now());
        assert_eq!(interchange.file_name(), file_name);
    }
}

#[test]
fn a_set_has_a_scramble_for_each_attempt_of_its_format() {
    for (format, attempts) in [("1", 1), ("2", 2), ("3", 3), ("5", 5), ("a", 5), ("m", 3)] {
        let given = changed("/events/1/rounds/0/format", json!(format));
        let document = Document::from_value(given).unwrap();
        let rounds = document.wcif.rounds().unwrap();
        assert_eq!(rounds[2].attempts, attempts, "{format}");
        assert_eq!(rounds[2].places().count(), attempts as usize + 2);
    }
}

#[test]
fn scrambles_are_needed_round_by_round_and_go_where_they_belong() {
    let document = Document::from_json(REQUEST.as_bytes()).unwrap();
    let filling = Filling::new(document.wcif, FillOptions::default()).unwrap();
    let places: Vec<String> = filling.places().iter().map(Place::to_string).collect();
    assert_eq!(places.len(), 27);
    for (index, place) in [
        (0, "444 round 1 set A scramble 1"),
        (6, "444 round 1 set A extra 2"),
        (7, "444 round 1 set B scramble 1"),
        (21, "444 round 2 set A extra 3"),
        (26, "444bf round 1 set A extra 2"),
    ] {
        assert_eq!(places[index], place);
    }
    let wcif = filling.filled(places.clone()).into_value();
    assert_eq!(scrambles(&wcif), places);
}
