//! The proof solver against the literature, exhaustive search, and itself.
use crate::common::{below, cases, exhaustive, moves, random_position};
use crate::game::breakthrough::{Bits, Geometry, Position};
use crate::game::{Game, Move, Notation, Outcome};
use crate::solve::{ProofLimits, Solution, SolveError, Solver};
use rand_mt::Mt64;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

fn solve_with<B: Bits>(solver: &Solver, position: &Position<B>, threads: usize) -> Solution {
    let limits = ProofLimits {
        threads,
        ..ProofLimits::default()
    };
    solver.solve(position, &limits, &|| false, &mut |_| {})
}

fn solve<B: Bits>(position: &Position<B>, bytes: usize, threads: usize) -> Solution {
    let solver = Solver::new(position.geometry(), bytes).unwrap();
    solve_with(&solver, position, threads)
}

/// The line must be legal, and must end the game with the right winner.
fn check_line<B: Bits>(position: &Position<B>, solution: &Solution) {
    let wins = solution.side_to_move_wins.unwrap();
    let winner = if wins {
        position.side_to_move()
    } else {
        !position.side_to_move()
    };
    let mut position = *position;
    for &mv in &solution.line {
        assert!(position.is_legal(mv), "{}", position.fen());
        position = position.play(mv);
    }
    assert_eq!(
        position.outcome(),
        Outcome::Win(winner),
        "{}",
        position.fen()
    );
}

/// A stop that comes between the proof and its line.
#[test]
fn what_is_proven_has_a_move_though_the_search_was_stopped() {
    for (files, ranks) in [(2, 6), (2, 7), (3, 6), (4, 5)] {
        let position = Position::<u64>::start(files, ranks).unwrap();
        let solver = Solver::new(position.geometry(), 1 << 20).unwrap();
        let wins = solve_with(&solver, &position, 1).side_to_move_wins;
        assert!(wins.is_some(), "{files}x{ranks}");
        let limits = ProofLimits::default();
        let stopped = solver.solve(&position, &limits, &|| true, &mut |_| {});
        assert_eq!(stopped.side_to_move_wins, wins, "{files}x{ranks}");
        let after = position.play(stopped.line[0]);
        let wins_after = solve_with(&solver, &after, 1).side_to_move_wins;
        assert_eq!(wins_after, wins.map(|wins| !wins), "{files}x{ranks}");
    }
}

#[test]
fn a_table_is_as_large_as_was_asked_for() {
    for megabytes in [4, 32] {
        let bytes = megabytes << 20;
        let small = Position::<u64>::start(5, 5).unwrap();
        let large = Position::<u128>::start(8, 10).unwrap();
        let tables = [
            Solver::new(small.geometry(), bytes).unwrap().table_bytes(),
            Solver::new(large.geometry(), bytes).unwrap().table_bytes(),
        ];
        for table in tables {
            assert!(table <= bytes && table > bytes / 2, "{table} of {bytes}");
        }
    }
}

#[test]
fn values_of_the_literature() {
    // Files, ranks, whether the side to move wins. Saffidine, Jouandeau and
    // Cazenave 2011: 4x5, 5x5; Haugland: 5x5, 3x7.
    for (files, ranks, first) in [(4, 5, false), (5, 5, false), (3, 7, false)] {
        for threads in [1, 2] {
            let start = Position::<u64>::start(files, ranks).unwrap();
            let solution = solve(&start, 1 << 26, threads);
            assert_eq!(solution.side_to_move_wins, Some(first), "{files}x{ranks}");
            check_line(&start, &solution);
        }
    }
}

#[test]
fn start_positions_of_small_boards_equal_exhaustive_search() {
    for (files, ranks) in [
        (2, 4),
        (3, 4),
        (4, 4),
        (2, 5),
        (3, 5),
        (2, 6),
        (2, 7),
        (2, 8),
        (2, 9),
    ] {
        let start = Position::<u128>::start(files, ranks).unwrap();
        let expected = exhaustive(&start, &mut HashMap::new());
        let solution = solve(&start, 1 << 22, 1);
        assert_eq!(
            solution.side_to_move_wins,
            Some(expected),
            "{files}x{ranks}"
        );
        check_line(&start, &solution);
        // All moves are judged correctly, too.
        let solver = Solver::new(start.geometry(), 1 << 22).unwrap();
        for &mv in &moves(&start) {
            let next = start.play(mv);
            let expected = exhaustive(&next, &mut HashMap::new());
            let found = solve_with(&solver, &next, 1).side_to_move_wins;
            assert_eq!(found, Some(expected), "{}", next.fen());
        }
    }
}

