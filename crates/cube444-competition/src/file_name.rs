//! Names of files for downloads.

/// Maximum length of a name in bytes, without its extension. Most file systems allow 255 with it.
const MAX_LENGTH: usize = 200;

/// Names that Windows reserves for devices, with any extension, and those that are followed by a digit.
const DEVICES: [&str; 4] = ["CON", "PRN", "AUX", "NUL"];
const NUMBERED_DEVICES: [&str; 2] = ["COM", "LPT"];

/// A file name for a title: other characters than letters, digits and signs of any language, spaces, `-` and
/// `_` become `_`.
pub(super) fn file_name(title: &str, extension: &str) -> String {
    let safe = |c: char| if is_safe(c) { c } else { '_' };
    let mut stem = String::new();
    for c in title.trim().chars().map(safe) {
        if stem.len() + c.len_utf8() > MAX_LENGTH {
            break;
        }
        stem.push(c);
    }
    let stem = match stem.trim() {
        "" => "scrambles",
        stem => stem,
    };
    let prefix = if is_device(stem) { "_" } else { "" };
    format!("{prefix}{stem}.{extension}")
}

/// Whether a character is safe in file names: it separates and quotes nothing, is visible, and does not change
/// the direction of writing.
fn is_safe(c: char) -> bool {
    let is_invisible = c.is_control()
        || c.is_whitespace()
        || matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}');
    match c.is_ascii() {
        true => c.is_ascii_alphanumeric() || " -_".contains(c),
        false => !is_invisible,
    }
}

fn is_device(stem: &str) -> bool {
    let stem = stem.to_ascii_uppercase();
    let is_numbered = |device: &str| {
        let mut number = stem.strip_prefix(device).into_iter().flat_map(str::chars);
        number.next().is_some_and(char::is_numeric) && number.next().is_none()
    };
    DEVICES.contains(&&*stem) || NUMBERED_DEVICES.into_iter().any(is_numbered)
}
