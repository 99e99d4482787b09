//! Prefetching: affects only time.
#![allow(unsafe_code)]

/// Bytes that are fetched together.
const LINE: usize = 64;

/// Prefetches what is soon read or written, line by line, into the nearest cache.
#[inline(always)]
pub fn prefetch<T>(soon: &[T]) {
    for at in (0..size_of_val(soon)).step_by(LINE) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let line = soon.as_ptr().wrapping_byte_add(at).cast();
            // SAFETY: a prefetch reads and writes nothing that a program can observe, whatever the address. It
            // is part of SSE, which every x86-64 processor has.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(line) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = at;
    }
}

/// Prefetches what lies `entries` entries behind a slice, or would lie there, and is as long. Into the second
/// cache, which sustains more outstanding lines than the nearest.
#[inline(always)]
pub fn prefetch_ahead<T>(slice: &[T], entries: usize) {
    for at in (0..size_of_val(slice)).step_by(LINE) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
            let line = slice.as_ptr().wrapping_add(entries).wrapping_byte_add(at).cast();
            // SAFETY: as above.
            unsafe { _mm_prefetch::<_MM_HINT_T1>(line) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = (at, entries);
    }
}
