//! Filling competition files over HTTP.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use axum::body::Body;
use axum::http::{Method, Request, Response, StatusCode, header};
use cube444_competition::check::{Finding, check};
use cube444_competition::{FillOptions, FillPlan, ScrambleId, Wcif};
use futures_util::{FutureExt, StreamExt, stream};
use scramble444::http::{AppState, bind, router, serve};
use scramble444::settings::Settings;
use serde_json::{Value, json};

use crate::service::*;
use test_support::turns::{competition, interchange};
use test_support::wcif::{INTERCHANGE, REQUEST, assert_distinct, outline, scrambles};

fn request() -> Value {
    serde_json::from_str(REQUEST).unwrap()
}

fn service() -> AppState {
    ready_with(&stub(Behaviour::Turns), settings())
}

async fn filled(state: &AppState, uri: &str, given: &Value) -> Value {
    let response = post(state, uri, &given.to_string()).await;
    assert_eq!(response.status(), StatusCode::OK, "{uri}");
    body(response).await
}

#[tokio::test]
async fn a_filled_competition_is_an_interchange_file() {
    let state = service();
    let expected: Value = serde_json::from_str(INTERCHANGE).unwrap();
    // A bare WCIF is accepted as well.
    for given in [request(), request()["wcif"].clone()] {
        let response = post(&state, "/v1/wcif", &given.to_string()).await;
        assert_eq!(response.status(), StatusCode::OK);
        let headers = response.headers().clone();
        assert_eq!(headers[header::CONTENT_TYPE], "application/json");
        let disposition =
            "attachment; filename=\"Example 2026.json\"; filename*=UTF-8''Example%202026.json";
        assert_eq!(headers[header::CONTENT_DISPOSITION], disposition);
        let document = body(response).await;
        let version = format!("scramble444-{}", env!("CARGO_PKG_VERSION"));
        assert_eq!(document["version"], version);
        assert_eq!(outline(document.clone()), outline(expected.clone()));
        let scrambles = scrambles(&document["wcif"]);
        assert_eq!(scrambles.len(), 2 * (5 + 2) + 5 + 3 + 3 + 2);
        assert_distinct(&scrambles);
    }
}

#[tokio::test]
async fn only_blindfolded_scrambles_have_an_orientation() {
    let mut given = request();
    given["wcif"]["events"][1]["rounds"][0]["scrambleSetCount"] = json!(4);
    let document = filled(&service(), "/v1/wcif", &given).await;
    let all = scrambles(&document["wcif"]);
    let is_rotated =
        |scramble: &&String| scramble.split(' ').any(|word| "xyz".contains(&word[..1]));
    let (sighted, blindfolded) = all.split_at(22);
    assert_eq!(sighted.iter().filter(is_rotated).count(), 0);
    assert_eq!(blindfolded.len(), 4 * 5);
    // Fails by chance with probability 24^-20.
    assert!(blindfolded.iter().filter(is_rotated).count() > 0);
}

