//! The service as a process: requests, shutdown, connections, metrics and the log.

use std::collections::HashSet;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant, SystemTime};

use cube444::Method;
use cube444::cube::{Cube, Metric, Sequence};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::common::program::{tables_without, words};
use crate::common::server::{Server, parse_response, response};
use test_support::tables::{ensure_tables, solver_of, tables_dir};
use test_support::wait::{PATIENCE, wait_until};

fn ready(arguments: &[&str], log_filter: &str) -> Server {
    ensure_tables();
    let server = Server::start(&tables_dir(), arguments, log_filter);
    server.wait_until_ready();
    server
}

#[test]
fn serves_scrambles_that_lead_to_their_states_and_stops_on_sigterm() {
    let server = ready(&[], "info");
    let (status, document) = server.get("/v1/scrambles?count=20");
    assert_eq!(status, 200);
    assert_eq!(document["generator"]["tables"], "compact");
    let scrambles = document["scrambles"].as_array().unwrap();
    assert_eq!(scrambles.len(), 20);
    for item in scrambles {
        let sequence: Sequence = item["scramble"].as_str().unwrap().parse().unwrap();
        assert_eq!(item["moves"], sequence.tokens().len());
        let cube = Cube::solved().moved_by(sequence.axis_moves());
        assert_eq!(item["state"], cube.facelets());
    }
    server.terminate();
    let (code, log) = server.wait();
    assert_eq!(code, Some(0));
    assert!(log.contains("stopping") && log.contains("stopped"), "{log}");
}

/// The tables of the full profile take minutes.
#[test]
fn compact_files_are_not_those_of_the_full_profile() {
    ensure_tables();
    let arguments = ["--method", "reduction", "--profile", "full"];
    let server = Server::start(&tables_dir(), &arguments, "info");
    server.wait_until_ready();
    assert_eq!(server.get("/readyz").1["tables"], "pocket");
}

#[test]
fn subsets_may_repeat_states_and_padded_scrambles_have_the_padding() {
    let server = ready(&[], "info");
    // 100 random states out of 576 are all distinct with a probability of 1/6000.
    let (status, document) = server.get("/v1/scrambles?subset=pll&count=100&effort=1");
    assert_eq!((status, &document["subset"]), (200, &json!("pll")));
    let items = document["scrambles"].as_array().unwrap();
    let states: HashSet<&str> = items
        .iter()
        .filter_map(|item| item["state"].as_str())
        .collect();
    assert!((20..100).contains(&states.len()), "{} states", states.len());
    assert!(
        states
            .iter()
            .all(|state| state.starts_with(&"U".repeat(16)))
    );
    let scrambles: HashSet<&str> = items
        .iter()
        .filter_map(|item| item["scramble"].as_str())
        .collect();
    assert_eq!(scrambles.len(), 100);

    let (status, document) = server.get("/v1/scrambles?padded=1&count=5&effort=1");
    assert_eq!((status, &document["padded"]), (200, &json!(true)));
    for item in document["scrambles"].as_array().unwrap() {
        let text = item["scramble"].as_str().unwrap();
        assert!(
            text.starts_with("R' U' F ") && text.ends_with(" R' U' F"),
            "{text}"
        );
    }
}

#[test]
fn a_stopping_service_completes_requests_and_rejects_new_ones() {
    let arguments = words("--workers 1 --buffer 0 --drain-delay 1");
    let server = ready(&arguments, "info");
    let address = server.address.clone();
    let request = "GET /v1/scrambles?count=20&effort=7 HTTP/1.1\r\nHost: localhost\r\n\
                   Connection: close\r\n\r\n";
    let mut in_flight = TcpStream::connect(&address).unwrap();
    in_flight.write_all(request.as_bytes()).unwrap();
    server.wait_until_busy();
    server.terminate();
    wait_until("new requests are rejected", || {
        let (status, problem) = server.get("/readyz");
        status == 503 && problem["type"] == "urn:scramble444:problem:draining"
    });
    let (status, document) = parse_response(&read(in_flight));
    assert_eq!(status, 200);
    assert_eq!(document["scrambles"].as_array().unwrap().len(), 20);
    assert_eq!(server.wait().0, Some(0));
}

