//! Tables of distances of which only five bands are told apart: three entries a byte.
//!
//! Distances below a search's reach are known from elsewhere, and so few positions are farther than
//! some distance that nothing is lost if they count as nearer. So an entry is a *band*, 0 to 4: at
//! most `least`, then each of the three distances above it, then all that are greater still.

/// Which distances a table tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bands {
    /// The greatest distance of band 0.
    pub least: u8,
}

/// Entries a byte.
const SHARE: usize = 3;
/// Number of bands.
const BANDS: u8 = 5;

/// For each place in a byte and each byte, the band there.
static UNPACKED: [[u8; 256]; SHARE] = {
    let mut table = [[0; 256]; SHARE];
    let mut byte = 0;
    while byte < 256 {
        table[0][byte] = byte as u8 % BANDS;
        table[1][byte] = byte as u8 / BANDS % BANDS;
        table[2][byte] = byte as u8 / (BANDS * BANDS) % BANDS;
        byte += 1;
    }
    table
};

/// Where an entry is: the byte's number, and the place in it.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) byte: usize,
    part: u8,
}

/// The place of entry `at` of a row; rows have `ROW` entries, a multiple of three. Entries that are
/// near each other are in different bytes, so that a place takes one division by a constant.
#[inline(always)]
pub(super) fn place<const ROW: usize>(row: usize, at: usize) -> Place {
    const { assert!(ROW.is_multiple_of(SHARE)) };
    let third = ROW / SHARE;
    Place {
        byte: row * third + at % third,
        part: (at / third) as u8,
    }
}

impl Bands {
    /// The band of a distance.
    #[inline]
    fn band(self, distance: u8) -> u8 {
        distance.saturating_sub(self.least).min(BANDS - 1)
    }

    /// Packs one row of distances.
    pub(super) fn pack_row<const ROW: usize>(
        self,
        distance: impl Fn(usize) -> u8,
        into: &mut [u8],
    ) {
        let third = ROW / SHARE;
        for (i, byte) in into[..third].iter_mut().enumerate() {
            let [a, b, c] = [i, i + third, i + 2 * third].map(|at| self.band(distance(at)));
            *byte = a + BANDS * (b + BANDS * c);
        }
    }

    /// Whether the entry at a place is known to be farther than `limit`.
    #[inline(always)]
    pub(super) fn exceeds(self, payload: &[u8], place: Place, limit: u8) -> bool {
        let band = UNPACKED[usize::from(place.part)][usize::from(payload[place.byte])];
        band > 0 && self.least + band > limit
    }

    /// The distance of the entry at a place; band 0 gives 0, and the last band the least of it: a
    /// lower bound.
    #[inline(always)]
    pub(super) fn bound(self, payload: &[u8], place: Place) -> u8 {
        match UNPACKED[usize::from(place.part)][usize::from(payload[place.byte])] {
            0 => 0,
            band => self.least + band,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_back_as_their_bands() {
        let bands = Bands { least: 6 };
        let distance = |at: usize| (at * 7 % 15) as u8;
        let mut packed = vec![0; 200];
        for row in 0..2 {
            bands.pack_row::<300>(|at| distance(300 * row + at), &mut packed[row * 100..]);
        }
        for at in 0..600 {
            let (place, distance) = (place::<300>(at / 300, at % 300), distance(at));
            let bound = bands.bound(&packed, place);
            match distance {
                0..=6 => assert_eq!(bound, 0),
                7..=9 => assert_eq!(bound, distance),
                _ => assert_eq!(bound, 10),
            }
            for limit in 0..16 {
                assert_eq!(bands.exceeds(&packed, place, limit), bound > limit);
            }
        }
    }
}
