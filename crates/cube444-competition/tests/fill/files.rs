//! Interchange files, their metadata, lists and names.

use std::collections::HashSet;
use std::time::{Duration, SystemTime};

use cube444_competition::{FillOptions, FillPlan, GENERATOR, Sheets, Wcif};
use serde_json::{Value, json};

use super::{fill, plan, read};
use test_support::turns::{competition, interchange};
use test_support::wcif::REQUEST;

fn written(document: &impl ToString) -> String {
    let filled = fill(plan(document, ""));
    filled
        .into_interchange(None, SystemTime::UNIX_EPOCH)
        .collect()
}

/// A document without its metadata and its sets, as text, which shows the order of the members.
fn rest(mut document: Value) -> String {
    for member in ["version", "generationDate"] {
        document.as_object_mut().unwrap().shift_remove(member);
    }
    document["wcif"]["events"][0]["rounds"][1]["scrambleSets"] = json!([]);
    document.to_string()
}

#[test]
fn metadata_of_an_interchange_file_stays_except_version_and_date() {
    let mut given = interchange(&competition(&[1, 1], 0), 3);
    given["version"] = json!("TNoodle-WCA-1.2.3");
    given["unknown"] = json!([1, null]);
    let complete = given.to_string();
    assert_eq!(written(&complete), complete);
    given["wcif"]["events"][0]["rounds"][1]["scrambleSets"] = json!([]);
    for missing in ["", "version", "generationDate"] {
        let mut given = given.clone();
        given.as_object_mut().unwrap().shift_remove(missing);
        let written: Value = written(&given).parse().unwrap();
        assert_eq!(written["version"], GENERATOR);
        assert_ne!(written["generationDate"], given["generationDate"]);
        assert_eq!(rest(written), rest(given));
    }
}

/// Another process may have made the file in the same second.
#[test]
fn the_date_is_not_that_of_the_file_that_is_filled() {
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(500_000_000);
    let mut given = interchange(&competition(&[1], 0), 4);
    given["generationDate"] = json!("Nov 05, 1985 12:53:20 AM");
    given["wcif"]["events"][0]["rounds"][0]["scrambleSetCount"] = json!(2);
    let filled = fill(plan(&given, "")).into_interchange(None, time);
    let written: Value = filled.collect::<String>().parse().unwrap();
    assert_eq!(written["generationDate"], "Nov 05, 1985 12:53:21 AM");
}

#[test]
fn a_new_interchange_file_has_its_own_metadata() {
    let mut dates = HashSet::new();
    // The names of a competition and that of the file. Other members do not make it an interchange file.
    for (mut given, name) in [
        (json!({"id": "A", "name": "B", "shortName": "C"}), "C"),
        (json!({"id": "A", "name": "B", "shortName": " "}), "B"),
        (
            json!({"id": "A", "version": "2.1", "generationDate": "x"}),
            "A",
        ),
        (json!({}), ""),
    ] {
        given["events"] = competition(&[1, 0], 0)["events"].clone();
        for given in [given.clone(), json!({"wcif": given, "zipPassword": "x"})] {
            let written = written(&given);
            assert!(written.ends_with("\n}\n"));
            let mut written: Value = written.parse().unwrap();
            // The WCA's site takes files with the same date for the same file.
            assert!(dates.insert(written["generationDate"].to_string()));
            let wcif = given.get("wcif").unwrap_or(&given);
            let sets = &mut written["wcif"]["events"][0]["rounds"][0]["scrambleSets"];
            assert_eq!(sets.take().as_array().unwrap().len(), 1);
            let expected = json!({
                "competitionName": name,
                "version": GENERATOR,
                "generationDate": written["generationDate"],
                "generationUrl": "/wcif/interchange",
                "wcif": wcif,
            });
            for round in [0, 1] {
                let round = &mut written["wcif"]["events"][0]["rounds"][round];
                round.as_object_mut().unwrap().shift_remove("scrambleSets");
            }
            assert_eq!(written.to_string(), expected.to_string());
        }
    }
}

