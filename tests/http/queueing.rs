//! The line for work, as clients meet it: streams, turns, deadlines, limits, and scrambles in advance.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, Response, StatusCode, header};
use cube444::Effort;
use futures_util::FutureExt;
use http_body_util::BodyExt;
use scramble444::http::{AppState, drain};
use serde_json::Value;
use tokio::task::JoinHandle;
use tokio::time::{advance, sleep, timeout};

use crate::requests::*;
use crate::service::*;

/// A request for a stream of JSON lines.
fn lines_request(count: u32) -> Request<Body> {
    let headers = [
        ("accept", "application/x-ndjson"),
        ("accept-encoding", "gzip"),
    ];
    request(&format!("GET /v1/scrambles?count={count}"), &headers)
}

/// As [`wait_until`], also with a paused clock, which stands still.
async fn wait_until_now(what: &str, mut happened: impl AsyncFnMut() -> bool) {
    let began = Instant::now();
    while !happened().await {
        assert!(began.elapsed() < Duration::from_secs(60), "{what}: not yet");
        tokio::task::yield_now().await;
    }
}

async fn wait_for(state: &AppState, name: &str, value: usize) {
    wait_until_now(name, async || metric(state, name).await == value).await;
}

async fn wait_until_running(stub: &Stub, count: usize) {
    let is_running = async || stub.running.load(Ordering::Relaxed) == count;
    wait_until_now("the jobs run", is_running).await;
}

fn calls(stub: &Stub) -> usize {
    stub.calls.load(Ordering::Relaxed)
}

async fn assert_ok(requests: impl IntoIterator<Item = JoinHandle<Response<Body>>>) {
    for request in requests {
        assert_eq!(request.await.unwrap().status(), StatusCode::OK);
    }
}

/// The levels of the searches so far.
fn levels(stub: &Stub) -> Vec<u8> {
    let efforts = stub.efforts.lock().unwrap();
    efforts.iter().map(|effort| effort.get()).collect()
}

/// How many streams have ended, by how.
async fn streams(state: &AppState) -> String {
    let metrics = metrics(state).await;
    let name = "scramble444_stream_duration_seconds_count{end=";
    let lines = metrics.lines().filter_map(|line| line.strip_prefix(name));
    lines.collect::<Vec<_>>().join(", ")
}

#[tokio::test]
async fn pieces_of_streams_are_sent_immediately_and_uncompressed() {
    let lines = ["U Rw", "U' Rw", "U2 Rw"].map(|turns| {
        let state = test_support::cubes::cube(turns).facelets();
        format!("{{\"scramble\":\"{turns}\",\"moves\":2,\"state\":\"{state}\",\"effort\":4}}\n")
    });
    for (uri, expected) in [
        ("/v1/scrambles?count=3", &*lines.concat()),
        (
            "/api/v0/scramble/444?numScrambles=3",
            r#"["U Rw","U' Rw","U2 Rw"]"#,
        ),
        (
            "/api/v0/scramble/444/raw?numScrambles=3",
            "U Rw\r\nU' Rw\r\nU2 Rw",
        ),
    ] {
        let stub = stub(Behavior::Permitted);
        let state = ready_with(&stub, settings());
        let mut request = lines_request(3);
        *request.uri_mut() = uri.parse().unwrap();
        stub.permit(1);
        let response = call(&state, request).await;
        assert!(!response.headers().contains_key(header::CONTENT_ENCODING));
        let (mut stream, mut received) = (response.into_body(), Vec::new());
        for _ in 0..3 {
            let frame = timeout(Duration::from_secs(60), stream.frame()).await;
            received.extend(frame.unwrap().unwrap().unwrap().into_data().unwrap());
            // The next scramble has no permit until this one has arrived.
            stub.permit(1);
        }
        assert!(stream.frame().await.is_none());
        assert_eq!(String::from_utf8(received).unwrap(), expected);
    }
}

#[tokio::test]
async fn lines_end_with_a_problem_after_a_failure() {
    // Before the last scramble, and with it.
    for count in [3, 2] {
        let state = ready(Behavior::Repeating);
        let lines = json_lines(&state, &format!("/v1/scrambles?count={count}")).await;
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[1]["type"], "urn:scramble444:problem:internal");
        assert_eq!(streams(&state).await, "\"cut\"} 1", "{count}");
    }
}

