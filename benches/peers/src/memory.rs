//! Heap bytes in use. Rust's are counted by a global allocator, which also serves PhysX through its
//! allocation callbacks; Box3D reports its own, and Jolt's are what the C library has out besides.
#![allow(unsafe_code, reason = "an allocator is unsafe by its contract")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicI64, Ordering};

static IN_USE: AtomicI64 = AtomicI64::new(0);

/// The system's allocator, counted.
struct CountingHeap;

#[global_allocator]
static HEAP: CountingHeap = CountingHeap;

// SAFETY: every call is passed to the system's allocator unchanged, and its result is returned unchanged; the
// counter does not affect either.
unsafe impl GlobalAlloc for CountingHeap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        IN_USE.fetch_add(layout.size() as i64, Ordering::Relaxed);
        // SAFETY: as the caller promises us.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        IN_USE.fetch_add(layout.size() as i64, Ordering::Relaxed);
        // SAFETY: as the caller promises us.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        IN_USE.fetch_add(size as i64 - layout.size() as i64, Ordering::Relaxed);
        // SAFETY: as the caller promises us.
        unsafe { System.realloc(place, layout, size) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size() as i64, Ordering::Relaxed);
        // SAFETY: as the caller promises us.
        unsafe { System.dealloc(place, layout) }
    }
}

/// Bytes that the C library's allocator has out besides those of this heap, its own rounding among them.
#[cfg(feature = "jolt")]
pub(crate) fn c_heap() -> i64 {
    // SAFETY: reads counters.
    let all = unsafe { libc::mallinfo2() };
    (all.uordblks + all.hblkhd) as i64 - IN_USE.load(Ordering::Relaxed)
}

/// Measures the bytes allocated since the last lap.
pub(crate) struct Meter {
    /// Bytes allocated outside this heap.
    others: fn() -> i64,
    last: i64,
}

impl Meter {
    /// A meter of this heap.
    pub(crate) fn of_heap() -> Self {
        Self::with(|| 0)
    }

    /// A meter of this heap and of the bytes that `others` reports.
    pub(crate) fn with(others: fn() -> i64) -> Self {
        let mut meter = Self { others, last: 0 };
        meter.lap();
        meter
    }

    /// Bytes since the last lap, or the beginning; negative if more were freed than allocated.
    pub(crate) fn lap(&mut self) -> i64 {
        let now = IN_USE.load(Ordering::Relaxed) + (self.others)();
        let lap = now - self.last;
        self.last = now;
        lap
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lap_holds_what_was_taken_and_given_back() {
        // Other tests run in parallel: the amount is so large that theirs are negligible. It is
        // never touched.
        let (much, little) = (1_i64 << 30, 1_i64 << 28);
        let mut meter = Meter::with(|| 7);
        let taken = Vec::<u8>::with_capacity(much as usize);
        let lap = meter.lap();
        assert!((lap - much).abs() < little, "{lap}");
        drop(taken);
        let lap = meter.lap();
        assert!((lap + much).abs() < little, "{lap}");
    }
}
