//! `petard freeling data`: positions from self-play with the games' results.

use super::super::console::print;
use super::super::files::fault;
use super::player::{Player, opening, result, weights};
use crate::base::{Side, is_win, mate_plies};
use crate::eval::freeling::{FEATURES, count};
use crate::game::freeling::Position;
use crate::game::{Game, Notation, Outcome, Tactics};
use crate::search::{Limits, Verdict};
use clap::Args;
use rand_mt::Mt64;
use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::PathBuf;

/// Plays games against itself from random openings and writes one line for
/// every quiet position: the game's result for White (0 lost, 1 drawn, 2 won),
/// the search's score for White in centipawns, and the position's text.
///
/// Exit status: 0 done, 1 an error, 2 wrong arguments.
#[derive(Debug, Args)]
pub struct Data {
    /// The file to write
    output: PathBuf,
    /// Games to play
    #[arg(long, default_value_t = 1_000)]
    games: usize,
    /// Nodes a move
    #[arg(long, default_value_t = 2_500, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Seed of the openings; the same seed gives the same games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Weights to play with: tuned, plain, or a file of numbers
    #[arg(long, default_value = "tuned")]
    weights: String,
}

impl Data {
    pub(super) fn run(&self) -> Result<(), Box<dyn Error>> {
        let mut output = BufWriter::new(
            File::create(&self.output).map_err(|error| fault(&self.output, &error))?,
        );
        let mut player = Player::new(weights(&self.weights)?)?;
        let mut random = Mt64::new(self.seed);
        let mut results = [0u32; 3];
        for _ in 0..self.games {
            player.clear();
            let (lines, result) = self.play(&mut player, opening(&mut random));
            results[result] += 1;
            for line in lines {
                writeln!(output, "{result} {line}")?;
            }
        }
        output.flush()?;
        let [lost, drawn, won] = results;
        Ok(print(&format!(
            "White won {won}, drew {drawn}, lost {lost}\n"
        ))?)
    }

    /// One game: its lines, and the result as written.
    fn play(&self, player: &mut Player, mut position: Position) -> (Vec<String>, usize) {
        let number = |won: bool| if won { 2 } else { 0 };
        let mut keys = Vec::new();
        let mut lines = Vec::new();
        loop {
            match result(&position, &keys) {
                Some(Outcome::Win(side)) => return (lines, number(side == Side::White)),
                Some(_) => return (lines, 1),
                None => {}
            }
            let limits = Limits {
                nodes: Some(self.nodes),
                ..Limits::default()
            };
            let Some(verdict) = player.think(&position, &keys, limits) else {
                return (lines, 1);
            };
            let white_moves = position.side_to_move() == Side::White;
            if mate_plies(verdict.score).is_some() {
                return (lines, number(is_win(verdict.score) == white_moves));
            }
            if position.tactics() == Tactics::Open && !position.explodes(verdict.best) {
                lines.push(line(&position, &verdict));
            }
            keys.push(position.key());
            position = position.play(verdict.best);
        }
    }
}

fn line(position: &Position, verdict: &Verdict) -> String {
    let sign = if position.side_to_move() == Side::White {
        1
    } else {
        -1
    };
    format!("{} {}", sign * verdict.score, position.fen())
}

/// Reads the lines of `petard freeling data` and writes each as numbers: the
/// result, the score, 1 if White is to move, else -1, and the evaluation's
/// features, White's number less Black's, as index:number where it is not 0.
///
/// Exit status: 0 done, 1 an error, 2 wrong arguments.
#[derive(Debug, Args)]
pub struct Features {
    /// A file made by `petard freeling data`
    input: PathBuf,
    /// The file to write
    output: PathBuf,
}

impl Features {
    pub(super) fn run(&self) -> Result<(), Box<dyn Error>> {
        let input =
            BufReader::new(File::open(&self.input).map_err(|error| fault(&self.input, &error))?);
        let mut output = BufWriter::new(
            File::create(&self.output).map_err(|error| fault(&self.output, &error))?,
        );
        for (index, line) in input.lines().enumerate() {
            let line = line?;
            let mut parts = line.splitn(3, ' ');
            let fault = || {
                format!(
                    "'{}', line {}: not a line of data",
                    self.input.display(),
                    index + 1
                )
            };
            let (Some(result), Some(score), Some(fen)) = (parts.next(), parts.next(), parts.next())
            else {
                return Err(fault().into());
            };
            let position =
                Position::from_fen(fen).map_err(|reason| format!("{}: {reason}", fault()))?;
            let turn = if position.side_to_move() == Side::White {
                1
            } else {
                -1
            };
            let mut features = [0; FEATURES];
            count(&position, |side, feature, number| {
                features[feature] += if side == Side::White { number } else { -number };
            });
            write!(output, "{result} {score} {turn}")?;
            for (index, number) in features.iter().enumerate() {
                if *number != 0 {
                    write!(output, " {index}:{number}")?;
                }
            }
            writeln!(output)?;
        }
        output.flush()?;
        Ok(print(&format!("{FEATURES} features\n"))?)
    }
}
