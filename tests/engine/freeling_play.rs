//! Freeling's game through the engine and the protocol: repetition, strength
//! against simple opponents, and what programs read.

#![allow(clippy::unwrap_used)]

use crate::common;

use common::freeling_reference::random_grid;
use common::{below, mcts, moves};
use petard::engine::Limits;
use petard::engine::{Board, Engine, Event, Info, Start, Variant};
use petard::engine::{Score, is_win, mate_plies};
use petard::game::Side;
use petard::game::freeling::Position;
use petard::game::{Game, Notation, Outcome};
use petard::protocol;
use rand_mt::Mt64;
use std::collections::HashMap;
use std::io::Cursor;
use std::sync::mpsc::{Receiver, channel};

struct Player {
    engine: Engine,
    events: Receiver<Event>,
}

impl Player {
    fn new() -> Self {
        let (news, events) = channel();
        let engine = Engine::new(move |event| news.send(event).unwrap()).unwrap();
        Self { engine, events }
    }

    /// The chosen move and the last line reported.
    fn think(&mut self, board: &Board, limits: Limits) -> (Option<String>, Option<Info>) {
        self.engine.set_board(board.clone());
        self.engine.go(limits, &[]).unwrap();
        let mut last = None;
        for event in &self.events {
            match event {
                Event::Info(info) => last = Some(info),
                Event::Best { best, .. } => {
                    self.engine.wait();
                    return (best, last);
                }
                _ => {}
            }
        }
        unreachable!("the engine lives");
    }
}

fn nodes(nodes: u64) -> Limits {
    Limits {
        nodes: Some(nodes),
        ..Limits::default()
    }
}

fn depth(depth: u32) -> Limits {
    Limits {
        depth: Some(depth),
        ..Limits::default()
    }
}

fn board(fen: &str) -> Board {
    Board::from_fen(Variant::Freeling, fen).unwrap()
}

/// Plays a game against an opponent that chooses by the position alone; whether
/// the engine has won.
fn beats(
    player: &mut Player,
    side: Side,
    limits: &Limits,
    mut opponent: impl FnMut(&Position) -> String,
) -> bool {
    player.engine.new_game().unwrap();
    let mut board = Board::start(Variant::Freeling).unwrap();
    for _ in 0..400 {
        if board.outcome() != Outcome::Ongoing {
            break;
        }
        let mv = if board.side_to_move() == side {
            player.think(&board, limits.clone()).0.unwrap()
        } else {
            opponent(&Position::from_fen(&board.fen()).unwrap())
        };
        assert!(board.legal_moves().contains(&mv));
        board.play(&mv).unwrap();
    }
    board.outcome() == Outcome::Win(side)
}

#[test]
fn a_random_opponent_is_always_beaten() {
    let mut player = Player::new();
    let mut random = Mt64::new(31);
    for game in 0..20 {
        let side = Side::BOTH[game % 2];
        let won = beats(&mut player, side, &nodes(1_000), |position| {
            let list = moves(position);
            position.move_text(list[below(&mut random, list.len())])
        });
        assert!(won, "game {game}");
    }
}

#[test]
fn a_simple_tree_search_is_always_beaten() {
    let mut player = Player::new();
    let mut random = Mt64::new(32);
    for game in 0..6 {
        let side = Side::BOTH[game % 2];
        let won = beats(&mut player, side, &nodes(5_000), |position| {
            position.move_text(mcts::choose(position, 300, &mut random))
        });
        assert!(won, "game {game}");
    }
}

