//! The text formats of metrics.

use std::collections::HashSet;

use axum::http::HeaderMap;
use prometheus_client::encoding::text;
use prometheus_client::registry::Registry;

use crate::http::accept::Accept;

/// A text format of metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The text format of Prometheus, the default.
    Classic,
    /// OpenMetrics, for clients that prefer it.
    OpenMetrics,
}

impl Format {
    /// The format that a client prefers by its `Accept` header, the classic one if it prefers neither.
    pub(crate) fn preferred(headers: &HeaderMap) -> Format {
        let accept = Accept::new(headers);
        let quality = |format: Format| accept.quality(format.media_type());
        if quality(Format::OpenMetrics) > quality(Format::Classic) {
            Format::OpenMetrics
        } else {
            Format::Classic
        }
    }

    /// The media type.
    pub(crate) fn media_type(self) -> &'static str {
        match self {
            Format::Classic => "text/plain; version=0.0.4; charset=utf-8",
            Format::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
        }
    }

    /// Writes the metrics of a registry.
    pub(super) fn write(self, registry: &Registry) -> String {
        let mut page = String::new();
        text::encode(&mut page, registry).expect("writing to a string does not fail");
        match self {
            Format::Classic => classic(&page),
            Format::OpenMetrics => page,
        }
    }
}

/// Converts OpenMetrics to the classic format, which has neither units nor an end mark, and in whose
/// descriptions the names of counters end in `_total` like those of their samples.
fn classic(open_metrics: &str) -> String {
    let types = open_metrics
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE "));
    let counters: HashSet<&str> = types
        .filter_map(|line| line.strip_suffix(" counter"))
        .collect();
    let mut page = String::with_capacity(open_metrics.len());
    for line in open_metrics.lines() {
        if line == "# EOF" || line.starts_with("# UNIT ") {
            continue;
        }
        let counter = ["# HELP ", "# TYPE "].into_iter().find_map(|word| {
            let (name, rest) = line.strip_prefix(word)?.split_once(' ')?;
            counters.contains(name).then_some((word, name, rest))
        });
        match counter {
            Some((word, name, rest)) => page.extend([word, name, "_total ", rest, "\n"]),
            None => page.extend([line, "\n"]),
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use axum::http::header;
    use prometheus_client::metrics::counter::Counter;
    use prometheus_client::metrics::gauge::Gauge;
    use prometheus_client::metrics::histogram::Histogram;
    use prometheus_client::registry::Unit;

    use super::*;

    #[test]
    fn the_classic_format_names_counters_like_their_samples() {
        let mut registry = Registry::with_prefix("test");
        let counter = Counter::<u64>::default();
        counter.inc();
        registry.register("requests", "Requests", counter);
        registry.register("jobs", "Jobs", Gauge::<i64>::default());
        let histogram = Histogram::new([0.5]);
        histogram.observe(0.25);
        registry.register_with_unit("time", "Time", Unit::Seconds, histogram);
        let expected = "# HELP test_requests_total Requests.\n\
                        # TYPE test_requests_total counter\n\
                        test_requests_total 1\n\
                        # HELP test_jobs Jobs.\n\
                        # TYPE test_jobs gauge\n\
                        test_jobs 0\n\
                        # HELP test_time_seconds Time.\n\
                        # TYPE test_time_seconds histogram\n\
                        test_time_seconds_sum 0.25\n\
                        test_time_seconds_count 1\n\
                        test_time_seconds_bucket{le=\"0.5\"} 1\n\
                        test_time_seconds_bucket{le=\"+Inf\"} 1\n";
        assert_eq!(Format::Classic.write(&registry), expected);
        let open_metrics = Format::OpenMetrics.write(&registry);
        assert!(
            open_metrics.contains("# TYPE test_requests counter\n"),
            "{open_metrics}"
        );
        assert!(open_metrics.ends_with("# EOF\n"), "{open_metrics}");
    }

    #[test]
    fn clients_that_prefer_open_metrics_get_it() {
        let prometheus = "application/openmetrics-text;version=1.0.0;q=0.5,\
                          application/openmetrics-text;version=0.0.1;q=0.4,\
                          text/plain;version=0.0.4;q=0.3,*/*;q=0.2";
        for (accept, expected) in [
            ("*/*", Format::Classic),
            ("text/plain;version=0.0.4", Format::Classic),
            ("text/html, */*;q=0.8", Format::Classic),
            ("application/json", Format::Classic),
            ("application/openmetrics-text", Format::OpenMetrics),
            (prometheus, Format::OpenMetrics),
        ] {
            let mut headers = HeaderMap::new();
            assert_eq!(Format::preferred(&headers), Format::Classic);
            headers.insert(header::ACCEPT, accept.parse().unwrap());
            assert_eq!(Format::preferred(&headers), expected, "{accept}");
        }
    }
}
