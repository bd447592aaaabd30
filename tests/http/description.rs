//! The OpenAPI description and the documentation page, compared with the behaviour of the service.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::body::Body;
use axum::http::{Method, Request, Response, StatusCode, header};
use cube444::Scrambler;
use cube444::picture::Scheme;
use cube444::scramble::Subset;
use scramble444::http::AppState;
use serde_json::{Value, json};

use crate::service::*;

/// The description, with parameters and responses in place of references to them.
async fn description(state: &AppState) -> Value {
    let mut description = body(send(state, "GET", "/openapi.json").await).await;
    let whole = description.clone();
    let replace = |part: &mut Value| {
        if let Some(reference) = part["$ref"].as_str() {
            *part = resolve(&whole, reference).clone();
        }
    };
    let paths = description["paths"].as_object_mut().unwrap();
    for operation in paths
        .values_mut()
        .flat_map(|path| path.as_object_mut().unwrap().values_mut())
    {
        let responses = operation["responses"].as_object_mut().unwrap();
        responses.values_mut().for_each(replace);
        let parameters = operation
            .get_mut("parameters")
            .and_then(Value::as_array_mut);
        parameters.into_iter().flatten().for_each(replace);
    }
    description
}

/// The methods and paths in the description.
fn operations(description: &Value) -> Vec<(Method, String)> {
    let paths = description["paths"].as_object().unwrap();
    let operations = paths.iter().flat_map(|(path, operations)| {
        let methods = operations.as_object().unwrap().keys();
        methods.map(|method| (method.to_uppercase().parse().unwrap(), path.clone()))
    });
    operations.collect()
}

/// The paths in the routers' code.
fn routed() -> BTreeSet<&'static str> {
    let routers = [
        include_str!("../../src/http/router.rs"),
        include_str!("../../src/http/routes/tnoodle/mod.rs"),
    ];
    let routes = routers.map(|code| code.split(".route(").skip(1));
    let paths = routes.into_iter().flatten();
    paths.map(|rest| rest.split('"').nth(1).unwrap()).collect()
}

/// Routes that are not part of the interface.
const UNDESCRIBED: [&str; 5] = ["/docs", "/docs/", "/healthz", "/metrics", "/openapi.json"];

#[tokio::test]
async fn the_description_lists_all_operations() {
    let state = ready(Behaviour::Turns);
    let description = description(&state).await;
    let mut paths: BTreeSet<&str> = UNDESCRIBED.into();
    for (path, operations) in description["paths"].as_object().unwrap() {
        paths.insert(path);
        let refused = send(&state, "DELETE", &with_values(path)).await;
        let allowed = refused.headers()[header::ALLOW].to_str().unwrap();
        let allowed = allowed.split(',').filter(|&method| method != "HEAD");
        let described = operations.as_object().unwrap().keys();
        let described: BTreeSet<String> = described.map(|it| it.to_uppercase()).collect();
        assert!(
            allowed.collect::<BTreeSet<_>>().iter().eq(&described),
            "{path}"
        );
    }
    assert_eq!(paths, routed());
    assert_eq!(description["info"]["version"], env!("CARGO_PKG_VERSION"));
    let text = description["info"]["description"].as_str().unwrap();
    assert!(text.contains("not the official WCA scramble program"));
    assert_references_resolve(&description, &description);
}

#[tokio::test]
async fn lists_of_routes_name_all_of_them() {
    let state = ready(Behaviour::Turns);
    let (described, routed) = (description(&state).await, routed());
    let documented = include_str!("../../docs/http.md");
    let documented = documented.split("## Scrambles").next().unwrap();
    let about = text(send(&state, "GET", "/").await).await;
    for (list, text) in [("docs/http.md", documented), ("about.txt", &about)] {
        let words = text.split(|it: char| it.is_whitespace() || "`,()".contains(it));
        let names = words.filter_map(|word| word.split('?').next());
        let names: BTreeSet<&str> = names
            .filter(|name| name.starts_with('/') && *name != "/")
            .collect();
        // `…` stands for the rest of a path.
        let is_named = |path: &str, name: &str| match name.split_once('…') {
            Some((start, _)) => path.starts_with(start),
            None => path == name,
        };
        for path in &routed {
            let operations = described["paths"].get(path).and_then(Value::as_object);
            let mut operations = operations.into_iter().flatten();
            let is_tnoodle = operations.any(|(_, it)| it["tags"] == json!(["tnoodle"]));
            let mut names = names.iter();
            let is_listed = names.any(|name| is_named(path, name));
            assert!(
                is_listed || is_tnoodle || *path == "/docs/",
                "{list} lacks {path}"
            );
        }
        for name in names {
            let mut routed = routed.iter();
            assert!(
                routed.any(|path| is_named(path, name)),
                "{list} names {name}"
            );
        }
    }
}

