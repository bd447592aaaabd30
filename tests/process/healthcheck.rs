//! The `healthcheck` command against other servers. Tests of the service have it against the service.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use crate::common::program::{program, run_command, text};

/// The exit status and the message of a check.
pub(crate) fn check(listen: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = program();
    command
        .env("SCRAMBLE444_LISTEN", listen)
        .arg("healthcheck")
        .args(arguments);
    let output = run_command(&mut command, b"");
    assert!(output.stdout.is_empty());
    (output.status.code(), text(&output.stderr))
}

/// The address of a server that sends the start of a response, and then `more` again and again, with pauses.
fn respond(start: &'static str, more: &'static [u8], pause: Duration) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        let send = |mut stream: TcpStream| {
            let _ = stream.read(&mut [0; 1024]);
            let mut sent = stream.write_all(start.as_bytes());
            while !more.is_empty() && sent.is_ok() {
                thread::sleep(pause);
                sent = stream.write_all(more);
            }
        };
        send(listener.accept().unwrap().0);
    });
    address
}

#[test]
fn only_a_complete_response_with_status_200_in_time_is_healthy() {
    let none = "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone";
    let ready = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    let at_once = |response| respond(response, b"", Duration::ZERO);
    // The limit is for all of a response, not for the time between two bytes.
    let dripping = respond("HTTP/1.1 200 OK\r\nX: ", b"x", Duration::from_millis(100));
    for (listen, reason) in [
        (at_once(none), "/readyz responded 404"),
        (at_once("SSH-2.0-something\r\n"), "not an HTTP server"),
        (at_once(""), "not an HTTP server"),
        (dripping, "timed out"),
        // A later address does not make up for the first that responds.
        (
            format!("{},{}", at_once(none), at_once(ready)),
            "/readyz responded 404",
        ),
    ] {
        let (code, message) = check(&listen, &["--timeout", "2"]);
        assert_eq!((code, message.lines().count()), (Some(1), 1), "{message}");
        assert!(message.contains(reason), "{reason:?} not in {message}");
    }
    // The first 64 KiB are read. The status is among them.
    let endless = respond("HTTP/1.1 200 OK\r\n\r\n", &[b'x'; 1 << 16], Duration::ZERO);
    assert_eq!(
        check(&endless, &["--timeout", "20"]),
        (Some(0), String::new())
    );
}