/// A competition of about 200 kB, with other events and unknown members.
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
    }, {
        "id": "333-r2",
        "scrambleSets": [{"id": 5, "scrambles": ["U'"], "extraScrambles": []}],
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
async fn other_events_and_unknown_members_keep_their_places() {
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
    assert_eq!(ids, [6, 7, 8, 9], "ids are above those of the other event");
    // Compared as text, which includes the order of the members.
    assert_eq!(document["wcif"].to_string(), given["wcif"].to_string());

    let only = filled(&service(), "/v1/wcif?only=1", &given).await;
    let events = only["wcif"]["events"].as_array().unwrap();
    let names: Vec<&Value> = events.iter().map(|event| &event["id"]).collect();
    assert_eq!(names, ["444", "444bf"]);
    assert_eq!(events[0]["rounds"][0]["scrambleSets"][1]["id"], 2);
    assert_eq!(only["wcif"]["persons"], given["wcif"]["persons"]);
}

#[tokio::test]
async fn existing_scrambles_are_replaced_only_with_the_parameter() {
    let stub = stub(Behaviour::Turns);
    let state = ready_with(&stub, settings());
    let first = text(post(&state, "/v1/wcif", REQUEST).await).await;
    let calls = || stub.calls.load(Relaxed);
    let before = calls();
    for uri in ["/v1/wcif", "/v1/wcif?only=0&replace=0"] {
        let response = post(&state, uri, &first).await;
        assert_eq!(response.status(), StatusCode::OK, "{uri}");
        assert!(!response.headers().contains_key("x-new-sets"));
        assert_eq!(text(response).await, first, "{uri}");
    }
    let bare = text(post(&state, "/wcif/scrambles", &first).await).await;
    assert_eq!(scrambles(&serde_json::from_str(&bare).unwrap()).len(), 27);
    assert!(first.contains(&bare));
    // Nothing is put around a bare WCIF.
    for given in [bare.clone(), format!("\u{feff} {bare}\n")] {
        let again = text(post(&state, "/v1/wcif", &given).await).await;
        assert_eq!(again, given.trim_start_matches('\u{feff}'));
    }
    assert_eq!(calls(), before, "no scrambles are made");
    // So no solver is needed, either.
    let draining = ready(Behaviour::Turns);
    draining.engines.drain();
    for state in [starting(settings()), draining] {
        let response = post(&state, "/v1/wcif", &first).await;
        assert_eq!(text(response).await, first);
    }

    let first: Value = serde_json::from_str(&first).unwrap();
    for (replace, replaced) in [
        ("1", [0..27, 0..0]),
        ("444", [0..22, 0..0]),
        ("444bf", [22..27, 0..0]),
        ("444-r2", [14..22, 0..0]),
        ("444bf-r1,444-r1", [0..14, 22..27]),
    ] {
        let uri = format!("/v1/wcif?replace={replace}");
        let second = filled(&state, &uri, &first).await;
        assert_eq!(outline(second.clone()), outline(first.clone()));
        let [old, new] = [&first, &second].map(|document| scrambles(&document["wcif"]));
        for index in 0..27 {
            let is_replaced = replaced.iter().any(|range| range.contains(&index));
            assert_eq!(old[index] != new[index], is_replaced, "{replace} {index}");
        }
        let replaced = replaced
            .into_iter()
            .flatten()
            .map(|index| new[index].clone());
        assert_distinct(&[old, replaced.collect()].concat());
    }
    for (replace, status, kind) in [
        ("444-r3", 422, "bad-competition"),
        ("444bf,444-r4", 422, "bad-competition"),
        ("444-r5", 400, "bad-parameter"),
        ("444-r", 400, "bad-parameter"),
        ("444-r01", 400, "bad-parameter"),
        ("333", 400, "bad-parameter"),
        ("444,", 400, "bad-parameter"),
        ("", 400, "bad-parameter"),
    ] {
        let uri = format!("/v1/wcif?replace={replace}");
        let response = post(&state, &uri, &first.to_string()).await;
        let problem = assert_problem(response, status, kind).await;
        let named = ["444-r1", "has no rounds of 444-r"][usize::from(status == 422)];
        assert!(detail(&problem).contains(named), "{problem}");
    }
}

#[tokio::test]
async fn tnoodles_route_returns_the_bare_competition() {
    let state = service();
    let given = request();
    let mut wcif = filled(&state, "/wcif/scrambles?effort=1", &given).await;
    assert_eq!(scrambles(&wcif).len(), 27);
    for (event, round) in [(0, 0), (0, 1), (1, 0)] {
        wcif["events"][event]["rounds"][round]["scrambleSets"] = json!([]);
    }
    assert_eq!(wcif.to_string(), given["wcif"].to_string());
}

/// The request with the member at a JSON pointer below `wcif` replaced.
fn changed(pointer: &str, value: Value) -> Value {
    let mut given = request();
    match pointer {
        "" => given["wcif"] = value,
        _ => *given["wcif"].pointer_mut(pointer).unwrap() = value,
    }
    given
}

#[tokio::test]
async fn bad_documents_and_parameters_are_refused() {
    let state = service();
    for uri in ["/v1/wcif", "/print"] {
        for (bad, status, kind) in [
            ("", 400, "bad-body"),
            ("null", 400, "bad-body"),
            (r#"{"events": [], "events": []}"#, 422, "bad-competition"),
        ] {
            assert_problem(post(&state, uri, bad).await, status, kind).await;
        }
    }
    for query in [
        "only=2",
        "replace=yes",
        "effort=8",
        "count=1",
        "only=1&only=1",
    ] {
        let uri = format!("/v1/wcif?{query}");
        assert_problem(post(&state, &uri, REQUEST).await, 400, "bad-parameter").await;
    }
}

#[tokio::test]
async fn all_errors_of_a_competition_are_reported_together() {
    let mut given = changed("/events/0/rounds/0/format", json!("avg"));
    given["wcif"]["events"][0]["rounds"][0]["scrambleSetCount"] = json!(27);
    given["wcif"]["events"][0]["rounds"][1] = json!(7);
    given["wcif"]["events"][1]["rounds"][0]["id"] = json!("x");
    let response = post(&service(), "/v1/wcif", &given.to_string()).await;
    // The first error determines the status.
    let problem = assert_problem(response, 422, "bad-competition").await;
    let detail = "wcif.events[0].rounds[0].format must be a single character, such as 1, 2, 3, 5, a, m or h; \
                  wcif.events[0].rounds[0].scrambleSetCount must be from 0 to 26; \
                  wcif.events[0].rounds[1] must be an object; \
                  wcif.events[1].rounds[0].id must be 444bf-r1, as it is round 1 of the event";
    assert_eq!(problem["detail"], detail);
    given["wcif"]["events"][0]["rounds"][0] = json!(7);
    let response = post(&service(), "/v1/wcif", &given.to_string()).await;
    let problem = assert_problem(response, 400, "bad-body").await;
    let first = "wcif.events[0].rounds[0] must be an object; ";
    assert!(self::detail(&problem).starts_with(first), "{problem}");
}

/// A competition in the WCA's format of 2026, with Dual Rounds, Head-to-Head and an unknown event.
const REQUEST_2: &str = include_str!("../data/input/wcif/request-2.1.json");

#[tokio::test]
async fn rounds_of_any_format_are_filled() {
    let given: Value = serde_json::from_str(REQUEST_2).unwrap();
    for uri in ["/v1/wcif", "/wcif/scrambles"] {
        let document = filled(&service(), uri, &given).await;
        let mut wcif = document.get("wcif").unwrap_or(&document).clone();
        assert_distinct(&scrambles(&wcif));
        let mut sizes = Vec::new();
        for event in wcif["events"].as_array_mut().unwrap() {
            for round in event["rounds"].as_array_mut().unwrap() {
                let round = round.as_object_mut().unwrap();
                let Some(sets) = round.shift_remove("scrambleSets") else {
                    continue;
                };
                for set in sets.as_array().unwrap() {
                    let count = |kind: &str| set[kind].as_array().unwrap().len();
                    let id = round["id"].as_str().unwrap().to_owned();
                    sizes.push((id, count("scrambles"), count("extraScrambles")));
                }
            }
        }
        let expected = [
            ("444-r1", 3),
            ("444-r2", 3),
            ("444-r3", 1),
            ("444-r4", 2),
            ("444bf-r1", 1),
        ];
        let expected = expected.map(|(round, sets)| vec![(round.to_owned(), 5, 2); sets]);
        assert_eq!(sizes, expected.concat());
        assert_eq!(wcif.to_string(), given.to_string());
    }
}

#[tokio::test]
async fn text_outside_of_scramble_sets_is_unchanged() {
    let head =
        "{ \"x\": [18446744073709551616, 0.1234567890123456789, 1E5, -0, \"\\u00e9\"],\r\n\t";
    let other = "{\"rounds\": [ {\"a\":1,\"a\":2} ] , \"id\":\"333\"} ";
    let round = "{\"id\":\"444-r1\",\"format\":\"1\",\"scrambleSetCount\":1 , \"scrambleSets\" : ";
    let middle = " , \"z\":{} }";
    let tail = " ],\"end\" : 1e400}";
    let own = |sets: &str| format!("{{\"id\":\"444\",\"rounds\":[{round}{sets}{middle}] }}");
    let given = |sets: &str| {
        let own = own(sets);
        format!("{head}\"events\": [{other},{own} , {other}{tail}")
    };
    let marked = format!("\u{feff} {}\n", given("[]"));
    let response = post(&service(), "/wcif/scrambles", &marked).await;
    assert_eq!(response.status(), StatusCode::OK);
    let filled = text(response).await;
    let sets = |filled: &str| {
        let sets = filled.split_once("\"scrambleSets\" : ").unwrap().1;
        sets.split_once(middle).unwrap().0.to_owned()
    };
    assert_eq!(filled, given(&sets(&filled)));
    let parsed: Value = serde_json::from_str(&sets(&filled)).unwrap();
    assert_eq!(parsed[0]["id"], 1);

    let response = post(&service(), "/wcif/scrambles?only=1", &given("null")).await;
    let filled = text(response).await;
    let own = own(&sets(&filled));
    assert_eq!(filled, format!("{head}\"events\": [{own}]{}", &tail[2..]));
}

#[tokio::test]
async fn replaced_sets_keep_their_ids() {
    let set = |id: Value| json!({"id": id, "scrambles": [], "extraScrambles": []});
    let mut given = request();
    let rounds = &mut given["wcif"]["events"][0]["rounds"];
    rounds[0]["scrambleSetCount"] = json!(3);
    rounds[0]["scrambleSets"] = json!([set(json!(11)), set(json!("12"))]);
    rounds[1]["scrambleSets"] = json!([set(json!(11)), set(json!(1)), set(json!(14))]);
    // The number of a set that the second round has no more.
    given["wcif"]["events"][1]["rounds"][0]["scrambleSets"] = json!([set(json!(1))]);
    let activity = json!({"scrambleSetId": 11, "childActivities": [{"scrambleSetId": 14}]});
    given["wcif"]["schedule"] = json!({"venues": [{"rooms": [{"activities": [activity]}]}]});
    let document = filled(&service(), "/v1/wcif?replace=1", &given).await;
    let ids = |event: usize, round: usize| -> Vec<u64> {
        let sets = &document["wcif"]["events"][event]["rounds"][round]["scrambleSets"];
        let sets = sets.as_array().unwrap().iter();
        sets.map(|set| set["id"].as_u64().unwrap()).collect()
    };
    // The second round needs one set only, so the activity of set 14 has a dangling reference.
    assert_eq!([ids(0, 0), ids(0, 1)], [vec![11, 15, 16], vec![17]]);
    assert_eq!(ids(1, 0), [1]);
    assert_eq!(document["wcif"]["schedule"], given["wcif"]["schedule"]);
    let report = check(document.to_string().as_bytes()).unwrap();
    let is_dangling = |finding: &&Finding| finding.kind == "set-reference";
    let dangling: Vec<&Finding> = report.findings.iter().filter(is_dangling).collect();
    assert_eq!(dangling.len(), 1);
    let place = "wcif.schedule.venues[0].rooms[0].activities[0].childActivities[0]";
    assert_eq!(dangling[0].place, place);
}

#[tokio::test]
async fn the_name_falls_back_from_short_name_to_name_to_id() {
    for (names, expected) in [
        (json!({"id": "A", "name": "B", "shortName": "C"}), "C"),
        (json!({"id": "A", "name": "B", "shortName": " "}), "B"),
        (json!({"id": "A"}), "A"),
        (json!({}), ""),
    ] {
        let mut given = names;
        given["events"] = request()["wcif"]["events"].clone();
        let document = filled(&service(), "/v1/wcif", &given).await;
        assert_eq!(document["competitionName"], expected);
    }
}

/// Posts a competition of `bytes` bytes for printing; `None` if the response waits. Needs a paused clock.
async fn fill_now(state: &AppState, client: u8, bytes: usize) -> Option<Response<Body>> {
    let mut document = interchange(&competition(&[1], 0), 6);
    document["padding"] = json!("x".repeat(bytes - document.to_string().len() - 13));
    assert_eq!(document.to_string().len(), bytes);
    let response = call(state, upload(client, document.to_string().into()));
    let moment = Duration::from_millis(1);
    tokio::time::timeout(moment, response).await.ok()
}

/// A body in pieces, each after a pause of some milliseconds.
fn slow_body(pieces: Vec<(u64, String)>) -> Body {
    let pieces = stream::iter(pieces).then(async |(pause, piece): (u64, String)| {
        tokio::time::sleep(Duration::from_millis(pause)).await;
        Ok::<_, std::io::Error>(piece)
    });
    Body::from_stream(pieces.boxed())
}

/// The upload of a competition by a client, which has its own address.
fn upload(client: u8, body: Body) -> Request<Body> {
    let address = std::net::SocketAddr::from(([192, 0, 2, client], 1));
    Request::post("/v1/wcif")
        .header("content-type", "application/json")
        .extension(axum::extract::ConnectInfo(address))
        .body(body)
        .unwrap()
}

/// The largest competition, in bytes.
const MAX: usize = 8 << 20;

#[tokio::test(start_paused = true)]
async fn documents_in_progress_use_bounded_memory_and_leave_some_to_smaller_ones() {
    let state = starting(settings());
    // The memory is reserved until a response has been sent.
    let mut unread = Vec::new();
    for client in 1..=4 {
        unread.push(fill_now(&state, client, MAX).await.unwrap());
    }
    assert!(fill_now(&state, 5, MAX).await.is_none());
    unread.push(fill_now(&state, 5, MAX / 2).await.unwrap());
    let began = tokio::time::Instant::now();
    let max_document = interchange(&competition(&[1], 0), 6).to_string() + &" ".repeat(MAX / 2);
    let response = post(&state, "/print", &max_document).await;
    assert_eq!(response.headers()["retry-after"], "10");
    assert_problem(response, 503, "overloaded").await;
    assert_eq!(began.elapsed().as_secs(), 10);
    // Small ones find some.
    for client in 1..=6 {
        unread.push(fill_now(&state, client, 100 * 1024).await.unwrap());
    }
    let sent = text(unread.remove(0)).await;
    assert_eq!(sent.len(), MAX);
    drop(unread);
    let next = fill_now(&state, 1, MAX).await;
    assert_eq!(next.unwrap().status(), StatusCode::OK);
}

#[tokio::test(start_paused = true)]
async fn waiting_for_memory_does_not_shorten_the_time_of_an_upload() {
    let state = starting(settings());
    let mut unread = Vec::new();
    for client in 1..=4 {
        unread.push(fill_now(&state, client, MAX).await.unwrap());
    }
    // A body may take 42 seconds, and each piece of it ten.
    let document = interchange(&competition(&[1], 0), 6).to_string();
    let mut pieces = vec![(8_000, String::new()), (1, document)];
    pieces.extend(vec![(8_000, " ".to_owned()); 4]);
    let upload = call(&state, upload(5, slow_body(pieces)));
    let free = async {
        tokio::time::sleep(Duration::from_secs(9)).await;
        drop(unread);
    };
    let (response, ()) = tokio::join!(upload, free);
    assert_eq!(response.status(), StatusCode::OK);
}

/// The document is larger than all buffers.
#[tokio::test]
async fn a_document_that_nobody_reads_is_cut_off_and_releases_its_memory() {
    let state = starting(settings());
    let listener = bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let client = tokio::net::TcpSocket::new_v4().unwrap();
    client.set_recv_buffer_size(4096).unwrap();
    let client = client.connect(listener.local_addr().unwrap()).await;
    let client = client.unwrap();
    let (router, limit) = (router(state.clone()), Arc::clone(&state.connections));
    let permits = limit.available_permits();
    tokio::spawn(async move {
        let never = std::future::pending();
        serve(vec![listener], router.clone(), router, &limit, never).await;
    });
    let document = interchange(&competition(&[26], 0), 6).to_string();
    let padding = " ".repeat(MAX - document.len());
    let request = format!(
        "POST /v1/wcif HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Content-Length: {MAX}\r\n\r\n{document}{padding}"
    );
    let mut rest = request.as_bytes();
    while !rest.is_empty() {
        client.writable().await.unwrap();
        rest = &rest[client.try_write(rest).unwrap_or(0)..];
    }
    client.readable().await.unwrap();
    tokio::time::pause();
    let mut unread = Vec::new();
    for other in [1, 2, 3] {
        unread.push(fill_now(&state, other, MAX).await.unwrap());
    }
    assert!(fill_now(&state, 4, MAX).await.is_none());
    assert_eq!(state.connections.available_permits(), permits - 1);
    tokio::time::sleep(Duration::from_secs(31)).await;
    assert!(fill_now(&state, 4, MAX).await.is_some());
    assert_eq!(state.connections.available_permits(), permits);
}

#[tokio::test(start_paused = true)]
async fn new_scrambles_use_the_memory_of_documents_by_their_number() {
    // Deadlines do not follow the paused clock, which is 40 seconds ahead at the end.
    let settings = Settings {
        request_deadline: Duration::from_secs(60),
        ..settings()
    };
    let state = ready_with(&stub(Behaviour::Turns), settings);
    // All but 24 KiB of the memory of a client.
    let mut unread = Vec::new();
    for bytes in [MAX, MAX / 4 - 24 * 1024] {
        unread.push(fill_now(&state, 1, bytes).await.unwrap());
    }
    let mut unfilled = competition(&[1], 0);
    unfilled["padding"] = json!("x".repeat(20 * 1024));
    let get = |uri: &str| {
        let mut request = upload(1, unfilled.to_string().into());
        if uri != "/v1/wcif" {
            *request.body_mut() = Body::empty();
            *request.method_mut() = Method::GET;
        }
        *request.uri_mut() = uri.parse().unwrap();
        call(&state, request)
    };
    // 36 scrambles, 1 KiB each; or 7, and a document of 20 KiB.
    let large = [
        "/print?extras=7&sets=3",
        "/v1/scrambles?count=36",
        "/scramble/a.txt?=444*36",
        "/v1/wcif",
    ];
    for uri in large {
        let began = tokio::time::Instant::now();
        let response = get(uri).await;
        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE, "{uri}");
        assert_eq!(response.headers()["retry-after"], "10");
        assert_problem(response, 503, "overloaded").await;
        assert_eq!(began.elapsed().as_secs(), 10);
    }
    // A paused clock would run ahead of the workers.
    tokio::time::resume();
    let pictures = get("/v1/scrambles?count=22&pictures=1").await;
    assert_eq!(pictures.status(), StatusCode::OK);
    tokio::time::pause();
    assert!(fill_now(&state, 1, 17 * 1024).await.is_none());
    drop(pictures);
    assert!(fill_now(&state, 1, 17 * 1024).await.is_some());
    drop(unread);
    tokio::time::resume();
    for uri in large {
        assert_eq!(get(uri).await.status(), StatusCode::OK);
    }
}

#[tokio::test(start_paused = true)]
async fn an_upload_may_finish_while_the_service_stops() {
    for is_aborted in [false, true] {
        let state = starting(settings());
        let document = interchange(&competition(&[1], 0), 6).to_string();
        let (first, rest) = document.split_at(10);
        let pieces = [first, rest].map(|piece| (1_000, piece.to_owned()));
        let request = upload(1, slow_body(pieces.into()));
        let response = tokio::spawn({
            let state = state.clone();
            async move { call(&state, request).await }
        });
        tokio::time::sleep(Duration::from_millis(1_500)).await;
        state.engines.drain();
        assert!(state.engines.ended().now_or_never().is_none());
        if is_aborted {
            state.engines.abort_requests();
            assert_problem(response.await.unwrap(), 503, "draining").await;
        } else {
            assert_eq!(response.await.unwrap().status(), StatusCode::OK);
            assert!(state.engines.ended().now_or_never().is_some());
        }
    }
}

#[tokio::test]
async fn errors_of_a_document_are_counted_but_only_the_first_are_kept() {
    let events = vec![json!({"id": "444"}); 3_000];
    let document = json!({"id": "X", "name": "X", "events": events});
    let response = post(&ready(Behaviour::Turns), "/v1/wcif", &document.to_string()).await;
    let problem = body(response).await;
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("wcif.events[1]"), "{detail}");
    let count: usize = detail
        .strip_suffix(" more errors")
        .and_then(|detail| detail.rsplit(' ').next()?.parse().ok())
        .unwrap();
    assert_eq!(count + detail.matches("is repeated").count(), 2_999);
}

