//! Memory: whether there is enough of it, and large tables. These are zero at
//! first, taken from the system as they are used, in huge pages where the system
//! has them; running out is an error. On Unix each is an anonymous mapping, so that
//! fresh memory needs no clearing; elsewhere it is an ordinary allocation.

#[cfg(target_os = "linux")]
use super::machine::number;
use bytemuck::Zeroable;
use std::io;
use std::marker::PhantomData;
use std::mem::needs_drop;
use std::num::NonZero;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, Scope, available_parallelism, scope};
use thiserror::Error;

/// Bytes in a cache line; a table is aligned to one.
const LINE: usize = 64;

/// Larger tables are cleared by releasing their memory, smaller ones by writing
/// zeros, which keeps the memory mapped.
#[cfg(target_os = "linux")]
const RELEASE_ABOVE: usize = 256 << 20;

/// Bytes in a memory page, the smallest of any system.
const PAGE: usize = 4096;

/// Bytes that are worth starting a thread to clear.
const PART: usize = 8 << 20;

/// There is not enough memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not enough memory for {} MB", .bytes.div_ceil(1 << 20))]
pub struct OutOfMemory {
    /// The size asked for.
    pub bytes: usize,
}

/// Bytes that whatever is reported when it fails leaves to small allocations, of
/// which nobody can report that one failed: the whole program aborts.
const RESERVE: usize = 4 << 20;

/// Checks that this many more bytes can be allocated now, with the reserve left. Code
/// that makes many small allocations asks before it begins. A limit on the process's
/// address space is read, not tried out: what one thread took for a moment, a small
/// allocation of another would lack.
pub(crate) fn check_available(bytes: usize) -> Result<(), OutOfMemory> {
    let is_available = match address_space_left() {
        Some(left) => bytes.saturating_add(RESERVE) <= left,
        None => Vec::<u8>::new().try_reserve_exact(bytes).is_ok(),
    };
    is_available.then_some(()).ok_or(OutOfMemory { bytes })
}

/// The address space that the limit on this process leaves it; `None` if there is no
/// limit.
#[cfg(target_os = "linux")]
fn address_space_left() -> Option<usize> {
    let read = |file: &str| std::fs::read_to_string(file).ok();
    let limit = number(&read("/proc/self/limits")?, "Max address space")?;
    let kilobytes = number(&read("/proc/self/status")?, "VmSize:")?;
    Some(limit.saturating_sub(kilobytes << 10))
}

/// Elsewhere there are no such limits, or nobody reports them.
#[cfg(not(target_os = "linux"))]
const fn address_space_left() -> Option<usize> {
    None
}

/// A thread's default stack size in bytes: the standard library's.
pub(crate) const STACK: usize = 2 << 20;

/// Bytes that a new thread needs before its work begins.
const THREAD_OVERHEAD: usize = 1 << 20;

/// Lets all threads allocate from one arena. For one of its own glibc sets 64 MB of
/// address space aside when a thread starts, and for a moment 128, which others may
/// lack amid their work. Nothing here allocates so often that threads would wait for
/// each other. To be called first.
#[cfg(feature = "cli")]
pub(crate) fn use_one_arena() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[allow(unsafe_code)]
    // SAFETY: mallopt(3) changes a number of the allocator; no other thread runs yet.
    unsafe {
        nix::libc::mallopt(nix::libc::M_ARENA_MAX, 1);
    }
}

/// Checks that a thread with this stack can be started now. If it gets its
/// stack, but not the little more that the standard library needs to start it,
/// the whole program aborts.
pub(crate) fn check_thread_available(stack: usize) -> io::Result<()> {
    check_available(stack.saturating_add(THREAD_OVERHEAD)).map_err(io::Error::other)
}

/// Starts up to `count` threads with ordinary stacks, for each of which `bytes` must
/// be left for its work; returns how many.
pub(crate) fn start_threads<'scope>(
    scope: &'scope Scope<'scope, '_>,
    count: usize,
    bytes: usize,
    mut work: impl FnMut(usize) -> Box<dyn FnOnce() + Send + 'scope>,
) -> io::Result<usize> {
    for started in 0..count {
        let needed = bytes.saturating_mul(started + 1).saturating_add(STACK);
        let work = work(started);
        let start = || Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        match check_thread_available(needed).and_then(|()| start()) {
            Ok(_) => {}
            Err(error) if started == 0 => return Err(error),
            Err(_) => return Ok(started),
        }
    }
    Ok(count)
}

