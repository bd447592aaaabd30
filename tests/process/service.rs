//! The service as a process: requests, shutdown, tokens, metrics and the log.

use std::collections::HashSet;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::SystemTime;

use cube444::cube::{Cube, Sequence};
use rustix::process::Signal;
use serde_json::{Value, json};

use super::healthcheck::check;
use crate::common::program::words;
use crate::common::server::{Server, TOKEN, free_address, parse_response, response};
use test_support::tables::{ensure_tables, tables_dir};
use test_support::wait::{PATIENCE, wait_until};

/// A service whose log has `filter`.
fn logging(arguments: &[&str], filter: &str) -> Server {
    ensure_tables();
    let server = Server::start(&tables_dir(), arguments, filter);
    server.wait_until_ready();
    server
}

fn ready(arguments: &str) -> Server {
    logging(&words(arguments), "info")
}

/// Sends a request on a new connection.
fn send(server: &Server, request: &str) -> TcpStream {
    let mut stream = TcpStream::connect(&server.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    stream
}

/// Reads a response until the server closes the connection.
fn read(mut stream: TcpStream) -> String {
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    response
}

#[test]
fn each_start_makes_new_scrambles_that_lead_to_their_states() {
    let states = || -> HashSet<String> {
        let server = ready("--workers 1 --buffer 0 --effort 1");
        let (status, document) = server.get("/v1/scrambles?count=20");
        assert_eq!(status, 200);
        assert_eq!(document["generator"]["tables"], "compact");
        let state = |item: &Value| {
            let sequence: Sequence = item["scramble"].as_str().unwrap().parse().unwrap();
            assert_eq!(item["moves"], sequence.tokens().len());
            let cube = Cube::solved().moved_by(sequence.axis_moves());
            assert_eq!(item["state"], cube.facelets());
            cube.facelets()
        };
        let items = document["scrambles"].as_array().unwrap();
        items.iter().map(state).collect()
    };
    let (before, after) = (states(), states());
    assert_eq!((before.len(), after.len()), (20, 20));
    assert!(before.is_disjoint(&after));
}

/// Each of its addresses is served until the delay has passed, and the one for metrics until the end.
#[test]
fn a_service_that_stops_completes_requests_and_serves_new_ones_during_the_drain_delay() {
    let metrics = free_address();
    let flags = "--listen 0.0.0.0:0 --workers 1 --buffer 0 --drain-delay 3 --metrics-listen";
    let server = logging(&[&words(flags)[..], &[&metrics]].concat(), "info");
    wait_until("the page is announced", || {
        server.log().contains("open http")
    });
    let log = server.log();
    let page = log.split_once("open http://").unwrap().1;
    assert!(page.starts_with("127.0.0.1:"), "{log}");
    let listening = log
        .lines()
        .filter_map(|line| line.split_once(": listening address="));
    let addresses: Vec<String> = listening
        .map(|(_, address)| address.replace("0.0.0.0", "127.0.0.1"))
        .collect();
    assert_eq!(addresses.len(), 2, "{log}");
    // Another address of the first is that of the check.
    let checked = format!(
        "{},0.0.0.0:{}",
        free_address(),
        addresses[1].rsplit_once(':').unwrap().1
    );
    for arguments in [&[][..], &["--live"]] {
        assert_eq!(check(&checked, arguments), (Some(0), String::new()));
    }
    assert_eq!(server.get("/metrics").0, 404);
    let waiting = "GET /v1/scrambles?count=20&effort=7 HTTP/1.0\r\nHost: localhost\r\n\r\n";
    let waiting = send(&server, waiting);
    wait_until("busy", || {
        !response(&metrics, "/metrics").contains("scramble444_queue_jobs 0\n")
    });
    server.terminate();
    let status = |address: &str, path: &str| parse_response(&response(address, path)).0;
    wait_until("draining", || status(&addresses[0], "/readyz") == 503);
    let problem = parse_response(&response(&metrics, "/readyz")).1;
    assert_eq!(problem["type"], "urn:scramble444:problem:draining");
    assert!(response(&metrics, "/metrics").contains("scramble444_ready 0\n"));
    for address in &addresses {
        assert_eq!(status(address, "/version.json"), 200);
    }
    let (status, document) = parse_response(&read(waiting));
    assert_eq!(status, 200);
    assert_eq!(document["scrambles"].as_array().unwrap().len(), 20);
    let (code, log) = server.wait();
    assert_eq!(code, Some(0));
    assert!(log.contains("stopping") && log.contains("stopped"), "{log}");
    // A probe is logged if it fails.
    assert!(log.contains("problem=\"draining\""), "{log}");
    let (code, message) = check(&checked, &[]);
    assert!(code == Some(1) && message.contains("refused"), "{message}");
}

/// A request whose body does not arrive is in flight also after the listener has been closed.
#[test]
fn a_second_signal_stops_the_service_immediately() {
    for (request, is_answered) in [
        (
            "GET /v1/scrambles?count=100&effort=7 HTTP/1.0\r\nHost: localhost\r\n\r\n",
            true,
        ),
        (
            "POST /v1/verify HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Content-Length: 100\r\n\r\n{",
            false,
        ),
    ] {
        let server = ready("--workers 1 --buffer 0");
        let waiting = send(&server, request);
        if is_answered {
            server.wait_until_busy();
        }
        server.terminate();
        wait_until("it stops", || {
            let is_closed = || TcpStream::connect(&server.address).is_err();
            server.log().contains("stopping") && (is_answered || is_closed())
        });
        server.signal(Signal::INT);
        if is_answered {
            assert_eq!(parse_response(&read(waiting)).0, 503);
        }
        let (code, log) = server.wait();
        assert_eq!(code, Some(0));
        assert!(log.contains("stopping at once"), "{log}");
    }
}

#[test]
fn sighup_reloads_the_token_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("tokens");
    fs::write(
        &path,
        "# contest\nsite 0123456789abcdef\nfedcba9876543210\n",
    )
    .unwrap();
    let server = logging(&["--token-file", path.to_str().unwrap()], "info");
    let status = |token: &str| {
        let response = server.exchange(&format!(
            "GET /v1/scrambles HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
             Authorization: Bearer {token}\r\n\r\n"
        ));
        parse_response(&response).0
    };
    assert_eq!(status("0123456789abcdef"), 200);
    assert_eq!(status("fedcba9876543210"), 200);
    let reload = |expected: &str| {
        server.signal(Signal::HUP);
        wait_until(expected, || server.log().contains(expected));
    };
    fs::write(&path, "too short").unwrap();
    reload("the old tokens stay");
    assert_eq!(status("0123456789abcdef"), 200);
    // Reading a pipe that is not closed blocks nothing else. Opening it waits for its reader.
    fs::remove_file(&path).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.unwrap().success());
    server.signal(Signal::HUP);
    let _open = fs::OpenOptions::new().write(true).open(&path);
    fs::remove_file(&path).unwrap();
    fs::write(&path, format!("site aaaaaaaaaaaaaaaa\nmetrics {TOKEN}")).unwrap();
    reload("has been read");
    assert_eq!(status("0123456789abcdef"), 401);
    assert_eq!(status("aaaaaaaaaaaaaaaa"), 200);
    let series = "scramble444_authorized_requests_total{token=\"site\"} ";
    assert_eq!(server.metric(series), 3.0);
    for secret in ["0123456789abcdef", "fedcba9876543210", "aaaaaaaaaaaaaaaa"] {
        assert!(!server.log().contains(secret));
    }
}

