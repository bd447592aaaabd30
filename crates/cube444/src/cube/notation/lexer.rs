//! Splitting text into words and brackets.

/// A part of a text, without white space, pauses and comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lexeme<'a> {
    /// `(` or `[`.
    Open(char),
    /// `)` or `]`.
    Close(char),
    /// `,` or `:`.
    Separator(char),
    /// Everything else, up to a blank, one of these characters or a comment.
    Word(&'a str),
}

/// Whether a character separates words and has no other meaning. cubing.js writes a pause as `.`.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '.'
}

/// Splits off the lexeme at the start of a text, which is an empty word if there is none.
pub(super) fn split_lexeme(text: &str) -> (Lexeme<'_>, &str) {
    let symbol = |c: char| match c {
        '(' | '[' => Some(Lexeme::Open(c)),
        ')' | ']' => Some(Lexeme::Close(c)),
        ',' | ':' => Some(Lexeme::Separator(c)),
        _ => None,
    };
    let mut rest = text.chars();
    if let Some(symbol) = rest.next().and_then(symbol) {
        return (symbol, rest.as_str());
    }
    let end = text.find(|c| is_blank(c) || symbol(c).is_some());
    let word = &text[..end.unwrap_or(text.len())];
    let (word, rest) = text.split_at(word.find("//").unwrap_or(word.len()));
    (Lexeme::Word(word), rest)
}

/// The text after leading blanks and comments.
pub(super) fn skip_blanks(mut text: &str) -> &str {
    loop {
        text = text.trim_start_matches(is_blank);
        let Some(comment) = text.strip_prefix("//") else {
            return text;
        };
        text = comment.trim_start_matches(|c| !matches!(c, '\n' | '\r'));
    }
}

/// A line without a leading number such as `1. ` or `1) `, and without surrounding white space.
#[must_use]
pub fn strip_line_number(line: &str) -> &str {
    let text = line.trim();
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    match rest.strip_prefix(['.', ')']) {
        // There is at least one digit before the period or parenthesis.
        Some(rest) if rest.len() + 1 < text.len() => rest.trim_start(),
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
