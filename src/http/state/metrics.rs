//! Metrics for Prometheus.

use std::time::{Duration, Instant};

use axum::http::{Method, StatusCode};
use prometheus::core::Collector;
use prometheus::{
    HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, IntGaugeVec, Opts, Registry,
    TextEncoder,
};

use super::ConnectionLimit;
use super::engines::{Engines, Unavailable};
use crate::pool::{Load, Observer, ScrambleStats};

/// All metrics. Labels name routes, not paths: a path could be anything, or secret.
pub struct Metrics {
    registry: Registry,
    requests: IntCounterVec,
    durations: HistogramVec,
    rejections: IntCounterVec,
    authorized: IntCounterVec,
    solving: HistogramVec,
    moves: HistogramVec,
    hurried: IntCounterVec,
    panics: IntCounter,
    cancelled: IntCounter,
    jobs: IntGauge,
    capacity: IntGauge,
    streamed: IntGauge,
    streams: HistogramVec,
    connections: IntGauge,
    max_connections: IntGauge,
    buffered: IntGauge,
    buffer: IntGauge,
    build: IntGaugeVec,
    ready: IntGauge,
}

/// The label `tables` while the service is starting.
const NO_TABLES: &str = "none";

/// Bounds of buckets in seconds.
const SECONDS: [f64; 15] = [
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0,
];

/// Bounds of buckets in seconds for streams, which may take hours.
const STREAM_SECONDS: [f64; 10] = [0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0, 7200.0];

/// Bounds of buckets in moves. Scrambles of any method and effort level are rarely outside this range.
const MOVES: std::ops::RangeInclusive<u8> = 36..=60;

/// Proof that a metric can be made and registered: its name and labels are constants.
const VALID: &str = "tests make all metrics";

/// The labels of metrics of scrambles.
const SCRAMBLE: [&str; 2] = ["method", "effort"];

impl Default for Metrics {
    fn default() -> Metrics {
        let registry = Registry::new();
        // There are such metrics only on Linux.
        #[cfg(target_os = "linux")]
        {
            use prometheus::process_collector::ProcessCollector;
            let process = Box::new(ProcessCollector::for_self());
            registry.register(process).expect(VALID);
        }
        let options = |name: &str, help: &str| Opts::new(format!("scramble444_{name}"), help);
        let gauge = |name: &str, help: &str| {
            let gauge = IntGauge::with_opts(options(name, help));
            registered(&registry, gauge)
        };
        let counter = |name: &str, help: &str| {
            let counter = IntCounter::with_opts(options(name, help));
            registered(&registry, counter)
        };
        let counters = |name: &str, labels: &[&str], help: &str| {
            registered(&registry, IntCounterVec::new(options(name, help), labels))
        };
        let histograms = |name: &str, labels: &[&str], buckets: &[f64], help: &str| {
            let options = HistogramOpts::from(options(name, help)).buckets(buckets.to_vec());
            registered(&registry, HistogramVec::new(options, labels))
        };
        Metrics {
            requests: counters(
                "http_requests_total",
                &["method", "route", "status"],
                "HTTP responses",
            ),
            durations: histograms(
                "http_request_duration_seconds",
                &["route"],
                &SECONDS,
                "Time from the head of a request to the head of its response",
            ),
            rejections: counters(
                "rejections_total",
                &["reason"],
                "Requests that failed because the service was starting, draining, overloaded or too slow",
            ),
            authorized: counters(
                "authorized_requests_total",
                &["token"],
                "Requests with a valid token, by the name of the token",
            ),
            solving: histograms(
                "solve_duration_seconds",
                &SCRAMBLE,
                &SECONDS,
                "Time in which a worker makes a scramble",
            ),
            moves: histograms(
                "scramble_moves",
                &SCRAMBLE,
                &MOVES.map(f64::from).collect::<Vec<f64>>(),
                "Length of a scramble in outer block turns",
            ),
            hurried: counters(
                "hurried_scrambles_total",
                &SCRAMBLE,
                "Scrambles whose search the deadline cut short",
            ),
            panics: counter("worker_panics_total", "Panics of workers"),
            cancelled: counter(
                "cancelled_jobs_total",
                "Jobs cancelled because their client has gone",
            ),
            jobs: gauge(
                "queue_jobs",
                "Jobs waiting or running, without those of streams",
            ),
            capacity: gauge("queue_capacity", "Maximum of queue_jobs"),
            streamed: gauge("queue_streamed_jobs", "Jobs of streams, waiting or running"),
            streams: histograms(
                "stream_duration_seconds",
                &["end"],
                &STREAM_SECONDS,
                "Time in which a streamed response is sent, whole or cut off",
            ),
            connections: gauge("connections", "Open connections"),
            max_connections: gauge("connections_capacity", "Maximum number of open connections"),
            buffered: gauge("buffer_scrambles", "Scrambles in the buffer"),
            buffer: gauge("buffer_capacity", "Size of the buffer in scrambles"),
            build: {
                let options = options(
                    "build_info",
                    "Version of the program and profile of the tables",
                );
                registered(&registry, IntGaugeVec::new(options, &["version", "tables"]))
            },
            ready: gauge("ready", "1 if the service is ready, otherwise 0"),
            registry,
        }
    }
}

