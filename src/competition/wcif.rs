//! A WCIF as it is read, whole.

use std::collections::HashSet;
use std::fmt;

use serde_json::Value;

use super::member::{Member, WcifError};
use super::round::{Round, rounds};
use crate::scramble::Event;

/// A WCIF with all its members, known here or not, in their order.
///
/// It may hold scrambles, which are secret until they are used, so `Debug` prints nothing of it.
#[derive(Clone, PartialEq)]
pub struct Wcif(Value);

impl fmt::Debug for Wcif {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Wcif { .. }")
    }
}

/// The member that holds the WCIF in the documents that are exchanged; also the name with which paths
/// in errors begin.
const WCIF: &str = "wcif";

/// A WCIF, and what is said of its scrambles beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The WCIF.
    pub wcif: Wcif,
    /// The program that made the scrambles, and its version, if that is said.
    pub generator: Option<String>,
    /// When they were made, as text, if that is said.
    pub generated: Option<String>,
}

impl Document {
    /// Reads a document: either `{"wcif": …}`, as an interchange file is, or a WCIF by itself.
    ///
    /// # Errors
    ///
    /// If it is not JSON, or not of this shape; see [`Document::from_value`].
    pub fn from_json(text: &[u8]) -> Result<Document, WcifError> {
        let value = serde_json::from_slice(text);
        Document::from_value(value.map_err(|error| WcifError::NotJson(error.to_string()))?)
    }

    /// As [`Document::from_json`], of JSON that has been read.
    ///
    /// # Errors
    ///
    /// If `formatVersion`, `id`, `name` and `shortName` are not text, or `events` is not an array of
    /// objects with an `id` each, or if anything about rounds of a 4x4x4 event is wrong.
    pub fn from_value(mut value: Value) -> Result<Document, WcifError> {
        if !value.is_object() {
            return Err(Member::root(&value, "the document").shape("an object"));
        }
        let beside = |name: &str| {
            let text = value.get(name).and_then(Value::as_str);
            value.get(WCIF).and(text).map(str::to_owned)
        };
        let (generator, generated) = (beside("version"), beside("generationDate"));
        if let Some(inner) = value.get_mut(WCIF) {
            value = inner.take();
        }
        Ok(Document {
            wcif: Wcif::new(value)?,
            generator,
            generated,
        })
    }
}

impl Wcif {
    fn new(value: Value) -> Result<Wcif, WcifError> {
        let wcif = Wcif(value);
        let root = wcif.root();
        if !wcif.0.is_object() {
            return Err(root.shape("an object"));
        }
        for name in ["formatVersion", "id", "name", "shortName"] {
            root.get(name).text()?;
        }
        if wcif.short_name().trim().is_empty() {
            return Err(root.get("shortName").impossible("must not be empty"));
        }
        wcif.rounds()?;
        Ok(wcif)
    }

    /// The whole of it, as errors name it.
    pub(super) fn root(&self) -> Member<'_> {
        Member::root(&self.0, WCIF)
    }

    /// The short name of the competition.
    #[must_use]
    pub fn short_name(&self) -> &str {
        self.0["shortName"]
            .as_str()
            .expect("a WCIF is made only of a value whose shortName is text")
    }

    /// The rounds of the 4x4x4 events, in the order of the document.
    ///
    /// # Errors
    ///
    /// If anything about them is wrong.
    pub fn rounds(&self) -> Result<Vec<Round>, WcifError> {
        let rounds = rounds(&self.root())?;
        Ok(rounds.into_iter().map(|(round, _)| round).collect())
    }

    /// The array of events.
    pub(super) fn events_mut(&mut self) -> &mut Vec<Value> {
        self.0["events"]
            .as_array_mut()
            .expect("a WCIF is made only of a value whose events are an array")
    }

    /// Drops the events of other puzzles.
    pub(super) fn drop_other_events(&mut self) {
        self.events_mut().retain(is_ours);
    }

    /// The numbers of the scramble sets that events of other puzzles have. What is not of the usual
    /// shape has no numbers.
    pub(super) fn ids_of_others(&self) -> HashSet<u64> {
        fn items<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
            value[name].as_array().into_iter().flatten()
        }
        let others = items(&self.0, "events").filter(|event| !is_ours(event));
        let rounds = others.flat_map(|event| items(event, "rounds"));
        rounds
            .flat_map(|round| items(round, "scrambleSets"))
            .filter_map(|set| set["id"].as_u64())
            .collect()
    }

    /// The WCIF as JSON.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.0
    }

    /// The WCIF as JSON.
    #[must_use]
    pub fn into_value(self) -> Value {
        self.0
    }
}

/// Whether an event is of the 4x4x4 cube.
fn is_ours(event: &Value) -> bool {
    let id = event["id"].as_str();
    id.is_some_and(|id| id.parse::<Event>().is_ok())
}
