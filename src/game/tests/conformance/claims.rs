//! What the rules prove without search, against exhaustive search.

use super::Conforms;
use crate::common::{cases, moves};
use crate::game::{Outcome, Tactics};
use rand_mt::Mt64;
use std::collections::HashMap;

/// What is known about positions within a number of plies.
type Memory<G> = HashMap<(G, u8), Option<bool>>;

/// Whether the side to move wins within `plies` plies (`Some(true)`), has lost
/// within them (`Some(false)`), or neither.
fn solve<G: Conforms>(position: &G, plies: u8, memory: &mut Memory<G>) -> Option<bool> {
    match position.outcome() {
        Outcome::Win(side) => return Some(side == position.side_to_move()),
        Outcome::Draw => return None,
        Outcome::Ongoing if plies == 0 => return None,
        Outcome::Ongoing => {}
    }
    let question = (position.clone(), plies);
    if plies > 2
        && let Some(&known) = memory.get(&question)
    {
        return known;
    }
    let mut answer = Some(false);
    for mv in moves(position) {
        match solve(&position.play(mv), plies - 1, memory) {
            Some(false) => {
                answer = Some(true);
                break;
            }
            None => answer = None,
            Some(true) => {}
        }
    }
    if plies > 2 {
        memory.insert(question, answer);
    }
    answer
}

/// Every claim of [`crate::game::Game::tactics`] on random positions.
pub(super) fn claims_are_true<G: Conforms>(seed: u64) {
    let mut random = Mt64::new(seed);
    let mut claims = 0;
    let count = cases(G::CLAIMS);
    for _ in 0..count {
        claims += usize::from(check(&G::random(&mut random)));
    }
    assert!(claims * 5 > count, "only {claims} claims of {count}");
}

fn check<G: Conforms>(position: &G) -> bool {
    let (fen, memory) = (position.fen(), &mut Memory::new());
    match position.tactics() {
        Tactics::Open => return false,
        // These are tested with the facts they come from.
        Tactics::Win { plies, .. } | Tactics::Loss { plies } if plies > G::LONGEST_CLAIM => {
            return false;
        }
        Tactics::Win { plies, first } => {
            assert_eq!(plies % 2, 1, "{fen}");
            assert_eq!(solve(position, plies, memory), Some(true), "{fen}");
            if first.is_some() {
                assert!(position.is_legal(first), "{fen}");
                let next = position.play(first);
                assert_eq!(solve(&next, plies - 1, memory), Some(false), "{fen}");
            }
        }
        Tactics::Loss { plies } => {
            assert_eq!(plies % 2, 0, "{fen}");
            assert_eq!(solve(position, plies, memory), Some(false), "{fen}");
        }
        Tactics::Only(replies) => {
            assert!(!replies.is_empty(), "{fen}");
            assert!(replies.iter().all(|&mv| position.is_legal(mv)), "{fen}");
            for mv in moves(position) {
                let next = position.play(mv);
                let loses = || solve(&next, 1, memory) == Some(true);
                assert!(replies.contains(&mv) || { loses }(), "{fen}");
            }
        }
        Tactics::OthersLose { replies, plies } => {
            assert!(!replies.is_empty(), "{fen}");
            assert!(replies.iter().all(|&mv| position.is_legal(mv)), "{fen}");
            for mv in moves(position) {
                if !replies.contains(&mv) {
                    let after = position.play(mv).tactics();
                    let Tactics::Win { plies: found, .. } = after else {
                        panic!("{fen} {after:?}");
                    };
                    assert!(found < plies, "{fen}");
                }
            }
        }
    }
    true
}