#[test]
fn the_third_occurrence_is_a_draw() {
    let start = Board::start(Variant::Freeling).unwrap();
    let twice = start.with_moves(["pass", "pass", "0000"]).unwrap();
    assert_eq!(twice.outcome(), Outcome::Ongoing);
    let thrice = twice.with_moves(["pass"]).unwrap();
    assert_eq!(thrice.outcome(), Outcome::Draw);
    assert!(thrice.legal_moves().is_empty());
    assert_eq!(
        thrice.with_moves(["b2a1"]).unwrap_err().to_string(),
        "move 1: 'b2a1' is not possible: the game is over"
    );
    // Reaching the same position another way counts too; with the other side to
    // move it does not.
    let line = [
        "b1a2", "pass", "a2b1", "pass", "b1a2", "pass", "a2b1", "pass",
    ];
    let back = board("ppppp/ppppp/5/5/5/5/5/1PPPP/1PPPP w 0 1");
    assert_eq!(back.with_moves(line).unwrap().outcome(), Outcome::Draw);
    assert_eq!(
        back.with_moves(line[..7].iter().copied())
            .unwrap()
            .outcome(),
        Outcome::Ongoing
    );
    let mut player = Player::new();
    let (best, info) = player.think(&thrice, depth(3));
    assert_eq!(best, None);
    assert_eq!(info.map(|info| (info.depth, info.score)), Some((0, 0)));
}

/// A game of this many moves that neither side wins and no repetition ends.
fn endless_game(count: usize) -> Vec<String> {
    let mut random = Mt64::new(34);
    let (mut position, mut seen) = (Position::start(), HashMap::<u64, u32>::new());
    let mut game = Vec::with_capacity(count);
    while game.len() < count {
        let mut list = moves(&position);
        // Nobody wins, and no piece leaves the board.
        list.retain(|mv| {
            let next = position.play(*mv);
            let times = seen.get(&next.key()).copied().unwrap_or_default();
            next.outcome() == Outcome::Ongoing && next.clock() > 0 && times < 2
        });
        let mv = list[below(&mut random, list.len())];
        *seen.entry(position.key()).or_default() += 1;
        game.push(position.move_text(mv));
        position = position.play(mv);
    }
    game
}

#[test]
fn a_game_does_not_grow_without_end() {
    const MOST: usize = 65_535;
    let game = endless_game(MOST + 1);
    let mut engine = Player::new().engine;
    engine.set_variant(Variant::Freeling).unwrap();
    engine.set_game(&Start::StartPos, &game[..MOST]).unwrap();
    let last = game[MOST].as_str();
    let error = format!("'{last}' is not possible: a game has at most {MOST} moves here");
    let refused = engine.play([last]).unwrap_err();
    assert_eq!(refused.to_string(), format!("move 1: {error}"));
    let refused = engine.set_game(&Start::StartPos, &game).unwrap_err();
    assert_eq!(refused.to_string(), format!("move {}: {error}", MOST + 1));
    // There is room again for as many as are taken back.
    engine.set_game(&Start::StartPos, &game[..MOST]).unwrap();
    engine.undo(1).unwrap();
    engine.play(["pass"]).unwrap();
}

#[test]
fn the_search_takes_a_draw_when_behind_and_avoids_it_when_ahead() {
    // Black to move can repeat for the third time by passing.
    let line = ["pass", "pass", "pass"];
    let mut player = Player::new();
    let behind = board("5/2p2/5/5/5/2P2/1PPP1/1DDD1/1DDD1 w 0 1");
    let (best, info) = player.think(&behind.with_moves(line).unwrap(), depth(6));
    assert_eq!(best.as_deref(), Some("pass"));
    assert_eq!(info.map(|info| info.score), Some(0));
    let ahead = board("1ddd1/1ddd1/1ppp1/2p2/5/5/5/2P2/5 w 0 1");
    let (best, info) = player.think(&ahead.with_moves(line).unwrap(), depth(6));
    assert_ne!(best.as_deref(), Some("pass"));
    assert!(info.unwrap().score > 300);
}

