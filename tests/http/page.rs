//! The responses for the page at `/` and its files.

use std::collections::BTreeSet;

use axum::body::Body;
use axum::http::{HeaderMap, Response, StatusCode, header};
use cube444::Effort;
use scramble444::http::AppState;

use crate::requests::*;
use crate::service::*;

/// The `Accept` header of a browser that opens a page.
const BROWSERS: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,\
    image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7";

const FILES: &str = "app.css app.js colors.js cube.js flaws.js memory.js notice.js position.js service.js sheets.js";

async fn get(state: &AppState, path: &str, accept: &str) -> Response<Body> {
    get_with(state, path, &[("accept", accept)]).await
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers[name].to_str().unwrap()
}

fn varies_with_accept(headers: &HeaderMap) -> bool {
    let values = headers.get_all(header::VARY).iter();
    let mut names = values.flat_map(|value| value.to_str().unwrap().split(','));
    names.any(|name| name.trim().eq_ignore_ascii_case("accept"))
}

/// The responses for the page and for all its files.
async fn files(state: &AppState) -> Vec<(String, Response<Body>)> {
    let mut files = vec![("/".to_owned(), get(state, "/", BROWSERS).await)];
    for name in FILES.split(' ') {
        let path = format!("/assets/{name}");
        let response = get(state, &path, "*/*").await;
        files.push((path, response));
    }
    files
}

#[tokio::test]
async fn only_clients_that_prefer_html_get_the_page() {
    // The page needs neither a token nor a ready service.
    let stub = stub(Behavior::Turns);
    let guarded = guarded(&stub, "0123456789abcdef", settings());
    for state in [ready(Behavior::Turns), starting(settings()), guarded] {
        for (accept, is_page) in [
            (BROWSERS, true),
            ("text/html", true),
            ("TEXT/HTML;q=0.9, text/plain;q=0.8", true),
            ("*/*", false),
            ("", false),
            ("text/*", false),
            ("text/plain", false),
            ("text/html, text/plain", false),
            ("text/html;q=0.1, */*;q=0.2", false),
            ("application/json", false),
        ] {
            let response = get(&state, "/", accept).await;
            assert_eq!(response.status(), StatusCode::OK, "{accept}");
            let headers = response.headers();
            let media = if is_page { "text/html" } else { "text/plain" };
            let expected = format!("{media}; charset=utf-8");
            assert_eq!(header(headers, "content-type"), expected, "{accept}");
            assert!(varies_with_accept(headers), "{accept}");
            let text = text(response).await;
            assert_eq!(text.starts_with("<!DOCTYPE html>"), is_page, "{accept}");
        }
        let plain = text(send(&state, "GET", "/").await).await;
        assert!(plain.starts_with("scramble444 ") && plain.contains("GET  /v1/scrambles "));
        assert!(plain.contains("not the official WCA scramble program"));
        // Browsers without JavaScript show the same text.
        let page = text(get(&state, "/", BROWSERS).await).await;
        let (_, noscript) = page.split_once("<noscript>").unwrap();
        let (noscript, _) = noscript.split_once("</noscript>").unwrap();
        let unescaped = noscript.replace("&lt;", "<").replace("&amp;", "&");
        assert!(noscript.contains("needs JavaScript") && unescaped.contains(&plain));
    }
}

#[tokio::test]
async fn the_page_loads_only_its_own_files() {
    let state = ready(Behavior::Turns);
    let mut texts = Vec::new();
    for (path, response) in files(&state).await {
        assert_eq!(response.status(), StatusCode::OK, "{path}");
        let headers = response.headers();
        assert_eq!(header(headers, "x-content-type-options"), "nosniff");
        assert_eq!(header(headers, "referrer-policy"), "no-referrer");
        let parts = |policy: &str| -> BTreeSet<String> {
            let parts = policy.split(';');
            parts.map(|part| part.trim().to_owned()).collect()
        };
        let expected = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; \
                        connect-src 'self'; form-action 'self'; base-uri 'none'; \
                        require-trusted-types-for 'script'";
        let frames = match path.contains('.') {
            true => "",
            false => "; frame-ancestors 'none'",
        };
        let expected = &format!("{expected}{frames}");
        let policy = header(headers, "content-security-policy");
        assert_eq!(parts(policy), parts(expected), "{path}");
        let media = match path.rsplit('.').next() {
            Some("css") => "text/css; charset=utf-8",
            Some("js") => "text/javascript; charset=utf-8",
            _ => "text/html; charset=utf-8",
        };
        assert_eq!(header(headers, "content-type"), media, "{path}");
        texts.push((path, text(response).await));
    }
    let size: usize = texts.iter().map(|(_, text)| text.len()).sum();
    // The text that the service inserts does not count.
    let about = text(send(&state, "GET", "/").await).await.len();
    assert!(size - about < 55 << 10, "{size}, {about} of them inserted");
    for (path, text) in &texts {
        // The URI of the SVG namespace is never requested.
        let text = text.replace("http://www.w3.org/2000/svg", "");
        for foreign in ["http:", "https:", "//cdn", "@import", "url("] {
            assert!(!text.contains(foreign), "{path} has {foreign}");
        }
        for inline in "style= <style javascript: onclick= onload= innerHTML".split(' ') {
            assert!(!text.contains(inline), "{path} has {inline}");
        }
    }
    let all: String = texts.into_iter().map(|(_, text)| text).collect();
    assert_eq!(all.matches("<script").count(), 1);
    for name in FILES.split(' ') {
        let is_used = [format!("\"assets/{name}\""), format!("from \"./{name}\"")];
        assert!(is_used.iter().any(|text| all.contains(text)), "{name}");
    }
}

