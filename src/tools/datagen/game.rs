//! One game of petard against itself, as records.

use super::record::{GameResult, Record};
use crate::base::{Side, is_mate, is_win};
use crate::engine::Tenant;
use crate::eval::EvalSource;
use crate::game::troyka::Position;
use crate::game::{Game, MoveList, Outcome, Tactics};
use crate::search::{
    Control, Deadlines, Histories, Limits, Params, Shared, Table, Verdict, Worker,
};
use rand_mt::Mt64;
use std::sync::Arc;

/// How games are played.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Files and ranks of the board.
    pub board: (usize, usize),
    /// Nodes a move.
    pub nodes: u64,
    /// Least and most random plies at the start of a game.
    pub random_plies: (usize, usize),
    /// Starts judged further from even than this, in centipawns, are dropped.
    pub balance: i32,
    /// Megabytes of hash a thread.
    pub hash: usize,
    /// What positions are valued with.
    pub source: EvalSource,
}

/// A player with its own table and histories, emptied before each game, so
/// that a game depends on its seed alone.
pub struct Player {
    rules: Rules,
    table: Arc<Table>,
    histories: Histories,
    params: Arc<Params>,
}

impl Player {
    /// A player, or why its table cannot be had.
    pub fn new(rules: Rules) -> Result<Self, crate::search::TableError> {
        Ok(Self {
            table: Arc::new(Table::new(rules.hash)?),
            histories: Histories::new(Position::<u64>::MOVE_INDICES),
            params: Arc::default(),
            rules,
        })
    }

    /// The records of one game, `None` if its start was dropped. The position
    /// is recorded where the rules alone decide nothing and the score is an
    /// estimate; the game ends with a proof.
    pub fn play(&mut self, seed: u64) -> Option<Vec<Record>> {
        if let Some(table) = Arc::get_mut(&mut self.table) {
            table.clear();
        }
        self.histories.clear();
        let mut random = Mt64::new(seed);
        let mut position = self.random_start(&mut random)?;
        let mut records: Vec<Record> = Vec::new();
        let winner = loop {
            if let Outcome::Win(side) = position.outcome() {
                break side;
            }
            let verdict = self.search(&position)?;
            if is_mate(verdict.score) {
                let mover = position.side_to_move();
                break if is_win(verdict.score) { mover } else { !mover };
            }
            if records.is_empty() && verdict.score.abs() > self.rules.balance {
                return None;
            }
            if matches!(position.tactics(), Tactics::Open | Tactics::Within { .. }) {
                let is_noisy = position.is_capture(verdict.best);
                let ply = usize::from(position.plies_played());
                records.push(Record::new(&position, verdict.score, ply, is_noisy));
            }
            position = position.play(verdict.best);
        };
        for record in &mut records {
            record.result = match winner {
                Side::White => GameResult::Won,
                Side::Black => GameResult::Lost,
            };
        }
        records.first_mut()?.is_first = true;
        Some(records)
    }

    fn random_start(&self, random: &mut Mt64) -> Option<Position<u64>> {
        let (files, ranks) = self.rules.board;
        let (least, most) = self.rules.random_plies;
        let mut position = Position::start(files, ranks).ok()?;
        let plies = least as u64 + random.next_u64() % (most - least + 1) as u64;
        for _ in 0..plies {
            let mut list = MoveList::new();
            position.moves(&mut list);
            if list.is_empty() {
                return None;
            }
            position = position.play(list[(random.next_u64() % list.len() as u64) as usize]);
        }
        (position.outcome() == Outcome::Ongoing && position.tactics() == Tactics::Open)
            .then_some(position)
    }

    fn search(&mut self, position: &Position<u64>) -> Option<Verdict> {
        self.table.start_search();
        let limits = Limits {
            nodes: Some(self.rules.nodes),
            ..Limits::default()
        };
        let shared = Shared {
            table: Arc::clone(&self.table),
            control: Arc::new(Control::new(false)),
            params: Arc::clone(&self.params),
            deadlines: Deadlines::default(),
            limits,
            multi_pv: 1,
            nodes: Box::new([0.into()]),
        };
        let evaluator = position.evaluator(&self.rules.source);
        Worker::new(0, &shared, &mut self.histories, evaluator, position, &[]).run(&mut |_| {})
    }
}
