//! The OpenAPI description and its page, compared with the behaviour of the service.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::body::Body;
use axum::http::{Method, Request, StatusCode, header};
use cube444::Scrambler;
use scramble444::http::AppState;
use serde_json::{Value, json};

use crate::service::*;

async fn description(state: &AppState) -> Value {
    body(send(state, "GET", "/openapi.json").await).await
}

/// The operations of a description, with their methods and paths.
fn operations(description: &Value) -> Vec<(Method, &str, &Value)> {
    let paths = description["paths"].as_object().unwrap().iter();
    let operations = paths.flat_map(|(path, operations)| {
        let operations = operations.as_object().unwrap().iter();
        operations.map(move |(method, it)| {
            let method = method.to_uppercase().parse().unwrap();
            (method, path.as_str(), it)
        })
    });
    operations.collect()
}

fn parameters(operation: &Value) -> impl Iterator<Item = &Value> {
    operation["parameters"].as_array().into_iter().flatten()
}

/// What a reference stands for, or else the part itself.
fn resolve<'a>(description: &'a Value, part: &'a Value) -> &'a Value {
    let reference = part["$ref"].as_str();
    reference.map_or(part, |it| {
        let target = description.pointer(it.trim_start_matches('#'));
        target.unwrap_or_else(|| panic!("unresolved reference {it}"))
    })
}

/// Whether a value conforms to a schema and has no members that the schema does not name.
fn conforms(description: &Value, schema: &Value, value: &Value) -> bool {
    let schema = resolve(description, schema);
    let conforms = |schema: &Value, value: &Value| conforms(description, schema, value);
    if let Some(choices) = schema["anyOf"].as_array() {
        return choices.iter().any(|choice| conforms(choice, value));
    }
    let (value_type, size) = match value {
        Value::Null => ("null", 0.0),
        Value::Bool(_) => ("boolean", 0.0),
        Value::Number(number) if number.is_f64() => ("number", number.as_f64().unwrap()),
        Value::Number(number) => ("integer", number.as_f64().unwrap()),
        Value::String(text) => ("string", text.len() as f64),
        Value::Array(_) => ("array", 0.0),
        Value::Object(_) => ("object", 0.0),
    };
    let bound = |names: [&str; 2]| names.iter().find_map(|&name| schema[name].as_f64());
    let types = schema["type"].as_array().cloned();
    let types = types.unwrap_or_else(|| vec![schema["type"].clone()]);
    let members_conform = || match value {
        Value::Array(items) => items.iter().all(|item| conforms(&schema["items"], item)),
        Value::Object(members) => {
            let required = schema["required"].as_array().into_iter().flatten();
            let mut required = required.map(|name| name.as_str().unwrap());
            let any = json!({"type": null});
            let others = schema.get("additionalProperties").unwrap_or(&any);
            // A competition has any members.
            let is_free = schema.get("properties").is_none() && *others == any;
            required.all(|name| members.contains_key(name))
                && members.iter().all(|(name, member)| {
                    let schema = schema["properties"].get(name).unwrap_or(others);
                    is_free || conforms(schema, member)
                })
        }
        _ => true,
    };
    types.iter().any(|it| it == value_type)
        && bound(["minLength", "minimum"]).is_none_or(|min| size >= min)
        && bound(["maxLength", "maximum"]).is_none_or(|max| size <= max)
        && members_conform()
}

/// Generated clients need references that resolve, unique ids, and all parameters in a path; people need texts. The
/// list of routes and the counters of errors have all operations.
#[tokio::test]
async fn the_description_is_complete() {
    fn check(description: &Value, part: &Value, place: &str) {
        resolve(description, part);
        for (name, property) in part["properties"].as_object().into_iter().flatten() {
            let text = &resolve(description, property)["description"];
            let text = property.get("description").unwrap_or(text).as_str();
            assert!(text.is_some_and(|it| !it.is_empty()), "{place}/{name}");
        }
        for (name, part) in part.as_object().into_iter().flatten() {
            check(description, part, &format!("{place}/{name}"));
        }
        let parts = part.as_array().into_iter().flatten();
        parts.for_each(|part| check(description, part, place));
    }
    let state = ready(Behaviour::Turns);
    let description = description(&state).await;
    let about = text(send(&state, "GET", "/").await).await;
    let metrics = text(send(&state, "GET", "/metrics").await).await;
    check(&description, &description, "");
    assert_eq!(description["info"]["version"], env!("CARGO_PKG_VERSION"));
    let text = description["info"]["description"].as_str().unwrap();
    assert!(text.contains("not the official WCA scramble program"));
    let mut ids = BTreeSet::new();
    for (method, path, operation) in operations(&description) {
        assert!(ids.insert(operation["operationId"].as_str()), "{path}");
        for parameter in parameters(operation) {
            let text = parameter["description"].as_str().unwrap();
            assert!(!text.is_empty(), "{method} {path}: {parameter}");
        }
        let in_path = parameters(operation).filter(|it| it["in"] == "path");
        let in_path = in_path.map(|it| format!("{{{}}}", it["name"].as_str().unwrap()));
        let named = path.split('/').filter(|part| part.starts_with('{'));
        assert!(in_path.eq(named), "{path}");
        assert!(about.contains(&format!("{:4} {path} ", method.as_str())));
        let errors = format!("{{method=\"{method}\",route=\"{path}\",status=\"500\"}} 0\n");
        assert!(metrics.contains(&errors), "{path}");
    }
    assert!(ids.len() > 20);
}

