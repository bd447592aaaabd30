//! Selecting the scramble sets to replace.

use std::str::FromStr;

use cube444::scramble::Event;

use super::round::{MAX_ROUNDS, Round};

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
#[error("name events or rounds, such as 444, 444bf or 444-r1, separated by commas")]
pub struct UnknownRounds;

impl FromStr for Replace {
    type Err = UnknownRounds;

    /// Parses names of events and rounds, separated by commas.
    fn from_str(text: &str) -> Result<Replace, UnknownRounds> {
        let selector = |name: &str| {
            let (event, round) = name.split_once("-r").unzip();
            let event = event.unwrap_or(name).parse().ok()?;
            let mut numbers = 1..=MAX_ROUNDS;
            let number = round.map(|text| numbers.find(|number| number.to_string() == text));
            match number {
                Some(None) => None,
                number => Some((event, number.flatten())),
            }
        };
        let selected: Option<Vec<_>> = text.split(',').map(selector).collect();
        selected.map(Replace::Selected).ok_or(UnknownRounds)
    }
}

/// Whether a round, or all of the event if that is `None`, includes a round.
fn includes((event, number): (Event, Option<u32>), round: Round) -> bool {
    event == round.event && number.is_none_or(|number| number == round.number)
}

impl Replace {
    /// Whether the sets of a round are replaced.
    pub(super) fn includes(&self, round: Round) -> bool {
        match self {
            Replace::Nothing => false,
            Replace::All => true,
            Replace::Selected(selected) => selected.iter().any(|&it| includes(it, round)),
        }
    }

    /// The first selected event or round that is none of `rounds`, for example `444-r3`.
    pub(super) fn unmatched(&self, rounds: impl Iterator<Item = Round> + Clone) -> Option<String> {
        let Replace::Selected(selected) = self else {
            return None;
        };
        let is_unmatched =
            |it: &&(Event, Option<u32>)| !rounds.clone().any(|round| includes(**it, round));
        let (event, number) = selected.iter().find(is_unmatched)?;
        let number = number.map_or_else(String::new, |number| format!("-r{number}"));
        Some(format!("{event}{number}"))
    }
}
