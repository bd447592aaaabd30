//! Profiles: which tables a chain uses.

use std::fmt;
use std::str::FromStr;

/// Which tables to use: more memory makes searches faster.
///
/// # Examples
///
/// ```
/// use cube444::search::Profile;
///
/// let profile: Profile = "compact".parse()?;
/// assert_eq!(profile, Profile::Compact);
/// assert!(profile.has_files() && !Profile::Pocket.has_files());
/// # Ok::<(), cube444::search::UnknownProfile>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Profile {
    /// No files: tables are built in memory whenever they are opened. Those of `reduction` are smaller
    /// than the compact ones: about 18 MB, built in 1.5 s of CPU time. Those of other methods are the
    /// compact ones.
    Pocket,
    /// Tables that are built within seconds: about 100 MB for the five stages.
    Compact,
    /// The largest useful tables: the exact distance of every position of the five stages, about 1.8 GB.
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

/// The name of a profile that does not exist.
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

/// A profile, or the best one whose files exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProfileChoice {
    /// The full profile if all its files exist, otherwise the compact one.
    Auto,
    /// This profile.
    Only(Profile),
}

impl fmt::Display for ProfileChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProfileChoice::Auto => f.write_str("auto"),
            ProfileChoice::Only(profile) => profile.fmt(f),
        }
    }
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
