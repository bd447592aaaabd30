//! Tests of filling: ids, extra scrambles and lists.

use super::*;
use cube444::cube::Sequence;
use std::time::SystemTime;

fn filled(text: &str) -> String {
    let wcif = Wcif::from_json(text).unwrap();
    let plan = FillPlan::new(wcif, FillOptions::default()).unwrap();
    let scrambles = vec!["F R".to_owned(); plan.scramble_ids().len()];
    let filled = plan.fill(scrambles);
    filled
        .into_interchange(None, SystemTime::UNIX_EPOCH)
        .collect()
}

/// A WCIF with a round of 444 that needs `sets` sets and has one, and with an event without rounds.
fn wcif(sets: u32) -> String {
    format!(
        "{{\"events\":[{{\"id\":\"333\"}},{{\"id\":\"444\",\"rounds\":[{{\"id\":\"444-r1\",\"format\":\"1\",\
         \"scrambleSetCount\":{sets},\"scrambleSets\":[{{\"id\":1,\"scrambles\":[\"R U\"]}}]}}]}}]}}"
    )
}

#[test]
fn empty_lists_are_inserted_only_into_interchange_files() {
    const LIST: &str = "\"333\",\"rounds\":[]";
    // Neither is an interchange file, and there are no new sets.
    for text in [wcif(1), format!("{{\"wcif\":{}}}", wcif(1))] {
        assert_eq!(filled(&text), text);
    }
    assert!(filled(&wcif(2)).contains(LIST));
    let interchange = format!("{{\"version\":\"x\",\"wcif\":{}}}", wcif(1));
    let expected = interchange.replace("\"333\"", LIST);
    assert_eq!(filled(&interchange), expected);
}

/// A WCIF with a round of 444 for each list of ids of sets, and of which each needs another set.
fn with_ids(rounds: &[&[u64]]) -> String {
    let rounds = (1..).zip(rounds).map(|(number, ids)| {
        let sets = ids
            .iter()
            .map(|id| json!({"id": id, "scrambles": [format!("R U F{id}")]}));
        json!({
            "id": format!("444-r{number}"), "format": "1", "scrambleSetCount": ids.len() + 1,
            "scrambleSets": sets.collect::<Vec<_>>(),
        })
    });
    let rounds: Vec<_> = rounds.collect();
    json!({"events": [{"id": "444", "rounds": rounds}]}).to_string()
}

