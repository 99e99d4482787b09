//! Asking the processor for what is read next but one.
//!
//! A part's columns are read in straight lines, five at a time, and where each comes to another page the
//! processor's own guess begins anew. What is asked for half a thousand units ahead is there by then.

use crate::cells::LANES;

/// How many units ahead of those that are moved.
const PREFETCH_UNITS: usize = 32 * LANES;

/// Asks for what a column holds as far ahead of a block. Changes nothing but time.
#[inline(always)]
pub(super) fn fetch_ahead<T>(block: &[T; LANES]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        let from = block.as_ptr().wrapping_add(PREFETCH_UNITS).cast::<i8>();
        for line in 0..size_of::<[T; LANES]>().div_ceil(64) {
            #[allow(unsafe_code)]
            // SAFETY: a prefetch reads and writes nothing that a program can see, whatever the address,
            // also behind the end of a column. SSE, of which it is, is part of every x86-64 processor.
            unsafe {
                _mm_prefetch::<_MM_HINT_T1>(from.wrapping_add(64 * line));
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (block, PREFETCH_UNITS);
}
