//! What can be proven about a position without search: the solver uses all of
//! it, the playing search some, as tactical facts.
//!
//! Positions are seen from the side to move (a [`Perspective`]): its pieces go up,
//! the enemy's go down; turning the board after every move keeps it so.
//! Every verdict is a theorem about the rules and is tested against exhaustive
//! search. The facts, in the order they are tried:
//!
//! 1. *Win in one*: a piece one step from the goal always has a way in.
//! 2. *Threats*: the enemy has such pieces. Two of them, or one that nothing can
//!    take, win for it. A single one must be taken; the captures are followed
//!    until the forced sequence ends.
//! 3. *Win in two*: a step to the rank before the goal, safe from capture.
//! 4. *Safe runners*: all pieces run at once, by bit operations. `reach` holds the
//!    squares where the other side may have a piece after as many moves of its
//!    own; a runner stays off the squares it attacks. It wins if it arrives no
//!    later than the other side's nearest piece could. This covers more than the
//!    race patterns of Saffidine, Jouandeau and Cazenave ("Solving Breakthrough
//!    with race patterns and job-level proof number search", 2011), which look
//!    at a few cells around one piece.
//! 5. *Mirrored loss*: the same for the enemy, although it moves second.
//! 6. *Forcing sacrifice*: a piece that steps to the rank before the goal where
//!    it can be taken must be taken; the facts above may decide what follows.

use super::bits::Bits;
use super::position::Geometry;
use super::position::Position;
use crate::base::Side;
use crate::game::Game as _;
use arrayvec::ArrayVec;
use std::ops::ControlFlow;

/// The longest run that [`StaticSolver::zone`] follows, in steps.
const LONGEST_RUN: usize = 16;

/// What is proven about the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Proven {
    /// Nothing.
    Open,
    /// It wins within this many plies.
    Win(u8),
    /// It has lost, within this many plies.
    Loss(u8),
}

/// The pieces from the perspective of the side to move: its own go up, the
/// enemy's go down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Perspective<B> {
    /// Pieces of the side to move.
    pub(crate) own: B,
    /// Pieces of the other side.
    pub(crate) enemy: B,
}

/// A step, from square to square, as the side that makes it sees the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) from: u8,
    pub(crate) to: u8,
}

/// Decides positions on a board without search, with masks of squares that are
/// made once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StaticSolver<B> {
    geometry: Geometry<B>,
    /// The goal of the side to move.
    top: B,
    /// The rank before that goal.
    before_top: B,
    /// The rank before that.
    third_top: B,
    /// The enemy's goal.
    bottom: B,
    /// The rank before the enemy's goal.
    before_bottom: B,
    /// The rank before that.
    third_bottom: B,
}

impl<B: Bits> StaticSolver<B> {
    /// The masks of a board.
    pub(crate) fn new(geometry: &Geometry<B>) -> Self {
        Self {
            geometry: *geometry,
            top: geometry.rank_before_goal(Side::White, 0),
            before_top: geometry.rank_before_goal(Side::White, 1),
            third_top: geometry.rank_before_goal(Side::White, 2),
            bottom: geometry.rank_before_goal(Side::Black, 0),
            before_bottom: geometry.rank_before_goal(Side::Black, 1),
            third_bottom: geometry.rank_before_goal(Side::Black, 2),
        }
    }

    /// The board's shape.
    #[inline]
    pub(crate) const fn geometry(&self) -> &Geometry<B> {
        &self.geometry
    }

    #[inline]
    pub(super) fn turned(&self, set: B) -> B {
        set.turned(self.geometry.files(), self.geometry.ranks())
    }

    /// The position as the other side sees it, with the turn passed to it.
    #[inline]
    pub(crate) fn other_side(&self, view: Perspective<B>) -> Perspective<B> {
        Perspective {
            own: self.turned(view.enemy),
            enemy: self.turned(view.own),
        }
    }

    /// The position after the side to move steps from one square to another, as
    /// the other side sees it.
    #[inline]
    pub(crate) fn step(&self, view: Perspective<B>, from: B, to: B) -> Perspective<B> {
        self.other_side(Perspective {
            own: view.own ^ (from | to),
            enemy: view.enemy & !to,
        })
    }

