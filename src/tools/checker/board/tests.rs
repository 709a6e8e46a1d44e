//! The checker's rules against the rules themselves.
use super::*;
use rand_mt::Mt64;

/// [`CheckerBoard::wins_within`] by the rules alone.
fn wins_plainly(board: &CheckerBoard, pieces: Pieces, plies: u32) -> bool {
    let (winner, loser) = pieces;
    board.any_step(pieces, |step| {
        let next = (winner ^ (step.start | step.target), loser & !step.target);
        board.ends(loser, step)
            || plies > 2
                && board.all_replies(next, |reply| {
                    wins_plainly(board, after_reply(next, reply), plies - 2)
                })
    })
}

#[test]
fn what_is_left_out_of_the_search_changes_nothing() {
    let mut random = Mt64::new(5);
    let mut wins = [0; 3];
    for (files, ranks) in [(1, 5), (2, 4), (2, 6), (3, 3), (3, 5), (4, 4), (5, 6)] {
        let board = CheckerBoard::new(files, ranks);
        for round in 0..3000 {
            // Few pieces and many.
            let mut some = || {
                let all = u128::from(random.next_u64()) & board.all;
                match round % 3 {
                    0 => all,
                    1 => all & u128::from(random.next_u64()),
                    _ => all & u128::from(random.next_u64() & random.next_u64()),
                }
            };
            let (winner, loser) = (some(), some());
            let pieces = (winner & !board.top, loser & !winner & !board.bottom);
            if board.result(pieces).is_some() {
                continue;
            }
            for (index, plies) in [1, 3, 5].into_iter().enumerate() {
                let expected = wins_plainly(&board, pieces, plies);
                let found = board.wins_within(pieces, plies);
                assert_eq!(found, expected, "{files}x{ranks} {pieces:?} {plies}");
                wins[index] += u32::from(expected);
            }
        }
    }
    assert!(wins[0] > 1000 && wins[2] > wins[1] && wins[1] > wins[0]);
}

/// The steps of a side by the rules alone, as square numbers: the winner's with
/// `up`, else the loser's.
fn steps_plainly(board: &CheckerBoard, (winner, loser): Pieces, up: bool) -> Vec<(u32, u32)> {
    let (own, other) = if up { (winner, loser) } else { (loser, winner) };
    let has = |pieces: u128, file: i64, rank: i64| {
        pieces >> (rank * i64::from(board.files) + file) & 1 == 1
    };
    let (files, ranks) = (i64::from(board.files), i64::from(board.ranks));
    let mut steps = Vec::new();
    for (rank, file) in (0..ranks).flat_map(|rank| (0..files).map(move |file| (rank, file))) {
        let next = if up { rank + 1 } else { rank - 1 };
        for to in [file - 1, file, file + 1] {
            let is_on_board = (0..files).contains(&to) && (0..ranks).contains(&next);
            if is_on_board
                && has(own, file, rank)
                && !has(own, to, next)
                && !(to == file && has(other, to, next))
            {
                steps.push(((rank * files + file) as u32, (next * files + to) as u32));
            }
        }
    }
    steps.sort_unstable();
    steps
}

