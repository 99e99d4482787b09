//! Prefetch of the data that is read next but one.
//!
//! A part's columns are read sequentially, five at a time. Where each reaches a new page, the hardware
//! prefetcher starts again. Data prefetched some five hundred units ahead has arrived by then.

use crate::units::cells::LANES;

/// How many units ahead of the moved ones data is prefetched.
const PREFETCH_UNITS: usize = 32 * LANES;

/// Prefetches a column that far ahead of a block. Affects only time.
#[inline(always)]
pub(super) fn fetch_ahead<T>(block: &[T; LANES]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        let from = block.as_ptr().wrapping_add(PREFETCH_UNITS).cast::<i8>();
        for line in 0..size_of::<[T; LANES]>().div_ceil(64) {
            #[allow(unsafe_code)]
            // SAFETY: a prefetch reads and writes nothing that a program can observe, whatever the
            // address, also past the end of a column. It is part of SSE, which every x86-64 processor
            // has.
            unsafe {
                _mm_prefetch::<_MM_HINT_T1>(from.wrapping_add(64 * line));
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (block, PREFETCH_UNITS);
}
