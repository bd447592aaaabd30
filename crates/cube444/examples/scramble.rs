//! Makes a scramble with tables in memory, and shows the state that it leads to.
//!
//!     cargo run --release --no-default-features --example scramble

use cube444::{EffortLevel, Limits, Scrambler};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scrambler = Scrambler::in_memory()?;
    let effort = scrambler.solver().effort(EffortLevel::DEFAULT);
    let scramble = scrambler.scramble(&mut rand::rng(), effort, &Limits::default())?;
    println!("{}", scramble.sequence);
    println!("{}", scramble.state.facelets());
    Ok(())
}
