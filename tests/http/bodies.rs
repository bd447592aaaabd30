//! The bodies of requests.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::Request;
use futures_util::{StreamExt, stream};
use hyper::body::{Frame, SizeHint};
use tokio::time::{Instant, sleep};

use crate::requests::*;
use crate::service::*;

/// The largest position and the largest competition, in bytes.
const MAX: [(&str, usize); 2] = [("/v1/verify", 16 * 1024), ("/v1/wcif", 8 << 20)];

fn posted(uri: &str, body: Body) -> Request<Body> {
    let request = Request::post(uri).header("content-type", "application/json");
    request.body(body).unwrap()
}

#[tokio::test]
async fn only_json_bodies_are_read() {
    let state = ready(Behavior::Turns);
    let json = "application/json|Application/JSON|application/json;charset=utf-8|application/json ; charset=utf-8|\
                application/json; Charset=\"UTF-8\"|application/json; version=1; charset=us-ascii|application/wcif+json|\
                application/wcif+JSON; version=1";
    // Also what forms of other pages can send without asking.
    let others = "application/json; charset=utf-16|application/json;charset=\"utf-16\"|application/json; charset=|\
                  application/json; charset=utf-8; charset=utf-32|application/json; charset=iso-8859-1|\
                  application/x-www-form-urlencoded|multipart/form-data; boundary=json|text/plain|text/json|\
                  text/wcif+json|application/jsonx|application/octet-stream|application|json|";
    let media = |list: &'static str, is_json| list.split('|').map(move |it| (it, &[][..], is_json));
    let encodings = [
        (&["identity"][..], true),
        (&["Identity"], true),
        (&["identity", "identity"], true),
        (&["gzip"], false),
        (&["identity", "gzip"], false),
        (&["gzip, identity"], false),
        (&[""], false),
    ];
    let encodings = encodings.map(|(list, is_plain)| ("application/json", list, is_plain));
    for (media, encodings, is_read) in media(json, true)
        .chain(media(others, false))
        .chain(encodings)
    {
        let encodings = encodings.iter().map(|&coding| ("content-encoding", coding));
        let headers: Vec<_> = [("content-type", media)]
            .into_iter()
            .chain(encodings)
            .collect();
        for uri in ["/v1/verify", "/v1/solve", "/v1/wcif", "/print"] {
            // An empty object is no valid body.
            let response = call(&state, request(&format!("POST {uri} {{}}"), &headers)).await;
            match is_read {
                true => assert_problem(response, 400, "bad-body").await,
                false => assert_problem(response, 415, "unsupported-media-type").await,
            };
        }
    }
    let untyped = Request::post("/v1/verify").body(Body::from("{}")).unwrap();
    assert_problem(call(&state, untyped).await, 415, "unsupported-media-type").await;
}

#[tokio::test]
async fn a_body_in_pieces_may_be_as_large_as_a_whole_one() {
    let state = ready(Behavior::Turns);
    for (uri, max) in MAX {
        for length in [max, max + 1] {
            // Neither a position nor a competition, so that nothing else is done.
            let text = "{}".to_owned() + &" ".repeat(length - 2);
            for piece in [length, max, max - 1, length / 2, 1_000] {
                let pieces = text.as_bytes().chunks(piece).map(<[u8]>::to_vec);
                let pieces: Vec<_> = pieces.map(Ok::<_, Infallible>).collect();
                let body = Body::from_stream(stream::iter(pieces));
                let response = call(&state, posted(uri, body)).await;
                if length == max {
                    assert_problem(response, 400, "bad-body").await;
                    continue;
                }
                let problem = assert_problem(response, 413, "too-large").await;
                let advice =
                    detail(&problem).contains("the command line takes competitions of any size");
                assert_eq!(advice, uri == "/v1/wcif");
                assert!(detail(&problem).contains(&max.to_string()), "{problem}");
            }
        }
        let lost = std::io::Error::other("the connection is lost");
        let pieces = stream::iter([Ok("{\"scramble\":\"R\"}"), Err(lost)]);
        let cut = call(&state, posted(uri, Body::from_stream(pieces))).await;
        let problem = assert_problem(cut, 400, "bad-body").await;
        assert_eq!(problem["detail"], "the body is incomplete");
    }
}

/// A body of spaces whose length is known before it arrives.
struct Announced {
    length: usize,
    is_read: Arc<AtomicBool>,
}

impl hyper::body::Body for Announced {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.is_read.store(true, Ordering::Relaxed);
        let piece = self.length.min(1_000);
        self.length -= piece;
        let frame = Frame::data(Bytes::from(" ".repeat(piece)));
        Poll::Ready((piece > 0).then_some(Ok(frame)))
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.length as u64)
    }
}

/// Other clients read no response until they have sent the body.
#[tokio::test]
async fn a_large_body_is_refused_unread_only_if_the_client_waits_for_that() {
    let state = starting(settings());
    for (uri, max) in MAX {
        for (waits, length) in [(true, max + 1), (true, max), (false, max + 1), (false, max)] {
            let is_read = Arc::new(AtomicBool::new(false));
            let body = Announced {
                length,
                is_read: Arc::clone(&is_read),
            };
            let mut request = posted(uri, Body::new(body));
            if waits {
                let value = "100-continue".parse().unwrap();
                request.headers_mut().insert("expect", value);
            }
            let response = call(&state, request).await;
            let is_large = length > max;
            match is_large {
                true => assert_problem(response, 413, "too-large").await,
                false => assert_problem(response, 400, "bad-body").await,
            };
            assert_eq!(
                is_read.load(Ordering::Relaxed),
                !(waits && is_large),
                "{uri}"
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_must_arrive_in_time_and_without_long_pauses() {
    let state = starting(settings());
    // The seconds before each piece, whether the body ends then, and the seconds until the response: at most 10 for a
    // body, 42 for a competition, and 10 after the last piece.
    for (uri, pauses, ends, seconds) in [
        ("/v1/solve", &[][..], false, 10),
        ("/v1/solve", &[9], false, 10),
        ("/v1/solve", &[4, 4], false, 10),
        ("/v1/solve", &[4, 5], true, 9),
        ("/print", &[], false, 10),
        ("/print", &[3], false, 13),
        ("/print", &[9, 9, 9, 9], false, 42),
        ("/print", &[6, 9, 9, 9, 8], false, 42),
        ("/print", &[6, 7], true, 13),
        ("/v1/wcif", &[11], true, 10),
        ("/v1/wcif", &[1, 11], true, 11),
        ("/v1/wcif", &[9, 9, 9, 9, 9], true, 42),
    ] {
        let pieces = stream::iter(pauses.to_vec()).then(async |pause: u64| {
            sleep(Duration::from_secs(pause)).await;
            Ok::<_, Infallible>("{")
        });
        let body = match ends {
            true => Body::from_stream(pieces.boxed()),
            false => Body::from_stream(pieces.boxed().chain(stream::pending())),
        };
        let began = Instant::now();
        let response = call(&state, posted(uri, body)).await;
        assert_eq!(began.elapsed().as_secs(), seconds, "{uri} {pauses:?}");
        if ends && seconds == pauses.iter().sum::<u64>() {
            assert_problem(response, 400, "bad-body").await;
        } else {
            assert_problem(response, 408, "slow-body").await;
        }
    }
}
