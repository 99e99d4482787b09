//! Work in ranges and chunks, on the threads of a tick.

use std::ops::Range;

use crate::units::executor::Workers;

/// Calls `work` with each range of at most `chunk` numbers below `len`, and with a value that calls on the
/// same thread share.
pub(super) fn each_range<S>(
    workers: Workers<'_>,
    len: usize,
    chunk: usize,
    share: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, Range<usize>) + Sync,
) {
    let chunk = chunk.max(1);
    let ranges = (0..len).step_by(chunk).map(|first| first..first.saturating_add(chunk).min(len));
    workers.each(ranges, |_| share(), work);
}

/// Calls `work` with each chunk, the index of its first entry, and a value that calls on the same thread
/// share.
pub(super) fn each_chunk_with<T: Send, S>(
    workers: Workers<'_>,
    all: &mut [T],
    chunk: usize,
    share: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize, &mut [T]) + Sync,
) {
    let chunk = chunk.max(1);
    let chunks = all.chunks_mut(chunk).enumerate();
    workers.each(chunks, |_| share(), |share, (index, part)| work(share, index * chunk, part));
}