#[tokio::test]
async fn streams_that_never_begin_are_not_measured_and_empty_ones_are_whole() {
    let stub = stub(Behavior::Endless);
    let state = ready_but(&stub, |it| it.max_per_client = Some(1));
    let busy = call(&state, lines_request(10)).await;
    wait_until_running(&stub, 1).await;
    let refused = call(&state, lines_request(10)).await;
    assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
    drop(busy);
    wait_for(&state, "queue_streamed_jobs", 0).await;
    assert_eq!(streams(&state).await, "\"cut\"} 1");
    for (number, request) in [
        (1, "GET /api/v0/scramble/444?numScrambles=0"),
        (2, "GET /api/v0/scramble/444/raw?numScrambles=0"),
        (3, "GET /scramble/.txt?=444*0"),
    ] {
        let empty = ask(&state, request).await;
        assert_eq!(empty.status(), StatusCode::OK, "{request}");
        text(empty).await;
        let expected = format!("\"cut\"}} 1, \"whole\"}} {number}");
        assert_eq!(streams(&state).await, expected, "{request}");
    }
}

/// Permits one search after the other, until `last` have begun, each after a response has queued its next one.
async fn permit_until(stub: &Stub, last: usize) {
    for number in calls(stub) + 1..=last {
        sleep(Duration::from_millis(20)).await;
        stub.permit(1);
        wait_until_now("the next search", async || calls(stub) == number).await;
    }
}

#[tokio::test]
async fn clients_take_turns() {
    let stub = stub(Behavior::Permitted);
    let state = ready_with(&stub, settings());
    // Two of its scrambles wait or run at a time, as there is one worker.
    let set = begin(&state, 1, "GET /v1/scrambles?effort=1&count=7");
    wait_for(&state, "queue_jobs", 7).await;
    wait_until_running(&stub, 1).await;
    let others = [2, 3].map(|client| begin(&state, client, "GET /v1/scrambles?effort=2&count=2"));
    wait_for(&state, "queue_jobs", 11).await;
    permit_until(&stub, 11).await;
    stub.permit(1);
    assert_ok([set].into_iter().chain(others)).await;
    // The first client has one of the turns of each round.
    assert_eq!(levels(&stub)[..8], [1, 1, 2, 2, 1, 2, 2, 1]);
}

/// A client gets the first as soon as it is made.
#[tokio::test(flavor = "multi_thread")]
async fn the_scrambles_of_a_response_are_made_in_their_order() {
    for _ in 0..20 {
        let state = ready(Behavior::Turns);
        let made = ask(&state, "GET /api/v0/scramble/444/raw?numScrambles=12").await;
        let made = text(made).await;
        let first = made.lines().map(|it| it.split(' ').next().unwrap());
        // The stub begins them like this.
        let order = "U U' U2 R R' R2 F F' F2 D L B";
        assert_eq!(first.collect::<Vec<_>>().join(" "), order);
    }
}

#[tokio::test]
async fn small_requests_go_before_large_ones_which_get_one_turn_in_four() {
    for large in [
        "GET /v1/scrambles?effort=1&count=20",
        "GET /print?effort=1&sets=3",
    ] {
        let stub = stub(Behavior::Permitted);
        let state = ready_with(&stub, settings());
        let large = begin(&state, 1, large);
        wait_until_running(&stub, 1).await;
        // Also of the same client.
        let small =
            (0..8).map(|number| begin(&state, 1 + number % 2, "GET /v1/scrambles?effort=2"));
        let small: Vec<_> = small.collect();
        let all_wait = async || metric(&state, "queue_jobs").await >= 28;
        wait_until("all wait", all_wait).await;
        permit_until(&stub, 12).await;
        stub.permit(100);
        assert_ok(small.into_iter().chain([large])).await;
        assert_eq!(levels(&stub)[..12], [1, 2, 2, 2, 1, 2, 2, 2, 1, 2, 2, 1]);
    }
}

