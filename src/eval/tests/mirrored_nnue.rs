//! Networks stored as their left half only, since the right half mirrors it.

use super::nnue::{SHAPES, WIDE, fresh_value, start, walk};

use crate::common::network::{Numbers, Sizes};
use crate::common::random_game;
use crate::eval::nnue::Network;
use crate::game::Notation as _;
use rand_mt::Mt64;
use std::sync::Arc;

/// Random networks whose halves are mirror images.
fn mirrored() -> impl Iterator<Item = Numbers> {
    let has_halves = |&(_, _, hidden, _): &Sizes| hidden > 32 && hidden.is_power_of_two();
    SHAPES
        .into_iter()
        .chain(WIDE)
        .filter(has_halves)
        .zip(20..)
        .map(|(shape, seed)| Numbers::random(shape, seed).symmetric())
}

#[test]
fn half_of_a_mirrored_network_is_enough() {
    let mut random = Mt64::new(8);
    for numbers in mirrored() {
        let (whole, half) = (numbers.file(), numbers.mirrored_file());
        assert!(half.len() < whole.len(), "{:?}", numbers.board);
        for file in [whole, half] {
            let network = Arc::new(Network::from_bytes(&file).unwrap());
            assert!(network.shape().is_mirrored);
            for position in random_game(&start::<u128>(&numbers), &mut random) {
                let value = fresh_value(&network, &position);
                assert_eq!(value, numbers.value(&position), "{}", position.fen());
            }
            walk(&network, start::<u128>(&numbers), 300);
        }
    }
}

#[test]
fn networks_that_are_not_quite_mirrored_keep_all_rows() {
    for mut numbers in mirrored() {
        let last = numbers.rows.len() - 1;
        numbers.rows[last] += 1;
        let network = Arc::new(Network::from_bytes(&numbers.file()).unwrap());
        // If there is one window per row, the last one is its own mirror image.
        let is_alone = numbers.board.0 == numbers.window.0;
        assert_eq!(network.shape().is_mirrored, is_alone);
        for position in random_game(&start::<u128>(&numbers), &mut Mt64::new(9)) {
            assert_eq!(fresh_value(&network, &position), numbers.value(&position));
        }
    }
}

#[test]
fn weights_that_could_overflow_in_a_mirrored_network_are_refused() {
    let mut numbers = Numbers::zero(((8, 8), (1, 1), 64, 1));
    numbers.rows.fill(511);
    numbers.bias.fill(63);
    let error = |numbers: &Numbers| Network::from_bytes(&numbers.mirrored_file()).err();
    assert!(error(&numbers).is_none());
    // The last row of a1's window: what it adds to unit 5 on the left, it adds
    // to unit 37 on the right.
    numbers.rows[2 * 64 + 5] = 512;
    let said = error(&numbers).unwrap().to_string();
    assert!(
        said.contains("unit 5 of the accumulator can reach 32768"),
        "{said}"
    );
    numbers.bias[5] = 62;
    let said = error(&numbers).unwrap().to_string();
    assert!(
        said.contains("unit 37 of the accumulator can reach 32768"),
        "{said}"
    );
}
