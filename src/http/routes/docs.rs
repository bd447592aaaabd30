//! `GET /docs`: the description of the interface as a page.

use axum::http::header;
use axum::response::{Html, IntoResponse, Redirect};

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
