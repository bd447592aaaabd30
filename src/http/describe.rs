//! The description of the interface (OpenAPI 3.1) and the list of routes. Both follow from how routes are registered:
//! from the types of a handler's arguments and of its result, and from the row of the route, see [`routes!`].

use std::collections::BTreeMap;

use axum::extract::State;
use axum::handler::Handler;
use axum::http::{HeaderMap, HeaderName, Method};
use axum::response::Response;
use axum::routing::{MethodFilter, on};
use axum::{Json, Router};
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::jobs::GRACE;
use super::problem::{
    DRAINING, INTERNAL, METHOD_FAILED, OVERLOADED, PROBLEM, Problem, ProblemKind, STARTING,
    TIMED_OUT, TOO_MANY_REQUESTS, UNAUTHORIZED,
};
use super::state::AppState;

/// The header of a request's id.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// About the interface as a whole.
const ABOUT: &str = "WCA-style random-state scrambles for the 4x4x4 cube. Every scramble is replayed before it is sent. \
                     This is not the official WCA scramble program.\n\n\
                     Errors are problem documents (RFC 9457). Responses must not be cached.";

/// Groups of routes.
const TAGS: [(&str, &str); 5] = [
    ("scrambles", "Scrambles"),
    ("positions", "Positions"),
    ("competitions", "Competitions"),
    (
        TNOODLE,
        "The interfaces of TNoodle's server, for programs made for it. This is not TNoodle, and not the official WCA \
         scramble program.",
    ),
    ("operations", "Probes"),
];

/// The tag of the interfaces of TNoodle's server.
pub(crate) const TNOODLE: &str = "tnoodle";

/// The tag of routes that are only in the list.
pub(crate) const UNDESCRIBED: &str = "";

