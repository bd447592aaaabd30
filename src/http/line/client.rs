//! Who waits.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hash};
use std::sync::LazyLock;

/// A client of the service. Clients take turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Client(u64);

impl Client {
    /// The client with an identity, such as a name or an address.
    pub(crate) fn identified_by(identity: &impl Hash) -> Client {
        static STATE: LazyLock<RandomState> = LazyLock::new(RandomState::new);
        Client(STATE.hash_one(identity))
    }
}
