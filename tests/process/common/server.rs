//! A server as a process.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::program::program;
use test_support::wait::{PATIENCE, wait_until};

/// A token.
pub(crate) const TOKEN: &str = "a-token-that-nobody-guesses";

/// A server on a free port; killed when dropped.
pub(crate) struct Server {
    pub(crate) child: Child,
    pub(crate) address: String,
    log: Arc<Mutex<String>>,
    reader: Option<JoinHandle<()>>,
}

impl Server {
    pub(crate) fn start(tables: &Path, arguments: &[&str], log_filter: &str) -> Server {
        let mut command = program();
        command
            .args(["--listen", "127.0.0.1:0"])
            .args(arguments)
            .env("SCRAMBLE444_TABLES_DIR", tables)
            .env("SCRAMBLE444_LOG", log_filter);
        Server::spawn(&mut command)
    }

    /// Starts a server with a command that logs its address.
    pub(crate) fn spawn(command: &mut Command) -> Server {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let log = Arc::new(Mutex::new(String::new()));
        let address = loop {
            let line = lines.next().expect("the server logs its address").unwrap();
            log.lock().unwrap().push_str(&line);
            // The text format, then the JSON format.
            if let Some((_, address)) = line.split_once("address=") {
                break address.trim().to_owned();
            }
            if let Some((_, rest)) = line.split_once("\"address\":\"") {
                break rest.split('"').next().unwrap().to_owned();
            }
        };
        // Keep reading, or the server would block on a full pipe.
        let shared = Arc::clone(&log);
        let reader = std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let mut log = shared.lock().unwrap();
                log.push('\n');
                log.push_str(&line);
            }
        });
        Server {
            child,
            address,
            log,
            reader: Some(reader),
        }
    }

    /// As [`exchange`].
    pub(crate) fn exchange(&self, request: &str) -> String {
        exchange(&self.address, request)
    }

    /// The status and the JSON body of the response for `path`.
    pub(crate) fn get(&self, path: &str) -> (u16, Value) {
        parse_response(&response(&self.address, path))
    }

    /// The value of a metric without labels. A service with tokens has [`TOKEN`].
    pub(crate) fn metric(&self, name: &str) -> f64 {
        let metrics = self.exchange(&format!(
            "GET /metrics HTTP/1.0\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n\r\n"
        ));
        let value = metrics.lines().find_map(|line| line.strip_prefix(name));
        value.unwrap().trim().parse().unwrap()
    }

    pub(crate) fn wait_until_ready(&self) {
        wait_until("ready", || self.get("/readyz").0 == 200);
    }

    /// Waits until a job is queued or running.
    pub(crate) fn wait_until_busy(&self) {
        wait_until("busy", || self.metric("scramble444_queue_jobs ") > 0.0);
    }

    pub(crate) fn terminate(&self) {
        self.signal(Signal::TERM);
    }

    /// The program could raise the limit, but does not.
    #[cfg(target_os = "linux")]
    pub(crate) fn limit_open_files(&self, limit: u64) {
        use rustix::process::{Pid, Resource, Rlimit, prlimit};
        let (current, maximum) = (Some(limit), Some(limit + 1));
        let pid = Some(Pid::from_child(&self.child));
        prlimit(pid, Resource::Nofile, Rlimit { current, maximum }).unwrap();
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let id = Pid::from_child(&self.child);
        kill_process(id, signal).unwrap();
    }

    /// The log so far.
    pub(crate) fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    /// Waits until the server exits. Returns its exit code and its whole log.
    pub(crate) fn wait(mut self) -> (Option<i32>, String) {
        let mut status = None;
        wait_until("the server exits", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        let code = status.and_then(|status| status.code());
        self.reader.take().unwrap().join().unwrap();
        let log = self.log.lock().unwrap().clone();
        (code, log)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An address that nobody listens on.
pub(crate) fn free_address() -> String {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    free.local_addr().unwrap().to_string()
}

/// Sends `request` verbatim and reads until the server closes the connection.
pub(crate) fn exchange(address: &str, request: &str) -> String {
    try_exchange(address, request).unwrap()
}

/// As [`exchange`]. Fails if there is no connection, or if it is reset.
pub(crate) fn try_exchange(address: &str, request: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(request.as_bytes())?;
    let mut response = String::new();
    stream.read_to_string(&mut response)?;
    Ok(response)
}

/// The response for `path`. In HTTP/1.0 its body is not in chunks, and the connection is closed after it.
pub(crate) fn response(address: &str, path: &str) -> String {
    exchange(
        address,
        &format!("GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n"),
    )
}

/// The status and the JSON body of a response.
pub(crate) fn parse_response(response: &str) -> (u16, Value) {
    let status = response.split(' ').nth(1).unwrap().parse().unwrap();
    let (_, body) = response.split_once("\r\n\r\n").unwrap();
    (status, serde_json::from_str(body).unwrap())
}
