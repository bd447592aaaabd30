//! Request headers over the network: `Host`, `Expect` and `traceparent`.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::common::server::{Server, parse_response};
use test_support::tables::{ensure_tables, tables_dir};

fn start(arguments: &[&str]) -> Server {
    ensure_tables();
    Server::start(&tables_dir(), arguments, "info")
}

#[test]
fn a_request_must_name_one_host() {
    let server = start(&[]);
    // The tests of `http` have more hosts.
    for (version, hosts, expected) in [
        ("1.1", "", 400),
        ("1.1", "Host: a\r\nHost: a\r\n", 400),
        ("1.1", "Host: a b/\\\r\n", 400),
        ("1.1", "Host: a_b.example:80\r\n", 200),
        ("1.1", "Host:\r\n", 200),
        ("1.0", "", 200),
        ("1.0", "Host: a b\r\n", 400),
    ] {
        let request = format!("GET /livez HTTP/{version}\r\n{hosts}Connection: close\r\n\r\n");
        let (status, _) = parse_response(&server.exchange(&request));
        assert_eq!(status, expected, "{version} {hosts}");
    }
}

#[test]
fn heads_that_can_be_read_in_several_ways_are_refused() {
    let server = start(&[]);
    let chunks = "12\r\n{\"scramble\":\"R U\"}\r\n0\r\n\r\n";
    for (headers, status) in [
        ("", 200),
        ("Transfer-Encoding: gzip\r\n", 501),
        ("Content-Type: text/plain\r\n", 400),
    ] {
        let request = format!(
            "POST /v1/verify HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Connection: close\r\n{headers}Transfer-Encoding: chunked\r\n\r\n{chunks}"
        );
        let (found, problem) = parse_response(&server.exchange(&request));
        assert_eq!(found, status, "{headers} {problem}");
    }
}

#[test]
fn the_log_line_of_a_request_has_its_trace_id_route_and_outcome() {
    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
    for format in ["text", "json"] {
        let server = start(&["--log-format", format]);
        for (id, headers) in [
            (
                "valid",
                format!("Traceparent: 00-{TRACE}-00f067aa0ba902b7-01\r\n"),
            ),
            (
                "malformed",
                format!("traceparent: 00-{TRACE}-00f067aa0ba902b7-01-\r\n"),
            ),
            ("none", String::new()),
            ("unknown", String::new()),
            ("probe", String::new()),
        ] {
            let (path, status) = match id {
                "unknown" => ("/secret", 404),
                "probe" => ("/livez", 200),
                _ => ("/version.json", 200),
            };
            let response = server.exchange(&format!(
                "GET {path} HTTP/1.1\r\nHost: localhost\r\nx-request-id: is-{id}\r\n{headers}\
                 Connection: close\r\n\r\n"
            ));
            assert_eq!(parse_response(&response).0, status);
            assert!(!response.contains(TRACE), "{response}");
        }
        server.terminate();
        let (_, log) = server.wait();
        assert!(!log.contains("is-probe"), "{log}");
        let line = |id: &str| {
            let id = format!("is-{id}");
            let mut lines = log.lines().filter(|line| line.contains(&id));
            let line = lines.next().unwrap().to_owned();
            assert_eq!(lines.next(), None);
            line
        };
        if format == "json" {
            let valid: Value = serde_json::from_str(&line("valid")).unwrap();
            assert_eq!(valid["span"]["trace_id"], TRACE, "{valid}");
            let unknown: Value = serde_json::from_str(&line("unknown")).unwrap();
            for (line, id, route, status, problem) in [
                (&valid, "is-valid", "/version.json", 200, None),
                (&unknown, "is-unknown", "-", 404, Some("not-found")),
            ] {
                assert_eq!(line["level"], "INFO");
                assert_eq!(line["span"]["method"], "GET");
                assert_eq!(line["span"]["route"], route);
                assert_eq!(line["span"]["id"], id);
                // Its members are written once.
                let members: BTreeSet<&str> = line
                    .as_object()
                    .unwrap()
                    .keys()
                    .map(String::as_str)
                    .collect();
                let expected = ["fields", "level", "span", "target", "timestamp"];
                assert_eq!(members, BTreeSet::from(expected));
                assert_eq!(line["fields"]["message"], "responded");
                assert_eq!(line["fields"]["status"], status);
                assert_eq!(
                    line["fields"].get("problem").and_then(Value::as_str),
                    problem
                );
                assert!(line["fields"]["millis"].is_u64(), "{line}");
            }
        } else {
            let field = format!("trace_id=\"{TRACE}\"");
            assert!(line("valid").contains(&field), "{log}");
        }
        for other in ["malformed", "none", "unknown"] {
            assert!(!line(other).contains("trace_id"), "{log}");
        }
        let lines = log.lines().filter(|line| line.contains(TRACE));
        assert_eq!(lines.count(), 1, "{log}");
    }
}
