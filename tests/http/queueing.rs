//! The line for work, as clients meet it: streams, turns, deadlines, limits, and scrambles in advance.

use std::collections::HashSet;
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
use scramble444::settings::Settings;
use serde_json::Value;
use tokio::task::JoinHandle;

use crate::service::*;
use test_support::wcif::REQUEST;

/// A request for a stream of JSON lines.
fn lines_request(count: u32) -> Request<Body> {
    let request = Request::get(format!("/v1/scrambles?count={count}"));
    let request = request.header("accept", "application/x-ndjson");
    let request = request.header("accept-encoding", "gzip");
    request.body(Body::empty()).unwrap()
}

/// Begins a GET request of a client, 192.0.2.CLIENT.
fn begin(state: &AppState, client: u8, uri: &str) -> JoinHandle<StatusCode> {
    let address = std::net::SocketAddr::from(([192, 0, 2, client], 1));
    let request = Request::get(uri).extension(ConnectInfo(address));
    let (state, request) = (state.clone(), request.body(Body::empty()).unwrap());
    tokio::spawn(async move { call(&state, request).await.status() })
}

/// The value of a metric, without the program's name.
async fn metric(state: &AppState, name: &str) -> usize {
    let metrics = text(send(state, "GET", "/metrics").await).await;
    let mut lines = metrics.lines();
    let line = lines.find_map(|line| line.strip_prefix(&format!("scramble444_{name} ")));
    line.expect(name).parse().unwrap()
}

async fn wait_for(state: &AppState, name: &str, value: usize) {
    wait_until_now(name, async || metric(state, name).await == value).await;
}

/// The levels of the searches so far.
fn levels(stub: &Stub) -> Vec<u8> {
    let efforts = stub.efforts.lock().unwrap();
    efforts.iter().map(|effort| effort.get()).collect()
}

#[tokio::test]
async fn lines_are_sent_immediately() {
    let stub = stub(Behaviour::Permitted);
    let state = ready_with(&stub, settings());
    let response = call(&state, lines_request(10)).await;
    let mut stream = response.into_body();
    for _ in 0..10 {
        // The next scramble has no permit until this one has arrived.
        stub.permit(1);
        let frame = tokio::time::timeout(Duration::from_secs(60), stream.frame()).await;
        let line = frame.unwrap().unwrap().unwrap().into_data().unwrap();
        let line: Value = serde_json::from_slice(&line).unwrap();
        assert_eq!(line["moves"], 2);
    }
    assert!(stream.frame().await.is_none());
}

#[tokio::test]
async fn lines_end_with_a_problem_after_a_failure() {
    // Before the last scramble, and with it.
    for count in [3, 2] {
        let state = ready(Behaviour::Repeating);
        let lines = json_lines(&state, &format!("/v1/scrambles?count={count}")).await;
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[1]["type"], "urn:scramble444:problem:internal");
        assert_eq!(streams(&state).await, ["{end=\"cut\"} 1"], "{count}");
    }
}

async fn wait_until_running(stub: &Stub, count: usize) {
    let is_running = async || stub.running.load(Ordering::Relaxed) == count;
    wait_until("the jobs run", is_running).await;
}

/// How many streams have ended, by how.
async fn streams(state: &AppState) -> Vec<String> {
    let metrics = text(send(state, "GET", "/metrics").await).await;
    let name = "scramble444_stream_duration_seconds_count";
    let lines = metrics.lines().filter_map(|line| line.strip_prefix(name));
    lines.map(str::to_owned).collect()
}

#[tokio::test]
async fn streams_that_never_begin_are_not_measured_and_empty_ones_are_whole() {
    let stub = stub(Behaviour::Endless);
    let one = Settings {
        max_per_client: Some(1),
        ..settings()
    };
    let state = ready_with(&stub, one);
    let busy = call(&state, lines_request(10)).await;
    wait_until_running(&stub, 1).await;
    let refused = call(&state, lines_request(10)).await;
    assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
    drop(busy);
    wait_for(&state, "queue_streamed_jobs", 0).await;
    assert_eq!(streams(&state).await, ["{end=\"cut\"} 1"]);
    for (number, uri) in [
        (1, "/api/v0/scramble/444?numScrambles=0"),
        (2, "/api/v0/scramble/444/raw?numScrambles=0"),
        (3, "/scramble/.txt?=444*0"),
    ] {
        let empty = send(&state, "GET", uri).await;
        assert_eq!(empty.status(), StatusCode::OK, "{uri}");
        text(empty).await;
        let expected = format!("{{end=\"whole\"}} {number}");
        assert!(streams(&state).await.contains(&expected), "{uri}");
    }
}

/// Permits one search after the other, until `last` have begun, each after a response has queued its next one.
async fn permit_until(stub: &Stub, last: usize) {
    for calls in stub.calls.load(Ordering::Relaxed) + 1..=last {
        tokio::time::sleep(Duration::from_millis(20)).await;
        stub.permit(1);
        let is_next = async || stub.calls.load(Ordering::Relaxed) == calls;
        wait_until_now("the next search", is_next).await;
    }
}

