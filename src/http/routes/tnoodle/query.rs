//! Query parameters of TNoodle's server that this service rejects: clients that send them would misinterpret
//! the response.

use axum::extract::{FromRequestParts, Query};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::http::problem::ApiError;

/// Rejects a parameter that is not supported.
pub(super) fn refuse_unsupported(name: &str) -> Result<(), ApiError> {
    let reason = match name {
        "seed" => "seed is not supported: a known seed would reveal the scrambles in advance",
        "callback" => "callback is not supported: there is no JSONP; see --cors-origin",
        _ => return Ok(()),
    };
    Err(ApiError::BadParameter(reason.to_owned()))
}

/// Query parameters without unsupported ones.
pub(super) struct SupportedQuery<T>(pub(super) T);

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for SupportedQuery<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<SupportedQuery<T>, ApiError> {
        let repeated = |_| ApiError::BadParameter("each parameter may be given once".to_owned());
        let Query(query) = Query::try_from_uri(&parts.uri).map_err(repeated)?;
        let pairs = Query::<Vec<(String, String)>>::try_from_uri(&parts.uri);
        for (name, _) in pairs.map_err(repeated)?.0 {
            refuse_unsupported(&name)?;
        }
        Ok(SupportedQuery(query))
    }
}
