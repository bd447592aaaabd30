//! Requests with a JSON body.

use std::convert::Infallible;
use std::marker::PhantomData;

use axum::extract::{FromRequest, Request};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::body::read_object;
use crate::http::describe::{Describe, Detail, schema};
use crate::http::problem::{self, Result};

/// A request whose body is JSON of a type. It is not read yet.
pub(crate) struct Posted<T>(pub(crate) Request, pub(crate) PhantomData<fn() -> T>);

impl<S: Sync, T> FromRequest<S> for Posted<T> {
    type Rejection = Infallible;

    async fn from_request(request: Request, _: &S) -> Result<Posted<T>, Infallible> {
        Ok(Posted(request, PhantomData))
    }
}

impl<T: DeserializeOwned> Posted<T> {
    /// Reads the body. `shape` describes it in error messages.
    pub(crate) async fn read(self, shape: &'static str) -> Result<T> {
        read_object(self.0, shape).await
    }
}

impl<T: JsonSchema> Describe for Posted<T> {
    fn details() -> Vec<Detail> {
        vec![
            Detail::Body(schema::<T>),
            Detail::Error(problem::BAD_BODY),
            Detail::Error(problem::SLOW_BODY),
            Detail::Error(problem::TOO_LARGE),
            Detail::Error(problem::UNSUPPORTED_MEDIA_TYPE),
        ]
    }
}
