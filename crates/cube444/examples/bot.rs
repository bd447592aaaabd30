//! Scrambles, solves, draws, handles an error, and stops early: `cargo run --release --example bot`

use std::{thread, time::Duration};

use cube444::picture::{Scheme, svg};
use cube444::{CancelFlag, Cube, Effort, Scrambler};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scrambler = Scrambler::in_memory()?;
    let scramble = scrambler.scramble(&mut cube444::rand::rng())?;
    println!("{} ({} moves)", scramble.sequence, scramble.move_count());
    println!("{}", scrambler.solve(&scramble.state)?.sequence);
    println!("{:.80}...", svg(&scramble.state, &Scheme::default()));
    if let Err(error) = "UURR".parse::<Cube>() {
        println!("{error}");
    }
    let cancel = CancelFlag::default();
    let best = scrambler.with(Effort::MAX).cancelled_by(&cancel);
    thread::scope(|scope| {
        let search = scope.spawn(|| best.solve(&scramble.state).map(|it| it.sequence));
        thread::sleep(Duration::from_millis(50));
        cancel.cancel();
        println!("{:?}", search.join().expect("it does not panic"));
    });
    Ok(())
}