#[tokio::test]
async fn documented_responses_have_the_described_members() {
    let description = description(&ready(Behaviour::Turns)).await;
    let schemas = &description["components"]["schemas"];
    let document = include_str!("../../docs/http.md");
    let blocks = document.split("```json\n").skip(1);
    let blocks: Vec<Value> = blocks
        .map(|rest| rest.split("```").next().unwrap().replace(", …", ""))
        .map(|block| serde_json::from_str(&block).expect(&block))
        .collect();
    for name in [
        "ScrambleResponse",
        "SolutionReport",
        "Verdict",
        "Ready",
        "Problem",
    ] {
        let members = |list: &str| schemas[name][list].as_object();
        let properties = members("properties").unwrap();
        let required = schemas[name]["required"].as_array().unwrap();
        let shows = |block: &&Value| {
            let shown = block.as_object().unwrap();
            shown.keys().all(|member| properties.contains_key(member))
                && required
                    .iter()
                    .all(|member| shown.contains_key(member.as_str().unwrap()))
        };
        assert!(blocks.iter().any(|block| shows(&block)), "{name}");
    }
}

#[tokio::test]
async fn defaults_are_accepted_when_they_are_sent() {
    let state = ready(Behaviour::Turns);
    let description = description(&state).await;
    let mut defaults = 0;
    for (method, path) in operations(&description) {
        let operation = &description["paths"][&path][method.as_str().to_lowercase()];
        let parameters = operation["parameters"].as_array();
        let (in_path, others): (Vec<_>, Vec<_>) = parameters
            .into_iter()
            .flatten()
            .partition(|it| it["in"] == "path");
        let uri = in_path.iter().fold(path.clone(), |uri, parameter| {
            let value = parameter["schema"]["enum"][0].as_str();
            let value = value.or(parameter["example"].as_str()).unwrap();
            uri.replace(
                &format!("{{{}}}", parameter["name"].as_str().unwrap()),
                value,
            )
        });
        let uri = match path.as_str() {
            "/view/{file}" => "/view/444.svg?scramble=R".to_owned(),
            "/v1/picture" => uri + "?scramble=R",
            "/scramble/{file}" => uri + "?e=444",
            _ => uri + "?",
        };
        // The response, without what differs between any two.
        let outcome = async |uri: &str| {
            let request = Request::builder().method(&method).uri(uri);
            let request = request.header("content-type", "application/json");
            let response = call(&state, request.body(Body::from("{}")).unwrap()).await;
            let status = response.status();
            let problem = (!status.is_success()).then_some(text(response).await);
            (status, problem)
        };
        let without = outcome(&uri).await;
        let is_get = method == Method::GET;
        assert!(!is_get || without.0.is_success(), "{uri}: {without:?}");
        for parameter in others {
            let value = match &parameter["schema"]["default"] {
                Value::Null => continue,
                Value::String(value) => value.clone(),
                value => value.to_string(),
            };
            let with = format!("{uri}&{}={value}", parameter["name"].as_str().unwrap());
            assert_eq!(outcome(&with).await, without, "{with}");
            defaults += 1;
        }
    }
    assert!(defaults >= 13, "{defaults}");
}

#[tokio::test]
async fn errors_of_all_operations_are_counted_from_zero() {
    {
        let state = ready(Behaviour::Turns);
        let mut expected: Vec<String> = operations(&description(&state).await)
            .iter()
            .map(|(method, path)| {
                format!("method=\"{method}\",route=\"{path}\",status=\"500\"}} 0")
            })
            .collect();
        let metrics = text(send(&state, "GET", "/metrics").await).await;
        let errors = metrics
            .lines()
            .filter_map(|line| line.strip_prefix("scramble444_http_requests_total{"));
        let mut errors: Vec<&str> = errors.filter(|line| line.contains("\"500\"")).collect();
        expected.sort();
        errors.sort_unstable();
        assert_eq!(errors, expected);
    }
}

