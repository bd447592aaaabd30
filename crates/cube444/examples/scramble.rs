//! Makes a scramble with tables in memory, and shows the state that it leads to.
//!
//!     cargo run --release --example scramble

use cube444::Scrambler;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scrambler = Scrambler::in_memory()?;
    let scramble = scrambler.scramble(&mut rand::rng())?;
    println!("{}", scramble.sequence);
    println!("{}", scramble.state.facelets());
    Ok(())
}