/// A service with a real method, which can make scrambles to given states, and another one that is starting.
fn real() -> AppState {
    let state = starting_with(&["reduction", "other"], settings());
    let scrambler = Scrambler::in_memory().unwrap();
    state.engines.ready(Arc::new(scrambler));
    state
}

#[tokio::test]
async fn responses_conform_to_the_description() {
    let state = ready(Behaviour::Turns);
    let description = description(&state).await;
    let (hurried, real, starting) = (ready(Behaviour::Hurried), real(), starting(settings()));
    let facelets = json!({"state": cube444::cube::Cube::solved().facelets()}).to_string();
    let flawed = facelets.replacen("UUUU", "FUUU", 1);
    let turns = r#"{"scramble":"R U","effort":1}"#;
    let wcif = include_str!("../data/input/wcif/request.json");
    let sets = include_str!("../data/input/wcif/interchange.json");
    let usual = "/livez /readyz /version /version.json /v1/scrambles?unknown=1 /v1/scrambles?pictures=1 \
                 /v1/picture?scramble=R&format=png /v1/picture?scramble=Q9 /print?format=pdf /puzzles/.json \
                 /api/v0/puzzles?includeStatus /api/v0/puzzles/444ni /api/v0/puzzles/333 /view/444.json \
                 /api/v0/scramble/444?numScrambles=2 /api/v0/scramble/444/raw /api/v0/view/444/json \
                 /api/v0/view/444/svg?scramble=Q9 /frontend/data/events /frontend/data/formats \
                 /frontend/puzzle/444/colors /scramble/.json?=444*2 /scramble/.json?=333";
    let usual = usual.split_whitespace().map(|uri| (&state, uri, None));
    let mut succeeded = BTreeSet::new();
    for (state, uri, posted) in usual.chain([
        (&real, "/readyz", None),
        (&starting, "/readyz", None),
        (&real, "/v1/scrambles?subset=pll&effort=1", None),
        (&real, "/v1/scrambles?padded=1&effort=1", None),
        (&hurried, "/v1/scrambles", None),
        (&hurried, "/print", None),
        (&real, "/v1/solve", Some(turns)),
        (&hurried, "/v1/solve", Some(turns)),
        (&state, "/v1/solve", Some("{")),
        (&state, "/v1/verify", Some(turns)),
        (&state, "/v1/verify", Some(facelets.as_str())),
        (&state, "/v1/verify", Some(flawed.as_str())),
        (&hurried, "/v1/wcif", Some(wcif)),
        (&state, "/v1/wcif", Some("{}")),
        (&state, "/print", Some(sets)),
        (&state, "/print", Some("{}")),
        (&state, "/wcif/scrambles", Some(wcif)),
        (&state, "/frontend/puzzle/444/scramble", Some("{}")),
        (&state, "/frontend/puzzle/444/svg", Some("{}")),
    ]) {
        let (method, response) = match posted {
            None => ("GET", send(state, "GET", uri).await),
            Some(body) => ("POST", post(state, uri, body).await),
        };
        let (status, headers) = (response.status(), response.headers().clone());
        let parts: Vec<&str> = uri.split('?').next().unwrap().split('/').collect();
        let is_at = |path: &str| {
            let pattern: Vec<&str> = path.split('/').collect();
            let pairs = || parts.iter().zip(&pattern);
            parts.len() == pattern.len() && pairs().all(|(it, is)| it == is || is.starts_with('{'))
        };
        let operations = operations(&description);
        let mut at = operations.iter().filter(|it| it.0 == method && is_at(it.1));
        let (_, path, operation) = at.next().expect(uri);
        let described = resolve(&description, &operation["responses"][status.as_str()]);
        for name in [
            "x-request-id",
            "x-hurried",
            "x-new-sets",
            "retry-after",
            "content-disposition",
        ] {
            let is_described = described["headers"].get(name).is_some();
            assert!(is_described || !headers.contains_key(name), "{uri}: {name}");
        }
        let media = headers[header::CONTENT_TYPE].to_str().unwrap();
        let media = media.split(';').next().unwrap();
        let schema = &described["content"][media]["schema"];
        assert!(schema.is_object(), "{method} {uri}: {status} {media}");
        if status.is_success() {
            succeeded.insert((method, *path));
        }
        if media.ends_with("json") {
            let document = body(response).await;
            assert!(
                conforms(&description, schema, &document),
                "{method} {uri}: {document}"
            );
        }
    }
    for (method, path, _) in operations(&description) {
        assert!(
            succeeded.contains(&(method.as_str(), path)),
            "{method} {path}"
        );
    }
    // Each line of a stream is one scramble.
    let lines = json_lines(&hurried, "/v1/scrambles?pictures=1").await;
    let schema = &description["components"]["schemas"]["ScrambleReport"];
    assert!(conforms(&description, schema, &lines[0]), "{lines:?}");
}

