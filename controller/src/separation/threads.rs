//! Work on several threads, where that is worth it.

use std::sync::atomic::AtomicU32;

use super::sort::{STRETCH, Starts, Stretch};
use super::sorted::Row;

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

/// Calls with each stretch of these: rows, keys and places by slot, starts by stretch.
pub(super) fn each_stretch(
    rows: &mut [Row],
    keys: &mut [u32],
    places: &mut [AtomicU32],
    starts: &mut [Starts],
    work: impl Fn(Stretch<'_>) + Sync + Send,
) {
    #[cfg(feature = "rayon")]
    if rayon::current_num_threads() > 1 && starts.len() > 1 {
        use rayon::prelude::*;
        let columns = rows.par_chunks_mut(STRETCH).zip(keys.par_chunks_mut(STRETCH));
        let all = columns.zip(places.par_chunks_mut(STRETCH)).zip(starts).enumerate();
        all.for_each(|(index, (((rows, keys), places), starts))| {
            work(Stretch { first: index * STRETCH, rows, keys, places, starts });
        });
        return;
    }
    let columns = rows.chunks_mut(STRETCH).zip(keys.chunks_mut(STRETCH));
    let all = columns.zip(places.chunks_mut(STRETCH)).zip(starts).enumerate();
    for (index, (((rows, keys), places), starts)) in all {
        work(Stretch { first: index * STRETCH, rows, keys, places, starts });
    }
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
