//! Audited files: what may be added and made again, and what an audit finds.

mod states;

use std::time::SystemTime;

use cube444::cube::{Cube, Sequence};
use cube444_competition::audit::{Derivation, Seed, Source, Terms, compare};
use cube444_competition::{FillOptions, FillPlan, GENERATOR, Replace, Wcif};
use serde_json::{Value, json};

test_support::watchdog!();

/// An interchange file for [`ROOT`] and [`SALT`].
const FILE: &str = include_str!("../data/audited.json");
const ROOT: &str = "67002dfc95e6d4288f418fbaa9150aa65b239fd5581f2d067d0293b9321a8b67";
const SALT: &str = "lots";
/// The places of sets in it: three of 444 round 1, and those of 444 round 2 and 444bf round 1.
const SETS: [&str; 5] = [
    "/wcif/events/0/rounds/0/scrambleSets/0",
    "/wcif/events/0/rounds/0/scrambleSets/1",
    "/wcif/events/0/rounds/0/scrambleSets/2",
    "/wcif/events/0/rounds/1/scrambleSets/0",
    "/wcif/events/1/rounds/0/scrambleSets/0",
];

fn file() -> Value {
    FILE.parse().unwrap()
}

fn terms(salt: &str) -> Terms {
    Terms {
        commitment: Some(Seed::root_from_hex(ROOT).unwrap().commitment()),
        salt: Some(salt.to_owned()),
    }
}

fn options(replace: &str) -> FillOptions {
    let replace = match replace {
        "" => Replace::Nothing,
        "all" => Replace::All,
        rounds => rounds.parse().unwrap(),
    };
    FillOptions {
        replace,
        ..FillOptions::default()
    }
}

/// The plan of an audit with a root and a salt.
fn plan_with(text: &str, replace: &str, root: &str, salt: &str) -> Result<FillPlan, String> {
    let root = Seed::root_from_hex(root).unwrap();
    let derivation = Derivation::new(&root, salt).unwrap();
    let wcif = Wcif::from_json(text).unwrap();
    let plan = FillPlan::audited(wcif, options(replace), &derivation);
    plan.map_err(|error| error.to_string())
}

fn plan(text: &str, replace: &str) -> Result<FillPlan, String> {
    plan_with(text, replace, ROOT, SALT)
}

/// The scramble of [`FILE`] at a place, or another that is not in it.
fn scramble_at(place: &str) -> String {
    let sets = Wcif::from_json(FILE).unwrap().sets().unwrap();
    let sets = sets.iter().flat_map(|(_, sets)| sets);
    let mut all = sets.flat_map(|set| set.identified());
    let found = all.find(|(id, _)| id.to_string() == place);
    found.map_or("R U F".to_owned(), |(_, scramble)| scramble.to_owned())
}

/// The file after the sets of a plan have been made.
fn written(plan: FillPlan) -> String {
    let ids = plan.scramble_ids().iter();
    let scrambles: Vec<String> = ids.map(|id| scramble_at(&id.to_string())).collect();
    let states = scrambles.iter().map(|scramble| {
        let turns: Sequence = scramble.parse().unwrap();
        Cube::solved().moved_by(turns.axis_moves())
    });
    let states: Vec<Cube> = states.collect();
    assert!(!plan.repeats(&states), "states of an audit are fixed");
    let filled = plan.fill(scrambles);
    let pieces = filled.into_interchange(Some(terms(SALT)), SystemTime::now());
    pieces.collect()
}

/// A file with the version and the date of [`FILE`], which are those of the last change.
fn undated(text: &str) -> String {
    let [found, expected]: [Value; 2] = [text, FILE].map(|text| text.parse().unwrap());
    let member = |file: &Value, name: &str| file[name].as_str().unwrap().to_owned();
    assert_eq!(found["version"], GENERATOR);
    let mut undated = text.to_owned();
    for name in ["version", "generationDate"] {
        undated = undated.replace(&member(&found, name), &member(&expected, name));
    }
    undated
}

