//! The OpenAPI description and its page, compared with the behavior of the service.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::http::{Method, StatusCode, header};
use cube444::Scrambler;
use scramble444::http::AppState;
use serde_json::{Value, json};

use crate::requests::*;
use crate::service::*;
use test_support::wcif::INTERCHANGE;

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
            let is_free = *others == json!(true);
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

/// Generated clients need references that resolve, unique ids, and all parameters in a path; people need texts.
#[tokio::test]
async fn the_description_is_complete() {
    fn check(description: &Value, part: &Value, place: &str) {
        resolve(description, part);
        let properties = part["properties"].as_object().into_iter().flatten();
        let properties = properties.map(|(_, property)| property);
        for part in properties.chain(parameters(part)) {
            let text = &resolve(description, part)["description"];
            let text = part.get("description").unwrap_or(text).as_str();
            assert!(text.is_some_and(|it| !it.is_empty()), "{place}: {part}");
        }
        if let Some(text) = part["description"].as_str() {
            assert!(!text.contains("```"), "{place} has code in Rust: {text}");
        }
        for (name, part) in part.as_object().into_iter().flatten() {
            check(description, part, &format!("{place}/{name}"));
        }
        let parts = part.as_array().into_iter().flatten();
        parts.for_each(|part| check(description, part, place));
    }
    let description = description(&ready(Behavior::Turns)).await;
    check(&description, &description, "");
    assert_eq!(description["info"]["version"], env!("CARGO_PKG_VERSION"));
    let text = description["info"]["description"].as_str().unwrap();
    assert!(text.contains("not the official WCA scramble program"));
    let mut ids = BTreeSet::new();
    for (_, path, operation) in operations(&description) {
        assert!(ids.insert(operation["operationId"].as_str()), "{path}");
        let in_path = parameters(operation).filter(|it| it["in"] == "path");
        let in_path = in_path.map(|it| format!("{{{}}}", it["name"].as_str().unwrap()));
        let named = path.split('/').filter(|part| part.starts_with('{'));
        assert!(in_path.eq(named), "{path}");
    }
    assert!(ids.len() > 20);
}

#[tokio::test]
async fn responses_conform_to_the_description() {
    let usual = r#"
        /livez /readyz /version /version.json /v1/scrambles?unknown=1 /v1/scrambles?pictures=1
        /v1/picture?scramble=R&format=png /v1/picture?scramble=Q9 /print?format=pdf /puzzles/.json
        /api/v0/puzzles?includeStatus /api/v0/puzzles/444ni /api/v0/puzzles/333 /view/444.json
        /api/v0/scramble/444?numScrambles=2 /api/v0/scramble/444/raw /api/v0/view/444/json
        /api/v0/view/444/svg?scramble=Q9 /frontend/data/events /frontend/data/formats
        /frontend/puzzle/444/colors /scramble/.json?=444*2 /scramble/.json?=333"#;
    let usual = usual.split_whitespace().map(|uri| format!("GET {uri}"));
    let facelets = json!({"state": test_support::cubes::cube("").facelets()}).to_string();
    let flawed = facelets.replacen("UUUU", "FUUU", 1);
    let usual = usual.chain([
        format!("POST /v1/verify {facelets}"),
        format!("POST /v1/verify {flawed}"),
        format!("POST /print {INTERCHANGE}"),
    ]);
    let posted = "POST /v1/solve {|POST /v1/verify|POST /v1/wcif {}|POST /print {}|POST /wcif/scrambles|\
                  POST /frontend/puzzle/444/scramble|POST /frontend/puzzle/444/svg";
    let usual: Vec<String> = usual.chain(posted.split('|').map(str::to_owned)).collect();
    // A real method can make scrambles to given states. Another method is starting.
    let real = starting_with(&["reduction", "other"], settings());
    real.engines
        .ready(Arc::new(Scrambler::in_memory().unwrap()));
    let of_real = "GET /readyz|GET /v1/scrambles?subset=pll&effort=1|GET /v1/scrambles?padded=1&effort=1|\
                   POST /v1/solve {\"scramble\":\"R U\",\"effort\":1}";
    let of_hurried = "GET /v1/scrambles|GET /print|POST /v1/solve|POST /v1/wcif";
    let (state, hurried) = (ready(Behavior::Turns), ready(Behavior::Hurried));
    let starting = starting(settings());
    let list = |list: &str| list.split('|').map(str::to_owned).collect();

    let description = description(&state).await;
    let operations = operations(&description);
    let mut succeeded = BTreeSet::new();
    for (state, requests) in [
        (&state, usual),
        (&real, list(of_real)),
        (&hurried, list(of_hurried)),
        (&starting, list("GET /readyz")),
    ] {
        for request in requests {
            let response = ask(state, &request).await;
            let (status, headers) = (response.status(), response.headers().clone());
            let words: Vec<&str> = request.split([' ', '?']).collect();
            let is_at = |path: &str| {
                let (given, pattern) = (words[1].split('/'), path.split('/'));
                let fits = |(it, is): (&str, &str)| it == is || is.starts_with('{');
                given.clone().count() == pattern.clone().count() && given.zip(pattern).all(fits)
            };
            let mut at = operations
                .iter()
                .filter(|it| it.0 == words[0] && is_at(it.1));
            let (method, path, operation) = at.next().expect(&request);
            let described = resolve(&description, &operation["responses"][status.as_str()]);
            let names = "x-request-id x-hurried x-new-sets retry-after content-disposition";
            for name in names.split(' ') {
                let is_described = described["headers"].get(name).is_some();
                assert!(
                    is_described || !headers.contains_key(name),
                    "{request}: {name}"
                );
            }
            let media = headers[header::CONTENT_TYPE].to_str().unwrap();
            let media = media.split(';').next().unwrap();
            let schema = &described["content"][media]["schema"];
            assert!(schema.is_object(), "{request}: {status} {media}");
            if status.is_success() {
                succeeded.insert((method.as_str(), *path));
            }
            if media.ends_with("json") {
                let document = body(response).await;
                assert!(
                    conforms(&description, schema, &document),
                    "{request}: {document}"
                );
            }
        }
    }
    let all = operations
        .iter()
        .map(|(method, path, _)| (method.as_str(), *path));
    assert_eq!(all.collect::<BTreeSet<_>>(), succeeded);
    // Each line of a stream is one scramble.
    let lines = json_lines(&hurried, "/v1/scrambles?pictures=1").await;
    let schema = &description["components"]["schemas"]["ScrambleReport"];
    assert!(conforms(&description, schema, &lines[0]), "{lines:?}");
}