#[tokio::test]
async fn examples_of_the_documentation_conform_to_the_description() {
    let description = description(&ready(Behaviour::Turns)).await;
    let schemas = description["components"]["schemas"].as_object().unwrap();
    let document = include_str!("../../docs/http.md");
    for block in document.split("```json\n").skip(1) {
        let block = block.split("```").next().unwrap().replace(", …", "");
        let block = serde_json::from_str(&block).expect(&block);
        // Not those of any object, as competitions are.
        let mut schemas = schemas.values().filter(|it| !it["required"].is_null());
        assert!(
            schemas.any(|schema| conforms(&description, schema, &block)),
            "{block}"
        );
    }
}

#[tokio::test]
async fn defaults_and_named_values_are_accepted() {
    let state = ready(Behaviour::Turns);
    let description = description(&state).await;
    let mut sent = 0;
    for (method, path, operation) in operations(&description) {
        let fixed = match path {
            "/v1/picture" => "scramble=R",
            "/scramble/{file}" => "e=444",
            _ => "",
        };
        let path = path
            .replace("/view/{file}", "/view/444.svg")
            .replace("{file}", ".txt");
        for parameter in parameters(operation) {
            let (name, schema) = (parameter["name"].as_str().unwrap(), &parameter["schema"]);
            let named = schema["enum"].as_array().into_iter().flatten();
            let default = Some(&schema["default"]).filter(|it| !it.is_null());
            // The stub makes no scrambles to given states.
            for value in named.chain(default).filter(|_| name != "subset") {
                let value = value.as_str().map_or(value.to_string(), str::to_owned);
                let uri = match parameter["in"] == "path" {
                    true => path.replace(&format!("{{{name}}}"), &value) + "?" + fixed,
                    false => format!("{path}?{fixed}&{name}={value}").replace("?&", "?"),
                };
                let uri = uri.replace("{puzzle}", "444").replace("{format}", "png");
                let response = match method {
                    Method::GET => send(&state, "GET", &uri).await,
                    _ => post(&state, &uri, "{}").await,
                };
                if !response.status().is_success() {
                    let text = text(response).await;
                    assert!(
                        method == Method::POST && !text.contains("bad-parameter"),
                        "{uri}: {text}"
                    );
                }
                sent += 1;
            }
        }
    }
    assert!(sent > 80, "{sent}");
}

#[tokio::test]
async fn operations_require_a_token_as_described() {
    let token = "0123456789abcdef";
    let state = guarded(&stub(Behaviour::Turns), token, settings());
    let description = description(&state).await;
    let mut open = Vec::new();
    for (method, path, operation) in operations(&description) {
        let call_with = async |token: &str| {
            let request = Request::builder().method(&method).uri(path);
            let request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
            let response = call(&state, request.body(Body::empty()).unwrap()).await;
            response.status() != StatusCode::UNAUTHORIZED
        };
        // Either nothing, if the service has no tokens, or a token.
        let is_guarded = operation["security"] == json!([{}, {"token": []}]);
        assert_eq!(
            call_with("0123456789abcdeX").await,
            !is_guarded,
            "{method} {path}"
        );
        assert!(call_with(token).await, "{method} {path}");
        if !is_guarded {
            open.push(path);
        }
    }
    assert_eq!(open, ["/livez", "/readyz"]);
    for path in [
        "/docs",
        "/docs/",
        "/healthz",
        "/metrics",
        "/openapi.json",
        "/",
    ] {
        let status = send(&state, "GET", path).await.status();
        assert_ne!(status, StatusCode::UNAUTHORIZED, "{path}");
    }
    let refused = send(&state, "GET", "/v1/scrambles").await;
    assert_problem(refused, 401, "unauthorized").await;
}

