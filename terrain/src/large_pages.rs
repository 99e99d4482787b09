//! Pages of 2 MiB instead of 4 KiB: what is read here and there over gigabytes finds its pages sooner.
//! This asks for them; `store/buffers.rs` allocates.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;

/// Length and alignment of a large page. Where the system's are longer, it grants none.
pub(crate) const LARGE_PAGE_BYTES: usize = 2 << 20;

/// Asks the system to back memory that was not written to yet by large pages, where they lie in it. Only advice:
/// Linux follows it if `/sys/kernel/mm/transparent_hugepage/enabled` says `madvise` or `always`.
pub(crate) fn advise(memory: &mut [MaybeUninit<u8>]) {
    #[cfg(all(target_os = "linux", feature = "large-pages", not(miri)))]
    {
        use rustix::mm::{Advice, madvise};
        let start = memory.as_ptr().align_offset(LARGE_PAGE_BYTES);
        let pages = memory.len().saturating_sub(start) / LARGE_PAGE_BYTES;
        if pages == 0 {
            return;
        }
        let start = memory[start..].as_mut_ptr();
        // SAFETY: `madvise` asks that the range and the advice be right for what the memory is used for. The range
        // lies in a slice that is borrowed mutably, and this advice changes no byte, no address and no right of
        // access, only how many pages there are. A refusal leaves everything as it is.
        let _ = unsafe { madvise(start.cast(), pages * LARGE_PAGE_BYTES, Advice::LinuxHugepage) };
    }
    #[cfg(not(all(target_os = "linux", feature = "large-pages", not(miri))))]
    let _ = memory;
}
