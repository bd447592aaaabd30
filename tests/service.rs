//! The service as a process: sockets, signals, log.
#![cfg(feature = "server")]

mod common;
#[path = "common/server.rs"]
mod server;

use std::collections::HashSet;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use scramble444::cube::{Cube, Sequence};
use serde_json::{Value, json};
use server::{Server, parsed, wait_until};

fn ready(arguments: &[&str], log_filter: &str) -> Server {
    common::scrambler();
    let server = Server::start(&common::tables_dir(), arguments, log_filter);
    server.wait_until_ready();
    server
}

#[test]
fn serves_scrambles_that_lead_to_their_states_and_stops_on_sigterm() {
    let server = ready(&[], "info");
    let (status, answer) = server.get("/v1/scrambles?count=20");
    assert_eq!(status, 200);
    assert_eq!(answer["generator"]["tables"], "compact");
    let scrambles = answer["scrambles"].as_array().unwrap();
    assert_eq!(scrambles.len(), 20);
    for item in scrambles {
        let sequence: Sequence = item["scramble"].as_str().unwrap().parse().unwrap();
        assert_eq!(item["moves"], sequence.tokens().len());
        let cube = Cube::solved().moved_by(sequence.axis_moves());
        assert_eq!(item["state"], cube.facelets());
    }
    server.terminate();
    let (code, log) = server.ended();
    assert_eq!(code, Some(0));
    assert!(log.contains("stopping") && log.contains("stopped"), "{log}");
}

#[test]
fn a_request_in_flight_is_answered_before_the_end_and_new_ones_are_told() {
    let server = ready(
        &["--workers", "1", "--buffer", "0", "--drain-delay", "1"],
        "info",
    );
    let address = server.address.clone();
    let request = "GET /v1/scrambles?count=20&effort=7 HTTP/1.1\r\nHost: test\r\n\
                   Connection: close\r\n\r\n";
    let mut in_flight = TcpStream::connect(&address).unwrap();
    in_flight.write_all(request.as_bytes()).unwrap();
    server.wait_until_busy();
    server.terminate();
    wait_until("new requests are refused", || {
        let (status, problem) = server.get("/readyz");
        status == 503 && problem["type"] == "urn:scramble444:problem:draining"
    });
    let mut answer = String::new();
    in_flight.read_to_string(&mut answer).unwrap();
    let (status, answer) = parsed(&answer);
    assert_eq!(status, 200);
    assert_eq!(answer["scrambles"].as_array().unwrap().len(), 20);
    assert_eq!(server.ended().0, Some(0));
}

#[test]
fn an_idle_service_that_stops_answers_until_the_drain_delay_is_over() {
    let server = ready(&["--drain-delay", "2"], "info");
    let began = Instant::now();
    server.terminate();
    wait_until("new requests are refused", || {
        server.get("/readyz").0 == 503
    });
    assert_eq!(server.ended().0, Some(0));
    assert!(began.elapsed() >= Duration::from_secs(2));
}

#[test]
fn a_restart_repeats_no_scramble() {
    let states = || -> HashSet<String> {
        let arguments = ["--workers", "1", "--buffer", "0", "--effort", "1"];
        let server = ready(&arguments, "info");
        let (_, answer) = server.get("/v1/scrambles?count=20");
        let items = answer["scrambles"].as_array().unwrap().iter();
        items.map(|item| item["state"].to_string()).collect()
    };
    let (before, after) = (states(), states());
    assert_eq!((before.len(), after.len()), (20, 20));
    assert!(before.is_disjoint(&after));
}

#[test]
fn what_is_not_done_by_the_deadline_is_cut_off() {
    let arguments = ["--workers", "1", "--shutdown-deadline", "1"];
    let server = ready(&arguments, "info");
    let mut in_flight = TcpStream::connect(&server.address).unwrap();
    let request = "GET /v1/scrambles?count=100&effort=7 HTTP/1.1\r\nHost: test\r\n\r\n";
    in_flight.write_all(request.as_bytes()).unwrap();
    server.wait_until_busy();
    server.terminate();
    let (code, log) = server.ended();
    assert_eq!(code, Some(0));
    // By the usual deadlines the request would have been answered before.
    assert!(log.contains("cut off"), "{log}");
}

