//! The weights, in hundredths of a centipawn. Made by `scripts/fit.py`.

use super::features::FEATURES;

/// The value of having the move.
pub const TEMPO: i32 = 1380;

/// One weight per feature, in feature order.
#[rustfmt::skip]
pub const WEIGHTS: [i32; FEATURES] = [
    // pieces by square
    0, 0, 0, 0, 14000, 17200, 17200, 17200,
    11531, 12030, 13260, 14388, 10009, 9978, 11960, 13871,
    7383, 9520, 10298, 11216, 6796, 8345, 9409, 10084,
    5265, 7325, 8758, 9155, 5176, 12268, 11976, 10817,
    // unattacked pieces
    0, 4200, 1882, 2555, 1591, 238, -1019, 1437,
    // attacked pieces that hold
    0, 4200, 394, 2728, 2557, 2444, 2942, 1200,
    // loose pieces, mover's
    -1000, -1000, 694, 1729, 2437, 2389, 79, -1000,
    // loose pieces, to be taken
    -5000, -5000, -7062, -9094, -9967, -7436, -5000, -5000,
    // guarded pieces
    200, 200, 2921, 471, 146, 146, -899, 200,
    // doubly guarded pieces
    100, 100, 552, 87, 63, 222, -1055, 100,
    // horizontal connections
    200, 200, 3456, 834, 215, 484, 306, 272,
    // vertical connections
    100, 100, 2902, -189, 529, 283, 179, 100,
    // passed pieces, mover's
    0, 40000, 30000, 25004, 20000, 15000, 10000, 5000,
    // passed pieces, other's
    0, 30000, 20000, 15017, 9998, 10000, 5000, 3000,
    // foremost piece
    0, 0, 1827, -1218, -946, 358, -21, 0,
    // mobility
    36,
    // column holes
    -1811,
    // unguardable squares
    0, 0, 0, 102, 417, 310, 141, -237,
    // safe steps
    0, 724, 932, 584, 249, 301, -1839, 0,
];
