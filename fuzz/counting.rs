//! An allocator that counts what is allocated.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[allow(unsafe_code, reason = "an allocator that counts cannot be written otherwise; it hands everything on")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.fetch_add(layout.size(), Relaxed) + layout.size();
        PEAK.fetch_max(live, Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(at, layout) }
    }
}

/// What a piece of work gave, and the memory it took.
#[allow(dead_code, reason = "each user looks at one of the figures")]
pub(crate) struct Counted<T> {
    pub(crate) value: T,
    /// Bytes that the value holds.
    pub(crate) kept: usize,
    /// The most bytes that were held at once; a buffer that grows is held twice while it is copied.
    pub(crate) peak: usize,
}

/// Does a piece of work, alone in the process.
pub(crate) fn counted<T>(work: impl FnOnce() -> T) -> Counted<T> {
    let before = LIVE.load(Relaxed);
    PEAK.store(before, Relaxed);
    let value = work();
    let since = |bytes: usize| bytes.saturating_sub(before);
    Counted { value, kept: since(LIVE.load(Relaxed)), peak: since(PEAK.load(Relaxed)) }
}