#[test]
fn arrays_have_at_most_a_hundred_thousand_items() {
    let read = |count: usize| {
        let events = vec!["0"; count].join(",");
        Wcif::from_json(format!("{{\"events\":[{events}]}}"))
    };
    assert!(read(100_000).is_ok());
    let error = read(100_001).unwrap_err().to_string();
    assert_eq!(error, "wcif.events must have at most 100000 items");
}

#[test]
fn a_message_lists_twenty_errors_before_it_counts_them() {
    for (count, end) in [
        (1, None),
        (20, None),
        (21, Some("; and 1 more errors")),
        (22, Some("; and 2 more errors")),
    ] {
        let events = vec![json!({"id": "444"}); count + 1];
        let document = json!({"events": events}).to_string();
        let message = Wcif::from_json(document).unwrap_err().to_string();
        let listed: Vec<&str> = message
            .split("; ")
            .filter(|it| it.contains(" is repeated"))
            .collect();
        assert_eq!(listed.len(), count.min(20));
        for (number, error) in (1..).zip(listed) {
            assert!(error.starts_with(&format!("wcif.events[{number}].id ")));
        }
        assert_eq!(message.contains("more errors"), end.is_some());
        assert!(message.ends_with(end.unwrap_or_default()), "{message}");
    }
}

