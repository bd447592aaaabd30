//! `scramble444 healthcheck`, asking real and false servers.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::common::program::{program, run_command};
use crate::common::tables::{ensure_tables, tables_dir};
use crate::common::wait::wait_until;

fn check(arguments: &[&str]) -> Output {
    let mut command = program();
    command.arg("healthcheck").args(arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    run_command(&mut command, b"")
}

/// Asserts that the check fails and says why, in one line.
fn assert_unhealthy(arguments: &[&str], reason: &str) {
    let output = check(arguments);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.contains(reason), "{reason:?} not in {said}");
}

/// A server that gives one answer and goes on holding the connection until `ended` is dropped.
fn answering(answer: &'static str, ended: Receiver<()>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 1024]);
        stream.write_all(answer.as_bytes()).unwrap();
        let _ = ended.recv();
    });
    address
}

/// A real service, killed when dropped, and where it listens.
struct Service(Child, SocketAddr);

impl Service {
    fn start(listen: &str, tables: &Path) -> Service {
        let mut child = program()
            .args(["--listen", listen, "--workers", "1", "--tables-dir"])
            .arg(tables)
            .stderr(Stdio::piped())
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
fn a_service_is_healthy_from_ready_to_stopped() {
    ensure_tables();
    // On all addresses, as in a container; the check is given just that.
    let service = Service::start("0.0.0.0:0", &tables_dir());
    let listen = format!("0.0.0.0:{}", service.1.port());
    wait_until("ready", || check(&["--listen", &listen]).status.success());
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
    // Someone else holds the lock, so that the service keeps waiting for its tables.
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
fn other_answers_are_unhealthy() {
    let page = "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone";
    for (answer, reason) in [
        (page, "/readyz responded 404"),
        ("SSH-2.0-something\r\n", "not an HTTP server"),
        ("", "not an HTTP server"),
    ] {
        let (_, at_once) = channel();
        let listen = answering(answer, at_once).to_string();
        assert_unhealthy(&["--listen", &listen], reason);
    }
}

#[test]
fn silence_is_given_up_in_time() {
    let (_open, never) = channel();
    let listen = answering("HTTP/1.1 20", never).to_string();
    let started = Instant::now();
    assert_unhealthy(&["--listen", &listen, "--timeout", "3"], "timed out");
    assert!(started.elapsed() >= Duration::from_secs(3));
}

#[test]
fn an_address_that_cannot_be_asked_is_refused() {
    assert_unhealthy(&["--listen", "127.0.0.1:0"], "port 0");
    assert_eq!(check(&["--listen", "nowhere"]).status.code(), Some(2));
}