#[test]
fn spoiled_sets_are_made_again_and_all_others_stay() {
    let other = scramble_at("444 round 2 set A extra 1");
    // 444 round 1 set B is spoiled in each of these ways.
    let set = SETS[1];
    for (member, value) in [
        ("/scrambles/0", json!("R U F")),
        ("/scrambles/0", json!(other)),
        ("/scrambles/1", json!("R Q")),
        ("/scrambles/1", json!("")),
        ("/scrambles/1", json!(null)),
        ("/extraScrambles/0", json!(other)),
        ("/scrambles", json!([])),
        ("/scrambles", json!(null)),
        ("/scrambles", json!("R U")),
        ("/extraScrambles", json!([])),
        ("/extraScrambles", json!({})),
        ("/extraScrambles", json!([other, other])),
        ("", json!({"id": 92})),
    ] {
        let mut spoiled = file();
        *spoiled.pointer_mut(&format!("{set}{member}")).unwrap() = value.clone();
        let text = spoiled.to_string();
        for replace in ["444-r1", "444", "444-r1,444bf", "all"] {
            let plan = plan(&text, replace).unwrap();
            assert_eq!(plan.new_sets().unwrap(), "444 round 1 set B", "{value}");
            let lost = "--replace discards 444 round 1 set B; print the new sets";
            assert!(plan.notes().any(|note| note == lost));
            let restored: Value = undated(&written(plan)).parse().unwrap();
            assert_eq!(restored, file(), "{member} {value} {replace}");
        }
        for replace in ["", "444-r2", "444bf"] {
            let error = plan(&text, replace).unwrap_err();
            let message = "444 round 1 set B does not have the scrambles that this root and this salt determine; \
                           if both are right, --replace with its round makes it again if the round needs it, otherwise remove it";
            assert!(error.contains(message), "{error}");
        }
    }
    // All bytes are those of before the damage.
    for place in [
        "444 round 1 set A scramble 2",
        "444 round 1 set C extra 1",
        "444 round 2 set A scramble 1",
        "444bf round 1 set A scramble 3",
    ] {
        let spoiled = FILE.replace(&scramble_at(place), "R U F2");
        let plan = plan(&spoiled, "all").unwrap();
        assert!(place.starts_with(&plan.new_sets().unwrap()));
        assert_eq!(undated(&written(plan)), FILE);
    }
    // A set that lost its number, another in which a member is repeated, and one whose orientation is wrong.
    let last = scramble_at("444bf round 1 set A extra 2");
    for (from, to, name) in [
        ("{\"id\":92,", "null,{\"id\":92,", "444 round 1 sets B to C"),
        (
            "{\"id\":92,",
            "{\"id\":92,\"scrambles\":[],",
            "444 round 1 set B",
        ),
        (
            &*last,
            last.strip_suffix(" y").unwrap(),
            "444bf round 1 set A",
        ),
    ] {
        assert_eq!(FILE.matches(from).count(), 1);
        let text = FILE.replace(from, to);
        let error = plan(&text, "").unwrap_err();
        assert!(error.contains("does not have") || error.contains("must be an object"));
        if to.starts_with("null") {
            // Set C is now the fourth one, beyond the count.
            let error = plan(&text, "444").unwrap_err();
            assert!(
                error.starts_with("444 round 1 set D does not have"),
                "{error}"
            );
            continue;
        }
        let plan = plan(&text, "all").unwrap();
        assert_eq!(plan.new_sets().unwrap(), name);
        let restored: Value = undated(&written(plan)).parse().unwrap();
        assert_eq!(restored, file());
    }
    // Sets that are not side by side.
    let mut spoiled = file();
    for set in [SETS[0], SETS[2]] {
        *spoiled.pointer_mut(&format!("{set}/scrambles/0")).unwrap() = json!("R");
    }
    let plan = plan(&spoiled.to_string(), "444-r1").unwrap();
    assert_eq!(
        plan.new_sets().unwrap(),
        "444 round 1 set A; 444 round 1 set C"
    );
    let lost = "--replace discards 444 round 1 set A; 444 round 1 set C; print the new sets";
    assert_eq!(plan.notes().next().unwrap(), lost);
    assert_eq!(undated(&written(plan)).parse::<Value>().unwrap(), file());
    // Sets beyond a lowered count.
    let mut lowered = file();
    *lowered
        .pointer_mut("/wcif/events/0/rounds/0/scrambleSetCount")
        .unwrap() = json!(1);
    let mut spoiled = lowered.clone();
    *spoiled
        .pointer_mut(&format!("{}/scrambles/0", SETS[0]))
        .unwrap() = json!("R");
    let plan = self::plan(&spoiled.to_string(), "444-r1").unwrap();
    assert_eq!(plan.new_sets().unwrap(), "444 round 1 set A");
    assert_eq!(undated(&written(plan)).parse::<Value>().unwrap(), lowered);
}

