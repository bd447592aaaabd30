//! Generators that need no tables, and the service around them.

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, Response, header};
use http_body_util::BodyExt;
use scramble444::cube::{Cube, Sequence};
use scramble444::http::{
    AppState, ConnectionLimit, DocumentMemory, Methods, Metrics, Readiness, Settings, router,
};
use scramble444::pool::{Pool, PoolConfig};
use scramble444::scramble::{CheckedSolution, Generate, Scramble, ScrambleError};
use scramble444::search::{EffortLevel, Limits, SearchError, Statistics};
use serde_json::Value;
use tower::ServiceExt;

/// What a stub does instead of making a scramble.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Doing {
    /// One turn, a different one each time.
    Turns,
    /// The same state again and again.
    Repeating,
    /// Panics.
    Panicking,
    /// As turns, but panics when a request's handler asks for its tables.
    WithoutTables,
    /// Fails its own check.
    Failing,
    /// Works until it is cancelled.
    Endless,
    /// As turns, but says that the deadline cut the search short.
    Hurried,
    /// As turns, but each takes a permit, or waits for one.
    Permitted,
}

pub(crate) struct Stub {
    pub(crate) doing: Doing,
    pub(crate) made: AtomicUsize,
    /// How many are being made.
    pub(crate) busy: AtomicUsize,
    /// How many may still be made.
    permits: AtomicUsize,
}

const TURNS: [&str; 12] = [
    "U", "U'", "U2", "R", "R'", "R2", "F", "F'", "F2", "D", "L", "B",
];

fn scramble(text: &str) -> Scramble {
    let sequence: Sequence = text.parse().unwrap();
    let state = Cube::solved().moved_by(sequence.axis_moves());
    Scramble {
        sequence,
        state,
        stage_costs: Vec::new(),
        premove_cost: 0,
        statistics: Statistics::default(),
        stage_statistics: Vec::new(),
        hurried: false,
    }
}

impl Stub {
    /// Lets so many more be made, if it needs permits.
    pub(crate) fn permit(&self, count: usize) {
        self.permits.fetch_add(count, SeqCst);
    }

    fn work(&self, limits: &Limits) -> Result<Scramble, ScrambleError> {
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        match self.doing {
            Doing::Repeating => return Ok(scramble("R U")),
            // Without the backtrace, which takes seconds on a busy machine.
            Doing::Panicking => std::panic::resume_unwind(Box::new("a panic that a test wants")),
            Doing::Failing => return Err(ScrambleError::Replay { at: "stage3" }),
            Doing::Endless => {
                while !limits.cancel.is_cancelled() {
                    std::thread::sleep(Duration::from_millis(1));
                }
                return Err(ScrambleError::Search(SearchError::Cancelled));
            }
            Doing::Permitted => {
                let permit = || {
                    self.permits
                        .fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1))
                };
                while permit().is_err() {
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
            Doing::Turns | Doing::Hurried | Doing::WithoutTables => {}
        }
        // 288 different states, the first 72 by two turns.
        let wide = ["Rw", "Fw", "Uw", "Rw2", "Fw2", "Uw2"][number / TURNS.len() % 6];
        let last = ["", "D", "D2", "D'"][number / (6 * TURNS.len()) % 4];
        let first = TURNS[number % TURNS.len()];
        Ok(Scramble {
            hurried: self.doing == Doing::Hurried,
            ..scramble(&format!("{first} {wide} {last}"))
        })
    }
}

impl Generate for Stub {
    fn scramble_to(
        &self,
        _: &Cube,
        _: EffortLevel,
        limits: &Limits,
    ) -> Result<Scramble, ScrambleError> {
        self.busy.fetch_add(1, Ordering::Relaxed);
        let result = self.work(limits);
        self.busy.fetch_sub(1, Ordering::Relaxed);
        result
    }

    fn scramble_exactly_to(
        &self,
        state: &Cube,
        effort: EffortLevel,
        limits: &Limits,
    ) -> Result<Scramble, ScrambleError> {
        self.scramble_to(state, effort, limits)
    }

