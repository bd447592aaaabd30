//! What the third stage's tables are built for.

use super::super::fingerprint::Fingerprint;
use super::super::turns::Turns;
use super::centers::Centers;
use super::pairing::Pairings;
use crate::search::AxisFreedom;

/// The third stage's turns, and the numbering of its positions.
pub struct PairingSpace {
    /// The stage's turns.
    pub turns: Turns,
    /// The pairings.
    pub pairings: Pairings,
    /// The centers and the parity.
    pub centers: Centers,
}

impl PairingSpace {
    /// Works out the stage; takes some hundredths of a second.
    #[must_use]
    pub fn new() -> PairingSpace {
        let turns = Turns::new([AxisFreedom::OUTER, AxisFreedom::OUTER, AxisFreedom::HALF]);
        let pairings = Pairings::new(&turns);
        let centers = Centers::new(&turns, pairings.symmetries());
        PairingSpace {
            turns,
            pairings,
            centers,
        }
    }

    /// A hash of the turns and of what they do to the numbers of pairings.
    pub(super) fn pairings_fingerprint(&self) -> Fingerprint {
        let mut fingerprint = Fingerprint::new(&self.turns);
        self.pairings.hash(&mut fingerprint);
        fingerprint
    }
}

impl Default for PairingSpace {
    fn default() -> PairingSpace {
        PairingSpace::new()
    }
}
