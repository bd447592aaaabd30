//! The memory that large bodies and documents may take.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;

use crate::http::line::{Client, Overloaded};

/// Maximum size of a competition file in bytes.
pub(crate) const MAX_COMPETITION: usize = 8 << 20;

/// Size of a body or response up to which it needs no reservation, in bytes.
pub(crate) const UNRESERVED: usize = 16 << 10;

/// Memory to reserve for a scramble of a response, in bytes; an upper bound. Its picture is drawn when it is sent.
pub(crate) const BYTES_PER_SCRAMBLE: usize = 1 << 10;

/// What all documents together may reserve, and each client.
const BUDGET: usize = 5 * MAX_COMPETITION;
const PER_CLIENT: usize = BUDGET / 4;

/// Upper bound of the memory that documents take, in bytes: up to twice their size while they are read, filled and sent.
pub const DOCUMENT_MEMORY: usize = 2 * BUDGET;

/// How long a request waits for memory, or for a worker that reads or writes a document.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(10);

/// Reserved bytes, by client.
type Reserved = HashMap<Client, usize>;

/// The memory for documents. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct DocumentMemory(Arc<watch::Sender<Reserved>>);

/// Memory that a client has reserved. Dropping this releases it.
pub(crate) struct Reservation {
    memory: DocumentMemory,
    client: Client,
    bytes: usize,
}

impl DocumentMemory {
    /// A reservation of nothing yet.
    pub(crate) fn reservation(&self, client: Client) -> Reservation {
        Reservation {
            memory: self.clone(),
            client,
            bytes: 0,
        }
    }
}

impl Reservation {
    /// Extends the reservation to `bytes` in all, unless that is no more than [`UNRESERVED`]. Waits for other documents,
    /// at most ten seconds.
    pub(crate) async fn grow(&mut self, bytes: usize) -> Result<(), Overloaded> {
        if bytes <= UNRESERVED.max(self.bytes) {
            return Ok(());
        }
        let (client, own) = (self.client, self.bytes);
        let fits = |reserved: &Reserved| fits(reserved, client, own, bytes - own);
        let mut reserved = self.memory.0.subscribe();
        let taken = async {
            while reserved.wait_for(fits).await.is_ok() {
                let is_taken = self.memory.0.send_if_modified(|reserved| {
                    let fits = fits(reserved);
                    if fits {
                        *reserved.entry(client).or_default() += bytes - own;
                    }
                    fits
                });
                if is_taken {
                    break;
                }
            }
        };
        timeout(TIMEOUT, taken)
            .await
            .map_err(|_| Overloaded::Documents)?;
        self.bytes = bytes;
        Ok(())
    }
}

/// Whether a client may reserve `more` bytes for a document with `own` bytes. A new document may have half of what is free,
/// so that large ones always leave some to smaller ones; one in progress may have all of it.
fn fits(reserved: &Reserved, client: Client, own: usize, more: usize) -> bool {
    let all: usize = reserved.values().sum();
    let of_client = reserved.get(&client).copied().unwrap_or_default();
    let free = BUDGET.saturating_sub(all);
    let max = if own == 0 { free / 2 } else { free };
    let is_only = |bytes| bytes == own;
    is_only(all) || more <= max && (is_only(of_client) || of_client + more <= PER_CLIENT)
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if self.bytes == 0 {
            return;
        }
        self.memory.0.send_modify(|reserved| {
            let of_client = reserved.entry(self.client).or_default();
            *of_client -= self.bytes;
            if *of_client == 0 {
                reserved.remove(&self.client);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn large_documents_leave_half_of_the_rest_to_smaller_ones() {
        let memory = DocumentMemory::default();
        let reserve = |client: u8, bytes| {
            let mut document = memory.reservation(Client::identified_by(&client));
            document.grow(bytes).now_or_never()?.ok()?;
            Some(document)
        };
        let mut held: Vec<_> = (1..=4)
            .map(|client| reserve(client, MAX_COMPETITION).unwrap())
            .collect();
        // A fifth of the budget is left.
        let left = BUDGET / 5;
        assert!(reserve(5, left / 2 + 1).is_none());
        drop(reserve(5, left / 2).unwrap());
        // A client with a document may have another of a quarter of the largest.
        assert!(reserve(1, PER_CLIENT - MAX_COMPETITION + 1).is_none());
        drop(reserve(1, PER_CLIENT - MAX_COMPETITION).unwrap());
        // One in progress may have all, and waits for more.
        assert!(
            held[0]
                .grow(MAX_COMPETITION + left)
                .now_or_never()
                .is_some()
        );
        let began = tokio::time::Instant::now();
        assert_eq!(
            held[1].grow(MAX_COMPETITION + 1).await,
            Err(Overloaded::Documents)
        );
        assert_eq!(began.elapsed(), TIMEOUT);
        assert!(reserve(5, UNRESERVED).is_some() && reserve(5, UNRESERVED + 1).is_none());
        let [first, second] = [0, 1].map(|_| held.remove(0));
        let mut waiting =
            Box::pin(async { memory.reservation(Client::default()).grow(left).await });
        assert!((&mut waiting).now_or_never().is_none());
        drop((first, second));
        assert_eq!(waiting.await, Ok(()));
        drop(held);
        assert!(memory.0.borrow().is_empty());
    }

    #[tokio::test]
    async fn a_document_of_any_size_is_accepted_alone() {
        let memory = DocumentMemory::default();
        let mut document = memory.reservation(Client::default());
        assert_eq!(document.grow(2 * BUDGET).now_or_never(), Some(Ok(())));
        assert_eq!(document.grow(3 * BUDGET).now_or_never(), Some(Ok(())));
    }
}