    fn solve(
        &self,
        state: &Cube,
        _: EffortLevel,
        limits: &Limits,
    ) -> Result<CheckedSolution, ScrambleError> {
        let made = self.work(limits)?;
        Ok(CheckedSolution {
            method: "stub",
            sequence: made.sequence.clone(),
            stages: vec![("solved", made.sequence)],
            statistics: Statistics {
                nodes: u64::from(state.is_solved()),
                ..Statistics::default()
            },
            hurried: made.hurried,
        })
    }

    fn tables(&self) -> &'static str {
        assert!(
            self.doing != Doing::WithoutTables,
            "a panic that a test wants"
        );
        "stub"
    }

    fn method(&self) -> &'static str {
        "stub"
    }
}

/// A stub, shared with the pool that uses it.
pub(crate) fn stub(doing: Doing) -> Arc<Stub> {
    Arc::new(Stub {
        doing,
        made: AtomicUsize::new(0),
        busy: AtomicUsize::new(0),
        permits: AtomicUsize::new(0),
    })
}

pub(crate) fn settings() -> Settings {
    Settings {
        max_count: 10,
        max_stream: 10_000,
        max_competition: 256 * 1024,
        effort: EffortLevel::DEFAULT,
        max_effort: EffortLevel::new(7).unwrap(),
        request_deadline: Duration::from_secs(5),
        access: Arc::default(),
        cors_origins: Vec::new(),
        trusted_proxies: Vec::new(),
        tnoodle: true,
        serve_metrics: true,
    }
}

/// A service that is starting.
pub(crate) fn starting(settings: Settings) -> AppState {
    starting_with(Methods::new("stub", &[]), settings)
}

/// A service of some methods that is starting.
pub(crate) fn starting_with(methods: Methods, settings: Settings) -> AppState {
    AppState {
        readiness: Arc::new(Readiness::starting(methods)),
        metrics: Arc::new(Metrics::default()),
        connections: Arc::new(ConnectionLimit::new(100)),
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
    idle_effort: EffortLevel::DEFAULT,
    busy_effort: EffortLevel::DEFAULT,
};

/// A service that is ready, with a stub.
pub(crate) fn ready_with(stub: &Arc<Stub>, config: PoolConfig, settings: Settings) -> AppState {
    let state = starting(settings);
    let metrics = Arc::clone(&state.metrics);
    let generator = Arc::clone(stub) as Arc<dyn Generate>;
    state
        .readiness
        .ready(Pool::start(generator, metrics, config).unwrap());
    state
}

pub(crate) fn ready(doing: Doing) -> AppState {
    ready_with(&stub(doing), SMALL, settings())
}

/// Sends a request without a body.
pub(crate) async fn send(state: &AppState, method: &str, uri: &str) -> Response<Body> {
    let request = Request::builder().method(method).uri(uri);
    answer(state, request.body(Body::empty()).unwrap()).await
}

/// Sends a JSON document.
pub(crate) async fn post(state: &AppState, uri: &str, body: &str) -> Response<Body> {
    let request = Request::post(uri).header("content-type", "application/json");
    answer(state, request.body(Body::from(body.to_owned())).unwrap()).await
}

pub(crate) async fn answer(state: &AppState, request: Request<Body>) -> Response<Body> {
    router(state.clone()).oneshot(request).await.unwrap()
}

/// Waits for something that will happen; a minute is far more than it takes.
pub(crate) async fn wait_until(what: &str, mut happened: impl AsyncFnMut() -> bool) {
    let began = std::time::Instant::now();
    while !happened().await {
        assert!(began.elapsed() < Duration::from_secs(60), "{what}: not yet");
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

/// Checks that an answer is a well-formed problem of a kind.
pub(crate) async fn is_problem(response: Response<Body>, status: u16, kind: &str) -> Value {
    let headers = response.headers().clone();
    assert_eq!(response.status().as_u16(), status, "{kind}");
    assert_eq!(headers[header::CONTENT_TYPE], "application/problem+json");
    assert_eq!(
        headers.contains_key(header::RETRY_AFTER),
        [429, 503].contains(&status)
    );
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

/// Sends a request and checks that the answer is a problem of a kind.
pub(crate) async fn problem(
    state: &AppState,
    method: &str,
    uri: &str,
    status: u16,
    kind: &str,
) -> Value {
    is_problem(send(state, method, uri).await, status, kind).await
}
