//! A short certificate as a book: what it says about every position of a board.
use super::short::grown;
use crate::common::{exhaustive, moves};
use crate::game::breakthrough::Position;
use crate::game::{Game, Notation, Outcome, Tactics};
use crate::solve::{ProofBook, ShortCertificate};
use std::collections::{HashMap, HashSet};

type Board = Position<u64>;

/// Few pieces, so that all positions can be checked; with the winner to move, and
/// with the loser to move.
const STARTS: [(&str, u16); 3] = [
    ("ppp/3/3/3/3/PPP w 0 1", 25),
    ("pp/pp/2/2/PP/PP w 0 1", 29),
    ("2p/1pp/3/3/PPP w 0 1", 16),
];

/// The board as the side to move sees it, or its mirror image.
fn seen(position: &Board) -> String {
    let fen = position.fen();
    let (rows, side) = (
        fen.split(' ').next().unwrap(),
        fen.split(' ').nth(1).unwrap(),
    );
    let mut rows: Vec<String> = rows.split('/').map(str::to_owned).collect();
    if side == "b" {
        rows.reverse();
        let other = |c: char| match c {
            'P' => 'p',
            'p' => 'P',
            _ => c,
        };
        rows = rows
            .iter()
            .map(|row| row.chars().map(other).collect())
            .collect();
    }
    let mirrored: Vec<String> = rows.iter().map(|row| row.chars().rev().collect()).collect();
    rows.join("/").min(mirrored.join("/"))
}

/// All positions reachable from here in which nobody has won.
fn reachable(start: &Board) -> Vec<Board> {
    let mut seen = HashSet::from([start.fen()]);
    let (mut open, mut found) = (vec![*start], Vec::new());
    while let Some(position) = open.pop() {
        if position.outcome() != Outcome::Ongoing {
            continue;
        }
        found.push(position);
        for &mv in &moves(&position) {
            let next = position.play(mv);
            if seen.insert(next.fen()) {
                open.push(next);
            }
        }
    }
    found
}

struct Case {
    start: Board,
    certificate: ShortCertificate,
    book: ProofBook,
    positions: Vec<Board>,
}

fn case(fen: &str) -> Case {
    let start = Board::from_fen(fen).unwrap();
    let certificate = grown(&start, 5, 1);
    Case {
        book: ProofBook::new(&certificate.to_bytes()).unwrap(),
        certificate,
        positions: reachable(&start),
        start,
    }
}

#[test]
fn the_book_knows_what_it_keeps_and_where_its_moves_lead_and_nothing_else() {
    for (fen, _) in STARTS {
        let Case {
            start,
            certificate,
            book,
            positions,
        } = case(fen);
        let mut values = HashMap::new();
        let root_is_lost = !exhaustive(&start, &mut values);
        let mut kept = HashSet::new();
        let mut led_to = HashSet::new();
        for position in &positions {
            let Some(known) = book.lookup(position, &|| false).filter(|known| known.wins) else {
                continue;
            };
            let next = position.play(known.best);
            assert!(position.is_legal(known.best), "{}", position.fen());
            assert!(!exhaustive(&next, &mut values), "{}", position.fen());
            kept.insert(seen(position));
            if next.outcome() == Outcome::Ongoing {
                led_to.insert(seen(&next));
            }
        }
        assert_eq!(kept.len(), certificate.entries.len());
        if root_is_lost {
            led_to.insert(seen(&start));
        }
        for position in &positions {
            let view = seen(position);
            let expected = if kept.contains(&view) {
                Some(true)
            } else {
                led_to.contains(&view).then_some(false)
            };
            let found = book.lookup(position, &|| false).map(|known| known.wins);
            assert_eq!(found, expected, "{}", position.fen());
        }
    }
}

