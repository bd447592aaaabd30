//! Input that nobody would send on purpose. `fuzz` has the same for fuzzing.

use std::fs;
use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use scramble444::cube::Sequence;
use serde_json::{Value, json};

use crate::common::robust::{self, Service, sealed};

const HEADER: &str = include_str!("../data/input/table_header/good");
const REQUEST: &str = include_str!("../data/input/wcif/request.json");
const INTERCHANGE: &str = include_str!("../data/input/wcif/interchange.json");

/// What fails is shown as it is; nothing is written down for the next time.
fn config() -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Turns that can be read, and what nearly can.
fn turns() -> impl Strategy<Value = String> {
    let words = vec("3?[UDLRFBudlrfbxyz]w?[23]?['’′]?|[MES]2?'?", 0..30);
    let words = words.prop_map(|words| words.join(" "));
    prop_oneof![words, "[UDLRFBMESudlrfbxyzw0-9'’′()/ \n-]{0,40}", ".{0,40}"]
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn turns_are_read_or_refused(text in turns()) {
        robust::turns(&text);
    }

    #[test]
    fn facelets_are_read_or_refused(
        turns in vec("[UDLRFB]w?[2']?", 0..20),
        changes in vec((any::<Index>(), select("URFDLBurWRGYOB? ".chars().collect::<Vec<_>>())), 0..4),
        swaps in vec((any::<Index>(), any::<Index>()), 0..3),
    ) {
        let turns: Sequence = turns.join(" ").parse().unwrap();
        let mut letters: Vec<char> = robust::end(&turns).facelets().chars().collect();
        prop_assert!(robust::facelets(&letters.iter().collect::<String>()));
        for (index, letter) in changes {
            *index.get_mut(&mut letters) = letter;
        }
        for (a, b) in swaps {
            letters.swap(a.index(96), b.index(96));
        }
        robust::facelets(&letters.into_iter().collect::<String>());
    }

    #[test]
    fn table_files_are_read_or_refused(
        changes in vec((any::<Index>(), any::<u8>()), 0..4),
        length in any::<Index>(),
        cut in any::<bool>(),
    ) {
        let mut file = sealed(HEADER.as_bytes(), 21);
        if cut {
            file.truncate(length.index(file.len()));
        }
        for (index, byte) in changes {
            if !file.is_empty() {
                *index.get_mut(&mut file) = byte;
            }
        }
        robust::table_file(&file);
    }

    #[test]
    fn table_headers_are_read_or_refused(
        entries in prop_oneof![0..50_u64, any::<u64>(), u64::MAX - 5000..],
        entry_bits in prop_oneof![select(vec![1, 2, 4, 8_u8]), any::<u8>()],
        least_code in any::<u8>(),
        largest_code in any::<u8>(),
        more in ".{0,20}",
    ) {
        let header = HEADER
            .replace("\"entries\":41", &format!("\"entries\":{entries},\"least_code\":{least_code}"))
            .replace("\"entry_bits\":4", &format!("\"entry_bits\":{entry_bits}"))
            .replace("\"largest_code\":15", &format!("\"largest_code\":{largest_code}"));
        robust::table_header(header.as_bytes());
        robust::table_header((header + &more).as_bytes());
    }
}

/// The places of all values in a document.
fn places(value: &Value, place: &str, all: &mut Vec<String>) {
    all.push(place.to_owned());
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                places(member, &format!("{place}/{name}"), all);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                places(item, &format!("{place}/{index}"), all);
            }
        }
        _ => {}
    }
}

#[test]
fn competitions_are_filled_or_refused() {
    let documents = [REQUEST, INTERCHANGE].map(|text| -> Value { text.parse().unwrap() });
    let values = select(vec![
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(2),
        json!(27),
        json!(1e300),
        json!(u64::MAX),
        json!(""),
        json!("444"),
        json!("444bf-r1"),
        json!("</script>"),
        json!([]),
        json!({}),
    ]);
    let changes = vec((any::<Index>(), values), 0..3);
    let document = select(documents.to_vec());
    proptest!(config(), |(mut document in document, changes in changes, cut in any::<Index>())| {
        for (index, value) in changes {
            let mut all = Vec::new();
            places(&document, "", &mut all);
            let place: &String = index.get(&all);
            *document.pointer_mut(place).unwrap() = value;
        }
        let text = document.to_string();
        robust::wcif(text.as_bytes());
        robust::wcif(&text.as_bytes()[..cut.index(text.len())]);
    });
}

#[test]
fn what_is_accepted_is_answered() {
    let service = Service::start();
    let ranges = select(vec![
        "*/*",
        "text/*",
        "text/plain",
        "application/json",
        "application/x-ndjson",
        "image/png",
        "/",
        "",
    ]);
    let parameters = "(; ?(q|Q|a)=[0-9a-z.+-]{0,6})?";
    let entries = vec((ranges, parameters), 0..5);
    let entries = entries.prop_map(|entries| {
        let entries: Vec<String> = entries
            .into_iter()
            .map(|(a, b)| format!("{a}{b}"))
            .collect();
        entries.join(",").into_bytes()
    });
    proptest!(config(), |(accepted in prop_oneof![entries, vec(any::<u8>(), 0..30)])| {
        service.accept(&accepted);
    });
}

#[test]
fn queries_are_answered_or_refused() {
    let service = Service::start();
    let names = select(vec![
        "event",
        "count",
        "effort",
        "method",
        // The stub makes no scrambles to states that it is given, which padded=1 asks for.
        "subset",
        "pictures",
        "numbered",
        "scramble",
        "state",
        "format",
        "scheme",
        "scale",
        "numScrambles",
        "seed",
        "showIndices",
        "",
        "%",
    ]);
    let values = prop_oneof![
        "[0-9]{0,20}",
        select(vec![
            "444", "444bf", "stub", "R+U", "png", "svg", "1", "999", "-1", "%00", "%ff", "%zz"
        ])
        .prop_map(str::to_owned),
        "[ -~]{0,20}",
    ];
    let pairs = vec((names, values), 0..6);
    let pairs = pairs.prop_map(|pairs| {
        let pairs: Vec<String> = pairs.into_iter().map(|(a, b)| format!("{a}={b}")).collect();
        pairs.join("&")
    });
    proptest!(config(), |(query in prop_oneof![pairs, "[ -~]{0,40}"])| {
        service.query(&query);
    });
}

/// The examples that fuzzing begins with.
#[test]
fn good_input_is_taken() {
    let service = Service::start();
    let text = |input: &[u8]| str::from_utf8(input).unwrap().to_owned();
    let taken = |target: &str, taken: &dyn Fn(&[u8]) -> bool| {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/input");
        let files: Vec<_> = fs::read_dir(directory.join(target)).unwrap().collect();
        assert!(!files.is_empty(), "{target}");
        for file in files {
            let path = file.unwrap().path();
            assert!(taken(&fs::read(&path).unwrap()), "{}", path.display());
        }
    };
    taken("turns", &|input| robust::turns(&text(input)));
    taken("facelets", &|input| robust::facelets(&text(input)));
    taken("table_header", &robust::table_header);
    taken("table_file", &robust::table_file);
    taken("wcif", &robust::wcif);
    taken("accept", &|input| service.accept(input));
    taken("query", &|input| service.query(&text(input)));
    assert!(!service.accept(b"image/png"));
}
