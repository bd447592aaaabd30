//! Subsets as bit masks, permutations, and their numbering.

/// A permutation of 8 elements: `p[i]` is the image of `i`.
pub type Permutation8 = [u8; 8];

/// 8!, the number of permutations of 8 elements.
pub const PERMUTATIONS_8: usize = 40_320;

/// `BINOMIAL[n][k]` for n, k up to 24.
static BINOMIAL: [[u32; 25]; 25] = {
    let mut table = [[0; 25]; 25];
    let mut n = 0;
    while n < 25 {
        table[n][0] = 1;
        let mut k = 1;
        while k <= n {
            table[n][k] = table[n - 1][k - 1] + table[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    table
};

/// The binomial coefficient of n and k, for n up to 24; 0 if k > n.
pub fn binomial(n: usize, k: usize) -> usize {
    BINOMIAL[n][k] as usize
}

/// The rank of a subset of `0..n` (a bit mask) among the subsets of its size, in the combinatorial number
/// system. It does not depend on `n`.
pub fn subset_rank(mut mask: u32) -> usize {
    let (mut rank, mut taken) = (0, 1);
    while mask != 0 {
        rank += BINOMIAL[mask.trailing_zeros() as usize][taken];
        taken += 1;
        mask &= mask - 1;
    }
    rank as usize
}

/// The subset of size `k` with a rank, as a bit mask.
pub fn subset_unrank(rank: usize, k: usize) -> u32 {
    let (mut rank, mut mask) = (rank as u32, 0);
    let mut element = 24;
    for taken in (1..=k).rev() {
        while BINOMIAL[element][taken] > rank {
            element -= 1;
        }
        rank -= BINOMIAL[element][taken];
        mask |= 1 << element;
    }
    mask
}

/// The elements of a set in ascending order.
#[inline(always)]
pub(crate) fn elements(set: impl Into<u64>) -> impl Iterator<Item = usize> {
    let mut set: u64 = set.into();
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let lowest = set.trailing_zeros() as usize;
            set &= set - 1;
            lowest
        })
    })
}

/// Deals pieces to places 0, 1, … in order: those that are `special` to the places in a set, which must be as
/// many, and all others to the other places.
pub fn dealt<T>(
    set: u32,
    pieces: impl Iterator<Item = T>,
    special: impl Fn(&T) -> bool,
) -> impl Iterator<Item = T> {
    let (special, others): (Vec<T>, Vec<T>) = pieces.partition(special);
    let (mut special, mut others) = (special.into_iter(), others.into_iter());
    (0..).map_while(move |place| match set >> place & 1 {
        1 => special.next(),
        _ => others.next(),
    })
}

/// The contributions of the first four images of a permutation of 8 elements to its rank, in units of 4!, and
/// those of the last four; by the images, three bits each.
static FIRST_FOUR: [u16; 1 << 12] = four_digits(8);
static LAST_FOUR: [u16; 1 << 12] = four_digits(4);

/// The four digits in the factorial base of the first four of `things` images. A digit counts the smaller
/// images that come later.
const fn four_digits(things: usize) -> [u16; 1 << 12] {
    let mut numbers = [0; 1 << 12];
    let mut images = 0;
    while images < numbers.len() {
        // Of eight images, the other four come later, too.
        let mut later = if things == 8 { 0xff } else { IMAGES[images] };
        let (mut number, mut place) = (0, 0);
        while place < 4 {
            let image = images >> (3 * place) & 7;
            later &= !(1 << image);
            let smaller = later & ((1 << image) - 1);
            number = number * (things - place) + smaller.count_ones() as usize;
            place += 1;
        }
        numbers[images] = number as u16;
        images += 1;
    }
    numbers
}

/// The set of four images, as a bit mask; by the images, three bits each.
static IMAGES: [u8; 1 << 12] = {
    let mut sets = [0; 1 << 12];
    let mut image = 0;
    while image < 4 * sets.len() {
        let (four, place) = (image / 4, image % 4);
        sets[four] |= 1 << (four >> (3 * place) & 7);
        image += 1;
    }
    sets
};

