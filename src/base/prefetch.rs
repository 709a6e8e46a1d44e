//! Loading memory into the cache before it is needed.

/// Starts to load the cache line in which `value` begins.
#[cfg(target_arch = "x86_64")]
#[inline]
#[allow(unsafe_code)]
pub fn prefetch<T>(value: &T) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    let address = std::ptr::from_ref(value).cast();
    // SAFETY: SSE is part of x86_64, and a prefetch of any address is harmless.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(address) }
}

/// Starts to load the cache line in which `value` begins; a no-op on this
/// processor.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub fn prefetch<T>(_value: &T) {}