#[tokio::test]
async fn each_request_is_made_at_its_effort_and_within_its_deadline() {
    // The level and the number of searches.
    for (text, expected, count) in [
        ("GET /v1/scrambles?effort=2", 2, 1),
        ("GET /v1/scrambles?count=9&effort=7", 7, 9),
        ("GET /v1/scrambles", 3, 1),
        ("GET /print?effort=5", 5, 7),
        ("GET /print?sets=2&effort=1", 1, 14),
        ("GET /print", 3, 7),
        ("POST /v1/wcif?effort=6", 6, 27),
        ("POST /v1/wcif", 3, 27),
        ("POST /wcif/scrambles?effort=6", 6, 27),
        (r#"POST /v1/solve {"scramble":"R U","effort":1}"#, 1, 1),
        (r#"POST /v1/solve {"scramble":"R U","effort":7}"#, 7, 1),
        ("POST /v1/solve", 3, 1),
        ("GET /api/v0/scramble/444?numScrambles=9", 3, 9),
        ("GET /scramble/.txt?=444", 3, 1),
        ("POST /frontend/puzzle/444/scramble", 3, 1),
    ] {
        let stub = stub(Behavior::Turns);
        let state = ready_but(&stub, |it| it.effort = Effort::new(3).unwrap());
        let deadline = settings().request_deadline;
        let began = Instant::now();
        let response = ask(&state, text).await;
        assert_eq!(response.status(), StatusCode::OK, "{text}");
        response.into_body().collect().await.unwrap();
        let times = began + deadline..=Instant::now() + deadline;
        let mut deadlines = stub.deadlines.lock().unwrap().clone();
        let in_time = |deadline: &Option<Instant>| times.contains(&deadline.unwrap());
        assert!(deadlines.iter().all(in_time), "{text}");
        // All scrambles of a document have one deadline, and each of a stream its own.
        deadlines.dedup();
        let is_stream = text.starts_with("GET /api/v0/");
        assert_eq!(deadlines.len() > 2, is_stream, "{text}");
        assert!(deadlines.len() == 1 || is_stream, "{text}");
        assert!(deadlines.is_sorted());
        assert_eq!(levels(&stub), vec![expected; count], "{text}");
    }
}

#[tokio::test]
async fn a_stream_is_cancelled_when_the_client_disconnects() {
    for workers in [1, 3] {
        let stub = stub(Behavior::Endless);
        let state = ready_but(&stub, |it| it.workers = Some(workers));
        let stream = call(&state, lines_request(10)).await;
        wait_until_running(&stub, workers).await;
        // One job more than workers, which uses no place of other requests.
        assert_eq!(metric(&state, "queue_streamed_jobs").await, workers + 1);
        assert_eq!(metric(&state, "queue_jobs").await, 0);
        drop(stream);
        wait_for(&state, "queue_streamed_jobs", 0).await;
        assert_eq!(calls(&stub), workers, "a cancelled job was started");
        // Those that ran and the one that did not.
        assert_eq!(metric(&state, "cancelled_jobs_total").await, workers + 1);
    }
}

#[tokio::test]
async fn only_searches_that_succeed_count_for_the_mean_time() {
    let stub = stub(Behavior::Permitted);
    let state = ready_with(&stub, settings());
    let slow = begin(&state, 1, "GET /v1/scrambles");
    wait_until_running(&stub, 1).await;
    sleep(Duration::from_millis(20)).await;
    stub.permit(1);
    assert_ok([slow]).await;
    let capacity = metric(&state, "queue_capacity").await;
    assert!(capacity < 10_000, "{capacity}");
    for behavior in [Behavior::Failing, Behavior::Panicking, Behavior::Endless] {
        stub.behave(behavior);
        let request = begin(&state, 1, "GET /v1/scrambles");
        if behavior == Behavior::Endless {
            wait_until_running(&stub, 1).await;
            request.abort();
        }
        let _ = request.await;
        wait_for(&state, "queue_jobs", 0).await;
        assert_eq!(metric(&state, "queue_capacity").await, capacity);
    }
}

#[tokio::test]
async fn large_documents_use_one_place_of_their_client_at_a_time() {
    let state = ready_but(&stub(Behavior::Turns), |it| it.max_per_client = Some(1));
    for text in [
        "GET /print?sets=1",
        "GET /print?sets=3",
        "GET /v1/scrambles?count=50",
        "POST /v1/wcif",
    ] {
        assert_eq!(ask(&state, text).await.status(), StatusCode::OK, "{text}");
    }
}

#[tokio::test]
async fn waiting_for_a_turn_is_not_counted_as_solving() {
    let stub = stub(Behavior::Permitted);
    let state = ready_with(&stub, settings());
    let before = begin(&state, 1, "GET /v1/scrambles");
    wait_until_running(&stub, 1).await;
    let waiting = begin(&state, 1, "POST /v1/solve");
    wait_for(&state, "queue_jobs", 2).await;
    // A longer wait makes a failure clearer; the test passes with any.
    sleep(Duration::from_millis(50)).await;
    let released = Instant::now();
    stub.permit(2);
    let report = body(waiting.await.unwrap()).await;
    let max = released.elapsed().as_secs_f64() * 1e3;
    assert!(report["millis"].as_f64().unwrap() <= max, "{report} {max}");
    assert_ok([before]).await;
}

#[test]
fn a_request_times_out_five_seconds_after_its_deadline() {
    for seconds in [0, 3] {
        for text in [
            "GET /v1/scrambles",
            "POST /v1/solve",
            "GET /print",
            "POST /v1/wcif",
        ] {
            // Deadlines are instants of the system's clock, which is not paused, so each request needs a new runtime.
            let mut runtime = tokio::runtime::Builder::new_current_thread();
            let runtime = runtime.enable_all().start_paused(true).build();
            runtime.unwrap().block_on(assert_times_out(text, seconds));
        }
    }
}

async fn assert_times_out(text: &str, seconds: u64) {
    let stub = stub(Behavior::Endless);
    let really_began = Instant::now();
    let state = ready_but(&stub, |it| {
        it.request_deadline = Duration::from_secs(seconds)
    });
    let request = begin(&state, 1, text);
    // The paused clock stands still during the search.
    wait_until_now("the search", async || calls(&stub) == 1).await;
    advance(Duration::from_secs(seconds + 4)).await;
    tokio::task::yield_now().await;
    assert!(!request.is_finished(), "{text}");
    advance(Duration::from_secs(2) + really_began.elapsed()).await;
    assert_problem(request.await.unwrap(), 504, "timed-out").await;
    let timed_out = metric(&state, "rejections_total{reason=\"timed-out\"}");
    assert_eq!(timed_out.await, 1);
}

#[tokio::test]
async fn a_full_line_refuses_requests_until_a_client_disconnects() {
    let stub = stub(Behavior::Endless);
    // The line always has room for a hundred jobs.
    let state = ready_but(&stub, |it| it.request_deadline = Duration::ZERO);
    let waiting = begin(&state, 1, "GET /v1/scrambles?count=100");
    wait_until_running(&stub, 1).await;
    let rejected = ask(&state, "GET /v1/scrambles").await;
    // The least, as no search has ended yet.
    assert_eq!(rejected.headers()[header::RETRY_AFTER], "1");
    assert_problem(rejected, 503, "overloaded").await;
    assert_refused(&state, "POST /v1/solve | 503 overloaded").await;
    let verdict = ask(&state, "POST /v1/verify").await.status();
    assert_eq!(verdict, StatusCode::OK, "does not wait in the line");
    assert_eq!(metric(&state, "queue_jobs").await, 100);
    assert_eq!(metric(&state, "queue_capacity").await, 100);
    let rejections = metric(&state, "rejections_total{reason=\"overloaded\"}");
    assert_eq!(rejections.await, 2);

    waiting.abort();
    wait_for(&state, "queue_jobs", 0).await;
    stub.behave(Behavior::Turns);
    let response = ask(&state, "GET /v1/scrambles?count=100").await;
    assert_eq!(response.status(), StatusCode::OK);
}

#[tokio::test]
async fn large_documents_wait_for_small_requests() {
    let stub = stub(Behavior::Permitted);
    let state = ready_with(&stub, settings());
    let first = begin(&state, 1, "GET /v1/scrambles");
    wait_until_running(&stub, 1).await;
    // Refused as soon as it is read.
    let document = "x".repeat(100_000);
    let large = begin(&state, 1, &format!("POST /v1/wcif {document}"));
    sleep(Duration::from_millis(100)).await;
    let small = [2, 3].map(|client| begin(&state, client, "GET /v1/scrambles"));
    wait_for(&state, "queue_jobs", 3).await;
    stub.permit(1);
    wait_until("the next search", async || calls(&stub) == 2).await;
    sleep(Duration::from_millis(20)).await;
    assert!(!large.is_finished());
    stub.permit(2);
    assert_ok([first].into_iter().chain(small)).await;
    assert_eq!(large.await.unwrap().status(), StatusCode::BAD_REQUEST);
}

#[tokio::test(start_paused = true)]
async fn documents_wait_ten_seconds_for_their_turn() {
    let stub = stub(Behavior::Endless);
    let state = ready_but(&stub, |it| it.request_deadline = Duration::from_secs(60));
    let first = begin(&state, 1, "GET /v1/scrambles");
    wait_until_now("the search", async || calls(&stub) == 1).await;
    let document = begin(&state, 2, "POST /print {}");
    tokio::task::yield_now().await;
    advance(Duration::from_secs(9)).await;
    tokio::task::yield_now().await;
    assert!(!document.is_finished());
    advance(Duration::from_secs(2)).await;
    let response = document.await.unwrap();
    assert_eq!(response.headers()[header::RETRY_AFTER], "10");
    assert_problem(response, 503, "overloaded").await;
    first.abort();
}

#[tokio::test]
async fn work_whose_client_has_left_is_not_begun() {
    let stub = stub(Behavior::Permitted);
    let state = ready_with(&stub, settings());
    let first = begin(&state, 1, "POST /v1/wcif");
    wait_until_running(&stub, 1).await;
    let left = begin(&state, 2, "GET /v1/scrambles?count=5");
    wait_for(&state, "queue_jobs", 32).await;
    left.abort();
    // The two that wait in the line leave when they would have their turns.
    wait_for(&state, "queue_jobs", 29).await;
    first.abort();
    let last = begin(&state, 1, "GET /v1/scrambles");
    wait_until_now("the last search", async || calls(&stub) >= 2).await;
    stub.permit(3);
    assert_ok([last]).await;
    wait_for(&state, "queue_jobs", 0).await;
    // One that is cancelled may let another of its request begin before that is cancelled, too.
    assert!(calls(&stub) <= 3);
}

#[tokio::test]
async fn scrambles_in_advance_are_used_once_and_replaced() {
    let stub = stub(Behavior::Turns);
    let state = ready_but(&stub, |it| it.buffer = 5);
    let full = async || wait_for(&state, "buffer_scrambles", 5).await;
    let made = async |count: u32| {
        let response = ask(&state, &format!("GET /v1/scrambles?count={count}")).await;
        let document = body(response).await;
        document["scrambles"].as_array().unwrap().clone()
    };
    full().await;
    let first = made(10).await;
    assert_eq!(first.len(), 10, "five made in advance and five new ones");
    assert_eq!(first[0]["scramble"], "U Rw");
    full().await;
    assert!(!first.contains(&made(1).await[0]));
    full().await;
    let before = calls(&stub);
    // A higher effort, a stream and another recipe get none.
    ask(&state, "GET /v1/scrambles?effort=5").await;
    text(call(&state, lines_request(2)).await).await;
    assert_eq!(calls(&stub), before + 3);
    assert_eq!(metric(&state, "buffer_scrambles").await, 5);
    // A lower one does.
    ask(&state, "GET /v1/scrambles?effort=3").await;
    full().await;
    let default = Effort::DEFAULT.get();
    let lower = levels(&stub).into_iter().filter(|&level| level != default);
    assert_eq!(lower.collect::<Vec<u8>>(), [5]);
    // A service that stops at once has none.
    let at_once = std::future::ready(());
    drain(&state.engines, Duration::from_secs(3), at_once).await;
    problem(&state, "GET", "/v1/scrambles", 503, "draining").await;
    assert_eq!(metric(&state, "buffer_scrambles").await, 0);
}

#[tokio::test]
async fn scrambles_in_advance_are_made_when_nothing_else_waits() {
    let stub = stub(Behavior::Permitted);
    let state = ready_but(&stub, |it| it.buffer = 2);
    wait_until_running(&stub, 1).await;
    let large = begin(&state, 1, "GET /v1/scrambles?effort=5&count=8");
    wait_for(&state, "queue_jobs", 8).await;
    permit_until(&stub, 10).await;
    stub.permit(1);
    assert_ok([large]).await;
    wait_for(&state, "buffer_scrambles", 2).await;
    assert_eq!(levels(&stub), [4, 5, 5, 5, 5, 5, 5, 5, 5, 4]);
}

#[tokio::test]
async fn a_failure_in_advance_is_not_repeated_before_the_next_request() {
    let stub = stub(Behavior::Failing);
    let state = ready_but(&stub, |it| it.buffer = 3);
    wait_until("a failure", async || calls(&stub) == 1).await;
    sleep(Duration::from_millis(50)).await;
    assert_eq!(calls(&stub), 1);
    stub.behave(Behavior::Turns);
    ask(&state, "GET /v1/scrambles").await;
    wait_for(&state, "buffer_scrambles", 3).await;
}

/// A service whose clients may have two jobs, a stream of ten lines that nobody has read yet, of which two are made,
/// and after `pause` another request, which takes both places of the client.
async fn stream_without_a_place(
    stub: &Arc<Stub>,
    deadline: Duration,
    pause: Duration,
) -> (AppState, Response<Body>, JoinHandle<Response<Body>>) {
    let state = ready_but(stub, |it| {
        it.max_per_client = Some(2);
        it.request_deadline = deadline;
    });
    let stream = call(&state, lines_request(10)).await;
    stub.permit(2);
    wait_for(&state, "queue_streamed_jobs", 0).await;
    sleep(pause).await;
    let others = tokio::spawn({
        let state = state.clone();
        async move { ask(&state, "GET /v1/scrambles?count=2").await }
    });
    wait_for(&state, "queue_jobs", 2).await;
    (state, stream, others)
}

/// The kind of problem with which lines end.
fn problem_at_end(lines: &str) -> String {
    let last: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    let kind = last["type"].as_str().unwrap();
    kind.rsplit(':').next().unwrap().to_owned()
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_gets_no_place_for_its_next_job_ends_with_a_problem() {
    let stub = stub(Behavior::Permitted);
    let deadline = Duration::from_secs(3);
    let (_, stream, others) = stream_without_a_place(&stub, deadline, Duration::ZERO).await;
    let reading = tokio::spawn(text(stream));
    tokio::task::yield_now().await;
    // A paused clock stands still during the search.
    advance(deadline - Duration::from_millis(100)).await;
    assert!(!reading.is_finished());
    advance(Duration::from_millis(100)).await;
    let lines = reading.await.unwrap();
    assert_eq!(lines.lines().count(), 3);
    assert_eq!(problem_at_end(&lines), "too-many-requests");
    stub.permit(2);
    others.abort();
}

#[tokio::test]
async fn a_stream_older_than_the_deadline_of_a_request_still_waits_for_its_next_place() {
    let stub = stub(Behavior::Permitted);
    let deadline = Duration::from_secs(2);
    let (_, stream, others) = stream_without_a_place(&stub, deadline, deadline).await;
    let lines = tokio::spawn(text(stream));
    sleep(Duration::from_millis(100)).await;
    stub.permit(10);
    let lines = lines.await.unwrap();
    assert!(!lines.contains("problem"), "{lines}");
    assert_eq!(lines.lines().count(), 10);
    assert_ok([others]).await;
}

#[tokio::test]
async fn a_stream_that_waits_for_a_place_ends_when_requests_are_aborted() {
    let stub = stub(Behavior::Permitted);
    let deadline = settings().request_deadline;
    let (state, stream, others) = stream_without_a_place(&stub, deadline, Duration::ZERO).await;
    let reading = tokio::spawn(text(stream));
    // The lines that exist are read, and then there is no place.
    sleep(Duration::from_millis(200)).await;
    assert!(!reading.is_finished());
    let began = Instant::now();
    state.engines.abort_requests();
    assert_eq!(problem_at_end(&reading.await.unwrap()), "draining");
    assert!(began.elapsed() < Duration::from_secs(5));
    stub.permit(2);
    assert_eq!(
        others.await.unwrap().status(),
        StatusCode::SERVICE_UNAVAILABLE
    );
}

/// A token with a name and two without, and addresses.
#[tokio::test]
async fn clients_are_told_apart_by_the_names_of_their_tokens_and_otherwise_by_their_addresses() {
    let tokens = ["f", "e", "d", "c"].map(|end| format!("0123456789abcde{end}"));
    let [named, second, unnamed, other] = tokens.each_ref().map(String::as_str);
    let (ours, mapped) = ("192.0.2.1:1", "[::ffff:192.0.2.1]:1");
    let in_network = "[2001:db8::1]:1";
    let beyond = "[2001:db8:0:1::1]:1";
    for (first, then, is_same) in [
        ((named, ours), (second, "192.0.2.2:1"), true),
        ((named, ours), (unnamed, ours), false),
        ((unnamed, ours), (unnamed, "192.0.2.2:1"), false),
        ((unnamed, ours), (other, "192.0.2.1:2"), true),
        ((unnamed, in_network), (unnamed, "[2001:db8::2]:1"), true),
        ((unnamed, in_network), (unnamed, beyond), false),
        ((unnamed, mapped), (unnamed, ours), true),
        ((unnamed, mapped), (unnamed, "[::ffff:192.0.2.2]:1"), false),
    ] {
        let stub = stub(Behavior::Permitted);
        let mut one = settings();
        one.max_per_client = Some(1);
        let tokens = format!("a {named}\na {second}\n{unnamed}\n{other}");
        let state = guarded(&stub, &tokens, one);
        let begin = |(token, address): (&str, &str)| {
            let address: SocketAddr = address.parse().unwrap();
            let token = format!("Bearer {token}");
            let mut request = request("GET /v1/scrambles", &[("authorization", &token)]);
            request.extensions_mut().insert(ConnectInfo(address));
            let state = state.clone();
            tokio::spawn(async move { call(&state, request).await })
        };
        let waiting = begin(first);
        wait_for(&state, "queue_jobs", 1).await;
        let second = begin(then);
        let is_decided = async || metric(&state, "queue_jobs").await == 2 || second.is_finished();
        wait_until("the second is queued or refused", is_decided).await;
        assert_eq!(second.is_finished(), is_same, "{first:?} {then:?}");
        stub.permit(2);
        assert_ok([waiting]).await;
        let status = if is_same { 429 } else { 200 };
        assert_eq!(second.await.unwrap().status(), status);
    }
}

#[tokio::test]
async fn a_client_with_too_many_jobs_is_told_so() {
    let stub = stub(Behavior::Permitted);
    let state = ready_but(&stub, |it| it.max_per_client = Some(3));
    let ask_again = || ask(&state, "GET /v1/scrambles");
    let busy = futures_util::future::join3(ask_again(), ask_again(), ask_again());
    let others = async {
        wait_for(&state, "queue_jobs", 3).await;
        // Without an address, all are the default client's.
        assert_refused(
            &state,
            "
            GET /v1/scrambles | 429 too-many-requests
            GET /api/v0/scramble/444 | 429 too-many-requests
            GET /scramble/.json?x=444 | 429 too-many-requests
            GET /print | 429 too-many-requests
            POST /v1/solve | 429 too-many-requests",
        )
        .await;
        // Not a sign of too little capacity.
        let metrics = metrics(&state).await;
        let rejections = crate::metrics::between(&metrics, "rejections_total{", "\n");
        assert!(rejections.iter().all(|it| it.ends_with(" 0")), "{metrics}");
        // Others are served.
        let other = begin(&state, 1, "GET /v1/scrambles");
        stub.permit(4);
        assert_ok([other]).await;
    };
    let ((a, b, c), ()) = tokio::join!(busy, others);
    assert!([a, b, c].iter().all(|it| it.status() == StatusCode::OK));
}

#[tokio::test]
async fn a_new_engine_is_used_by_new_requests_and_the_old_one_by_those_in_progress() {
    let old = stub(Behavior::Permitted);
    let state = ready_but(&old, |it| it.workers = Some(2));
    let before = begin(&state, 1, "GET /v1/scrambles");
    wait_until("it is begun", async || calls(&old) == 1).await;
    let new = stub(Behavior::Turns);
    state.engines.ready(Arc::clone(&new) as _);
    assert_ok([begin(&state, 1, "GET /v1/scrambles")]).await;
    assert_eq!(calls(&new), 1);
    old.permit(1);
    assert_ok([before]).await;
    assert_eq!(calls(&old), 1);
    let is_gone = async || Arc::strong_count(&old) == 1;
    wait_until("the old engine is gone", is_gone).await;
}

/// The next line of a stream.
async fn next_line(stream: &mut Body) -> Value {
    let frame = stream.frame().await.unwrap().unwrap();
    serde_json::from_slice(&frame.into_data().unwrap()).unwrap()
}

#[tokio::test]
async fn a_stream_whose_client_may_have_one_job_gets_its_scrambles_one_by_one() {
    let stub = stub(Behavior::Permitted);
    let state = ready_but(&stub, |it| it.max_per_client = Some(1));
    let mut whole = call(&state, lines_request(10)).await.into_body();
    stub.permit(10);
    for _ in 0..10 {
        assert_eq!(next_line(&mut whole).await["moves"], 2);
    }
    assert!(whole.frame().await.is_none());
    assert_eq!(streams(&state).await, "\"whole\"} 1");
    // A stream without its last line is cut.
    let mut cut = call(&state, lines_request(10)).await.into_body();
    let mut line = Box::pin(next_line(&mut cut));
    assert!((&mut line).now_or_never().is_none());
    stub.permit(1);
    line.await;
    drop(cut);
    assert_eq!(streams(&state).await, "\"cut\"} 1, \"whole\"} 1");
}

#[tokio::test(start_paused = true)]
async fn scrambles_that_are_made_in_time_are_sent_however_late_the_client_reads_them() {
    let stub = stub(Behavior::Permitted);
    let state = ready_with(&stub, settings());
    let mut stream = call(&state, lines_request(2)).await.into_body();
    // Both are in the line.
    stub.permit(2);
    wait_for(&state, "queue_jobs", 0).await;
    advance(Duration::from_secs(3_600)).await;
    for _ in 0..2 {
        assert_eq!(next_line(&mut stream).await["moves"], 2);
    }
    assert!(stream.frame().await.is_none());
}

#[tokio::test]
async fn a_service_that_stops_completes_its_streams_and_documents_and_then_drops_its_scrambles() {
    let stub = stub(Behavior::Permitted);
    let state = ready_but(&stub, |it| it.buffer = 1);
    stub.permit(1);
    wait_for(&state, "buffer_scrambles", 1).await;
    let lines = call(&state, lines_request(10)).await.into_body();
    let document = begin(&state, 1, "GET /print?sets=2");
    wait_for(&state, "queue_streamed_jobs", 2).await;
    wait_for(&state, "queue_jobs", 13).await;
    state.engines.drain();
    problem(&state, "GET", "/v1/scrambles", 503, "draining").await;
    let mut idle = Box::pin(state.engines.ended());
    // One may go to a scramble in advance, between the document and the rest of the stream.
    stub.permit(24);
    assert_ok([document]).await;
    assert!((&mut idle).now_or_never().is_none(), "the stream is unread");
    let lines = text(Response::new(lines)).await;
    assert_eq!(lines.matches("{\"scramble\":").count(), 10, "{lines}");
    idle.await;
    // Only the list of methods and this test have the engine.
    assert_eq!(metric(&state, "buffer_scrambles").await, 0);
    wait_until("nothing works", async || Arc::strong_count(&stub) == 2).await;
}

#[tokio::test]
async fn small_requests_of_before_do_not_delay_large_ones() {
    let stub = stub(Behavior::Permitted);
    let state = ready_with(&stub, settings());
    stub.permit(5);
    for _ in 0..5 {
        assert_ok([begin(&state, 1, "GET /v1/scrambles?effort=2")]).await;
    }
    let running = begin(&state, 1, "GET /v1/scrambles?effort=2");
    wait_until_running(&stub, 1).await;
    let large = begin(&state, 1, "GET /v1/scrambles?effort=1&count=20");
    let small = (0..8).map(|_| begin(&state, 1, "GET /v1/scrambles?effort=2"));
    let small: Vec<_> = small.collect();
    wait_until("all wait", async || {
        metric(&state, "queue_jobs").await >= 29
    })
    .await;
    stub.permit(100);
    assert_ok(small.into_iter().chain([large, running])).await;
    assert_eq!(levels(&stub)[5..11], [2, 2, 2, 2, 1, 2]);
}
