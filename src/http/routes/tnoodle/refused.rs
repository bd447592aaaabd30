//! Parameters that TNoodle's server has or had, and that mean something else than a client would think.

use crate::http::problem::ApiError;

/// Refuses a parameter, if it is one of these.
pub(super) fn refuse(name: Option<&str>) -> Result<(), ApiError> {
    let reason = match name {
        Some("seed") => {
            "seed: scrambles are not reproducible here, since whoever knew the seed would know them"
        }
        Some("callback") => "callback: there is no JSONP here; the service can allow origins",
        _ => return Ok(()),
    };
    Err(ApiError::BadParameter(reason.to_owned()))
}
