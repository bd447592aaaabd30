//! A server as a process.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::program::program;
use super::wait::wait_until;

/// A server on a free port; killed when dropped.
pub(crate) struct Server {
    pub(crate) child: Child,
    pub(crate) address: String,
    log: Arc<Mutex<String>>,
    reader: Option<JoinHandle<()>>,
}

impl Server {
    pub(crate) fn start(tables: &Path, arguments: &[&str], log_filter: &str) -> Server {
        let mut child = program()
            .args(["--listen", "127.0.0.1:0"])
            .args(arguments)
            .env("SCRAMBLE444_TABLES_DIR", tables)
            .env("SCRAMBLE444_LOG", log_filter)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let log = Arc::new(Mutex::new(String::new()));
        let address = loop {
            let line = lines
                .next()
                .expect("the server says where it listens")
                .unwrap();
            log.lock().unwrap().push_str(&line);
            // As text and as JSON.
            if let Some((_, address)) = line.split_once("address=") {
                break address.trim().to_owned();
            }
            if let Some((_, rest)) = line.split_once("\"address\":\"") {
                break rest.split('"').next().unwrap().to_owned();
            }
        };
        // Keep reading, or the server would block on a full pipe.
        let kept = Arc::clone(&log);
        let reader = std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let mut log = kept.lock().unwrap();
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

    /// Sends a request as it is, and reads the whole answer.
    pub(crate) fn exchange(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8(answer).unwrap()
    }

    /// Status and body of an answer.
    pub(crate) fn get(&self, path: &str) -> (u16, Value) {
        parsed(&self.exchange(&format!(
            "GET {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n"
        )))
    }

    /// A measurement without labels.
    pub(crate) fn metric(&self, name: &str) -> f64 {
        let page =
            self.exchange("GET /metrics HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n");
        let value = page.lines().find_map(|line| line.strip_prefix(name));
        value.unwrap().trim().parse().unwrap()
    }

    pub(crate) fn wait_until_ready(&self) {
        wait_until("ready", || self.get("/readyz").0 == 200);
    }

    /// Waits until some job is waiting or being done.
    pub(crate) fn wait_until_busy(&self) {
        wait_until("busy", || self.metric("scramble444_queue_jobs ") > 0.0);
    }

    pub(crate) fn terminate(&self) {
        self.signal(Signal::TERM);
    }

    /// Sends a signal.
    pub(crate) fn signal(&self, signal: Signal) {
        let id = Pid::from_child(&self.child);
        kill_process(id, signal).unwrap();
    }

    /// What has been logged so far.
    pub(crate) fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    /// Waits for the end: exit code, and all that was logged.
    pub(crate) fn ended(mut self) -> (Option<i32>, String) {
        let code = self.child.wait().unwrap().code();
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

/// Status and body of an answer with a JSON document.
pub(crate) fn parsed(answer: &str) -> (u16, Value) {
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    (status, serde_json::from_str(body).unwrap())
}
