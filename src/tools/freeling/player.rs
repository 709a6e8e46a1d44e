//! One side of a self-play game, and how games begin and end.

use crate::base::Side;
use crate::eval::freeling::{FEATURES, Freeling, MATERIAL_AND_PROGRESS, TUNED, Weights};
use crate::game::freeling::{PASS, Position};
use crate::game::{Game, MoveList, Outcome, Tactics};
use crate::search::{
    Control, Deadlines, Histories, Limits, Params, Shared, Table, TableError, Verdict, Worker,
};
use rand_mt::Mt64;
use std::error::Error;
use std::fs;
use std::sync::Arc;

/// Games that go on for longer are called drawn.
const MOST_PLIES: usize = 600;

/// The size of a player's table in megabytes.
const TABLE: usize = 16;

/// An engine with weights of its own, on one thread.
pub(super) struct Player {
    table: Arc<Table>,
    histories: Histories,
    params: Arc<Params>,
    weights: &'static Weights,
}

impl Player {
    pub fn new(weights: &'static Weights) -> Result<Self, TableError> {
        Ok(Self {
            table: Arc::new(Table::new(TABLE)?),
            histories: Histories::new(Position::MOVE_INDICES),
            params: Arc::default(),
            weights,
        })
    }

    /// Forgets the last game.
    pub fn clear(&mut self) {
        // Between searches nobody else holds the table.
        if let Some(table) = Arc::get_mut(&mut self.table) {
            table.clear();
        }
        self.histories.clear();
    }

    /// Searches; `None` if the game is over. `keys` are those of the positions
    /// before.
    pub fn think(&mut self, position: &Position, keys: &[u64], limits: Limits) -> Option<Verdict> {
        self.table.start_search();
        let shared = Shared {
            table: Arc::clone(&self.table),
            control: Arc::new(Control::new(false)),
            params: Arc::clone(&self.params),
            deadlines: Deadlines::new(&limits),
            limits,
            multi_pv: 1,
            nodes: Box::new([0.into()]),
        };
        let evaluator = Freeling::new(self.weights);
        let histories = &mut self.histories;
        Worker::new(0, &shared, histories, evaluator, position, keys).run(&mut |_| {})
    }
}

/// How a game stands with the positions before: `None` while it goes on.
pub(super) fn result(position: &Position, keys: &[u64]) -> Option<Outcome> {
    match position.outcome() {
        Outcome::Ongoing => {
            let key = position.key();
            let seen = keys.iter().filter(|&&seen| seen == key).count();
            (seen >= 2 || keys.len() >= MOST_PLIES).then_some(Outcome::Draw)
        }
        decided => Some(decided),
    }
}

/// A position after a few random moves in which nothing is decided yet.
pub(super) fn opening(random: &mut Mt64) -> Position {
    let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
    'again: loop {
        let mut position = Position::start();
        for _ in 0..6 + below(5) {
            let mut list = MoveList::new();
            position.moves(&mut list);
            list.retain(|mv| *mv != PASS);
            position = position.play(list[below(list.len())]);
            if position.outcome() != Outcome::Ongoing {
                continue 'again;
            }
        }
        let [white, black] = Side::BOTH.map(|side| position.count(side));
        if white.abs_diff(black) <= 1 && position.tactics() == Tactics::Open {
            return position;
        }
    }
}

/// Weights by name, `tuned` or `plain`, or from a file of numbers: the tempo
/// and then one a feature, in hundredths of a centipawn.
pub(super) fn weights(name: &str) -> Result<&'static Weights, Box<dyn Error>> {
    match name {
        "tuned" => return Ok(&TUNED),
        "plain" => return Ok(&MATERIAL_AND_PROGRESS),
        _ => {}
    }
    let text = fs::read_to_string(name).map_err(|fault| format!("{name}: {fault}"))?;
    let numbers = text
        .split_whitespace()
        .map(str::parse)
        .collect::<Result<Vec<i32>, _>>()
        .map_err(|fault| format!("{name}: {fault}"))?;
    let fault = || {
        format!(
            "{name}: {} numbers, expected {}",
            numbers.len(),
            FEATURES + 1
        )
    };
    let (&tempo, features) = numbers.split_first().ok_or_else(fault)?;
    let features = features.try_into().map_err(|_| fault())?;
    // Read once a run, and needed until its end.
    Ok(Box::leak(Box::new(Weights { tempo, features })))
}
