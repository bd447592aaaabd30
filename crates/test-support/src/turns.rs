//! Competitions filled with random turns, for tests without a solver.

use cube444::scramble::{Event, Orientation};
use cube444_competition::{FillOptions, FillPlan, Wcif};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;
use serde_json::{Value, json};

/// Random turns with no two consecutive turns of one axis, about as many as in a scramble.
pub fn turns(rng: &mut ChaCha20Rng, event: Event) -> String {
    const FACES: [[&str; 3]; 3] = [["R", "L", "Rw"], ["U", "D", "Uw"], ["F", "B", "Fw"]];
    let mut words = Vec::new();
    let mut before = 3;
    let length = rng.random_range(42..=50);
    while words.len() < length {
        let axis = rng.random_range(0..3);
        if axis != before {
            let face = FACES[axis].choose(rng).unwrap();
            let amount = ["", "2", "'"].choose(rng).unwrap();
            words.push(format!("{face}{amount}"));
            before = axis;
        }
    }
    if event == Event::Blindfolded {
        let orientation = Orientation::random(rng);
        words.extend(orientation.rotations().map(|rotation| rotation.to_string()));
    }
    words.join(" ")
}

/// A competition with a round of 444 for each number of `sets`, and a round of 444bf with
/// `blindfolded` sets unless that is 0.
pub fn competition(sets: &[u32], blindfolded: u32) -> Value {
    let round = |event: &str, format: &str, number: usize, sets: u32| json!({"id": format!("{event}-r{number}"), "format": format, "scrambleSetCount": sets});
    let rounds = (1..).zip(sets);
    let rounds: Value = rounds
        .map(|(number, &sets)| round("444", "a", number, sets))
        .collect();
    let mut events = vec![json!({"id": "444", "rounds": rounds})];
    if blindfolded > 0 {
        events.push(json!({"id": "444bf", "rounds": [round("444bf", "3", 1, blindfolded)]}));
    }
    json!({
        "formatVersion": "1.0", "id": "Test2026", "name": "Test Open 2026", "shortName": "Test 2026",
        "events": events,
    })
}

/// The interchange file of a competition, filled with random turns.
pub fn interchange(wcif: &Value, seed: u64) -> Value {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let document = Wcif::from_json(wcif.to_string()).unwrap();
    let plan = FillPlan::new(document, FillOptions::default()).unwrap();
    let ids = plan.scramble_ids().iter();
    let scrambles = ids.map(|id| turns(&mut rng, id.event)).collect();
    let now = std::time::SystemTime::now();
    let pieces = plan.fill(scrambles).into_interchange(None, now);
    serde_json::from_str(&pieces.collect::<String>()).unwrap()
}