#[tokio::test]
async fn clients_take_turns() {
    let stub = stub(Behaviour::Permitted);
    let state = ready_with(&stub, settings());
    // Two of its scrambles wait or run at a time, as there is one worker.
    let set = begin(&state, 1, "/v1/scrambles?effort=1&count=7");
    wait_for(&state, "queue_jobs", 7).await;
    wait_until_running(&stub, 1).await;
    let others = [2, 3].map(|client| begin(&state, client, "/v1/scrambles?effort=2&count=2"));
    wait_for(&state, "queue_jobs", 11).await;
    permit_until(&stub, 11).await;
    stub.permit(1);
    for request in [set].into_iter().chain(others) {
        assert_eq!(request.await.unwrap(), StatusCode::OK);
    }
    // The first client has one of the turns of each round.
    assert_eq!(levels(&stub)[..8], [1, 1, 2, 2, 1, 2, 2, 1]);
}

/// A client gets the first as soon as it is made.
#[tokio::test(flavor = "multi_thread")]
async fn the_scrambles_of_a_response_are_made_in_their_order() {
    for _ in 0..20 {
        let state = ready(Behaviour::Turns);
        let made = send(&state, "GET", "/api/v0/scramble/444/raw?numScrambles=12").await;
        let made = text(made).await;
        let first: Vec<&str> = made
            .lines()
            .map(|it| it.split(' ').next().unwrap())
            .collect();
        // The stub begins them like this.
        let order = [
            "U", "U'", "U2", "R", "R'", "R2", "F", "F'", "F2", "D", "L", "B",
        ];
        assert_eq!(first, order);
    }
}

#[tokio::test]
async fn small_requests_go_before_large_ones_which_get_one_turn_in_four() {
    for large in ["/v1/scrambles?effort=1&count=20", "/print?effort=1&sets=3"] {
        let stub = stub(Behaviour::Permitted);
        let state = ready_with(&stub, settings());
        let large = begin(&state, 1, large);
        wait_until_running(&stub, 1).await;
        // Also of the same client.
        let small: Vec<_> = (0..8)
            .map(|number| begin(&state, 1 + number % 2, "/v1/scrambles?effort=2"))
            .collect();
        wait_until("all wait", async || {
            metric(&state, "queue_jobs").await >= 28
        })
        .await;
        permit_until(&stub, 12).await;
        stub.permit(100);
        for request in small.into_iter().chain([large]) {
            assert_eq!(request.await.unwrap(), StatusCode::OK);
        }
        assert_eq!(levels(&stub)[..12], [1, 2, 2, 2, 1, 2, 2, 2, 1, 2, 2, 1]);
    }
}