#[test]
fn sets_that_are_right_cannot_be_replaced() {
    for (text, replace, round) in [
        (FILE.to_owned(), "all", "444 round 1"),
        (FILE.to_owned(), "444", "444 round 1"),
        (FILE.to_owned(), "444-r2", "444 round 2"),
        (FILE.to_owned(), "444bf,444-r2", "444 round 2"),
        (raised(), "444-r2", "444 round 2"),
    ] {
        let error = plan(&text, replace).unwrap_err();
        let message = format!(
            "{round} has the scrambles that this root and this salt determine, so they cannot be replaced by others; if \
             competitors saw some, raise scrambleSetCount and make a new set without --replace"
        );
        assert_eq!(error, message, "{replace}");
    }
    // A round that needs no sets keeps its own.
    let mut unneeded = file();
    unneeded["wcif"]["events"][0]["rounds"][1]["scrambleSetCount"] = json!(0);
    let kept = plan(&unneeded.to_string(), "444-r2").unwrap();
    assert_eq!(written(kept), unneeded.to_string());
}

/// What a check finds in a set that leads to its derived states.
#[test]
fn sets_with_faults_are_noted_and_made_again() {
    let sighted = scramble_at("444 round 2 set A scramble 1");
    let with = |end: &str| json!(format!("{sighted}{end}"));
    let scramble = "/scrambles/0";
    for (member, value, fault) in [
        (
            scramble,
            with(" x"),
            "turns the whole cube, which is not allowed for 444",
        ),
        (
            scramble,
            with(" y z2"),
            "turns the whole cube, which is not allowed for 444",
        ),
        (scramble, with(" R R'"), "but 0 would do the same"),
        (scramble, with(" 3Rw L' x'"), "but 0 would do the same"),
        (
            scramble,
            json!(sighted.replacen(' ', "  ", 1)),
            "has other white space than single",
        ),
        (
            scramble,
            json!(format!("{sighted}\n")),
            "has other white space than single",
        ),
        (
            scramble,
            with(&" R U2 U2 R'".repeat(30)),
            "turns; a sheet may have 120",
        ),
        ("/id", json!(92), "has the id 92; every set"),
        // Of a set of another event.
        ("/id", json!(90), "has the id 90; every set"),
        ("/id", json!("a"), "has the id \"a\"; every set"),
        ("/id", json!("91"), "has the id \"91\"; every set"),
        ("/id", json!(null), "has the id null; every set"),
    ] {
        let mut faulty = file();
        *faulty.pointer_mut(&format!("{}{member}", SETS[3])).unwrap() = value.clone();
        let text = faulty.to_string();
        // Without --replace, it stays.
        let kept = plan(&text, "").unwrap();
        let notes: Vec<String> = kept.notes().collect();
        let remedy = "; to mend it, replace the sets of its round";
        let is_meant = |note: &String| note.contains(fault) && note.ends_with(remedy);
        assert!(notes.iter().any(is_meant), "{notes:?}");
        assert!(
            notes
                .iter()
                .all(|note| note.starts_with("444 round 2 set A "))
        );
        assert_eq!(written(kept), text);
        for replace in ["444-r2", "444", "all"] {
            let plan = plan(&text, replace).unwrap();
            assert_eq!(plan.new_sets().unwrap(), "444 round 2 set A", "{value}");
            let notes: Vec<String> = plan.notes().collect();
            let lost = "--replace discards 444 round 2 set A; print the new sets";
            assert_eq!(notes, [lost]);
            let text = written(plan);
            let root = Seed::root_from_hex(ROOT).unwrap();
            let compared = compare(text.as_bytes(), &root, &terms(SALT)).unwrap();
            assert_eq!(compared.report.findings, [], "{value}");
        }
        assert!(plan(&text, "444-r1").is_err());
    }
    // A round that does not need the set.
    let mut fewer = file();
    fewer["wcif"]["events"][0]["rounds"][0]["scrambleSetCount"] = json!(2);
    *fewer.pointer_mut(&format!("{}/id", SETS[2])).unwrap() = json!(1);
    *fewer.pointer_mut(&format!("{}/id", SETS[0])).unwrap() = json!(1);
    let error = plan(&fewer.to_string(), "444-r1").unwrap_err();
    let expected = "444 round 1 set C has faults (see `scramble444 check`), but its round does not need it; remove it";
    assert!(error.starts_with(expected), "{error}");
}