#[tokio::test(start_paused = true)]
async fn idle_uploads_block_no_small_ones() {
    let state = starting(settings());
    let idle = |client, length: Option<usize>| {
        let begun = stream::iter([Ok::<_, std::io::Error>("{")]);
        let silent = begun.chain(stream::pending());
        let mut request = upload(client, Body::from_stream(silent));
        if let Some(length) = length {
            let headers = request.headers_mut();
            headers.insert(header::CONTENT_LENGTH, length.into());
        }
        let state = state.clone();
        tokio::spawn(async move { call(&state, request).await.status() })
    };
    let idle: Vec<_> = (0..20)
        .map(|number| idle(number % 10, (number % 3 > 0).then_some(MAX)))
        .collect();
    tokio::task::yield_now().await;
    for client in [0, 1, 20] {
        let response = fill_now(&state, client, 500 * 1024).await;
        assert_eq!(response.unwrap().status(), StatusCode::OK);
    }
    for upload in idle {
        // Or 503, after as many seconds.
        assert_ne!(upload.await.unwrap(), StatusCode::OK);
    }
}

#[tokio::test]
async fn work_that_exceeds_the_deadline_is_rejected_immediately() {
    let stub = stub(Behaviour::Turns);
    let settings = Settings {
        request_deadline: Duration::ZERO,
        ..settings()
    };
    let state = ready_with(&stub, settings);
    // The first scramble gives the estimate of the time per scramble.
    let response = send(&state, "GET", "/v1/scrambles").await;
    assert_eq!(response.status(), StatusCode::OK);
    for (method, uri) in [("POST", "/v1/wcif"), ("GET", "/print?sets=3")] {
        let response = match method {
            "POST" => post(&state, uri, REQUEST).await,
            _ => send(&state, method, uri).await,
        };
        let problem = assert_problem(response, 422, "too-much-work").await;
        for part in ["at effort 4 take about", "the limit is 0"] {
            assert!(detail(&problem).contains(part), "{problem}");
        }
    }
    assert_eq!(stub.calls.load(Relaxed), 1);
    // A single set is not checked against the estimate.
    let response = send(&state, "GET", "/print").await;
    assert_eq!(response.status(), StatusCode::OK);
}

