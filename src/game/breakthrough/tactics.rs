//! What the rules prove without search. Every fact here is a theorem and is
//! tested against exhaustive search on random positions of many sizes.
//!
//! The vocabulary: a piece one step from its goal *threatens*. A threat always
//! has a way in, because its two diagonal goal squares hold enemies or nothing
//! (a friend there would have ended the game).

use super::bits::Bits;
use super::position::Position;
use super::statics::{StaticSolver, Verdict};
use crate::base::Side;
use crate::game::{Game as _, Move, MoveList, Reply, Tactics};

impl<B: Bits> Position<B> {
    /// The pieces of the side not to move that would win next move.
    #[inline]
    pub(super) fn enemy_threats(&self) -> B {
        let enemy = !self.side_to_move();
        self.pieces(enemy) & self.geometry().rank_before_goal(enemy, 1)
    }

    /// Whether a piece that has just moved is lost on its new square: more
    /// enemies attack it than own pieces guard it. All pieces are worth the same and
    /// each capture is one for one, so the numbers decide the exchange.
    #[inline]
    pub(super) fn is_overrun(&self, mv: Move) -> bool {
        let (side, geometry) = (self.side_to_move(), self.geometry());
        let to = B::bit(mv.to());
        // Pieces that can capture on a square stand where a piece of the other
        // colour on it could capture.
        let attackers = geometry.attacks(side, to) & self.pieces(!side);
        let guards = geometry.attacks(!side, to) & self.pieces(side) & !B::bit(mv.from());
        attackers.count() > guards.count()
    }

    /// The squares on which any piece that moves there is lost, as in
    /// [`is_overrun`](Self::is_overrun): straight ahead, and diagonally.
    #[inline]
    pub(super) fn overrun(&self) -> [B; 2] {
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

    /// What runs of single pieces decide, if nothing is decided within three
    /// plies: a won or lost race, or squares on which every move must end
    /// because the enemy threatens to run.
    #[inline]
    pub(super) fn runs(&self) -> Tactics {
        let statics = StaticSolver::new(self.geometry());
        let view = self.perspective();
        match statics.judge(view) {
            Verdict::Win(plies) => {
                let best = Move::NONE;
                return Tactics::Win { plies, best };
            }
            Verdict::Loss(plies) => return Tactics::Loss { plies },
            Verdict::Open => {}
        }
        let Some((zone, plies)) = statics.threat(view) else {
            return Tactics::Open;
        };
        let zone = match self.side_to_move() {
            Side::White => zone,
            Side::Black => zone.turned(self.geometry().files(), self.geometry().ranks()),
        };
        let mut moves = MoveList::new();
        self.generate_to(zone, &mut moves);
        let mut reply = Reply::new();
        if moves.is_empty() {
            return Tactics::Loss { plies };
        }
        if reply.try_extend_from_slice(&moves).is_err() {
            return Tactics::Open;
        }
        Tactics::Within { reply, plies }
    }

    /// The side to move faces threats and cannot win at once: it has lost
    /// unless there is only one and it can take it.
    #[inline]
    pub(super) fn answer_to(&self, threats: B) -> Tactics {
        if !threats.without_lowest().is_empty() {
            return Tactics::Loss { plies: 2 };
        }
        let mut captures = MoveList::new();
        self.generate_to(threats, &mut captures);
        if captures.is_empty() {
            return Tactics::Loss { plies: 2 };
        }
        Tactics::Only(captures.into_iter().collect::<Reply>())
    }

    /// A step to the rank before the goal where nothing can take the piece: if
    /// the enemy has no threats, that wins in three plies.
    #[inline]
    pub(super) fn unanswerable_advance(&self) -> Option<Move> {
        let (side, geometry) = (self.side_to_move(), self.geometry());
        let before = geometry.rank_before_goal(side, 1);
        let guarded = geometry.attacks(!side, self.pieces(!side));
        let mut moves = MoveList::new();
        let runners = self.pieces(side) & geometry.rank_before_goal(side, 2);
        if runners.is_empty() {
            return None;
        }
        self.generate_to(before & !guarded, &mut moves);
        moves.first().copied()
    }

    /// A move of one of the pieces on `ready`, all of which have one.
    #[inline]
    pub(super) fn any_move_from(&self, ready: B) -> Move {
        let (side, geometry) = (self.side_to_move(), self.geometry());
        let piece = B::bit(ready.lowest());
        let reached = (geometry.attacks(side, piece) & geometry.board() & !self.pieces(side))
            | (geometry.ahead(side, piece) & self.empty());
        Move::new(ready.lowest(), reached.lowest())
    }
}
