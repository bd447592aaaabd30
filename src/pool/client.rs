//! Clients and their requests.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hash};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// A client of the pool. Workers serve clients in turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Client(u64);

impl Client {
    /// The client with an identity, such as a name or an address.
    #[must_use]
    pub fn identified_by(identity: &impl Hash) -> Client {
        static STATE: LazyLock<RandomState> = LazyLock::new(RandomState::new);
        Client(STATE.hash_one(identity))
    }
}

/// A request of a client.
#[derive(Clone, Copy)]
pub(super) struct RequestId {
    pub(super) client: Client,
    /// Unique in the process.
    pub(super) number: u64,
}

impl RequestId {
    /// A new request of the default client.
    pub(super) fn new() -> RequestId {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        RequestId {
            client: Client::default(),
            number: NEXT.fetch_add(1, Ordering::Relaxed),
        }
    }
}