#[tokio::test]
async fn the_page_has_the_limits_of_its_service() {
    let state = starting(settings());
    let page = text(get(&state, "/", BROWSERS).await).await;
    assert!(page.contains(r#"min="1" max="100" value="5""#));
    let levels = |last: u8, default: u8| {
        let option = |level| match level == default {
            true => format!("<option value=\"{level}\" selected>{level}</option>"),
            false => format!("<option value=\"{level}\">{level}</option>"),
        };
        let options: String = (1..=last).map(option).collect();
        format!(">{options}</select>")
    };
    assert!(page.contains(&levels(7, 4)));
    assert!(page.contains("<option>stub</option></select>"));
    // The limits of sheets.
    for name in [
        "round\" type=\"number\" min=\"1\" max=\"4\"",
        "sets\" type=\"number\" min=\"1\" max=\"26\"",
        "extras\" type=\"number\" min=\"0\" max=\"99\"",
    ] {
        assert!(page.contains(name), "{name}");
    }
    let mut others = settings();
    others.effort = Effort::new(2).unwrap();
    others.max_effort = Effort::new(9).unwrap();
    let state = starting_with(&["first", "second"], others);
    let page = text(get(&state, "/", BROWSERS).await).await;
    assert!(page.contains(r#"min="1" max="100" value="5""#));
    assert!(page.contains(&levels(9, 2)));
    assert!(page.contains("<option>first</option><option>second</option></select>"));
    let own = ["five-stage", "reduction"];
    let hinted = starting_with(&own, settings());
    let hinted = text(get(&hinted, "/", BROWSERS).await).await;
    let hints = own.map(|name| {
        let (before, _) = hinted.split_once(&format!(">{name}</option>")).unwrap();
        before.rsplit_once("<option title=\"").unwrap().1
    });
    // The page chooses the method with shorter scrambles, and shows what a level takes.
    assert!(hints[1].ends_with(" selected") && !hints[0].contains(" selected"));
    let measured = [
        ("five-stage", "49.9 moves, 1 ms;48.3 moves, 4 ms;"),
        ("reduction", "44.6 moves, 2 ms;44.2 moves, 2 ms;"),
    ];
    for (hint, (name, levels)) in hints.iter().zip(measured) {
        let start = format!("data-levels=\"{levels}");
        assert!(hint.contains(&start), "{name}: {hint}");
        assert_eq!(hint.matches(" moves, ").count(), 10, "{name}");
    }
    let hints = hints.map(|hint| hint.split('"').next().unwrap());
    let is_text = |hint: &&str| hint.ends_with('.') && !hint.contains('<');
    assert!(hints.iter().all(is_text) && hints[0] != hints[1]);
    let version = format!("scramble444 {}", env!("CARGO_PKG_VERSION"));
    assert!(page.contains(&version));
    let placeholders =
        "version methods max_count count levels longest_name max_rounds max_sets max_extras about";
    for name in placeholders.split(' ').map(|name| format!("{{{name}}}")) {
        assert!(!page.contains(&name), "{name} remains");
    }
}

#[tokio::test]
async fn unchanged_files_are_revalidated_by_their_etag() {
    let state = ready(Behavior::Turns);
    let revalidate = async |state: &AppState, path: &str, tags: &str| {
        let headers = [("accept", BROWSERS), ("if-none-match", tags)];
        get_with(state, path, &headers).await
    };
    let mut tags = Vec::new();
    for (path, response) in files(&state).await {
        let headers = response.headers();
        let tag = header(headers, "etag").to_owned();
        assert_eq!(header(headers, "cache-control"), "private, no-cache");
        let strong = tag.strip_prefix("W/").unwrap().to_owned();
        let list = format!("\"other\", {tag}");
        for matching in [tag.clone(), list, strong, "*".to_owned()] {
            let response = revalidate(&state, &path, &matching).await;
            assert_eq!(response.status(), StatusCode::NOT_MODIFIED, "{path}");
            assert_eq!(header(response.headers(), "etag"), tag);
            assert_eq!(text(response).await, "");
        }
        // A repeated header counts as one list.
        let repeated = [("if-none-match", "\"other\""), ("if-none-match", &tag)];
        let headers = [&[("accept", BROWSERS)], &repeated[..]].concat();
        let response = get_with(&state, &path, &headers).await;
        assert_eq!(response.status(), StatusCode::NOT_MODIFIED, "{path}");
        let response = revalidate(&state, &path, "W/\"0000000000000000\"").await;
        assert_eq!(response.status(), StatusCode::OK, "{path}");
        tags.push(tag);
    }
    let other = ready_but(&stub(Behavior::Turns), |it| {
        it.max_effort = Effort::new(9).unwrap();
    });
    let response = revalidate(&other, "/", &tags[0]).await;
    assert_eq!(response.status(), StatusCode::OK);
    tags.sort();
    tags.dedup();
    assert_eq!(tags.len(), 1 + FILES.split(' ').count());
    // No other response may be stored.
    let scrambles = send(&state, "GET", "/v1/scrambles").await;
    assert_eq!(header(scrambles.headers(), "cache-control"), "no-store");
    let plain = send(&state, "GET", "/").await;
    assert_eq!(header(plain.headers(), "cache-control"), "no-store");
    assert!(!plain.headers().contains_key(header::ETAG));
    problem(&state, "GET", "/assets/other.js", 404, "not-found").await;
    problem(&state, "POST", "/", 405, "method-not-allowed").await;
}

#[tokio::test]
async fn browsers_get_problems_as_pages() {
    let state = starting(settings());
    for (uri, accept, is_page, status, refresh) in [
        ("/nothing", BROWSERS, true, 404, None),
        ("/print", BROWSERS, true, 503, Some("1")),
        ("/nothing", "*/*", false, 404, None),
        ("/print", "text/html, */*", false, 503, None),
        ("/print", "application/json", false, 406, None),
    ] {
        let response = get(&state, uri, accept).await;
        let headers = response.headers().clone();
        assert_eq!(response.status(), status, "{uri}");
        assert!(varies_with_accept(&headers), "{uri} {accept}");
        let refreshes = headers.get(header::REFRESH).map(|it| it.to_str().unwrap());
        assert_eq!(refreshes, refresh, "{uri} {accept}");
        let media_type = header(&headers, "content-type");
        if is_page {
            assert_eq!(media_type, "text/html; charset=utf-8");
            let policy = header(&headers, "content-security-policy");
            assert!(policy.starts_with("default-src 'none';"), "{policy}");
        } else {
            assert_eq!(media_type, "application/problem+json", "{uri} {accept}");
        }
        assert_eq!(text(response).await.starts_with("<!DOCTYPE html>"), is_page);
    }

    // They lead to the page of the service, also below a path of a proxy.
    for (uri, home) in [("/nothing", "./"), ("/v1/nothing/else", "./../../")] {
        let page = text(get(&state, uri, BROWSERS).await).await;
        assert!(page.contains(&format!("<a href=\"{home}\">")), "{page}");
    }

    // What a form has sent must not be sent again.
    let accept = [("accept", BROWSERS)];
    let response = call(&state, request("POST /v1/solve", &accept)).await;
    assert_eq!(response.status(), 503);
    assert!(response.headers().contains_key(header::RETRY_AFTER));
    assert!(!response.headers().contains_key(header::REFRESH));

    // The message repeats the request's text.
    let response = call(&state, request("POST /print?%3Cb%3E=1", &accept)).await;
    assert_eq!(response.status(), 400);
    let page = text(response).await;
    let is_escaped = page.contains("&lt;b&gt;") && !page.contains("<b>");
    assert!(
        page.contains("<h1>Bad parameter</h1>") && is_escaped,
        "{page}"
    );
}

#[tokio::test]
async fn pages_may_be_framed_by_the_origins_of_the_settings() {
    for (origins, expected) in [
        (&[][..], "frame-ancestors 'none'"),
        (&["*"], "frame-ancestors *"),
        (
            &["https://a.example", "http://b.example:8123"],
            "frame-ancestors https://a.example http://b.example:8123",
        ),
    ] {
        let origins = origins.iter().map(|origin| origin.parse().unwrap());
        let state = ready_but(&stub(Behavior::Turns), |it| {
            it.frame_ancestors = origins.collect();
        });
        for path in ["/", "/docs", "/nothing"] {
            let response = get_with(&state, path, &[("accept", "text/html")]).await;
            let policy = header(response.headers(), "content-security-policy");
            assert_eq!(policy.matches("frame-ancestors").count(), 1, "{policy}");
            let directives: Vec<&str> = policy.split("; ").collect();
            assert!(directives.contains(&expected), "{path} {policy}");
        }
    }
}

#[tokio::test]
async fn crawlers_are_asked_to_stay_away() {
    let response = send(&ready(Behavior::Turns), "GET", "/robots.txt").await;
    assert_eq!(
        header(response.headers(), "content-type"),
        "text/plain; charset=utf-8"
    );
    assert_eq!(text(response).await, "User-agent: *\nDisallow: /\n");
}