#[test]
fn steps_are_those_of_the_rules() {
    let mut random = Mt64::new(7);
    let (mut taken, mut ended) = (0, 0);
    for (files, ranks) in [(1, 5), (2, 4), (3, 3), (4, 7), (5, 6), (8, 8), (8, 10)] {
        let board = CheckerBoard::new(files, ranks);
        for round in 0..2000 {
            let mut some = || {
                let all = u128::from(random.next_u64()) << 40 ^ u128::from(random.next_u64());
                // Many pieces, and few: down to the last one.
                (0..round % 6).fold(all & board.all, |pieces, _| {
                    pieces & (u128::from(random.next_u64()) << 40 ^ u128::from(random.next_u64()))
                })
            };
            let (winner, loser) = (some(), some());
            let pieces = (winner & !board.top, loser & !winner & !board.bottom);
            let (winner, loser) = pieces;
            let squares = |step: PieceStep| (step.start.ilog2(), step.target.ilog2());
            let mut found = Vec::new();
            board.any_step(pieces, |step| {
                let is_last = step.target.ilog2() / files == ranks - 1;
                let takes_all = loser.count_ones() == u32::from(loser & step.target != 0);
                assert_eq!(board.ends(loser, step), is_last || takes_all, "{pieces:?}");
                ended += u32::from(takes_all && loser != 0);
                found.push(squares(step));
                false
            });
            found.sort_unstable();
            let expected = steps_plainly(&board, pieces, true);
            assert_eq!(found, expected, "{files}x{ranks} {pieces:?}");
            for square in 0..files * ranks + 3 {
                for direction in 0..5 {
                    let target = (square + files + direction).wrapping_sub(1);
                    let is_legal = expected.contains(&(square, target)) && direction < 3;
                    let step = board.step(pieces, square, direction);
                    assert_eq!(step.map(squares), is_legal.then_some((square, target)));
                }
            }
            // Replies are visited up to the first that ends the game.
            let replies = steps_plainly(&board, pieces, false);
            let loses = |&(_, target): &(u32, u32)| {
                target < files || winner.count_ones() == 1 && winner >> target & 1 == 1
            };
            let mut found = Vec::new();
            let all = board.all_replies(pieces, |reply| {
                found.push(squares(reply));
                true
            });
            found.sort_unstable();
            if winner != 0 {
                assert_eq!(
                    all,
                    !replies.iter().any(loses),
                    "{files}x{ranks} {pieces:?}"
                );
            }
            if all {
                assert_eq!(found, replies, "{files}x{ranks} {pieces:?}");
            }
            taken += u32::from(replies.iter().any(|&(_, to)| winner >> to & 1 == 1));
        }
    }
    assert!(taken > 1000 && ended > 10, "{taken} {ended}");
}

#[test]
fn numbers_go_there_and_back_and_follow_the_steps() {
    let board = CheckerBoard::new(5, 9);
    let mut random = Mt64::new(6);
    for _ in 0..1000 {
        let winner = u128::from(random.next_u64()) & board.all & !board.top;
        let loser = u128::from(random.next_u64()) & board.all & !winner;
        let pieces = (winner, loser);
        let numbers = board.numbers(pieces);
        assert_eq!(board.pieces(numbers[0]), Some(pieces));
        board.any_step(pieces, |step| {
            let next = (winner ^ (step.start | step.target), loser & !step.target);
            let stepped = board.numbers_after_step(numbers, loser, step);
            assert_eq!(stepped, board.numbers(next));
            board.all_replies(next, |reply| {
                let replied = board.numbers_after_reply(stepped, next.0, reply);
                assert_eq!(replied, board.numbers(after_reply(next, reply)));
                true
            });
            false
        });
    }
    assert_eq!(board.pieces(3u128.pow(45)), None);
    assert_eq!(CheckerBoard::new(4, 10).pieces(3u128.pow(40)), None);
    assert_eq!(CheckerBoard::new(8, 10).pieces(3u128.pow(80)), None);
}

#[test]
fn who_has_won_is_known_and_both_sides_cannot_have() {
    let board = CheckerBoard::new(2, 4);
    for (winner, loser, result, is_possible) in [
        (0b100, 0b10_0000, None, true),
        // On the far rank, without pieces, and both.
        (0b100_0000, 0b10_0000, Some(true), true),
        (0b100, 0b10, Some(false), true),
        (0b100_0000, 0b10, Some(true), false),
        (0b100, 0, Some(true), true),
        (0, 0b10_0000, Some(false), true),
        (0, 0b10, Some(false), true),
        (0b100_0000, 0, Some(true), true),
        (0, 0, Some(true), false),
    ] {
        let pieces = (winner, loser);
        assert_eq!(board.result(pieces), result, "{pieces:?}");
        assert_eq!(board.is_possible(pieces), is_possible, "{pieces:?}");
    }
}