    /// The squares that pieces on `set`, going up, can capture on, those outside
    /// the board included.
    #[inline]
    fn attacks_up(&self, set: B) -> B {
        self.geometry.attacks(Side::White, set)
    }

    /// The squares that pieces on `set`, going down, can capture on, those
    /// outside the board included.
    #[inline]
    fn attacks_down(&self, set: B) -> B {
        self.geometry.attacks(Side::Black, set)
    }

    /// Which of these squares the side to move can step to, by direction: left,
    /// ahead, right.
    #[inline]
    pub(crate) fn targets(&self, view: Perspective<B>, squares: B) -> [B; 3] {
        let Perspective { own, enemy } = view;
        let geometry = &self.geometry;
        let diagonal = squares & !own;
        [
            geometry.ahead_left(Side::White, own) & diagonal,
            geometry.ahead(Side::White, own) & diagonal & !enemy,
            geometry.ahead_right(Side::White, own) & diagonal,
        ]
    }

    /// The number of moves of the side to move, ignoring threats.
    #[inline]
    pub(crate) fn mobility(&self, view: Perspective<B>) -> u32 {
        let [left, ahead, right] = self.targets(view, self.geometry.board());
        left.count() + ahead.count() + right.count()
    }

    /// The number of moves that the enemy would have if it could move.
    #[inline]
    pub(crate) fn enemy_mobility(&self, view: Perspective<B>) -> u32 {
        let Perspective { own, enemy } = view;
        let geometry = &self.geometry;
        let ahead = geometry.ahead(Side::Black, enemy) & !(own | enemy) & geometry.board();
        let diagonal = geometry.board() & !enemy;
        ahead.count()
            + (geometry.ahead_left(Side::Black, enemy) & diagonal).count()
            + (geometry.ahead_right(Side::Black, enemy) & diagonal).count()
    }

