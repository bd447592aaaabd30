//! What the service does with the heads of requests, as they come over the network.

use serde_json::Value;

use crate::common::server::{Server, parsed};
use crate::common::tables::{ensure_tables, tables_dir};

fn start(arguments: &[&str]) -> Server {
    ensure_tables();
    Server::start(&tables_dir(), arguments, "info")
}

#[test]
fn the_trace_of_a_request_is_in_its_log_line() {
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
        ] {
            let answer = server.exchange(&format!(
                "GET /livez HTTP/1.1\r\nHost: test\r\nx-request-id: is-{id}\r\n{headers}\
                 Connection: close\r\n\r\n"
            ));
            assert_eq!(parsed(&answer).0, 200);
            assert!(!answer.contains(TRACE), "{answer}");
        }
        server.terminate();
        let (_, log) = server.ended();
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
        } else {
            let field = format!("trace_id=\"{TRACE}\"");
            assert!(line("valid").contains(&field), "{log}");
        }
        for other in ["malformed", "none"] {
            assert!(!line(other).contains("trace_id"), "{log}");
        }
        let lines = log.lines().filter(|line| line.contains(TRACE));
        assert_eq!(lines.count(), 1, "{log}");
    }
}
