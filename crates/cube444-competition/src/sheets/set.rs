//! The scrambles of a set, as rows of a table.

use std::collections::HashMap;
use std::iter;
use std::ops::Range;

use cube444::cube::{Cube, Sequence};
use cube444::picture::Scheme;
use cube444::scramble::Event;

use super::layout::{Layout, Paper};
use crate::member::{Errors, Member, WcifError};
use crate::round::{ScrambleSet, fingerprint, set_name, single_spaced};
use crate::wcif::Wcif;

/// The extension of a round with the number of copies of its sheets.
const COPIES: &str = "org.worldcubeassociation.tnoodle.SheetCopyCount";
/// The extension of an event with the colors of pictures.
const COLORS: &str = "org.worldcubeassociation.tnoodle.ColorScheme";

/// Maximum number of copies, as in TNoodle.
pub const MAX_COPIES: u32 = 100;

/// Maximum number of turns of a scramble on a sheet. Far more than any scramble needs, and few enough for
/// several scrambles to fit on a page.
pub const MAX_TURNS: usize = 120;

/// A scramble set.
pub(super) struct SheetSet {
    /// The event.
    pub(super) event: Event,
    /// The number of the round, if known.
    pub(super) round: Option<u32>,
    /// Whether the round is the last of several.
    pub(super) is_final: bool,
    /// The id of the set in its file.
    pub(super) id: Option<u64>,
    /// The number of the set.
    pub(super) number: u32,
    /// The number of copies to print.
    pub(super) copies: u32,
    /// The colors of the pictures.
    pub(super) scheme: Scheme,
    /// The number of rows for attempts; the others are extra scrambles.
    pub(super) attempts: usize,
    pub(super) rows: Vec<SheetRow>,
}

/// A scramble on a sheet.
#[derive(derive_more::Constructor)]
pub(super) struct SheetRow {
    pub(super) turns: String,
    pub(super) state: Cube,
}

impl SheetSet {
    /// The event, and the round if it is known.
    fn round_name(&self) -> String {
        let event = match self.event {
            Event::Sighted => "4x4x4 Cube",
            Event::Blindfolded => "4x4x4 Blindfolded",
        };
        let round = self.round.map(|round| format!(" Round {round}"));
        event.to_owned() + &round.unwrap_or_default()
    }

    /// The event and the round, and whether that is the final.
    pub(super) fn title(&self) -> String {
        self.round_name() + if self.is_final { " (Final)" } else { "" }
    }

    pub(super) fn fingerprint(&self) -> String {
        fingerprint(self.attempts, self.rows.iter().map(|row| &row.turns))
    }

    /// The fingerprint, after the id if there is one.
    pub(super) fn identity(&self) -> String {
        let id = self.id.map(|id| format!("id {id}, "));
        format!(
            "{}fingerprint {}",
            id.unwrap_or_default(),
            self.fingerprint()
        )
    }

    /// Names such as `444-r1-A` and `444-r1-1`.
    pub(super) fn ids(&self) -> [String; 2] {
        let (event, round) = (self.event, self.round.unwrap_or_default());
        let sets = [set_name(self.number), self.number.to_string()];
        sets.map(|set| format!("{event}-r{round}-{set}"))
    }

    /// The round, and the letter or the number of the set. A round that is added later does not change it.
    pub(super) fn full_name(&self, layout: Layout) -> String {
        format!("{} Set {}", self.round_name(), self.name(layout))
    }

    /// The letter or the number of the set.
    pub(super) fn name(&self, layout: Layout) -> String {
        match layout.set_numbers {
            true => self.number.to_string(),
            false => set_name(self.number),
        }
    }

    /// Some rows with their labels, and whether the heading of extra scrambles comes before them.
    pub(super) fn rows(
        &self,
        rows: &Range<usize>,
    ) -> impl Iterator<Item = (String, &SheetRow, bool)> {
        let first_extra = rows.start.max(self.attempts);
        rows.clone().map(move |index| {
            let label = match index.checked_sub(self.attempts) {
                None => (index + 1).to_string(),
                Some(extra) => format!("E{}", extra + 1),
            };
            (label, &self.rows[index], index == first_extra)
        })
    }

    /// The rows of each page, as many as fit.
    pub(super) fn pages(&self, paper: Paper) -> Vec<Range<usize>> {
        /// Height in mm of the header, the heading of extra scrambles and the footer.
        const FIXED_HEIGHT: u32 = 18 + 8 + 8;
        let (mut pages, mut left): (Vec<Range<usize>>, _) = (Vec::new(), 0);
        let column_width = self.column_width();
        for (index, row) in self.rows.iter().enumerate() {
            let needed = row.height(column_width);
            match pages.last_mut() {
                Some(page) if needed <= left => page.end += 1,
                _ => {
                    pages.push(index..index + 1);
                    left = paper.usable_height() - FIXED_HEIGHT;
                }
            }
            // No row is higher than a page.
            left = left.saturating_sub(needed);
        }
        pages
    }