#[test]
fn a_prepared_prover_knows_the_leaves_too_and_nothing_that_is_wrong() {
    for (fen, _) in STARTS {
        let Case {
            book, positions, ..
        } = case(fen);
        assert!(book.probe::<u64>().is_none(), "it is not prepared");
        book.prepare().unwrap();
        let known = book.probe::<u64>().unwrap();
        let may_ask = |position: &Board| {
            position.outcome() == Outcome::Ongoing
                && !matches!(position.tactics(), Tactics::Win { plies: 1, .. })
        };
        let wins = |position: &Board| known(position).map(|(wins, _)| wins);
        let (mut values, mut leaves) = (HashMap::new(), 0);
        for position in positions.iter().filter(|position| may_ask(position)) {
            let reported = wins(position);
            let is_right = |wins| wins == exhaustive(position, &mut values);
            assert!(reported.is_none_or(is_right), "{}", position.fen());
            let Some(kept) = book.lookup(position, &|| false) else {
                continue;
            };
            assert_eq!(reported, Some(kept.wins), "{}", position.fen());
            let next = position.play(kept.best);
            if !kept.wins || next.outcome() != Outcome::Ongoing {
                continue;
            }
            let replies = moves(&next);
            let replies = replies.iter().map(|&reply| next.play(reply));
            for reply in replies.filter(may_ask) {
                assert_eq!(wins(&reply), Some(true), "{}", reply.fen());
                leaves += u32::from(book.lookup(&reply, &|| false).is_none());
            }
        }
        assert!(leaves > 0, "{fen}");
    }
}

/// How many positions the book keeps from this one on.
fn size(book: &ProofBook, position: &Board) -> usize {
    let (mut seen_ones, mut open) = (HashSet::new(), vec![*position]);
    while let Some(position) = open.pop() {
        let Some(known) = book.lookup(&position, &|| false).filter(|known| known.wins) else {
            continue;
        };
        if seen_ones.insert(seen(&position)) {
            let next = position.play(known.best);
            open.extend(moves(&next).iter().map(|&mv| next.play(mv)));
        }
    }
    seen_ones.len()
}

#[test]
fn the_loser_is_told_the_reply_that_leaves_most_to_prove() {
    let Case {
        book, positions, ..
    } = case(STARTS[0].0);
    let mut choices = 0;
    for position in &positions {
        let Some(known) = book.lookup(position, &|| false).filter(|known| !known.wins) else {
            continue;
        };
        let sizes = moves(position)
            .iter()
            .map(|&mv| size(&book, &position.play(mv)))
            .collect::<HashSet<_>>();
        let reported = size(&book, &position.play(known.best));
        assert_eq!(Some(&reported), sizes.iter().max(), "{}", position.fen());
        choices += usize::from(sizes.len() > 1);
    }
    assert!(choices > 5, "{choices}");
}

#[test]
fn what_the_book_leaves_out_is_proven_when_it_is_asked_for() {
    let Case {
        book,
        positions,
        certificate,
        ..
    } = case(STARTS[0].0);
    let (mut values, mut proven) = (HashMap::new(), 0);
    let go_on = || false;
    for lost in &positions {
        if book.lookup(lost, &|| false).is_none_or(|known| known.wins) {
            continue;
        }
        let (known, spent) = book.prove(lost, None, &go_on).unwrap();
        assert!(known.is_none(), "{}", lost.fen());
        assert!(spent <= 4 * certificate.leaf_nodes);
        for &reply in &moves(lost) {
            let leaf = lost.play(reply);
            if leaf.outcome() != Outcome::Ongoing || book.lookup(&leaf, &|| false).is_some() {
                continue;
            }
            let (known, spent) = book.prove(&leaf, None, &go_on).unwrap();
            let known = known.unwrap_or_else(|| panic!("{} is not proven", leaf.fen()));
            assert!(known.wins && leaf.is_legal(known.best));
            assert!(!exhaustive(&leaf.play(known.best), &mut values));
            assert_eq!(spent, known.nodes);
            assert!(spent <= 4 * certificate.leaf_nodes);
            proven += 1;
            assert_eq!(book.prove(&leaf, Some(0), &go_on).unwrap(), (None, 0));
            assert_eq!(book.prove(&leaf, None, &|| true).unwrap(), (None, 0));
            let (_, spent) = book.prove(&leaf, Some(1), &go_on).unwrap();
            assert!(spent <= 2, "{spent}");
        }
    }
    assert!(proven > 100, "{proven}");
    let other = Board::start(3, 7).unwrap();
    assert_eq!(book.lookup(&other, &|| false), None);
    assert_eq!(book.prove(&other, None, &go_on).unwrap(), (None, 0));
}