#[tokio::test]
async fn a_header_counts_the_hurried_scrambles_of_a_document() {
    for behaviour in [Behaviour::Hurried, Behaviour::Turns] {
        let state = ready_with(&stub(behaviour), settings());
        for (uri, count) in [
            ("/v1/wcif", "27"),
            ("/wcif/scrambles", "27"),
            ("/print", "7"),
            ("/print?sets=2&extras=0", "10"),
            ("/v1/scrambles?count=2", "2"),
            ("/v1/scrambles", "1"),
        ] {
            let response = match count {
                "27" => post(&state, uri, REQUEST).await,
                _ => get_with(&state, uri, &[("accept", "text/plain, application/pdf")]).await,
            };
            let hurried = response.headers().get("x-hurried");
            let expected = (behaviour == Behaviour::Hurried).then_some(count);
            assert_eq!(hurried.map(|it| it.to_str().unwrap()), expected, "{uri}");
        }
    }
}

#[tokio::test]
async fn competitions_have_limits_of_bytes_and_scrambles() {
    let state = service();
    let with_name_of = |length: usize| changed("/name", json!("x".repeat(length))).to_string();
    let max = MAX - with_name_of(0).len();
    let response = post(&state, "/v1/wcif", &with_name_of(max)).await;
    assert_eq!(response.status(), StatusCode::OK);
    drop(response);
    let response = post(&state, "/v1/wcif", &with_name_of(max + 1)).await;
    let problem = assert_problem(response, 413, "too-large").await;
    for part in ["8388608", "the command line takes competitions of any size"] {
        assert!(detail(&problem).contains(part), "{problem}");
    }

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
    let problem = assert_problem(response, 422, "bad-competition").await;
    let detail = "wcif.events need 10821 scrambles; a request may have 10000";
    assert_eq!(problem["detail"], detail);
}

