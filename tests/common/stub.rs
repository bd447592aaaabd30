//! Generators without tables, and a service that uses them.

use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, RwLock};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::{HeaderValue, Request, Response, header};
use cube444::cube::{Cube, Sequence};
use cube444::scramble::{CheckedSolution, Engine, Scramble, ScrambleError};
use cube444::search::{Effort, Limits, SearchError};
use http_body_util::BodyExt;
use scramble444::http::{AppState, DocumentMemory, Engines, Metrics, Settings, Tokens, router};
use scramble444::pool::{Client, JobOptions, Pool, PoolConfig};
use serde_json::Value;
use tokio::sync::Semaphore;
use tower::ServiceExt;

use super::wait::PATIENCE;

/// What a stub does when a scramble is requested.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Behaviour {
    /// Returns a few turns, of 288 different states in a cycle.
    Turns,
    /// Returns the same state each time, and names its tables `small`.
    Repeating,
    Panicking,
    /// As `Turns`, but panics when a handler asks for its tables.
    WithoutTables,
    /// Fails the check of the result.
    Failing,
    /// Runs until it is cancelled.
    Endless,
    /// As `Turns`, with the flag that the deadline cut the search short.
    Hurried,
    /// As `Turns`, but each scramble waits for a permit and uses it up.
    Permitted,
}

pub(crate) struct Stub {
    method: &'static str,
    pub(crate) behaviour: Behaviour,
    /// The number of scrambles and solutions requested so far.
    pub(crate) calls: AtomicUsize,
    /// The number of scrambles in progress.
    pub(crate) running: AtomicUsize,
    permits: AtomicUsize,
    /// The deadlines of the searches so far.
    pub(crate) deadlines: Mutex<Vec<Option<Instant>>>,
    /// The effort levels of the searches so far.
    pub(crate) efforts: Mutex<Vec<Effort>>,
}

const TURNS: [&str; 12] = [
    "U", "U'", "U2", "R", "R'", "R2", "F", "F'", "F2", "D", "L", "B",
];

fn scramble(text: &str) -> Scramble {
    text.parse::<Sequence>().unwrap().into()
}

impl Stub {
    /// Permits `count` more scrambles with [`Behaviour::Permitted`].
    pub(crate) fn permit(&self, count: usize) {
        self.permits.fetch_add(count, SeqCst);
    }

    fn work(&self, effort: Effort, limits: &Limits) -> Result<Scramble, ScrambleError> {
        let number = self.calls.fetch_add(1, Ordering::Relaxed);
        self.efforts.lock().unwrap().push(effort);
        self.deadlines.lock().unwrap().push(limits.deadline);
        match self.behaviour {
            Behaviour::Repeating => {
                let mut made = scramble("R U");
                made.effort = effort;
                return Ok(made);
            }
            // Skips the panic hook: a backtrace takes seconds on a busy machine.
            Behaviour::Panicking => std::panic::resume_unwind(Box::new("intended panic")),
            Behaviour::Failing => return Err(ScrambleError::Replay),
            Behaviour::Endless => {
                while !limits.cancel.is_cancelled() {
                    std::thread::sleep(Duration::from_millis(1));
                }
                return Err(ScrambleError::Search(SearchError::Cancelled));
            }
            Behaviour::Permitted => {
                let permit = || {
                    self.permits
                        .fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1))
                };
                while permit().is_err() {
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
            Behaviour::Turns | Behaviour::Hurried | Behaviour::WithoutTables => {}
        }
        // 288 different states; the first 72 take two turns.
        let wide = ["Rw", "Fw", "Uw", "Rw2", "Fw2", "Uw2"][number / TURNS.len() % 6];
        let last = ["", "D", "D2", "D'"][number / (6 * TURNS.len()) % 4];
        let first = TURNS[number % TURNS.len()];
        let hurried = self.behaviour == Behaviour::Hurried;
        let mut made = scramble(&format!("{first} {wide} {last}"));
        made.hurried = hurried;
        made.effort = if hurried { Effort::MIN } else { effort };
        Ok(made)
    }
}

impl Engine for Stub {
    fn find_scramble(
        &self,
        _: &Cube,
        _: bool,
        effort: Effort,
        limits: &Limits,
    ) -> Result<Scramble, ScrambleError> {
        self.running.fetch_add(1, Ordering::Relaxed);
        let result = self.work(effort, limits);
        self.running.fetch_sub(1, Ordering::Relaxed);
        result
    }

    fn find_solution(
        &self,
        _: &Cube,
        effort: Effort,
        limits: &Limits,
    ) -> Result<CheckedSolution, ScrambleError> {
        let scramble = self.work(effort, limits)?;
        let mut solution = CheckedSolution::new(self.method, scramble.sequence.clone());
        solution.stages = vec![("solved", scramble.sequence)];
        solution.hurried = scramble.hurried;
        Ok(solution)
    }

    fn tables(&self) -> &'static str {
        match self.behaviour {
            Behaviour::WithoutTables => panic!("intended panic"),
            Behaviour::Repeating => "small",
            _ => "stub",
        }
    }

    fn method(&self) -> &'static str {
        self.method
    }
}

/// A stub with the method `stub`.
pub(crate) fn stub(behaviour: Behaviour) -> Arc<Stub> {
    named("stub", behaviour)
}

/// A stub with a method.
pub(crate) fn named(method: &'static str, behaviour: Behaviour) -> Arc<Stub> {
    Arc::new(Stub {
        method,
        behaviour,
        calls: AtomicUsize::new(0),
        running: AtomicUsize::new(0),
        permits: AtomicUsize::new(0),
        deadlines: Mutex::default(),
        efforts: Mutex::default(),
    })
}