/// The WCA's site needs all lists.
#[test]
fn every_round_of_an_interchange_file_has_a_list_of_sets() {
    let others = r#"[{"id": "222", "rounds": [{"id": "222-r1"}, {}, { }, {"scrambleSets": null}]}, {"id": "333",
        "rounds": null}, {"id": "clock"}, {"rounds": [{"scrambleSets": []}], "id": "pyram"}, "#;
    let own = &competition(&[1], 1)["events"].to_string()[1..];
    let given = format!("{{\"name\": \"A\", \"events\": {others}{own}}}");
    let expected = others
        .replace("\"222-r1\"}", "\"222-r1\",\"scrambleSets\":[]}")
        .replace("{}", "{\"scrambleSets\":[]}")
        .replace("{ }", "{ \"scrambleSets\":[]}")
        .replace("null", "[]")
        .replace("\"clock\"}", "\"clock\",\"rounds\":[]}");
    let complete = written(&given);
    assert!(complete.contains(&expected), "{complete}");
    // The bare WCIF stays as it is.
    let bare: String = fill(plan(&given, "")).into_pieces().collect();
    assert!(bare.contains(others), "{bare}");
    // A complete file without the lists, as earlier versions wrote, gets them.
    assert_eq!(written(&complete.replace(&expected, others)), complete);

    let mut given = competition(&[1, 0], 0);
    given["events"]
        .as_array_mut()
        .unwrap()
        .push(json!({"id": "333"}));
    let only = FillOptions {
        only: true,
        ..FillOptions::default()
    };
    let filled = fill(FillPlan::new(read(&given), only).unwrap());
    let filled: String = filled.into_interchange(None, SystemTime::now()).collect();
    let round = &filled.parse::<Value>().unwrap()["wcif"]["events"][0]["rounds"][1];
    assert_eq!(round["scrambleSets"], json!([]));

    // A thousand lists, one of them in the round of 444.
    for (count, only, is_allowed) in [
        (999, false, true),
        (1_000, false, false),
        (1_000, true, true),
    ] {
        let mut given = competition(&[1], 0);
        let other = json!({"id": "333", "rounds": vec![json!({}); count]});
        given["events"].as_array_mut().unwrap().push(other);
        let options = FillOptions {
            only,
            ..FillOptions::default()
        };
        assert_eq!(FillPlan::new(read(&given), options).is_ok(), is_allowed);
    }
}

#[test]
fn pieces_of_a_large_document_end_at_characters() {
    for offset in 0..3 {
        let name = "x".repeat(offset) + &"\u{20ac}".repeat(60_000);
        let mut given = competition(&[1], 0);
        given["name"] = json!(name);
        assert!(written(&given).contains(&name));
        let pieces: Vec<String> = fill(plan(&given, "")).into_pieces().collect();
        assert!(pieces.concat().contains(&name));
        let longest = pieces.iter().map(String::len).max();
        assert!(longest.unwrap() < name.len() / 2, "{longest:?}");
    }
}

#[test]
fn names_of_files_are_safe_in_paths() {
    let long = "ß".repeat(150);
    // Control characters, spaces and invisible characters beyond ASCII.
    let invisible = "A\u{80}B\u{85}C\u{2003}D\u{3000}E\u{ad}F\u{feff}G\u{2066}H\u{e0041}I\u{200e}J\u{202a}K\u{2060}L";
    for (short_name, name) in [
        ("Example 2026", "Example 2026"),
        ("../../etc/passwd", "______etc_passwd"),
        ("a\"; filename=b", "a__ filename_b"),
        ("Łódź\r\nX: 1", "Łódź__X_ 1"),
        ("Sao\u{303} 李四", "Sao\u{303} 李四"),
        ("a\u{202e}gpj.exe\u{200b}", "a_gpj_exe_"),
        (".bashrc", "_bashrc"),
        ("con", "_con"),
        ("-rf", "_-rf"),
        ("NUL ", "_NUL"),
        ("aux", "_aux"),
        ("Prn", "_Prn"),
        ("COM9", "_COM9"),
        ("LPT²", "_LPT²"),
        ("Console Open", "Console Open"),
        ("COM10", "COM10"),
        ("Open . ", "Open _"),
        ("\t Open\u{a0}\n", "Open"),
        (invisible, "A_B_C_D_E_F_G_H_I_J_K_L"),
        ("", "Example Open 2026"),
        (&long, &"ß".repeat(100)),
        (&format!("{} y", "x".repeat(199)), &"x".repeat(199)),
    ] {
        let mut given: Value = REQUEST.parse().unwrap();
        given["wcif"]["shortName"] = json!(short_name);
        assert_eq!(fill(plan(&given, "")).file_name(), format!("{name}.json"));
    }
    let unnamed = json!({"events": competition(&[1], 0)["events"]});
    assert_eq!(fill(plan(&unnamed, "")).file_name(), "scrambles.json");
}

/// Sheets need neither counts nor formats nor ids.
#[test]
fn sheets_read_only_scrambles() {
    let mut file = interchange(&competition(&[2], 1), 2);
    let round = &mut file["wcif"]["events"][0]["rounds"][0];
    *round = json!({"scrambleSetCount": -1, "format": [], "scrambleSets": round["scrambleSets"]});
    file["wcif"]["events"][1]["rounds"][0]["id"] = json!(7);
    file["wcif"]["name"] = json!(7);
    let events = file["wcif"]["events"].as_array_mut().unwrap();
    events.push(json!(null));
    let sheets = Sheets::from_wcif(&Wcif::from_json(file.to_string()).unwrap());
    assert_eq!(sheets.unwrap().scrambles(), 2 * 7 + 5);
}