#[tokio::test]
async fn errors_of_parameters_name_them() {
    let state = ready(Behaviour::Turns);
    for (query, expected) in [
        ("event=%ff", "event must be text in UTF-8"),
        ("x=y&count=%41%c3&z=%bc", "count must be text in UTF-8"),
        ("count=1&=%ff", "the query must be text in UTF-8"),
        ("event=444&cuont=secret", "unknown parameter \"cuont\"; "),
        ("count=1&count=secret", "repeated parameter \"count\"; "),
        ("=secret", "unknown parameter \"\"; "),
        ("%22%0a=secret", "unknown parameter \"\\\"\\n\"; "),
        (
            "abcdefghijklmnopqrs=secret",
            "unknown parameter \"abcdefghijklmnop…\"; ",
        ),
    ] {
        let detail = bad_parameter(&state, &format!("/v1/scrambles?{query}")).await;
        assert!(detail.starts_with(expected), "{detail}");
        assert!(!detail.contains("secret"), "{detail}");
    }
    // The replacement character is text.
    let uri = "/print?competition=%ef%bf%bd&extras=0";
    assert_eq!(send(&state, "GET", uri).await.status(), StatusCode::OK);
}

#[tokio::test]
async fn the_documentation_page_runs_only_its_own_script() {
    let state = ready(Behaviour::Turns);
    let mut nonces = BTreeSet::new();
    for _ in 0..2 {
        let response = send(&state, "GET", "/docs").await;
        let policy = response.headers()[header::CONTENT_SECURITY_POLICY].to_str();
        let policy = policy.unwrap().to_owned();
        let nonce = policy
            .split('\'')
            .find_map(|part| part.strip_prefix("nonce-"));
        let nonce = nonce.unwrap();
        assert!(nonce.len() >= 22, "{nonce}");
        let expected = format!(
            "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; connect-src 'self'; \
             base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        );
        assert_eq!(policy, expected);
        let page = text(response).await;
        for tag in ["script", "style"] {
            assert_eq!(page.matches(&format!("<{tag}")).count(), 1);
            assert!(page.contains(&format!("<{tag} nonce=\"{nonce}\">")));
        }
        // A proxy may add a prefix to all paths.
        assert!(page.contains("fetch(\"openapi.json\")") && !page.contains("/openapi.json"));
        // The page loads nothing from other origins and inserts no markup.
        for foreign in [
            "http:",
            "https:",
            "src=",
            "innerHTML",
            "document.write",
            "eval(",
        ] {
            assert!(!page.contains(foreign), "{foreign}");
        }
        nonces.insert(nonce.to_owned());
    }
    assert_eq!(nonces.len(), 2);
    let response = send(&state, "GET", "/docs/").await;
    assert_eq!(response.status(), StatusCode::PERMANENT_REDIRECT);
    assert_eq!(response.headers()[header::LOCATION], "../docs");
}

/// The routes and parameters in docs/http.md; `UPDATE_DOCS=1` writes them.
#[tokio::test]
async fn documented_parameters_are_the_described_ones() {
    let state = starting_with(&["five-stage", "reduction"], settings());
    let description = description(&state).await;
    let mut list = "\n".to_owned();
    let is_listed = |it: &&(Method, &str, &Value)| it.1.starts_with("/v1") || it.1 == "/print";
    for (method, path, operation) in operations(&description).iter().filter(is_listed) {
        let summary = operation["summary"].as_str().unwrap();
        list += &format!("\n`{method} {path}`: {summary}\n");
        for (number, parameter) in parameters(operation).enumerate() {
            if number == 0 {
                list += "\n| parameter | values | default | |\n|---|---|---|---|\n";
            }
            let schema = &parameter["schema"];
            let named = schema["enum"].as_array().into_iter().flatten();
            let named: Vec<String> = named
                .map(|it| format!("`{}`", it.as_str().unwrap()))
                .collect();
            let values = match (&schema["minimum"], &schema["maximum"]) {
                (Value::Null, _) => named.join(", "),
                (min, max) => format!("{min} to {max}"),
            };
            let default = schema
                .get("default")
                .map_or(String::new(), Value::to_string);
            let (name, text) = (&parameter["name"], &parameter["description"]);
            let row = [name, text].map(|it| it.as_str().unwrap());
            list += &format!(
                "| `{}` | {values} | {} | {} |\n",
                row[0],
                default.replace('"', "`"),
                row[1]
            );
        }
    }
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/http.md");
    let document = std::fs::read_to_string(file).unwrap();
    let (begin, end) = ("documented_parameters -->", "\n<!-- end -->");
    let (before, rest) = document.split_once(begin).unwrap();
    let (_, after) = rest.split_once(end).unwrap();
    let expected = [before, begin, &list, end, after].concat();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(file, expected).unwrap();
    } else {
        assert!(document == expected, "run this test with UPDATE_DOCS=1");
    }
}
