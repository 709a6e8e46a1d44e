//! The rules as the search sees them, and move generation: three shifts of a
//! set, one for each direction.

use super::bits::Bits;
use super::position::Position;
use super::statics::{Proven, StaticSolver};
use crate::base::Side;
use crate::game::zobrist::keys;
use crate::game::{Game, Move, MoveFacts, MoveList, Outcome, Replies, Tactics};

impl<B: Bits> Game for Position<B> {
    const NAME: &'static str = "breakthrough";
    const MOVE_INDICES: usize = 3 * B::CAPACITY;
    const CAN_REPEAT: bool = false;
    const NULL_MOVE: bool = true;

    #[inline]
    fn side_to_move(&self) -> Side {
        self.side
    }
    #[inline]
    fn key(&self) -> u64 {
        self.key
    }
    /// Arrival takes precedence over the other rules: it ended the game when it
    /// happened.
    #[inline]
    fn outcome(&self) -> Outcome {
        for side in Side::BOTH {
            if self.has_arrived(side) {
                return Outcome::Win(side);
            }
        }
        for side in Side::BOTH {
            if self.pieces(side).is_empty() {
                return Outcome::Win(!side);
            }
        }
        // A side with pieces that has not lost can move: its foremost piece has a
        // diagonal step, onto an enemy or an empty square.
        debug_assert!(self.can_move());
        Outcome::Ongoing
    }
    #[inline]
    fn moves(&self, list: &mut MoveList) {
        if !self.is_decided() {
            self.push_moves(self.targets(), list);
        }
    }
    #[inline]
    fn is_legal(&self, mv: Move) -> bool {
        if mv.is_none()
            || usize::from(mv.from()) >= B::CAPACITY
            || usize::from(mv.to()) >= B::CAPACITY
        {
            return false;
        }
        let (geometry, side) = (self.geometry(), self.side_to_move());
        let from = B::bit(mv.from()) & self.pieces(side);
        let to = B::bit(mv.to()) & geometry.board();
        let reached = (geometry.ahead(side, from) & self.empty())
            | (geometry.attacks(side, from) & !self.pieces(side));
        !(reached & to).is_empty() && !self.is_decided()
    }
    #[inline]
    fn play(&self, mv: Move) -> Self {
        debug_assert!(self.is_legal(mv));
        let keys = keys();
        let (own, enemy) = (self.side, !self.side);
        let (from, to) = (B::bit(mv.from()), B::bit(mv.to()));
        let mut next = *self;
        next.key ^= keys.piece(own, mv.from()) ^ keys.piece(own, mv.to()) ^ keys.side();
        next.pieces[own.index()] ^= from | to;
        if !(self.pieces(enemy) & to).is_empty() {
            next.pieces[enemy.index()] ^= to;
            next.key ^= keys.piece(enemy, mv.to());
        }
        next.side = enemy;
        next.ply = self.ply.saturating_add(1);
        next
    }
    #[inline]
    fn pass(&self) -> Self {
        let mut next = *self;
        next.side = !self.side;
        next.key ^= keys().side();
        next
    }
    #[inline]
    fn tactics(&self) -> Tactics {
        self.tactics_by_rules()
    }
    /// The foremost piece's steps to the goal, or a move for every enemy piece if fewer.
    #[inline]
    fn least_moves_to_win(&self, side: Side) -> u32 {
        let pieces = self.pieces(side);
        let foremost = match side {
            Side::White => pieces.highest(),
            Side::Black => pieces.lowest(),
        };
        let steps = self.geometry().steps_to_goal(side, foremost);
        u32::from(steps).min(self.pieces(!side).count())
    }
    #[inline]
    fn is_capture(&self, mv: Move) -> bool {
        self.pieces(!self.side_to_move()).has(mv.to())
    }
    #[inline]
    fn noisy_moves(&self, list: &mut MoveList) {
        self.generate_to(self.pieces(!self.side_to_move()), list);
    }
    #[inline]
    fn move_index(&self, mv: Move) -> usize {
        let stride = self.geometry().stride();
        let ahead = u32::from(mv.from().abs_diff(mv.to()));
        // The step's length tells its direction: ahead is the stride.
        let direction = (ahead + 1 - stride) as usize;
        3 * usize::from(mv.from()) + direction
    }
    /// All pieces are worth the same: the piece taken, less the moved one if more
    /// enemies attack its new square than own pieces guard it.
    #[inline]
    fn exchange(&self, mv: Move) -> i32 {
        i32::from(self.is_capture(mv)) - i32::from(self.is_hanging(mv))
    }
    #[inline]
    fn moves_with_facts(&self, mut take: impl FnMut(Move, MoveFacts)) {
        let (side, geometry) = (self.side_to_move(), self.geometry());
        let enemy = self.pieces(!side);
        // Of the non-captures, only those that end here are urgent.
        let [goal, before, third] = [0, 1, 2].map(|steps| geometry.rank_before_goal(side, steps));
        let pressing = goal | before | third;
        let [straight, diagonal] = self.hanging();
        for step in self.steps() {
            let hanging = if step.is_straight { straight } else { diagonal };
            // Captures apart, so that no branch asks of each move whether it is one.
            for (targets, is_capture) in
                [(step.targets & enemy, true), (step.targets & !enemy, false)]
            {
                for to in targets.squares() {
                    let from = to.wrapping_add(step.back);
                    let mv = Move::new(from, to);
                    let facts = MoveFacts {
                        index: 3 * usize::from(from) + step.direction,
                        is_capture,
                        exchange: i32::from(is_capture) - i32::from(hanging.has(to)),
                        urgency: if is_capture || pressing.has(to) {
                            self.urgency(mv)
                        } else {
                            0
                        },
                    };
                    debug_assert_eq!(facts, MoveFacts::new(self, mv));
                    take(mv, facts);
                }
            }
        }
    }
    #[inline]
    fn urgency(&self, mv: Move) -> i32 {
        // Enemy pieces close to their goal must be dealt with first, and own pieces
        // that get close to theirs must be looked at.
        let (side, geometry) = (self.side_to_move(), self.geometry());
        let arriving = 6 - i32::from(geometry.steps_to_goal(side, mv.to()));
        if self.is_capture(mv) {
            8 - i32::from(geometry.steps_to_goal(!side, mv.to())).min(7)
        } else {
            (arriving - 3).max(0)
        }
    }
    /// A hash of the pieces on both sides' three home ranks.
    #[inline]
    fn structure_key(&self) -> u64 {
        let geometry = &self.geometry;
        let home = B::first_rank(geometry.files());
        let home = home | home.up(geometry.stride()) | home.up(2 * geometry.stride());
        let far = home.up(u32::from(geometry.ranks() - 3) * geometry.stride());
        let white = (self.pieces[0] & home).fold();
        let black = (self.pieces[1] & far).fold();
        // Multiplicative hashing (Knuth): the high bits are well mixed.
        let mixed = (white ^ black.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed >> 32
    }
    #[inline]
    fn count_moves(&self) -> u64 {
        if self.is_decided() {
            return 0;
        }
        let targets = self.targets();
        u64::from(targets.left.count() + targets.ahead.count() + targets.right.count())
    }
}

/// The squares that the mover's pieces can reach, by direction of the step.
struct Targets<B> {
    left: B,
    ahead: B,
    right: B,
}

/// The steps in one direction.
#[derive(Clone, Copy)]
struct Steps<B> {
    /// Where they end.
    targets: B,
    /// The offset from there back to where they start, modulo 256.
    back: u8,
    /// What [`move_index`](crate::game::Game::move_index) adds to three times the
    /// square that a step starts from.
    direction: usize,
    is_straight: bool,
}

impl<B: Bits> Position<B> {
    #[inline]
    fn targets(&self) -> Targets<B> {
        let (own, geometry) = (self.pieces(self.side_to_move()), self.geometry());
        let diagonal = geometry.board() & !own;
        Targets {
            left: geometry.ahead_left(self.side_to_move(), own) & diagonal,
            ahead: geometry.ahead(self.side_to_move(), own) & self.empty(),
            right: geometry.ahead_right(self.side_to_move(), own) & diagonal,
        }
    }

