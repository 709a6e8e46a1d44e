//! The kernels for WebAssembly's vectors, which a module either requires or
//! lacks: there is nothing to detect at run time.

use std::arch::wasm32::*;

#[inline]
fn dot(total: v128, one: v128, other: v128) -> v128 {
    i32x4_add(total, i32x4_dot_i16x8(one, other))
}

super::kernels::kernels!(
    v128, v128, tiles: 2 1,
    i16x8_splat, i16x8_add, i16x8_sub, i16x8_min, i16x8_max, i16x8_mul, dot
);
