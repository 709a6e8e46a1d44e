//! Random games.

use fastrand::Rng;
use petard::engine::GameRecord;
use petard::game::{MoveList, Notation, Outcome};

/// A game that has not ended after this many plies is cut off; only Freeling's
/// can last longer.
const LONGEST: usize = 10_000;

/// Random numbers, seeded if a seed is given.
pub fn random(seed: Option<u64>) -> Rng {
    seed.map_or_else(Rng::new, Rng::with_seed)
}

/// Plays random moves to the end.
pub fn play_out<G: Notation>(played: &mut GameRecord<G>, random: &mut Rng) {
    let first = played.past().len();
    while played.past().len() - first < LONGEST {
        let list = played.legal_moves();
        if list.is_empty() {
            return;
        }
        played.push(list[random.usize(..list.len())]);
    }
}

/// Plays random moves to the end: 1 if White wins, -1 if Black does, 0 for a
/// draw; and the number of plies.
pub fn result<G: Notation>(start: &GameRecord<G>, random: &mut Rng) -> (i8, i32) {
    if G::CAN_REPEAT {
        // Repetitions need the game's history.
        let mut played = start.clone();
        play_out(&mut played, random);
        let plies = played.past().len() - start.past().len();
        return (value(played.outcome()), plies as i32);
    }
    let mut position = start.position().clone();
    let mut plies = 0;
    loop {
        let mut list = MoveList::new();
        position.moves(&mut list);
        if list.is_empty() {
            return (value(position.outcome()), plies);
        }
        position = position.play(list[random.usize(..list.len())]);
        plies += 1;
    }
}

fn value(outcome: Outcome) -> i8 {
    match outcome {
        Outcome::Win(petard::game::Side::White) => 1,
        Outcome::Win(petard::game::Side::Black) => -1,
        Outcome::Draw | Outcome::Ongoing => 0,
    }
}