#[tokio::test]
async fn the_largest_number_of_scrambles_is_allowed_and_the_next_one_is_not() {
    let with = |max_stream: u32| {
        let settings = Settings {
            max_stream,
            ..settings()
        };
        ready_with(&stub(Behaviour::Turns), settings)
    };
    // Each takes 27.
    for uri in [
        "/v1/wcif",
        "/v1/scrambles?count=27",
        "/api/v0/scramble/444?numScrambles=27",
        "/api/v0/scramble/444/raw?numScrambles=27",
        "/scramble/.txt?=444*27",
        "/scramble/.json?=444*2*10&=444*7",
    ] {
        for (max_stream, is_refused) in [(27, false), (26, true)] {
            let state = with(max_stream);
            let (response, refusal) = match uri {
                "/v1/wcif" => (post(&state, uri, REQUEST).await, 422),
                _ => (
                    get_with(&state, uri, &[("accept", "application/x-ndjson")]).await,
                    400,
                ),
            };
            let status = if is_refused { refusal } else { 200 };
            assert_eq!(response.status(), status, "{uri}");
        }
    }
}

#[tokio::test]
async fn failures_while_filling_give_the_usual_problems() {
    for behaviour in [
        Behaviour::Failing,
        Behaviour::Panicking,
        Behaviour::Repeating,
    ] {
        let response = post(&ready(behaviour), "/v1/wcif", REQUEST).await;
        assert_problem(response, 500, "internal").await;
    }
    let response = post(&starting(settings()), "/v1/wcif", REQUEST).await;
    assert_problem(response, 503, "starting").await;
    let draining = service();
    draining.engines.drain();
    let response = post(&draining, "/v1/wcif", REQUEST).await;
    assert_problem(response, 503, "draining").await;
}