#[test]
fn each_start_makes_new_scrambles() {
    let states = || -> HashSet<String> {
        let arguments = ["--workers", "1", "--buffer", "0", "--effort", "1"];
        let server = ready(&arguments, "info");
        let (_, document) = server.get("/v1/scrambles?count=20");
        let items = document["scrambles"].as_array().unwrap().iter();
        items.map(|item| item["state"].to_string()).collect()
    };
    let (before, after) = (states(), states());
    assert_eq!((before.len(), after.len()), (20, 20));
    assert!(before.is_disjoint(&after));
}

/// Requests scrambles on a new connection.
fn request(server: &Server, query: &str, accept: &str) -> TcpStream {
    let mut stream = TcpStream::connect(&server.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let request = format!(
        "GET /v1/scrambles?{query} HTTP/1.0\r\nHost: localhost\r\nAccept: {accept}\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
    stream
}

/// Sends a request that takes many seconds.
fn long_request(server: &Server, accept: &str) -> TcpStream {
    request(server, "count=100&effort=7", accept)
}

/// Requests a stream that takes hours.
fn endless_response(server: &Server) -> TcpStream {
    request(server, "count=10000&effort=7", "application/x-ndjson")
}

/// Reads a response until the server closes the connection.
fn read(mut stream: TcpStream) -> String {
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    response
}

#[test]
fn requests_get_a_problem_thirty_seconds_after_the_drain_delay() {
    let arguments = words("--workers 1 --buffer 0");
    let server = ready(&arguments, "info");
    let lines = endless_response(&server);
    let mut first = [0; 1];
    (&lines).read_exact(&mut first).unwrap();
    let began = Instant::now();
    server.terminate();
    let lines = read(lines);
    let last: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    assert_eq!(last["type"], "urn:scramble444:problem:draining");
    let (code, log) = server.wait();
    assert_eq!(code, Some(0), "{log}");
    assert!(began.elapsed() >= Duration::from_secs(30));
}

#[test]
fn a_second_signal_stops_the_service_immediately() {
    let arguments = words("--workers 1 --buffer 0");
    let server = ready(&arguments, "info");
    let waiting = long_request(&server, "application/json");
    server.wait_until_busy();
    server.terminate();
    wait_until("it stops", || server.log().contains("stopping"));
    server.signal(Signal::INT);
    assert_eq!(parse_response(&read(waiting)).0, 503);
    let (code, log) = server.wait();
    assert_eq!(code, Some(0));
    assert!(log.contains("stopping at once"), "{log}");
}

/// A request whose body does not arrive is in flight, also after the listener has been closed.
#[test]
fn a_request_whose_body_does_not_arrive_is_in_flight_until_a_second_signal() {
    let server = ready(&words("--workers 1 --buffer 0"), "info");
    let mut client = TcpStream::connect(&server.address).unwrap();
    let head = "POST /v1/verify HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
                Content-Length: 100\r\n\r\n{";
    client.write_all(head.as_bytes()).unwrap();
    server.terminate();
    wait_until("the listener is closed", || {
        TcpStream::connect(&server.address).is_err()
    });
    server.signal(Signal::INT);
    let (code, log) = server.wait();
    assert_eq!(code, Some(0), "{log}");
    assert!(log.contains("stopping at once"), "{log}");
}

#[test]
fn sighup_reloads_the_token_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("tokens");
    std::fs::write(
        &path,
        "# contest\nsite 0123456789abcdef\nfedcba9876543210\n",
    )
    .unwrap();
    let server = ready(&["--token-file", path.to_str().unwrap()], "info");
    let status = |token: &str| {
        let response = server.exchange(&format!(
            "GET /v1/scrambles HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
             Authorization: Bearer {token}\r\n\r\n"
        ));
        parse_response(&response).0
    };
    assert_eq!(status("0123456789abcdef"), 200);
    assert_eq!(status("fedcba9876543210"), 200);
    std::fs::write(&path, "too short").unwrap();
    server.signal(Signal::HUP);
    wait_until("the invalid file is rejected", || {
        server.log().contains("the old tokens stay")
    });
    assert_eq!(status("0123456789abcdef"), 200);
    // Reading a pipe that is not closed blocks nothing else. Opening it waits for its reader.
    std::fs::remove_file(&path).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.unwrap().success());
    server.signal(Signal::HUP);
    let _open = std::fs::OpenOptions::new().write(true).open(&path);
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, "site aaaaaaaaaaaaaaaa").unwrap();
    server.signal(Signal::HUP);
    wait_until("the file is read", || {
        server.log().contains("has been read")
    });
    assert_eq!(status("0123456789abcdef"), 401);
    assert_eq!(status("aaaaaaaaaaaaaaaa"), 200);
    let series = "scramble444_authorized_requests_total{token=\"site\"} ";
    assert_eq!(server.metric(series), 3.0);
    for secret in ["0123456789abcdef", "fedcba9876543210", "aaaaaaaaaaaaaaaa"] {
        assert!(!server.log().contains(secret));
    }
}

