//! Work on several threads, where that pays off.

use std::ops::Range;

/// Whether there is more than one thread.
pub(super) fn are_many() -> bool {
    #[cfg(feature = "rayon")]
    return rayon::current_num_threads() > 1;
    #[cfg(not(feature = "rayon"))]
    false
}

/// Calls `work` with each range of at most `chunk` numbers below `len`, and with a value that calls on the
/// same thread share.
pub(super) fn each_range<S>(
    len: usize,
    chunk: usize,
    share: impl Fn() -> S + Sync + Send,
    work: impl Fn(&mut S, Range<usize>) + Sync + Send,
) {
    let chunk = chunk.max(1);
    let range = |first: usize| first..first.saturating_add(chunk).min(len);
    #[cfg(feature = "rayon")]
    if rayon::current_num_threads() > 1 && len > chunk {
        use rayon::prelude::*;
        let chunks = (0..len.div_ceil(chunk)).into_par_iter();
        chunks.for_each_init(share, |share, index| work(share, range(index * chunk)));
        return;
    }
    let mut share = share();
    for first in (0..len).step_by(chunk) {
        work(&mut share, range(first));
    }
}

/// Calls `work` with each chunk, the index of its first entry, and a value that calls on the same thread
/// share.
pub(super) fn each_chunk_with<T: Send, S>(
    all: &mut [T],
    chunk: usize,
    share: impl Fn() -> S + Sync + Send,
    work: impl Fn(&mut S, usize, &mut [T]) + Sync + Send,
) {
    let chunk = chunk.max(1);
    #[cfg(feature = "rayon")]
    if rayon::current_num_threads() > 1 && all.len() > chunk {
        use rayon::prelude::*;
        let chunks = all.par_chunks_mut(chunk).enumerate();
        chunks.for_each_init(share, |share, (index, part)| work(share, index * chunk, part));
        return;
    }
    let mut share = share();
    for (index, part) in all.chunks_mut(chunk).enumerate() {
        work(&mut share, index * chunk, part);
    }
}

/// Calls both, on two threads if there are several.
pub(super) fn both(one: impl FnOnce() + Send, other: impl FnOnce() + Send) {
    #[cfg(feature = "rayon")]
    if rayon::current_num_threads() > 1 {
        rayon::join(one, other);
        return;
    }
    one();
    other();
}
