//! A limit on the memory that large requests and responses take.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::pool::Client;

/// Size of a body or response up to which it needs no reservation, in bytes.
pub(crate) const UNRESERVED: usize = 16 * 1024;

/// Memory to reserve for a scramble of a response, in bytes; an upper bound. Its picture is drawn when it is sent.
pub(crate) const BYTES_PER_SCRAMBLE: usize = 1024;

/// Memory that a document takes per byte while it is read, filled and sent; an upper bound.
const MEMORY_PER_BYTE: usize = 2;

/// All documents of a client together may be as large as this part of the largest, and one more. Documents of three
/// clients leave some memory to others, without the one more.
const PER_CLIENT: usize = 4;

/// All documents together may be as large as this many of the largest, and one more.
const LARGEST_DOCUMENTS: usize = 4;

/// How long a request waits for memory or a thread.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(10);

/// Bytes for which a permit of a semaphore stands: a permit for each byte would exceed `u32`.
const BLOCK: usize = 1024;

/// Memory for documents that share it.
struct Budget {
    free: Semaphore,
    /// Memory for one more of the largest documents. If all others wait for each other, one of them gets it.
    last: Arc<Semaphore>,
}

impl Budget {
    fn new(blocks: usize) -> Arc<Budget> {
        Arc::new(Budget {
            free: Semaphore::new(blocks),
            last: Arc::new(Semaphore::new(1)),
        })
    }
}

/// The part of a budget that a document has: blocks, or the memory for one more document.
struct Part {
    budget: Arc<Budget>,
    blocks: usize,
    last: Option<OwnedSemaphorePermit>,
}

impl Part {
    fn new(budget: &Arc<Budget>) -> Part {
        Part {
            budget: Arc::clone(budget),
            blocks: 0,
            last: None,
        }
    }

    async fn grow(&mut self, blocks: usize) {
        let more = u32::try_from(blocks.saturating_sub(self.blocks)).unwrap_or(u32::MAX);
        if more == 0 || self.last.is_some() {
            return;
        }
        tokio::select! {
            biased;
            permits = self.budget.free.acquire_many(more) => {
                permits.expect("the semaphores are never closed").forget();
                self.blocks = blocks;
            }
            permit = Arc::clone(&self.budget.last).acquire_owned() => {
                self.last = permit.ok();
                self.budget.free.add_permits(std::mem::take(&mut self.blocks));
            }
        }
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        self.budget.free.add_permits(self.blocks);
    }
}

/// The memory that large requests and responses may take until they have been sent.
#[derive(Clone)]
pub struct DocumentMemory {
    common: Arc<Budget>,
    /// The memory of each client that has a reservation, and of some that had one.
    shares: Arc<Mutex<HashMap<Client, Arc<Budget>>>>,
    /// The size of a share in blocks.
    share: usize,
}

/// Memory reserved for a document of a client. Dropping this releases it.
pub(crate) struct Reservation {
    share: Part,
    common: Part,
}

/// Other requests kept all memory or threads for too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many large requests are in progress; try again after the time in Retry-After")]
pub(crate) struct MemoryExhausted;

impl DocumentMemory {
    /// Memory for five documents of `largest` bytes, or for more that are smaller. A client may have one of them, and
    /// smaller ones that are together as large as a quarter of it.
    #[must_use]
    pub fn new(largest: usize) -> DocumentMemory {
        let blocks = largest.div_ceil(BLOCK);
        DocumentMemory {
            common: Budget::new(LARGEST_DOCUMENTS * blocks),
            shares: Arc::default(),
            share: blocks / PER_CLIENT,
        }
    }

    /// The memory that documents of at most `largest` bytes take together, in bytes.
    #[must_use]
    pub const fn max(largest: usize) -> usize {
        (LARGEST_DOCUMENTS + 1) * MEMORY_PER_BYTE * largest
    }

    /// A reservation of nothing yet.
    pub(crate) fn reservation(&self, client: Client) -> Reservation {
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        shares.retain(|_, share| Arc::strong_count(share) > 1);
        let share = shares.entry(client);
        let share = share.or_insert_with(|| Budget::new(self.share));
        Reservation {
            share: Part::new(share),
            common: Part::new(&self.common),
        }
    }
}

