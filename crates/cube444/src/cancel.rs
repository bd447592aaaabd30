//! Cancelling builds and searches.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Cancels opening tables or a search from another thread. Clones share one flag.
///
/// A search ends within milliseconds. Opening may go on for up to half a second, since it cannot be interrupted while it
/// prepares a stage of the method.
///
/// # Examples
///
/// ```
/// use cube444::search::SearchError;
/// use cube444::{CancelFlag, OpenError, ScrambleError, Scrambler};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let scrambler = Scrambler::in_memory()?;
/// let flag = CancelFlag::default();
/// let cancel = flag.clone();
/// std::thread::spawn(move || cancel.cancel()).join().unwrap();
///
/// let found = scrambler.cancelled_by(&flag).scramble(&mut cube444::rand::rng());
/// assert!(matches!(found, Err(ScrambleError::Search(SearchError::Cancelled))));
/// let opened = Scrambler::builder().cancelled_by(&flag).open();
/// assert!(matches!(opened, Err(OpenError::Cancelled)));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct CancelFlag(Arc<AtomicBool>);

impl CancelFlag {
    /// Cancels the work. This cannot be undone.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the work is cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