#[test]
fn a_change_of_the_terms_is_told() {
    let other = terms("lotz").commitment;
    for (audit, is_changed) in [
        (json!(terms(SALT)), false),
        (json!({"salt": "evil", "commitment": other}), true),
        (json!({"salt": SALT, "commitment": "6700"}), true),
        (json!({"salt": SALT, "commitment": "zz"}), true),
        (json!({"salt": SALT}), true),
        (json!({"commitment": other}), true),
        (json!({"salt": 5, "commitment": other}), true),
        (json!([]), true),
        (json!(null), true),
    ] {
        for remove in [false, true] {
            let mut changed = file();
            changed["audit"] = audit.clone();
            if remove && audit.is_null() {
                changed.as_object_mut().unwrap().remove("audit");
            }
            let plan = plan(&changed.to_string(), "").unwrap();
            assert_eq!(plan.changes_terms(&terms(SALT)), is_changed, "{audit}");
            let restored: Value = written(plan).parse().unwrap();
            assert_eq!(restored, file());
        }
    }
    // New files, and files of other sets, have no terms to be changed.
    let mut new = file();
    for set in SETS.iter().rev() {
        let (list, _) = set.rsplit_once('/').unwrap();
        *new.pointer_mut(list).unwrap() = json!([]);
    }
    new["audit"] = json!(null);
    for text in [new.to_string(), file()["wcif"].to_string()] {
        assert!(!plan(&text, "").unwrap().changes_terms(&terms(SALT)));
    }
    let mut other = file();
    other["audit"] = json!(null);
    let replaced = plan_with(&other.to_string(), "all", ROOT, "lotz").unwrap();
    assert!(!replaced.changes_terms(&terms("lotz")));
}

/// The file with another set needed in 444 round 2.
fn raised() -> String {
    let mut raised = file();
    raised["wcif"]["events"][0]["rounds"][1]["scrambleSetCount"] = json!(2);
    raised.to_string()
}

#[test]
fn missing_sets_are_added_only_to_sets_of_the_same_root_and_salt() {
    let added = plan(&raised(), "").unwrap();
    assert_eq!(added.new_sets().unwrap(), "444 round 2 set B");
    let kept: Sequence = scramble_at("444 round 2 set A scramble 1").parse().unwrap();
    assert!(added.repeats([&Cube::solved().moved_by(kept.axis_moves())]));
    assert!(added.is_audited());
    let added: Value = written(added).parse().unwrap();
    for set in SETS {
        assert_eq!(added.pointer(set), file().pointer(set));
    }
    // Nothing is missing.
    assert_eq!(written(plan(FILE, "").unwrap()), FILE);
    // The names of root and salt prove nothing: sets are compared, not the member `audit`.
    for audit in [json!(null), json!({}), json!({"salt": "x"}), json!(5)] {
        let mut changed = file();
        changed["audit"] = audit;
        let restored = written(plan(&changed.to_string(), "").unwrap());
        assert_eq!(restored.parse::<Value>().unwrap(), file());
    }
    let other_root = ROOT.replace("2dfc", "2dfd");
    for (root, salt) in [(&*other_root, SALT), (ROOT, "lotz"), (ROOT, "lots ")] {
        let error = plan_with(&raised(), "", root, salt).unwrap_err();
        let sets =
            ["1 set A", "1 set B", "1 set C", "2 set A"].map(|set| format!("444 round {set}"));
        for set in sets.iter().map(|set| &**set).chain(["444bf round 1 set A"]) {
            assert!(error.contains(&format!("{set} does not have")), "{error}");
        }
        assert!(
            plan_with(&raised(), "444", root, salt).is_err(),
            "444bf stays"
        );
        // Another audit may replace all of them.
        let plan = plan_with(&raised(), "all", root, salt).unwrap();
        let all = "444 round 1 sets A to C; 444 round 2 sets A to B; 444bf round 1 set A";
        assert_eq!(plan.new_sets().unwrap(), all);
    }
    // A set that is right elsewhere is not right here.
    for (a, b) in [(0, 1), (0, 3), (3, 4)] {
        let mut swapped = file();
        *swapped.pointer_mut(SETS[a]).unwrap() = file().pointer(SETS[b]).unwrap().clone();
        *swapped.pointer_mut(SETS[b]).unwrap() = file().pointer(SETS[a]).unwrap().clone();
        assert!(plan(&swapped.to_string(), "").is_err());
    }
    // Nor one beyond the count, or in a round that needs none, which are never made again.
    for count in [2, 0] {
        let mut fewer = file();
        fewer["wcif"]["events"][0]["rounds"][0]["scrambleSetCount"] = json!(count);
        assert_eq!(plan(&fewer.to_string(), "").unwrap().new_sets(), None);
        *fewer
            .pointer_mut(&format!("{}/scrambles/0", SETS[2]))
            .unwrap() = json!("R");
        for replace in ["", "444-r1"] {
            let error = plan(&fewer.to_string(), replace).unwrap_err();
            assert!(error.contains("444 round 1 set C does not have"), "{error}");
        }
    }
}

