//! TNoodle's extensions of a WCIF that concern sheets. They are read only for sheets, so that errors in them
//! do not stop anything else.

use cube444::picture::Scheme;

use crate::member::{Member, WcifError};
use crate::round::Round;
use crate::wcif::Wcif;

/// The extension of a round with the number of copies of its sheets.
const COPIES: &str = "org.worldcubeassociation.tnoodle.SheetCopyCount";
/// The extension of an event with the colours of pictures.
const COLOURS: &str = "org.worldcubeassociation.tnoodle.ColorScheme";

/// Maximum number of copies, as in TNoodle.
const MAX_COPIES: u32 = 100;

impl Wcif {
    /// The number of copies of a round's sheets, and the colours of their pictures.
    pub(super) fn copies_and_colours(&self, round: Round) -> Result<(u32, Scheme), WcifError> {
        let (mut copies, mut colours) = (1, Scheme::default());
        for event in self.part(&self.events, "wcif.events").items()? {
            let id = event.get("id").and_then(|id| id.text());
            if id != Ok(round.event.to_string()) {
                continue;
            }
            let mut rounds = event.get("rounds")?.items()?;
            let member = rounds.nth(round.number as usize - 1);
            if let Some(data) = member.and_then(|round| extension(&round, COPIES)) {
                copies = data.get("numCopies")?.unquoted().integer(1..=MAX_COPIES)?;
            }
            if let Some(data) = extension(&event, COLOURS) {
                colours = scheme(&data.get("colorScheme")?)?;
            }
        }
        Ok((copies, colours))
    }
}

/// The data of an extension of an object, if it has the extension. Everything else may have any form.
fn extension<'a>(object: &Member<'a>, name: &str) -> Option<Member<'a>> {
    let extensions = object.get("extensions").and_then(|list| list.items());
    extensions.into_iter().flatten().find_map(|extension| {
        let [id, data] = extension.members(["id", "data"]).ok()?;
        id.text().is_ok_and(|id| id == name).then_some(data)
    })
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
