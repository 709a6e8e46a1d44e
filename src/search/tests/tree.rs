//! A game given as an explicit tree.
//!
//! Every leaf is worth its evaluation, however deep it is searched: where no
//! move is given, and after a pass that is not given, the game goes on along
//! a single line of quiet moves that changes nothing.

use crate::base::{Score, Side};
use crate::eval::{Evaluator, Term};
use crate::game::{Game, Move, MoveList, Outcome, Tactics};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A position: its evaluation for the mover, and where its moves lead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    pub eval: Score,
    pub children: Vec<usize>,
    /// Whether the move leading here was a capture, and what the exchange wins.
    pub capture: Option<i32>,
    /// Where passing leads, if that is worth something other than this node.
    pub passed: Option<usize>,
    pub tactics: Tactics,
    pub outcome: Outcome,
}

pub fn node(eval: Score, children: &[usize]) -> Node {
    Node {
        eval,
        children: children.to_vec(),
        capture: None,
        passed: None,
        tactics: Tactics::Open,
        outcome: Outcome::Ongoing,
    }
}

/// A position of the tree, or so many plies beyond it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    nodes: Arc<Vec<Node>>,
    at: usize,
    beyond: usize,
    side: Side,
}

impl Hash for Tree {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.at, self.beyond).hash(state);
    }
}

/// The move to the child with this index.
pub fn to(child: u8) -> Move {
    Move::new(1, child)
}

impl Tree {
    pub fn new(nodes: Vec<Node>) -> Self {
        Self {
            nodes: Arc::new(nodes),
            at: 0,
            beyond: 0,
            side: Side::White,
        }
    }

    /// The node, unless this position is beyond the tree.
    fn written(&self) -> Option<&Node> {
        (self.beyond == 0).then(|| &self.nodes[self.at])
    }

    /// The evaluation from the mover's view.
    pub fn eval(&self) -> Score {
        let eval = self.nodes[self.at].eval;
        if self.beyond.is_multiple_of(2) {
            eval
        } else {
            -eval
        }
    }

    fn children(&self) -> &[usize] {
        self.written().map_or(&[], |node| &node.children)
    }

    fn go(&self, at: usize) -> Self {
        Self {
            nodes: Arc::clone(&self.nodes),
            at,
            beyond: 0,
            side: !self.side,
        }
    }

    fn go_on(&self) -> Self {
        Self {
            beyond: self.beyond + 1,
            side: !self.side,
            ..self.clone()
        }
    }
}

impl Game for Tree {
    const NAME: &'static str = "tree";
    const MOVE_INDICES: usize = 128;
    const CAN_REPEAT: bool = false;
    const NULL_MOVE: bool = true;

    fn side_to_move(&self) -> Side {
        self.side
    }
    fn key(&self) -> u64 {
        let place = (self.at << 9 | self.beyond << 1 | self.side.index()) as u64;
        (place + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
    fn outcome(&self) -> Outcome {
        self.written().map_or(Outcome::Ongoing, |node| node.outcome)
    }
    fn moves(&self, list: &mut MoveList) {
        list.extend((0..self.children().len().max(1)).map(|child| to(child as u8)));
    }
    fn is_legal(&self, mv: Move) -> bool {
        mv.from() == 1 && usize::from(mv.to()) < self.children().len().max(1)
    }
    fn play(&self, mv: Move) -> Self {
        match self.children().get(usize::from(mv.to())) {
            Some(&child) => self.go(child),
            None => self.go_on(),
        }
    }
    fn pass(&self) -> Self {
        match self.written().and_then(|node| node.passed) {
            Some(passed) => self.go(passed),
            None => self.go_on(),
        }
    }
    fn tactics(&self) -> Tactics {
        self.written()
            .map_or(Tactics::Open, |node| node.tactics.clone())
    }
    fn is_capture(&self, mv: Move) -> bool {
        self.play(mv)
            .written()
            .is_some_and(|node| node.capture.is_some())
    }
    fn noisy_moves(&self, list: &mut MoveList) {
        let mut all = MoveList::new();
        self.moves(&mut all);
        list.extend(all.into_iter().filter(|&mv| self.is_capture(mv)));
    }
    fn move_index(&self, mv: Move) -> usize {
        usize::from(mv.to())
    }
    fn exchange(&self, mv: Move) -> i32 {
        let child = self.play(mv);
        child.written().and_then(|node| node.capture).unwrap_or(0)
    }
    fn urgency(&self, _mv: Move) -> i32 {
        0
    }
    fn structure_key(&self) -> u64 {
        self.key()
    }
}

/// Reads the tree's own values.
pub struct Written;

impl Evaluator<Tree> for Written {
    fn reset(&mut self, _position: &Tree) {}
    fn evaluate(&mut self, position: &Tree) -> Score {
        position.eval()
    }
    fn explain(&mut self, _position: &Tree) -> Vec<Term> {
        Vec::new()
    }
}