#[tokio::test]
async fn each_request_is_made_at_its_effort_and_within_its_deadline() {
    let given = |level: u8| format!(r#"{{"scramble":"R U","effort":{level}}}"#);
    let default = r#"{"scramble":"R U"}"#.to_owned();
    let request = || Some(REQUEST.to_owned());
    // The level and the number of searches.
    for (uri, posted, expected, count) in [
        ("/v1/scrambles?effort=2", None, 2, 1),
        ("/v1/scrambles?count=9&effort=7", None, 7, 9),
        ("/v1/scrambles", None, 3, 1),
        ("/print?effort=5", None, 5, 7),
        ("/print?sets=2&effort=1", None, 1, 14),
        ("/print", None, 3, 7),
        ("/v1/wcif?effort=6", request(), 6, 27),
        ("/v1/wcif", request(), 3, 27),
        ("/wcif/scrambles?effort=6", request(), 6, 27),
        ("/v1/solve", Some(given(1)), 1, 1),
        ("/v1/solve", Some(given(7)), 7, 1),
        ("/v1/solve", Some(default), 3, 1),
        ("/api/v0/scramble/444?numScrambles=9", None, 3, 9),
        ("/scramble/.txt?=444", None, 3, 1),
        ("/frontend/puzzle/444/scramble", Some("{}".to_owned()), 3, 1),
    ] {
        let stub = stub(Behaviour::Turns);
        let settings = Settings {
            effort: Effort::new(3).unwrap(),
            ..settings()
        };
        let request_deadline = settings.request_deadline;
        let state = ready_with(&stub, settings);
        let began = Instant::now();
        let response = match &posted {
            Some(body) => post(&state, uri, body).await,
            None => send(&state, "GET", uri).await,
        };
        assert_eq!(response.status(), StatusCode::OK, "{uri}");
        response.into_body().collect().await.unwrap();
        let times = began + request_deadline..=Instant::now() + request_deadline;
        let mut deadlines = stub.deadlines.lock().unwrap().clone();
        let in_time = |deadline: &Option<Instant>| times.contains(&deadline.unwrap());
        assert!(deadlines.iter().all(in_time), "{uri}");
        // All scrambles of a document have one deadline.
        deadlines.dedup();
        assert!(deadlines.len() == 1 || uri.starts_with("/api/v0/"), "{uri}");
        let efforts = stub.efforts.lock().unwrap();
        assert_eq!(efforts.len(), count, "{uri}");
        let is_expected = |effort: &Effort| effort.get() == expected;
        assert!(efforts.iter().all(is_expected), "{uri}: {efforts:?}");
    }
}

#[tokio::test]
async fn each_scramble_of_a_stream_has_its_own_deadline() {
    let stub = stub(Behaviour::Turns);
    let state = ready_with(&stub, settings());
    let mut stream = call(&state, lines_request(10)).await.into_body();
    let mut lines = 0;
    while let Some(line) = stream.frame().await {
        assert!(line.unwrap().into_data().is_ok());
        lines += 1;
    }
    assert_eq!(lines, 10);
    // The first two are queued together.
    let deadlines = stub.deadlines.lock().unwrap();
    let deadlines: Vec<Instant> = deadlines.iter().map(|deadline| deadline.unwrap()).collect();
    assert!(deadlines.is_sorted() && deadlines[1] < deadlines[2] && deadlines[2] < deadlines[9]);
}

#[tokio::test]
async fn a_stream_is_cancelled_when_the_client_disconnects() {
    for workers in [1, 3] {
        let stub = stub(Behaviour::Endless);
        let settings = Settings {
            workers: Some(workers),
            ..settings()
        };
        let state = ready_with(&stub, settings);
        let stream = call(&state, lines_request(10)).await;
        wait_until_running(&stub, workers).await;
        // One job more than workers, which uses no place of other requests.
        assert_eq!(metric(&state, "queue_streamed_jobs").await, workers + 1);
        assert_eq!(metric(&state, "queue_jobs").await, 0);
        drop(stream);
        wait_for(&state, "queue_streamed_jobs", 0).await;
        let calls = stub.calls.load(Ordering::Relaxed);
        assert_eq!(calls, workers, "a cancelled job was started");
        // Those that ran and the one that did not.
        assert_eq!(metric(&state, "cancelled_jobs_total").await, workers + 1);
    }
}

#[tokio::test]
async fn a_search_that_panics_or_fails_fails_only_its_request() {
    let stub = stub(Behaviour::Panicking);
    let state = ready_with(&stub, settings());
    for uri in ["/v1/scrambles", "/print"] {
        problem(&state, "GET", uri, 500, "internal").await;
    }
    let position = post(&state, "/v1/solve", r#"{"scramble":"R"}"#).await;
    assert_problem(position, 500, "internal").await;
    assert!(metric(&state, "worker_panics_total").await >= 3);
    stub.behave(Behaviour::Turns);
    assert_eq!(
        begin(&state, 1, "/v1/scrambles?count=50").await.unwrap(),
        StatusCode::OK
    );
    assert_eq!(metric(&state, "queue_jobs").await, 0);
}

#[tokio::test]
async fn only_searches_that_succeed_count_for_the_mean_time() {
    let stub = stub(Behaviour::Permitted);
    let state = ready_with(&stub, settings());
    let slow = begin(&state, 1, "/v1/scrambles");
    wait_until_running(&stub, 1).await;
    tokio::time::sleep(Duration::from_millis(20)).await;
    stub.permit(1);
    assert_eq!(slow.await.unwrap(), StatusCode::OK);
    let capacity = metric(&state, "queue_capacity").await;
    assert!(capacity < 10_000, "{capacity}");
    for behaviour in [Behaviour::Failing, Behaviour::Panicking, Behaviour::Endless] {
        stub.behave(behaviour);
        let request = begin(&state, 1, "/v1/scrambles");
        if behaviour == Behaviour::Endless {
            wait_until_running(&stub, 1).await;
            request.abort();
        }
        let _ = request.await;
        wait_for(&state, "queue_jobs", 0).await;
        assert_eq!(metric(&state, "queue_capacity").await, capacity);
    }
}

/// The names of the metrics in a text. Those of the process are only for Linux.
fn metrics_in(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| {
        let of_process = cfg!(target_os = "linux") && word.starts_with("process_");
        of_process || word.starts_with("scramble444_")
    })
}

#[tokio::test]
async fn metrics_show_the_load_as_the_documentation_says() {
    let stub = stub(Behaviour::Permitted);
    let buffering = Settings {
        buffer: 2,
        ..settings()
    };
    let tokens = "contest 0123456789abcdef\n0123456789abcdee";
    let state = guarded(&stub, tokens, buffering);
    let metrics = async || text(send(&state, "GET", "/metrics").await).await;
    let wait_for = async |sample: &str| {
        let line = format!("\nscramble444_{sample}\n");
        wait_until(sample, async || metrics().await.contains(&line)).await;
    };
    let with_token = |token: &str, mut request: Request<Body>| {
        let value = format!("Bearer {token}").parse().unwrap();
        request.headers_mut().insert(header::AUTHORIZATION, value);
        call(&state, request)
    };
    wait_for("buffer_scrambles 0").await;
    wait_for("buffer_capacity 2").await;
    stub.permit(2);
    wait_for("buffer_scrambles 2").await;
    wait_for("connections_capacity 100").await;
    wait_for("connections 0").await;
    // Lines do not come from the buffer.
    let cut = with_token("0123456789abcdef", lines_request(10)).await;
    wait_for("queue_streamed_jobs 2").await;
    wait_for("queue_jobs 0").await;
    wait_until_running(&stub, 1).await;
    drop(cut);
    stub.permit(1);
    wait_for("queue_streamed_jobs 0").await;
    wait_for("cancelled_jobs_total 1").await;
    wait_for("stream_duration_seconds_count{end=\"cut\"} 1").await;
    stub.permit(10);
    let whole = with_token("0123456789abcdee", lines_request(10)).await;
    assert_eq!(text(whole).await.lines().count(), 10);
    wait_for("stream_duration_seconds_count{end=\"whole\"} 1").await;
    wait_for("authorized_requests_total{token=\"contest\"} 1").await;
    wait_for("authorized_requests_total{token=\"\"} 1").await;
    wait_for("ready 1").await;
    state.engines.drain();
    let refused = with_token("0123456789abcdef", lines_request(10)).await;
    assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
    for sample in ["ready 0", "buffer_scrambles 0"] {
        wait_for(sample).await;
    }

    let metrics = metrics().await;
    let operations = include_str!("../../docs/operations.md");
    let alerts = include_str!("../../deploy/prometheus-rules.yml");
    let dashboard = include_str!("../../deploy/grafana/scramble444.json");
    let all = [operations, alerts, dashboard].map(metrics_in);
    let documented: HashSet<&str> = all.into_iter().flatten().collect();
    assert!(documented.len() > 10);
    for name in documented {
        let samples = [" ", "{", "_count", "_bucket{"].map(|end| format!("\n{name}{end}"));
        let exists = samples.iter().any(|sample| metrics.contains(sample));
        assert!(exists, "{name}\n{metrics}");
    }
    for alert in alerts.split("- alert:").skip(1) {
        assert_has_labels(&metrics, alert, "");
    }
    let dashboard: Value = serde_json::from_str(dashboard).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    for variable in dashboard["templating"]["list"].as_array().unwrap() {
        // label_values(QUERY, LABEL)
        let query = variable["query"]["query"].as_str().unwrap_or_default();
        let query = query.replace(", ", ") by (");
        assert_has_labels(&metrics, &query, "");
    }
    let panels = dashboard["panels"].as_array().unwrap();
    let targets = panels
        .iter()
        .flat_map(|panel| panel["targets"].as_array().unwrap());
    let mut queries = 0;
    for target in targets {
        let (query, legend) = (text(&target["expr"]), text(&target["legendFormat"]));
        assert_has_labels(&metrics, &query, &legend);
        queries += 1;
    }
    assert!(queries > 20);
}

/// The texts in `text` between `start` and `end`.
fn between<'a>(text: &'a str, start: &str, end: &str) -> Vec<&'a str> {
    let rests = text.split(start).skip(1);
    rests
        .filter_map(|rest| Some(rest.split_once(end)?.0))
        .collect()
}

