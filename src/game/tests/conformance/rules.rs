//! Moves, texts, keys and the small functions of a move.

use super::{Conforms, for_each_game, pieces, text, winner};
use crate::base::MAX_MOVES;
use crate::common::{below, cases, moves};
use crate::game::perft;
use crate::game::{Move, MoveFacts, MoveList, Outcome};
use rand_mt::Mt64;
use std::collections::{HashMap, HashSet};

/// An upper bound on the raw values of moves.
const RAW_MOVES: u16 = 1 << 14;

/// Moves, their texts and results, and the end of the game.
pub(super) fn moves_are_those_of_the_reference<G: Conforms>(seed: u64) {
    for_each_game::<G>(seed, |line, random| {
        for position in line {
            if below(random, G::REFERENCE) == 0 {
                check_reference(position);
            }
            check_legality(position, random);
        }
        let last = line.last().unwrap();
        check_every_raw_move(last);
        check_every_raw_move(&line[below(random, line.len())]);
        check_reference(last);
    });
}

fn check_reference<G: Conforms>(position: &G) {
    let fen = position.fen();
    let mut expected = G::reference_moves(&fen);
    let mut found: Vec<(String, String)> = moves(position)
        .iter()
        .map(|&mv| (position.move_text(mv), text(&position.play(mv))))
        .collect();
    expected.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, expected, "{fen}");
    assert_eq!(
        winner(position.outcome()),
        G::reference_winner(&fen),
        "{fen}"
    );
    let mut facts = Vec::new();
    if position.outcome() == Outcome::Ongoing {
        position.moves_with_facts(|mv, of_move| facts.push((mv, of_move)));
    }
    facts.sort_unstable_by_key(|&(mv, _)| mv);
    let mut list = moves(position);
    list.sort_unstable();
    let facts_of = |mv| (mv, MoveFacts::new(position, mv));
    let expected: Vec<_> = list.into_iter().map(facts_of).collect();
    assert_eq!(facts, expected, "{fen}");
    for (mv, facts) in expected {
        let exchange = position.reference_exchange(mv);
        let text = position.move_text(mv);
        assert_eq!(facts.exchange, exchange, "{fen} {text}");
    }
}

/// Move generation, legality checks and move counts agree.
fn check_legality<G: Conforms>(position: &G, random: &mut Mt64) {
    let (fen, list) = (position.fen(), moves(position));
    assert!(list.len() <= MAX_MOVES);
    assert_eq!(position.count_moves(), list.len() as u64, "{fen}");
    assert_eq!(
        list.is_empty(),
        position.outcome() != Outcome::Ongoing,
        "{fen}"
    );
    let set: HashSet<Move> = list.iter().copied().collect();
    assert_eq!(set.len(), list.len(), "a move twice: {fen}");
    assert!(!position.is_legal(Move::NONE), "{fen}");
    for &mv in &list {
        assert!(position.is_legal(mv), "{fen} {}", position.move_text(mv));
        assert_eq!(Move::from_raw(mv.raw()), mv);
    }
    for _ in 0..20 {
        let any = Move::from_raw(random.next_u64() as u16);
        assert_eq!(position.is_legal(any), set.contains(&any), "{fen} {any:?}");
    }
    let indices: HashSet<usize> = list.iter().map(|&mv| position.move_index(mv)).collect();
    assert_eq!(indices.len(), list.len(), "an index twice: {fen}");
    assert!(indices.iter().all(|&index| index < G::MOVE_INDICES));
}

fn check_every_raw_move<G: Conforms>(position: &G) {
    let list = moves(position);
    for raw in 0..RAW_MOVES {
        let any = Move::from_raw(raw);
        assert_eq!(
            position.is_legal(any),
            list.contains(&any),
            "{} {any:?}",
            position.fen()
        );
    }
}

/// Positions and moves survive being written and read back.
pub(super) fn texts_are_read_back<G: Conforms>(seed: u64) {
    for_each_game::<G>(seed, |line, random| {
        let mut spoken = HashSet::new();
        for position in line {
            let fen = position.fen();
            let again = G::from_fen(&fen).unwrap();
            // Everything, including the incremental key and the counters.
            assert_eq!(again, *position, "{fen}");
            assert_eq!(again.key(), position.key(), "{fen}");
            let list = moves(position);
            let names: HashSet<String> = list.iter().map(|&mv| position.move_text(mv)).collect();
            assert_eq!(names.len(), list.len(), "a name twice: {fen}");
            for &mv in &list {
                assert_eq!(position.parse_move(&position.move_text(mv)), Ok(mv));
            }
            spoken.extend(names.iter().cloned());
            for name in &spoken {
                let read = position.parse_move(name);
                assert_eq!(read.is_ok(), names.contains(name), "{fen} {name}");
            }
            let (_, ranks) = position.board_size();
            // One line per rank, and the names of the files.
            assert_eq!(position.diagram().lines().count(), usize::from(ranks) + 1);
            if spoken.len() > 200 {
                spoken.retain(|_| below(random, 4) == 0);
            }
        }
    });
}

