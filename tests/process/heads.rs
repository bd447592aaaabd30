//! Heads of requests over the network, and their lines in the log.

use serde_json::{Value, json};

use crate::common::program::words;
use crate::common::server::{Server, parse_response};
use test_support::tables::{ensure_tables, tables_dir};

fn start(arguments: &str) -> Server {
    ensure_tables();
    Server::start(&tables_dir(), &words(arguments), "info")
}

/// The tests of `http` have more hosts and codings.
#[test]
fn heads_that_can_be_read_in_several_ways_are_refused() {
    let server = start("--buffer 0");
    let chunks = "12\r\n{\"scramble\":\"R U\"}\r\n0\r\n\r\n";
    let chunked = "Host: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked";
    for (request, headers, body, expected) in [
        ("GET /livez HTTP/1.1", "", "", 400),
        ("GET /livez HTTP/1.1", "Host: a\r\nHost: a", "", 400),
        ("GET /livez HTTP/1.1", "Host: a b/\\", "", 400),
        ("GET /livez HTTP/1.1", "Host: a_b.example:80", "", 200),
        ("GET /livez HTTP/1.1", "Host:", "", 200),
        ("GET /livez HTTP/1.0", "", "", 200),
        ("GET /livez HTTP/1.0", "Host: a b", "", 400),
        ("POST /v1/verify HTTP/1.1", chunked, chunks, 200),
        (
            "POST /v1/verify HTTP/1.1",
            &format!("Transfer-Encoding: gzip\r\n{chunked}"),
            chunks,
            501,
        ),
        (
            "POST /v1/verify HTTP/1.1",
            &format!("Content-Type: text/plain\r\n{chunked}"),
            chunks,
            400,
        ),
    ] {
        let headers = format!("{headers}\r\n").replace("\r\n\r\n", "\r\n");
        let headers = headers.trim_start();
        let request = format!("{request}\r\nConnection: close\r\n{headers}\r\n{body}");
        let (status, problem) = parse_response(&server.exchange(&request));
        assert_eq!(status, expected, "{request} {problem}");
    }
}

#[test]
fn the_log_line_of_a_request_has_its_trace_id_route_and_outcome() {
    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
    for format in ["text", "json"] {
        let server = start(&format!("--log-format {format}"));
        for (id, path, status, end) in [
            ("valid", "/version.json", 200, "-01"),
            ("malformed", "/version.json", 200, "-01-"),
            ("unknown", "/secret", 404, ""),
            ("probe", "/livez", 200, "-01"),
        ] {
            let response = server.exchange(&format!(
                "GET {path} HTTP/1.1\r\nHost: localhost\r\nx-request-id: is-{id}\r\n\
                 Traceparent: 00-{TRACE}-00f067aa0ba902b7{end}\r\nConnection: close\r\n\r\n"
            ));
            assert_eq!(parse_response(&response).0, status);
            assert!(!response.contains(TRACE), "{response}");
        }
        server.terminate();
        let (_, log) = server.wait();
        let line = |id: &str| {
            let mut lines = log
                .lines()
                .filter(|line| line.contains(&format!("is-{id}")));
            let line = lines.next().unwrap_or_default();
            assert_eq!(lines.next(), None, "{log}");
            line
        };
        assert_eq!(line("probe"), "");
        assert_eq!(log.matches(TRACE).count(), 1, "{log}");
        if format == "text" {
            let field = format!("trace_id=\"{TRACE}\"");
            assert!(line("valid").contains(&field), "{log}");
            continue;
        }
        for (id, route, fields, trace) in [
            (
                "valid",
                "/version.json",
                json!({"status": 200}),
                Some(TRACE),
            ),
            (
                "unknown",
                "-",
                json!({"status": 404, "problem": "not-found"}),
                None,
            ),
        ] {
            let mut line: Value = serde_json::from_str(line(id)).unwrap();
            assert!(line["fields"]["millis"].take().is_u64(), "{line}");
            assert!(line["timestamp"].take().is_string(), "{line}");
            let mut expected = json!({
                "timestamp": null, "level": "INFO", "target": line["target"],
                "fields": {"message": "responded", "millis": null},
                "span": {"id": format!("is-{id}"), "method": "GET", "route": route, "name": "request"},
            });
            for (name, value) in fields.as_object().unwrap() {
                expected["fields"][name] = value.clone();
            }
            if let Some(trace) = trace {
                expected["span"]["trace_id"] = json!(trace);
            }
            assert_eq!(line, expected);
        }
    }
}
