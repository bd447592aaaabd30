//! The positions of the third stage.

use std::sync::OnceLock;

use xxhash_rust::xxh3::Xxh3;

use super::super::declaration::{PAIR_EDGES, THREE_BY_THREE};
use super::super::turns::Turns;
use super::centers::Centers;
use super::pairing::Pairings;

/// The turns of the third stage, and the numbering of its positions.
pub(super) struct PairingSpace {
    /// The stage's turns.
    pub(super) turns: Turns,
    /// The pairings.
    pub(super) pairings: Pairings,
    /// The centers and the parity.
    pub(super) centers: Centers,
    fingerprint: OnceLock<Xxh3>,
}

impl PairingSpace {
    /// Constructs the stage, which takes hundredths of a second.
    pub(super) fn new() -> PairingSpace {
        let turns = Turns::new(PAIR_EDGES, THREE_BY_THREE);
        let pairings = Pairings::new(&turns);
        let centers = Centers::new(&turns, pairings.symmetries());
        PairingSpace {
            turns,
            pairings,
            centers,
            fingerprint: OnceLock::new(),
        }
    }

    /// A hash of the turns and of the images of positions under them.
    pub(super) fn fingerprint(&self) -> Xxh3 {
        let hash = self.fingerprint.get_or_init(|| {
            let mut hash = Xxh3::new();
            for mv in self.turns.moves() {
                hash.update(&[mv.axis() as u8]);
                hash.update(&mv.amounts());
            }
            self.pairings.hash(&mut hash);
            self.centers.hash(&mut hash);
            hash
        });
        hash.clone()
    }
}
