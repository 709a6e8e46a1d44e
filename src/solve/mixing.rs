//! Hashes of keys: multiplicative hashing (Knuth).

/// An odd number with its bits well mixed, for spreading keys.
pub const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// A 32-bit hash of a one-word key.
#[inline]
pub const fn mixed(key: u64) -> u64 {
    key.wrapping_mul(SPREAD) >> 32
}

/// A 32-bit hash of a two-word key.
#[inline]
pub const fn mixed_wide(key: u128) -> u64 {
    mixed(key as u64 ^ ((key >> 64) as u64).rotate_left(29))
}
