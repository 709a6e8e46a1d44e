//! What every game guarantees to the search and to its users, checked on random
//! games. A game joins by implementing [`Conforms`] and adding one test.

mod breakthrough;
mod claims;
mod freeling;
mod rules;
mod views;

use crate::common::{below, cases, moves};
use crate::game::Side;
use crate::game::{Move, Notation, Outcome};
use rand_mt::Mt64;

/// What the suite needs to know about a game beyond its rules.
trait Conforms: Notation {
    /// Claims of a longer win or loss are out of reach of exhaustive search
    /// here.
    const LONGEST_CLAIM: u8;
    /// How many positions have their claims checked.
    const CLAIMS: usize;
    /// How many random games are played from each start.
    const GAMES: usize;
    /// The reference checks one in this many positions.
    const REFERENCE: usize;

    /// Positions that random games start from.
    fn starts() -> Vec<Self>;

    /// A random position in which the game is not over.
    fn random(random: &mut Mt64) -> Self;

    /// Every legal move, and the rows and side after it, by an implementation
    /// of the rules that shares nothing with the engine's.
    fn reference_moves(fen: &str) -> Vec<(String, String)>;

    /// Who has won, by the same implementation.
    fn reference_winner(fen: &str) -> Option<Side>;

    /// The value of the exchange that a legal move starts, found by playing it
    /// out.
    fn reference_exchange(&self, mv: Move) -> i32;
}

/// The rows and side of a position's text, without the counters.
fn text<G: Notation>(position: &G) -> String {
    let fen = position.fen();
    fen.split(' ').take(2).collect::<Vec<_>>().join(" ")
}

/// A side's pieces, counted in a position's text; a `D` counts as two.
fn pieces<G: Notation>(position: &G, side: Side) -> u32 {
    let fen = position.fen();
    let rows = fen.split(' ').next().unwrap();
    let is_own = |letter: &char| match side {
        Side::White => letter.is_ascii_uppercase(),
        Side::Black => letter.is_ascii_lowercase(),
    };
    rows.chars()
        .filter(is_own)
        .map(|letter| 1 + u32::from(letter.eq_ignore_ascii_case(&'d')))
        .sum()
}

/// Random games may go on for ever if positions repeat: they are cut off here.
const LONGEST_GAME: usize = 200;

/// The positions of a random game.
fn random_line<G: Conforms>(start: G, random: &mut Mt64) -> Vec<G> {
    let mut line = vec![start];
    while line.len() < LONGEST_GAME {
        let position = &line[line.len() - 1];
        let list = moves(position);
        if list.is_empty() {
            break;
        }
        line.push(position.play(list[below(random, list.len())]));
    }
    line
}

/// Calls `check` with random games from all starts and from random positions.
fn for_each_game<G: Conforms>(seed: u64, mut check: impl FnMut(&[G], &mut Mt64)) {
    let mut random = Mt64::new(seed);
    for start in G::starts() {
        for _ in 0..cases(G::GAMES) {
            check(&random_line(start.clone(), &mut random), &mut random);
            let other = G::random(&mut random);
            check(&random_line(other, &mut random), &mut random);
        }
    }
}

/// The whole suite.
fn conforms<G: Conforms>(seed: u64) {
    rules::moves_are_those_of_the_reference::<G>(seed);
    rules::texts_are_read_back::<G>(seed + 1);
    rules::keys_tell_positions_apart::<G>(seed + 2);
    rules::a_line_is_taken_back_step_by_step::<G>(seed + 3);
    rules::small_functions_keep_their_promises::<G>(seed + 4);
    views::a_view_changes_nothing::<G>(seed + 5);
    views::a_square_is_emptied_and_no_other::<G>(seed + 7);
    claims::claims_are_true::<G>(seed + 6);
}

#[test]
fn breakthrough_conforms_on_small_boards() {
    conforms::<crate::game::breakthrough::Position<u64>>(100);
}

#[test]
fn breakthrough_conforms_on_boards_of_any_size() {
    conforms::<crate::game::breakthrough::Position<u128>>(200);
}

#[test]
fn freeling_conforms() {
    conforms::<crate::game::freeling::Position>(300);
}

/// The winner, if there is one.
fn winner(outcome: Outcome) -> Option<Side> {
    match outcome {
        Outcome::Win(side) => Some(side),
        Outcome::Ongoing | Outcome::Draw => None,
    }
}