/// Makes the schema of a type, and of those in it.
pub(crate) type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// The schema of a type.
pub(crate) fn schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// A part of the description of a route.
#[derive(Clone)]
pub(crate) enum Detail {
    /// Parameters, as the description lists them.
    Parameters(fn(&AppState) -> Vec<Value>),
    /// The JSON of the body.
    Body(SchemaOf),
    /// A media type of successful responses.
    Content(&'static str, SchemaOf),
    /// A header of successful responses: its name, type and meaning.
    Header(HeaderName, &'static str, &'static str),
    /// A kind of error.
    Error(ProblemKind),
    /// A token, if the service has tokens.
    Token,
}

/// The errors of all routes that need a token.
const GUARDED: [ProblemKind; 8] = [
    UNAUTHORIZED,
    TOO_MANY_REQUESTS,
    INTERNAL,
    STARTING,
    DRAINING,
    OVERLOADED,
    METHOD_FAILED,
    TIMED_OUT,
];

/// An argument or the result of a handler.
pub(crate) trait Describe {
    /// What it says about a route.
    fn details() -> Vec<Detail> {
        Vec::new()
    }
}

impl Describe for HeaderMap {}
impl Describe for Response {}
impl<S> Describe for State<S> {}

impl<T: JsonSchema> Describe for Json<T> {
    fn details() -> Vec<Detail> {
        vec![Detail::Content("application/json", schema::<T>)]
    }
}

impl<T: Describe, E> Describe for Result<T, E> {
    fn details() -> Vec<Detail> {
        T::details()
    }
}

/// A handler with arguments of the types `A`.
pub(crate) trait DescribedHandler<A> {
    /// What its arguments and its result say about a route.
    fn details() -> Vec<Detail>;
}

macro_rules! described_handler {
    ($($argument:ident),*) => {
        impl<F, R, $($argument),*> DescribedHandler<($($argument,)*)> for F
        where
            F: Fn($($argument),*) -> R,
            R: Future<Output: Describe>,
            $($argument: Describe),*
        {
            fn details() -> Vec<Detail> {
                [$($argument::details(),)* R::Output::details()].concat()
            }
        }
    };
}
described_handler!();
described_handler!(A);
described_handler!(A, B);
described_handler!(A, B, C);
described_handler!(A, B, C, D);

/// A route, as its row says it.
#[derive(Clone)]
pub(crate) struct Route {
    pub(crate) tag: &'static str,
    /// Unique; generated clients name a function after it.
    pub(crate) id: &'static str,
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    /// A summary and, after an empty line, more.
    pub(crate) text: &'static str,
    pub(crate) details: Vec<Detail>,
}

/// Routes with their handlers and their description.
#[derive(Default)]
pub(crate) struct Routes {
    pub(crate) router: Router<AppState>,
    pub(crate) list: Vec<Route>,
}

/// Adds rows to [`Routes`], all with a tag. A row is the route's text, its id, its method and path, its handler, and
/// details that the handler's type does not tell.
macro_rules! routes {
    ($routes:expr, $tag:expr; $($(#[doc = $text:literal])+ $id:ident: $method:ident $path:literal $handler:expr $(, $detail:expr)*;)+) => {{
        let routes: $crate::http::describe::Routes = $routes;
        $(let routes = routes.with(
            $crate::http::describe::Route {
                tag: $tag,
                id: stringify!($id),
                method: axum::http::Method::$method,
                path: $path,
                text: concat!($($text, "\n"),+),
                details: vec![$($detail),*],
            },
            $handler,
        );)+
        routes
    }};
}
pub(crate) use routes;

impl Routes {
    /// Adds a route.
    pub(crate) fn with<T: 'static, A, H: Handler<T, AppState> + DescribedHandler<A>>(
        mut self,
        mut route: Route,
        handler: H,
    ) -> Routes {
        let method = MethodFilter::try_from(route.method.clone());
        let method = method.expect("routes have common methods");
        self.router = self.router.route(route.path, on(method, handler));
        route.details = [H::details(), route.details].concat();
        self.list.push(route);
        self
    }

    /// Makes routes require a token by a `layer`, if the service has tokens.
    pub(crate) fn guarded(
        mut self,
        layer: impl FnOnce(Router<AppState>) -> Router<AppState>,
    ) -> Routes {
        self.router = layer(self.router);
        for route in &mut self.list {
            route.details.push(Detail::Token);
            route.details.extend(GUARDED.map(Detail::Error));
        }
        self
    }

    /// Adds other routes.
    pub(crate) fn merge(mut self, other: Routes) -> Routes {
        self.router = self.router.merge(other.router);
        self.list.extend(other.list);
        self
    }

    /// The routes as text.
    pub(crate) fn about(&self) -> String {
        let (name, version) = (env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        let mut about = format!("{name} {version}\n\n{}\n\n", ABOUT.replace(". ", ".\n"));
        for route in &self.list {
            let (method, path, [summary, _]) =
                (route.method.as_str(), route.path, split(route.text));
            about += &format!("{method:4} {path:34} {summary}\n");
        }
        about
    }
}

/// The description of routes of a service.
pub(crate) fn description(routes: &[Route], state: &AppState) -> Value {
    let mut components = Components::new();
    let mut paths = json!({});
    for route in routes.iter().filter(|route| route.is_described()) {
        let method = route.method.as_str().to_lowercase();
        paths[route.path][method] = route.describe(state, &mut components);
    }
    let tags = TAGS.map(|(name, text)| json!({"name": name, "description": text}));
    let license = env!("CARGO_PKG_LICENSE");
    let limit = (state.settings.request_deadline + GRACE).as_secs();
    let about = format!(
        "{ABOUT} If `Accept` prefers HTML, errors are pages. Any route may also answer 400, 404, 405, 431 or 501. A \
         response begins within {limit} seconds, or the request fails; streams may last longer."
    );
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": env!("CARGO_PKG_NAME"),
            "description": about,
            "license": {"name": license, "identifier": license},
            "version": env!("CARGO_PKG_VERSION"),
        },
        "servers": [{"url": "/", "description": "This service"}],
        "tags": tags,
        "paths": paths,
        "components": components.into_json(),
    })
}

impl Route {
    /// Whether the route is part of the interface.
    pub(crate) fn is_described(&self) -> bool {
        self.tag != UNDESCRIBED
    }