/// The processor's cores.
pub(crate) fn cores() -> usize {
    available_parallelism().map_or(1, NonZero::get)
}

/// Calls `act` on all parts, on this many threads including the caller's. If
/// some cannot be started, the others do their work.
pub(crate) fn parallel_for_each<T>(
    parts: impl Iterator<Item = T> + Send,
    threads: usize,
    act: impl Fn(T) + Sync,
) {
    let parts = Mutex::new(parts);
    let work = || {
        loop {
            let next = parts.lock().unwrap_or_else(PoisonError::into_inner).next();
            match next {
                Some(part) => act(part),
                None => return,
            }
        }
    };
    scope(|scope| {
        let _ = start_threads(scope, threads.saturating_sub(1), 0, |_| Box::new(work));
        work();
    });
}

/// A slice in memory of its own, zero at first and aligned to a cache line.
pub(crate) struct BigSlice<T> {
    block: Block,
    len: usize,
    elements: PhantomData<[T]>,
}

impl<T: Zeroable> BigSlice<T> {
    /// A slice of `len` elements, all zero.
    pub(crate) fn new(len: usize) -> Result<Self, OutOfMemory> {
        const {
            assert!(align_of::<T>() <= LINE && size_of::<T>() > 0 && !needs_drop::<T>());
        }
        let bytes = len.checked_mul(size_of::<T>());
        let bytes = bytes.ok_or(OutOfMemory { bytes: usize::MAX })?;
        check_available(bytes)?;
        Ok(Self {
            block: Block::new(bytes).ok_or(OutOfMemory { bytes })?,
            len,
            elements: PhantomData,
        })
    }

    /// Sets all elements to zero, on all cores if the slice is large.
    pub(crate) fn clear(&mut self)
    where
        T: Send,
    {
        let bytes = self.len * size_of::<T>();
        if self.block.try_release(bytes) {
            return;
        }
        self.in_parts(1, |part| part.iter_mut().for_each(|e| *e = T::zeroed()));
    }

    /// Takes all its memory from the system now, on all cores, instead of as it
    /// is used: the first touch of a huge page is slow. The elements must be
    /// zero; some are overwritten with zero.
    pub(crate) fn prefault(&mut self)
    where
        T: Send,
    {
        let page = (PAGE / size_of::<T>()).max(1);
        self.in_parts(page, |part| {
            part.iter_mut().step_by(page).for_each(|e| *e = T::zeroed());
        });
    }

    /// Calls `act` on all parts of the slice in parallel; each but the last has
    /// a multiple of `unit` elements.
    fn in_parts(&mut self, unit: usize, act: impl Fn(&mut [T]) + Sync)
    where
        T: Send,
    {
        let bytes = self.len * size_of::<T>();
        let threads = (bytes / PART).clamp(1, cores());
        let part = self.len.div_ceil(threads).max(1).next_multiple_of(unit);
        parallel_for_each(self.chunks_mut(part), threads, act);
    }
}

#[allow(unsafe_code)]
impl<T: Zeroable> Deref for BigSlice<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        let first = self.block.start().cast();
        // The block started as zeros, which are valid for `T`, and has only
        // been written as elements since.
        // SAFETY: it holds `len` valid elements, is aligned for them, and lives as long as `self`.
        unsafe { std::slice::from_raw_parts(first, self.len) }
    }
}

#[allow(unsafe_code)]
impl<T: Zeroable> DerefMut for BigSlice<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        let first = self.block.start().cast();
        // SAFETY: as above, and `self` is borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(first, self.len) }
    }
}

#[allow(unsafe_code)]
// SAFETY: it owns its elements as a boxed slice does.
unsafe impl<T: Send> Send for BigSlice<T> {}
#[allow(unsafe_code)]
// SAFETY: as above.
unsafe impl<T: Sync> Sync for BigSlice<T> {}

/// An anonymous mapping.
#[cfg(unix)]
struct Block(memmap2::MmapRaw);

#[cfg(unix)]
impl Block {
    fn new(bytes: usize) -> Option<Self> {
        let map = memmap2::MmapMut::map_anon(bytes.max(1)).ok()?;
        // A kernel without huge pages refuses, and Miri lacks the call; small
        // pages will do.
        #[cfg(all(target_os = "linux", not(miri)))]
        {
            let _ = map.advise(memmap2::Advice::HugePage);
        }
        Some(Self(map.into()))
    }