#[tokio::test]
async fn an_aborted_filling_stops_its_jobs() {
    let stub = stub(Behaviour::Permitted);
    let state = ready_with(&stub, settings());
    let waiting = tokio::spawn({
        let state = state.clone();
        async move { post(&state, "/v1/wcif", REQUEST).await.status() }
    });
    wait_until("a job runs", async || stub.running.load(Relaxed) == 1).await;
    waiting.abort();
    let _ = waiting.await;
    stub.permit(1);
    wait_until("the jobs end", async || {
        let metrics = text(send(&state, "GET", "/metrics").await).await;
        metrics.contains("scramble444_queue_jobs 0\n")
    })
    .await;
    assert_eq!(stub.calls.load(Relaxed), 1);
}

#[tokio::test]
async fn file_names_are_safe_in_paths_and_headers() {
    let state = service();
    let long = "ß".repeat(150);
    // Control characters, spaces and invisible characters beyond ASCII.
    let invisible = "A\u{80}B\u{85}C\u{2003}D\u{3000}E\u{ad}F\u{feff}G\u{2066}H\u{e0041}I";
    // The name of the file, in which other characters than those of ASCII are `_` for old clients.
    for (short_name, name) in [
        ("Example 2026", "Example 2026"),
        ("../../etc/passwd", "______etc_passwd"),
        ("a\"; filename=b", "a__ filename_b"),
        ("Łódź\r\nX: 1", "Łódź__X_ 1"),
        ("Sao\u{303} 李四", "Sao\u{303} 李四"),
        ("a\u{202e}gpj.exe\u{200b}", "a_gpj_exe_"),
        (".bashrc", "_bashrc"),
        ("con", "_con"),
        ("-rf", "_-rf"),
        ("NUL ", "_NUL"),
        ("COM9", "_COM9"),
        ("LPT²", "_LPT²"),
        ("Console Open", "Console Open"),
        ("COM10", "COM10"),
        ("Open . ", "Open _"),
        ("\t Open\u{a0}\n", "Open"),
        (invisible, "A_B_C_D_E_F_G_H_I"),
        ("", "Example Open 2026"),
        (&long, &"ß".repeat(100)),
    ] {
        let given = changed("/shortName", json!(short_name)).to_string();
        let response = post(&state, "/v1/wcif", &given).await;
        let header = response.headers()[header::CONTENT_DISPOSITION]
            .to_str()
            .unwrap();
        let (plain, encoded) = header.split_once("; filename*=UTF-8''").unwrap();
        let ascii = name.replace(|it: char| !it.is_ascii(), "_");
        assert_eq!(plain, format!("attachment; filename=\"{ascii}.json\""));
        let is_safe = |byte: u8| byte.is_ascii_alphanumeric() || b"-._%".contains(&byte);
        assert!(encoded.bytes().all(is_safe), "{encoded}");
        assert_eq!(decode(encoded), format!("{name}.json"));
    }
    let unnamed = json!({"events": request()["wcif"]["events"]}).to_string();
    let response = post(&state, "/v1/wcif", &unnamed).await;
    let header = response.headers()[header::CONTENT_DISPOSITION]
        .to_str()
        .unwrap();
    assert!(header.contains("\"scrambles.json\""), "{header}");
}