/// Registers a metric.
fn registered<C: Collector + Clone + 'static>(
    registry: &Registry,
    metric: prometheus::Result<C>,
) -> C {
    let metric = metric.expect(VALID);
    registry.register(Box::new(metric.clone())).expect(VALID);
    metric
}

impl Metrics {
    /// Starts the counter of a route's internal errors at 0. If the series began with the first error,
    /// rates would not show it.
    pub(crate) fn init_error_counter(&self, method: &Method, route: &str) {
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        let labels = [method_label(method), route, status.as_str()];
        self.requests.with_label_values(&labels);
    }

    /// Records a response.
    pub(crate) fn responded(
        &self,
        method: &Method,
        route: &str,
        status: StatusCode,
        duration: Duration,
    ) {
        let labels = [method_label(method), route, status.as_str()];
        self.requests.with_label_values(&labels).inc();
        let durations = self.durations.with_label_values(&[route]);
        durations.observe(duration.as_secs_f64());
    }

    /// Counts a request with a valid token, by the token's name, which is empty if it has none.
    pub(crate) fn authorized(&self, token: &str) {
        self.authorized.with_label_values(&[token]).inc();
    }

    /// Counts a request that failed because of the service's state.
    pub(crate) fn rejected(&self, reason: &'static str) {
        self.rejections.with_label_values(&[reason]).inc();
    }

    /// Starts timing a streamed response.
    pub(crate) fn time_stream(&self) -> StreamTimer {
        StreamTimer {
            durations: self.streams.clone(),
            began: Instant::now(),
            is_whole: false,
        }
    }

    /// All metrics in the text format of Prometheus.
    #[must_use]
    pub fn render(&self, engines: &Engines, connections: &ConnectionLimit) -> String {
        self.connections.set(connections.open() as i64);
        self.max_connections.set(connections.limit() as i64);
        let load = engines
            .begin()
            .map_or_else(|_| Load::default(), |it| it.pool().load());
        self.jobs.set(load.jobs as i64);
        self.capacity.set(load.capacity as i64);
        self.streamed.set(load.streamed as i64);
        self.buffered.set(load.ready as i64);
        self.buffer.set(load.buffer as i64);
        let engine = engines.get_now(None);
        self.ready.set(i64::from(engine.is_ok()));
        let tables = match &engine {
            Ok(engine) => Some(engine.tables()),
            // The last value stays.
            Err(Unavailable::Draining) => None,
            Err(_) => Some(NO_TABLES),
        };
        if let Some(tables) = tables {
            self.build.reset();
            let labels = [env!("CARGO_PKG_VERSION"), tables];
            self.build.with_label_values(&labels).set(1);
        }
        let page = TextEncoder::new().encode_to_string(&self.registry.gather());
        page.expect("all metrics are text")
    }
}

/// Records the duration of a streamed response when it is dropped.
pub(crate) struct StreamTimer {
    durations: HistogramVec,
    began: Instant,
    /// Whether the response is complete, not cut off.
    pub(crate) is_whole: bool,
}

impl Drop for StreamTimer {
    fn drop(&mut self) {
        let end = if self.is_whole { "whole" } else { "cut" };
        let durations = self.durations.with_label_values(&[end]);
        durations.observe(self.began.elapsed().as_secs_f64());
    }
}

impl Observer for Metrics {
    fn scramble_made(&self, stats: ScrambleStats) {
        let labels = [stats.method, &stats.effort.to_string()];
        let seconds = self.solving.with_label_values(&labels);
        seconds.observe(stats.took.as_secs_f64());
        let moves = self.moves.with_label_values(&labels);
        moves.observe(stats.moves as f64);
        let hurried = self.hurried.with_label_values(&labels);
        hurried.inc_by(u64::from(stats.hurried));
    }

    fn job_panicked(&self) {
        self.panics.inc();
    }

    fn job_cancelled(&self) {
        self.cancelled.inc();
    }
}

/// A label for an HTTP method. Methods other than the usual ones share a label, since clients may send
/// any.
pub(crate) fn method_label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}
