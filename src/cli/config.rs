//! Flags of several commands, and parsers of values.

use std::error::Error;
use std::fmt::Display;
use std::fs;
use std::net::{IpAddr, SocketAddr};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use axum::http::HeaderValue;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use cube444::scramble::Event;
use cube444::search::Profile;
use cube444::{Effort, Method};
use ipnet::IpNet;

/// A profile, or none for `auto`. By this name, clap does not take it for an optional flag.
type ProfileChoice = Option<Profile>;

/// The method, and the tables.
#[derive(Args, Clone, Debug)]
pub(crate) struct EngineConfig {
    /// Directory of the table files [default: `tables` if it has tables or is in a clone, otherwise `scramble444` in the
    /// user's cache directory].
    ///
    /// Large files are mapped into memory. Other programs must not modify or truncate them in place while
    /// this one is running.
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) tables_dir: Option<PathBuf>,

    /// The tables.
    #[arg(long, global = true, default_value = "auto",
          value_parser = PossibleValuesParser::new(profiles()).map(|name| name.parse::<Profile>().ok()))]
    pub(crate) profile: ProfileChoice,

    /// The method of solving.
    // `serve` and `tables` have another default.
    #[arg(long, global = true, default_value = Method::default().name(), value_parser = method())]
    pub(crate) method: Option<Method>,
}

impl EngineConfig {
    /// The method.
    pub(crate) fn method(&self) -> Method {
        self.method.unwrap_or_default()
    }

    /// The directory of the table files.
    pub(crate) fn tables_dir(&self) -> PathBuf {
        let local = || PathBuf::from("tables");
        let cache = || Some(dirs::cache_dir()?.join("scramble444"));
        let usual = || Some(local()).filter(|local| is_ours(local)).or_else(cache);
        self.tables_dir.clone().or_else(usual).unwrap_or_else(local)
    }
}

/// Whether a directory has tables of the program, or is the one in its repository. Other projects have folders `tables`,
/// too.
fn is_ours(directory: &Path) -> bool {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let read_me = || fs::read_to_string(directory.join("README.md")).unwrap_or_default();
    names.any(|name| name.ends_with("-obtm.table"))
        || read_me().contains("scramble444 tables build")
}

fn profiles() -> [PossibleValue; 4] {
    let value = |profile: Profile| PossibleValue::new(profile.name());
    [
        PossibleValue::new("auto").help("full or compact if their files exist; otherwise a service builds compact, and a command uses pocket"),
        value(Profile::Pocket).help("no files: made in memory at each start, 18 MB for reduction"),
        value(Profile::Compact).help("100 MB for five-stage, built at the first start"),
        value(Profile::Full).help("1.8 GB for five-stage, built if this profile is named"),
    ]
}

/// The effort level.
#[derive(Args, Clone, Debug)]
pub(crate) struct EffortConfig {
    /// Effort level, from 1 (milliseconds per scramble) to 10 (seconds, and fewer moves).
    #[arg(long, value_name = "LEVEL", default_value_t = Effort::DEFAULT)]
    pub(crate) effort: Effort,
}

/// Parses one of `names`, which errors, help and completions list.
pub(crate) fn one_of<T, N>(names: N) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: Error + Send + Sync + 'static> + Clone + Send + Sync + 'static,
    N: IntoIterator<Item: Into<PossibleValue>>,
{
    PossibleValuesParser::new(names).try_map(|name| name.parse())
}

/// Parses a whole number in `range`, which errors name.
pub(crate) fn within<T>(range: RangeInclusive<T>) -> impl TypedValueParser<Value = T>
where
    T: FromStr + PartialOrd + Display + Clone + Send + Sync + 'static,
{
    move |text: &str| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        let (min, max) = (range.start(), range.end());
        number.ok_or_else(|| format!("not a whole number from {min} to {max}"))
    }
}

/// Parses a WCA event.
pub(crate) fn event() -> impl TypedValueParser<Value = Event> {
    one_of(Event::ALL.map(Event::name))
}

/// Parses the name of a method.
pub(crate) fn method() -> impl TypedValueParser<Value = Method> {
    one_of(Method::ALL.map(|it| PossibleValue::new(it.name()).help(it.summary())))
}