pub(crate) fn settings() -> Settings {
    Settings {
        max_count: 10,
        max_stream: 10_000,
        max_competition: 256 * 1024,
        max_connections: 100,
        effort: Effort::DEFAULT,
        max_effort: Effort::new(7).unwrap(),
        request_deadline: Duration::from_secs(5),
        tokens: Arc::default(),
        cors_origins: Vec::new(),
        trusted_proxies: Vec::new(),
        tnoodle: true,
        serve_metrics: true,
    }
}

/// Tokens that requests need.
pub(crate) fn required(tokens: Tokens) -> Arc<RwLock<Option<Tokens>>> {
    Arc::new(RwLock::new(Some(tokens)))
}

/// A service that is not ready yet.
pub(crate) fn starting(settings: Settings) -> AppState {
    starting_with(&["stub"], SMALL, settings)
}

/// A service with `methods` that is not ready yet.
pub(crate) fn starting_with(
    methods: &[&'static str],
    config: PoolConfig,
    settings: Settings,
) -> AppState {
    let metrics = Arc::new(Metrics::default());
    let pool = Pool::start(Arc::clone(&metrics) as _, config).unwrap();
    AppState {
        engines: Arc::new(Engines::starting(pool, methods)),
        metrics,
        connections: Arc::new(Semaphore::new(settings.max_connections)),
        document_memory: DocumentMemory::new(settings.max_competition),
        settings: Arc::new(settings),
    }
}

/// One worker, a queue of ten, and no buffer.
pub(crate) const SMALL: PoolConfig = PoolConfig {
    workers: 1,
    queue: 10,
    queue_per_client: usize::MAX,
    buffer: 0,
    idle_effort: Effort::DEFAULT,
    busy_effort: Effort::DEFAULT,
};

/// A ready service around `stub`.
pub(crate) fn ready_with(stub: &Arc<Stub>, config: PoolConfig, settings: Settings) -> AppState {
    let state = starting_with(&["stub"], config, settings);
    state.engines.ready(Arc::clone(stub) as _);
    state
}

pub(crate) fn ready(behaviour: Behaviour) -> AppState {
    ready_with(&stub(behaviour), SMALL, settings())
}

/// Options of jobs for the default method.
#[allow(dead_code, reason = "not all tests queue jobs themselves")]
pub(crate) fn options(state: &AppState) -> JobOptions {
    let engine = state.engines.get_now(None).unwrap();
    JobOptions::new(engine, Effort::DEFAULT, Client::default())
}

/// Sends a request without a body.
pub(crate) async fn send(state: &AppState, method: &str, uri: &str) -> Response<Body> {
    let request = Request::builder().method(method).uri(uri);
    call(state, request.body(Body::empty()).unwrap()).await
}

/// Sends a JSON document.
pub(crate) async fn post(state: &AppState, uri: &str, body: &str) -> Response<Body> {
    let request = Request::post(uri).header("content-type", "application/json");
    call(state, request.body(Body::from(body.to_owned())).unwrap()).await
}

/// Sends a request, to a host unless it names one.
pub(crate) async fn call(state: &AppState, mut request: Request<Body>) -> Response<Body> {
    let headers = request.headers_mut();
    if !headers.contains_key(header::HOST) {
        headers.insert(header::HOST, HeaderValue::from_static("stub"));
    }
    router(state.clone()).oneshot(request).await.unwrap()
}

/// Waits until `happened` returns true, for [`PATIENCE`] at most.
pub(crate) async fn wait_until(what: &str, mut happened: impl AsyncFnMut() -> bool) {
    let began = Instant::now();
    while !happened().await {
        assert!(began.elapsed() < PATIENCE, "{what}: not yet");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

pub(crate) async fn text(response: Response<Body>) -> String {
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    String::from_utf8(bytes.to_vec()).unwrap()
}

pub(crate) async fn body(response: Response<Body>) -> Value {
    serde_json::from_str(&text(response).await).unwrap()
}

/// Asserts that a response is a well-formed problem document with this status and problem code.
pub(crate) async fn assert_problem(response: Response<Body>, status: u16, kind: &str) -> Value {
    let headers = response.headers().clone();
    assert_eq!(response.status().as_u16(), status, "{kind}");
    assert_eq!(headers[header::CONTENT_TYPE], "application/problem+json");
    assert_eq!(
        headers.contains_key(header::RETRY_AFTER),
        [429, 503].contains(&status)
    );
    assert_eq!(
        headers.contains_key(header::WWW_AUTHENTICATE),
        status == 401
    );
    // Clients of a service that stops must reconnect, to another instance.
    if kind == "draining" {
        assert_eq!(headers[header::CONNECTION], "close");
    }
    assert_eq!(headers[header::CACHE_CONTROL], "no-store");
    assert_eq!(headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
    assert_eq!(headers[header::REFERRER_POLICY], "no-referrer");
    assert!(headers.contains_key("x-request-id"));
    let problem = body(response).await;
    assert_eq!(problem["status"], status);
    assert_eq!(problem["type"], format!("urn:scramble444:problem:{kind}"));
    assert!(problem["title"].is_string() && problem["detail"].is_string());
    problem
}

/// Sends a request and asserts that the response is a problem document, as [`assert_problem`] does.
pub(crate) async fn problem(
    state: &AppState,
    method: &str,
    uri: &str,
    status: u16,
    kind: &str,
) -> Value {
    assert_problem(send(state, method, uri).await, status, kind).await
}
