//! Metrics, and whether documents, alerts and the dashboard name them as they are.

use std::collections::HashSet;
use std::sync::atomic::Ordering;

use axum::http::header;
use scramble444::http::metrics_router;
use serde_json::Value;

use crate::requests::*;
use crate::service::*;

#[tokio::test]
async fn metrics_name_routes_but_no_paths_or_queries() {
    let state = ready(Behavior::Turns);
    for request in [
        "GET /v1/scrambles?count=3",
        "GET /v1/secret-path?count=3",
        "BREW /livez",
        "PUT /livez",
        "DELETE /livez",
        "OPTIONS /livez",
        "HEAD /livez",
        "POST /v1/verify",
        "GET /view/444.svg?scramble=secret",
        "GET /scramble/secret.txt?secret=444",
    ] {
        ask(&state, request).await;
    }
    // Clients may prefer another format.
    let accept = "application/openmetrics-text;version=1.0.0,*/*;q=0.1";
    let request = request("GET /metrics", &[("accept", accept)]);
    let response = call_router(metrics_router(state), request).await;
    let media = &response.headers()[header::CONTENT_TYPE];
    assert_eq!(media, "text/plain; version=0.0.4; charset=utf-8");
    let metrics = text(response).await;
    let lines = r##"
        http_requests_total{method="GET",route="/v1/scrambles",status="200"} 1
        http_requests_total{method="GET",route="-",status="404"} 1
        http_requests_total{method="other",route="/livez",status="405"} 3
        http_requests_total{method="OPTIONS",route="/livez",status="204"} 1
        http_requests_total{method="HEAD",route="/livez",status="200"} 1
        http_request_duration_seconds_count{route="/livez"} 5
        http_requests_total{method="POST",route="/v1/verify",status="200"} 1
        http_requests_total{method="GET",route="/view/{file}",status="422"} 1
        http_requests_total{method="GET",route="/scramble/{file}",status="200"} 1
        http_request_duration_seconds_count{route="/v1/scrambles"} 1
        solve_duration_seconds_count{effort="4",method="stub"} 4
        scramble_moves_count{effort="4",method="stub"} 4
        scramble_moves_sum{effort="4",method="stub"} 8
        hurried_scrambles_total{effort="4",method="stub"} 0
        http_requests_total{method="GET",route="/v1/scrambles",status="500"} 0
        buffer_capacity 0
        ready 1
        method_ready{method="stub",tables="stub"} 1
        # TYPE scramble444_worker_panics_total counter"##;
    for line in lines.trim().lines() {
        assert!(metrics.contains(line.trim()), "{line}\n{metrics}");
    }
    assert!(!metrics.contains("secret") && !metrics.contains("count=3"));
    // Dashboards have the bounds of the buckets.
    for (name, bounds) in [
        ("http_request_duration_seconds", ["0.001", "60"]),
        ("solve_duration_seconds", ["0.001", "60"]),
        ("scramble_moves", ["36", "60"]),
    ] {
        let lines = between(&metrics, &format!("scramble444_{name}_bucket{{"), "}");
        let all: Vec<&str> = lines
            .iter()
            .flat_map(|it| between(it, "le=\"", "\""))
            .collect();
        let series = all.split(|bound| *bound == "+Inf").next().unwrap();
        let ends = [series.first(), series.last()].map(|end| *end.unwrap());
        assert_eq!(ends, bounds, "{name}");
    }
}

/// A request that ends without a response has the status 499.
#[tokio::test]
async fn requests_whose_clients_leave_are_counted() {
    let state = ready(Behavior::Endless);
    let count = async || metric(&state, LEFT).await;
    const LEFT: &str = "http_requests_total{method=\"GET\",route=\"/v1/scrambles\",status=\"499\"}";
    for left in 1..=2 {
        let request = begin(&state, 1, "GET /v1/scrambles");
        wait_until("it runs", async || metric(&state, "queue_jobs").await == 1).await;
        request.abort();
        assert!(request.await.unwrap_err().is_cancelled());
        assert_eq!(count().await, left);
        wait_until("it ends", async || metric(&state, "queue_jobs").await == 0).await;
    }
}

#[tokio::test]
async fn there_is_one_build_info_in_every_state() {
    let state = starting(settings());
    let builds = async || {
        let metrics = metrics(&state).await;
        let infos = between(&metrics, "scramble444_build_info{tables=\"", "\n");
        assert!(infos.len() == 1 && infos[0].ends_with("} 1"), "{infos:?}");
        infos[0].split('"').next().unwrap().to_owned()
    };
    assert_eq!(builds().await, "none");
    let is_ready = "method_ready{method=\"stub\",tables=\"none\"}";
    assert_eq!(metric(&state, is_ready).await, 0);
    state.engines.ready(stub(Behavior::Turns));
    assert_eq!(builds().await, "stub");
    let is_ready = "method_ready{method=\"stub\",tables=\"stub\"}";
    assert_eq!(metric(&state, is_ready).await, 1);
    // Small tables serve, as its own cannot be used.
    state.engines.failed("stub");
    assert_eq!(metric(&state, is_ready).await, 0);
    let ready = body(ask(&state, "GET /readyz").await).await;
    assert_eq!(ready["methods"][0]["failed"], true);
    state.engines.drain();
    assert_eq!(builds().await, "stub");
}

