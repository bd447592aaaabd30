//! The interface's description as a page for people.

use axum::http::header;
use axum::response::{Html, IntoResponse};

/// The page. It reads `/openapi.json`, and nothing from elsewhere.
const PAGE: &str = include_str!("docs.html");

/// `GET /docs`.
pub(crate) async fn page() -> impl IntoResponse {
    // Only the script and the style that stand in the page itself can know the nonce, so the
    // browser runs nothing else, whatever a description may hold.
    let nonce = format!("{:032x}", rand::random::<u128>());
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; \
         connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    let page = PAGE.replace("{nonce}", &nonce);
    ([(header::CONTENT_SECURITY_POLICY, policy)], Html(page))
}