/// Checks that the metrics have the labels by which a query selects and groups them, and that it groups by those of its
/// legend.
fn assert_has_labels(metrics: &str, query: &str, legend: &str) {
    // Prometheus adds these.
    let mut shared = HashSet::from(["job", "instance"]);
    let groups: Vec<&str> = between(query, "by (", ")")
        .into_iter()
        .flat_map(|list| list.split(", "))
        .collect();
    for name in metrics_in(query) {
        let of_name = |line: &&str| line.starts_with(name);
        let sample = metrics.lines().rfind(of_name).unwrap();
        // A bucket has more labels than the sum and the count after it.
        let bucket = metrics
            .lines()
            .filter(of_name)
            .find(|line| line.contains("le=\""));
        let labels = bucket.unwrap_or(sample).replace('{', ",");
        let labels: HashSet<&str> = labels
            .split(',')
            .filter_map(|label| Some(label.split_once("=\"")?.0))
            .chain(shared.iter().copied())
            .collect();
        let matchers = between(query, &format!("{name}{{"), "}");
        let matchers = matchers.into_iter().flat_map(|list| list.split(','));
        let matched = matchers.map(|one| one.split(['=', '!']).next().unwrap().trim());
        for label in matched.chain(groups.iter().copied()) {
            assert!(labels.contains(label), "{name} has no {label}: {query}");
        }
    }
    shared.extend(groups);
    for label in between(legend, "{{", "}}") {
        assert!(shared.contains(label), "{label}: {query}");
    }
}

#[tokio::test]
async fn large_documents_use_one_place_of_their_client_at_a_time() {
    let one = Settings {
        max_per_client: Some(1),
        ..settings()
    };
    let state = ready_with(&stub(Behaviour::Turns), one);
    for uri in ["/print?sets=1", "/print?sets=3", "/v1/scrambles?count=50"] {
        let status = send(&state, "GET", uri).await.status();
        assert_eq!(status, StatusCode::OK, "{uri}");
    }
    let status = post(&state, "/v1/wcif", REQUEST).await.status();
    assert_eq!(status, StatusCode::OK);
}

