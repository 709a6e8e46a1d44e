//! The two inner loops, written once for vectors of every kind.

/// Defines `update` and `output` for one kind of vector, named by its
/// instructions. A macro, because a function cannot be generic over the
/// processor features that it needs.
///
/// The sums of an update stay in registers, in tiles of some blocks: left alone,
/// compilers keep them in memory, and add up the output after every block. The
/// last tile is of one block.
macro_rules! kernels {
    (
        $(#[$feature:meta])?
        $Vector:ty, $Total:ty, tiles: $($tile:literal)+,
        $splat:ident, $add:ident, $sub:ident, $min:ident, $max:ident, $mul:ident, $dot:ident
    ) => {
        use crate::eval::nnue::simd::{Change, Lanes};

        /// Vectors in a block of lanes.
        const VECTORS: usize = size_of::<Lanes>() / size_of::<$Vector>();

        #[inline]
        $(#[$feature])?
        fn load(lanes: &Lanes) -> [$Vector; VECTORS] {
            bytemuck::cast(lanes.0)
        }

        /// See [`Simd::update`](crate::eval::nnue::Simd).
        $(#[$feature])?
        pub fn update(target: &mut [Lanes], source: &[Lanes], change: &Change<'_>) {
            let mut from = 0;
            $(while target.len() - from >= $tile {
                tile::<$tile>(target, source, change, from);
                from += $tile;
            })+
        }

        /// A part of the update whose sums stay in registers.
        #[inline]
        $(#[$feature])?
        fn tile<const TILE: usize>(
            target: &mut [Lanes],
            source: &[Lanes],
            change: &Change<'_>,
            from: usize,
        ) {
            // Half a row or less: its blocks are contiguous.
            let half = const { TILE.div_ceil(2) };
            let source = &source[from..from + TILE];
            let mut sums = [[$splat(0); VECTORS]; TILE];
            for block in 0..TILE {
                sums[block] = load(&source[block]);
            }
            for &row in change.removed {
                for first in (0..TILE).step_by(half) {
                    let row = change.part(row, from + first, half);
                    for block in 0..half {
                        let (row, sums) = (load(&row[block]), &mut sums[first + block]);
                        for part in 0..VECTORS {
                            sums[part] = $sub(sums[part], row[part]);
                        }
                    }
                }
            }
            for &row in change.added {
                for first in (0..TILE).step_by(half) {
                    let row = change.part(row, from + first, half);
                    for block in 0..half {
                        let (row, sums) = (load(&row[block]), &mut sums[first + block]);
                        for part in 0..VECTORS {
                            sums[part] = $add(sums[part], row[part]);
                        }
                    }
                }
            }
            let target = &mut target[from..from + TILE];
            for block in 0..TILE {
                target[block] = Lanes(bytemuck::cast(sums[block]));
            }
        }

        /// See [`Simd::output`](crate::eval::nnue::Simd).
        $(#[$feature])?
        pub fn output(mover: &[Lanes], other: &[Lanes], weights: &[Lanes]) -> i32 {
            let (first, second) = weights.split_at(mover.len());
            let mut totals: [$Total; VECTORS] = bytemuck::Zeroable::zeroed();
            weigh(mover, first, &mut totals);
            weigh(other, second, &mut totals);
            let numbers: [i32; size_of::<Lanes>() / 4] = bytemuck::cast(totals);
            numbers.iter().fold(0, |sum, &number| sum.wrapping_add(number))
        }

        /// The product with the weight fits 16 bits, so that the second product
        /// can be taken and summed in pairs, as chess engines do (Lizard, 2024).
        #[inline]
        $(#[$feature])?
        fn weigh(sums: &[Lanes], weights: &[Lanes], totals: &mut [$Total; VECTORS]) {
            for (sums, weights) in sums.iter().zip(weights) {
                let (sums, weights) = (load(sums), load(weights));
                for part in 0..VECTORS {
                    let value = $min($max(sums[part], $splat(0)), $splat(255));
                    let product = $mul(value, weights[part]);
                    totals[part] = $dot(totals[part], product, value);
                }
            }
        }
    };
}

pub(super) use kernels;