impl Reservation {
    /// Extends the reservation to `bytes` in all, unless that is no more than [`UNRESERVED`]. Waits up to ten seconds
    /// for other documents: first for those of the client, so that a client with many documents does not wait in the
    /// queue of the others.
    pub(crate) async fn grow(&mut self, bytes: usize) -> Result<(), MemoryExhausted> {
        // The last document must not wait for another of its client, which may wait for it.
        if bytes <= UNRESERVED || self.common.last.is_some() {
            return Ok(());
        }
        let blocks = bytes.div_ceil(BLOCK);
        let both = async {
            self.share.grow(blocks).await;
            self.common.grow(blocks).await;
        };
        timeout(TIMEOUT, both).await.map_err(|_| MemoryExhausted)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    /// The size of the largest document in these tests.
    const LARGEST: usize = 128 * BLOCK;

    fn memory() -> (DocumentMemory, impl Fn(u8, usize) -> Option<Reservation>) {
        let memory = DocumentMemory::new(LARGEST);
        let common = memory.clone();
        let grown = move |client: u8, bytes| {
            let mut document = common.reservation(Client::identified_by(&client));
            document.grow(bytes).now_or_never()?.ok()?;
            Some(document)
        };
        (memory, grown)
    }

    #[tokio::test(start_paused = true)]
    async fn three_clients_leave_memory_to_others() {
        let (memory, grown) = memory();
        let small = LARGEST / 4;
        // All that each of them can get, in different orders.
        for order in [[LARGEST, small], [small, LARGEST]] {
            let mut held: Vec<Reservation> = Vec::new();
            for client in 0..3 {
                held.extend(order.map(|bytes| grown(client, bytes).unwrap()));
            }
            for client in 0..3 {
                assert!(grown(client, UNRESERVED + 1).is_none());
            }
            let other = grown(3, small).unwrap();
            let last = grown(4, LARGEST).unwrap();
            assert!(grown(5, LARGEST).is_none());
            drop((other, last));
            drop(held);
            assert_eq!(memory.common.free.available_permits(), 4 * 128);
            assert_eq!(memory.common.last.available_permits(), 1);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_waits_for_its_share_keeps_no_common_memory() {
        let (memory, grown) = memory();
        let documents = [LARGEST, LARGEST / 4].map(|bytes| grown(1, bytes).unwrap());
        let mut waiting = memory.reservation(Client::identified_by(&1_u8));
        let mut growing = Box::pin(waiting.grow(LARGEST));
        assert!((&mut growing).now_or_never().is_none());
        let others = [2, 3, 4].map(|client| grown(client, LARGEST).unwrap());
        drop(documents);
        assert_eq!(growing.await, Ok(()));
        drop(others);
    }

    #[tokio::test(start_paused = true)]
    async fn documents_that_wait_for_each_other_are_completed_one_after_the_other() {
        let (memory, _) = memory();
        // Each has a part of what it needs, and together they have all.
        let grow = |client: u8| {
            let mut document = memory.reservation(Client::identified_by(&client));
            async move {
                for part in 1..=128 {
                    document.grow(part * BLOCK).await.unwrap();
                    tokio::task::yield_now().await;
                }
            }
        };
        let clients = (0..24).map(|number| number % 8);
        futures_util::future::join_all(clients.map(grow)).await;
        assert_eq!(memory.common.free.available_permits(), 4 * 128);
        assert_eq!(memory.common.last.available_permits(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn small_documents_need_no_memory() {
        let (_, grown) = memory();
        let _all = [1, 2, 3, 4, 6].map(|client| grown(client, LARGEST).unwrap());
        assert!(grown(5, UNRESERVED).is_some());
        assert!(grown(5, UNRESERVED + 1).is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn a_document_of_any_size_is_the_last_one() {
        let (memory, grown) = memory();
        let mut large = grown(1, usize::MAX).unwrap();
        assert_eq!(large.grow(usize::MAX).await, Ok(()));
        assert!(grown(2, 4 * LARGEST).is_some());
        let began = tokio::time::Instant::now();
        let mut other = memory.reservation(Client::identified_by(&2_u8));
        assert_eq!(other.grow(5 * LARGEST).await, Err(MemoryExhausted));
        assert_eq!(began.elapsed(), TIMEOUT);
    }

    #[test]
    fn clients_without_documents_take_no_memory() {
        let memory = DocumentMemory::new(BLOCK);
        for client in 0..1_000 {
            drop(memory.reservation(Client::identified_by(&client)));
        }
        let _document = memory.reservation(Client::default());
        assert_eq!(memory.shares.lock().unwrap().len(), 1);
    }
}
