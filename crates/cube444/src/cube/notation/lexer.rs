//! Splitting text into words.

/// Whether a character separates words and has no other meaning. cubing.js writes a pause as `.`.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '.'
}

/// Splits off the word at the start of a text: everything up to a blank, a bracket, a separator or a comment.
pub(in crate::cube) fn split_word(text: &str) -> (&str, &str) {
    let is_end = |c| is_blank(c) || "()[],:".contains(c);
    let word = &text[..text.find(is_end).unwrap_or(text.len())];
    text.split_at(word.find("//").unwrap_or(word.len()))
}

/// The text after leading blanks and comments.
pub(in crate::cube) fn skip_blanks(mut text: &str) -> &str {
    loop {
        text = text.trim_start_matches(is_blank);
        let Some(comment) = text.strip_prefix("//") else {
            return text;
        };
        text = comment.trim_start_matches(|c| !matches!(c, '\n' | '\r'));
    }
}

/// A line without a leading number such as `1. `, `1) ` or `E1) `, as of an extra scramble, and without surrounding white space.
#[must_use]
pub fn strip_line_number(line: &str) -> &str {
    let text = line.trim();
    let number = text.strip_prefix('E').unwrap_or(text);
    let rest = number.trim_start_matches(|c: char| c.is_ascii_digit());
    match rest.strip_prefix(['.', ')']) {
        // There is at least one digit before the period or parenthesis.
        Some(rest) if rest.len() + 1 < number.len() => rest.trim_start(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_numbers_are_stripped() {
        for (line, rest) in [
            ("1. R U F", "R U F"),
            (" 12) R U\n", "R U"),
            ("3.R U", "R U"),
            ("7.", ""),
            ("E1) R U", "R U"),
            ("E2. R U", "R U"),
            ("E2 R", "E2 R"),
            ("E) R", "E) R"),
            ("R U F", "R U F"),
            ("2R U", "2R U"),
            ("3 R", "3 R"),
            (". R", ". R"),
            (") R", ") R"),
            ("", ""),
        ] {
            assert_eq!(strip_line_number(line), rest, "{line:?}");
        }
    }
}
