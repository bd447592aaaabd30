//! The bytes of a table.

use std::io;

use memmap2::{Mmap, MmapMut};

/// Bytes of a table, read-only, beginning at a page of memory.
///
/// A search asks for bytes all over its tables, so that most of its time goes into finding where in
/// memory a page is. Therefore the bytes are copied to memory for which the system is asked to use
/// huge pages.
pub struct Payload {
    map: Mmap,
    length: usize,
}

/// Bytes of a cache line.
pub const LINE: usize = 64;

impl Payload {
    /// Copies bytes.
    ///
    /// # Errors
    ///
    /// If there is no memory for them.
    pub fn new(bytes: &[u8]) -> io::Result<Payload> {
        let mut map = MmapMut::map_anon(bytes.len().max(1))?;
        // Only Linux has this advice, and only where huge pages are configured; without them the
        // search is slower, but right.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        map[..bytes.len()].copy_from_slice(bytes);
        Ok(Payload {
            map: map.make_read_only()?,
            length: bytes.len(),
        })
    }

    /// The bytes.
    #[must_use]
    #[inline(always)]
    pub fn bytes(&self) -> &[u8] {
        &self.map[..self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payloads_begin_at_a_cache_line() {
        for length in [0, 1, 63, 64, 1000] {
            let bytes: Vec<u8> = (0..length).map(|i| i as u8).collect();
            let payload = Payload::new(&bytes).unwrap();
            assert_eq!(payload.bytes(), bytes);
            assert_eq!(payload.bytes().as_ptr().align_offset(LINE), 0);
        }
    }
}