#[test]
fn probes_work_beyond_the_connection_limit() {
    let server = ready(&["--max-connections", "1"], "info");
    // The connection that asked whether the service is ready may still hold the only regular place.
    let mut busy = None;
    wait_until("a response takes the only regular place", || {
        let mut stream = endless_response(&server);
        let mut status = [0; 12];
        stream.read_exact(&mut status).unwrap();
        busy = Some(stream);
        status.ends_with(b" 200")
    });
    // More than the overflow holds.
    let connect = |_| TcpStream::connect(&server.address).unwrap();
    let silent: Vec<TcpStream> = (0..40).map(connect).collect();
    assert_eq!(server.get("/livez").0, 200);
    assert_eq!(server.get("/readyz").0, 200);
    // So that an alert can tell.
    assert_eq!(server.metric("scramble444_connections "), 1.0);
    let request = "GET /v1/scrambles HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let rejected = server.exchange(request).to_lowercase();
    assert_eq!(parse_response(&rejected).0, 503);
    assert_eq!(
        parse_response(&rejected).1["type"],
        "urn:scramble444:problem:overloaded"
    );
    assert!(rejected.contains("retry-after: 1\r\n") && rejected.contains("connection: close"));
    let warnings = || server.log().matches("connection limit").count();
    wait_until("a warning is logged", || warnings() > 0);
    // One in a minute.
    assert!(warnings() < 10);
    drop((busy, silent));
    wait_until("requests are accepted again", || {
        server.get("/v1/scrambles").0 == 200
    });
}

#[test]
fn a_client_behind_a_trusted_proxy_is_identified_by_its_address() {
    let limits = ["--max-per-client", "1", "--buffer", "0"];
    let trusting = [&limits[..], &["--trusted-proxy", "::1,127.0.0.0/8"]].concat();
    for (arguments, other_is_rejected) in [(&limits[..], true), (&trusting, false)] {
        let server = ready(arguments, "info");
        let request = |path: &str, address: &str| {
            format!(
                "GET {path} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: {address}\r\n\
                 Connection: close\r\n\r\n"
            )
        };
        let mut busy = TcpStream::connect(&server.address).unwrap();
        let all = request("/v1/scrambles?count=100&effort=7", "192.0.2.1");
        busy.write_all(all.as_bytes()).unwrap();
        server.wait_until_busy();
        let get_as =
            |address: &str| parse_response(&server.exchange(&request("/v1/scrambles", address)));
        let (status, problem) = get_as("192.0.2.1");
        assert_eq!(status, 429);
        assert_eq!(problem["type"], "urn:scramble444:problem:too-many-requests");
        let expected = if other_is_rejected { 429 } else { 200 };
        assert_eq!(get_as("192.0.2.2").0, expected, "{arguments:?}");
        drop(busy);
        wait_until("the jobs of the client end", || {
            get_as("192.0.2.1").0 == 200
        });
    }
}

#[test]
fn scrambles_are_made_in_advance_at_the_default_effort() {
    let server = ready(&words("--effort 2 --buffer 2 --workers 1"), "info");
    wait_until("two are made", || {
        server.metric("scramble444_buffer_scrambles ") == 2.0
    });
    let count = "scramble444_scramble_moves_count{effort=\"2\",method=\"five-stage\"} ";
    assert_eq!(server.metric(count), 2.0);
    assert_eq!(server.metric("scramble444_buffer_capacity "), 2.0);
}

