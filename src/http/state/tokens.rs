//! Tokens that clients show.

use std::fmt;
use std::sync::{PoisonError, RwLock};

use axum::http::HeaderValue;
use subtle::ConstantTimeEq;

/// A secret that clients may show.
#[derive(Clone)]
struct Token {
    /// What it is called in measurements.
    name: Option<String>,
    secret: String,
}

/// The secrets of which clients must show one.
#[derive(Clone)]
pub struct Tokens(Vec<Token>);

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tokens(.. {})", self.0.len())
    }
}

/// The text has no usable tokens. It says where, and nothing of what is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadTokens {
    /// There is nothing but comments and empty lines.
    #[error("there is no token")]
    None,
    /// A line is not a token.
    #[error(
        "line {0}: a token must have at least 16 characters, all of them visible ASCII; before it \
         there may be a name of at most 32 letters, digits, - and _, and a space"
    )]
    Line(usize),
}

impl Tokens {
    /// Reads tokens: one a line, each perhaps behind a name and a space. Empty lines and those that begin
    /// with # do not count.
    ///
    /// # Errors
    ///
    /// If a line is not a token, or could not be sent in a header; or if there is none.
    pub fn new(text: &str) -> Result<Tokens, BadTokens> {
        let lines = text.lines().map(str::trim).enumerate();
        let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let tokens = lines
            .map(|(index, line)| Token::new(line).ok_or(BadTokens::Line(index + 1)))
            .collect::<Result<Vec<Token>, BadTokens>>()?;
        if tokens.is_empty() {
            return Err(BadTokens::None);
        }
        Ok(Tokens(tokens))
    }
}

impl Token {
    fn new(line: &str) -> Option<Token> {
        let mut words = line.split_whitespace();
        let (name, secret) = match (words.next()?, words.next()) {
            (name, Some(secret)) => (Some(name), secret),
            (secret, None) => (None, secret),
        };
        let is_name = |name: &str| {
            let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
            name.len() <= 32 && name.bytes().all(allowed)
        };
        let is_secret = secret.len() >= 16 && secret.bytes().all(|byte| byte.is_ascii_graphic());
        let is_fine = words.next().is_none() && name.is_none_or(is_name) && is_secret;
        is_fine.then(|| Token {
            name: name.map(str::to_owned),
            secret: secret.to_owned(),
        })
    }

    /// Whether an Authorization header shows the token. Takes as long for any wrong token of the
    /// same length.
    fn is_shown_by(&self, authorization: Option<&HeaderValue>) -> bool {
        let shown = authorization
            .map(HeaderValue::as_bytes)
            .and_then(|value| value.split_at_checked(b"Bearer ".len()))
            .filter(|(scheme, _)| scheme.eq_ignore_ascii_case(b"Bearer "))
            .map(|(_, shown)| shown.trim_ascii());
        shown.is_some_and(|shown| shown.ct_eq(self.secret.as_bytes()).into())
    }
}

/// Who may ask: those who show a token, or everybody. The tokens can be replaced at any time.
#[derive(Debug, Default)]
pub struct Access(RwLock<Option<Tokens>>);

impl Access {
    /// For those who show one of some tokens.
    #[must_use]
    pub fn by(tokens: Tokens) -> Access {
        Access(RwLock::new(Some(tokens)))
    }

    /// From now on, these are the tokens.
    pub fn replace(&self, tokens: Tokens) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(tokens);
    }

    /// What the client is called, if it is let in.
    pub(crate) fn admitted(&self, authorization: Option<&HeaderValue>) -> Option<Admitted> {
        let tokens = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let Some(Tokens(tokens)) = &*tokens else {
            return Some(Admitted::Anybody);
        };
        let shown = tokens.iter().find(|token| token.is_shown_by(authorization));
        shown.map(|token| Admitted::Known(token.name.clone()))
    }
}

/// The name of the token that a request has shown.
#[derive(Clone)]
pub(crate) struct TokenName(pub(crate) String);

/// A client that was let in.
pub(crate) enum Admitted {
    /// Without a token.
    Anybody,
    /// With one, perhaps with a name.
    Known(Option<String>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_tokens_open() {
        let tokens =
            Tokens::new(" 0123456789abcdef\n# old\n\ncontest fedcba9876543210\r\n").unwrap();
        assert_eq!(format!("{tokens:?}"), "Tokens(.. 2)");
        let access = Access::by(tokens);
        let name = |value: &'static str| {
            let shown = HeaderValue::from_static(value);
            match access.admitted(Some(&shown)) {
                Some(Admitted::Known(name)) => Some(name.unwrap_or_default()),
                _ => None,
            }
        };
        assert_eq!(name("Bearer 0123456789abcdef").as_deref(), Some(""));
        assert_eq!(name("bearer fedcba9876543210").as_deref(), Some("contest"));
        for wrong in [
            "0123456789abcdef",
            "Basic 0123456789abcdef",
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
        assert!(access.admitted(None).is_none());
        access.replace(Tokens::new("contest aaaaaaaaaaaaaaaa").unwrap());
        assert!(name("Bearer 0123456789abcdef").is_none());
        assert!(name("Bearer aaaaaaaaaaaaaaaa").is_some());
        assert!(matches!(
            Access::default().admitted(None),
            Some(Admitted::Anybody)
        ));
    }

    #[test]
    fn what_is_no_token_is_told_by_its_line() {
        for (text, error) in [
            ("", BadTokens::None),
            ("# nothing\n\n", BadTokens::None),
            ("too short", BadTokens::Line(1)),
            ("0123456789abcdef\nshort", BadTokens::Line(2)),
            ("0123456789abcde\u{e9}", BadTokens::Line(1)),
            ("a name 0123456789abcdef", BadTokens::Line(1)),
            ("na.me 0123456789abcdef", BadTokens::Line(1)),
        ] {
            assert_eq!(Tokens::new(text).unwrap_err(), error, "{text}");
        }
    }
}
