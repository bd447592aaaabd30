//! TNoodle's extensions of a WCIF that concern sheets. They are read only for sheets, so that errors in them
//! do not stop anything else.

use crate::competition::member::{Member, WcifError};
use crate::competition::round::Round;
use crate::competition::wcif::Wcif;
use crate::picture::Scheme;

/// The extension of a round with the number of copies of its sheets.
const COPIES: &str = "org.worldcubeassociation.tnoodle.SheetCopyCount";
/// The extension of an event with the colours of pictures.
const COLOURS: &str = "org.worldcubeassociation.tnoodle.ColorScheme";

/// Maximum number of copies, as in TNoodle.
const MAX_COPIES: u32 = 100;

impl Wcif {
    /// The number of copies of a round's sheets, and the colours of their pictures.
    pub(super) fn copies_and_colours(&self, round: Round) -> Result<(u32, Scheme), WcifError> {
        let copies = self.round_members().find(|&(other, _)| other == round);
        let copies = copies.map(|(_, member)| member.extension(COPIES));
        let copies = match copies.transpose()?.flatten() {
            Some(data) => data.get("numCopies")?.integer(1..=MAX_COPIES)?,
            None => 1,
        };
        let colours = self
            .event(round.event)
            .map(|event| event.extension(COLOURS))
            .transpose()?;
        let colours = match colours.flatten() {
            Some(data) => scheme(&data.get("colorScheme")?)?,
            None => Scheme::default(),
        };
        Ok((copies, colours))
    }
}

/// Reads the colours of faces. Missing faces have their default colour.
fn scheme(member: &Member<'_>) -> Result<Scheme, WcifError> {
    if !member.is_object() {
        return Err(member.shape("an object, such as {\"U\":\"#ffffff\"}"));
    }
    serde_json::from_str(member.json()).map_err(|error| {
        let error = error.to_string();
        // The position is that in the member, not in the document.
        let reason = error.split(" at line ").next().unwrap_or_default();
        member.invalid(format!("is not a colour scheme: {reason}"))
    })
}
