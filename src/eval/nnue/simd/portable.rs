//! The kernels for any processor. The compiler turns the arrays into vectors
//! where all processors of the architecture have them.

use std::array::from_fn;

type Vector = [i16; 16];
type Total = [i32; 8];

#[inline]
fn splat(number: i16) -> Vector {
    [number; 16]
}

#[inline]
fn add(one: Vector, other: Vector) -> Vector {
    from_fn(|lane| one[lane].wrapping_add(other[lane]))
}

#[inline]
fn sub(one: Vector, other: Vector) -> Vector {
    from_fn(|lane| one[lane].wrapping_sub(other[lane]))
}

#[inline]
fn min(one: Vector, other: Vector) -> Vector {
    from_fn(|lane| one[lane].min(other[lane]))
}

#[inline]
fn max(one: Vector, other: Vector) -> Vector {
    from_fn(|lane| one[lane].max(other[lane]))
}

#[inline]
fn mul(one: Vector, other: Vector) -> Vector {
    from_fn(|lane| one[lane].wrapping_mul(other[lane]))
}

#[inline]
fn dot(total: Total, one: Vector, other: Vector) -> Total {
    let product = |lane: usize| i32::from(one[lane]) * i32::from(other[lane]);
    from_fn(|pair| total[pair].wrapping_add(product(2 * pair) + product(2 * pair + 1)))
}

super::kernels::kernels!(Vector, Total, tiles: 2 1, splat, add, sub, min, max, mul, dot);