/// Equal keys mean equal positions and vice versa, whatever the counters say; in
/// a game without repetitions, no key occurs twice.
pub(super) fn keys_tell_positions_apart<G: Conforms>(seed: u64) {
    let mut texts: HashMap<u64, String> = HashMap::new();
    let mut keys: HashMap<String, u64> = HashMap::new();
    let mut repetitions = 0;
    let mut check = |line: &[G]| {
        let mut seen = HashSet::new();
        for position in line {
            for position in [position.clone(), position.pass()] {
                let (key, name) = (position.key(), text(&position));
                let known = texts.entry(key).or_insert_with(|| name.clone());
                assert_eq!(*known, name, "one key");
                let other = keys.entry(name.clone()).or_insert(key);
                assert_eq!(*other, key, "{name}");
                let late = G::from_fen(&format!("{name} 7 60")).unwrap();
                assert_eq!(late.key(), key, "counters are no part of it: {name}");
            }
            repetitions += usize::from(!seen.insert(position.key()));
        }
    };
    for round in 0..5 {
        for_each_game::<G>(seed + round, |line, _| check(line));
    }
    assert!(texts.len() > 10_000, "{} positions", texts.len());
    assert!(G::CAN_REPEAT || repetitions == 0, "{repetitions}");
}

/// Goes up and down a line at random, as a search does: a position is what
/// replaying the moves gives, and playing a move leaves the old position alone.
pub(super) fn a_line_is_taken_back_step_by_step<G: Conforms>(seed: u64) {
    let mut random = Mt64::new(seed);
    for start in G::starts() {
        let (mut stack, mut played) = (vec![start.clone()], Vec::new());
        for _ in 0..cases(400) {
            let list = moves(&stack[played.len()]);
            if !played.is_empty() && (list.is_empty() || below(&mut random, 3) == 0) {
                stack.pop();
                played.pop();
            } else {
                let mv = list[below(&mut random, list.len())];
                stack.push(stack[played.len()].play(mv));
                played.push(mv);
            }
            let replayed = played
                .iter()
                .fold(start.clone(), |position, &mv| position.play(mv));
            assert_eq!(stack[played.len()], replayed);
        }
    }
}

/// Captures, noisy moves, the turn, the pass and perft.
pub(super) fn small_functions_keep_their_promises<G: Conforms>(seed: u64) {
    for_each_game::<G>(seed, |line, random| {
        for position in line {
            let (fen, list) = (position.fen(), moves(position));
            let (own, enemy) = (position.side_to_move(), !position.side_to_move());
            // Noisy moves must not be requested once the game is over.
            let mut noisy = MoveList::new();
            if !list.is_empty() {
                position.noisy_moves(&mut noisy);
            }
            for &mv in &list {
                let next = position.play(mv);
                let name = position.move_text(mv);
                assert_eq!(next.side_to_move(), enemy, "{fen} {name}");
                assert!(pieces(&next, own) <= pieces(position, own), "{fen} {name}");
                let taken = pieces(position, enemy) - pieces(&next, enemy);
                assert_eq!(position.is_capture(mv), taken > 0, "{fen} {name}");
                assert!(taken == 0 || noisy.contains(&mv), "{fen} {name}");
            }
            let set: HashSet<Move> = noisy.iter().copied().collect();
            assert_eq!(set.len(), noisy.len(), "a noisy move twice: {fen}");
            assert!(noisy.iter().all(|mv| list.contains(mv)), "{fen}");
            check_pass(position);
        }
        check_perft(&line[below(random, line.len())]);
    });
}

/// Passing changes the turn and nothing else.
fn check_pass<G: Conforms>(position: &G) {
    let passed = position.pass();
    let rows = |position: &G| position.fen().split(' ').next().unwrap().to_owned();
    assert_eq!(passed.side_to_move(), !position.side_to_move());
    assert_eq!(rows(&passed), rows(position));
    assert_eq!(passed.pass().key(), position.key());
    assert_eq!(G::from_fen(&passed.fen()).unwrap().key(), passed.key());
}

fn check_perft<G: Conforms>(position: &G) {
    let list = moves(position);
    assert_eq!(perft(position, 0), 1);
    assert_eq!(perft(position, 1), list.len() as u64);
    let replies = list
        .iter()
        .map(|&mv| moves(&position.play(mv)).len() as u64);
    assert_eq!(perft(position, 2), replies.sum::<u64>());
}
