//! How much memory documents may take.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// So many times the largest document may be under way in all.
const LARGEST: usize = 4;

/// How long a request waits for its share.
const PATIENCE: Duration = Duration::from_secs(10);

/// A share is counted in blocks of so many bytes.
const BLOCK: usize = 1024;

/// The memory that competitions and sheets may take in all, as long as they are being read, filled and
/// sent.
#[derive(Clone)]
pub struct Documents {
    blocks: Arc<Semaphore>,
    all: usize,
}

/// The memory of a document, until this is dropped.
pub(crate) struct Share {
    _blocks: OwnedSemaphorePermit,
}

/// Other documents take all memory that there is for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoShare;

impl Documents {
    /// Room for some documents of at most so many bytes.
    #[must_use]
    pub fn at_most(largest: usize) -> Documents {
        let all = LARGEST * largest.div_ceil(BLOCK);
        Documents {
            blocks: Arc::new(Semaphore::new(all)),
            all,
        }
    }

    /// Waits until there is room for so many bytes; those of more than the largest document count as all
    /// of them.
    pub(crate) async fn share(&self, bytes: usize) -> Result<Share, NoShare> {
        let blocks = bytes.div_ceil(BLOCK).min(self.all);
        let blocks = u32::try_from(blocks).unwrap_or(u32::MAX);
        let share = Arc::clone(&self.blocks).acquire_many_owned(blocks);
        let share = tokio::time::timeout(PATIENCE, share).await;
        let blocks = share.map_err(|_| NoShare)?;
        Ok(Share {
            _blocks: blocks.expect("the semaphore is never closed"),
        })
    }
}