#[test]
fn metrics_cover_connections_and_the_process() {
    let server = ready("--workers 1 --buffer 0 --effort 7");
    // The server notices the end of a connection with a delay, that of the last probe too.
    let connections = |count: f64| {
        wait_until(&format!("{count} connections"), || {
            server.metric("scramble444_connections ") == count
        });
    };
    connections(1.0);
    let idle = TcpStream::connect(&server.address).unwrap();
    connections(2.0);
    drop(idle);
    connections(1.0);
    // It counts whole seconds.
    wait_until("it has worked for a second", || {
        server.get("/v1/scrambles?count=10");
        server.metric("process_cpu_seconds_total ") >= 1.0
    });
    // The compact tables alone are larger.
    let resident = server.metric("process_resident_memory_bytes ");
    assert!(resident > 1e8 && server.metric("process_virtual_memory_bytes ") > resident);
    let open = server.metric("process_open_fds ");
    assert!(open > 3.0 && open < server.metric("process_max_fds "));
    let now = SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs_f64();
    let started = server.metric("process_start_time_seconds ");
    assert!((now - 600.0..=now + 1.0).contains(&started), "{started}");
    #[cfg(target_os = "linux")]
    {
        // In Linux's unit of 1,024 bytes.
        let process = format!("/proc/{}", server.child.id());
        let status = fs::read_to_string(format!("{process}/status")).unwrap();
        let found = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let found = found.unwrap().trim().strip_suffix(" kB").unwrap();
        let ratio = server.metric("process_resident_memory_bytes ") / found.parse::<f64>().unwrap();
        assert!((ratio / 1_024.0 - 1.0).abs() < 0.01, "{ratio}");
        wait_until("these threads", || {
            let threads = fs::read_dir(format!("{process}/task")).unwrap().count();
            server.metric("process_threads ") == threads as f64
        });
        server.limit_open_files(500);
        assert_eq!(server.metric("process_max_fds "), 500.0);
    }
}

