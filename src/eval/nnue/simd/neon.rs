//! The kernels for aarch64, where every processor has NEON.

use std::arch::aarch64::*;

#[inline]
#[target_feature(enable = "neon")]
fn dot(total: int32x4_t, one: int16x8_t, other: int16x8_t) -> int32x4_t {
    let low = vmlal_s16(total, vget_low_s16(one), vget_low_s16(other));
    vmlal_high_s16(low, one, other)
}

super::kernels::kernels!(
    #[target_feature(enable = "neon")]
    int16x8_t, int32x4_t, tiles: 4 1,
    vdupq_n_s16, vaddq_s16, vsubq_s16, vminq_s16, vmaxq_s16, vmulq_s16, dot
);
