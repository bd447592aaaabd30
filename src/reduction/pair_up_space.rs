//! What the third stage's tables are built for.

use super::fingerprint::Fingerprint;
use super::pairing::Pairings;
use super::settled_centers::SettledCenters;
use super::turns::Turns;
use crate::stage::AxisFreedom;

/// The third stage's turns, and the numbering of its positions.
pub struct PairUpSpace {
    /// The stage's turns.
    pub turns: Turns,
    /// The pairings.
    pub pairings: Pairings,
    /// The centers and the parity.
    pub centers: SettledCenters,
}

impl PairUpSpace {
    /// Works out the stage; takes some hundredths of a second.
    #[must_use]
    pub fn new() -> PairUpSpace {
        let turns = Turns::new([AxisFreedom::OUTER, AxisFreedom::OUTER, AxisFreedom::HALF]);
        let pairings = Pairings::new(&turns);
        let centers = SettledCenters::new(&turns, pairings.symmetries());
        PairUpSpace {
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

impl Default for PairUpSpace {
    fn default() -> PairUpSpace {
        PairUpSpace::new()
    }
}
