//! The colors of new scrambles and sheets.

use cube444::cube::Cube;
use cube444::picture::{Scheme, svg};

use http_body_util::BodyExt;

use crate::service::*;
use test_support::pdf::contents;

const OWN: &str = "00f,ff0,0f0,f80,123456,fff";

#[tokio::test]
async fn pictures_of_new_scrambles_and_sheets_have_the_colors_of_the_scheme() {
    let state = ready(Behavior::Turns);
    let scheme: Scheme = OWN.parse().unwrap();
    let uri = format!("/v1/scrambles?pictures=1&count=3&scheme={OWN}");
    let document = body(send(&state, "GET", &uri).await).await;
    let scrambles = document["scrambles"].as_array().unwrap();
    assert_eq!(scrambles.len(), 3);
    for scramble in scrambles {
        let cube = Cube::from_facelets(scramble["state"].as_str().unwrap()).unwrap();
        assert_eq!(scramble["svg"], svg(&cube, &scheme));
    }
    let sheets = send(&state, "GET", &format!("/print?scheme={OWN}")).await;
    let sheets = sheets.into_body().collect().await.unwrap().to_bytes();
    let drawing = contents(&sheets).remove(0);
    assert_eq!(drawing.matches("0.071 0.204 0.337 rg").count(), 7);
    assert!(!drawing.contains("1.000 0.000 0.000 rg"));
    // An empty one counts as absent.
    let uri = "/v1/scrambles?pictures=1&scheme=";
    assert_eq!(send(&state, "GET", uri).await.status(), 200);
}

#[tokio::test]
async fn equal_colors_are_refused_where_they_would_hide_a_scramble() {
    let state = ready(Behavior::Turns);
    let equal = "00f,ff0,0f0,f80,00f,fff";
    for route in ["/v1/scrambles?pictures=1&", "/print?"] {
        let uri = format!("{route}scheme={equal}");
        let expected = "in the scheme, faces R and B have the same color 0000ff";
        assert_eq!(bad_parameter(&state, &uri).await, expected, "{route}");
    }
    let uri = format!("/v1/scrambles?scheme={OWN}");
    let expected = "scheme is only available with pictures=1";
    assert_eq!(bad_parameter(&state, &uri).await, expected);
    // Pictures of positions may show a part of the pieces alone.
    let uri = format!("/v1/picture?scheme={equal}&scramble=R");
    assert_eq!(send(&state, "GET", &uri).await.status(), 200);
}