fn check_random<B: Bits>(files: usize, ranks: usize, pieces: usize, count: usize, seed: u64) {
    let (count, mut random) = (cases(count), Mt64::new(seed));
    let mut known = HashMap::new();
    let solver = Solver::new(&Geometry::<B>::new(files, ranks).unwrap(), 1 << 20).unwrap();
    let mut wins = 0;
    for _ in 0..count {
        let position = random_position::<B>(files, ranks, pieces, &mut random);
        let solution = solve_with(&solver, &position, 1 + below(&mut random, 2));
        let expected = exhaustive(&position, &mut known);
        assert_eq!(
            solution.side_to_move_wins,
            Some(expected),
            "{}",
            position.fen()
        );
        check_line(&position, &solution);
        wins += usize::from(expected);
    }
    assert!(wins > count / 10 && wins < count, "{wins} of {count} won");
}

#[test]
fn random_positions_equal_exhaustive_search() {
    check_random::<u64>(3, 5, 5, 400, 1);
    check_random::<u64>(4, 5, 4, 400, 2);
    check_random::<u64>(5, 5, 3, 300, 3);
    check_random::<u64>(4, 6, 3, 300, 4);
    check_random::<u128>(4, 5, 3, 200, 5);
    // Wide keys: more than 40 squares.
    check_random::<u64>(6, 7, 2, 200, 6);
    check_random::<u128>(5, 9, 2, 100, 7);
}

/// However the board is turned, with any number of threads, in a table that
/// other positions have filled, and with `go prove` as well.
#[test]
fn turned_positions_are_decided_alike_in_a_crowded_table() {
    let mut random = Mt64::new(8);
    for (files, ranks, pieces) in [(4, 5, 5), (5, 5, 4), (7, 5, 3), (6, 8, 2)] {
        let mut known = HashMap::new();
        let geometry = Geometry::<u64>::new(files, ranks).unwrap();
        // The smallest possible table.
        let solver = Solver::new(&geometry, 1).unwrap();
        for _ in 0..cases(30) {
            let position = random_position::<u64>(files, ranks, pieces, &mut random);
            let expected = exhaustive(&position, &mut known);
            let (flipped, mirrored) = (position.flipped(), position.mirrored());
            let views = [position, flipped, mirrored, flipped.mirrored()];
            for (view, threads) in views.into_iter().zip([1, 2, 8, 3]) {
                let solution = solve_with(&solver, &view, threads);
                assert_eq!(
                    solution.side_to_move_wins,
                    Some(expected),
                    "{} by {threads} threads",
                    view.fen()
                );
                check_line(&view, &solution);
            }
        }
    }
}

#[test]
fn a_tiny_table_gives_the_same_answer() {
    let start = Position::<u64>::start(4, 5).unwrap();
    assert_eq!(solve(&start, 1, 1).side_to_move_wins, Some(false));
    assert_eq!(solve(&start, 1, 2).side_to_move_wins, Some(false));
}

/// The numbers of this position once grew past the largest finite number, and
/// the search went round in circles.
#[test]
fn numbers_past_the_largest_do_not_stall_the_search() {
    let start = Position::<u128>::start(2, 14).unwrap();
    let limits = ProofLimits {
        nodes: Some(30_000_000),
        ..ProofLimits::default()
    };
    let solver = Solver::new(start.geometry(), 1 << 26).unwrap();
    let found = solver.prove(&start, &limits, &|| false, &mut |_| {});
    assert!(found.is_some());
}