/// Adds the scrambles, states and solutions in a response.
fn add_secrets(secrets: &mut Vec<String>, document: &Value) {
    match document {
        Value::Object(fields) => {
            for (name, value) in fields {
                let is_secret = ["scramble", "state", "solution", "moves", "turns"];
                match value {
                    // The names of parameters.
                    Value::Array(_) if name == "allowed" => {}
                    // A stage may have only a few moves, which could be in the log by chance.
                    Value::String(text) if is_secret.contains(&&**name) && text.len() >= 7 => {
                        secrets.push(text.clone());
                    }
                    Value::String(_) => {}
                    other => add_secrets(secrets, other),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| match item {
            Value::String(text) => secrets.push(text.clone()),
            other => add_secrets(secrets, other),
        }),
        _ => {}
    }
}

#[test]
fn the_log_contains_no_secrets() {
    let directory = tempfile::tempdir().unwrap();
    let token = TOKEN;
    let token_file = directory.path().join("token");
    fs::write(&token_file, token).unwrap();
    let turns: Sequence = "Rw U2 F' L Dw2".parse().unwrap();
    let facelets = Cube::solved().moved_by(turns.axis_moves()).facelets();
    let turns = json!({"scramble": turns.to_string()});
    let requests = [
        ("/v1/scrambles?count=14", None),
        ("/v1/scrambles?count=3&effort=2", None),
        ("/v1/scrambles?event=444bf", None),
        ("/v1/scrambles?unknown-parameter=querysecret", None),
        ("/v1/scrambles/pathsecret?querysecret", None),
        ("/v1/picture?scramble=Rw+U2+querysecret", None),
        ("/v1/scrambles?pictures=1", None),
        ("/api/v0/scramble/444?numScrambles=3&querysecret", None),
        ("/api/v0/scramble/pathsecret", None),
        ("/scramble/pathsecret.json?querysecret=444*3", None),
        ("/scramble/.txt?=querysecret", None),
        (
            "/view/444.svg?scramble=querysecret&scheme=querysecret",
            None,
        ),
        ("/metrics", None),
        ("/openapi.json", None),
        ("/?querysecret", None),
        ("/v1/solve", Some(turns.clone())),
        ("/v1/solve", Some(json!({"state": facelets}))),
        ("/v1/verify", Some(turns)),
        ("/v1/verify", Some(json!({"scramble": "R U bodysecret"}))),
        ("/v1/verify", Some(json!("bodysecret"))),
        ("/v1/verify", Some(json!({"state": "bodysecret".repeat(9)}))),
        ("/frontend/puzzle/444/scramble", Some(json!({}))),
        ("/frontend/puzzle/444/svg", Some(json!({"B": "bodysecret"}))),
    ];
    for format in ["text", "json"] {
        let file = token_file.to_str().unwrap();
        let arguments = [
            "--effort",
            "1",
            "--log-format",
            format,
            "--token-file",
            file,
        ];
        let server = logging(&arguments, "trace");
        // The next scrambles come from the buffer.
        wait_until("the buffer is full", || {
            server.metric("scramble444_buffer_scrambles ") == 14.0
        });
        let texts = [
            "querysecret",
            "pathsecret",
            "bodysecret",
            "count=3",
            "Rw U2 F' L Dw2",
        ];
        let texts = texts.into_iter().chain([token, &facelets]);
        let mut secrets: Vec<String> = texts.map(str::to_owned).collect();
        for (target, body) in &requests {
            let method = if body.is_some() { "POST" } else { "GET" };
            let body = body.as_ref().map_or_else(String::new, Value::to_string);
            let response = server.exchange(&format!(
                "{method} {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
                 Authorization: Bearer {token}\r\nContent-Type: application/json\r\n\
                 Content-Length: {}\r\n\r\n{body}",
                body.len()
            ));
            let (_, document) = response.split_once("\r\n\r\n").unwrap();
            if !target.starts_with("/openapi")
                && let Ok(document) = serde_json::from_str(document)
            {
                add_secrets(&mut secrets, &document);
            }
        }
        assert!(secrets.len() > 30, "{}", secrets.len());
        // A client that disconnects before the response.
        let request = format!(
            "GET /v1/scrambles?count=100&effort=7 HTTP/1.1\r\nHost: localhost\r\n\
             Authorization: Bearer {token}\r\n\r\n"
        );
        let waiting = send(&server, &request);
        server.wait_until_busy();
        drop(waiting);
        wait_until("its jobs are cancelled", || {
            server.metric("scramble444_cancelled_jobs_total ") > 0.0
        });
        server.terminate();
        let (code, log) = server.wait();
        assert_eq!(code, Some(0));
        assert!(
            log.contains("responded") && log.contains("/v1/solve"),
            "{log}"
        );
        for secret in &secrets {
            assert!(!log.contains(secret), "{format}: a secret is in the log");
        }
    }
}
