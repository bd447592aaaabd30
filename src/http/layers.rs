//! Middleware: access control, metrics and log lines of requests. These name the route, never the query or an unknown
//! path, which may hold secrets.

use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Version, header};
use axum::middleware::Next;
use axum::response::Response;
use tracing::Span;

use super::describe::REQUEST_ID;
use super::elapsed::Began;
use super::extract::{AcceptHeader, HTML, SEC_FETCH_SITE};
use super::jobs::GRACE;
use super::line::Client;
use super::metrics::method_label;
use super::problem::{ApiError, PROBLEM, Result, whole_seconds};
use super::routes::common::JSON_TYPE;
use super::state::{AppState, Unavailable};

/// Refuses requests without a valid token, if the service has tokens.
pub(crate) async fn require_token(
    State(state): State<AppState>,
    mut request: Request,
) -> Result<Request> {
    if let Some(tokens) = &*state.tokens.borrow() {
        let header = request.headers().get(header::AUTHORIZATION);
        let name = tokens.name(header).ok_or(ApiError::Unauthorized)?;
        let authorized = &state.metrics.authorized;
        authorized.with_label_values(&[name]).inc();
        if !name.is_empty() {
            let client = Client::identified_by(&name);
            request.extensions_mut().insert(client);
        }
    }
    Ok(request)
}

/// Ends a request that takes longer than it may in all, or that must be aborted. Until then, the service does not stop.
pub(crate) async fn end_in_time(
    State(state): State<AppState>,
    mut request: Request,
    next: Next,
) -> Result<Response> {
    let _active = state.engines.hold();
    let began = Began::of(request.extensions_mut());
    tokio::select! {
        response = next.run(request) => Ok(response),
        () = began.has_taken(state.settings.request_deadline + GRACE) => Err(ApiError::TimedOut),
        () = state.engines.aborted() => Err(Unavailable::Draining.into()),
    }
}

/// Headers that the service reads, and that must not be repeated.
const SINGLE: [HeaderName; 4] = [
    header::AUTHORIZATION,
    header::CONTENT_TYPE,
    header::ORIGIN,
    SEC_FETCH_SITE,
];

/// Refuses requests whose headers can be read in several ways: RFC 9112, sections 3.2 and 6.1, and RFC 9110, section 5.3.
pub(crate) async fn require_valid_head(mut request: Request) -> Result<Request> {
    let headers = request.headers();
    let is_repeated = |name: &HeaderName| headers.get_all(name).iter().count() > 1;
    let has_host = match headers.get(header::HOST) {
        Some(host) => is_host(host.as_bytes()) && !is_repeated(&header::HOST),
        None => request.version() < Version::HTTP_11,
    };
    if !has_host {
        return Err(ApiError::BadHost);
    }
    if let Some(name) = SINGLE.into_iter().find(is_repeated) {
        return Err(ApiError::RepeatedHeader(name));
    }
    let mut codings = headers.get_all(header::TRANSFER_ENCODING).iter();
    let is_chunked = |coding: &HeaderValue| coding.as_bytes().eq_ignore_ascii_case(b"chunked");
    if !codings.next().is_none_or(is_chunked) || codings.next().is_some() {
        return Err(ApiError::UnknownTransferCoding);
    }
    // RFC 9112, section 3.2.2: an absolute target replaces `Host`.
    if let Some(target) = request.uri().authority() {
        let target = HeaderValue::try_from(target.as_str());
        let target = target.map_err(|_| ApiError::BadHost)?;
        request.headers_mut().insert(header::HOST, target);
    }
    Ok(request)
}

/// Whether a text is a host with an optional port, or empty.
fn is_host(text: &[u8]) -> bool {
    let authority = Authority::try_from(text);
    let is_valid = authority.is_ok_and(|authority| {
        let port = authority.as_str().strip_prefix(authority.host());
        // With a user, the host is not a prefix. `port_u16` accepts a plus sign.
        let is_port = |port: &str| authority.port_u16().is_some() && !port.contains('+');
        port.is_some_and(|port| ["", ":"].contains(&port) || is_port(port))
    });
    text.is_empty() || is_valid
}

/// Reduces `Accept-Encoding` to gzip, or removes it. Otherwise one that excludes uncompressed responses would get 406.
pub(crate) async fn ignore_other_codings(mut request: Request) -> Request {
    let accepts_gzip = |value: &HeaderValue| {
        let value = String::from_utf8_lossy(value.as_bytes()).to_ascii_lowercase();
        value.replace([' ', '\t'], "").split(',').any(|coding| {
            let (name, weight) = coding.split_once(";q=").unwrap_or((coding, "1"));
            name == "gzip" && weight.parse().is_ok_and(|weight: f32| weight > 0.0)
        })
    };
    let headers = request.headers_mut();
    let mut values = headers.get_all(header::ACCEPT_ENCODING).iter();
    if values.any(accepts_gzip) {
        let gzip = HeaderValue::from_static("gzip");
        headers.insert(header::ACCEPT_ENCODING, gzip);
    } else {
        headers.remove(header::ACCEPT_ENCODING);
    }
    request
}

