//! A limit on the memory that competition files and sheets take.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::pool::Client;

/// All documents of a client together may be as large as this many of the largest, or one more.
const LARGEST_PER_CLIENT: usize = 2;

/// All documents together may be as large as this many of the largest, or one more.
const LARGEST_DOCUMENTS: usize = 3;

/// How long a request waits for memory.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Bytes for which a permit of a semaphore stands: a permit for each byte would exceed `u32`.
const BLOCK: usize = 1024;

/// The memory that competition files and sheets may take while they are read, filled and sent.
#[derive(Clone)]
pub struct DocumentMemory {
    free: Arc<Semaphore>,
    /// Memory for one more of the largest documents. If all others wait for each other, one of them gets it.
    last: Arc<Semaphore>,
    /// The free memory of each client that has a reservation, and of some that had one.
    shares: Arc<Mutex<HashMap<Client, Arc<Semaphore>>>>,
    /// The size of a share in blocks.
    share: usize,
}

/// Memory reserved for a document of a client. Dropping this releases it.
pub(crate) struct Reservation {
    memory: DocumentMemory,
    has_last: Option<OwnedSemaphorePermit>,
    share: Arc<Semaphore>,
    blocks: usize,
}

/// Other documents kept all memory reserved for too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "too many competitions and sheets are in progress; try again after the time in Retry-After"
)]
pub(crate) struct MemoryExhausted;

impl DocumentMemory {
    /// Memory for four documents of `largest` bytes, or for more that are smaller. A client may have half of it, or
    /// that and one document more.
    #[must_use]
    pub fn new(largest: usize) -> DocumentMemory {
        let blocks = largest.div_ceil(BLOCK);
        DocumentMemory {
            free: Arc::new(Semaphore::new(LARGEST_DOCUMENTS * blocks)),
            last: Arc::new(Semaphore::new(1)),
            shares: Arc::default(),
            share: LARGEST_PER_CLIENT * blocks,
        }
    }

    /// A reservation of nothing yet.
    pub(crate) fn reservation(&self, client: Client) -> Reservation {
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        shares.retain(|_, share| Arc::strong_count(share) > 1);
        let share = shares.entry(client);
        let share = share.or_insert_with(|| Arc::new(Semaphore::new(self.share)));
        Reservation {
            memory: self.clone(),
            has_last: None,
            share: Arc::clone(share),
            blocks: 0,
        }
    }
}

impl Reservation {
    /// Extends the reservation to `bytes` in all, or to all memory of the client if that is less. Waits up to ten
    /// seconds for other documents.
    pub(crate) async fn grow(&mut self, bytes: usize) -> Result<(), MemoryExhausted> {
        let blocks = bytes.div_ceil(BLOCK).clamp(self.blocks, self.memory.share);
        let more = u32::try_from(blocks - self.blocks).unwrap_or(u32::MAX);
        if more == 0 || self.has_last.is_some() {
            return Ok(());
        }
        // A client that has used up its share does not wait in the queue of the others.
        let both = async {
            let share = self.share.acquire_many(more).await;
            [share, self.memory.free.acquire_many(more).await]
        };
        tokio::select! {
            biased;
            permits = both => {
                for permit in permits {
                    permit.expect("the semaphores are never closed").forget();
                }
                self.blocks = blocks;
            }
            permit = Arc::clone(&self.memory.last).acquire_owned() => self.has_last = permit.ok(),
            () = tokio::time::sleep(TIMEOUT) => return Err(MemoryExhausted),
        }
        Ok(())
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.memory.free.add_permits(self.blocks);
        self.share.add_permits(self.blocks);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_client_that_waits_for_its_share_keeps_no_common_memory() {
        let memory = DocumentMemory::new(BLOCK);
        let of = |client: u8| memory.reservation(Client::identified_by(&client));
        // Its share, and the last document.
        let mut documents = [of(1), of(1), of(1)];
        for document in &mut documents {
            document.grow(BLOCK).await.unwrap();
        }
        let mut waiting = of(1);
        let mut growing = Box::pin(waiting.grow(BLOCK));
        assert!((&mut growing).now_or_never().is_none());
        let mut other = of(2);
        assert_eq!(other.grow(BLOCK).await, Ok(()));
        drop(documents);
        assert_eq!(growing.await, Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn a_share_counts_all_documents_of_a_client_that_are_in_progress() {
        let memory = DocumentMemory::new(BLOCK);
        let of = |client: u8| memory.reservation(Client::identified_by(&client));
        let mut last = of(0);
        last.has_last = Arc::clone(&memory.last).try_acquire_owned().ok();
        let grown = |mut document: Reservation| {
            let has_grown = document.grow(BLOCK).now_or_never();
            has_grown.map(|result| result.map(|()| document))
        };
        let first = grown(of(1)).unwrap().unwrap();
        let second = grown(of(1)).unwrap().unwrap();
        // Documents of other clients do not change that.
        for client in 2..20 {
            drop(of(client));
            assert!(grown(of(1)).is_none(), "{client}");
        }
        drop(first);
        let third = grown(of(1)).unwrap().unwrap();
        assert!(grown(of(1)).is_none());
        drop((second, third));
        let both = [(); 2].map(|()| grown(of(1)).unwrap().unwrap());
        assert!(grown(of(1)).is_none());
        drop(both);
        assert_eq!(memory.free.available_permits(), LARGEST_DOCUMENTS);
    }

    #[tokio::test(start_paused = true)]
    async fn a_document_that_is_larger_than_the_share_of_a_client_takes_all_of_it() {
        let memory = DocumentMemory::new(3 * BLOCK);
        let mut large = memory.reservation(Client::default());
        for (bytes, blocks) in [
            (0, 0),
            (1, 1),
            (BLOCK, 1),
            (BLOCK + 1, 2),
            // It does not shrink.
            (BLOCK, 2),
            (6 * BLOCK, 6),
            (6 * BLOCK + 1, 6),
            (usize::MAX, 6),
        ] {
            assert_eq!(large.grow(bytes).await, Ok(()), "{bytes}");
            let free = LARGEST_DOCUMENTS * 3 - blocks;
            assert_eq!(memory.free.available_permits(), free, "{bytes}");
        }
        assert!(large.has_last.is_none());
        drop(large);
        assert_eq!(memory.free.available_permits(), LARGEST_DOCUMENTS * 3);
        // A block that is not full counts as one.
        let free = |largest| DocumentMemory::new(largest).free.available_permits();
        let sizes = [1, BLOCK, BLOCK + 1].map(free);
        assert_eq!(sizes, [1, 1, 2].map(|blocks| LARGEST_DOCUMENTS * blocks));
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