fn assert_references_resolve(description: &Value, part: &Value) {
    match part {
        Value::Object(fields) => {
            if let Some(reference) = fields.get("$ref") {
                resolve(description, reference.as_str().unwrap());
            }
            let values = fields.values();
            values.for_each(|value| assert_references_resolve(description, value));
        }
        Value::Array(items) => {
            let items = items.iter();
            items.for_each(|item| assert_references_resolve(description, item));
        }
        _ => {}
    }
}

fn resolve<'a>(description: &'a Value, reference: &str) -> &'a Value {
    let target = description.pointer(reference.trim_start_matches('#'));
    target.unwrap_or_else(|| panic!("unresolved reference {reference}"))
}

#[tokio::test]
async fn all_operations_but_the_probes_require_a_token() {
    let token = "0123456789abcdef";
    let state = guarded(&stub(Behaviour::Turns), token, settings());
    let description = description(&state).await;
    let scheme = &description["components"]["securitySchemes"]["token"];
    assert_eq!(*scheme, json!({"type": "http", "scheme": "bearer"}));
    let mut guarded = 0;
    for (method, path) in operations(&description) {
        let call_with = async |authorization: &str| {
            let request = Request::builder().method(&method).uri(&path);
            let request = request.header(header::AUTHORIZATION, authorization);
            call(&state, request.body(Body::empty()).unwrap()).await
        };
        let without = send(&state, method.as_str(), &path).await.status();
        let wrong = call_with("Bearer 0123456789abcdeX").await.status();
        let right = call_with(&format!("Bearer {token}")).await.status();
        let described = &description["paths"][&path][method.as_str().to_lowercase()];
        let is_guarded = described["tags"] != json!(["operations"]);
        for status in [without, wrong] {
            let is_rejected = status == StatusCode::UNAUTHORIZED;
            assert_eq!(is_rejected, is_guarded, "{method} {path}: {status}");
        }
        assert_ne!(right, StatusCode::UNAUTHORIZED, "{method} {path}");
        // Either nothing, if the service has no tokens, or a token.
        let expected = is_guarded.then(|| json!([{}, {"token": []}]));
        assert_eq!(described.get("security"), expected.as_ref(), "{path}");
        guarded += usize::from(is_guarded);
    }
    assert!(guarded > 20, "{guarded}");
    for path in UNDESCRIBED {
        let status = send(&state, "GET", path).await.status();
        assert_ne!(status, StatusCode::UNAUTHORIZED, "{path}");
    }
    let refused = send(&state, "GET", "/v1/scrambles").await;
    assert_problem(refused, 401, "unauthorized").await;
}

/// The schema of a member of an object.
fn property<'a>(schema: &'a Value, name: &str) -> &'a Value {
    let named = schema["properties"].get(name);
    named.unwrap_or(&schema["additionalProperties"])
}

/// The operations of a path: those listed under it, or under a pattern that matches it.
fn described<'a>(description: &'a Value, path: &str) -> &'a Value {
    let paths = description["paths"].as_object().unwrap();
    let matches = |pattern: &str| {
        let (parts, pattern_parts) = (path.split('/'), pattern.split('/'));
        parts.clone().count() == pattern_parts.clone().count()
            && parts
                .zip(pattern_parts)
                .all(|(part, pattern)| part == pattern || pattern.starts_with('{'))
    };
    let matching = paths.iter().find(|(pattern, _)| matches(pattern));
    paths
        .get(path)
        .or(matching.map(|(_, operations)| operations))
        .unwrap()
}

/// Whether a value conforms to a schema and has no members that the schema does not name.
fn conforms(description: &Value, schema: &Value, value: &Value) -> bool {
    if let Some(reference) = schema["$ref"].as_str() {
        return conforms(description, resolve(description, reference), value);
    }
    if let Some(choices) = schema["oneOf"].as_array() {
        return choices
            .iter()
            .any(|choice| conforms(description, choice, value));
    }
    let has = |key: &str| schema.get(key).is_some();
    if schema["type"] == "object" && !has("properties") && !has("additionalProperties") {
        // Any members are allowed.
        return value.is_object();
    }
    let value_type = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let types = match &schema["type"] {
        Value::Array(types) => types.clone(),
        single => vec![single.clone()],
    };
    if !types.iter().any(|schema_type| schema_type == value_type) {
        return false;
    }
    match value {
        Value::Array(items) => items
            .iter()
            .all(|item| conforms(description, &schema["items"], item)),
        Value::Object(fields) => {
            let required = schema["required"].as_array().into_iter().flatten();
            let mut required = required.map(|name| name.as_str().unwrap());
            required.all(|name| fields.contains_key(name))
                && fields
                    .iter()
                    .all(|(name, field)| conforms(description, property(schema, name), field))
        }
        Value::String(text) => {
            let length = |bound: &str| schema[bound].as_u64();
            length("minLength").is_none_or(|min| text.len() as u64 >= min)
                && length("maxLength").is_none_or(|max| text.len() as u64 <= max)
        }
        _ => true,
    }
}

