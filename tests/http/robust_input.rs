//! Property tests with invalid input. `fuzz` checks the same properties by fuzzing.

use std::fs;
use std::path::Path;

use cube444::cube::Sequence;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};

use test_support::robust::{self, with_checksum};

use crate::service::Service;

const HEADER: &str = include_str!("../data/input/table_header/good");
const REQUEST: &str = include_str!("../data/input/wcif/request.json");
const INTERCHANGE: &str = include_str!("../data/input/wcif/interchange.json");

/// Writes no regression files.
fn config() -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Valid and almost valid turns.
fn turns() -> impl Strategy<Value = String> {
    let words = vec("3?[UDLRFBudlrfbxyz]w?[23]?['’′]?|[MES]2?'?", 0..30);
    let words = words.prop_map(|words| words.join(" "));
    prop_oneof![
        words,
        "[UDLRFBMESudlrfbxyzw0-9'’′()\\[\\],:./ \n-]{0,40}",
        ".{0,40}"
    ]
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_turns_parse_or_fail_cleanly(text in turns()) {
        robust::turns(&text);
    }

    #[test]
    fn any_facelets_parse_or_fail_cleanly(
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
    fn any_table_file_opens_or_fails_cleanly(
        changes in vec((any::<Index>(), any::<u8>()), 0..4),
        length in any::<Index>(),
        cut in any::<bool>(),
    ) {
        let mut file = with_checksum(HEADER.as_bytes(), 21);
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
    fn any_table_header_opens_or_fails_cleanly(
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

/// Appends the JSON pointers of `value`, which is at `pointer`, and of all values in it.
fn pointers(value: &Value, pointer: &str, all: &mut Vec<String>) {
    all.push(pointer.to_owned());
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                pointers(member, &format!("{pointer}/{name}"), all);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                pointers(item, &format!("{pointer}/{index}"), all);
            }
        }
        _ => {}
    }
}

#[test]
fn any_competition_is_filled_or_rejected() {
    let documents = [REQUEST, INTERCHANGE].map(|text| -> Value { text.parse().unwrap() });
    let values = json!([
        null,
        true,
        0,
        -1,
        2,
        27,
        1e300,
        u64::MAX,
        "",
        "444",
        "444bf-r1",
        "</script>",
        [],
        {}
    ]);
    let values = select(values.as_array().unwrap().clone());
    let changes = vec((any::<Index>(), values), 0..3);
    let document = select(documents.to_vec());
    proptest!(config(), |(mut document in document, changes in changes, cut in any::<Index>())| {
        for (index, value) in changes {
            let mut all = Vec::new();
            pointers(&document, "", &mut all);
            let pointer: &String = index.get(&all);
            *document.pointer_mut(pointer).unwrap() = value;
        }
        let text = document.to_string();
        robust::wcif(text.as_bytes());
        robust::wcif(&text.as_bytes()[..cut.index(text.len())]);
    });
}

#[test]
fn any_accept_header_gets_a_response() {
    let service = Service::start();
    let ranges = "*/* text/* text/plain application/json application/x-ndjson image/png / ";
    let ranges = select(ranges.split(' ').collect::<Vec<_>>());
    let parameters = "(; ?(q|Q|a)=[0-9a-z.+-]{0,6})?";
    let entries = vec((ranges, parameters), 0..5);
    let entries = entries.prop_map(|entries| {
        let entries = entries.into_iter().map(|(a, b)| format!("{a}{b}"));
        entries.collect::<Vec<String>>().join(",").into_bytes()
    });
    proptest!(config(), |(accept in prop_oneof![entries, vec(any::<u8>(), 0..30)])| {
        service.accept(&accept);
    });
}

#[test]
fn any_query_gets_a_response_or_a_client_error() {
    let service = Service::start();
    // Without `padded`: the stub cannot make scrambles to given states.
    let names = "event count effort method subset pictures numbered scramble state format scheme scale numScrambles \
                 seed showIndices % ";
    let names = select(names.split(' ').collect::<Vec<_>>());
    let values = prop_oneof![
        "[0-9]{0,20}",
        select(
            "444 444bf stub R+U png svg 1 999 -1 %00 %ff %zz"
                .split(' ')
                .collect::<Vec<_>>()
        )
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

/// The files in `tests/data/input` are the seed corpus of the fuzz targets.
#[test]
fn valid_input_is_accepted() {
    let service = Service::start();
    let text = |input: &[u8]| str::from_utf8(input).unwrap().to_owned();
    let assert_accepted = |target: &str, accepts: &dyn Fn(&[u8]) -> bool| {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/input");
        let files: Vec<_> = fs::read_dir(directory.join(target)).unwrap().collect();
        assert!(!files.is_empty(), "{target}");
        for file in files {
            let path = file.unwrap().path();
            assert!(accepts(&fs::read(&path).unwrap()), "{}", path.display());
        }
    };
    assert_accepted("turns", &|input| robust::turns(&text(input)));
    assert_accepted("facelets", &|input| robust::facelets(&text(input)));
    assert_accepted("table_header", &robust::table_header);
    assert_accepted("table_file", &robust::table_file);
    assert_accepted("wcif", &robust::wcif);
    assert_accepted("accept", &|input| service.accept(input));
    assert_accepted("query", &|input| service.query(&text(input)));
    assert!(!service.accept(b"image/png"));
}