/// Decodes a percent-encoded text.
fn decode(encoded: &str) -> String {
    let mut parts = encoded.split('%');
    let mut bytes = parts.next().unwrap().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).unwrap());
        bytes.extend(&part.as_bytes()[2..]);
    }
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_set_has_a_scramble_for_each_attempt_of_its_format() {
    let known = [("1", 1), ("2", 2), ("3", 3), ("5", 5), ("a", 5), ("m", 3)];
    let known = known.map(|(format, attempts)| (format, attempts, None));
    // Head-to-Head and unknown formats.
    let note = |format| {
        Some(format!(
            "444bf round 1 has the format {format}, which has no fixed number of attempts; its sets \
             have 5 scrambles"
        ))
    };
    let others = ["h", "7", "λ"].map(|format| (format, 5, note(format)));
    for (format, attempts, note) in known.into_iter().chain(others) {
        let given = changed("/events/1/rounds/0/format", json!(format));
        let wcif = Wcif::from_json(given.to_string()).unwrap();
        let round = wcif.rounds().nth(2).unwrap();
        assert_eq!(round.set_size(), attempts, "{format}");
        assert_eq!(round.scramble_ids().count(), attempts as usize + 2);
        assert_eq!(wcif.notes().next(), note);
    }
}

#[test]
fn a_plan_lists_the_scrambles_in_document_order() {
    let document = Wcif::from_json(REQUEST.as_bytes()).unwrap();
    let plan = FillPlan::new(document, FillOptions::default()).unwrap();
    let ids: Vec<String> = plan
        .scramble_ids()
        .iter()
        .map(ScrambleId::to_string)
        .collect();
    assert_eq!(ids.len(), 27);
    for (index, id) in [
        (0, "444 round 1 set A scramble 1"),
        (6, "444 round 1 set A extra 2"),
        (7, "444 round 1 set B scramble 1"),
        (21, "444 round 2 set A extra 3"),
        (26, "444bf round 1 set A extra 2"),
    ] {
        assert_eq!(ids[index], id);
    }
    let wcif: String = plan.fill(ids.clone()).into_pieces().collect();
    let wcif: Value = serde_json::from_str(&wcif).unwrap();
    assert_eq!(scrambles(&wcif), ids);
}