#[test]
fn ids_of_sets_that_stay_are_not_given_to_others() {
    for (rounds, only, replace, expected) in [
        (&[&[u64::MAX, 1, 3][..]][..], true, None, "[[MAX,1,3,2]]"),
        (&[&[5], &[5]], false, Some("444-r2"), "[[5,6],[7,8]]"),
        (&[&[5], &[4]], false, Some("444-r2"), "[[5,6],[4,7]]"),
        // The first round that is replaced keeps an id.
        (&[&[5], &[5]], false, Some("444"), "[[5,6],[7,8]]"),
        // A set of another event has the id 2, unless it is removed.
        (&[&[2]], false, Some("444"), "[[3,4]]"),
        (&[&[2]], true, Some("444"), "[[2,3]]"),
    ] {
        let other = r#"{"events":[{"id":"333","rounds":[{"scrambleSets":[{"id":2}]}]},"#;
        let wcif = with_ids(rounds).replace(r#"{"events":["#, other);
        let wcif = Wcif::from_json(wcif).unwrap();
        let replace = replace.map_or(Ok(Replace::Nothing), str::parse).unwrap();
        let plan = FillPlan::new(
            wcif,
            FillOptions {
                only,
                replace,
                ..FillOptions::default()
            },
        );
        let plan = plan.unwrap();
        let scrambles = vec!["F R".to_owned(); plan.scramble_ids().len()];
        let filled: String = plan.fill(scrambles).into_pieces().collect();
        let sets = Wcif::from_json(filled).unwrap().sets().unwrap();
        let ids = sets.iter().map(|(_, sets)| {
            let ids = sets.iter().map(|set| set.id.clone().unwrap());
            ids.collect::<Vec<u64>>()
        });
        let ids = json!(ids.collect::<Vec<_>>()).to_string();
        let expected = expected.replace("MAX", &u64::MAX.to_string());
        assert_eq!(ids, expected);
    }
}

/// A scramble must not lead to a state that was drawn before, although its set is replaced.
#[test]
fn states_of_replaced_sets_are_not_repeated() {
    let set = json!({"id": 1, "scrambles": ["R U F"], "extraScrambles": ["F D B"]});
    let rounds =
        json!([{"id": "444-r1", "format": "1", "scrambleSetCount": 1, "scrambleSets": [set]}]);
    let wcif = json!({"events": [{"id": "444", "rounds": rounds}]}).to_string();
    let options = FillOptions {
        replace: Replace::All,
        only: true,
        extras: None,
    };
    let plan = FillPlan::new(Wcif::from_json(wcif).unwrap(), options).unwrap();
    for (turns, repeats) in [("R U F x", true), ("F D B", true), ("F D R", false)] {
        let sequence: Sequence = turns.parse().unwrap();
        let state = Cube::solved().moved_by(sequence.axis_moves());
        assert_eq!(plan.repeats([&state]), repeats, "{turns}");
    }
}

#[test]
fn extra_scrambles_are_as_many_as_the_extension_says_or_two() {
    let extension = |data: &str| {
        format!(
            ",\"extensions\":[{{\"id\":\"org.worldcubeassociation.tnoodle.ExtraScrambleCount\",\"data\":\
             {{\"extraAttempts\":{data}}}}}]"
        )
    };
    for (extensions, extras) in [
        (String::new(), 2),
        (",\"extensions\":null".to_owned(), 2),
        (extension("0"), 0),
        (extension("\"0\""), 0),
        (extension("1"), 1),
        (extension("99"), 99),
    ] {
        let text = format!(
            "{{\"events\":[{{\"id\":\"444\",\"rounds\":[{{\"id\":\"444-r1\",\"format\":\"1\",\
             \"scrambleSetCount\":1{extensions}}}]}}]}}"
        );
        let wcif = Wcif::from_json(filled(&text)).unwrap();
        let sets = wcif.sets().unwrap();
        assert_eq!(sets[0].1[0].extras.len(), extras, "{extensions}");
    }
}

#[test]
fn scrambles_that_would_be_lost_are_found() {
    let file = |own: &str, other: &str| {
        let set =
            |scramble: &str| json!([{"id": 1, "scrambles": [], "extraScrambles": [scramble]}]);
        let round = |id: &str, sets| json!({"id": id, "format": "1", "scrambleSetCount": 1, "scrambleSets": sets});
        let rounds = json!([round("444-r1", set(own)), round("444-r2", json!([]))]);
        let other = json!([{"id": "333-r1", "scrambleSets": set(other)}]);
        let events = json!([{"id": "333", "rounds": other}, {"id": "444", "rounds": rounds}]);
        // In another layout, as of another program.
        Wcif::from_json(format!("{:#}", json!({"events": events}))).unwrap()
    };
    let lacks = |input: &Wcif, other: &Wcif, replace: Replace| {
        let options = FillOptions {
            replace,
            ..FillOptions::default()
        };
        FillPlan::new(input.clone(), options)
            .unwrap()
            .lacks_scrambles_of(other)
    };
    // An encrypted set, and one with two lists of scrambles, are compared as a whole.
    for set in [
        r#"{"ciphertext":"?"}"#,
        r#"{"scrambles":["R"],"scrambles":["?"]}"#,
    ] {
        let file = |text: &str| {
            let other = format!(
                r#"{{"id":"333","rounds":[{{"scrambleSets":[{}]}}]}}"#,
                set.replace('?', text)
            );
            let own =
                r#"{"id":"444","rounds":[{"id":"444-r1","format":"1","scrambleSetCount":0}]}"#;
            Wcif::from_json(format!(r#"{{"events":[{other},{own}]}}"#)).unwrap()
        };
        let other = |text: &str| lacks(&file("61"), &file(text), Replace::Nothing);
        assert_eq!([other("61"), other("62")], [false, true], "{set}");
    }
    // A list of sets that cannot be read may have any.
    let twice = wcif(1).replace("\"scrambleSets\"", "\"scrambleSets\":[],\"scrambleSets\"");
    let empty = Wcif::from_json(wcif(1).replace("[\"R U\"]", "[]")).unwrap();
    assert!(lacks(
        &empty,
        &Wcif::from_json(twice).unwrap(),
        Replace::Nothing
    ));
    let input = file("R U", "F2");
    let [first, second] = ["444-r1", "444-r2"].map(|it| it.parse::<Replace>().unwrap());
    for (other, replace, expected) in [
        (file("R U", "F2"), Replace::Nothing, false),
        (file("R D", "F2"), Replace::Nothing, true),
        // The result has neither the old sets nor their like.
        (file("R U", "F2"), Replace::All, true),
        (file("R U", "F2"), first.clone(), true),
        (file("R D", "F2"), second, true),
        (file("R U", "L2"), Replace::Nothing, true),
        (file("R U", "L2"), first, true),
    ] {
        assert_eq!(
            lacks(&input, &other, replace.clone()),
            expected,
            "{replace:?}"
        );
    }
    let only = FillOptions {
        only: true,
        ..FillOptions::default()
    };
    let plan = FillPlan::new(input.clone(), only).unwrap();
    assert!(plan.lacks_scrambles_of(&input));
    assert!(!lacks(&input, &empty, Replace::Nothing) && lacks(&empty, &input, Replace::Nothing));
}