    /// The width of a column of turns in characters: the longest turn and a space. No other set changes it, so that a set
    /// has the same pages in every file.
    pub(super) fn column_width(&self) -> usize {
        let rows = self.rows.iter();
        let words = rows.flat_map(|row| row.turns.split_whitespace());
        1 + words.map(str::len).max().unwrap_or_default()
    }
}

/// The width of a line of turns in characters: twelve columns of four, for turns such as `Rw2`.
const LINE_WIDTH: usize = 48;

/// A fault of a set.
pub(crate) const NO_SCRAMBLES: &str =
    "has no scrambles; to get them, replace the sets of its round";

/// The rows of a set of a competition. Records errors.
pub(super) fn rows(set: &ScrambleSet, errors: &mut Errors) -> Vec<SheetRow> {
    if set.scrambles.is_empty() {
        errors.add(WcifError::new(&set.to_string(), NO_SCRAMBLES, false));
    }
    let rows = set.identified().map(|(id, turns)| {
        let row = SheetRow::parse(turns);
        errors.record(row.map_err(|reason| WcifError::new(&id.to_string(), reason, false)))
    });
    rows.flatten().collect()
}

/// Why a scramble in WCA notation must not be used, if so: the kind of the fault, and the message.
pub(crate) fn unusable(sequence: &Sequence, state: &Cube) -> Option<(&'static str, String)> {
    let count = sequence.tokens().len();
    let near = match count {
        0 => "has no turns",
        _ => "leads to a state less than two turns from solved",
    };
    if count > MAX_TURNS {
        let text = format!("has {count} turns; a sheet may have {MAX_TURNS}");
        return Some(("too-long", text));
    }
    (!state.is_far_enough_from_solved()).then(|| ("too-near", near.to_owned()))
}

impl SheetRow {
    /// A row, or why the scramble cannot be printed.
    fn parse(turns: &str) -> Result<SheetRow, String> {
        let sequence = Sequence::from_wca(turns);
        let sequence = sequence.map_err(|error| format!("cannot be printed: {error}"))?;
        let state = Cube::solved().moved_by(sequence.axis_moves());
        match unusable(&sequence, &state) {
            Some((_, text)) => Err(text),
            None => Ok(SheetRow::new(single_spaced(turns), state)),
        }
    }

    /// The lines of turns, in columns of `column_width` characters.
    pub(super) fn lines(&self, column_width: usize) -> impl Iterator<Item = Vec<&str>> {
        let mut turns = self.turns.split_whitespace();
        let line = move || turns.by_ref().take(LINE_WIDTH / column_width).collect();
        iter::repeat_with(line).take_while(|line: &Vec<&str>| !line.is_empty())
    }

    /// The height of the row in mm: that of the picture or the lines, whichever is greater, plus padding.
    pub(super) fn height(&self, column_width: usize) -> u32 {
        let lines = self.lines(column_width).count() as u32;
        (lines * 53).div_ceil(10).max(28) + 2
    }
}

/// The number of copies of each round's sheets, and the colors of their pictures. Records errors.
pub(crate) fn options(wcif: &Wcif, errors: &mut Errors) -> Vec<(u32, Scheme)> {
    let events = wcif.own_events.iter();
    let schemes = events.map(|(event, it)| (*event, errors.record(scheme(it)).unwrap_or_default()));
    let schemes: HashMap<Event, Scheme> = schemes.collect();
    let options = wcif.rounds.iter().map(|at| {
        let scheme = schemes.get(&at.round.event).copied();
        let copies = errors.record(copies(&at.member));
        (copies.unwrap_or_default(), scheme.unwrap_or_default())
    });
    options.collect()
}

/// The number of copies of a round's sheets. Only the data of the extension is checked.
fn copies(round: &Member) -> Result<u32, WcifError> {
    match round.extension(COPIES) {
        Ok(Some(data)) => data.get("numCopies")?.integer(1..=MAX_COPIES),
        _ => Ok(1),
    }
}

/// The colors of an event's pictures. Only the data of the extension is checked. Missing faces have their default
/// color.
fn scheme(event: &Member) -> Result<Scheme, WcifError> {
    let Ok(Some(data)) = event.extension(COLORS) else {
        return Ok(Scheme::default());
    };
    let member = data.get("colorScheme")?;
    if !member.is_object() {
        return Err(member.shape("an object, such as {\"U\":\"#ffffff\"}"));
    }
    let scheme = serde_json::from_str(member.json()).map_err(|error| error.to_string());
    let scheme = scheme.and_then(|it: Scheme| it.distinct().map_err(|error| error.to_string()));
    scheme.map_err(|error| {
        // The position is that in the member, not in the document.
        let reason = error.split(" at line ").next().unwrap_or_default();
        member.invalid(format!("is not a color scheme: {reason}"))
    })
}