/// Shows problems as pages to browsers, which prefer HTML. If the request may succeed later, the browser repeats it.
pub(crate) async fn show_as_pages(request: Request, next: Next) -> Response {
    let accept = AcceptHeader::new(request.headers());
    let json = accept.quality(PROBLEM).max(accept.quality(JSON_TYPE));
    let is_browser = accept.quality("text/html") > json;
    let is_safe = request.method().is_safe();
    let path = request.uri().path().to_owned();
    let mut response = next.run(request).await;
    let Some(error) = response.extensions().get::<ApiError>().cloned() else {
        return response;
    };
    let vary = HeaderValue::from_static("accept");
    response.headers_mut().append(header::VARY, vary);
    if is_browser {
        *response.body_mut() = error.page(&path).into();
        let headers = response.headers_mut();
        let mut set = |name, value| headers.insert(name, HeaderValue::from_static(value));
        set(header::CONTENT_TYPE, HTML);
        set(
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; base-uri 'none'; form-action 'none'",
        );
        headers.remove(header::CONTENT_LENGTH);
        if is_safe && let Some(after) = error.retry_after() {
            headers.insert(header::REFRESH, whole_seconds(after).into());
        }
    }
    response
}

/// Headers of responses that do not have them.
const DEFAULTS: [(HeaderName, &str); 3] = [
    (header::CACHE_CONTROL, "no-store"),
    // Keep browsers from taking other media types for HTML, and from sending query strings to others.
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
];

