//! The contents of table files in memory: read, or mapped. And fetching from them ahead of time.
//!
//! The unsafe code that this takes is here; that of vector instructions is in `simd`.
#![allow(
    unsafe_code,
    reason = "mapping is unsafe by a contract that `Mapping` carries; a prefetch has no effect that \
              a program can see"
)]

use std::fs::File;
use std::io::{self, Read, Seek};

#[cfg(target_os = "linux")]
use memmap2::Advice;
#[cfg(not(target_family = "wasm"))]
use memmap2::{MmapMut, MmapOptions};

/// The bytes of a table. WebAssembly has no memory maps.
#[cfg(not(target_family = "wasm"))]
pub(super) type Memory = memmap2::Mmap;
#[cfg(target_family = "wasm")]
pub(super) type Memory = Vec<u8>;

/// Which table files are mapped; all others are read.
///
/// A file that is read is copied into the process' own memory, and nothing that happens to it later
/// matters. A file that is mapped is there at once, and its memory is shared by all processes that
/// map it; but it must not change, which no program can make sure of by itself. So to ask for it is
/// unsafe, and a value of this type that maps anything stands for the promise given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mapping {
    /// Files of at least this many bytes are mapped.
    from: Option<u64>,
}

impl Mapping {
    /// All files are read.
    pub const NEVER: Mapping = Mapping { from: None };

    /// Files of at least `bytes` are mapped.
    ///
    /// # Safety
    ///
    /// As long as a table that was opened by it is there, no program may write to or truncate its
    /// file. If one does, entries may differ from one look to the next, which breaks what Rust
    /// assumes of a `&[u8]`, or the operating system may end the process (SIGBUS). To remove a file
    /// or to rename a new one over it is safe: it stays as it is for those who have it mapped. That
    /// is how a [`Store`](super::Store) replaces tables, so only other programs are to be minded.
    #[must_use]
    pub const unsafe fn of_files_from(bytes: u64) -> Mapping {
        Mapping { from: Some(bytes) }
    }

    /// The first `length` bytes of a file, which must have that many.
    ///
    /// What is read is kept as a map as well, of memory instead of a file: so that looking an entry
    /// up takes no branch on which it is.
    pub(super) fn load(self, file: &mut File, length: usize) -> io::Result<Memory> {
        #[cfg(not(target_family = "wasm"))]
        if self.from.is_some_and(|from| length as u64 >= from) {
            // SAFETY: `from` is only set by `of_files_from`, whose caller has promised that nobody
            // changes the file meanwhile. The map is read-only.
            return unsafe { MmapOptions::new().len(length).map(&*file) };
        }
        file.rewind()?;
        in_memory(length, |memory| file.read_exact(memory))
    }
}

/// Memory of `length` bytes, filled once.
#[cfg(not(target_family = "wasm"))]
pub(super) fn in_memory(
    length: usize,
    fill: impl FnOnce(&mut [u8]) -> io::Result<()>,
) -> io::Result<Memory> {
    let mut memory = MmapMut::map_anon(length)?;
    // Lookups are all over a table. In small pages they make the search 2 % slower than it is with a
    // mapped file; a kernel that has no large ones refuses, and that is all it costs.
    #[cfg(target_os = "linux")]
    let _ = memory.advise(Advice::HugePage);
    fill(&mut memory)?;
    memory.make_read_only()
}

/// Memory of `length` bytes, filled once.
#[cfg(target_family = "wasm")]
pub(super) fn in_memory(
    length: usize,
    fill: impl FnOnce(&mut [u8]) -> io::Result<()>,
) -> io::Result<Memory> {
    let mut memory = vec![0; length];
    fill(&mut memory)?;
    Ok(memory)
}

/// Asks the processor to fetch the cache line of a value, which will be read soon.
#[inline(always)]
pub(crate) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch has no effect that a program can see; the address is of a live value.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
