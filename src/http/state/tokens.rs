//! Access tokens.

use std::collections::HashMap;

use axum::http::HeaderValue;
use sha2::{Digest, Sha256};

/// Access tokens. Requests need one of them.
///
/// The names of the tokens, which are empty if they have none, by the SHA-256 of the secrets. So the time of a look-up
/// says nothing about the secrets.
#[derive(Clone, derive_more::Debug)]
#[debug("Tokens(.. {})", _0.len())]
pub struct Tokens(HashMap<[u8; 32], String>);

/// A text is not a valid list of tokens. The message does not repeat the text, which may hold secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidTokens {
    /// There are only comments and empty lines.
    #[error("no token found")]
    None,
    /// A line, counted from 1, is not a token.
    #[error(
        "line {0}: a token has at least 16 characters, all of them visible ASCII, optionally preceded \
         by a name of at most 32 letters, digits, - and _, and a space"
    )]
    Line(usize),
    /// A line, counted from 1, has the token of an earlier line, but another name.
    #[error(
        "line {0}: the token is that of an earlier line with another name; each name needs its own"
    )]
    Repeated(usize),
}

impl Tokens {
    /// Reads one token per line, optionally preceded by a name and a space. Empty lines and lines that
    /// begin with # are ignored.
    ///
    /// # Errors
    ///
    /// If a line is not a token, if a token has two names, or if there are no tokens.
    pub fn new(text: &str) -> Result<Tokens, InvalidTokens> {
        let lines = text.lines().map(str::trim).enumerate();
        let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let mut tokens = HashMap::new();
        for (index, line) in lines {
            let (secret, name) = token(line).ok_or(InvalidTokens::Line(index + 1))?;
            if *tokens.entry(secret).or_insert_with(|| name.clone()) != name {
                return Err(InvalidTokens::Repeated(index + 1));
            }
        }
        if tokens.is_empty() {
            return Err(InvalidTokens::None);
        }
        Ok(Tokens(tokens))
    }

    /// The name of the token in an `Authorization` header, which is empty if it has none. `None` if there is no valid
    /// token.
    pub(crate) fn name(&self, authorization: Option<&HeaderValue>) -> Option<&str> {
        let (scheme, secret) = authorization?.as_bytes().split_at_checked(7)?;
        let digest: [u8; 32] = Sha256::digest(secret.trim_ascii()).into();
        let name = self.0.get(&digest)?;
        scheme.eq_ignore_ascii_case(b"Bearer ").then_some(name)
    }
}

/// Reads the hash of a secret and its name.
fn token(line: &str) -> Option<([u8; 32], String)> {
    let mut words = line.split_whitespace();
    let (name, secret) = match (words.next()?, words.next()) {
        (name, Some(secret)) => (name, secret),
        (secret, None) => ("", secret),
    };
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    let is_name = name.len() <= 32 && name.bytes().all(allowed);
    let is_secret = secret.len() >= 16 && secret.bytes().all(|byte| byte.is_ascii_graphic());
    let is_valid = words.next().is_none() && is_name && is_secret;
    is_valid.then(|| (Sha256::digest(secret).into(), name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_complete_tokens_are_accepted() {
        let tokens =
            Tokens::new(" 0123456789abcdef\n# old\n\ncontest fedcba9876543210\r\n").unwrap();
        assert_eq!(format!("{tokens:?}"), "Tokens(.. 2)");
        let name = |value: &'static str| tokens.name(Some(&HeaderValue::from_static(value)));
        assert_eq!(name("Bearer 0123456789abcdef"), Some(""));
        assert_eq!(name("bearer fedcba9876543210"), Some("contest"));
        // RFC 9110, section 11.4, allows several spaces.
        assert_eq!(name("Bearer  fedcba9876543210 "), Some("contest"));
        for wrong in [
            "0123456789abcdef",
            "Basic 0123456789abcdef",
            "Digest 0123456789abcdef",
            "Bearer\t0123456789abcdef",
            "Bearer0123456789abcdef",
            "Bearer 0123456789abcdeF",
            "Bearer 0123456789abcde",
            "Bearer 0123456789abcdef0",
            "Bearer contest fedcba9876543210",
            "Bearer contest",
            "Bearer # old",
            "Bearer ",
            "",
        ] {
            assert!(name(wrong).is_none(), "{wrong}");
        }
        assert!(tokens.name(None).is_none());
    }

    #[test]
    fn names_have_at_most_32_letters_digits_and_dashes_and_secrets_at_least_16_characters() {
        let longest = "n".repeat(32);
        for name in ["a", "A-z_09", "-", "_", longest.as_str()] {
            let line = format!("{name} !123456789abcde~");
            let tokens = Tokens::new(&line).unwrap();
            let shown = HeaderValue::from_static("Bearer !123456789abcde~");
            assert_eq!(tokens.name(Some(&shown)), Some(name));
        }
        let too_long = "n".repeat(33);
        for line in [
            "a+b 0123456789abcdef",
            &format!("{too_long} 0123456789abcdef"),
            "na\u{efb}me 0123456789abcdef",
            "name 0123456789abcde",
            "name 0123456789abcd\u{e9}",
            "name\t0123456789abcde",
            "0123456789abcde",
            "0123456789abcdef 0123456789abcde",
            "0123456789abcdef 0123456789abcdef more",
        ] {
            assert_eq!(
                Tokens::new(line).unwrap_err(),
                InvalidTokens::Line(1),
                "{line}"
            );
        }
    }

    #[test]
    fn errors_name_the_line() {
        // A repeated line does no harm.
        assert!(Tokens::new("a 0123456789abcdef\na 0123456789abcdef").is_ok());
        for (text, error) in [
            ("", InvalidTokens::None),
            ("# nothing\n\n", InvalidTokens::None),
            ("too short", InvalidTokens::Line(1)),
            ("0123456789abcdef\nshort", InvalidTokens::Line(2)),
            ("0123456789abcde\u{e9}", InvalidTokens::Line(1)),
            ("a name 0123456789abcdef", InvalidTokens::Line(1)),
            ("na.me 0123456789abcdef", InvalidTokens::Line(1)),
            (
                "a 0123456789abcdef\n\nb 0123456789abcdef",
                InvalidTokens::Repeated(3),
            ),
            (
                "a 0123456789abcdef\n0123456789abcdef",
                InvalidTokens::Repeated(2),
            ),
        ] {
            assert_eq!(Tokens::new(text).unwrap_err(), error, "{text}");
        }
    }
}
