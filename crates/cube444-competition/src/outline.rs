//! The forms of documents, and where they have rounds and scramble sets.

use cube444::scramble::Event;

use super::member::{Member, WcifError};
use super::round::Round;

/// The form of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Wcif,
    /// The WCA's format of results, `results.json`.
    Results,
    /// An interchange file of TNoodle before 1.0, with `sheets`.
    Sheets,
}

/// A round and its place in a document.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RoundInDocument {
    pub(super) round: Round,
    /// The round; if the document has no rounds, its first sheet.
    pub(super) member: Member,
    /// The list of sets, or why it cannot be read. It is parsed when it is needed.
    pub(super) list: Result<Member, WcifError>,
    /// The sets, if the document has no lists of them.
    pub(super) sheets: Vec<Member>,
}

impl RoundInDocument {
    /// The scramble sets.
    pub(super) fn sets(&self) -> Result<impl Iterator<Item = Member>, WcifError> {
        let listed = match &self.list {
            Ok(list) => list.items_if_any()?,
            Err(error) => return Err(error.clone()),
        };
        Ok(listed.chain(self.sheets.iter().cloned()))
    }
}

/// The names of the 4x4x4 events as events and as puzzles, in the WCA's programs and in timers.
pub(super) fn event_of(name: &str) -> Option<Event> {
    match name {
        "444" | "444fast" | "444wca" => Some(Event::Sighted),
        "444bf" | "444ni" | "444bld" => Some(Event::Blindfolded),
        _ => None,
    }
}

/// The scrambles of a set, as far as they can be read.
pub(super) fn scrambles(set: &Member) -> impl Iterator<Item = Member> + use<> {
    let lists = set.members(["scrambles", "extraScrambles"]);
    let lists = lists.into_iter().flatten();
    lists.flat_map(|list| list.items().into_iter().flatten())
}
