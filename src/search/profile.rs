//! Which tables a chain uses.

use std::fmt;
use std::str::FromStr;

/// Which tables to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Profile {
    /// No files: tables are made in memory whenever they are opened. Those of `reduction` are smaller
    /// than compact ones, 20 MB that take a second; those of other methods are the compact ones.
    Pocket,
    /// Bounds that a first start can afford to build: about 100 MB for the five stages.
    Compact,
    /// As much as is of use: the exact distance of every position of the five stages, about 1.8 GB.
    Full,
}

impl Profile {
    /// The profile's lower-case name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Profile::Pocket => "pocket",
            Profile::Compact => "compact",
            Profile::Full => "full",
        }
    }

    /// Whether the tables are kept in files.
    #[must_use]
    pub fn has_files(self) -> bool {
        self != Profile::Pocket
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The name is of no known profile.
#[derive(Debug, thiserror::Error)]
#[error("unknown profile {0:?}: use auto, pocket, compact or full")]
pub struct UnknownProfile(String);

impl FromStr for Profile {
    type Err = UnknownProfile;

    fn from_str(name: &str) -> Result<Profile, UnknownProfile> {
        [Profile::Pocket, Profile::Compact, Profile::Full]
            .into_iter()
            .find(|profile| profile.name() == name)
            .ok_or_else(|| UnknownProfile(name.to_owned()))
    }
}

/// Which tables to use, or to look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileChoice {
    /// The full profile if all its files are there, else the compact one.
    Auto,
    /// This one.
    Only(Profile),
}

impl FromStr for ProfileChoice {
    type Err = UnknownProfile;

    fn from_str(name: &str) -> Result<ProfileChoice, UnknownProfile> {
        if name == "auto" {
            Ok(ProfileChoice::Auto)
        } else {
            name.parse().map(ProfileChoice::Only)
        }
    }
}
