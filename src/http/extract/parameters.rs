//! Parameters. A route declares those of its query with [`parameters!`], from which they are read and described. They
//! are parsed by hand so that errors can name the allowed values.

use std::collections::{HashMap, HashSet};
use std::fmt::Display;

use axum::extract::{FromRequestParts, Path};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use cube444::cube::notation::abbreviated;
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

use crate::http::describe::{Describe, Detail};
use crate::http::problem::ApiError::{self, UnexpectedParameter};
use crate::http::problem::{BAD_PARAMETER, NOT_FOUND, Result};
use crate::http::state::AppState;

/// An error of a query parameter.
pub(crate) fn bad_parameter(error: impl Display) -> ApiError {
    ApiError::BadParameter(None, error.to_string())
}

/// The query parameters of a request, unchecked: names and values.
pub(crate) struct Query(pub(crate) Vec<(String, String)>);

impl<S: Sync> FromRequestParts<S> for Query {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Query> {
        // axum would replace invalid UTF-8.
        let mut pairs = parts.uri.query().unwrap_or_default().split('&');
        if let Some(pair) = pairs.find(|pair| percent_decode_str(pair).decode_utf8().is_err()) {
            let name = pair
                .split('=')
                .next()
                .map(abbreviated)
                .filter(|it| !it.is_empty());
            let of = name.as_deref().unwrap_or("the query");
            let error = format!("{of} must be text in UTF-8");
            return Err(ApiError::BadParameter(name, error));
        }
        let query = axum::extract::Query::try_from_uri(&parts.uri);
        let query = query.map_err(|_| bad_parameter("the query must be NAME=VALUE"))?;
        Ok(Query(query.0))
    }
}

/// The query parameters of a route, which takes no others, or else ignores them.
pub(crate) struct Parameters<P, const IS_STRICT: bool = true>(pub(crate) P);

/// The query parameters of a route that ignores others.
pub(crate) type LenientParameters<P> = Parameters<P, false>;

impl<P: ParameterGroup, const IS_STRICT: bool> FromRequestParts<AppState>
    for Parameters<P, IS_STRICT>
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self> {
        let Query(mut pairs) = Query::from_request_parts(parts, state).await?;
        let names = P::names("");
        let is_known = |(name, _): &(String, String)| names.contains(&name.as_str());
        if IS_STRICT && let Some((name, _)) = pairs.iter().find(|pair| !is_known(pair)) {
            return Err(UnexpectedParameter("unknown", abbreviated(name), names));
        }
        pairs.retain(is_known);
        let mut seen = HashSet::new();
        if let Some((name, _)) = pairs.iter().find(|(name, _)| !seen.insert(name)) {
            return Err(UnexpectedParameter("repeated", abbreviated(name), names));
        }
        let headers = &parts.headers;
        let given = Given {
            pairs,
            headers,
            state,
        };
        P::read_from("", &given).map(Parameters)
    }
}

impl<P: ParameterGroup, const IS_STRICT: bool> Describe for Parameters<P, IS_STRICT> {
    fn details() -> Vec<Detail> {
        let list = Detail::Parameters(|state| P::describe(Value::Null, state));
        vec![list, Detail::Error(BAD_PARAMETER)]
    }
}

/// The parameters of a request, and what their values depend on.
pub(crate) struct Given<'a> {
    pairs: Vec<(String, String)>,
    pub(crate) headers: &'a HeaderMap,
    pub(super) state: &'a AppState,
}

impl Given<'_> {
    /// Reads the parameter with a name.
    pub(crate) fn read<T: Parameter>(&self, name: &str) -> Result<T> {
        let named = self.pairs.iter().find(|(other, _)| other == name);
        let value = T::read(name, named.map(|(_, value)| value.as_str()), self);
        value.map_err(|error| error.of(name))
    }
}