#[test]
fn one_thread_is_deterministic() {
    let start = Position::<u64>::start(4, 5).unwrap();
    let (one, two) = (solve(&start, 1 << 22, 1), solve(&start, 1 << 22, 1));
    assert_eq!((one.nodes, one.line), (two.nodes, two.line));
}

#[test]
fn a_limit_of_nodes_is_exact_and_gives_the_same_numbers_again() {
    let start = Position::<u64>::start(5, 5).unwrap();
    for nodes in [1, 2, 700, 1024, 5000, 20_001] {
        let limits = ProofLimits {
            nodes: Some(nodes),
            ..ProofLimits::default()
        };
        let found: Vec<_> = [1, 2]
            .into_iter()
            .map(|_| {
                let solver = Solver::new(start.geometry(), 1 << 22).unwrap();
                let solution = solver.solve(&start, &limits, &|| false, &mut |_| {});
                let prospects = solver.opened(&start).swap_remove(0).moves;
                // A second search may spend as much again.
                let again = solver.solve(&start, &limits, &|| false, &mut |_| {});
                assert!(again.nodes <= nodes);
                (solution, prospects)
            })
            .collect();
        let (solution, prospects) = &found[0];
        assert_eq!(solution.nodes, nodes);
        assert_eq!(solution.side_to_move_wins, None);
        assert_eq!(solution.prospect, found[1].0.prospect);
        assert_eq!(*prospects, found[1].1);
        assert_eq!(prospects.len(), moves(&start).len());
        // Moves that were not searched are estimated again, with what has been
        // learned since, so the two agree only in magnitude.
        let proof = f64::from(solution.prospect.proof.unwrap());
        let least = prospects.iter().filter_map(|(_, move_)| move_.proof).min();
        let ratio = f64::from(least.unwrap()) / proof;
        assert!((0.25..=4.0).contains(&ratio), "{nodes}: {ratio}");
    }
}

#[test]
fn a_win_found_with_the_last_node_has_its_move() {
    let start = Position::<u64>::start(3, 6).unwrap();
    let solve = |nodes: Option<u64>| {
        let solver = Solver::new(start.geometry(), 1 << 24).unwrap();
        let limits = ProofLimits {
            nodes,
            ..ProofLimits::default()
        };
        solver.solve(&start, &limits, &|| false, &mut |_| {})
    };
    let (mut least, mut most) = (0, solve(None).nodes);
    while most - least > 1 {
        let middle = least.midpoint(most);
        let solution = solve(Some(middle));
        assert!(solution.nodes <= middle);
        if solution.side_to_move_wins.is_some() {
            most = middle;
        } else {
            least = middle;
        }
    }
    let solution = solve(Some(most));
    assert_eq!(solution.side_to_move_wins, Some(true));
    assert_eq!(solution.nodes, most);
    let after = start.play(solution.line[0]);
    let found = self::solve(&after, 1 << 24, 1);
    assert_eq!(found.side_to_move_wins, Some(false));
}

#[test]
fn a_move_that_an_unfinished_search_calls_decided_is() {
    let mut random = Mt64::new(8);
    let mut known = HashMap::new();
    let (mut decided, mut open, mut deep) = (0, 0, 0);
    for _ in 0..600 {
        let mut position = Position::<u64>::start(3, 5).unwrap();
        for _ in 0..below(&mut random, 7) {
            let list = moves(&position);
            if !list.is_empty() {
                position = position.play(list[below(&mut random, list.len())]);
            }
        }
        let solver = Solver::new(position.geometry(), 1 << 20).unwrap();
        solver.count_opened(Some(10));
        let limits = ProofLimits {
            nodes: Some(1 + below(&mut random, 200) as u64),
            ..ProofLimits::default()
        };
        let solution = solver.solve(&position, &limits, &|| false, &mut |_| {});
        let zero = |number: Option<u32>| number == Some(0);
        if let Some(wins) = solution.side_to_move_wins {
            assert_eq!(zero(solution.prospect.proof), wins);
            assert_eq!(zero(solution.prospect.disproof), !wins);
        }
        let mut reported = HashMap::new();
        for (index, opening) in solver.opened(&position).iter().enumerate() {
            assert_eq!(opening.line.is_empty(), index == 0);
            let after = opening.line.iter().fold(position, |p, &mv| p.play(mv));
            assert_eq!(after.outcome(), Outcome::Ongoing);
            let mut legal = moves(&after);
            legal.sort_by_key(|mv| (mv.from(), mv.to()));
            let mut named: Vec<Move> = opening.moves.iter().map(|&(mv, _)| mv).collect();
            named.sort_by_key(|mv| (mv.from(), mv.to()));
            assert_eq!(*legal, *named, "{}", after.fen());
            let key = after.key().min(after.mirrored().key());
            assert_eq!(reported.insert(key, index), None, "a position comes once");
            deep += usize::from(opening.line.len() > 1);
            for &(mv, prospect) in &opening.moves {
                let wins = !exhaustive(&after.play(mv), &mut known);
                assert!(!zero(prospect.proof) || wins, "{}", after.fen());
                assert!(!zero(prospect.disproof) || !wins, "{}", after.fen());
                let is_decided = zero(prospect.proof) || zero(prospect.disproof);
                *(if is_decided { &mut decided } else { &mut open }) += 1;
            }
        }
    }
    assert!(deep > 50, "{deep} positions below the first ply");
    assert!(decided > 100 && open > 50, "{decided} decided, {open} open");
}