#[test]
fn chances_have_a_share_of_draws_and_add_up() {
    let mut player = Player::new();
    let (_, info) = player.think(&Board::start(Variant::Freeling).unwrap(), depth(4));
    let chances = info.unwrap().chances;
    assert_eq!(chances.win + chances.draw + chances.loss, 1000);
    assert!((100..600).contains(&chances.draw), "{chances:?}");
    let won = board("5/P4/P4/1P3/5/5/5/2p2/5 w 0 1");
    let (best, info) = player.think(&won, depth(4));
    let info = info.unwrap();
    assert_eq!(mate_plies(info.score), Some(1));
    assert!(best.is_some_and(|mv| ["a8b9", "b6a7"].contains(&mv.as_str())));
    assert_eq!(
        (info.chances.win, info.chances.draw, info.chances.loss),
        (1000, 0, 0)
    );
}

/// The best score by exhaustive search: a win or loss within `plies`.
fn solve(position: &Position, plies: usize) -> Option<bool> {
    match position.outcome() {
        Outcome::Win(side) => return Some(side == position.side_to_move()),
        _ if plies == 0 => return None,
        _ => {}
    }
    let mut all_lost = true;
    for mv in moves(position) {
        match solve(&position.play(mv), plies - 1) {
            Some(false) => return Some(true),
            None => all_lost = false,
            Some(true) => {}
        }
    }
    all_lost.then_some(false)
}

#[test]
fn proven_scores_are_true() {
    let mut player = Player::new();
    let mut random = Mt64::new(33);
    let mut proven = 0;
    while proven < 150 {
        let position = Position::from_fen(&(random_grid(&mut random).text() + " 0 1")).unwrap();
        if position.outcome() != Outcome::Ongoing {
            continue;
        }
        let board = board(&position.fen());
        let score: Score = player.think(&board, depth(5)).1.unwrap().score;
        if let Some(plies) = mate_plies(score)
            && (2..=4).contains(&plies.unsigned_abs())
        {
            let found = solve(&position, plies.unsigned_abs() as usize);
            assert_eq!(found, Some(is_win(score)), "{} {plies}", board.fen());
            proven += 1;
        }
    }
}

/// The protocol's answers to these lines.
fn session(lines: &str) -> Vec<String> {
    let (reader, writer) = std::io::pipe().unwrap();
    let text = std::thread::spawn(|| std::io::read_to_string(reader).unwrap());
    protocol::run(
        protocol::Policy::default(),
        Cursor::new(lines.to_owned()),
        writer,
    )
    .unwrap();
    let text = text.join().unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn the_protocol_serves_the_game() {
    let answers = session(
        "setoption name UCI_Variant value freeling\n\
         position startpos moves b2a1 pass b1a2 0000\n\
         moves\n\
         d\n\
         position fen 5/5/5/5/5/5/5/1p3/P4 w 0 1\n\
         go depth 5\n\
         position startpos moves pass pass pass pass\n\
         d\n\
         go depth 5\n\
         perft 2\n\
         go prove\n\
         position startpos moves b2c4\n\
         position fen ppppp/ppppp/5/5/5/5/5/PPPPP w 0 1\n",
    );
    let has = |line: &str| {
        assert!(
            answers.iter().any(|answer| answer == line),
            "{line}: {answers:#?}"
        )
    };
    has(
        "info string variant freeling files 5 ranks 9 pocket 0 template fairy startpos ppppp/ppppp/5/5/5/5/5/PPPPP/PPPPP w 0 1",
    );
    has("  7  =.=.=.=.=.=");
    has("Outcome: none");
    has("info depth 0 score mate 0");
    has("bestmove (none)");
    has("Outcome: draw");
    has("Reason: repetition");
    has("info string perft ignores repetitions");
    has("Nodes searched: 625");
    has("info string refused: only Breakthrough can be proven, on boards of up to 80 squares");
    has("info depth 0 score cp 0");
    has("info string position refused: move 1: 'b2c4' is illegal");
    has("info string position refused: 8 rows, expected 9");
    assert!(answers[1].starts_with("moves: ") && answers[1].contains(" pass"));
}