/// The value of a variable for a flag that has none.
pub(super) fn switch(text: &str) -> Result<bool, &'static str> {
    match &*text.to_ascii_lowercase() {
        "true" | "yes" | "on" | "1" => Ok(true),
        "false" | "no" | "off" | "0" => Ok(false),
        _ => Err("allowed are true, false, yes, no, on, off, 1 and 0"),
    }
}

/// Parses an IP address and a port.
pub(crate) fn address(text: &str) -> Result<SocketAddr, &'static str> {
    text.parse().map_err(|_| {
        "an address is an IP address and a port, such as 127.0.0.1:4444, 0.0.0.0:4444 or [::1]:4444; names \
         such as localhost are not looked up"
    })
}

/// Parses an IP address or a network.
pub(crate) fn network(text: &str) -> Result<IpNet, &'static str> {
    let address = text.parse::<IpAddr>().map(IpNet::from);
    address
        .or_else(|_| text.parse())
        .map_err(|_| "a proxy is an IP address or a network, such as 192.0.2.1 or 10.0.0.0/8")
}

/// Parses an origin as browsers send it, or `*` for all.
pub(crate) fn origin(text: &str) -> Result<HeaderValue, &'static str> {
    if text == "*" {
        return Ok(HeaderValue::from_static("*"));
    }
    // Browsers send it in lower case, without the default port.
    let text = text.to_ascii_lowercase();
    let (scheme, host) = text.split_once("://").unwrap_or_default();
    if [("https", ":443"), ("http", ":80")]
        .iter()
        .any(|&(name, port)| scheme == name && host.ends_with(port))
    {
        return Err("an origin has no default port: leave out :443 (https) or :80 (http)");
    }
    let in_scheme = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    let in_host = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte);
    let is_valid = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(in_scheme)
        && !host.is_empty()
        && host.bytes().all(in_host);
    let value = HeaderValue::from_str(&text).ok().filter(|_| is_valid);
    value.ok_or("an origin is a scheme and a host without a path, such as https://example.org, or * for all")
}

/// Invalid arguments that clap does not detect. The program exits with 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct InvalidArguments(pub(crate) String);

/// Fails with the message unless the arguments are `valid`.
pub(crate) fn require(valid: bool, message: impl Display) -> Result<(), InvalidArguments> {
    let invalid = || InvalidArguments(message.to_string());
    valid.then_some(()).ok_or_else(invalid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_written_as_browsers_send_them() {
        for (text, expected) in [
            ("*", Some("*")),
            ("https://example.org", Some("https://example.org")),
            ("HTTPS://Example.ORG:8443", Some("https://example.org:8443")),
            ("http://localhost:3000", Some("http://localhost:3000")),
            ("http://[::1]:80", None),
            ("http://[::1]:443", Some("http://[::1]:443")),
            ("https://example.org:80", Some("https://example.org:80")),
            ("https://example.org:443", None),
            ("http://example.org:80", None),
            ("https://example.org/", None),
            ("https://user@example.org", None),
            ("https://*.example.org", None),
            ("https://", None),
            ("http://", None),
            (
                "chrome-extension://ABCDEFghijklmnop",
                Some("chrome-extension://abcdefghijklmnop"),
            ),
            (
                "moz-extension://d3b1c0de-0000-4000-8000-00000000000a",
                Some("moz-extension://d3b1c0de-0000-4000-8000-00000000000a"),
            ),
            ("tauri://localhost", Some("tauri://localhost")),
            ("web ext://example.org", None),
            ("://example.org", None),
            ("file://", None),
            ("example.org", None),
            ("null", None),
            ("", None),
        ] {
            let found = origin(text);
            if text.ends_with(":443") && text.starts_with("https") {
                assert!(found.as_ref().unwrap_err().contains("leave out :443"));
            }
            let found = found.ok();
            let found = found.as_ref().map(|found| found.to_str().unwrap());
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn proxies_are_addresses_or_networks() {
        for (text, expected) in [
            ("192.0.2.1", Some("192.0.2.1/32")),
            ("::1", Some("::1/128")),
            ("10.0.0.0/8", Some("10.0.0.0/8")),
            ("2001:db8::/32", Some("2001:db8::/32")),
            ("10.0.0.0/33", None),
            ("10.0.0", None),
            ("proxy", None),
            ("", None),
        ] {
            let found = network(text).ok().map(|network| network.to_string());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
