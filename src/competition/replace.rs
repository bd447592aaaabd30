//! Selecting the scramble sets to replace.

use std::fmt;
use std::str::FromStr;

use super::round::{MAX_ROUNDS, Round};
use crate::scramble::Event;

/// The rounds whose existing scramble sets are replaced.
///
/// # Examples
///
/// ```
/// use scramble444::competition::Replace;
///
/// let replace: Replace = "444-r1,444bf".parse()?;
/// assert_ne!(replace, Replace::default());
/// # Ok::<(), scramble444::competition::UnknownRounds>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Replace {
    /// None. This is the default, since WCA regulation 4b1 forbids to choose between scrambles.
    #[default]
    Nothing,
    /// All rounds.
    All,
    /// Selected rounds and events.
    Selected(Vec<Selector>),
}

/// An event, or one of its rounds. `Display` gives, for example, `444` or `444-r1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selector {
    event: Event,
    round: Option<u32>,
}

/// The text does not select rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("name events or rounds, such as 444, 444bf or 444-r1, separated by commas")]
pub struct UnknownRounds;

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let event = self.event;
        match self.round {
            None => write!(f, "{event}"),
            Some(round) => write!(f, "{event}-r{round}"),
        }
    }
}

impl Selector {
    /// Whether this selects a round.
    pub(super) fn includes(self, round: Round) -> bool {
        self.event == round.event && self.round.is_none_or(|number| number == round.number)
    }

    fn parse(text: &str) -> Option<Selector> {
        let (event, round) = match text.split_once("-r") {
            None => (text, None),
            Some((event, round)) => (event, Some(round)),
        };
        let numbers = 1..=MAX_ROUNDS;
        let number = |text: &str| numbers.clone().find(|number| number.to_string() == text);
        Some(Selector {
            event: event.parse().ok()?,
            round: match round {
                None => None,
                Some(round) => Some(number(round)?),
            },
        })
    }
}

impl FromStr for Replace {
    type Err = UnknownRounds;

    /// Parses names of events and rounds, separated by commas.
    fn from_str(text: &str) -> Result<Replace, UnknownRounds> {
        let selectors = text.split(',').map(Selector::parse);
        let selectors: Option<Vec<Selector>> = selectors.collect();
        selectors.map(Replace::Selected).ok_or(UnknownRounds)
    }
}

impl Replace {
    /// Whether the sets of a round are replaced.
    pub(super) fn includes(&self, round: Round) -> bool {
        match self {
            Replace::Nothing => false,
            Replace::All => true,
            Replace::Selected(selectors) => selectors.iter().any(|it| it.includes(round)),
        }
    }

    /// The first selector that selects none of the rounds.
    pub(super) fn unmatched(
        &self,
        rounds: impl Iterator<Item = Round> + Clone,
    ) -> Option<Selector> {
        let Replace::Selected(selectors) = self else {
            return None;
        };
        let mut selectors = selectors.iter().copied();
        selectors.find(|it| !rounds.clone().any(|round| it.includes(round)))
    }
}