/// A parameter or several, as a field of those of a route.
pub(crate) trait ParameterGroup: Sized {
    /// The names of the parameters. One parameter has the `name` of its field.
    fn names(name: &'static str) -> Vec<&'static str>;
    /// Reads the values.
    fn read_from(name: &str, given: &Given<'_>) -> Result<Self>;
    /// The description. For one parameter, `one` has all but a part of the schema.
    fn describe(one: Value, state: &AppState) -> Vec<Value>;
}

/// The type of a parameter in the path.
pub(crate) trait PathParameter: Sized {
    /// The name, and the description.
    const ABOUT: (&'static str, &'static str);
    /// The JSON schema.
    fn schema() -> Value;
    /// Reads the value.
    fn read(text: &str) -> Result<Self>;
}

/// A parameter in the path.
pub(crate) struct InPath<P>(pub(crate) P);

impl<P: PathParameter> FromRequestParts<AppState> for InPath<P> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<InPath<P>> {
        // Fails if the path is not UTF-8.
        let path = Path::<HashMap<String, String>>::from_request_parts(parts, state).await;
        let Path(values) = path.map_err(|_| ApiError::NotFound)?;
        P::read(&values[P::ABOUT.0]).map(InPath)
    }
}

impl<P: PathParameter> Describe for InPath<P> {
    fn details() -> Vec<Detail> {
        let list = |_: &AppState| {
            let (name, text) = P::ABOUT;
            vec![
                json!({"name": name, "in": "path", "description": text, "required": true, "schema": P::schema()}),
            ]
        };
        vec![Detail::Parameters(list), Detail::Error(NOT_FOUND)]
    }
}

/// The type of a query parameter.
pub(crate) trait Parameter: Sized {
    /// Reads the value; `None` if the parameter is absent.
    fn read(name: &str, text: Option<&str>, given: &Given<'_>) -> Result<Self>;
    /// The JSON schema, with the default.
    fn schema(state: &AppState) -> Value;
}

impl<T: Parameter> ParameterGroup for T {
    fn names(name: &'static str) -> Vec<&'static str> {
        vec![name]
    }

    fn read_from(name: &str, given: &Given<'_>) -> Result<T> {
        given.read(name)
    }

    fn describe(mut one: Value, state: &AppState) -> Vec<Value> {
        let mut schema = T::schema(state);
        let more = one["schema"].as_object_mut().map(std::mem::take);
        schema
            .as_object_mut()
            .expect("a schema is an object")
            .extend(more.into_iter().flatten());
        one["schema"] = schema;
        vec![one]
    }
}

/// Declares a struct whose fields are query parameters, with the text of the description, or groups of them. A name
/// that is no identifier follows `as`; more keywords of the schema follow `where`.
macro_rules! parameters {
    ($(#[$attribute:meta])* $vis:vis struct $struct:ident {
        $($(#[doc = $text:literal])* $field:ident $(as $name:literal)?: $type:ty $(where $more:tt)?),* $(,)?
    }) => {
        $(#[$attribute])*
        $vis struct $struct {
            $($vis $field: $type),*
        }

        const _: () = {
            #[allow(unused_imports, reason = "a struct without fields needs fewer")]
            use {
                serde_json::{Value, json},
                $crate::http::describe::joined,
                $crate::http::extract::{Given, ParameterGroup, name},
            };

            impl ParameterGroup for $struct {
                fn names(_: &'static str) -> Vec<&'static str> {
                    <[Vec<_>]>::concat(&[$(<$type>::names(name!($field $($name)?))),*])
                }

                fn read_from(_: &str, _given: &Given<'_>) -> $crate::http::problem::Result<$struct> {
                    Ok($struct {
                        $($field: <$type>::read_from(name!($field $($name)?), _given)?),*
                    })
                }

                fn describe(_: Value, _state: &$crate::http::state::AppState) -> Vec<Value> {
                    <[Vec<_>]>::concat(&[$(<$type>::describe(
                        json!({
                            "name": name!($field $($name)?),
                            "in": "query",
                            "description": joined(concat!($($text, "\n"),*)),
                            $("schema": $more)?
                        }),
                        _state,
                    )),*])
                }
            }
        };
    };
}
pub(crate) use parameters;

/// The name of a parameter.
macro_rules! name {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $name:literal) => {
        $name
    };
}
pub(crate) use name;

parameters! {
    /// None.
    pub(crate) struct NoParameters {}
}
