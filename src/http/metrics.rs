//! Metrics for Prometheus.

use std::time::{Duration, Instant};

use axum::http::Method;
use cube444::Effort;
use cube444::scramble::Scramble;
use prometheus::core::Collector;
use prometheus::{
    HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, IntGaugeVec, Opts, Registry,
    Result, TextEncoder,
};

/// All metrics. Labels name routes, not paths: a path could be anything, or secret.
pub(crate) struct Metrics {
    registry: Registry,
    #[cfg(target_os = "linux")]
    began: std::time::SystemTime,
    /// Responses, by HTTP method, route and status.
    pub(crate) requests: IntCounterVec,
    /// Times until the head of a response, by route.
    pub(crate) durations: HistogramVec,
    /// Requests that failed because of the service's state, by the reason.
    pub(crate) rejections: IntCounterVec,
    /// Requests with a valid token, by the token's name, which is empty if it has none.
    pub(crate) authorized: IntCounterVec,
    solving: HistogramVec,
    moves: HistogramVec,
    hurried: IntCounterVec,
    pub(crate) panics: IntCounter,
    pub(crate) cancelled: IntCounter,
    streams: HistogramVec,
}

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

/// A registry that puts the name of the program before those of its metrics.
fn registry() -> Registry {
    Registry::new_custom(Some("scramble444".to_owned()), None).expect(VALID)
}

impl Default for Metrics {
    fn default() -> Metrics {
        let registry = registry();
        let counter = |name, help| registered(&registry, IntCounter::new(name, help));
        let counters = |name: &str, labels: &[&str], help: &str| {
            registered(&registry, IntCounterVec::new(Opts::new(name, help), labels))
        };
        let histograms = |name: &str, labels: &[&str], buckets: &[f64], help: &str| {
            let options = HistogramOpts::new(name, help).buckets(buckets.to_vec());
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
            streams: histograms(
                "stream_duration_seconds",
                &["end"],
                &STREAM_SECONDS,
                "Time in which a streamed response is sent, whole or cut off",
            ),
            registry,
            #[cfg(target_os = "linux")]
            began: std::time::SystemTime::now(),
        }
    }
}

/// Registers a metric.
fn registered<C: Collector + Clone + 'static>(registry: &Registry, metric: Result<C>) -> C {
    let metric = metric.expect(VALID);
    registry.register(Box::new(metric.clone())).expect(VALID);
    metric
}

/// Registers a gauge with its value, if that is known.
fn gauge(registry: &Registry, name: &str, help: &str, value: Option<i64>) {
    if let Some(value) = value {
        registered(registry, IntGauge::new(name, help)).set(value);
    }
}

impl Metrics {
    /// Records a scramble that has been made with the method and the effort level of a request. It is secret.
    pub(crate) fn scramble_made(
        &self,
        method: &str,
        effort: Effort,
        scramble: &Scramble,
        took: Duration,
    ) {
        let labels = [method, &effort.to_string()];
        let seconds = self.solving.with_label_values(&labels);
        seconds.observe(took.as_secs_f64());
        let moves = self.moves.with_label_values(&labels);
        moves.observe(scramble.move_count() as f64);
        let hurried = self.hurried.with_label_values(&labels);
        hurried.inc_by(u64::from(scramble.hurried));
    }

    /// Records the end of a streamed response, which is complete or cut off.
    pub(crate) fn stream_ended(&self, began: Instant, is_whole: bool) {
        let end = if is_whole { "whole" } else { "cut" };
        let durations = self.streams.with_label_values(&[end]);
        durations.observe(began.elapsed().as_secs_f64());
    }

    /// All metrics in the text format of Prometheus. `gauges` are those that depend on the state: name, help and value.
    /// `methods` have tables if they are ready, and may serve with small ones because their own have failed.
    pub(crate) fn render(
        &self,
        gauges: &[(&str, &str, usize)],
        methods: impl Iterator<Item = (&'static str, Option<&'static str>, bool)>,
        tables: &str,
    ) -> String {
        let current = registry();
        for &(name, help, value) in gauges {
            gauge(&current, name, help, i64::try_from(value).ok());
        }
        let ready = Opts::new(
            "method_ready",
            "1 if a method is ready with these tables, 0 if it is not, or if its own have failed",
        );
        let ready = registered(&current, IntGaugeVec::new(ready, &["method", "tables"]));
        for (method, tables, has_failed) in methods {
            let ready = ready.with_label_values(&[method, tables.unwrap_or("none")]);
            ready.set((tables.is_some() && !has_failed).into());
        }
        let help = "Version of the program and profile of the tables";
        let build = Opts::new("build_info", help)
            .const_label("version", env!("CARGO_PKG_VERSION"))
            .const_label("tables", tables);
        registered(&current, IntGauge::with_opts(build)).set(1);
        let mut metrics = self.registry.gather();
        metrics.extend(current.gather());
        #[cfg(target_os = "linux")]
        metrics.extend(process_metrics(self.began).gather());
        let page = TextEncoder::new().encode_to_string(&metrics);
        page.expect("all metrics are text")
    }
}

/// The metrics of the process, whose names are the same in all programs. Those that cannot be read are left out.
#[cfg(target_os = "linux")]
fn process_metrics(began: std::time::SystemTime) -> Registry {
    use rustix::process::{Resource, getrlimit};
    use rustix::time::{ClockId, clock_gettime};

    let registry = Registry::new();
    let help = "Total user and system CPU time spent in seconds.";
    let cpu = registered(
        &registry,
        IntCounter::new("process_cpu_seconds_total", help),
    );
    cpu.inc_by(clock_gettime(ClockId::ProcessCPUTime).tv_sec as u64);
    let gauge = |name, help, value| gauge(&registry, name, help, value);
    let open = std::fs::read_dir("/proc/self/fd").map(Iterator::count);
    let open = open.ok().map(|count| count as i64);
    gauge("process_open_fds", "Number of open file descriptors.", open);
    let max = getrlimit(Resource::Nofile).current.map(|max| max as i64);
    let help = "Maximum number of open file descriptors.";
    gauge("process_max_fds", help, max);
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    // Of a line such as `VmRSS:     1748 kB`.
    let number = |name: &str| -> Option<i64> {
        let value = status.lines().find_map(|line| line.strip_prefix(name))?;
        value.split_whitespace().next()?.parse().ok()
    };
    let bytes = |name| number(name).map(|kilobytes| kilobytes * 1024);
    let [size, resident] = ["VmSize:", "VmRSS:"].map(bytes);
    let help = "Virtual memory size in bytes.";
    gauge("process_virtual_memory_bytes", help, size);
    let help = "Resident memory size in bytes.";
    gauge("process_resident_memory_bytes", help, resident);
    let since = began.duration_since(std::time::UNIX_EPOCH).ok();
    let since = since.map(|it| it.as_secs() as i64);
    let help = "Start time of the process since unix epoch in seconds.";
    gauge("process_start_time_seconds", help, since);
    let help = "Number of OS threads in the process.";
    gauge("process_threads", help, number("Threads:"));
    registry
}

/// A label for an HTTP method. Methods other than the usual ones share a label, since clients may send
/// any.
pub(crate) fn method_label(method: &Method) -> &'static str {
    let usual = ["GET", "HEAD", "POST", "OPTIONS"];
    let found = usual.into_iter().find(|usual| method == usual);
    found.unwrap_or("other")
}
