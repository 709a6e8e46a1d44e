use super::*;
use crate::game::breakthrough::{Position, StaticSolver};
use crate::solve::learner::BoardParams;
use crate::solve::numbers::LARGEST;

type Board = SharedSearch<u64, u64>;

fn board() -> Board {
    let start = Position::<u64>::start(4, 5).unwrap();
    let params = BoardParams::new(4, 5);
    Board::new(StaticSolver::new(start.geometry()), 1 << 20, params).unwrap()
}

/// Proof and disproof number of a step, and the threads below it.
type Case = (u32, u32, u8);

/// The choice among these steps of one position.
fn choose(shared: &Board, parallel: bool, steps: &[Case], max_phi: u64) -> Choice {
    let mut worker = ProofWorker::new(shared, parallel);
    for (index, &(phi, delta, threads)) in steps.iter().enumerate() {
        let key = 1 + index as u64;
        shared.slot(key).store(threads, Relaxed);
        worker.children.push(Child {
            key,
            numbers: Numbers { phi, delta },
            step: Step { from: 0, to: 0 },
            takes: false,
        });
    }
    worker.choose(0, max_phi)
}

#[test]
fn the_step_that_looks_easiest_to_win_is_followed_and_all_are_counted() {
    let shared = board();
    let steps = [(4, 9, 0), (7, 3, 0), (2, 3, 0), (5, 8, 0)];
    let choice = choose(&shared, false, &steps, NEVER);
    assert_eq!((choice.index, choice.phi, choice.rival), (1, 3, 3));
    assert_eq!((choice.sum, choice.hardest), (18, [7, 5]));
    assert_eq!(choice.delta(), 7 + ((18 - 7) >> choice.overlap));
    let choice = choose(&shared, false, &steps[..1], NEVER);
    assert_eq!((choice.index, choice.phi, choice.rival), (0, 9, INFINITE));
    let choice = choose(&shared, false, &[(1, 2, 0), (1, 9, 0), (3, 5, 0)], NEVER);
    assert_eq!((choice.phi, choice.rival, choice.hardest), (2, 5, [3, 1]));
}

#[test]
fn threads_part_where_all_steps_must_be_refuted_and_a_rival_is_near() {
    let shared = board();
    let cases: [(&[Case], u64, usize, u32); 11] = [
        // Nobody is below the best step.
        (&[(1, 4, 0), (1, 5, 3)], 100, 0, 5),
        // One is: its number is doubled, and so on.
        (&[(1, 4, 1), (1, 5, 0)], 100, 1, 8),
        (&[(1, 4, 1), (1, 7, 0)], 100, 1, 8),
        (&[(1, 4, 2), (1, 7, 1)], 100, 1, 16),
        (&[(1, 4, 1), (1, 5, 1), (1, 7, 0)], 100, 2, 8),
        (&[(1, 4, 1), (1, 5, 2), (1, 8, 1)], 100, 0, 16),
        (&[(1, 4, 200), (1, 5, 100)], 100, 0, 5 << 16),
        // A rival twice as hard is near enough, a harder one is not.
        (&[(1, 4, 1), (1, 8, 0)], 100, 0, 8),
        (&[(1, 4, 9), (1, 9, 0)], 100, 0, 9),
        // One that reaches the threshold is not followed.
        (&[(1, 4, 1), (1, 5, 0)], 5, 0, 5),
        // The side to move may well win: one step will do.
        (&[(9, 4, 1), (1, 5, 0)], 100, 0, 5),
    ];
    for (steps, max_phi, index, rival) in cases {
        let choice = choose(&shared, true, steps, max_phi);
        assert_eq!((choice.index, choice.rival), (index, rival), "{steps:?}");
        let best = steps.iter().map(|step| step.1).min();
        assert_eq!(Some(choice.phi), best, "the node's own number: {steps:?}");
        // On its own a thread takes the best step, whoever was there.
        let alone = choose(&shared, false, steps, max_phi);
        assert_eq!(Some(steps[alone.index].1), best);
    }
    // A step that reaches the threshold counts as a rival, but is not followed.
    let steps = [(1, 4, 3), (1, 5, 3), (1, 6, 0)];
    let choice = choose(&shared, true, &steps, 6);
    assert_eq!((choice.index, choice.rival), (0, 6));
}

#[test]
fn a_step_is_left_when_the_node_reaches_its_threshold() {
    for overlap in 0..3 {
        for growth in [0, 64] {
            for phis in [[1, 1, 1], [5, 2, 9], [9, 9, 2], [20, 1, 3], [7, 30, 31]] {
                let mut sorted = phis;
                sorted.sort_unstable();
                let choice = Choice {
                    index: 0,
                    phi: 1,
                    rival: 1,
                    sum: phis.iter().map(|&phi| u64::from(phi)).sum(),
                    hardest: [sorted[2], sorted[1]],
                    overlap,
                    growth,
                };
                let delta = |phi: u64| {
                    let all = [phi, u64::from(phis[1]), u64::from(phis[2])];
                    let hardest = all.into_iter().max().unwrap();
                    hardest + ((all.iter().sum::<u64>() - hardest) >> overlap)
                };
                assert_eq!(choice.delta(), delta(u64::from(phis[0])));
                for max_delta in 0..90 {
                    let least = u64::from(phis[0]) * (64 + growth) / 64 + 1;
                    let reached = (least..).find(|&phi| delta(phi) >= max_delta);
                    let found = choice.threshold(phis[0], max_delta);
                    // Where the step becomes the hardest it may be a little more.
                    let more = found - reached.unwrap();
                    let is_edge = found == u64::from(sorted[2].max(phis[0]));
                    let most = u64::from(is_edge) * ((1 << overlap) - 1);
                    assert!(more <= most, "{phis:?} {max_delta}: {more}");
                }
                assert_eq!(choice.threshold(phis[0], NEVER), NEVER);
            }
        }
    }
}

#[test]
fn a_rival_is_looked_at_when_the_step_is_harder_by_so_much() {
    for (rival, expected) in [(0, 1), (1, 2), (2, 4), (256, 457), (1000, 1782)] {
        assert_eq!(widened(rival), expected);
    }
    assert_eq!(widened(1_205_604_855), u64::from(LARGEST));
    assert_eq!(widened(1_205_604_856), NEVER);
    assert_eq!(widened(LARGEST), NEVER);
    assert_eq!(widened(INFINITE), NEVER);
}
