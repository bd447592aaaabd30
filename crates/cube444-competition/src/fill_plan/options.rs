//! The options of filling, which users write as texts.

use std::collections::HashMap;
use std::str::FromStr;

use cube444::scramble::Event;

use crate::round::{MAX_ROUNDS, MAX_SETS, Round};

/// Options of [`FillPlan::new`](super::FillPlan::new).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FillOptions {
    /// Remove the events of other puzzles.
    pub only: bool,
    /// The rounds whose existing scramble sets are replaced. Others keep them, and get the missing ones.
    pub replace: Replace,
    /// The number of extra scrambles of each set, at most [`MAX_EXTRAS`](crate::MAX_EXTRAS), in rounds without sets that name
    /// none. The file gets it as an extension.
    pub extras: Option<u32>,
}

/// Numbers of scramble sets of rounds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SetCounts(pub(super) HashMap<(Event, u32), u32>);

/// The text does not give rounds numbers of scramble sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("give rounds -r1 to -r{MAX_ROUNDS} 1 to {MAX_SETS} sets, such as 444-r1=3,444bf-r1=1")]
pub struct UnknownSetCounts;

impl FromStr for SetCounts {
    type Err = UnknownSetCounts;

    /// Parses numbers of sets, such as `444-r1=3,444bf-r1=2`, or none.
    fn from_str(text: &str) -> Result<SetCounts, UnknownSetCounts> {
        let count = |text: &str| {
            let (round, count) = text.split_once('=')?;
            let (event, Some(number)) = selector(round)? else {
                return None;
            };
            let count = (1..=MAX_SETS).find(|it| it.to_string() == count)?;
            Some(((event, number), count))
        };
        let texts = text.split(',').filter(|_| !text.is_empty());
        let counts: Option<HashMap<_, _>> = texts.map(count).collect();
        counts.map(SetCounts).ok_or(UnknownSetCounts)
    }
}

/// The rounds whose existing scramble sets are replaced.
///
/// # Examples
///
/// ```
/// use cube444_competition::Replace;
/// use cube444::scramble::Event;
///
/// let replace: Replace = "444-r1,444bf".parse()?;
/// let selected = vec![(Event::Sighted, Some(1)), (Event::Blindfolded, None)];
/// assert_eq!(replace, Replace::Selected(selected));
/// # Ok::<(), cube444_competition::UnknownRounds>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Replace {
    /// None. This is the default, since WCA regulation 4b1 forbids to choose between scrambles.
    #[default]
    Nothing,
    /// All rounds.
    All,
    /// A round of an event, or without its number all rounds of the event.
    Selected(Vec<(Event, Option<u32>)>),
}

/// The text does not select rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "name events or rounds, such as 444, 444bf or 444-r1, separated by commas; an event has at most {} rounds; a single \
     set cannot be replaced: if it is spoiled, raise scrambleSetCount (--sets) to get another one",
    MAX_ROUNDS
)]
pub struct UnknownRounds;

impl FromStr for Replace {
    type Err = UnknownRounds;

    /// Parses names of events and rounds, separated by commas.
    fn from_str(text: &str) -> Result<Replace, UnknownRounds> {
        let selected: Option<Vec<_>> = text.split(',').map(selector).collect();
        selected.map(Replace::Selected).ok_or(UnknownRounds)
    }
}

/// A round, or without its number an event.
fn selector(name: &str) -> Option<(Event, Option<u32>)> {
    let Some((event, round)) = name.split_once("-r") else {
        return Some((name.parse().ok()?, None));
    };
    let number = (1..=MAX_ROUNDS).find(|number| number.to_string() == round)?;
    Some((event.parse().ok()?, Some(number)))
}

/// Whether a round, or all of the event if that is `None`, includes a round.
pub(super) fn includes((event, number): (Event, Option<u32>), round: Round) -> bool {
    event == round.event && number.is_none_or(|number| number == round.number)
}

impl Replace {
    /// Whether the sets of a round are replaced.
    pub(in super::super) fn includes(&self, round: Round) -> bool {
        match self {
            Replace::Nothing => false,
            Replace::All => true,
            Replace::Selected(selected) => selected.iter().any(|&it| includes(it, round)),
        }
    }
}
