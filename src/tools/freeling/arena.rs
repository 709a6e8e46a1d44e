//! `petard freeling match`: one set of weights against another.

use super::super::console::print;
use super::player::{Player, opening, result, weights};
use crate::base::Side;
use crate::game::freeling::Position;
use crate::game::{Game, Outcome};
use crate::search::Limits;
use clap::Args;
use rand_mt::Mt64;
use std::error::Error;
use std::time::Duration;

/// Plays a match at equal time, every random opening twice with colours
/// exchanged, and prints the first player's result with its 95% interval.
///
/// Exit status: 0 done, 1 an error, 2 wrong arguments.
#[derive(Debug, Args)]
pub struct Match {
    /// Weights of the first player: tuned, plain, or a file of numbers
    #[arg(long, default_value = "tuned")]
    first: String,
    /// Weights of the second player
    #[arg(long, default_value = "plain")]
    second: String,
    /// Games to play, rounded up to an even number
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    games: u32,
    /// Milliseconds a move
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
    movetime: u64,
    /// Seed of the openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl Match {
    pub(super) fn run(&self) -> Result<(), Box<dyn Error>> {
        let mut players = [
            Player::new(weights(&self.first)?)?,
            Player::new(weights(&self.second)?)?,
        ];
        let mut random = Mt64::new(self.seed);
        // The first player's losses, draws and wins.
        let mut results = [0u32; 3];
        for _ in 0..self.games.div_ceil(2) {
            let start = opening(&mut random);
            for first in Side::BOTH {
                let result = match self.play(&mut players, start, first) {
                    Outcome::Win(side) if side == first => 2,
                    Outcome::Win(_) => 0,
                    _ => 1,
                };
                results[result] += 1;
            }
            log::info!("losses, draws, wins: {results:?}");
        }
        Ok(print(&format!("{}\n", summary(results)))?)
    }

    /// One game in which the first player plays the side `first`.
    fn play(&self, players: &mut [Player; 2], mut position: Position, first: Side) -> Outcome {
        players.iter_mut().for_each(Player::clear);
        let mut keys = Vec::new();
        loop {
            if let Some(outcome) = result(&position, &keys) {
                return outcome;
            }
            let limits = Limits {
                move_time: Some(Duration::from_millis(self.movetime)),
                ..Limits::default()
            };
            let player = &mut players[usize::from(position.side_to_move() != first)];
            let Some(verdict) = player.think(&position, &keys, limits) else {
                return Outcome::Draw;
            };
            keys.push(position.key());
            position = position.play(verdict.best);
        }
    }
}

fn summary([losses, draws, wins]: [u32; 3]) -> String {
    let games = f64::from(losses + draws + wins);
    let score = (f64::from(wins) + f64::from(draws) / 2.0) / games;
    let square = (f64::from(wins) + f64::from(draws) / 4.0) / games;
    let interval = 1.96 * ((square - score * score) / games).sqrt();
    format!(
        "first player: {wins} won, {draws} drawn, {losses} lost, {:.1}% +- {:.1}%",
        100.0 * score,
        100.0 * interval
    )
}