    /// Whether the game has been decided by arrival or by an empty army.
    #[inline]
    fn is_decided(&self) -> bool {
        Side::BOTH
            .into_iter()
            .any(|side| self.has_arrived(side) || self.pieces(side).is_empty())
    }

    /// Whether the side to move has a step; the game must not be decided.
    #[inline]
    fn can_move(&self) -> bool {
        let targets = self.targets();
        !(targets.left | targets.ahead | targets.right).is_empty()
    }

    /// Appends the legal moves that end on one of `squares`. The game must not
    /// be decided.
    #[inline]
    pub(super) fn generate_to(&self, squares: B, list: &mut MoveList) {
        let targets = self.targets();
        let targets = Targets {
            left: targets.left & squares,
            ahead: targets.ahead & squares,
            right: targets.right & squares,
        };
        self.push_moves(targets, list);
    }

    #[inline]
    fn push_moves(&self, targets: Targets<B>, list: &mut MoveList) {
        for step in self.steps_to(targets) {
            for to in step.targets.squares() {
                list.push(Move::new(to.wrapping_add(step.back), to));
            }
        }
    }

    /// All steps of the side to move, in the order in which moves are generated.
    #[inline]
    fn steps(&self) -> [Steps<B>; 3] {
        self.steps_to(self.targets())
    }

