//! `GET /openapi.json`: the description of the interface. It is a file; tests hold it to the routes and to what
//! they respond.

use axum::http::{Method, header};
use axum::response::{Html, IntoResponse, Redirect};
use serde_json::{Map, Value};

/// The tag of the routes that exist only with [`Settings::tnoodle`](crate::http::state::Settings::tnoodle).
const TNOODLE: &str = "tnoodle";

/// The description of a service with or without the interfaces of TNoodle's server.
pub(crate) fn description(tnoodle: bool) -> Value {
    let description = serde_json::from_str(include_str!("openapi.json"));
    let mut description: Value =
        description.expect("the file is JSON, as each test with a router shows");
    description["info"]["version"] = env!("CARGO_PKG_VERSION").into();
    let paths = description["paths"].as_object_mut();
    paths
        .expect("as above")
        .retain(|_, path| tnoodle || operations_of(path).all(|(_, it)| it["tags"][0] != TNOODLE));
    description
}

/// The described routes with their HTTP methods.
pub(crate) fn operations(description: &Value) -> impl Iterator<Item = (Method, &str)> {
    let paths = description["paths"].as_object().into_iter();
    paths.flat_map(Map::iter).flat_map(|(path, operations)| {
        operations_of(operations).map(move |(method, _)| {
            let method = method.to_uppercase();
            let method = Method::from_bytes(method.as_bytes());
            (method.expect("the file has only methods there"), &**path)
        })
    })
}

fn operations_of(path: &Value) -> impl Iterator<Item = (&String, &Value)> {
    path.as_object().into_iter().flat_map(Map::iter)
}

/// The page. It loads `openapi.json`, by a relative address, and nothing else.
const PAGE: &str = include_str!("docs.html");

/// `GET /docs`.
pub(crate) async fn page() -> impl IntoResponse {
    // The policy allows only the script and the style that are part of the page, by their nonce. So no text
    // of the description can become a script.
    let nonce = format!("{:032x}", rand::random::<u128>());
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; \
         connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    let page = PAGE.replace("{nonce}", &nonce);
    ([(header::CONTENT_SECURITY_POLICY, policy)], Html(page))
}

/// `GET /docs/`: leads to `/docs`, by a relative address because a proxy may add a prefix.
pub(crate) async fn without_slash() -> Redirect {
    Redirect::permanent("../docs")
}
