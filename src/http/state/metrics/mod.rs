//! Measurements for Prometheus.

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

use super::connection_limit::Connections;
use super::readiness::{NotReady, Readiness};
use crate::pool::{Making, Observe};

pub use format::Format;

/// What is told apart of requests. Routes, not paths: a path could be anything, or secret.
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

/// A token's name; empty for one without.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct TokenLabels {
    token: String,
}

/// How scrambles are made.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct MakingLabels {
    method: &'static str,
    effort: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct BuildLabels {
    version: &'static str,
    tables: &'static str,
}

/// How the answer of a stream ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StreamLabels {
    end: &'static str,
}

type Histograms<L> = Family<L, Histogram, fn() -> Histogram>;

/// All measurements.
pub struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    durations: Histograms<RouteLabels>,
    rejections: Family<ReasonLabels, Counter>,
    authorized: Family<TokenLabels, Counter>,
    solving: Histograms<MakingLabels>,
    moves: Histograms<MakingLabels>,
    hurried: Family<MakingLabels, Counter>,
    panics: Counter,
    cancelled: Counter,
    jobs: Gauge,
    capacity: Gauge,
    streamed: Gauge,
    streams: Histograms<StreamLabels>,
    connections: Gauge,
    most_connections: Gauge,
    buffered: Gauge,
    buffer: Gauge,
    build: Family<BuildLabels, Gauge>,
    ready: Gauge,
}

/// The tables of a service that is starting.
const NO_TABLES: &str = "none";

/// Bounds of buckets, in seconds, from a millisecond to a minute.
const SECONDS: [f64; 15] = [
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0,
];

/// Bounds of buckets for streams, in seconds, up to two hours.
const STREAM_SECONDS: [f64; 10] = [0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0, 7200.0];

/// Bounds of buckets, in turns: from what the greatest effort seldom brings to what the least seldom
/// needs, by any method.
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
            most_connections: Gauge::default(),
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
        registry.register("http_requests", "Requests answered", self.requests.clone());
        registry.register_with_unit(
            "http_request_duration",
            "From a request's head to its answer's head",
            Unit::Seconds,
            self.durations.clone(),
        );
        registry.register(
            "rejections",
            "Requests refused because the service was overloaded, starting or draining, or too slow",
            self.rejections.clone(),
        );
        registry.register(
            "authorized_requests",
            "Requests let in by a token, by its name",
            self.authorized.clone(),
        );
        registry.register_with_unit(
            "solve_duration",
            "Making one scramble, on a worker",
            Unit::Seconds,
            self.solving.clone(),
        );
        registry.register(
            "scramble_moves",
            "Turns of a scramble, in outer block turns",
            self.moves.clone(),
        );
        registry.register(
            "hurried_scrambles",
            "Scrambles that the deadline cut short",
            self.hurried.clone(),
        );
        registry.register("worker_panics", "Panics of workers", self.panics.clone());
        registry.register(
            "cancelled_jobs",
            "Jobs given up because nobody waited for them any more",
            self.cancelled.clone(),
        );
        registry.register(
            "queue_jobs",
            "Jobs waiting or being done, those of streams aside",
            self.jobs.clone(),
        );
        registry.register(
            "queue_capacity",
            "The most jobs that may be waiting or being done, those of streams aside",
            self.capacity.clone(),
        );
        registry.register(
            "queue_streamed_jobs",
            "Jobs of streams waiting or being done",
            self.streamed.clone(),
        );
        registry.register_with_unit(
            "stream_duration",
            "From the begin of an answer that is sent piece by piece to its end, whole or cut off",
            Unit::Seconds,
            self.streams.clone(),
        );
        registry.register("connections", "Open connections", self.connections.clone());
        registry.register(
            "connections_capacity",
            "The most connections that may be open",
            self.most_connections.clone(),
        );
        registry.register(
            "buffer_scrambles",
            "Scrambles that are ready",
            self.buffered.clone(),
        );
        registry.register(
            "buffer_capacity",
            "The most scrambles that are kept ready",
            self.buffer.clone(),
        );
        registry.register("build_info", "Version and tables", self.build.clone());
        registry.register(
            "ready",
            "Whether scrambles can be had: 1 or 0",
            self.ready.clone(),
        );
    }

    /// Counts failures of a route from 0: the first one would go unnoticed if its series began with
    /// it.
    pub(crate) fn expect_no_failures(&self, method: &Method, route: &str) {
        let labels = RequestLabels {
            method: method_label(method),
            route: route.to_owned(),
            status: StatusCode::INTERNAL_SERVER_ERROR.as_u16(),
        };
        self.requests.get_or_create(&labels).inc_by(0);
    }

    /// A request has been answered.
    pub(crate) fn answered(
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

    /// A request has been let in by a token of a name.
    pub(crate) fn authorized(&self, token: String) {
        let labels = TokenLabels { token };
        self.authorized.get_or_create(&labels).inc();
    }

    /// A request has been refused.
    pub(crate) fn refused(&self, reason: &'static str) {
        self.rejections
            .get_or_create(&ReasonLabels { reason })
            .inc();
    }

    /// The answer of a stream begins.
    pub(crate) fn stream_begins(&self) -> StreamTimer {
        StreamTimer {
            durations: self.streams.clone(),
            began: Instant::now(),
            is_whole: false,
        }
    }

    /// All measurements as text.
    #[must_use]
    pub fn render(
        &self,
        readiness: &Readiness,
        connections: &Connections,
        format: Format,
    ) -> String {
        self.connections.set(connections.open() as i64);
        self.most_connections.set(connections.most() as i64);
        let working = readiness.working();
        let load = working.as_ref().ok().map(|working| working.pool().load());
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
        match working {
            Ok(working) => {
                let tables = working.pool().tables();
                self.build.get_or_create(&labels(tables)).set(1);
                self.build.remove(&labels(NO_TABLES));
            }
            Err(NotReady::Starting(_)) => {
                self.build.get_or_create(&labels(NO_TABLES)).set(1);
            }
            // It goes on with what it had.
            Err(NotReady::Draining) => {}
        }
        format.write(&self.registry)
    }
}

/// Measures a stream until it is dropped.
pub(crate) struct StreamTimer {
    durations: Histograms<StreamLabels>,
    began: Instant,
    is_whole: bool,
}

impl StreamTimer {
    /// All that the stream is to bring has been brought.
    pub(crate) fn is_whole(&mut self) {
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

impl Observe for Metrics {
    fn made(&self, making: Making) {
        let labels = MakingLabels {
            method: making.method,
            effort: making.effort.get(),
        };
        let seconds = self.solving.get_or_create(&labels);
        seconds.observe(making.took.as_secs_f64());
        self.moves
            .get_or_create(&labels)
            .observe(making.moves as f64);
        let hurried = self.hurried.get_or_create(&labels);
        hurried.inc_by(u64::from(making.hurried));
    }

    fn panicked(&self) {
        self.panics.inc();
    }

    fn cancelled(&self) {
        self.cancelled.inc();
    }
}

/// The method, if it is a usual one: a client could send anything.
pub(crate) fn method_label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}