/// Adds the members of `value` to `seen`, each with the name of its schema. The value conforms to `schema`.
fn add_members(
    description: &Value,
    schema: &Value,
    value: &Value,
    seen: &mut BTreeSet<(String, String)>,
) {
    if let Some(choices) = schema["oneOf"].as_array() {
        let mut choices = choices.iter();
        let conforming = choices.find(|choice| conforms(description, choice, value));
        return add_members(description, conforming.unwrap(), value, seen);
    }
    let reference = schema["$ref"].as_str().unwrap_or_default();
    let schema = match reference {
        "" => schema,
        reference => resolve(description, reference),
    };
    match value {
        Value::Array(items) => items
            .iter()
            .for_each(|item| add_members(description, &schema["items"], item, seen)),
        Value::Object(fields) if schema.get("properties").is_some() => {
            for (name, field) in fields {
                let schema_name = reference.rsplit('/').next().unwrap();
                seen.insert((schema_name.to_owned(), name.clone()));
                add_members(description, property(schema, name), field, seen);
            }
        }
        Value::Object(fields) if schema.get("additionalProperties").is_some() => {
            let schema = &schema["additionalProperties"];
            let fields = fields.values();
            fields.for_each(|field| add_members(description, schema, field, seen));
        }
        _ => {}
    }
}

/// A service with a real method, which can make scrambles to given states, and another one that is starting.
fn real() -> AppState {
    let state = starting_with(&["reduction", "other"], settings());
    state
        .engines
        .ready(Arc::new(Scrambler::in_memory().unwrap()));
    state
}

