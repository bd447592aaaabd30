//! Profiles: which tables a chain uses.

use crate::names::named;

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
/// # Ok::<(), cube444::UnknownName>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Profile {
    /// No files: tables are built in memory whenever they are opened. Those of `reduction` are smaller
    /// than the compact ones: about 18 MB, built in 1.5 s of CPU time. Those of other methods are
    /// the compact ones or, if a stage declares them, smaller ones.
    Pocket,
    /// Tables that are built within seconds: about 100 MB for the five stages.
    Compact,
    /// The largest useful tables: the exact distance of every position of the five stages, about 1.8 GB.
    Full,
}

named!(
    Profile {
        Pocket: "pocket",
        Compact: "compact",
        Full: "full"
    },
    |text| format!("unknown profile {text:?}: use pocket, compact or full")
);

impl Profile {
    /// Whether the tables are kept in files.
    #[must_use]
    pub fn has_files(self) -> bool {
        self != Profile::Pocket
    }
}
