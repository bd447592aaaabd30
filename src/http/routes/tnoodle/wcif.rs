//! `POST /wcif/scrambles`: TNoodle's interface for competitions.

use axum::extract::{Request, State};
use axum::response::Response;
use cube444_competition::FilledWcif;

use crate::http::problem::ApiError;
use crate::http::routes::wcif::{Extracted, fill_competition};
use crate::http::state::AppState;
use crate::pool::Client;

/// Scrambles for a competition.
///
/// Like `/v1/wcif`, except that the response is only the competition, as from TNoodle.
pub(super) async fn fill(
    State(state): State<AppState>,
    client: Client,
    parameters: Extracted,
    request: Request,
) -> Result<Response, ApiError> {
    let done = fill_competition(&state, client, parameters, request).await?;
    Ok(done.respond(FilledWcif::into_pieces))
}