#[tokio::test]
async fn responses_have_the_described_members_and_all_of_them() {
    let state = ready(Behaviour::Turns);
    let description = description(&state).await;
    let mut seen = BTreeSet::new();
    let (hurried, real, starting) = (ready(Behaviour::Hurried), real(), starting(settings()));
    let facelets = json!({"state": cube444::cube::Cube::solved().facelets()}).to_string();
    let flawed = facelets.replacen("UUUU", "FUUU", 1);
    let turns = r#"{"scramble":"R U"}"#;
    let more = [
        (&hurried, "GET", "/v1/scrambles", ""),
        (&hurried, "POST", "/v1/solve", turns),
        (&real, "GET", "/v1/scrambles?subset=pll&effort=1", ""),
        (&real, "GET", "/v1/scrambles?padded=1&effort=1", ""),
        (
            &real,
            "POST",
            "/v1/solve",
            r#"{"scramble":"R U","effort":1}"#,
        ),
        (&real, "GET", "/readyz", ""),
        (&starting, "GET", "/readyz", ""),
        (&state, "GET", "/v1/scrambles?unknown=1", ""),
    ];
    let usual = [
        ("GET", "/livez", ""),
        ("GET", "/readyz", ""),
        ("GET", "/v1/scrambles?count=2", ""),
        ("GET", "/v1/scrambles?count=2&pictures=1", ""),
        ("GET", "/v1/scrambles?count=0", ""),
        ("GET", "/v1/picture?scramble=Q9", ""),
        ("POST", "/v1/solve", turns),
        ("POST", "/v1/solve", "{"),
        ("POST", "/v1/verify", turns),
        ("POST", "/v1/verify", &facelets),
        ("POST", "/v1/verify", r#"{"scramble":"Q9"}"#),
        ("POST", "/v1/verify", &flawed),
        (
            "POST",
            "/v1/wcif",
            include_str!("../data/input/wcif/request.json"),
        ),
        (
            "POST",
            "/v1/wcif",
            include_str!("../data/input/wcif/interchange.json"),
        ),
        ("POST", "/v1/wcif", "{}"),
        ("POST", "/wcif/scrambles", "{}"),
        ("POST", "/print", "{}"),
        ("GET", "/version", ""),
        ("GET", "/api/v0/puzzles", ""),
        ("GET", "/api/v0/puzzles?includeStatus", ""),
        ("GET", "/api/v0/puzzles/444ni", ""),
        ("GET", "/api/v0/puzzles/333", ""),
        ("GET", "/api/v0/scramble/444?numScrambles=2", ""),
        ("GET", "/api/v0/scramble/444?numScrambles=-1", ""),
        ("GET", "/api/v0/scramble/333/raw", ""),
        ("GET", "/api/v0/view/444/json", ""),
        ("GET", "/api/v0/view/444/svg?scramble=Q9", ""),
        ("GET", "/frontend/data/events", ""),
        ("GET", "/frontend/data/formats", ""),
        ("GET", "/frontend/puzzle/444/colors", ""),
        ("POST", "/frontend/puzzle/444/scramble", "{}"),
        ("POST", "/frontend/puzzle/444/scramble", "{"),
        ("POST", "/frontend/puzzle/444/svg", "{"),
        ("GET", "/scramble/.json?=444*2", ""),
        ("GET", "/scramble/.json?=333", ""),
        ("GET", "/view/444.json", ""),
        ("GET", "/puzzles/.json", ""),
        ("GET", "/version.json", ""),
    ];
    let usual = usual.map(|(method, uri, given)| (&state, method, uri, given));
    for (state, method, uri, given) in usual.into_iter().chain(more) {
        let response = match method {
            "GET" => send(state, method, uri).await,
            _ => post(state, uri, given).await,
        };
        let status = response.status().as_u16().to_string();
        let media = response.headers()[header::CONTENT_TYPE].to_str().unwrap();
        let path = uri.split('?').next().unwrap();
        let operation = &described(&description, path)[method.to_lowercase()];
        let schema = &operation["responses"][&status]["content"][media]["schema"];
        assert!(schema.is_object(), "{method} {uri}: {status} {media}");
        let document = body(response).await;
        assert!(
            conforms(&description, schema, &document),
            "{method} {uri}: {document}"
        );
        add_members(&description, schema, &document, &mut seen);
        // The check is strict: an extra member, or a member of the wrong type, fails it.
        let (schema, object) = match &document {
            Value::Array(items) => (&schema["items"], items[0].clone()),
            _ => (schema, document),
        };
        if !object.is_object() {
            continue;
        }
        let mut extended = object.clone();
        extended["more"] = json!(1);
        assert!(!conforms(&description, schema, &extended), "{method} {uri}");
        for name in object.as_object().unwrap().keys() {
            let mut changed = object.clone();
            changed[name] = json!([[]]);
            assert!(
                !conforms(&description, schema, &changed),
                "{method} {uri}: {name}"
            );
        }
    }
    let schemas = description["components"]["schemas"].as_object().unwrap();
    // Those that are only for requests.
    let of_responses = schemas
        .iter()
        .filter(|(name, _)| !["Position", "WcifBody"].contains(&name.as_str()));
    let members = of_responses.flat_map(|(name, schema)| {
        let members = schema["properties"].as_object().into_iter().flatten();
        members.map(move |(member, _)| (name.clone(), member.clone()))
    });
    let never: Vec<_> = members.filter(|member| !seen.contains(member)).collect();
    assert!(never.is_empty(), "never seen: {never:?}");

    let line = json_lines(&hurried, "/v1/scrambles?pictures=1")
        .await
        .remove(0);
    let schema = &schemas["ScrambleReport"];
    assert!(conforms(&description, schema, &line), "{line}");
}

/// The names of a described operation's parameters in the `query` or in the `path`.
fn parameters<'a>(operation: &'a Value, place: &str) -> BTreeSet<&'a str> {
    let all = operation["parameters"].as_array().into_iter().flatten();
    let all = all.filter(|parameter| parameter["in"] == place);
    all.map(|parameter| parameter["name"].as_str().unwrap())
        .collect()
}

/// An address of a path with values of its parameters.
fn with_values(path: &str) -> String {
    let file = match path {
        "/view/{file}" => "444.json",
        _ => ".json",
    };
    let path = path.replace("{puzzle}", "444").replace("{file}", file);
    path.replace("{format}", "json")
}

