//! A limit on the memory that competition files and sheets take.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// All documents together may be as large as this many of the largest.
const LARGEST_DOCUMENTS: usize = 4;

/// How long a request waits for memory.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Bytes for which a permit of the semaphore stands: a permit for each byte would exceed `u32`.
const BLOCK: usize = 1024;

/// The memory that competition files and sheets may take while they are read, filled and sent.
#[derive(Clone)]
pub struct DocumentMemory {
    free: Arc<Semaphore>,
    blocks: usize,
}

/// Memory reserved for a document. Dropping this releases it.
pub(crate) struct Reservation {
    _blocks: OwnedSemaphorePermit,
}

/// Other documents kept all memory reserved for too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MemoryExhausted;

impl DocumentMemory {
    /// Memory for four documents of `largest` bytes, or for more that are smaller.
    #[must_use]
    pub fn new(largest: usize) -> DocumentMemory {
        let blocks = LARGEST_DOCUMENTS * largest.div_ceil(BLOCK);
        DocumentMemory {
            free: Arc::new(Semaphore::new(blocks)),
            blocks,
        }
    }

    /// Reserves `bytes`, or all memory if that is less. Waits up to ten seconds for other documents.
    pub(crate) async fn reserve(&self, bytes: usize) -> Result<Reservation, MemoryExhausted> {
        let blocks = bytes.div_ceil(BLOCK).min(self.blocks);
        let blocks = u32::try_from(blocks).unwrap_or(u32::MAX);
        let acquired = Arc::clone(&self.free).acquire_many_owned(blocks);
        let acquired = tokio::time::timeout(TIMEOUT, acquired).await;
        let blocks = acquired.map_err(|_| MemoryExhausted)?;
        Ok(Reservation {
            _blocks: blocks.expect("the semaphore is never closed"),
        })
    }
}