#[tokio::test]
async fn refusals_because_of_the_state_of_the_service_are_counted_by_their_reason() {
    let state = starting_with(&["stub", "broken", "slow"], settings());
    let rejections = async || {
        let metrics = metrics(&state).await;
        let mut found = between(&metrics, "scramble444_rejections_total{reason=", "\n");
        found.retain(|series| !series.ends_with(" 0"));
        found.sort_unstable();
        found.join(", ")
    };
    let retry_after = async |request: &str| {
        let response = ask(&state, request).await;
        let seconds = response.headers()[header::RETRY_AFTER].to_str();
        seconds.unwrap().to_owned()
    };
    for request in ["GET /v1/scrambles", "GET /readyz"] {
        assert_eq!(retry_after(request).await, "1");
    }
    assert_eq!(rejections().await, "\"starting\"} 2");
    state.engines.ready(stub(Behavior::Failing));
    state.engines.failed("broken");
    assert_eq!(retry_after("GET /v1/scrambles?method=broken").await, "60");
    // Neither bad requests nor defects.
    let others = "GET /v1/scrambles?count=0 | 400 bad-parameter
        GET /v1/nothing | 404 not-found
        GET /v1/scrambles | 500 internal";
    assert_refused(&state, others).await;
    state.engines.drain();
    assert_eq!(retry_after("GET /readyz").await, "1");
    let expected = "\"draining\"} 1, \"method-failed\"} 1, \"starting\"} 2";
    assert_eq!(rejections().await, expected);
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
    let stub = stub(Behavior::Permitted);
    let mut buffering = settings();
    buffering.buffer = 2;
    let tokens = "contest 0123456789abcdef\n0123456789abcdee";
    let state = guarded(&stub, tokens, buffering);
    let wait_for = async |sample: &str| {
        let line = format!("\nscramble444_{sample}\n");
        wait_until(sample, async || metrics(&state).await.contains(&line)).await;
    };
    let with_token = |token: &str| {
        let token = format!("Bearer {token}");
        let headers = [
            ("authorization", &*token),
            ("accept", "application/x-ndjson"),
        ];
        call(&state, request("GET /v1/scrambles?count=10", &headers))
    };
    wait_for("buffer_scrambles 0").await;
    wait_for("buffer_capacity 2").await;
    stub.permit(2);
    wait_for("buffer_scrambles 2").await;
    wait_for("connections_capacity 100").await;
    wait_for("connections 0").await;
    // Lines do not come from the buffer.
    let cut = with_token("0123456789abcdef").await;
    wait_for("queue_streamed_jobs 2").await;
    wait_for("queue_jobs 0").await;
    let is_running = async || stub.running.load(Ordering::Relaxed) == 1;
    wait_until("the job runs", is_running).await;
    drop(cut);
    wait_for("queue_streamed_jobs 0").await;
    wait_for("cancelled_jobs_total 2").await;
    wait_for("stream_duration_seconds_count{end=\"cut\"} 1").await;
    stub.permit(10);
    let whole = with_token("0123456789abcdee").await;
    assert_eq!(text(whole).await.lines().count(), 10);
    wait_for("stream_duration_seconds_count{end=\"whole\"} 1").await;
    wait_for("authorized_requests_total{token=\"contest\"} 1").await;
    wait_for("authorized_requests_total{token=\"\"} 1").await;
    wait_for("ready 1").await;
    state.engines.drain();
    assert_eq!(with_token("0123456789abcdef").await.status(), 503);
    wait_for("ready 0").await;
    wait_for("buffer_scrambles 0").await;

    let metrics = metrics(&state).await;
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
    let list = |value: &Value| value.as_array().unwrap().clone();
    for variable in list(&dashboard["templating"]["list"]) {
        // label_values(QUERY, LABEL)
        let query = variable["query"]["query"].as_str().unwrap_or_default();
        assert_has_labels(&metrics, &query.replace(", ", ") by ("), "");
    }
    let panels = list(&dashboard["panels"]);
    let targets: Vec<Value> = panels
        .iter()
        .flat_map(|panel| list(&panel["targets"]))
        .collect();
    assert!(targets.len() > 20);
    for target in targets {
        let [query, legend] = ["expr", "legendFormat"].map(|name| target[name].as_str().unwrap());
        assert_has_labels(&metrics, query, legend);
    }
}

/// The texts in `text` between `start` and `end`.
pub(crate) fn between<'a>(text: &'a str, start: &str, end: &str) -> Vec<&'a str> {
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
    let groups = between(query, "by (", ")");
    let groups: Vec<&str> = groups.iter().flat_map(|list| list.split(", ")).collect();
    for name in metrics_in(query) {
        let of_name = |line: &&str| line.starts_with(name);
        let sample = metrics.lines().rfind(of_name).unwrap();
        // A bucket has more labels than the sum and the count after it.
        let mut lines = metrics.lines().filter(of_name);
        let bucket = lines.find(|line| line.contains("le=\""));
        let labels = bucket.unwrap_or(sample).replace('{', ",");
        let labels = labels
            .split(',')
            .filter_map(|label| Some(label.split_once("=\"")?.0));
        let labels: HashSet<&str> = labels.chain(shared.iter().copied()).collect();
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