/// The first four images and the last four, three bits each. Higher bits of the images are ignored.
#[inline(always)]
fn twelve_bits(p: &Permutation8) -> [usize; 2] {
    let eight = u64::from_le_bytes(*p) & 0x0707_0707_0707_0707;
    let pairs = (eight | eight >> 5) & 0x003f_003f_003f_003f;
    let fours = pairs | pairs >> 10;
    [fours as usize & 0xfff, (fours >> 32) as usize & 0xfff]
}

/// The rank of a permutation of 8 elements in lexicographic order; unspecified if it is not a permutation.
#[inline(always)]
pub(crate) fn permutation_rank(p: &Permutation8) -> usize {
    let [first, last] = twelve_bits(p);
    usize::from(FIRST_FOUR[first]) * 24 + usize::from(LAST_FOUR[last])
}

/// The rank of a permutation of 8 elements in lexicographic order; `None` if it is not a permutation.
#[inline(always)]
pub fn try_permutation_rank(p: &Permutation8) -> Option<usize> {
    let too_great = u64::from_le_bytes(*p) & !0x0707_0707_0707_0707;
    let [first, last] = twelve_bits(p);
    (too_great == 0 && IMAGES[first] | IMAGES[last] == 0xff).then(|| permutation_rank(p))
}

/// The permutation of 8 elements with a rank.
pub fn permutation_unrank(mut rank: usize) -> Permutation8 {
    let mut digits = [0; 8];
    for i in (0..8).rev() {
        digits[i] = rank % (8 - i);
        rank /= 8 - i;
    }
    // A list in a register: the unused images, four bits each, the least one in the lowest bits.
    let mut left = 0x7654_3210_u64;
    digits.map(|digit| {
        let below = (1 << (4 * digit)) - 1;
        let image = (left >> (4 * digit)) & 0xf;
        left = left & below | (left >> 4) & !below;
        image as u8
    })
}

/// Whether a permutation is odd: whether the number of its inversions is odd. Its images are below 32, not necessarily
/// without gaps.
pub fn is_odd(permutation: &[u8]) -> bool {
    // The greater images before an image are inversions with it. The parity of bit counts is linear over
    // exclusive or, so the sets of greater images are combined by exclusive or, and their bits are counted
    // once at the end.
    let (mut inversions, mut used) = (0, 0u32);
    for &image in permutation {
        inversions ^= used >> image;
        used |= 1 << image;
    }
    inversions.count_ones() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subsets_are_numbered_without_gaps() {
        for (n, k) in [(24, 8), (16, 8), (8, 4), (7, 3)] {
            let size = binomial(n, k);
            for rank in 0..size {
                let mask = subset_unrank(rank, k);
                assert!(mask < 1 << n && mask.count_ones() as usize == k);
                assert_eq!(subset_rank(mask), rank);
            }
        }
        assert_eq!(binomial(24, 8), 735_471);
    }

    #[test]
    fn permutations_are_numbered_in_order() {
        let mut last = None;
        for rank in 0..PERMUTATIONS_8 {
            let p = permutation_unrank(rank);
            assert_eq!(permutation_rank(&p), rank);
            assert!(last < Some(p));
            last = Some(p);
        }
    }

    #[test]
    fn what_is_no_permutation_has_no_number() {
        // The check does not depend on the order, so it is enough to try sorted lists of numbers up to 9.
        let mut numbers = [0u8; 8];
        let mut ranked = 0;
        loop {
            ranked += usize::from(try_permutation_rank(&numbers).is_some());
            // The next non-decreasing sequence.
            let Some(last) = numbers.iter().rposition(|&number| number < 9) else {
                break;
            };
            let raised = numbers[last] + 1;
            numbers[last..].fill(raised);
        }
        assert_eq!(ranked, 1);
        assert_eq!(try_permutation_rank(&[0, 1, 2, 3, 4, 5, 6, 15]), None);
        assert_eq!(try_permutation_rank(&[0, 1, 2, 3, 4, 5, 6, 8 + 7]), None);
        assert_eq!(try_permutation_rank(&[0, 1, 2, 3, 4, 5, 6, 64 + 7]), None);
    }
}
