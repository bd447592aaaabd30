//! The page that browsers get at `/`, and its files.

use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use data_encoding::HEXLOWER;
use html_escape::encode_text;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::http::extract::{AcceptHeader, HTML};
use crate::http::state::AppState;
use crate::settings::MAX_COUNT;
use cube444_competition::{MAX_EXTRAS, MAX_NAME, MAX_ROUNDS, MAX_SETS};

/// The markup. Words in braces stand for the service's settings.
const MARKUP: &str = include_str!("index.html");

const STYLE: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The files that the markup refers to, and a request to crawlers: path, media type and content.
const ASSETS: [(&str, &str, &str); 11] = [
    ("/assets/app.css", STYLE, include_str!("app.css")),
    ("/assets/app.js", SCRIPT, include_str!("app.js")),
    ("/assets/colors.js", SCRIPT, include_str!("colors.js")),
    ("/assets/cube.js", SCRIPT, include_str!("cube.js")),
    ("/assets/flaws.js", SCRIPT, include_str!("flaws.js")),
    ("/assets/memory.js", SCRIPT, include_str!("memory.js")),
    ("/assets/notice.js", SCRIPT, include_str!("notice.js")),
    ("/assets/position.js", SCRIPT, include_str!("position.js")),
    ("/assets/service.js", SCRIPT, include_str!("service.js")),
    ("/assets/sheets.js", SCRIPT, include_str!("sheets.js")),
    ("/robots.txt", TEXT, "User-agent: *\nDisallow: /\n"),
];

const TEXT: &str = "text/plain; charset=utf-8";

/// The content security policy: no resources from other origins, no inline scripts and styles.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; connect-src 'self'; form-action 'self'; \
     base-uri 'none'; require-trusted-types-for 'script'",
);

/// The initial number of scrambles: an average of five.
const INITIAL_COUNT: u32 = 5;

/// The method that the page chooses if the service has it: its scrambles are shorter.
const CHOSEN: &str = "reduction";

/// The methods and their hints.
const METHODS: [(&str, &str); 2] = [
    (
        "five-stage",
        "Five stages. Fastest at level 1; in the same time about 4 turns longer than reduction.",
    ),
    (
        CHOSEN,
        "Reduction to a 3x3x3 cube. In the same time about 4 turns shorter than five-stage.",
    ),
];

/// The measured length and time of each level, in JSON.
const LEVELS: &str = include_str!("../../../../docs/curve.json");

/// `GET /` and the files of the page. Programs get the text `about`.
pub(crate) fn routes(state: &AppState, about: String) -> Router<AppState> {
    let page = File::new(HTML, markup(state, &about));
    let about = Bytes::from(about);
    let home = get(async move |headers: HeaderMap| {
        let accept = AcceptHeader::new(&headers);
        // Programs that accept everything get text.
        let mut response = if accept.quality(HTML) > accept.quality(TEXT) {
            page.response(&headers)
        } else {
            ([(header::CONTENT_TYPE, TEXT)], about.clone()).into_response()
        };
        let vary = HeaderValue::from_name(header::ACCEPT);
        response.headers_mut().append(header::VARY, vary);
        response
    });
    let mut router = Router::new().route("/", home);
    for (path, media, content) in ASSETS {
        let file = File::new(media, content.to_owned());
        let file = get(async move |headers: HeaderMap| file.response(&headers));
        router = router.route(path, file);
    }
    router
}

/// The markup with the service's settings.
fn markup(state: &AppState, about: &str) -> String {
    let settings = &state.settings;
    let methods = state.engines.names().into_iter();
    let methods: String = methods.map(option).collect();
    let levels = (1..=settings.max_effort.get()).map(|level| {
        let selected = if level == settings.effort.get() {
            " selected"
        } else {
            ""
        };
        format!("<option value=\"{level}\"{selected}>{level}</option>")
    });
    let values = [
        ("{version}", env!("CARGO_PKG_VERSION").to_owned()),
        ("{methods}", methods),
        ("{max_count}", MAX_COUNT.to_string()),
        ("{count}", INITIAL_COUNT.to_string()),
        ("{levels}", levels.collect()),
        ("{longest_name}", MAX_NAME.to_string()),
        ("{max_rounds}", MAX_ROUNDS.to_string()),
        ("{max_sets}", MAX_SETS.to_string()),
        ("{max_extras}", MAX_EXTRAS.to_string()),
        ("{about}", encode_text(about).into_owned()),
    ];
    let fill_in = |markup: String, (name, value): &(&str, String)| markup.replace(name, value);
    values.iter().fold(MARKUP.to_owned(), fill_in)
}

/// The `<option>` of a method.
fn option(name: &str) -> String {
    let hint = METHODS.iter().find(|(known, _)| *known == name);
    let title = hint.map_or_else(String::new, |(_, text)| {
        format!(" title=\"{text}\" data-levels=\"{}\"", levels(name))
    });
    let selected = if name == CHOSEN { " selected" } else { "" };
    format!("<option{title}{selected}>{}</option>", encode_text(name))
}

/// The length and the time of each level of a method, separated by semicolons.
fn levels(method: &str) -> String {
    let levels: Vec<Value> = serde_json::from_str(LEVELS).expect("the file is in the repository");
    let levels = levels.iter();
    let of_method = levels.filter(|it| it["method"] == method && it["profile"] == "compact");
    let number = |value: &Value| value.as_f64().expect("the file is in the repository");
    let text = |it: &Value| {
        let (moves, millis) = (number(&it["obtm"]), number(&it["cpu_ms_p50"]));
        format!("{moves:.1} moves, {millis:.0} ms")
    };
    of_method.map(text).collect::<Vec<_>>().join(";")
}

/// A file of the page.
#[derive(Clone)]
struct File {
    media: &'static str,
    content: Bytes,
    /// The entity tag, a hash of the content. Weak, as the content may be sent compressed.
    tag: HeaderValue,
}

impl File {
    fn new(media: &'static str, content: String) -> File {
        let tag = format!("W/\"{}\"", HEXLOWER.encode(&Sha256::digest(&content)[..8]));
        let tag = HeaderValue::try_from(tag).expect("hexadecimal digits are valid in a header");
        File {
            media,
            content: content.into(),
            tag,
        }
    }

    /// The file, or 304 if the client has it already (RFC 9110, section 13.1.2).
    fn response(&self, request: &HeaderMap) -> Response {
        let headers = [
            (header::CONTENT_TYPE, HeaderValue::from_static(self.media)),
            (header::ETAG, self.tag.clone()),
            (
                header::CACHE_CONTROL,
                HeaderValue::from_static("private, no-cache"),
            ),
            (header::CONTENT_SECURITY_POLICY, POLICY),
        ];
        // The weak comparison ignores the mark of weak tags. No other tag contains this one with its quotes.
        let own = &self.tag.as_bytes()[2..];
        let has_own = |value: &HeaderValue| {
            value == "*" || value.as_bytes().windows(own.len()).any(|tag| tag == own)
        };
        if request.get_all(header::IF_NONE_MATCH).iter().any(has_own) {
            (StatusCode::NOT_MODIFIED, headers).into_response()
        } else {
            (headers, self.content.clone()).into_response()
        }
    }
}