    #[inline]
    fn steps_to(&self, targets: Targets<B>) -> [Steps<B>; 3] {
        let stride = self.geometry().stride() as u8;
        let side = self.side_to_move();
        let step = |targets, length: u8, is_straight| Steps {
            targets,
            back: match side {
                Side::White => length.wrapping_neg(),
                Side::Black => length,
            },
            // The step's length tells its direction: ahead is the stride.
            direction: usize::from(length + 1 - stride),
            is_straight,
        };
        let (left, right) = match side {
            Side::White => (stride - 1, stride + 1),
            Side::Black => (stride + 1, stride - 1),
        };
        [
            step(targets.ahead, stride, true),
            step(targets.left, left, false),
            step(targets.right, right, false),
        ]
    }
}

impl<B: Bits> Position<B> {
    /// The facts of [`StaticSolver`] with their moves.
    #[inline]
    pub(super) fn tactics_by_rules(&self) -> Tactics {
        let statics = StaticSolver::new(self.geometry());
        let view = self.perspective();
        let on_board = |set: B| match self.side_to_move() {
            Side::White => set,
            Side::Black => statics.turned(set),
        };
        let ready = statics.ready(view);
        if !ready.is_empty() {
            let first = self.any_move_from(on_board(ready));
            return Tactics::Win { plies: 1, first };
        }
        let threats = statics.threats(view);
        if !threats.is_empty() {
            if statics.takers(view, threats).is_empty() {
                return Tactics::Loss { plies: 2 };
            }
            let captures = self.moves_to(on_board(threats));
            return Tactics::Only(captures.into_iter().collect::<Replies>());
        }
        let safe = statics.safe_steps(view);
        if !safe.is_empty() {
            let first = self.moves_to(on_board(safe))[0];
            return Tactics::Win { plies: 3, first };
        }
        match statics.judge_further(view) {
            Proven::Win(plies) => {
                let first = Move::NONE;
                return Tactics::Win { plies, first };
            }
            Proven::Loss(plies) => return Tactics::Loss { plies },
            Proven::Open => {}
        }
        // Squares on which every move must end because the enemy threatens to run.
        let Some((zone, plies)) = statics.threat(view) else {
            return Tactics::Open;
        };
        let moves = self.moves_to(on_board(zone));
        let mut replies = Replies::new();
        if moves.is_empty() {
            return Tactics::Loss { plies };
        }
        if replies.try_extend_from_slice(&moves).is_err() {
            return Tactics::Open;
        }
        Tactics::OthersLose { replies, plies }
    }

    /// The legal moves that end on one of `squares`.
    #[inline]
    fn moves_to(&self, squares: B) -> MoveList {
        let mut moves = MoveList::new();
        self.generate_to(squares, &mut moves);
        moves
    }

    /// Whether a piece that has just moved is lost on its new square: more
    /// enemies attack it than own pieces guard it. All pieces are worth the same and
    /// each capture is one for one, so the numbers decide the exchange.
    #[inline]
    pub(super) fn is_hanging(&self, mv: Move) -> bool {
        let (side, geometry) = (self.side_to_move(), self.geometry());
        let to = B::bit(mv.to());
        // Pieces that can capture on a square stand where a piece of the other
        // colour on it could capture.
        let attackers = geometry.attacks(side, to) & self.pieces(!side);
        let guards = geometry.attacks(!side, to) & self.pieces(side) & !B::bit(mv.from());
        attackers.count() > guards.count()
    }

    /// The squares on which any piece that moves there is lost, as in
    /// [`is_hanging`](Self::is_hanging): straight ahead, and diagonally.
    #[inline]
    pub(super) fn hanging(&self) -> [B; 2] {
        let (side, geometry) = (self.side_to_move(), self.geometry());
        // Squares that a side attacks at least once, and those it attacks twice.
        let [(guarded, guarded_twice), (attacked, attacked_twice)] = [side, !side].map(|side| {
            let pieces = self.pieces(side);
            let (left, right) = (
                geometry.ahead_left(side, pieces),
                geometry.ahead_right(side, pieces),
            );
            (left | right, left & right)
        });
        // A piece that moves diagonally was itself one of the square's guards.
        let straight = attacked & !guarded | attacked_twice & !guarded_twice;
        [straight, attacked & !guarded_twice | attacked_twice]
    }

    /// A move of one of the pieces on `ready`, all of which have one.
    #[inline]
    fn any_move_from(&self, ready: B) -> Move {
        let (side, geometry) = (self.side_to_move(), self.geometry());
        let piece = B::bit(ready.lowest());
        let reached = (geometry.attacks(side, piece) & geometry.board() & !self.pieces(side))
            | (geometry.ahead(side, piece) & self.empty());
        Move::new(ready.lowest(), reached.lowest())
    }
}
