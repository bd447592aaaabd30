//! Who asks for jobs.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hash};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// A client, whose requests share its turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Client(u64);

impl Client {
    /// The client that something identifies, such as its name or address.
    #[must_use]
    pub fn identified_by(identity: &impl Hash) -> Client {
        static STATE: LazyLock<RandomState> = LazyLock::new(RandomState::new);
        Client(STATE.hash_one(identity))
    }
}

/// A request of a client.
#[derive(Clone, Copy)]
pub(super) struct Requester {
    pub(super) client: Client,
    /// Different for each request of the process.
    pub(super) request: u64,
}

impl Requester {
    /// A new request of a client that is not known.
    pub(super) fn new() -> Requester {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Requester {
            client: Client::default(),
            request: NEXT.fetch_add(1, Ordering::Relaxed),
        }
    }
}
