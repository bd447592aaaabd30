//! The `healthcheck` command against the service and against other servers.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Output};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::common::program::{program, run_command};
use test_support::tables::{ensure_tables, tables_dir};
use test_support::wait::wait_until;

fn check(arguments: &[&str]) -> Output {
    run_command(program().arg("healthcheck").args(arguments), b"")
}

/// Asserts that the check fails with a message of one line that contains `reason`.
fn assert_unhealthy(arguments: &[&str], reason: &str) {
    let output = check(arguments);
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {message}");
    assert_eq!(message.lines().count(), 1, "{message}");
    assert!(message.contains(reason), "{reason:?} not in {message}");
}

/// Starts a server that sends one response and keeps the connection open until the sender of `close` is
/// dropped.
fn respond_once(response: &'static str, close: Receiver<()>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 1024]);
        stream.write_all(response.as_bytes()).unwrap();
        let _ = close.recv();
    });
    address
}

/// A service, killed when dropped, and its address.
struct Service(Child, SocketAddr);

impl Service {
    fn start(listen: &str, tables: &Path) -> Service {
        let mut child = program()
            .args(["--listen", listen, "--workers", "1", "--tables-dir"])
            .arg(tables)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let address = loop {
            let line = lines.next().unwrap().unwrap();
            if let Some((_, address)) = line.split_once("address=") {
                break address.trim().parse().unwrap();
            }
        };
        // Keep reading, or the service would block on a full pipe.
        std::thread::spawn(move || lines.for_each(drop));
        Service(child, address)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_ready_service_is_healthy_and_a_stopped_one_is_not() {
    ensure_tables();
    // The unspecified address, as in a container, is valid for the check, too.
    let service = Service::start("0.0.0.0:0", &tables_dir());
    let listen = format!("0.0.0.0:{}", service.1.port());
    wait_until("ready", || check(&["--listen", &listen]).status.success());
    // The first address that responds counts.
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr();
    let listen = format!("127.0.0.1:0,{},{listen}", closed.unwrap());
    for arguments in [&[][..], &["--live"]] {
        let output = program()
            .arg("healthcheck")
            .args(arguments)
            .env("SCRAMBLE444_LISTEN", &listen)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert!(output.stdout.is_empty() && output.stderr.is_empty());
    }
    drop(service);
    assert_unhealthy(&["--listen", &listen], "refused");
}

#[test]
fn a_service_that_builds_tables_is_live_but_not_ready() {
    let tables = tempfile::tempdir().unwrap();
    // The service waits for its tables as long as this test holds the lock.
    let lock = std::fs::File::create(tables.path().join(".lock")).unwrap();
    lock.lock().unwrap();
    let service = Service::start("127.0.0.1:0", tables.path());
    let listen = service.1.to_string();
    assert!(
        check(&["--listen", &listen, "--live"]).status.success(),
        "not live"
    );
    assert_unhealthy(
        &["--listen", &listen],
        "responded 503: the service is starting",
    );
}

#[test]
fn other_responses_are_unhealthy() {
    let not_found = "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone";
    for (response, reason) in [
        (not_found, "/readyz responded 404"),
        ("SSH-2.0-something\r\n", "not an HTTP server"),
        ("", "not an HTTP server"),
    ] {
        let (_, close) = channel();
        let listen = respond_once(response, close).to_string();
        assert_unhealthy(&["--listen", &listen], reason);
    }
    // A later address does not make up for the first that responds.
    let [(_, first), (_, second)] = [channel(), channel()];
    let ready = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    let listen = [respond_once(not_found, first), respond_once(ready, second)];
    let listen = listen.map(|address| address.to_string()).join(",");
    assert_unhealthy(&["--listen", &listen], "/readyz responded 404");
}

#[test]
fn an_incomplete_response_times_out() {
    let (_keep_open, close) = channel();
    let listen = respond_once("HTTP/1.1 20", close).to_string();
    let started = Instant::now();
    assert_unhealthy(&["--listen", &listen, "--timeout", "3"], "timed out");
    assert!(started.elapsed() >= Duration::from_secs(3));
}

/// The limit is for all of a response, not for the time between two bytes.
#[test]
fn a_response_that_drips_times_out() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let listen = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 1024]);
        stream.write_all(b"HTTP/1.1 200 OK\r\nX: ").unwrap();
        // In time for the others, but not for ever.
        for _ in 0..100 {
            std::thread::sleep(Duration::from_millis(100));
            if stream.write_all(b"x").is_err() {
                return;
            }
        }
    });
    assert_unhealthy(&["--listen", &listen, "--timeout", "1"], "timed out");
}

/// The first 64 KiB are read. The status is among them.
#[test]
fn an_endless_response_is_not_read_to_its_end() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let listen = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 1024]);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        while stream.write_all(&[b'x'; 1 << 16]).is_ok() {}
    });
    let output = check(&["--listen", &listen, "--timeout", "20"]);
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), &*message), (Some(0), ""));
}

#[test]
fn invalid_addresses_are_rejected() {
    assert_unhealthy(&["--listen", "127.0.0.1:0"], "port 0");
    assert_eq!(check(&["--listen", "nowhere"]).status.code(), Some(2));
}