    fn describe(&self, state: &AppState, components: &mut Components) -> Value {
        let [summary, text] = split(self.text);
        let mut operation = json!({"tags": [self.tag], "summary": summary, "operationId": self.id});
        let (mut parameters, mut content, mut headers) = (Vec::new(), json!({}), headers(200));
        let mut errors: BTreeMap<u16, Vec<ProblemKind>> = BTreeMap::new();
        for detail in &self.details {
            match detail {
                Detail::Parameters(list) => parameters.extend(list(state)),
                Detail::Body(schema) => {
                    let schema = schema(&mut components.of_requests);
                    let content = json!({"application/json": {"schema": schema}});
                    operation["requestBody"] = json!({"content": content, "required": true});
                }
                Detail::Content(media, schema) => {
                    content[*media] = json!({"schema": schema(&mut components.of_responses)});
                }
                Detail::Header(name, kind, meaning) => {
                    headers[name.as_str()] = header(kind, meaning)
                }
                Detail::Error(kind) => errors.entry(kind.status).or_default().push(*kind),
                Detail::Token => operation["security"] = json!([{}, {"token": []}]),
            }
        }
        if !text.is_empty() {
            operation["description"] = text.into();
        }
        if !parameters.is_empty() {
            operation["parameters"] = parameters.into();
        }
        operation["responses"] =
            json!({"200": {"description": summary, "headers": headers, "content": content}});
        for (status, kinds) in errors {
            operation["responses"][status.to_string()] = components.error(status, kinds);
        }
        operation
    }
}

fn header(kind: &str, meaning: &str) -> Value {
    json!({"description": meaning, "schema": {"type": kind}})
}

/// The headers of all responses with a status.
fn headers(status: u16) -> Value {
    let mut headers =
        json!({REQUEST_ID.as_str(): header("string", "The id of the request in the log.")});
    if [429, 503].contains(&status) {
        headers["retry-after"] = header("integer", "Seconds after which to try again.");
    }
    if status == 401 {
        headers["www-authenticate"] = header("string", "The scheme, `Bearer`.");
    }
    headers
}

/// A documentation comment without line breaks in its paragraphs.
pub(crate) fn joined(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let paragraphs = lines.split(|line| line.is_empty());
    let paragraphs: Vec<String> = paragraphs.map(|lines| lines.join(" ")).collect();
    paragraphs.join("\n\n")
}

/// The first paragraph of a documentation comment, and the others.
fn split(text: &str) -> [String; 2] {
    let text = joined(text);
    let (first, others) = text.split_once("\n\n").unwrap_or((&text, ""));
    [first.to_owned(), others.to_owned()]
}

/// What operations refer to.
struct Components {
    of_requests: SchemaGenerator,
    of_responses: SchemaGenerator,
    /// Responses with errors.
    responses: Map<String, Value>,
}

impl Components {
    fn new() -> Components {
        let settings = || {
            let mut settings = SchemaSettings::draft2020_12();
            settings.definitions_path = "/components/schemas".into();
            settings.with_transform(RecursiveTransform(tidy))
        };
        Components {
            of_requests: settings().for_deserialize().into_generator(),
            of_responses: settings().for_serialize().into_generator(),
            responses: Map::new(),
        }
    }

    /// A reference to the response with one of several kinds of errors.
    fn error(&mut self, status: u16, mut kinds: Vec<ProblemKind>) -> Value {
        kinds.sort_by_key(|kind| kind.word);
        kinds.dedup_by_key(|kind| kind.word);
        let name = kinds
            .iter()
            .map(|kind| kind.word)
            .collect::<Vec<_>>()
            .join(".");
        let meanings = kinds
            .iter()
            .map(|kind| format!("`{}`: {}", kind.word, kind.meaning));
        let schema = schema::<Problem>(&mut self.of_responses);
        let response = json!({
            "description": meanings.collect::<Vec<_>>().join("\n\n"),
            "headers": headers(status),
            "content": {PROBLEM: {"schema": schema}},
        });
        let reference = json!({"$ref": format!("#/components/responses/{name}")});
        self.responses.insert(name, response);
        reference
    }

    fn into_json(mut self) -> Value {
        let mut schemas = self.of_responses.take_definitions(true);
        // Of a type that is in both, members may be missing.
        schemas.extend(self.of_requests.take_definitions(true));
        json!({
            "schemas": schemas,
            "responses": self.responses,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        })
    }
}

/// Joins the lines of descriptions, and removes formats that OpenAPI does not know.
fn tidy(schema: &mut Schema) {
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = joined(text);
    }
    let format = schema.get("format").and_then(Value::as_str);
    if format.is_some_and(|format| format.starts_with("uint")) {
        schema.remove("format");
    }
}