    #[inline]
    fn start(&self) -> *mut u8 {
        self.0.as_mut_ptr()
    }

    /// Releases a large block's memory, so that it reads as zero. Returns whether it did.
    #[cfg(target_os = "linux")]
    #[allow(unsafe_code)]
    fn try_release(&mut self, bytes: usize) -> bool {
        if bytes <= RELEASE_ABOVE {
            return false;
        }
        // SAFETY: nobody else can access the block, and zeros are what its
        // owner wants: dropped pages of an anonymous mapping read as zero.
        unsafe { self.0.unchecked_advise(memmap2::UncheckedAdvice::DontNeed) }.is_ok()
    }

    /// Elsewhere released memory may keep its contents.
    #[cfg(not(target_os = "linux"))]
    fn try_release(&mut self, _bytes: usize) -> bool {
        false
    }
}

/// Cache lines on the heap.
#[cfg(not(unix))]
struct Block(std::ptr::NonNull<[CacheLine]>);

#[cfg(not(unix))]
#[derive(Clone, Copy, Zeroable)]
#[repr(C, align(64))]
struct CacheLine([u8; LINE]);

#[cfg(not(unix))]
impl Block {
    fn new(bytes: usize) -> Option<Self> {
        let lines = bytes.div_ceil(LINE);
        let lines = bytemuck::allocation::try_zeroed_slice_box::<CacheLine>(lines).ok()?;
        std::ptr::NonNull::new(Box::into_raw(lines)).map(Self)
    }

    #[inline]
    fn start(&self) -> *mut u8 {
        self.0.as_ptr().cast()
    }

    fn try_release(&mut self, _bytes: usize) -> bool {
        false
    }
}

#[cfg(not(unix))]
#[allow(unsafe_code)]
impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: it came from a box, and nothing borrows it any more.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

/// Starts to load the cache line in which `value` begins.
#[cfg(target_arch = "x86_64")]
#[inline]
#[allow(unsafe_code)]
pub(crate) fn prefetch<T>(value: &T) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    let address = std::ptr::from_ref(value).cast();
    // SAFETY: SSE is part of x86_64, and a prefetch of any address is harmless.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(address) }
}

/// Starts to load the cache line in which `value` begins.
#[cfg(target_arch = "aarch64")]
#[inline]
#[allow(unsafe_code)]
pub(crate) fn prefetch<T>(value: &T) {
    let address = std::ptr::from_ref(value);
    // SAFETY: a prefetch of any address is harmless, and changes no register or memory.
    unsafe {
        std::arch::asm!("prfm pldl1keep, [{}]", in(reg) address, options(nostack, preserves_flags, readonly));
    }
}

/// Starts to load the cache line in which `value` begins; a no-op on this
/// processor.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
#[inline]
pub(crate) fn prefetch<T>(_value: &T) {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    #[test]
    fn it_is_zero_at_first_and_after_clearing() {
        // Less than a page, several parts, more than is cleared by writing.
        for bytes in [LINE, 3 * PART + LINE, (300 << 20) + LINE] {
            // Miri is too slow for many of them.
            let bytes = if cfg!(miri) {
                bytes.min(5 * PAGE + LINE)
            } else {
                bytes
            };
            let mut slice = BigSlice::<[AtomicU64; 8]>::new(bytes / LINE).unwrap();
            assert_eq!(slice.len(), bytes / LINE);
            assert_eq!(slice.as_ptr() as usize % LINE, 0);
            let step = (slice.len() / 100).max(1);
            for index in (0..slice.len()).rev().step_by(step) {
                assert_eq!(slice[index][5].swap(7, Relaxed), 0);
            }
            slice.clear();
            for index in (0..slice.len()).rev().step_by(step) {
                let word = slice[index][5].load(Relaxed);
                assert_eq!(word, 0, "{index} of {bytes} bytes");
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri ends where no memory is left")]
    fn too_much_memory_is_an_error() {
        for len in [usize::MAX, usize::MAX / 8, usize::MAX >> 8] {
            // An allocation that is not used may be left out.
            let slice = black_box(BigSlice::<u64>::new(black_box(len)));
            assert!(slice.is_err(), "{len}");
        }
        let error = black_box(BigSlice::<u8>::new(1 << 60)).err();
        assert_eq!(error, Some(OutOfMemory { bytes: 1 << 60 }));
    }

    #[test]
    fn an_empty_slice_needs_no_memory() {
        assert!(BigSlice::<u64>::new(0).unwrap().is_empty());
    }
}