#[tokio::test]
async fn examples_of_the_documentation_conform_to_the_description() {
    let description = description(&ready(Behavior::Turns)).await;
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
    let state = ready(Behavior::Turns);
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
    let state = guarded(&stub(Behavior::Turns), "0123456789abcdef", settings());
    let description = description(&state).await;
    let mut open = Vec::new();
    for (method, path, operation) in operations(&description) {
        let is_refused = async |token: &str| {
            let request = request(&format!("{method} {path}"), &[("authorization", token)]);
            call(&state, request).await.status() == StatusCode::UNAUTHORIZED
        };
        // Either nothing, if the service has no tokens, or a token.
        let is_guarded = operation["security"] == json!([{}, {"token": []}]);
        assert_eq!(
            is_refused("Bearer 0123456789abcdeX").await,
            is_guarded,
            "{path}"
        );
        assert!(!is_refused("Bearer 0123456789abcdef").await, "{path}");
        open.extend((!is_guarded).then_some(path));
    }
    assert_eq!(open, ["/livez", "/readyz"]);
    for path in ["/docs", "/docs/", "/healthz", "/openapi.json", "/"] {
        let status = send(&state, "GET", path).await.status();
        assert_ne!(status, StatusCode::UNAUTHORIZED, "{path}");
    }
    problem(&state, "GET", "/v1/scrambles", 401, "unauthorized").await;
}

#[tokio::test]
async fn errors_of_parameters_name_them() {
    let state = ready(Behavior::Turns);
    let rows = r#"
        GET /v1/scrambles?event=%ff | 400 bad-parameter | event must be text in UTF-8
        GET /v1/scrambles?x=y&count=%41%c3&z=%bc | 400 bad-parameter | count must be text in UTF-8
        GET /v1/scrambles?count=1&=%ff | 400 bad-parameter | the query must be text in UTF-8
        GET /v1/scrambles?event=444&cuont=secret | 400 bad-parameter | unknown parameter "cuont"; allowed: event, count, effort, m
        GET /v1/scrambles?count=1&count=secret | 400 bad-parameter | repeated parameter "count"; allowed: event, count, effort, m
        GET /v1/scrambles?=secret | 400 bad-parameter | unknown parameter ""; allowed: event, count, effort, m
        GET /v1/scrambles?%22%0a=secret | 400 bad-parameter | unknown parameter "\"\n"; allowed: event, count, effort, m
        GET /v1/scrambles?abcdefghijklmnopqrs=secret | 400 bad-parameter | unknown parameter "abcdefghijklmnop…"; allowed: event"#;
    assert_refused(&state, rows).await;
    // The replacement character is text.
    let response = ask(&state, "GET /print?competition=%ef%bf%bd&extras=0").await;
    assert_eq!(response.status(), StatusCode::OK);
}

#[tokio::test]
async fn the_documentation_page_runs_only_its_own_script() {
    let state = ready(Behavior::Turns);
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
        for foreign in "http: https: src= innerHTML document.write eval(".split(' ') {
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
        let (mut rows, mut again) = (String::new(), Vec::new());
        for parameter in parameters(operation) {
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
            let default = default.replace('"', "`");
            let [name, text] = ["name", "description"].map(|it| parameter[it].as_str().unwrap());
            let row = format!("| `{name}` | {values} | {default} | {text} |\n");
            match list.contains(&row) {
                true => again.push(format!("`{name}`")),
                false => rows += &row,
            }
        }
        if !rows.is_empty() {
            list += &format!("\n| parameter | values | default | |\n|---|---|---|---|\n{rows}");
        }
        if !again.is_empty() {
            list += &format!("\nAs above: {}\n", again.join(", "));
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
