//! Request ids, which identify the log lines of a request.

use crate::service::*;

#[tokio::test]
async fn a_valid_request_id_of_the_client_is_kept() {
    let state = ready(Behavior::Turns);
    let longest = "a".repeat(64);
    let too_long = "a".repeat(65);
    for (given, is_kept) in [
        (&["client-7"][..], true),
        (&["AZaz09-_.:+/="], true),
        (&[longest.as_str()], true),
        (&[too_long.as_str()], false),
        (&[""], false),
        (&["two words"], false),
        (&["a\"b"], false),
        (&["one", "two"], false),
        (&[], false),
    ] {
        let headers: Vec<_> = given.iter().map(|&id| ("x-request-id", id)).collect();
        let response = get_with(&state, "/livez", &headers).await;
        let ids = response.headers().get_all("x-request-id");
        let ids: Vec<&str> = ids.iter().map(|id| id.to_str().unwrap()).collect();
        assert_eq!(ids.len(), 1, "{given:?}");
        assert!(!ids[0].is_empty());
        assert_eq!(given.contains(&ids[0]), is_kept, "{given:?}");
    }
}