#[test]
fn a_plain_plan_adds_nothing_to_audited_sets() {
    let plain = |text: &str, options: FillOptions| {
        let plan = FillPlan::new(Wcif::from_json(text).unwrap(), options);
        plan.map_err(|error| (error.to_string(), error.is_malformed()))
    };
    let mut bare = raised().parse::<Value>().unwrap();
    bare["audit"] = json!({});
    let mut without_sets = file();
    for set in &SETS[2..] {
        let list = set.rsplit_once('/').unwrap().0;
        *without_sets.pointer_mut(list).unwrap() = json!([]);
    }
    let one_set_less = FILE.replacen("\"scrambleSetCount\": 1", "\"scrambleSetCount\": 2", 1);
    for (text, replace) in [
        (&*raised(), ""),
        (FILE, "all"),
        (FILE, "444-r2"),
        (&one_set_less, ""),
        (&bare.to_string(), ""),
        (&without_sets.to_string(), ""),
    ] {
        let (message, is_malformed) = plain(text, options(replace)).unwrap_err();
        let expected = "document.audit says that all sets are those of an audit, which new ones would not be; add or \
                        replace sets with `scramble444 audit sets`, or remove this member";
        assert_eq!((&*message, is_malformed), (expected, false));
    }
    // No set is new, so the audit stays true, also without other events.
    for only in [false, true] {
        let options = FillOptions {
            only,
            ..FillOptions::default()
        };
        let plan = plain(FILE, options).unwrap();
        assert!(plan.is_audited() && plan.scramble_ids().is_empty());
        let text: String = plan
            .fill(vec![])
            .into_interchange(None, SystemTime::now())
            .collect();
        assert_eq!(text == FILE, !only);
        let root = Seed::root_from_hex(ROOT).unwrap();
        let compared = compare(text.as_bytes(), &root, &terms(SALT)).unwrap();
        assert_eq!(compared.report.findings, []);
    }
    // Without the member it is a file like any other.
    let mut plain_file = raised().parse::<Value>().unwrap();
    plain_file.as_object_mut().unwrap().remove("audit");
    let plan = plain(&plain_file.to_string(), options("")).unwrap();
    assert!(!plan.is_audited() && plan.new_sets().is_some());
}

