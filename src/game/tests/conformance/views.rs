//! The mirrored board, and the board from the other side.

use super::{Conforms, for_each_game, pieces, text};
use crate::common::moves;
use crate::game::Side;
use crate::game::perft;
use crate::game::{Move, Outcome, Tactics};
use std::collections::BTreeSet;

/// What holds from one view holds from the other.
pub(super) fn a_view_changes_nothing<G: Conforms>(seed: u64) {
    for_each_game::<G>(seed, |line, _| {
        for position in line {
            for view in [G::mirrored, G::flipped] {
                check_image(position, &view(position), view);
            }
            assert_eq!(
                text(&position.mirrored().flipped()),
                text(&position.flipped().mirrored())
            );
        }
        let position = &line[line.len() / 2];
        assert_eq!(perft(position, 2), perft(&position.mirrored(), 2));
        assert_eq!(perft(position, 2), perft(&position.flipped(), 2));
    });
}

/// Each square with pieces is named once, and emptying it leaves the others.
pub(super) fn a_square_is_emptied_and_no_other<G: Conforms>(seed: u64) {
    for_each_game::<G>(seed, |line, _| {
        let position = &line[line.len() / 2];
        let all = position.without_each();
        let names = |all: &[(String, G)]| -> BTreeSet<String> {
            all.iter().map(|(square, _)| square.clone()).collect()
        };
        let squares = names(&all);
        assert_eq!(squares.len(), all.len(), "{}", position.fen());
        let pieces_of_both = |position: &G| Side::BOTH.map(|side| pieces(position, side));
        let mut gone = 0;
        for (square, next) in &all {
            let others = squares.iter().filter(|&name| name != square).cloned();
            assert_eq!(
                names(&next.without_each()),
                others.collect::<BTreeSet<_>>(),
                "{square}"
            );
            let (before, after) = (pieces_of_both(position), pieces_of_both(next));
            assert!(before != after && (0..2).all(|side| after[side] <= before[side]));
            gone += before[0] - after[0] + before[1] - after[1];
            if let Ok(read) = G::from_fen(&next.fen()) {
                assert_eq!(read.key(), next.key(), "{square}");
            }
        }
        assert_eq!(gone, pieces_of_both(position).iter().sum::<u32>());
    });
}

fn check_image<G: Conforms>(position: &G, image: &G, view: fn(&G) -> G) {
    let fen = position.fen();
    assert_eq!(text(&view(image)), text(position));
    assert_eq!(view(image).key(), position.key(), "{fen}");
    assert_eq!(image.key(), G::from_fen(&image.fen()).unwrap().key());
    assert_eq!(image.board_size(), position.board_size());
    let expected = match position.outcome() {
        Outcome::Win(side) if image.side_to_move() != position.side_to_move() => {
            Outcome::Win(!side)
        }
        other => other,
    };
    assert_eq!(image.outcome(), expected, "{fen}");
    assert_eq!(
        described(position, |next| text(&view(next))),
        described(image, text),
        "{fen}"
    );
    if expected == Outcome::Ongoing {
        assert_eq!(claim(image), claim(position), "{fen}");
    }
}

/// Every move, by the position it leads to, with its properties.
fn described<G: Conforms>(
    position: &G,
    name: impl Fn(&G) -> String,
) -> Vec<(String, bool, i32, i32)> {
    let describe = |&mv: &Move| {
        (
            name(&position.play(mv)),
            position.is_capture(mv),
            position.exchange(mv),
            position.urgency(mv),
        )
    };
    let mut list: Vec<_> = moves(position).iter().map(describe).collect();
    list.sort_unstable();
    list
}

/// The kind of claim and its number.
fn claim<G: Conforms>(position: &G) -> (usize, usize) {
    match position.tactics() {
        // Which moves are examined may depend on which of several runs is.
        Tactics::Open | Tactics::OthersLose { .. } => (0, 0),
        Tactics::Win { plies, .. } => (1, usize::from(plies)),
        Tactics::Loss { plies } => (2, usize::from(plies)),
        Tactics::Only(reply) => (3, reply.len()),
    }
}