/// Sends a request, a POST with an empty object.
async fn send_to(state: &AppState, method: &Method, uri: &str) -> Response<Body> {
    match *method {
        Method::GET => send(state, "GET", uri).await,
        _ => post(state, uri, "{}").await,
    }
}

/// A route refuses a parameter that it does not take, or at least one that it takes twice, and says which it takes.
#[tokio::test]
async fn routes_take_the_described_parameters() {
    let state = ready(Behaviour::Turns);
    let description = description(&state).await;
    let all: Vec<(Method, String, &Value)> = operations(&description)
        .into_iter()
        .map(|(method, path)| {
            let operation = &description["paths"][&path][method.as_str().to_lowercase()];
            (method, path, operation)
        })
        .collect();
    let names: BTreeSet<&str> = all
        .iter()
        .flat_map(|(_, _, operation)| parameters(operation, "query"))
        .collect();
    let twice = names.iter().map(|name| format!("{name}&{name}"));
    let wrong: Vec<String> = twice.chain(["unknown".to_owned()]).collect();
    let mut listed = 0;
    for (method, path, operation) in &all {
        let in_path = path.split('/').filter_map(|part| part.strip_prefix('{'));
        let in_path: BTreeSet<&str> = in_path.map(|name| name.trim_end_matches('}')).collect();
        assert_eq!(parameters(operation, "path"), in_path, "{path}");
        let described = parameters(operation, "query");
        if path == "/scramble/{file}" {
            // Each of its parameters is a group of scrambles, whatever its name, except one.
            assert!(described.into_iter().eq(["e", "showIndices"]));
            continue;
        }
        let mut taken = BTreeSet::new();
        for query in &wrong {
            let uri = format!("{}?{query}", with_values(path));
            let response = send_to(&state, method, &uri).await;
            if response.status() != StatusCode::BAD_REQUEST {
                continue;
            }
            let problem = body(response).await;
            for name in problem["allowed"].as_array().into_iter().flatten() {
                taken.insert(name.as_str().unwrap().to_owned());
            }
        }
        assert!(taken.iter().eq(described), "{method} {path}: {taken:?}");
        listed += taken.len();
    }
    assert!(listed > 40, "{listed}");
    let document = include_str!("../../docs/http.md");
    let table = document.split("| parameter |").nth(1).unwrap();
    let rows = table.split("\n\n").next().unwrap().lines();
    let named = rows.filter_map(|row| row.split('|').nth(1));
    let named = named.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    let scrambles = &description["paths"]["/v1/scrambles"]["get"];
    assert_eq!(
        named.collect::<BTreeSet<_>>(),
        parameters(scrambles, "query")
    );
}

#[tokio::test]
async fn errors_of_parameters_name_them() {
    let state = ready(Behaviour::Turns);
    let description = description(&state).await;
    for (method, path) in operations(&description) {
        let operation = &description["paths"][&path][method.as_str().to_lowercase()];
        for name in parameters(operation, "query") {
            // As the last one, after others, and within text.
            for query in [
                format!("{name}=%ff"),
                format!("{name}=%41%c3"),
                format!("x=y&{name}=%c3&z=%bc"),
            ] {
                let uri = format!("{}?{query}", with_values(&path));
                let response = send_to(&state, &method, &uri).await;
                assert_eq!(response.status(), StatusCode::BAD_REQUEST, "{uri}");
                let expected = format!("{name} must be text in UTF-8");
                assert_eq!(body(response).await["detail"], expected, "{uri}");
            }
        }
    }
    let nameless = bad_parameter(&state, "/v1/scrambles?count=1&=%ff").await;
    assert_eq!(nameless, "the query must be text in UTF-8");
    for (name, expected) in [
        ("event=444&cuont", "unknown parameter \"cuont\"; "),
        ("count=1&count", "repeated parameter \"count\"; "),
        ("", "unknown parameter \"\"; "),
        ("%22%0a", "unknown parameter \"\\\"\\n\"; "),
        (
            "abcdefghijklmnopqrs",
            "unknown parameter \"abcdefghijklmnop…\"; ",
        ),
    ] {
        let uri = format!("/v1/scrambles?{name}=secret");
        let problem = problem(&state, "GET", &uri, 400, "bad-parameter").await;
        assert!(detail(&problem).starts_with(expected), "{problem}");
        assert!(!problem.to_string().contains("secret"), "{problem}");
    }
    // The replacement character is text.
    let uri = "/print?competition=%ef%bf%bd&extras=0";
    assert_eq!(send(&state, "GET", uri).await.status(), StatusCode::OK);
}

