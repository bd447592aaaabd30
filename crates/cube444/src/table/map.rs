//! Reading and mapping table files, and prefetching from them.
//!
//! All unsafe code of this module is in this file.
#![allow(
    unsafe_code,
    reason = "mapping is unsafe by the contract of `Mapping`; a prefetch has no effect that a program \
              can observe"
)]

#[cfg(feature = "files")]
use std::fs::File;
#[cfg(feature = "files")]
use std::io::{self, Read, Seek};

#[cfg(feature = "files")]
use crate::cancel::CancelFlag;

/// Tables in memory maps, with large pages where the operating system has them: lookups are spread over the whole table,
/// and with small pages the search is 2 % slower.
#[cfg(all(feature = "files", not(any(target_family = "wasm", miri))))]
mod memory {
    use std::io;

    pub(crate) type Memory = memmap2::Mmap;

    pub(crate) fn in_memory(
        length: usize,
        fill: impl FnOnce(&mut [u8]) -> io::Result<()>,
    ) -> io::Result<Memory> {
        let mut memory = memmap2::MmapMut::map_anon(length)?;
        #[cfg(target_os = "linux")]
        let _ = memory.advise(memmap2::Advice::HugePage);
        fill(&mut memory)?;
        memory.make_read_only()
    }
}

/// WebAssembly and Miri have no memory maps.
#[cfg(not(all(feature = "files", not(any(target_family = "wasm", miri)))))]
mod memory {
    use std::io;

    pub(crate) type Memory = Vec<u8>;

    pub(crate) fn in_memory(
        length: usize,
        fill: impl FnOnce(&mut [u8]) -> io::Result<()>,
    ) -> io::Result<Memory> {
        let mut memory = vec![0; length];
        fill(&mut memory)?;
        Ok(memory)
    }
}

/// The bytes of a table, and memory of a length, filled once.
pub(super) use memory::{Memory, in_memory};

/// Which table files are mapped into memory; all others are read.
///
/// A file that is read is copied into the memory of the process, and later changes of the file have no
/// effect. A file that is mapped is available at once, and processes share its memory; but it must not
/// change, which no program can guarantee alone. So a value that maps files is made by an unsafe function.
#[cfg(feature = "files")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mapping(
    /// Files of at least this many bytes are mapped.
    Option<u64>,
);

/// The bytes that are read between two looks at the flag: even a slow disk reads them within a second.
#[cfg(feature = "files")]
const PIECE: usize = 1 << 24;

#[cfg(feature = "files")]
impl Mapping {
    /// All files are read.
    pub const NEVER: Mapping = Mapping(None);

    /// Files of at least `bytes` are mapped.
    ///
    /// # Safety
    ///
    /// While a table that was opened with this mapping is alive, no program may write to its file or
    /// truncate it. Otherwise entries may change behind a `&[u8]`, which is undefined behavior, or the
    /// operating system may end the process (SIGBUS). Removing a file, or renaming another file over it, is
    /// safe: existing maps keep the old contents. A [`Store`](super::Store) replaces tables in this way.
    #[must_use]
    pub const unsafe fn of_files_from(bytes: u64) -> Mapping {
        Mapping(Some(bytes))
    }

    /// The first `length` bytes of a file, which must be at least that long.
    ///
    /// A file that is read is kept in an anonymous map, so that lookups need no branch.
    /// Reading fails when it is cancelled.
    pub(super) fn load(
        self,
        file: &mut File,
        length: usize,
        cancel: &CancelFlag,
    ) -> io::Result<Memory> {
        #[cfg(not(any(target_family = "wasm", miri)))]
        if self.0.is_some_and(|from| length as u64 >= from) {
            // SAFETY: a limit is only set by `of_files_from`, whose caller guarantees that the file does not
            // change meanwhile. The map is read-only.
            return unsafe { memmap2::MmapOptions::new().len(length).map(&*file) };
        }
        file.rewind()?;
        in_memory(length, |memory| {
            let mut pieces = memory.chunks_mut(PIECE);
            pieces.try_for_each(|piece| match cancel.is_cancelled() {
                true => Err(io::ErrorKind::Interrupted.into()),
                false => file.read_exact(piece),
            })
        })
    }
}

/// Prefetches the cache line of a value.
#[inline(always)]
pub(crate) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch has no effect that a program can observe, and the value is alive.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) }
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above.
    unsafe {
        std::arch::asm!("prfm pldl1keep, [{}]", in(reg) value, options(nostack, preserves_flags, readonly));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = value;
}