/// Adds [`DEFAULTS`], and to the policies of pages who may frame them. Tells clients of a service that stops to leave their
/// connections.
pub(crate) async fn add_headers(State(state): State<AppState>, mut response: Response) -> Response {
    let headers = response.headers_mut();
    for (name, value) in DEFAULTS {
        let header = headers.entry(name);
        header.or_insert(HeaderValue::from_static(value));
    }
    let is_page = headers
        .get(header::CONTENT_TYPE)
        .is_some_and(|media| media == HTML);
    if let Some(policy) = headers
        .get_mut(header::CONTENT_SECURITY_POLICY)
        .filter(|_| is_page)
    {
        let (given, none) = (
            &state.settings.frame_ancestors,
            [HeaderValue::from_static("'none'")],
        );
        let ancestors = if given.is_empty() { &none[..] } else { given };
        let mut framed = [policy.as_bytes(), b"; frame-ancestors"].concat();
        for ancestor in ancestors {
            framed.push(b' ');
            framed.extend(ancestor.as_bytes());
        }
        *policy = HeaderValue::try_from(framed).expect("origins are valid in a header");
    }
    if state.engines.is_stopping() {
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// Maximum length of an id from a client, in bytes.
const MAX_ID: usize = 64;

/// A new id of a request.
pub(super) fn new_id() -> String {
    format!("{:032x}", rand::random::<u128>())
}

/// Gives a request and its response an id: that of the client, if there is exactly one, of at most 64 letters, digits and
/// `-_.:+/=`; otherwise a new one.
pub(crate) async fn identify(mut request: Request, next: Next) -> Response {
    let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.:+/=".contains(byte);
    let is_valid =
        |id: &&HeaderValue| (1..=MAX_ID).contains(&id.len()) && id.as_bytes().iter().all(allowed);
    let mut ids = request.headers().get_all(REQUEST_ID).iter();
    let given = ids.next().filter(is_valid).filter(|_| ids.next().is_none());
    let new = || HeaderValue::try_from(new_id());
    let id = given
        .cloned()
        .unwrap_or_else(|| new().expect("digits are valid"));
    request.headers_mut().insert(REQUEST_ID, id.clone());
    let mut response = next.run(request).await;
    response.headers_mut().insert(REQUEST_ID, id);
    response
}

/// The pattern of the route that a request matches, or `-`.
fn route<B>(request: &axum::http::Request<B>) -> &str {
    let matched = request.extensions().get::<MatchedPath>();
    matched.map_or("-", MatchedPath::as_str)
}

/// Routes that are requested all the time. Their successes would fill the log.
const MONITORING: [&str; 4] = ["/livez", "/readyz", "/healthz", "/metrics"];

/// Stands for the status of a request whose client leaves before the response.
const CLIENT_LEFT: u16 = 499;

/// A request that is recorded in the metrics and in the log when it ends.
struct Record {
    state: AppState,
    span: Span,
    route: String,
    method: &'static str,
    began: Instant,
    status: u16,
    problem: Option<&'static str>,
}

impl Drop for Record {
    fn drop(&mut self) {
        let (metrics, took) = (&self.state.metrics, self.began.elapsed());
        let labels = [self.method, &self.route, &self.status.to_string()];
        metrics.requests.with_label_values(&labels).inc();
        let durations = metrics.durations.with_label_values(&[&self.route]);
        durations.observe(took.as_secs_f64());
        let rejection = self.problem.filter(|_| [503, 504].contains(&self.status));
        if let Some(reason) = rejection {
            metrics.rejections.with_label_values(&[reason]).inc();
        }
        let is_success = (200..300).contains(&self.status);
        let (status, problem, millis) = (self.status, self.problem, took.as_millis() as u64);
        let _entered = self.span.enter();
        if status == CLIENT_LEFT {
            tracing::info!(status, millis, "the client left before the response");
        } else if is_success && MONITORING.contains(&&*self.route) {
            tracing::debug!(status, millis, "responded");
        } else {
            tracing::info!(status, millis, problem, "responded");
        }
    }
}

/// Records a request in the metrics and in the log.
pub(crate) async fn record(
    State(state): State<AppState>,
    request: Request,
    next: Next,
) -> Response {
    let mut record = Record {
        state,
        span: Span::current(),
        route: route(&request).to_owned(),
        method: method_label(request.method()),
        began: Instant::now(),
        status: CLIENT_LEFT,
        problem: None,
    };
    let response = next.run(request).await;
    record.status = response.status().as_u16();
    record.problem = response.extensions().get::<ApiError>().map(ApiError::kind);
    response
}

/// The span of a request's log lines.
pub(crate) fn span<B>(request: &axum::http::Request<B>) -> Span {
    let id = request.headers().get(REQUEST_ID);
    let id = id.and_then(|id| id.to_str().ok()).unwrap_or("-");
    let method = method_label(request.method());
    let trace_id = trace_id(request.headers());
    tracing::info_span!("request", method, route = route(request), id, trace_id)
}

/// The header that names a trace and the caller's span in it.
const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// The trace id of a request, 32 hexadecimal digits. `None` if the header is missing, repeated or malformed.
fn trace_id(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(TRACEPARENT).iter();
    let value = values.next().filter(|_| values.next().is_none())?;
    trace_id_of(value.to_str().ok()?)
}

fn trace_id_of(value: &str) -> Option<&str> {
    let fields: Vec<&str> = value.splitn(5, '-').collect();
    let (&[version, trace, parent, flags], more) = fields.split_first_chunk()?;
    let fields = [version, trace, parent, flags];
    let is_digit = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let is_valid = fields.map(str::len) == [2, 32, 16, 2]
        && fields.iter().all(|field| field.bytes().all(is_digit))
        && [trace, parent].iter().all(|id| id.bytes().any(|byte| byte != b'0'))
        && version != "ff"
        // Only later versions may have more fields.
        && (version != "00" || more.is_empty());
    is_valid.then_some(trace)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

    #[test]
    fn only_a_well_formed_header_has_a_trace_id() {
        let parent = "00f067aa0ba902b7";
        let zeros = "0".repeat(32);
        for (value, is_valid) in [
            (format!("00-{TRACE}-{parent}-01"), true),
            (format!("00-{TRACE}-{parent}-ff"), true),
            (format!("00-{TRACE}-{parent}-01-"), false),
            (format!("00-{TRACE}-{parent}-01-more"), false),
            (format!("00-{TRACE}-{parent}-0"), false),
            (format!("00-{TRACE}-{parent}-0g"), false),
            (format!("00-{TRACE}-{parent}"), false),
            (format!("00-{}-{parent}-01", TRACE.to_uppercase()), false),
            (format!("00-{}-{parent}-01", &TRACE[1..]), false),
            (format!("00-{zeros}-{parent}-01"), false),
            (format!("00-{TRACE}-{}-01", &zeros[16..]), false),
            (format!("00-{TRACE}-{parent}0-01"), false),
            // Later versions may have more fields.
            (format!("01-{TRACE}-{parent}-01"), true),
            (format!("cc-{TRACE}-{parent}-01-more"), true),
            (format!("cc-{TRACE}-{parent}-01.more"), false),
            (format!("ff-{TRACE}-{parent}-01"), false),
            (format!("0-{TRACE}-{parent}-01"), false),
            (format!("0G-{TRACE}-{parent}-01"), false),
            (String::new(), false),
        ] {
            let found = trace_id_of(&value);
            assert_eq!(found, is_valid.then_some(TRACE), "{value:?}");
        }
    }

    #[test]
    fn a_repeated_header_has_no_trace_id() {
        let mut headers = HeaderMap::new();
        assert_eq!(trace_id(&headers), None);
        let value = format!("00-{TRACE}-00f067aa0ba902b7-01");
        headers.append(TRACEPARENT, value.parse().unwrap());
        assert_eq!(trace_id(&headers), Some(TRACE));
        headers.append(TRACEPARENT, value.parse().unwrap());
        assert_eq!(trace_id(&headers), None);
    }
}
