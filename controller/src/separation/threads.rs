//! Work on several threads, where that is worth it.

/// Calls with each chunk and where it begins.
pub(super) fn each_chunk<T: Send>(
    all: &mut [T],
    chunk: usize,
    work: impl Fn(usize, &mut [T]) + Sync,
) {
    let chunk = chunk.max(1);
    #[cfg(feature = "rayon")]
    if rayon::current_num_threads() > 1 && all.len() > chunk {
        use rayon::prelude::*;
        let chunks = all.par_chunks_mut(chunk).enumerate();
        chunks.for_each(|(index, part)| work(index * chunk, part));
        return;
    }
    for (index, part) in all.chunks_mut(chunk).enumerate() {
        work(index * chunk, part);
    }
}

/// Calls with each chunk of two slices of one length, and where it begins.
pub(super) fn each_chunk_of_two<T: Send, U: Send>(
    first: &mut [T],
    second: &mut [U],
    chunk: usize,
    work: impl Fn(usize, &mut [T], &mut [U]) + Sync,
) {
    let chunk = chunk.max(1);
    #[cfg(feature = "rayon")]
    if rayon::current_num_threads() > 1 && first.len() > chunk {
        use rayon::prelude::*;
        let chunks = first.par_chunks_mut(chunk).zip(second.par_chunks_mut(chunk));
        chunks.enumerate().for_each(|(index, (one, other))| work(index * chunk, one, other));
        return;
    }
    let chunks = first.chunks_mut(chunk).zip(second.chunks_mut(chunk));
    for (index, (one, other)) in chunks.enumerate() {
        work(index * chunk, one, other);
    }
}

/// Calls with each chunk and where it begins, and with something that calls on one thread share.
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

/// Calls with each of a few.
pub(super) fn each_of<T: Send>(all: &mut [T], work: impl Fn(&mut T) + Send + Sync) {
    #[cfg(feature = "rayon")]
    if rayon::current_num_threads() > 1 {
        use rayon::prelude::*;
        all.par_iter_mut().with_max_len(1).for_each(work);
        return;
    }
    all.iter_mut().for_each(work);
}

/// Does both.
pub(super) fn both(one: impl FnOnce() + Send, other: impl FnOnce() + Send) {
    #[cfg(feature = "rayon")]
    if rayon::current_num_threads() > 1 {
        rayon::join(one, other);
        return;
    }
    one();
    other();
}
