use super::*;
use crate::game::Notation;
use crate::game::breakthrough::{Position, Step};

type Board = Position<u64>;

/// Some positions of a board, with many kinds of windows.
const POSITIONS: [&str; 4] = [
    "pppp/pppp/4/4/PPPP/PPPP w 0 1",
    "p2p/1pp1/2P1/p3/1P1P/P2P w 0 1",
    "4/p1pp/P3/1p1P/2P1/P3 w 0 1",
    "1p2/4/pP1p/2p1/P2P/1P2 w 0 1",
];

fn lead(view: Perspective<u64>) -> i32 {
    view.own.count_ones() as i32 - view.enemy.count_ones() as i32
}

fn parts() -> (StaticSolver<u64>, LearnerWindows, Vec<Perspective<u64>>) {
    let positions = POSITIONS.map(|fen| Board::from_fen(fen).unwrap());
    let statics = StaticSolver::new(positions[0].geometry());
    let windows = LearnerWindows::new(&statics, BoardParams::new(4, 4));
    (statics, windows, positions.map(|p| p.perspective()).into())
}

/// A learner that has learned something from all of them.
fn taught(windows: &LearnerWindows, views: &[Perspective<u64>]) -> Learner {
    let mut learner = Learner::new(windows);
    for round in 0..100 {
        for (index, &view) in views.iter().enumerate() {
            learner.learn(windows, view, lead(view), (index + round / 70) % 2 == 0);
        }
    }
    learner
}

fn score(learner: &mut Learner, windows: &LearnerWindows, view: Perspective<u64>) -> f32 {
    learner.look(windows, view);
    learner.score(windows.params, lead(view))
}

#[track_caller]
fn assert_close(a: f32, b: f32) {
    assert!((a - b).abs() < 1e-3, "{a} {b}");
}

#[test]
fn the_other_side_sees_the_negative_and_the_mirror_the_same() {
    let (statics, windows, views) = parts();
    let mut learner = taught(&windows, &views);
    for (&view, fen) in views.iter().zip(POSITIONS) {
        let here = score(&mut learner, &windows, view);
        assert!(here.abs() > 0.01 || lead(view) == 0, "{fen}: {here}");
        let there = score(&mut learner, &windows, statics.other_side(view));
        assert_close(here, -there);
        let (board, rest) = fen.split_once(' ').unwrap();
        let rows = board.split('/').map(|row| row.chars().rev().collect());
        let mirrored = rows.collect::<Vec<String>>().join("/") + " " + rest;
        let mirrored = Board::from_fen(&mirrored).unwrap().perspective();
        assert_close(here, score(&mut learner, &windows, mirrored));
    }
}

#[test]
fn a_step_changes_the_score_to_that_of_the_position_after_it() {
    let (statics, windows, views) = parts();
    let mut learner = taught(&windows, &views);
    let (geometry, mut steps) = (statics.geometry(), 0);
    for &view in &views {
        for Step { from, to } in statics.steps(view) {
            let next = statics.step(view, u64::bit(from), u64::bit(to));
            let direction = geometry.file(to) + 1 - geometry.file(from);
            learner.look(&windows, view);
            let found = learner.score_after(&windows, from, direction, lead(next));
            assert_close(found, score(&mut learner, &windows, next));
            steps += 1;
        }
    }
    assert!(steps > 30, "{steps}");
}

#[test]
fn training_moves_the_score_and_a_piece_more_is_worth_its_bits() {
    let (_, windows, views) = parts();
    let mut learner = Learner::new(&windows);
    assert_eq!(
        score(&mut learner, &windows, views[1]),
        lead(views[1]) as f32 * windows.params.piece
    );
    assert_eq!(learner.score(windows.params, 2), 2.0 * windows.params.piece);
    for (view, won) in [(views[1], true), (views[2], false)] {
        let mut before = score(&mut learner, &windows, view);
        for _ in 0..20 {
            learner.learn(&windows, view, lead(view), won);
            let now = score(&mut learner, &windows, view);
            assert_eq!(now > before, won, "{before} {now}");
            before = now;
        }
    }
    // It learns as much as it is surprised. What the windows say of a position
    // does not depend on the lead.
    let taught = |lead: i32, won: bool| {
        let mut learner = Learner::new(&windows);
        learner.learn(&windows, views[1], lead, won);
        learner.look(&windows, views[1]);
        learner.score(windows.params, 0)
    };
    let even = taught(0, true);
    assert!(even > 0.0);
    assert_close(taught(0, false), -even);
    let odds = windows.params.piece.exp2();
    assert_close(taught(1, true) / even, 2.0 / (1.0 + odds));
    assert_close(taught(-1, true) / even, 2.0 * odds / (1.0 + odds));
    // Nothing if it was sure and right; much if it was wrong.
    assert_eq!(taught(9, true), 0.0);
    assert!(taught(9, false) < -1.9 * even && taught(-9, true) > 1.9 * even);
}

#[test]
fn knowledge_is_handed_on() {
    let (_, windows, views) = parts();
    let mut learner = taught(&windows, &views);
    let found = score(&mut learner, &windows, views[1]);
    let mut other = Learner::from_weights(&windows, learner.into_weights());
    assert_eq!(score(&mut other, &windows, views[1]), found);
}

#[test]
fn odds_are_powers_of_two_within_the_limits() {
    let (_, windows, _) = parts();
    for (score, odds) in [(0.0, 1.0), (1.0, 2.0), (-3.0, 0.125), (7.0, 128.0)] {
        assert_eq!(windows.odds(score), odds);
    }
    assert_eq!(windows.odds(1000.0), 128.0);
    assert_eq!(windows.odds(-1000.0), 1.0 / 128.0);
}