#[test]
fn limits_and_the_stop_flag_end_a_search() {
    let start = Position::<u64>::start(8, 8).unwrap();
    let solver = Solver::new(start.geometry(), 1 << 24).unwrap();
    let begin = Instant::now();
    let limits = ProofLimits {
        threads: 2,
        time: Some(Duration::from_millis(100)),
        ..ProofLimits::default()
    };
    let solution = solver.solve(&start, &limits, &|| false, &mut |_| {});
    assert_eq!((solution.side_to_move_wins, solution.line.len()), (None, 0));
    // The clock ended it; how late depends on the machine.
    assert!(begin.elapsed() >= Duration::from_millis(100));
    let stop = AtomicBool::new(false);
    let limits = ProofLimits {
        threads: 2,
        ..ProofLimits::default()
    };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(100));
            stop.store(true, Ordering::Relaxed);
        });
        let solution = solver.solve(
            &start,
            &limits,
            &|| stop.load(Ordering::Relaxed),
            &mut |_| {},
        );
        assert_eq!(solution.side_to_move_wins, None);
    });
}

/// In a small table little of a proof is left, so the line takes more searches.
#[test]
fn a_line_is_sought_no_longer_than_there_is_time() {
    let start = Position::<u64>::start(4, 5).unwrap();
    let solved = |line_time| {
        let solver = Solver::new(start.geometry(), 1 << 12).unwrap();
        let limits = ProofLimits {
            line_time,
            ..ProofLimits::default()
        };
        solver.solve(&start, &limits, &|| false, &mut |_| {})
    };
    let proof = {
        let solver = Solver::new(start.geometry(), 1 << 12).unwrap();
        solver.prove(&start, &ProofLimits::default(), &|| false, &mut |_| {});
        solver.nodes()
    };
    let (whole, cut) = (solved(None), solved(Some(Duration::ZERO)));
    check_line(&start, &whole);
    assert!(whole.nodes > proof, "{proof} nodes");
    assert_eq!(cut.nodes, proof);
    assert_eq!(cut.side_to_move_wins, whole.side_to_move_wins);
    assert!(cut.line.len() < whole.line.len());
}

#[test]
fn a_finished_game_is_decided_and_has_no_line() {
    let position = Position::<u64>::from_fen("P3/4/4/p3/4 b 0 1").unwrap();
    let solution = solve(&position, 1, 1);
    assert_eq!(solution.side_to_move_wins, Some(false));
    assert!(solution.line.is_empty());
}

#[test]
fn too_large_a_board_is_refused() {
    let start = Position::<u128>::start(10, 10).unwrap();
    assert_eq!(
        Solver::new(start.geometry(), 1 << 20).err(),
        Some(SolveError::TooLarge(10, 10))
    );
    assert!(Solver::new(Position::<u128>::start(10, 8).unwrap().geometry(), 1 << 20).is_ok());
}
