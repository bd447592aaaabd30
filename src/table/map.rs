//! The one place with unsafe code: mapping a file into memory, and fetching from it ahead of time.
#![allow(
    unsafe_code,
    reason = "memory maps are unsafe to make; the contract is stated below"
)]

use std::fs::File;
use std::io;

use memmap2::Mmap;

/// Maps a whole table file, read-only.
///
/// Contract with the operator: table files are never changed in place. This program replaces them
/// only by renaming a complete new file over the old one, which leaves existing maps valid. If
/// another program writes to or truncates a mapped file, entries may change or the process may be
/// stopped by the operating system (SIGBUS).
pub(crate) fn map_read_only(file: &File) -> io::Result<Mmap> {
    // SAFETY: the map is private to this process' view and read-only; that nobody changes the file
    // meanwhile is the contract above. Entries are read as plain bytes, all of whose values are
    // valid, so even a broken contract cannot break Rust's rules about values.
    unsafe { Mmap::map(file) }
}

/// Asks the processor to fetch the cache line of a byte, which will be read soon.
#[inline(always)]
pub(crate) fn prefetch(byte: &u8) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch has no effect that a program can see; the address is of a live byte.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(byte).cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = byte;
}
