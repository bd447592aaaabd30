//! The text formats in which Prometheus and others read measurements.

use std::collections::HashSet;

use axum::http::HeaderMap;
use prometheus_client::encoding::text;
use prometheus_client::registry::Registry;

use crate::http::accept::Accepted;

/// How measurements are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Prometheus' own format, which every program reads.
    Classic,
    /// OpenMetrics, for those who prefer it.
    OpenMetrics,
}

impl Format {
    /// What a client prefers, the classic format if it says nothing of either.
    pub(crate) fn accepted(headers: &HeaderMap) -> Format {
        let accepted = Accepted::new(headers);
        let quality = |format: Format| accepted.quality(format.media_type());
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

    /// Writes measurements.
    pub(super) fn write(self, registry: &Registry) -> String {
        let mut page = String::new();
        text::encode(&mut page, registry).expect("writing to a string does not fail");
        match self {
            Format::Classic => classic(&page),
            Format::OpenMetrics => page,
        }
    }
}

/// The classic form of OpenMetrics: it has neither units nor a mark at the end, and describes counters by
/// the names that their samples have.
fn classic(open_metrics: &str) -> String {
    let types = open_metrics
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE "));
    let counters: HashSet<&str> = types
        .filter_map(|named| named.strip_suffix(" counter"))
        .collect();
    let mut page = String::with_capacity(open_metrics.len());
    for line in open_metrics.lines() {
        if line == "# EOF" || line.starts_with("# UNIT ") {
            continue;
        }
        let described = ["# HELP ", "# TYPE "].into_iter().find_map(|word| {
            let (name, rest) = line.strip_prefix(word)?.split_once(' ')?;
            counters.contains(name).then_some((word, name, rest))
        });
        match described {
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
    fn the_classic_format_names_counters_as_their_samples() {
        let mut registry = Registry::with_prefix("some");
        let counter = Counter::<u64>::default();
        counter.inc();
        registry.register("requests", "Requests", counter);
        registry.register("jobs", "Jobs", Gauge::<i64>::default());
        let histogram = Histogram::new([0.5]);
        histogram.observe(0.25);
        registry.register_with_unit("time", "Time", Unit::Seconds, histogram);
        let expected = "# HELP some_requests_total Requests.\n\
                        # TYPE some_requests_total counter\n\
                        some_requests_total 1\n\
                        # HELP some_jobs Jobs.\n\
                        # TYPE some_jobs gauge\n\
                        some_jobs 0\n\
                        # HELP some_time_seconds Time.\n\
                        # TYPE some_time_seconds histogram\n\
                        some_time_seconds_sum 0.25\n\
                        some_time_seconds_count 1\n\
                        some_time_seconds_bucket{le=\"0.5\"} 1\n\
                        some_time_seconds_bucket{le=\"+Inf\"} 1\n";
        assert_eq!(Format::Classic.write(&registry), expected);
        let other = Format::OpenMetrics.write(&registry);
        assert!(other.contains("# TYPE some_requests counter\n"), "{other}");
        assert!(other.ends_with("# EOF\n"), "{other}");
    }

    #[test]
    fn open_metrics_is_for_who_prefers_it() {
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
            assert_eq!(Format::accepted(&headers), Format::Classic);
            headers.insert(header::ACCEPT, accept.parse().unwrap());
            assert_eq!(Format::accepted(&headers), expected, "{accept}");
        }
    }
}