#[tokio::test]
async fn bodies_take_the_described_colours() {
    let description = description(&ready(Behaviour::Turns)).await;
    let unknown = serde_json::from_str::<Scheme>("{\"?\":0}").err();
    // unknown field `?`, expected one of `B`, …
    let unknown = unknown.unwrap().to_string();
    let taken: BTreeSet<&str> = unknown.split('`').skip(3).step_by(2).collect();
    let schema = &description["components"]["schemas"]["Colours"];
    let described = schema["properties"].as_object().unwrap().keys();
    assert!(taken.into_iter().eq(described), "{unknown}");
}

#[tokio::test]
async fn all_described_puzzles_exist() {
    let state = ready(Behaviour::Turns);
    let description = description(&state).await;
    let mut with_puzzle = 0;
    for (method, path) in operations(&description) {
        let operation = &description["paths"][&path][method.as_str().to_lowercase()];
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let Some(puzzle) = parameters.clone().find(|it| it["name"] == "puzzle") else {
            continue;
        };
        let format = parameters.clone().find(|it| it["name"] == "format");
        let formats = format.map_or(json!([""]), |it| it["schema"]["enum"].clone());
        let names = puzzle["schema"]["enum"].as_array().unwrap();
        assert_eq!(names.len(), 6, "{path}");
        for (name, format) in names.iter().zip(formats.as_array().unwrap().iter().cycle()) {
            let uri = path.replace("{puzzle}", name.as_str().unwrap());
            let uri = uri.replace("{format}", format.as_str().unwrap());
            let response = match method {
                Method::GET => send(&state, "GET", &uri).await,
                _ => post(&state, &uri, "{}").await,
            };
            assert_eq!(response.status(), StatusCode::OK, "{uri}");
        }
        with_puzzle += 1;
    }
    assert_eq!(with_puzzle, 7);
}

#[tokio::test]
async fn the_documentation_page_runs_only_its_own_script() {
    let state = ready(Behaviour::Turns);
    let mut nonces = Vec::new();
    for _ in 0..2 {
        let response = send(&state, "GET", "/docs").await;
        assert_eq!(response.status(), StatusCode::OK);
        let headers = response.headers().clone();
        assert_eq!(headers[header::CONTENT_TYPE], "text/html; charset=utf-8");
        let policy = headers[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
        let directives: Vec<&str> = policy.split("; ").collect();
        let nonce = directives
            .iter()
            .find_map(|directive| directive.strip_prefix("script-src 'nonce-"))
            .and_then(|rest| rest.strip_suffix('\''))
            .unwrap();
        assert!(nonce.len() >= 22, "{nonce}");
        let expected = [
            "default-src 'none'",
            &format!("script-src 'nonce-{nonce}'"),
            &format!("style-src 'nonce-{nonce}'"),
            "connect-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        ];
        assert_eq!(directives, expected);
        let page = text(response).await;
        for tag in ["script", "style"] {
            assert_eq!(page.matches(&format!("<{tag}")).count(), 1);
            assert!(page.contains(&format!("<{tag} nonce=\"{nonce}\">")));
        }
        // A proxy may add a prefix to all paths.
        assert!(page.contains("fetch(\"openapi.json\")"));
        assert!(!page.contains("/openapi.json"));
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
        nonces.push(nonce.to_owned());
    }
    assert_ne!(nonces[0], nonces[1]);
    let response = send(&state, "GET", "/docs/").await;
    assert_eq!(response.status(), StatusCode::PERMANENT_REDIRECT);
    assert_eq!(response.headers()[header::LOCATION], "../docs");
}

#[tokio::test]
async fn all_subsets_are_described() {
    let description = description(&ready(Behaviour::Turns)).await;
    let names = Subset::ALL.map(Subset::name);
    let route = &description["paths"]["/v1/scrambles"]["get"]["parameters"];
    let parameters = route.as_array().unwrap();
    let mut subset = parameters.iter().filter(|it| it["name"] == "subset");
    assert_eq!(subset.next().unwrap()["schema"]["enum"], json!(names));
    let member = &description["components"]["schemas"]["ScrambleResponse"]["properties"]["subset"];
    assert_eq!(member["type"], "string", "{member}");
}
