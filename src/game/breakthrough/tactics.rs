//! What the rules prove without search, with the moves that it takes, and how
//! single moves fare. Every proven fact is a theorem and is tested against
//! exhaustive search on random positions of many sizes.

use super::bits::Bits;
use super::position::Position;
use super::statics::{Proven, StaticSolver};
use crate::base::Side;
use crate::game::{Game as _, Move, MoveList, Reply, Tactics};

impl<B: Bits> Position<B> {
    /// The facts of [`StaticSolver`] with their moves.
    #[inline]
    pub(super) fn proven(&self) -> Tactics {
        let statics = StaticSolver::new(self.geometry());
        let view = self.perspective();
        let on_board = |set: B| match self.side_to_move() {
            Side::White => set,
            Side::Black => statics.turned(set),
        };
        let ready = statics.ready(view);
        if !ready.is_empty() {
            let best = self.any_move_from(on_board(ready));
            return Tactics::Win { plies: 1, best };
        }
        let threats = statics.threats(view);
        if !threats.is_empty() {
            if statics.takers(view, threats).is_empty() {
                return Tactics::Loss { plies: 2 };
            }
            let captures = self.moves_to(on_board(threats));
            return Tactics::Only(captures.into_iter().collect::<Reply>());
        }
        let safe = statics.safe_steps(view);
        if !safe.is_empty() {
            let best = self.moves_to(on_board(safe))[0];
            return Tactics::Win { plies: 3, best };
        }
        match statics.judge_further(view) {
            Proven::Win(plies) => {
                let best = Move::NONE;
                return Tactics::Win { plies, best };
            }
            Proven::Loss(plies) => return Tactics::Loss { plies },
            Proven::Open => {}
        }
        // Squares on which every move must end because the enemy threatens to run.
        let Some((zone, plies)) = statics.threat(view) else {
            return Tactics::Open;
        };
        let moves = self.moves_to(on_board(zone));
        let mut reply = Reply::new();
        if moves.is_empty() {
            return Tactics::Loss { plies };
        }
        if reply.try_extend_from_slice(&moves).is_err() {
            return Tactics::Open;
        }
        Tactics::Within { reply, plies }
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
