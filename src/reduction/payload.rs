//! The bytes of a table.

/// Bytes of a table, beginning at a cache line.
pub struct Payload {
    bytes: Vec<u8>,
    start: usize,
    length: usize,
}

/// Bytes of a cache line.
pub const LINE: usize = 64;

impl Payload {
    /// Takes over bytes, moving them if they do not begin at a cache line.
    #[must_use]
    pub fn new(mut bytes: Vec<u8>) -> Payload {
        let length = bytes.len();
        bytes.reserve_exact(LINE);
        let start = bytes.as_ptr().align_offset(LINE);
        bytes.resize(start + length, 0);
        bytes.copy_within(..length, start);
        Payload {
            bytes,
            start,
            length,
        }
    }

    /// The bytes.
    #[must_use]
    #[inline(always)]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[self.start..self.start + self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payloads_begin_at_a_cache_line() {
        for length in [0, 1, 63, 64, 1000] {
            let bytes: Vec<u8> = (0..length).map(|i| i as u8).collect();
            let payload = Payload::new(bytes.clone());
            assert_eq!(payload.bytes(), bytes);
            assert_eq!(payload.bytes().as_ptr().align_offset(LINE), 0);
        }
    }
}