#[test]
fn clients_that_send_too_slowly_or_too_much_are_cut_off() {
    let server = ready(&[], "info");
    let mut slow = TcpStream::connect(&server.address).unwrap();
    slow.write_all(b"GET /livez HTTP/1.1\r\nHost:").unwrap();
    let silent = TcpStream::connect(&server.address).unwrap();
    let endless = format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(1 << 20));
    let mut large = TcpStream::connect(&server.address).unwrap();
    // The server may close before all of it is sent.
    let _ = large.write_all(endless.as_bytes());
    let mut answer = Vec::new();
    let _ = large.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer);
    assert!(
        answer.is_empty() || answer.starts_with("HTTP/1.1 431"),
        "{answer}"
    );

    for mut stream in [slow, silent] {
        stream
            .set_read_timeout(Some(Duration::from_secs(30)))
            .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(
            answer.is_empty() || answer.starts_with("HTTP/1.1 408"),
            "{answer}"
        );
    }
    assert_eq!(server.get("/livez").0, 200);
}

#[test]
fn measurements_can_be_on_a_port_of_their_own() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let metrics = free.local_addr().unwrap().to_string();
    drop(free);
    let server = ready(&["--metrics-listen", &metrics], "info");
    assert_eq!(server.get("/metrics").0, 404);
    let mut stream = TcpStream::connect(&metrics).unwrap();
    let request = "GET /metrics HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).unwrap();
    assert!(page.contains("scramble444_ready 1"), "{page}");
    let build = format!(
        "build_info{{version=\"{}\",tables=\"compact\"}} 1",
        env!("CARGO_PKG_VERSION")
    );
    assert!(page.contains(&build), "{page}");
}

/// Everything that may not be in a log.
#[derive(Default)]
struct Secrets(Vec<String>);

impl Secrets {
    fn add(&mut self, secret: &str) {
        // Less could be in the log by chance.
        assert!(secret.len() >= 7);
        self.0.push(secret.to_owned());
    }

