//! Solves the position that some turns lead to, stage by stage.
//!
//!     cargo run --release --example solve -- "Rw U2 F'"

use cube444::{Cube, Scrambler, Sequence};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let turns = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "Rw U2 F'".to_owned());
    let turns: Sequence = turns.parse()?;
    let cube = Cube::solved().moved_by(turns.axis_moves());

    let scrambler = Scrambler::in_memory()?;
    let solved = scrambler.solve(&cube)?;
    println!("{}", solved.sequence);
    for (stage, turns) in &solved.stages {
        println!("{stage}: {turns}");
    }
    Ok(())
}
