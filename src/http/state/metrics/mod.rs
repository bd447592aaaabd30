//! Metrics for Prometheus.

mod format;
#[cfg(target_os = "linux")]
mod process;

use std::time::{Duration, Instant};

use axum::http::{Method, StatusCode};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

use super::connection_limit::ConnectionLimit;
use super::readiness::{NotReady, Readiness};
use crate::pool::{Observer, ScrambleStats};

pub use format::Format;

/// Routes, not paths: a path could be anything, or secret.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    method: &'static str,
    route: String,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteLabels {
    route: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ReasonLabels {
    reason: &'static str,
}

/// The name of a token, or nothing if it has none.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct TokenLabels {
    token: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ScrambleLabels {
    method: &'static str,
    effort: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct BuildLabels {
    version: &'static str,
    tables: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StreamLabels {
    /// `whole` or `cut`.
    end: &'static str,
}

type Histograms<L> = Family<L, Histogram, fn() -> Histogram>;

/// All metrics.
pub struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    durations: Histograms<RouteLabels>,
    rejections: Family<ReasonLabels, Counter>,
    authorized: Family<TokenLabels, Counter>,
    solving: Histograms<ScrambleLabels>,
    moves: Histograms<ScrambleLabels>,
    hurried: Family<ScrambleLabels, Counter>,
    panics: Counter,
    cancelled: Counter,
    jobs: Gauge,
    capacity: Gauge,
    streamed: Gauge,
    streams: Histograms<StreamLabels>,
    connections: Gauge,
    max_connections: Gauge,
    buffered: Gauge,
    buffer: Gauge,
    build: Family<BuildLabels, Gauge>,
    ready: Gauge,
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

impl Default for Metrics {
    fn default() -> Metrics {
        let seconds: fn() -> Histogram = || Histogram::new(SECONDS);
        let moves: fn() -> Histogram = || Histogram::new(MOVES.map(f64::from));
        let stream_seconds: fn() -> Histogram = || Histogram::new(STREAM_SECONDS);
        let mut metrics = Metrics {
            registry: Registry::default(),
            requests: Family::default(),
            durations: Family::new_with_constructor(seconds),
            rejections: Family::default(),
            authorized: Family::default(),
            solving: Family::new_with_constructor(seconds),
            moves: Family::new_with_constructor(moves),
            hurried: Family::default(),
            panics: Counter::default(),
            cancelled: Counter::default(),
            jobs: Gauge::default(),
            capacity: Gauge::default(),
            streamed: Gauge::default(),
            streams: Family::new_with_constructor(stream_seconds),
            connections: Gauge::default(),
            max_connections: Gauge::default(),
            buffered: Gauge::default(),
            buffer: Gauge::default(),
            build: Family::default(),
            ready: Gauge::default(),
        };
        metrics.register();
        metrics
    }
}

impl Metrics {
    fn register(&mut self) {
        #[cfg(target_os = "linux")]
        self.registry
            .register_collector(Box::new(process::ProcessCollector));
        let registry = self.registry.sub_registry_with_prefix("scramble444");
        registry.register("http_requests", "HTTP responses", self.requests.clone());
        registry.register_with_unit(
            "http_request_duration",
            "Time from the head of a request to the head of its response",
            Unit::Seconds,
            self.durations.clone(),
        );
        registry.register(
            "rejections",
            "Requests that failed because the service was starting, draining, overloaded or too slow",
            self.rejections.clone(),
        );
        registry.register(
            "authorized_requests",
            "Requests with a valid token, by the name of the token",
            self.authorized.clone(),
        );
        registry.register_with_unit(
            "solve_duration",
            "Time in which a worker makes a scramble",
            Unit::Seconds,
            self.solving.clone(),
        );
        registry.register(
            "scramble_moves",
            "Length of a scramble in outer block turns",
            self.moves.clone(),
        );
        registry.register(
            "hurried_scrambles",
            "Scrambles whose search the deadline cut short",
            self.hurried.clone(),
        );
        registry.register("worker_panics", "Panics of workers", self.panics.clone());
        registry.register(
            "cancelled_jobs",
            "Jobs cancelled because their client has gone",
            self.cancelled.clone(),
        );
        registry.register(
            "queue_jobs",
            "Jobs waiting or running, without those of streams",
            self.jobs.clone(),
        );
        registry.register(
            "queue_capacity",
            "Maximum of queue_jobs",
            self.capacity.clone(),
        );
        registry.register(
            "queue_streamed_jobs",
            "Jobs of streams, waiting or running",
            self.streamed.clone(),
        );
        registry.register_with_unit(
            "stream_duration",
            "Time in which a streamed response is sent, whole or cut off",
            Unit::Seconds,
            self.streams.clone(),
        );
        registry.register("connections", "Open connections", self.connections.clone());
        registry.register(
            "connections_capacity",
            "Maximum number of open connections",
            self.max_connections.clone(),
        );
        registry.register(
            "buffer_scrambles",
            "Scrambles in the buffer",
            self.buffered.clone(),
        );
        registry.register(
            "buffer_capacity",
            "Size of the buffer in scrambles",
            self.buffer.clone(),
        );
        registry.register(
            "build_info",
            "Version of the program and profile of the tables",
            self.build.clone(),
        );
        registry.register(
            "ready",
            "1 if the service is ready, otherwise 0",
            self.ready.clone(),
        );
    }

    /// Starts the counter of a route's internal errors at 0. If the series began with the first error,
    /// rates would not show it.
    pub(crate) fn init_error_counter(&self, method: &Method, route: &str) {
        let labels = RequestLabels {
            method: method_label(method),
            route: route.to_owned(),
            status: StatusCode::INTERNAL_SERVER_ERROR.as_u16(),
        };
        self.requests.get_or_create(&labels).inc_by(0);
    }

    /// Records a response.
    pub(crate) fn responded(
        &self,
        method: &Method,
        route: &str,
        status: StatusCode,
        duration: Duration,
    ) {
        let requests = RequestLabels {
            method: method_label(method),
            route: route.to_owned(),
            status: status.as_u16(),
        };
        self.requests.get_or_create(&requests).inc();
        let durations = RouteLabels {
            route: route.to_owned(),
        };
        let durations = self.durations.get_or_create(&durations);
        durations.observe(duration.as_secs_f64());
    }

    /// Counts a request with a valid token, by the token's name.
    pub(crate) fn authorized(&self, token: String) {
        let labels = TokenLabels { token };
        self.authorized.get_or_create(&labels).inc();
    }

    /// Counts a request that failed because of the service's state.
    pub(crate) fn rejected(&self, reason: &'static str) {
        self.rejections
            .get_or_create(&ReasonLabels { reason })
            .inc();
    }

    /// Starts timing a streamed response.
    pub(crate) fn time_stream(&self) -> StreamTimer {
        StreamTimer {
            durations: self.streams.clone(),
            began: Instant::now(),
            is_whole: false,
        }
    }

    /// All metrics as text.
    #[must_use]
    pub fn render(
        &self,
        readiness: &Readiness,
        connections: &ConnectionLimit,
        format: Format,
    ) -> String {
        self.connections.set(connections.open() as i64);
        self.max_connections.set(connections.limit() as i64);
        let request = readiness.begin_request();
        let load = request.as_ref().ok().map(|request| request.pool().load());
        self.jobs.set(load.map_or(0, |load| load.jobs as i64));
        self.capacity
            .set(load.map_or(0, |load| load.capacity as i64));
        self.streamed
            .set(load.map_or(0, |load| load.streamed as i64));
        self.buffered.set(load.map_or(0, |load| load.ready as i64));
        self.buffer.set(load.map_or(0, |load| load.buffer as i64));
        self.ready.set(i64::from(load.is_some()));
        let labels = |tables| BuildLabels {
            version: env!("CARGO_PKG_VERSION"),
            tables,
        };
        let tables = match &request {
            Ok(request) => Some(request.pool().tables()),
            Err(NotReady::Starting(_)) => Some(NO_TABLES),
            // The last value stays.
            Err(NotReady::Draining) => None,
        };
        if let Some(tables) = tables {
            self.build.clear();
            self.build.get_or_create(&labels(tables)).set(1);
        }
        format.write(&self.registry)
    }
}

/// Records the duration of a streamed response when it is dropped.
pub(crate) struct StreamTimer {
    durations: Histograms<StreamLabels>,
    began: Instant,
    is_whole: bool,
}

impl StreamTimer {
    /// Records the response as complete, not cut off.
    pub(crate) fn complete(&mut self) {
        self.is_whole = true;
    }
}

impl Drop for StreamTimer {
    fn drop(&mut self) {
        let end = if self.is_whole { "whole" } else { "cut" };
        let durations = self.durations.get_or_create(&StreamLabels { end });
        durations.observe(self.began.elapsed().as_secs_f64());
    }
}

impl Observer for Metrics {
    fn scramble_made(&self, stats: ScrambleStats) {
        let labels = ScrambleLabels {
            method: stats.method,
            effort: stats.effort.get(),
        };
        let seconds = self.solving.get_or_create(&labels);
        seconds.observe(stats.took.as_secs_f64());
        self.moves
            .get_or_create(&labels)
            .observe(stats.moves as f64);
        let hurried = self.hurried.get_or_create(&labels);
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