    /// Passes the steps of the side to move that end on these squares, each from
    /// where to where, to `visit` until that breaks: those to the left first, then
    /// ahead, then to the right.
    #[inline]
    pub(crate) fn try_each_step(
        &self,
        view: Perspective<B>,
        squares: B,
        mut visit: impl FnMut(u8, u8) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let length = self.geometry.stride() as u8 - 1;
        for (direction, targets) in (0..).zip(self.targets(view, squares)) {
            for to in targets.squares() {
                visit(to - length - direction, to)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// All steps of the side to move.
    pub(crate) fn steps(&self, view: Perspective<B>) -> Vec<Step> {
        let mut steps = Vec::new();
        let _ = self.try_each_step(view, self.geometry.board(), |from, to| {
            steps.push(Step { from, to });
            ControlFlow::Continue(())
        });
        steps
    }

    /// The single square, as a set, from which a step reaches `to`; `direction`
    /// is the index in [`StaticSolver::targets`].
    #[inline]
    fn origin(&self, to: B, direction: usize) -> B {
        to.step_down(self.geometry.stride() - 1 + direction as u32)
    }

    /// The pieces of the side to move that win in one: a piece one step from its
    /// goal always has a way in, because its two diagonal goal squares hold enemies
    /// or nothing (a friend there would have ended the game).
    #[inline]
    pub(super) fn ready(&self, view: Perspective<B>) -> B {
        view.own & self.before_top
    }

    /// The enemy's pieces that would win in one.
    #[inline]
    pub(super) fn threats(&self, view: Perspective<B>) -> B {
        view.enemy & self.before_bottom
    }

    /// The pieces of the side to move that can take the only threat. Without one,
    /// or against several threats, a side that cannot win in one has lost.
    #[inline]
    pub(super) fn takers(&self, view: Perspective<B>, threats: B) -> B {
        if threats.without_lowest().is_empty() {
            self.attacks_down(threats) & view.own & self.bottom
        } else {
            B::EMPTY
        }
    }

    /// The squares on the rank before the goal that the side to move can step to
    /// where nothing can take the piece: if there are no threats, that wins in
    /// three plies.
    #[inline]
    pub(super) fn safe_steps(&self, view: Perspective<B>) -> B {
        let ahead = self.geometry.ahead(Side::White, view.own) & !view.enemy;
        let steps = (ahead | self.attacks_up(view.own)) & !view.own & self.before_top;
        steps & !self.attacks_down(view.enemy)
    }

    /// What is proven about the side to move. The game must not be over.
    #[inline]
    pub(crate) fn judge(&self, view: Perspective<B>) -> Proven {
        if !self.ready(view).is_empty() {
            return Proven::Win(1);
        }
        let threats = self.threats(view);
        if !threats.is_empty() {
            return self.answer_to(view, threats);
        }
        if !self.safe_steps(view).is_empty() {
            return Proven::Win(3);
        }
        self.judge_further(view)
    }

    /// What is proven about a side to move that is not ready, without threats and
    /// without safe steps.
    #[inline]
    pub(super) fn judge_further(&self, view: Perspective<B>) -> Proven {
        let Perspective { own, enemy } = view;
        let is_near = !(own & self.third_top).is_empty();
        if is_near && !(enemy & self.third_bottom).is_empty() {
            // Neither side has time for a longer run.
            return if self.sacrifice_and_step(view) {
                Proven::Win(5)
            } else {
                Proven::Open
            };
        }
        if let Some(plies) = self.longer_run(view) {
            return Proven::Win(plies);
        }
        if is_near {
            return self.sacrifice_and_run(view);
        }
        let steps = self.geometry.ranks() - 1 - self.geometry.rank(own.highest());
        if steps > self.geometry.rank(enemy.lowest())
            && let Some(moves) = self.race(self.other_side(view), steps - 1, true)
        {
            return Proven::Loss(2 * moves);
        }
        Proven::Open
    }

    /// The side to move cannot win at once and faces threats.
    fn answer_to(&self, view: Perspective<B>, threats: B) -> Proven {
        let mut takers = self.takers(view, threats);
        if takers.is_empty() {
            return Proven::Loss(2);
        }
        let mut longest = 0;
        let mut lost = true;
        while !takers.is_empty() {
            let taker = B::bit(takers.lowest());
            takers = takers.without_lowest();
            let next = self.step(view, taker, threats);
            if next.own.is_empty() {
                return Proven::Win(1);
            }
            match self.judge(next) {
                Proven::Loss(plies) => return Proven::Win(plies + 1),
                Proven::Win(plies) => longest = longest.max(plies),
                Proven::Open => lost = false,
            }
        }
        if lost {
            Proven::Loss(longest + 1)
        } else {
            Proven::Open
        }
    }

    /// The plies within which the side to move wins by a run, if it can.
    /// Neither side has a piece one step from its goal.
    #[inline]
    fn run_of(&self, view: Perspective<B>) -> Option<u8> {
        if !self.safe_steps(view).is_empty() {
            return Some(3);
        }
        self.longer_run(view)
    }

    /// The same for runs of more than two moves.
    #[inline]
    fn longer_run(&self, view: Perspective<B>) -> Option<u8> {
        let Perspective { own, enemy } = view;
        let steps = self.geometry.ranks() - 1 - self.geometry.rank(own.highest());
        let enemy_steps = self.geometry.rank(enemy.lowest());
        // With time for two moves at most, the only run is the one ruled out above.
        if enemy_steps <= 2 || steps > enemy_steps {
            return None;
        }
        self.race(view, enemy_steps, false)
            .map(|moves| 2 * moves - 1)
    }

    /// The moves that some piece of `view.own` needs to run to its goal, if it
    /// can do so within `limit` of them and nothing can stop it. `second` means
    /// that the other side moves first.
    #[inline]
    fn race(&self, view: Perspective<B>, limit: u8, second: bool) -> Option<u8> {
        let Perspective { own, enemy } = view;
        let (geometry, board) = (&self.geometry, self.geometry.board());
        // The runners' comrades stay where they are, and block.
        let free = board & !own;
        let mut reach = enemy;
        let mut attacked = self.attacks_down(reach);
        let widen = |reach: B, attacked: B| {
            reach | (geometry.ahead(Side::Black, reach) & free) | (attacked & board)
        };
        let mut runners = own;
        if second {
            runners &= !attacked;
            reach = widen(reach, attacked);
            attacked = self.attacks_down(reach);
        }
        for moves in 1..=limit {
            let ahead = geometry.ahead(Side::White, runners) & !reach;
            let landed = (ahead | self.attacks_up(runners)) & free;
            if !(landed & self.top).is_empty() {
                return Some(moves);
            }
            runners = landed & !attacked;
            if runners.is_empty() {
                return None;
            }
            reach = widen(reach, attacked);
            attacked = self.attacks_down(reach);
        }
        None
    }
}

// Steps to the rank before the goal that must be taken, and what they win.
impl<B: Bits> StaticSolver<B> {
    /// Whether a step to the rank before the goal wins although it can be taken:
    /// whoever takes unguards a square that another piece can step to. All such
    /// steps are tried together, because one after another they took a third of
    /// the solver's time on wide boards. Neither side has a piece one step from its
    /// goal, and the side to move none that can get there untaken.
    fn sacrifice_and_step(&self, view: Perspective<B>) -> bool {
        let Perspective { own, enemy } = view;
        let geometry = &self.geometry;
        let guards = enemy & self.top;
        let from_right = geometry.ahead_left(Side::Black, guards) & self.before_top;
        let from_left = geometry.ahead_right(Side::Black, guards) & self.before_top;
        let left = geometry.ahead_left(Side::White, own);
        let right = geometry.ahead_right(Side::White, own);
        let ahead = geometry.ahead(Side::White, own) & !enemy;
        let wins = |moved: B, again: B, frees_right: B, frees_left: B| {
            // The only guard takes and can be taken in turn, or unguards a square
            // two files on; of two guards, both must do that.
            moved
                & ((from_right & !from_left & (again | frees_right))
                    | (from_left & !from_right & (again | frees_left))
                    | (from_right & from_left & frees_right & frees_left))
        };
        // The squares that one guard unguards, by the steps that reach them. A piece
        // that steps left to be taken cannot also step right.
        let freed = from_right ^ from_left;
        let (by_left, by_right) = ((left | ahead) & freed, (right | ahead) & freed);
        let by_any = by_left | by_right;
        let (frees_right, frees_left) = (by_any.step_down(2), by_any.step_up(2));
        !(wins(left, right, by_left.step_down(2), frees_left)
            | wins(ahead, left | right, frees_right, frees_left)
            | wins(right, left, frees_right, by_right.step_up(2)))
        .is_empty()
    }

    /// Tries the same steps one by one, each followed by a run of any length, but
    /// not by another sacrifice.
    fn sacrifice_and_run(&self, view: Perspective<B>) -> Proven {
        let Perspective { own, enemy } = view;
        let targets = self.targets(view, self.before_top);
        for (direction, squares) in targets.into_iter().enumerate() {
            for square in squares.squares() {
                let to = B::bit(square);
                let enemy = enemy & !to;
                if enemy.is_empty() {
                    return Proven::Win(1);
                }
                let own = own ^ self.origin(to, direction);
                if own.is_empty() {
                    continue;
                }
                let takers = self.attacks_up(to) & enemy & self.top;
                let longest = takers.squares().try_fold(0, |longest, taker| {
                    let enemy = enemy ^ (B::bit(taker) | to);
                    let run = self.run_of(Perspective { own, enemy })?;
                    Some(run.max(longest))
                });
                match longest {
                    // Some taker has an answer, or there is none.
                    None | Some(0) => {}
                    Some(plies) => return Proven::Win(plies + 2),
                }
            }
        }
        Proven::Open
    }
}

// Where a step must end if the enemy would otherwise win by force.
impl<B: Bits> StaticSolver<B> {
    /// If the enemy would win by a run or a forcing sacrifice if it could move
    /// now: the squares that a step of the side to move must end on. Every other
    /// step loses. `None` if nothing of the kind is known, or if the side to
    /// move has pieces one step from the goal.
    #[inline]
    pub(crate) fn zone(&self, view: Perspective<B>) -> Option<B> {
        if !(view.own & self.before_top).is_empty() {
            return None;
        }
        let board = self.geometry.board();
        if let Some((zone, _)) = self.threat(view)
            && zone != board
        {
            return Some(zone);
        }
        if (view.enemy & self.third_bottom).is_empty() {
            return None;
        }
        let turned = self.other_side(view);
        if self.sacrifice_and_step(turned) {
            // All this happens on the ranks next to the goal: a step must take
            // one of the pieces, come into their way, move a guard, or threaten
            // to win.
            let captures = view.enemy & self.third_bottom;
            return Some(self.before_top | self.before_bottom | captures);
        }
        let can_run = (view.own & self.third_top).is_empty();
        (can_run && matches!(self.sacrifice_and_run(turned), Proven::Win(_))).then_some(board)
    }

    /// The same for runs alone, with the plies within which every other step
    /// loses.
    ///
    /// The step must take the runner, end where a piece can still stop it in time,
    /// or bring a piece to its own goal first.
    #[inline]
    pub(crate) fn threat(&self, view: Perspective<B>) -> Option<(B, u8)> {
        let board = self.geometry.board();
        let threats = view.enemy & self.before_bottom;
        if !(view.own & self.before_top).is_empty() {
            return None;
        }
        if !threats.is_empty() {
            return Some((threats, 2));
        }
        // The view in which the enemy goes up and is to move.
        let run = self.other_side(view);
        let limit = self.geometry.rank(run.enemy.lowest());
        if self.geometry.ranks() - 1 - self.geometry.rank(run.own.highest()) > limit {
            return None;
        }
        self.stoppers(run, limit)
            .map(|(squares, moves)| (self.turned(squares & board), 2 * moves))
    }

    /// If some piece of `view.own` wins by running: the squares where a piece of
    /// the other side, put there before the run starts, may interfere, and the
    /// run's length in moves.
    #[inline]
    fn stoppers(&self, view: Perspective<B>, limit: u8) -> Option<(B, u8)> {
        let Perspective { own, enemy } = view;
        let (geometry, board) = (&self.geometry, self.geometry.board());
        let free = board & !own;
        let mut reach = enemy;
        let mut attacked = self.attacks_down(reach);
        let mut stages: ArrayVec<B, LONGEST_RUN> = ArrayVec::new();
        let mut runners = own;
        for _ in 1..limit.min(LONGEST_RUN as u8) {
            let ahead = geometry.ahead(Side::White, runners) & !reach;
            stages.push(runners);
            runners = (ahead | self.attacks_up(runners)) & free & !attacked;
            if runners.is_empty() {
                return None;
            }
            if !(runners & self.before_top).is_empty() {
                let squares = self.interference(&stages, runners & self.before_top);
                return Some((squares, stages.len() as u8 + 1));
            }
            reach |= (geometry.ahead(Side::Black, reach) & free) | (attacked & board);
            attacked = self.attacks_down(reach);
        }
        None
    }

    /// The interfering squares of one run, traced back from one of its end
    /// squares, one step from the goal, through its stages. The last step is a
    /// diagonal one, which nothing can stop.
    #[inline]
    fn interference(&self, stages: &[B], ends: B) -> B {
        let geometry = &self.geometry;
        let mut square = B::bit(ends.lowest());
        let mut squares = B::EMPTY;
        let mut home = self.bottom | self.before_bottom;
        for &runners in stages.iter().rev() {
            let guards = self.attacks_up(square);
            squares |= geometry.ahead(Side::White, squares) | self.attacks_up(squares) | guards;
            let diagonal = self.attacks_down(square) & runners;
            if diagonal.is_empty() {
                // A straight step can be blocked too.
                squares |= square;
                square = geometry.ahead(Side::Black, square);
            } else {
                square = B::bit(diagonal.lowest());
            }
        }
        for _ in 1..stages.len() {
            home |= geometry.ahead(Side::White, home);
        }
        squares | square | home
    }
}

impl<B: Bits> Position<B> {
    /// The position as the solver's facts see it: the side to move goes up.
    pub(crate) fn perspective(&self) -> Perspective<B> {
        let view = Perspective {
            own: self.pieces(Side::White),
            enemy: self.pieces(Side::Black),
        };
        match self.side_to_move() {
            Side::White => view,
            Side::Black => StaticSolver::new(self.geometry()).other_side(view),
        }
    }
}
