//! The weights, in hundredths of a centipawn. Made by `scripts/fit.py`.

use super::features::FEATURES;

/// The value of having the move.
pub const TEMPO: i32 = 58;

/// One weight per feature, in feature order.
#[rustfmt::skip]
pub const WEIGHTS: [i32; FEATURES] = [
    // single pieces by square
    16145, 14661, 14943, 14759, 15729, 16487, 16285, 17461,
    17293, 19468, 21418, 23406, 20165, 23035, 23711, 21754,
    22515, 24116, 22349, 22426, 20290, 18300, 23732, 11101,
    // pairs by square
    0, 30456, 30709, 0, 30683, 32396, 0, 34501,
    35503, 0, 40242, 45010, 0, 43110, 47546, 0,
    45222, 44567, 0, 42866, 44276, 0, 24522, 32014,
    // explosions at hand, mover's
    270, 841, 234, 1089, 1287, 37, -1301, 174,
    // explosions at hand, other's
    164, 894, 169, 1075, 1428, 110, -1128, -1962,
    // stacks under fire, mover's
    1235, 2092, 3638,
    // stacks under fire, other's
    1347, 2471, 3018,
    // pairs under fire, mover's
    3005,
    // pairs under fire, other's
    2534,
    // win threatened
    0,
    // loaded side columns
    -419, 614, -1062,
    // loaded inner columns
    -419, 614, -1062,
    // loaded chains
    0, 0, 0,
    // pieces side by side
    -508, 267, -721,
    // pieces before an open goal
    2147, -129,
    // squares in reach
    27, -131,
    // foremost piece
    15855, 9130, 5843, -5337, -6051, -7400, -6043, -5997,
    // open home files
    141,
    // number of pieces
    0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0,
];
