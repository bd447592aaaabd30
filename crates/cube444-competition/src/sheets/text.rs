//! The names on sheets.

use unicode_normalization::UnicodeNormalization;
use unicode_script::{Script, UnicodeScript};

use crate::interchange::is_invisible;

/// Maximum length of a competition's name on sheets, in characters.
pub const MAX_NAME: usize = 200;

/// A text as it is printed, at most [`MAX_NAME`] characters of it; `None` if it is blank.
///
/// Accents are composed with their letters (NFC), since fonts have glyphs for the composed characters. Invisible
/// characters are dropped. Control characters and all white space become spaces.
pub(super) fn printed(text: &str) -> Option<String> {
    let shown = text.nfc().filter(|c| !is_invisible(*c));
    let shown = shown.map(|c| match c.is_control() || c.is_whitespace() {
        true => ' ',
        false => c,
    });
    let mut shown: String = shown.collect();
    if let Some((end, _)) = shown.char_indices().nth(MAX_NAME) {
        shown.replace_range(end.., "…");
    }
    (!shown.trim().is_empty()).then_some(shown)
}

/// The name of a character's script, if its letters do not simply stand one after the other, from left to right.
pub(super) fn needs_shaping(character: char) -> Option<&'static str> {
    let script = character.script();
    let is_simple = matches!(
        script,
        Script::Armenian
            | Script::Bopomofo
            | Script::Canadian_Aboriginal
            | Script::Cherokee
            | Script::Common
            | Script::Cyrillic
            | Script::Ethiopic
            | Script::Georgian
            | Script::Greek
            | Script::Han
            | Script::Hangul
            | Script::Hiragana
            | Script::Inherited
            | Script::Katakana
            | Script::Latin
            | Script::Unknown
            | Script::Yi
    );
    (!is_simple).then(|| script.full_name())
}