#[tokio::test]
async fn waiting_for_a_turn_is_not_counted_as_solving() {
    let stub = stub(Behaviour::Permitted);
    let state = ready_with(&stub, settings());
    let before = begin(&state, 1, "/v1/scrambles");
    wait_until_running(&stub, 1).await;
    let waiting = tokio::spawn({
        let state = state.clone();
        async move { post(&state, "/v1/solve", r#"{"scramble":"R U"}"#).await }
    });
    wait_for(&state, "queue_jobs", 2).await;
    // A longer wait makes a failure clearer; the test passes with any.
    tokio::time::sleep(Duration::from_millis(50)).await;
    let released = Instant::now();
    stub.permit(2);
    let report = body(waiting.await.unwrap()).await;
    let max = released.elapsed().as_secs_f64() * 1e3;
    assert!(report["millis"].as_f64().unwrap() <= max, "{report} {max}");
    assert_eq!(before.await.unwrap(), StatusCode::OK);
}

#[test]
fn a_request_times_out_five_seconds_after_its_deadline() {
    for seconds in [0, 3] {
        for uri in ["/v1/scrambles", "/v1/solve", "/print", "/v1/wcif"] {
            // Deadlines are instants of the system's clock, which is not paused, so each request needs a new runtime.
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .start_paused(true)
                .build();
            runtime.unwrap().block_on(assert_times_out(uri, seconds));
        }
    }
}

async fn assert_times_out(uri: &'static str, seconds: u64) {
    let settings = Settings {
        request_deadline: Duration::from_secs(seconds),
        ..settings()
    };
    let stub = stub(Behaviour::Endless);
    let (really_began, state) = (Instant::now(), ready_with(&stub, settings));
    let request = tokio::spawn({
        let state = state.clone();
        async move {
            match uri {
                "/v1/solve" => post(&state, uri, r#"{"scramble":"R U"}"#).await,
                "/v1/wcif" => post(&state, uri, REQUEST).await,
                _ => send(&state, "GET", uri).await,
            }
        }
    });
    // The paused clock stands still during the search.
    let is_running = async || stub.calls.load(Ordering::Relaxed) == 1;
    wait_until_now("it runs", is_running).await;
    tokio::time::advance(Duration::from_secs(seconds + 4)).await;
    tokio::task::yield_now().await;
    assert!(!request.is_finished(), "{uri}");
    tokio::time::advance(Duration::from_secs(2) + really_began.elapsed()).await;
    assert_problem(request.await.unwrap(), 504, "timed-out").await;
    let timed_out = metric(&state, "rejections_total{reason=\"timed-out\"}");
    assert_eq!(timed_out.await, 1);
}

/// As [`wait_until`] with a paused clock that stands still.
async fn wait_until_now(what: &str, mut happened: impl AsyncFnMut() -> bool) {
    let began = Instant::now();
    while !happened().await {
        assert!(began.elapsed() < Duration::from_secs(60), "{what}: not yet");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_full_line_refuses_requests_until_a_client_disconnects() {
    let stub = stub(Behaviour::Endless);
    // The line always has room for a hundred jobs.
    let settings = Settings {
        request_deadline: Duration::ZERO,
        ..settings()
    };
    let state = ready_with(&stub, settings);
    let waiting = begin(&state, 1, "/v1/scrambles?count=100");
    wait_until_running(&stub, 1).await;
    let rejected = send(&state, "GET", "/v1/scrambles").await;
    // The least, as no search has ended yet.
    assert_eq!(rejected.headers()[header::RETRY_AFTER], "1");
    assert_problem(rejected, 503, "overloaded").await;
    let position = post(&state, "/v1/solve", r#"{"scramble":"R"}"#).await;
    assert_problem(position, 503, "overloaded").await;
    let verdict = post(&state, "/v1/verify", r#"{"scramble":"R"}"#).await;
    assert_eq!(
        verdict.status(),
        StatusCode::OK,
        "does not wait in the line"
    );
    assert_eq!(metric(&state, "queue_jobs").await, 100);
    assert_eq!(metric(&state, "queue_capacity").await, 100);
    assert_eq!(
        metric(&state, "rejections_total{reason=\"overloaded\"}").await,
        2
    );

    waiting.abort();
    let _ = waiting.await;
    wait_for(&state, "queue_jobs", 0).await;
    stub.behave(Behaviour::Turns);
    let status = send(&state, "GET", "/v1/scrambles?count=100")
        .await
        .status();
    assert_eq!(status, StatusCode::OK);
}

#[tokio::test]
async fn large_documents_wait_for_small_requests() {
    let stub = stub(Behaviour::Permitted);
    let state = ready_with(&stub, settings());
    let first = begin(&state, 1, "/v1/scrambles");
    wait_until_running(&stub, 1).await;
    // Refused as soon as it is read.
    let (other, document) = (state.clone(), "x".repeat(100_000));
    let large = tokio::spawn(async move { post(&other, "/v1/wcif", &document).await.status() });
    tokio::time::sleep(Duration::from_millis(100)).await;
    let small = [2, 3].map(|client| begin(&state, client, "/v1/scrambles"));
    wait_for(&state, "queue_jobs", 3).await;
    stub.permit(1);
    let calls = async || stub.calls.load(Ordering::Relaxed) == 2;
    wait_until("the next search", calls).await;
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert!(!large.is_finished());
    stub.permit(2);
    for request in [first].into_iter().chain(small) {
        assert_eq!(request.await.unwrap(), StatusCode::OK);
    }
    assert_eq!(large.await.unwrap(), StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn work_whose_client_has_left_is_not_begun() {
    let stub = stub(Behaviour::Permitted);
    let state = ready_with(&stub, settings());
    let first = begin(&state, 1, "/v1/scrambles");
    wait_until_running(&stub, 1).await;
    let left = begin(&state, 2, "/v1/scrambles?count=5");
    wait_for(&state, "queue_jobs", 6).await;
    left.abort();
    // The two that wait in the line leave when they would have their turns.
    wait_for(&state, "queue_jobs", 3).await;
    stub.permit(2);
    let last = begin(&state, 1, "/v1/scrambles");
    for request in [first, last] {
        assert_eq!(request.await.unwrap(), StatusCode::OK);
    }
    assert_eq!(stub.calls.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn scrambles_in_advance_are_used_once_and_replaced() {
    let stub = stub(Behaviour::Turns);
    let buffering = Settings {
        buffer: 5,
        ..settings()
    };
    let state = ready_with(&stub, buffering);
    let full = async || wait_for(&state, "buffer_scrambles", 5).await;
    let made = async |count: u32| {
        let response = send(&state, "GET", &format!("/v1/scrambles?count={count}")).await;
        body(response).await["scrambles"]
            .as_array()
            .unwrap()
            .clone()
    };
    full().await;
    let first = made(10).await;
    assert_eq!(first.len(), 10, "five made in advance and five new ones");
    assert_eq!(first[0]["scramble"], "U Rw");
    full().await;
    assert!(!first.contains(&made(1).await[0]));
    full().await;
    let before = stub.calls.load(Ordering::Relaxed);
    // A higher effort, a stream and another recipe get none.
    send(&state, "GET", "/v1/scrambles?effort=5").await;
    text(call(&state, lines_request(2)).await).await;
    assert_eq!(stub.calls.load(Ordering::Relaxed), before + 3);
    assert_eq!(metric(&state, "buffer_scrambles").await, 5);
    // A lower one does.
    send(&state, "GET", "/v1/scrambles?effort=3").await;
    full().await;
    let default = Effort::DEFAULT.get();
    let lower = levels(&stub).into_iter().filter(|&level| level != default);
    assert_eq!(lower.collect::<Vec<u8>>(), [5]);
}

#[tokio::test]
async fn scrambles_in_advance_are_made_when_nothing_else_waits() {
    let stub = stub(Behaviour::Permitted);
    let buffering = Settings {
        buffer: 2,
        ..settings()
    };
    let state = ready_with(&stub, buffering);
    wait_until_running(&stub, 1).await;
    let large = begin(&state, 1, "/v1/scrambles?effort=5&count=8");
    wait_for(&state, "queue_jobs", 8).await;
    permit_until(&stub, 10).await;
    stub.permit(1);
    assert_eq!(large.await.unwrap(), StatusCode::OK);
    wait_for(&state, "buffer_scrambles", 2).await;
    assert_eq!(levels(&stub), [4, 5, 5, 5, 5, 5, 5, 5, 5, 4]);
}

#[tokio::test]
async fn a_failure_in_advance_is_not_repeated_before_the_next_request() {
    let stub = stub(Behaviour::Failing);
    let buffering = Settings {
        buffer: 3,
        ..settings()
    };
    let state = ready_with(&stub, buffering);
    let calls = || stub.calls.load(Ordering::Relaxed);
    wait_until("a failure", async || calls() == 1).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(calls(), 1);
    stub.behave(Behaviour::Turns);
    send(&state, "GET", "/v1/scrambles").await;
    wait_for(&state, "buffer_scrambles", 3).await;
}

#[tokio::test]
async fn a_service_that_stops_at_once_has_no_scrambles_in_advance() {
    let buffering = Settings {
        buffer: 2,
        ..settings()
    };
    let state = ready_with(&stub(Behaviour::Turns), buffering);
    wait_for(&state, "buffer_scrambles", 2).await;
    drain(
        &state.engines,
        Duration::from_secs(3),
        std::future::ready(()),
    )
    .await;
    problem(&state, "GET", "/v1/scrambles", 503, "draining").await;
    assert_eq!(metric(&state, "buffer_scrambles").await, 0);
}

/// A service whose clients may have two jobs, and a stream of ten lines that nobody has read yet, of which two are made.
async fn stream_with_two_made(
    stub: &Arc<Stub>,
    request_deadline: Duration,
) -> (AppState, Response<Body>) {
    let settings = Settings {
        max_per_client: Some(2),
        request_deadline,
        ..settings()
    };
    let state = ready_with(stub, settings);
    let stream = call(&state, lines_request(10)).await;
    stub.permit(2);
    wait_for(&state, "queue_streamed_jobs", 0).await;
    (state, stream)
}

/// Takes both places of the client of [`stream_with_two_made`].
async fn take_places(state: &AppState) -> JoinHandle<StatusCode> {
    let state = state.clone();
    let set = tokio::spawn({
        let state = state.clone();
        async move { send(&state, "GET", "/v1/scrambles?count=2").await.status() }
    });
    wait_for(&state, "queue_jobs", 2).await;
    set
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_gets_no_place_for_its_next_job_ends_with_a_problem() {
    let stub = stub(Behaviour::Permitted);
    let deadline = Duration::from_secs(3);
    let (state, stream) = stream_with_two_made(&stub, deadline).await;
    let others = take_places(&state).await;
    let reading = tokio::spawn(text(stream));
    tokio::task::yield_now().await;
    // A paused clock stands still during the search.
    tokio::time::advance(deadline - Duration::from_millis(100)).await;
    assert!(!reading.is_finished());
    tokio::time::advance(Duration::from_millis(100)).await;
    let text = reading.await.unwrap();
    assert_eq!(text.lines().count(), 3);
    let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!(last["type"], "urn:scramble444:problem:too-many-requests");
    stub.permit(2);
    others.abort();
}

#[tokio::test]
async fn a_stream_older_than_the_deadline_of_a_request_still_waits_for_its_next_place() {
    let stub = stub(Behaviour::Permitted);
    let deadline = Duration::from_secs(2);
    let (state, stream) = stream_with_two_made(&stub, deadline).await;
    tokio::time::sleep(deadline).await;
    let others = take_places(&state).await;
    let lines = tokio::spawn(text(stream));
    tokio::time::sleep(Duration::from_millis(100)).await;
    stub.permit(10);
    let lines = lines.await.unwrap();
    assert!(!lines.contains("problem"), "{lines}");
    assert_eq!(lines.lines().count(), 10);
    assert_eq!(others.await.unwrap(), StatusCode::OK);
}

#[tokio::test]
async fn a_stream_that_waits_for_a_place_ends_when_requests_are_aborted() {
    let stub = stub(Behaviour::Permitted);
    let deadline = settings().request_deadline;
    let (state, stream) = stream_with_two_made(&stub, deadline).await;
    let others = take_places(&state).await;
    let reading = tokio::spawn(text(stream));
    // The lines that exist are read, and then there is no place.
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(!reading.is_finished());
    let began = Instant::now();
    state.engines.abort_requests();
    let text = reading.await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(5));
    let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!(last["type"], "urn:scramble444:problem:draining");
    stub.permit(2);
    assert_eq!(others.await.unwrap(), StatusCode::SERVICE_UNAVAILABLE);
}

/// A token with a name and two without, and addresses.
#[tokio::test]
async fn clients_are_told_apart_by_the_names_of_their_tokens_and_otherwise_by_their_addresses() {
    let tokens = ["f", "e", "d", "c"].map(|end| format!("0123456789abcde{end}"));
    let [named, second, unnamed, other] = tokens.each_ref().map(String::as_str);
    let (ours, mapped) = ("192.0.2.1:1", "[::ffff:192.0.2.1]:1");
    let in_network = "[2001:db8::1]:1";
    for (first, then, is_same) in [
        ((named, ours), (second, "192.0.2.2:1"), true),
        ((named, ours), (unnamed, ours), false),
        ((unnamed, ours), (unnamed, "192.0.2.2:1"), false),
        ((unnamed, ours), (other, "192.0.2.1:2"), true),
        ((unnamed, in_network), (unnamed, "[2001:db8::2]:1"), true),
        (
            (unnamed, in_network),
            (unnamed, "[2001:db8:0:1::1]:1"),
            false,
        ),
        ((unnamed, mapped), (unnamed, ours), true),
        ((unnamed, mapped), (unnamed, "[::ffff:192.0.2.2]:1"), false),
    ] {
        let stub = stub(Behaviour::Permitted);
        let one = Settings {
            max_per_client: Some(1),
            ..settings()
        };
        let tokens = format!("a {named}\na {second}\n{unnamed}\n{other}");
        let state = guarded(&stub, &tokens, one);
        let request = |(token, address): (&str, &str)| {
            let address: std::net::SocketAddr = address.parse().unwrap();
            let request = Request::get("/v1/scrambles")
                .header("authorization", format!("Bearer {token}"))
                .extension(axum::extract::ConnectInfo(address));
            let request = request.body(Body::empty()).unwrap();
            let state = state.clone();
            tokio::spawn(async move { call(&state, request).await.status() })
        };
        let jobs = async || metric(&state, "queue_jobs").await;
        let waiting = request(first);
        wait_until("the first is queued", async || jobs().await == 1).await;
        let second = request(then);
        let is_decided = async || jobs().await == 2 || second.is_finished();
        wait_until("the second is queued or refused", is_decided).await;
        assert_eq!(second.is_finished(), is_same, "{first:?} {then:?}");
        stub.permit(2);
        assert_eq!(waiting.await.unwrap(), StatusCode::OK);
        let expected = match is_same {
            true => StatusCode::TOO_MANY_REQUESTS,
            false => StatusCode::OK,
        };
        assert_eq!(second.await.unwrap(), expected);
    }
}

#[tokio::test]
async fn a_client_with_too_many_jobs_is_told_so() {
    let stub = stub(Behaviour::Permitted);
    let settings = Settings {
        max_per_client: Some(3),
        ..settings()
    };
    let state = ready_with(&stub, settings);
    let busy = tokio::spawn({
        let state = state.clone();
        async move {
            futures_util::future::join_all((0..3).map(|_| send(&state, "GET", "/v1/scrambles")))
                .await
        }
    });
    wait_for(&state, "queue_jobs", 3).await;
    for uri in [
        "/v1/scrambles",
        "/api/v0/scramble/444",
        "/scramble/.json?x=444",
        "/print",
    ] {
        problem(&state, "GET", uri, 429, "too-many-requests").await;
    }
    let position = post(&state, "/v1/solve", r#"{"scramble":"R"}"#).await;
    // Without an address, both are the default client's.
    assert_problem(position, 429, "too-many-requests").await;
    // Not a sign of too little capacity.
    let metrics = text(send(&state, "GET", "/metrics").await).await;
    assert!(!metrics.contains("rejections_total{"), "{metrics}");
    // Others are served.
    let other = begin(&state, 1, "/v1/scrambles");
    stub.permit(4);
    assert_eq!(other.await.unwrap(), StatusCode::OK);
    assert!(
        busy.await
            .unwrap()
            .iter()
            .all(|it| it.status() == StatusCode::OK)
    );
}

#[tokio::test]
async fn refusals_because_of_the_state_of_the_service_are_counted_by_their_reason() {
    let state = starting_with(&["stub", "broken", "slow"], settings());
    let rejections = async || {
        let metrics = text(send(&state, "GET", "/metrics").await).await;
        let name = "scramble444_rejections_total{reason=";
        let lines = metrics.lines().filter_map(|line| line.strip_prefix(name));
        let mut lines: Vec<String> = lines.map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    };
    for uri in ["/v1/scrambles", "/readyz"] {
        let refused = send(&state, "GET", uri).await;
        assert_eq!(refused.headers()[header::RETRY_AFTER], "1", "{uri}");
    }
    assert_eq!(rejections().await, ["\"starting\"} 2"]);
    state.engines.ready(stub(Behaviour::Failing));
    state.engines.failed("broken");
    let failed = send(&state, "GET", "/v1/scrambles?method=broken").await;
    assert_eq!(failed.headers()[header::RETRY_AFTER], "60");
    // Neither bad requests nor defects.
    for (uri, status) in [
        ("/v1/scrambles?count=0", 400),
        ("/v1/nothing", 404),
        ("/v1/scrambles", 500),
    ] {
        assert_eq!(send(&state, "GET", uri).await.status(), status, "{uri}");
    }
    state.engines.drain();
    let draining = send(&state, "GET", "/readyz").await;
    assert_eq!(draining.headers()[header::RETRY_AFTER], "1");
    let expected = ["\"draining\"} 1", "\"method-failed\"} 1", "\"starting\"} 2"];
    assert_eq!(rejections().await, expected);
}

#[tokio::test]
async fn a_new_engine_is_used_by_new_requests_and_the_old_one_by_those_in_progress() {
    let old = stub(Behaviour::Permitted);
    let two = Settings {
        workers: Some(2),
        ..settings()
    };
    let state = ready_with(&old, two);
    let get = || {
        let state = state.clone();
        tokio::spawn(async move { send(&state, "GET", "/v1/scrambles").await.status() })
    };
    let before = get();
    wait_until("it is begun", async || {
        old.calls.load(Ordering::Relaxed) == 1
    })
    .await;
    let new = stub(Behaviour::Turns);
    state.engines.ready(Arc::clone(&new) as _);
    assert_eq!(get().await.unwrap(), StatusCode::OK);
    assert_eq!(new.calls.load(Ordering::Relaxed), 1);
    old.permit(1);
    assert_eq!(before.await.unwrap(), StatusCode::OK);
    assert_eq!(old.calls.load(Ordering::Relaxed), 1);
    wait_until("the old engine is gone", async || {
        Arc::strong_count(&old) == 1
    })
    .await;
}

/// The next line of a stream.
async fn next_line(stream: &mut Body) -> Value {
    let frame = stream.frame().await.unwrap().unwrap();
    serde_json::from_slice(&frame.into_data().unwrap()).unwrap()
}

#[tokio::test]
async fn a_stream_whose_client_may_have_one_job_gets_its_scrambles_one_by_one() {
    let one = Settings {
        max_per_client: Some(1),
        ..settings()
    };
    let stub = stub(Behaviour::Permitted);
    let state = ready_with(&stub, one);
    let mut whole = call(&state, lines_request(10)).await.into_body();
    stub.permit(10);
    for _ in 0..10 {
        assert_eq!(next_line(&mut whole).await["moves"], 2);
    }
    assert!(whole.frame().await.is_none());
    assert_eq!(streams(&state).await, ["{end=\"whole\"} 1"]);
    // A stream without its last line is cut.
    let mut cut = call(&state, lines_request(10)).await.into_body();
    let mut line = Box::pin(next_line(&mut cut));
    assert!((&mut line).now_or_never().is_none());
    stub.permit(1);
    line.await;
    drop(cut);
    let both = ["{end=\"cut\"} 1", "{end=\"whole\"} 1"];
    assert_eq!(streams(&state).await, both);
}

#[tokio::test(start_paused = true)]
async fn scrambles_that_are_made_in_time_are_sent_however_late_the_client_reads_them() {
    let state = ready(Behaviour::Turns);
    let mut stream = call(&state, lines_request(2)).await.into_body();
    wait_for(&state, "queue_jobs", 0).await;
    tokio::time::advance(Duration::from_secs(3_600)).await;
    for _ in 0..2 {
        assert_eq!(next_line(&mut stream).await["moves"], 2);
    }
    assert!(stream.frame().await.is_none());
}

#[tokio::test]
async fn a_service_that_stops_completes_its_streams_and_documents_and_then_drops_its_scrambles() {
    let stub = stub(Behaviour::Permitted);
    let buffering = Settings {
        buffer: 1,
        ..settings()
    };
    let state = ready_with(&stub, buffering);
    stub.permit(1);
    wait_for(&state, "buffer_scrambles", 1).await;
    let lines = call(&state, lines_request(10)).await.into_body();
    let document = tokio::spawn({
        let state = state.clone();
        async move { send(&state, "GET", "/print?sets=2").await.status() }
    });
    wait_for(&state, "queue_streamed_jobs", 2).await;
    wait_for(&state, "queue_jobs", 13).await;
    state.engines.drain();
    problem(&state, "GET", "/v1/scrambles", 503, "draining").await;
    let mut idle = Box::pin(state.engines.ended());
    stub.permit(23);
    assert_eq!(document.await.unwrap(), StatusCode::OK);
    assert!((&mut idle).now_or_never().is_none(), "the stream is unread");
    let lines = lines.collect().await.unwrap().to_bytes();
    assert_eq!(lines.split(|&byte| byte == b'\n').count(), 11);
    idle.await;
    // Only the list of methods and this test have the engine.
    assert_eq!(metric(&state, "buffer_scrambles").await, 0);
    wait_until("nothing works", async || Arc::strong_count(&stub) == 2).await;
}
