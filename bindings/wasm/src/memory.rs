//! Large zeroed memory straight from the page. Memory that the module has just
//! grown by is zero already; the usual allocator clears it again, which for a
//! table takes longer than a `stop` should have to wait.

use std::alloc::{GlobalAlloc, Layout, System};
use std::arch::wasm32::memory_grow;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The size in bytes from which a block is large.
const LARGE: usize = 1 << 20;
/// Bytes of a page, by which memory grows.
const PAGE: usize = 1 << 16;
/// How many large blocks there may be; more go to the usual allocator.
const MOST: usize = 64;

#[derive(Clone, Copy)]
struct Block {
    start: usize,
    bytes: usize,
    is_free: bool,
}

const NONE: Block = Block {
    start: 0,
    bytes: 0,
    is_free: false,
};

/// The large blocks; unused entries have no bytes.
struct Blocks([Block; MOST]);

impl Blocks {
    /// A block of this many bytes, a multiple of a page, and whether it has
    /// been used before.
    fn take(&mut self, bytes: usize) -> Option<(usize, bool)> {
        let empty = self.0.iter().position(|block| block.bytes == 0)?;
        let fitting = self
            .0
            .iter_mut()
            .filter(|block| block.is_free && block.bytes >= bytes);
        if let Some(block) = fitting.min_by_key(|block| block.bytes) {
            let rest = Block {
                start: block.start + bytes,
                bytes: block.bytes - bytes,
                is_free: true,
            };
            (block.bytes, block.is_free) = (bytes, false);
            let start = block.start;
            if rest.bytes > 0 {
                self.0[empty] = rest;
            }
            return Some((start, true));
        }
        let page = memory_grow::<0>(bytes / PAGE);
        if page == usize::MAX {
            return None;
        }
        let start = page * PAGE;
        self.0[empty] = Block {
            start,
            bytes,
            is_free: false,
        };
        Some((start, false))
    }

    /// Takes a block back, if it is one of these, and merges free neighbours.
    fn give_back(&mut self, start: usize) -> bool {
        let Some(own) = self.0.iter().position(|b| b.bytes > 0 && b.start == start) else {
            return false;
        };
        self.0[own].is_free = true;
        while let Some((low, high)) = self.neighbours() {
            self.0[low].bytes += self.0[high].bytes;
            self.0[high] = NONE;
        }
        true
    }

    /// Two free blocks, one starting where the other ends.
    fn neighbours(&self) -> Option<(usize, usize)> {
        let free = || (0..MOST).filter(|&at| self.0[at].is_free);
        free().find_map(|low| {
            let end = self.0[low].start + self.0[low].bytes;
            let high = free().find(|&high| self.0[high].start == end)?;
            Some((low, high))
        })
    }
}

/// The allocator of the module.
pub struct Memory(Mutex<Blocks>);

impl Memory {
    /// An allocator without any block.
    pub const fn new() -> Self {
        Self(Mutex::new(Blocks([NONE; MOST])))
    }

    fn blocks(&self) -> MutexGuard<'_, Blocks> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// SAFETY: a block is given to one owner at a time: memory that has just grown
// or a block that was given back, at least as large as asked for and aligned to
// a page. All else is the system's, which gets back what it has given.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that the system needs.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if layout.size() >= LARGE && layout.align() <= PAGE {
            let bytes = layout.size().next_multiple_of(PAGE);
            let block = self.blocks().take(bytes);
            if let Some((start, was_used)) = block {
                let start = start as *mut u8;
                if was_used {
                    // SAFETY: the block is that large, and nobody else has it.
                    unsafe { start.write_bytes(0, bytes) };
                }
                return start;
            }
        }
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        if layout.size() < LARGE || !self.blocks().give_back(start as usize) {
            // SAFETY: it came from the system.
            unsafe { System.dealloc(start, layout) }
        }
    }

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if layout.size() < LARGE {
            // SAFETY: what is not large came from the system.
            return unsafe { System.realloc(start, layout, size) };
        }
        // SAFETY: the caller's promises make this a layout and both places as
        // large as what is copied.
        unsafe {
            let moved = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !moved.is_null() {
                moved.copy_from_nonoverlapping(start, size.min(layout.size()));
                self.dealloc(start, layout);
            }
            moved
        }
    }
}
