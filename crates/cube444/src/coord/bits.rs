//! Sets of small numbers as bit masks.

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
