//! Reading JSON bodies.

use std::fmt;
use std::time::Duration;

use axum::Json;
use axum::extract::rejection::{BytesRejection, FailedToBufferBody, JsonRejection};
use axum::extract::{DefaultBodyLimit, FromRequest, Request};
use serde::de::{DeserializeOwned, Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::http::problem::ApiError;

/// The most bytes of a request's body, where nothing else is said.
const MOST_BODY: usize = 16 * 1024;

/// How long a body may take to arrive.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// Reads a JSON object. `shape` says what it must be like.
pub(crate) async fn read_object<T: DeserializeOwned>(
    request: Request,
    shape: &'static str,
) -> Result<T, ApiError> {
    // By way of a map, since an array would pass for a structure as well.
    let fields = read_map(request, MOST_BODY, shape).await?;
    let object = serde_json::from_value(Value::Object(fields));
    object.map_err(|_| ApiError::BadBody(shape.to_owned()))
}

/// The members of an object, none of which is there twice: one of the two would be lost.
struct Members(Map<String, Value>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Members, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Members;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Members, A::Error> {
                let mut map = Map::new();
                while let Some((name, value)) = members.next_entry()? {
                    if map.insert(name, value).is_some() {
                        return Err(A::Error::custom("a member is there twice"));
                    }
                }
                Ok(Members(map))
            }
        }

        deserializer.deserialize_map(Object)
    }
}

/// Reads a JSON object of at most so many bytes, whatever its members are.
pub(crate) async fn read_map(
    mut request: Request,
    most: usize,
    shape: &'static str,
) -> Result<Map<String, Value>, ApiError> {
    DefaultBodyLimit::max(most).apply(&mut request);
    let body = Json::<Members>::from_request(request, &());
    let body = tokio::time::timeout(BODY_TIMEOUT, body).await;
    match body.map_err(|_| ApiError::SlowBody)? {
        Ok(Json(Members(fields))) => Ok(fields),
        Err(JsonRejection::MissingJsonContentType(_)) => Err(ApiError::UnsupportedMediaType),
        Err(JsonRejection::BytesRejection(BytesRejection::FailedToBufferBody(
            FailedToBufferBody::LengthLimitError(_),
        ))) => Err(ApiError::TooLarge { most }),
        Err(_) => Err(ApiError::BadBody(shape.to_owned())),
    }
}