#[test]
fn a_game_lasts_so_long_at_most() {
    // The moves that the side with fewer of them left can make before one must
    // arrive, and as many of the other side; the winner has one more.
    let mut values = HashSet::new();
    for (fen, plies) in STARTS {
        let Case { book, start, .. } = case(fen);
        let known = book.lookup(&start, &|| false).unwrap();
        assert_eq!(known.plies, plies, "{fen}");
        values.insert(known.wins);
    }
    assert_eq!(values.len(), 2);
    let book = case("ppp/3/3/3/PPP w 0 1").book;
    for (fen, plies) in [
        ("3/1p1/3/1P1/3 w 0 1", 5),
        ("2p/3/1P1/3/3 w 0 1", 3),
        ("2p/1P1/3/3/3 w 0 1", 1),
    ] {
        let position = Board::from_fen(fen).unwrap();
        let (known, _) = book.prove(&position, None, &|| false).unwrap();
        let Some(known) = known else {
            panic!("{fen} is not proven")
        };
        assert_eq!(known.plies, plies, "{fen}");
    }
}

/// A book is trusted, but not to the point of breaking the rules.
#[test]
fn a_move_of_the_book_that_is_against_the_rules_is_not_played() {
    let Case {
        certificate,
        book,
        mut positions,
        ..
    } = case(STARTS[0].0);
    positions.retain(|position| {
        book.lookup(position, &|| false)
            .is_some_and(|known| known.wins)
    });
    let (mut legal, mut illegal) = (0, 0);
    for code in (0..60).chain([u16::MAX - 1, u16::MAX]) {
        let mut wrong = certificate.clone();
        for (_, step) in &mut wrong.entries {
            *step = code;
        }
        let book = ProofBook::new(&wrong.to_bytes()).unwrap();
        for position in &positions {
            match book.lookup(position, &|| false).filter(|known| known.wins) {
                Some(known) => {
                    assert!(position.is_legal(known.best), "{}", position.fen());
                    legal += 1;
                }
                None => illegal += 1,
            }
        }
    }
    assert!(legal > 0 && illegal > legal, "{legal} {illegal}");
}

#[test]
fn what_the_prover_has_found_out_is_true() {
    let Case {
        book, positions, ..
    } = case(STARTS[0].0);
    let (mut values, mut found) = (HashMap::new(), [0; 2]);
    for position in positions.iter().step_by(11) {
        // A copy has found out nothing yet.
        let book = book.clone();
        assert!(book.probe::<u64>().is_none());
        for nodes in [4, 16, 64] {
            book.prove(position, Some(nodes), &|| false).unwrap();
            let Some(probe) = book.probe() else {
                continue;
            };
            for &mv in &moves(position) {
                let next = position.play(mv);
                let is_open = next.outcome() == Outcome::Ongoing
                    && !matches!(next.tactics(), Tactics::Win { plies: 1, .. });
                if let Some((wins, _)) = is_open.then(|| probe(&next)).flatten() {
                    assert_eq!(wins, exhaustive(&next, &mut values), "{}", next.fen());
                    found[usize::from(wins)] += 1;
                }
            }
        }
    }
    assert!(found.iter().all(|&count| count > 100), "{found:?}");
}
