//! Reading JSON bodies.

use std::time::Duration;

use axum::Json;
use axum::extract::rejection::{BytesRejection, FailedToBufferBody, JsonRejection};
use axum::extract::{FromRequest, Request};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::problem::ApiError;

/// The most bytes of a request's body.
pub(super) const MOST_BODY: usize = 16 * 1024;

/// How long a body may take to arrive.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// Reads a JSON object. `shape` says what it must be like.
pub(super) async fn read_object<T: DeserializeOwned>(
    request: Request,
    shape: &'static str,
) -> Result<T, ApiError> {
    let bad = || ApiError::BadBody(shape.to_owned());
    // By way of a map, since an array would pass for a structure as well.
    let body = Json::<Map<String, Value>>::from_request(request, &());
    let body = tokio::time::timeout(BODY_TIMEOUT, body).await;
    match body.map_err(|_| ApiError::SlowBody)? {
        Ok(Json(fields)) => serde_json::from_value(Value::Object(fields)).map_err(|_| bad()),
        Err(JsonRejection::MissingJsonContentType(_)) => Err(ApiError::UnsupportedMediaType),
        Err(JsonRejection::BytesRejection(BytesRejection::FailedToBufferBody(
            FailedToBufferBody::LengthLimitError(_),
        ))) => Err(ApiError::TooLarge { most: MOST_BODY }),
        Err(_) => Err(bad()),
    }
}
