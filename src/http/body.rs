//! Reading JSON bodies.

use std::time::Duration;

use axum::Json;
use axum::extract::rejection::{BytesRejection, FailedToBufferBody, JsonRejection};
use axum::extract::{DefaultBodyLimit, FromRequest, Request};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::problem::ApiError;

/// The most bytes of a request's body, where nothing else is said.
const MOST_BODY: usize = 16 * 1024;

/// How long a body may take to arrive.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// Reads a JSON object. `shape` says what it must be like.
pub(super) async fn read_object<T: DeserializeOwned>(
    request: Request,
    shape: &'static str,
) -> Result<T, ApiError> {
    // By way of a map, since an array would pass for a structure as well.
    let fields = read_map(request, MOST_BODY, shape).await?;
    let object = serde_json::from_value(Value::Object(fields));
    object.map_err(|_| ApiError::BadBody(shape.to_owned()))
}

/// Reads a JSON object of at most so many bytes, whatever its members are.
pub(super) async fn read_map(
    mut request: Request,
    most: usize,
    shape: &'static str,
) -> Result<Map<String, Value>, ApiError> {
    DefaultBodyLimit::max(most).apply(&mut request);
    let body = Json::<Map<String, Value>>::from_request(request, &());
    let body = tokio::time::timeout(BODY_TIMEOUT, body).await;
    match body.map_err(|_| ApiError::SlowBody)? {
        Ok(Json(fields)) => Ok(fields),
        Err(JsonRejection::MissingJsonContentType(_)) => Err(ApiError::UnsupportedMediaType),
        Err(JsonRejection::BytesRejection(BytesRejection::FailedToBufferBody(
            FailedToBufferBody::LengthLimitError(_),
        ))) => Err(ApiError::TooLarge { most }),
        Err(_) => Err(ApiError::BadBody(shape.to_owned())),
    }
}
