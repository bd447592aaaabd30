//! Streams, deadlines, the queue and the buffer over HTTP.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::{Request, Response, StatusCode, header};
use cube444::Effort;
use futures_util::FutureExt;
use http_body_util::BodyExt;
use scramble444::http::{ActiveRequest, AppState, Settings, Tokens};
use scramble444::pool::PoolConfig;
use serde_json::Value;

use crate::service::*;
use test_support::wcif::REQUEST;

/// A request for a stream of JSON lines.
fn lines_request(count: u32) -> Request<Body> {
    let request = Request::get(format!("/v1/scrambles?count={count}"));
    let request = request.header("accept", "application/x-ndjson");
    let request = request.header("accept-encoding", "gzip");
    request.body(Body::empty()).unwrap()
}

#[tokio::test]
async fn lines_are_sent_immediately() {
    let stub = stub(Behaviour::Permitted);
    let state = ready_with(&stub, SMALL, settings());
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
    let config = PoolConfig {
        queue_per_client: 1,
        ..SMALL
    };
    let stub = stub(Behaviour::Endless);
    let state = ready_with(&stub, config, settings());
    let request = state.engines.begin().unwrap();
    let held = options(&state);
    let busy = request.pool.scrambles(1, &held);
    let refused = call(&state, lines_request(10)).await;
    assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(streams(&state).await, [""; 0]);
    for (number, uri) in [
        (1, "/api/v0/scramble/444?numScrambles=0"),
        (2, "/api/v0/scramble/444/raw?numScrambles=0"),
        (3, "/scramble/.txt?=444*0"),
    ] {
        let empty = send(&state, "GET", uri).await;
        assert_eq!(empty.status(), StatusCode::OK, "{uri}");
        text(empty).await;
        let expected = format!("{{end=\"whole\"}} {number}");
        assert_eq!(streams(&state).await, [expected], "{uri}");
    }
    held.limits.cancel.cancel();
    drop(busy);
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
        let state = ready_with(&stub, SMALL, settings);
        let began = Instant::now();
        let response = match &posted {
            Some(body) => post(&state, uri, body).await,
            None => send(&state, "GET", uri).await,
        };
        assert_eq!(response.status(), StatusCode::OK, "{uri}");
        text(response).await;
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
    let state = ready_with(&stub, SMALL, settings());
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
        let state = ready_with(&stub, PoolConfig { workers, ..SMALL }, settings());
        let stream = call(&state, lines_request(10)).await;
        let request = state.engines.begin().unwrap();
        wait_until_running(&stub, workers).await;
        let load = || request.pool.load();
        assert_eq!(load().streamed, workers + 1, "one job more than workers");
        assert_eq!(load().jobs, 0, "a stream uses no place in the queue");
        drop(stream);
        wait_until("the jobs end", async || load().streamed == 0).await;
        assert_eq!(
            stub.calls.load(Ordering::Relaxed),
            workers,
            "a cancelled job was started"
        );
        // Those that ran and the one that did not.
        let metrics = text(send(&state, "GET", "/metrics").await).await;
        let cancelled = format!("scramble444_cancelled_jobs_total {}\n", workers + 1);
        assert!(metrics.contains(&cancelled), "{metrics}");
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
    let buffering = PoolConfig { buffer: 2, ..SMALL };
    let tokens = Tokens::new("contest 0123456789abcdef\n0123456789abcdee");
    let settings = Settings {
        tokens: required(tokens.unwrap()),
        ..settings()
    };
    let state = ready_with(&stub, buffering, settings);
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
    for sample in ["ready 0", "queue_capacity 0", "buffer_scrambles 0"] {
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
async fn sheets_use_no_more_places_than_the_queue_has() {
    let stub = stub(Behaviour::Permitted);
    let state = ready_with(&stub, SMALL, settings());
    let request = state.engines.begin().unwrap();
    let load = || request.pool.load().jobs;
    let sheet = tokio::spawn({
        let state = state.clone();
        async move { send(&state, "GET", "/print?sets=1").await.status() }
    });
    wait_until("the set has its places", async || load() == 7).await;
    // Refused at once: neither has a place later.
    problem(&state, "GET", "/print?sets=1", 503, "overloaded").await;
    problem(&state, "GET", "/v1/scrambles?count=4", 503, "overloaded").await;
    let held = options(&state);
    let others = request.pool.scrambles(3, &held);
    assert!(others.is_ok());
    for done in 0..7 {
        assert_eq!(load(), 10 - done);
        stub.permit(1);
        wait_until("a job ends", async || load() < 10 - done).await;
    }
    stub.permit(3);
    assert_eq!(sheet.await.unwrap(), StatusCode::OK);
    let lines = call(&state, lines_request(7)).await;
    let load = request.pool.load();
    assert_eq!((load.jobs, load.streamed), (2, 0), "a set, too");
    drop(lines);
}

#[tokio::test]
async fn documents_may_have_more_scrambles_than_a_client_may_have_in_progress() {
    for (queue, queue_per_client) in [(10, 3), (3, 10), (10, 10)] {
        let config = PoolConfig {
            queue,
            queue_per_client,
            ..SMALL
        };
        let state = ready_with(&stub(Behaviour::Turns), config, settings());
        for uri in ["/print?sets=1", "/print?sets=3"] {
            let status = send(&state, "GET", uri).await.status();
            assert_eq!(status, StatusCode::OK, "{uri} {config:?}");
        }
        let status = post(&state, "/v1/wcif", REQUEST).await.status();
        assert_eq!(status, StatusCode::OK, "{config:?}");
    }
}

#[tokio::test]
async fn waiting_in_the_queue_is_not_counted_as_solving() {
    let stub = stub(Behaviour::Permitted);
    let state = ready_with(&stub, SMALL, settings());
    let request = state.engines.begin().unwrap();
    let held = options(&state);
    let before = request.pool.scrambles(1, &held);
    let waiting = tokio::spawn({
        let state = state.clone();
        async move { post(&state, "/v1/solve", r#"{"scramble":"R U"}"#).await }
    });
    wait_until("it waits", async || request.pool.load().jobs == 2).await;
    // A longer wait makes a failure clearer; the test passes with any.
    tokio::time::sleep(Duration::from_millis(50)).await;
    let released = Instant::now();
    stub.permit(2);
    let report = body(waiting.await.unwrap()).await;
    let max = released.elapsed().as_secs_f64() * 1e3;
    assert!(report["millis"].as_f64().unwrap() <= max, "{report} {max}");
    drop(before);
}

#[test]
fn a_request_times_out_five_seconds_after_its_deadline() {
    for seconds in [0, 3] {
        for uri in ["/v1/scrambles", "/v1/solve", "/print", "/v1/wcif"] {
            let settings = Settings {
                request_deadline: Duration::from_secs(seconds),
                ..settings()
            };
            // Deadlines are instants of the system's clock, which is not paused, so each request needs a new runtime.
            let really_began = Instant::now();
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .start_paused(true)
                .build();
            let took = runtime.unwrap().block_on(async {
                let state = ready_with(&stub(Behaviour::Endless), SMALL, settings);
                let began = tokio::time::Instant::now();
                let response = match uri {
                    "/v1/solve" => post(&state, uri, r#"{"scramble":"R U"}"#).await,
                    "/v1/wcif" => post(&state, uri, REQUEST).await,
                    _ => send(&state, "GET", uri).await,
                };
                assert_problem(response, 504, "timed-out").await;
                let metrics = text(send(&state, "GET", "/metrics").await).await;
                let counted = "scramble444_rejections_total{reason=\"timed-out\"} 1";
                assert!(metrics.contains(counted), "{metrics}");
                began.elapsed()
            });
            let least = Duration::from_secs(seconds + 5);
            let most = least + really_began.elapsed() + Duration::from_millis(10);
            assert!((least..=most).contains(&took), "{uri} {took:?}");
        }
    }
}

#[tokio::test]
async fn a_full_queue_rejects_requests_until_a_client_disconnects() {
    let stub = stub(Behaviour::Endless);
    let state = ready_with(&stub, SMALL, settings());
    let waiting = tokio::spawn({
        let state = state.clone();
        async move { send(&state, "GET", "/v1/scrambles?count=10").await.status() }
    });
    wait_until_running(&stub, 1).await;
    let rejected = send(&state, "GET", "/v1/scrambles").await;
    // The default, as no finished job gives an estimate yet.
    assert_eq!(rejected.headers()[header::RETRY_AFTER], "1");
    assert_problem(rejected, 503, "overloaded").await;
    let position = post(&state, "/v1/solve", r#"{"scramble":"R"}"#).await;
    assert_problem(position, 503, "overloaded").await;
    let verdict = post(&state, "/v1/verify", r#"{"scramble":"R"}"#).await;
    assert_eq!(
        verdict.status(),
        StatusCode::OK,
        "uses no place in the queue"
    );
    let metrics = text(send(&state, "GET", "/metrics").await).await;
    assert!(metrics.contains("scramble444_queue_jobs 10"), "{metrics}");
    assert!(metrics.contains("scramble444_rejections_total{reason=\"overloaded\"} 2"));

    waiting.abort();
    let _ = waiting.await;
    let request = state.engines.begin().unwrap();
    let held = options(&state);
    held.limits.cancel.cancel();
    wait_until("the queue is empty", async || {
        let all = request.pool.scrambles(10, &held);
        all.is_ok()
    })
    .await;
}

#[tokio::test]
async fn buffered_scrambles_are_used_once_and_replaced() {
    // The queue, and the places of a client, are for what does not come from the buffer.
    let buffering = PoolConfig {
        buffer: 5,
        queue: 5,
        queue_per_client: 5,
        ..SMALL
    };
    let stub = stub(Behaviour::Turns);
    let state = ready_with(&stub, buffering, settings());
    let full = async |state: &AppState| {
        wait_until("the buffer is full", async || {
            body(send(state, "GET", "/readyz").await).await["buffered"] == 5
        })
        .await;
    };
    full(&state).await;
    let first = body(send(&state, "GET", "/v1/scrambles?count=10").await).await;
    let scrambles = first["scrambles"].as_array().unwrap();
    assert_eq!(
        scrambles.len(),
        10,
        "five from the buffer and five new ones"
    );
    assert_eq!(scrambles[0]["scramble"], "U Rw");
    full(&state).await;
    let second = body(send(&state, "GET", "/v1/scrambles?count=1").await).await;
    assert!(!scrambles.contains(&second["scrambles"][0]));
    // The buffer cannot serve a higher effort.
    full(&state).await;
    let before = stub.calls.load(Ordering::Relaxed);
    let third = body(send(&state, "GET", "/v1/scrambles?count=1&effort=5").await).await;
    assert_eq!(stub.calls.load(Ordering::Relaxed), before + 1);
    let fourth = body(send(&state, "GET", "/v1/scrambles?count=6").await).await;
    let fourth = fourth["scrambles"].as_array().unwrap();
    assert!(!fourth.contains(&third["scrambles"][0]));
    state.engines.drain();
    assert!(state.engines.begin().is_err());
}

/// A service whose clients may have two jobs, a stream of ten lines that nobody has read yet, of which two are made,
/// and a request.
async fn stream_with_two_made(
    stub: &Arc<Stub>,
    request_deadline: Duration,
) -> (AppState, Response<Body>, ActiveRequest) {
    let config = PoolConfig {
        queue_per_client: 2,
        ..SMALL
    };
    let settings = Settings {
        request_deadline,
        ..settings()
    };
    let state = ready_with(stub, config, settings);
    let stream = call(&state, lines_request(10)).await;
    stub.permit(2);
    let request = state.engines.begin().unwrap();
    wait_until("two are made", async || request.pool.load().streamed == 0).await;
    (state, stream, request)
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_cannot_queue_its_next_job_ends_with_a_problem() {
    let stub = stub(Behaviour::Permitted);
    let deadline = Duration::from_secs(3);
    let (state, stream, request) = stream_with_two_made(&stub, deadline).await;
    let held = options(&state);
    let others = request.pool.scrambles(2, &held);
    let began = tokio::time::Instant::now();
    let text = text(stream).await;
    assert_eq!(began.elapsed().as_secs(), deadline.as_secs());
    assert_eq!(text.lines().count(), 3);
    let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!(last["type"], "urn:scramble444:problem:too-many-requests");
    held.limits.cancel.cancel();
    stub.permit(2);
    drop(others);
}

#[tokio::test]
async fn a_stream_older_than_the_deadline_of_a_request_still_waits_for_its_next_place() {
    let stub = stub(Behaviour::Permitted);
    let deadline = Duration::from_secs(2);
    let (state, stream, request) = stream_with_two_made(&stub, deadline).await;
    tokio::time::sleep(deadline).await;
    // They take the places of the client.
    let others = request.pool.scrambles(2, &options(&state));
    let lines = tokio::spawn(text(stream));
    tokio::time::sleep(Duration::from_millis(100)).await;
    stub.permit(10);
    let lines = lines.await.unwrap();
    assert!(!lines.contains("problem"), "{lines}");
    assert_eq!(lines.lines().count(), 10);
    drop(others);
}

/// Whether a document can be made by the deadline is decided once, before its first scramble.
#[tokio::test]
async fn a_document_is_continued_although_others_take_longer_than_its_deadline() {
    let stub = stub(Behaviour::Permitted);
    let config = PoolConfig {
        queue: 10_000,
        ..SMALL
    };
    let mut state = ready_with(&stub, config, settings());
    let request = state.engines.begin().unwrap();
    let load = || request.pool.load();
    let options = options(&state);
    let scramble = || {
        let scramble = request.pool.scrambles(1, &options);
        scramble.unwrap()
    };
    // Its time is the estimate of those of all others.
    let first = scramble();
    wait_until_running(&stub, 1).await;
    tokio::time::sleep(Duration::from_millis(20)).await;
    stub.permit(1);
    wait_until("one is made", async || load().jobs == 0).await;
    let time = request.pool.min_time(1, &options);
    state.settings = Arc::new(Settings {
        request_deadline: 1_000 * time,
        ..settings()
    });
    let document = tokio::spawn({
        let state = state.clone();
        async move { send(&state, "GET", "/print?sets=2").await.status() }
    });
    wait_until("two are queued", async || load().streamed == 2).await;
    wait_until_running(&stub, 1).await;
    let others: Vec<_> = std::iter::repeat_with(scramble).take(2_000).collect();
    problem(&state, "GET", "/print?sets=2", 503, "overloaded").await;
    stub.permit(1);
    wait_until("one is made, and the next begun", async || {
        stub.calls.load(Ordering::Relaxed) == 3
    })
    .await;
    wait_until("another is queued", async || load().streamed == 2).await;
    document.abort();
    options.limits.cancel.cancel();
    stub.permit(2_000);
    drop((first, others));
}

#[tokio::test]
async fn a_stream_that_waits_for_room_ends_when_requests_are_aborted() {
    let stub = stub(Behaviour::Permitted);
    let deadline = settings().request_deadline;
    let (state, stream, request) = stream_with_two_made(&stub, deadline).await;
    let held = options(&state);
    let others = request.pool.scrambles(2, &held);
    let reading = tokio::spawn(text(stream));
    // The lines that exist are read, and then there is no room.
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(!reading.is_finished());
    let began = Instant::now();
    state.engines.abort_requests();
    let text = reading.await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(5));
    let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!(last["type"], "urn:scramble444:problem:draining");
    held.limits.cancel.cancel();
    stub.permit(2);
    drop(others);
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
        let config = PoolConfig {
            queue_per_client: 1,
            ..SMALL
        };
        let tokens = format!("a {named}\na {second}\n{unnamed}\n{other}");
        let settings = Settings {
            tokens: required(Tokens::new(&tokens).unwrap()),
            ..settings()
        };
        let state = ready_with(&stub, config, settings);
        let request = |(token, address): (&str, &str)| {
            let address: std::net::SocketAddr = address.parse().unwrap();
            let request = Request::get("/v1/scrambles")
                .header("authorization", format!("Bearer {token}"))
                .extension(axum::extract::ConnectInfo(address));
            let request = request.body(Body::empty()).unwrap();
            let state = state.clone();
            tokio::spawn(async move { call(&state, request).await.status() })
        };
        let active = state.engines.begin().unwrap();
        let jobs = || active.pool.load().jobs;
        let waiting = request(first);
        wait_until("the first is queued", async || jobs() == 1).await;
        let second = request(then);
        let is_decided = async || jobs() == 2 || second.is_finished();
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
async fn a_client_that_has_filled_the_queue_is_told_that_it_has_too_much() {
    let stub = stub(Behaviour::Endless);
    let config = PoolConfig {
        queue: 3,
        queue_per_client: 3,
        ..SMALL
    };
    let state = ready_with(&stub, config, settings());
    let request = state.engines.begin().unwrap();
    let held = options(&state);
    let busy = request.pool.scrambles(3, &held);
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
    held.limits.cancel.cancel();
    drop(busy);
}

#[tokio::test]
async fn refusals_because_of_the_state_of_the_service_are_counted_by_their_reason() {
    let state = starting_with(&["stub", "broken", "slow"], SMALL, settings());
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
    let two = PoolConfig {
        workers: 2,
        ..SMALL
    };
    let state = ready_with(&old, two, settings());
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
    let config = PoolConfig {
        queue_per_client: 1,
        ..SMALL
    };
    let stub = stub(Behaviour::Permitted);
    let state = ready_with(&stub, config, settings());
    let mut whole = call(&state, lines_request(10)).await.into_body();
    stub.permit(10);
    for _ in 0..10 {
        assert_eq!(next_line(&mut whole).await["moves"], 2);
    }
    assert!(whole.frame().await.is_none());
    assert_eq!(streams(&state).await, ["{end=\"whole\"} 1"]);
    // Nothing else is queued after a line, and a stream without its last line is cut.
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
    let request = state.engines.begin().unwrap();
    wait_until("both are made", async || request.pool.load().jobs == 0).await;
    tokio::time::advance(Duration::from_secs(3_600)).await;
    for _ in 0..2 {
        assert_eq!(next_line(&mut stream).await["moves"], 2);
    }
    assert!(stream.frame().await.is_none());
}

#[tokio::test]
async fn a_service_that_stops_completes_its_streams_and_documents_and_then_ends_its_pool() {
    let stub = stub(Behaviour::Permitted);
    let config = PoolConfig { buffer: 1, ..SMALL };
    let state = ready_with(&stub, config, settings());
    stub.permit(1);
    let request = state.engines.begin().unwrap();
    wait_until("the buffer is full", async || {
        request.pool.load().ready == 1
    })
    .await;
    drop(request);
    let lines = call(&state, lines_request(10)).await.into_body();
    let document = tokio::spawn({
        let state = state.clone();
        async move { send(&state, "GET", "/print?sets=2").await.status() }
    });
    let request = state.engines.begin().unwrap();
    wait_until("both are queued", async || {
        request.pool.load().streamed == 4
    })
    .await;
    drop(request);
    state.engines.drain();
    problem(&state, "GET", "/v1/scrambles", 503, "draining").await;
    let mut idle = Box::pin(state.engines.idle());
    stub.permit(24);
    assert_eq!(document.await.unwrap(), StatusCode::OK);
    assert!((&mut idle).now_or_never().is_none(), "the stream is unread");
    let lines = lines.collect().await.unwrap().to_bytes();
    assert_eq!(lines.split(|&byte| byte == b'\n').count(), 11);
    idle.await;
    // Only the list of methods and this test have the engine.
    wait_until("the workers have ended", async || {
        Arc::strong_count(&stub) == 2
    })
    .await;
}