#[test]
fn only_states_and_numbers_are_compared() {
    let root = Seed::root_from_hex(ROOT).unwrap();
    let found = |text: &str| {
        let report = compare(text.as_bytes(), &root, &terms(SALT))
            .unwrap()
            .report;
        let findings = report.findings.into_iter();
        findings
            .map(|finding| format!("{} {}", finding.place, finding.kind))
            .collect::<Vec<_>>()
    };
    assert_eq!(found(FILE), [""; 0]);
    // A set that cannot be read is an error, since its scrambles are not compared.
    let mut unreadable = file();
    *unreadable.pointer_mut(SETS[1]).unwrap() = json!({"id": 92});
    assert!(compare(unreadable.to_string().as_bytes(), &root, &terms(SALT)).is_err());
    // Other turns to the same state, by another program.
    let other = FILE
        .replace("R2 L'", "L' R2")
        .replace("scramble444-0.3.0", "x");
    assert_ne!(FILE, other);
    assert_eq!(found(&other), [""; 0]);
    assert_eq!(plan(&other, "").unwrap().new_sets(), None);
    // The orientation is a part of the state only for the blindfolded event.
    let sighted = scramble_at("444 round 2 set A scramble 1");
    let rotated = FILE.replace(&sighted, &format!("{sighted} x"));
    assert_eq!(found(&rotated), ["444 round 2 set A scramble 1 rotation"]);
    assert_eq!(plan(&rotated, "").unwrap().new_sets(), None);
    // A missing set is found by its number only, which is not committed to.
    let mut fewer = file();
    let round = &mut fewer["wcif"]["events"][0]["rounds"][0];
    round["scrambleSets"].as_array_mut().unwrap().pop();
    assert_eq!(found(&fewer.to_string()), ["444 round 1 count"]);
    fewer["wcif"]["events"][0]["rounds"][0]["scrambleSetCount"] = json!(2);
    assert_eq!(found(&fewer.to_string()), [""; 0]);
    // Two exchanged scrambles.
    let [first, second] =
        [1, 2].map(|number| scramble_at(&format!("444 round 1 set A scramble {number}")));
    let exchanged = FILE
        .replace(&first, "?")
        .replace(&second, &first)
        .replace('?', &second);
    let not_derived =
        [1, 2].map(|number| format!("444 round 1 set A scramble {number} not-derived"));
    assert_eq!(found(&exchanged), not_derived);
    let blindfolded = scramble_at("444bf round 1 set A scramble 1");
    let unrotated = blindfolded.strip_suffix(" z'").unwrap();
    let unrotated = FILE.replace(&blindfolded, unrotated);
    assert_eq!(
        found(&unrotated),
        ["444bf round 1 set A scramble 1 not-derived"]
    );
    assert!(plan(&unrotated, "").is_err());
}

#[test]
fn terms_that_differ_from_the_published_ones_are_findings() {
    let root = Seed::root_from_hex(ROOT).unwrap();
    let other = Seed::root_from_hex(&ROOT.replace("2dfc", "2dfd")).unwrap();
    let kinds = |text: &str, root: &Seed, published: &Terms| {
        let compared = compare(text.as_bytes(), root, published).unwrap();
        let kinds = compared.report.findings.iter().map(|finding| finding.kind);
        let kinds: Vec<&str> = kinds.filter(|kind| *kind != "not-derived").collect();
        (kinds, compared.salt, compared.salt_source)
    };
    let salt = |salt: &str| FILE.replace("\"salt\": \"lots\"", &format!("\"salt\": {salt}"));
    let published = Source::Published;
    for (text, published_salt, found) in [
        (&*salt("\"lots\""), "lots", &[][..]),
        (&salt("null"), "lots", &[]),
        (&salt("\"chosen\""), "lots", &["salt"]),
        (&salt("\"lots\""), "chosen", &["salt"]),
    ] {
        let found = (found.to_vec(), published_salt.to_owned(), published);
        assert_eq!(kinds(text, &root, &terms(published_salt)), found);
    }
    let unpublished = Terms {
        commitment: None,
        salt: None,
    };
    let missing = vec!["no-commitment", "no-salt"];
    let found = (missing, SALT.to_owned(), Source::File);
    assert_eq!(kinds(FILE, &root, &unpublished), found);
    let (found, ..) = kinds(FILE, &other, &terms(SALT));
    assert_eq!(found, ["commitment"; 2]);
    // They come before what the file lacks, and that before its states.
    let mut fewer: Value = salt("\"chosen\"").parse().unwrap();
    let round = &mut fewer["wcif"]["events"][0]["rounds"][0];
    round["scrambleSets"].as_array_mut().unwrap().pop();
    let compared = compare(fewer.to_string().as_bytes(), &other, &terms(SALT)).unwrap();
    let findings = compared.report.findings.iter();
    let found: Vec<String> = findings
        .map(|it| format!("{}: {}", it.place, it.text))
        .collect();
    let commitment = other.commitment();
    assert_eq!(
        found[..3],
        [
            format!("the root: has the commitment {commitment}, not the published one"),
            format!("the root: has the commitment {commitment}, not the one in the file"),
            "the file: names another salt than the auditor's".to_owned(),
        ]
    );
    assert!(found[3].starts_with("444 round 1: "), "{}", found[3]);
    assert!(found[4].ends_with("does not lead to its derived state"));
}
