//! Breadth-first search over consecutively numbered positions.

/// The distance of each position from the goals; 255 for unreachable positions. `images` gives the positions
/// one step away from a position. Every step must have an inverse.
pub(crate) fn distances<I: IntoIterator<Item = usize>>(
    positions: usize,
    goals: impl IntoIterator<Item = usize>,
    images: impl Fn(usize) -> I,
) -> Vec<u8> {
    let mut distances = vec![u8::MAX; positions];
    let mut frontier: Vec<usize> = goals.into_iter().collect();
    for &goal in &frontier {
        distances[goal] = 0;
    }
    let mut distance = 0;
    while !frontier.is_empty() {
        distance += 1;
        let mut next = Vec::new();
        for position in frontier {
            for image in images(position) {
                if distances[image] == u8::MAX {
                    distances[image] = distance;
                    next.push(image);
                }
            }
        }
        frontier = next;
    }
    distances
}