#[test]
fn several_addresses_are_served_until_the_drain_delay_has_passed() {
    let arguments = ["--listen", "0.0.0.0:0", "--drain-delay", "2"];
    let server = ready(&arguments, "info");
    let log = server.log();
    assert!(log.contains("every client that can reach 0.0.0.0"), "{log}");
    let addresses: Vec<String> = log
        .lines()
        .filter_map(|line| line.split_once("listening address="))
        .map(|(_, address)| address.trim().replace("0.0.0.0", "127.0.0.1"))
        .collect();
    assert_eq!(addresses.len(), 2, "{log}");
    let statuses = |path: &str| {
        [&addresses[0], &addresses[1]].map(|address| parse_response(&response(address, path)).0)
    };
    // Each listener gets its turn.
    for _ in 0..5 {
        assert_eq!(statuses("/v1/scrambles?effort=1"), [200, 200]);
    }
    server.terminate();
    wait_until("draining", || statuses("/readyz")[0] == 503);
    assert_eq!(statuses("/v1/scrambles?effort=1"), [200, 200]);
    let (code, log) = server.wait();
    assert_eq!(code, Some(0), "{log}");
}

#[test]
fn metrics_cover_connections_and_the_process() {
    let server = ready(&["--workers", "1", "--buffer", "0"], "info");
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
    let capacity = server.metric("scramble444_connections_capacity ");
    assert!((1.0..=10_000.0).contains(&capacity), "{capacity}");

    // In Linux's unit of 1,024 bytes.
    #[cfg(target_os = "linux")]
    {
        let status = format!("/proc/{}/status", server.child.id());
        let status = std::fs::read_to_string(status).unwrap();
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let resident = resident.unwrap().trim().strip_suffix(" kB").unwrap();
        let resident = resident.parse::<f64>().unwrap() * 1_024.0;
        let found = server.metric("process_resident_memory_bytes ");
        assert!((found / resident - 1.0).abs() < 0.01, "{found} {resident}");
    }
    // The compact tables alone are larger.
    assert!(server.metric("process_resident_memory_bytes ") > 1e8);
    // It counts whole seconds.
    wait_until("it has worked for a second", || {
        server.get("/v1/scrambles?count=10&effort=7");
        server.metric("process_cpu_seconds_total ") >= 1.0
    });
    let resident = server.metric("process_resident_memory_bytes ");
    assert!(server.metric("process_virtual_memory_bytes ") > resident);
    let tasks = format!("/proc/{}/task", server.child.id());
    wait_until("these threads", || {
        let threads = std::fs::read_dir(&tasks).unwrap().count();
        server.metric("process_threads ") == threads as f64
    });
    let open = server.metric("process_open_fds ");
    assert!(open > 3.0 && open < server.metric("process_max_fds "));
    #[cfg(target_os = "linux")]
    server.limit_open_files(500);
    assert_eq!(server.metric("process_max_fds "), 500.0);
    let now = SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs_f64();
    let started = server.metric("process_start_time_seconds ");
    assert!((now - 600.0..=now + 1.0).contains(&started), "{started}");
}

/// Texts that must not be in a log.
#[derive(Default)]
struct Secrets(Vec<String>);

impl Secrets {
    fn add(&mut self, secret: &str) {
        // A shorter text could be in the log by chance.
        assert!(secret.len() >= 7);
        self.0.push(secret.to_owned());
    }