    /// Scrambles, states and solutions of an answer.
    fn add_all(&mut self, answer: &Value) {
        match answer {
            Value::Object(fields) => {
                for (name, value) in fields {
                    let secret =
                        ["scramble", "state", "solution", "moves"].contains(&name.as_str());
                    match value {
                        // The moves of a stage may be few.
                        Value::String(text) if secret && text.len() < 7 => {}
                        Value::String(text) if secret => self.add(text),
                        other => self.add_all(other),
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| match item {
                Value::String(text) => self.add(text),
                other => self.add_all(other),
            }),
            _ => {}
        }
    }
}

#[test]
fn the_interfaces_of_tnoodle_can_be_switched_off() {
    // They are there, or not, before the service is ready.
    let tables = tempfile::tempdir().unwrap();
    for (arguments, status) in [(&[][..], 200), (&["--no-tnoodle"], 404)] {
        let server = Server::start(tables.path(), arguments, "info");
        assert_eq!(server.get("/version").0, status);
        assert_eq!(server.get("/livez").0, 200);
    }
}

#[test]
fn no_secret_gets_into_the_log() {
    let directory = tempfile::tempdir().unwrap();
    let token = "a-token-that-nobody-guesses";
    let token_file = directory.path().join("token");
    std::fs::write(&token_file, token).unwrap();
    for format in ["text", "json"] {
        let arguments = [
            "--token-file",
            token_file.to_str().unwrap(),
            "--log-format",
            format,
            "--effort",
            "1",
        ];
        let server = ready(&arguments, "trace");
        let mut secrets = Secrets::default();
        secrets.add(token);
        let ask = |method: &str, target: &str, body: &str| {
            server.exchange(&format!(
                "{method} {target} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\
                 Authorization: Bearer {token}\r\nContent-Type: application/json\r\n\
                 Content-Length: {}\r\n\r\n{body}",
                body.len()
            ))
        };
        let facelets = {
            let turns: Sequence = "Rw U2 F' L Dw2".parse().unwrap();
            Cube::solved().moved_by(turns.axis_moves()).facelets()
        };
        // So that what is asked for next was made for the buffer.
        wait_until("the buffer is full", || {
            server.metric("scramble444_buffer_scrambles ") == 14.0
        });
        for (method, target, body) in [
            ("GET", "/v1/scrambles?count=14", String::new()),
            ("GET", "/v1/scrambles?count=3&effort=2", String::new()),
            ("GET", "/v1/scrambles?event=444bf", String::new()),
            (
                "GET",
                "/v1/scrambles?unknown-parameter=querysecret",
                String::new(),
            ),
            ("GET", "/v1/scrambles/pathsecret?querysecret", String::new()),
            (
                "POST",
                "/v1/solve",
                json!({"scramble": "Rw U2 F' L Dw2"}).to_string(),
            ),
            ("POST", "/v1/solve", json!({"state": facelets}).to_string()),
            (
                "POST",
                "/v1/verify",
                json!({"scramble": "Rw U2 F' L Dw2"}).to_string(),
            ),
            (
                "POST",
                "/v1/verify",
                json!({"scramble": "R U bodysecret"}).to_string(),
            ),
            ("POST", "/v1/verify", "bodysecret".to_owned()),
            (
                "POST",
                "/v1/verify",
                json!({"state": "bodysecret".repeat(9)}).to_string(),
            ),
            (
                "GET",
                "/v1/picture?scramble=Rw+U2+querysecret",
                String::new(),
            ),
            ("GET", "/v1/scrambles?pictures=1", String::new()),
            (
                "GET",
                "/api/v0/scramble/444?numScrambles=3&querysecret",
                String::new(),
            ),
            ("GET", "/api/v0/scramble/pathsecret", String::new()),
            ("POST", "/frontend/puzzle/444/scramble", "{}".to_owned()),
            (
                "POST",
                "/frontend/puzzle/444/svg",
                json!({"B": "bodysecret"}).to_string(),
            ),
            (
                "GET",
                "/scramble/pathsecret.json?querysecret=444*3",
                String::new(),
            ),
            ("GET", "/scramble/.txt?=querysecret", String::new()),
            (
                "GET",
                "/view/444.svg?scramble=querysecret&scheme=querysecret",
                String::new(),
            ),
            ("GET", "/readyz", String::new()),
            ("GET", "/livez", String::new()),
            ("GET", "/metrics", String::new()),
            ("GET", "/openapi.json", String::new()),
            ("GET", "/docs/", String::new()),
            ("GET", "/?querysecret", String::new()),
        ] {
            let answer = ask(method, target, &body);
            let (_, document) = answer.split_once("\r\n\r\n").unwrap();
            let has_secrets = |start| target.starts_with(start);
            if ["/v1", "/frontend", "/scramble"]
                .into_iter()
                .any(has_secrets)
                && let Ok(document) = serde_json::from_str(document)
            {
                secrets.add_all(&document);
            }
        }
        for secret in [
            "querysecret",
            "pathsecret",
            "bodysecret",
            "count=3",
            "Rw U2 F' L Dw2",
        ] {
            secrets.add(secret);
        }
        secrets.add(&facelets);
        assert!(secrets.0.len() > 30, "{}", secrets.0.len());
        // A client that leaves before its answer.
        let mut leaving = TcpStream::connect(&server.address).unwrap();
        let request = format!(
            "GET /v1/scrambles?count=100&effort=7 HTTP/1.1\r\nHost: test\r\n\
             Authorization: Bearer {token}\r\n\r\n"
        );
        leaving.write_all(request.as_bytes()).unwrap();
        server.wait_until_busy();
        drop(leaving);
        wait_until("its jobs are cancelled", || {
            server.metric("scramble444_cancelled_jobs_total ") > 0.0
        });
        server.terminate();
        let (code, log) = server.ended();
        assert_eq!(code, Some(0));
        assert!(
            log.contains("answered") && log.contains("/v1/solve"),
            "{log}"
        );
        for secret in &secrets.0 {
            assert!(!log.contains(secret), "{format}: a secret is in the log");
        }
    }
}
