//! `POST /wcif/scrambles`: TNoodle's interface for competitions.

use axum::extract::{Request, State};
use axum::response::Response;

use cube444_competition::FilledWcif;
use crate::http::problem::{ApiError, BodyProblems, Problem, Problems};
use crate::http::routes::schema;
use crate::http::routes::wcif::{Extracted, Parameters, fill_competition};
use crate::http::state::AppState;
use crate::pool::Client;

/// Scrambles for a competition.
///
/// Like `/v1/wcif`, except that the response is only the competition, as from TNoodle.
#[utoipa::path(
    post,
    path = "/wcif/scrambles",
    operation_id = "tnoodle_wcif",
    tag = "tnoodle",
    params(Parameters),
    request_body = schema::WcifBody,
    security((), ("token" = [])),
    responses(
        (status = 200, description = "The competition with scrambles", body = schema::Wcif,
            headers(("X-New-Sets" = String, description = "The new scramble sets; absent if none was missing"))),
        (status = 422, description = "The competition is invalid, or takes longer than a request may",
            body = Problem, content_type = "application/problem+json"),
        BodyProblems,
        Problems,
    ),
)]
pub(super) async fn fill(
    State(state): State<AppState>,
    client: Client,
    parameters: Extracted,
    request: Request,
) -> Result<Response, ApiError> {
    let done = fill_competition(&state, client, parameters, request).await?;
    Ok(done.respond(FilledWcif::into_pieces))
}