    /// Adds the scrambles, states and solutions in a response.
    fn add_all(&mut self, document: &Value) {
        match document {
            Value::Object(fields) => {
                for (name, value) in fields {
                    let secret =
                        ["scramble", "state", "solution", "moves"].contains(&name.as_str());
                    match value {
                        // The names of parameters.
                        Value::Array(_) if name == "allowed" => {}
                        // A stage may have only a few moves.
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
fn the_log_contains_no_secrets() {
    let directory = tempfile::tempdir().unwrap();
    let token = "a-token-that-nobody-guesses";
    let token_file = directory.path().join("token");
    std::fs::write(&token_file, token).unwrap();
    for format in ["text", "json"] {
        let file = token_file.to_str().unwrap();
        let arguments = ["--token-file", file, "--log-format", format];
        let arguments = [&arguments[..], &["--effort", "1"]].concat();
        let server = ready(&arguments, "trace");
        let mut secrets = Secrets::default();
        secrets.add(token);
        let request = |method: &str, target: &str, body: &str| {
            server.exchange(&format!(
                "{method} {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
                 Authorization: Bearer {token}\r\nContent-Type: application/json\r\n\
                 Content-Length: {}\r\n\r\n{body}",
                body.len()
            ))
        };
        let facelets = {
            let turns: Sequence = "Rw U2 F' L Dw2".parse().unwrap();
            Cube::solved().moved_by(turns.axis_moves()).facelets()
        };
        // The next scrambles come from the buffer.
        wait_until("the buffer is full", || {
            server.metric("scramble444_buffer_scrambles ") == 14.0
        });
        let gets = [
            "/v1/scrambles?count=14",
            "/v1/scrambles?count=3&effort=2",
            "/v1/scrambles?event=444bf",
            "/v1/scrambles?unknown-parameter=querysecret",
            "/v1/scrambles/pathsecret?querysecret",
            "/v1/picture?scramble=Rw+U2+querysecret",
            "/v1/scrambles?pictures=1",
            "/api/v0/scramble/444?numScrambles=3&querysecret",
            "/api/v0/scramble/pathsecret",
            "/scramble/pathsecret.json?querysecret=444*3",
            "/scramble/.txt?=querysecret",
            "/view/444.svg?scramble=querysecret&scheme=querysecret",
            "/metrics",
            "/openapi.json",
            "/?querysecret",
        ];
        let turns = json!({"scramble": "Rw U2 F' L Dw2"});
        let posts = [
            ("/v1/solve", turns.clone()),
            ("/v1/solve", json!({"state": facelets})),
            ("/v1/verify", turns),
            ("/v1/verify", json!({"scramble": "R U bodysecret"})),
            ("/v1/verify", json!("bodysecret")),
            ("/v1/verify", json!({"state": "bodysecret".repeat(9)})),
            ("/frontend/puzzle/444/scramble", json!({})),
            ("/frontend/puzzle/444/svg", json!({"B": "bodysecret"})),
        ];
        let gets = gets.map(|target| ("GET", target, String::new()));
        let posts = posts.map(|(target, body)| ("POST", target, body.to_string()));
        for (method, target, body) in gets.into_iter().chain(posts) {
            let response = request(method, target, &body);
            let (_, document) = response.split_once("\r\n\r\n").unwrap();
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
        // A client that disconnects before the response.
        let mut stream = TcpStream::connect(&server.address).unwrap();
        let request = format!(
            "GET /v1/scrambles?count=100&effort=7 HTTP/1.1\r\nHost: localhost\r\n\
             Authorization: Bearer {token}\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).unwrap();
        server.wait_until_busy();
        drop(stream);
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
        for secret in &secrets.0 {
            assert!(!log.contains(secret), "{format}: a secret is in the log");
        }
    }
}

#[test]
fn a_method_with_a_damaged_table_serves_with_tables_in_memory() {
    // Builds missing tables.
    drop(solver_of(Method::REDUCTION, Metric::Obtm));
    let damaged = "reduction-axis-centers-exact";
    let tables = tables_without(&[damaged]);
    let path = tables.path().join(format!("{damaged}-obtm.table"));
    std::fs::write(path, "damaged").unwrap();
    let server = Server::start(tables.path(), &[], "info");
    server.wait_until_ready();
    wait_until("the defect is logged", || {
        let log = server.log();
        log.contains("unavailable method=\"reduction\"") && log.contains(damaged)
    });
    assert_eq!(server.get("/v1/scrambles?effort=1").0, 200);
    let (status, response) = server.get("/v1/scrambles?effort=1&method=reduction");
    assert_eq!(status, 200, "{response}");
    assert_eq!(response["generator"]["tables"], "pocket");
}

#[test]
fn pocket_tables_are_made_once() {
    let directory = tempfile::tempdir().unwrap();
    let arguments = words("--profile pocket --method reduction");
    let server = Server::start(directory.path(), &arguments, "info");
    server.wait_until_ready();
    // Time in which they would be made again; the test passes with any.
    std::thread::sleep(Duration::from_secs(5));
    server.terminate();
    let (_, log) = server.wait();
    assert_eq!(log.matches(": ready").count(), 1, "{log}");
}
