//! The two inner loops, each written once and compiled for every set of vector
//! instructions that the processor may have; which one runs is found out at
//! run time. All arithmetic is on integers, so all of them agree bit for bit.
//!
//! On aarch64 the portable form is compiled with NEON, which every such
//! processor has.

use std::fmt;

/// Lanes of 16 bits that are worked on together, aligned to a cache line.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lanes(pub [i16; LANES]);

/// How many lanes there are.
pub(super) const LANES: usize = 32;

impl Lanes {
    pub const ZERO: Self = Self([0; LANES]);
}

/// A set of vector instructions that this processor has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Simd(Path);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Path {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Simd {
    /// What every processor of this architecture has.
    pub const PORTABLE: Self = Self(Path::Portable);

    /// All sets that this processor has, the widest last.
    #[must_use]
    pub fn available() -> Vec<Self> {
        let mut found = vec![Self::PORTABLE];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") {
                found.push(Self(Path::Avx2));
            }
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw") {
                found.push(Self(Path::Avx512));
            }
        }
        found
    }

    /// The widest set that this processor has.
    #[must_use]
    pub fn detect() -> Self {
        Self::available().pop().unwrap_or(Self::PORTABLE)
    }

    /// The set of this name, if this processor has it.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        let mut available = Self::available().into_iter();
        available.find(|simd| simd.name() == name)
    }

    /// Its name: `portable`, `avx2` or `avx512`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self.0 {
            Path::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Path::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Path::Avx512 => "avx512",
        }
    }

    /// `target = source - rows taken out + rows put in`. A row is named by the
    /// place in `rows` where it begins, and is as long as the target.
    #[allow(unsafe_code)]
    pub(super) fn update(self, target: &mut [Lanes], source: &[Lanes], change: &Change<'_>) {
        match self.0 {
            Path::Portable => update::<2>(target, source, change),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: this path exists only where the processor has AVX2.
            Path::Avx2 => unsafe { update_avx2(target, source, change) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: this path exists only where the processor has AVX-512 F
            // and BW.
            Path::Avx512 => unsafe { update_avx512(target, source, change) },
        }
    }

    /// The sum of `clip(x)^2 * w` over both accumulators, the weights of the
    /// mover's first. All have been checked to fit 32 bits.
    #[allow(unsafe_code)]
    pub(super) fn output(self, mover: &[Lanes], other: &[Lanes], weights: &[Lanes]) -> i32 {
        match self.0 {
            Path::Portable => output(mover, other, weights),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: this path exists only where the processor has AVX2.
            Path::Avx2 => unsafe { output_avx2(mover, other, weights) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: this path exists only where the processor has AVX-512 F
            // and BW.
            Path::Avx512 => unsafe { output_avx512(mover, other, weights) },
        }
    }
}

impl fmt::Debug for Simd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Which rows of a table leave an accumulator and which come in.
pub(super) struct Change<'a> {
    /// The table.
    pub rows: &'a [Lanes],
    /// Where the rows begin that leave.
    pub out: &'a [u32],
    /// Where the rows begin that come in.
    pub into: &'a [u32],
}

/// The update in tiles that stay in registers over all rows.
#[inline(always)]
fn update<const TILE: usize>(target: &mut [Lanes], source: &[Lanes], change: &Change<'_>) {
    let mut from = 0;
    while from + TILE <= target.len() {
        update_tile::<TILE>(target, source, change, from);
        from += TILE;
    }
    while from < target.len() {
        update_tile::<1>(target, source, change, from);
        from += 1;
    }
}

#[inline(always)]
fn update_tile<const TILE: usize>(
    target: &mut [Lanes],
    source: &[Lanes],
    change: &Change<'_>,
    from: usize,
) {
    let mut sum = [Lanes::ZERO; TILE];
    sum.copy_from_slice(&source[from..from + TILE]);
    for &row in change.out {
        let row = &change.rows[row as usize + from..][..TILE];
        for (sum, row) in sum.iter_mut().zip(row) {
            for lane in 0..LANES {
                sum.0[lane] = sum.0[lane].wrapping_sub(row.0[lane]);
            }
        }
    }
    for &row in change.into {
        let row = &change.rows[row as usize + from..][..TILE];
        for (sum, row) in sum.iter_mut().zip(row) {
            for lane in 0..LANES {
                sum.0[lane] = sum.0[lane].wrapping_add(row.0[lane]);
            }
        }
    }
    target[from..from + TILE].copy_from_slice(&sum);
}

#[inline(always)]
fn output(mover: &[Lanes], other: &[Lanes], weights: &[Lanes]) -> i32 {
    let (first, second) = weights.split_at(mover.len());
    weighed(mover, first).wrapping_add(weighed(other, second))
}

/// The product with the weight fits 16 bits, so that the second product can be
/// taken and summed in pairs (as in Lizard 10 and others after it).
#[inline(always)]
fn weighed(sums: &[Lanes], weights: &[Lanes]) -> i32 {
    let mut total = 0i32;
    for (sums, weights) in sums.iter().zip(weights) {
        for lane in 0..LANES {
            let value = sums.0[lane].clamp(0, 255);
            let product = value.wrapping_mul(weights.0[lane]);
            total = total.wrapping_add(i32::from(value) * i32::from(product));
        }
    }
    total
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn update_avx2(target: &mut [Lanes], source: &[Lanes], change: &Change<'_>) {
    update::<4>(target, source, change);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn output_avx2(mover: &[Lanes], other: &[Lanes], weights: &[Lanes]) -> i32 {
    output(mover, other, weights)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw")]
fn update_avx512(target: &mut [Lanes], source: &[Lanes], change: &Change<'_>) {
    update::<8>(target, source, change);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw")]
fn output_avx512(mover: &[Lanes], other: &[Lanes], weights: &[Lanes]) -> i32 {
    output(mover, other, weights)
}
